/* Figures that agree or don't, worked out by hand. A figure is written as its
 * text, the unit behind a blank: "240 KiB/s". */
#include "extract/relation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static struct figure figure(const char *text)
{
    struct figure result = {.unit = {"1", decimal_from_int(1)}};
    const char *blank = strchr(text, ' ');
    size_t length = blank ? (size_t)(blank - text) : strlen(text);
    assert_true(decimal_parse((struct view){text, length}, false, &result.number));
    result.zeros = decimal_exponent_zeros(view_of(text));
    if (blank)
        assert_true(unit_lookup(view_of(blank + 1), &result.unit));
    assert_true(decimal_multiply(&result.number, &result.unit.factor, &result.value));
    return result;
}

/* How the tool prints, which says how far a figure may be off. */
enum { CUT = 1, CARRY = 2, WHOLE = 4 };

static struct check check_with(unsigned how)
{
    return (struct check){
        .kind = CHECK_EQUAL, .condition = CAPTURE_NONE, .cut = how & CUT, .carry = how & CARRY, .whole = how & WHOLE};
}

static void add_figure(struct expression *expression)
{
    expression->items[expression->count++].kind = ITEM_CAPTURE;
}

/* a = b */
static enum check_result equal(unsigned how, const char *a, const char *b)
{
    struct check check = check_with(how);
    struct figure left = figure(a), right = figure(b);
    const struct figure *figures[] = {&left, &right};
    add_figure(&check.left);
    add_figure(&check.right);
    return relation_equal(&check, figures, NULL);
}

/* a * b = c */
static enum check_result product(unsigned how, const char *a, const char *b, const char *c)
{
    struct check check = check_with(how);
    struct figure first = figure(a), second = figure(b), right = figure(c);
    const struct figure *figures[] = {&first, &second, NULL, &right};
    add_figure(&check.left);
    add_figure(&check.left);
    check.left.items[check.left.count++].kind = ITEM_TIMES;
    add_figure(&check.right);
    return relation_equal(&check, figures, NULL);
}

/* a + b = c * number */
static enum check_result sum(const char *a, const char *b, const char *c, int number)
{
    struct check check = check_with(0);
    struct figure first = figure(a), second = figure(b), right = figure(c);
    const struct figure *figures[] = {&first, &second, NULL, &right, NULL, NULL};
    add_figure(&check.left);
    add_figure(&check.left);
    check.left.items[check.left.count++].kind = ITEM_PLUS;
    add_figure(&check.right);
    check.right.items[check.right.count].number = decimal_from_int(number);
    check.right.items[check.right.count++].kind = ITEM_NUMBER;
    check.right.items[check.right.count++].kind = ITEM_TIMES;
    return relation_equal(&check, figures, NULL);
}

static void test_two_bases(void **state)
{
    (void)state;
    /* 240 * 1024 = 245760, which rounds to 246 kB */
    assert_int_equal(equal(0, "240 KiB/s", "246 kB/s"), RESULT_OK);
    assert_int_equal(equal(0, "240 KiB/s", "346 kB/s"), RESULT_MISMATCH);
    /* 239.5 to 240.5 KiB are 245.2 to 246.3 kB: so 245 (to 245.5) holds, and 247 (from 246.5) does not. */
    assert_int_equal(equal(0, "240 KiB/s", "245 kB/s"), RESULT_OK);
    assert_int_equal(equal(0, "240 KiB/s", "247 kB/s"), RESULT_MISMATCH);
    /* exact multiples of bytes */
    assert_int_equal(equal(0, "14.1 MiB", "14784921.6 B"), RESULT_OK);
    assert_int_equal(equal(0, "14.1 MiB", "14.8 MB"), RESULT_OK);
    assert_int_equal(equal(0, "14.1 MiB", "14.9 MB"), RESULT_MISMATCH);
    assert_int_equal(equal(0, "8 Mbit/s", "1 MB/s"), RESULT_OK);
}

