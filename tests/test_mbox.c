/* Tests of how an mbox is parted into messages: by `From ` lines, and by counts. */
#include "tests/source.h"

#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define FROM  "From mboxrd@z Thu Jan  1 00:00:00 1970\n"
#define PATCH "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\n"
#define HEAD  "Subject: s\n\n"

static void test_from_lines(void **state)
{
    static const char *const lines[] = {
        "From mboxrd@z Thu Jan  1 00:00:00 1970",
        "From user@host Sat Jan  3 01:05:34 1996 +0100",
        "From user@host Sat Jan 03 01:05 1996",
        "From user@host Sat Jan  3 01:05:34 MET 1996",
        "From user@host Sat Jan  3 01:05:34 MET DST 1996",
        "From user@host Sat Jan  3 1:05:34 1996 remote from host",
        "From user at host.example  Sat Jan  3 01:05:34 1996",
        "From - Sat Jan  3 01:05:34 1996",
        "From  Sat Jan  3 01:05:34 1996",
        "From \"odd sender\"@host Mon Tue Sat Jan  3 01:05:34 1996 ",
        "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001",
        "From user@host Sat Jan  3 01:05:34 1996\r",
    };
    static const char *const not_lines[] = {
        "From here on the numbers are different",
        "From user@host",
        "From mboxrd@z Thu Jan  1 00:00:00 1970 Return-Path: x",
        "From mboxrd@z Thu Jan  1 00:00:00",
        "From mboxrd@z Thu Jan  1 1970",
        "From mboxrd@z Thu Foo  1 00:00:00 1970",
        "From mboxrd@z Thursday Jan  1 00:00:00 1970",
        "From Thu to Sat Jan  3 was the longest run of 1996",
        "From mboxrd@z Thu Jan  1 00:00:00 1970.",
        "From mboxrd@z Thu Jan 111 00:00:00 1970",
        "from mboxrd@z Thu Jan  1 00:00:00 1970",
        ">From mboxrd@z Thu Jan  1 00:00:00 1970",
        " From mboxrd@z Thu Jan  1 00:00:00 1970",
        "Fromm boxrd@z Thu Jan  1 00:00:00 1970",
    };
    const struct source *source = *state;

    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        char *text = g_strdup_printf("%s\n" HEAD "one\n\n%s\n" HEAD "two\n", lines[i], lines[i]);
        struct archive *archive = source_open_string(source, text);

        source_expect(archive, HEAD "one\n", 0, true);
        source_expect(archive, HEAD "two\n", strlen(lines[i]) + strlen("\n" HEAD "one\n\n"), true);
        source_expect_end(archive);
        g_free(text);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(not_lines); i++) {
        char *text = g_strdup_printf(HEAD "one\n\n%s\n" HEAD "two\n", not_lines[i] + (*not_lines[i] == '>'));
        char *escaped = g_strdup_printf(FROM HEAD "one\n\n%s\n" HEAD "two\n", not_lines[i]);
        struct archive *archive = source_open_string(source, escaped);

        source_expect(archive, text, 0, true);
        source_expect_end(archive);
        g_free(text);
        g_free(escaped);
    }
}

/* Where the first line has no date, or one of another form, the others do so too;
 * each needs an empty line before it and the header of a mail behind it. */
static void test_from_lines_without_date(void **state)
{
    static const char *const lines[] = {"From user@host", "From - Mon, 04 Mar 2024 18:20:00 +0100",
                                        "From user@host 2024-03-04 18:20:00",
                                        "From user@host Mon Mar 4 18:20:00 GMT+01:00 2024"};
    const struct source *source = *state;

    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        char *text =
            g_strdup_printf("%s\n" HEAD "one\nFrom x\n" HEAD "\nFrom here on\nit is\n\nFrom a to b: x\nc: d\n\n"
                            "%s\n" HEAD ">From two\n",
                            lines[i], lines[i]);
        struct archive *archive = source_open_string(source, text);

        source_expect(archive, HEAD "one\nFrom x\n" HEAD "\nFrom here on\nit is\n\nFrom a to b: x\nc: d\n", 0, true);
        source_expect(archive, HEAD "From two\n", strlen(text) - strlen(lines[i]) - strlen("\n" HEAD ">From two\n"),
                      true);
        source_expect_end(archive);
        assert_int_equal(diag_count(source->diag, DIAG_NOTE), i + 1);
        g_free(text);
    }

    /* text is text, and a field is a field */
    struct archive *archive = source_open_string(source, "From here on it is slower.\n\n" HEAD);
    source_expect(archive, "From here on it is slower.\n\n" HEAD, 0, false);
    source_expect_end(archive);
    archive = source_open_string(source, "From : a@b\n" HEAD "one\n");
    source_expect(archive, "From : a@b\n" HEAD "one\n", 0, true);
    source_expect_end(archive);
    assert_int_equal(diag_count(source->diag, DIAG_NOTE), G_N_ELEMENTS(lines));
}

