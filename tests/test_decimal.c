/* decimal: parsing, printing, and arithmetic that never rounds.
 *
 * Large expected values were worked out with an arbitrary-precision
 * calculator, small ones by hand.
 */
#include "extract/decimal.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* 2^256 - 1, the largest coefficient, and the first that is too large. */
#define COEFFICIENT_MAX  "115792089237316195423570985008687907853269984665640564039457584007913129639935"
#define COEFFICIENT_OVER "115792089237316195423570985008687907853269984665640564039457584007913129639936"

static struct decimal parse(const char *text)
{
    struct decimal value;
    if (!decimal_parse(view_of(text), true, &value))
        fail_msg("'%s' was refused", text);
    return value;
}

static void assert_prints(const struct decimal *value, const char *expected)
{
    GString *out = g_string_new("x");
    decimal_append(out, value);
    assert_string_equal(out->str + 1, expected);
    g_string_free(out, TRUE);
}

static void assert_reads(const char *text, const char *expected)
{
    const struct decimal value = parse(text);
    assert_prints(&value, expected);
}

static void assert_refused(const char *text, bool grouped)
{
    struct decimal value = decimal_from_int(77);
    if (decimal_parse(view_of(text), grouped, &value))
        fail_msg("'%s' was accepted", text);
    assert_prints(&value, "77");
}

static void test_parse_and_print(void **state)
{
    (void)state;
    assert_reads("0", "0");
    assert_reads("1", "1");
    assert_reads("10", "10");
    assert_reads("100.00", "100");
    assert_reads("30.96", "30.96");
    assert_reads("5.10", "5.1");
    assert_reads("0.5", "0.5");
    assert_reads(".5", "0.5");
    assert_reads("5.", "5");
    assert_reads("+3", "3");
    assert_reads("-3.50", "-3.5");
    assert_reads("007", "7");
    assert_reads("0.000000001", "0.000000001");
    assert_reads("18446744073709551615", "18446744073709551615");
    assert_reads("18446744073709551616", "18446744073709551616");
    assert_reads("99999999999999999999.0000000000000000000099", "99999999999999999999.0000000000000000000099");
    assert_reads("100000000000000000000000000000000000000000.5", "100000000000000000000000000000000000000000.5");
}

static void test_zero_has_one_form(void **state)
{
    (void)state;
    assert_reads("-0", "0");
    assert_reads("-0.000", "0");
    assert_reads("+0.0", "0");
    assert_reads("0e30", "0");
    assert_reads("0e99999999999999999999", "0");
    assert_false(parse("-0.0").negative);
}

static void test_scale_says_what_was_printed(void **state)
{
    (void)state;
    assert_int_equal(parse("5.10").scale, 2);
    assert_int_equal(parse("100").scale, 0);
    assert_int_equal(parse("100.000").scale, 3);
    assert_int_equal(parse("1.50e1").scale, 1);
}

/* Zeros that an exponent puts behind the printed digits. */
static void test_exponent_zeros(void **state)
{
    (void)state;
    assert_int_equal(decimal_exponent_zeros(view_of("1.2e+10")), 9);
    assert_int_equal(decimal_exponent_zeros(view_of("-1e3")), 3);
    assert_int_equal(decimal_exponent_zeros(view_of("1.200e+02")), 0);
    assert_int_equal(decimal_exponent_zeros(view_of("1.25e-03")), 0);
    assert_int_equal(decimal_exponent_zeros(view_of("1,200")), 0);
    assert_int_equal(decimal_exponent_zeros(view_of("12eB")), 0);
    assert_int_equal(decimal_exponent_zeros(view_of("12e")), 0);
    assert_int_equal(decimal_exponent_zeros(view_of("")), 0);
}

static void test_exponents(void **state)
{
    (void)state;
    assert_reads("1e3", "1000");
    assert_reads("1.5E+3", "1500");
    assert_reads("1.5e-3", "0.0015");
    assert_reads("12345e-2", "123.45");
    assert_reads("1e-400",
                 "0." /* 399 zeros */
                 "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                 "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                 "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                 "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                 "1");
    assert_refused("1e-401", false);
    assert_refused("1e78", false);
    assert_refused("1e99999999999999999999999", false);
    assert_refused("1e-99999999999999999999999", false);
}

static void test_groups(void **state)
{
    (void)state;
    assert_reads("1,234,567.8", "1234567.8");
    assert_reads("12,345", "12345");
    assert_reads("-123,456", "-123456");
    assert_reads("1234567", "1234567");
    assert_refused("1,234", false);
    assert_refused("1234,567", true);
    assert_refused("1,23", true);
    assert_refused("1,2345", true);
    assert_refused("1,234,56", true);
    assert_refused("1,234567,890", true);
    assert_refused(",123", true);
    assert_refused("1,,234", true);
    assert_refused("1,234,", true);
    assert_refused("1.5,234", true);
    assert_refused("0,123", true); /* a decimal comma */
}

