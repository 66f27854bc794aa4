/* grammar: the direction of a metric by the globs of `better`. */
#include "extract/grammar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void expect_better(const char *glob, const char *metric, const char *stat, const char *expected)
{
    struct grammar *grammar = grammar_new("test");
    grammar_add_better(grammar, g_strdup(glob), "lower");
    assert_string_equal(grammar_better(grammar, view_of(metric), view_of(stat)), expected);
    grammar_free(grammar);
}

static void test_globs(void **state)
{
    (void)state;
    expect_better("latency", "latency", "mean", "lower");
    expect_better("latency", "latency2", "", "");
    expect_better("latency", "latenc", "", "");
    expect_better("latency*", "latency", "", "lower");
    expect_better("latency*", "latency_p50", "", "lower");
    expect_better("latency*", "a_latency", "", "");
    expect_better("*.lat", "read.lat", "", "lower");
    expect_better("*.lat", ".lat", "", "lower");
    expect_better("*.lat", "read.clat", "", "");
    expect_better("r*.lat", "read.lat", "", "lower");
    expect_better("ab*ba", "aba", "", ""); /* what stands before and behind the star is no same byte */
    expect_better("*", "anything", "", "lower");
    expect_better("*lat*", "slat.min", "", "lower");
    expect_better("*lat*", "slow", "", "");
    expect_better("*ab*b*", "aab", "", "");
    expect_better("*ab*b*", "aabxb", "", "lower");
    expect_better("a**b", "ab", "", "lower");
    expect_better("a*b*c", "abcb", "", "");
    expect_better("a*b*c", "abcbc", "", "lower");
    expect_better("", "", "", "lower");
    expect_better("", "a", "", "");
    expect_better("la?", "lat", "", "lower");
    expect_better("[ls]at", "sat", "", "lower");
    expect_better("[ls]at", "cat", "", "");
}

static void test_globs_with_statistic(void **state)
{
    (void)state;
    expect_better("*:stddev", "read.lat", "stddev", "lower");
    expect_better("*:stddev", "read.lat", "mean", "");
    expect_better("*.bw:min", "read.bw", "min", "lower");
    expect_better("*.bw:min", "read.iops", "min", "");
    expect_better("*:", "read.bw", "", "lower");
    expect_better("read.bw", "read.bw", "min", "lower");
}

static void test_first_line_counts(void **state)
{
    (void)state;
    struct grammar *grammar = grammar_new("test");
    grammar_add_better(grammar, g_strdup("*:stddev"), "");
    grammar_add_better(grammar, g_strdup("*.iops"), "higher");
    assert_string_equal(grammar_better(grammar, view_of("read.iops"), view_of("stddev")), "");
    assert_string_equal(grammar_better(grammar, view_of("read.iops"), view_of("mean")), "higher");
    grammar_free(grammar);
}

/* A name of any length is compared, or nothing is said of it. */
static void test_long_names(void **state)
{
    (void)state;
    char *name = g_strnfill(2000, 'x');
    expect_better("x*", name, "mean", "lower");
    expect_better("*:mean", name, "mean", "");
    g_free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_globs),
        cmocka_unit_test(test_globs_with_statistic),
        cmocka_unit_test(test_first_line_counts),
        cmocka_unit_test(test_long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
