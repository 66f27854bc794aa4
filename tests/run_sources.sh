#!/bin/sh
# Sources of every kind, made by the programs that people use. Each must give
# the rows of the same mail in an mbox.
. tests/tap.sh

mail=corpus/siege-json-log.eml

# The rows of the last run are those of the reference.
same_rows()
{
    same "$scratch/out" "$scratch/reference"
}

has() # COMMAND...
{
    for command in "$@"; do
        command -v "$command" >/dev/null 2>&1 || return 1
    done
}

# ---- compressed ----

{
    for file in corpus/*.eml; do
        echo 'From mboxrd@z Thu Jan  1 00:00:00 1970'
        sed 's/^>*From />&/' "$file"
        echo
    done
} >"$scratch/all.mbox"
run "$scratch/all.mbox"
cp "$scratch/out" "$scratch/reference"
[ "$(wc -l <"$scratch/reference")" -gt 100 ]
verdict $? 'the reference holds rows'

for packer in gzip zstd xz bzip2; do
    if ! has $packer; then
        skip "$packer" 'not installed'
        continue
    fi
    $packer -c <"$scratch/all.mbox" >"$scratch/packed"
    run "$scratch/packed"
    has_status 0 && same_rows
    verdict $? "$packer"

    { head -c 20000 "$scratch/all.mbox" | $packer -c && tail -c +20001 "$scratch/all.mbox" | $packer -c; } >"$scratch/packed"
    run "$scratch/packed"
    has_status 0 && same_rows
    verdict $? "$packer, two streams in one file"

    $packer -c <"$scratch/all.mbox" >"$scratch/packed"
    "$program" - <"$scratch/packed" >"$scratch/out" 2>"$scratch/err"
    status=$?
    has_status 0 && same_rows
    verdict $? "$packer on standard input"

    # Cut: its rows are the first of all, and the cut is told.
    cat "$scratch/all.mbox" "$scratch/all.mbox" "$scratch/all.mbox" >"$scratch/long.mbox"
    $packer -c <"$scratch/long.mbox" >"$scratch/packed"
    size=$(wc -c <"$scratch/packed")
    head -c $((size - 30)) "$scratch/packed" >"$scratch/cut"
    run "$scratch/cut" "$mail"
    has_status 1 && says 'cannot unpack' && [ "$(wc -l <"$scratch/out")" -gt 1 ]
    verdict $? "$packer, cut short: told, and the next source is read"
done

# ---- directories ----

mkdir -p "$scratch/tree/a/b" "$scratch/maildir/cur" "$scratch/maildir/new" "$scratch/maildir/tmp" "$scratch/mh"
number=0
for file in corpus/*.eml; do
    number=$((number + 1))
    cp "$file" "$scratch/tree/a/b/"
    cp "$file" "$scratch/mh/$number"
    cp "$file" "$scratch/maildir/cur/$(printf '17000%05d' $number).M1P1.host:2,S"
done
cp "$mail" "$scratch/maildir/tmp/1.half"
cp "$mail" "$scratch/mh/,1"
echo 'unseen: 1' >"$scratch/mh/.mh_sequences"
for kind in tree maildir mh; do
    run "$scratch/$kind"
    has_status 0 && same_rows
    verdict $? "$kind"
done

mkfifo "$scratch/tree/fifo"
ln -s .. "$scratch/tree/a/up"
run "$scratch/tree"
has_status 0 && same_rows && says fifo && says up
verdict $? 'a FIFO and a circle of links in a tree'

if [ "$(id -u)" -ne 0 ]; then
    chmod 0 "$scratch/mh/1"
    run "$scratch/mh"
    has_status 1 && says mh/1 && [ "$(wc -l <"$scratch/out")" -gt 100 ]
    verdict $? 'a file that cannot be read'
else
    skip 'a file that cannot be read' 'root reads all'
fi

find corpus -name '*.eml' -print0 | sort -z >"$scratch/names"
run --files0-from="$scratch/names"
has_status 0 && same_rows
verdict $? 'names from a file'
"$program" --files0-from=- <"$scratch/names" >"$scratch/out" 2>"$scratch/err"
status=$?
has_status 0 && same_rows
verdict $? 'names from standard input'
printf '%s\0\0missing\0' "$mail" >"$scratch/names"
run --files0-from="$scratch/names"
has_status 1 && says 'empty name' && says missing && [ "$(wc -l <"$scratch/out")" -gt 1 ]
verdict $? 'an empty and a wrong name among the names'
run --files0-from="$scratch/nothing"
has_status 1 && says nothing
verdict $? 'a missing file of names'

# ---- copies ----

{
    cat "$mail"
    echo '_______________________________________________'
    echo 'Some mailing list'
} >"$scratch/footer.eml"
run "$mail"
cp "$scratch/out" "$scratch/once"
run "$mail" "$scratch/footer.eml" "$mail"
has_status 0 && same "$scratch/out" "$scratch/once" && says '2 copies'
verdict $? 'a message found again, and with the footer of a list, counts once'

sed '/^$/,$s/[1-9]/8/g' "$mail" >"$scratch/other.eml"
run "$mail" "$scratch/other.eml" "$scratch/other.eml"
id=$(sed -n 's/^Message-ID: <\(.*\)>$/\1/p' "$mail")
rows=$(($(wc -l <"$scratch/once") - 1))
has_status 0 && [ "$(grep -c "^$id," "$scratch/out")" -eq $rows ] && has_rows $((2 * rows)) &&
    [ "$(grep -c -E "^$id\.[0-9a-f]{32}@benchlore\.invalid," "$scratch/out")" -eq $rows ]
verdict $? 'another message under the same id has an id of its own'

# ---- not mail ----

head -c 3000 "$program" >"$scratch/binary"
run "$scratch/binary" "$mail"
has_status 1 && says 'neither mail nor text' && [ "$(wc -l <"$scratch/out")" -gt 1 ]
verdict $? 'a program is no mail'

# ---- git ----

make_epoch() # NAME
{
    git init -q "$scratch/work" && (
        cd "$scratch/work" || exit 1
        for file in "$OLDPWD"/corpus/*.eml; do
            cp "$file" m && git add m &&
                git -c user.name=x -c user.email=x@example.org commit -q -m "$(basename "$file")" || exit 1
        done
    ) && git clone -q --bare "$scratch/work" "$scratch/$1"
}

if has git; then
    make_epoch list/git/0.git
    for source in work list list/git list/git/0.git; do
        run "$scratch/$source"
        has_status 0 && same_rows
        verdict $? "public-inbox: $source"
    done
    git -C "$scratch/list/git/0.git" repack -q -a -d
    run "$scratch/list"
    has_status 0 && same_rows
    verdict $? 'public-inbox, packed'
    printf garbage | dd of="$(find "$scratch/list" -name '*.pack')" bs=1 seek=20000 conv=notrunc 2>/dev/null
    run "$scratch/list" "$mail"
    has_status 1 && says 0.git && [ "$(wc -l <"$scratch/out")" -gt 1 ]
    verdict $? 'public-inbox, damaged pack'
else
    skip 'public-inbox' 'git is not installed'
fi

# ---- how others split ----

# How many messages each program finds in $scratch/mbox, in the order ours,
# git's, Python's; `-` where one is not installed.
split_counts()
{
    run "$scratch/mbox"
    ours=$(sed -n 's/^\([0-9]*\) messages, .*/\1/p' "$scratch/err")
    git=-
    python=-
    rm -rf "$scratch/split" && mkdir "$scratch/split"
    has git && git=$(git mailsplit -o"$scratch/split" "$scratch/mbox")
    has python3 && python=$(python3 -c 'import mailbox, sys; print(len(mailbox.mbox(sys.argv[1])))' "$scratch/mbox")
    echo "$ours $git $python"
}

