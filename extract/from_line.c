/* from_line: `From user@host Sat Jan  3 01:05:34 1996`, word by word.
 *
 * The sender may be missing or hold blanks (pipermail writes `user at host`),
 * so the date is looked for at every word.
 */
#include "extract/from_line.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Cut the first word off *rest; empty at its end. */
static struct view take_word(struct view *rest)
{
    size_t start = 0;
    size_t end;

    while (start < rest->length && is_blank(rest->bytes[start]))
        start++;
    for (end = start; end < rest->length && !is_blank(rest->bytes[end]);)
        end++;
    struct view word = view_slice(*rest, start, end);
    *rest = view_slice(*rest, end, rest->length);
    return word;
}

/* Is word one of the three-letter names in list, which are written together? */
static bool is_name_of(struct view word, const char *list)
{
    if (word.length != 3)
        return false;
    for (; *list != '\0'; list += 3)
        if (memcmp(word.bytes, list, 3) == 0)
            return true;
    return false;
}

/* Does word look like shape? There 0 stands for a digit, A for a capital
 * letter, ~ for a digit that may be missing, the rest for itself. */
static bool has_shape(struct view word, const char *shape)
{
    size_t at = 0;

    for (; *shape != '\0'; shape++) {
        char c = at < word.length ? word.bytes[at] : '\0';
        bool fits = *shape == '0' || *shape == '~' ? g_ascii_isdigit(c)
                    : *shape == 'A'                ? g_ascii_isupper(c)
                                                   : c == *shape;

        if (fits)
            at++;
        else if (*shape != '~')
            return false;
    }
    return at == word.length;
}

static bool is_zone(struct view word)
{
    static const char *const shapes[] = {"+0000", "-0000", "AAA", "AAAA", "AAAAA", "UT", "Z"};

    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++)
        if (has_shape(word, shapes[i]))
            return true;
    return false;
}

/* Cut off *rest what follows the weekday: `Jan  3 01:05[:34] [zone] 1996`. */
static bool take_date(struct view *rest)
{
    if (!is_name_of(take_word(rest), "JanFebMarAprMayJunJulAugSepOctNovDec") || !has_shape(take_word(rest), "0~"))
        return false;

    struct view word = take_word(rest);
    if (!has_shape(word, "0~:00:00") && !has_shape(word, "0~:00"))
        return false;
    word = take_word(rest);
    for (int zones = 0; zones < 2 && is_zone(word); zones++)
        word = take_word(rest);
    return has_shape(word, "0000");
}

/* May this stand behind the year: `[zone] [remote from host]`? */
static bool is_tail(struct view rest)
{
    struct view word = take_word(&rest);

    for (int zones = 0; zones < 2 && is_zone(word); zones++)
        word = take_word(&rest);
    return word.length == 0 || (view_is(word, "remote") && view_is(take_word(&rest), "from"));
}

/* Cut the next weekday and the date behind it off *rest, with all before. */
static bool take_dated(struct view *rest)
{
    for (struct view word = take_word(rest); word.length > 0; word = take_word(rest)) {
        struct view date = *rest;

        if (is_name_of(word, "MonTueWedThuFriSatSun") && take_date(&date)) {
            *rest = date;
            return true;
        }
    }
    return false;
}

static bool has_prefix(struct view text)
{
    return text.length >= 5 && memcmp(text.bytes, "From ", 5) == 0;
}

bool from_line_is(struct view line)
{
    if (!has_prefix(line) || line.length > FROM_LINE_MAX)
        return false;

    struct view rest = view_slice(line, 5, line.length);
    while (take_dated(&rest))
        if (is_tail(rest))
            return true;
    return false;
}

bool from_line_is_patch(struct view line)
{
    static const char date[] = " Mon Sep 17 00:00:00 2001";
    struct view trimmed = view_trim(line);
    size_t length = strlen(date);

    return from_line_is(line) && trimmed.length > length &&
           memcmp(trimmed.bytes + trimmed.length - length, date, length) == 0;
}

size_t from_line_length(struct view text)
{
    struct view rest = view_slice(text, 0, MIN(text.length, FROM_LINE_MAX));

    if (!has_prefix(text))
        return 0;
    rest = view_slice(rest, 5, rest.length);
    return take_dated(&rest) ? (size_t)(rest.bytes - text.bytes) : 0;
}

struct view from_line_unescaped(struct view line)
{
    size_t marks = 0;

    while (marks < line.length && line.bytes[marks] == '>')
        marks++;

    struct view rest = view_slice(line, marks, line.length);
    return has_prefix(rest) ? rest : line;
}
