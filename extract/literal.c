/* literal: numbers are looked for over anything that is no letter or digit, so
 * that the raw bytes of a mail, with its quote marks and stars, and the text
 * that is made of them give the same answer.
 */
#define _GNU_SOURCE /* memmem */
#include "extract/literal.h"

enum {
    GAP_MAX = 500, /* bytes between a literal and its number */
    MARK_NAME_MAX = 32, /* bytes of a name in a mark of quoting: `Name> ` */
};

/* nan and inf are figures, too, as far as a table goes. */
static bool is_no_number(struct view text, size_t at)
{
    static const char *const names[] = {"nan", "inf"};

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
        if (text.length - at >= 3 && g_ascii_strncasecmp(text.bytes + at, names[i], 3) == 0)
            return true;
    return false;
}

/* Is there a letter at offset that stays one, and begins no mark of quoting
 * (`Name> `)? Terminals take back what stands in a line with control characters. */
static bool is_word_of_line(struct view text, size_t at)
{
    size_t start = at, end = at;

    while (end < text.length && end - at < MARK_NAME_MAX && (g_ascii_isalnum(text.bytes[end]) || text.bytes[end] == '-'))
        end++;
    if (end < text.length && text.bytes[end] == '>')
        return false;
    while (start > 0 && text.bytes[start - 1] != '\n')
        start--;
    for (end = start; end < text.length && text.bytes[end] != '\n'; end++)
        if (g_ascii_iscntrl(text.bytes[end]) && text.bytes[end] != '\t' && text.bytes[end] != '\r')
            return false;
    return true;
}

/* In the next line it must be the first word. Where that has marks, it may be a
 * line of another text. */
static bool number_follows(struct view text, size_t end)
{
    bool begins_line = false;

    for (size_t at = end; at < text.length; at++) {
        char c = text.bytes[at];

        if (g_ascii_isdigit(c) || at - end == GAP_MAX || (begins_line && strchr(">|:", c)))
            return true;
        if (g_ascii_isalpha(c))
            return is_no_number(text, at) || (begins_line && !is_word_of_line(text, at));
        begins_line = begins_line || c == '\n' || c == '\r';
    }
    return false;
}

static bool number_precedes(struct view text, size_t start)
{
    bool other_line = false;

    for (size_t at = start; at > 0; at--) {
        char c = text.bytes[at - 1];

        if (g_ascii_isdigit(c) || start - at == GAP_MAX)
            return true;
        if (g_ascii_isalpha(c)) /* or a mark of quoting: `Name> ` */
            return (at < start && text.bytes[at] == '>') || (at >= 3 && is_no_number(text, at - 3)) ||
                   (other_line && !is_word_of_line(text, at - 1));
        other_line = other_line || c == '\n' || c == '\r';
    }
    return false;
}

bool literal_has_numbers(const struct literal_item *item, struct view text, size_t start, size_t end)
{
    return (!item->after_number || number_precedes(text, start)) && (!item->before_number || number_follows(text, end));
}

bool literal_stands(const struct literal_item *item, struct view text)
{
    size_t length = strlen(item->text);
    size_t at = 0;

    while (at < text.length) {
        const char *found = memmem(text.bytes + at, text.length - at, item->text, length);

        if (!found)
            return false;
        at = (size_t)(found - text.bytes);
        if (literal_has_numbers(item, text, at, at + length))
            return true;
        at++;
    }
    return false;
}
