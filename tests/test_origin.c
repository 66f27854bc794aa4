/* Tests of extract/origin and extract/imprint: threads of messages whose
 * figures are written down as `DEPTH name=value name=value; DEPTH ...`, one
 * result block between semicolons. */
#include "extract/origin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Four figures that stand nowhere else in these tests, and others. */
#define TABLE  "a=12.34 b=567.8 c=90.12 d=3456"
#define OTHER  "a=98.76 b=543.2 c=10.98 d=7654"
#define LONGER "a=1.101 b=2.202 c=3.303 d=4.404 e=5.505 f=6.606 g=7.707 h=8.808 i=9.909 j=1.212"

struct fixture {
    struct origins *origins;
    struct imprint *imprint;
    struct diag *diag;
};

static int set_up(void **state)
{
    struct fixture *fixture = g_new0(struct fixture, 1);
    fixture->origins = origins_new();
    fixture->imprint = imprint_new();
    fixture->diag = diag_new(NULL, false);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    origins_free(fixture->origins);
    imprint_free(fixture->imprint);
    diag_free(fixture->diag);
    g_free(fixture);
    origins_free(NULL);
    imprint_free(NULL);
    return 0;
}

static struct observation *observation_new(unsigned result, const char *depth, const char *series, const char *figure)
{
    struct observation *observation = g_new0(struct observation, 1);
    const char *equals = strchr(figure, '=');
    char *number = g_strdup_printf("%u", result);
    assert_non_null(equals);
    for (unsigned column = 0; column < COLUMN_COUNT; column++)
        observation->field[column] = view_of("");
    observation->field[COLUMN_RESULT] = view_of(number); /* freed by observation_free */
    observation->field[COLUMN_TOOL] = view_of("tool");
    observation->field[COLUMN_SERIES] = view_of(series);
    observation->field[COLUMN_METRIC] = (struct view){figure, (size_t)(equals - figure)};
    observation->field[COLUMN_VALUE] = observation->field[COLUMN_VALUE_TEXT] = view_of(equals + 1);
    observation->field[COLUMN_QUOTE_DEPTH] = view_of(depth);
    return observation;
}

static void observation_free(struct observation *observation)
{
    g_free((char *)(uintptr_t)observation->field[COLUMN_RESULT].bytes);
    g_free(observation);
}

/* Place a mail, whose results, if any, are on the line of its text; the origins
 * of its blocks, with a blank between; `-`: none. */
static const char *place_mail(struct fixture *fixture, const char *id, const char *mail, const char *line,
                              const char *text)
{
    static char shown[4096];
    const struct raw_message raw = {view_of(mail), "test", 0, true};
    struct message *message = message_parse(&raw, fixture->diag);
    char **blocks = g_strsplit(text, "; ", -1);
    GString *all = g_string_new(NULL);

    imprint_begin(fixture->imprint, message, &(struct content_digest_kind){.seed = 1});
    for (unsigned b = 0; blocks[b]; b++) {
        char **words = g_strsplit(blocks[b], " ", -1);
        for (unsigned w = 1; words[w]; w++) {
            struct observation *observation = observation_new(b + 1, words[0], "", words[w]);
            observation->field[COLUMN_PART] = view_of("1");
            observation->field[COLUMN_LINE] = view_of(line);
            imprint_add(fixture->imprint, observation);
            observation_free(observation);
        }
        g_strfreev(words);
    }
    imprint_end(fixture->imprint);
    message_free(message);
    origins_place(fixture->origins, id, fixture->imprint);
    for (unsigned b = 0; blocks[b]; b++) {
        struct observation *observation = observation_new(b + 1, "0", "", "x=1");
        const char *origin = origins_of(fixture->origins, observation);
        g_string_append_printf(all, "%s%s", b > 0 ? " " : "", *origin ? origin : "-");
        observation_free(observation);
    }
    g_strfreev(blocks);
    g_strlcpy(shown, all->str, sizeof shown);
    g_string_free(all, TRUE);
    return shown;
}

