/* Outline: every line is first read on its own for `>` marks. What a single
 * line can't tell is then decided from runs of lines of one depth: marks that
 * are text after all (diffs, shells, `>From `) are taken back, and bars and
 * names that are marks are added. Each of these is one pass over all lines, so
 * that the time is linear. The sides of a diff are voices of their own.
 */
#include "extract/quote.h"

enum {
    INDENT_MAX = 3,       /* blanks before the first mark */
    INNER_INDENT_MAX = 2, /* blanks between two marks */
    NAME_LETTERS_MAX = 8,
    NAME_LEVELS = 3,
    SHELL_RUN_MAX = 60,
    BAR_RUN_MIN = 4,
    TIGHT_SHARE = 32, /* one line in so many shows that marks have no blank */
    TAIL_MAX = 200,   /* how much of a long line is looked at for an attribution */
    COMMAND_MAX = 4000,
    DIFF_WRAPS_MAX = 4, /* lines that one line may be wrapped into */
    DIFF_LINES_MAX = 400,
};

/* All that the passes share. */
struct reading {
    const struct view *lines;
    size_t count;
    bool flowed;
    struct quote *quotes;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char byte_at(struct view v, size_t index)
{
    return index < v.length ? v.bytes[index] : '\0';
}

static size_t skip_blanks(struct view v, size_t from, size_t most)
{
    size_t at = from;

    while (at - from < most && byte_at(v, at) == ' ')
        at++;
    return at;
}

/* `>=64` is a value wherever it stands. */
static bool is_relation(struct view line, size_t at)
{
    return byte_at(line, at + 1) == '=' && is_digit(byte_at(line, at + 2));
}

static bool is_split_relation(struct view line, size_t at)
{
    return byte_at(line, at + 1) == ' ' && byte_at(line, at + 2) == '=' && is_digit(byte_at(line, at + 3));
}

/* Read up to limit `>` marks from the quote's end on; true if there are any.
 * Marks beyond the greatest depth are taken off without being counted. */
static bool read_marks(struct view line, size_t indent, unsigned limit, struct quote *quote)
{
    size_t at = quote->length;
    size_t end = at;
    unsigned marks = 0;

    while (marks < limit) {
        size_t next = skip_blanks(line, at, marks == 0 ? indent : INNER_INDENT_MAX);

        if (byte_at(line, next) != '>' || is_relation(line, next))
            break;
        if (is_split_relation(line, next)) {
            quote->length = next + 2;
            quote->split = true;
            quote->depth = MIN(quote->depth + marks, QUOTE_DEPTH_MAX);
            return marks > 0;
        }
        marks++;
        at = end = next + 1;
    }
    if (marks == 0)
        return false;
    quote->length = skip_blanks(line, end, 1);
    quote->depth = MIN(quote->depth + MIN(marks, (unsigned)QUOTE_DEPTH_MAX), QUOTE_DEPTH_MAX);
    return true;
}

/* RFC 3676 4.5: marks are adjacent and first; one blank after them is stuffing. */
static struct quote read_flowed(struct view line, unsigned limit)
{
    struct quote quote = {0, 0, 0, false};
    size_t at = 0;

    while (at < limit && byte_at(line, at) == '>' && !is_relation(line, at)) {
        if (is_split_relation(line, at)) {
            quote.split = true;
            break;
        }
        at++;
    }
    quote.depth = (unsigned)MIN(at, (size_t)QUOTE_DEPTH_MAX);
    quote.length = quote.split ? at + 2 : skip_blanks(line, at, 1);
    return quote;
}

static struct quote read_line(const struct reading *reading, size_t index, unsigned limit)
{
    struct quote quote = {0, 0, 0, false};

    if (reading->flowed)
        return read_flowed(reading->lines[index], limit);
    (void)read_marks(reading->lines[index], INDENT_MAX, limit, &quote);
    return quote;
}

static struct view text_of(const struct reading *reading, size_t index)
{
    struct view line = reading->lines[index];

