#!/bin/sh
# Input that is odd, damaged or missing: what is said of it, the exit status,
# and the rows that must survive.
. tests/tap.sh

mail=corpus/siege-json-log.eml
rows=21 # in that mail

# A siege summary: 12 figures.
summary()
{
    cat <<'END'
Transactions:		        1160 hits
Availability:		      100.00 %
Elapsed time:		        2.00 secs
Data transferred:	       17.44 MB
Response time:		        0.01 secs
Transaction rate:	      580.00 trans/sec
Throughput:		        8.72 MB/sec
Concurrency:		        4.21
Successful transactions:        1160
Failed transactions:	           0
Longest transaction:	        0.05
Shortest transaction:	        0.00
END
}

header() # ID
{
    printf 'From: A Writer <a.writer@example.org>\nDate: Mon, 04 Mar 2024 18:20:00 +0100\n'
    printf 'Message-ID: <%s@example.org>\n' "$1"
}

# Rows of a message, by its id.
has_rows_of() # COUNT ID
{
    count=$(grep -c "^$2," "$scratch/out")
    [ "$count" -eq "$1" ] || complain "$count rows of $2 in place of $1"
}

# ---- sources that can't be read ----

run "$scratch/missing"
has_status 1 && has_rows 0 && says "$scratch/missing: cannot open: No such file or directory"
verdict $? 'a missing file'

run "$mail" "$scratch/missing" corpus/neg-fio-patch.eml corpus/siege-two-versions.eml
head -n 1 corpus/siege-json-log.csv >"$scratch/expected"
tail -q -n +2 corpus/siege-json-log.csv corpus/siege-two-versions.csv >>"$scratch/expected"
has_status 1 && same "$scratch/expected" "$scratch/out" && says "$scratch/missing: cannot open" &&
    says '3 messages, 2 with results'
verdict $? 'a missing file between others: they run, in their order'

mkdir "$scratch/folder"
run "$scratch/folder" "$mail"
[ "$status" -le 1 ] && has_rows $rows
verdict $? 'a directory without mail'

cp "$mail" "$scratch/secret.eml"
chmod 000 "$scratch/secret.eml"
if [ -r "$scratch/secret.eml" ]; then
    skip 'an unreadable file' 'this user may read everything'
else
    run "$scratch/secret.eml" "$mail"
    has_status 1 && has_rows $rows && says "$scratch/secret.eml: cannot open: Permission denied"
    verdict $? 'an unreadable file'
fi

run --quiet "$scratch/missing" "$mail"
has_status 1 && has_rows $rows && says 'cannot open' && [ "$(wc -l <"$scratch/err")" -eq 1 ]
verdict $? '--quiet does not hide what could not be read'

"$program" - <&- >"$scratch/out" 2>"$scratch/err"
status=$?
has_status 1 && says '-:0: cannot read: Bad file descriptor'
verdict $? 'standard input that is closed'

# ---- sources without mail ----

: >"$scratch/empty"
run "$scratch/empty" "$mail"
has_status 0 && has_rows $rows && says '1 messages, 1 with results'
verdict $? 'an empty file'

printf '\n\n\n' >"$scratch/blank"
run "$scratch/blank"
has_status 0 && has_rows 0 && says '0 messages'
verdict $? 'a file of empty lines'

summary >"$scratch/text"
run "$scratch/text"
has_status 0 && has_rows 12 && grep -q '^generated\.[0-9a-f]\{32\}@benchlore\.invalid,,1,siege,' "$scratch/out"
verdict $? 'text that is no mail'

for set in UTF-16LE UTF-16BE; do
    { printf '\357\273\277' && cat "$scratch/text"; } | iconv -f UTF-8 -t $set >"$scratch/wide"
    run "$scratch/wide"
    has_status 0 && has_rows 12
    verdict $? "text in $set"
done

run "$program" "$mail" # a program's machine code
has_status 1 && has_rows $rows && says "$program:0: neither mail nor text"
verdict $? 'a binary file'

# ---- archives that are cut off ----

