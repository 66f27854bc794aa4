/* Ways to read a header, the surest first:
 *   0. one row of names, where the line above keeps left of the columns;
 *   1. its letters, blanks aside, are those of a header known already;
 *   2. each of the lines above has a word for every column;
 *   3. the upper line's words are in place over the columns: the lower line is
 *      cut there;
 *   4. words are counted off, whatever the lines, and glued names are parted
 *      where a name that stands alone elsewhere, or their own beginning,
 *      comes again. */
#include "extract/header.h"

#include "extract/glue.h"

enum {
    COLUMNS_MAX = 64,
    WORDS_MAX = 192,
    WRAPPED_LINES_MAX = 12,
    LABELS_MIN = 6, /* columns that the labels take, at the least */
    NAME_LENGTH_MAX = 60,
    FLUSH_LEFT = 2,
};

struct word {
    struct view text;
    unsigned line; /* counted from the last, which is 0 */
};

static struct header *header_new(unsigned rows, unsigned columns, size_t start)
{
    struct header *header = g_new0(struct header, 1);
    header->rows = rows;
    header->columns = columns;
    header->start = start;
    header->cells = g_new0(char *, (gsize)rows *columns);
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

/* Words of text from the last to the first, as many as fit. */
static unsigned split_backwards(struct view text, struct word *words)
{
    unsigned count = 0, line = 0;
    for (size_t end = text.length; end > 0 && count < WORDS_MAX;) {
        char c = text.bytes[end - 1];
        if (c == ' ' || c == '\n') {
            line += c == '\n';
            end--;
            continue;
        }
        size_t start = end;
        while (start > 0 && text.bytes[start - 1] != ' ' && text.bytes[start - 1] != '\n')
            start--;
        words[count++] = (struct word){view_slice(text, start, end), line};
        end = start;
    }
    return count;
}

/* The line that is number lines above the last; false above the first. */
static bool line_above(struct view text, unsigned number, struct view *line)
{
    size_t end = text.length;
    for (;;) {
        size_t start = end;
        while (start > 0 && text.bytes[start - 1] != '\n')
            start--;
        if (number-- == 0) {
            *line = view_slice(text, start, end);
            return true;
        }
        if (start == 0)
            return false;
        end = start - 1;
    }
}

/* ---- a header known already ---- */

/* Where, at the end of text, the letters of known begin; SIZE_MAX if they are
 * not there. */
static size_t match_letters(struct view text, const struct header *known)
{
    size_t at = text.length;
    for (unsigned i = known->rows * known->columns; i-- > 0;) {
        const char *cell = known->cells[i];
        for (size_t c = strlen(cell); c-- > 0;) {
            while (at > 0 && (text.bytes[at - 1] == ' ' || text.bytes[at - 1] == '\n'))
                at--;
            if (at == 0 || text.bytes[at - 1] != cell[c])
                return SIZE_MAX;
            at--;
        }
    }
    bool starts_word = at == 0 || text.bytes[at - 1] == ' ' || text.bytes[at - 1] == '\n';
    return starts_word ? at : SIZE_MAX;
}

static struct header *find_known(struct view text, unsigned rows, unsigned columns, const GPtrArray *known)
{
    for (guint k = known->len; k-- > 0;) {
        const struct header *candidate = g_ptr_array_index(known, k);
        bool fits = candidate->columns == columns && candidate->rows == rows;
        size_t start = fits ? match_letters(text, candidate) : SIZE_MAX;
        if (start >= text.length)
            continue;
        struct header *header = header_new(candidate->rows, columns, start);
        for (unsigned i = 0; i < header->rows * columns; i++)
            header->cells[i] = g_strdup(candidate->cells[i]);
        return header;
    }
    return NULL;
}

/* ---- words for every column ---- */

/* What stands in rows of figures is no name. */
static bool may_be_name(struct view word)
{
    for (size_t i = 0; i < word.length; i++)
        if (strchr("%()*", word.bytes[i]))
            return false;
    return true;
}

static unsigned words_of_line(const struct word *words, unsigned count, unsigned line, unsigned *first)
{
    unsigned found = 0;
    for (unsigned i = 0; i < count && words[i].line <= line; i++) {
        if (words[i].line == line && found++ == 0)
            *first = i;
    }
    return found;
}

/* words are backwards: the last word of a row is words[last]. */
static void set_row(struct header *header, unsigned row, const struct word *words, unsigned last)
{
    for (unsigned i = 0; i < header->columns; i++)
        set_cell(header, row, header->columns - 1 - i, words[last + i].text);
}

static size_t word_start(struct view text, const struct word *word)
{
    return (size_t)(word->text.bytes - text.bytes);
}

/* Where the word ends in its line. */
static size_t word_column_end(struct view text, const struct word *word)
{
    size_t start = word_start(text, word), line = start;

    while (line > 0 && text.bytes[line - 1] != '\n')
        line--;
    return start - line + word->text.length;
}

static struct header *find_by_lines(struct view text, const struct word *words, unsigned count, unsigned rows,
                                    unsigned columns)
{
    unsigned last[9] = {0};
    for (unsigned row = 0; row < rows; row++) {
        if (words_of_line(words, count, rows - 1 - row, &last[row]) != columns)
            return NULL;
        for (unsigned i = 0; i < columns; i++)
            if (!may_be_name(words[last[row] + i].text))
                return NULL;
    }
    struct header *header = header_new(rows, columns, word_start(text, &words[last[0] + columns - 1]));
    for (unsigned row = 0; row < rows; row++)
        set_row(header, row, words, last[row]);
    return header;
}

/* ---- one row of names ---- */

/* What so many blanks or more part in line, from left to right; as many as fit. */
static unsigned split_cells(struct view line, unsigned blanks, struct view *cells, unsigned most)
{
    unsigned count = 0;
    for (size_t at = 0; at < line.length && count < most;) {
        size_t start = at, end;
        while (start < line.length && line.bytes[start] == ' ')
            start++;
        for (end = start; end < line.length; end++)
            if (line.bytes[end] == ' ' && (blanks == 1 || end + 1 == line.length || line.bytes[end + 1] == ' '))
                break;
        if (end > start)
            cells[count++] = view_slice(line, start, end);
        at = end + 1;
    }
    return count;
}

static size_t column_of(struct view line, struct view cell)
{
    return (size_t)(cell.bytes - line.bytes);
}

static bool is_single_name(struct view name)
{
    return name.length <= NAME_LENGTH_MAX && may_be_name(name) && g_ascii_isalnum(name.bytes[0]);
}

/* The line that is not empty over the last one, with an empty one between at
 * the most. */
static bool line_over(struct view text, struct view *line)
{
    for (unsigned number = 1; number <= 2; number++) {
        if (!line_above(text, number, line))
            return false;
        if (view_trim(*line).length > 0)
            return true;
    }
    return false;
}

/* Does over keep left of the columns, so that it is no row of names? It may also
 * begin far left, if it is not as many words that end where the columns end. */
static bool keeps_left(struct view over, struct view line, struct view first, unsigned columns)
{
    struct view text = view_trim(over), words[COLUMNS_MAX + 2];
    size_t start = column_of(over, text), end = start + text.length;
    if (end <= column_of(line, first))
        return true;
    return start <= FLUSH_LEFT && (end != line.length || split_cells(over, 1, words, G_N_ELEMENTS(words)) != columns);
}

/* Without a last line that is a remark in parentheses: `(SMT off)`. */
static struct view without_remark(struct view text)
{
    struct view line;
    if (!line_above(text, 0, &line) || line.length == text.length)
        return text;
    struct view remark = view_trim(line);
    bool is_remark = remark.length > 2 && remark.bytes[0] == '(' &&
                     memchr(remark.bytes, ')', remark.length) == remark.bytes + remark.length - 1;
    return is_remark ? view_slice(text, 0, text.length - line.length - 1) : text;
}

/* A name for every column, and maybe a word over the labels. */
static struct header *find_single(struct view text, unsigned columns, size_t label_width)
{
    struct view line, over, cells[COLUMNS_MAX + 2];
    text = without_remark(text);
    if (!line_above(text, 0, &line))
        return NULL;
    unsigned count = split_cells(line, 2, cells, G_N_ELEMENTS(cells));
    bool has_corner = count == columns + 1 && (column_of(line, cells[0]) <= FLUSH_LEFT ||
                                               column_of(line, cells[0]) + cells[0].length <= label_width);
    /* Names may fill their cells, or the space between two tab stops. */
    if (count < columns)
        count = split_cells(line, 1, cells, G_N_ELEMENTS(cells));
    if (count != columns + has_corner)
        return NULL;
    const struct view *names = cells + has_corner;
    for (unsigned i = 0; i < columns; i++)
        if (!is_single_name(names[i]))
            return NULL;
    if (column_of(line, names[0]) < LABELS_MIN ||
        (line_over(text, &over) && !keeps_left(over, line, names[0], columns)))
        return NULL;
    struct header *header = header_new(1, columns, (size_t)(cells[0].bytes - text.bytes));
    for (unsigned i = 0; i < columns; i++)
        set_cell(header, 0, i, names[i]);
    return header;
}

/* ---- names in place ---- */

/* Where the name that begins at `at` and fills its cell of width or more ends:
 * at a blank, or where the lengths of the remaining cells leave it; 0 if that
 * can't be told. */
static size_t long_name_end(struct view line, size_t at, size_t width, unsigned remaining)
{
    size_t blank = at, others = (remaining - 1) * width;
    while (blank < line.length && line.bytes[blank] != ' ')
        blank++;
    if (line.length == at + others + width)
        return blank < at + width ? 0 : at + width;
    if (blank == line.length || line.length - blank < others)
        return 0;
    return blank;
}

/* Cut line into cells of width, the first beginning at left; a name longer
 * than its cell pushes the others to the right. Cells that run together are
 * parted by what glue_split knows. */
static bool cut_line(struct view line, size_t left, size_t width, struct header *header, unsigned row,
                     const GPtrArray *names)
{
    size_t at = left;
    /* What stands over the labels makes it a row of the table. */
    if (view_trim(view_slice(line, 0, MIN(left, line.length))).length > 0)
        return false;
    for (unsigned column = 0; column < header->columns; column++) {
        unsigned remaining = header->columns - column;
        if (at >= line.length) {
            set_cell(header, row, column, view_slice(line, line.length, line.length));
            continue;
        }
        size_t end = at + width < line.length ? at + width : line.length;
        bool fills = line.bytes[at] != ' ';
        if (remaining == 1)
            end = line.length;
        else if (fills)
            end = long_name_end(line, at, width, remaining);
        struct view cell = end ? view_trim(view_slice(line, at, end)) : (struct view){NULL, 0};
        if (!cell.bytes || memchr(cell.bytes, ' ', cell.length)) {
            /* From here on to the end: glued names, as many as are wanted. */
            struct view rest = view_trim(view_slice(line, at, line.length)), pieces[COLUMNS_MAX];
            if (memchr(rest.bytes, ' ', rest.length) || !glue_split(rest, remaining, names, pieces))
                return false;
            for (unsigned i = 0; i < remaining; i++)
                set_cell(header, row, column + i, pieces[i]);
            return true;
        }
        set_cell(header, row, column, cell);
        at = end;
    }
    return true;
}

/* Right ends of a line's words at equal distances give the columns. */
static bool find_columns(struct view line, const struct word *words, unsigned last, unsigned columns, size_t *left,
                         size_t *width)
{
    size_t ends[COLUMNS_MAX];
    for (unsigned i = 0; i < columns; i++) {
        const struct view *word = &words[last + columns - 1 - i].text;
        ends[i] = (size_t)(word->bytes - line.bytes) + word->length;
    }
    if (columns < 2)
        return false;
    *width = ends[1] - ends[0];
    for (unsigned i = 2; i < columns; i++)
        if (ends[i] - ends[i - 1] != *width)
            return false;
    if (ends[0] < *width)
        return false;
    *left = ends[0] - *width;
    return true;
}

static void collect_names(const GPtrArray *known, const GPtrArray *common, const struct word *words, unsigned count,
                          unsigned columns, GPtrArray *names)
{
    for (guint i = 0; i < common->len; i++)
        g_ptr_array_add(names, g_strdup(g_ptr_array_index(common, i)));
    for (guint k = 0; k < known->len; k++) {
        const struct header *header = g_ptr_array_index(known, k);
        for (unsigned i = 0; i < header->rows * header->columns; i++)
            if (header->cells[i][0])
                g_ptr_array_add(names, g_strdup(header->cells[i]));
    }
    for (unsigned i = 0; i < count && i < 2 * columns; i++)
        g_ptr_array_add(names, g_strndup(words[i].text.bytes, words[i].text.length));
}

static struct header *find_in_place(struct view text, const struct word *words, unsigned count, unsigned columns,
                                    const GPtrArray *names)
{
    struct view upper, lower;
    unsigned last = 0;
    size_t left = 0, width = 0;
    if (!line_above(text, 0, &lower) || !line_above(text, 1, &upper) ||
        words_of_line(words, count, 1, &last) != columns)
        return NULL;
    struct header *header = header_new(2, columns, word_start(text, &words[last + columns - 1]));
    set_row(header, 0, words, last);
    bool good = true;
    if (view_trim(lower).length == 0)
        for (unsigned i = 0; i < columns; i++)
            set_cell(header, 1, i, view_slice(lower, 0, 0));
    else
        good =
            find_columns(upper, words, last, columns, &left, &width) && cut_line(lower, left, width, header, 1, names);
    if (!good) {
        header_free(header);
        return NULL;
    }
    return header;
}

/* ---- words counted off ---- */

static bool names_release(struct view word)
{
    for (size_t i = 0; i < word.length; i++)
        if (g_ascii_isdigit(word.bytes[i]))
            return true;
    return false;
}

static bool all_same(const struct word *words, unsigned first, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        if (!view_equal(words[first + i].text, words[first].text))
            return false;
    return true;
}

static bool all_release(const struct word *words, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!names_release(words[first + i].text))
            return false;
    return true;
}

