/* untag: what is left of HTML once its tags are gone, near enough to look for
 * literals in it: html.h tells how it reads.
 */
#ifndef BENCHLORE_UNTAG_H
#define BENCHLORE_UNTAG_H

#include "extract/text.h"

/* Append text, some of which is HTML, to out without what looks like tags and
 * comments, with the characters that references stand for. What stands together
 * in the HTML as it is read stands together here, and where lines or cells end
 * there, lines end here; there may be more. False where that can't be promised:
 * where a tag does not end plainly. */
bool untag(GString *out, struct view text);

#endif
