#!/bin/sh
# Options: what they do, and that nothing is read or written when one is wrong.
. tests/tap.sh

mail=corpus/siege-json-log.eml
unread=$scratch/no-such-file # is complained of only if it is opened

# ---- wrong options ----

refuses() # NAME WHAT-IS-SAID ARGUMENT...
{
    name=$1
    what=$2
    shift 2
    run "$@" "$unread"
    has_status 2 && [ ! -s "$scratch/out" ] && says "$what" &&
        { ! grep -q 'no-such-file' "$scratch/err" || complain 'the source was opened'; }
    verdict $? "$name"
}

refuses 'an unknown option' 'unknown option --nonsense' --nonsense
refuses 'a short option that is unknown' 'unknown option -Z' -Z
refuses 'two wrong options: the first is named' 'unknown option --nonsense' --nonsense --format other
refuses 'two wrong options: and the second' 'no such format' --nonsense --format other
refuses 'an unknown format' 'there is no such format' --format nonsense
refuses 'an empty format' 'there is no such format' --format=
refuses '--only with an unknown name' '--only nonsense: no grammar has this name' --only nonsense
refuses '--only with one name of two unknown' '--only nonsense: no grammar has this name' --only fio --only nonsense
refuses '--warn of an unknown kind' '--warn knows only' --warn=nonsense
refuses 'a grammar that is missing' "$scratch/none.grammar" --grammar "$scratch/none.grammar"

run
has_status 2 && [ ! -s "$scratch/out" ] && says 'no source given' && says 'benchlore --help'
verdict $? 'no source'

# All mistakes of a grammar at once, each with its place.
cat >"$scratch/wrong.grammar" <<'END'
grammar  wrong
literals wrong=
nonsense here
block b
  begin wrong=<value:nosuch>
    row wrong = <value> furlong
END
refuses 'a wrong grammar' "$scratch/wrong.grammar:3:1: " --grammar "$scratch/wrong.grammar"
says "$scratch/wrong.grammar:5:"
verdict $? 'and its second mistake'
run --check-grammar "$scratch/wrong.grammar"
has_status 2 && [ ! -s "$scratch/out" ] && says "$scratch/wrong.grammar:3:1: " && says "$scratch/wrong.grammar:5:"
verdict $? '--check-grammar of a wrong grammar'
sed -n 3p "$scratch/wrong.grammar" | grep -q -F -f - "$scratch/err" && grep -q '^ *^' "$scratch/err"
verdict $? 'the line is shown, with a caret'
printf 'grammar x\n\377\n' >"$scratch/bytes.grammar"
refuses 'a grammar that is no UTF-8' "$scratch/bytes.grammar" --grammar "$scratch/bytes.grammar"
refuses 'a grammar that is a directory' "$scratch" --grammar "$scratch"

# ---- a grammar of one's own ----

cat >"$scratch/own.grammar" <<'END'
# own: lines like `score=12.5 points`.
grammar  own
about    a test
literals score=

block line
  begin score=<value:number> points
    row score = <value> 1
END
{
    printf 'Message-ID: <own@example.org>\n\n'
    echo 'score=12.50 points'
} >"$scratch/own.eml"
run "$scratch/own.eml"
has_status 0 && has_rows 0
verdict $? 'without its grammar a text has no rows'
run --grammar "$scratch/own.grammar" "$scratch/own.eml" "$mail"
has_status 0 && has_rows 22 && grep -q '^own@example.org,,1,own,,,,,score,,12.5,1,12.50,' "$scratch/out"
verdict $? '--grammar is used beside the others'
run -g "$scratch/own.grammar" --only own "$scratch/own.eml" "$mail"
has_status 0 && has_rows 1
verdict $? '--only of a grammar of --grammar'

mkdir -p "$scratch/data/benchlore/grammars"
cp "$scratch/own.grammar" "$scratch/data/benchlore/grammars/"
XDG_DATA_HOME=$scratch/data "$program" "$scratch/own.eml" >"$scratch/out" 2>"$scratch/err"
status=$?
has_status 0 && has_rows 1
verdict $? 'a grammar in XDG_DATA_HOME'

