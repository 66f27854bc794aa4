#!/bin/sh
# The same bytes for every number of jobs, with the prefilter and without.
. tests/tap.sh

find corpus tests/deformed grammars/samples -type f ! -name '*.csv' ! -name '*.md' | LC_ALL=C sort >"$scratch/sources"
tr '\n' '\0' <"$scratch/sources" >"$scratch/names"

# ---- jobs ----

run --jobs 1 --warn=unknown --files0-from "$scratch/names"
expected_status=$status
mv "$scratch/out" "$scratch/out.1"
mv "$scratch/err" "$scratch/err.1"
[ "$(wc -l <"$scratch/out.1")" -gt 1000 ]
verdict $? 'one job finds rows to compare'
for jobs in 2 3 7; do
    run --jobs $jobs --warn=unknown --files0-from "$scratch/names"
    has_status "$expected_status" && same "$scratch/out.1" "$scratch/out" && same "$scratch/err.1" "$scratch/err"
    verdict $? "--jobs $jobs gives the same rows and diagnostics"
done
run --format xml --jobs 1 --files0-from "$scratch/names"
mv "$scratch/out" "$scratch/xml.1"
run --format xml --jobs 3 --files0-from "$scratch/names"
same "$scratch/xml.1" "$scratch/out"
verdict $? 'XML, too'

for wrong in -1 257 two; do
    run --jobs $wrong corpus/fio-2-md.eml
    has_status 2 && [ ! -s "$scratch/out" ]
    verdict $? "--jobs $wrong is refused"
done

# A reader that has seen enough ends the program, whatever its threads do.
"$program" --jobs 3 --files0-from "$scratch/names" 2>"$scratch/err" | head -n 1 >"$scratch/out"
[ ! -s "$scratch/err" ] && [ "$(wc -l <"$scratch/out")" -eq 1 ]
verdict $? 'a closed pipe ends it quietly'

# ---- prefilter ----

run --no-prefilter --warn=unknown --files0-from "$scratch/names"
has_status "$expected_status" && same "$scratch/out.1" "$scratch/out"
verdict $? 'without the prefilter the rows are the same'

# Archives made from a seed have what these folders have in every form of mail,
# among mail that has nothing.
tools=${BENCH_TOOLS:-build/plain/tests}
for kind in sparse dense mangled; do
    "$tools/bench_mail" $kind 1500000 >"$scratch/$kind"
    run --jobs 1 --no-prefilter "$scratch/$kind"
    expected_status=$status
    mv "$scratch/out" "$scratch/out.no"
    [ "$(wc -l <"$scratch/out.no")" -gt 1 ]
    verdict $? "a made $kind archive has rows to compare"
    for jobs in 1 2; do
        run --jobs $jobs "$scratch/$kind"
        has_status "$expected_status" && same "$scratch/out.no" "$scratch/out"
        verdict $? "without the prefilter the rows of a made $kind archive are those of $jobs jobs with it"
    done
done

finish