agree() # NAME OURS GIT PYTHON
{
    counts=$(split_counts)
    wanted="$2 $3 $4"
    has git || wanted="$2 - $4"
    has python3 || wanted="$(echo "$wanted" | cut -d ' ' -f 1,2) -"
    [ "$counts" = "$wanted" ] || complain "counts $counts in place of $wanted"
    verdict $? "messages by this program, git mailsplit and Python: $1"
}

two() # LINE...: an mbox of two mails, the lines in the body of the first
{
    printf 'From a@b Thu Jan  1 00:00:00 1970\nSubject: 1\n\none\n'
    printf '%s\n' "$@"
    printf '\nFrom a@b Thu Jan  1 00:00:00 1970\nSubject: 2\n\ntwo\n'
}

cp "$scratch/all.mbox" "$scratch/mbox"
count=$(find corpus -name '*.eml' | wc -l)
agree 'mboxrd' "$count" "$count" "$count"
two '' 'From here on it is slower' >"$scratch/mbox"
agree 'a line From without a date is text, but for Python' 2 2 3
two 'From here on it is slower' >"$scratch/mbox"
agree 'nor is it one without an empty line before' 2 2 3
two '' 'From a@b Thu Jan  1 00:00:00 1970' 'Subject: 3' '' 'three' >"$scratch/mbox"
agree 'with a date it is a message, escaped or not meant' 3 3 3
two 'From a@b Thu Jan  1 00:00:00 1970' 'Subject: 3' '' 'three' >"$scratch/mbox"
agree 'with a header behind it, also without an empty line' 3 3 3
two 'From a@b Thu Jan  1 00:00:00 1970 we see' >"$scratch/mbox"
agree 'a sentence is none, but for Python and git' 2 3 3
two 'From a@b Thu Jan  1 00:00:00 1970' 'three' >"$scratch/mbox"
agree 'neither an empty line nor a header around it: text' 2 3 3
two '>From a@b Thu Jan  1 00:00:00 1970' >"$scratch/mbox"
agree 'escaped' 2 2 2