# Why a rule that has matched gives no row, and which.
printf 'grammar own\nliterals score=\nblock line\n  begin score=<value:number> (?<unit>\\w+)\n    row score = <value> <unit>\n' \
    >"$scratch/unit.grammar"
run --grammar "$scratch/unit.grammar" "$scratch/own.eml"
has_status 0 && has_rows 0 && says 'part 1 line 1: own: the rule of line 4: unknown unit "points"'
verdict $? 'a figure of an unknown unit, with its rule'
cat >"$scratch/reasons.grammar" <<'END'
grammar  own
literals wait:
map      unit  ms=ms MB=MB
carry    stat

block line
  begin wait: <value:duration> (?<unit>\S+)
    row wait = <value> <unit|unit>
  line mean: <value:number>
    row wait stat <stat> = <value> s
  line count: (?<value>\S+)
    row count = <value>
  line statistic: (?<stat>\w+)
END
printf 'wait: 5 ms\nwait: 6 furlong\nwait: 7s MB\nmean: 8\ncount: 5,,,5\n' >"$scratch/reasons.txt"
run --grammar "$scratch/reasons.grammar" --only own "$scratch/reasons.txt"
has_status 0 && has_rows 1 && says 'line 2: own: the rule of line 7: the map does not have "furlong"' &&
    says 'line 3: own: the rule of line 7: the row has another kind of unit than "s"' &&
    says 'line 4: own: the rule of line 9: nothing above it sets the variable "stat"' &&
    says 'line 5: own: the rule of line 11: this is no number "5,,,5"'
verdict $? 'other reasons, each with the text that it is about'

# One of the same name takes the place of the one that came before.
sed 's/^grammar .*/grammar siege/' "$scratch/own.grammar" >"$scratch/siege.grammar"
run --grammar "$scratch/siege.grammar" "$mail" "$scratch/own.eml"
has_status 0 && has_rows 1
verdict $? 'a grammar replaces one of its name'

run --check-grammar "$scratch/own.grammar"
has_status 0 && [ "$(cat "$scratch/out")" = "$scratch/own.grammar: good; no samples in $scratch/samples/own" ]
verdict $? '--check-grammar of a good one, and where samples would be'

sed 's/^literals .*/literals = and " x "/' "$scratch/own.grammar" >"$scratch/short.grammar"
run --check-grammar "$scratch/short.grammar"
has_status 0 && grep -q '; slow, since its literals are too short to be looked for$' "$scratch/out"
verdict $? '--check-grammar of one for which every mail is read'

# Its samples stand beside it; what other tools find in them is not its own.
mkdir -p "$scratch/samples/own"
printf 'score=12.50 points\nscore=13 points\n' >"$scratch/samples/own/two.txt"
printf 'tool,value\nown,12.5\nown,13\nother,5\n' >"$scratch/samples/own/two.csv"
echo 'the score= of 12 points' >"$scratch/samples/own/prose.txt"
echo 'tool,value' >"$scratch/samples/own/prose.csv"
run --check-grammar "$scratch/own.grammar"
has_status 0 && [ "$(cat "$scratch/out")" = "$scratch/own.grammar: good; 2 of 2 samples as expected" ]
verdict $? '--check-grammar of one with samples'
printf 'tool,value\nown,12.5\nown,14\n' >"$scratch/samples/own/two.csv"
run --check-grammar "$scratch/own.grammar"
has_status 2 && [ ! -s "$scratch/out" ] && [ "$(wc -l <"$scratch/err")" -eq 3 ] &&
    says "$scratch/samples/own/two.csv:3: missing: own | 14" &&
    says "$scratch/samples/own/two.txt:2: unexpected: own | 13" &&
    says "$scratch/own.grammar: 1 of 2 samples as expected"
verdict $? 'rows that a sample lacks and that it has too many, each with its line'
printf 'tool,value\nown\n' >"$scratch/samples/own/two.csv"
rm "$scratch/samples/own/prose.csv"
run --check-grammar "$scratch/own.grammar"
has_status 2 && [ ! -s "$scratch/out" ] && says "$scratch/samples/own/prose.csv: " &&
    says "$scratch/samples/own/two.csv:2: the row has not as many fields as the header"
