/* archive: a source of mail, message by message.
 *
 * What a source is, is found out from its content, never from its name: an
 * mbox, a single message, or text that is no mail, compressed or not; or a
 * directory: a maildir, an MH folder, a public-inbox in git, or any tree of
 * these. It is read in constant memory; only one message is held at a time.
 */
#ifndef BENCHLORE_ARCHIVE_H
#define BENCHLORE_ARCHIVE_H

#include "extract/diag.h"
#include "extract/raw_message.h"
#include "extract/state.h"

enum archive_status {
    ARCHIVE_MESSAGE, /* *message is set */
    ARCHIVE_END,     /* nothing more, or reading failed (reported to diag) */
};

struct archive;

/* Open path for reading; `-` is standard input. Never NULL: a source that
 * can't be opened is reported as DIAG_UNREAD and has no messages. diag is
 * borrowed and must outlive the archive. */
struct archive *archive_open(const char *path, struct diag *diag);
void archive_free(struct archive *archive);

/* Lower the limit on a message's size; before the first archive_next. */
void archive_limit(struct archive *archive, size_t message_max);

/* Return only what no run before has read, by state (borrowed), and note there
 * what is read; before the first archive_next. What is no file or directory (a
 * pipe, standard input) is read as ever. What this run has taken already is
 * not read again. */
void archive_remember(struct archive *archive, struct state *state);

/* Of the message returned last: the key by which state knows its place, if it
 * is the last message there and may go on in a later run, or has gone on since
 * the run before, which has read its beginning (*has_grown); else NULL. Valid
 * until the next call. */
const char *archive_tail(const struct archive *archive, bool *has_grown);

/* The message is valid until the next call or the archive's end. */
enum archive_status archive_next(struct archive *archive, struct raw_message *message)
    __attribute__((warn_unused_result));

/* How much of the source has been read, 0 to 1, or estimated so for a
 * directory; negative where that is not known (a pipe). */
double archive_share(const struct archive *archive);

#endif
