/* Tests of extract/date: the forms of RFC 5322 (3.3, 4.3, A.5), and those that
 * mailers have sent. The instants were worked out by hand. */
#include "extract/date.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(const char *value, const char *date)
{
    GString *out = g_string_new(NULL);
    bool good = date_read(out, view_of(value));

    if (strcmp(out->str, date) != 0)
        print_error("%s\n", value);
    assert_string_equal(out->str, date);
    assert_int_equal(good, date[0] != '\0');
    g_string_free(out, TRUE);
}

static void test_standard(void **state)
{
    (void)state;
    expect("Tue, 30 Jan 2024 06:11:16 -1000", "2024-01-30T16:11:16Z");
    expect("30 Jan 2024 06:11 +0000", "2024-01-30T06:11:00Z");
    expect(" Tue,\r\n 30 Jan\t2024 06:11:16 +0530 (IST)", "2024-01-30T00:41:16Z");
    expect("Tue, 30 Jan 2024 06:11:16 -0000", "2024-01-30T06:11:16Z");
    expect("Thu, 29 Feb 2024 23:59:59 -0100", "2024-03-01T00:59:59Z");
    expect("Mon, 1 Jan 2024 00:30:00 +0100", "2023-12-31T23:30:00Z");
    expect("Sun, 31 Dec 2023 23:30:00 -0100", "2024-01-01T00:30:00Z");
    expect("Wed, 1 Mar 2000 00:00:00 +0001", "2000-02-29T23:59:00Z");
    expect("Sat, 31 Dec 2016 23:59:60 +0000", "2016-12-31T23:59:59Z");
    expect("Thu, 01 Jan 1970 00:00:00 +0000", "1970-01-01T00:00:00Z");
    expect("Fri, 31 Dec 2100 23:59:59 +0000", "2100-12-31T23:59:59Z");
}

static void test_comments(void **state)
{
    (void)state;
    expect("Thu,\n      13\n        Feb\n          1969\n      23:32\n               -0330 (Newfoundland Time)", "");
    expect("Thu (a), 13 (b) Feb (c (d) \\) e) 1997 (f) 23:32 (g:h) -0330 (i)", "1997-02-14T03:02:00Z");
    expect("(only a comment)", "");
    expect("30 Jan 2024 06:11:16 (+0100)", "2024-01-30T06:11:16Z");
    expect("30 Jan 2024 06:11:16 +0100 (unclosed", "2024-01-30T05:11:16Z");
}

static void test_years(void **state)
{
    (void)state;
    expect("21 Nov 97 09:55:06 GMT", "1997-11-21T09:55:06Z");
    expect("21 Nov 49 09:55:06 GMT", "2049-11-21T09:55:06Z");
    expect("21 Nov 70 09:55:06 GMT", "1970-11-21T09:55:06Z");
    expect("21 Nov 50 09:55:06 GMT", ""); /* 1950 */
    expect("21 Nov 00 09:55:06 GMT", "2000-11-21T09:55:06Z");
    expect("21 Nov 100 09:55:06 GMT", "2000-11-21T09:55:06Z");
    expect("21 Nov 104 09:55:06 GMT", "2004-11-21T09:55:06Z");
    expect("21 Nov 2101 09:55:06 GMT", "");
    expect("1 Jan 1970 00:00:00 +0100", "");
    expect("21 Nov 19997 09:55:06 GMT", "");
}

static void test_zones(void **state)
{
    static const struct {
        const char *zone, *time;
    } cases[] = {
        {"GMT", "12:00"},          {"UT", "12:00"},      {"UTC", "12:00"},       {"Z", "12:00"},
        {"EST", "17:00"},          {"EDT", "16:00"},     {"CST", "18:00"},       {"CDT", "17:00"},
        {"MST", "19:00"},          {"MDT", "18:00"},     {"PST", "20:00"},       {"PDT", "19:00"},
        {"pdt", "19:00"},          {"CET", "11:00"},     {"CEST", "10:00"},      {"MET", "11:00"},
        {"MET DST", "10:00"},      {"JST", "03:00"},     {"A", "12:00"},         {"Y", "12:00"},
        {"IST", "12:00"},          {"XYZ", "12:00"},     {"GMT+0100", "11:00"},  {"UTC-5", "17:00"},
        {"GMT-05:00", "17:00"},    {"+01:00", "11:00"},  {"+100", "11:00"},      {"-3", "15:00"},
        {"+0545", "06:15"},        {"\"GMT\"", "12:00"}, {"+0000 GMT", "12:00"}, {"-0800 PST", "20:00"},
        {"+0200 (CEST)", "10:00"}, {"", "12:00"},
    };

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *value = g_strdup_printf("Tue, 30 Jan 2024 12:00:00 %s", cases[i].zone);
        char *date = g_strdup_printf("2024-01-30T%s:00Z", cases[i].time);

        expect(value, date);
        g_free(date);
        g_free(value);
    }
    expect("Tue, 30 Jan 2024 12:00:00 +9999", "");
    expect("Tue, 30 Jan 2024 12:00:00 +1600", "");
}

