/* run_state: what a run with --state does before its first row and behind its
 * last.
 */
#ifndef BENCHLORE_RUN_STATE_H
#define BENCHLORE_RUN_STATE_H

#include "extract/run.h"

/* Open the state, look where the rows go and note that the run begins. What is
 * wrong is reported. */
enum exit_status run_state_begin(struct run *run);

/* Has keeping the state failed? False where there is none. */
bool run_state_failed(const struct run *run);

/* The rows are written: only what is safe on the disk is noted as read. result:
 * how the run has ended so far; how it ends then is returned. */
enum exit_status run_state_end(struct run *run, enum exit_status result);

#endif
