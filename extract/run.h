/* run: what the parts of a run share.
 */
#ifndef BENCHLORE_RUN_H
#define BENCHLORE_RUN_H

#include "extract/condition.h"
#include "extract/exit.h"
#include "extract/known.h"
#include "extract/options.h"
#include "extract/progress.h"
#include "extract/recognize.h"
#include "output/writer.h"

/* The first part is given; the others begin as 0. */
struct run {
    const struct options *options;
    const GPtrArray *grammars;
    const char *folder;  /* of the grammars that came with the program */
    const char *version; /* of the program */
    struct diag *diag;

    struct conditions *conditions; /* of the grammars */
    struct writer *writer;
    struct known *known;
    struct state *state; /* NULL: none is wanted */
    bool continues;      /* rows follow those that an earlier run wrote */
    uint64_t messages, with_results, copies;
    struct recognizer_counts counts;
    struct progress *progress;
};

#endif
