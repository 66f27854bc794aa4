/* text: borrowed runs of bytes, and the one cleaning of text for datasets.
 *
 * Cleaning walks the bytes once. Printable ASCII, nearly all there is, is
 * copied in runs. Everything else is decoded by the byte ranges of the
 * Unicode Standard's table of well-formed UTF-8, so that overlong forms and
 * values beyond U+10FFFF never come out as characters. A whole encoded
 * surrogate or noncharacter becomes one U+FFFD, any other wrong byte one each.
 */
#include "extract/text.h"

#include "extract/vector.h"

enum { TOGETHER = 4 }; /* vectors */

#define REPLACEMENT "\xEF\xBF\xBD"

/* Where in a vector that begins at bytes[1] such pairs end, with the byte before
 * it; with line_ends, an LF or CR ends one, too. */
static inline vector pairs_in(const char *bytes, struct byte_pair pair, bool line_ends)
{
    const vector first = vector_load(bytes), second = vector_load(bytes + 1);
    vector ends = (vector)((second == (uint8_t)pair.second[0]) | (second == (uint8_t)pair.second[1]));

    if (line_ends)
        ends |= (vector)((second == '\n') | (second == '\r'));
    return (vector)((first == (uint8_t)pair.first[0]) | (first == (uint8_t)pair.first[1])) & ends;
}

static bool is_pair(const char *bytes, struct byte_pair pair, bool line_ends)
{
    return (bytes[0] == pair.first[0] || bytes[0] == pair.first[1]) &&
           (bytes[1] == pair.second[0] || bytes[1] == pair.second[1] ||
            (line_ends && (bytes[1] == '\n' || bytes[1] == '\r')));
}

#if HAVE_WIDE_VECTORS
/* find_pair as far as it goes in wide vectors; false: *at is where it goes on. */
WITH_WIDE_VECTORS static bool find_pair_wide(struct view v, size_t *at, struct byte_pair pair, bool line_ends)
{
    for (; *at + WIDE_VECTOR_SIZE <= v.length; *at += WIDE_VECTOR_SIZE) {
        const __m512i first = _mm512_loadu_si512(v.bytes + *at - 1), second = _mm512_loadu_si512(v.bytes + *at);
        const uint64_t begins = _mm512_cmpeq_epi8_mask(first, _mm512_set1_epi8(pair.first[0])) |
                                _mm512_cmpeq_epi8_mask(first, _mm512_set1_epi8(pair.first[1]));
        uint64_t hits = _mm512_cmpeq_epi8_mask(second, _mm512_set1_epi8(pair.second[0])) |
                        _mm512_cmpeq_epi8_mask(second, _mm512_set1_epi8(pair.second[1]));

        if (line_ends)
            hits |= _mm512_cmpeq_epi8_mask(second, _mm512_set1_epi8('\n')) |
                    _mm512_cmpeq_epi8_mask(second, _mm512_set1_epi8('\r'));
        hits &= begins;
        if (hits != 0) {
            *at += (size_t)__builtin_ctzll(hits);
            return true;
        }
    }
    return false;
}
#endif

/* Several vectors are looked at together: most have no pair. */
static inline size_t find_pair(struct view v, size_t offset, struct byte_pair pair, bool line_ends)
{
    size_t at = MAX(offset, 1);

#if HAVE_WIDE_VECTORS
    if (vectors_may_be_wide() && find_pair_wide(v, &at, pair, line_ends))
        return at;
#endif
    for (; at + TOGETHER * VECTOR_SIZE <= v.length; at += TOGETHER * VECTOR_SIZE) {
        const char *bytes = v.bytes + at - 1;
        const vector any = pairs_in(bytes, pair, line_ends) | pairs_in(bytes + VECTOR_SIZE, pair, line_ends) |
                           pairs_in(bytes + 2 * VECTOR_SIZE, pair, line_ends) |
                           pairs_in(bytes + 3 * VECTOR_SIZE, pair, line_ends);

        if (vector_bits(any) != 0)
            break;
    }
    for (; at + VECTOR_SIZE <= v.length; at += VECTOR_SIZE) {
        const vector found = pairs_in(v.bytes + at - 1, pair, line_ends);
        const uint32_t hits = vector_bits(found);

        if (hits != 0)
            return at + (size_t)__builtin_ctz(hits);
    }
    for (; at < v.length; at++)
        if (is_pair(v.bytes + at - 1, pair, line_ends))
            return at;
    return v.length;
}

size_t text_find_pair(struct view v, size_t offset, struct byte_pair pair)
{
    return find_pair(v, offset, pair, false);
}

size_t text_find_line(struct view v, size_t offset, char letter)
{
    const struct byte_pair begins = {{'\n', '\n'}, {letter, g_ascii_toupper(letter)}};

    return find_pair(v, offset, begins, true);
}

