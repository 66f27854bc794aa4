/* Tables: a header that no grammar knows, and rows of one cell a column.
 *
 * The first row under a header opens a table; rows that follow belong to it
 * until something else stands between. */
#include "extract/scanner.h"

enum {
    HEADER_LINES_MAX = 12,
    UNKNOWN_LINES_MAX = 2,
    TITLE_MAX = 60, /* of a title that no line break parts from what is before it */
};

void scan_clear_series(struct scanner *scanner)
{
    for (unsigned i = 0; i < scanner->columns; i++)
        g_free(scanner->series[i]);
    scanner->columns = 0;
}

/* Start of the whole line, joined pieces included, that holds line index. */
static size_t whole_line(const struct passage *passage, size_t index)
{
    while (index > 0 && passage_line(passage, index)->joined)
        index--;
    return index;
}

/* The text above offset at that may hold a header: down from what was taken
 * last, some lines at the most; in flat text, of the line itself. */
static size_t text_above(const struct scanner *scanner, size_t at, size_t taken_until, bool flat)
{
    size_t index = whole_line(scanner->passage, scan_line_at(scanner, at)), start;
    if (flat) {
        start = passage_line(scanner->passage, index)->start;
    } else {
        for (unsigned count = 0; count < HEADER_LINES_MAX && index > 0 && !scanner->taken[index - 1]; count++)
            index = whole_line(scanner->passage, index - 1);
        start = passage_line(scanner->passage, index)->start;
    }
    return start < taken_until ? taken_until : start;
}

/* The title that ends where the header begins: the line above it, or in flat
 * text what follows the sentence before. */
static struct view title_above(const struct scanner *scanner, size_t above, size_t header, bool flat)
{
    struct view text = view_trim(view_slice(scanner->text, above, header));
    if (!flat) {
        struct view before = view_slice(scanner->text, above, header);
        size_t end = before.length;
        if (end > 0 && before.bytes[end - 1] == ' ')
            while (end > 0 && before.bytes[end - 1] == ' ')
                end--;
        if (end == 0 || before.bytes[end - 1] != '\n')
            return (struct view){text.bytes, 0};
        size_t start = --end;
        while (start > 0 && before.bytes[start - 1] != '\n')
            start--;
        return view_trim(view_slice(before, start, end));
    }
    for (size_t i = text.length; i-- > 1;)
        if (text.bytes[i] == ' ' && strchr(".:!?", text.bytes[i - 1]))
            return text.length - i > TITLE_MAX ? (struct view){text.bytes, 0}
                                               : view_trim(view_slice(text, i, text.length));
    return text.length > TITLE_MAX || (text.length > 0 && strchr(".:!?", text.bytes[text.length - 1]))
               ? (struct view){text.bytes, 0}
               : text;
}

static void set_series(struct scanner *scanner, const struct header *header, const char *join)
{
    scan_clear_series(scanner);
    for (unsigned i = 0; i < header->columns; i++) {
        GString *name = g_string_new(NULL);
        header_append_name(name, header, i, join);
        scanner->series[i] = g_string_free(name, FALSE);
    }
    scanner->columns = header->columns;
}

/* Does nothing but blanks and a line break part at from what was taken last? */
static bool follows(const struct scanner *scanner, size_t at)
{
    unsigned breaks = 0;
    for (size_t i = scanner->last_end; i < at; i++) {
        if (scanner->text.bytes[i] != ' ' && scanner->text.bytes[i] != '\n')
            return false;
        breaks += scanner->text.bytes[i] == '\n';
    }
    return breaks <= 1;
}

/* The first row right below its block's first line has the columns of the
 * table before, or of a header right above the block. */
