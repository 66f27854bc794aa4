/* Tests of reading on where an earlier run stopped: extract/archive with a
 * state, and of the positions by which files are known. */
#include "extract/archive.h"
#include "extract/position.h"

#include "tests/scratch.h"

#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <utime.h>

#include <cmocka.h>

#define FROM "From mboxrd@z Thu Jan  1 00:00:00 1970\n"

struct fixture {
    char *folder, *box, *state;
    GPtrArray *settings;
    struct diag *diag;
    GString *read;
};

static int set_up(void **state)
{
    struct fixture *fixture = g_new0(struct fixture, 1);

    fixture->folder = scratch_new();
    fixture->box = g_build_filename(fixture->folder, "box", NULL);
    fixture->state = g_build_filename(fixture->folder, "state", NULL);
    fixture->settings = g_ptr_array_new();
    fixture->diag = diag_new(NULL, false);
    fixture->read = g_string_new(NULL);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    g_ptr_array_unref(fixture->settings);
    diag_free(fixture->diag);
    g_string_free(fixture->read, TRUE);
    g_free(fixture->box);
    g_free(fixture->state);
    scratch_remove(fixture->folder);
    g_free(fixture);
    return 0;
}

static void make_old(const char *path)
{
    const struct utimbuf times = {1000000000, 1000000000};

    assert_int_equal(utime(path, &times), 0);
}

static void fill(const struct fixture *fixture, const char *text)
{
    assert_true(g_file_set_contents(fixture->box, text, -1, NULL));
    make_old(fixture->box);
}

/* One run over the box, which must read these messages, each without its line
 * ends at the end and with `|` behind it, or `+` where an earlier run has read
 * its beginning. */
static void expect_run(struct fixture *fixture, const char *expected)
{
    static const struct state_output nowhere = {0};
    enum state_status status;
    struct state *state = state_open(fixture->state, fixture->settings, fixture->read, &status);
    struct archive *archive = archive_open(fixture->box, fixture->diag);
    struct raw_message message;

    assert_non_null(state);
    state_begin(state, &nowhere);
    archive_remember(archive, state);
    g_string_truncate(fixture->read, 0);
    while (archive_next(archive, &message) == ARCHIVE_MESSAGE) {
        bool has_grown = false;

        (void)archive_tail(archive, &has_grown);
        for (struct view rest = view_trim(message.bytes); rest.length > 0; rest = view_slice(rest, 1, rest.length))
            g_string_append_c(fixture->read, rest.bytes[0]);
        g_string_append_c(fixture->read, has_grown ? '+' : '|');
    }
    archive_free(archive);
    assert_null(state_error(state));
    assert_true(state_commit(state));
    state_free(state);
    assert_string_equal(fixture->read->str, expected);
}

static void test_mbox(void **state)
{
    struct fixture *fixture = *state;

    fill(fixture, "");
    expect_run(fixture, "");
    fill(fixture, FROM "a: 1\n\n" FROM "a: 2\n\n");
    expect_run(fixture, "a: 1|a: 2|");
    expect_run(fixture, "");
    fill(fixture, FROM "a: 1\n\n" FROM "a: 2\n\n" FROM "a: 3\n\n");
    expect_run(fixture, "a: 3|");
    /* the empty line before a message may come with it */
    fill(fixture, FROM "a: 1\n\n" FROM "a: 2\n\n" FROM "a: 3\n\n" FROM "a: 4\n");
    expect_run(fixture, "a: 4|");
    fill(fixture, FROM "a: 1\n\n" FROM "a: 2\n\n" FROM "a: 3\n\n" FROM "a: 4\n\n" FROM "a: 5\n\n");
    expect_run(fixture, "a: 4+a: 5|");
    expect_run(fixture, "");
    assert_int_equal(diag_count(fixture->diag, DIAG_NOTE), 0);
    /* something before it is another, of other length */
    fill(fixture, FROM "a: 1\n\n" FROM "a: 22\n\n" FROM "a: 3\n\n" FROM "a: 4\n\n" FROM "a: 5\n\n" FROM "a: 6\n\n");
    expect_run(fixture, "a: 1|a: 22|a: 3|a: 4|a: 5|a: 6|");
    assert_int_equal(diag_count(fixture->diag, DIAG_NOTE), 1);
    fill(fixture, FROM "a: 1\n\n"); /* cut short */
    expect_run(fixture, "a: 1|");
    assert_int_equal(diag_count(fixture->diag, DIAG_NOTE), 2);
    fill(fixture, "");
    expect_run(fixture, "");
    fill(fixture, FROM "a: 7\n\n");
    expect_run(fixture, "a: 7|");
}

