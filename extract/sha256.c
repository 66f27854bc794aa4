#include "extract/sha256.h"

#if defined(__x86_64__) && !defined(__clang__) /* clang 14 can't ask whether a processor has them */
#include <immintrin.h>
#define HAVE_SHA 1
#else
#define HAVE_SHA 0
#endif

enum { ROUNDS = 64 };

#define LENGTH_SIZE sizeof(uint64_t)

static const uint32_t constants[ROUNDS] = {
    0x428a2f98U, 0x71374491U, 0xb5c0fbcfU, 0xe9b5dba5U, 0x3956c25bU, 0x59f111f1U, 0x923f82a4U, 0xab1c5ed5U,
    0xd807aa98U, 0x12835b01U, 0x243185beU, 0x550c7dc3U, 0x72be5d74U, 0x80deb1feU, 0x9bdc06a7U, 0xc19bf174U,
    0xe49b69c1U, 0xefbe4786U, 0x0fc19dc6U, 0x240ca1ccU, 0x2de92c6fU, 0x4a7484aaU, 0x5cb0a9dcU, 0x76f988daU,
    0x983e5152U, 0xa831c66dU, 0xb00327c8U, 0xbf597fc7U, 0xc6e00bf3U, 0xd5a79147U, 0x06ca6351U, 0x14292967U,
    0x27b70a85U, 0x2e1b2138U, 0x4d2c6dfcU, 0x53380d13U, 0x650a7354U, 0x766a0abbU, 0x81c2c92eU, 0x92722c85U,
    0xa2bfe8a1U, 0xa81a664bU, 0xc24b8b70U, 0xc76c51a3U, 0xd192e819U, 0xd6990624U, 0xf40e3585U, 0x106aa070U,
    0x19a4c116U, 0x1e376c08U, 0x2748774cU, 0x34b0bcb5U, 0x391c0cb3U, 0x4ed8aa4aU, 0x5b9cca4fU, 0x682e6ff3U,
    0x748f82eeU, 0x78a5636fU, 0x84c87814U, 0x8cc70208U, 0x90befffaU, 0xa4506cebU, 0xbef9a3f7U, 0xc67178f2U,
};

static uint32_t rotate(uint32_t word, unsigned bits)
{
    return word >> bits | word << (32 - bits);
}

static uint32_t read_word(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* a to h are words[0] to words[7]; the comments name what FIPS 180-4 calls so. */
static void add_blocks_plainly(uint32_t state[8], const unsigned char *block, size_t count)
{
    for (; count > 0; count--, block += SHA256_BLOCK) {
        uint32_t schedule[ROUNDS], words[8];

        for (unsigned i = 0; i < 16; i++)
            schedule[i] = read_word(block + 4 * i);
        for (unsigned i = 16; i < ROUNDS; i++) {
            uint32_t before = schedule[i - 15], last = schedule[i - 2];

            schedule[i] = schedule[i - 16] + (rotate(before, 7) ^ rotate(before, 18) ^ before >> 3) + schedule[i - 7] +
                          (rotate(last, 17) ^ rotate(last, 19) ^ last >> 10);
        }
        memcpy(words, state, sizeof words);
        for (unsigned i = 0; i < ROUNDS; i++) {
            uint32_t a = words[0], b = words[1], c = words[2], e = words[4];
            uint32_t choice = (e & words[5]) ^ (~e & words[6]);
            uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
            uint32_t first = words[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + constants[i] +
                             schedule[i];                                                /* T1 */
            uint32_t second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority; /* T2 */

            memmove(words + 1, words, 7 * sizeof *words);
            words[4] += first;
            words[0] = first + second;
        }
        for (unsigned i = 0; i < 8; i++)
            state[i] += words[i];
    }
}

#if HAVE_SHA
/* Four rounds at once. The instructions want the state's words as a b e f and
 * c d g h, from the highest to the lowest of a vector. */
__attribute__((target("sha,sse4.1,ssse3"))) static void add_blocks(uint32_t state[8], const unsigned char *block,
                                                                   size_t count)
{
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203); /* big endian */
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)state), 0xB1);
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)(state + 4)), 0x1B);
    __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xF0);

    for (; count > 0; count--, block += SHA256_BLOCK) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i schedule[4]; /* the last 16 words */

        for (unsigned i = 0; i < ROUNDS / 4; i++) {
            __m128i *next = &schedule[i % 4], sum;

            if (i < 4) {
                *next = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(block + 16 * i)), order);
            } else {
                __m128i last = schedule[(i + 3) % 4];

                sum = _mm_add_epi32(_mm_sha256msg1_epu32(*next, schedule[(i + 1) % 4]),
                                    _mm_alignr_epi8(last, schedule[(i + 2) % 4], 4));
                *next = _mm_sha256msg2_epu32(sum, last);
            }
            sum = _mm_add_epi32(*next, _mm_loadu_si128((const __m128i *)(const void *)(constants + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    low = _mm_shuffle_epi32(abef, 0x1B);
    high = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(low, high, 0xF0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(high, low, 8));
}
#endif

static void take_blocks(struct sha256 *sha, const unsigned char *blocks, size_t count)
{
#if HAVE_SHA
    if (!sha->plain) {
        add_blocks(sha->state, blocks, count);
        return;
    }
#endif
    add_blocks_plainly(sha->state, blocks, count);
}

void sha256_begin(struct sha256 *sha)
{
    static const uint32_t state[8] = {0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
                                      0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};

    memcpy(sha->state, state, sizeof state);
    sha->length = 0;
#if HAVE_SHA
    sha->plain =
        !__builtin_cpu_supports("sha") || !__builtin_cpu_supports("sse4.1") || !__builtin_cpu_supports("ssse3");
#else
    sha->plain = true;
#endif
}

void sha256_use_plain(struct sha256 *sha)
{
    sha->plain = true;
}

void sha256_add(struct sha256 *sha, struct view bytes)
{
    size_t held = sha->length % SHA256_BLOCK, whole;

    sha->length += bytes.length;
    if (held > 0) {
        size_t count = MIN(bytes.length, SHA256_BLOCK - held);

        memcpy(sha->rest + held, bytes.bytes, count);
        bytes = view_slice(bytes, count, bytes.length);
        if (held + count < SHA256_BLOCK)
            return;
        take_blocks(sha, sha->rest, 1);
    }
    whole = bytes.length / SHA256_BLOCK;
    take_blocks(sha, (const unsigned char *)bytes.bytes, whole);
    if (bytes.length % SHA256_BLOCK > 0)
        memcpy(sha->rest, bytes.bytes + whole * SHA256_BLOCK, bytes.length % SHA256_BLOCK);
}

/* A one, as many zeros as fill a block, and the length in bits. */
void sha256_end(struct sha256 *sha, unsigned char digest[SHA256_SIZE])
{
    static const char padding[SHA256_BLOCK] = "\x80";
    uint64_t bits = 8 * sha->length;
    size_t held = sha->length % SHA256_BLOCK;
    size_t blocks = held + LENGTH_SIZE < SHA256_BLOCK ? 1 : 2, room = blocks * SHA256_BLOCK - LENGTH_SIZE - held;
    char length[LENGTH_SIZE];

    for (unsigned i = 0; i < LENGTH_SIZE; i++)
        length[i] = (char)(unsigned char)(bits >> (8 * (LENGTH_SIZE - 1 - i)));
    sha256_add(sha, (struct view){padding, room});
    sha256_add(sha, (struct view){length, sizeof length});
    for (unsigned i = 0; i < SHA256_SIZE; i++)
        digest[i] = (unsigned char)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
    sha256_begin(sha);
}
