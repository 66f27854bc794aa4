/* unit: unit texts of many tools, each a base unit and an exact factor.
 *
 * Base units are s, B, B/s, 1/s, % and 1 (a plain count); bits are bytes / 8.
 * The table here holds what means the same everywhere: SI and IEC prefixes.
 * Where a tool's letters mean something else (fio 2's KB of 1024 bytes), its
 * grammar says so in a unit set, which is asked first.
 */
#ifndef BENCHLORE_UNIT_H
#define BENCHLORE_UNIT_H

#include "extract/decimal.h"

struct unit {
    const char *base;      /* "s", "B", "B/s", "1/s", "%" or "1"; static */
    struct decimal factor; /* one of these is factor base units */
};

/* The base unit spelled so, as its static string, or NULL. */
const char *unit_base(struct view text);

/* Look up a unit text, white space in it aside: `msec`, `KiB/s`, `kB`,
 * `Mibit/s`, `us`, `MB/sec`, `%`, `1/s`. Bare prefixes (`k`, `M`, `G`, `T`,
 * `P`, `E`, also `K`) are multiples of 1000 with base "1". False if unknown. */
bool unit_lookup(struct view text, struct unit *result) __attribute__((warn_unused_result));

#endif
