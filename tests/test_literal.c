/* Literals with what grammars want beside them. */
#include "extract/literal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static bool stands(struct literal_item item, const char *text)
{
    return literal_stands(&item, view_of(text));
}

static void test_text(void **state)
{
    struct literal_item item = {.text = "tps"};

    (void)state;
    assert_true(stands(item, "tps"));
    assert_true(stands(item, "see https://example.org"));
    assert_false(stands(item, "tp s"));
    assert_false(stands(item, ""));
}

static void test_word(void **state)
{
    struct literal_item begins = {.text = "tps", .begins_word = true};
    struct literal_item ends = {.text = "tps", .ends_word = true};

    (void)state;
    assert_true(stands(begins, "tps"));
    assert_true(stands(begins, "https, but tpsx"));
    assert_true(stands(begins, "> *tps*"));
    assert_true(stands(begins, "a=20tps")); /* a blank, encoded */
    assert_false(stands(begins, "https 2tps"));
    assert_true(stands(ends, "https, tps"));
    assert_true(stands(ends, "tps=5"));
    assert_false(stands(ends, "tpsx tps2"));
}

static void test_number_behind(void **state)
{
    struct literal_item item = {.text = "Max", .before_number = true};

    (void)state;
    assert_true(stands(item, "Max 12"));
    assert_true(stands(item, "Max: = -.5"));
    assert_true(stands(item, "Max NaN"));
    assert_true(stands(item, "Max of 3, Max 4"));
    assert_true(stands(item, "Max\n12"));
    assert_true(stands(item, "> Max\r\n> 12"));
    assert_true(stands(item, "JD> Max\nJD> 12"));
    assert_false(stands(item, "Max of 12"));
    assert_false(stands(item, "Max"));
    assert_false(stands(item, "Max\nis 12"));
    assert_false(stands(item, "> Max\n> is 12"));
}

static void test_unit(void **state)
{
    struct literal_item minutes = {.text = "real", .before_number = true, .unit = "m"};
    struct literal_item decimals = {.text = "Time:", .before_number = true, .unit = "."};

    (void)state;
    assert_true(stands(minutes, "real\t0m1.4s"));
    assert_true(stands(minutes, "real 1.25m"));
    assert_true(stands(minutes, "> real\n> 10m3s"));
    assert_false(stands(minutes, "real 724"));
    assert_false(stands(minutes, "real 7 m"));
    assert_false(stands(minutes, "real m"));
    assert_true(stands(decimals, "Time: 0.365"));
    assert_true(stands(decimals, "Time: nan"));
    assert_false(stands(decimals, "Time: 365 ms"));
}

static void test_number_before(void **state)
{
    struct literal_item item = {.text = "records", .after_number = true};

    (void)state;
    assert_true(stands(item, "10+0 records"));
    assert_true(stands(item, "10+0\nrecords"));
    assert_true(stands(item, "inf records"));
    assert_false(stands(item, "records"));
    assert_false(stands(item, "10 old records"));
    assert_false(stands(item, "10 metadata\nrecords"));
}

static void test_words(void **state)
{
    struct literal_item item = {.text = "number", .next = "of events:", .before_number = true};

    (void)state;
    assert_true(stands(item, "total number of events: 5"));
    assert_true(stands(item, "number of\nevents:\n5"));
    assert_true(stands(item, ">> number\n>> of events: 5"));
    assert_true(stands(item, "*number of events:* 5"));
    assert_true(stands(item, "number=20of=20events:=205"));
    assert_false(stands(item, "number of all events: 5"));
    assert_false(stands(item, "number of events"));
    assert_false(stands(item, "number of events: none"));
    assert_false(stands(item, "numberof events: 5"));
    assert_false(stands(item, "number\nand of events: 5"));
}

/* Beyond a line's end the raw bytes of a mail may go on with another text. */
static void test_what_cannot_be_told(void **state)
{
    struct literal_item item = {.text = "Max", .before_number = true};

    (void)state;
    assert_true(stands(item, "Max\n> somebody's words\n12"));
    assert_true(stands(item, "Max\nx\b12"));
    assert_true(stands(item, "Max\n| x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_word),
        cmocka_unit_test(test_unit),
        cmocka_unit_test(test_number_behind),
        cmocka_unit_test(test_number_before),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_what_cannot_be_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
