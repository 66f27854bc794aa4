/* mailfile: the messages in one file or stream.
 *
 * An mbox of any kind, a single message, or text that is no mail, found out
 * from the content. It is read in constant memory; one message is held at a
 * time, and nothing of it is copied.
 */
#ifndef BENCHLORE_MAILFILE_H
#define BENCHLORE_MAILFILE_H

#include "extract/diag.h"
#include "extract/position.h"
#include "extract/raw_message.h"

/* A longer message is skipped (DIAG_UNREAD), the next one read. */
enum { MAILFILE_MESSAGE_MAX = 1 << 30 };

struct mailfile;

/* Open path; `-` is standard input. Never NULL: what can't be opened is
 * reported (DIAG_UNREAD) and has no messages. path and diag are borrowed. What
 * is neither mail nor text is reported as kind. */
struct mailfile *mailfile_open(const char *path, size_t message_max, enum diag_kind kind, struct diag *diag);
void mailfile_free(struct mailfile *mailfile);

/* False when there is nothing more, or reading failed (reported). */
bool mailfile_next(struct mailfile *mailfile, struct raw_message *message) __attribute__((warn_unused_result));

/* Was the file read well to its end? */
bool mailfile_is_read(const struct mailfile *mailfile);

/* Before the first mailfile_next: keep what mailfile_position needs and, with a
 * position up to which the file was read before, go on from there. A file that
 * does not hold what was read before is read from its beginning. */
void mailfile_remember(struct mailfile *mailfile, const struct position *before);

/* Up to where the file was read, after its last message. False: there is
 * nothing to say, and it is to be read again. */
bool mailfile_position(const struct mailfile *mailfile, struct position *position) __attribute__((warn_unused_result));

/* Of the message returned last: is it the last one, so that more of it may
 * follow once the file has grown? And is it the one that the position before
 * names, with another end? Both only with mailfile_remember. */
bool mailfile_may_grow(const struct mailfile *mailfile);
bool mailfile_has_grown(const struct mailfile *mailfile);

/* How much of the file has been read, as reader_share. */
double mailfile_share(const struct mailfile *mailfile);

#endif
