/* body: a text part as lines, with the marks of mail taken off and remembered.
 *
 * What is undone here needs no knowledge of tables: HTML, quoted-printable that
 * was left encoded, quote marks, format=flowed space-stuffing, `- ` escapes of
 * clear-signed mail (RFC 4880 7.1), no-break spaces, carriage returns, terminal
 * escapes, decoration.
 */
#ifndef BENCHLORE_BODY_H
#define BENCHLORE_BODY_H

#include "extract/message.h"

/* The voice of a kernel's log (`[ 1234.567890] `), which a console puts between
 * the lines of any program. */
enum { BODY_VOICE_LOG = 1 };

/* One line of repaired text.
 *
 * The text has no quote marks and no trailing blanks; leading blanks and tabs
 * are kept, since they place columns; no-break and other Unicode spaces are
 * one blank each. A joined line is the text, a blank unless
 * join_without_blank, and the next line's text: so before a soft break
 * those trailing blanks are kept that the joined line has beyond this one. */
struct line {
    struct view text;
    size_t source_line;      /* in the part's text, from 1, lines ending in LF */
    unsigned quote_depth;    /* 0: the author's own */
    unsigned voice;          /* tells texts of one depth apart that may alternate, by their marks; 0 for `>` or none */
    bool soft_break;         /* the next line continues this one (format=flowed, or HTML text broken in the source) */
    size_t width;            /* bytes of the whole line as it stood, marks and trailing blanks included */
    bool join_without_blank; /* only with soft_break (DelSp, a line break inside an HTML tag, an encoder's) */
    bool decoded;            /* had been left in quoted-printable */
    bool undecorated;        /* had marks of decoration */
    bool is_plain;           /* printable ASCII (text_is_plain); there may be more such lines */
};

/* May a mailer have broken next off the line before it? Its first word had no
 * room there: even where nothing but quote marks was left of the line. */
bool line_is_wrapped(const struct line *before, const struct line *next);

/* Has the line quote marks and nothing else, not even blanks that could be the
 * beginning of what a mailer broke? */
bool line_is_bare(const struct line *line);

struct body;

/* Read a part; it must outlive the body. Never NULL. */
struct body *body_new(const struct part *part);
void body_free(struct body *body);

size_t body_line_count(const struct body *body);
const struct line *body_line(const struct body *body, size_t index);

#endif
