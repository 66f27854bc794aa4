#!/bin/sh
# The line that says how far a run is: on a terminal, and nowhere else.
. tests/tap.sh

mail=corpus/siege-json-log.eml

# ---- --verbose ----

run --verbose "$mail" corpus/two-messages.mbox
has_status 0 && [ "$(wc -l <"$scratch/err")" -eq 3 ] && sed 1q "$scratch/err" | grep -q "^$mail: 1 messages, [0-9]* bytes\$" &&
    sed -n 2p "$scratch/err" | grep -q '^corpus/two-messages.mbox: 2 messages, [0-9]* bytes$'
verdict $? '--verbose: a line for each source'
run --verbose --quiet "$mail"
has_status 0 && [ ! -s "$scratch/err" ]
verdict $? '--quiet outdoes --verbose'

# ---- on a terminal ----

{
    echo 'From a Mon Nov 30 12:00:00 2020'
    cat "$mail"
    echo
} >"$scratch/mbox"

# Mail that comes slowly, as $slow; what is shown goes to $scratch/shown.
slow="for i in 1 2 3 4; do cat '$scratch/mbox'; sleep 0.15; done"
show() # COMMAND
{
    TERM=xterm timeout "$patience" script -qec "$1" /dev/null >"$scratch/shown" 2>"$scratch/err" </dev/null
    status=$?
}

if ! command -v script >/dev/null 2>&1; then
    skip 'the line on a terminal' 'there is no script(1)'
    finish
fi
show "($slow) | '$program' --jobs 1 - >'$scratch/out'"
tr '\r' '\n' <"$scratch/shown" >"$scratch/lines"
has_status 0 && grep -q '^[1-4] messages, 2 results, [0-9.]* MB/s *$' "$scratch/lines" ||
    complain "$(head -n 5 "$scratch/lines")"
verdict $? 'the line on a terminal'
[ "$(grep -c ' MB/s' "$scratch/lines")" -le 8 ]
verdict $? 'it is drawn at most ten times a second'
# Blanks over all of it, then the summary from the first column.
grep -a -q "$(printf '\r  *\r')4 messages, " "$scratch/shown"
verdict $? 'the summary takes its place'

# A share where the size is known, and rows on the same terminal.
i=0
while [ $i -lt 500 ]; do
    cat "$scratch/mbox" || exit 1
    i=$((i + 1))
done >"$scratch/large"
cp "$scratch/large" "$scratch/large2"
show "'$program' --jobs 1 --no-prefilter '$scratch/large' '$scratch/large2' '$scratch/large' '$scratch/large2' >'$scratch/out'"
tr '\r' '\n' <"$scratch/shown" >"$scratch/lines"
if grep -q ' MB/s' "$scratch/lines"; then
    grep -q '^ *[0-9]*%, [0-9]* messages, ' "$scratch/lines"
    verdict $? 'the share that was read'
else
    skip 'the share that was read' 'too fast to see'
fi
show "($slow) | '$program' --jobs 1 -"
tr '\r' '\n' <"$scratch/shown" | grep -v -e ' MB/s' -e '^ *$' >"$scratch/lines"
[ "$(grep -c '^[^,]*,[0-9][^,]*,[12],siege,' "$scratch/lines")" -eq 21 ]
verdict $? 'rows on the same terminal are whole lines'

show "($slow) | '$program' --quiet - >'$scratch/out'"
has_status 0 && [ ! -s "$scratch/shown" ] || complain "$(head -c 200 "$scratch/shown")"
verdict $? 'nothing with --quiet'
(eval "$slow") | "$program" - >"$scratch/out" 2>"$scratch/err"
[ "$(wc -l <"$scratch/err")" -eq 2 ] && ! grep -q "$(printf '\r')" "$scratch/err"
verdict $? 'nothing where standard error is no terminal'

finish
