/* grammar_load: a grammar file, checked and compiled.
 *
 * The language is described in grammars/README.md. All mistakes of a file are
 * found in one reading; a file with any gives no grammar.
 */
#ifndef BENCHLORE_GRAMMAR_LOAD_H
#define BENCHLORE_GRAMMAR_LOAD_H

#include "extract/fragment.h"
#include "extract/grammar.h"

/* Load path. common (borrowed, only during the call) holds the shared
 * fragments. NULL if there are mistakes, which are appended to mistakes as
 * `path:line:column: what` with the line and a caret. Free with grammar_free. */
struct grammar *grammar_load(const char *path, struct fragments *common, GString *mistakes);

#endif
