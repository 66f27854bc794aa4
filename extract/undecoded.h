/* undecoded: lines that a part still holds in quoted-printable (RFC 2045 6.7).
 *
 * Archives that kept the encoded body have them, and mails pasted into a mail.
 * Nothing declares them, so only what no other text has is taken for it: see
 * undecoded.c.
 */
#ifndef BENCHLORE_UNDECODED_H
#define BENCHLORE_UNDECODED_H

#include "extract/text.h"

/* A line of the part, without its line end. */
struct undecoded_line {
    struct view text;
    bool soft_break; /* the next line continues this one, without a blank between */
    bool decoded;    /* the text is another than what stood there */
};

/* Decode what is encoded among count lines that follow each other. Lines stay
 * lines: text that an encoder broke goes on in the next one, a character whose
 * bytes it parted stands whole in the second. Line breaks that were encoded
 * within a line are carriage returns. Texts that change are copied to texts.
 * False if nothing was encoded. */
bool undecoded_mend(struct undecoded_line *lines, size_t count, GStringChunk *texts);

#endif
