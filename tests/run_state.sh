#!/bin/sh
# --state: the rows of several runs over an archive that grows are those of one
# run over all of it; nothing is lost and nothing is doubled, whatever happens
# between the runs or ends one of them.
. tests/tap.sh

absolute=$(realpath "$program")
state=$scratch/state
rows=$scratch/rows

has() # COMMAND
{
    command -v "$1" >/dev/null 2>&1
}

# Begin with no state and no rows.
anew()
{
    rm -rf "$state" "$rows" "$scratch/box"
    : >"$rows"
}

# A run that appends its rows; standard error in $scratch/err.
add() # [ARGUMENT...]
{
    timeout "$patience" "$program" --state "$state" "$@" >>"$rows" 2>"$scratch/err"
    status=$?
}

# The rows of a run without a state.
expect() # [ARGUMENT...]
{
    timeout "$patience" "$program" "$@" >"$scratch/expected" 2>/dev/null
}

# ---- the mails, one a file ----

siege() # TRANSACTIONS MARK
{
    sed "s/^/$2/" <<END
Transactions:		       $1 hits
Availability:		      100.00 %
Elapsed time:		       59.56 secs
Transaction rate:	      1261.12 trans/sec

END
}

head_of() # ID REFERENCES
{
    printf 'Message-ID: <%s>\nSubject: s\nDate: Mon, 30 Nov 2020 12:00:00 +0000\nReferences: %s\n\n' "$1" "$2"
}

