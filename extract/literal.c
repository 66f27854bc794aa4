/* literal: numbers are looked for over anything that is no letter or digit, so
 * that the raw bytes of a mail, with its quote marks and stars, and the text
 * that is made of them give the same answer.
 */
#define _GNU_SOURCE /* memmem */
#include "extract/literal.h"

enum { GAP_MAX = 500 }; /* bytes between a literal and its number */

/* nan and inf are figures, too, as far as a table goes. */
static bool is_no_number(struct view text, size_t at)
{
    static const char *const names[] = {"nan", "inf"};

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
        if (text.length - at >= 3 && g_ascii_strncasecmp(text.bytes + at, names[i], 3) == 0)
            return true;
    return false;
}

static bool number_follows(struct view text, size_t end)
{
    for (size_t at = end; at < text.length && at - end < GAP_MAX; at++) {
        char c = text.bytes[at];

        if (c == '\n' || c == '\r' || g_ascii_isdigit(c))
            return true;
        if (g_ascii_isalpha(c))
            return is_no_number(text, at);
    }
    return true;
}

static bool number_precedes(struct view text, size_t start)
{
    for (size_t at = start; at > 0 && start - at < GAP_MAX; at--) {
        char c = text.bytes[at - 1];

        if (c == '\n' || c == '\r' || g_ascii_isdigit(c))
            return true;
        if (g_ascii_isalpha(c)) /* or a mark of quoting: `Name> ` */
            return (at < start && text.bytes[at] == '>') || (at >= 3 && is_no_number(text, at - 3));
    }
    return true;
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
