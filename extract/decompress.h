/* decompress: gzip, zstd, xz and bzip2 streams, unpacked piece by piece.
 *
 * A file may hold several compressed streams one behind the other, as `cat`
 * and log rotation make them; they are read as one.
 */
#ifndef BENCHLORE_DECOMPRESS_H
#define BENCHLORE_DECOMPRESS_H

#include "extract/text.h"

enum compression {
    COMPRESSION_NONE,
    COMPRESSION_GZIP,
    COMPRESSION_ZSTD,
    COMPRESSION_XZ,
    COMPRESSION_BZIP2,
};

enum decompress_status {
    DECOMPRESS_GOOD,
    DECOMPRESS_DAMAGED, /* no more can be unpacked; what was written before is good */
};

/* How much of a file decompress_detect wants to see, and how much a stream may
 * take in memory: what xz -9 and zstd --ultra -22 need; not what a hostile
 * file may ask for. */
enum {
    DECOMPRESS_HEAD = 10,
    DECOMPRESS_MEMORY_MAX = 192 * 1024 * 1024,
};

/* What a file that begins with head is, by its magic number. */
enum compression decompress_detect(struct view head);

struct decompressor;

/* kind is not COMPRESSION_NONE. */
struct decompressor *decompressor_new(enum compression kind);
void decompressor_free(struct decompressor *decompressor);

/* Unpack from the beginning of *input, which is cut by what was used, into
 * buffer: up to size bytes, *length of them written, also where damage is
 * found. Neither used nor written means that more input is needed. */
enum decompress_status decompressor_run(struct decompressor *decompressor, struct view *input, char *buffer,
                                        size_t size, size_t *length) __attribute__((warn_unused_result));

/* May the input end here? Else it is cut short. */
bool decompressor_at_end(const struct decompressor *decompressor);

/* What is wrong with the input, after DECOMPRESS_DAMAGED. */
const char *decompressor_damage(const struct decompressor *decompressor);

#endif
