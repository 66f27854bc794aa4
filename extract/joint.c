/* joint: what vanishes is looked for in runs, so that of two that follow each
 * other neither hides the other.
 */
#include "extract/joint.h"

#include "extract/unseen.h"
#include "extract/vector.h"

enum {
    BYTES = 256,
    TRIPLES = 1 << 15,
    ROW_MAX = 1024, /* bytes behind an escape that are looked at; it may have 256 */
};

struct joints {
    bool member[BYTES];         /* a byte that is in some literal */
    bool begins[BYTES];         /* a byte that some literal goes on behind */
    bool follows[BYTES][BYTES]; /* two bytes that are neighbours in some literal */
    bool ends[BYTES][BYTES];    /* two bytes that end one */
    bool triples[TRIPLES];      /* by their hash: three that are neighbours */
};

struct joints *joints_new(void)
{
    return g_new0(struct joints, 1);
}

void joints_free(struct joints *joints)
{
    g_free(joints);
}

static unsigned triple_of(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;

    return (b[0] * 33u * 33u + b[1] * 33u + b[2]) % TRIPLES;
}

void joints_add(struct joints *joints, struct view literal)
{
    for (size_t at = 0; at < literal.length; at++)
        joints->member[(unsigned char)literal.bytes[at]] = true;
    for (size_t at = 1; at < literal.length; at++) {
        unsigned char first = (unsigned char)literal.bytes[at - 1];

        joints->begins[first] = true;
        joints->follows[first][(unsigned char)literal.bytes[at]] = true;
        if (at + 1 == literal.length)
            joints->ends[first][(unsigned char)literal.bytes[at]] = true;
        else
            joints->triples[triple_of(literal.bytes + at - 1)] = true;
    }
}

bool joints_have(const struct joints *joints, unsigned char byte)
{
    return joints->member[byte];
}

static bool is_follower(const struct joints *joints, char before, char after)
{
    return joints->follows[(unsigned char)before][(unsigned char)after];
}

bool joints_touch(const struct joints *joints, char before, char after)
{
    if (after == ' ' || after == '\t' || after == '\n' || after == '\r')
        return false;
    return before == '*' || is_follower(joints, before, after) ||
           (joints->begins[(unsigned char)before] && (after == '*' || (unsigned char)after >= 0x80));
}

static bool ends_row(char c)
{
    return c == '\n' || c == '\r';
}

/* How much vanishes where the text begins; 0: nothing. */
static size_t vanishing_length(struct view text, enum joint_charset charset)
{
    size_t length = 0;

    if (text.bytes[0] == '*')
        return 1;
    if (text.bytes[0] == '\033') { /* within its row */
        while (length < text.length && length < ROW_MAX && !ends_row(text.bytes[length]))
            length++;
        text.length = length;
    }
    length = unseen_length(text);
    if (length == 0 && charset != JOINT_UTF8 && (unsigned char)text.bytes[0] == 0xAD) /* soft hyphen of ISO 8859 */
        length = 1;
    return length;
}

static bool is_special(char c)
{
    return (unsigned char)c >= 0x80 || c == '*' || c == '[' || c == '\033' || c == '\b';
}

/* May stars that part two bytes of the text be taken off and make a literal?
 * Words in stars begin and end beside blanks and these (decoration.c). */
static bool may_be_bold(const struct joints *joints, char before, struct view rest)
{
    const char after = rest.length > 0 ? rest.bytes[0] : '\n';

    if (!is_follower(joints, before, after) || !(strchr("(=,:[|\"'", before) || strchr(".,;:!?)]=|\"'", after)))
        return false;
    if (joints->ends[(unsigned char)before][(unsigned char)after] || rest.length < 2 || is_special(rest.bytes[1]))
        return true;
    return joints->triples[triple_of((const char[]){before, after, rest.bytes[1]})];
}

#if HAVE_WIDE_VECTORS
/* find_special as far as it goes in wide vectors; false: *at is where it goes on. */
WITH_WIDE_VECTORS static bool find_special_wide(struct view text, size_t *at)
{
    for (; *at + WIDE_VECTOR_SIZE < text.length; *at += WIDE_VECTOR_SIZE) {
        const __m512i before = _mm512_loadu_si512(text.bytes + *at - 1), bytes = _mm512_loadu_si512(text.bytes + *at);
        const __m512i after = _mm512_loadu_si512(text.bytes + *at + 1), blank = _mm512_set1_epi8(' ');
        const __m512i digit = _mm512_sub_epi8(after, _mm512_set1_epi8('0'));
        const uint64_t stars = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('*')) &
                               _mm512_cmpgt_epu8_mask(before, blank) & _mm512_cmpgt_epu8_mask(after, blank);
        const uint64_t colours =
            _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('[')) & _mm512_cmplt_epu8_mask(digit, _mm512_set1_epi8(10));
        const uint64_t hits = stars | colours | _mm512_movepi8_mask(bytes) |
                              _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\033')) |
                              _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\b'));

        if (hits != 0) {
            *at += (size_t)__builtin_ctzll(hits);
            return true;
        }
    }
    return false;
}
#endif

