#!/bin/sh
# `make install` puts each file in its place, and the installed program finds
# its grammars there, from wherever it is run.
. tests/tap.sh

if [ ! -e build/plain/libbenchlore.a ]; then
    skip 'make install' 'there is no build/plain to begin with'
    finish
fi
# What make says of the run that this is a part of is not for this one.
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL
# With another PREFIX only the program itself is built anew.
cp -Rp build/plain "$scratch/build"

make_install() # VARIABLE...
{
    make BUILD="$scratch/build" PROGRAM="$scratch/benchlore" "$@" install >"$scratch/log" 2>&1 ||
        complain "$(tail -n 5 "$scratch/log")"
}

make_install DESTDIR="$scratch/root" PREFIX=/usr
verdict $? 'make install with DESTDIR'
(cd "$scratch/root" && find . -type f | sort) >"$scratch/files"
{
    echo ./usr/bin/benchlore
    echo ./usr/share/benchlore/benchlore.rng
    for file in grammars/*.*; do
        echo "./usr/share/benchlore/$file"
    done
    echo ./usr/share/man/man1/benchlore.1
} | sort >"$scratch/expected"
same "$scratch/expected" "$scratch/files"
verdict $? 'each file in its place'
[ -x "$scratch/root/usr/bin/benchlore" ] && [ ! -x "$scratch/root/usr/share/benchlore/benchlore.rng" ]
verdict $? 'the program can be run'

make_install PREFIX="$scratch/prefix"
verdict $? 'make install with PREFIX'
rm "$scratch/benchlore"
program=$scratch/prefix/bin/benchlore
run corpus/siege-json-log.eml
has_status 0 && same corpus/siege-json-log.csv "$scratch/out"
verdict $? 'the installed program finds its grammars'
root=$PWD
(cd / && "$program" "$root/corpus/siege-json-log.eml") >"$scratch/out" 2>"$scratch/err"
status=$?
has_status 0 && same corpus/siege-json-log.csv "$scratch/out"
verdict $? 'from elsewhere too'

rm -r "$scratch/prefix/share/benchlore/grammars"
run corpus/siege-json-log.eml
has_status 2 && [ ! -s "$scratch/out" ] && says "$scratch/prefix/share/benchlore/grammars"
verdict $? 'without its grammars it says so'

finish
