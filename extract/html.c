/* Outline: libxml2's SAX parser calls back with elements and text, and a small
 * layout turns them into lines. No tree is built. A line is ended at once where
 * a block begins or ends; inside a table's cell that waits until more text of
 * the same cell comes, so that `<td><p>1</p></td><td><p>2</p></td>` stays one
 * row. White space is remembered, not written, until text follows it.
 *
 * Three costs of libxml2 grow with the square of hostile input: it compares
 * each attribute of a tag with all before it, each end tag with all open
 * elements, and keeps all names in a table of fixed size. So the surplus
 * attributes of a tag are blanked beforehand, and deep nesting or too many
 * names stop the parser; what it has not read then follows as it stands.
 */
#include "extract/html.h"

#include "extract/html_element.h"

#include <libxml/HTMLparser.h>
#include <limits.h>

enum {
    ATTRIBUTES_MAX = 200,
    ATTRIBUTE_NAME_MAX = 100, /* libxml2 takes a longer name for several */
    NESTING_MAX = 512,
    NAMES_MAX = 20000, /* of elements, attributes and entities that differ */
    HTML_QUOTE_DEPTH_MAX = 100,
    CELL_BREAKS_MAX = 100,
    CELL_LINES_MAX = 3, /* cells of more lines hold texts of their own, not figures of a row */
    TEXT_CHUNK = 1000,  /* libxml2 hands long text over in such pieces, before it has left their last byte */
};

/* Where in a table the layout is; kept by the element that changed it. */
struct position {
    unsigned cells;     /* of the row, so far */
    unsigned cell_line; /* lines ended in the cell */
    bool in_cell;
    bool cell_has_text;
    bool has_table;  /* in a cell of the row */
    guint row_start; /* its first piece */
};

struct element {
    unsigned effects;
    bool was_pre;
    struct position before;
};

/* A line whose text is still an offset, since the buffer may move. */
struct piece {
    size_t start;
    size_t end;
    size_t source_line;
    unsigned quote_depth;
    bool soft_break;
    bool join_without_blank;
    unsigned cell, cell_line; /* in its table's row, from 0 */
    unsigned tabs;            /* that it begins with, and that set its cell apart */
};

struct html {
    GString *text;
    GArray *pieces; /* of struct piece; emptied once lines are made */
    GArray *lines;  /* of struct html_line */
};

struct layout {
    struct html *html;
    htmlParserCtxtPtr parser;
    GArray *open; /* of struct element */
    unsigned quote_depth;
    unsigned skip_depth;
    bool pre;
    bool skip_line_break; /* the one right after <pre> is no text */
    bool stopped;
    size_t rest; /* bytes that the parser had not read when it was stopped */
    struct position position;
    unsigned cell_breaks;  /* line ends that wait for more text in the cell */
    unsigned pending_tabs; /* cells begun since the last text */
    bool pending_blank;
    bool line_open;    /* the line has text, in this piece or one before */
    bool after_table;  /* and the next one is not part of it: no table's title, nor its next row */
    size_t start;      /* of the open piece in the text */
    size_t piece_line; /* its line in the source */
    unsigned piece_cell, piece_cell_line, piece_tabs;
    size_t source_line; /* where the source has been read to */
};

/* Whether a style attribute says `white-space: pre`, `pre-wrap` or `pre-line`. */
static bool style_is_pre(const char *style)
{
    for (const char *s = strchr(style, ':'); s; s = strchr(s + 1, ':')) {
        static const char property[] = "white-space";
        const char *name_end = s;
        const char *value = s + 1;

        while (name_end > style && g_ascii_isspace(name_end[-1]))
            name_end--;
        if ((size_t)(name_end - style) < sizeof property - 1 ||
            g_ascii_strncasecmp(name_end - (sizeof property - 1), property, sizeof property - 1) != 0)
            continue;
        while (g_ascii_isspace(*value))
            value++;
        if (g_ascii_strncasecmp(value, "pre", 3) == 0)
            return true;
    }
    return false;
}

static unsigned attribute_effects(const xmlChar **attributes)
{
    unsigned effects = EFFECT_NONE;

    for (; attributes && attributes[0]; attributes += 2) {
        const char *name = (const char *)attributes[0];
        const char *value = attributes[1] ? (const char *)attributes[1] : "";

        if (strcmp(name, "style") == 0 && style_is_pre(value))
            effects |= EFFECT_PRE;
        else if (strcmp(name, "type") == 0 && g_ascii_strcasecmp(value, "cite") == 0)
            effects |= EFFECT_BLOCK | EFFECT_HARD | EFFECT_QUOTE;
    }
    return effects;
}

