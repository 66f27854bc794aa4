#include "extract/unseen.h"

enum {
    ESCAPE_MAX = 256, /* bytes of a terminal's escape; longer ones are none */
    COLOUR_MAX = 32,
};

/* Length of the byte sequence at v's start if it is one of these, else 0. */
static size_t blank_length(struct view v)
{
    const unsigned char *b = (const unsigned char *)v.bytes;

    if (v.length >= 2 && b[0] == 0xC2 && b[1] == 0xA0) /* U+00A0 */
        return 2;
    if (v.length < 3)
        return 0;
    if (b[0] == 0xE2 && b[1] == 0x80 && ((b[2] >= 0x80 && b[2] <= 0x8A) || b[2] == 0xAF)) /* U+2000-U+200A, U+202F */
        return 3;
    if ((b[0] == 0xE2 && b[1] == 0x81 && b[2] == 0x9F) ||
        (b[0] == 0xE3 && b[1] == 0x80 && b[2] == 0x80)) /* 205F, 3000 */
        return 3;
    return 0;
}

static size_t invisible_length(struct view v)
{
    const unsigned char *b = (const unsigned char *)v.bytes;

    if (v.length >= 2 && b[0] == 0xC2 && b[1] == 0xAD) /* U+00AD, soft hyphen */
        return 2;
    if (v.length < 3)
        return 0;
    if (b[0] == 0xE2 && ((b[1] == 0x80 && b[2] == 0x8B) || (b[1] == 0x81 && b[2] == 0xA0))) /* U+200B, U+2060 */
        return 3;
    return b[0] == 0xEF && b[1] == 0xBB && b[2] == 0xBF ? 3 : 0; /* U+FEFF */
}

/* `[1;34m` as it is left where the escape byte was lost. Other tools print
 * `[5m]` for five minutes: a colour is not set just before a bracket closes. */
static size_t colour_length(struct view v)
{
    size_t at = 1, digits = 0;
    bool separator = true; /* the byte before is none of a number */
    bool reset = true;

    if (v.length < 3 || v.bytes[0] != '[')
        return 0;
    for (; at < v.length && at < COLOUR_MAX; at++) {
        char c = v.bytes[at];

        if (g_ascii_isdigit(c)) {
            digits++;
            reset = reset && c == '0';
            separator = false;
        } else if (c == ';' && !separator) {
            separator = true;
            reset = false;
        } else {
            break;
        }
    }
    if (digits == 0 || separator || at >= v.length || v.bytes[at] != 'm')
        return 0;
    at++;
    if (!memchr(v.bytes, ';', at) && !reset && at < v.length && v.bytes[at] == ']')
        return 0;
    return at;
}

/* The escape at v, which begins with ESC: the whole of a control sequence
 * (ECMA-48), a title or a character set; otherwise the byte alone. */
static size_t escape_length(struct view v)
{
    size_t most = MIN(v.length, (size_t)ESCAPE_MAX);
    size_t at = 1;

    if (v.length < 2)
        return 1;
    if (v.bytes[1] == '[') {
        for (at = 2; at < most && v.bytes[at] >= 0x30 && v.bytes[at] <= 0x3F; at++)
            ;
        for (; at < most && v.bytes[at] >= 0x20 && v.bytes[at] <= 0x2F; at++)
            ;
        return at < most && v.bytes[at] >= 0x40 && v.bytes[at] <= 0x7E ? at + 1 : 1;
    }
    if (v.bytes[1] == ']') {
        for (at = 2; at < most; at++) {
            if (v.bytes[at] == '\a')
                return at + 1;
            if (v.bytes[at] == '\033')
                return at + 1 < v.length && v.bytes[at + 1] == '\\' ? at + 2 : 1;
        }
        return 1;
    }
    for (; at < most && v.bytes[at] >= 0x20 && v.bytes[at] <= 0x2F; at++)
        ;
    return at > 1 && at < most && v.bytes[at] >= 0x30 && v.bytes[at] <= 0x7E ? at + 1 : 1;
}

size_t unseen_length(struct view text)
{
    unsigned char c = (unsigned char)text.bytes[0];

    if (c == '\033')
        return escape_length(text);
    if (c == '[')
        return colour_length(text);
    return c >= 0x80 ? invisible_length(text) : 0;
}

static void erase_character(GString *out)
{
    gsize end = out->len;

    while (end > 0 && ((unsigned char)out->str[end - 1] & 0xC0) == 0x80)
        end--;
    g_string_truncate(out, end > 0 ? end - 1 : 0);
}

/* A row of printable ASCII has nothing but colours whose escape byte was lost. */
static bool has_colour(struct view v)
{
    const char *found;

    while (v.length > 0 && (found = memchr(v.bytes, '[', v.length)) != NULL) {
        v = view_slice(v, (size_t)(found - v.bytes), v.length);
        if (colour_length(v) > 0)
            return true;
        v = view_slice(v, 1, v.length);
    }
    return false;
}

bool unseen_may_be_in(struct view v, bool is_plain)
{
    if (is_plain) /* as most lines are */
        return has_colour(v);
    for (size_t i = 0; i < v.length; i++) {
        switch ((unsigned char)v.bytes[i]) {
        case '\b':
        case '\033':
        case '[':
        case 0xC2:
        case 0xE2:
        case 0xE3:
        case 0xEF:
            return true;
        default:
            break;
        }
    }
    return false;
}

void unseen_remove(GString *out, struct view row)
{
    for (size_t at = 0; at < row.length;) {
        struct view rest = view_slice(row, at, row.length);
        unsigned char c = (unsigned char)rest.bytes[0];
        size_t length = unseen_length(rest);

        if (c == '\b') {
            erase_character(out);
            length = 1;
        } else if (length > 0) {
            /* `^[` is the escape byte as some programs show it */
            if (c == '[' && out->len >= 2 && memcmp(out->str + out->len - 2, "^[", 2) == 0)
                g_string_truncate(out, out->len - 2);
        } else if (c >= 0x80) {
            length = blank_length(rest);
            if (length > 0)
                g_string_append_c(out, ' ');
        }
        if (length == 0) {
            g_string_append_c(out, (char)c);
            length = 1;
        }
        at += length;
    }
}
