#define _GNU_SOURCE /* memmem */
#include "extract/foreign.h"

bool foreign_is_utf8(struct view text)
{
    for (size_t at = text_find_wide(text, 0); at < text.length; at = text_find_wide(text, at)) {
        size_t end = at;

        while (end < text.length && (unsigned char)text.bytes[end] >= 0x80)
            end++;
        if (!g_utf8_validate_len(text.bytes + at, end - at, NULL))
            return false;
        at = end;
    }
    return memchr(text.bytes, '\0', text.length) == NULL;
}

/* The most characters beyond ASCII that follow each other in a text of an
 * unknown set, or a few more. Most have at least a byte each; those of GB 18030
 * two or four, of which only the first must be beyond ASCII. */
static size_t count_foreign(struct view text, bool four_bytes)
{
    size_t most = 0, count = 0, at = 0;

    while (at < text.length) {
        if ((unsigned char)text.bytes[at] < 0x80) {
            count = 0;
            at = text_find_wide(text, at);
            continue;
        }
        count++;
        most = MAX(most, count);
        if (!four_bytes)
            at++;
        else
            at += at + 1 < text.length && g_ascii_isdigit(text.bytes[at + 1]) ? 4 : 2;
    }
    return most + four_bytes; /* bytes that are no character may hide one */
}

static bool is_wide(char c)
{
    return (unsigned char)c >= 0x80;
}

/* So many bytes beyond ASCII stand right before, or right behind, a piece of text. */
static size_t count_before(struct view text, size_t start)
{
    size_t at = start;

    while (at > 0 && is_wide(text.bytes[at - 1]))
        at--;
    return start - at;
}

static size_t count_behind(struct view text, size_t end)
{
    size_t at = end;

    while (at < text.length && is_wide(text.bytes[at]))
        at++;
    return at - end;
}

static size_t count_characters(const char *bytes, size_t length)
{
    return (size_t)g_utf8_strlen(bytes, (gssize)length);
}

/* Does the term's longest run of ASCII stand in text, beside as many characters
 * beyond it as in the term? Where they have four bytes, they may end in a letter
 * or a digit, and how many there are before it can't be told. */
static bool has_narrow(const struct condition_term *term, struct view text, bool four_bytes)
{
    const struct view narrow = term->narrow;
    const size_t start = (size_t)(narrow.bytes - term->text.bytes), end = start + narrow.length;
    const size_t term_before = count_before(term->text, start), term_behind = count_behind(term->text, end);
    const size_t before = count_characters(narrow.bytes - term_before, term_before);
    const size_t behind = count_characters(narrow.bytes + narrow.length, term_behind);
    const struct literal_item item = condition_item(term, narrow);
    size_t at = 0;

    while (at < text.length) {
        const char *found = memmem(text.bytes + at, text.length - at, narrow.bytes, narrow.length);

        if (!found)
            break;
        at = (size_t)(found - text.bytes);
        if (count_behind(text, at + narrow.length) >= (four_bytes ? MIN(behind, 1) : behind) &&
            (four_bytes || count_before(text, at) >= before) && literal_fits(&item, text, at, at + narrow.length))
            return true;
        at++;
    }
    return false;
}

void foreign_find(const struct conditions *conditions, struct view text, bool four_bytes,
                  struct condition_findings *findings)
{
    const size_t most = count_foreign(text, four_bytes);

    for (guint i = 0; i < conditions->terms->len; i++) {
        const struct condition_term *term = conditions_term(conditions, i);

        if (term->wide > 0 && term->wide <= most && (term->narrow.length == 0 || has_narrow(term, text, four_bytes))) {
            findings->present[i] = true;
            condition_findings_touch(findings, term->grammar);
        }
    }
}
