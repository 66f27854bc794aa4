#include "extract/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE = 60 }; /* seconds; then a pattern counts as hanging */

static struct pattern *compile(const char *source)
{
    size_t offset = 0;
    char *error = NULL;
    struct pattern *pattern = pattern_new(view_of(source), view_of(source), &offset, &error);
    if (!pattern)
        fail_msg("%s: %s at %zu", source, error, offset);
    return pattern;
}

static void assert_refused(const char *source, size_t expected_offset, const char *expected_error)
{
    size_t offset = 12345;
    char *error = NULL;
    assert_null(pattern_new(view_of(source), view_of(source), &offset, &error));
    assert_string_equal(error, expected_error);
    assert_int_equal(offset, expected_offset);
    g_free(error);
}

/* Match source at offset at of subject; the length of the match, -1 for none. */
static int match_length(const char *source, const char *subject, size_t at)
{
    struct pattern *pattern = compile(source);
    struct matcher *matcher = matcher_new();
    size_t start, end;
    enum pattern_result result = matcher_match(matcher, pattern, view_of(subject), at);
    assert_int_not_equal(result, PATTERN_LIMIT);
    int length = -1;
    if (result == PATTERN_MATCH) {
        assert_true(matcher_group(matcher, 0, &start, &end));
        assert_int_equal(start, at);
        length = (int)(end - start);
    }
    matcher_free(matcher);
    pattern_free(pattern);
    return length;
}

/* ---- compiling ---- */

static void test_mistakes(void **state)
{
    (void)state;
    assert_refused("a(b", 3, "missing closing parenthesis");
    assert_refused("a)b", 1, "unmatched closing parenthesis");
    assert_refused("[a-", 3, "missing terminating ] for character class");
    /* Half a character is no piece of text. */
    assert_refused("\\C", 2, "using \\C is disabled by the application");
    GString *many = g_string_new(NULL);
    for (int i = 0; i < 63; i++)
        g_string_append(many, "(a)?");
    pattern_free(compile(many->str));
    g_string_append(many, "(a)?");
    assert_refused(many->str, 0, "more than 63 groups");
    g_string_free(many, TRUE);
}

static void test_names(void **state)
{
    (void)state;
    struct pattern *pattern = compile("(?:(?<mean>\\d+) (?<unit>ms)|(?<unit>us) (x)(?<mean>\\d+))");
    assert_int_equal(pattern_group_count(pattern), 5);
    assert_string_equal(pattern_group_name(pattern, 1), "mean");
    assert_string_equal(pattern_group_name(pattern, 2), "unit");
    assert_string_equal(pattern_group_name(pattern, 3), "unit");
    assert_null(pattern_group_name(pattern, 4));
    assert_string_equal(pattern_group_name(pattern, 5), "mean");
    pattern_free(pattern);
    pattern_free(NULL);
}

/* ---- matching ---- */

static void test_place(void **state)
{
    (void)state;
    assert_int_equal(match_length("b+", "abbc", 0), -1);
    assert_int_equal(match_length("b+", "abbc", 1), 2);
    assert_int_equal(match_length("b+", "abbc", 3), -1);
    assert_int_equal(match_length("a|b", "ab", 1), 1);
    /* What is before the place can be looked at, but is no part of the match. */
    assert_int_equal(match_length("(?<=a)b", "ab", 1), 1);
    assert_int_equal(match_length("(?<=a)b", "bb", 1), -1);
    assert_int_equal(match_length("\\bb", "ab", 1), -1);
}

static void test_lines(void **state)
{
    (void)state;
    assert_int_equal(match_length("^b$", "a\nb\nc", 2), 1);
    assert_int_equal(match_length("^b$", "a b\nc", 2), -1);
    assert_int_equal(match_length("b.*", "bc\nd", 0), 2);
    assert_int_equal(match_length("b\\nd$", "b\nd", 0), 3);
}

static void test_utf8(void **state)
{
    (void)state;
    /* U+00B1 PLUS-MINUS SIGN is one character of two bytes. */
    assert_int_equal(match_length("5 .3",
                                  "5 \xC2\xB1"
                                  "3",
                                  0),
                     5);
    assert_int_equal(match_length("5 \xC2\xB1?3", "5 3", 0), 3);
}

