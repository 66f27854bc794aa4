/* literal: neighbours are looked for over anything that is no letter or digit, so
 * that the raw bytes of a mail, with its quote marks and stars, and the text
 * that is made of them give the same answer.
 */
#define _GNU_SOURCE /* memmem */
#include "extract/literal.h"

enum {
    GAP_MAX = 500,      /* bytes between neighbours */
    MARK_NAME_MAX = 32, /* bytes of a name in a mark of quoting: `Name> ` */
};

void literal_clear(struct literal_item *item)
{
    g_free(item->text);
    g_free(item->next);
    g_free(item->unit);
}

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

    while (end < text.length && end - at < MARK_NAME_MAX &&
           (g_ascii_isalnum(text.bytes[end]) || text.bytes[end] == '-'))
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

/* Does quoted-printable for a blank, a line end or a byte beyond ASCII stand at offset? */
static bool is_escape(struct view text, size_t at)
{
    int byte;

    if (text.length - at < 3 || text.bytes[at] != '=' || !g_ascii_isxdigit(text.bytes[at + 1]) ||
        !g_ascii_isxdigit(text.bytes[at + 2]))
        return false;
    byte = 16 * g_ascii_xdigit_value(text.bytes[at + 1]) + g_ascii_xdigit_value(text.bytes[at + 2]);
    return byte >= 0x80 || strchr(" \t\r\n", byte);
}

/* How many `>` the line that offset is in begins with. */
static unsigned count_marks(struct view text, size_t at)
{
    unsigned count = 0;

    while (at > 0 && text.bytes[at - 1] != '\n' && text.bytes[at - 1] != '\r')
        at--;
    for (; at < text.length && strchr(" \t>", text.bytes[at]); at++)
        count += text.bytes[at] == '>';
    return count;
}

/* May the byte at offset, a letter or digit, be part of a character beyond ASCII?
 * In some sets (GB 18030) such characters end so. */
static bool may_end_character(struct view text, size_t at)
{
    return at > 0 && (unsigned char)text.bytes[at - 1] >= 0x80;
}

/* What follows beyond what is no letter or digit. */
enum next { NEXT_NOTHING, NEXT_WORD, NEXT_UNKNOWN };

/* The word or number that is next to what ends at end begins at *at; in another
 * line it must be the first. NEXT_UNKNOWN where that line may be of another
 * text, or the byte at *at may stand for another. */
static enum next find_next(struct view text, size_t end, size_t *at)
{
    bool other_line = false;

    for (*at = end; *at < text.length; ++*at) {
        char c = text.bytes[*at];

        if (*at - end == GAP_MAX || is_escape(text, *at) || (other_line && strchr("|:", c)))
            return NEXT_UNKNOWN;
        if (other_line && c == '>' && count_marks(text, *at) != count_marks(text, end))
            return NEXT_UNKNOWN;
        if (g_ascii_isalpha(c) && (may_end_character(text, *at) || (other_line && !is_word_of_line(text, *at))))
            return NEXT_UNKNOWN;
        if (g_ascii_isalnum(c))
            return NEXT_WORD;
        other_line = other_line || c == '\n' || c == '\r';
    }
    return NEXT_NOTHING;
}

/* Does unit follow the digits at offset, or those behind a point of theirs? */
static bool has_unit(struct view text, size_t at, const char *unit)
{
    const size_t length = strlen(unit);

    while (at < text.length && g_ascii_isdigit(text.bytes[at])) {
        while (at < text.length && g_ascii_isdigit(text.bytes[at]))
            at++;
        if (text.length - at >= length && memcmp(text.bytes + at, unit, length) == 0)
            return true;
        at += at < text.length && (text.bytes[at] == '.' || text.bytes[at] == ',');
    }
    return false;
}

static bool number_follows(struct view text, size_t end, const char *unit)
{
    size_t at;
    enum next next = find_next(text, end, &at);

    if (next != NEXT_WORD)
        return next == NEXT_UNKNOWN;
    return is_no_number(text, at) || (g_ascii_isdigit(text.bytes[at]) && (!unit || has_unit(text, at, unit)));
}

/* Are the words, parted by blanks, next to what ends at *end, one beside the
 * other? *end is then where the last of them ends; 0: that can't be told. */
static bool words_follow(struct view text, const char *words, size_t *end)
{
    while (*words != '\0') {
        const size_t length = strcspn(words, " ");
        size_t at;
        enum next next = find_next(text, *end, &at);

        if (next == NEXT_UNKNOWN) {
            *end = 0;
            return true;
        }
        if (next == NEXT_NOTHING || at == *end || text.length - at < length ||
            memcmp(text.bytes + at, words, length) != 0)
            return false;
        *end = at + length;
        words += length + strspn(words + length, " ");
    }
    return true;
}

static bool number_precedes(struct view text, size_t start)
{
    bool other_line = false;

    for (size_t at = start; at > 0; at--) {
        char c = text.bytes[at - 1];

        if (g_ascii_isdigit(c) || start - at == GAP_MAX)
            return true;
        if (g_ascii_isalpha(c)) /* or a mark of quoting: `Name> ` */
            return may_end_character(text, at - 1) || (at < start && text.bytes[at] == '>') ||
                   (at >= 3 && is_no_number(text, at - 3)) || (other_line && !is_word_of_line(text, at - 1));
        other_line = other_line || c == '\n' || c == '\r';
    }
    return false;
}

static bool is_word_start(struct view text, size_t start)
{
    return start == 0 || !g_ascii_isalnum(text.bytes[start - 1]) || may_end_character(text, start - 1) ||
           (start >= 3 && is_escape(text, start - 3));
}

bool literal_has_neighbours(const struct literal_item *item)
{
    return item->next || item->after_number || item->before_number;
}

bool literal_fits(const struct literal_item *item, struct view text, size_t start, size_t end)
{
    if ((item->begins_word && !is_word_start(text, start)) || (item->after_number && !number_precedes(text, start)))
        return false;
    if (item->next) {
        if (!words_follow(text, item->next, &end))
            return false;
        if (end == 0)
            return true;
    }
    return (!item->ends_word || end == text.length || !g_ascii_isalnum(text.bytes[end])) &&
           (!item->before_number || number_follows(text, end, item->unit));
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
        if (literal_fits(item, text, at, at + length))
            return true;
        at++;
    }
    return false;
}
