/* message: one parsed mail: identity, date, and its text parts, decoded.
 *
 * All returned pointers are borrowed from the message until it is read anew or
 * freed.
 */
#ifndef BENCHLORE_MESSAGE_H
#define BENCHLORE_MESSAGE_H

#include "extract/archive.h"

/* What lies beyond is reported (DIAG_UNREAD) and left out; with a longer
 * header the mail is read as text (DIAG_NOTE). */
enum {
    MESSAGE_HEADER_MAX = 1 << 20,    /* bytes */
    MESSAGE_DEPTH_MAX = 100,         /* parts inside parts */
    MESSAGE_PARTS_MAX = 10000,       /* text parts */
    MESSAGE_BOUNDARIES_MAX = 100000, /* lines of a multipart that begin with `--` */
    MESSAGE_TEXT_MAX = 128 << 20,    /* bytes of all text parts, as they stand in the mail */
    MESSAGE_LINES_MAX = 1000000,     /* of all text parts */
};

enum part_format {
    PART_PLAIN,
    PART_FLOWED,       /* RFC 3676 format=flowed */
    PART_FLOWED_DELSP, /* with DelSp=yes */
    PART_HTML,
};

/* A text part after transfer and charset decoding, before any repair. */
struct part {
    const char *section; /* IMAP section number, RFC 3501 6.4.5: "1", "2.1"; but see message_part */
    struct view text;    /* UTF-8 without NUL; what the charset has no meaning for is U+FFFD; CRLF is LF */
    enum part_format format;
};

struct message;

struct message *message_new(void);
void message_free(struct message *message);

/* Parse raw (borrowed during the call only); what the message was before is
 * forgotten, its memory used again. Odd mail is reported to diag and read as far
 * as it goes. Threads may do so at once, each with a message and a diag of its
 * own. */
void message_read(struct message *message, const struct raw_message *raw, struct diag *diag);

/* A new message that is read at once. */
struct message *message_parse(const struct raw_message *raw, struct diag *diag);

/* Message-ID without <>, comments and blanks: of several headers the first
 * usable; where there is none one generated from the raw message
 * (identity_generate). */
const char *message_id(const struct message *message);

/* Date header as RFC 3339 in UTC (`2024-01-30T16:11:16Z`); "" if unusable
 * (date_read). Of several headers the first usable; and what it says, in one
 * line and clean: that of the first if none is usable. */
const char *message_date(const struct message *message);
const char *message_date_text(const struct message *message);

/* Subject and From, without RFC 2047 encoding, in one line and clean; "" where
 * there is none. */
const char *message_subject(const struct message *message);
const char *message_author(const struct message *message);

/* The list that it came by: the id in List-Id, else the address in
 * X-Mailing-List; "" where there is none. */
const char *message_list(const struct message *message);

/* The ids of the messages it answers, the nearest first: In-Reply-To, then
 * References from its end; none twice, ENVELOPE_REFERENCES_MAX at most. */
size_t message_reference_count(const struct message *message);
const char *message_reference(const struct message *message, size_t index);

/* Text parts in the order of the mail, in nested messages (message/rfc822)
 * too. Of the forms that a multipart/alternative offers only the plain text
 * (unless it is blank), else the HTML, and all attachments. Attachments of
 * type text/ count; patches and the like are text too.
 *
 * In one point sections are not RFC 3501's: a nested message adds no level of
 * its own, so that message 2 has the parts 2.1 and 2.2 where it is a
 * multipart (as in RFC 3501), and is part 2 where it is not (there 2.1). */
size_t message_part_count(const struct message *message);
const struct part *message_part(const struct message *message, size_t index);

#endif