# Cut inside the last figure: all rows before it, and no wrong one.
last=$(sed -n '/Patched/=' corpus/two-messages.mbox | tail -n 1)
{
    head -n $((last - 1)) corpus/two-messages.mbox
    printf '    Patched .. 4004'
} >"$scratch/cut.mbox"
run "$scratch/cut.mbox"
head -n 15 corpus/two-messages.csv >"$scratch/expected"
head -n 15 "$scratch/out" >"$scratch/first"
has_status 0 && has_rows 15 && same "$scratch/expected" "$scratch/first" &&
    tail -n 1 "$scratch/out" | grep -q ',47844.68,,47844.68,'
verdict $? 'an mbox that ends in a figure: the rows before it'

size=$(wc -c <corpus/two-messages.mbox)
wrong=0
for cut in 1 7 100 500 700 900 1100 1300 1500 1700; do
    head -c $((size - cut)) corpus/two-messages.mbox >"$scratch/cut.mbox"
    run "$scratch/cut.mbox"
    has_status 0 || wrong=1
done
verdict $wrong 'an mbox cut anywhere is read to its end'

# ---- mail that is odd ----

{
    header parts
    echo 'Content-Type: multipart/mixed; boundary=cut'
    echo
    echo 'preamble'
    printf -- '--cut\nContent-Type: text/plain\n\n'
    summary
} >"$scratch/open.eml"
run "$scratch/open.eml"
has_status 0 && has_rows_of 12 parts@example.org
verdict $? 'a multipart that is not closed'

{
    header parts
    echo 'Content-Type: multipart/mixed; boundary=there-is-none'
    echo
    summary
} >"$scratch/none.eml"
run "$scratch/none.eml"
has_status 0 && has_rows_of 12 parts@example.org && says 'none.eml:0: parts@example.org: multipart without parts'
verdict $? 'a multipart without parts'

{
    header parts
    echo 'Content-Type: multipart/mixed'
    echo
    summary
} >"$scratch/none.eml"
run "$scratch/none.eml"
has_status 0 && has_rows_of 12 parts@example.org
verdict $? 'a multipart without boundary'

{
    header base64
    echo 'Content-Transfer-Encoding: base64'
    echo
    summary | base64
    echo '!!! not base64 ???'
} >"$scratch/base64.eml"
run "$scratch/base64.eml"
has_status 0 && has_rows_of 12 base64@example.org && says 'base64@example.org: part 1: damaged base64'
verdict $? 'damaged base64'

{
    header base64
    echo 'Content-Transfer-Encoding: base64'
    echo
    summary | base64 | head -n 5
} >"$scratch/base64.eml"
run "$scratch/base64.eml"
has_status 0 && [ "$(wc -l <"$scratch/out")" -ge 7 ]
verdict $? 'base64 that is cut off'

{
    header encoding
    echo 'Content-Transfer-Encoding: quoted-printable'
    echo
    summary | sed 's/1160 hits/=31160 hits=/; s/Throughput/=ZZ &/'
} >"$scratch/qp.eml"
run "$scratch/qp.eml"
has_status 0 && grep -q ',transactions,,1160,1,1160,' "$scratch/out" && grep -q ',concurrency,,4.21,1,4.21,' "$scratch/out"
verdict $? 'damaged quoted-printable'

{
    header encoding
    echo 'Content-Transfer-Encoding: x-invented'
    echo
    summary
} >"$scratch/encoding.eml"
run "$scratch/encoding.eml"
has_status 0 && has_rows_of 12 encoding@example.org
verdict $? 'an unknown transfer encoding'

{
    header charset
    echo 'Content-Type: text/plain; charset=x-invented'
    echo
    summary
} >"$scratch/charset.eml"
run "$scratch/charset.eml"
has_status 0 && has_rows_of 12 charset@example.org && says 'charset@example.org: part 1: unknown character set x-invented: read as if it named none'
verdict $? 'an unknown character set'

{
    header charset
    echo 'Content-Type: text/plain; charset=utf-8'
    echo
    printf 'k\374hl, \355\240\200 \300\200 \377\n\n'
    summary
} >"$scratch/charset.eml"
run "$scratch/charset.eml"
has_status 0 && has_rows_of 12 charset@example.org && says 'charset@example.org: part 1: bytes that are no utf-8 text'
verdict $? 'bytes that their character set does not have'

