/* state: what earlier runs have read and found, in a file of its own (SQLite).
 *
 * It holds, of every place that mail was read from (a file, a message of a
 * maildir, a git repository), the position up to which it was read; and a log
 * of what is known of the messages with results. What both say is the business
 * of those who put it there.
 *
 * All that a run puts in becomes part of the file at once, by state_commit, or
 * not at all. While a run has the file open no other run can have it.
 */
#ifndef BENCHLORE_STATE_H
#define BENCHLORE_STATE_H

#include "extract/text.h"

#include <stdint.h>
#include <sys/stat.h>

enum state_status {
    STATE_GOOD,
    STATE_REFUSED, /* no state, a damaged or newer one, one of other settings or in use */
    STATE_FAILED,  /* can't be opened or written */
};

struct state;

/* Open the file at path, which is made if there is none, or an empty one.
 * settings (of char *, `NAME=VALUE`, sorted, no NAME twice) is what the rows
 * depend on: a file that was made with others is refused. NULL: *status says
 * why in general, and a sentence in particular is appended to why. */
struct state *state_open(const char *path, const GPtrArray *settings, GString *why, enum state_status *status);

/* What was put in and not committed is forgotten. */
void state_free(struct state *state);

/* The first thing that went wrong with the file since it was opened, NULL:
 * nothing. From then on nothing is found or put in, and state_commit fails. */
const char *state_error(const struct state *state);

/* Let something be wrong with the file: what is in it makes no sense. */
void state_fail(struct state *state, const char *what);

/* Is this file the state itself, or its journal? Such a file must not even be
 * opened: closing it would give up SQLite's locks. */
bool state_owns(const struct state *state, const struct stat *file);

/* ---- runs ---- */

/* A regular file that a run writes its rows to. */
struct state_output {
    uint64_t device, inode; /* 0, 0: it is no regular file */
    uint64_t length;        /* where the run begins to write */
};

/* True if the run before did not come to its end, and where it wrote to. */
bool state_was_cut_off(const struct state *state, struct state_output *output);

/* Note, in the file at once, that a run begins which writes to output. */
void state_begin(struct state *state, const struct state_output *output);

/* Make all that was put in part of the file, and note that the run has ended.
 * False: nothing was, and state_error says why. */
bool state_commit(struct state *state) __attribute__((warn_unused_result));

/* ---- places ---- */

enum state_place {
    STATE_PLACE_NEW,   /* never read, or never to a position */
    STATE_PLACE_KNOWN, /* *position is set */
    STATE_PLACE_TAKEN, /* by this run (state_take) */
};

/* What is known of a place. key is a path; bytes as they are. */
enum state_place state_find(struct state *state, const char *key, GString *position);

/* This run reads the place. Its position stays as it is until it is put. */
void state_take(struct state *state, const char *key);
void state_put_position(struct state *state, const char *key, const char *position);

/* What was written of the last message of a place, which may go on in the next
 * run; false: nothing is noted. The place must have been taken to put it. */
bool state_find_tail(struct state *state, const char *key, GString *tail);
void state_put_tail(struct state *state, const char *key, struct view tail);

/* ---- the log ---- */

/* Put an entry at the end of the log. */
void state_log(struct state *state, struct view entry);

/* The next entry of the log as it was when the file was opened, from the first
 * on; valid until the next call. False after the last. */
bool state_replay(struct state *state, struct view *entry) __attribute__((warn_unused_result));

#endif
