/* search: four bytes of every literal (its window, where it is rarest) are
 * looked for at all places at once, as Hyperscan's Teddy does: literals are put
 * into eight buckets, one bit each; for a byte of the window, 16 entries say by
 * its low half and 16 by its high half in which buckets it may stand, so that
 * a shuffle instruction looks 32 bytes up together. Where a bit is left over
 * all four bytes, the hash of the window tells whether it may be some
 * literal's (the first two bytes, where literals are shorter than a window),
 * and only then literals are compared. Processors without that instruction go
 * by the hash alone. These tables are small, so that they stay near.
 *
 * Not a library: Debian 12's vectorscan misses literals (5.4.9, AVX-512), its
 * hyperscan knows one kind of processor, is slower here and takes 0.1 s to begin.
 */
#include "extract/search.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_AVX2 1
#else
#define HAVE_AVX2 0
#endif

enum {
    WINDOW = 4,
    BUCKETS = 8,
    BLOCK = 32, /* places looked at together; bits of search_cursor.places */
    HALVES = 16,
    BYTES = 256,
    HASHES = 512,
    KEYS = 1 << 13, /* finer hashes */
    PAIRS = BYTES * BYTES,
    WORD_MIN = 4, /* letters */
};

#define WORD_SHARE 2e-5 /* as much as `requests` or `real` has in such lists */

struct needle {
    const char *text; /* one of the search's */
    size_t length;
    size_t window; /* offset in text; where the text is shorter than a window, any bytes may follow */
    unsigned literal;
    unsigned bucket;
    bool any_case;
};

/* A window's bytes, in the order of memory; those that may differ are not in the mask. */
struct window {
    uint32_t value, mask;
};

struct search {
    GStringChunk *texts;
    /* By the hash of their window, which is whole; behind these the others, by
     * the byte that it begins with. */
    struct needle *needles;
    struct window *windows; /* of each needle */
    unsigned count;
    unsigned first[HASHES + BYTES + 1]; /* needle of each hash, then of each byte; the last is count */
    bool avx2;
    uint8_t low[WINDOW][HALVES], high[WINDOW][HALVES]; /* buckets, by half a byte */
    /* Bits: */
    uint8_t keys[KEYS / 8];   /* by the finer hash of windows */
    uint8_t pairs[PAIRS / 8]; /* by the two bytes that other windows begin with */
};

/* ---- which window, which bucket ---- */

/* What a bucket lets through at one place of its windows: each byte of which
 * both halves are in the set. With shares of bytes in mail. */
struct halves {
    uint16_t low, high;
    double of_low[HALVES];  /* by a low half: of the bytes that have it, and a high half of the set */
    double of_high[HALVES]; /* by a high half: likewise */
    double share;           /* of all bytes let through */
};