/* ... or a header behind it: some writers forget the empty line. */
static void test_from_line_needs_empty_line(void **state)
{
    const struct source *source = *state;

    struct archive *archive = source_open_string(source, FROM HEAD "one\n" FROM "two\n \n" FROM "three\n");
    source_expect(archive, HEAD "one\n" FROM "two\n \n" FROM "three\n", 0, true);
    source_expect_end(archive);
    archive = source_open_string(source, FROM HEAD "one\n" FROM HEAD "two\n");
    source_expect(archive, HEAD "one\n", 0, true);
    source_expect(archive, HEAD "two\n", strlen(FROM HEAD "one\n"), true);
    source_expect_end(archive);
    archive = source_open_string(source, FROM HEAD "one\n" PATCH HEAD "two\n");
    source_expect(archive, HEAD "one\n" PATCH HEAD "two\n", 0, true);
    source_expect_end(archive);
}

/* The body of a counted mbox, with what elsewhere begins a message. */
#define COUNTED_BODY "a\n\n" FROM ">From b\n"
#define COUNT_LINE   "Content-Length: "

static void test_counted(void **state)
{
    const struct source *source = *state;

    assert_int_equal(strlen(COUNTED_BODY), 50);

    /* mboxcl2: nothing is escaped, the count leads over the bare line */
    struct archive *archive = source_open_string(source, FROM "Subject: s\n" COUNT_LINE "50\n\n" COUNTED_BODY "\n" FROM
                                                              "Subject: t\nContent-length:  "
                                                              "8 \n\n>From c\n\n" FROM HEAD "three\n");
    source_expect(archive, "Subject: s\n" COUNT_LINE "50\n\n" COUNTED_BODY, 0, true);
    source_expect(archive, "Subject: t\nContent-length:  8 \n\n>From c\n",
                  strlen(FROM "Subject: s\n" COUNT_LINE "50\n\n" COUNTED_BODY "\n"), true);
    source_expect(archive, HEAD "three\n",
                  strlen(FROM "Subject: s\n" COUNT_LINE "50\n\n" COUNTED_BODY "\n" FROM
                              "Subject: t\nContent-length:  8 \n\n>From c\n\n"),
                  true);
    source_expect_end(archive);

    /* to the end of the source, with and without the empty line, and without any line end */
    static const char *const ends[] = {"\n", ""};
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
        char *text = g_strconcat(FROM "Subject: s\n" COUNT_LINE "50\n\n" COUNTED_BODY, ends[i], NULL);
        archive = source_open_string(source, text);
        source_expect(archive, "Subject: s\n" COUNT_LINE "50\n\n" COUNTED_BODY, 0, true);
        source_expect_end(archive);
        g_free(text);
    }

    /* no empty line before the next message */
    archive = source_open_string(source, FROM COUNT_LINE "4\n\none\n" FROM HEAD "two\n");
    source_expect(archive, COUNT_LINE "4\n\none\n", 0, true);
    source_expect(archive, HEAD "two\n", strlen(FROM COUNT_LINE "4\n\none\n"), true);
    source_expect_end(archive);

    /* mboxcl: counted, and escaped all the same */
    archive = source_open_string(source, FROM COUNT_LINE "12\n\n>From a\none\n\n" FROM HEAD "two\n");
    source_expect(archive, COUNT_LINE "12\n\nFrom a\none\n", 0, true);
    source_expect(archive, HEAD "two\n", strlen(FROM COUNT_LINE "12\n\n>From a\none\n\n"), true);
    source_expect_end(archive);
}

