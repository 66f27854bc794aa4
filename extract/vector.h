/* vector: bytes that are looked at together, as GCC and clang write it for the
 * vectors that all processors of a kind have. Larger ones are not written so:
 * where they are missing, GCC makes code for each byte by itself.
 */
#ifndef BENCHLORE_VECTOR_H
#define BENCHLORE_VECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { VECTOR_SIZE = 16 };

typedef uint8_t vector __attribute__((vector_size(VECTOR_SIZE)));

static inline vector vector_load(const char *bytes)
{
    vector loaded;

    memcpy(&loaded, bytes, sizeof loaded);
    return loaded;
}

/* A bit for each byte, the first lowest: its highest bit. */
static inline uint32_t vector_bits(vector bytes)
{
#if defined(__x86_64__)
    typedef char signed_vector __attribute__((vector_size(VECTOR_SIZE)));

    return (uint32_t)__builtin_ia32_pmovmskb128((signed_vector)bytes);
#else
    uint32_t bits = 0;

    for (unsigned i = 0; i < VECTOR_SIZE; i++)
        bits |= (uint32_t)(bytes[i] >> 7) << i;
    return bits;
#endif
}

/* Loops through which most bytes go are also written for vectors of four times
 * the size, whose comparisons give bits (AVX-512). */
#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_WIDE_VECTORS 1
#define WITH_WIDE_VECTORS __attribute__((target("avx512f,avx512bw")))

enum { WIDE_VECTOR_SIZE = 64 };

static inline bool vectors_may_be_wide(void)
{
    return __builtin_cpu_supports("avx512bw");
}
#else
#define HAVE_WIDE_VECTORS 0
#endif

#endif
