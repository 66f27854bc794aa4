/* Outline: three passes, each linear. Every mark also occurs as text (a root's
 * prompt is `# `, a list has stars, tables mark figures with `*  4.27%*`), so
 * that each pass asks for signs of its own.
 */
#include "extract/decoration.h"

enum {
    FENCE_MIN = 3,       /* characters */
    FENCE_INFO_MAX = 30, /* of the word behind them */
    COMMENT_MIN = 3,     /* lines */
    COMMENT_GAPS_MIN = 2,
    COMMENT_INDENT_MAX = 16,
    BOLD_STARS_MAX = 3,
    BOLD_PAIRS_MAX = 64, /* in a line */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* ---- fences ---- */

/* "```", "~~~ text" */
static bool is_fence(struct view line)
{
    struct view text = view_trim(line);
    size_t at = 0;
    struct view info;

    if (text.length < FENCE_MIN || (text.bytes[0] != '`' && text.bytes[0] != '~'))
        return false;
    while (at < text.length && text.bytes[at] == text.bytes[0])
        at++;
    info = view_trim(view_slice(text, at, text.length));
    if (at < FENCE_MIN || info.length > FENCE_INFO_MAX)
        return false;
    for (size_t i = 0; i < info.length; i++)
        if (is_blank(info.bytes[i]) || info.bytes[i] == '`')
            return false;
    return true;
}

static void remove_fences(struct decorated_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!lines[i].continues && is_fence(lines[i].text))
            lines[i].text.length = 0;
}

/* ---- marks of comments ---- */

/* The mark that begins a line: blanks, `#`, `//` or `*`, and a blank or the
 * line's end. Empty where there is none. */
static struct view comment_mark(struct view line)
{
    size_t at = 0, end;

    while (at < line.length && at < COMMENT_INDENT_MAX && is_blank(line.bytes[at]))
        at++;
    end = at;
    if (end < line.length && (line.bytes[end] == '#' || line.bytes[end] == '*'))
        end++;
    else if (line.length - end >= 2 && memcmp(line.bytes + end, "//", 2) == 0)
        end += 2;
    if (end == at || (end < line.length && !is_blank(line.bytes[end])))
        return view_slice(line, 0, 0);
    return view_slice(line, 0, end);
}

/* Columns are set apart by tabs or several blanks; commands behind a prompt are not. */
static bool has_gap(struct view text)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] == '\t' || (i > 0 && is_blank(text.bytes[i]) && is_blank(text.bytes[i - 1])))
            return true;
    return false;
}

/* A star begins lines of a comment only below `/ *`; elsewhere those of a list. */
static bool opens_comment(const struct decorated_line *lines, size_t index, struct view mark)
{
    if (mark.bytes[mark.length - 1] != '*')
        return true;
    return index > 0 &&
           (view_is(view_trim(lines[index - 1].text), "/*") || view_is(view_trim(lines[index - 1].text), "/**"));
}

static void remove_comment_marks(struct decorated_line *lines, size_t count)
{
    size_t first = 0;

    while (first < count) {
        struct view mark = comment_mark(lines[first].text);
        size_t end = first, gaps = 0;

        if (mark.length == 0 || lines[first].continues || !opens_comment(lines, first, mark)) {
            first++;
            continue;
        }
        for (; end < count && lines[end].quote_depth == lines[first].quote_depth; end++) {
            struct view text = lines[end].text;

            if (lines[end].continues)
                continue;
            if (!view_equal(mark, comment_mark(text)))
                break;
            gaps += has_gap(view_slice(text, mark.length, text.length));
        }
        if (end - first >= COMMENT_MIN && gaps >= COMMENT_GAPS_MIN) {
            for (size_t i = first; i < end; i++) {
                struct view *text = &lines[i].text;
                size_t length = mark.length;

                if (lines[i].continues)
                    continue;
                /* the blank belongs to the mark, a tab places columns */
                if (length < text->length && text->bytes[length] == ' ')
                    length++;
                *text = view_slice(*text, length, text->length);
            }
        }
        first = end;
    }
}

/* ---- bold ---- */

struct stars {
    size_t start;
    size_t length;
};

/* The next run of stars from at on; length 0 if there is none. */
static struct stars find_stars(struct view text, size_t at)
{
    const char *found = at < text.length ? memchr(text.bytes + at, '*', text.length - at) : NULL;
    struct stars stars = {text.length, 0};

    if (!found)
        return stars;
    stars.start = (size_t)(found - text.bytes);
    while (stars.start + stars.length < text.length && text.bytes[stars.start + stars.length] == '*')
        stars.length++;
    return stars;
}

static size_t stars_end(struct stars stars)
{
    return stars.start + stars.length;
}

static bool may_open(struct view text, struct stars stars)
{
    size_t end = stars_end(stars);

    return stars.length > 0 && stars.length <= BOLD_STARS_MAX && end < text.length && !is_blank(text.bytes[end]) &&
           (stars.start == 0 || is_blank(text.bytes[stars.start - 1]) ||
            strchr("(=,:[|\"'", text.bytes[stars.start - 1]));
}

static bool may_close(struct view text, struct stars stars)
{
    size_t end = stars_end(stars);

    return stars.length > 0 && stars.start > 0 && !is_blank(text.bytes[stars.start - 1]) &&
           (end == text.length || is_blank(text.bytes[end]) || strchr(".,;:!?)]=|\"'", text.bytes[end]));
}

