/* diag: the form of a line, harmlessness, counts. */
#include "extract/diag.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A handle that writes to memory. */
struct recorder {
    FILE *stream;
    char *text;
    size_t length;
    struct diag *diag;
};

static void recorder_open(struct recorder *recorder, bool quiet)
{
    *recorder = (struct recorder){0};
    recorder->stream = open_memstream(&recorder->text, &recorder->length);
    assert_non_null(recorder->stream);
    recorder->diag = diag_new(recorder->stream, quiet);
}

static const char *recorder_text(struct recorder *recorder)
{
    assert_int_equal(fflush(recorder->stream), 0);
    return recorder->text;
}

static void recorder_close(struct recorder *recorder)
{
    diag_free(recorder->diag);
    fclose(recorder->stream);
    free(recorder->text);
}

static void test_line_form(void **state)
{
    (void)state;
    struct recorder recorder;
    recorder_open(&recorder, false);
    const struct place full = {"a.mbox", 4096, "x@example.org"};
    const struct place no_id = {"a.mbox", 0, NULL};
    const struct place no_offset = {"a.mbox", -1, "x@example.org"};
    const struct place nothing = {NULL, 12, NULL};
    diag_report(recorder.diag, DIAG_NOTE, &full, "odd %s %d", "date", 7);
    diag_report(recorder.diag, DIAG_NOTE, &no_id, "one");
    diag_report(recorder.diag, DIAG_NOTE, &no_offset, "two");
    diag_report(recorder.diag, DIAG_NOTE, &nothing, "three");
    diag_report(recorder.diag, DIAG_NOTE, NULL, "four");
    assert_string_equal(recorder_text(&recorder), "a.mbox:4096: x@example.org: odd date 7\n"
                                                  "a.mbox:0: one\n"
                                                  "a.mbox: x@example.org: two\n"
                                                  "three\n"
                                                  "four\n");
    recorder_close(&recorder);
}

static void test_counts(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, false);
    for (int i = 0; i < 3; i++)
        diag_report(diag, DIAG_NOTE, NULL, "note");
    diag_report(diag, DIAG_UNREAD, NULL, "unread");
    diag_print(diag, "this goes nowhere");
    assert_int_equal(diag_count(diag, DIAG_NOTE), 3);
    assert_int_equal(diag_count(diag, DIAG_DROPPED), 0);
    assert_int_equal(diag_count(diag, DIAG_UNREAD), 1);
    diag_free(diag);
    diag_free(NULL);
}

static void test_quiet_hides_notes_alone(void **state)
{
    (void)state;
    struct recorder recorder;
    recorder_open(&recorder, true);
    diag_report(recorder.diag, DIAG_NOTE, NULL, "note");
    diag_report(recorder.diag, DIAG_DROPPED, NULL, "dropped");
    diag_report(recorder.diag, DIAG_UNREAD, NULL, "unread");
    diag_print(recorder.diag, "%d rows\n", 5);
    assert_string_equal(recorder_text(&recorder), "dropped\nunread\n5 rows\n");
    assert_int_equal(diag_count(recorder.diag, DIAG_NOTE), 1);
    recorder_close(&recorder);
}

/* Every piece comes from outside: a file's name, a header, a body. */
static void test_terminal_is_safe(void **state)
{
    (void)state;
    struct recorder recorder;
    recorder_open(&recorder, false);
    const struct place place = {"a\x1B]0;b\x07.mbox", 1,
                                "x\r\n\x9B"
                                "31m@example.org"};
    diag_report(recorder.diag, DIAG_NOTE, &place,
                "what\n\tnow\x7F \xC2\x9B"
                "1m \xE2\x80\xAE"
                "abc \xC3\xA9 \xFF");
    assert_string_equal(recorder_text(&recorder),
                        "a?]0;b?.mbox:1: x???31m@example.org: what??now? ?1m ?abc \xC3\xA9 ?\n");
    recorder_close(&recorder);
}

static void test_length_is_bounded(void **state)
{
    (void)state;
    enum { LONG = 1000000 };
    char *long_text = malloc(LONG + 1);
    assert_non_null(long_text);
    memset(long_text, 'a', LONG);
    long_text[LONG] = '\0';

    struct recorder recorder;
    recorder_open(&recorder, false);
    const struct place place = {long_text, 1, long_text};
    diag_report(recorder.diag, DIAG_NOTE, &place, "%s", long_text);
    const char *line = recorder_text(&recorder);
    assert_true(strlen(line) < 4096);
    assert_non_null(strstr(line, "...:1: aaa"));
    assert_string_equal(line + strlen(line) - 5, "a...\n");
    recorder_close(&recorder);

    /* Two-byte characters all along: the cut must not leave half of one. */
    for (int i = 0; i + 1 < LONG; i += 2)
        memcpy(long_text + i, "\xC3\xA9", 2);
    recorder_open(&recorder, false);
    diag_report(recorder.diag, DIAG_NOTE, NULL, "-%s", long_text);
    line = recorder_text(&recorder);
    assert_null(strchr(line, '?'));
    assert_string_equal(line + strlen(line) - 6, "\xC3\xA9...\n");
    recorder_close(&recorder);
    free(long_text);
}

static void test_print_is_verbatim(void **state)
{
    (void)state;
    struct recorder recorder;
    recorder_open(&recorder, false);
    diag_print(recorder.diag, "fio.grammar:3:7: no such field\n  %s\n      ^\n", "pattern x");
    assert_string_equal(recorder_text(&recorder), "fio.grammar:3:7: no such field\n  pattern x\n      ^\n");
    for (int kind = 0; kind < DIAG_KIND_COUNT; kind++)
        assert_int_equal(diag_count(recorder.diag, (enum diag_kind)kind), 0);
    recorder_close(&recorder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line_form),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_quiet_hides_notes_alone),
        cmocka_unit_test(test_terminal_is_safe),
        cmocka_unit_test(test_length_is_bounded),
        cmocka_unit_test(test_print_is_verbatim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
