/* unseen: what stands in a text and is not seen by whoever reads it. Texts are
 * UTF-8.
 */
#ifndef BENCHLORE_UNSEEN_H
#define BENCHLORE_UNSEEN_H

#include "extract/text.h"

/* How many bytes at the beginning of text, which is not empty, nobody sees: an
 * escape sequence of a terminal (ECMA-48), a colour whose escape byte was lost
 * (`[1;34m`), a soft hyphen, a joiner or a byte order mark; 0: none. A
 * backspace is none of these: it erases what is before it. */
size_t unseen_length(struct view text);

/* May unseen_remove change the row? is_plain: it is printable ASCII. */
bool unseen_may_be_in(struct view row, bool is_plain);

/* Append a row (a line, or a piece of one between carriage returns) as it is
 * seen: spaces of every kind are blanks, what is unseen is gone, a backspace
 * erases. out is empty. */
void unseen_remove(GString *out, struct view row);

#endif
