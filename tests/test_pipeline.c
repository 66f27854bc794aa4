/* Several jobs find and report the same as one, in the same order, however
 * messages fall into batches. */
#include "extract/pipeline.h"

#include "extract/grammar_set.h"

#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const char grammar_text[] = "grammar rates\n"
                                   "literals IOPS= or oddity=\n"
                                   "block rate\n"
                                   "  begin IOPS=<value:number>\n"
                                   "    row rate = <value> 1/s\n";

struct fixture {
    char *folder;
    GPtrArray *grammars;
    char *sources[4];
};

static char *path_in(const struct fixture *fixture, const char *name)
{
    return g_build_filename(fixture->folder, name, NULL);
}

/* An mbox of messages numbered from first on: plain ones, some with one figure
 * or with 50, odd ones that are reported, and copies. */
static char *make_mbox(const struct fixture *fixture, const char *name, unsigned first, unsigned count)
{
    GString *mbox = g_string_new(NULL);
    char *path = path_in(fixture, name);

    for (unsigned i = first; i < first + count; i++) {
        unsigned number = i % 17 == 16 ? i - 3 : i; /* a copy */

        g_string_append_printf(mbox,
                               "From mboxrd@z Thu Jan  1 00:00:00 1970\n"
                               "Message-ID: <%u@example.org>\n"
                               "Date: %s\n"
                               "Content-Type: text/plain; charset=%s\n\n",
                               number, number % 11 == 3 ? "yesterday" : "Mon, 02 Jan 2023 10:00:00 +0000",
                               number % 13 == 5 ? "no-such-set" : "utf-8");
        for (unsigned k = 0; k < (number % 5 == 0 ? 1 : number % 7 == 0 ? 50 : 0); k++)
            g_string_append_printf(mbox, "IOPS=%u\n", number + k);
        g_string_append_printf(mbox, "text %u\n\n", number);
    }
    assert_true(g_file_set_contents(path, mbox->str, (gssize)mbox->len, NULL));
    g_string_free(mbox, TRUE);
    return path;
}

static int set_up(void **state)
{
    struct fixture *fixture = g_new0(struct fixture, 1);
    GString *mistakes = g_string_new(NULL);
    char *path, *files[2] = {NULL, NULL};

    fixture->folder = g_dir_make_tmp("benchlore-XXXXXX", NULL);
    path = files[0] = path_in(fixture, "rates.grammar");
    assert_true(g_file_set_contents(path, grammar_text, -1, NULL));
    fixture->grammars = grammar_set_load("grammars", files, mistakes);
    assert_string_equal(mistakes->str, "");
    assert_null(grammar_set_only(fixture->grammars, (char *[]){(char[]){"rates"}, NULL}));
    fixture->sources[0] = make_mbox(fixture, "one.mbox", 1, 700);
    fixture->sources[1] = path_in(fixture, "missing.mbox");
    fixture->sources[2] = make_mbox(fixture, "two.mbox", 500, 40);
    g_string_free(mistakes, TRUE);
    g_free(path);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    char *path = path_in(fixture, "rates.grammar");

    (void)g_unlink(path);
    g_free(path);
    for (char **source = fixture->sources; *source; source++) {
        (void)g_unlink(*source);
        g_free(*source);
    }
    (void)g_rmdir(fixture->folder);
    g_free(fixture->folder);
    g_ptr_array_unref(fixture->grammars);
    g_free(fixture);
    return 0;
}

/* All that a run gives, as text: a line a message, what it is and its observations, what is
 * reported among them, and the counts. With stop_after, so many messages only. */
