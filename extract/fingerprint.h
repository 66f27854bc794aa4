/* fingerprint: digests of 128 bits that are quick (XXH3), for what is compared
 * within one run and never leaves it. What is kept, or shown, is SHA-256.
 *
 * They are made by a seed that nobody knows beforehand: so nobody can prepare a
 * text that is taken for another.
 */
#ifndef BENCHLORE_FINGERPRINT_H
#define BENCHLORE_FINGERPRINT_H

#include "extract/text.h"

#include <stdint.h>

enum { FINGERPRINT_SIZE = 16 };

/* A new seed. */
uint64_t fingerprint_seed(void);

/* The fingerprint of one text. */
void fingerprint_of(struct view text, uint64_t seed, unsigned char bytes[FINGERPRINT_SIZE]);

/* That of several texts, of which none were added yet. */
struct fingerprint;
struct fingerprint *fingerprint_new(uint64_t seed);

/* Add a text to those before it. Where texts end counts: `ab` `c` is another
 * row of texts than `a` `bc`. */
void fingerprint_add(struct fingerprint *fingerprint, struct view text);

/* The fingerprint of what was added; it is freed. */
void fingerprint_end(struct fingerprint *fingerprint, unsigned char bytes[FINGERPRINT_SIZE]);

#endif
