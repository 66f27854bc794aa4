#include "extract/fingerprint.h"

#include <xxhash.h>

struct fingerprint {
    XXH3_state_t *state;
};

uint64_t fingerprint_seed(void)
{
    GRand *random = g_rand_new(); /* seeded by the system */
    uint64_t high = g_rand_int(random), low = g_rand_int(random);

    g_rand_free(random);
    return high << 32 | low;
}

static void store(XXH128_hash_t hash, unsigned char bytes[FINGERPRINT_SIZE])
{
    XXH128_canonical_t canonical;

    XXH128_canonicalFromHash(&canonical, hash);
    memcpy(bytes, canonical.digest, FINGERPRINT_SIZE);
}

void fingerprint_of(struct view text, uint64_t seed, unsigned char bytes[FINGERPRINT_SIZE])
{
    store(XXH3_128bits_withSeed(text.bytes, text.length, seed), bytes);
}

struct fingerprint *fingerprint_new(uint64_t seed)
{
    struct fingerprint *fingerprint = g_new0(struct fingerprint, 1);

    fingerprint->state = XXH3_createState();
    if (fingerprint->state == NULL)
        g_error("out of memory");
    (void)XXH3_128bits_reset_withSeed(fingerprint->state, seed);
    return fingerprint;
}

void fingerprint_add(struct fingerprint *fingerprint, struct view text)
{
    const uint64_t length = text.length;

    (void)XXH3_128bits_update(fingerprint->state, &length, sizeof length);
    if (text.length > 0)
        (void)XXH3_128bits_update(fingerprint->state, text.bytes, text.length);
}

void fingerprint_end(struct fingerprint *fingerprint, unsigned char bytes[FINGERPRINT_SIZE])
{
    store(XXH3_128bits_digest(fingerprint->state), bytes);
    (void)XXH3_freeState(fingerprint->state);
    g_free(fingerprint);
}