struct bucket {
    struct halves places[WINDOW];
    double share; /* of the places in a text that are let through */
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

/* The letters of a word do not stand together by chance. */
double search_share(struct view text)
{
    double share = 1;
    size_t at = 0;

    while (at < text.length) {
        double run = 1;
        size_t end = at;

        while (end < text.length && g_ascii_islower(text.bytes[end]))
            run *= byte_share((unsigned char)text.bytes[end++]);
        if (end - at >= WORD_MIN)
            run = MAX(run, WORD_SHARE);
        if (end == at)
            run = byte_share((unsigned char)text.bytes[end++]);
        share *= run;
        at = end;
    }
    return share;
}

/* The bytes that may stand in a window of needle, as many as returned; 0: any. */
static unsigned window_bytes(const struct needle *needle, size_t window, unsigned place, unsigned char *bytes)
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

/* Let a byte through. */
static void add_byte(struct halves *halves, unsigned char byte)
{
    const unsigned low = byte & 0xf, high = byte >> 4;

    if (!(halves->low >> low & 1)) {
        halves->low |= (uint16_t)(1u << low);
        halves->share += halves->of_low[low];
        for (unsigned i = 0; i < HALVES; i++)
            halves->of_high[i] += byte_share((unsigned char)(i << 4 | low));
    }
    if (!(halves->high >> high & 1)) {
        halves->high |= (uint16_t)(1u << high);
        halves->share += halves->of_high[high];
        for (unsigned i = 0; i < HALVES; i++)
            halves->of_low[i] += byte_share((unsigned char)(high << 4 | i));
    }
}

/* The share of bytes that are let through once byte is. */
static double share_with(const struct halves *halves, unsigned char byte, const double *byte_shares)
{
    const unsigned low = byte & 0xf, high = byte >> 4;
    const bool new_low = !(halves->low >> low & 1), new_high = !(halves->high >> high & 1);

    return halves->share + (new_low ? halves->of_low[low] : 0) + (new_high ? halves->of_high[high] : 0) +
           (new_low && new_high ? byte_shares[byte] : 0);
}

/* The share of places that the bucket lets through once it has the needle. */
static double share_of(const struct bucket *bucket, const struct needle *needle, size_t window,
                       const double *byte_shares)
{
    double share = 1;

    for (unsigned i = 0; i < WINDOW; i++) {
        unsigned char bytes[2];
        unsigned count = window_bytes(needle, window, i, bytes);

        if (count == 1)
            share *= share_with(&bucket->places[i], bytes[0], byte_shares);
        else if (count == 2) /* letters that differ in the high half alone; nearly right */
            share *= share_with(&bucket->places[i], bytes[0], byte_shares) +
                     share_with(&bucket->places[i], bytes[1], byte_shares) - bucket->places[i].share;
    }
    return share;
}

static void add_needle(struct bucket *bucket, const struct needle *needle)
{
    bucket->share = 1;
    for (unsigned i = 0; i < WINDOW; i++) {
        unsigned char bytes[2];
        unsigned count = window_bytes(needle, needle->window, i, bytes);

        for (unsigned byte = 0; count == 0 && byte < BYTES; byte++)
            add_byte(&bucket->places[i], (unsigned char)byte);
        for (unsigned j = 0; j < count; j++)
            add_byte(&bucket->places[i], bytes[j]);
        bucket->share *= bucket->places[i].share;
    }
}

/* Put each needle where it lets the least through. */
static void choose_buckets(struct needle *needles, unsigned count, struct bucket *buckets)
{
    double byte_shares[BYTES];

    for (unsigned byte = 0; byte < BYTES; byte++)
        byte_shares[byte] = byte_share((unsigned char)byte);
    for (unsigned i = 0; i < count; i++) {
        struct needle *needle = &needles[i];
        double least = 2;

        for (size_t window = 0; window == 0 || window + WINDOW <= needle->length; window++)
            for (unsigned b = 0; b < BUCKETS; b++) {
                double more = share_of(&buckets[b], needle, window, byte_shares) - buckets[b].share;

                if (more < least) {
                    least = more;
                    needle->window = window;
                    needle->bucket = b;
                }
            }
        add_needle(&buckets[needle->bucket], needle);
    }
}

static struct window window_of(const struct needle *needle)
{
    unsigned char value[WINDOW] = {0}, mask[WINDOW] = {0};
    struct window window;

    for (unsigned i = 0; i < WINDOW; i++) {
        unsigned char bytes[2];

        if (window_bytes(needle, needle->window, i, bytes) == 1) {
            value[i] = bytes[0];
            mask[i] = 0xff;
        }
    }
    memcpy(&window.value, value, sizeof value);
    memcpy(&window.mask, mask, sizeof mask);
    return window;
}

/* Less than KEYS; the factor is the golden ratio's. */
static unsigned key_of(uint32_t window)
{
    return window * UINT32_C(0x9E3779B1) >> 19;
}

static unsigned hash_of(uint32_t window)
{
    return key_of(window) / (KEYS / HASHES);
}

static void set_bit(uint8_t *bits, unsigned index)
{
    bits[index / 8] |= (uint8_t)(1u << index % 8);
}

static bool has_bit(const uint8_t *bits, unsigned index)
{
    return bits[index / 8] >> index % 8 & 1;
}

/* Does the needle, whose window this is, belong to a group: a hash, or HASHES and a byte? */
static bool is_of_group(const struct needle *needle, const struct window *window, unsigned group)
{
    unsigned char bytes[2];

    if (group < HASHES)
        return window->mask == UINT32_MAX && hash_of(window->value) == group;
    if (window->mask == UINT32_MAX)
        return false;
    for (unsigned i = window_bytes(needle, needle->window, 0, bytes); i > 0; i--)
        if ((unsigned)HASHES + bytes[i - 1] == group)
            return true;
    return false;
}

/* ---- tables ---- */

/* The two bytes that a window begins with, as a number. */
static unsigned pair_of(const unsigned char *bytes)
{
    return bytes[0] | (unsigned)bytes[1] << 8;
}

/* Let the pairs through that the needle may begin with. */
static void add_pairs(struct search *search, const struct needle *needle)
{
    unsigned char first[2], second[2];
    const unsigned first_count = window_bytes(needle, needle->window, 0, first);
    const unsigned second_count = window_bytes(needle, needle->window, 1, second);

    for (unsigned i = 0; i < first_count; i++)
        for (unsigned j = 0; j < (second_count > 0 ? second_count : BYTES); j++)
            set_bit(search->pairs,
                    pair_of((const unsigned char[]){first[i], second_count > 0 ? second[j] : (unsigned char)j}));
}

static void add_key(struct search *search, const struct needle *needle)
{
    const struct window window = window_of(needle);

    if (window.mask == UINT32_MAX)
        set_bit(search->keys, key_of(window.value));
    else
        add_pairs(search, needle);
}

static void fill_halves(struct search *search, const struct bucket *buckets)
{
    for (unsigned b = 0; b < BUCKETS; b++)
        for (unsigned i = 0; i < WINDOW; i++)
            for (unsigned half = 0; half < HALVES; half++) {
                search->low[i][half] |= (uint8_t)((buckets[b].places[i].low >> half & 1u) << b);
                search->high[i][half] |= (uint8_t)((buckets[b].places[i].high >> half & 1u) << b);
            }
}

static void sort_needles(struct search *search, const struct needle *needles, unsigned count)
{
    struct window *windows = g_new(struct window, count + 1);

    search->needles = g_new0(struct needle, 2 * count);
    search->windows = g_new0(struct window, 2 * count);
    for (unsigned i = 0; i < count; i++)
        windows[i] = window_of(&needles[i]);
    for (unsigned group = 0; group < HASHES + BYTES; group++) {
        search->first[group] = search->count;
        for (unsigned i = 0; i < count; i++) {
            if (!is_of_group(&needles[i], &windows[i], group))
                continue;
            search->needles[search->count] = needles[i];
            search->windows[search->count++] = windows[i];
        }
    }
    search->first[HASHES + BYTES] = search->count;
    g_free(windows);
}

struct search *search_new(const struct search_literal *literals, unsigned count)
{
    struct search *search = g_new0(struct search, 1);
    struct needle *needles = g_new0(struct needle, count);
    struct bucket *buckets = g_new0(struct bucket, BUCKETS);