/* `From ` lines without a date are so in the next run, too. */
static void test_mbox_without_dates(void **state)
{
#define BARE "From a\n"
    struct fixture *fixture = *state;

    fill(fixture, BARE "To: 1\n\n" BARE "To: 2\n\n");
    expect_run(fixture, "To: 1|To: 2|");
    fill(fixture, BARE "To: 1\n\n" BARE "To: 2\n\n" BARE "To: 3\n\n");
    expect_run(fixture, "To: 3|");
}

/* And a count that hides another message is still not followed. */
static void test_count_that_hides_a_message(void **state)
{
#define FIRST  FROM "To: 1\n\n"
#define SECOND FROM "Content-Length: 48\n\n2\n\n" FROM "To: 3\n\n"
    struct fixture *fixture = *state;

    fill(fixture, FIRST);
    expect_run(fixture, "To: 1|");
    fill(fixture, FIRST SECOND FROM "Content-Length: 2\n\n4\n\n");
    expect_run(fixture, "Content-Length: 48\n\n2|To: 3|Content-Length: 2\n\n4|");
}

/* What is escaped, and what is counted, is so in the next run, too. */
static void test_kinds_of_mbox(void **state)
{
    struct fixture *fixture = *state;
    static const char first[] = FROM "Content-Length: 44\n\n" FROM "b: 1\n\n";
    char *both = g_strconcat(first, FROM "Content-Length: 8\n\n>From x\n\n", NULL);

    fill(fixture, first);
    expect_run(fixture, "Content-Length: 44\n\n" FROM "b: 1|");
    fill(fixture, both); /* mboxcl2: nothing is escaped */
    expect_run(fixture, "Content-Length: 8\n\n>From x|");
    g_free(both);
    fill(fixture, FROM "a: 1\n\n>From x\n\n");
    expect_run(fixture, "a: 1\n\nFrom x|");
    fill(fixture, FROM "a: 1\n\n>From x\n\n" FROM "a: 2\n\n>From y\n\n");
    expect_run(fixture, "a: 2\n\nFrom y|");
}

/* A message that may still be written to is left, if nothing shows its end. */
static void test_unfinished(void **state)
{
    struct fixture *fixture = *state;

    assert_true(g_file_set_contents(fixture->box, FROM "a: 1\n\n" FROM "a: 2\n\nfig", -1, NULL));
    expect_run(fixture, "a: 1|");
    expect_run(fixture, "");
    assert_true(g_file_set_contents(fixture->box, FROM "a: 1\n\n" FROM "a: 2\n\nfigure", -1, NULL));
    expect_run(fixture, "");
    make_old(fixture->box); /* nobody is */
    expect_run(fixture, "a: 2\n\nfigure|");
    expect_run(fixture, "");
    /* a message that was read is no longer left when it goes on */
    assert_true(g_file_set_contents(fixture->box, FROM "a: 1\n\n" FROM "a: 2\n\nfigures", -1, NULL));
    expect_run(fixture, "a: 2\n\nfigures+");
    expect_run(fixture, "");
}

static void test_single(void **state)
{
    struct fixture *fixture = *state;

    fill(fixture, "a: 1\n\nbody\n");
    expect_run(fixture, "a: 1\n\nbody|");
    expect_run(fixture, "");
    fill(fixture, "a: 1\n\nbody\nmore\n");
    expect_run(fixture, "a: 1\n\nbody\nmore+");
    fill(fixture, "a: 2\n\nbody\nmore\n");
    expect_run(fixture, "a: 2\n\nbody\nmore|");
    fill(fixture, "no mail\n");
    expect_run(fixture, "no mail|");
    fill(fixture, "no mail\n\n" FROM "a: 1\n\n");
    expect_run(fixture, "no mail+a: 1|");
    fill(fixture, "no mail\n\n" FROM "a: 1\n\n" FROM "a: 2\n\n");
    expect_run(fixture, "a: 2|");
}

static void write_in_box(const struct fixture *fixture, const char *name, const char *text)
{
    char *path = g_build_filename(fixture->box, name, NULL);
    char *folder = g_path_get_dirname(path);

    assert_int_equal(g_mkdir_with_parents(folder, 0700), 0);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    make_old(path);
    g_free(folder);
    g_free(path);
}