# ---- what others write ----

if has lei; then
    # Each converts all mail; nothing is fetched and no store is made.
    export HOME="$scratch/home" XDG_RUNTIME_DIR="$scratch/run"
    mkdir -p "$HOME" "$XDG_RUNTIME_DIR" && chmod 700 "$XDG_RUNTIME_DIR"
    for kind in mboxrd mboxo mboxcl mboxcl2 maildir; do
        rm -rf "$scratch/out.$kind"
        if ! lei convert -q -o "$kind:$scratch/out.$kind" "mboxrd:$scratch/all.mbox" >"$scratch/lei" 2>&1; then
            skip "lei: $kind" "$(head -c 200 "$scratch/lei")"
            continue
        fi
        run "$scratch/out.$kind"
        sort "$scratch/reference" >"$scratch/expected"
        sort "$scratch/out" >"$scratch/got"
        has_status 0 && same "$scratch/got" "$scratch/expected"
        verdict $? "lei: $kind"
    done
    lei daemon-kill >/dev/null 2>&1
else
    skip 'lei' 'not installed'
fi

if has public-inbox-init public-inbox-mda public-inbox-learn git; then
    export HOME="$scratch/home" PI_CONFIG="$scratch/public-inbox"
    mkdir -p "$HOME"
    few="$mail $(find corpus -name 'fio-[12]*.eml' -o -name 'mmtests-q*.eml' | sort)" # each takes its time
    # shellcheck disable=SC2086 # names without blanks
    run $few
    cp "$scratch/out" "$scratch/reference"
    # shellcheck disable=SC2086
    run ${few#* }
    cp "$scratch/out" "$scratch/without"
    ! same "$scratch/reference" "$scratch/without" >/dev/null
    verdict $? 'one message makes a difference'
    for version in 1 2; do
        inbox=$scratch/list$version
        public-inbox-init -V$version --skip-docdata "list$version" "$inbox" "http://example.org/$version" \
            "list$version@example.org" >"$scratch/log" 2>&1
        git config -f "$PI_CONFIG" publicinboxmda.spamcheck none
        for file in $few; do
            ORIGINAL_RECIPIENT=list$version@example.org public-inbox-mda --no-precheck <"$file" >>"$scratch/log" 2>&1
        done
        if [ "$(git --git-dir "$([ $version = 1 ] && echo "$inbox" || echo "$inbox/git/0.git")" rev-list --count HEAD)" \
            -ne "$(echo "$few" | wc -w)" ]; then
            skip "public-inbox, version $version" "$(head -c 200 "$scratch/log")"
            continue
        fi
        run "$inbox"
        has_status 0 && same_rows
        verdict $? "public-inbox, version $version"
        public-inbox-learn rm --all <"$mail" >"$scratch/log" 2>&1
        run "$inbox"
        has_status 0 && same "$scratch/out" "$scratch/without"
        verdict $? "public-inbox, version $version, with a message deleted"
    done
else
    skip 'public-inbox' 'not installed'
fi

finish
