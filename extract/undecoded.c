/* Outline: a run of lines is encoded if every `=` in it is one that an encoder
 * writes, and enough of them are of a kind that other text has not (points).
 * Figures are full of `=` (`min=8,`, `|=====`), so that a run ends soon where
 * nothing is encoded; it also ends at what an encoder would not have left as
 * it is, which is a long line or one that is not ASCII.
 *
 * A quoted copy of encoded text has marks before every piece of a broken line
 * (`> one=` `> two`). How many of the marks are such shows in the run's broken
 * lines: the fewest that both pieces share.
 */
#include "extract/undecoded.h"

enum {
    /* Encoders break at 76 characters or a few before (`=C3=A9` is not parted);
     * a mark may stand before that. */
    BROKEN_LENGTH_MIN = 60,
    BROKEN_LENGTH_MAX = 78,
    FULL_LENGTH_MIN = 72, /* no room was left for another `=3D=` */
    LINE_LENGTH_MAX = 100,
    POINTS_MIN = 2,
    ESCAPE_LENGTH = 3,
    CHARACTER_MAX = 4, /* bytes in UTF-8 */
};

/* What one line tells. */
struct evidence {
    unsigned points;
    unsigned break_points; /* for the soft break at its end, if the next line is encoded too */
    bool soft_break;
    bool ends_within_character; /* maybe: an escape of a byte beyond ASCII comes right before the soft break */
};

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte that the escape at offset stands for, or -1. RFC 2045 wants capital
 * letters, and so do we: `=3d` may be three days. */