static void test_groups(void **state)
{
    (void)state;
    struct pattern *pattern = compile("(a)|(b)(c)?");
    struct matcher *matcher = matcher_new();
    size_t start = 0, end = 0;
    assert_int_equal(matcher_match(matcher, pattern, view_of("xbc"), 1), PATTERN_MATCH);
    assert_false(matcher_group(matcher, 1, &start, &end));
    assert_true(matcher_group(matcher, 2, &start, &end));
    assert_int_equal(start, 1);
    assert_int_equal(end, 2);
    assert_true(matcher_group(matcher, 3, &start, &end));
    assert_int_equal(end, 3);
    assert_false(matcher_group(matcher, 4, &start, &end));
    /* Groups behind the last that took part, and those of a failed match. */
    assert_int_equal(matcher_match(matcher, pattern, view_of("a"), 0), PATTERN_MATCH);
    assert_true(matcher_group(matcher, 1, &start, &end));
    assert_false(matcher_group(matcher, 3, &start, &end));
    assert_int_equal(matcher_match(matcher, pattern, view_of("x"), 0), PATTERN_NO_MATCH);
    assert_false(matcher_group(matcher, 0, &start, &end));
    matcher_free(matcher);
    matcher_free(NULL);
    pattern_free(pattern);
}

/* The subject ends where its view ends, whatever stands behind. */
static void test_end(void **state)
{
    (void)state;
    struct pattern *pattern = compile("a+$"), *more = compile("a+b");
    struct matcher *matcher = matcher_new();
    size_t start, end;
    struct view subject = view_slice(view_of("aaab"), 0, 2);
    assert_int_equal(matcher_match(matcher, pattern, subject, 0), PATTERN_MATCH);
    assert_true(matcher_group(matcher, 0, &start, &end));
    assert_int_equal(end, 2);
    assert_int_equal(matcher_match(matcher, more, subject, 0), PATTERN_NO_MATCH);
    assert_int_equal(matcher_match(matcher, pattern, subject, 2), PATTERN_NO_MATCH);
    matcher_free(matcher);
    pattern_free(pattern);
    pattern_free(more);
}

/* ---- limits ---- */

/* `(a+)+$` tries every way to cut a run of letters: 2^n of them. */
static void test_backtracking(void **state)
{
    (void)state;
    static const char *const patterns[] = {"(a+)+$", "(?:a|aa)+$", "(a*)*b", "(?:(?:a?){30}){30}c"};
    struct matcher *matcher = matcher_new();
    GString *subject = g_string_new(NULL);
    for (int i = 0; i < 60; i++)
        g_string_append(subject, "aaaaaaaaaa");
    g_string_append(subject, "xbc");
    alarm(PATIENCE);
    for (unsigned i = 0; i < G_N_ELEMENTS(patterns); i++) {
        struct pattern *pattern = compile(patterns[i]);
        assert_int_equal(matcher_match(matcher, pattern, (struct view){subject->str, subject->len}, 0), PATTERN_LIMIT);
        pattern_free(pattern);
    }
    alarm(0);
    /* The matcher is none the worse for it. */
    struct pattern *good = compile("a+x");
    size_t start, end;
    assert_int_equal(matcher_match(matcher, good, (struct view){subject->str, subject->len}, 590), PATTERN_MATCH);
    assert_true(matcher_group(matcher, 0, &start, &end));
    assert_int_equal(end, 601);
    pattern_free(good);
    matcher_free(matcher);
    g_string_free(subject, TRUE);
}

/* What a pattern has to remember for every letter of a long text ends at a
 * limit, not with the memory. */
static void test_memory(void **state)
{
    (void)state;
    static const char *const patterns[] = {"(?:(a)|b)*x", "(a(?1)?)x"};
    size_t length = 4 << 20;
    char *subject = g_malloc(length);
    memset(subject, 'a', length);
    struct matcher *matcher = matcher_new();
    alarm(PATIENCE);
    for (unsigned i = 0; i < G_N_ELEMENTS(patterns); i++) {
        struct pattern *pattern = compile(patterns[i]);
        assert_int_equal(matcher_match(matcher, pattern, (struct view){subject, length}, 0), PATTERN_LIMIT);
        pattern_free(pattern);
    }
    alarm(0);
    matcher_free(matcher);
    g_free(subject);
}

