/* foreign: literals beyond ASCII in text of a set of characters that is not
 * known: what stands beside the ASCII in them tells, and how many bytes beyond it.
 */
#ifndef BENCHLORE_FOREIGN_H
#define BENCHLORE_FOREIGN_H

#include "extract/condition.h"

/* Is text UTF-8? Characters beyond ASCII are looked at alone, of which mail has few. */
bool foreign_is_utf8(struct view text);

/* Note each term that has characters beyond ASCII and may stand in text. With
 * four_bytes, characters may have two bytes or four, of which others than the
 * first are ASCII (GB 18030). */
void foreign_find(const struct conditions *conditions, struct view text, bool four_bytes,
                  struct condition_findings *findings);

#endif
