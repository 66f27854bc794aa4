/* header: which series the columns of a table belong to.
 *
 * The header of such a table is a few rows of names that no grammar can know:
 * words without blanks, right-aligned over their columns. Names that are too
 * long run together, and mail breaks lines and loses columns. Names are given
 * only where the text decides them.
 */
#ifndef BENCHLORE_HEADER_H
#define BENCHLORE_HEADER_H

#include "extract/text.h"

#include <stdint.h>

/* The names of one table's columns. */
struct header {
    unsigned columns;
    unsigned rows;
    char **cells; /* rows * columns, row by row; "" for a blank cell */
    size_t start; /* where it begins in the text above the table */
};

/* How the text above a table is read. */
enum header_text {
    HEADER_LINES,     /* its lines are lines */
    HEADER_FLAT,      /* it has lost its line breaks */
    HEADER_FLAT_NEXT, /* and stands behind a row of another table */
};

/* Find the header at the end of above, the text over a table's first row (down
 * to the break before that row). With or_single one row will do where two are
 * wanted and what stands over it is no row of names: a line that keeps left of
 * the columns. A name too many in it is of the labels, if it begins its line or
 * ends within label_width: where the first row's first cell begins, counted from
 * its line's start (0 if that is not known). What may tell how glued names part:
 * known (of struct header), the headers found before in the same message; common
 * (of char *), names that such headers often hold. NULL if it can't be told. */
struct header *header_find(struct view above, enum header_text form, unsigned rows, bool or_single, unsigned columns,
                           size_t label_width, const GPtrArray *known, const GPtrArray *common);
void header_free(gpointer header);

/* Append the name of a column: its cells that are not blank, joined. */
void header_append_name(GString *out, const struct header *header, unsigned column, const char *join);

#endif