/* ---- first bytes ---- */

/* The bytes (as a text, in byte order) that a match can begin with; "any" for
 * all. */
static void assert_first(const char *source, const char *expected)
{
    struct pattern *pattern = compile(source);
    GString *first = g_string_new(NULL);
    for (unsigned byte = 1; byte < 256; byte++)
        if (pattern_may_begin(pattern, (unsigned char)byte))
            g_string_append_c(first, (char)byte);
    assert_string_equal(first->len == 255 ? "any" : first->str, expected);
    g_string_free(first, TRUE);
    pattern_free(pattern);
}

static void test_first_bytes(void **state)
{
    (void)state;
    /* Of one letter alone PCRE2 does not say whether its case matters. */
    assert_first("lat \\(", "Ll");
    assert_first("=5", "=");
    assert_first("(?:read|write)", "rw");
    assert_first("(?<a>\\d+)x", "0123456789");
    assert_first("a?b", "ab");
    assert_first("\\xC3\\xA9t\\xC3\\xA9|x", "x\xC3");
    assert_first(".*", "any");
    assert_first("a*", "any");
}

/* No match begins with a byte that is said not to begin one. */
static void test_first_bytes_hold(void **state)
{
    (void)state;
    static const char *const patterns[] = {
        "(?i)k",   "(?i)s",  "(?i)kib",    "(?i:nan|inf)", "(?i)\xC3\xA9", "[^a]",      "\\D",
        "(?=k)k",  "(?!a)k", "k?s",        "(?<!a)k",      "\\bk",         "^k",        "k|(?i)\xC3\xA9",
        "(?i)[k]", "\\W?k",  "(?:k|s|)x?", "\\p{Lu}",      "(?i)ss",       "(?-i:K)?k", "[\\x{100}-\\x{2fff}]",
    };
    /* K, S and their other cases: U+212A KELVIN SIGN, U+017F LONG S. */
    static const char *const subjects[] = {
        "k",   "K",   "\xE2\x84\xAA",   "s",   "S",   "\xC5\xBF", "\xC3\xA9", "\xC3\x89",
        "kib", "KIB", "\xE2\x84\xAAib", "NaN", "Inf", "x",        "0",        " k",
        "-k",  "ss"};
    struct matcher *matcher = matcher_new();
    for (unsigned i = 0; i < G_N_ELEMENTS(patterns); i++) {
        struct pattern *pattern = compile(patterns[i]);
        for (unsigned s = 0; s < G_N_ELEMENTS(subjects); s++)
            if (matcher_match(matcher, pattern, view_of(subjects[s]), 0) == PATTERN_MATCH &&
                !pattern_may_begin(pattern, (unsigned char)subjects[s][0]))
                fail_msg("%s matches %s", patterns[i], subjects[s]);
        pattern_free(pattern);
    }
    matcher_free(matcher);
}

/* ---- patterns that are checked by a sketch ---- */

static GString *list_of_words(unsigned count)
{
    GString *list = g_string_new("(?<word>word0");
    for (unsigned i = 1; i < count; i++)
        g_string_append_printf(list, "|word%u", i);
    return g_string_append(list, ")(?<end>;)");
}