/* `-38.25%`: what tables put between stars to mark it. */
static bool is_percentage(struct view content)
{
    size_t at = 0, digits = 0;

    content = view_trim(content);
    if (at < content.length && (content.bytes[at] == '-' || content.bytes[at] == '+'))
        at++;
    for (; at < content.length && (g_ascii_isdigit(content.bytes[at]) || content.bytes[at] == '.'); at++)
        digits += g_ascii_isdigit(content.bytes[at]);
    return digits > 0 && at + 1 == content.length && content.bytes[at] == '%';
}

static bool has_word(struct view content)
{
    for (size_t i = 0; i < content.length; i++)
        if (g_ascii_isalnum(content.bytes[i]))
            return true;
    return false;
}

/* The text without some of its stars, which are in order. */
static struct view without_stars(struct view text, const struct stars *stars, size_t count, GStringChunk *texts)
{
    GString *out = g_string_sized_new(text.length);
    size_t at = 0;
    struct view result;

    for (size_t i = 0; i < count; i++) {
        g_string_append_len(out, text.bytes + at, (gssize)(stars[i].start - at));
        at = stars_end(stars[i]);
    }
    g_string_append_len(out, text.bytes + at, (gssize)(text.length - at));
    result = (struct view){g_string_chunk_insert_len(texts, out->str, (gssize)out->len), out->len};
    g_string_free(out, TRUE);
    return result;
}

/* `*   read: IOPS=463*`: the only stars begin and end the line, and it is no
 * item of a list. */
static bool encloses_line(struct view text, struct stars first)
{
    struct stars last = find_stars(text, stars_end(first));
    struct view content = view_slice(text, stars_end(first), last.start);

    return first.start == 0 && first.length == 1 && last.length == 1 && stars_end(last) == text.length &&
           may_close(text, last) && content.length > 2 && is_blank(content.bytes[0]) && is_blank(content.bytes[1]) &&
           !is_percentage(content);
}

/* `*Amean 4   1.77 (  0.00%)   1.64 *   7.46%**`: a star begins the line and one
 * ends it, and those between them mark percentages. */
static bool encloses_marked(struct view text)
{
    struct view content = view_slice(text, 1, text.length - 1);
    bool marked = false;

    if (text.length < 3 || text.bytes[0] != '*' || is_blank(text.bytes[1]) || text.bytes[text.length - 1] != '*')
        return false;
    for (struct stars open = find_stars(content, 0); open.length > 0; marked = true) {
        struct stars close = find_stars(content, stars_end(open));
        if (open.length != 1 || close.length != 1 || !is_percentage(view_slice(content, stars_end(open), close.start)))
            return false;
        open = find_stars(content, stars_end(close));
    }
    return marked;
}

/* Take pairs of stars off a line. */
static struct view without_bold(struct view text, GStringChunk *texts)
{
    struct stars removed[2 * BOLD_PAIRS_MAX];
    struct stars open = find_stars(text, 0);
    size_t count = 0;

    if (open.length > 0 && encloses_line(text, open)) {
        removed[0] = open;
        removed[1] = find_stars(text, stars_end(open));
        return without_stars(text, removed, 2, texts);
    }
    if (open.length > 0 && encloses_marked(text)) {
        removed[0] = (struct stars){0, 1};
        removed[1] = (struct stars){text.length - 1, 1};
        return without_stars(text, removed, 2, texts);
    }
    while (open.length > 0 && count < 2 * BOLD_PAIRS_MAX) {
        struct stars close = find_stars(text, stars_end(open));
        struct view content = view_slice(text, stars_end(open), close.start);
        bool is_cell = open.start == 0 || is_blank(text.bytes[open.start - 1]);

        if (!may_open(text, open) || close.length != open.length || !may_close(text, close)) {
            open = close;
            continue;
        }
        if (has_word(content) && !(is_cell && is_percentage(content))) {
            removed[count++] = open;
            removed[count++] = close;
        }
        open = find_stars(text, stars_end(close));
    }
    return count > 0 ? without_stars(text, removed, count, texts) : text;
}

/* Bold text that was wrapped, or whose line break was bold too: `*one` `two*`,
 * `*one` `*`. The stars are the only ones in both lines. */
static bool is_parted_bold(struct view first, struct view second)
{
    struct stars open = find_stars(first, 0);
    struct stars close = find_stars(second, 0);
    bool alone = close.start == 0;

    if (open.length != 1 || !may_open(first, open) || find_stars(first, stars_end(open)).length > 0)
        return false;
    return has_word(view_slice(first, open.start, first.length)) && close.length == 1 &&
           stars_end(close) == second.length && (alone || may_close(second, close));
}

static void remove_bold(struct decorated_line *lines, size_t count, GStringChunk *texts)
{
    for (size_t i = 0; i < count; i++) {
        struct view text = lines[i].text;

        if (text.length == 0 || !memchr(text.bytes, '*', text.length))
            continue;
        lines[i].text = without_bold(text, texts);
        if (i + 1 < count && lines[i].quote_depth == lines[i + 1].quote_depth &&
            is_parted_bold(lines[i].text, lines[i + 1].text)) {
            struct stars open = find_stars(lines[i].text, 0);
            struct stars close = find_stars(lines[i + 1].text, 0);

            lines[i].text = without_stars(lines[i].text, &open, 1, texts);
            lines[i + 1].text = without_stars(lines[i + 1].text, &close, 1, texts);
        }
    }
}

void decoration_remove(struct decorated_line *lines, size_t count, GStringChunk *texts)
{
    remove_fences(lines, count);
    remove_comment_marks(lines, count);
    remove_bold(lines, count, texts);
}
