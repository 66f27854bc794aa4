#!/bin/sh
# --explain: a message as it was repaired, and what took each of its lines.
. tests/tap.sh

# A quoted report: the mail program that quoted it broke the line of `read`
# and left the quote mark off the remainder. The last line only begins like a
# summary of siege.
cat >"$scratch/quoted.eml" <<'END_OF_MAIL'
Message-ID: <explain@example.org>

> A first job:
> job: (groupid=0, jobs=1): err= 0: pid=77: Mon Nov  2 10:00:00 2020
>   read: IOPS=463, BW=1854KiB/s (1899kB/s)(18.1MiB/10001msec); 0 zone
resets
>     slat (usec): min=3, max=40, avg= 5.50, stdev= 2.25

Transactions: are many here.
END_OF_MAIL

# What a newly written grammar does not do, and why.
cat >"$scratch/own.grammar" <<'END'
grammar  own
literals wait

block run
  begin run <test:number>
  line wait <mean:number> (?<unit>\w+), all <sum:number>
    row   wait stat mean = <mean> <unit>
    row   wait stat sum  = <sum> ms
    check 3 * <mean> = <sum>
  line <low:number>-<high:number>
    row   wait stat min  = <low> s
    row   wait stat max  = <high> s
    check order <low> <high>

block sizes
  table
    header 2 or 1
    label  (?<test>[a-z]+)
    cell   <value:number>k
    row    wait = <value> kB
END
cat >"$scratch/own.txt" <<'END'
wait 5 ms, all 15

run 1
wait 5 ms, all 15
wait 5 ms, all 19
wait 5 miles, all 15
8.5-7

type  16 bytes  64 bytes
abc       1.5k      2.0k
END

# Kept in quoted-printable by an archive that threw the header away.
cat >"$scratch/encoded.eml" <<'END_OF_MAIL'
Message-ID: <encoded@example.org>

A second job, from a script that comments:

# job: (groupid=3D0, jobs=3D1): err=3D 0: pid=3D77: Mon Nov  2 10:00:00 2020
#   read: IOPS=3D463, BW=3D1854KiB/s (1899kB/s)(18.1MiB/10001msec); 0 zone =
resets
#     slat (usec): min=3D3, max=3D40, avg=3D 5.50, stdev=3D 2.25
END_OF_MAIL

shows() # PATTERN, of one line of standard output
{
    grep -q -e "$1" "$scratch/out" || complain "not shown: $1"
}

run --explain "$scratch/quoted.eml"
has_status 0
verdict $? '--explain of a quoted report'
shows '^== explain@example.org$'
verdict $? 'the message is named'
shows '^1 *3 *1 *|   read: IOPS=463, '
verdict $? 'part, line, quote depth and the text without its quote mark'
shows '^1 *4 *1 *mark lost *| resets$'
verdict $? 'how a line was repaired'
shows '^ *fio:[0-9]* line word=slat unit=usec min=3 max=40 mean=5.50 stddev=2.25$'
verdict $? 'grammar, line of the rule, captures'
shows '^ *siege:[0-9]* begin nearly: stopped after 14 characters, behind "Transactions: "$'
verdict $? 'a near miss: where matching stopped'
run --explain --only siege --only mmtests "$scratch/quoted.eml"
shows '^ *mmtests not tried: this text does not hold its literals$' &&
    shows '^ *siege:[0-9]* begin nearly:'
verdict $? 'with --only, a grammar that was not tried, and why'
run --explain "$scratch/encoded.eml"
shows '^1 *4 *0 *decoded bared *|   *read: IOPS=463, '
verdict $? 'a line that was decoded, and lost the mark of a comment'
shows '^1 *5 *0 *joined *| resets$'
verdict $? 'and its end, which an encoder had broken off'
shows '^1 *2 *0 *|'
verdict $? 'what was not encoded is not said to be'
run --explain "$scratch/quoted.eml"
rule=$(sed -n 's/^ *fio:\([0-9]*\) line word=slat .*/\1/p' "$scratch/out")
sed -n "${rule:-1}p" grammars/fio.grammar | grep -q "<word.*<unit"
verdict $? 'the rule stands in that line of the grammar'
[ "$(tr -d -c '\033' <"$scratch/out" | wc -c)" -eq 0 ]
verdict $? 'no colour in a file'

run --grammar "$scratch/own.grammar" --only own --explain "$scratch/own.txt"
sed -n '/| wait 5 ms, all 15$/{n;p;q;}' "$scratch/out" >"$scratch/first"
grep -q '^ *own:6 line fits, but the block is not open: run$' "$scratch/first"
verdict $? 'a rule whose block is not open'
[ "$(grep -c 'check fails' "$scratch/out")" -eq 3 ] && shows '^ *own:9 check fails: 0.015 is not 0.019$' &&
    shows '^ *own:13 check fails: 8.5 is above 7$'
