/* Outline: the part is cut into rows (lines of plain text, decoded where they
 * were left encoded, and cut once more at carriage returns, or the lines of an
 * HTML part), each cleaned of what is not seen; quote_find takes the marks off
 * all rows at once; then clear-signing is undone, the lines are made, and what
 * decorates them is taken off. A text is copied only where something changes
 * it, else it borrows from the part.
 */
#include "extract/body.h"

#include "extract/decoration.h"
#include "extract/html.h"
#include "extract/quote.h"
#include "extract/undecoded.h"
#include "extract/unseen.h"

enum {
    LINE_LENGTH_LEAST = 24, /* that lines of a text have on average: room is made for so many */
    ROWS_MIN = 64,
    ARMOR_LINE_MAX = 80,
    LOG_FRACTION_DIGITS = 6,
    WRAP_WIDTH_MIN = 60, /* mailers wrap at 64 columns or more */
    WRAP_LINE_MIN = 12,  /* a shorter line has room for any word */
};

struct row {
    size_t source_line;
    unsigned depth;    /* given by HTML */
    bool after_return; /* what follows a carriage return in the same line */
    bool continues;    /* a break of the source's own parts it from the row before: what it begins with is no mark */
    bool soft_break;
    bool join_without_blank;
    bool decoded;
    bool is_plain; /* text_is_plain */
};

struct body {
    GStringChunk *texts; /* texts that differ from the part's */
    struct html *html;   /* NULL for plain text */
    struct line *lines;
    size_t count;
};

/* Rows and their texts, side by side: quote_find wants the texts alone. */
struct rows {
    struct row *rows;
    struct view *texts;
    size_t count, room;
    bool continues;   /* some row does */
    GString *scratch; /* NULL: not needed yet */
};

static void add_row(struct rows *rows, const struct row *row, struct view text)
{
    if (rows->count == rows->room) {
        rows->room = MAX(2 * rows->room, (size_t)ROWS_MIN);
        rows->rows = g_renew(struct row, rows->rows, rows->room);
        rows->texts = g_renew(struct view, rows->texts, rows->room);
    }
    rows->rows[rows->count] = *row;
    rows->texts[rows->count++] = text;
    rows->continues |= row->continues;
}

/* The row as it is seen. */
static struct view clean(struct body *body, struct rows *rows, struct view raw, bool is_plain)
{
    struct view seen;

    if (!unseen_may_be_in(raw, is_plain))
        return raw;
    if (!rows->scratch)
        rows->scratch = g_string_sized_new(raw.length);
    g_string_truncate(rows->scratch, 0);
    unseen_remove(rows->scratch, raw);
    seen = (struct view){rows->scratch->str, rows->scratch->len};
    if (view_equal(raw, seen))
        return raw;
    return (struct view){g_string_chunk_insert_len(body->texts, seen.bytes, (gssize)seen.length), seen.length};
}

static struct view trim_end(struct view v)
{
    while (v.length > 0 && (v.bytes[v.length - 1] == ' ' || v.bytes[v.length - 1] == '\t'))
        v.length--;
    return v;
}

static bool ends_in_blank(struct view v)
{
    return v.length > 0 && v.bytes[v.length - 1] == ' ';
}

/* Add one line. A carriage return within it begins another row: displays of
 * progress end in one, and what is written over them is what matters. */
static void add_rows(struct body *body, struct rows *rows, struct view raw, struct row row, bool flowed)
{
    bool soft_break = row.soft_break;
    bool flows = flowed && !soft_break;

    while (raw.length > 0 && raw.bytes[raw.length - 1] == '\r')
        raw.length--;
    row.is_plain = text_is_plain(raw);
    for (;;) {
        const char *found = raw.length > 0 && !row.is_plain ? memchr(raw.bytes, '\r', raw.length) : NULL;
        size_t end = found ? (size_t)(found - raw.bytes) : raw.length;

        if (end > 0 || !found) {
            struct view text = clean(body, rows, view_slice(raw, 0, end), row.is_plain);

            row.soft_break = !found && (flows ? ends_in_blank(view_slice(raw, 0, end)) : soft_break);
            add_row(rows, &row, text);
            row.after_return = true;
            row.continues = false;
        }
        if (!found)
            return;
        raw = view_slice(raw, end + 1, raw.length);
    }
}