run --quiet "$scratch/charset.eml"
has_status 0 && has_rows_of 12 charset@example.org && [ ! -s "$scratch/err" ]
verdict $? '--quiet: no word on odd mail that was read'

{
    header nul
    printf 'Subject: zero\000byte\n\n'
    printf 'a \000 b\n\000\000\n'
    summary
    printf '\000\n'
} >"$scratch/nul.eml"
run "$scratch/nul.eml"
has_status 0 && has_rows_of 12 nul@example.org
verdict $? 'NUL bytes'

# Without Message-ID: the id is made of the content, so the same twice, in a
# file, in an mbox and with other line ends, and another for other content.
{
    header unused | grep -v Message-ID
    echo
    summary
} >"$scratch/anonymous.eml"
run "$scratch/anonymous.eml"
id=$(sed -n '2s/,.*//p' "$scratch/out")
has_status 0 && has_rows 12 && has_rows_of 12 "$id" && echo "$id" | grep -q '^generated\.[0-9a-f]\{32\}@benchlore\.invalid$'
verdict $? 'no Message-ID'
# As the README says: all but Message-ID is hashed, and here no other field.
# shellcheck disable=SC2312 # $() takes the line ends off
hash=$(printf %s "$(cat "$scratch/anonymous.eml")" | sha256sum | head -c 32)
[ "$id" = "generated.$hash@benchlore.invalid" ] || complain "$id in place of $hash"
verdict $? 'no Message-ID: the id is made as the README says'
sed '/^Date/s/^/Status: RO\nContent-Length: 400\nReceived: by a\n\twith b\n/' "$scratch/anonymous.eml" >"$scratch/relayed.eml"
run "$scratch/anonymous.eml" "$scratch/relayed.eml"
has_status 0 && has_rows 12 && has_rows_of 12 "$id" && says '1 copies'
verdict $? 'no Message-ID: what relays and mail stores add makes no difference'
{
    echo 'From a.writer@example.org Mon Mar  4 17:20:00 2024'
    sed 's/$/\r/' "$scratch/anonymous.eml"
    echo
    echo 'From a.writer@example.org Mon Mar  4 17:20:00 2024'
    sed 's/580.00/581.00/' "$scratch/anonymous.eml"
} >"$scratch/anonymous.mbox"
run "$scratch/anonymous.mbox"
has_status 0 && has_rows 24 && has_rows_of 12 "$id"
verdict $? 'no Message-ID: the id depends on the content alone'

{
    header date | sed 's/^Date:.*/Date: yesterday, after lunch/'
    echo
    summary
} >"$scratch/date.eml"
run "$scratch/date.eml"
has_status 0 && has_rows 12 && says 'date@example.org: unusable Date header' &&
    [ "$(grep -c '^date@example.org,,1,siege,' "$scratch/out")" -eq 12 ]
verdict $? 'a bad date'

{
    header folded | sed '/Message-ID/d'
    printf 'Message-ID:\n <folded@example.org>\nMessage-ID: <second@example.org>\nBroken header line\n: no name\n\n'
    summary
} >"$scratch/header.eml"
run "$scratch/header.eml"
has_status 0 && has_rows 12 && has_rows_of 12 folded@example.org
verdict $? 'a broken header, two Message-IDs'

# ---- much of something ----

# Multiparts one in the other, each with a text before the next.
{
    echo 'From a.writer@example.org Mon Mar  4 17:20:00 2024'
    header nested
    echo 'Content-Type: multipart/mixed; boundary=b1'
    echo
    level=1
    while [ $level -le 1000 ]; do
        printf -- '--b%d\nContent-Type: text/plain\n\n' $level
        [ $level -gt 2 ] || summary
        printf -- '\n--b%d\nContent-Type: multipart/mixed; boundary=b%d\n\n' $level $((level + 1))
        level=$((level + 1))
    done
    printf '\n\nFrom a.writer@example.org Mon Mar  4 17:20:00 2024\n'
    header behind
    echo
    summary
} >"$scratch/nested.mbox"
run "$scratch/nested.mbox"
has_status 1 && has_rows_of 24 nested@example.org && has_rows_of 12 behind@example.org &&
    says 'nested@example.org: more than 100 '
