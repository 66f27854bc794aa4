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

/* SHA-256, cut: for what outlives the run. */
void content_digest(const struct message *message, unsigned char digest[CONTENT_DIGEST_SIZE]);

/* The same as a fingerprint, which is made ten times as fast. */
void content_fingerprint(const struct message *message, unsigned char digest[CONTENT_DIGEST_SIZE]);

#endif
