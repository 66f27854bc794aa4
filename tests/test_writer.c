/* What every format owes its caller: to be found by its name, and to report
 * that a row could not be written. */
#include "output/writer.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static FILE *full_disk(void)
{
    FILE *stream = fopen("/dev/full", "w");

    assert_non_null(stream);
    return stream;
}

static void formats_are_listed_and_others_refused(void **state)
{
    (void)state;
    FILE *stream = full_disk();
    const char *const *formats = writer_formats();
    assert_string_equal(formats[0], "csv");
    for (size_t i = 0; formats[i]; i++) {
        struct writer *writer = writer_new(formats[i], stream);
        assert_non_null(writer);
        writer_free(writer);
    }
    assert_null(writer_new("CSV", stream));
    assert_null(writer_new("", stream));
    assert_null(writer_new("csv ", stream));
    writer_free(NULL);
    fclose(stream);
}

static void full_disk_is_reported_at_the_end(const char *format)
{
    FILE *stream = full_disk();
    struct writer *writer = writer_new(format, stream);
    assert_int_equal(writer_begin(writer), WRITER_OK); /* a few bytes: still in memory */
    assert_int_equal(writer_end(writer), WRITER_FAILED);
    assert_int_equal(errno, ENOSPC);
    writer_free(writer);
    fclose(stream);
}

static void failure_sticks(const char *format)
{
    FILE *stream = full_disk();
    struct writer *writer = writer_new(format, stream);
    struct observation row;
    for (int i = 0; i < COLUMN_COUNT; i++)
        row.field[i] = view_of("1");
    enum writer_status status = writer_begin(writer);
    for (int i = 0; i < 100000 && status == WRITER_OK; i++)
        status = writer_observation(writer, &row);
    assert_int_equal(status, WRITER_FAILED);
    assert_int_equal(errno, ENOSPC);
    errno = 0;
    assert_int_equal(writer_observation(writer, &row), WRITER_FAILED);
    assert_int_equal(errno, ENOSPC);
    errno = 0;
    assert_int_equal(writer_end(writer), WRITER_FAILED);
    assert_int_equal(errno, ENOSPC);
    writer_free(writer);
    fclose(stream);
}

static void closed_pipe_is_reported(const char *format)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    FILE *stream = fdopen(ends[1], "w");
    assert_non_null(stream);
    struct writer *writer = writer_new(format, stream);
    assert_int_equal(writer_begin(writer), WRITER_OK);
    assert_int_equal(writer_end(writer), WRITER_FAILED);
    assert_int_equal(errno, EPIPE);
    writer_free(writer);
    fclose(stream);
}

static void every_format_reports_failures(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    for (const char *const *format = writer_formats(); *format; format++) {
        print_message("%s\n", *format);
        full_disk_is_reported_at_the_end(*format);
        failure_sticks(*format);
        closed_pipe_is_reported(*format);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_are_listed_and_others_refused),
        cmocka_unit_test(every_format_reports_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
