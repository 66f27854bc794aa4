#include "extract/quoting.h"

#include "extract/vector.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int hex_value(char c)
{
    return g_ascii_isxdigit(c) ? g_ascii_xdigit_value(c) : -1;
}

/* Is the `=` at offset the beginning of an escape or of a soft line break that
 * parts a literal? */
static bool is_quoting(const struct joints *joints, struct view text, size_t at)
{
    size_t next = at + 1;
    int high = next < text.length ? hex_value(text.bytes[next]) : -1;

    if (high >= 0) {
        int low = next + 1 < text.length ? hex_value(text.bytes[next + 1]) : -1;
        int byte = 16 * high + low;

        /* Of control characters those that do not begin with a letter look like numbers. */
        return low >= 0 && (byte >= 0x80 || byte == '\b' || byte == '\033' || byte == '=' ||
                            joints_have(joints, (unsigned char)byte) || (byte < ' ' && low > 9));
    }
    while (next < text.length && is_blank(text.bytes[next]))
        next++;
    if (next < text.length && text.bytes[next] == '\r')
        next++;
    if (next >= text.length || text.bytes[next] != '\n' || at == 0)
        return false;
    next++;
    if (next < text.length && (text.bytes[next] == '>' || is_blank(text.bytes[next]))) {
        size_t behind = next;

        while (behind < text.length && (text.bytes[behind] == '>' || is_blank(text.bytes[behind])))
            behind++;
        next = memchr(text.bytes + next, '>', behind - next) ? behind : next;
    }
    return next < text.length && joints_touch(joints, text.bytes[at - 1], text.bytes[next]);
}

#if HAVE_WIDE_VECTORS
/* find_equals as far as it goes in wide vectors; false: *at is where it goes on. */
WITH_WIDE_VECTORS static bool find_equals_wide(struct view text, size_t *at)
{
    for (; *at + WIDE_VECTOR_SIZE + 2 <= text.length; *at += WIDE_VECTOR_SIZE) {
        const __m512i bytes = _mm512_loadu_si512(text.bytes + *at), next = _mm512_loadu_si512(text.bytes + *at + 1);
        const __m512i further = _mm512_loadu_si512(text.bytes + *at + 2), blank = _mm512_set1_epi8(' ');
        const __m512i digit = _mm512_sub_epi8(next, _mm512_set1_epi8('0'));
        const __m512i letter = _mm512_sub_epi8(_mm512_or_si512(next, blank), _mm512_set1_epi8('a'));
        const uint64_t escapes =
            _mm512_cmplt_epu8_mask(digit, _mm512_set1_epi8(10)) | _mm512_cmplt_epu8_mask(letter, _mm512_set1_epi8(6));
        const uint64_t breaks = _mm512_cmpeq_epi8_mask(next, _mm512_set1_epi8('\n')) |
                                _mm512_cmpeq_epi8_mask(next, _mm512_set1_epi8('\r')) |
                                (_mm512_cmple_epu8_mask(next, blank) & _mm512_cmple_epu8_mask(further, blank));
        const uint64_t hits = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('=')) & (escapes | breaks);

        if (hits != 0) {
            *at += (size_t)__builtin_ctzll(hits);
            return true;
        }
    }
    return false;
}
#endif

/* The next `=` from offset on behind which an escape or a line's end may stand. */
static size_t find_equals(struct view text, size_t at)
{
#if HAVE_WIDE_VECTORS
    if (vectors_may_be_wide() && find_equals_wide(text, &at))
        return at;
#endif
    for (; at + VECTOR_SIZE + 2 <= text.length; at += VECTOR_SIZE) {
        const vector bytes = vector_load(text.bytes + at);
        const vector next = vector_load(text.bytes + at + 1), further = vector_load(text.bytes + at + 2);
        const vector letter = next | 0x20;
        const vector found =
            (vector)(bytes == '=') &
            ((vector)((vector)(next - '0') < 10) | (vector)((vector)(letter - 'a') < 6) | (vector)(next == '\n') |
             (vector)(next == '\r') | ((vector)(next <= ' ') & (vector)(further <= ' ')));
        const uint32_t hits = vector_bits(found);

        if (hits != 0)
            return at + (size_t)__builtin_ctz(hits);
    }
    while (at < text.length && text.bytes[at] != '=')
        at++;
    return at;
}

bool quoting_is_in(struct view text, const struct joints *joints)
{
    for (size_t at = find_equals(text, 0); at < text.length; at = find_equals(text, at + 1))
        if (is_quoting(joints, text, at))
            return true;
    return false;
}

/* Does undecoded.c leave out the byte, whether or not it was encoded? */
static bool is_dropped(int byte)
{
    return byte < ' ' && byte != '\n' && !strchr("\t\r\f\b\033", byte);
}

/* The next byte from offset on that is_dropped. */
static size_t find_dropped(struct view text, size_t at)
{
    for (; at + VECTOR_SIZE <= text.length; at += VECTOR_SIZE) {
        const vector bytes = vector_load(text.bytes + at);

        const vector control = (vector)((bytes < ' ') & (bytes != '\n') & (bytes != '\r') & (bytes != '\t'));

        if (vector_bits(control) != 0)
            break;
    }
    while (at < text.length && !is_dropped((unsigned char)text.bytes[at]))
        at++;
    return at;
}

static void append_undropped(GString *out, struct view text)
{
    for (size_t at = 0; at < text.length; at++) {
        const size_t end = find_dropped(text, at);

        g_string_append_len(out, text.bytes + at, (gssize)(end - at));
        at = end;
    }
}

void quoting_undo(GString *out, struct view text)
{
    while (text.length > 0) {
        const char *mark = memchr(text.bytes, '=', text.length);
        size_t length = mark ? (size_t)(mark - text.bytes) : text.length;
        size_t at = 0;

        append_undropped(out, view_slice(text, 0, length));
        if (!mark)
            return;
        text = view_slice(text, length + 1, text.length);
        while (at < text.length && is_blank(text.bytes[at]))
            at++;
        at += at < text.length && text.bytes[at] == '\r';
        if (at < text.length && text.bytes[at] == '\n') {
            size_t end = ++at;

            while (end < text.length && (text.bytes[end] == '>' || is_blank(text.bytes[end])))
                if (text.bytes[end++] == '>')
                    at = end;
            if (at < end && text.bytes[at] == ' ' && at > 0 && text.bytes[at - 1] == '>')
                at++;
        } else if (text.length >= 2 && hex_value(text.bytes[0]) >= 0 && hex_value(text.bytes[1]) >= 0) {
            int byte = 16 * hex_value(text.bytes[0]) + hex_value(text.bytes[1]);

            if (!is_dropped(byte))
                g_string_append_c(out, (char)byte);
            at = 2;
        } else {
            g_string_append_c(out, '=');
            at = 0;
        }
        text = view_slice(text, at, text.length);
    }
}