/* The last lower words are the lower row, the columns words before them the
 * upper one. */
static struct header *take_counted(struct view text, const struct word *words, unsigned lower, unsigned columns,
                                   const GPtrArray *names)
{
    struct view given[COLUMNS_MAX], parted[COLUMNS_MAX];
    for (unsigned i = 0; i < lower; i++)
        given[i] = words[lower - 1 - i].text;
    if (lower == 0) {
        for (unsigned i = 0; i < columns; i++)
            parted[i] = view_slice(text, 0, 0);
    } else if (!glue_split_words(given, lower, columns, names, parted)) {
        /* One release, one name short: the baseline is the release itself. */
        if (lower + 1 != columns || !all_same(words, lower, columns))
            return NULL;
        parted[0] = view_slice(text, 0, 0);
        memcpy(parted + 1, given, lower * sizeof given[0]);
    }
    struct header *header = header_new(2, columns, word_start(text, &words[lower + columns - 1]));
    set_row(header, 0, words, lower);
    for (unsigned i = 0; i < columns; i++)
        set_cell(header, 1, i, parted[i]);
    return header;
}

/* Does the word at the end of a sentence stand among the first count words? */
static bool has_sentence_end(struct view text, const struct word *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct view word = words[i].text;
        if (strchr(".:!?", word.bytes[word.length - 1]) && word.bytes + word.length < text.bytes + text.length)
            return true;
    }
    return false;
}

