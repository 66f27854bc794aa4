/* from_line: the line that begins a message in an mbox.
 *
 * `From`, a sender, a date: a line without a date is text that happens to
 * begin with this word.
 */
#ifndef BENCHLORE_FROM_LINE_H
#define BENCHLORE_FROM_LINE_H

#include "extract/text.h"

/* A longer line is none. */
enum { FROM_LINE_MAX = 1000 };

/* Is this line, without its end, a `From ` line and nothing else? */
bool from_line_is(struct view line);

/* Is it the one that git format-patch writes, whose date is always the same?
 * Patches are often pasted into mail. */
bool from_line_is_patch(struct view line);

/* The length of the `From ` line that text begins with, where more may follow
 * in the same line: mail that lost its line breaks. 0: none. */
size_t from_line_length(struct view text);

/* The line without the marks that an mbox puts before `From ` at its beginning:
 * `>From x` and `>>From x` are `From x`. */
struct view from_line_unescaped(struct view line);

#endif
