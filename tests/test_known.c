/* Tests of extract/known: what one run knows of messages the next one knows. */
#include "extract/known.h"

#include "extract/content.h"

#include "tests/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

struct fixture {
    char *folder, *path;
    GPtrArray *settings;
    struct diag *diag;
    GString *why;
    /* of the run at hand */
    struct state *state;
    struct known *known;
};

static int set_up(void **state)
{
    struct fixture *fixture = g_new0(struct fixture, 1);

    fixture->folder = scratch_new();
    fixture->path = g_build_filename(fixture->folder, "state", NULL);
    fixture->settings = g_ptr_array_new();
    fixture->diag = diag_new(NULL, false);
    fixture->why = g_string_new(NULL);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    g_ptr_array_unref(fixture->settings);
    diag_free(fixture->diag);
    g_string_free(fixture->why, TRUE);
    g_free(fixture->path);
    scratch_remove(fixture->folder);
    g_free(fixture);
    known_free(NULL);
    return 0;
}

static void begin_run(struct fixture *fixture)
{
    static const struct state_output nowhere = {0};
    enum state_status status;

    fixture->state = state_open(fixture->path, fixture->settings, fixture->why, &status);
    assert_non_null(fixture->state);
    state_begin(fixture->state, &nowhere);
    state_take(fixture->state, "/box");
    fixture->known = known_new(fixture->state, fixture->diag);
}

static void end_run(struct fixture *fixture)
{
    assert_null(state_error(fixture->state));
    assert_true(state_commit(fixture->state));
    known_free(fixture->known);
    state_free(fixture->state);
    fixture->state = NULL;
}

/* Read a message with an id and a body, whose rows have the values given, with
 * a blank between; those that are written are what it comes to, `NAME: 1 2`, or
 * `copy`. */
static void expect_rows(struct fixture *fixture, const char *tail, bool has_grown, const char *id, const char *body,
                        const char *values, const char *expected)
{
    char *mail = g_strdup_printf("Message-ID: <%s>\n\n%s\n", id, body);
    const struct raw_message raw = {view_of(mail), "test", 0, true};
    struct message *message = message_parse(&raw, fixture->diag);
    struct imprint *imprint = imprint_new();
    char **rows = g_strsplit(values, " ", -1);
    GString *written = g_string_new("copy");
    const char *name;

    imprint_begin(imprint, message, &(struct content_digest_kind){.lasts = fixture->state != NULL});
    imprint_end(imprint);
    message_free(message);
    known_begin(fixture->known, tail, has_grown);
    name = known_name(fixture->known, imprint, &raw);
    if (name != NULL)
        g_string_printf(written, "%s:", name);
    for (char **value = rows; name != NULL && *value != NULL; value++) {
        struct observation row;

        for (unsigned column = 0; column < COLUMN_COUNT; column++)
            row.field[column] = view_of("");
        row.field[COLUMN_MESSAGE_ID] = view_of(name);
        row.field[COLUMN_VALUE] = view_of(*value);
        if (!known_is_written(fixture->known, &row))
            g_string_append_printf(written, " %s", *value);
    }
    known_end(fixture->known, imprint, name != NULL && *rows != NULL);
    assert_string_equal(written->str, expected);
    g_string_free(written, TRUE);
    g_strfreev(rows);
    imprint_free(imprint);
    g_free(mail);
}