/* How the words of a header are told from those before it, the surest first. */
enum split_rule {
    SPLIT_LINES,    /* both rows begin and end with a line */
    SPLIT_SAME,     /* flat: the upper row names one release again and again */
    SPLIT_RELEASES, /* flat: all words of the upper row have a digit */
    SPLIT_SENTENCE, /* flat: a sentence ends before */
    SPLIT_COUNT
};

static bool splits(enum split_rule rule, struct view text, const struct word *words, unsigned count, unsigned lower,
                   unsigned columns)
{
    unsigned top = lower + columns; /* words[top - 1] is the header's first */
    /* An empty line below the upper row is a lower row of blank cells. */
    bool breaks = lower == 0 ? words[0].line > 0 : words[lower - 1].line != words[lower].line;
    for (unsigned i = 0; i < top; i++)
        if (!may_be_name(words[i].text))
            return false;
    switch (rule) {
    case SPLIT_LINES:
        return breaks && (top == count || words[top].line != words[top - 1].line) &&
               words[top - 1].line < WRAPPED_LINES_MAX && (lower == columns || all_release(words, lower, columns));
    case SPLIT_SAME:
        return columns > 1 && all_same(words, lower, columns) && all_release(words, lower, columns);
    case SPLIT_RELEASES:
        return all_release(words, lower, columns);
    case SPLIT_SENTENCE:
        return lower == columns && !has_sentence_end(text, words, top);
    case SPLIT_COUNT:
        break;
    }
    return false;
}