static void test_refused(void **state)
{
    (void)state;
    const char *const wrong[] = {"",    " ",  ".",   "+",   "-",   "+-1", "--1", "1 ", " 1",    "1.2.3", "e5",
                                 ".e5", "1e", "1e+", "1e-", "nan", "inf", "0x1", "1k", "1_000", "1'000", "\xD9\xA1"};
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++)
        assert_refused(wrong[i], true);
    struct decimal value;
    assert_false(decimal_parse((struct view){"1\0002", 3}, false, &value));
    assert_false(decimal_parse((struct view){NULL, 0}, false, &value));
}

static void test_limits(void **state)
{
    (void)state;
    assert_reads(COEFFICIENT_MAX, COEFFICIENT_MAX);
    assert_refused(COEFFICIENT_OVER, false);

    char *digits = g_strnfill(1000000, '9');
    assert_refused(digits, false);
    g_free(digits);
    char *zeros = g_strnfill(1000000, '0');
    assert_reads(zeros, "0");
    char *fraction = g_strconcat("0.", zeros, NULL);
    assert_refused(fraction, false);
    g_free(fraction);
    char *padded = g_strconcat(zeros, "12.5", NULL);
    assert_reads(padded, "12.5");
    g_free(padded);
    g_free(zeros);
}

static void test_from_int(void **state)
{
    (void)state;
    const struct decimal least = decimal_from_int(INT64_MIN);
    assert_prints(&least, "-9223372036854775808");
    const struct decimal most = decimal_from_int(INT64_MAX);
    assert_prints(&most, "9223372036854775807");
    const struct decimal zero = decimal_from_int(0);
    assert_prints(&zero, "0");
    assert_true(decimal_is_zero(&zero));
    assert_false(decimal_is_zero(&least));
}

static void test_is_whole(void **state)
{
    static const char *const whole[] = {"0", "7", "-12", "1.0", "0.000", "12.50e1", "1.0000000000000000000000000"};
    static const char *const other[] = {"0.5", "-12.001", "1.0000000000000000000000001", "0.00000000000000000001"};
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(whole); i++) {
        const struct decimal value = parse(whole[i]);
        if (!decimal_is_whole(&value))
            fail_msg("%s is whole", whole[i]);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(other); i++) {
        const struct decimal value = parse(other[i]);
        if (decimal_is_whole(&value))
            fail_msg("%s is not whole", other[i]);
    }
}

static void assert_order(const char *a_text, const char *b_text, int expected)
{
    const struct decimal a = parse(a_text);
    const struct decimal b = parse(b_text);
    if (decimal_compare(&a, &b) != expected || decimal_compare(&b, &a) != -expected)
        fail_msg("%s against %s is not %d", a_text, b_text, expected);
}

static void test_compare(void **state)
{
    (void)state;
    assert_order("1.0", "1.00", 0);
    assert_order("1", "2", -1);
    assert_order("-1", "1", -1);
    assert_order("-1", "-2", 1);
    assert_order("0", "0.000", 0);
    assert_order("0", "0.001", -1);
    assert_order("0", "-0.001", 1);
    assert_order("10", "9.99", 1);
    assert_order("0.1", "0.09", 1);
    assert_order("0.10", "0.1000001", -1);
    assert_order("123", "12.3", 1);
    assert_order("-123", "-12.3", -1);
    /* No common scale of these two fits 256 bits. */
    assert_order(COEFFICIENT_MAX, "1e-400", 1);
    assert_order("2e-400", "1e-399", -1);
    assert_order("18446744073709551615", "18446744073709551614.9999999999999999999", 1);
    assert_order("18446744073709551615", "18446744073709551614.99999999999999999999", 1);
    assert_order("0.0000000000000000001", "0.1", -1);
    assert_order("18446744073709551616", "18446744073709551615", 1);
    assert_order("18446744073709551616", "18446744073709551615.9", 1);
}

static void test_add_and_subtract(void **state)
{
    (void)state;
    struct decimal a = parse("0.1");
    struct decimal b = parse("0.25");
    struct decimal c;
    assert_true(decimal_add(&a, &b, &c));
    assert_prints(&c, "0.35");
    assert_int_equal(c.scale, 2);
    assert_true(decimal_subtract(&a, &b, &c));
    assert_prints(&c, "-0.15");
    assert_true(decimal_subtract(&a, &a, &c));
    assert_prints(&c, "0");
    assert_false(c.negative);
    b = parse("-0.1");
    assert_true(decimal_add(&a, &b, &c));
    assert_prints(&c, "0");
    assert_false(c.negative);
    assert_true(decimal_subtract(&b, &a, &c));
    assert_prints(&c, "-0.2");

    a = parse("18446744073709551615");
    b = parse("1");
    assert_true(decimal_add(&a, &b, &a)); /* the result may be an operand */
    assert_prints(&a, "18446744073709551616");
    assert_true(decimal_subtract(&a, &b, &a));
    assert_prints(&a, "18446744073709551615");

    /* as far apart as two words reach together, and one digit farther */
    a = parse("18446744073709551615");
    b = parse("0.0000000000000000001");
    assert_true(decimal_add(&a, &b, &c));
    assert_prints(&c, "18446744073709551615.0000000000000000001");
    assert_true(decimal_subtract(&b, &a, &c));
    assert_prints(&c, "-18446744073709551614.9999999999999999999");
    b = parse("0.00000000000000000001");
    assert_true(decimal_add(&a, &b, &c));
    assert_prints(&c, "18446744073709551615.00000000000000000001");

    b = parse("1");
    a = parse(COEFFICIENT_MAX);
    c = parse("77");
    assert_false(decimal_add(&a, &b, &c));
    assert_prints(&c, "77");
    b = parse("0.1");
    assert_false(decimal_add(&a, &b, &c)); /* no digit is left for the scale */
    assert_prints(&c, "77");
    assert_true(decimal_subtract(&a, &a, &c));
    assert_prints(&c, "0");
}