verdict $? '1000 nested parts: those on top are read, and the next message'

# A line of 50 MB between two results, then another message.
megabytes() # COUNT COMMAND...
{
    size=$(($1 * 1000000))
    shift
    "$@" | head -c $size
}
{
    echo 'From a.writer@example.org Mon Mar  4 17:20:00 2024'
    header long
    echo
    summary
    megabytes 50 tr '\000' x </dev/zero
    echo
    summary
    printf '\nFrom a.writer@example.org Mon Mar  4 17:20:00 2024\n'
    header behind
    echo
    summary
} >"$scratch/long.mbox"
run "$scratch/long.mbox"
has_status 0 && has_rows_of 24 long@example.org && has_rows_of 12 behind@example.org
verdict $? 'a line of 50 MB'

{
    header words
    echo
    summary
    echo 'Literals of all grammars: IOPS= aggrb= |= MIN: AVG: Better 0.00%) Elapsed Min Max Mean'
    megabytes 50 yes 'a word, 12 more = 34%' | tr '\n' ' '
    echo
    summary
} >"$scratch/long.eml"
run "$scratch/long.eml"
has_status 0 && has_rows_of 24 words@example.org
verdict $? 'a line of 50 MB of words'

{
    header lines
    echo
    summary
    megabytes 40 yes 'This is a line as those of most mails are, with 12 numbers in 34 % of 56.'
    echo
    summary
} >"$scratch/big.eml"
rm -f "$scratch/long.eml" "$scratch/long.mbox"
run "$scratch/big.eml"
has_status 0 && has_rows_of 24 lines@example.org
verdict $? 'a body of 40 MB'

{
    header parts
    echo 'Content-Type: multipart/mixed; boundary=b'
    echo
    count=0
    printf -- '--b\n\n'
    summary
    while [ $count -lt 20000 ]; do
        printf -- '--b\n\nx\n'
        count=$((count + 1))
    done
} >"$scratch/parts.eml"
run "$scratch/parts.eml"
has_status 1 && has_rows_of 12 parts@example.org && says 'parts@example.org: more than 10000 '
verdict $? '20000 parts: the first are read'

{
    header headers
    yes 'X-Much: of the same' | head -n 100000
    echo
    summary
} >"$scratch/header.eml"
run "$scratch/header.eml"
has_status 0 && has_rows 12
verdict $? 'a header of 2 MB'

# ---- output that can't be written ----

all=$(ls corpus/*.eml)
if [ -c /dev/full ]; then
    for format in csv xml; do
        # shellcheck disable=SC2086 # names without blanks
        "$program" --format $format $all >/dev/full 2>"$scratch/err"
        status=$?
        has_status 3 && says 'benchlore: standard output: No space left on device'
        verdict $? "a full disk, $format"
        "$program" --format $format "$mail" >/dev/full 2>"$scratch/err"
        status=$?
        has_status 3 && says 'benchlore: standard output: No space left on device'
        verdict $? "a full disk, found at the last flush, $format"
    done
    for option in --version --list-grammars --help --check-grammar=grammars/siege.grammar; do
        "$program" $option >/dev/full 2>"$scratch/err"
        status=$?
        has_status 3
        verdict $? "a full disk, $option"
    done
else
    skip 'a full disk' 'there is no /dev/full'
fi

"$program" "$mail" >&- 2>"$scratch/err"
status=$?
has_status 3
verdict $? 'standard output that is closed'

# What is written is more than a pipe holds.
for format in csv xml; do
    {
        # shellcheck disable=SC2086
        "$program" --format $format $all $all 2>"$scratch/err"
        echo $? >"$scratch/status"
    } | head -n 1 >"$scratch/out"
    status=$(cat "$scratch/status")
    has_status 3 && [ "$(wc -l <"$scratch/out")" -eq 1 ] && { [ ! -s "$scratch/err" ] || complain "$(cat "$scratch/err")"; }
    verdict $? "a closed pipe ends quietly, $format"
done

finish
