/* Tests of extract/state: what a run puts in is there for the next one if it
 * was committed, and not if it was not; and which files are refused. */
#include "extract/state.h"

#include "tests/scratch.h"

#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

struct fixture {
    char *folder, *path;
    GPtrArray *settings;
    GString *why, *text;
};

static int set_up(void **state)
{
    struct fixture *fixture = g_new0(struct fixture, 1);

    fixture->folder = scratch_new();
    fixture->path = g_build_filename(fixture->folder, "state", NULL);
    fixture->settings = g_ptr_array_new();
    g_ptr_array_add(fixture->settings, (char *)(uintptr_t) "one=1");
    g_ptr_array_add(fixture->settings, (char *)(uintptr_t) "two=2");
    fixture->why = g_string_new(NULL);
    fixture->text = g_string_new(NULL);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    g_ptr_array_unref(fixture->settings);
    g_string_free(fixture->why, TRUE);
    g_string_free(fixture->text, TRUE);
    g_free(fixture->path);
    scratch_remove(fixture->folder);
    g_free(fixture);
    return 0;
}

static struct state *open_good(struct fixture *fixture)
{
    enum state_status status = STATE_FAILED;
    struct state *state = state_open(fixture->path, fixture->settings, fixture->why, &status);

    assert_string_equal(fixture->why->str, "");
    assert_non_null(state);
    assert_int_equal(status, STATE_GOOD);
    return state;
}

static struct state *open_run(struct fixture *fixture)
{
    static const struct state_output nowhere = {0};
    struct state *state = open_good(fixture);

    state_begin(state, &nowhere);
    return state;
}

static void close_run(struct state *state)
{
    assert_null(state_error(state));
    assert_true(state_commit(state));
    state_free(state);
}

static void expect_refused(struct fixture *fixture, enum state_status expected, const char *word)
{
    enum state_status status = STATE_GOOD;

    g_string_truncate(fixture->why, 0);
    assert_null(state_open(fixture->path, fixture->settings, fixture->why, &status));
    assert_int_equal(status, expected);
    if (strstr(fixture->why->str, word) == NULL)
        fail_msg("not said: %s; but: %s", word, fixture->why->str);
    g_string_truncate(fixture->why, 0);
}

static void expect_position(struct fixture *fixture, struct state *state, const char *key, const char *position)
{
    enum state_place place = state_find(state, key, fixture->text);

    assert_int_equal(place, position != NULL ? STATE_PLACE_KNOWN : STATE_PLACE_NEW);
    if (position != NULL)
        assert_string_equal(fixture->text->str, position);
}

static void test_places(void **data)
{
    struct fixture *fixture = *data;
    struct state *state = open_run(fixture);

    expect_position(fixture, state, "/a/b", NULL);
    state_take(state, "/a/b");
    assert_int_equal(state_find(state, "/a/b", fixture->text), STATE_PLACE_TAKEN);
    state_put_position(state, "/a/b", "here");
    assert_int_equal(state_find(state, "/a/b", fixture->text), STATE_PLACE_TAKEN);
    state_take(state, "/a/unread"); /* never to a position */
    state_take(state, "/a/\xff '\"%");
    state_put_position(state, "/a/\xff '\"%", "");
    close_run(state);

    state = open_run(fixture);
    expect_position(fixture, state, "/a/b", "here");
    expect_position(fixture, state, "/a/unread", NULL);
    expect_position(fixture, state, "/a/\xff '\"%", "");
    expect_position(fixture, state, "/b", NULL);
    expect_position(fixture, state, "/a/B", NULL);
    state_take(state, "/a/b");
    state_put_position(state, "/a/b", "there");
    state_free(state); /* not committed */

    state = open_run(fixture);
    expect_position(fixture, state, "/a/b", "here");
    state_take(state, "/a/b"); /* and read to no position: the old one is good */
    close_run(state);
    state = open_run(fixture);
    expect_position(fixture, state, "/a/b", "here");
    close_run(state);
}

static void test_tails(void **data)
{
    struct fixture *fixture = *data;
    struct state *state = open_run(fixture);

    assert_false(state_find_tail(state, "/a", fixture->text));
    state_take(state, "/a");
    state_put_tail(state, "/a", (struct view){"x\0y", 3});
    close_run(state);
    state = open_run(fixture);
    assert_true(state_find_tail(state, "/a", fixture->text));
    assert_int_equal(fixture->text->len, 3);
    assert_memory_equal(fixture->text->str, "x\0y", 3);
    state_take(state, "/a");
    state_put_tail(state, "/a", view_of(""));
    close_run(state);
    state = open_run(fixture);
    assert_false(state_find_tail(state, "/a", fixture->text));
    close_run(state);
}

