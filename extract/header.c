/* Three ways, the surest first: each header line has a word for every column;
 * the letters are those of a header that is known already; the words of one
 * line are in place over the columns, and the other line is cut there. */
#include "extract/header.h"

enum { COLUMNS_MAX = 64, WORDS_MAX = 256 };

static unsigned split_words(struct view line, struct view *words)
{
    unsigned count = 0;
    for (size_t i = 0; i < line.length && count < WORDS_MAX;) {
        while (i < line.length && line.bytes[i] == ' ')
            i++;
        size_t start = i;
        while (i < line.length && line.bytes[i] != ' ')
            i++;
        if (i > start)
            words[count++] = view_slice(line, start, i);
    }
    return count;
}

static struct header *header_new(unsigned rows, unsigned columns, unsigned lines)
{
    struct header *header = g_new0(struct header, 1);
    header->rows = rows;
    header->columns = columns;
    header->lines = lines;
    header->cells = g_new0(char *, (gsize)rows * columns);
    return header;
}

void header_free(gpointer data)
{
    struct header *header = data;
    if (!header)
        return;
    for (unsigned i = 0; i < header->rows * header->columns; i++)
        g_free(header->cells[i]);
    g_free(header->cells);
    g_free(header);
}

static void set_cell(struct header *header, unsigned row, unsigned column, struct view text)
{
    text = view_trim(text);
    char **cell = &header->cells[row * header->columns + column];
    g_free(*cell);
    *cell = g_strndup(text.bytes, text.length);
}


static struct header *copy_known(const struct header *known, unsigned lines)
{
    struct header *header = header_new(known->rows, known->columns, lines);
    for (unsigned i = 0; i < known->rows * known->columns; i++)
        header->cells[i] = g_strdup(known->cells[i]);
    return header;
}

static void append_letters(GString *out, struct view text)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] != ' ')
            g_string_append_c(out, text.bytes[i]);
}

/* The header that is, blanks aside, one found before. */
static struct header *find_known(const struct view *lines, size_t line_count, unsigned columns,
                                 const GPtrArray *known)
{
    struct header *header = NULL;
    GString *letters = g_string_new(NULL), *wanted = g_string_new(NULL);
    for (guint k = 0; k < known->len && !header; k++) {
        const struct header *candidate = g_ptr_array_index(known, k);
        if (candidate->columns != columns)
            continue;
        g_string_truncate(wanted, 0);
        for (unsigned i = 0; i < candidate->rows * candidate->columns; i++)
            g_string_append(wanted, candidate->cells[i]);
        g_string_truncate(letters, 0);
        for (size_t used = 1; used <= line_count && letters->len < wanted->len && !header; used++) {
            g_string_truncate(letters, 0);
            for (size_t i = line_count - used; i < line_count; i++)
                append_letters(letters, lines[i]);
            if (wanted->len > 0 && g_string_equal(letters, wanted))
                header = copy_known(candidate, (unsigned)used);
        }
    }
    g_string_free(letters, TRUE);
    g_string_free(wanted, TRUE);
    return header;
}

/* Cut line into cells of width, the first beginning at left; a name longer
 * than its cell pushes the others to the right. False where a name's end
 * can't be told. */
static bool cut_line(struct view line, size_t left, size_t width, struct header *header, unsigned row)
{
    size_t at = left;
    for (unsigned column = 0; column < header->columns; column++) {
        unsigned remaining = header->columns - column;
        if (at >= line.length) {
            /* Trailing cells may be blank. */
            set_cell(header, row, column, view_slice(line, line.length, line.length));
            continue;
        }
        size_t end = at + width < line.length ? at + width : line.length;
        if (remaining == 1) {
            struct view rest = view_trim(view_slice(line, at, line.length));
            if (memchr(rest.bytes, ' ', rest.length))
                return false;
            end = line.length;
        } else if (line.bytes[at] != ' ' && line.length - at != remaining * width) {
            /* A name that fills its cell or more: it ends at a blank, or the
             * lengths of the others decide. */
            size_t blank = at;
            while (blank < line.length && line.bytes[blank] != ' ')
                blank++;
            size_t others = (remaining - 1) * width;
            if (blank == line.length)
                return false;
            if (line.length - blank == others || blank == at + width)
                end = blank;
            else if (line.length - at >= others + width && line.length - others <= blank && line.bytes[line.length - others] == ' ')
                end = line.length - others;
            else if (line.length - blank < others)
                return false;
            else
                end = blank;
        }
        struct view cell = view_trim(view_slice(line, at, end));
        if (memchr(cell.bytes, ' ', cell.length))
            return false;
        set_cell(header, row, column, cell);
        at = end;
    }
    return true;
}

