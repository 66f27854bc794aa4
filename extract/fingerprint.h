/* fingerprint: 128-bit digests that are quick, for what is compared within one
 * run and never leaves it.
 *
 * They tell texts apart that were not made to be taken for each other. What is
 * kept, or shown, is SHA-256.
 */
#ifndef BENCHLORE_FINGERPRINT_H
#define BENCHLORE_FINGERPRINT_H

#include "extract/text.h"

#include <stdint.h>

enum { FINGERPRINT_SIZE = 16 };

struct fingerprint {
    uint64_t lane[2];
};

/* That of no texts at all. */
struct fingerprint fingerprint_begin(void);

/* Add a text to those before it. Where texts end counts: `ab` `c` is another
 * row of texts than `a` `bc`. */
void fingerprint_add(struct fingerprint *fingerprint, struct view text);

void fingerprint_end(const struct fingerprint *fingerprint, unsigned char bytes[FINGERPRINT_SIZE]);

#endif
