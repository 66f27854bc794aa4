/* inbox: the messages of a public-inbox, which keeps mail in git.
 *
 * Version 2 keeps one message a commit, the file `m`, in repositories called
 * epochs; a commit with a file `d` deletes the message that has its content.
 * Version 1 keeps all messages as files, named by a hash, in one tree.
 */
#ifndef BENCHLORE_INBOX_H
#define BENCHLORE_INBOX_H

#include "extract/diag.h"
#include "extract/raw_message.h"

enum inbox_form {
    INBOX_MAIL,    /* a public-inbox, or an epoch of one */
    INBOX_OTHER,   /* another git repository, or an empty one */
    INBOX_DAMAGED, /* no git repository, or one that can't be read */
};

/* What the repository at path, bare or not, holds. */
enum inbox_form inbox_look(const char *path);

struct inbox;

/* Open the epochs (of char *, oldest first; one for version 1) of an inbox.
 * Never NULL; what can't be read is reported to diag. All is borrowed. */
struct inbox *inbox_open(const GPtrArray *paths, size_t message_max, struct diag *diag);
void inbox_free(struct inbox *inbox);

/* Before the first inbox_next: read of an epoch only what came behind position,
 * which is what inbox_position gave in an earlier run. Where its history is no
 * longer what it was, the epoch is read as a whole. */
void inbox_resume(struct inbox *inbox, guint epoch, const char *position);

/* Likewise: of this epoch nothing but its deletions is wanted. */
void inbox_skip(struct inbox *inbox, guint epoch);

/* Append up to where an epoch was read; false if it was not read well to its end. */
bool inbox_position(const struct inbox *inbox, guint epoch, GString *position) __attribute__((warn_unused_result));

/* The next message, in the order in which they came, without deleted ones.
 * False when there is nothing more. */
bool inbox_next(struct inbox *inbox, struct raw_message *message) __attribute__((warn_unused_result));

/* How much of it has been read, 0 to 1; each epoch counts the same. */
double inbox_share(const struct inbox *inbox);

#endif