static void test_sketch(void **state)
{
    (void)state;
    GString *list = list_of_words(30);
    size_t offset = 0, start, end;
    char *error = NULL;
    struct pattern *pattern =
        pattern_new(view_of(list->str), view_of("(?<word>word0|word1)(?<end>;)"), &offset, &error);
    assert_non_null(pattern);
    assert_int_equal(pattern_group_count(pattern), 2);
    assert_string_equal(pattern_group_name(pattern, 2), "end");
    struct matcher *matcher = matcher_new();
    /* Before the first match, too. */
    assert_int_equal(matcher_reach(matcher, pattern, view_of("word29."), 0, 7), 6);
    assert_int_equal(matcher_match(matcher, pattern, view_of("word29;"), 0), PATTERN_MATCH);
    assert_true(matcher_group(matcher, 1, &start, &end));
    assert_int_equal(end, 6);
    assert_int_equal(matcher_match(matcher, pattern, view_of("word30;"), 0), PATTERN_NO_MATCH);
    matcher_free(matcher);
    pattern_free(pattern);
    g_string_free(list, TRUE);
    /* Where a mistake stands is said of the sketch. */
    assert_null(pattern_new(view_of("(?:one|two|three)(a"), view_of("(?:one)(a"), &offset, &error));
    assert_int_equal(offset, strlen("(?:one)(a"));
    assert_string_equal(error, "missing closing parenthesis");
    g_free(error);
}

/* That it is too large only the whole list tells: found when it is made, not
 * when it is used. */
static void test_sketch_of_large(void **state)
{
    (void)state;
    static const char sketch[] = "(?<word>word0)(?<end>;)";
    GString *list = list_of_words(10000);
    size_t offset = 0;
    char *error = NULL;
    assert_null(pattern_new(view_of(list->str), view_of(sketch), &offset, &error));
    assert_string_equal(error, "regular expression is too large");
    assert_true(offset <= strlen(sketch));
    g_free(error);
    g_string_free(list, TRUE);
}

/* What is left out of a sketch never makes a pattern too large that was not
 * compiled whole: not alternatives of one byte, which take the most. */
static void test_sketch_of_nearly_large(void **state)
{
    (void)state;
    struct matcher *matcher = matcher_new();
    unsigned refused = 0;
    for (unsigned count = 9000; count < 16000; count += 500) {
        GString *list = g_string_new("(?:x");
        size_t offset = 0;
        char *error = NULL;
        for (unsigned i = 0; i < count; i++)
            g_string_append(list, "|y");
        g_string_append(list, ")z");
        struct pattern *pattern = pattern_new(view_of(list->str), view_of("(?:x)z"), &offset, &error);
        refused += pattern == NULL;
        if (pattern)
            assert_int_equal(matcher_match(matcher, pattern, view_of("yz"), 0), PATTERN_MATCH);
        pattern_free(pattern);
        g_free(error);
        g_string_free(list, TRUE);
    }
    assert_in_range(refused, 1, 13);
    matcher_free(matcher);
}

/* ---- first use by several threads at once ---- */

enum { THREADS = 4, SHARED = 200 };

struct sharing {
    struct pattern *patterns[SHARED];
    gint waiting;
};

static gpointer use_all(gpointer data)
{
    struct sharing *sharing = data;
    struct matcher *matcher = matcher_new();
    unsigned matched = 0;
    g_atomic_int_dec_and_test(&sharing->waiting);
    while (g_atomic_int_get(&sharing->waiting) > 0)
        continue;
    for (unsigned i = 0; i < SHARED; i++)
        if (pattern_may_begin(sharing->patterns[i], 'n'))
            matched += matcher_match(matcher, sharing->patterns[i], view_of("n=199;"), 0) == PATTERN_MATCH;
    matcher_free(matcher);
    return GUINT_TO_POINTER(matched);
}

static void test_threads(void **state)
{
    (void)state;
    struct sharing sharing = {.waiting = THREADS};
    GThread *threads[THREADS];
    for (unsigned i = 0; i < SHARED; i++) {
        char *source = g_strdup_printf("[mn]=%u;", i);
        sharing.patterns[i] = compile(source);
        g_free(source);
    }
    for (unsigned t = 0; t < THREADS; t++)
        threads[t] = g_thread_new("use", use_all, &sharing);
    for (unsigned t = 0; t < THREADS; t++)
        assert_int_equal(GPOINTER_TO_UINT(g_thread_join(threads[t])), 1);
    for (unsigned i = 0; i < SHARED; i++)
        pattern_free(sharing.patterns[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_backtracking),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_first_bytes),
        cmocka_unit_test(test_first_bytes_hold),
        cmocka_unit_test(test_sketch),
        cmocka_unit_test(test_sketch_of_large),
        cmocka_unit_test(test_sketch_of_nearly_large),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