size_t text_find_wide(struct view v, size_t offset)
{
    for (; v.length - offset >= TOGETHER * VECTOR_SIZE; offset += TOGETHER * VECTOR_SIZE) {
        const char *bytes = v.bytes + offset;
        const vector any = vector_load(bytes) | vector_load(bytes + VECTOR_SIZE) |
                           vector_load(bytes + 2 * VECTOR_SIZE) | vector_load(bytes + 3 * VECTOR_SIZE);

        if (vector_bits(any) != 0)
            break;
    }
    for (; v.length - offset >= VECTOR_SIZE; offset += VECTOR_SIZE) {
        const vector bytes = vector_load(v.bytes + offset);
        const uint32_t hits = vector_bits(bytes);

        if (hits != 0)
            return offset + (size_t)__builtin_ctz(hits);
    }
    while (offset < v.length && (unsigned char)v.bytes[offset] < 0x80)
        offset++;
    return offset;
}

/* Eight bytes at once, as one number: a byte above 0x7E has its highest bit
 * set, or gets it when 1 is added; the lowest byte that is below 0x20 gets it
 * when 0x20 is taken off. */
bool text_is_plain(struct view v)
{
    const uint64_t ones = UINT64_MAX / 0xFF;
    size_t position = 0;

    for (; v.length - position >= sizeof ones; position += sizeof ones) {
        uint64_t word;
        memcpy(&word, v.bytes + position, sizeof word);
        if (((word | (word + ones) | (word - 0x20 * ones)) & 0x80 * ones) != 0)
            return false;
    }
    for (; position < v.length; position++)
        if (v.bytes[position] < 0x20 || v.bytes[position] > 0x7E)
            return false;
    return true;
}

/* Decode the multi-byte character at the start of v: its length, or 0 where
 * the bytes are none. Encoded surrogates are decoded, for the caller to judge. */
static size_t decode(struct view v, gunichar *character)
{
    const unsigned char *bytes = (const unsigned char *)v.bytes;
    size_t length;
    gunichar value;
    gunichar smallest;

    if (bytes[0] >= 0xC2 && bytes[0] <= 0xDF) {
        length = 2;
        value = bytes[0] & 0x1F;
        smallest = 0x80;
    } else if (bytes[0] >= 0xE0 && bytes[0] <= 0xEF) {
        length = 3;
        value = bytes[0] & 0x0F;
        smallest = 0x800;
    } else if (bytes[0] >= 0xF0 && bytes[0] <= 0xF4) {
        length = 4;
        value = bytes[0] & 0x07;
        smallest = 0x10000;
    } else {
        return 0;
    }
    if (v.length < length)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3F);
    }
    if (value < smallest || value > 0x10FFFF)
        return 0;
    *character = value;
    return length;
}

static bool is_excluded(gunichar character)
{
    return (character >= 0x80 && character <= 0x9F) ||     /* C1 controls */
           (character >= 0xD800 && character <= 0xDFFF) || /* surrogates */
           (character >= 0xFDD0 && character <= 0xFDEF) || /* noncharacters */
           (character & 0xFFFE) == 0xFFFE;                 /* the last two of each plane */
}

void text_append_clean(GString *out, struct view v)
{
    size_t position = 0;

    if (text_is_plain(v)) {
        g_string_append_len(out, v.bytes, (gssize)v.length);
        return;
    }
    while (position < v.length) {
        size_t run = position;
        while (run < v.length && v.bytes[run] >= 0x20 && v.bytes[run] <= 0x7E)
            run++;
        g_string_append_len(out, v.bytes + position, (gssize)(run - position));
        position = run;
        if (position == v.length)
            break;

        const char c = v.bytes[position];
        if (c == '\r' && position + 1 < v.length && v.bytes[position + 1] == '\n') {
            g_string_append_c(out, ' ');
            position += 2;
            continue;
        }
        if (c == '\n' || c == '\r' || c == '\t') {
            g_string_append_c(out, ' ');
            position++;
            continue;
        }

        gunichar character = 0;
        const size_t length = decode(view_slice(v, position, v.length), &character);
        if (length == 0 || is_excluded(character))
            g_string_append(out, REPLACEMENT);
        else if (character == 0x2028 || character == 0x2029)
            g_string_append_c(out, ' '); /* Unicode's own line and paragraph breaks */
        else
            g_string_append_len(out, v.bytes + position, (gssize)length);
        position += length == 0 ? 1 : length;
    }
}

void text_empty(GString **string, size_t kept)
{
    if ((*string)->allocated_len > kept) {
        g_string_free(*string, TRUE);
        *string = g_string_new(NULL);
    }
    g_string_truncate(*string, 0);
}
