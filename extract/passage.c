/* Lines are dealt out to the passage of their depth, in order. A wrapped
 * quoted line often loses the mark on its remainder, or gets another; such a
 * remainder goes where its beginning went. */
#include "extract/passage.h"

enum {
    TAB_STOP = 8,
    PASSAGES_MAX = 256,  /* voices beyond are not told apart */
    ALTERNATION_MIN = 6, /* lines */
    REMARKED_MAX = 8,    /* that one was broken into */
    KEPT_MAX = 16,       /* passages whose memory is kept for the next message */
    TEXT_KEPT = 1 << 20, /* bytes of text in one of them */
};

static struct passage *passage_new(void)
{
    struct passage *passage = g_new0(struct passage, 1);
    passage->text = g_string_new(NULL);
    passage->lines = g_array_new(FALSE, FALSE, sizeof(struct passage_line));
    return passage;
}

static void passage_free(gpointer data)
{
    struct passage *passage = data;
    g_string_free(passage->text, TRUE);
    g_array_free(passage->lines, TRUE);
    g_free(passage);
}

struct passages *passages_new(void)
{
    struct passages *passages = g_new0(struct passages, 1);
    passages->all = g_ptr_array_new_with_free_func(passage_free);
    return passages;
}

void passages_free(struct passages *passages)
{
    if (!passages)
        return;
    g_ptr_array_unref(passages->all);
    g_free(passages);
}

void passages_clear(struct passages *passages)
{
    if (passages->all->len > KEPT_MAX)
        g_ptr_array_set_size(passages->all, KEPT_MAX);
    for (guint i = 0; i < passages->all->len; i++) {
        struct passage *passage = g_ptr_array_index(passages->all, i);
        if (passage->text->allocated_len > TEXT_KEPT) {
            passage_free(passage);
            g_ptr_array_index(passages->all, i) = passage_new();
        }
    }
    passages->count = 0;
}

/* The passage of a voice among those of the body, which begin with the one at
 * first. */
static struct passage *find_passage(struct passages *passages, guint first, const char *section, unsigned depth,
                                    unsigned voice)
{
    if (passages->count - first >= PASSAGES_MAX)
        voice = 0;
    for (guint i = first; i < passages->count; i++) {
        struct passage *passage = g_ptr_array_index(passages->all, i);
        if (passage->quote_depth == depth && passage->voice == voice)
            return passage;
    }
    if (passages->count == passages->all->len)
        g_ptr_array_add(passages->all, passage_new());
    struct passage *passage = g_ptr_array_index(passages->all, passages->count++);
    passage->section = section;
    passage->quote_depth = depth;
    passage->voice = voice;
    g_string_truncate(passage->text, 0);
    g_array_set_size(passage->lines, 0);
    return passage;
}

static bool is_ascii(struct view text)
{
    return text.length == 0 || (text_find_wide(text, 0) == text.length && !memchr(text.bytes, '\0', text.length));
}

/* Append text as it is. There is room, mostly. */
static void append_plain(GString *out, struct view text)
{
    if (out->allocated_len - out->len <= text.length) {
        g_string_append_len(out, text.bytes, (gssize)text.length);
        return;
    }
    if (text.length > 0)
        memcpy(out->str + out->len, text.bytes, text.length);
    out->len += text.length;
    out->str[out->len] = '\0';
}