static void test_last_digit(void **state)
{
    (void)state;
    /* Half a unit of the last digit to either side, the ends included. */
    assert_int_equal(equal(0, "10", "11"), RESULT_OK); /* both may be 10.5 */
    assert_int_equal(equal(0, "10", "10.6"), RESULT_MISMATCH);
    assert_int_equal(equal(0, "10.00", "10.01"), RESULT_OK);
    assert_int_equal(equal(0, "10.00", "10.02"), RESULT_MISMATCH);
    /* Cut off: a whole unit. */
    assert_int_equal(equal(CUT, "10", "10.6"), RESULT_OK);
    assert_int_equal(equal(CUT, "10", "11.2"), RESULT_MISMATCH);
    assert_int_equal(equal(CUT, "10.0", "10.6"), RESULT_MISMATCH);
    /* Fractions that mean nothing: whole units. */
    assert_int_equal(equal(WHOLE, "10.9", "12.1"), RESULT_OK);
    assert_int_equal(equal(WHOLE, "10.9", "13.1"), RESULT_MISMATCH);
}

/* 1.96 that lost its carry is printed as 1.0. */
static void test_lost_carry(void **state)
{
    (void)state;
    assert_int_equal(equal(0, "1.0 MiB/s", "2055 kB/s"), RESULT_MISMATCH);
    assert_int_equal(equal(CARRY, "1.0 MiB/s", "2055 kB/s"), RESULT_OK);
    assert_int_equal(equal(CARRY, "1.0 MiB/s", "2300 kB/s"), RESULT_MISMATCH);
    /* Only a figure that ends in .0 can have lost one. */
    assert_int_equal(equal(CARRY, "1.1 MiB/s", "2055 kB/s"), RESULT_MISMATCH);
    assert_int_equal(equal(CARRY, "1 MiB/s", "2055 kB/s"), RESULT_MISMATCH);
}

static void test_products(void **state)
{
    (void)state;
    assert_int_equal(product(0, "400 KiB/s", "10 s", "4000 KiB"), RESULT_OK);
    assert_int_equal(product(0, "400 KiB/s", "10 s", "5000 KiB"), RESULT_MISMATCH);
    assert_int_equal(product(0, "240 KiB/s", "60.022 s", "14.1 MiB"), RESULT_OK);
    assert_int_equal(product(0, "240 KiB/s", "60.022 s", "14.2 MiB"), RESULT_MISMATCH);
    assert_int_equal(product(0, "580.00", "2.00", "1160"), RESULT_OK);
    assert_int_equal(product(0, "580.00", "2.00", "1260"), RESULT_MISMATCH);
    /* large ones */
    assert_int_equal(product(0, "15.8 GB/s", "3600 s", "56.9 TB"), RESULT_OK);
}

static void test_sums(void **state)
{
    (void)state;
    assert_int_equal(sum("40", "60", "1", 100), RESULT_OK);
    assert_int_equal(sum("40.0", "60.0", "1.00", 101), RESULT_MISMATCH);
    assert_int_equal(sum("1.5", "2.5", "2", 2), RESULT_OK);
}

static void test_nothing_to_compare(void **state)
{
    struct check check = check_with(0);
    struct figure some = figure("5");
    const struct figure *figures[] = {&some, NULL};
    (void)state;
    add_figure(&check.left);
    add_figure(&check.right);
    assert_int_equal(relation_equal(&check, figures, NULL), RESULT_UNCHECKED);
    figures[0] = NULL;
    figures[1] = &some;
    assert_int_equal(relation_equal(&check, figures, NULL), RESULT_UNCHECKED);
    /* results of zero */
    assert_int_equal(equal(0, "0", "0"), RESULT_UNCHECKED);
    assert_int_equal(equal(0, "0", "5"), RESULT_UNCHECKED);
    assert_int_equal(equal(0, "5", "0.0"), RESULT_UNCHECKED);
    assert_int_equal(product(0, "0", "5", "7"), RESULT_UNCHECKED);
}

