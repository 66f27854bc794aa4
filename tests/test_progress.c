/* Tests of extract/progress, of the shares it is made from (archive_share), and
 * of the line on a terminal (diag_status). */
#define _XOPEN_SOURCE 700 /* pseudo-terminals */
#include "extract/progress.h"

#include "extract/archive.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void expect_line(const struct progress_state *state, double share, double seconds, const char *expected)
{
    GString *line = g_string_new(NULL);
    progress_describe(line, state, share, seconds);
    assert_string_equal(line->str, expected);
    g_string_free(line, TRUE);
}

static void test_line(void **state)
{
    const struct progress_state far = {.source = 1, .bytes = 250000000, .messages = 12345, .results = 67};
    const struct progress_state none = {.source = 1};
    (void)state;
    expect_line(&far, 0.25, 10, " 25%, 12345 messages, 67 results, 25.0 MB/s, 0:30 left");
    expect_line(&far, 0.5, 100, " 50%, 12345 messages, 67 results, 2.5 MB/s, 1:40 left");
    expect_line(&far, 0.5, 7384, " 50%, 12345 messages, 67 results, 0.0 MB/s, 2:03:04 left");
    expect_line(&far, 1, 10, "100%, 12345 messages, 67 results, 25.0 MB/s, 0:00 left");
    /* not known: the share; and how long it takes, at the beginning */
    expect_line(&far, -1, 10, "12345 messages, 67 results, 25.0 MB/s");
    expect_line(&far, 0.5, 0.5, " 50%, 12345 messages, 67 results, 500.0 MB/s");
    expect_line(&none, 0, 0, "  0%, 0 messages, 0 results");
}

/* ---- shares ---- */

static void assert_near(double a, double b)
{
    assert_true(a - b < 1e-9 && b - a < 1e-9);
}

static char *write_file(const char *folder, const char *name, size_t size)
{
    char *path = g_build_filename(folder, name, NULL);
    char *text = g_strnfill(size, 'x');
    assert_true(g_file_set_contents(path, text, (gssize)size, NULL));
    g_free(text);
    return path;
}

static double share_of(const struct progress *progress, size_t source, double share)
{
    const struct progress_state state = {.source = source, .share = share};
    return progress_share(progress, &state);
}

static void test_sources(void **state)
{
    char *folder = g_dir_make_tmp("benchlore-XXXXXX", NULL);
    char *small = write_file(folder, "small", 100), *large = write_file(folder, "large", 300);
    char *const files[] = {small, large, NULL}, *const mixed[] = {small, large, folder, folder, NULL};
    struct diag *diag = diag_new(NULL, false);
    struct progress *progress = progress_new(files, false, diag);
    (void)state;

    assert_near(share_of(progress, 0, 0), 0);
    assert_near(share_of(progress, 1, 0.5), 0.125);
    assert_near(share_of(progress, 2, 0), 0.25);
    assert_near(share_of(progress, 2, 0.5), 0.625);
    assert_near(share_of(progress, 3, 0), 1);
    assert_true(share_of(progress, 1, -1) < 0);
    progress_free(progress);

    progress = progress_new(mixed, false, diag);
    assert_near(share_of(progress, 2, 0.5), 0.375);
    assert_near(share_of(progress, 4, 1), 1);
    progress_free(progress);

    progress = progress_new(files, true, diag);
    assert_true(share_of(progress, 1, 0.5) < 0);
    assert_false(progress_is_due(progress));
    progress_free(progress);
    progress_free(NULL);

    g_remove(small);
    g_remove(large);
    g_rmdir(folder);
    g_free(small);
    g_free(large);
    g_free(folder);
    diag_free(diag);
}

static void test_archive(void **state)
{
    enum { MAILS = 3000 };
    char *folder = g_dir_make_tmp("benchlore-XXXXXX", NULL);
    char *path = g_build_filename(folder, "mbox", NULL);
    struct diag *diag = diag_new(NULL, false);
    struct raw_message message;
    GString *text = g_string_new(NULL);
    double last = 0, half = 0;
    (void)state;

    for (int i = 0; i < MAILS; i++)
        g_string_append_printf(text, "From a Mon Nov 30 12:00:00 2020\nMessage-ID: <%d@x>\n\n%0*d\n\n", i, 1000, i);
    assert_true(g_file_set_contents(path, text->str, (gssize)text->len, NULL));
    struct archive *archive = archive_open(path, diag);
    for (int i = 0; archive_next(archive, &message) == ARCHIVE_MESSAGE; i++) {
        double share = archive_share(archive);
        assert_true(share >= last && share <= 1);
        last = share;
        if (i == MAILS / 2)
            half = share;
    }
    archive_free(archive);
    /* it reads ahead by its buffer's size */
    assert_true(half >= 0.5 && half < 0.9);
    assert_near(last, 1);

    /* four files: before the end of each, a quarter more; small ones are read at once */
    g_remove(path);
    for (char name[] = "a"; name[0] <= 'd'; name[0]++) {
        char *file = g_build_filename(folder, name, NULL);
        assert_true(g_file_set_contents(file, "Subject: x\nMessage-ID: <x@x>\n\nx\n", -1, NULL));
        g_free(file);
    }
    archive = archive_open(folder, diag);
    for (int i = 1; i <= 4; i++) {
        assert_int_equal(archive_next(archive, &message), ARCHIVE_MESSAGE);
        assert_near(archive_share(archive), 0.25 * i);
    }
    assert_int_equal(archive_next(archive, &message), ARCHIVE_END);
    archive_free(archive);

    for (char name[] = "a"; name[0] <= 'd'; name[0]++) {
        char *file = g_build_filename(folder, name, NULL);
        g_remove(file);
        g_free(file);
    }
    g_rmdir(folder);
    g_free(path);
    g_free(folder);
    g_string_free(text, TRUE);
    diag_free(diag);
}

