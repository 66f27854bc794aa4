/* grammar_check: --check-grammar.
 */
#ifndef BENCHLORE_GRAMMAR_CHECK_H
#define BENCHLORE_GRAMMAR_CHECK_H

#include "extract/diag.h"
#include "extract/exit.h"

/* Report what is wrong with the grammars in files (NULL behind the last), which
 * come to those in folder, or print what their samples say. */
enum exit_status grammar_check(char **files, const char *folder, struct diag *diag);

#endif
