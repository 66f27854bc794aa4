/* decimal: exact decimal numbers, text to text; nothing is ever rounded.
 *
 * A decimal is coefficient / 10^scale with a sign. The coefficient has up to
 * 256 bits (77 digits): enough for every printed figure times every factor.
 * Operations that would not fit return false and leave the result alone.
 * Values are plain structs: copy them freely.
 */
#ifndef BENCHLORE_DECIMAL_H
#define BENCHLORE_DECIMAL_H

#include "extract/text.h"

#include <stdint.h>

enum { DECIMAL_LIMBS = 4, DECIMAL_SCALE_MAX = 400, DECIMAL_TEXT_MAX = 512 };

struct decimal {
    uint64_t limb[DECIMAL_LIMBS]; /* little endian */
    int scale;                    /* digits after the point, 0 to DECIMAL_SCALE_MAX */
    bool negative;                /* never for zero */
};

/* Parse `[+-]digits[.digits][e[+-]digits]`; `.5` and `5.` too. With grouped,
 * commas between groups of three digits before the point are allowed
 * (`1,234,567.8`), and refused where the groups are not of three. The scale
 * keeps trailing zeros: it says how many digits were printed. The whole view
 * must be the number. False on anything else, and where it doesn't fit. */
bool decimal_parse(struct view text, bool grouped, struct decimal *result) __attribute__((warn_unused_result));

/* How many zeros the exponent puts behind the last digit of the number that text
 * begins with: 9 for `1.2e+10`, 0 where it has none. They were not printed. */
int decimal_exponent_zeros(struct view text);

struct decimal decimal_from_int(int64_t value);

/* Append the plain form: no exponent, no trailing zeros, no `-0`, no `+`. */
void decimal_append(GString *out, const struct decimal *value);

bool decimal_is_zero(const struct decimal *value);

/* Is it an integer (as 1.00 is)? */
bool decimal_is_whole(const struct decimal *value);

/* -1, 0 or 1 by the numbers' order (1.0 equals 1.00). */
int decimal_compare(const struct decimal *a, const struct decimal *b);

bool decimal_add(const struct decimal *a, const struct decimal *b, struct decimal *result)
    __attribute__((warn_unused_result));
bool decimal_subtract(const struct decimal *a, const struct decimal *b, struct decimal *result)
    __attribute__((warn_unused_result));
bool decimal_multiply(const struct decimal *a, const struct decimal *b, struct decimal *result)
    __attribute__((warn_unused_result));

/* value * 10^power, exact; false where the scale would leave its range. */
bool decimal_shift(const struct decimal *value, int power, struct decimal *result) __attribute__((warn_unused_result));

#endif
