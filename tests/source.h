/* source: a file for tests of what archives are read from. */
#ifndef BENCHLORE_TESTS_SOURCE_H
#define BENCHLORE_TESTS_SOURCE_H

#include "extract/archive.h"

struct source {
    char *folder; /* has nothing but the file, if that */
    char *path;
    struct diag *diag;
};

/* For cmocka: *state is a struct source whose file is not there yet. */
int source_set_up(void **state);
int source_tear_down(void **state);

/* Write the file, and open it. */
struct archive *source_open(const struct source *source, const char *bytes, size_t length);
struct archive *source_open_string(const struct source *source, const char *string);

/* The next message of the archive is this; or there is none any more, and the
 * archive is freed. */
void source_expect(struct archive *archive, const char *bytes, uint64_t byte_offset, bool is_mail);
void source_expect_end(struct archive *archive);

#endif