static void emit_piece(struct layout *layout, bool soft_break, bool join_without_blank)
{
    GString *text = layout->html->text;
    struct piece piece = {layout->start,     text->len,          layout->piece_line, layout->quote_depth,
                          soft_break,        join_without_blank, layout->piece_cell, layout->piece_cell_line,
                          layout->piece_tabs};

    g_array_append_val(layout->html->pieces, piece);
    layout->start = text->len;
    layout->piece_cell = layout->position.cells;
    layout->piece_cell_line = layout->position.cell_line;
    layout->piece_tabs = 0;
}

static void end_line(struct layout *layout)
{
    layout->position.cell_line += layout->position.in_cell;
    emit_piece(layout, false, false);
    layout->line_open = false;
    layout->after_table = false;
    layout->pending_blank = false;
    layout->pending_tabs = 0;
    layout->piece_line = layout->source_line;
}

/* A block begins or ends. */
static void end_block(struct layout *layout, bool hard)
{
    if (!hard && layout->position.in_cell) {
        if (layout->position.cell_has_text && layout->cell_breaks == 0)
            layout->cell_breaks = 1;
        return;
    }
    if (layout->line_open)
        end_line(layout);
    layout->pending_blank = false;
    layout->cell_breaks = 0;
}

static void break_line(struct layout *layout)
{
    if (!layout->position.in_cell) {
        if (!layout->line_open)
            layout->piece_line = layout->source_line;
        end_line(layout);
    } else if (layout->position.cell_has_text && layout->cell_breaks < CELL_BREAKS_MAX) {
        layout->cell_breaks++;
    }
}

/* Write what was waiting for text, which begins on the given line. */
static void begin_text(struct layout *layout, size_t source_line)
{
    GString *text = layout->html->text;

    for (; layout->cell_breaks > 0; layout->cell_breaks--)
        end_line(layout);
    if (!layout->line_open) {
        layout->pending_blank = false;
        layout->piece_line = source_line;
        layout->piece_cell = layout->position.cells;
        layout->piece_cell_line = layout->position.cell_line;
        if (layout->after_table)
            emit_piece(layout, false, false);
        layout->after_table = false;
        layout->line_open = true;
    } else if (source_line != layout->piece_line) {
        emit_piece(layout, true, !layout->pending_blank || layout->pending_tabs > 0);
        layout->pending_blank = false;
        layout->piece_line = source_line;
    } else if (layout->pending_tabs > 0) {
        emit_piece(layout, true, true);
    }
    if (layout->pending_tabs > 0)
        layout->pending_blank = false;
    layout->piece_tabs += layout->pending_tabs;
    for (; layout->pending_tabs > 0; layout->pending_tabs--)
        g_string_append_c(text, '\t');
    if (layout->pending_blank)
        g_string_append_c(text, ' ');
    layout->pending_blank = false;
    layout->position.cell_has_text = true;
}

