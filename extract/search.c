/* search: four bytes of every literal, its window, are looked for at all places
 * at once, as Hyperscan's Teddy does: literals are in buckets (bucket.h), one bit
 * each; tables say for each byte of the window in which buckets a byte of the
 * text may stand there, and shuffle instructions look many up together. A place
 * is kept where a bit is left over all four bytes. Vectors of 64 bytes look up
 * bytes but for their highest bit, in 16 buckets (AVX-512 VBMI); vectors of 32
 * bytes their two halves, each by itself, in eight (AVX2). Of the places kept,
 * the hash of the window tells whether it may be some literal's (that of three
 * bytes, where the window is not whole), and only then literals are compared.
 * Other processors go by the hash alone. The tables are small, so that they stay
 * near.
 *
 * Not a library: Debian 12's vectorscan misses literals (5.4.9, AVX-512), its
 * hyperscan knows one kind of processor, is slower here and takes 0.1 s to begin.
 */
#include "extract/search.h"

#include "extract/bucket.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_VECTORS 1
#else
#define HAVE_VECTORS 0
#endif

enum {
    BLOCK = 64, /* places looked at together */
    HALVES = 16,
    ASCII = 128,
    GROUP = 8, /* buckets, of a byte's bits */
    GROUPS = BUCKETS_MAX / GROUP,
    BYTES = 256,
    HASHES = 512,
    KEYS = 1 << 13, /* finer hashes */
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
    enum search_kind kind;
    /* Buckets, for SEARCH_HALVES by half a byte, for SEARCH_BYTES by a byte
     * without its highest bit. */
    uint8_t low[WINDOW][HALVES], high[WINDOW][HALVES];
    uint8_t bytes[GROUPS][WINDOW][ASCII];
    /* Bits by the finer hash: */
    uint8_t keys[KEYS / 8];    /* of windows */
    uint8_t triples[KEYS / 8]; /* of the three bytes that other windows begin with */
};

/* ---- which literals a window may be of ---- */

static struct window window_of(const struct needle *needle)
{
    unsigned char value[WINDOW] = {0}, mask[WINDOW] = {0};
    struct window window;