    return view_slice(line, MIN(reading->quotes[index].length, line.length), line.length);
}

static bool is_empty(const struct reading *reading, size_t index)
{
    return view_trim(text_of(reading, index)).length == 0;
}

static bool starts_with(struct view v, const char *word)
{
    size_t length = strlen(word);

    return v.length >= length && memcmp(v.bytes, word, length) == 0;
}

static bool contains(struct view v, const char *word)
{
    return g_strstr_len(v.bytes, (gssize)v.length, word) != NULL;
}

/* The word at the start of v, up to a blank or one of `;|&)`. */
static struct view first_word(struct view v)
{
    size_t start = skip_blanks(v, 0, v.length);
    size_t end = start;

    while (end < v.length && !strchr(" \t;|&)", v.bytes[end]) && v.bytes[end] != '\0')
        end++;
    return view_slice(v, start, end);
}

static bool is_one_of(struct view word, const char *const *list)
{
    for (; *list; list++)
        if (view_is(word, *list))
            return true;
    return false;
}

/* `On Monday, X wrote:` in the languages that mail programs use. */
static bool is_attribution(struct view text)
{
    static const char *const verbs[] = {"wrote",   "writes", "said",   "schrieb", "crit",      "escribi", "scritto",
                                        "scrisse", "skrev",  "napisa", "schreef", "kirjoitti", NULL};
    struct view line = view_trim(text);

    if (line.length < 2 || line.bytes[line.length - 1] != ':')
        return false;
    if (line.length > TAIL_MAX)
        line = view_slice(line, line.length - TAIL_MAX, line.length);
    for (const char *const *verb = verbs; *verb; verb++)
        if (contains(line, *verb))
            return true;
    return false;
}

static bool has_attribution_above(const struct reading *reading, size_t index)
{
    if (index > 0 && is_attribution(text_of(reading, index - 1)))
        return true;
    return index > 1 && is_empty(reading, index - 1) && is_attribution(text_of(reading, index - 2));
}

static void limit_depth(struct reading *reading, size_t index, unsigned depth)
{
    reading->quotes[index] = read_line(reading, index, depth);
}

/* Some archives escape `From ` at a line's start so. Between quoted lines it
 * is a quoted line all the same. */
static void take_back_from(struct reading *reading)
{
    for (size_t i = 0; i < reading->count; i++) {
        bool quoted_above = i > 0 && reading->quotes[i - 1].depth > 0;
        bool quoted_below = i + 1 < reading->count && reading->quotes[i + 1].depth > 0;

        if (reading->quotes[i].depth == 1 && starts_with(reading->lines[i], ">From ") && !quoted_above && !quoted_below)
            limit_depth(reading, i, 0);
    }
}

/* Read `N` or `N,M`; how many lines that is goes to *lines. */
static bool read_range(struct view v, size_t *at, size_t *lines)
{
    size_t number[2] = {0, 0};
    int count = 0;

    do {
        size_t start = *at;

        while (is_digit(byte_at(v, *at)) && *at - start < 9)
            number[count] = number[count] * 10 + (size_t)(v.bytes[(*at)++] - '0');
        if (*at == start)
            return false;
        count++;
    } while (count < 2 && byte_at(v, *at) == ',' && (*at)++ < v.length);
    if (count == 2 && number[1] < number[0])
        return false;
    *lines = count == 2 ? number[1] - number[0] + 1 : 1;
    return true;
}

/* `5a6,8`, `3c3`, `7,9d6`: what diff prints above `< ` and `> ` lines. */
static bool read_hunk(struct view v, size_t *removed, size_t *added)
{
    size_t at = 0;
    size_t left, right;
    char action;

    v = view_trim(v);
    if (!read_range(v, &at, &left))
        return false;
    action = byte_at(v, at++);
    if ((action != 'a' && action != 'c' && action != 'd') || !read_range(v, &at, &right) || at != v.length)
        return false;
    *removed = action == 'a' ? 0 : left;
    *added = action == 'd' ? 0 : right;
    return true;
}

/* The line is of one side of a diff. That side is a voice of its own, so that
 * two outputs that are compared don't get mixed up. */
static void set_side(struct reading *reading, size_t index, unsigned depth, char side)
{
    struct quote *quote = &reading->quotes[index];
    struct view line = reading->lines[index];

    if (quote->depth > depth)
        limit_depth(reading, index, depth);
    if (byte_at(line, quote->length) == side)
        quote->length = skip_blanks(line, quote->length + 1, 1);
    quote->voice = quote->voice * 31 + (unsigned char)side;
}

static bool is_depth(const struct reading *reading, size_t index, unsigned depth)
{
    return index < reading->count && reading->quotes[index].depth == depth;
}

/* Take so many lines that were removed, from index on; returns where the other
 * side or the rest begins. Lines may have been wrapped: with another side, all
 * up to the line that parts them are of this one. */
static size_t take_removed(struct reading *reading, size_t index, unsigned depth, size_t lines, bool has_other)
{
    size_t most = MIN(lines * DIFF_WRAPS_MAX, (size_t)DIFF_LINES_MAX);
    size_t end = index;

    while (end - index <= most && is_depth(reading, end, depth) && !view_is(view_trim(text_of(reading, end)), "---"))
        end++;
    if (!has_other || end - index > most || !is_depth(reading, end, depth))
        for (end = index; end - index < lines && is_depth(reading, end, depth); end++)
            if (!starts_with(text_of(reading, end), "<"))
                break;
    for (size_t i = index; i < end; i++)
        set_side(reading, i, depth, '<');
    return has_other && is_depth(reading, end, depth) && view_is(view_trim(text_of(reading, end)), "---") ? end + 1
                                                                                                          : end;
}

/* The same for lines that were added. What one of them was wrapped into shows
 * where another line follows. */
static size_t take_added(struct reading *reading, size_t index, unsigned depth, size_t lines)
{
    for (; lines > 0 && index < reading->count && reading->quotes[index].depth > depth; index++, lines--) {
        set_side(reading, index, depth, '>');
        while (lines > 1 && is_depth(reading, index + 1, depth) && !is_empty(reading, index + 1) &&
               index + 2 < reading->count && reading->quotes[index + 2].depth > depth)
            set_side(reading, ++index, depth, '>');
    }
    return index;
}

static void take_back_diff(struct reading *reading)
{
    size_t i = 0;

    while (i < reading->count) {
        unsigned depth = reading->quotes[i].depth;
        size_t removed = 0, added = 0;
        size_t next = i + 1;

        if (read_hunk(text_of(reading, i), &removed, &added)) {
            if (removed > 0 && is_depth(reading, next, depth) && starts_with(text_of(reading, next), "<"))
                next = take_removed(reading, next, depth, removed, added > 0);
            next = take_added(reading, next, depth, added);
        }
        i = next;
    }
}

/* The command after a prompt (`$ `, `# `, `user@host:~$ `, `[root@host ~]# `);
 * *prompted says if there is one. A heading's `#` counts too: the lines below
 * must be shell as well. */
static struct view command_of(struct view line, bool *prompted)
{
    struct view v = view_trim(line);
    size_t look = MIN(v.length, 80);

