/* grammar_rule: the lines of a grammar file that begin a rule, with their
 * patterns, and the lines of a table.
 *
 * Private to grammar_load.c.
 */
#ifndef BENCHLORE_GRAMMAR_RULE_H
#define BENCHLORE_GRAMMAR_RULE_H

#include "extract/grammar_loader.h"

/* The line that begins with this word, or NULL. */
const struct keyword *rule_keyword(const char *word);

/* The rule that is being read is complete: check it as a whole. */
void rule_finish(struct loader *loader);

#endif