/* In flowed text the last blank before a soft break is the break's own. */
static struct view with_blank(struct body *body, struct view text)
{
    char *copy = g_strdup_printf("%.*s ", (int)text.length, text.bytes);
    struct view result = {g_string_chunk_insert_len(body->texts, copy, (gssize)text.length + 1), text.length + 1};

    g_free(copy);
    return result;
}

/* The lines of a part, decoded where they were left encoded. */
struct part_lines {
    struct undecoded_line *lines;
    size_t count;
    bool decoded;
};

static struct part_lines read_lines(struct body *body, struct view text)
{
    struct part_lines read = {0};
    size_t room = text.length / LINE_LENGTH_LEAST;

    read.lines = g_new(struct undecoded_line, room);
    while (text.length > 0) {
        const char *found = memchr(text.bytes, '\n', text.length);
        size_t end = found ? (size_t)(found - text.bytes) : text.length;

        if (read.count == room) {
            room = MAX(2 * room, (size_t)ROWS_MIN);
            read.lines = g_renew(struct undecoded_line, read.lines, room);
        }
        read.lines[read.count++] = (struct undecoded_line){.text = view_slice(text, 0, end)};
        text = view_slice(text, found ? end + 1 : end, text.length);
    }
    read.decoded = undecoded_mend(read.lines, read.count, body->texts);
    return read;
}

static void add_plain(struct body *body, struct rows *rows, struct view text, bool flowed)
{
    struct part_lines read = read_lines(body, text);
    bool continues = false;

    for (size_t i = 0; i < read.count; i++) {
        const struct undecoded_line *line = &read.lines[i];
        struct row row = {
            .source_line = i + 1,
            .continues = continues,
            .soft_break = line->soft_break,
            .join_without_blank = line->soft_break,
            .decoded = line->decoded,
        };

        add_rows(body, rows, flowed && line->soft_break ? with_blank(body, line->text) : line->text, row, flowed);
        continues = line->soft_break;
    }
    g_free(read.lines);
}

/* The text that was left encoded, in one piece; where its lines were in the
 * source goes to places (of size_t). Tags go over line ends, so that here lines
 * that an encoder broke are one. */
static GString *join_lines(const struct part_lines *read, GArray *places)
{
    GString *text = g_string_new(NULL);
    bool continues = false;

    for (size_t i = 0; i < read->count; i++) {
        const struct undecoded_line *line = &read->lines[i];
        size_t place = i + 1;

        if (!continues)
            g_array_append_val(places, place);
        g_string_append_len(text, line->text.bytes, (gssize)line->text.length);
        if (!line->soft_break)
            g_string_append_c(text, '\n');
        continues = line->soft_break;
    }
    return text;
}

static void add_html(struct body *body, struct rows *rows, struct view text)
{
    struct part_lines read = read_lines(body, text);
    bool continues = false;
    GArray *places = g_array_new(FALSE, FALSE, sizeof(size_t));
    GString *joined = read.decoded ? join_lines(&read, places) : NULL;

    body->html = html_new(joined ? (struct view){joined->str, joined->len} : text);
    for (size_t i = 0; i < html_line_count(body->html); i++) {
        const struct html_line *line = html_line(body->html, i);
        size_t place = line->source_line;
        struct row row = {
            .source_line = read.decoded && place <= places->len ? g_array_index(places, size_t, place - 1) : place,
            .depth = line->quote_depth,
            .continues = continues,
            .soft_break = line->soft_break,
            .join_without_blank = line->join_without_blank,
            .decoded = read.decoded,
        };

        add_rows(body, rows, line->text, row, false);
        continues = line->soft_break;
    }
    if (joined)
        g_string_free(joined, TRUE);
    g_array_free(places, TRUE);
    g_free(read.lines);
}

