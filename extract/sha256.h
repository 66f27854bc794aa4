/* sha256: SHA-256 (FIPS 180-4), with the processor's own instructions where it
 * has them: the content of every message with results is digested, and GLib's
 * takes some fifty instructions a byte for it.
 */
#ifndef BENCHLORE_SHA256_H
#define BENCHLORE_SHA256_H

#include "extract/text.h"

#include <stdint.h>

enum { SHA256_SIZE = 32, SHA256_BLOCK = 64 };

/* A digest in the making; it holds no memory of its own. */
struct sha256 {
    uint32_t state[8];
    uint64_t length;                  /* of all that was added */
    unsigned char rest[SHA256_BLOCK]; /* what fills no block yet */
    bool plain;
};

void sha256_begin(struct sha256 *sha);
void sha256_add(struct sha256 *sha, struct view bytes);

/* The digest of all that was added; then begin again. */
void sha256_end(struct sha256 *sha, unsigned char digest[SHA256_SIZE]);

/* Do without the processor's instructions, for tests: after sha256_begin. */
void sha256_use_plain(struct sha256 *sha);

#endif
