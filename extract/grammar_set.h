/* grammar_set: all grammars of a run, found in their folders and loaded.
 *
 * Folders are looked through in this order, and a grammar replaces one of the
 * same name from a folder before: the installed one (or that beside the
 * program), $XDG_DATA_HOME/benchlore/grammars, then the files given.
 */
#ifndef BENCHLORE_GRAMMAR_SET_H
#define BENCHLORE_GRAMMAR_SET_H

#include "extract/grammar_load.h"

/* The folder of the grammars that came with the program: `grammars` beside the
 * executable, or `../share/benchlore/grammars` from there, if it is there, else
 * installed (borrowed). Free with g_free. */
char *grammar_set_folder(const char *installed);

/* Load every grammar of folder, of the user's folder, and of files (NULL at
 * the end; may be NULL), by name. Mistakes of all files are appended. The
 * array holds struct grammar; free it with g_ptr_array_unref. */
GPtrArray *grammar_set_load(const char *folder, char **files, GString *mistakes);

/* Leave only the grammars with these names (NULL at the end); the first name
 * that no grammar has, or NULL. */
const char *grammar_set_only(GPtrArray *grammars, char **names);

/* Append what tells these grammars from others: strings `grammar NAME=DIGEST`
 * and, for the fragments in folder that all share, one more. A comment counts
 * for nothing. */
void grammar_set_describe(const GPtrArray *grammars, const char *folder, GPtrArray *settings);

#endif
