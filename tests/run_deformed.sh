#!/bin/sh
# Tables as mail deforms them: each mail of tests/deformed/ gives the rows that
# stand beside it, in the columns that are named there. What each mail shows is
# said in its subject.
. tests/tap.sh

# Print of a CSV text without quotes the columns that the first line of WANTED names.
project() # WANTED CSV
{
    awk -F, '
        FNR == 1 {
            files++
            if (files == 1)
                count = split($0, wanted, ",")
            for (i = 1; files == 2 && i <= NF; i++)
                place[$i] = i
        }
        files == 2 {
            for (i = 1; i <= count; i++)
                printf "%s%s", $place[wanted[i]], i < count ? "," : "\n"
        }
        files == 1 { nextfile }
    ' "$1" "$2"
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