static bool open_same_table(struct scanner *scanner, const struct rule *rule, const struct block *block, size_t at,
                            unsigned columns, bool flat)
{
    const struct found_block *found = scan_open_found(scanner);
    if (scanner->block != block || scanner->in_table || !follows(scanner, at))
        return false;
    if (columns == scanner->columns)
        return true;
    size_t start = found->start;
    size_t until = flat ? start : passage_line(scanner->passage, scan_line_at(scanner, start))->start;
    size_t above = text_above(scanner, until, 0, flat);
    struct header *header = header_find(view_slice(scanner->text, above, until), flat ? HEADER_FLAT : HEADER_LINES, 2,
                                        false, columns, 0, scanner->headers, rule->table->names);
    if (!header)
        return false;
    set_series(scanner, header, "-");
    scan_trace_header(scanner, rule, above + header->start, until);
    g_ptr_array_add(scanner->headers, header);
    return true;
}

/* A new table begins with the row at at, whose first cell begins label_width
 * behind its line's start, if a header stands over it. */
static bool open_table(struct scanner *scanner, const struct rule *rule, const struct block *block, size_t at,
                       unsigned columns, size_t label_width, bool flat)
{
    const struct table *table = rule->table;
    if (table->header_rows == 0)
        return open_same_table(scanner, rule, block, at, columns, flat);
    enum header_text form = !flat ? HEADER_LINES : scanner->in_table ? HEADER_FLAT_NEXT : HEADER_FLAT;
    size_t above = text_above(scanner, at, scanner->last_end, flat);
    struct header *header = header_find(view_slice(scanner->text, above, at), form, table->header_rows,
                                        table->or_single, columns, label_width, scanner->headers, table->names);
    if (!header)
        return false;
    size_t start = above + header->start;
    struct view title = {0};
    if (table->title_is_test) {
        title = title_above(scanner, above, start, flat);
        if (title.length > 0)
            start = (size_t)(title.bytes - scanner->text.bytes);
    }
    struct found_block *found = scan_open_block(scanner, block, start);
    found->has_title = table->title_is_test;
    emitter_set_variable(scanner->emitter, VARIABLE_TEST, title);
    if (!flat)
        scan_take_lines(scanner, start, at);
    set_series(scanner, header, table->join);
    scan_trace_header(scanner, rule, above + header->start, at);
    g_ptr_array_add(scanner->headers, header);
    return true;
}

enum gap {
    GAP_NONE,    /* the next row of the open table: blanks at the most, or lines that others have taken */
    GAP_UNKNOWN, /* a line or two that nothing explains: of the table, if they are no header */
    GAP_WIDE,    /* no row of the open table, if there is one */
};

static enum gap gap_before(const struct scanner *scanner, const struct block *block, size_t at)
{
    unsigned unknown = 0;
    if (!scanner->in_table || scanner->block != block)
        return GAP_WIDE;
    size_t first = scan_line_at(scanner, scanner->table_end - 1);
    size_t last = scan_line_at(scanner, at);
    if (first == last && view_trim(view_slice(scanner->text, scanner->table_end, at)).length > 0)
        return GAP_UNKNOWN;
    for (size_t i = first + 1; i < last; i++) {
        const struct passage_line *line = passage_line(scanner->passage, i);
        if (view_trim(passage_view(scanner->passage, line->start, line->end)).length == 0)
            return GAP_WIDE;
        unknown += !scanner->taken[i];
    }
    return unknown == 0 ? GAP_NONE : unknown <= UNKNOWN_LINES_MAX ? GAP_UNKNOWN : GAP_WIDE;
}

static bool match_piece(struct scanner *scanner, const struct pattern *pattern, struct view text, size_t at)
{
    return matcher_match(scanner->matcher, pattern, text, at) == PATTERN_MATCH;
}

