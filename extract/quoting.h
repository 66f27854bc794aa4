/* quoting: quoted-printable in the raw bytes of a mail, declared or not (undecoded.h),
 * as far as literals may be in it.
 */
#ifndef BENCHLORE_QUOTING_H
#define BENCHLORE_QUOTING_H

#include "extract/joint.h"

/* May something in the text be quoted-printable that parts a literal? */
bool quoting_is_in(struct view text, const struct joints *joints);

/* Append what quoted-printable text stands for, with the marks of quoting gone
 * behind soft line breaks, and control characters gone that undecoded.c drops. */
void quoting_undo(GString *out, struct view text);

#endif
