/* seen: which messages of a run were read before.
 *
 * Archives overlap, and lists send copies: a message counts once. Of each, two
 * digests are remembered.
 */
#ifndef BENCHLORE_SEEN_H
#define BENCHLORE_SEEN_H

#include "extract/message.h"

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

/* Remember a message by its id and digest (message_digest), and say what it
 * is. With SEEN_OTHER the id that it gets in place of its own,
 * `ID.DIGEST@benchlore.invalid`, is appended to unique. */
enum seen_status seen_add(struct seen *seen, const char *id, const unsigned char digest[MESSAGE_DIGEST_SIZE],
                          GString *unique);

/* Forget the message that was entered under this id, its own or a unique one. */
void seen_forget(struct seen *seen, const char *id);

#endif