mkdir "$scratch/mails"
{
    count=0
    for file in corpus/*.eml; do
        # Between those of the corpus: posts, replies that quote them, copies,
        # and other mail under an id that is taken.
        count=$((count + 1))
        name=$scratch/mails/$((1000 + count))
        cp "$file" "${name}0"
        { head_of "post$count@x" '' && siege $((75000 + 7 * count)) ''; } >"${name}1"
        old=$((count > 5 ? count - 5 : 1))
        { head_of "reply$count@x" "<post$old@x>" && siege $((75000 + 7 * old)) '> '; } >"${name}2"
        case $((count % 3)) in
        0) cp "$scratch/mails/$((1000 + old))1" "${name}3" ;;
        1) { head_of "post$old@x" '' && siege $((9000 + count)) ''; } >"${name}3" ;;
        2) { head_of "idle$count@x" '' && echo 'no figures'; } >"${name}3" ;;
        esac
    done
}
ls "$scratch/mails" >"$scratch/names"
total=$(wc -l <"$scratch/names")
mkdir "$scratch/boxes" # each mail as an mbox of its own
while read -r name; do
    { echo 'From mboxrd@z Thu Jan  1 00:00:00 1970' && sed 's/^>*From />&/' "$scratch/mails/$name" && echo; } \
        >"$scratch/boxes/$name"
done <"$scratch/names"

# The names of the mails from the first to the last named.
names() # FIRST LAST
{
    sed -n "$1,$2p" "$scratch/names"
}

name() # NUMBER
{
    names "$1" "$1"
}

# These mails as an mbox.
mbox_of() # FIRST LAST
{
    (cd "$scratch/boxes" && names "$1" "$2" | xargs -r cat)
}

# Copy these mails, under their names.
copy_to() # FOLDER FIRST LAST
{
    (cd "$scratch/mails" && names "$2" "$3" | xargs -r cp -t "$1")
}

# Ten numbers, or so many, up to the limit in ascending order; the last is the limit.
cuts() # SEED LIMIT [COUNT]
{
    awk -v seed="$1" -v limit="$2" -v count="${3:-10}" \
        'BEGIN { srand(seed); for (i = 1; i < count; i++) print int(1 + rand() * (limit - 1)); print limit }' | sort -n
}

mbox_of 1 "$total" >"$scratch/all.mbox"
size=$(wc -c <"$scratch/all.mbox")
expect "$scratch/all.mbox"
cp "$scratch/expected" "$scratch/whole"
[ "$(wc -l <"$scratch/whole")" -gt 500 ] && [ "$(cut -d , -f 21 "$scratch/whole" | grep -c '^post.*@x$')" -gt 10 ] &&
    grep -q 'benchlore.invalid' "$scratch/whole"
verdict $? 'the whole has rows, origins, and names made of digests'

# ---- ten cuts ----

for jobs in 1 2; do
    # The cuts are at any byte: the last message is often cut short, and then
    # left for the next run.
    anew
    for cut in $(cuts $jobs "$size"); do
        head -c "$cut" "$scratch/all.mbox" >"$scratch/box"
        add --jobs $jobs "$scratch/box"
    done
    has_status 0 && same "$rows" "$scratch/whole"
    verdict $? "an mbox that grows, cut at any byte, $jobs jobs"

    anew
    mkdir -p "$scratch/box/cur" "$scratch/box/new" "$scratch/box/tmp"
    expect "$scratch/mails"
    first=1
    for cut in $(cuts $((jobs + 20)) "$total"); do
        # what was new before is read by now, and some of it gets flags later
        for file in "$scratch/box/new"/*; do
            [ ! -f "$file" ] || mv "$file" "$scratch/box/cur/${file##*/}:2,S"
        done
        for file in "$scratch/box/cur"/*7:2,S; do
            [ ! -f "$file" ] || mv "$file" "${file}R"
        done
        copy_to "$scratch/box/new" $first "$cut"
        first=$((cut + 1))
        add --jobs $jobs "$scratch/box"
    done
    has_status 0 && same "$rows" "$scratch/expected"
    verdict $? "a maildir, $jobs jobs"
done

anew
first=1
: >"$scratch/box"
for cut in $(cuts 11 "$total" 5); do
    mbox_of $first "$cut" | gzip >>"$scratch/box"
    first=$((cut + 1))
    add "$scratch/box"
done
has_status 0 && same "$rows" "$scratch/whole"
verdict $? 'a gzip file that gets more members'

anew
mkdir "$scratch/box"
first=1
for cut in $(cuts 31 "$total" 5); do
    copy_to "$scratch/box" $first "$cut"
    first=$((cut + 1))
    add "$scratch/box"
done
has_status 0 && same "$rows" "$scratch/expected"
verdict $? 'a folder of files'

# ---- git ----

# Make a repository anew with a commit for each file: the file NAME, and no
# other (public-inbox, version 2), or all files together under names with a
# directory (version 1).
import() # REPOSITORY NAME=FILE...
{
    repository=$1
    shift
    rm -rf "$repository"
    git init -q --bare -b master "$repository"
    for pair in "$@"; do
        echo 'commit refs/heads/master'
        echo 'committer x <x@example.org> 1600000000 +0000'
        printf 'data 0\n\n'
        case $pair in
        */*=*) ;;
        *) echo 'deleteall' ;;
        esac
        printf 'M 100644 inline %s\ndata %s\n' "${pair%%=*}" "$(wc -c <"${pair#*=}")"
        cat "${pair#*=}"
        echo
    done | git -C "$repository" fast-import --quiet
}

mails_as() # NAME FIRST LAST: arguments for import
{
    names "$2" "$3" | sed "s|^|$1=$scratch/mails/|"
}

# Let a repository end at its nth commit.
end_at() # REPOSITORY COMMIT NUMBER
{
    git -C "$1" update-ref refs/heads/master "$(git -C "$1" rev-list --reverse "$2" | sed -n "$3p")"
}

