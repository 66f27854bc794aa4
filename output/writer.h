/* writer: the table that every output format fills: begin, observation, end.
 *
 * Observations come message by message, and within a message result by
 * result (COLUMN_RESULT ascending). All their text is clean; a writer only
 * escapes what its own format asks for.
 */
#ifndef BENCHLORE_WRITER_H
#define BENCHLORE_WRITER_H

#include "extract/observation.h"

#include <stdio.h>

enum writer_status {
    WRITER_OK,
    WRITER_FAILED, /* errno says why; every later call fails as well */
};

struct writer;

/* A writer of the named format ("csv", "xml") on stream (borrowed; not closed),
 * or NULL if there is no such format. */
struct writer *writer_new(const char *format, FILE *stream);
void writer_free(struct writer *writer);

/* The names of all formats, NULL at the end; static. */
const char *const *writer_formats(void);

/* Can rows of this format follow those that an earlier writer of it wrote to
 * the same file? Then writer_continue is called in place of writer_begin. */
bool writer_can_continue(const struct writer *writer);
enum writer_status writer_continue(struct writer *writer) __attribute__((warn_unused_result));

/* What stands before the first and after the last observation. writer_end
 * flushes the stream and reports any failure of it. */
enum writer_status writer_begin(struct writer *writer) __attribute__((warn_unused_result));
enum writer_status writer_observation(struct writer *writer, const struct observation *observation)
    __attribute__((warn_unused_result));
enum writer_status writer_end(struct writer *writer) __attribute__((warn_unused_result));

#endif
