#!/bin/sh
# What other programs make of the same mail: mbox of every kind, maildir, MH,
# public-inbox. Each must give the same rows. And how many messages others find.
# What is not installed is skipped; Debian's packages are git, python3, lei and
# public-inbox.
. tests/tap.sh

mail=corpus/siege-json-log.eml

# ---- the mail ----

# Samples, and what stores of mail trip over: lines that begin with `From `,
# with and without a date; no Message-ID; CRLF; empty lines at the end.
mkdir "$scratch/mails"
cp corpus/*.eml "$scratch/mails"
body=$(sed '1,/^$/d' "$mail")
figures() # ID
{
    printf 'From: A Writer <a.writer@example.org>\nDate: Mon, 04 Mar 2024 18:20:00 +0100\n'
    [ -z "$1" ] || printf 'Message-ID: <%s@example.org>\n' "$1"
    printf 'Subject: more\n\n'
}
{
    figures from
    printf 'From here on\n\nFrom a@b Thu Jan  1 00:00:00 1970\nSubject: in the body\n\n%s\n' "$body"
} >"$scratch/mails/x1.eml"
{
    figures sentence
    printf '%s\n\nFrom there on it is slower\n\nFrom c@d\nDate: none\n\n%s\n\n\n\n' "$body" "$body"
} >"$scratch/mails/x2.eml"
{
    figures ''
    printf 'From nobody\n\n%s\n' "$body"
} >"$scratch/mails/x3.eml"
{
    figures crlf
    printf 'From nobody\n\n%s\n' "$body"
} | sed 's/$/\r/' >"$scratch/mails/x4.eml"
{
    figures last
    printf '%s' "$body"
} >"$scratch/mails/x5.eml"

for file in "$scratch"/mails/*.eml; do
    echo 'From mboxrd@z Thu Jan  1 00:00:00 1970'
    sed 's/^>*From />&/' "$file"
    echo
done >"$scratch/all.mbox"
count=$(find "$scratch/mails" -name '*.eml' | wc -l)
run "$scratch/all.mbox"
cp "$scratch/out" "$scratch/reference"
sort "$scratch/reference" >"$scratch/sorted"
has_status 0 && says "$count messages, " && [ "$(grep -c '^generated\.' "$scratch/reference")" -gt 10 ]
verdict $? 'the reference holds rows, some of a message without Message-ID'
run "$scratch/mails"
has_status 0 && same "$scratch/out" "$scratch/reference"
verdict $? 'a directory of the mails has the same'

# The rows of an archive are those of the reference, or as many in another
# order where the names of files give the order.
gives() # FILE NAME
{
    run "$1"
    sort "$scratch/out" >"$scratch/got"
    has_status 0 && says "$count messages, " &&
        if [ -d "$1" ]; then
            same "$scratch/got" "$scratch/sorted"
        else
            same "$scratch/out" "$scratch/reference"
        fi
    verdict $? "$2"
}

# ---- what others write ----

if has python3; then
    cat >"$scratch/convert.py" <<'END'
import mailbox, os, sys
folder, target = sys.argv[1:]
kinds = {"mbox": mailbox.mbox, "maildir": mailbox.Maildir, "mh": mailbox.MH}
for kind, make in kinds.items():
    box = make(os.path.join(target, "python." + kind))
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            box.add(file.read())
    box.flush()
    box.close()
END
    python3 "$scratch/convert.py" "$scratch/mails" "$scratch"
    verdict $? 'Python converts'
    for kind in mbox maildir mh; do
        gives "$scratch/python.$kind" "Python: $kind"
    done
else
    skip 'Python' 'not installed'
fi

if has lei; then
    # Each converts all mail; nothing is fetched and no store is made.
    export HOME="$scratch/home" XDG_RUNTIME_DIR="$scratch/run"
    mkdir -p "$HOME" "$XDG_RUNTIME_DIR" && chmod 700 "$XDG_RUNTIME_DIR"
    for kind in mboxrd mboxo mboxcl mboxcl2 maildir; do
        if ! lei convert -q -o "$kind:$scratch/out.$kind" "mboxrd:$scratch/all.mbox" >"$scratch/lei" 2>&1; then
            skip "lei: $kind" "$(head -c 200 "$scratch/lei")"
            continue
        fi
        gives "$scratch/out.$kind" "lei: $kind"
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
        has_status 0 && same "$scratch/out" "$scratch/reference"
        verdict $? "public-inbox, version $version"
        if [ $version = 1 ] && has public-inbox-convert; then
            public-inbox-convert "$inbox" "$scratch/converted" >"$scratch/log" 2>&1
            run "$scratch/converted"
            has_status 0 && same "$scratch/out" "$scratch/reference"
            verdict $? 'public-inbox, converted to version 2'
        fi
        public-inbox-learn rm --all <"$mail" >"$scratch/log" 2>&1
        run "$inbox"
        has_status 0 && same "$scratch/out" "$scratch/without"
        verdict $? "public-inbox, version $version, with a message deleted"
    done
else
    skip 'public-inbox' 'not installed'
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
    has git && git=$(git mailsplit -o"$scratch/split" "$scratch/mbox" 2>/dev/null || echo 0)
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
two '' 'From a@b' 'Subject: 3' '' 'three' >"$scratch/mbox"
agree 'a header behind it does not make up for the date' 2 2 3
sed 's/^From a@b.*/From a@b/' "$scratch/mbox" >"$scratch/dateless"
mv "$scratch/dateless" "$scratch/mbox"
agree 'but where no line has a date; git wants one' 3 0 3
two '>From a@b Thu Jan  1 00:00:00 1970' >"$scratch/mbox"
agree 'escaped' 2 2 2

finish