if has git; then
    # shellcheck disable=SC2046 # names without blanks
    import "$scratch/0.git" $(mails_as m 1 25)
    # shellcheck disable=SC2046
    import "$scratch/1.git" $(mails_as m 26 40)
    old=$(git -C "$scratch/0.git" rev-parse master)
    new=$(git -C "$scratch/1.git" rev-parse master)
    for jobs in 1 2; do
        anew
        mkdir -p "$scratch/box/a/git"
        cp -r "$scratch/0.git" "$scratch/box/a/git"
        for cut in $(cuts $((jobs + 40)) 40); do
            if [ "$cut" -le 25 ]; then
                end_at "$scratch/box/a/git/0.git" "$old" "$cut"
            else
                end_at "$scratch/box/a/git/0.git" "$old" 25
                [ -d "$scratch/box/a/git/1.git" ] || cp -r "$scratch/1.git" "$scratch/box/a/git"
                end_at "$scratch/box/a/git/1.git" "$new" $((cut - 25))
            fi
            add --jobs $jobs "$scratch/box"
        done
        expect "$scratch/box/a"
        has_status 0 && same "$rows" "$scratch/expected" && [ "$(wc -l <"$rows")" -gt 100 ]
        verdict $? "a public-inbox of two epochs, $jobs jobs"
    done

    # The state and the rows of the last one live on.
    cp "$rows" "$scratch/before"
    add "$scratch/box"
    has_status 0 && same "$rows" "$scratch/before" && says '0 messages'
    verdict $? 'nothing new: no rows, and no message is read'

    # shellcheck disable=SC2046
    import "$scratch/box/b/git/0.git" $(mails_as m 41 42)
    add "$scratch/box"
    expect "$scratch/box"
    has_status 0 && says '2 messages' && same "$rows" "$scratch/expected"
    verdict $? 'a new list in the tree'

    # Another history: the third mail is gone, the last ones too, one is new.
    cp "$rows" "$scratch/before"
    # shellcheck disable=SC2046
    import "$scratch/box/a/git/0.git" $(mails_as m 1 2) $(mails_as m 4 6) $(mails_as m 49 49)
    add "$scratch/box"
    expect "$scratch/mails/$(name 49)"
    sed 1d "$scratch/expected" >>"$scratch/before"
    has_status 0 && says 'not the one that was read last' && same "$rows" "$scratch/before"
    verdict $? 'history that was rewritten: read as a whole, only what is new is written'

    # A message and its deletion come before the next run; one is deleted that
    # was read.
    cp "$rows" "$scratch/before"
    # shellcheck disable=SC2046
    import "$scratch/box/b/git/0.git" $(mails_as m 41 42) $(mails_as m 53 53) $(mails_as d 53 53) $(mails_as d 41 41)
    add "$scratch/box"
    has_status 0 && same "$rows" "$scratch/before" && says '0 messages'
    verdict $? 'a message that was deleted before it was read'

    # Version 1.
    anew
    import "$scratch/box" "01/a=$scratch/mails/$(name 4)" "02/b=$scratch/mails/$(name 8)" "03/c=$scratch/mails/$(name 12)"
    new=$(git -C "$scratch/box" rev-parse master)
    for cut in 1 2 3; do
        end_at "$scratch/box" "$new" $cut
        add "$scratch/box"
    done
    expect "$scratch/box"
    has_status 0 && says '1 messages' && same "$rows" "$scratch/expected"
    verdict $? 'a public-inbox of version 1'
else
    skip 'public-inbox' 'git is not installed'
fi

# ---- the last message goes on ----

# Give the box its full message, and one that quotes it.
complete()
{
    cp "$scratch/full" "$scratch/box"
    { echo 'From a Mon Nov 30 12:00:00 2020' && head_of next@x '<cut@x>' && siege 75112 '> ' && echo; } >>"$scratch/box"
    add "$scratch/box"
    expect "$scratch/box"
}

{ echo 'From a Mon Nov 30 12:00:00 2020' && head_of cut@x '' && siege 75112 ''; } >"$scratch/full"
length=$(wc -c <"$scratch/full")

for cut in 60 190 205 215 $((length - 1)); do
    anew
    head -c "$cut" "$scratch/full" >"$scratch/box"
    add "$scratch/box"
    has_status 0 && says 'left for a later run' && [ "$(wc -l <"$rows")" -eq 1 ]
    verdict $? "a message of which $cut bytes are there is left"
    add "$scratch/box"
    complete
    has_status 0 && same "$rows" "$scratch/expected"
    verdict $? 'and read when it is complete'
done

