/* transfer: both decoders go line by line, as the encodings do. Encoders of
 * base64 fill whole groups of four into a line nearly always, so a damaged
 * line costs itself alone; where groups do cross lines they are carried over.
 */
#include "extract/transfer.h"

enum { NOT_BASE64 = 0xff, PADDING = 64 };

struct base64 {
    guint32 bits;
    unsigned count; /* characters of the group at hand, 0 to 3 */
    bool padded;    /* the text has ended, unless whole groups follow */
};

/* The value of a character by its place among A-Z a-z 0-9 + and /. */
static unsigned base64_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (unsigned)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (unsigned)(c - 'a') + 26;
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0') + 52;
    return c == '+' ? 62 : c == '/' ? 63 : c == '=' ? PADDING : NOT_BASE64;
}

static void fill_table(unsigned char *table)
{
    for (unsigned c = 0; c < 256; c++)
        table[c] = (unsigned char)base64_value((char)c);
}

/* Is line base64: characters of its alphabet, then at most two `=`? */
static bool is_base64(struct view line, const unsigned char *table, const struct base64 *state)
{
    size_t length = line.length;
    unsigned all = 0;

    while (length > 0 && line.length - length < 2 && line.bytes[length - 1] == '=')
        length--;
    for (size_t i = 0; i < length; i++)
        all |= table[(unsigned char)line.bytes[i]];
    return all < PADDING && (!state->padded || line.length % 4 == 0);
}

/* Write the bytes of a group that is not full: 2 characters hold one byte, 3
 * two. False where a character is left over. */
static bool end_group(GString *out, struct base64 *state)
{
    bool whole = state->count != 1;

    if (state->count >= 2)
        g_string_append_c(out, (char)(state->bits >> (state->count == 2 ? 4 : 10)));
    if (state->count == 3)
        g_string_append_c(out, (char)(state->bits >> 2));
    state->bits = 0;
    state->count = 0;
    return whole;
}

static void decode_line(GString *out, struct view line, const unsigned char *table, struct base64 *state)
{
    size_t written = out->len;

    state->padded = false;
    g_string_set_size(out, out->len + line.length / 4 * 3 + 3);
    for (size_t i = 0; i < line.length; i++) {
        /* whole groups at once; what is no value has a bit that no value has */
        while (state->count == 0 && line.length - i >= 4) {
            const unsigned char *c = (const unsigned char *)line.bytes + i;
            const guint32 bits = (guint32)table[c[0]] << 18 | (guint32)table[c[1]] << 12 | (guint32)table[c[2]] << 6 |
                                 (guint32)table[c[3]];

            if ((table[c[0]] | table[c[1]] | table[c[2]] | table[c[3]]) >= PADDING)
                break;
            out->str[written++] = (char)(bits >> 16);
            out->str[written++] = (char)(bits >> 8);
            out->str[written++] = (char)bits;
            i += 4;
        }
        if (i == line.length)
            break;

        unsigned value = table[(unsigned char)line.bytes[i]];

        if (value == PADDING) {
            state->padded = true;
            break;
        }
        state->bits = state->bits << 6 | value;
        if (++state->count == 4) {
            out->str[written++] = (char)(state->bits >> 16);
            out->str[written++] = (char)(state->bits >> 8);
            out->str[written++] = (char)state->bits;
            state->count = 0;
        }
    }
    g_string_truncate(out, written);
}

bool transfer_decode_base64(GString *out, struct view encoded)
{
    unsigned char table[256];
    struct base64 state = {0, 0, false};
    bool intact = true;
    bool in_gap = false;

    fill_table(table);
    while (encoded.length > 0) {
        const char *end = memchr(encoded.bytes, '\n', encoded.length);
        size_t length = end != NULL ? (size_t)(end - encoded.bytes) : encoded.length;
        struct view line = view_trim(view_slice(encoded, 0, length));

        encoded = view_slice(encoded, end != NULL ? length + 1 : length, encoded.length);
        if (line.length == 0)
            continue;
        if (is_base64(line, table, &state)) {
            in_gap = false;
            decode_line(out, line, table, &state);
            if (state.padded)
                intact = end_group(out, &state) && intact;
        } else {
            (void)end_group(out, &state);
            intact = false;
            if (!in_gap)
                g_string_append_c(out, '\0');
            in_gap = true;
        }
    }
    return end_group(out, &state) && intact;
}

/* The length of a soft line break's rest, what follows the `=`: blanks that
 * relays may add, then the line end; 0 where it is none. */
static size_t soft_break_length(struct view v)
{
    size_t length = 0;

    while (length < v.length && (v.bytes[length] == ' ' || v.bytes[length] == '\t'))
        length++;
    if (length < v.length && v.bytes[length] == '\r')
        length++;
    return length < v.length && v.bytes[length] == '\n' ? length + 1 : 0;
}

void transfer_decode_quoted_printable(GString *out, struct view encoded)
{
    while (encoded.length > 0) {
        const char *mark = memchr(encoded.bytes, '=', encoded.length);
        size_t length = mark != NULL ? (size_t)(mark - encoded.bytes) : encoded.length;

        g_string_append_len(out, encoded.bytes, (gssize)length);
        if (mark == NULL)
            return;
        encoded = view_slice(encoded, length + 1, encoded.length);

        length = soft_break_length(encoded);
        if (length == 0 && encoded.length >= 2 && g_ascii_isxdigit(encoded.bytes[0]) &&
            g_ascii_isxdigit(encoded.bytes[1])) {
            g_string_append_c(
                out, (char)(g_ascii_xdigit_value(encoded.bytes[0]) << 4 | g_ascii_xdigit_value(encoded.bytes[1])));
            length = 2;
        } else if (length == 0 && encoded.length > 0) {
            g_string_append_c(out, '=');
        }
        encoded = view_slice(encoded, length, encoded.length);
    }
}