static struct header *find_by_words(struct view text, enum header_text form, const struct word *words, unsigned count,
                                    unsigned columns, const GPtrArray *names)
{
    enum split_rule first = form == HEADER_LINES ? SPLIT_LINES : SPLIT_SAME;
    enum split_rule end = form == HEADER_LINES ? SPLIT_SAME : form == HEADER_FLAT ? SPLIT_COUNT : SPLIT_SENTENCE;
    for (enum split_rule rule = first; rule < end; rule++) {
        for (unsigned lower = columns + 1; lower-- > 0;) {
            if (lower + columns > count || !splits(rule, text, words, count, lower, columns))
                continue;
            struct header *header = take_counted(text, words, lower, columns, names);
            if (header)
                return header;
        }
    }
    return NULL;
}

/* Is the last line empty, below two rows that have a word for every column? Then
 * it only parts them from the figures. A line of the same number of words that
 * is no row, but a title, does not end where the columns end and names no
 * releases. */
static bool ends_in_gap(struct view text, const struct word *words, unsigned count, unsigned columns)
{
    struct view last;
    unsigned lower = 0, upper = 0;
    bool in_place = true;

    if (!line_above(text, 0, &last) || view_trim(last).length > 0 ||
        words_of_line(words, count, 1, &lower) != columns || words_of_line(words, count, 2, &upper) != columns)
        return false;
    for (unsigned i = 0; i < columns; i++)
        in_place &= word_column_end(text, &words[lower + i]) == word_column_end(text, &words[upper + i]);
    return in_place || (columns > 1 && all_release(words, upper, columns) && !all_release(words, lower, columns));
}