/* Likewise, with nothing in the mail but its references. */
static const char *place(struct fixture *fixture, const char *id, const char *references, const char *text)
{
    char *mail = g_strdup_printf("Message-ID: <%s>\nReferences: %s\n\n", id, references);
    const char *shown = place_mail(fixture, id, mail, "1", text);
    g_free(mail);
    return shown;
}

static void test_reply(void **state)
{
    assert_string_equal(place(*state, "a@x", "", "0 " TABLE "; 0 " OTHER), "- -");
    assert_string_equal(place(*state, "b@x", "<a@x>", "1 " TABLE "; 1 " OTHER), "a@x a@x");
    /* one's own block beside the quoted one has none, even with the same figures */
    assert_string_equal(place(*state, "c@x", "<a@x>", "1 " OTHER "; 0 " OTHER "; 0 " TABLE), "a@x - -");
    /* and a quoted block is not looked for in its own message */
    assert_string_equal(place(*state, "d@x", "<a@x>", "0 m=55555 n=66666; 1 m=55555 n=66666"), "- -");
}

static void test_thread(void **state)
{
    assert_string_equal(place(*state, "a@x", "", "0 " TABLE), "-");
    assert_string_equal(place(*state, "b@x", "<a@x>", "1 " TABLE "; 0 " OTHER), "a@x -");
    assert_string_equal(place(*state, "c@x", "<a@x> <b@x>", "2 " TABLE "; 1 " OTHER "; 0 " LONGER), "a@x b@x -");
    assert_string_equal(place(*state, "d@x", "<a@x> <b@x> <c@x>", "3 " TABLE "; 2 " OTHER "; 1 " LONGER),
                        "a@x b@x c@x");
    /* only the message before is named: its quotes lead on */
    assert_string_equal(place(*state, "e@x", "<b@x>", "2 " TABLE "; 1 " OTHER), "a@x b@x");
    assert_string_equal(place(*state, "f@x", "<e@x>", "3 " TABLE "; 2 " OTHER), "a@x b@x");
}

static void test_small_figures(void **state)
{
    /* too few digits to find by figures alone, enough beside a reference */
    assert_string_equal(place(*state, "a@x", "", "0 errors=0 users=10"), "-");
    assert_string_equal(place(*state, "b@x", "<a@x>", "1 errors=0 users=10"), "a@x");
    assert_string_equal(place(*state, "c@x", "", "1 errors=0 users=10"), "-");
    assert_string_equal(place(*state, "d@x", "<a@x>", "1 errors=0 users=20"), "-");
    /* also at the second remove */
    assert_string_equal(place(*state, "e@x", "<b@x>", "2 errors=0 users=10"), "a@x");
}

/* The digits of a figure are counted, whatever its form. */
static void test_forms(void **state)
{
    assert_string_equal(place(*state, "a@x", "", "0 real=0m1.413s user=0m0.253s sys=0m1.079s"), "-");
    assert_string_equal(place(*state, "b@x", "", "2 real=0m1.413s user=0m0.253s sys=0m1.079s"), "a@x");
    assert_string_equal(place(*state, "c@x", "", "0 real=0m10.000s user=0m2.000s sys=0m0.000s"), "-");
    assert_string_equal(place(*state, "d@x", "", "1 real=0m10.000s user=0m2.000s sys=0m0.000s"), "-");
}

static void test_trimmed(void **state)
{
    assert_string_equal(place(*state, "a@x", "", "0 " LONGER), "-");
    assert_string_equal(place(*state, "b@x", "<a@x>", "1 a=1.101 b=2.202 c=3.303 d=4.404"), "a@x");
    assert_string_equal(place(*state, "c@x", "<a@x>", "1 e=5.505 f=6.606 g=7.707; 1 i=9.909 j=1.212"), "a@x -");
    assert_string_equal(place(*state, "d@x", "<a@x>", "1 a=1.101 b=2.202 c=3.303 g=7.707 h=8.808 i=9.909 j=1.212"),
                        "a@x");
    /* one figure changed in each run of three: not that block */
    assert_string_equal(place(*state, "e@x", "<a@x>", "1 a=1.101 b=2.203 c=3.303 d=4.404 e=5.506 f=6.606"), "-");
    /* by figures alone: three of the eight runs of three figures lead there, six are quoted */
    assert_string_equal(place(*state, "f@x", "", "1 b=2.202 c=3.303 d=4.404 e=5.505 f=6.606 g=7.707 h=8.808 i=9.909"),
                        "a@x");
    /* one run in common is not enough then */
    assert_string_equal(place(*state, "g@x", "", "1 c=3.303 d=4.404 e=5.505"), "-");
}