verdict $? 'relations that fail, with what was compared'
shows '^ *own:7 no row: unknown unit "miles"$'
verdict $? 'a row that is not made, and why'
shows '^ *own:16 table header: "16 bytes" "64 bytes"$' && shows '^ *own:16 table test=abc value=2.0 in column "64 bytes"$'
verdict $? 'the columns of a table'

# Columns whose names are in a list: a figure too many in the line has none, in
# the next line it begins another row.
cat >"$scratch/list.grammar" <<'END'
grammar  own
literals disk
list     column
words    name ops wait

block disks
  begin disk
    each <column:name>
  line row
    each <value:number>
      row <column> = <value>
END
printf 'disk ops wait\nrow 1 2 3\nrow 4\nrow 5 6\n7 8\n' >"$scratch/list.txt"
run --grammar "$scratch/list.grammar" --only own --explain "$scratch/list.txt"
shows '^ *own:10 each value=2 column=wait$' && shows '^ *own:11 no row: no text of this number is in the list "column"$' &&
    [ "$(grep -c ' column=' "$scratch/out")" -eq 7 ]
verdict $? 'the texts of a list'
run --grammar "$scratch/list.grammar" --only own "$scratch/list.txt"
has_status 0 && has_rows 5 && says '1 dropped'
verdict $? 'a figure without a text in the list is dropped, the next line is not read on'

# A terminal, and what it then shows: script(1) gives the program one.
on_terminal() # ASSIGNMENT
{
    env -u NO_COLOR TERM=xterm "$1" timeout "$patience" \
        script -q -c "'$program' --quiet --explain '$scratch/quoted.eml'" /dev/null \
        </dev/null >"$scratch/out" 2>"$scratch/err"
    escapes=$(tr -d -c '\033' <"$scratch/out" | wc -c)
}
if command -v script >/dev/null 2>&1; then
    on_terminal A=b
    [ "$escapes" -gt 0 ] && shows 'word=slat'
    verdict $? 'colour on a terminal'
    on_terminal NO_COLOR=1
    [ "$escapes" -eq 0 ] && shows 'word=slat'
    verdict $? 'none with NO_COLOR'
else
    skip 'colour on a terminal' 'there is no script(1)'
fi

# ---- the checks catch a table that was repaired wrongly ----

# Two figures of 2 columns; the change of the second follows from its values.
table() # VALUE-OF-THE-LAST-COLUMN
{
    cat <<END_OF_TABLE
Message-ID: <table@example.org>

                              5.4.0                  5.5.0
                            vanilla                patched
Hmean     1       100.00 (   0.00%)      110.00 *  10.00%*
Hmean     2       200.00 (   0.00%)      $1 *  15.00%*
END_OF_TABLE
}
table 230.00 | sed '/vanilla/d; /5.4.0/d' >"$scratch/bare.eml"
run --explain "$scratch/bare.eml"
shows '^ *mmtests:[0-9]* table nearly: a row of 2, but no header above it names as many columns$'
verdict $? 'a row of a table without its header, and why it is none'
table 230.00 >"$scratch/right.eml"
table 290.00 >"$scratch/wrong.eml"
run "$scratch/right.eml"
has_status 0 && has_rows 4 && says '4 figures, 4 of them checked, 0 mismatches'
verdict $? 'a right table is checked, and the summary says of how many figures'
run "$scratch/wrong.eml"
has_status 0 && has_rows 4 && says '4 of them checked, 2 mismatches' &&
    [ "$(grep -c ',mismatch,' "$scratch/out")" -eq 2 ]
verdict $? 'figures that do not fit one another are marked'

# An archive has made one blank of many and dropped those between thread counts
# and values: 4400.00 fits no change; of the first figure of the row above it
# nothing is left but a label.
cat >"$scratch/glued.eml" <<'END_OF_MAIL'
Message-ID: <glued@example.org>

5.4.0 5.5.0
vanilla patched
Hmean faults/cpu 1 100.00 ( 0.00%) 110.00 * 10.00%*
Hmean faults/sec-2200.00 ( 0.00%) 230.00 * 15.00%*
Hmean faults/sec 4400.00 ( 0.00%) 460.00 * 15.00%*
END_OF_MAIL
run "$scratch/glued.eml"
has_status 0 && has_rows 4 && says '2 mismatches' && says '1 unknown lines' &&
    [ "$(grep -c ',hmean,4400,.*,mismatch,' "$scratch/out")" -eq 1 ] &&
    [ "$(grep -c ',hmean,460,.*,mismatch,' "$scratch/out")" -eq 1 ] &&
    [ "$(grep -c 'faults/cpu 1,hmean,1[01]0,.*,ok,' "$scratch/out")" -eq 2 ]
verdict $? 'figures that ran into their labels are marked or left out, the row above them is not'

finish