static void test_copies(void **state)
{
    struct fixture *fixture = *state;

    begin_run(fixture);
    expect_rows(fixture, NULL, false, "a@x", "one", "1", "a@x: 1");
    expect_rows(fixture, NULL, false, "b@x", "none", "", "b@x:");
    end_run(fixture);

    begin_run(fixture);
    expect_rows(fixture, NULL, false, "a@x", "one", "1", "copy");
    expect_rows(fixture, NULL, false, "b@x", "none", "2", "b@x: 2"); /* had no rows */
    unsigned char digest[CONTENT_DIGEST_SIZE];
    const struct raw_message raw = {view_of("Message-ID: <a@x>\n\ntwo\n"), "test", 0, true};
    struct message *message = message_parse(&raw, fixture->diag);
    GString *name = g_string_new("a@x.");
    content_digest(message, &(struct content_digest_kind){.lasts = true}, digest);
    message_free(message);
    for (size_t i = 0; i < sizeof digest; i++)
        g_string_append_printf(name, "%02x", digest[i]);
    g_string_append(name, "@benchlore.invalid: 3");
    expect_rows(fixture, NULL, false, "a@x", "two", "3", name->str);
    end_run(fixture);

    begin_run(fixture);
    expect_rows(fixture, NULL, false, "a@x", "two", "3", "copy");
    end_run(fixture);

    /* a run that was not committed has not been */
    begin_run(fixture);
    expect_rows(fixture, NULL, false, "c@x", "three", "4", "c@x: 4");
    known_free(fixture->known);
    state_free(fixture->state);
    fixture->state = NULL;
    begin_run(fixture);
    expect_rows(fixture, NULL, false, "c@x", "three", "4", "c@x: 4");
    end_run(fixture);
    g_string_free(name, TRUE);
}

/* Without a state the names are the same. */
static void test_one_run(void **state)
{
    struct fixture *fixture = *state;
    const struct raw_message raw = {view_of("Message-ID: <a@x>\n\ntwo\n"), "test", 0, true};
    struct message *message = message_parse(&raw, fixture->diag);
    unsigned char digest[CONTENT_DIGEST_SIZE];
    GString *name = g_string_new("a@x.");

    content_digest(message, &(struct content_digest_kind){.lasts = true}, digest);
    message_free(message);
    for (size_t i = 0; i < sizeof digest; i++)
        g_string_append_printf(name, "%02x", digest[i]);
    g_string_append(name, "@benchlore.invalid: 2");
    fixture->known = known_new(NULL, fixture->diag);
    expect_rows(fixture, NULL, false, "a@x", "one", "1", "a@x: 1");
    expect_rows(fixture, NULL, false, "a@x", "two", "2", name->str);
    expect_rows(fixture, NULL, false, "a@x", "one", "1", "copy");
    expect_rows(fixture, NULL, false, "a@x", "two", "2", "copy");
    known_free(fixture->known);
    g_string_free(name, TRUE);
}

static void test_grown(void **state)
{
    struct fixture *fixture = *state;

    begin_run(fixture);
    expect_rows(fixture, "/box", false, "a@x", "cut", "1 1 2 3", "a@x: 1 1 2 3");
    end_run(fixture);
    begin_run(fixture);
    expect_rows(fixture, "/box", true, "a@x", "cut, not", "1 1 1 2 4", "a@x: 1 4"); /* 3 was half a figure */
    assert_int_equal(diag_count(fixture->diag, DIAG_NOTE), 1);
    end_run(fixture);
    begin_run(fixture);
    expect_rows(fixture, "/box", true, "a@x", "cut, not so", "1 1 1 2 4", "a@x:");
    expect_rows(fixture, NULL, false, "a@x", "cut, not so", "1 1 1 2 4", "copy");
    /* the last message is another, without results */
    known_begin(fixture->known, "/box", false);
    known_end(fixture->known, NULL, false);
    end_run(fixture);
    begin_run(fixture);
    expect_rows(fixture, "/box", true, "b@x", "whole", "1", "b@x: 1");
    expect_rows(fixture, NULL, false, "a@x", "cut, not so", "1", "copy");
    assert_int_equal(diag_count(fixture->diag, DIAG_NOTE), 1);
    end_run(fixture);
}

static void test_damaged(void **state)
{
    struct fixture *fixture = *state;

    begin_run(fixture);
    state_log(fixture->state, view_of("shorter or longer, it makes no sense"));
    end_run(fixture);
    begin_run(fixture);
    known_begin(fixture->known, NULL, false);
    assert_string_equal(state_error(fixture->state), "it is damaged");
    assert_false(state_commit(fixture->state));
    known_free(fixture->known);
    state_free(fixture->state);
    fixture->state = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_copies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_grown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_damaged, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