# Nobody is still writing it; then it goes on all the same.
for cut in 190 211; do
    anew
    head -c "$cut" "$scratch/full" >"$scratch/box"
    touch -d '2 minutes ago' "$scratch/box"
    add "$scratch/box"
    had=$(wc -l <"$rows")
    has_status 0 && [ "$had" -gt 1 ]
    verdict $? "of an old file $cut bytes are read"
    add "$scratch/box"
    [ "$(wc -l <"$rows")" -eq "$had" ]
    verdict $? 'once'
    complete
    # but for the columns check and origin, which later lines may change
    cut -d , -f 1-18,20,22- "$rows" >"$scratch/got"
    cut -d , -f 1-18,20,22- "$scratch/expected" >"$scratch/wanted"
    same "$scratch/wanted" "$scratch/got"
    verdict $? 'and the rest of the message when it is there: no row lost, none twice'
done

# Cut within a figure: the wrong row is told, and the right one follows.
anew
cat >"$scratch/full" <<'END'
From a Mon Nov 30 12:00:00 2020
Message-ID: <cut@x>

randread: (groupid=0, jobs=4): err= 0: pid=4711: Tue Jan 30 16:58:02 2024
  read: IOPS=12.3k, BW=48.0MiB/s (50.4MB/s)(2883MiB/60001msec)
    clat (usec): min=71, max=2204, avg=324.25, stdev=38.12

END
head -c -3 "$scratch/full" >"$scratch/box"
touch -d '2 minutes ago' "$scratch/box"
add "$scratch/box"
cp "$rows" "$scratch/before"
cp "$scratch/full" "$scratch/box"
add "$scratch/box"
expect "$scratch/box"
has_status 0 && says '1 of the rows written then' && tail -n 1 "$scratch/expected" >>"$scratch/before" &&
    same "$scratch/before" "$rows" && grep -q ',38.1,' "$rows" && grep -q ',38.12,' "$rows"
verdict $? 'a message cut within a figure: the wrong row is told, the right one written'

# ---- rewritten, truncated, replaced ----

anew
mbox_of 1 30 >"$scratch/box"
add "$scratch/box"
expect "$scratch/box"
mbox_of 5 40 >"$scratch/box"
add "$scratch/box"
mbox_of 1 40 >"$scratch/all40"
expect "$scratch/all40"
has_status 0 && says 'not as it was when it was read last' && same "$rows" "$scratch/expected"
verdict $? 'an mbox that lost its beginning and grew: told, no row twice'

mbox_of 1 10 >"$scratch/box"
add "$scratch/box"
has_status 0 && same "$rows" "$scratch/expected"
verdict $? 'an mbox that was truncated: no row twice'
mbox_of 1 40 >"$scratch/box"
add "$scratch/box"
has_status 0 && same "$rows" "$scratch/expected"
verdict $? 'and grew again'

anew
mbox_of 1 12 | gzip >"$scratch/box"
add "$scratch/box"
cp "$rows" "$scratch/before"
mbox_of 1 12 | gzip -1 >"$scratch/box"
add --verbose "$scratch/box"
has_status 0 && same "$rows" "$scratch/before" && says '0 messages, 0 bytes'
verdict $? 'packed anew: nothing is new in it'

# ---- damage ----

anew
mbox_of 1 30 | gzip >"$scratch/packed"
head -c $(($(wc -c <"$scratch/packed") / 2)) "$scratch/packed" >"$scratch/box"
add "$scratch/box"
has_status 1 && [ "$(wc -l <"$rows")" -gt 10 ]
verdict $? 'a gzip file that is cut short'
cp "$rows" "$scratch/before"
add "$scratch/box"
has_status 1 && same "$rows" "$scratch/before" && says 'cannot unpack'
verdict $? 'the damage is told in the next run, too'
cp "$scratch/packed" "$scratch/box"
add "$scratch/box"
gunzip -c "$scratch/packed" >"$scratch/all30"
expect "$scratch/all30"
has_status 0 && same "$rows" "$scratch/expected"
verdict $? 'and once it is whole the rest is read'

# ---- what is read, and where it is ----

anew
mbox_of 1 8 >"$scratch/box"
for turn in 1 2; do
    "$program" --state "$state" - <"$scratch/box" >"$scratch/out" 2>"$scratch/err"
    status=$?
    has_status 0 && says '8 messages'
    verdict $? "standard input is not remembered: run $turn reads it"
done

