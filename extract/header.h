/* header: which series the columns of a table belong to.
 *
 * The header of such a table is one or more rows of names that no grammar can
 * know. They are right-aligned over their columns and hold no blanks, but
 * names that are too long run together, and mail may have taken the columns
 * apart. Names are given only where the text decides them.
 */
#ifndef BENCHLORE_HEADER_H
#define BENCHLORE_HEADER_H

#include "extract/text.h"

/* Columns of one table: one name each, from all header rows. */
struct header {
    unsigned columns;
    unsigned rows;
    char **cells;     /* rows * columns, row by row; "" for a blank cell */
    unsigned lines;   /* text lines that the header took */
};

/* Find the header in the lines above a table's first row (nearest last).
 * known holds the headers found before in the same message (of struct header
 * pointers), which may tell how glued names part. NULL if it can't be told. */
struct header *header_find(const struct view *lines, size_t line_count, unsigned rows, unsigned columns,
                           const GPtrArray *known);
void header_free(gpointer header);

/* Append the name of a column: its cells that are not blank, joined. */
void header_append_name(GString *out, const struct header *header, unsigned column, const char *join);

#endif