static int escape_at(struct view line, size_t at)
{
    int high, low;

    if (at >= line.length || line.length - at < ESCAPE_LENGTH || line.bytes[at] != '=')
        return -1;
    high = hex_value(line.bytes[at + 1]);
    low = hex_value(line.bytes[at + 2]);
    return high >= 0 && low >= 0 ? high * 16 + low : -1;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Blanks after the `=` of a soft break don't count (RFC 2045 6.7, rule 3). */
static bool is_soft_break(struct view line, size_t at)
{
    if (line.bytes[at] != '=')
        return false;
    for (at++; at < line.length; at++)
        if (!is_blank(line.bytes[at]))
            return false;
    return true;
}

/* Length of at most so many quote marks at the line's start, of which *count
 * were found. */
static size_t marks_length(struct view line, unsigned most, unsigned *count)
{
    size_t end = 0;
    size_t at = 0;

    *count = 0;
    while (at < line.length && *count < most && (line.bytes[at] == '>' || is_blank(line.bytes[at]))) {
        if (line.bytes[at++] == '>') {
            (*count)++;
            end = at;
        }
    }
    return end;
}

/* Bytes of the UTF-8 character that begins at offset, all of them escapes, or 0. */
static size_t character_length(struct view line, size_t at)
{
    int lead = escape_at(line, at);
    size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    char bytes[CHARACTER_MAX];

    if (lead < 0xC2 || lead > 0xF4)
        return 0;
    for (size_t i = 0; i < length; i++) {
        int byte = escape_at(line, at + i * ESCAPE_LENGTH);

        if (byte < 0x80)
            return 0;
        bytes[i] = (char)byte;
    }
    return g_utf8_validate(bytes, (gssize)length, NULL) ? length : 0;
}

/* Whether an encoder may have written this escape. Those of two digits are
 * figures elsewhere (`iodepth=20`), so that their place must speak for them. */
static bool is_written(struct view line, size_t at, int byte, bool at_start, bool after_escape)
{
    size_t end = at + ESCAPE_LENGTH;
    bool at_end = end == line.length || is_soft_break(line, end);

    switch (byte) {
    case '=':
        return true;
    case ' ':
    case '\t':
        return at_end || at_start || after_escape || escape_at(line, end) == byte ||
               (byte == '\t' && at > 0 && line.bytes[at - 1] == ':');
    case '\a':
    case '\b':
        return !at_end && !g_ascii_isdigit(line.bytes[end]) && !strchr(".,%", line.bytes[end]);
    case '\n':
    case '\f':
    case '\r':
    case 0x1B:
    case '<':
    case '>':
    case '[':
    case '\\':
    case ']':
    case '^':
    case '{':
    case '|':
    case '}':
    case '~':
        return true;
    case '-':
    case '.':
    case 'F': /* `From ` */
        return at_start;
    default:
        /* `=80` to `=99` go on with a character, others may be of a charset of one byte each */
        return byte >= 0xA0 || (byte >= 0x80 && after_escape);
    }
}

/* A soft break shows in its place. In source code `=` may end a line, but
 * hardly in the very columns where an encoder must break; the last line of
 * base64 does so, too. */
static bool read_soft_break(struct view line, size_t at, bool has_escape, bool after_escape, struct evidence *evidence)
{
    unsigned marks;
    size_t longest = BROKEN_LENGTH_MAX + marks_length(line, UINT_MAX, &marks);
    bool after_line_break = after_escape && at >= ESCAPE_LENGTH && escape_at(line, at - ESCAPE_LENGTH) == '\n';
    bool base64 = !has_escape;
    bool is_full = at + 1 >= FULL_LENGTH_MIN;

    for (size_t i = 0; i < at && base64; i++)
        base64 = g_ascii_isalnum(line.bytes[i]) || line.bytes[i] == '+' || line.bytes[i] == '/';
    if (base64 || at + 1 > longest || (at + 1 < BROKEN_LENGTH_MIN && !after_line_break))
        return false;
    evidence->soft_break = true;
    evidence->break_points = is_full || has_escape || !is_blank(line.bytes[at - 1]) ? POINTS_MIN : 1;
    return true;
}

/* Look at one line; false if it is not encoded. With continues, the line before
 * may have broken off within a character. */
static bool read_line(struct view line, bool continues, struct evidence *evidence)
{
    unsigned marks;
    size_t at = marks_length(line, UINT_MAX, &marks);
    size_t start_end = at; /* where the blanks and escapes that begin the line end */
    bool after_escape = continues;
    bool has_escape = false;

    *evidence = (struct evidence){0, 0, false, false};
    if (line.length > LINE_LENGTH_MAX + at)
        return false;
    while (start_end < line.length && is_blank(line.bytes[start_end]))
        start_end++;
    while (at < line.length) {
        int byte;

        if ((unsigned char)line.bytes[at] >= 0x80)
            return false;
        if (line.bytes[at] != '=') {
            after_escape = false;
            at++;
            continue;
        }
        if (is_soft_break(line, at)) {
            evidence->ends_within_character =
                after_escape && at >= ESCAPE_LENGTH && escape_at(line, at - ESCAPE_LENGTH) >= 0x80;
            return read_soft_break(line, at, has_escape, after_escape, evidence);
        }
        byte = escape_at(line, at);
        if (byte < 0 || !is_written(line, at, byte, at <= start_end, after_escape))
            return false;
        if (byte == '=')
            evidence->points++;
        else if (character_length(line, at) > 0)
            evidence->points += POINTS_MIN;
        if (at <= start_end)
            start_end = at + ESCAPE_LENGTH;
        at += ESCAPE_LENGTH;
        after_escape = has_escape = true;
    }
    return true;
}

/* What is being decoded. */
struct decoder {
    GString *text;
    GString *character; /* the bytes of a character that is not whole yet */
    GStringChunk *texts;
};

/* Bytes that are no UTF-8 were of a charset of one byte a character; which one
 * is not known. Blanks (A0) and micro signs (B5) are the same in most. */
static void flush_character(struct decoder *decoder)
{
    const GString *character = decoder->character;

    if (g_utf8_validate(character->str, (gssize)character->len, NULL))
        g_string_append_len(decoder->text, character->str, (gssize)character->len);
    else
        for (gsize i = 0; i < character->len; i++)
            g_string_append_unichar(decoder->text, (unsigned char)character->str[i]);
    g_string_truncate(decoder->character, 0);
}

static void append_byte(struct decoder *decoder, int byte)
{
    static const char *const controls = "\t\a\b\f\033";

    if (byte >= 0xC0 || (byte >= 0x80 && decoder->character->len == 0))
        flush_character(decoder);
    if (byte >= 0x80) {
        g_string_append_c(decoder->character, (char)byte);
        if (decoder->character->len == CHARACTER_MAX ||
            g_utf8_validate(decoder->character->str, (gssize)decoder->character->len, NULL))
            flush_character(decoder);
        return;
    }
    flush_character(decoder);
    if (byte == '\n' || byte == '\r')
        g_string_append_c(decoder->text, '\r');
    else if (byte >= ' ' || strchr(controls, byte))
        g_string_append_c(decoder->text, (char)byte);
}

static void decode_line(struct decoder *decoder, struct undecoded_line *line, size_t start)
{
    struct view text = line->text;
    size_t at = start;

    g_string_truncate(decoder->text, 0);
    while (at < text.length) {
        int byte = escape_at(text, at);

        if (line->soft_break && is_soft_break(text, at))
            break;
        append_byte(decoder, byte >= 0 ? byte : (unsigned char)text.bytes[at]);
        at += byte >= 0 ? ESCAPE_LENGTH : 1;
    }
    if (decoder->text->len > 0 && decoder->text->str[decoder->text->len - 1] == '\r')
        line->soft_break = false; /* the text's own line ends here, too */
    if (!line->soft_break)
        flush_character(decoder);
    line->decoded = line->soft_break || !view_equal(text, (struct view){decoder->text->str, decoder->text->len});
    line->text.bytes = g_string_chunk_insert_len(decoder->texts, decoder->text->str, (gssize)decoder->text->len);
    line->text.length = decoder->text->len;
}

/* The fewest marks that the two pieces of a broken line share, over all lines. */
static unsigned find_outer_marks(const struct undecoded_line *lines, size_t count)
{
    unsigned fewest = UINT_MAX;

    for (size_t i = 0; i + 1 < count; i++) {
        unsigned first, second;

        if (!lines[i].soft_break)
            continue;
        (void)marks_length(lines[i].text, fewest, &first);
        (void)marks_length(lines[i + 1].text, fewest, &second);
        fewest = MIN(first, second);
    }
    return fewest == UINT_MAX ? 0 : fewest;
}

static void decode_run(struct undecoded_line *lines, size_t count, GStringChunk *texts)
{
    struct decoder decoder = {g_string_new(NULL), g_string_new(NULL), texts};
    unsigned marks = find_outer_marks(lines, count);
    bool continues = false;

    for (size_t i = 0; i < count; i++) {
        struct view text = lines[i].text;
        size_t start = 0;

        if (continues && marks > 0) {
            unsigned found;

            start = marks_length(text, marks, &found);
            if (found > 0 && start < text.length && text.bytes[start] == ' ')
                start++;
        }
        if (start > 0 || decoder.character->len > 0 || (text.length > 0 && memchr(text.bytes, '=', text.length)))
            decode_line(&decoder, &lines[i], start);
        continues = lines[i].soft_break;
    }
    g_string_free(decoder.text, TRUE);
    g_string_free(decoder.character, TRUE);
}

/* Whether there is anything that could give points: most texts have not. */
static bool may_be_encoded(const struct undecoded_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct view line = lines[i].text;
        size_t at = 0;

        while (at < line.length) {
            const char *found = memchr(line.bytes + at, '=', line.length - at);
            int byte;

            if (!found)
                break;
            at = (size_t)(found - line.bytes);
            /* As nearly every `=` in figures is, which are full of them. */
            if (at + 1 < line.length && line.bytes[at + 1] != '=' && !is_blank(line.bytes[at + 1]) &&
                hex_value(line.bytes[at + 1]) < 0) {
                at++;
                continue;
            }
            byte = escape_at(line, at);
            if (byte == '=' || byte >= 0x80 || (byte == ' ' && at + ESCAPE_LENGTH == line.length) ||
                is_soft_break(line, at))
                return true;
            at++;
        }
    }
    return false;
}