    *prompted = false;
    for (size_t i = 0; i + 1 < look; i++) {
        char c = v.bytes[i];

        if ((c == '$' || c == '#' || c == '%') && v.bytes[i + 1] == ' ') {
            *prompted = true;
            return view_trim(view_slice(v, i + 1, v.length));
        }
        if (c == ' ' && v.bytes[0] != '[')
            break;
    }
    return v;
}

static struct view last_word(struct view v)
{
    size_t start;

    v = view_trim(v);
    start = v.length;
    while (start > 0 && !strchr(" \t;", v.bytes[start - 1]))
        start--;
    return view_slice(v, start, v.length);
}

static bool ends_with(struct view v, char c)
{
    v = view_trim(v);
    return v.length > 0 && v.bytes[v.length - 1] == c;
}

/* The word that ends a here document which the command opens. */
static struct view here_word(struct view command)
{
    const char *found = g_strstr_len(command.bytes, (gssize)command.length, "<<");
    struct view none = {NULL, 0};
    size_t start, end;

    if (!found)
        return none;
    start = (size_t)(found - command.bytes) + 2;
    while (start < command.length && strchr("- '\"\\", command.bytes[start]) && command.bytes[start] != '\0')
        start++;
    end = start;
    while (end < command.length && (g_ascii_isalnum(command.bytes[end]) || command.bytes[end] == '_'))
        end++;
    return end > start ? view_slice(command, start, end) : none;
}

/* Whether the run of lines from first to before end, its marks aside, goes on
 * with the command above it. */
static bool continues_command(const struct reading *reading, struct view above, size_t first, size_t end)
{
    static const char *const openers[] = {"for", "while", "until", "if", "case", "select", NULL};
    static const char *const middles[] = {"do", "then", "in", "{", NULL};
    static const char *const closers[] = {"done", "fi", "esac", "}", NULL};
    bool prompted;
    struct view command = command_of(above, &prompted);
    struct view here, last;

    if (command.length == 0 || command.length > COMMAND_MAX)
        return false;
    if (ends_with(command, '\\')) {
        /* A quoted command whose wrapped end lost its mark looks alike, but
         * its quotation goes on after the command's last line. */
        for (size_t i = first; i + 1 < end; i++)
            if (!ends_with(text_of(reading, i), '\\'))
                return false;
        return true;
    }
    last = view_trim(text_of(reading, end - 1));
    here = here_word(command);
    if (here.length > 0)
        return view_equal(last, here);
    if (is_one_of(first_word(command), openers)) {
        if (is_one_of(first_word(last), closers))
            return true;
        return prompted &&
               (is_one_of(last_word(last), closers) || is_one_of(first_word(text_of(reading, first)), middles));
    }
    return prompted && (is_one_of(first_word(text_of(reading, first)), middles) || ends_with(command, '|') ||
                        ends_with(command, '{'));
}

/* A shell prompts with `> ` until a command is complete. */
static void take_back_shell(struct reading *reading)
{
    size_t i = 1;

    while (i < reading->count) {
        unsigned depth = reading->quotes[i - 1].depth;
        size_t end = i;

        while (end < reading->count && end - i <= SHELL_RUN_MAX && reading->quotes[end].depth == depth + 1)
            end++;
        if (end > i && end - i <= SHELL_RUN_MAX && continues_command(reading, text_of(reading, i - 1), i, end)) {
            for (; i < end; i++)
                limit_depth(reading, i, depth);
        }
        i = MAX(end, i + 1);
    }
}

/* Programs that mark their text as flowed and quote it the old way write
 * `> > `. By the RFC the second mark is text; in a run of lines it is none. */
static void add_spaced_marks(struct reading *reading)
{
    size_t i = 0;

    while (i < reading->count) {
        unsigned depth = reading->quotes[i].depth;
        size_t end = i;

        while (end < reading->count && depth > 0 && reading->quotes[end].depth == depth &&
               !reading->quotes[end].split) {
            struct view text = text_of(reading, end);

            if (byte_at(text, 0) != '>' || is_relation(text, 0) || is_split_relation(text, 0))
                break;
            end++;
        }
        if (end - i >= 2)
            for (; i < end; i++)
                (void)read_marks(reading->lines[i], 0, UINT_MAX, &reading->quotes[i]);
        else
            i++;
    }
}

/* `Name>` after up to three blanks: the name, or nothing. */
static struct view name_at(const struct reading *reading, size_t index)
{
    struct view text = text_of(reading, index);
    size_t start = 0, end;
    char after;

