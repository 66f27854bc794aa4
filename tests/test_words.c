/* words: what the pattern of a list is, and what it matches. */
#include "extract/pattern.h"
#include "extract/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static GString *pattern_of(const char *const *list, GString *sketch)
{
    GPtrArray *words = g_ptr_array_new();
    GString *pattern = g_string_new(NULL);
    for (; *list; list++)
        g_ptr_array_add(words, (gpointer)(uintptr_t)*list);
    words_append(pattern, sketch, words);
    g_ptr_array_unref(words);
    return pattern;
}

static void expect_pattern(const char *const *list, const char *expected)
{
    GString *sketch = g_string_new(NULL), *pattern = pattern_of(list, sketch);
    assert_string_equal(pattern->str, expected);
    g_string_free(pattern, TRUE);
    g_string_free(sketch, TRUE);
}

static void test_patterns(void **state)
{
    (void)state;
    expect_pattern((const char *const[]){"one", NULL}, "one");
    expect_pattern((const char *const[]){"a", "abc", "ab", NULL}, "a(?:bc|b|)");
    expect_pattern((const char *const[]){"x y", "b", "xz", NULL}, "x(?:\\s++y|z)|b");
    expect_pattern((const char *const[]){"+a", "+b", NULL}, "\\+(?:a|b)");
    expect_pattern((const char *const[]){"", "ab", "ac", NULL}, "a(?:b|c)|");
    /* characters, not bytes */
    expect_pattern((const char *const[]){"\xC3\xA9s", "\xC3\xA8s", NULL}, "\xC3\xA9s|\xC3\xA8s");
}

/* The longest word that is there is matched. */
static void test_longest(void **state)
{
    static const char *const list[] = {"Apache", "Apache Siege", "7-Zip", "Apa", "Build", NULL};
    static const struct {
        const char *text;
        size_t length;
    } cases[] = {{"Apache Siege 2", 12}, {"Apache  Siege", 13}, {"Apache 2", 6}, {"Apart", 3},
                 {"7-Zip", 5},           {"Buil", 0},           {"apache", 0}};
    GString *sketch = g_string_new(NULL), *source = pattern_of(list, sketch);
    struct matcher *matcher = matcher_new();
    size_t offset, start, end;
    char *error;
    struct pattern *pattern =
        pattern_new((struct view){source->str, source->len}, (struct view){sketch->str, sketch->len}, &offset, &error);
    (void)state;
    assert_non_null(pattern);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        bool found = matcher_match(matcher, pattern, view_of(cases[i].text), 0) == PATTERN_MATCH;
        assert_int_equal(found, cases[i].length > 0);
        if (found) {
            assert_true(matcher_group(matcher, 0, &start, &end));
            assert_int_equal(end, cases[i].length);
        }
    }
    pattern_free(pattern);
    matcher_free(matcher);
    g_string_free(source, TRUE);
    g_string_free(sketch, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_longest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