    for (unsigned i = 0; i < WINDOW; i++) {
        unsigned char bytes[2];

        if (needle_bytes(needle, needle->window, i, bytes) == 1) {
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
    for (unsigned i = needle_bytes(needle, needle->window, 0, bytes); i > 0; i--)
        if ((unsigned)HASHES + bytes[i - 1] == group)
            return true;
    return false;
}

/* ---- tables ---- */

/* The three bytes that a window begins with. */
static uint32_t triple_of(uint32_t window)
{
    return window & GUINT32_FROM_LE(UINT32_C(0xffffff));
}

/* Let through what the needle's window may begin with. */
static void add_triples(struct search *search, const struct needle *needle)
{
    unsigned counts[3];
    unsigned char bytes[3][BYTES];

    for (unsigned i = 0; i < 3; i++) {
        counts[i] = needle_bytes(needle, needle->window, i, bytes[i]);
        if (counts[i] == 0)
            for (; counts[i] < BYTES; counts[i]++)
                bytes[i][counts[i]] = (unsigned char)counts[i];
    }
    for (unsigned i = 0; i < counts[0]; i++)
        for (unsigned j = 0; j < counts[1]; j++)
            for (unsigned k = 0; k < counts[2]; k++) {
                const unsigned char triple[WINDOW] = {bytes[0][i], bytes[1][j], bytes[2][k], 0};
                uint32_t window;

                memcpy(&window, triple, sizeof window);
                set_bit(search->triples, key_of(window));
            }
}

static void add_key(struct search *search, const struct needle *needle)
{
    const struct window window = window_of(needle);

    if (window.mask == UINT32_MAX)
        set_bit(search->keys, key_of(window.value));
    else
        add_triples(search, needle);
}

static void add_to_bucket(struct search *search, unsigned bucket, unsigned place, unsigned byte)
{
    const uint8_t bit = (uint8_t)(1u << bucket % GROUP);

    search->low[place][byte % HALVES] |= bit;
    search->high[place][byte / HALVES] |= bit;
    search->bytes[bucket / GROUP][place][byte % ASCII] |= bit;
}

static void fill_bucket(struct search *search, const struct needle *needle)
{
    for (unsigned i = 0; i < WINDOW; i++) {
        unsigned char bytes[2];
        const unsigned count = needle_bytes(needle, needle->window, i, bytes);

        for (unsigned byte = 0; count == 0 && byte < BYTES; byte++)
            add_to_bucket(search, needle->bucket, i, byte);
        for (unsigned j = 0; j < count; j++)
            add_to_bucket(search, needle->bucket, i, bytes[j]);
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

static bool is_supported(enum search_kind kind)
{
#if HAVE_VECTORS
    if (kind == SEARCH_BYTES)
        return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw");
    if (kind == SEARCH_HALVES)
        return __builtin_cpu_supports("avx2");
#endif
    return kind == SEARCH_PLAIN;
}

struct search *search_new(const struct search_literal *literals, unsigned count)
{
    enum search_kind kind = SEARCH_BYTES;

    while (!is_supported(kind))
        kind++;
    return search_new_of_kind(literals, count, kind);
}

struct search *search_new_of_kind(const struct search_literal *literals, unsigned count, enum search_kind kind)
{
    struct search *search;
    struct needle *needles;

    if (!is_supported(kind))
        return NULL;
    search = g_new0(struct search, 1);
    search->kind = kind;
    search->texts = g_string_chunk_new(1024);
    needles = g_new0(struct needle, count);
    for (unsigned i = 0; i < count; i++) {
        g_assert(literals[i].text.length > 0);
        needles[i].text =
            g_string_chunk_insert_len(search->texts, literals[i].text.bytes, (gssize)literals[i].text.length);
        needles[i].length = literals[i].text.length;
        needles[i].literal = i;
        needles[i].any_case = literals[i].any_case;
    }
    buckets_choose(needles, count, kind == SEARCH_BYTES ? BUCKETS_MAX : GROUP, kind != SEARCH_BYTES);
    for (unsigned i = 0; i < count; i++) {
        fill_bucket(search, &needles[i]);
        add_key(search, &needles[i]);
    }
    sort_needles(search, needles, count);
    g_free(needles);
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

/* ---- the search ---- */

/* May some literal have its window here? */
static bool may_begin(const struct search *search, const unsigned char *bytes)
{
    uint32_t window;

    memcpy(&window, bytes, sizeof window);
    /* Not `||`, which branches. */
    return ((unsigned)has_bit(search->keys, key_of(window)) |
            (unsigned)has_bit(search->triples, key_of(triple_of(window)))) != 0;
}

/* Append the places of a block, its bits, which begins at base. What is written
 * is a few places more, since to ask how many there are takes longer. */
static inline unsigned append_places(uint16_t *places, unsigned count, size_t base, uint64_t bits)
{
    const unsigned found = (unsigned)__builtin_popcountll(bits);

    for (unsigned i = 0; i < SEARCH_SLACK || i < found; i++) {
        places[count + i] = (uint16_t)(base + (unsigned)__builtin_ctzll(bits | UINT64_C(1) << 63));
        bits &= bits - 1;
    }
    return count + found;
}

/* These append to places the places of so many blocks of text at which the
 * vectors see no reason why a window should not be there. Behind the last block
 * WINDOW - 1 bytes more are looked at. */

static unsigned look_plainly(size_t blocks, uint16_t *places)
{
    unsigned count = 0;

    for (size_t block = 0; block < blocks; block++)
        count = append_places(places, count, block * BLOCK, UINT64_MAX);
    return count;
}

#if HAVE_VECTORS
#define AVX2   __attribute__((target("avx2,bmi,popcnt")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi,bmi,popcnt")))

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

AVX2 static unsigned look_by_halves(const struct search *search, const unsigned char *text, size_t blocks,
                                    uint16_t *places)
{
    const __m256i low[WINDOW] = {load_table(search->low[0]), load_table(search->low[1]), load_table(search->low[2]),
                                 load_table(search->low[3])};
    const __m256i high[WINDOW] = {load_table(search->high[0]), load_table(search->high[1]), load_table(search->high[2]),
                                  load_table(search->high[3])};
    unsigned count = 0;

    for (size_t block = 0; block < blocks * BLOCK; block += BLOCK) {
        uint64_t none = 0;

        for (unsigned half = 0; half < BLOCK; half += BLOCK / 2) {
            const unsigned char *at = text + block + half;
            __m256i buckets =
                _mm256_and_si256(_mm256_and_si256(look_up(low[0], high[0], at), look_up(low[1], high[1], at + 1)),
                                 _mm256_and_si256(look_up(low[2], high[2], at + 2), look_up(low[3], high[3], at + 3)));

            none |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(buckets, _mm256_setzero_si256()))
                    << half;
        }
        count = append_places(places, count, block, ~none);
    }
    return count;
}

/* A table of 128 entries: by a byte without its highest bit. */
struct ascii_table {
    __m512i lower, upper;
};

AVX512 static inline struct ascii_table load_ascii(const uint8_t *entries)
{
    return (struct ascii_table){_mm512_loadu_si512(entries), _mm512_loadu_si512(entries + ASCII / 2)};
}

AVX512 static inline __m512i look_up_ascii(struct ascii_table table, __m512i bytes)
{
    return _mm512_permutex2var_epi8(table.lower, bytes, table.upper);
}

AVX512 static unsigned look_by_bytes(const struct search *search, const unsigned char *text, size_t blocks,
                                     uint16_t *places)
{
    const struct ascii_table a0 = load_ascii(search->bytes[0][0]), a1 = load_ascii(search->bytes[0][1]);
    const struct ascii_table a2 = load_ascii(search->bytes[0][2]), a3 = load_ascii(search->bytes[0][3]);
    const struct ascii_table b0 = load_ascii(search->bytes[1][0]), b1 = load_ascii(search->bytes[1][1]);
    const struct ascii_table b2 = load_ascii(search->bytes[1][2]), b3 = load_ascii(search->bytes[1][3]);
    unsigned count = 0;

    for (size_t block = 0; block < blocks * BLOCK; block += BLOCK) {
        const __m512i first = _mm512_loadu_si512(text + block), second = _mm512_loadu_si512(text + block + 1);
        const __m512i third = _mm512_loadu_si512(text + block + 2), fourth = _mm512_loadu_si512(text + block + 3);
        const __m512i a = _mm512_and_si512(_mm512_and_si512(look_up_ascii(a0, first), look_up_ascii(a1, second)),
                                           _mm512_and_si512(look_up_ascii(a2, third), look_up_ascii(a3, fourth)));
        const __m512i b = _mm512_and_si512(_mm512_and_si512(look_up_ascii(b0, first), look_up_ascii(b1, second)),
                                           _mm512_and_si512(look_up_ascii(b2, third), look_up_ascii(b3, fourth)));
        const __m512i either = _mm512_or_si512(a, b);

        count = append_places(places, count, block, _mm512_test_epi8_mask(either, either));
    }
    return count;
}
#endif

/* The places of so many blocks of text at which some literal may have its window. */
static unsigned find_places(const struct search *search, const unsigned char *text, size_t blocks, uint16_t *places)
{
    unsigned count, kept = 0;

    switch (search->kind) {
#if HAVE_VECTORS
    case SEARCH_BYTES:
        count = look_by_bytes(search, text, blocks, places);
        break;
    case SEARCH_HALVES:
        count = look_by_halves(search, text, blocks, places);
        break;
#endif
    default:
        count = look_plainly(blocks, places);
        break;
    }
    for (unsigned i = 0; i < count; i++) {
        const uint16_t place = places[i];

        places[kept] = place;
        kept += may_begin(search, text + place);
    }
    return kept;
}

/* Go to the next places to look at; false where there are none any more. Of the
 * last bytes, where windows would end behind the text, a copy is looked at. */
static bool next_places(const struct search *search, struct search_cursor *cursor)
{
    const unsigned char *text = (const unsigned char *)cursor->text.bytes;
    const size_t length = cursor->text.length;

    cursor->place = cursor->count = 0;
    while (cursor->count == 0 && cursor->next < length) {
        const size_t left = length - cursor->next;

        cursor->start = cursor->next;
        if (left >= BLOCK + WINDOW - 1) {
            const size_t blocks = MIN((left - (WINDOW - 1)) / BLOCK, (size_t)SEARCH_PLACES / BLOCK);

            cursor->count = find_places(search, text + cursor->start, blocks, cursor->places);
            cursor->next += blocks * BLOCK;
        } else {
            unsigned char last[2 * BLOCK + WINDOW - 1] = {0};

            memcpy(last, text + cursor->start, left);
            cursor->count = find_places(search, last, left > BLOCK ? 2 : 1, cursor->places);
            while (cursor->count > 0 && cursor->places[cursor->count - 1] >= left)
                cursor->count--;
            cursor->next = length;
        }
    }
    return cursor->count > 0;
}

/* The bytes at place, with NULs behind the text's end. */
static uint32_t window_at(struct view text, size_t place)
{
    uint32_t window = 0;

    if (text.length - place >= sizeof window)
        memcpy(&window, text.bytes + place, sizeof window);
    else
        memcpy(&window, text.bytes + place, text.length - place);
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
    cursor->text = text;
    cursor->start = cursor->next = 0;
    cursor->place = cursor->count = 0;
    cursor->entered = false;
}

bool search_next(const struct search *search, struct search_cursor *cursor, unsigned *literal, size_t *offset)
{
    while (cursor->place < cursor->count || next_places(search, cursor)) {
        const size_t place = cursor->start + cursor->places[cursor->place];
        const uint32_t window = window_at(cursor->text, place);

        for (unsigned entry = cursor->entered ? cursor->entry : search->first[hash_of(window)];
             (entry = find_needle(search, entry, window)) < search->count; entry++) {
            if (stands(&search->needles[entry], cursor->text, place, offset)) {
                cursor->entered = true;
                cursor->entry = entry + 1;
                *literal = search->needles[entry].literal;
                return true;
            }
        }
        cursor->entered = false;
        cursor->place++;
    }
    return false;
}
