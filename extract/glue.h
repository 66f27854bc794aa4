/* glue: names that were printed without a blank between them, parted again.
 *
 * A cut is made only where a name is known to begin: one that stands alone
 * somewhere near, or the beginning of the glued text itself, since names that
 * are compared mostly begin alike. Where that does not give exactly the
 * number wanted, nothing is cut.
 */
#ifndef BENCHLORE_GLUE_H
#define BENCHLORE_GLUE_H

#include "extract/text.h"

/* Cut text into count pieces; names (of char *) are names known to stand
 * alone. False where it can't be told. */
bool glue_split(struct view text, unsigned count, const GPtrArray *names, struct view *pieces);

/* Cut some of the words so that there are wanted pieces in all; false where
 * there is no way or more than one. */
bool glue_split_words(const struct view *words, unsigned count, unsigned wanted, const GPtrArray *names,
                      struct view *pieces);

#endif
