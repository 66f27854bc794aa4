#!/bin/sh
# Every mail of corpus/ gives the rows that stand beside it, byte for byte,
# wherever and whenever it is read.
. tests/tap.sh

mails=
for mail in corpus/*.eml corpus/*.mbox; do
    mails="$mails $mail"
    run "$mail"
    has_status 0 && same "${mail%.*}.csv" "$scratch/out"
    verdict $? "$mail gives its rows"
done

for rows in corpus/*.csv; do
    [ -e "${rows%.csv}.eml" ] || [ -e "${rows%.csv}.mbox" ]
    verdict $? "$rows has its mail"
done

# A negative mail has no row at all beside it: nobody has let one slip in.
for rows in corpus/neg-*.csv; do
    [ "$(wc -l <"$rows")" -eq 1 ]
    verdict $? "$rows is empty"
done

# What perf stat, iostat and the kernel test robot print is no business of these.
run --only fio --only siege --only phoronix --only mmtests --only summary tests/data/other-tools.eml
head -n 1 corpus/neg-fio-patch.csv >"$scratch/expected"
has_status 0 && same "$scratch/expected" "$scratch/out"
verdict $? 'tables of other tools give nothing'

# All in one run: the header once, and each mail's rows in the order given.
head -n 1 corpus/neg-fio-patch.csv >"$scratch/expected"
for mail in $mails; do
    tail -n +2 "${mail%.*}.csv" >>"$scratch/expected"
done
# shellcheck disable=SC2086 # names in corpus/ have no blanks
run $mails
has_status 0 && same "$scratch/expected" "$scratch/out"
verdict $? 'several sources give their rows in the order given'

for setting in TZ=Pacific/Apia TZ=America/St_Johns LC_ALL=C LC_ALL=de_DE.UTF-8 LC_ALL=tr_TR.UTF-8 LANG=nowhere; do
    # shellcheck disable=SC2086
    env "$setting" "$program" $mails >"$scratch/out" 2>"$scratch/err"
    status=$?
    has_status 0 && same "$scratch/expected" "$scratch/out"
    verdict $? "the same bytes under $setting"
done

# A mail is the same from a file, from a pipe, with other line ends.
mail=corpus/fio-2-md
"$program" - <$mail.eml >"$scratch/out" 2>"$scratch/err"
status=$?
has_status 0 && same $mail.csv "$scratch/out"
verdict $? 'standard input, redirected'
cat $mail.eml | "$program" - >"$scratch/out" 2>"$scratch/err"
status=$?
has_status 0 && same $mail.csv "$scratch/out"
verdict $? 'standard input, a pipe'
sed 's/$/\r/' $mail.eml | "$program" - >"$scratch/out" 2>"$scratch/err"
status=$?
has_status 0 && same $mail.csv "$scratch/out"
verdict $? 'lines that end in CR LF'

# The mails as one mbox, with an address and a date before each.
for mail in corpus/*.eml; do
    echo 'From someone@example.org Mon Mar  4 18:20:00 2024'
    sed 's/^>*From />&/' "$mail"
    echo
done >"$scratch/all.mbox"
head -n 1 corpus/neg-fio-patch.csv >"$scratch/expected"
for mail in corpus/*.eml; do
    tail -n +2 "${mail%.*}.csv"
done >>"$scratch/expected"
run "$scratch/all.mbox"
has_status 0 && same "$scratch/expected" "$scratch/out" &&
    says "$(grep -c "^From someone@" "$scratch/all.mbox") messages, "
verdict $? 'all mails in one mbox give the same rows'

# --no-quoted leaves out what is quoted and nothing else: numbers stay.
run --no-quoted corpus/reply-quotes-groups.eml
grep -e '^message_id,' -e ',summary,' corpus/reply-quotes-groups.csv >"$scratch/expected"
has_status 0 && same "$scratch/expected" "$scratch/out"
verdict $? "--no-quoted leaves the author's own"

# --only: every grammar's rows are the same without the others.
# shellcheck disable=SC2086
run $mails
cp "$scratch/out" "$scratch/all"
"$program" --list-grammars | sed 's/ .*//' >"$scratch/names"
total=0
while read -r name; do
    # shellcheck disable=SC2086
    run --only "$name" $mails
    total=$((total + $(wc -l <"$scratch/out") - 1))
done <"$scratch/names"
[ "$total" -eq $(($(wc -l <"$scratch/all") - 1)) ]
verdict $? 'the rows of each grammar alone are all rows'

finish
