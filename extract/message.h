/* message: one parsed mail: identity, date, and its text parts, decoded.
 *
 * All returned pointers are borrowed from the message until it is freed.
 */
#ifndef BENCHLORE_MESSAGE_H
#define BENCHLORE_MESSAGE_H

#include "extract/archive.h"

enum part_format {
    PART_PLAIN,
    PART_FLOWED,        /* RFC 3676 format=flowed */
    PART_FLOWED_DELSP,  /* with DelSp=yes */
    PART_HTML,
};

/* A text part after transfer and charset decoding, before any repair. */
struct part {
    const char *section; /* IMAP section number, RFC 3501 6.4.5: "1", "2.1" */
    struct view text;    /* UTF-8; bytes that the charset has no meaning for are U+FFFD; CRLF is LF */
    enum part_format format;
};

struct message;

/* Parse raw (borrowed during the call only). Odd mail is reported to diag and
 * read as far as it goes; never NULL. */
struct message *message_parse(const struct raw_message *raw, struct diag *diag);
void message_free(struct message *message);

/* Message-ID without <>: of several headers the first; where none is usable
 * `generated.HASH@benchlore.invalid`, HASH being the first 32 hex digits of
 * the SHA-256 of the raw message, line ends as LF, trailing empty lines off. */
const char *message_id(const struct message *message);

/* Date header as RFC 3339 in UTC (`2024-01-30T16:11:16Z`); "" if unusable. */
const char *message_date(const struct message *message);

/* Text parts in the order of the mail, in nested messages (message/rfc822)
 * too. Of multipart/alternative only the text/plain one where there is one,
 * else the HTML. Attachments of type text/ count; patches and the like
 * are text too. */
size_t message_part_count(const struct message *message);
const struct part *message_part(const struct message *message, size_t index);

#endif