/* The text behind its marks, with a `>` of its own put back where a mailer
 * made it a mark. */
static struct view quoted_text(struct body *body, struct view text, const struct quote *quote)
{
    struct view rest = view_slice(text, MIN(quote->length, text.length), text.length);
    char *copy;

    if (!quote->split)
        return rest;
    copy = g_malloc(rest.length + 1);
    copy[0] = '>';
    memcpy(copy + 1, rest.bytes, rest.length);
    rest = (struct view){g_string_chunk_insert_len(body->texts, copy, (gssize)(rest.length + 1)), rest.length + 1};
    g_free(copy);
    return rest;
}

static bool starts_with(struct view v, const char *start)
{
    size_t length = strlen(start);

    return v.length >= length && memcmp(v.bytes, start, length) == 0;
}

enum signing { SIGNING_NONE, SIGNING_HEADER, SIGNING_TEXT, SIGNING_SIGNATURE };

/* Where in a clear-signed text (RFC 4880 7) the lines are. */
struct signing_state {
    enum signing signing;
    unsigned depth;
};

static bool is_armor(struct view text)
{
    static const char *const headers[] = {"Version: ", "Comment: ", "MessageID: ", "Hash: ", "Charset: ", NULL};

    for (const char *const *header = headers; *header; header++)
        if (starts_with(text, *header))
            return true;
    if (text.length > ARMOR_LINE_MAX)
        return false;
    for (size_t i = 0; i < text.length; i++)
        if (!g_ascii_isalnum(text.bytes[i]) && text.bytes[i] != '+' && text.bytes[i] != '/' && text.bytes[i] != '=')
            return false;
    return true;
}

/* Whether the line belongs to the signing and not to the text. */
static bool signing_takes(struct signing_state *state, struct view text, unsigned depth)
{
    struct view v = view_trim(text);

    if (state->signing == SIGNING_NONE && !starts_with(v, "-----BEGIN PGP"))
        return false;
    if (view_is(v, "-----BEGIN PGP SIGNED MESSAGE-----")) {
        *state = (struct signing_state){SIGNING_HEADER, depth};
        return true;
    }
    if (view_is(v, "-----BEGIN PGP SIGNATURE-----")) {
        *state = (struct signing_state){SIGNING_SIGNATURE, depth};
        return true;
    }
    if (state->signing == SIGNING_HEADER) {
        if (depth == state->depth && (starts_with(v, "Hash: ") || starts_with(v, "NotDashEscaped:")))
            return true;
        state->signing = SIGNING_TEXT;
    } else if (state->signing == SIGNING_SIGNATURE) {
        bool ends = view_is(v, "-----END PGP SIGNATURE-----");

        if (depth == state->depth && (ends || is_armor(v))) {
            if (ends)
                state->signing = SIGNING_NONE;
            return true;
        }
        state->signing = SIGNING_NONE;
    }
    return false;
}

/* Take off a `- ` of clear-signing. In a quoted copy the reader's program may
 * have done so, and what is left may be a list: only what must be escaped
 * counts there. */
static bool unescape(const struct signing_state *state, unsigned depth, struct view *text)
{
    if (state->signing != SIGNING_TEXT || depth != state->depth || !starts_with(*text, "- "))
        return false;
    if (depth > 0 && !starts_with(*text, "- -") && !starts_with(*text, "- From "))
        return false;
    *text = view_slice(*text, 2, text->length);
    return true;
}

/* `[ 1234.567890] `: a line of the kernel's log, which a console puts between
 * those of any program. */
