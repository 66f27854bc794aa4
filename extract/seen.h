/* seen: which messages of a run were read before.
 *
 * Archives overlap, and lists send copies: a message counts once. Of each, two
 * digests are remembered.
 */
#ifndef BENCHLORE_SEEN_H
#define BENCHLORE_SEEN_H

#include "extract/fingerprint.h"

enum seen_status {
    SEEN_NEW,
    SEEN_SAME,  /* the same id with the same content was there before */
    SEEN_OTHER, /* the id is taken by a message with other content */
};

struct seen;

struct seen *seen_new(void);
void seen_free(struct seen *seen);

/* Was a message of this id added? If not, its content need not be looked at. */
bool seen_has(const struct seen *seen, const char *id);

enum { SEEN_DIGEST_SIZE = FINGERPRINT_SIZE };

/* Remember a message by its id and a digest of its content, unless the id is
 * taken, and say what it is. All digests are made in the same way. */
enum seen_status seen_add(struct seen *seen, const char *id, const unsigned char digest[SEEN_DIGEST_SIZE]);

/* Forget the message that was entered under this id. */
void seen_forget(struct seen *seen, const char *id);

#endif
