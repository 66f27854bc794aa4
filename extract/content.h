/* content: digests of what a message says, the same for every copy that relays,
 * lists and archives have made of it: of its text parts without white space at
 * the ends of lines, empty lines at the ends of parts, and the footers that lists
 * append.
 */
#ifndef BENCHLORE_CONTENT_H
#define BENCHLORE_CONTENT_H

#include "extract/fingerprint.h"
#include "extract/message.h"

enum { CONTENT_DIGEST_SIZE = FINGERPRINT_SIZE };

/* Digests of two kinds are never the same. */
struct content_digest_kind {
    bool lasts;    /* SHA-256, cut: for what outlives the run */
    uint64_t seed; /* else a fingerprint, which is made ten times as fast */
};

void content_digest(const struct message *message, const struct content_digest_kind *kind,
                    unsigned char digest[CONTENT_DIGEST_SIZE]);

#endif
