/* need: what is read off patterns, and that every match keeps to it. */
#include "extract/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* literals: with ` or ` between them. */
static void expect(const char *source, const char *literals, unsigned lines)
{
    struct need need = need_of(view_of(source));
    GString *found = g_string_new(NULL);
    for (unsigned i = 0; i < need.count; i++) {
        assert_int_equal(need.literals[i].length, strlen(need.literals[i].text));
        g_string_append_printf(found, "%s%s", i > 0 ? " or " : "", need.literals[i].text);
    }
    assert_string_equal(found->str, literals);
    if (need.count > 0)
        assert_int_equal(need.lines, lines);
    g_string_free(found, TRUE);
}

static void test_literals(void **state)
{
    (void)state;
    expect("IOPS=\\d+", "IOPS=", 0);
    expect("a|IOPS=", "a or IOPS=", 0);
    expect("(?:read|write): IOPS=(?<value>\\d+)", ": IOPS=", 0);
    expect("(?<dir>read):", "read", 0);
    expect("\\(groupid=\\d", "(groupid=", 0);
    expect("a\\.b", "a.b", 0);
    expect("x(?:IOPS=)?y", "x", 0);
    expect("x(?:IOPS=)*y(?:abc){0,2}", "x", 0);
    expect("x(?:IOPS=){2}", "x", 0);
    expect("(?=abc)d", "abc", 0);
    expect("(?<=abc)d", "d", 0);
    expect("(?!abc)d", "d", 0);
    expect("(?i:abc)d", "d", 0);
    expect("[abc]+[^)x]|abc", "", 0);
    expect("(?:read|write|x\\d)+:", ":", 0);
    expect("colou?r", "colo", 0);
    expect("ab+c", "ab", 0);
    expect("ab{3}cd", "abbbcd", 0);
    expect("ab{2,3}cd", "abb", 0);
    expect("a\xC3\xA9?e", "a", 0);
    expect("a\xC3\xA9{2}", "a\xC3\xA9\xC3\xA9", 0);
    expect("-{30}", "------------------------", 0);
    expect("a{0}b", "b", 0);
    expect("[]ab]cd", "cd", 0);
    expect("[^]ab]cd", "cd", 1);
    expect("[[:alpha:]ab]cd", "cd", 1); /* as [:space:] might */
    expect("", "", 0);
    /* one of several, where no literal alone says as much */
    expect("\\d+(?:abc|d\\+(?:ef|g))", "abc or d+", 0);
    expect("\\d+(?:abc|)x", "x", 0);
    expect("(?:ab|cd)efg", "efg", 0);
    expect("(?:abc|def)g", "abc or def", 0);
    expect("(?:abc|def)?g", "g", 0);
    expect("a|b|c|d|e|f", "a or b or c or d or e or f", 0);
    expect("a|b|c|d|e|f|g", "", 0);
    expect("x(?:abc|a|b|c|d|e|f)", "x", 0);
    expect("a literal that is longer than what is kept of it", "a literal that is longer", 0);
}

static void test_lines(void **state)
{
    (void)state;
    expect("a\\nbc", "bc", 1);
    expect("a\\n?bc", "bc", 1);
    expect("a(?:\\n| \\n)bc", "bc", 1);
    expect("a(?:\\n|\\n\\n)bc", "bc", 2);
    expect("[^\\n]*\\n[^\\n]*\\n[^\\n]* Better", " Better", 2);
    expect("[^\\n]*\\n(?=[^\\n]*(?:\\n12|34))", "12 or 34", 2);
    expect(".*bc", "bc", 0);
    expect("\\S+\\d+\\w+bc", "bc", 0);
    expect("[^\\s:]+bc", "bc", 0);
    expect("\\s{1,3}bc", "bc", 3);
    expect("\\s+bc", "bc", NEED_LINES_ANY);
    expect("[^)]+bc", "bc", NEED_LINES_ANY);
    expect("[^)]bc", "bc", 1);
    expect("[\\t-\\r]bc", "bc", 1);
    expect("[ \\n]*+bc", "bc", NEED_LINES_ANY);
    expect("(?:a\\n){2}bc", "bc", 2);
    expect("(?:a\\n)+bc", "bc", NEED_LINES_ANY);
    expect("(?![^\\n]*\\n)bc", "bc", 0);
    /* the same in a group that is looked into */
    expect("\\n(?<name>a\\n(?:bc))", "bc", 2);
}

