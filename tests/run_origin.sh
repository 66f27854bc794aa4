#!/bin/sh
# Origins: which message first posted what another quotes, in whole runs.
. tests/tap.sh

# Rows as `message_id result quote_depth origin`, one a result.
origins() # [ARGUMENT...]
{
    run --only siege "$@"
    has_status 0
    sed 1d "$scratch/out" | awk -F , '!seen[$1, $3]++ { print $1, $3, $20, $21 ($21 == "" ? "-" : "") }' \
        >"$scratch/origins"
}

expects() # NAME; the lines on standard input
{
    cat >"$scratch/expected"
    same "$scratch/expected" "$scratch/origins"
    verdict $? "$1"
}

# A summary of siege, each line behind a mark.
siege() # TRANSACTIONS RATE MARK
{
    sed "s/^/$3/" <<END
Transactions:		       $1 hits
Availability:		      100.00 %
Elapsed time:		       59.56 secs
Transaction rate:	      $2 trans/sec

END
}

head_of() # ID REFERENCES
{
    printf 'From a Mon Nov 30 12:00:00 2020\nMessage-ID: <%s>\n' "$1"
    printf 'Date: Mon, 30 Nov 2020 12:00:00 +0000\nReferences: %s\n\n' "$2"
}

{
    head_of one@x ''
    echo 'Before the patch:'
    siege 75112 1261.12 ''
    echo 'After it:'
    siege 80534 1352.15 ''
} >"$scratch/1"
{
    head_of two@x '<one@x>'
    echo 'One wrote:'
    siege 75112 1261.12 '> '
    echo 'Here it is less:'
    siege 41234 692.31 ''
} >"$scratch/2"
{
    head_of three@x '<one@x> <two@x>'
    siege 75112 1261.12 '> > '
    echo '> Here it is less:'
    siege 41234 692.31 '> '
    echo 'The new one:'
    siege 43210 725.49 ''
} >"$scratch/3"
{
    head_of four@x '<three@x>'
    siege 75112 1261.12 '> > > '
    siege 41234 692.31 '> > '
    siege 43210 725.49 '> '
} >"$scratch/4"
cat "$scratch/1" "$scratch/2" "$scratch/3" "$scratch/4" >"$scratch/thread.mbox"
for jobs in 1 3; do
    origins --jobs $jobs "$scratch/thread.mbox"
    expects "a thread of four messages, with $jobs jobs" <<'END'
one@x 1 0 -
one@x 2 0 -
two@x 1 1 one@x
two@x 2 0 -
three@x 1 2 one@x
three@x 2 1 two@x
three@x 3 0 -
four@x 1 3 one@x
four@x 2 2 two@x
four@x 3 1 three@x
END
done

# The same, the messages in files that are sources of their own.
cp "$scratch/origins" "$scratch/whole"
origins "$scratch/1" "$scratch/2" "$scratch/3" "$scratch/4"
expects 'and in four sources' <"$scratch/whole"

# What comes later is not known yet; the run's order decides, not the date.
origins "$scratch/2" "$scratch/1"
expects 'a reply before what it quotes' <<'END'
two@x 1 1 -
two@x 2 0 -
one@x 1 0 -
one@x 2 0 -
END

# The same figures in two threads, and a quote that names neither.
{
    head_of other@y ''
    siege 75112 1261.12 ''
} >"$scratch/other"
{
    head_of reply@y '<other@y>'
    siege 75112 1261.12 '> '
} >"$scratch/reply"
{
    head_of lost@z ''
    siege 75112 1261.12 '> '
} >"$scratch/lost"
origins "$scratch/1" "$scratch/other" "$scratch/reply" "$scratch/2" "$scratch/lost"
expects 'the same figures in two threads' <<'END'
one@x 1 0 -
one@x 2 0 -
other@y 1 0 -
reply@y 1 1 other@y
two@x 1 1 one@x
two@x 2 0 -
lost@z 1 1 one@x
END

# Figures that another message quotes, in none that posted them.
origins "$scratch/lost" "$scratch/4"
expects 'nobody posted them' <<'END'
lost@z 1 1 -
four@x 1 3 -
four@x 2 2 -
four@x 3 1 -
END

run --only siege --no-quoted "$scratch/thread.mbox"
has_status 0 && has_rows 16
verdict $? '--no-quoted leaves them out'

if command -v xmllint >/dev/null 2>&1; then
    run --only siege --format xml "$scratch/thread.mbox"
    has_status 0 && grep -q 'origin="two@x"' "$scratch/out" &&
        xmllint --noout --relaxng output/benchlore.rng "$scratch/out" 2>"$scratch/err"
    verdict $? 'XML has them too'
else
    skip 'XML has them too' 'there is no xmllint'
fi

# A table of which a reply keeps the head and some rows.
{
    head_of table@x ''
    cat <<'END'
hackbench
                 5.9         5.10
             vanilla      patched
Amean  1      1.0312 (   0.00%)      1.0510 (  -1.92%)
Amean  4      2.1127 (   0.00%)      2.0916 (   1.00%)
Amean  7      3.2243 (   0.00%)      3.1923 (   0.99%)
Amean  12     5.3471 (   0.00%)      5.2411 (   1.98%)
Amean  21     8.9934 (   0.00%)      8.8142 (   1.99%)

END
    head_of trimmed@x '<table@x>'
    cat <<'END'
> hackbench
>                  5.9         5.10
>              vanilla      patched
> Amean  1      1.0312 (   0.00%)      1.0510 (  -1.92%)
> Amean  4      2.1127 (   0.00%)      2.0916 (   1.00%)
> Amean  7      3.2243 (   0.00%)      3.1923 (   0.99%)

That is nothing.
END
} >"$scratch/trimmed.mbox"
run "$scratch/trimmed.mbox"
has_status 0 && has_rows 16 && [ "$(grep -c '^trimmed@x,.*,1,table@x,1,' "$scratch/out")" -eq 6 ]
verdict $? 'a trimmed table'

finish