    /* Of most lines that is all that has to be looked at. */
    if (text.length == 0 || reading->quotes[index].split ||
        !memchr(text.bytes, '>', MIN(text.length, (size_t)INDENT_MAX + NAME_LETTERS_MAX + 1)))
        return (struct view){NULL, 0};
    end = start = skip_blanks(text, 0, INDENT_MAX);
    while (end - start <= NAME_LETTERS_MAX && g_ascii_isalpha(byte_at(text, end)))
        end++;
    after = byte_at(text, end + 1);
    if (end == start || end - start > NAME_LETTERS_MAX || byte_at(text, end) != '>' ||
        (end + 1 < text.length && after != ' ' && after != '>'))
        return (struct view){NULL, 0};
    return view_slice(text, start, end);
}

/* Take a mark, and what `>` marks follow it. */
static void add_mark(struct reading *reading, size_t index, struct view mark)
{
    const char *end = mark.bytes + mark.length;
    struct quote *quote = &reading->quotes[index];
    struct view line = reading->lines[index];

    for (size_t i = 0; i < mark.length; i++)
        quote->voice = quote->voice * 31 + (unsigned char)mark.bytes[i];
    quote->length = (size_t)(end - line.bytes);
    quote->depth = MIN(quote->depth + 1, QUOTE_DEPTH_MAX);
    if (!read_marks(line, INNER_INDENT_MAX, UINT_MAX, quote) && !quote->split)
        quote->length = skip_blanks(line, quote->length, 1);
}

/* Where the run of lines from index on ends that have one of two names; how
 * often each occurs goes to counts. */
static size_t names_end(const struct reading *reading, size_t index, struct view name, struct view other,
                        size_t *counts)
{
    size_t end = index;

    counts[0] = counts[1] = 0;
    for (; end < reading->count && reading->quotes[end].depth == reading->quotes[index].depth; end++) {
        struct view found = name_at(reading, end);

        if (found.length == 0 || (!view_equal(found, name) && !view_equal(found, other)))
            break;
        counts[!view_equal(found, name)]++;
    }
    return end;
}

/* Names are marks in two lines or more, or below an attribution. In lower
 * case they may be the prompt of a program, and need the attribution. Two
 * voices may speak by turns. False if no line has a name. */
static bool add_names(struct reading *reading)
{
    size_t i = 0;
    bool any = false;

    while (i < reading->count) {
        struct view name = name_at(reading, i), other;
        size_t counts[2], end;

        if (name.length == 0) {
            i++;
            continue;
        }
        any = true;
        other = i + 1 < reading->count ? name_at(reading, i + 1) : name;
        end = names_end(reading, i, name, other, counts);
        if (counts[0] < 2 || counts[1] < 2 || !g_ascii_isupper(other.bytes[0]))
            end = names_end(reading, i, name, name, counts);
        if ((counts[0] >= 2 && g_ascii_isupper(name.bytes[0])) || has_attribution_above(reading, i)) {
            for (; i < end; i++) {
                name = name_at(reading, i);
                add_mark(reading, i, (struct view){name.bytes, name.length + 1});
            }
        }
        i = end;
    }
    return any;
}

/* The bar that may be a mark, or NULL. */
static const char *bar_at(const struct reading *reading, size_t index)
{
    struct view text = text_of(reading, index);
    size_t at = skip_blanks(text, 0, INDENT_MAX);

    if (reading->quotes[index].split || byte_at(text, at) != '|' || (at + 1 < text.length && text.bytes[at + 1] != ' '))
        return NULL;
    return text.bytes + at;
}

/* `+----+`, `|---|---|`, `|====`: what only a table or a chart has. */
static bool is_ruler(struct view text)
{
    bool line = false, cross = false;

    for (size_t i = 0; i < text.length; i++) {
        if (!strchr("-=+|: \t", text.bytes[i]) || text.bytes[i] == '\0')
            return false;
        line = line || text.bytes[i] == '-' || text.bytes[i] == '=';
        cross = cross || text.bytes[i] == '+' || text.bytes[i] == '|';
    }
    return line && cross;
}

/* A bar that parts cells; `|====` of a chart doesn't. */
static bool has_cell(struct view text)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] == '|' && (i + 1 == text.length || text.bytes[i + 1] == ' '))
            return true;
    return false;
}

