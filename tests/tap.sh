# shellcheck shell=sh
# For tests/run_*.sh: TAP lines, a scratch folder, runs of the program.
# Source it from the repository's root: . tests/tap.sh

program=${BENCHLORE:-./benchlore}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
failures=0
patience=100 # seconds; the sanitizers take their time

# Are these programs installed?
has() # COMMAND...
{
    for command in "$@"; do
        command -v "$command" >/dev/null 2>&1 || return 1
    done
}

# The outcome of one test, by the status given; with 0 it has passed.
verdict() # STATUS NAME
{
    if [ "$1" -eq 0 ]; then
        echo "ok - $2"
    else
        echo "not ok - $2"
        failures=$((failures + 1))
    fi
}

skip() # NAME WHY
{
    echo "skipped - $1: $2"
}

# Run the program: standard output in $scratch/out, standard error in
# $scratch/err, exit status in $status.
run() # [ARGUMENT...]
{
    timeout "$patience" "$program" "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
}

# Show what went wrong, as TAP's comments.
complain() # TEXT...
{
    echo "$*" | sed 's/^/# /'
    return 1
}

has_status() # STATUS
{
    [ "$status" -eq "$1" ] || complain "exit status $status in place of $1: $(head -c 400 "$scratch/err")"
}

# Standard error has a line that holds the text.
says() # TEXT
{
    grep -q -F -e "$1" "$scratch/err" || complain "not said: $1; but: $(head -c 400 "$scratch/err")"
}

# Standard output has so many rows (its first line is the header).
has_rows() # COUNT
{
    row_count=$(($(wc -l <"$scratch/out") - 1))
    [ "$row_count" -eq "$1" ] || complain "$row_count rows in place of $1"
}

same() # FILE FILE
{
    cmp -s "$1" "$2" || complain "$(diff "$1" "$2" | head -n 4 | cut -c 1-300)"
}

finish()
{
    exit $((failures > 0))
}