static enum check_result order(unsigned how, const char *a, const char *b)
{
    struct check check = check_with(how);
    struct figure left = figure(a), right = figure(b);
    return relation_order(&check, &left, &right);
}

static void test_order(void **state)
{
    (void)state;
    assert_int_equal(order(0, "8", "30.96"), RESULT_OK);
    assert_int_equal(order(0, "30.96", "8"), RESULT_MISMATCH);
    assert_int_equal(order(0, "8", "8"), RESULT_OK);
    /* 31 may stand for 30.5 */
    assert_int_equal(order(0, "31", "30.96"), RESULT_OK);
    assert_int_equal(order(0, "32", "30.96"), RESULT_MISMATCH);
    assert_int_equal(order(CUT, "31", "30"), RESULT_OK);
    assert_int_equal(order(CUT, "33", "30"), RESULT_MISMATCH);
    /* by value, not by number */
    assert_int_equal(order(0, "900 us", "1 ms"), RESULT_OK);
    assert_int_equal(order(0, "2 ms", "1000 us"), RESULT_MISMATCH);
    assert_int_equal(order(0, "-5", "-4"), RESULT_OK);
    assert_int_equal(order(0, "-4", "-5.5"), RESULT_MISMATCH);
    assert_int_equal(order(0, "0", "0"), RESULT_OK);
}

static enum check_result change(const char *percent, const char *value, const char *baseline)
{
    struct figure printed = figure(percent), number = figure(value), base = figure(baseline);
    return relation_change(&printed, &number, &base);
}

static void test_change(void **state)
{
    (void)state;
    /* (1.6037 - 1.16) / 1.16 = 38.25 % */
    assert_int_equal(change("-38.25", "1.6037", "1.1600"), RESULT_OK);
    assert_int_equal(change("38.25", "1.6037", "1.1600"), RESULT_OK);
    assert_int_equal(change("38.35", "1.6037", "1.1600"), RESULT_MISMATCH);
    /* What an exponent puts behind the digits was not printed: 1.2e+05 may be 115000 to 125000. */
    assert_int_equal(change("1.2e+05", "6505", "5.39"), RESULT_OK);
    assert_int_equal(change("1.3e+05", "6505", "5.39"), RESULT_MISMATCH);
    assert_int_equal(change("20.2", "1.502e+10", "1.250e+10"), RESULT_OK);
    assert_int_equal(change("20.9", "1.502e+10", "1.250e+10"), RESULT_MISMATCH);
    assert_int_equal(change("0.00", "1.1600", "1.1600"), RESULT_OK);
    assert_int_equal(change("0.00", "1.2600", "1.1600"), RESULT_MISMATCH);
    /* Against the new value, as once: (2 - 1) / 2 = 50 % */
    assert_int_equal(change("50.00", "2.00", "1.00"), RESULT_OK);
    assert_int_equal(change("100.00", "2.00", "1.00"), RESULT_OK);
    assert_int_equal(change("75.00", "2.00", "1.00"), RESULT_MISMATCH);
    /* Few digits allow much: 0.01 may be 0.005 to 0.015. */
    assert_int_equal(change("66.67", "0.02", "0.01"), RESULT_OK);
    assert_int_equal(change("-400.00", "0.02", "0.01"), RESULT_OK); /* 0.005 to 0.025 */
    assert_int_equal(change("-401.00", "0.02", "0.01"), RESULT_MISMATCH);
    /* no percentage of nothing */
    assert_int_equal(change("-99.00", "1.50", "0.00"), RESULT_UNCHECKED);
    assert_int_equal(change("100.00", "0.00", "1.50"), RESULT_UNCHECKED);
    /* below zero */
    assert_int_equal(change("-50.00", "-1.50", "-1.00"), RESULT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_bases), cmocka_unit_test(test_last_digit), cmocka_unit_test(test_lost_carry),
        cmocka_unit_test(test_products),  cmocka_unit_test(test_sums),       cmocka_unit_test(test_nothing_to_compare),
        cmocka_unit_test(test_order),     cmocka_unit_test(test_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