/* Right ends of words at equal distances give the columns. */
static bool find_columns(struct view line, const struct view *words, unsigned count, size_t *left, size_t *width)
{
    size_t ends[COLUMNS_MAX];
    for (unsigned i = 0; i < count; i++)
        ends[i] = (size_t)(words[i].bytes - line.bytes) + words[i].length;
    if (count < 2)
        return false;
    *width = ends[1] - ends[0];
    for (unsigned i = 2; i < count; i++)
        if (ends[i] - ends[i - 1] != *width)
            return false;
    if (ends[0] < *width)
        return false;
    *left = ends[0] - *width;
    return true;
}

static struct header *find_in_place(const struct view *lines, size_t line_count, unsigned rows, unsigned columns)
{
    struct view words[WORDS_MAX];
    if (rows != 2 || line_count < 2 || columns > COLUMNS_MAX)
        return NULL;
    struct view upper = lines[line_count - 2], lower = lines[line_count - 1];
    size_t left, width;
    if (split_words(upper, words) != columns)
        return NULL;
    struct header *header = header_new(rows, columns, rows);
    for (unsigned i = 0; i < columns; i++)
        set_cell(header, 0, i, words[i]);
    bool good;
    if (view_trim(lower).length == 0) {
        for (unsigned i = 0; i < columns; i++)
            set_cell(header, 1, i, view_slice(lower, 0, 0));
        good = true;
    } else if (columns == 1) {
        set_cell(header, 1, 0, lower);
        good = !memchr(view_trim(lower).bytes, ' ', view_trim(lower).length);
    } else {
        good = find_columns(upper, words, columns, &left, &width) && cut_line(lower, left, width, header, 1);
    }
    if (!good) {
        header_free(header);
        return NULL;
    }
    return header;
}

/* Every one of the nearest lines has a word for each column. */
static struct header *find_by_count(const struct view *lines, size_t line_count, unsigned rows, unsigned columns)
{
    struct view words[WORDS_MAX];
    if (line_count < rows)
        return NULL;
    for (unsigned row = 0; row < rows; row++)
        if (split_words(lines[line_count - rows + row], words) != columns)
            return NULL;
    struct header *header = header_new(rows, columns, rows);
    for (unsigned row = 0; row < rows; row++) {
        split_words(lines[line_count - rows + row], words);
        for (unsigned i = 0; i < columns; i++)
            set_cell(header, row, i, words[i]);
    }
    return header;
}

struct header *header_find(const struct view *lines, size_t line_count, unsigned rows, unsigned columns,
                           const GPtrArray *known)
{
    if (columns == 0 || rows == 0)
        return NULL;
    struct header *header = find_by_count(lines, line_count, rows, columns);
    if (!header)
        header = find_known(lines, line_count, columns, known);
    if (!header)
        header = find_in_place(lines, line_count, rows, columns);
    return header;
}

void header_append_name(GString *out, const struct header *header, unsigned column, const char *join)
{
    bool first = true;
    for (unsigned row = 0; row < header->rows; row++) {
        const char *cell = header->cells[row * header->columns + column];
        if (!*cell)
            continue;
        if (!first)
            g_string_append(out, join);
        g_string_append(out, cell);
        first = false;
    }
}
