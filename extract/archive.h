/* archive: a source of mail, message by message.
 *
 * What a source is, is found out from its content, never from its name: an
 * mbox, a single message, or text that is no mail. It is read as a stream in
 * constant memory; only one message is held at a time.
 */
#ifndef BENCHLORE_ARCHIVE_H
#define BENCHLORE_ARCHIVE_H

#include "extract/diag.h"
#include "extract/text.h"

/* A longer message is skipped (DIAG_UNREAD), the next one read. */
enum { ARCHIVE_MESSAGE_MAX = 1 << 30 };

/* One message as it stands in its archive: without the mbox `From ` line and
 * the empty line that ends it there; `>From ` lines unescaped by one `>`
 * (mboxrd). Valid until the next call or the archive's end. */
struct raw_message {
    struct view bytes;
    const char *source;   /* the source's name as given; borrowed from the archive */
    uint64_t byte_offset; /* of the message's first byte in the source (of its `From ` line in an mbox) */
    bool is_mail;         /* false: text without a mail header, all of it body */
};

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

enum archive_status archive_next(struct archive *archive, struct raw_message *message)
    __attribute__((warn_unused_result));

#endif