static void take_row(struct scanner *scanner, const struct rule *rule, const struct table_row *row)
{
    const struct table *table = rule->table;
    const struct pattern *label = row->by_columns ? table->label_alone : table->label;
    if (!match_piece(scanner, label, row->by_columns ? view_slice(scanner->text, 0, row->label_end) : scanner->text,
                     row->start))
        return;
    scan_bind(scanner, rule->captures, rule->capture_count, scanner->binding);
    emitter_set_variables(scanner->emitter, rule, scanner->text, scanner->binding);
    emitter_begin_each(scanner->emitter);
    struct view series = emitter_variable(scanner->emitter, VARIABLE_SERIES);
    for (unsigned i = 0; i < row->count; i++) {
        if (!match_piece(scanner, table->cell, table_row_view(row, scanner->text, row->cells[i].end),
                         row->cells[i].start))
            continue;
        scan_bind(scanner, table->cell_captures, table->cell_capture_count, scanner->binding + rule->capture_count);
        emitter_set_variable(scanner->emitter, VARIABLE_SERIES, view_of(scanner->series[i]));
        emitter_set_params(scanner->emitter, rule, scanner->text, scanner->binding, PARAMS_OF_RULE);
        scan_trace_match(scanner, rule, row->cells[i].start, row->cells[i].end, scanner->series[i]);
        scan_take_rows(scanner, rule, row->start);
    }
    /* The rows of other rules are of no column. */
    emitter_set_variable(scanner->emitter, VARIABLE_SERIES, series);
}

static bool has_change(const struct rule *rule)
{
    bool has_change = false;
    for (guint i = 0; i < rule->rows->len; i++)
        has_change |= g_array_index(rule->rows, struct row, i).change != CAPTURE_NONE;
    return has_change;
}

/* A row under no header: where its cells can't be anything else (they have a
 * change) it is a loss, said once for rows that follow each other. */
static void drop_row(struct scanner *scanner, const struct rule *rule, const struct table_row *row)
{
    size_t line = scan_line_at(scanner, row->start);
    if (!has_change(rule) || row->count < 2 || rule->form == FORM_FLAT)
        return;
    scanner->counts.dropped += row->count;
    if (scanner->dropped_line + 1 != line)
        scan_report(scanner, DIAG_DROPPED, row->start, "a table has no header that tells its columns: rows dropped");
    scanner->dropped_line = line;
}

/* Must the block be open, whose columns the table has, and is not? */
static bool waits_for_block(const struct scanner *scanner, const struct rule *rule, const struct block *block)
{
    return rule->table->header_rows == 0 && scanner->block != block && !has_change(rule) && !scanner->trace;
}

size_t scan_try_table(struct scanner *scanner, const struct rule *rule, const struct block *block, size_t at, bool flat)
{
    static const struct table_layout no_layout;
    struct table_row row;
    if (waits_for_block(scanner, rule, block))
        return 0;
    enum gap gap = gap_before(scanner, block, at);
    bool limit = false, open = gap != GAP_WIDE;
    size_t line_start = passage_line(scanner->passage, whole_line(scanner->passage, scan_line_at(scanner, at)))->start;
    bool found = table_row_read(scanner->matcher, rule->table, scan_visible(scanner, at), line_start, at,
                                open ? &scanner->layout : &no_layout, &row, &limit);
    if (limit)
        scan_report_limit(scanner, rule, at);
    if (!found || row.count < rule->table->least_columns)
        return 0;
    size_t label_width = row.cells[0].start - line_start;
    if (gap == GAP_UNKNOWN && open_table(scanner, rule, block, at, row.count, label_width, flat))
        scanner->layout = no_layout;
    else if (open && row.count != scanner->columns)
        return 0;
    if (!open && !open_table(scanner, rule, block, at, row.count, label_width, flat)) {
        drop_row(scanner, rule, &row);
        if (!flat)
            scan_trace_no_header(scanner, rule, &row);
        return 0;
    }
    if (!open)
        scanner->layout = no_layout;
    scanner->in_table = true;
    take_row(scanner, rule, &row);
    table_layout_add(&scanner->layout, &row, line_start);
    scanner->table_end = scanner->block_end = scanner->last_end = row.end;
    scan_take_lines(scanner, at, row.end);
    return row.end;
}
