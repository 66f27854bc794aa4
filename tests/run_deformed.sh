#!/bin/sh
# Tables as mail deforms them: each mail of tests/deformed/ gives the rows that
# stand beside it, in the columns that are named there. What each mail shows is
# said in its subject.
. tests/tap.sh

# Print of CSV, whose fields have no quotes, the columns that WANTED's first line names.
project() # WANTED CSV
{
    awk -F, -v wanted="$(head -n 1 "$1")" '
        FNR == 1 {
            count = split(wanted, names, ",")
            for (i = 1; i <= NF; i++)
                place[$i] = i
        }
        {
            for (i = 1; i <= count; i++)
                printf "%s%s", $place[names[i]], i < count ? "," : "\n"
        }
    ' "$2"
}

for mail in tests/deformed/*.eml; do
    wanted=${mail%.eml}.csv
    run "$mail"
    project "$wanted" "$scratch/out" >"$scratch/rows"
    has_status 0 && same "$wanted" "$scratch/rows"
    verdict $? "$mail: $(sed -n 's/^Subject: //p; /^$/q' "$mail")"
done

for rows in tests/deformed/*.csv; do
    [ -e "${rows%.csv}.eml" ]
    verdict $? "$rows has its mail"
done

finish
