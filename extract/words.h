/* words: a list of words as a pattern.
 */
#ifndef BENCHLORE_WORDS_H
#define BENCHLORE_WORDS_H

#include <glib.h>

/* Append to pattern what matches any of words (of char *; they are sorted), the
 * longest that fits, and to sketch what pattern_new wants to see of it. */
void words_append(GString *pattern, GString *sketch, GPtrArray *words);

#endif