static void test_other_forms(void **state)
{
    (void)state;
    expect("Tue Jan 30 06:11:16 2024", "2024-01-30T06:11:16Z");
    expect("Tue Jan  3 06:11:16 2006", "2006-01-03T06:11:16Z");
    expect("Tue Jan 30 06:11:16 EST 2024", "2024-01-30T11:11:16Z");
    expect("Tue Jan 30 06:11:16 2024 +0100", "2024-01-30T05:11:16Z");
    expect("Tue Jan 30 2024 06:11:16 GMT+0100 (CET)", "2024-01-30T05:11:16Z");
    expect("Tue, Jan 30 2024 06:11:16 +0100", "2024-01-30T05:11:16Z");
    expect("2024-01-30 06:11:16 +0100", "2024-01-30T05:11:16Z");
    expect("2024-01-30 06:11:16", "2024-01-30T06:11:16Z");
    expect("2024-01-30T06:11:16Z", "2024-01-30T06:11:16Z");
    expect("2024-01-30T06:11:16.123+01:00", "2024-01-30T05:11:16Z");
    expect("Tue, 30-Jan-2024 06:11:16 GMT", "2024-01-30T06:11:16Z");
    expect("Tue, 30-Jan-96 06:11:16 GMT", "1996-01-30T06:11:16Z");
    expect("Tuesday, January 30, 2024 6:11 AM", "2024-01-30T06:11:00Z");
    expect("Tuesday, 30 January 2024 12:11:00 AM", "2024-01-30T00:11:00Z");
    expect("Tue, 30 Jan 2024 6:11 PM", "2024-01-30T18:11:00Z");
    expect("Tue, 30 Jan 2024 6:11pm -0500", "2024-01-30T23:11:00Z");
    expect("Tue, 30 Jan 2024 12:11 PM", "2024-01-30T12:11:00Z");
    expect("Tue, 30 Jan 2024 06.11.16 +0100", "2024-01-30T05:11:16Z");
    expect("Tue,30 Jan 2024 06:11:16 +0100", "2024-01-30T05:11:16Z");
    expect("tue, 30 jan 2024 06:11:16 +0100", "2024-01-30T05:11:16Z");
    expect("Di, 30 Jan 2024 06:11:16 +0100", "2024-01-30T05:11:16Z");
    expect("Tue, 30 Sept 2014 06:11:16 +0100", "2014-09-30T05:11:16Z");
    expect("Tue, 30th Jan 2024 06:11:16 +0100", "2024-01-30T05:11:16Z");
}

static void test_unusable(void **state)
{
    static const char *const values[] = {
        "",
        "yesterday",
        "Tue, 30 Jan 2024",
        "06:11:16 +0000",
        "Tue, 30 2024 06:11:16 +0000",
        "Wed, 31 Feb 2024 01:00:00 +0000",
        "29 Feb 2023 01:00:00 +0000",
        "0 Jan 2024 01:00:00 +0000",
        "32 Jan 2024 01:00:00 +0000",
        "30 Jan 2024 24:00:00 +0000",
        "30 Jan 2024 06:60:00 +0000",
        "30 Jan 2024 06:11:61 +0000",
        "30 Jan 2024 06:11:16:00 +0000",
        "1/30/2024 06:11:16",
        "2024-13-01 06:11:16",
        "2024-00-01T06:11:16Z",
        "30 Jan 2024 06:11:16 07:12:17 +0000",
        "30 Jan 2024 2025 06:11:16 +0000",
        "99999999999999999999 Jan 2024 06:11:16 +0000",
        "((((((((",
        "-",
        "+",
        "30-Jan- 2024 06:11:16",
    };

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
        expect(values[i], "");

    GString *out = g_string_new(NULL);
    assert_false(date_read(out, (struct view){"30 Jan 2024\0 06:11:16", 21}));
    assert_int_equal(out->len, 0);
    g_string_free(out, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_standard), cmocka_unit_test(test_comments),    cmocka_unit_test(test_years),
        cmocka_unit_test(test_zones),    cmocka_unit_test(test_other_forms), cmocka_unit_test(test_unusable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
