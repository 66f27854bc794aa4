/* table_row: one row of a table: where its label and its cells stand.
 *
 * Rows are read by their patterns; where figures run together, or into the
 * label, by the columns that the rows before have shown.
 */
#ifndef BENCHLORE_TABLE_ROW_H
#define BENCHLORE_TABLE_ROW_H

#include "extract/grammar.h"

enum { TABLE_CELLS_MAX = 64 };

struct table_cell {
    size_t start, end; /* in the text */
};

struct table_row {
    size_t start, label_end, end;
    unsigned count;
    struct table_cell cells[TABLE_CELLS_MAX];
    bool by_columns; /* a pattern sees only its own piece of the text */
};

/* Where the cells of the rows so far end, as columns of their lines. */
struct table_layout {
    unsigned rows;
    unsigned columns;
    bool aligned; /* all rows ended their cells in the same columns */
    size_t edges[TABLE_CELLS_MAX];
    size_t label_width; /* the longest label so far */
};

/* Read the row at at, whose line begins at line_start; layout is that of the
 * open table (columns 0: none yet). *limit is set where a match limit was hit.
 * False if there is no row. */
bool table_row_read(struct matcher *matcher, const struct table *table, struct view text, size_t line_start, size_t at,
                    const struct table_layout *layout, struct table_row *row, bool *limit);

/* Add a row that was taken. */
void table_layout_add(struct table_layout *layout, const struct table_row *row, size_t line_start);

/* What a pattern may see of the text to match a piece that ends at end. */
static inline struct view table_row_view(const struct table_row *row, struct view text, size_t end)
{
    return row->by_columns ? view_slice(text, 0, end) : text;
}

#endif