anew
mbox_of 1 8 >"$scratch/box"
add "$scratch/box" "$scratch/box" "$scratch/./box"
expect "$scratch/box"
has_status 0 && says '8 messages' && same "$rows" "$scratch/expected"
verdict $? 'a file that is named three times is read once'
(cd "$scratch" && "$absolute" --state state box >out 2>err)
grep -q '^0 messages' "$scratch/err"
verdict $? 'and is known by another name'
(cd "$scratch" && "$absolute" --state :memory: box >out 2>err && [ -s :memory: ])
verdict $? 'a state of any name is a file'

anew
mkdir "$scratch/box"
mbox_of 1 8 >"$scratch/box/list"
state=$scratch/box/state
add "$scratch/box"
add "$scratch/box"
has_status 0 && [ "$(head -n 1 "$scratch/err")" = \
    '0 messages, 0 with results; 0 results, 0 figures, 0 of them checked, 0 mismatches' ]
verdict $? 'a state that lies among the mail is left alone'
state=$scratch/state

# ---- where rows go ----

anew
mbox_of 1 8 >"$scratch/box"
"$program" --state "$state" "$scratch/box" 2>/dev/null | cat >"$scratch/1"
mbox_of 1 16 >"$scratch/box"
"$program" --state "$state" "$scratch/box" 2>/dev/null | cat >"$scratch/2"
expect "$scratch/box"
[ "$(head -n 1 "$scratch/2")" = "$(head -n 1 "$scratch/expected")" ] && sed 1d "$scratch/2" | cat "$scratch/1" - >"$rows" &&
    same "$rows" "$scratch/expected"
verdict $? 'in a pipe each run has its header row'

anew
mbox_of 1 16 >"$scratch/box"
run --state "$state" --format xml "$scratch/box"
has_status 0 && grep -q '</dataset>' "$scratch/out"
verdict $? 'XML: a document'
mbox_of 1 20 >"$scratch/box"
run --state "$state" --format xml "$scratch/box"
has_status 0 && grep -q '<dataset' "$scratch/out" && grep -q '</dataset>' "$scratch/out"
verdict $? 'and another one in the next run'
cp "$scratch/out" "$rows"
cp "$rows" "$scratch/before"
add --format xml "$scratch/box"
has_status 2 && same "$rows" "$scratch/before" && says 'second document'
verdict $? 'never two in a file'

# ---- killed ----

# Many mails, and mail in the middle that takes its time.
for part in 1 2 3 4; do
    sed "s/^Message-ID: </&part$part./I; s/^References: <post/References: <part$part.post/" "$scratch/all.mbox"
done >"$scratch/long"
expect "$scratch/long"
for jobs in 1 2; do
    anew
    cp "$scratch/long" "$scratch/box"
    killed=0
    for moment in 0.02 0.05 0.1 0.15 0.2 0.07; do
        timeout -s KILL $moment "$program" --state "$state" --jobs $jobs "$scratch/box" >>"$rows" 2>/dev/null
        [ $? -ne 137 ] || killed=$((killed + 1))
    done
    add --jobs $jobs "$scratch/box"
    has_status 0 && [ $killed -gt 0 ] && same "$rows" "$scratch/expected"
    verdict $? "killed $killed times while it appends, $jobs jobs: no row lost, none twice"
done

# With other output, what a killed run wrote counts for nothing.
anew
head -c 300000 "$scratch/long" >"$scratch/box"
timeout -s KILL 0.05 "$program" --state "$state" "$scratch/box" >"$scratch/1" 2>/dev/null
if [ $? -eq 137 ]; then
    add "$scratch/box"
    expect "$scratch/box"
    has_status 0 && same "$rows" "$scratch/expected"
    verdict $? 'killed while it writes elsewhere: all is written again'
else
    skip 'killed while it writes elsewhere' 'too fast'
fi

# Output that can't be written: as if the run had not been.
if [ -e /dev/full ]; then
    anew
    mbox_of 1 8 >"$scratch/box"
    "$program" --state "$state" "$scratch/box" >/dev/full 2>"$scratch/err"
    status=$?
    has_status 3
    verdict $? 'a full disk'
    add "$scratch/box"
    expect "$scratch/box"
    has_status 0 && same "$rows" "$scratch/expected"
    verdict $? 'the next run writes all'
