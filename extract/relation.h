/* relation: do printed figures agree, within what their digits allow?
 *
 * A figure stands for every number that would be printed so: half a unit of
 * its last digit to either side, a whole one where the tool cuts off. All is
 * done in exact decimals on intervals; where a sum does not fit, the relation
 * counts as unknown.
 */
#ifndef BENCHLORE_RELATION_H
#define BENCHLORE_RELATION_H

#include "extract/finding.h"

/* A figure as printed, and what one of its printed units is worth. */
struct figure {
    struct decimal number;
    int zeros;            /* that its exponent puts behind its last digit: 1 for `1.2e+02` */
    struct unit unit;     /* base "" where the text names none */
    struct decimal value; /* number * factor */
};

/* Is the left side of check the right one? figures holds one for every item of
 * both expressions, left before right; those of operators and numbers are not
 * looked at. RESULT_UNCHECKED where a figure is missing (NULL) or zero; else
 * sides (two, or NULL) are what the two sides come to as printed. */
enum check_result relation_equal(const struct check *check, const struct figure *const *figures, struct decimal *sides);

/* a is not above b. */
enum check_result relation_order(const struct check *check, const struct figure *a, const struct figure *b);

/* change (a percentage) tells how value differs from baseline, whatever its
 * sign and whichever of the two it is a part of. */
enum check_result relation_change(const struct figure *change, const struct figure *value,
                                  const struct figure *baseline);

#endif