static void test_find(void **state)
{
    static const struct {
        const char *text;
        size_t place;
    } cases[] = {
        {"Better", 0}, {"is Better", 3}, {"BeBetter", 2}, {"Bette", 5}, {"", 0}, {"BBBBBBB", 7}, {"bBetterBetter", 1},
    };
    struct need need = need_of(view_of("Better"));
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        assert_int_equal(need_find(&need.literals[0], view_of(cases[i].text)), cases[i].place);
}

/* Nothing is told of what is not understood. */
static void test_unknown(void **state)
{
    (void)state;
    expect("(?i)abc", "", 0);
    expect("(?<x>a)\\k<x>abc", "", 0);
    expect("(a)\\1abc", "", 0);
    expect("(?(?=a)abc|abd)", "", 0);
    expect("(?|(abc)|(abd))", "", 0);
    expect("(?#abc)", "", 0);
    expect("\\Qabc\\E", "", 0);
    expect("\\x{61}bc", "", 0);
    expect("\\p{L}bc", "", 0);
    expect("a{,3}bc", "", 0);
    expect("(*ACCEPT)abc", "", 0);
}

static unsigned count_breaks(const char *text, const char *end)
{
    unsigned breaks = 0;
    for (; text < end; text++)
        breaks += *text == '\n';
    return breaks;
}

static bool is_met(const struct need *need, const char *text)
{
    for (unsigned i = 0; i < need->count; i++) {
        const char *place = strstr(text, need->literals[i].text);
        if (place && count_breaks(text, place) <= need->lines)
            return true;
    }
    return false;
}

/* Patterns and texts made of the same few pieces: where one matches, the text
 * holds what was told. */
static void test_matches_keep_to_it(void **state)
{
    static const char *const pieces[] = {
        "a",
        "b",
        "ab",
        "\\n",
        "(?:a|b)",
        "(?:\\n|ab)",
        "[ab]",
        "[^a]",
        "[^\\nb]",
        "(?:ab)?",
        "(?:a\\n)*",
        "a+",
        "b{2}",
        "a{0,2}",
        "\\s",
        ".",
        "(ba)",
        "(?:ba(?:b|\\nb))",
        "(?:a\\n)+",
        "(?=a)",
        "(?!ab)",
        "[\\n.]{2}",
        "(?:|a\\n)",
        "\\.",
        "\\S",
        "[b-z]+",
        "(?:a(?:b\\n)?b){1,2}",
        "(?:b|aa|\\n\\.)",
        "(?=[^.]*(?:\\.|ba))",
        "(?<=a|b)",
    };
    static const char bytes[] = "aaabbb\n.";
    GRand *random = g_rand_new_with_seed(7);
    GString *source = g_string_new(NULL);
    struct matcher *matcher = matcher_new();
    unsigned matched = 0;
    (void)state;
    for (int round = 0; round < 4000; round++) {
        size_t offset;
        char *error;
        g_string_truncate(source, 0);
        for (int count = g_rand_int_range(random, 1, 6); count > 0; count--)
            g_string_append(source, pieces[g_rand_int_range(random, 0, G_N_ELEMENTS(pieces))]);
        struct pattern *pattern = pattern_new((struct view){source->str, source->len},
                                              (struct view){source->str, source->len}, &offset, &error);
        assert_non_null(pattern);
        struct need need = need_of((struct view){source->str, source->len});
        for (int text_round = 0; text_round < 20; text_round++) {
            char text[17] = "";
            for (size_t i = 0; i < sizeof text - 1; i++)
                text[i] = bytes[g_rand_int_range(random, 0, sizeof bytes - 1)];
            if (matcher_match(matcher, pattern, view_of(text), 0) != PATTERN_MATCH)
                continue;
            size_t start, end;
            assert_true(matcher_group(matcher, 0, &start, &end));
            assert_true(count_breaks(text, text + end) <= need.breaks);
            if (need.count == 0)
                continue;
            assert_true(is_met(&need, text));
            matched++;
        }
        pattern_free(pattern);
    }
    assert_true(matched > 1000);
    matcher_free(matcher);
    g_string_free(source, TRUE);
    g_rand_free(random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_literals),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_matches_keep_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
