/* vector: bytes that are looked at together, as GCC and clang write it for the
 * vectors that all processors of a kind have. Larger ones, which some have, are
 * not written so: where they are missing, GCC makes each byte's code by itself.
 */
#ifndef BENCHLORE_VECTOR_H
#define BENCHLORE_VECTOR_H

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

#endif
