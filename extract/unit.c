/* unit: unit texts of many tools, each a base unit and an exact factor.
 *
 * Words (times, %, rates of events) stand in a sorted table. Sizes and their
 * rates are read from three pieces: a prefix, `B` or `bit`, a rate. What
 * people use for two things is left out on purpose: `m` (minutes or milli),
 * `b`, `Mb/s` and `Gb/s` (bits or bytes), `M/s` (events or bytes), `MBytes`
 * (1000 or 1024): a grammar that knows its tool can say what they are.
 */
#include "extract/unit.h"

#include <stdlib.h>

enum { UNIT_TEXT_MAX = 16, PREFIX_MAX = 6 };

static const char BASE_SECOND[] = "s";
static const char BASE_BYTE[] = "B";
static const char BASE_BYTE_RATE[] = "B/s";
static const char BASE_RATE[] = "1/s";
static const char BASE_PERCENT[] = "%";
static const char BASE_COUNT[] = "1";

static const char *const base_units[] = {BASE_SECOND, BASE_BYTE, BASE_BYTE_RATE, BASE_RATE, BASE_PERCENT, BASE_COUNT};

struct word {
    const char *text;
    const char *base;
    unsigned coefficient;
    int scale;
};

/* In byte order, for bsearch. */
static const struct word words[] = {
    {"%", BASE_PERCENT, 1, 0},        {"/s", BASE_RATE, 1, 0},
    {"/sec", BASE_RATE, 1, 0},        {"1", BASE_COUNT, 1, 0},
    {"1/s", BASE_RATE, 1, 0},         {"1/sec", BASE_RATE, 1, 0},
    {"h", BASE_SECOND, 3600, 0},      {"hour", BASE_SECOND, 3600, 0},
    {"hours", BASE_SECOND, 3600, 0},  {"min", BASE_SECOND, 60, 0},
    {"minute", BASE_SECOND, 60, 0},   {"minutes", BASE_SECOND, 60, 0},
    {"ms", BASE_SECOND, 1, 3},        {"msec", BASE_SECOND, 1, 3},
    {"msecs", BASE_SECOND, 1, 3},     {"ns", BASE_SECOND, 1, 9},
    {"nsec", BASE_SECOND, 1, 9},      {"nsecs", BASE_SECOND, 1, 9},
    {"s", BASE_SECOND, 1, 0},         {"sec", BASE_SECOND, 1, 0},
    {"second", BASE_SECOND, 1, 0},    {"seconds", BASE_SECOND, 1, 0},
    {"secs", BASE_SECOND, 1, 0},      {"us", BASE_SECOND, 1, 6},
    {"usec", BASE_SECOND, 1, 6},      {"usecs", BASE_SECOND, 1, 6},
    {"\xC2\xB5s", BASE_SECOND, 1, 6}, /* U+00B5 MICRO SIGN */
    {"\xCE\xBCs", BASE_SECOND, 1, 6}, /* U+03BC GREEK SMALL LETTER MU */
};

static const uint64_t decimal_power[PREFIX_MAX + 1] = {
    1U, 1000U, 1000000U, 1000000000U, 1000000000000U, 1000000000000000U, 1000000000000000000U,
};

static int compare_word(const void *key, const void *entry)
{
    return strcmp(key, ((const struct word *)entry)->text);
}

const char *unit_base(struct view text)
{
    for (size_t i = 0; i < G_N_ELEMENTS(base_units); i++)
        if (view_is(text, base_units[i]))
            return base_units[i];
    return NULL;
}

/* The power of 1000 or 1024 that a prefix letter stands for, 0 for none. */
static int prefix_power(char letter)
{
    switch (letter) {
    case 'k':
    case 'K':
        return 1;
    case 'M':
        return 2;
    case 'G':
        return 3;
    case 'T':
        return 4;
    case 'P':
        return 5;
    case 'E':
        return 6;
    default:
        return 0;
    }
}

static struct unit make_unit(const char *base, uint64_t coefficient, int scale)
{
    return (struct unit){base, {.limb = {coefficient}, .scale = scale}};
}

/* Read `[prefix[i]]B`, `[prefix[i]]bit` or `byte`, with a rate or without;
 * `[prefix]bps`; or a prefix alone. */
static bool lookup_size(const char *text, struct unit *result)
{
    const int power = prefix_power(*text);
    if (power > 0)
        text++;
    const bool binary = power > 0 && *text == 'i';
    if (binary)
        text++;
    const uint64_t multiple = binary ? (uint64_t)1 << (10 * power) : decimal_power[power];

    if (*text == '\0' && power > 0) {
        *result = make_unit(BASE_COUNT, multiple, 0);
        return true;
    }

    bool bits = true;
    bool rate = false;
    if (strcmp(text, "bps") == 0 && !binary) {
        text = "/s";
    } else if (strncmp(text, "bit", 3) == 0) {
        text += text[3] == 's' ? 4 : 3;
    } else if (power == 0 && (strncmp(text, "byte", 4) == 0 || strncmp(text, "Byte", 4) == 0)) {
        text += text[4] == 's' ? 5 : 4;
        bits = false;
    } else if (*text == 'B') {
        text++;
        bits = false;
    } else {
        return false;
    }
    if (strcmp(text, "/s") == 0 || strcmp(text, "/sec") == 0)
        rate = true;
    else if (*text != '\0')
        return false;

    const char *base = rate ? BASE_BYTE_RATE : BASE_BYTE;
    if (!bits)
        *result = make_unit(base, multiple, 0);
    else if (power == 0)
        *result = make_unit(base, 125, 3);
    else
        *result = make_unit(base, multiple / 8, 0); /* 1000 and 1024 are multiples of 8 */
    return true;
}

bool unit_lookup(struct view text, struct unit *result)
{
    char squeezed[UNIT_TEXT_MAX + 1];
    size_t length = 0;

    for (size_t i = 0; i < text.length; i++) {
        const char c = text.bytes[i];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
            continue;
        if (length == UNIT_TEXT_MAX || c == '\0')
            return false;
        squeezed[length++] = c;
    }
    squeezed[length] = '\0';

    const struct word *word = bsearch(squeezed, words, G_N_ELEMENTS(words), sizeof words[0], compare_word);
    if (word != NULL) {
        *result = make_unit(word->base, word->coefficient, word->scale);
        return true;
    }
    return lookup_size(squeezed, result);
}