static char *run_sources(const struct fixture *fixture, char **sources, const char *files0_from, unsigned jobs,
                         bool filter, unsigned stop_after)
{
    struct conditions *conditions = conditions_new(fixture->grammars);
    struct prefilter *prefilter = filter ? prefilter_new(conditions) : NULL;
    const struct pipeline_options options = {
        .sources = sources, .files0_from = files0_from, .conditions = conditions, .prefilter = prefilter, .jobs = jobs};
    GString *out = g_string_new(NULL);
    char *said = NULL;
    size_t said_length = 0;
    FILE *stream = open_memstream(&said, &said_length);
    struct diag *diag = diag_new(stream, false);
    struct pipeline *pipeline = pipeline_new(&options, diag);
    const struct recognizer_counts *counts;
    const struct imprint *imprint;
    const struct observation *observation;

    for (unsigned number = 1; (stop_after == 0 || number <= stop_after) && pipeline_next(pipeline, &imprint);
         number++) {
        g_string_append_printf(out, "%u %s\n", number, imprint ? imprint_id(imprint) : "-");
        if (imprint) {
            const struct raw_message raw = pipeline_raw(pipeline);

            g_string_append_printf(out, "%.*s\n", (int)MIN(raw.bytes.length, 100000), raw.bytes.bytes);
            assert_non_null(strstr(out->str, imprint_id(imprint)));
            pipeline_accept(pipeline);
        }
        while (imprint && (observation = pipeline_observation(pipeline))) {
            for (unsigned column = 0; column < COLUMN_COUNT; column++) {
                g_string_append_len(out, observation->field[column].bytes, (gssize)observation->field[column].length);
                g_string_append_c(out, ',');
            }
            g_string_append_c(out, '\n');
        }
        (void)fflush(stream);
        g_string_append_printf(out, "reported so far: %zu bytes\n", said_length);
    }
    counts = pipeline_counts(pipeline);
    g_string_append_printf(out, "%d results %d observations\n", (int)counts->results, (int)counts->observations);
    pipeline_free(pipeline);
    g_string_append_printf(out, "%d notes %d unread\n", (int)diag_count(diag, DIAG_NOTE),
                           (int)diag_count(diag, DIAG_UNREAD));
    diag_free(diag);
    (void)fclose(stream);
    g_string_append(out, said);
    free(said);
    prefilter_free(prefilter);
    conditions_free(conditions);
    return g_string_free(out, FALSE);
}

static char *run(const struct fixture *fixture, char **sources, unsigned jobs, bool filter, unsigned stop_after)
{
    return run_sources(fixture, sources, NULL, jobs, filter, stop_after);
}

static void same_for_all_jobs(void **state)
{
    struct fixture *fixture = *state;

    for (int filter = 0; filter < 2; filter++) {
        char *one = run(fixture, fixture->sources, 1, filter != 0, 0);

        /* 700 + 40 messages, a missing source; dates are reported only where messages are parsed */
        assert_non_null(strstr(one, "\n740 "));
        assert_null(strstr(one, "\n741 "));
        assert_non_null(strstr(one, "missing.mbox: cannot open"));
        assert_non_null(strstr(one, " 1 unread\n"));
        assert_true((strstr(one, ": 14@example.org: unusable Date") != NULL) == true);
        assert_true((strstr(one, ": 36@example.org: unusable Date") != NULL) == (filter == 0));
        for (unsigned jobs = 2; jobs <= 5; jobs++) {
            char *several = run(fixture, fixture->sources, jobs, filter != 0, 0);

            assert_string_equal(one, several);
            g_free(several);
        }
        g_free(one);
    }
}

/* Where the names of the sources are read from a file, reading is the caller's. */
static void same_from_a_list(void **state)
{
    struct fixture *fixture = *state;
    char *path = path_in(fixture, "list");
    GString *list = g_string_new(NULL);
    char *expected = run(fixture, fixture->sources, 1, true, 0);

    for (char **source = fixture->sources; *source; source++)
        g_string_append_len(list, *source, (gssize)strlen(*source) + 1);
    assert_true(g_file_set_contents(path, list->str, (gssize)list->len, NULL));
    for (unsigned jobs = 1; jobs <= 5; jobs++) {
        char *text = run_sources(fixture, NULL, path, jobs, true, 0);

        assert_string_equal(expected, text);
        g_free(text);
        g_free(run_sources(fixture, NULL, path, jobs, true, 100)); /* stopped early */
    }
    (void)g_unlink(path);
    g_string_free(list, TRUE);
    g_free(path);
    g_free(expected);
}

/* Message 1 has no figure, 5 has one, 7 has fifty. */
static void figures_in_order(void **state)
{
    struct fixture *fixture = *state;

    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        char *text = run(fixture, fixture->sources, jobs, true, 7);

        assert_true(g_str_has_prefix(text, "1 -\nreported so far: 0 bytes\n2 -\n"));
        assert_non_null(strstr(text, "\n5 5@example.org\nMessage-ID: <5@example.org>\n"));
        assert_non_null(strstr(text, "\n5@example.org,2023-01-02T10:00:00Z,1,rates,"));
        assert_non_null(strstr(text, "\n51 results 51 observations\n"));
        g_free(text);
    }
}

