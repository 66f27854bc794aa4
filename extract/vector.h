/* vector: bytes that are looked at together, as GCC and clang write it for
 * whatever vectors the processor has.
 */
#ifndef BENCHLORE_VECTOR_H
#define BENCHLORE_VECTOR_H

#include <stdint.h>
#include <string.h>

enum { VECTOR_SIZE = 32 };

typedef uint8_t vector __attribute__((vector_size(VECTOR_SIZE)));

/* What is inlined everywhere is called by no rule that processors may differ in. */
#pragma GCC diagnostic ignored "-Wpsabi"
#define VECTOR_INLINE static inline __attribute__((always_inline))

VECTOR_INLINE vector vector_load(const char *bytes)
{
    vector loaded;

    memcpy(&loaded, bytes, sizeof loaded);
    return loaded;
}

/* A bit for each byte, the first lowest: its highest bit. */
VECTOR_INLINE uint32_t vector_bits(const vector *bytes)
{
#if defined(__x86_64__)
    typedef char half __attribute__((vector_size(VECTOR_SIZE / 2)));
    half halves[2];

    memcpy(halves, bytes, sizeof halves);
    return (uint32_t)__builtin_ia32_pmovmskb128(halves[0]) | (uint32_t)__builtin_ia32_pmovmskb128(halves[1]) << 16;
#else
    uint32_t bits = 0;

    for (unsigned i = 0; i < VECTOR_SIZE; i++)
        bits |= (uint32_t)((*bytes)[i] >> 7) << i;
    return bits;
#endif
}

/* Before a function: it is made twice where processors differ in it, for those
 * with vectors of this size and for all. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define WITH_VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define WITH_VECTORS
#endif

/* A loop may also be written for vectors of twice the size, of which comparisons
 * give bits (AVX-512): compilers make nothing of that by themselves. */
#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_WIDE_VECTORS 1
#define WITH_WIDE_VECTORS __attribute__((target("avx512f,avx512bw")))
#else
#define HAVE_WIDE_VECTORS 0
#endif

enum { WIDE_VECTOR_SIZE = 64 };

#endif
