/* transfer: the transfer encodings of RFC 2045, undone for a body in memory. */
#ifndef BENCHLORE_TRANSFER_H
#define BENCHLORE_TRANSFER_H

#include "extract/text.h"

/* Append what encoded stands for to out. False where it is damaged: what can
 * be read is appended all the same, with a NUL in the place of what cannot, so
 * that the pieces on both sides of a gap are never taken for one.
 *
 * A line that is no base64 (a list's footer, say) counts as damage; reading
 * goes on with the next line, at the beginning of a group. */
bool transfer_decode_base64(GString *out, struct view encoded);

/* Append what encoded stands for to out; a `=` that encodes nothing stays. */
void transfer_decode_quoted_printable(GString *out, struct view encoded);

#endif
