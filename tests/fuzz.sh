#!/bin/sh
# Run the fuzz target for so many seconds, from the repository's own mail.
#
#     tests/fuzz.sh SECONDS
#
# What it has learned stays in build/fuzz/corpus, so that the next run goes on
# from there; an input that fails is left in build/fuzz/found-*.
set -eu
seconds=$1
target=${FUZZ_TARGET:-build/fuzz/tests/fuzz_archive}
tools=${BENCH_TOOLS:-build/plain/tests}
folder=build/fuzz
LC_ALL=C
export LC_ALL

mkdir -p "$folder/corpus" "$folder/seeds"
# Every sample as it is, and the same in mail of many forms.
find grammars/samples corpus tests/deformed tests/data -type f ! -name '*.csv' ! -name '*.md' |
    while read -r file; do
        cp "$file" "$folder/seeds/$(echo "$file" | tr / -)"
    done
"$tools/bench_mail" dense 2000000 | awk -v stem="$folder/seeds/dense-" '
    /^From mboxrd@z / { close(file); file = stem sprintf("%04d", ++count) }
    !/^(Received|DKIM|X-|Delivered|Return|Cc|To|\t|  )/ || body { print >file }
    { body = /^From mboxrd@z / ? 0 : body || $0 == "" }
'
{
    cat tests/fuzz.dict
    "$tools/bench_literals" | grep '^[!-~]*$' | sed 's/["\\]/\\&/g; s/.*/"&"/'
} >"$folder/words.dict"
# Short inputs are tried more often; what is long is slow and shows little more.
"$target" -max_total_time="$seconds" -max_len=8192 -timeout=60 -rss_limit_mb=4096 -dict="$folder/words.dict" \
    -artifact_prefix="$folder/found-" -print_final_stats=1 "$folder/corpus" "$folder/seeds"
