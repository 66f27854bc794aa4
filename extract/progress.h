/* progress: the line on a terminal that says how far a run is.
 *
 * It is drawn by diag_status, so that nothing is drawn where standard error is
 * no terminal or the user wants quiet.
 */
#ifndef BENCHLORE_PROGRESS_H
#define BENCHLORE_PROGRESS_H

#include "extract/diag.h"

#include <glib.h>

enum { PROGRESS_INTERVAL = 100 * 1000 }; /* microseconds between two drawings, at least */

/* How far a run is. */
struct progress_state {
    size_t source; /* the one that is read, from 1; 0: none yet */
    double share;  /* of it, 0 to 1; negative: not known */
    uint64_t bytes, messages, results;
};

struct progress;

/* sources (ended by NULL; or NULL) is what is read, if known; it and diag are
 * borrowed. more: others follow. */
struct progress *progress_new(char *const *sources, bool more, struct diag *diag);
void progress_free(struct progress *progress);

/* Would progress_draw draw now? It costs next to nothing to ask. */
bool progress_is_due(const struct progress *progress);
void progress_draw(struct progress *progress, const struct progress_state *state);

/* The share of all sources that was read, 0 to 1; negative: not known. Files
 * count by their sizes; if there are directories among the sources, each source
 * counts the same. */
double progress_share(const struct progress *progress, const struct progress_state *state);

/* Append what is drawn after so many seconds: ` 12%, 345 messages, 6 results,
 * 78.9 MB/s, 1:23 left`. share is of all; what is not known is left out. */
void progress_describe(GString *line, const struct progress_state *state, double share, double seconds);

#endif
