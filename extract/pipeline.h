/* pipeline: the messages of all sources with what was found in them, in order.
 *
 * As many threads as wished read and examine messages, the caller's among them:
 * it works while it waits for the next message. Messages, observations and
 * diagnostics come in the same order, and are the same, for every number of
 * jobs.
 */
#ifndef BENCHLORE_PIPELINE_H
#define BENCHLORE_PIPELINE_H

#include "extract/imprint.h"
#include "extract/prefilter.h"
#include "extract/progress.h"
#include "extract/recognize.h"
#include "extract/state.h"

struct pipeline_options {
    char **sources;                      /* as source_list_new takes them */
    const char *files0_from;             /* likewise */
    const struct conditions *conditions; /* of the grammars to recognize by */
    const struct prefilter *prefilter;   /* NULL: parse every message */
    unsigned jobs;                       /* at least 1 */
    bool warn_unknown;
    bool wants_blocks;   /* in imprints */
    struct state *state; /* NULL: nothing is known from earlier runs */
};

enum { PIPELINE_JOBS_MAX = 256 };

struct pipeline;

/* All that options point to is borrowed, and so is diag. */
struct pipeline *pipeline_new(const struct pipeline_options *options, struct diag *diag);
void pipeline_free(struct pipeline *pipeline);

/* The next message: *imprint is what it is known by if anything was found in it,
 * else NULL (it lasts if there is a state); what was odd about it has been reported. False after the last.
 * What is found, and the imprint, are valid until the next call. */
bool pipeline_next(struct pipeline *pipeline, const struct imprint **imprint) __attribute__((warn_unused_result));

/* The message as it stands in its archive; valid until the next call. */
struct raw_message pipeline_raw(const struct pipeline *pipeline);

/* As archive_tail, of the message. */
const char *pipeline_tail(const struct pipeline *pipeline, bool *has_grown);

/* Let what was found in the message count, and report what recognizing it gave
 * rise to: to be called for those that are no copies of others. */
void pipeline_accept(struct pipeline *pipeline);

/* The next observation of the message, NULL after the last. Valid until the
 * next call. */
const struct observation *pipeline_observation(struct pipeline *pipeline);

/* How far reading has come, and how many results there are. */
void pipeline_progress(struct pipeline *pipeline, struct progress_state *state);

/* Of messages that were accepted, and of those in which nothing was found. */
const struct recognizer_counts *pipeline_counts(const struct pipeline *pipeline);

#endif