fi

# ---- states that can't be used ----

anew
mbox_of 1 8 >"$scratch/box"
add "$scratch/box"
cp "$rows" "$scratch/before"
cp "$state" "$scratch/good"

refuses() # NAME STATUS TEXT [OPTION...]
{
    name=$1 wanted=$2 text=$3
    shift 3
    cp "$state" "$scratch/kept" 2>/dev/null
    add "$@" "$scratch/box"
    has_status "$wanted" && says "$text" && says "$state" && same "$rows" "$scratch/before" &&
        { [ ! -f "$scratch/kept" ] || same "$state" "$scratch/kept"; }
    verdict $? "$name"
}

refuses 'other grammars' 2 'grammar fio is gone' --only siege
refuses 'other options' 2 '--no-quoted has changed' --no-quoted
sed 's/^\(about .*\)/\1 or not/' grammars/siege.grammar >"$scratch/siege.grammar"
refuses 'a grammar with other rules' 2 'grammar siege has changed' --grammar "$scratch/siege.grammar"
{ echo '# a comment' && cat grammars/siege.grammar; } >"$scratch/siege.grammar"
add --grammar "$scratch/siege.grammar" "$scratch/box"
has_status 0
verdict $? 'a comment more is no other grammar'
cp "$state" "$scratch/good"

echo 'some text that is no database' >"$state"
refuses 'a text file' 2 'no state'
dd if=/dev/zero of="$state" bs=1k count=9 2>/dev/null
refuses 'zeroes' 2 'no state'
head -c 5000 "$scratch/good" >"$state"
refuses 'a state that was cut' 2 damaged
cp "$scratch/good" "$state"
dd if="$scratch/all.mbox" of="$state" bs=1 seek=4096 count=3000 conv=notrunc 2>/dev/null
refuses 'a state with other bytes in it' 2 damaged
if has sqlite3; then
    rm "$state"
    sqlite3 "$state" 'CREATE TABLE x (y)'
    refuses 'a database of something else' 2 'no state'
    cp "$scratch/good" "$state"
    sqlite3 "$state" 'PRAGMA user_version = 99'
    refuses 'a newer state' 2 newer
    cp "$scratch/good" "$state"
    sqlite3 "$state" "UPDATE log SET entry = zeroblob(40) WHERE id = 1"
    mbox_of 1 12 >"$scratch/box"
    add "$scratch/box"
    has_status 3 && says damaged && same "$rows" "$scratch/before"
    verdict $? 'an entry that makes no sense'
    mbox_of 1 8 >"$scratch/box"
fi
rm -rf "$state"
mkdir "$state"
add "$scratch/box"
has_status 3 && says "$state" && same "$rows" "$scratch/before"
verdict $? 'a directory'
run --state "$scratch/missing/state" "$scratch/box"
has_status 3 && says missing && [ ! -s "$scratch/out" ]
verdict $? 'a state that cannot be made'
if [ "$(id -u)" -ne 0 ]; then
    rm -rf "$state"
    cp "$scratch/good" "$state"
    chmod 444 "$state"
    refuses 'a state that cannot be written' 3 'cannot be written'
    rm -f "$state"
else
    skip 'a state that cannot be written' 'root writes all'
fi

# Another run has it: that waits for a FIFO.
rm -rf "$state"
cp "$scratch/good" "$state"
mkfifo "$scratch/fifo"
"$program" --quiet --state "$state" "$scratch/fifo" "$scratch/box" >"$scratch/1" 2>"$scratch/2" &
other=$!
exec 9>"$scratch/fifo" # goes on once the other has opened it
add "$scratch/box"
has_status 2 && says 'another run' && same "$rows" "$scratch/before"
verdict $? 'a second run at the same time is told so and stops'
exec 9>&-
wait $other
status=$?
has_status 0
verdict $? 'the first one ends well'

run --state "$state" --explain "$scratch/box"
has_status 2 && says '--explain'
verdict $? '--explain has no state'

finish