/* Whether bars before the lines from first to before end are no part of the
 * text. Tables have bars too, and a list of percentiles may: a run counts only
 * with a sign (an attribution, an empty line that carries a bar too, empty lines
 * around it), and never where it looks like a table. */
static bool are_marks(const struct reading *reading, size_t first, size_t end, bool attributed)
{
    size_t column = (size_t)(bar_at(reading, first) - text_of(reading, first).bytes);
    size_t filled = 0, barred = 0, inner_empty = 0;
    bool set_off = (first == 0 || is_empty(reading, first - 1)) && (end == reading->count || is_empty(reading, end));

    if ((first > 0 && is_ruler(text_of(reading, first - 1))) ||
        (end < reading->count && is_ruler(text_of(reading, end))))
        return false;
    for (size_t i = first; i < end; i++) {
        const char *bar = bar_at(reading, i);
        struct view text = text_of(reading, i);
        struct view rest = view_trim(view_slice(text, (size_t)(bar + 1 - text.bytes), text.length));

        if ((size_t)(bar - text.bytes) != column)
            return false;
        if (rest.length == 0) {
            if (i > first && i + 1 < end)
                inner_empty++;
            continue;
        }
        if (!attributed && is_ruler(rest) && contains(rest, "|"))
            return false;
        filled++;
        if (has_cell(rest))
            barred++;
    }
    if (filled == 0 || barred * 3 > filled)
        return attributed && filled > 0 && inner_empty > 0;
    if (attributed)
        return true;
    return end - first >= BAR_RUN_MIN && ((inner_empty > 0 && filled > inner_empty) || (set_off && barred == 0));
}