    search->texts = g_string_chunk_new(1024);
    for (unsigned i = 0; i < count; i++) {
        g_assert(literals[i].text.length > 0);
        needles[i].text =
            g_string_chunk_insert_len(search->texts, literals[i].text.bytes, (gssize)literals[i].text.length);
        needles[i].length = literals[i].text.length;
        needles[i].literal = i;
        needles[i].any_case = literals[i].any_case;
    }
    choose_buckets(needles, count, buckets);
    fill_halves(search, buckets);
    g_free(buckets);
    for (unsigned i = 0; i < count; i++)
        add_key(search, &needles[i]);
    sort_needles(search, needles, count);
    g_free(needles);
#if HAVE_AVX2
    search->avx2 = __builtin_cpu_supports("avx2");
#endif
    return search;
}

void search_free(struct search *search)
{
    if (!search)
        return;
    g_string_chunk_free(search->texts);
    g_free(search->needles);
    g_free(search->windows);
    g_free(search);
}

void search_do_without_vectors(struct search *search)
{
    search->avx2 = false;
}

/* ---- the search ---- */

/* May some literal have its window here? */
static bool may_begin(const struct search *search, const unsigned char *bytes)
{
    uint32_t window;

    memcpy(&window, bytes, sizeof window);
    return has_bit(search->keys, key_of(window)) || has_bit(search->pairs, pair_of(bytes));
}

/* Of a block's places those where some literal may have its window. */
static uint32_t filter_places(const struct search *search, const unsigned char *block, uint32_t places)
{
    uint32_t kept = 0;

    for (; places != 0; places &= places - 1)
        if (may_begin(search, block + __builtin_ctz(places)))
            kept |= places & (~places + 1);
    return kept;
}

/* Find the next block with places to look at, from block on, as long as its
 * windows end before end. Returns where it is, or the first that can't be
 * looked at so. */
static size_t find_block_plainly(const struct search *search, const unsigned char *text, size_t block, size_t end,
                                 uint32_t *places)
{
    *places = 0;
    while (block + BLOCK + WINDOW - 1 <= end) {
        *places = filter_places(search, text + block, UINT32_MAX);
        if (*places != 0)
            break;
        block += BLOCK;
    }
    return block;
}

#if HAVE_AVX2
#define AVX2 __attribute__((target("avx2")))

/* A table of 16 entries for both halves of a vector. */
AVX2 static inline __m256i load_table(const uint8_t *entries)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)entries));
}

/* In each byte the buckets that a byte of the text may stand in, by its halves. */
AVX2 static inline __m256i look_up(__m256i low, __m256i high, const unsigned char *text)
{
    const __m256i half = _mm256_set1_epi8(0xf);
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)text);

    return _mm256_and_si256(_mm256_shuffle_epi8(low, _mm256_and_si256(bytes, half)),
                            _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half)));
}