/* A count that leads anywhere else means nothing. */
static void test_count_that_does_not_fit(void **state)
{
    static const char *const counts[] = {"0",  "1",   "48",   "49",  "52",         "53",
                                         "54", "60",  "1000", "-50", "4294967346", "18446744073709551666",
                                         "",   "5 0", "0x32", "50a"};
    const struct source *source = *state;

    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        char *head = g_strconcat("Subject: s\n" COUNT_LINE, counts[i], "\n\n", NULL);
        char *text = g_strconcat(FROM, head, COUNTED_BODY "\n" FROM HEAD "two\n", NULL);
        char *first = g_strconcat(head, "a\n", NULL);
        struct archive *archive = source_open_string(source, text);
        size_t second = strlen(FROM) + strlen(head) + strlen("a\n\n");

        source_expect(archive, first, 0, true);
        source_expect(archive, "From b\n", second, false);
        source_expect(archive, HEAD "two\n", second + strlen(FROM ">From b\n\n"), true);
        source_expect_end(archive);
        g_free(first);
        g_free(text);
        g_free(head);
    }

    /* one in the body is no header */
    struct archive *archive = source_open_string(source, FROM HEAD COUNT_LINE "60\n\n" FROM HEAD "two\n");
    source_expect(archive, HEAD COUNT_LINE "60\n", 0, true);
    source_expect(archive, HEAD "two\n", strlen(FROM HEAD COUNT_LINE "60\n\n"), true);
    source_expect_end(archive);
}

/* One that leads over another message to the next is a trap where the mbox has
 * no counts elsewhere: it would hide the messages of others. */
static void test_count_that_hides_a_message(void **state)
{
#define HIDDEN "one\n\n" FROM HEAD "two\n"
    const struct source *source = *state;
    char *head = g_strdup_printf(COUNT_LINE "%zu\n\n", strlen(HIDDEN));
    char *first = g_strconcat(head, "one\n", NULL);
    char *alone = g_strconcat(FROM, head, HIDDEN "\n" FROM HEAD "three\n", NULL);
    char *behind = g_strconcat(FROM HEAD "zero\n\n", FROM, head, HIDDEN "\n" FROM COUNT_LINE "6\n\nthree\n", NULL);
    char *counted =
        g_strconcat(FROM COUNT_LINE "5\n\nzero\n\n", FROM, head, HIDDEN "\n" FROM COUNT_LINE "6\n\nthree\n", NULL);
    size_t second = strlen(FROM) + strlen(first) + 1;
    size_t third = second + strlen(FROM HEAD "two\n\n");

    struct archive *archive = source_open_string(source, alone);
    source_expect(archive, first, 0, true);
    source_expect(archive, HEAD "two\n", second, true);
    source_expect(archive, HEAD "three\n", third, true);
    source_expect_end(archive);
    assert_int_equal(diag_count(source->diag, DIAG_NOTE), 1);

    size_t zero = strlen(FROM HEAD "zero\n\n");
    archive = source_open_string(source, behind);
    source_expect(archive, HEAD "zero\n", 0, true);
    source_expect(archive, first, zero, true);
    source_expect(archive, HEAD "two\n", zero + second, true);
    source_expect(archive, COUNT_LINE "6\n\nthree\n", zero + third, true);
    source_expect_end(archive);
    assert_int_equal(diag_count(source->diag, DIAG_NOTE), 2);

    /* in a counted mbox it is what it says */
    char *whole = g_strconcat(head, HIDDEN, NULL);
    zero = strlen(FROM COUNT_LINE "5\n\nzero\n\n");
    archive = source_open_string(source, counted);
    source_expect(archive, COUNT_LINE "5\n\nzero\n", 0, true);
    source_expect(archive, whole, zero, true);
    source_expect(archive, COUNT_LINE "6\n\nthree\n", zero + third, true);
    source_expect_end(archive);
    assert_int_equal(diag_count(source->diag, DIAG_NOTE), 2);
    g_free(whole);
    g_free(counted);
    g_free(behind);
    g_free(alone);
    g_free(first);
    g_free(head);
}

/* A count is looked up far ahead, but not without bound. */
static void test_far_count(void **state)
{
    static const size_t lengths[] = {1000 * 1000, 31 * 1000 * 1000, 40 * 1000 * 1000};
    const struct source *source = *state;

    for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
        GString *text = g_string_new(NULL);
        struct raw_message message;
        size_t count = 0;

        g_string_append_printf(text, FROM COUNT_LINE "%zu\n\n", lengths[i]);
        size_t body = text->len;
        g_string_append(text, "one\n\n" FROM HEAD);
        while (text->len < body + lengths[i] - 1)
            g_string_append_c(text, 'F');
        g_string_append(text, "\n\n" FROM COUNT_LINE "4\n\ntwo\n");

        struct archive *archive = source_open(source, text->str, text->len);
        while (archive_next(archive, &message) == ARCHIVE_MESSAGE)
            count++;
        assert_int_equal(count, lengths[i] < 32 * 1000 * 1000 ? 2 : 3);
        archive_free(archive);
        g_string_free(text, TRUE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_from_lines, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_from_lines_without_date, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_from_line_needs_empty_line, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_counted, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_count_that_does_not_fit, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_count_that_hides_a_message, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_far_count, source_set_up, source_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