static bool is_log_line(struct view text)
{
    size_t at = 1, point;

    if (text.length == 0 || text.bytes[0] != '[')
        return false;
    while (at < text.length && text.bytes[at] == ' ')
        at++;
    point = at;
    while (point < text.length && g_ascii_isdigit(text.bytes[point]))
        point++;
    if (point == at || point == text.length || text.bytes[point] != '.')
        return false;
    at = point + 1;
    while (at < text.length && g_ascii_isdigit(text.bytes[at]))
        at++;
    return at - point - 1 == LOG_FRACTION_DIGITS && at < text.length && text.bytes[at] == ']';
}

/* The marks of each row. Marks begin lines: what continues one has none, and
 * must not part its neighbours either. */
static struct quote *find_quotes(const struct rows *rows, bool flowed)
{
    struct quote *quotes = g_new0(struct quote, rows->count);
    struct view *texts;
    size_t found = 0;

    if (!rows->continues) {
        quote_find(rows->texts, rows->count, flowed, quotes);
        return quotes;
    }
    texts = g_new(struct view, rows->count);
    for (size_t i = 0; i < rows->count; i++)
        if (!rows->rows[i].continues)
            texts[found++] = rows->texts[i];
    quote_find(texts, found, flowed, quotes);
    for (size_t i = rows->count; i-- > 0;)
        quotes[i] = rows->rows[i].continues ? (struct quote){0, 0, 0, false} : quotes[--found];
    g_free(texts);
    return quotes;
}

static void make_lines(struct body *body, const struct rows *rows, bool flowed, bool delete_space)
{
    struct quote *quotes = find_quotes(rows, flowed);
    struct signing_state signing = {SIGNING_NONE, 0};
    unsigned depth_before = 0, voice_before = 0;

    body->lines = g_new(struct line, rows->count);
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->rows[i];
        struct view text = rows->texts[i];
        struct line line = {.source_line = row->source_line,
                            .soft_break = row->soft_break,
                            .width = text.length,
                            .decoded = row->decoded,
                            .is_plain = row->is_plain};

        if (row->continues) {
            line.quote_depth = depth_before;
            line.voice = voice_before;
        } else {
            line.quote_depth = MIN(row->depth + quotes[i].depth, QUOTE_DEPTH_MAX);
            line.voice = quotes[i].voice;
            if (row->after_return && quotes[i].depth == 0) {
                line.quote_depth = depth_before;
                line.voice = voice_before;
            }
            text = quoted_text(body, text, &quotes[i]);
            if (is_log_line(text))
                line.voice = BODY_VOICE_LOG;
        }
        if (unescape(&signing, line.quote_depth, &text)) {
            struct quote inner;

            quote_find(&text, 1, flowed, &inner);
            line.quote_depth = MIN(line.quote_depth + inner.depth, QUOTE_DEPTH_MAX);
            text = quoted_text(body, text, &inner);
        } else if (signing_takes(&signing, text, line.quote_depth)) {
            depth_before = line.quote_depth;
            continue;
        }
        depth_before = line.quote_depth;
        voice_before = line.voice;
        line.join_without_blank = row->join_without_blank || delete_space;
        if (flowed && (!ends_in_blank(text) || view_is(text, "-- ") || trim_end(text).length == 0))
            line.soft_break = false;
        line.text = flowed || row->soft_break ? text : trim_end(text);
        body->lines[body->count++] = line;
    }
    g_free(quotes);
}

/* Length of the first word and the blanks before it; 0 if there is none. */
static size_t first_word_end(struct view text)
{
    size_t end = 0;

    while (end < text.length && text.bytes[end] == ' ')
        end++;
    if (end == text.length)
        return 0;
    while (end < text.length && text.bytes[end] != ' ' && text.bytes[end] != '\t')
        end++;
    return end;
}