AVX2 static size_t find_block_avx2(const struct search *search, const unsigned char *text, size_t block, size_t end,
                                   uint32_t *places)
{
    const __m256i low[WINDOW] = {load_table(search->low[0]), load_table(search->low[1]), load_table(search->low[2]),
                                 load_table(search->low[3])};
    const __m256i high[WINDOW] = {load_table(search->high[0]), load_table(search->high[1]), load_table(search->high[2]),
                                  load_table(search->high[3])};
    uint32_t kept = 0;

    for (; block + BLOCK + WINDOW - 1 <= end; block += BLOCK) {
        __m256i buckets = _mm256_and_si256(
            _mm256_and_si256(look_up(low[0], high[0], text + block), look_up(low[1], high[1], text + block + 1)),
            _mm256_and_si256(look_up(low[2], high[2], text + block + 2), look_up(low[3], high[3], text + block + 3)));
        uint32_t none = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(buckets, _mm256_setzero_si256()));

        if (none == UINT32_MAX)
            continue;
        kept = filter_places(search, text + block, ~none);
        if (kept != 0)
            break;
    }
    *places = kept;
    return block;
}
#endif

static size_t find_block(const struct search *search, const unsigned char *text, size_t block, size_t end,
                         uint32_t *places)
{
#if HAVE_AVX2
    if (search->avx2)
        return find_block_avx2(search, text, block, end, places);
#endif
    return find_block_plainly(search, text, block, end, places);
}

/* Go to the next block with places to look at. Of the last bytes, where
 * windows would end behind the text, a copy is looked at. */
static bool next_block(const struct search *search, struct search_cursor *cursor)
{
    const unsigned char *text = (const unsigned char *)cursor->text.bytes;
    size_t length = cursor->text.length;
    size_t block = find_block(search, text, cursor->next_block, length, &cursor->places);

    while (cursor->places == 0 && block < length) {
        unsigned char last[BLOCK + WINDOW - 1] = {0};
        size_t left = MIN(length - block, sizeof last);

        memcpy(last, text + block, left);
        (void)find_block_plainly(search, last, 0, sizeof last, &cursor->places);
        if (left < BLOCK)
            cursor->places &= (1u << left) - 1;
        if (cursor->places == 0)
            block += BLOCK;
    }
    cursor->block = block;
    cursor->next_block = block + BLOCK;
    return cursor->places != 0;
}

/* The bytes at place, with NULs behind the text's end. */
static uint32_t window_at(struct view text, size_t place)
{
    uint32_t window = 0;

    memcpy(&window, text.bytes + place, MIN(text.length - place, sizeof window));
    return window;
}

/* Does the needle stand where its window, which is there, is at place? */
static bool stands(const struct needle *needle, struct view text, size_t place, size_t *offset)
{
    const char *at;

    if (place < needle->window || text.length - (place - needle->window) < needle->length)
        return false;
    *offset = place - needle->window;
    at = text.bytes + *offset;
    return needle->any_case ? g_ascii_strncasecmp(at, needle->text, needle->length) == 0
                            : memcmp(at, needle->text, needle->length) == 0;
}

/* The next needle from entry on whose window is this; count: none. */
static unsigned find_needle(const struct search *search, unsigned entry, uint32_t window)
{
    const unsigned *others = &search->first[HASHES + *(const unsigned char *)&window];

    for (unsigned end = search->first[hash_of(window) + 1]; entry < end; entry++)
        if (search->windows[entry].value == window)
            return entry;
    for (entry = MAX(entry, others[0]); entry < others[1]; entry++)
        if ((window & search->windows[entry].mask) == search->windows[entry].value)
            return entry;
    return search->count;
}

void search_begin(struct search_cursor *cursor, struct view text)
{
    *cursor = (struct search_cursor){.text = text};
}

bool search_next(const struct search *search, struct search_cursor *cursor, unsigned *literal, size_t *offset)
{
    for (;;) {
        bool begins = !cursor->entered;

        if (cursor->places == 0) {
            if (cursor->next_block >= cursor->text.length || !next_block(search, cursor))
                return false;
        }

        const size_t place = cursor->block + (size_t)__builtin_ctz(cursor->places);
        const uint32_t window = window_at(cursor->text, place);

        for (unsigned entry = begins ? search->first[hash_of(window)] : cursor->entry;
             (entry = find_needle(search, entry, window)) < search->count; entry++) {
            if (stands(&search->needles[entry], cursor->text, place, offset)) {
                cursor->entered = true;
                cursor->entry = entry + 1;
                *literal = search->needles[entry].literal;
                return true;
            }
        }
        cursor->entered = false;
        cursor->places &= cursor->places - 1;
    }
}