static void test_multiply(void **state)
{
    (void)state;
    struct decimal a = parse("14.1");
    struct decimal b = parse("1048576");
    struct decimal c;
    assert_true(decimal_multiply(&a, &b, &c));
    assert_prints(&c, "14784921.6");

    a = parse("30.96");
    b = parse("0.000001");
    assert_true(decimal_multiply(&a, &b, &c));
    assert_prints(&c, "0.00003096");

    a = parse("-2");
    b = parse("-0.5");
    assert_true(decimal_multiply(&a, &b, &c));
    assert_prints(&c, "1");
    b = parse("0");
    assert_true(decimal_multiply(&a, &b, &c));
    assert_prints(&c, "0");
    assert_false(c.negative);

    a = parse("18446744073709551615");
    assert_true(decimal_multiply(&a, &a, &a));
    assert_prints(&a, "340282366920938463426481119284349108225");
    b = a;
    assert_true(decimal_multiply(&a, &b, &a));
    assert_prints(&a, "115792089237316195398462578067141184799968521174335529155754622898352762650625");
    c = parse("77");
    b = parse("2");
    assert_false(decimal_multiply(&a, &b, &c));
    a = parse("340282366920938463463374607431768211456"); /* 2^128 */
    assert_false(decimal_multiply(&a, &a, &c));
    b = parse("340282366920938463463374607431768211455"); /* 2^128 - 1 */
    assert_prints(&c, "77");
    assert_true(decimal_multiply(&a, &b, &c));
    assert_prints(&c, "115792089237316195423570985008687907852929702298719625575994209400481361428480");

    a = parse("1e-201");
    c = parse("77");
    assert_false(decimal_multiply(&a, &a, &c));
    assert_prints(&c, "77");
}

static void test_shift(void **state)
{
    (void)state;
    struct decimal a = parse("-1.25");
    struct decimal b;
    assert_true(decimal_shift(&a, 0, &b));
    assert_prints(&b, "-1.25");
    assert_true(decimal_shift(&a, 1, &b));
    assert_prints(&b, "-12.5");
    assert_true(decimal_shift(&a, 5, &b));
    assert_prints(&b, "-125000");
    assert_true(decimal_shift(&a, -3, &b));
    assert_prints(&b, "-0.00125");
    assert_true(decimal_shift(&a, 76, &b));

    b = parse("77");
    assert_false(decimal_shift(&a, 78, &b));
    assert_false(decimal_shift(&a, -399, &b));
    assert_false(decimal_shift(&a, INT_MAX, &b));
    assert_false(decimal_shift(&a, INT_MIN, &b));
    assert_prints(&b, "77");
    a = parse("0");
    assert_true(decimal_shift(&a, INT_MAX, &b));
    assert_prints(&b, "0");
}

/* What was printed is read back as the same number. */
static void test_round_trip(void **state)
{
    (void)state;
    GRand *random = g_rand_new_with_seed(11);
    GString *text = g_string_new(NULL);
    for (int round = 0; round < 20000; round++) {
        struct decimal value = {0};
        const int limbs = g_rand_int_range(random, 1, DECIMAL_LIMBS + 1);
        for (int i = 0; i < limbs; i++)
            value.limb[i] = (uint64_t)g_rand_int(random) << 32 | g_rand_int(random);
        value.scale = g_rand_int_range(random, 0, round % 10 == 0 ? DECIMAL_SCALE_MAX + 1 : 12);
        value.negative = g_rand_boolean(random) && !decimal_is_zero(&value);
        g_string_truncate(text, 0);
        decimal_append(text, &value);
        const struct decimal again = parse(text->str);
        assert_int_equal(decimal_compare(&value, &again), 0);
        const struct decimal one = parse("1");
        struct decimal more;
        if (decimal_add(&value, &one, &more)) {
            assert_int_equal(decimal_compare(&value, &more), -1);
            assert_true(decimal_subtract(&more, &one, &more));
            assert_int_equal(decimal_compare(&value, &more), 0);
        }
    }
    g_string_free(text, TRUE);
    g_rand_free(random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_and_print),
        cmocka_unit_test(test_zero_has_one_form),
        cmocka_unit_test(test_scale_says_what_was_printed),
        cmocka_unit_test(test_exponents),
        cmocka_unit_test(test_exponent_zeros),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_from_int),
        cmocka_unit_test(test_is_whole),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_add_and_subtract),
        cmocka_unit_test(test_multiply),
        cmocka_unit_test(test_shift),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
