/* reader: the bytes of a file as one stream, unpacked where it is compressed.
 *
 * A file, a FIFO or standard input; gzip, zstd, xz and bzip2 are found out
 * from the first bytes. Those who read mail from it need not know.
 */
#ifndef BENCHLORE_READER_H
#define BENCHLORE_READER_H

#include "extract/diag.h"

#include <stddef.h>
#include <sys/stat.h>

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

/* Read up to size bytes (size > 0) into buffer. Of a damaged or cut file first
 * everything before the damage is read; then the read fails (DIAG_UNREAD). */
enum reader_status reader_read(struct reader *reader, char *buffer, size_t size, size_t *length)
    __attribute__((warn_unused_result));

/* Leave out so many bytes; false if there are not as many. */
bool reader_skip(struct reader *reader, uint64_t count) __attribute__((warn_unused_result));

/* The file as the system knows it; false for what is not open, or is no
 * regular file. */
bool reader_file(const struct reader *reader, struct stat *file) __attribute__((warn_unused_result));

/* Is it compressed? Known after the first read. */
bool reader_is_packed(const struct reader *reader);

/* How much of the file has been read, 0 to 1; negative where that is not known
 * (a pipe, a terminal). */
double reader_share(const struct reader *reader);

#endif