/* The next byte from offset on with which something that vanishes may begin.
 * No literal has a blank where stars are taken off; a colour begins with a digit. */
static size_t find_special(struct view text, size_t at)
{
    if (at == 0 && text.length > 0 && is_special(text.bytes[0]))
        return at;
    at = MAX(at, 1);
#if HAVE_WIDE_VECTORS
    if (vectors_may_be_wide() && find_special_wide(text, &at))
        return at;
#endif
    for (; at + VECTOR_SIZE < text.length; at += VECTOR_SIZE) {
        const vector before = vector_load(text.bytes + at - 1), bytes = vector_load(text.bytes + at);
        const vector after = vector_load(text.bytes + at + 1);
        const vector special = (vector)((bytes == '*') & (before > ' ') & (after > ' ')) |
                               (vector)((bytes == '[') & ((vector)(after - '0') < 10)) | (vector)(bytes == '\033') |
                               (vector)(bytes == '\b') | bytes;
        const uint32_t hits = vector_bits(special);

        if (hits != 0)
            return at + (size_t)__builtin_ctz(hits);
    }
    while (at < text.length && !is_special(text.bytes[at]))
        at++;
    return MIN(at, text.length);
}

/* What vanishes in a run: the worst of it. */
enum run { RUN_NONE, RUN_STARS, RUN_SIGNS, RUN_ESCAPES };

/* The run from *at on; *at is behind it. */
static enum run read_run(struct view text, size_t *at, enum joint_charset charset)
{
    enum run run = RUN_NONE;
    size_t length;

    while (*at < text.length && (length = vanishing_length(view_slice(text, *at, text.length), charset)) > 0) {
        char c = text.bytes[*at];

        run = MAX(run, c == '*' ? RUN_STARS : c == '\033' || c == '[' ? RUN_ESCAPES : RUN_SIGNS);
        *at += length;
    }
    return run;
}

/* May what begins at *at part a literal, or a literal and its number? *at is
 * then behind all that vanishes there. */
static bool may_part(const struct joints *joints, struct view text, enum joint_charset charset, size_t *at)
{
    const size_t start = *at;
    const enum run run = read_run(text, at, charset);
    const char before = start > 0 ? text.bytes[start - 1] : '\n';
    const char after = *at < text.length ? text.bytes[*at] : '\n';

    if (run == RUN_STARS)
        return may_be_bold(joints, before, view_slice(text, *at, text.length));
    if (run == RUN_SIGNS)
        return joints_touch(joints, before, after);
    if (run == RUN_ESCAPES)
        return true;
    ++*at;
    /* In GB 18030 signs have four bytes, two of them digits. */
    return after == '\b' || (charset == JOINT_GB && (unsigned char)after >= 0x80 && *at < text.length &&
                             g_ascii_isdigit(text.bytes[*at]));
}

static void append_seen(GString *closed, struct view row)
{
    GString *seen = g_string_sized_new(row.length);

    unseen_remove(seen, row);
    for (size_t i = 0; i < seen->len; i++)
        if (seen->str[i] != '*')
            g_string_append_c(closed, seen->str[i]);
    g_string_append_c(closed, '\n');
    g_string_free(seen, TRUE);
}

/* As UTF-8, each byte of the row a character: ISO 8859-1. */
static GString *widen(struct view row)
{
    GString *wide = g_string_sized_new(2 * row.length);

    for (size_t i = 0; i < row.length; i++)
        g_string_append_unichar(wide, (unsigned char)row.bytes[i]);
    return wide;
}

/* Append the row as it will be seen, in each of the ways in which it may be read. */
static void close_row(GString *closed, struct view row, enum joint_charset charset, bool whole)
{
    append_seen(closed, row);
    if (charset == JOINT_BYTES && text_find_wide(row, 0) < row.length) {
        GString *wide = widen(row);

        close_row(closed, (struct view){wide->str, wide->len}, JOINT_UTF8, whole);
        g_string_free(wide, TRUE);
    }
    /* An escape that goes on behind the row is the byte alone. */
    if (!whole && memchr(row.bytes, '\033', row.length)) {
        GString *rest = g_string_sized_new(row.length);

        for (size_t i = 0; i < row.length; i++)
            if (row.bytes[i] != '\033')
                g_string_append_c(rest, row.bytes[i]);
        append_seen(closed, (struct view){rest->str, rest->len});
        g_string_free(rest, TRUE);
    }
}

bool joints_close(const struct joints *joints, struct view text, enum joint_charset charset, bool whole,
                  GString *closed)
{
    for (size_t at = find_special(text, 0); at < text.length; at = find_special(text, at)) {
        size_t start = at;
        struct view row;

        if (!may_part(joints, text, charset, &at))
            continue;
        while (start > 0 && !ends_row(text.bytes[start - 1]))
            start--;
        while (at < text.length && !ends_row(text.bytes[at]))
            at++;
        row = view_slice(text, start, at);
        if (charset == JOINT_GB)
            return false;
        close_row(closed, row, charset, whole);
    }
    return true;
}