static void test_log(void **data)
{
    struct fixture *fixture = *data;
    struct state *state = open_run(fixture);
    struct view entry;

    assert_false(state_replay(state, &entry));
    state_log(state, view_of("first"));
    state_log(state, (struct view){"a\0b", 3});
    close_run(state);
    state = open_run(fixture);
    state_log(state, view_of("of this run"));
    assert_true(state_replay(state, &entry));
    assert_true(view_is(entry, "first"));
    state_log(state, view_of("of this run, too"));
    assert_true(state_replay(state, &entry));
    assert_int_equal(entry.length, 3);
    assert_false(state_replay(state, &entry));
    assert_false(state_replay(state, &entry));
    close_run(state);
}

static void test_runs(void **data)
{
    struct fixture *fixture = *data;
    const struct state_output output = {UINT64_MAX - 1, 7, 123456789012};
    struct state_output before = {0};
    struct state *state = open_good(fixture);

    assert_false(state_was_cut_off(state, &before));
    state_begin(state, &output);
    state_log(state, view_of("lost"));
    state_free(state); /* as if it had been killed */

    state = open_good(fixture);
    assert_true(state_was_cut_off(state, &before));
    assert_memory_equal(&before, &output, sizeof output);
    state_begin(state, &output);
    close_run(state);
    state = open_good(fixture);
    assert_false(state_was_cut_off(state, &before));
    state_free(state);
}

static void test_in_use(void **data)
{
    struct fixture *fixture = *data;
    struct state *state = open_run(fixture);

    expect_refused(fixture, STATE_REFUSED, "another run");
    close_run(state);
    state_free(open_good(fixture));
}

static void test_settings(void **data)
{
    struct fixture *fixture = *data;

    close_run(open_run(fixture));
    g_ptr_array_index(fixture->settings, 0) = (char *)(uintptr_t) "one=3";
    expect_refused(fixture, STATE_REFUSED, "one has changed");
    g_ptr_array_index(fixture->settings, 0) = (char *)(uintptr_t) "three=3";
    expect_refused(fixture, STATE_REFUSED, "three is new, one is gone");
    g_ptr_array_index(fixture->settings, 0) = (char *)(uintptr_t) "one=1";
    state_free(open_good(fixture));
}

static void test_other_files(void **data)
{
    struct fixture *fixture = *data;
    char *bytes = NULL;
    gsize length = 0;

    assert_true(g_file_set_contents(fixture->path, "", 0, NULL));
    close_run(open_run(fixture)); /* an empty file is a state without anything */
    assert_true(g_file_get_contents(fixture->path, &bytes, &length, NULL));

    assert_true(g_file_set_contents(fixture->path, "not a state, and long enough to be looked at", -1, NULL));
    expect_refused(fixture, STATE_REFUSED, "no state");
    for (gsize cut = 1024; cut < length; cut += length / 4) {
        assert_true(g_file_set_contents(fixture->path, bytes, (gssize)cut, NULL));
        expect_refused(fixture, STATE_REFUSED, "damaged");
    }
    memset(bytes + 4096, 'x', 1000); /* the second page */
    assert_true(g_file_set_contents(fixture->path, bytes, (gssize)length, NULL));
    expect_refused(fixture, STATE_REFUSED, "damaged");
    g_free(bytes);

    assert_int_equal(g_remove(fixture->path), 0);
    assert_int_equal(g_mkdir(fixture->path, 0700), 0);
    expect_refused(fixture, STATE_FAILED, "unable to open");
}

static void test_own_file(void **data)
{
    struct fixture *fixture = *data;
    struct state *state = open_run(fixture);
    struct stat file;

    assert_int_equal(stat(fixture->path, &file), 0);
    assert_true(state_owns(state, &file));
    assert_int_equal(stat(fixture->folder, &file), 0);
    assert_false(state_owns(state, &file));
    state_free(state);
    state_free(NULL);
}

/* After an error nothing is found, and nothing is committed. */
static void test_failed(void **data)
{
    struct fixture *fixture = *data;
    struct state *state = open_run(fixture);

    state_take(state, "/a");
    state_put_position(state, "/a", "x");
    close_run(state);
    state = open_run(fixture);
    state_fail(state, "it makes no sense");
    state_fail(state, "nor does this");
    assert_string_equal(state_error(state), "it makes no sense");
    expect_position(fixture, state, "/a", NULL);
    state_put_position(state, "/a", "y");
    assert_false(state_commit(state));
    state_free(state);
    state = open_run(fixture);
    expect_position(fixture, state, "/a", "x");
    state_free(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_places, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tails, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_log, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_runs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_in_use, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_settings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_own_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failed, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
