/* attribution: the words of an attribution are not told apart, dates and names
 * in all languages and orders: a name is there where its words follow each other.
 */
#include "extract/attribution.h"

enum {
    LINES_MAX = 3,    /* that an attribution is wrapped to */
    GAP_MAX = 2,      /* empty lines below it */
    LENGTH_MAX = 500, /* bytes of a line of it */
    WORDS_MAX = 64,   /* of it */
    NAME_WORDS_MAX = 6,
};

/* ---- words ---- */

/* What may surround a word and is none of it. */
static bool is_border(char c)
{
    return strchr("\"'<>()[],;:|", c) != NULL;
}

/* Cut the next word off *rest; empty at its end. */
static struct view take_word(struct view *rest)
{
    struct view word;

    do {
        size_t start = 0, end;

        while (start < rest->length && rest->bytes[start] == ' ')
            start++;
        for (end = start; end < rest->length && rest->bytes[end] != ' ';)
            end++;
        word = view_slice(*rest, start, end);
        *rest = view_slice(*rest, end, rest->length);
        if (word.length == 0)
            break;
        while (word.length > 0 && is_border(word.bytes[0]))
            word = view_slice(word, 1, word.length);
        while (word.length > 0 && is_border(word.bytes[word.length - 1]))
            word.length--;
    } while (word.length == 0);
    return word;
}

static uint64_t begin_digest(void)
{
    return 0xCBF29CE484222325U; /* FNV-1a */
}

static uint64_t add_word(uint64_t digest, struct view word)
{
    for (size_t i = 0; i < word.length; i++)
        digest = (digest ^ (unsigned char)g_ascii_tolower(word.bytes[i])) * 0x100000001B3U;
    return (digest ^ ' ') * 0x100000001B3U;
}

static uint32_t end_digest(uint64_t digest)
{
    uint32_t cut = (uint32_t)(digest ^ digest >> 24 ^ digest >> 48) & 0xFFFFFF;

    return cut != 0 ? cut : 1;
}

static uint32_t digest_of(struct view word)
{
    return end_digest(add_word(begin_digest(), word));
}

static bool is_address(struct view word)
{
    return word.length > 0 && memchr(word.bytes, '@', word.length);
}

struct author attribution_author(const char *from)
{
    struct view rest = view_of(from);
    struct author author = {0, 0};
    uint64_t name = begin_digest();
    unsigned words = 0;

    for (struct view word = take_word(&rest); word.length > 0; word = take_word(&rest)) {
        if (is_address(word)) {
            author.address = digest_of(word);
        } else {
            name = add_word(name, word);
            words++;
        }
    }
    if (words > 0 && words <= NAME_WORDS_MAX)
        author.name = end_digest(name);
    return author;
}

bool attribution_names(const char *attribution, struct author author)
{
    struct view rest = view_of(attribution);
    struct view words[WORDS_MAX];
    size_t count = 0;

    while (count < WORDS_MAX && (words[count] = take_word(&rest)).length > 0)
        count++;
    for (size_t first = 0; first < count; first++) {
        uint64_t digest = begin_digest();

        if (is_address(words[first])) {
            if (digest_of(words[first]) == author.address)
                return true;
            continue;
        }
        for (size_t i = first; i < count && i - first < NAME_WORDS_MAX; i++) {
            digest = add_word(digest, words[i]);
            if (end_digest(digest) == author.name)
                return true;
        }
    }
    return false;
}

/* ---- where it stands ---- */

/* Cut the marks of quotation off *line; how many they are. */
static unsigned take_marks(struct view *line)
{
    unsigned depth = 0;
    size_t end = 0;

    for (size_t at = 0; at < line->length && (line->bytes[at] == '>' || line->bytes[at] == ' '); at++)
        if (line->bytes[at] == '>') {
            depth++;
            end = at + 1;
        }
    *line = view_trim(view_slice(*line, end, line->length));
    return depth;
}

/* The line before offset *at, which begins one; *at is then where it begins. */
static struct view take_line_before(struct view text, size_t *at)
{
    const size_t end = *at - 1;

    *at = end;
    while (*at > 0 && text.bytes[*at - 1] != '\n')
        --*at;
    return view_slice(text, *at, end);
}

/* Where a line begins, from 1; the text's length if there is none. */
static size_t find_line(struct view text, size_t line)
{
    size_t at = 0;

    while (line > 1 && at < text.length) {
        const char *end = memchr(text.bytes + at, '\n', text.length - at);

        at = end ? (size_t)(end - text.bytes) + 1 : text.length;
        line--;
    }
    return at;
}

void attribution_find(struct view text, size_t line, unsigned depth, GString *out)
{
    struct view lines[LINES_MAX];
    size_t at = find_line(text, line);
    unsigned count = 0, gap = 0;

    while (at > 0 && at < text.length && count < LINES_MAX) {
        struct view before = take_line_before(text, &at);
        const unsigned marks = take_marks(&before);

        if (marks >= depth && count == 0)
            continue;
        if (before.length == 0) {
            if (count > 0 || ++gap > GAP_MAX)
                break;
            continue;
        }
        if (marks != depth - 1 || before.length > LENGTH_MAX || (count == 0 && before.bytes[before.length - 1] != ':'))
            break;
        lines[count++] = before;
    }
    while (count > 0) {
        struct view piece = lines[--count];

        g_string_append_len(out, piece.bytes, (gssize)piece.length);
        if (count > 0)
            g_string_append_c(out, ' ');
    }
}
