/* grammar_statement: the lines of a grammar file that stand under a rule: what
 * rows, texts and relations its captures make.
 *
 * Private to grammar_load.c.
 */
#ifndef BENCHLORE_GRAMMAR_STATEMENT_H
#define BENCHLORE_GRAMMAR_STATEMENT_H

#include "extract/grammar_loader.h"

/* The line that begins with this word, or NULL. */
const struct keyword *statement_keyword(const char *word);

/* `units NAME` under a rule: the unit set that its figures are read with. */
void statement_units(struct loader *loader, struct line_reader *reader);

#endif