struct header *header_find(struct view above, enum header_text form, unsigned rows, bool or_single, unsigned columns,
                           size_t label_width, const GPtrArray *known, const GPtrArray *common)
{
    struct word words[WORDS_MAX];
    if (columns == 0 || columns > COLUMNS_MAX || rows == 0 || rows > 9)
        return NULL;
    while (above.length > 0 && above.bytes[above.length - 1] == ' ')
        above.length--;
    if (above.length > 0 && above.bytes[above.length - 1] == '\n')
        above.length--;
    unsigned count = split_backwards(above, words);
    if (form == HEADER_LINES && rows == 2 && ends_in_gap(above, words, count, columns)) {
        struct view trimmed = view_trim(above);
        above.length = (size_t)(trimmed.bytes - above.bytes) + trimmed.length;
        count = split_backwards(above, words);
    }
    struct header *header = or_single && form == HEADER_LINES ? find_single(above, columns, label_width) : NULL;
    if (!header)
        header = find_known(above, rows, columns, known);
    if (!header && form == HEADER_LINES)
        header = find_by_lines(above, words, count, rows, columns);
    if (!header && rows == 2) {
        GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
        collect_names(known, common, words, count, columns, names);
        if (form == HEADER_LINES)
            header = find_in_place(above, words, count, columns, names);
        if (!header)
            header = find_by_words(above, form, words, count, columns, names);
        g_ptr_array_unref(names);
    }
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