static void test_reply_first(void **state)
{
    assert_string_equal(place(*state, "b@x", "<a@x>", "1 " TABLE), "-");
    assert_string_equal(place(*state, "a@x", "", "0 " TABLE), "-");
    assert_string_equal(place(*state, "c@x", "<a@x> <b@x>", "2 " TABLE), "a@x");
}

static void test_twins(void **state)
{
    assert_string_equal(place(*state, "first@x", "", "0 " TABLE), "-");
    assert_string_equal(place(*state, "second@y", "", "0 " TABLE), "-");
    /* references decide, else the first counts */
    assert_string_equal(place(*state, "r@y", "<second@y>", "1 " TABLE), "second@y");
    assert_string_equal(place(*state, "s@x", "<first@x>", "1 " TABLE), "first@x");
    assert_string_equal(place(*state, "t@z", "<unknown@z>", "1 " TABLE), "first@x");
    /* of two references the nearer */
    assert_string_equal(place(*state, "u@z", "<first@x> <second@y>", "1 " TABLE), "second@y");
    assert_string_equal(place(*state, "v@z", "<second@y> <first@x>", "1 " TABLE), "first@x");
    /* a nearer one that holds a part does not come before one that holds all */
    assert_string_equal(place(*state, "w@z", "<first@x>", "0 a=12.34 b=567.8 c=90.12 d=3456 e=1"), "-");
    assert_string_equal(place(*state, "y@z", "<first@x> <w@z>", "1 " TABLE), "first@x");
}

static void test_other_series(void **state)
{
    struct fixture *fixture = *state;
    const char *series[] = {"vanilla", "patched"};
    for (unsigned i = 0; i < 2; i++) {
        struct raw_message raw = {view_of("Message-ID: <a@x>\n\n"), "test", 0, true};
        struct message *message = message_parse(&raw, fixture->diag);
        struct observation *observation = observation_new(1, i == 0 ? "0" : "1", series[i], "m=12345.678");
        imprint_begin(fixture->imprint, message, &(struct content_digest_kind){.seed = 1});
        imprint_add(fixture->imprint, observation);
        imprint_end(fixture->imprint);
        origins_place(fixture->origins, series[i], fixture->imprint);
        assert_string_equal(origins_of(fixture->origins, observation), "");
        observation_free(observation);
        message_free(message);
    }
}

/* A message of thousands of figures: it is known by a sample, so a short quote
 * may be missed, never mistaken; one of half of it is found. */
static void test_sample(void **state)
{
    GString *text = g_string_new("0");
    for (unsigned i = 0; i < 3000; i++)
        g_string_append_printf(text, " m%u=%u", i, 100000 + i * 7919 % 900000);
    place(*state, "big@x", "", text->str);
    g_string_assign(text, "1");
    for (unsigned i = 1000; i < 2500; i++)
        g_string_append_printf(text, " m%u=%u", i, 100000 + i * 7919 % 900000);
    assert_string_equal(place(*state, "half@x", "<big@x>", text->str), "big@x");
    assert_string_equal(place(*state, "alone@x", "", text->str), "big@x");
    g_string_assign(text, "1");
    for (unsigned i = 1000; i < 2500; i++)
        g_string_append_printf(text, " m%u=%u", i, 100001 + i * 7919 % 900000);
    assert_string_equal(place(*state, "unlike@x", "<big@x>", text->str), "-");
    g_string_free(text, TRUE);
}

