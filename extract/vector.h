/* vector: bytes that are looked at together, as GCC and clang write it for
 * whatever vectors the processor has.
 */
#ifndef BENCHLORE_VECTOR_H
#define BENCHLORE_VECTOR_H

#include <stdint.h>

enum { VECTOR_SIZE = 32 };

typedef uint8_t vector __attribute__((vector_size(VECTOR_SIZE)));

/* Before a function: it is made twice where processors differ in it, for those
 * with vectors of this size and for all. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define WITH_VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define WITH_VECTORS
#endif

#endif
