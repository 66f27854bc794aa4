#include "extract/table_row.h"

static bool match(struct matcher *matcher, const struct pattern *pattern, struct view text, size_t at, size_t *end,
                  bool *limit)
{
    size_t start;
    if (at >= text.length || !pattern_may_begin(pattern, (unsigned char)text.bytes[at]))
        return false;
    enum pattern_result result = matcher_match(matcher, pattern, text, at);
    *limit |= result == PATTERN_LIMIT;
    return result == PATTERN_MATCH && matcher_group(matcher, 0, &start, end) && *end > at;
}

/* Past blanks and one line break at the most. */
static size_t skip_blank(struct view text, size_t at)
{
    bool broken = false;
    while (at < text.length && (text.bytes[at] == ' ' || (text.bytes[at] == '\n' && !broken)))
        broken |= text.bytes[at++] == '\n';
    return at;
}

static bool read_by_pattern(struct matcher *matcher, const struct table *table, struct view text, size_t at,
                            struct table_row *row, bool *limit)
{
    size_t end;
    row->count = 0;
    row->by_columns = false;
    row->start = at;
    if (!match(matcher, table->label, text, at, &end, limit))
        return false;
    row->label_end = end;
    while (row->label_end > at && (text.bytes[row->label_end - 1] == ' ' || text.bytes[row->label_end - 1] == '\n'))
        row->label_end--;
    for (size_t cursor = end; row->count < TABLE_CELLS_MAX && match(matcher, table->cell, text, cursor, &end, limit);
         row->count++) {
        row->cells[row->count] = (struct table_cell){cursor, end};
        row->end = end;
        cursor = skip_blank(text, end);
    }
    return row->count > 0;
}

/* The cell that fills the columns from start to end of the text. */
static bool match_piece(struct matcher *matcher, const struct pattern *cell, struct view text, size_t start, size_t end,
                        struct table_cell *piece, bool *limit)
{
    size_t matched;
    while (start < end && text.bytes[start] == ' ')
        start++;
    if (start == end || !match(matcher, cell, view_slice(text, 0, end), start, &matched, limit) || matched != end)
        return false;
    *piece = (struct table_cell){start, end};
    return true;
}

/* Does the label end at label_end, and the first cell fill what is left to end? */
static bool match_first(struct matcher *matcher, const struct table *table, struct view text, size_t label_end,
                        size_t end, struct table_row *row, bool *limit)
{
    size_t cell = label_end, matched;
    while (label_end > row->start && text.bytes[label_end - 1] == ' ')
        label_end--;
    if (label_end == row->start || !match_piece(matcher, table->cell, text, cell, end, &row->cells[0], limit) ||
        !match(matcher, table->label_alone, view_slice(text, 0, label_end), row->start, &matched, limit))
        return false;
    row->label_end = label_end;
    return matched == label_end;
}

/* Label and first cell: parted at a blank, or else in the column where the
 * longest label so far ended. */
static bool read_first(struct matcher *matcher, const struct table *table, struct view text, size_t line_start,
                       size_t end, const struct table_layout *layout, bool glued_label, struct table_row *row,
                       bool *limit)
{
    for (size_t i = row->start + 1; !glued_label && i < end; i++)
        if (text.bytes[i] == ' ' && text.bytes[i - 1] != ' ' && match_first(matcher, table, text, i, end, row, limit))
            return true;
    size_t label_end = line_start + layout->label_width;
    return label_end > row->start && label_end < end && match_first(matcher, table, text, label_end, end, row, limit);
}

static bool read_by_columns(struct matcher *matcher, const struct table *table, struct view text, size_t line_start,
                            size_t at, const struct table_layout *layout, bool glued_label, struct table_row *row,
                            bool *limit)
{
    size_t start = line_start + layout->edges[0], last = line_start + layout->edges[layout->columns - 1];
    if (last > text.length || start <= at || memchr(text.bytes + at, '\n', last - at))
        return false;
    row->start = at;
    row->count = layout->columns;
    row->by_columns = true;
    if (!read_first(matcher, table, text, line_start, start, layout, glued_label, row, limit))
        return false;
    for (unsigned i = 1; i < layout->columns; i++) {
        size_t end = line_start + layout->edges[i];
        if (end < start || !match_piece(matcher, table->cell, text, start, end, &row->cells[i], limit))
            return false;
        start = end;
    }
    row->end = last;
    return last == text.length || text.bytes[last] == ' ' || text.bytes[last] == '\n';
}

/* Do the ends of the row's cells lie in the layout's columns? */
static bool fits_edges(const struct table_layout *layout, const struct table_row *row, size_t line_start)
{
    for (unsigned i = 0; i < row->count; i++)
        if (row->cells[i].end != line_start + layout->edges[i])
            return false;
    return true;
}

bool table_row_read(struct matcher *matcher, const struct table *table, struct view text, size_t line_start, size_t at,
                    const struct table_layout *layout, struct table_row *row, bool *limit)
{
    bool columns_known = layout->rows > 0 && layout->aligned;
    bool found = read_by_pattern(matcher, table, text, at, row, limit);
    if (!columns_known)
        return found;
    bool whole = found && row->count == layout->columns;
    /* Everything is in its column, but the label's end is not: its last digits
     * have run into the first figure. */
    bool glued_label =
        whole && fits_edges(layout, row, line_start) && row->cells[0].start < line_start + layout->label_width;
    if (whole && !glued_label)
        return true;
    struct table_row by_columns;
    if (read_by_columns(matcher, table, text, line_start, at, layout, glued_label, &by_columns, limit)) {
        *row = by_columns;
        return true;
    }
    return found;
}

void table_layout_add(struct table_layout *layout, const struct table_row *row, size_t line_start)
{
    bool same = layout->rows == 0 || fits_edges(layout, row, line_start);
    if (layout->rows == 0) {
        layout->aligned = true;
        layout->columns = row->count;
        for (unsigned i = 0; i < row->count; i++)
            layout->edges[i] = row->cells[i].end - line_start;
    }
    layout->aligned &= same;
    layout->rows++;
    if (row->label_end - line_start > layout->label_width)
        layout->label_width = row->label_end - line_start;
}