bool line_is_wrapped(const struct line *before, const struct line *next)
{
    size_t word = first_word_end(next->text);
    bool had_text = before->width >= WRAP_LINE_MIN || line_is_bare(before);

    return word > 0 && had_text && before->width + 1 + word > WRAP_WIDTH_MIN;
}

bool line_is_bare(const struct line *line)
{
    return line->quote_depth > 0 && line->text.length == 0 && line->width < WRAP_LINE_MIN;
}

/* A line can only be continued by one of the same depth; in flowed text an
 * empty line ends the paragraph. */
static bool may_continue(const struct line *line, const struct line *next, bool flowed)
{
    return next && next->quote_depth == line->quote_depth && next->voice == line->voice &&
           !(flowed && trim_end(next->text).length == 0);
}

/* Text that is declared flowed may have been written by something that knows
 * nothing of it, and lines of tables end in blanks of their own. Then no line
 * that is broken is a soft break: where the next word had room, and where the
 * last line of the paragraph ends in a blank, too. */
static void take_back_flowing(struct body *body)
{
    bool is_loose = false; /* the paragraph that the line is in ends in a blank */

    for (size_t i = body->count; i-- > 0;) {
        struct line *line = &body->lines[i];
        const struct line *next = i + 1 < body->count ? line + 1 : NULL;

        if (!line->soft_break) {
            is_loose = false;
            continue;
        }
        if (!may_continue(line, next, true))
            is_loose = true;
        else if (!line->join_without_blank && (is_loose || !line_is_wrapped(line, next)))
            line->soft_break = false;
    }
}

/* Of the blanks before a soft break all but the last are text (RFC 3676 4.2 says
 * so of the last with DelSp; without, whoever joins the lines puts it back). */
static void settle_breaks(struct body *body, bool flowed)
{
    if (flowed)
        take_back_flowing(body);
    for (size_t i = 0; i < body->count; i++) {
        struct line *line = &body->lines[i];

        if (!may_continue(line, i + 1 < body->count ? line + 1 : NULL, flowed))
            line->soft_break = false;
        if (!line->soft_break)
            line->text = trim_end(line->text);
        else if (flowed)
            line->text.length--;
        line->join_without_blank = line->join_without_blank && line->soft_break;
    }
}

static void remove_decoration(struct body *body)
{
    struct decorated_line *decorated = g_new(struct decorated_line, body->count);
    bool continues = false;

    for (size_t i = 0; i < body->count; i++) {
        const struct line *line = &body->lines[i];

        decorated[i] = (struct decorated_line){line->text, line->quote_depth, continues};
        continues = line->soft_break;
    }
    decoration_remove(decorated, body->count, body->texts);
    for (size_t i = 0; i < body->count; i++) {
        struct line *line = &body->lines[i];

        line->undecorated = !view_equal(line->text, decorated[i].text);
        line->text = decorated[i].text;
    }
    g_free(decorated);
}

struct body *body_new(const struct part *part)
{
    struct body *body = g_new0(struct body, 1);
    struct rows rows = {0};
    bool delete_space = part->format == PART_FLOWED_DELSP;
    bool flowed = part->format == PART_FLOWED || delete_space;

    body->texts = g_string_chunk_new(4096);
    if (part->format == PART_HTML)
        add_html(body, &rows, part->text);
    else
        add_plain(body, &rows, part->text, flowed);
    make_lines(body, &rows, flowed, delete_space);
    settle_breaks(body, flowed);
    remove_decoration(body);
    g_free(rows.rows);
    g_free(rows.texts);
    if (rows.scratch)
        g_string_free(rows.scratch, TRUE);
    return body;
}

void body_free(struct body *body)
{
    if (!body)
        return;
    g_free(body->lines);
    html_free(body->html);
    g_string_chunk_free(body->texts);
    g_free(body);
}

size_t body_line_count(const struct body *body)
{
    return body->count;
}

const struct line *body_line(const struct body *body, size_t index)
{
    g_assert(index < body->count);
    return &body->lines[index];
}
