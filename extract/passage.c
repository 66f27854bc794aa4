/* Lines are dealt out to the passage of their depth, in order. A wrapped
 * quoted line often loses the mark on its remainder, or gets another; such a
 * remainder goes where its beginning went. */
#include "extract/passage.h"

enum {
    TAB_STOP = 8,
    WRAP_WIDTH_MIN = 60, /* mailers wrap at 64 columns or more */
    WRAP_LINE_MIN = 12,  /* a shorter line has room for any word */
};

static void passage_free(gpointer data)
{
    struct passage *passage = data;
    g_string_free(passage->text, TRUE);
    g_array_free(passage->lines, TRUE);
    g_free(passage);
}

static struct passage *passage_of_depth(GPtrArray *passages, const char *section, unsigned depth)
{
    for (guint i = 0; i < passages->len; i++) {
        struct passage *passage = g_ptr_array_index(passages, i);
        if (passage->quote_depth == depth)
            return passage;
    }
    struct passage *passage = g_new0(struct passage, 1);
    passage->section = section;
    passage->quote_depth = depth;
    passage->text = g_string_new(NULL);
    passage->lines = g_array_new(FALSE, FALSE, sizeof(struct passage_line));
    g_ptr_array_add(passages, passage);
    return passage;
}

/* Append text with tabs expanded to the next stop after the line's start. */
static void append_expanded(GString *out, struct view text)
{
    size_t column = 0, from = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] == '\t') {
            g_string_append_len(out, text.bytes + from, (gssize)(i - from));
            from = i + 1;
            do
                g_string_append_c(out, ' ');
            while (++column % TAB_STOP != 0);
        } else if (((unsigned char)text.bytes[i] & 0xc0) != 0x80) {
            column++;
        }
    }
    g_string_append_len(out, text.bytes + from, (gssize)(text.length - from));
}

/* Length of a mark of exactly depth `>` at text, parted by single blanks or
 * not; 0 if there is none. */
static size_t mark_length(const char *text, size_t length, unsigned depth)
{
    size_t at = 0;
    for (unsigned marks = 0; marks < depth; marks++) {
        if (marks > 0 && at < length && text[at] == ' ')
            at++;
        if (at >= length || text[at] != '>')
            return 0;
        at++;
    }
    return at == length || text[at] == ' ' ? at : 0;
}

/* Where a quoted text was put on one line, its marks stand in the middle. */
static void blank_marks(char *text, size_t length, unsigned depth)
{
    for (size_t at = 1; at < length; at++) {
        size_t mark = text[at - 1] == ' ' && text[at] == '>' ? mark_length(text + at, length - at, depth) : 0;
        if (mark > 0) {
            memset(text + at, ' ', mark);
            at += mark - 1;
        }
    }
}

static void append_line(struct passage *passage, const struct line *line, bool joined, enum repair repair)
{
    struct passage_line entry = {
        .start = passage->text->len, .source_line = line->source_line, .joined = joined, .repair = repair};
    if (g_utf8_validate(line->text.bytes, (gssize)line->text.length, NULL)) {
        append_expanded(passage->text, line->text);
    } else {
        char *valid = g_utf8_make_valid(line->text.bytes, (gssize)line->text.length);
        append_expanded(passage->text, view_of(valid));
        g_free(valid);
    }
    entry.end = passage->text->len;
    if (line->quote_depth > 0 && entry.end - entry.start >= PASSAGE_FLAT_LINE)
        blank_marks(passage->text->str + entry.start, entry.end - entry.start, line->quote_depth);
    if (!line->soft_break)
        g_string_append_c(passage->text, '\n');
    else if (!line->join_without_blank)
        g_string_append_c(passage->text, ' ');
    g_array_append_val(passage->lines, entry);
}

static void append_gap(struct passage *passage)
{
    if (passage->lines->len == 0)
        return;
    struct passage_line entry = {.start = passage->text->len, .end = passage->text->len, .repair = REPAIR_GAP};
    g_string_append_c(passage->text, '\n');
    g_array_append_val(passage->lines, entry);
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

/* Had line's first word no room at the end of the line before it? */
static bool was_wrapped(const struct line *before, const struct line *line)
{
    size_t word = first_word_end(line->text);
    return word > 0 && before->width >= WRAP_LINE_MIN && before->width + 1 + word > WRAP_WIDTH_MIN;
}

/* Is line what a mailer broke off the line before it (which went to depth)
 * and left without its quote mark? */
static bool is_remainder(const struct line *before, unsigned depth, const struct line *line)
{
    return line->quote_depth < depth && !before->soft_break && was_wrapped(before, line);
}

/* Or with its quote mark twice? A voice that is quoted there says a sentence in
 * answer to a sentence; so only in the middle of one, and where the next line
 * is of the old depth, or others have been broken so. */
static bool is_remarked(const struct line *before, unsigned depth, const struct line *line, const struct line *next,
                        bool again)
{
    static const char *const ends = ".:;?!";
    const struct view text = before->text;
    if (line->quote_depth <= depth || line->quote_depth > 2 * depth || before->soft_break || text.length == 0)
        return false;
    if (strchr(ends, text.bytes[text.length - 1]) || !was_wrapped(before, line))
        return false;
    return next ? next->quote_depth == depth : again;
}

GPtrArray *passage_split(const char *section, const struct body *body)
{
    GPtrArray *passages = g_ptr_array_new_with_free_func(passage_free);
    const struct line *before = NULL;
    struct passage *current = NULL;
    bool soft = false, remarked = false;
    for (size_t i = 0; i < body_line_count(body); i++) {
        const struct line *line = body_line(body, i);
        const struct line *next = i + 1 < body_line_count(body) ? body_line(body, i + 1) : NULL;
        unsigned depth = line->quote_depth;
        enum repair repair = soft ? REPAIR_JOINED : REPAIR_NONE;
        if (before && !soft && is_remainder(before, current->quote_depth, line))
            repair = REPAIR_REMAINDER;
        if (before && !soft && is_remarked(before, current->quote_depth, line, next, remarked))
            repair = REPAIR_REMARKED;
        remarked = remarked || repair == REPAIR_REMARKED;
        if (repair != REPAIR_NONE)
            depth = current->quote_depth;
        if (!current || current->quote_depth != depth) {
            if (current && soft)
                g_string_append_c(current->text, '\n');
            current = passage_of_depth(passages, section, depth);
            append_gap(current);
        }
        append_line(current, line, soft, repair);
        soft = line->soft_break;
        before = line;
    }
    if (current && soft)
        g_string_append_c(current->text, '\n');
    return passages;
}

size_t passage_line_at(const struct passage *passage, size_t offset)
{
    size_t low = 0, high = passage->lines->len;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (passage_line(passage, middle)->start <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}