/* A caller that has enough may stop at any message. */
static void stopped_early(void **state)
{
    struct fixture *fixture = *state;

    for (unsigned stop_after = 1; stop_after < 200; stop_after += 66)
        for (unsigned jobs = 1; jobs <= 3; jobs++)
            g_free(run(fixture, fixture->sources, jobs, true, stop_after));
}

/* A message longer than all that may wait, among short ones; and one that is
 * longer than a batch. */
static void long_messages(void **state)
{
    struct fixture *fixture = *state;
    char *path = path_in(fixture, "long.mbox");
    char *sources[] = {path, NULL};
    GString *mbox = g_string_new(NULL);
    char *one, *three;

    for (unsigned i = 0; i < 60; i++) {
        g_string_append_printf(mbox, "From mboxrd@z Thu Jan  1 00:00:00 1970\nMessage-ID: <%u@l>\n\n", i);
        for (size_t size = i == 3 ? 9000000 : i == 30 ? 300000 : 10; size > 0; size -= 10)
            g_string_append(mbox, size % 1000000 == 0 ? "IOPS=1234\n" : "some text\n");
        g_string_append_c(mbox, '\n');
    }
    assert_true(g_file_set_contents(path, mbox->str, (gssize)mbox->len, NULL));
    one = run(fixture, sources, 1, true, 0);
    three = run(fixture, sources, 3, true, 0);
    assert_non_null(strstr(one, "\n4 3@l\n"));
    assert_non_null(strstr(one, "\n9 results 9 observations\n"));
    assert_string_equal(one, three);
    (void)g_unlink(path);
    g_string_free(mbox, TRUE);
    g_free(path);
    g_free(one);
    g_free(three);
}

/* Among messages with results, one that the prefilter would have kept back is
 * not reported, however odd; one that it lets through is, wherever it stands. */
static void odd_among_full_messages(void **state)
{
    struct fixture *fixture = *state;
    char *path = path_in(fixture, "full.mbox");
    char *sources[] = {path, NULL};
    GString *mbox = g_string_new(NULL);

    for (unsigned i = 0; i < 120; i++)
        g_string_append_printf(mbox, "From mboxrd@z Thu Jan  1 00:00:00 1970\nMessage-ID: <%u@l>\nDate: %s\n\n%s\n\n",
                               i, i % 40 == 39 ? "yesterday" : "Mon, 02 Jan 2023 10:00:00 +0000",
                               i == 79        ? "oddity=, that is all"
                               : i % 40 == 39 ? "nothing"
                                              : "IOPS=1234");
    assert_true(g_file_set_contents(path, mbox->str, (gssize)mbox->len, NULL));
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        char *text = run(fixture, sources, jobs, true, 0);

        assert_non_null(strstr(text, "\n117 results 117 observations\n1 notes 0 unread\n"));
        assert_non_null(strstr(text, ": 79@l: unusable Date"));
        g_free(text);
        text = run(fixture, sources, jobs, false, 0);
        assert_non_null(strstr(text, "\n117 results 117 observations\n3 notes 0 unread\n"));
        g_free(text);
    }
    (void)g_unlink(path);
    g_string_free(mbox, TRUE);
    g_free(path);
}

static void nothing_to_read(void **state)
{
    struct fixture *fixture = *state;
    char *none[] = {NULL};
    char *missing[] = {fixture->sources[1], NULL};

    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        char *text = run(fixture, none, jobs, true, 0);

        assert_string_equal(text, "0 results 0 observations\n0 notes 0 unread\n");
        g_free(text);
        text = run(fixture, missing, jobs, true, 0);
        assert_true(g_str_has_prefix(text, "0 results 0 observations\n0 notes 1 unread\n"));
        g_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_for_all_jobs),       cmocka_unit_test(same_from_a_list),
        cmocka_unit_test(figures_in_order),        cmocka_unit_test(stopped_early),
        cmocka_unit_test(long_messages),           cmocka_unit_test(nothing_to_read),
        cmocka_unit_test(odd_among_full_messages),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