/* Bars quote below an attribution, and below such a run. Elsewhere people set
 * apart their own text with them. */
static void add_bars(struct reading *reading)
{
    unsigned quoted_depth = UINT_MAX; /* of the last run that bars quote */
    size_t i = 0;

    while (i < reading->count) {
        unsigned depth = reading->quotes[i].depth;
        size_t end = i;
        bool attributed;

        while (end < reading->count && reading->quotes[end].depth == depth && bar_at(reading, end))
            end++;
        attributed = end > i && (depth == quoted_depth || has_attribution_above(reading, i));
        if (end > i && are_marks(reading, i, end, attributed)) {
            quoted_depth = attributed ? depth : quoted_depth;
            for (; i < end; i++) {
                const char *bar = bar_at(reading, i);

                if (attributed)
                    add_mark(reading, i, (struct view){bar, 1});
                else
                    reading->quotes[i].length =
                        skip_blanks(reading->lines[i], (size_t)(bar + 1 - reading->lines[i].bytes), 1);
            }
        }
        i = MAX(end, i + 1);
    }
}

/* Whether a `>` mark with a blank behind it ends the quote, or without one. */
static bool has_mark_blank(const struct reading *reading, size_t index)
{
    size_t length = reading->quotes[index].length;

    return length >= 2 && reading->lines[index].bytes[length - 1] == ' ' &&
           reading->lines[index].bytes[length - 2] == '>';
}

static struct view marks_of(const struct reading *reading, size_t index)
{
    return view_slice(reading->lines[index], 0, reading->quotes[index].length - has_mark_blank(reading, index));
}

/* Where quoting puts no blank behind its marks (`>>text`), the blanks there
 * are the text's own. That shows in lines that have none. */
static void keep_own_blanks(struct reading *reading)
{
    size_t i = 0;

    while (i < reading->count) {
        struct view marks = marks_of(reading, i);
        size_t filled = 0, tight = 0, end = i;

        if (reading->quotes[i].depth == 0 || reading->quotes[i].split) {
            i++;
            continue;
        }
        for (; end < reading->count && !reading->quotes[end].split && view_equal(marks, marks_of(reading, end));
             end++) {
            if (is_empty(reading, end))
                continue;
            filled++;
            tight += !has_mark_blank(reading, end);
        }
        if (tight > 0 && tight * TIGHT_SHARE >= filled) {
            for (; i < end; i++)
                reading->quotes[i].length -= has_mark_blank(reading, i);
        }
        i = end;
    }
}

void quote_find(const struct view *lines, size_t count, bool flowed, struct quote *quotes)
{
    struct reading reading = {lines, count, flowed, quotes};

    for (size_t i = 0; i < count; i++)
        quotes[i] = read_line(&reading, i, UINT_MAX);
    if (flowed)
        add_spaced_marks(&reading);
    take_back_from(&reading);
    take_back_diff(&reading);
    take_back_shell(&reading);
    for (int level = 0; level < NAME_LEVELS && add_names(&reading); level++)
        ;
    add_bars(&reading);
    if (!flowed)
        keep_own_blanks(&reading);
}