verdict $? 'a sample without rows, and one with a row too short'
printf 'tool,figure\nown,12.5\nown,13\n' >"$scratch/samples/own/two.csv"
mv "$scratch/samples/own/prose.txt" "$scratch/samples/own/words.txt"
echo 'tool,value' >"$scratch/samples/own/prose.csv"
cp "$scratch/samples/own/prose.csv" "$scratch/samples/own/words.csv"
run --check-grammar "$scratch/own.grammar"
has_status 2 && says "$scratch/samples/own/two.csv:1: the dataset has no column \"figure\"" &&
    says "$scratch/samples/own/prose.csv: there is no $scratch/samples/own/prose.txt"
verdict $? 'a column that the dataset does not have, and rows without a text'
rm "$scratch/samples/own/prose.csv"

# What is wrong with the figures themselves is said too.
cat >"$scratch/own.grammar" <<'END'
grammar  own
literals score=

block line
  begin score=<value:number> points
    row score = <value> 1
  line twice <value:number> is <double:number>
    row score = <value> 1
    row twice = <double> 1
    check 2 * <value> = <double>
END
printf 'score=12 points\na word\ntwice 13 is 29\n' >"$scratch/samples/own/two.txt"
printf 'metric,value\nscore,12\nscore,13\ntwice,29\n' >"$scratch/samples/own/two.csv"
run --check-grammar "$scratch/own.grammar"
has_status 2 && says "$scratch/samples/own/two.txt:3: mismatch: twice 29"
verdict $? 'figures that do not fit one another'
printf 'metric,value,check\nscore,12,\nscore,13,mismatch\ntwice,29,mismatch\n' >"$scratch/samples/own/two.csv"
run --check-grammar "$scratch/own.grammar"
has_status 0 && grep -q ': good; 2 of 2 samples as expected; 1 lines in blocks that no rule takes' "$scratch/out"
verdict $? 'unless the sample says so; and lines that no rule takes are counted'
rm -r "$scratch/samples"

# ---- what is shown ----

run --list-grammars
wrong=$?
for name in fio siege phoronix mmtests summary; do
    grep -q "^$name " "$scratch/out" || wrong=1
done
[ $wrong -eq 0 ] && has_status 0 && [ ! -s "$scratch/err" ]
verdict $? '--list-grammars'

run --list-grammars --only fio --grammar "$scratch/own.grammar"
has_status 0 && [ "$(wc -l <"$scratch/out")" -eq 1 ]
verdict $? '--list-grammars with --only'

for file in grammars/*.grammar; do
    run --check-grammar "$file"
    has_status 0
    verdict $? "$file is good"
done

run --version
has_status 0 && grep -q '^benchlore [0-9.]*$' "$scratch/out" && [ ! -s "$scratch/err" ]
verdict $? '--version'

run --help
has_status 0 && grep -q 'SOURCE' "$scratch/out" && [ ! -s "$scratch/err" ]
verdict $? '--help'

# The options are the same in --help, in the man page and in README.md.
sed -n 's/^  \(-., \)\{0,1\}--\([a-z0-9-]*\).*/\2/p' "$scratch/out" | sort -u >"$scratch/options"
sed -n 's/\\-/-/g; /^\.B/s/^.* --\([a-z0-9][a-z0-9-]*\).*/\1/p' extract/benchlore.1 | sort -u >"$scratch/manual"
sed -n 's/^| `\(-., \)\{0,1\}--\([a-z0-9-]*\).*/\2/p' README.md | sort -u >"$scratch/readme"
same "$scratch/options" "$scratch/manual"
verdict $? 'the man page has the options'
same "$scratch/options" "$scratch/readme"
verdict $? 'README.md has the options'

# So are the columns in a dataset's first line, in README.md and the man page.
head -n 1 corpus/neg-fio-patch.csv | tr ',' '\n' >"$scratch/columns"
missing=
while read -r column; do
    grep -q "^| .*\`$column\`.*|" README.md || missing="$missing README.md:$column"
    sed -n '/^\.SH COLUMNS/,/^\.SH EXIT/p' extract/benchlore.1 | grep -q "^\.BR* .*\<$column\>" || missing="$missing man:$column"