/* Thousands of messages, and each reply finds its own. */
static void test_many(void **state)
{
    char id[32], reference[32], reply[32], text[128];
    for (unsigned i = 0; i < 5000; i++) {
        g_snprintf(id, sizeof id, "m%u@x", i);
        g_snprintf(text, sizeof text, "0 a=%u b=%u c=%u d=7777", 10001 + i, 20001 + i, 30001 + i);
        assert_string_equal(place(*state, id, "", text), "-");
    }
    for (unsigned i = 0; i < 5000; i += 7) {
        g_snprintf(id, sizeof id, "m%u@x", i);
        g_snprintf(reply, sizeof reply, "r%u@x", i);
        g_snprintf(reference, sizeof reference, "<m%u@x>", i);
        g_snprintf(text, sizeof text, "1 a=%u b=%u c=%u d=7777", 10001 + i, 20001 + i, 30001 + i);
        assert_string_equal(place(*state, reply, i % 2 ? reference : "", text), id);
    }
}

static void test_long_id(void **state)
{
    char id[ORIGIN_ID_MAX + 2];
    memset(id, 'i', sizeof id);
    id[ORIGIN_ID_MAX + 1] = '\0';
    assert_string_equal(place(*state, id, "", "0 " TABLE), "-");
    assert_string_equal(place(*state, "b@x", "", "1 " TABLE), "-");
    id[ORIGIN_ID_MAX] = '\0';
    assert_string_equal(place(*state, id, "", "0 " TABLE), "-");
    assert_string_equal(place(*state, "c@x", "", "1 " TABLE), id);
}

/* A message with no blocks, and one with very many. */
static void test_extremes(void **state)
{
    struct fixture *fixture = *state;
    GString *text = g_string_new(NULL);
    struct raw_message raw = {view_of("Message-ID: <empty@x>\n\n"), "test", 0, true};
    struct message *message = message_parse(&raw, fixture->diag);
    imprint_begin(fixture->imprint, message, &(struct content_digest_kind){.seed = 1});
    imprint_end(fixture->imprint);
    origins_place(fixture->origins, "empty@x", fixture->imprint);
    message_free(message);
    for (unsigned i = 0; i < 300; i++)
        g_string_append_printf(text, "%s0 a=%u b=%u", i > 0 ? "; " : "", 1000001 + i, 2000001 + i);
    place(*state, "a@x", "", text->str);
    assert_string_equal(place(*state, "b@x", "<a@x> <empty@x>", "1 a=1000001 b=2000001"), "a@x");
    assert_string_equal(place(*state, "c@x", "<a@x> <empty@x>", "1 a=1000001 b=2000002"), "-");
    g_string_free(text, TRUE);
}

/* What was placed is known as before once it is saved and restored, every
 * record in its turn. */
static void test_restored(void **state)
{
    static const char *const placed[][4] = {
        {"a@x", "", "0 " TABLE, "-"},
        {"quiet@x", "", "1 errors=0 users=10", "-"}, /* nothing to remember */
        {"b@x", "<a@x>", "1 " TABLE "; 0 " OTHER, "a@x -"},
        {"c@x", "", "0 " LONGER, "-"},
        {"twin@x", "", "0 " TABLE, "-"},
    };
    struct fixture *fixture = *state;
    struct origins *restored = origins_new();
    size_t saved = 0;
    GString *record = g_string_new(NULL);

    for (size_t i = 0; i < G_N_ELEMENTS(placed); i++) {
        assert_string_equal(place(fixture, placed[i][0], placed[i][1], placed[i][2]), placed[i][3]);
        g_string_truncate(record, 0);
        if (origins_save(fixture->origins, record)) {
            assert_true(origins_restore(restored, (struct view){record->str, record->len}));
            saved++;
        }
    }
    assert_int_equal(saved, 4);
    for (gsize length = 0; length < record->len; length++) /* cut anywhere it is none, but between two keys */
        if (origins_restore(restored, (struct view){record->str, length}))
            assert_int_equal((record->len - length) % 4, 0);
    origins_free(restored);

    restored = origins_new();
    origins_free(fixture->origins);
    fixture->origins = origins_new();
    for (size_t i = 0; i < G_N_ELEMENTS(placed); i++) {
        place(fixture, placed[i][0], placed[i][1], placed[i][2]);
        g_string_truncate(record, 0);
        if (origins_save(fixture->origins, record))
            assert_true(origins_restore(restored, (struct view){record->str, record->len}));
    }
    g_string_free(record, TRUE);
    origins_free(fixture->origins);
    fixture->origins = restored;
    assert_string_equal(place(fixture, "d@x", "<b@x>", "2 " TABLE "; 1 " OTHER), "a@x b@x");
    assert_string_equal(place(fixture, "e@x", "", "1 " TABLE "; 1 " LONGER), "a@x c@x");
    assert_string_equal(place(fixture, "f@x", "<twin@x>", "1 " TABLE), "twin@x");
    assert_string_equal(place(fixture, "g@x", "<c@x>", "1 a=1.101 b=2.202 c=3.303 d=4.404"), "c@x");
}

