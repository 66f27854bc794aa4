/* run_sources: the main job, from sources to rows; or --explain.
 */
#ifndef BENCHLORE_RUN_SOURCES_H
#define BENCHLORE_RUN_SOURCES_H

#include "extract/run.h"

/* Read all sources that the options name, write the rows to standard output and
 * report. */
enum exit_status run_sources(struct run *run);

#endif
