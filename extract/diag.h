/* diag: diagnostics about the input; the only writer to standard error.
 *
 * Every line reads `source:offset: message-id: what`. The handle also counts
 * by kind, for the summary and the exit status.
 */
#ifndef BENCHLORE_DIAG_H
#define BENCHLORE_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum diag_kind {
    DIAG_NOTE,    /* odd, read all the same: exit status 0 */
    DIAG_DROPPED, /* a figure or message that could not be placed with certainty: exit status 0 */
    DIAG_UNREAD,  /* input that could not be read: exit status 1 */
    DIAG_VERBOSE, /* nothing odd: written only if it is asked for (diag_set_verbose) */
    DIAG_KIND_COUNT
};

/* Where something was seen. Fields may be NULL; byte_offset counts from 0 in
 * the source and is left out of the line when negative. */
struct place {
    const char *source;
    int64_t byte_offset;
    const char *message_id;
};

struct diag;

/* A handle that writes to stream (borrowed; NULL: counts only). With quiet,
 * DIAG_NOTE lines are counted and not written. */
struct diag *diag_new(FILE *stream, bool quiet);
void diag_free(struct diag *diag);

/* Write DIAG_VERBOSE lines too, unless the handle is quiet. */
void diag_set_verbose(struct diag *diag);

/* A handle that keeps in memory what another one would write, for a thread of
 * its own, until it is handed on or cleared. */
struct diag *diag_new_buffer(const struct diag *like);
bool diag_is_empty(const struct diag *buffer);
void diag_clear(struct diag *buffer);

/* Move all that buffer holds, lines and counts, to another handle. */
void diag_hand_on(struct diag *buffer, struct diag *diag);

/* Report one thing. The text is one line without a final newline; control
 * characters in it are written as `?`, so that a mail can't drive a terminal. */
void diag_report(struct diag *diag, enum diag_kind kind, const struct place *place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Write text as it is, without counting: progress, summaries, usage. */
void diag_print(struct diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Show text (one line of ASCII) at the bottom of a terminal, in place of what was
 * shown before; "": nothing any more. What else is written goes above it. Does
 * nothing unless diag_shows_status: the stream is a terminal that can do it,
 * and the handle is not quiet. */
void diag_status(struct diag *diag, const char *text);
bool diag_shows_status(const struct diag *diag);

/* How many of a kind were reported. */
uint64_t diag_count(const struct diag *diag, enum diag_kind kind);

#endif
