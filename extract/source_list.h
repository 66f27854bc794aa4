/* source_list: the sources of a run: arguments, then the names in a file. */
#ifndef BENCHLORE_SOURCE_LIST_H
#define BENCHLORE_SOURCE_LIST_H

#include "extract/diag.h"

struct source_list;

/* arguments (ended by NULL; or NULL), then the names in the file files0_from
 * (NULL: none; `-`: standard input), each ended by NUL, as `find -print0`
 * writes them. All is borrowed. Never NULL. */
struct source_list *source_list_new(char **arguments, const char *files0_from, struct diag *diag);
void source_list_free(struct source_list *list);

/* The next name, borrowed until the next call; NULL after the last. What can't
 * be read or is no name is reported (DIAG_UNREAD) and left out. */
const char *source_list_next(struct source_list *list);

#endif