/* ---- the terminal ---- */

struct terminal {
    int master;
    FILE *stream;
};

static bool terminal_open(struct terminal *terminal)
{
    terminal->master = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal->master < 0)
        return false;
    assert_int_equal(grantpt(terminal->master), 0);
    assert_int_equal(unlockpt(terminal->master), 0);
    int slave = open(ptsname(terminal->master), O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    terminal->stream = fdopen(slave, "w");
    assert_non_null(terminal->stream);
    return true;
}

static void terminal_close(struct terminal *terminal)
{
    fclose(terminal->stream);
    close(terminal->master);
}

/* All that was written is exactly this. */
static void expect_shown(struct terminal *terminal, const char *expected)
{
    char shown[512] = "";
    assert_int_equal(fputc('$', terminal->stream), '$'); /* so that there is something to read */
    assert_int_equal(fflush(terminal->stream), 0);
    for (size_t length = 0; length == 0 || shown[length - 1] != '$';) {
        ssize_t got = read(terminal->master, shown + length, sizeof shown - 1 - length);
        assert_true(got > 0);
        length += (size_t)got;
        shown[length] = '\0';
    }
    shown[strlen(shown) - 1] = '\0';
    assert_string_equal(shown, expected);
}

static void test_terminal(void **state)
{
    struct terminal terminal = {-1, NULL};
    (void)state;
    if (!terminal_open(&terminal))
        skip();
    assert_int_equal(setenv("TERM", "xterm", 1), 0);
    struct diag *diag = diag_new(terminal.stream, false);
    assert_true(diag_shows_status(diag));
    diag_status(diag, "");
    expect_shown(&terminal, "");
    diag_status(diag, "12345");
    expect_shown(&terminal, "\r12345");
    diag_status(diag, "678");
    expect_shown(&terminal, "\r678  ");
    /* what is said takes the place of the line */
    diag_report(diag, DIAG_NOTE, NULL, "odd");
    expect_shown(&terminal, "\r   \rodd\r\n");
    diag_status(diag, "9");
    expect_shown(&terminal, "\r9");
    diag_print(diag, "sum\n");
    expect_shown(&terminal, "\r \rsum\r\n");
    diag_status(diag, "ab");
    expect_shown(&terminal, "\rab");
    diag_free(diag);
    expect_shown(&terminal, "\r  \r");

    /* it is drawn no sooner than a tenth of a second after the last time */
    diag = diag_new(terminal.stream, false);
    struct progress *progress = progress_new(NULL, true, diag);
    const struct progress_state nothing = {0};
    assert_false(progress_is_due(progress));
    g_usleep(PROGRESS_INTERVAL + 1000);
    assert_true(progress_is_due(progress));
    progress_draw(progress, &nothing);
    assert_false(progress_is_due(progress));
    expect_shown(&terminal, "\r0 messages, 0 results, 0.0 MB/s");
    progress_free(progress);
    expect_shown(&terminal, "\r                               \r");
    diag_free(diag);

    /* not where it is not wanted, or a terminal can't do it */
    diag = diag_new(terminal.stream, true);
    assert_false(diag_shows_status(diag));
    diag_status(diag, "12345");
    diag_free(diag);
    assert_int_equal(setenv("TERM", "dumb", 1), 0);
    diag = diag_new(terminal.stream, false);
    assert_false(diag_shows_status(diag));
    diag_status(diag, "12345");
    expect_shown(&terminal, "");
    diag_free(diag);
    terminal_close(&terminal);
}

static void test_no_terminal(void **state)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    struct diag *diag = diag_new(stream, false);
    (void)state;
    assert_false(diag_shows_status(diag));
    diag_status(diag, "12345");
    diag_report(diag, DIAG_VERBOSE, NULL, "not asked for");
    diag_set_verbose(diag);
    diag_report(diag, DIAG_VERBOSE, NULL, "read");
    assert_int_equal(diag_count(diag, DIAG_UNREAD), 0);
    struct diag *buffer = diag_new_buffer(diag);
    diag_report(buffer, DIAG_VERBOSE, NULL, "and handed on");
    diag_hand_on(buffer, diag);
    diag_free(buffer);
    diag_free(diag);
    fclose(stream);
    assert_string_equal(text, "read\nand handed on\n");
    free(text);

    stream = open_memstream(&text, &length);
    diag = diag_new(stream, true);
    diag_set_verbose(diag);
    diag_report(diag, DIAG_VERBOSE, NULL, "quiet");
    diag_free(diag);
    fclose(stream);
    assert_string_equal(text, "");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),     cmocka_unit_test(test_sources),     cmocka_unit_test(test_archive),
        cmocka_unit_test(test_terminal), cmocka_unit_test(test_no_terminal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
