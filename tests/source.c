#include "tests/source.h"

#include "tests/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

int source_set_up(void **state)
{
    struct source *source = g_new0(struct source, 1);

    source->folder = scratch_new();
    source->path = g_build_filename(source->folder, "source", NULL);
    source->diag = diag_new(NULL, false);
    *state = source;
    return 0;
}

int source_tear_down(void **state)
{
    struct source *source = *state;

    scratch_remove(source->folder);
    diag_free(source->diag);
    g_free(source->path);
    g_free(source);
    return 0;
}

struct archive *source_open(const struct source *source, const char *bytes, size_t length)
{
    assert_true(g_file_set_contents(source->path, bytes, (gssize)length, NULL));
    return archive_open(source->path, source->diag);
}

struct archive *source_open_string(const struct source *source, const char *string)
{
    return source_open(source, string, strlen(string));
}

void source_expect(struct archive *archive, const char *bytes, uint64_t byte_offset, bool is_mail)
{
    struct raw_message message;

    assert_int_equal(archive_next(archive, &message), ARCHIVE_MESSAGE);
    assert_int_equal(message.bytes.length, strlen(bytes));
    assert_memory_equal(message.bytes.bytes, bytes, strlen(bytes));
    assert_int_equal(message.byte_offset, byte_offset);
    assert_int_equal(message.is_mail, is_mail);
}

void source_expect_end(struct archive *archive)
{
    struct raw_message message;

    assert_int_equal(archive_next(archive, &message), ARCHIVE_END);
    assert_int_equal(archive_next(archive, &message), ARCHIVE_END);
    archive_free(archive);
}
