/* Tests of extract/attribution: whom attributions of many programs name, and
 * where they are found above a quotation. */
#include "extract/attribution.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool names(const char *attribution, const char *from)
{
    return attribution_names(attribution, attribution_author(from));
}

static void test_names(void **state)
{
    static const char ann[] = "Ann B. Other <ann@example.org>";

    (void)state;
    assert_true(names("On Monday, 3 March 2020 at 10:00, Ann B. Other wrote:", ann));
    assert_true(names("* Ann B. Other <somewhere@example.net> [2020-03-03]:", ann));
    assert_true(names("On 03/03, \"ANN B. OTHER\" wrote:", ann));
    assert_true(names("On 03/03, ann@example.org wrote:", ann));
    assert_true(names("On 03/03, <ann@example.org> wrote:", "ann@example.org (Ann Other)"));
    assert_true(names("Ann Other writes:", "ann@example.org (Ann Other)"));
    assert_false(names("On 03/03, Bob Other wrote:", ann));
    assert_false(names("On 03/03, Ann wrote:", ann));
    assert_false(names("", ann));
    assert_false(names("On 03/03, Ann wrote:", ""));
    assert_false(names("", ""));
}

static void check_found(const char *text, size_t line, unsigned depth, const char *expected)
{
    GString *found = g_string_new(NULL);

    attribution_find(view_of(text), line, depth, found);
    assert_string_equal(found->str, expected);
    g_string_free(found, TRUE);
}

static void test_places(void **state)
{
    (void)state;
    check_found("On Monday, Ann wrote:\n> a\n> b\n", 3, 1, "On Monday, Ann wrote:");
    check_found("Hello\n\nOn Monday,\nAnn wrote:\r\n\n> a\n", 6, 1, "On Monday, Ann wrote:");
    check_found("> Ann wrote:\n>> a\n> b\n>> c\n", 2, 2, "Ann wrote:");
    check_found("> Ann wrote:\n>> a\n> b\n>> c\n", 4, 2, "");
    check_found("Ann wrote:\n> > a\n> > b\n", 3, 2, "");
    check_found("> a\n", 1, 1, "");
    check_found("Ann wrote:\n\n\n\n> a\n", 5, 1, "");
    check_found("Ann wrote:\n> a\n", 9, 1, "");
    check_found("", 1, 1, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_places)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