static void test_forgotten(void **state)
{
    struct fixture *fixture = *state;

    place(fixture, "a@x", "", "0 " TABLE);
    place(fixture, "b@x", "<a@x>", "1 " TABLE);
    place(fixture, "c@x", "", "0 " TABLE);
    origins_forget(fixture->origins, "a@x");
    origins_forget(fixture->origins, "nobody@x");
    assert_string_equal(place(fixture, "d@x", "<a@x>", "1 " TABLE), "c@x"); /* who has posted it, too */
    assert_string_equal(place(fixture, "e@x", "<c@x>", "1 " TABLE), "c@x");
    assert_string_equal(place(fixture, "a@x", "", "0 " TABLE "; 0 " OTHER), "- -");
    assert_string_equal(place(fixture, "f@x", "<a@x>", "1 " TABLE "; 1 " OTHER), "a@x a@x");
    assert_string_equal(place(fixture, "g@x", "", "1 " OTHER), "a@x");
}

/* Of those who have posted the same, the attribution names one; references count more. */
static void test_attribution(void **state)
{
    struct fixture *fixture = *state;

    place_mail(fixture, "a@x", "From: Ann Other <ann@example.org>\n\n", "1", "0 " TABLE);
    place_mail(fixture, "b@x", "From: \"Bee, Bob\" <bob@example.org>\n\n", "1", "0 " TABLE);
    assert_string_equal(place_mail(fixture, "c@x", "\nOn Monday, Bee, Bob wrote:\n> table\n", "2", "1 " TABLE), "b@x");
    assert_string_equal(
        place_mail(fixture, "d@x", "\nOn 3/4/20, Ann\nOther wrote:\n\n> so\n> table\n", "5", "1 " TABLE), "a@x");
    assert_string_equal(place_mail(fixture, "e@x", "\nAm Di <BOB@example.org>:\n> so\n>\n> table\n", "4", "1 " TABLE),
                        "b@x");
    assert_string_equal(
        place_mail(fixture, "f@x", "\nAnn Other wrote:\n> bob@example.org:\n> > table\n", "3", "2 " TABLE), "b@x");
    assert_string_equal(place_mail(fixture, "g@x", "\nBob is right.\n\n> table\n", "3", "1 " TABLE), "a@x");
    assert_string_equal(place_mail(fixture, "h@x", "In-Reply-To: <a@x>\n\nBee, Bob wrote:\n> table\n", "2", "1 " TABLE),
                        "a@x");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_reply),    TEST(test_thread),      TEST(test_small_figures), TEST(test_trimmed),
        TEST(test_forms),    TEST(test_reply_first), TEST(test_twins),         TEST(test_other_series),
        TEST(test_sample),   TEST(test_many),        TEST(test_long_id),       TEST(test_extremes),
        TEST(test_restored), TEST(test_forgotten),   TEST(test_attribution),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