static bool is_white(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

static void add_text(struct layout *layout, const char *bytes, size_t length)
{
    size_t at = 0;

    while (at < length) {
        size_t end = at;

        if (layout->pre ? bytes[at] == '\n' : is_white(bytes[at])) {
            bool skipped = layout->skip_line_break && bytes[at] == '\n';

            if (layout->pre && !skipped)
                break_line(layout);
            if (!layout->pre)
                layout->pending_blank = layout->line_open;
            if (bytes[at] == '\n')
                layout->source_line++;
            layout->skip_line_break = false;
            at++;
            continue;
        }
        while (end < length && !(layout->pre ? bytes[end] == '\n' : is_white(bytes[end])))
            end++;
        layout->skip_line_break = false;
        begin_text(layout, layout->source_line);
        g_string_append_len(layout->html->text, bytes + at, (gssize)(end - at));
        at = end;
    }
}

/* Know the line where what the parser hands over begins, given how many line
 * breaks are in it. Its own count is of what it has read; but a piece of long
 * text comes before its last byte has been counted. */
static void follow_source(struct layout *layout, const char *bytes, size_t length)
{
    const struct _xmlParserInput *input = layout->parser->input;
    size_t line = input && input->line > 0 ? (size_t)input->line : 1;
    size_t line_breaks = 0;

    for (size_t i = 0; i < length; i++)
        line_breaks += bytes[i] == '\n';
    if (length >= TEXT_CHUNK && bytes[length - 1] == '\n' && input && input->cur < input->end && *input->cur == '\n')
        line++;
    line = line > line_breaks ? line - line_breaks : 1;
    layout->source_line = MAX(layout->source_line, line);
    if (layout->skip_depth > 0)
        layout->source_line += line_breaks;
}

static void stop(struct layout *layout)
{
    const struct _xmlParserInput *input = layout->parser->input;

    follow_source(layout, NULL, 0);
    layout->stopped = true;
    layout->rest = input ? (size_t)(input->end - input->cur) : 0;
    xmlStopParser(layout->parser);
}

static bool has_too_many_names(const struct layout *layout, int limit)
{
    return xmlDictSize(layout->parser->dict) > limit;
}

static void on_characters(void *data, const xmlChar *characters, int length)
{
    struct layout *layout = data;
    const char *bytes = (const char *)characters;

    if (length <= 0 || layout->stopped)
        return;
    follow_source(layout, bytes, (size_t)length);
    if (layout->skip_depth == 0)
        add_text(layout, bytes, (size_t)length);
    if (length < TEXT_CHUNK && has_too_many_names(layout, NAMES_MAX))
        stop(layout);
}

/* Every end tag without an element is an error, and its name is kept. */
static void on_error(void *data, const char *format, ...)
{
    struct layout *layout = data;

    (void)format;
    if (!layout->stopped && has_too_many_names(layout, 2 * NAMES_MAX))
        stop(layout);
}

/* Whether an element begins with a tag. Others are implied by text that has
 * been read and not handed over yet: no place to stop. */
static bool in_tag(const struct layout *layout)
{
    const struct _xmlParserInput *input = layout->parser->input;

    return input && input->cur < input->end && (*input->cur == '>' || *input->cur == '/');
}

static void on_start(void *data, const xmlChar *name, const xmlChar **attributes)
{
    struct layout *layout = data;
    unsigned effects = html_element_effects((const char *)name) | attribute_effects(attributes);
    struct element element = {effects, layout->pre, layout->position};

    if (layout->stopped)
        return;
    layout->skip_line_break = false;
    if (in_tag(layout) && (layout->open->len >= NESTING_MAX || has_too_many_names(layout, NAMES_MAX))) {
        stop(layout);
        return;
    }
    g_array_append_val(layout->open, element);
    if (effects & EFFECT_SKIP)
        layout->skip_depth++;
    if (layout->skip_depth > 0)
        return;
    if (effects & EFFECT_BLOCK)
        end_block(layout, (effects & EFFECT_HARD) != 0);
    if (effects & EFFECT_BREAK) {
        follow_source(layout, NULL, 0);
        break_line(layout);
    }
    if (effects & (EFFECT_ROW | EFFECT_TABLE)) {
        layout->position = (struct position){.row_start = layout->html->pieces->len};
        if (effects & EFFECT_ROW)
            layout->pending_tabs = 0;
    }
    if (effects & EFFECT_CELL) {
        layout->cell_breaks = 0;
        layout->position.cell_line = 0;
        if (layout->position.cells > 0)
            layout->pending_tabs++;
        layout->position.in_cell = true;
        layout->position.cell_has_text = false;
    }
    if (effects & EFFECT_QUOTE)
        layout->quote_depth++;
    if (effects & EFFECT_PRE) {
        layout->pre = true;
        layout->skip_line_break = (effects & EFFECT_BLOCK) != 0;
    }
}

/* Copy a piece behind all text, set apart by tabs. */
static struct piece move_piece(struct html *html, struct piece piece, unsigned tabs)
{
    size_t start = html->text->len;

    for (unsigned i = 0; i < tabs; i++)
        g_string_append_c(html->text, '\t');
    g_string_append_len(html->text, html->text->str + piece.start + piece.tabs,
                        (gssize)(piece.end - piece.start - piece.tabs));
    piece.start = start;
    piece.end = html->text->len;
    piece.tabs = tabs;
    return piece;
}

/* Put the lines of a row's cells side by side: first lines, second lines, ... */
static void put_side_by_side(struct layout *layout, GArray *row, unsigned lines)
{
    for (unsigned line = 0; line < lines; line++) {
        GArray *pieces = layout->html->pieces;
        unsigned cell = 0;
        guint first = pieces->len;

        for (guint i = 0; i < row->len; i++) {
            struct piece piece = g_array_index(row, struct piece, i);

            if (piece.cell_line != line)
                continue;
            if (pieces->len > first && piece.cell != cell) {
                struct piece *before = &g_array_index(pieces, struct piece, pieces->len - 1);

                before->soft_break = before->join_without_blank = true;
            }
            piece = move_piece(layout->html, piece, piece.cell - cell);
            cell = piece.cell;
            g_array_append_val(pieces, piece);
        }
        if (pieces->len > first) {
            struct piece *last = &g_array_index(pieces, struct piece, pieces->len - 1);

            last->soft_break = last->join_without_blank = false;
        }
    }
    layout->start = layout->html->text->len;
}

/* Do the pieces from start on come cell by cell? In rows inside of each other
 * without a table between they do not. */
static bool is_in_order(const GArray *pieces, guint start)
{
    for (guint i = start + 1; i < pieces->len; i++)
        if (g_array_index(pieces, struct piece, i).cell < g_array_index(pieces, struct piece, i - 1).cell)
            return false;
    return true;
}

/* A row has ended: its cells may have several lines each. Otherwise what was
 * set apart for that is put together again. */
static void arrange_row(struct layout *layout)
{
    GArray *pieces = layout->html->pieces;
    guint start = layout->position.row_start, kept = start;
    unsigned lines = 0;

    if (layout->position.has_table || start >= pieces->len)
        return;
    for (guint i = start; i < pieces->len; i++)
        lines = MAX(lines, g_array_index(pieces, struct piece, i).cell_line + 1);
    if (lines > 1 && lines <= CELL_LINES_MAX && layout->position.cells > 1 && is_in_order(pieces, start)) {
        GArray *row = g_array_new(FALSE, FALSE, sizeof(struct piece));

        g_array_append_vals(row, &g_array_index(pieces, struct piece, start), pieces->len - start);
        g_array_set_size(pieces, start);
        put_side_by_side(layout, row, lines);
        g_array_free(row, TRUE);
        return;
    }
    for (guint i = start + 1; i < pieces->len; i++) {
        struct piece *before = &g_array_index(pieces, struct piece, kept);
        const struct piece *piece = &g_array_index(pieces, struct piece, i);

        if (piece->tabs > 0 && before->soft_break && before->source_line == piece->source_line &&
            before->end == piece->start) {
            before->end = piece->end;
            before->soft_break = piece->soft_break;
            before->join_without_blank = piece->join_without_blank;
        } else {
            g_array_index(pieces, struct piece, ++kept) = *piece;
        }
    }
    g_array_set_size(pieces, kept + 1);
}

static void on_end(void *data, const xmlChar *name)
{
    struct layout *layout = data;
    struct element element;

    (void)name;
    if (layout->stopped || layout->open->len == 0)
        return;
    layout->skip_line_break = false;
    element = g_array_index(layout->open, struct element, layout->open->len - 1);
    g_array_set_size(layout->open, layout->open->len - 1);
    if (layout->skip_depth > 0) {
        layout->skip_depth -= (element.effects & EFFECT_SKIP) != 0;
        return;
    }
    if (element.effects & EFFECT_BLOCK)
        end_block(layout, (element.effects & EFFECT_HARD) != 0);
    if (element.effects & EFFECT_CELL) {
        layout->cell_breaks = 0;
        layout->pending_blank = false;
        element.before.has_table = layout->position.has_table;
        layout->position = element.before;
        layout->position.cells++;
    }
    if (element.effects & EFFECT_ROW)
        arrange_row(layout);
    if (element.effects & (EFFECT_ROW | EFFECT_TABLE)) {
        layout->pending_tabs = 0;
        layout->position = element.before;
    }
    if (element.effects & EFFECT_TABLE) {
        layout->position.has_table = true;
        layout->position.cell_has_text = layout->position.in_cell;
        layout->after_table = !layout->position.in_cell && layout->html->pieces->len > 0;
    }
    if (element.effects & EFFECT_QUOTE)
        layout->quote_depth--;
    layout->pre = element.was_pre;
}

static bool is_name_byte(char c)
{
    return g_ascii_isalnum(c) || c == ':' || c == '-' || c == '_' || c == '.';
}

/* Blank what follows the first attributes of a tag, from at (behind its name)
 * up to its end, if there are too many; returns where the tag ends. Tags and
 * attributes are told apart as libxml2 does it. */
static size_t limit_tag(char *bytes, size_t length, size_t at)
{
    size_t attributes = 0;
    bool named = false; /* a name that may have a value came last */

    while (at < length && bytes[at] != '>') {
        size_t start = at;

        if (is_white(bytes[at])) {
            at++;
            continue;
        }
        if (named && bytes[at] == '=') {
            named = false;
            at++;
            while (at < length && is_white(bytes[at]))
                at++;
            if (at < length && (bytes[at] == '"' || bytes[at] == '\'')) {
                const char *close = memchr(bytes + at + 1, bytes[at], length - at - 1);

                at = close ? (size_t)(close - bytes) + 1 : length;
            } else {
                while (at < length && !is_white(bytes[at]) && bytes[at] != '>')
                    at++;
            }
            continue;
        }
        while (at < length && is_name_byte(bytes[at]))
            at++;
        named = at > start;
        if (!named)
            while (at < length && !is_white(bytes[at]) && bytes[at] != '>')
                at++;
        attributes += 1 + (at - start) / ATTRIBUTE_NAME_MAX;
        if (attributes > ATTRIBUTES_MAX) {
            for (at = start; at < length && bytes[at] != '>'; at++)
                if (bytes[at] != '\n')
                    bytes[at] = ' ';
            break;
        }
    }
    return at;
}

static void limit_attributes(char *bytes, size_t length)
{
    size_t at = 0;

    while (at < length) {
        const char *found = memchr(bytes + at, '<', length - at);

        if (!found)
            return;
        at = (size_t)(found - bytes) + 1;
        if (at < length && g_ascii_isalpha(bytes[at])) {
            while (at < length && is_name_byte(bytes[at]))
                at++;
            at = limit_tag(bytes, length, at);
        }
    }
}

/* What the parser left unread, as it stands; it stops before a tag's end. */
static void add_rest(struct layout *layout, const char *bytes, size_t length)
{
    if (bytes[0] == '>') {
        bytes++;
        length--;
    }
    layout->skip_depth = 0;
    layout->pre = true;
    layout->skip_line_break = false;
    layout->position = (struct position){0};
    end_block(layout, true);
    layout->quote_depth = 0;
    add_text(layout, bytes, length);
}

static void parse(struct layout *layout, const char *bytes, size_t length)
{
    static const int options = HTML_PARSE_RECOVER | HTML_PARSE_NOWARNING | HTML_PARSE_NONET | HTML_PARSE_IGNORE_ENC;
    xmlSAXHandler handler = {
        .startElement = on_start,
        .endElement = on_end,
        .characters = on_characters,
        .ignorableWhitespace = on_characters,
        .error = on_error,
        .initialized = 1,
    };
    size_t rest;
    htmlDocPtr document;

    layout->parser = htmlNewParserCtxt();
    if (!layout->parser)
        g_error("out of memory");
    *layout->parser->sax = handler;
    layout->parser->userData = layout;
    document = htmlCtxtReadMemory(layout->parser, bytes, (int)length, NULL, "UTF-8", options);
    if (document)
        xmlFreeDoc(document);
    end_block(layout, true);
    rest = layout->rest;
    if (!layout->stopped && layout->parser->input)
        rest = (size_t)(layout->parser->input->end - layout->parser->input->cur);
    if (rest > 0 && rest <= length)
        add_rest(layout, bytes + (length - rest), rest);
    end_block(layout, true);
    htmlFreeParserCtxt(layout->parser);
}

struct html *html_new(struct view text)
{
    struct html *html = g_new0(struct html, 1);
    struct layout layout = {.html = html, .source_line = 1, .piece_line = 1};
    size_t length = MIN(text.length, (size_t)INT_MAX - 16);
    char *bytes = length > 0 ? g_utf8_make_valid(text.bytes, (gssize)length) : g_strdup("");

    html->text = g_string_new(NULL);
    html->pieces = g_array_new(FALSE, FALSE, sizeof(struct piece));
    html->lines = g_array_new(FALSE, FALSE, sizeof(struct html_line));
    layout.open = g_array_new(FALSE, FALSE, sizeof(struct element));
    length = strlen(bytes);
    limit_attributes(bytes, length);
    if (length > 0 && length < INT_MAX)
        parse(&layout, bytes, length);
    for (guint i = 0; i < html->pieces->len; i++) {
        const struct piece *piece = &g_array_index(html->pieces, struct piece, i);
        struct html_line line = {
            {html->text->str + piece->start, piece->end - piece->start},
            piece->source_line,
            MIN(piece->quote_depth, (unsigned)HTML_QUOTE_DEPTH_MAX),
            piece->soft_break,
            piece->join_without_blank,
        };

        g_array_append_val(html->lines, line);
    }
    g_array_free(html->pieces, TRUE);
    html->pieces = NULL;
    g_array_free(layout.open, TRUE);
    g_free(bytes);
    return html;
}

void html_free(struct html *html)
{
    if (!html)
        return;
    g_array_free(html->lines, TRUE);
    g_string_free(html->text, TRUE);
    g_free(html);
}

gunichar html_character(const char *name)
{
    const htmlEntityDesc *entity = htmlEntityLookup((const xmlChar *)name);

    return entity ? entity->value : 0;
}

size_t html_line_count(const struct html *html)
{
    return html->lines->len;
}

const struct html_line *html_line(const struct html *html, size_t index)
{
    g_assert(index < html->lines->len);
    return &g_array_index(html->lines, struct html_line, index);
}