/* A header that was pasted with its mail may say how that is encoded: whether
 * one that has not ended yet has said so. */
static bool is_announced(struct view line, bool before)
{
    static const char name[] = "Content-Transfer-Encoding:";
    static const char encoding[] = "quoted-printable";
    size_t name_length = sizeof name - 1;
    unsigned marks;
    struct view text = view_slice(line, marks_length(line, UINT_MAX, &marks), line.length);
    bool folded = text.length > 0 && is_blank(text.bytes[0]);
    size_t at = 0;

    text = view_trim(text);
    if (before && folded && text.length > 0)
        return true;
    if (text.length >= name_length && g_ascii_strncasecmp(text.bytes, name, name_length) == 0) {
        struct view value = view_trim(view_slice(text, name_length, text.length));

        return value.length == sizeof encoding - 1 && g_ascii_strncasecmp(value.bytes, encoding, value.length) == 0;
    }
    while (at < text.length && (g_ascii_isalnum(text.bytes[at]) || text.bytes[at] == '-'))
        at++;
    return before && at > 0 && at < text.length && text.bytes[at] == ':';
}

static bool is_empty(struct view line)
{
    unsigned marks;
    size_t at = marks_length(line, UINT_MAX, &marks);

    return view_trim(view_slice(line, at, line.length)).length == 0;
}

/* The run that ends before this line is decoded, or left as it is (false). */
static bool end_run(struct undecoded_line *lines, size_t start, size_t end, unsigned points, GStringChunk *texts)
{
    if (end > start)
        lines[end - 1].soft_break = false;
    if (points >= POINTS_MIN) {
        decode_run(lines + start, end - start, texts);
        return true;
    }
    for (size_t i = start; i < end; i++)
        lines[i].soft_break = false;
    return false;
}

bool undecoded_mend(struct undecoded_line *lines, size_t count, GStringChunk *texts)
{
    struct evidence before = {0, 0, false, false};
    bool announced = false; /* by a header whose end has not come */
    bool decoded = false;
    unsigned points = 0; /* of the run, up to POINTS_MIN */
    size_t start = 0;

    for (size_t i = 0; i < count; i++)
        lines[i].soft_break = false;
    if (!may_be_encoded(lines, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct evidence evidence;
        bool encoded = read_line(lines[i].text, before.ends_within_character, &evidence);
        bool begins = announced && is_empty(lines[i].text);

        if (!encoded || begins) {
            decoded = end_run(lines, start, i, points, texts) || decoded;
            start = encoded ? i : i + 1;
            points = begins ? POINTS_MIN : 0;
            before.break_points = 0;
        }
        if (encoded) {
            points = MIN(points + before.break_points + evidence.points, (unsigned)POINTS_MIN);
            lines[i].soft_break = evidence.soft_break;
            before = evidence;
        } else {
            before = (struct evidence){0, 0, false, false};
        }
        announced = is_announced(lines[i].text, announced);
    }
    return end_run(lines, start, count, points, texts) || decoded;
}