/* Append text with tabs expanded to the next stop after the line's start. */
static void append_expanded(GString *out, struct view text)
{
    size_t column = 0, from = 0;
    if (text.length == 0 || !memchr(text.bytes, '\t', text.length)) {
        g_string_append_len(out, text.bytes, (gssize)text.length);
        return;
    }
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

/* Line breaks in the text so far. */
static size_t count_breaks(const struct passage *passage)
{
    if (passage->lines->len == 0)
        return 0;
    const struct passage_line *last = passage_line(passage, passage->lines->len - 1);
    return last->breaks + (passage->text->str[passage->text->len - 1] == '\n');
}

static void add_line(struct passage *passage, const struct passage_line *line)
{
    g_array_set_size(passage->lines, passage->lines->len + 1);
    g_array_index(passage->lines, struct passage_line, passage->lines->len - 1) = *line;
}

static void append_line(struct passage *passage, const struct line *line, bool joined, enum repair repair)
{
    struct passage_line entry = {.start = passage->text->len,
                                 .source_line = line->source_line,
                                 .breaks = count_breaks(passage),
                                 .joined = joined,
                                 .repair = repair,
                                 .decoded = line->decoded,
                                 .undecorated = line->undecorated};
    if (line->is_plain) {
        append_plain(passage->text, line->text);
    } else if (is_ascii(line->text) || g_utf8_validate(line->text.bytes, (gssize)line->text.length, NULL)) {
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
    add_line(passage, &entry);
}

static void append_gap(struct passage *passage)
{
    if (passage->lines->len == 0)
        return;
    struct passage_line entry = {
        .start = passage->text->len, .end = passage->text->len, .breaks = count_breaks(passage), .repair = REPAIR_GAP};
    g_string_append_c(passage->text, '\n');
    add_line(passage, &entry);
}

/* What the lines are dealt out by. */
struct dealer {
    const struct body *body;
    bool *is_own;      /* for each line: its marks are its own */
    bool *is_resuming; /* it goes on where its voice was interrupted by one line of another */
    bool was_remarked; /* a line had got its mark twice */
};

static bool is_same_voice(const struct line *a, const struct line *b)
{
    return a->quote_depth == b->quote_depth && a->voice == b->voice;
}

/* The end of the lines from first on that belong to two voices by turns. */
static size_t alternation_end(const struct body *body, size_t first)
{
    size_t end = first + 1;
    for (; end < body_line_count(body); end++) {
        const struct line *line = body_line(body, end), *before = body_line(body, end - 1);
        if (before->soft_break || is_same_voice(line, before) ||
            (end - first >= 2 && !is_same_voice(line, body_line(body, end - 2))))
            break;
    }
    return end;
}

/* Lines of two depths may alternate because each is wrapped and its remainder
 * has other marks, or because two voices do. One line that had room before its
 * line break proves that such lines are no remainders. */
static void find_alternation(struct dealer *dealer)
{
    size_t count = body_line_count(dealer->body);
    for (size_t first = 0, end; first + ALTERNATION_MIN <= count; first = MAX(end - 1, first + 1)) {
        bool has_room[2] = {false, false};
        end = alternation_end(dealer->body, first);
        if (end - first < ALTERNATION_MIN)
            continue;
        for (size_t i = first + 1; i < end; i++) {
            const struct line *line = body_line(dealer->body, i);
            if (line->text.length > 0 && !line_is_wrapped(body_line(dealer->body, i - 1), line))
                has_room[(i - first) % 2] = true;
        }
        for (size_t i = first; i < end; i++) {
            dealer->is_own[i] = dealer->is_own[i] || has_room[(i - first) % 2];
            dealer->is_resuming[i] = i >= first + 2 && has_room[0] && has_room[1];
        }
    }
}

/* Do the lines from index on, which are deeper than the line before them, lead
 * back to its depth? A wide line may have been broken into several. */
static bool leads_back(const struct body *body, size_t index, unsigned depth)
{
    unsigned deeper = body_line(body, index)->quote_depth;
    for (size_t i = index + 1; i < body_line_count(body) && i <= index + REMARKED_MAX; i++) {
        const struct line *line = body_line(body, i);
        if (line->quote_depth == depth)
            return true;
        if (line->quote_depth != deeper || !line_is_wrapped(body_line(body, i - 1), line))
            break;
    }
    return false;
}

/* Is the line one word that was too long for any line, so that nothing but the
 * marks was left where it stood? What is answered there is no such word, or is
 * set off by an empty line. */
static bool is_lone_word(const struct body *body, size_t index, unsigned depth)
{
    struct view text = body_line(body, index)->text;
    return !memchr(text.bytes, ' ', text.length) && index + 1 < body_line_count(body) &&
           body_line(body, index + 1)->quote_depth == depth;
}

/* Is the line what a mailer broke off the line before it (which went to depth)
 * and left without its quote mark? Or marked twice? A voice that is quoted
 * there says a sentence in answer to a sentence; so only in the middle of one,
 * and where the old depth follows, or if others have been broken so. */
static enum repair find_repair(struct dealer *dealer, size_t index, unsigned depth)
{
    static const char *const ends = ".:;?!";
    const struct line *line = body_line(dealer->body, index), *before = body_line(dealer->body, index - 1);
    if (before->soft_break)
        return REPAIR_JOINED;
    if (line->quote_depth == depth || dealer->is_own[index] || !line_is_wrapped(before, line))
        return REPAIR_NONE;
    if (line->quote_depth < depth)
        return !line_is_bare(before) || is_lone_word(dealer->body, index, depth) ? REPAIR_REMAINDER : REPAIR_NONE;
    if (line->quote_depth > 2 * depth || before->text.length == 0)
        return REPAIR_NONE;
    if (!dealer->was_remarked && strchr(ends, before->text.bytes[before->text.length - 1]))
        return REPAIR_NONE;
    if (!leads_back(dealer->body, index, depth) && (!dealer->was_remarked || index + 1 < body_line_count(dealer->body)))
        return REPAIR_NONE;
    dealer->was_remarked = true;
    return REPAIR_REMARKED;
}

void passages_add(struct passages *passages, const char *section, const struct body *body)
{
    size_t count = body_line_count(body);
    guint first = passages->count;
    struct dealer dealer = {body, g_new0(bool, count), g_new0(bool, count), false};
    struct passage *current = NULL, *logged_in = NULL; /* the passage that a kernel's log interrupts */
    bool soft = false;
    find_alternation(&dealer);
    for (size_t i = 0; i < count; i++) {
        const struct line *line = body_line(body, i);
        enum repair repair = i > 0 ? find_repair(&dealer, i, current->quote_depth) : REPAIR_NONE;
        if (repair == REPAIR_NONE &&
            (!current || current->quote_depth != line->quote_depth || current->voice != line->voice)) {
            struct passage *before = current;
            current = find_passage(passages, first, section, line->quote_depth, line->voice);
            if (!dealer.is_resuming[i] && current != logged_in)
                append_gap(current);
            logged_in = current->voice == BODY_VOICE_LOG ? before : NULL;
        }
        if (repair == REPAIR_REMAINDER && line_is_bare(body_line(body, i - 1)))
            current->text->str[current->text->len - 1] = ' ';
        append_line(current, line, soft, repair);
        soft = line->soft_break;
    }
    if (current && soft)
        g_string_append_c(current->text, '\n');
    g_free(dealer.is_own);
    g_free(dealer.is_resuming);
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

static bool line_holds(const struct passage *passage, size_t index, size_t offset)
{
    return index < passage->lines->len && passage_line(passage, index)->start <= offset &&
           (index + 1 == passage->lines->len || offset < passage_line(passage, index + 1)->start);
}

size_t passage_line_near(const struct passage *passage, size_t offset, size_t near)
{
    if (line_holds(passage, near, offset))
        return near;
    return line_holds(passage, near + 1, offset) ? near + 1 : passage_line_at(passage, offset);
}