done <"$scratch/columns"
[ -z "$missing" ] || complain "$missing"
verdict $? 'README.md and the man page have the columns'

# README.md begins with a mail and the rows of it.
fenced() # KIND
{
    awk -v kind="$1" '/^\140\140\140/ { shown = $0 ~ kind "$"; next } shown' README.md
}
fenced mail >"$scratch/readme.eml"
fenced csv >"$scratch/readme.csv"
run "$scratch/readme.eml"
has_status 0 && has_rows 9 && same "$scratch/readme.csv" "$scratch/out"
verdict $? "the mail of README.md gives README.md's rows"

# ---- formats ----

run --format csv "$mail"
has_status 0 && same corpus/siege-json-log.csv "$scratch/out"
verdict $? '--format csv is what comes without it'
run -f xml "$mail"
has_status 0 && grep -q '<dataset version="1">' "$scratch/out"
verdict $? '--format xml'
if command -v xmllint >/dev/null 2>&1; then
    for file in corpus/*.eml corpus/*.mbox; do
        run --format xml "$file"
        has_status 0 && xmllint --noout --relaxng output/benchlore.rng "$scratch/out" 2>"$scratch/err"
        verdict $? "the XML of $file follows the schema"
    done
else
    skip 'XML follows the schema' 'there is no xmllint'
fi

# ---- what is said ----

run "$mail"
says '1 messages, 1 with results; 2 results, 21 figures' && [ "$(wc -l <"$scratch/err")" -eq 1 ]
verdict $? 'the summary'
run --quiet "$mail"
has_status 0 && [ ! -s "$scratch/err" ]
verdict $? '--quiet: no summary'

{
    printf 'Message-ID: <odd@example.org>\n\n'
    sed -n '/^Transactions:/,/^Shortest/p' corpus/siege-two-versions.eml | sed 12q |
        sed '/^Availability/a\
A line that siege does not print: 12'
} >"$scratch/unknown.eml"
run "$scratch/unknown.eml"
has_status 0 && has_rows 12 && says '1 unknown lines' && ! grep -q 'A line that' "$scratch/err"
verdict $? 'an unknown line in a table is counted, the rows around it are kept'
run --warn=unknown "$scratch/unknown.eml"
has_status 0 && has_rows 12 &&
    says 'unknown.eml:0: odd@example.org: part 1 line 3: siege: unknown line: A line that siege does not print: 12'
verdict $? '--warn=unknown shows it'

{
    printf 'Message-ID: <nan@example.org>\n\n'
    printf 'hackbench\n        5.9   5.10\n      vanilla   patched\n'
    printf 'Amean  1   1.0000 (   0.00%%)   nan (   nan%%)\n'
    printf 'Amean  2   2.0000 (   0.00%%)   1.0000 (  50.00%%)\n'
    printf 'Amean  4   NaN (   NaN%%)   4.0000 (  -0.00%%)\n\n'
    printf 'Transactions:            0 hits\nAvailability:         -nan %%\nTransaction rate:      inf trans/sec\n'
} >"$scratch/nan.eml"
run "$scratch/nan.eml"
has_status 0 && says '4 figures printed as nan or inf' && has_rows 5 && ! cut -d , -f 11 "$scratch/out" | grep -i -e nan -e inf
verdict $? 'nan and inf give no rows and are counted'

run -qfcsv -j2 "$mail"
has_status 0 && same corpus/siege-json-log.csv "$scratch/out" && [ ! -s "$scratch/err" ]
verdict $? 'values that stand directly behind the letters of their options'

# ---- names of sources ----

cp "$mail" "$scratch/-odd name.eml"
(cd "$scratch" && "$OLDPWD/$program" -- '-odd name.eml' >out 2>err) 2>/dev/null ||
    (cd "$scratch" && "$program" -- '-odd name.eml' >out 2>err)
status=$?
has_status 0 && same corpus/siege-json-log.csv "$scratch/out"
verdict $? 'a name that begins with a dash, after --'

printf 'x' >"$scratch/$(printf 'caf\351')"
run "$scratch/$(printf 'caf\351')" "$mail"
has_status 0 && same corpus/siege-json-log.csv "$scratch/out"
verdict $? 'a name that is no UTF-8'

finish
