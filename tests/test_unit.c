/* unit: every spelling, its base unit and its exact factor. */
#include "extract/unit.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct spelling {
    const char *text;
    const char *base;
    const char *factor;
};

static void assert_spellings(const struct spelling *spellings, size_t count)
{
    GString *out = g_string_new(NULL);
    for (size_t i = 0; i < count; i++) {
        struct unit unit;
        if (!unit_lookup(view_of(spellings[i].text), &unit))
            fail_msg("'%s' is unknown", spellings[i].text);
        assert_string_equal(unit.base, spellings[i].base);
        assert_ptr_equal(unit.base, unit_base(view_of(spellings[i].base)));
        g_string_truncate(out, 0);
        decimal_append(out, &unit.factor);
        assert_string_equal(out->str, spellings[i].factor);
    }
    g_string_free(out, TRUE);
}

static void test_times(void **state)
{
    (void)state;
    const struct spelling spellings[] = {
        {"s", "s", "1"},
        {"sec", "s", "1"},
        {"secs", "s", "1"},
        {"second", "s", "1"},
        {"seconds", "s", "1"},
        {"ms", "s", "0.001"},
        {"msec", "s", "0.001"},
        {"us", "s", "0.000001"},
        {"usec", "s", "0.000001"},
        {"ns", "s", "0.000000001"},
        {"nsec", "s", "0.000000001"},
        {"min", "s", "60"},
        {"minutes", "s", "60"},
        {"h", "s", "3600"},
        {"hours", "s", "3600"},
        {"\xC2\xB5s", "s", "0.000001"},
        {"\xCE\xBCs", "s", "0.000001"},
    };
    assert_spellings(spellings, G_N_ELEMENTS(spellings));
}

static void test_bytes(void **state)
{
    (void)state;
    const struct spelling spellings[] = {
        {"B", "B", "1"},
        {"bytes", "B", "1"},
        {"Byte", "B", "1"},
        {"kB", "B", "1000"},
        {"KB", "B", "1000"},
        {"MB", "B", "1000000"},
        {"GB", "B", "1000000000"},
        {"TB", "B", "1000000000000"},
        {"PB", "B", "1000000000000000"},
        {"EB", "B", "1000000000000000000"},
        {"KiB", "B", "1024"},
        {"MiB", "B", "1048576"},
        {"GiB", "B", "1073741824"},
        {"TiB", "B", "1099511627776"},
        {"PiB", "B", "1125899906842624"},
        {"EiB", "B", "1152921504606846976"},
        {"B/s", "B/s", "1"},
        {"kB/s", "B/s", "1000"},
        {"MiB/s", "B/s", "1048576"},
        {"MB/sec", "B/s", "1000000"},
        {"GiB/sec", "B/s", "1073741824"},
    };
    assert_spellings(spellings, G_N_ELEMENTS(spellings));
}

static void test_bits(void **state)
{
    (void)state;
    const struct spelling spellings[] = {
        {"bit", "B", "0.125"},       {"bit/s", "B/s", "0.125"},      {"kbit/s", "B/s", "125"},
        {"Mbit/s", "B/s", "125000"}, {"Gbit/s", "B/s", "125000000"}, {"Gbits/sec", "B/s", "125000000"},
        {"Kibit/s", "B/s", "128"},   {"Mibit/s", "B/s", "131072"},   {"Gibit/s", "B/s", "134217728"},
        {"Mibit", "B", "131072"},    {"bps", "B/s", "0.125"},        {"Kbps", "B/s", "125"},
        {"Mbps", "B/s", "125000"},   {"Gbps", "B/s", "125000000"},
    };
    assert_spellings(spellings, G_N_ELEMENTS(spellings));
}

static void test_counts_and_rates(void **state)
{
    (void)state;
    const struct spelling spellings[] = {
        {"%", "%", "1"},
        {"1", "1", "1"},
        {"1/s", "1/s", "1"},
        {"/s", "1/s", "1"},
        {"/sec", "1/s", "1"},
        {"k", "1", "1000"},
        {"Ki", "1", "1024"},
        {"K", "1", "1000"},
        {"M", "1", "1000000"},
        {"G", "1", "1000000000"},
        {"T", "1", "1000000000000"},
        {"P", "1", "1000000000000000"},
        {"E", "1", "1000000000000000000"},
    };
    assert_spellings(spellings, G_N_ELEMENTS(spellings));
}

/* Wrapping and flattening put blanks where the tool printed none. */
static void test_white_space(void **state)
{
    (void)state;
    const struct spelling spellings[] = {
        {" MiB/s ", "B/s", "1048576"},
        {"MiB /\ns", "B/s", "1048576"},
        {"M B", "B", "1000000"},
        {"u\r\n\tsec", "s", "0.000001"},
    };
    assert_spellings(spellings, G_N_ELEMENTS(spellings));
}

static void test_unknown(void **state)
{
    (void)state;
    const char *const unknown[] = {
        "",     " ",   "m",    "b",  "Gb/s",  "Mb/s", "Mb",   "MBytes", "M/s",    "K/s",     "mb",    "kib",
        "mi",   "iB",  "MiBs", "B/", "B/min", "/",    "//s",  "bps/s",  "Mibps",  "msecond", "S",     "MS",
        "sec.", "KKB", "Bps",  "%s", "0",     "1/",   "bit/", "byte/h", "kbytes", "GiBit",   "\xC2s", "\xB5s",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(unknown); i++) {
        struct unit unit = {.base = "untouched"};
        if (unit_lookup(view_of(unknown[i]), &unit))
            fail_msg("'%s' was taken for %s", unknown[i], unit.base);
        assert_string_equal(unit.base, "untouched");
    }
    struct unit unit;
    assert_false(unit_lookup((struct view){"s\0", 2}, &unit));
    assert_false(unit_lookup((struct view){NULL, 0}, &unit));
    char *endless = g_strnfill(1000000, 's');
    assert_false(unit_lookup(view_of(endless), &unit));
    g_free(endless);
}

static void test_base(void **state)
{
    (void)state;
    assert_string_equal(unit_base(view_of("B/s")), "B/s");
    assert_string_equal(unit_base(view_of("s")), "s");
    assert_string_equal(unit_base(view_of("1")), "1");
    assert_null(unit_base(view_of("KiB")));
    assert_null(unit_base(view_of("")));
    assert_null(unit_base(view_of("bit")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),       cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_bits),        cmocka_unit_test(test_counts_and_rates),
        cmocka_unit_test(test_white_space), cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
