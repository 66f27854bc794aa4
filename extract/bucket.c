/* bucket: literals are put one after the other where each lets the least
 * through. How much that is, is reckoned from how often bytes are found in
 * mail, as if they were independent of each other; a window that is part of a
 * word, or of a row of dashes, is more common than that says.
 */
#include "extract/bucket.h"

#include <stdint.h>

enum {
    BYTES = 256,
    HALVES = 16,
    WORD_MIN = 4, /* letters */
};

#define WORD_SHARE   2e-5 /* as much as `requests` or `real` has in such lists */
#define SHORT_SHARE  2e-4 /* `sys`, `cpu` */
#define REPEAT_SHARE 0.5  /* of places behind a byte, those that have it again */

/* What a bucket lets through at one place of its windows. With shares of bytes
 * in mail. */
struct place {
    bool has[BYTES];
    double share; /* of all bytes let through */
    /* With halves: each byte of which both are in the set. */
    uint16_t low, high;
    double of_low[HALVES];  /* by a low half: of the bytes that have it, and a high half of the set */
    double of_high[HALVES]; /* by a high half: likewise */
};

struct bucket {
    struct place places[WINDOW];
    double share; /* of the places in a text that are let through */
};

struct choice {
    bool halves;
    double byte_shares[BYTES];
    struct bucket buckets[BUCKETS_MAX];
};

/* How often a byte is found in lists of mail (vger.kernel.org's, headers
 * included), in classes; in thousandths. */
static double byte_share(unsigned char byte)
{
    static const struct {
        const char *bytes;
        double thousandths;
    } classes[] = {
        {" ", 115},
        {"e", 55},
        {"rioatns", 32},
        {"0lc\nd", 22},
        {"g-.u12fmhb:", 15},
        {"_>kpv345678+xw9yTSAMCI/\t,ERDO=()PL;@q", 7},
        {"FNGKjBXJzHUWQYZV", 4},
        {"<*[]\"", 1.5},
        {"?'&|{}#!%~\\$", 0.4},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(classes) && byte != '\0'; i++)
        if (strchr(classes[i].bytes, (char)byte))
            return classes[i].thousandths / 1000;
    return 0.0001;
}

/* The share of a run of small letters, which is often a word. */
static double word_share(struct view word)
{
    double share = 1;

    for (size_t i = 0; i < word.length; i++)
        share *= byte_share((unsigned char)word.bytes[i]);
    if (word.length >= WORD_MIN)
        return MAX(share, WORD_SHARE);
    return word.length == WORD_MIN - 1 ? MAX(share, SHORT_SHARE) : share;
}

double share_in_mail(struct view text)
{
    double share = 1;
    size_t at = 0;

    while (at < text.length) {
        size_t end = at;

        while (end < text.length && g_ascii_islower(text.bytes[end]))
            end++;
        if (end > at)
            share *= word_share(view_slice(text, at, end));
        else if (end > 0 && text.bytes[end - 1] == text.bytes[end])
            share *= REPEAT_SHARE;
        else
            share *= byte_share((unsigned char)text.bytes[end]);
        at = MAX(end, at + 1);
    }
    return share;
}

unsigned needle_bytes(const struct needle *needle, size_t window, unsigned place, unsigned char *bytes)
{
    char byte;

    if (window + place >= needle->length)
        return 0;
    byte = needle->text[window + place];
    bytes[0] = (unsigned char)byte;
    if (!needle->any_case || !g_ascii_isalpha(byte))
        return 1;
    bytes[0] = (unsigned char)g_ascii_tolower(byte);
    bytes[1] = (unsigned char)g_ascii_toupper(byte);
    return 2;
}

static void add_halves(const struct choice *choice, struct place *place, unsigned char byte)
{
    const unsigned low = byte & 0xf, high = byte >> 4;

    if (!(place->low >> low & 1)) {
        place->low |= (uint16_t)(1u << low);
        place->share += place->of_low[low];
        for (unsigned i = 0; i < HALVES; i++)
            place->of_high[i] += choice->byte_shares[i << 4 | low];
    }
    if (!(place->high >> high & 1)) {
        place->high |= (uint16_t)(1u << high);
        place->share += place->of_high[high];
        for (unsigned i = 0; i < HALVES; i++)
            place->of_low[i] += choice->byte_shares[high << 4 | i];
    }
}

/* Let a byte through. */
static void add_byte(const struct choice *choice, struct place *place, unsigned char byte)
{
    if (choice->halves) {
        add_halves(choice, place, byte);
    } else if (!place->has[byte]) {
        place->has[byte] = true;
        place->share += choice->byte_shares[byte];
    }
}

/* The share of bytes that are let through once byte is. */
static double share_with(const struct choice *choice, const struct place *place, unsigned char byte)
{
    const unsigned low = byte & 0xf, high = byte >> 4;
    const bool new_low = !(place->low >> low & 1), new_high = !(place->high >> high & 1);

    if (!choice->halves)
        return place->share + (place->has[byte] ? 0 : choice->byte_shares[byte]);
    return place->share + (new_low ? place->of_low[low] : 0) + (new_high ? place->of_high[high] : 0) +
           (new_low && new_high ? choice->byte_shares[byte] : 0);
}

/* The share of places that the bucket lets through once it has the needle. */
static double share_of(const struct choice *choice, const struct bucket *bucket, const struct needle *needle,
                       size_t window)
{
    double share = 1;

    for (unsigned i = 0; i < WINDOW; i++) {
        const struct place *place = &bucket->places[i];
        unsigned char bytes[2];
        unsigned count = needle_bytes(needle, window, i, bytes);

        if (count == 1)
            share *= share_with(choice, place, bytes[0]);
        else if (count == 2) /* letters that differ in the high half alone; nearly right */
            share *= share_with(choice, place, bytes[0]) + share_with(choice, place, bytes[1]) - place->share;
    }
    return share;
}

static void add_needle(const struct choice *choice, struct bucket *bucket, const struct needle *needle)
{
    bucket->share = 1;
    for (unsigned i = 0; i < WINDOW; i++) {
        unsigned char bytes[2];
        unsigned count = needle_bytes(needle, needle->window, i, bytes);

        for (unsigned byte = 0; count == 0 && byte < BYTES; byte++)
            add_byte(choice, &bucket->places[i], (unsigned char)byte);
        for (unsigned j = 0; j < count; j++)
            add_byte(choice, &bucket->places[i], bytes[j]);
        bucket->share *= bucket->places[i].share;
    }
}

void buckets_choose(struct needle *needles, unsigned count, unsigned buckets, bool halves)
{
    struct choice *choice = g_new0(struct choice, 1);

    choice->halves = halves;
    for (unsigned byte = 0; byte < BYTES; byte++)
        choice->byte_shares[byte] = byte_share((unsigned char)byte);
    for (unsigned i = 0; i < count; i++) {
        struct needle *needle = &needles[i];
        double least = G_MAXDOUBLE;

        for (size_t window = 0; window == 0 || window + WINDOW <= needle->length; window++) {
            const struct view bytes = {needle->text + window, MIN((size_t)WINDOW, needle->length - window)};
            const double alone = share_in_mail(bytes);

            for (unsigned b = 0; b < buckets; b++) {
                const struct bucket *bucket = &choice->buckets[b];
                double more = alone + share_of(choice, bucket, needle, window) - bucket->share;

                if (more < least) {
                    least = more;
                    needle->window = window;
                    needle->bucket = b;
                }
            }
        }
        add_needle(choice, &choice->buckets[needle->bucket], needle);
    }
    g_free(choice);
}