static void move_in_box(const struct fixture *fixture, const char *from, const char *to)
{
    char *old = g_build_filename(fixture->box, from, NULL);
    char *new = g_build_filename(fixture->box, to, NULL);

    assert_int_equal(g_rename(old, new), 0);
    g_free(old);
    g_free(new);
}

static void test_maildir(void **state)
{
    struct fixture *fixture = *state;

    write_in_box(fixture, "new/1.a.host", "a: 1\n");
    write_in_box(fixture, "cur/2.a.host:2,", "a: 2\n");
    write_in_box(fixture, "cur/2!a.host!2,", "a: 3\n");
    write_in_box(fixture, "cur/2!b.host!2,", "a: 4\n");
    write_in_box(fixture, ".sub/cur/1.a.host:2,", "a: 5\n");
    write_in_box(fixture, ".sub/new/2.a.host", "a: 6\n");
    expect_run(fixture, "a: 5|a: 6|a: 3|a: 4|a: 2|a: 1|");
    expect_run(fixture, "");
    move_in_box(fixture, "new/1.a.host", "cur/1.a.host:2,S");
    move_in_box(fixture, "cur/2.a.host:2,", "cur/2.a.host:2,RS");
    move_in_box(fixture, "cur/2!a.host!2,", "cur/2!a.host!2,S");
    write_in_box(fixture, "new/3.a.host", "a: 7\n");
    write_in_box(fixture, ".sub/new/3.a.host", "a: 8\n");
    expect_run(fixture, "a: 8|a: 7|");
    /* the same name in another folder is another message */
    write_in_box(fixture, ".other/cur/3.a.host:2,", "a: 9\n");
    write_in_box(fixture, ".other/new/x", "a: 10\n");
    expect_run(fixture, "a: 9|a: 10|");
}

static void test_tree(void **state)
{
    struct fixture *fixture = *state;

    write_in_box(fixture, "1", "a: 1\n");
    write_in_box(fixture, "list/2.mbox", FROM "a: 2\n\n");
    expect_run(fixture, "a: 1|a: 2|");
    write_in_box(fixture, "1.eml", "a: 3\n");
    write_in_box(fixture, "list/2.mbox", FROM "a: 2\n\n" FROM "a: 4\n\n");
    expect_run(fixture, "a: 3|a: 4|");
    /* an MH folder that was packed: another message under a known name */
    write_in_box(fixture, "1", "a: 5\n");
    expect_run(fixture, "a: 5|");
    expect_run(fixture, "");
}

/* As text and back; and what a position says of the file. */
static void test_position(void **state)
{
    static const char *const wrong[] = {"",
                                        "m",
                                        "m 0 5 3 00112233445566778899aabbccddeeff",
                                        "x 0 1 3 00112233445566778899aabbccddeeff",
                                        "m 0 1 3 00112233445566778899aabbccddeef",
                                        "m 0 1 3 00112233445566778899aabbccddeefg",
                                        "m 0 1 3 00112233445566778899aabbccddeeff 1 2 3",
                                        "m 0 -1 3 00112233445566778899aabbccddeeff"};
    struct position position = {.kind = POSITION_MBOX, .unescaped = true, .start = 5, .end = UINT64_MAX};
    struct position back;
    struct stat file = {.st_size = 12, .st_ino = 34};
    GString *text = g_string_new(NULL);

    (void)state;
    for (size_t i = 0; i < POSITION_DIGEST; i++)
        position.digest[i] = (unsigned char)(17 * i);
    position_write(&position, text);
    assert_string_equal(text->str, "m 1 5 18446744073709551615 00112233445566778899aabbccddeeff");
    assert_true(position_read(&back, text->str));
    assert_false(position_is_same(&back, &file));

    position_settle(&position, &file);
    g_string_truncate(text, 0);
    position_write(&position, text);
    assert_true(position_read(&back, text->str));
    assert_true(position_is_same(&back, &file));
    file.st_size++;
    assert_false(position_is_same(&back, &file));
    file.st_size--;
    file.st_ctim.tv_nsec++;
    assert_false(position_is_same(&back, &file));

    /* what was just changed may change again within the same tick */
    file.st_ctim.tv_sec = (time_t)(g_get_real_time() / G_USEC_PER_SEC);
    position_settle(&position, &file);
    assert_false(position_is_same(&position, &file));
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++)
        assert_false(position_read(&back, wrong[i]));
    g_string_free(text, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_mbox, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mbox_without_dates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_count_that_hides_a_message, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kinds_of_mbox, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unfinished, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_single, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_maildir, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tree, set_up, tear_down),
        cmocka_unit_test(test_position),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
