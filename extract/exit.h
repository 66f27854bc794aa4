/* exit: how the program ends.
 */
#ifndef BENCHLORE_EXIT_H
#define BENCHLORE_EXIT_H

#include <stdbool.h>
#include <stdio.h>

enum exit_status {
    STATUS_GOOD = 0,
    STATUS_UNREAD = 1,    /* some input could not be read; the rest was */
    STATUS_USAGE = 2,     /* wrong option, grammar or state; nothing was read */
    STATUS_UNWRITTEN = 3, /* the output or the state could not be written */
};

/* Was all that was printed written, also what a full buffer sent off before? */
static inline bool is_written(FILE *stream)
{
    return fflush(stream) == 0 && !ferror(stream);
}

/* The system takes a process's memory back at once. To free it piece by piece
 * takes longer than reading the grammars does, above all to unmap the code of
 * patterns; and that is done for those alone who look for leaks. */
#if defined(__SANITIZE_ADDRESS__) || defined(BENCHLORE_FREES_ALL)
enum { FREES_ALL = true };
#else
enum { FREES_ALL = false };
#endif

#endif
