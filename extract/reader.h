/* reader: the bytes of a source as one stream, wherever they come from.
 *
 * Today a file, a FIFO or standard input; what needs unpacking belongs behind
 * this header, so that those who read mail from it need not know.
 */
#ifndef BENCHLORE_READER_H
#define BENCHLORE_READER_H

#include "extract/diag.h"

#include <stddef.h>

enum reader_status {
    READER_BYTES, /* *length is 1 or more */
    READER_END,
    READER_FAILED, /* reported to diag, once; every later call fails as well */
};

struct reader;

/* Open path; `-` is standard input, which is not closed afterwards. Never
 * NULL: what can't be opened fails at the first read. path and diag are
 * borrowed and must outlive the reader. */
struct reader *reader_open(const char *path, struct diag *diag);
void reader_free(struct reader *reader);

/* Read up to size bytes (size > 0) into buffer. */
enum reader_status reader_read(struct reader *reader, char *buffer, size_t size, size_t *length)
    __attribute__((warn_unused_result));

#endif
