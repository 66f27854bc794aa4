#!/bin/sh
# Sources of every kind. Each must give the rows of the same mail in an mbox.
. tests/tap.sh

mail=corpus/siege-json-log.eml

# The rows of the last run are those of the reference.
same_rows()
{
    same "$scratch/out" "$scratch/reference"
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

ln -s /dev/zero "$scratch/tree/device"
run "$scratch/tree"
has_status 0 && same_rows && says 'tree/device: neither file nor directory'
verdict $? 'a device in a tree'
ln -s nowhere "$scratch/tree/a/broken"
run "$scratch/tree"
has_status 1 && same_rows && says 'a/broken: cannot open'
verdict $? 'a broken link in a tree'

# A file whose reading fails, whoever reads: Linux has no page 0 of a process.
first=$(find "$scratch/maildir/cur" -name '170000000*' | sort | head -n 1)
mv "$first" "$scratch/taken"
run "$scratch/maildir"
cp "$scratch/out" "$scratch/others"
ln -s /proc/self/mem "$first"
if [ -r /proc/self/mem ]; then
    run "$scratch/maildir"
    has_status 1 && same "$scratch/out" "$scratch/others" && says "$first:0: cannot read" &&
        [ "$(wc -l <"$scratch/out")" -gt 100 ]
    verdict $? 'a file in a maildir that cannot be read'
else
    skip 'a file in a maildir that cannot be read' 'there is no /proc'
fi
rm "$first"
for packer in gzip zstd xz bzip2; do
    has $packer || continue
    $packer -c <"$scratch/taken" >"$first"
    run "$scratch/maildir"
    has_status 0 && same_rows
    verdict $? "a file in a maildir that is compressed, $packer"
done

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

finish
