#include "extract/fragment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* A text as a source of lines. */
static struct grammar_source *read_source(const char *text, GString *mistakes)
{
    char *path;
    int fd = g_file_open_tmp("benchlore-XXXXXX", &path, NULL);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    struct grammar_source *source = grammar_source_read(path, mistakes);
    unlink(path);
    g_free(path);
    return source;
}

static struct fragments *some_fragments(const struct fragments *parent)
{
    struct fragments *fragments = fragments_new(parent);
    struct source_place place = {1, 1};
    assert_true(fragments_define(fragments, "word", "\\w+", NULL, place));
    assert_true(fragments_define(fragments, "pair", "{word},{word}", NULL, place));
    assert_true(fragments_define(fragments, "spaced", "a b", NULL, place));
    return fragments;
}

/* What line expands to, or its sketch; NULL if that is a mistake. To be freed. */
static char *expand_either(struct fragments *fragments, const char *line, bool wants_sketch)
{
    GString *mistakes = g_string_new(NULL);
    struct expanded expanded;
    struct grammar_source *source = read_source(line, mistakes);
    const struct source_line *first = grammar_source_line(source, 0);
    bool good = fragments_expand(fragments, source, first, 0, &expanded);
    for (size_t i = 0; i < expanded.sketch->len; i++)
        assert_true(expanded_offset(&expanded, i) < first->text->len);
    assert_int_equal(grammar_source_mistake_count(source) > 0, !good);
    char *text = good ? g_strdup(wants_sketch ? expanded.sketch->str : expanded.pattern->str) : NULL;
    grammar_source_free(source);
    g_string_free(mistakes, TRUE);
    expanded_clear(&expanded);
    return text;
}

static char *expand(struct fragments *fragments, const char *line)
{
    return expand_either(fragments, line, false);
}

static void assert_expands(const char *line, const char *expected)
{
    struct fragments *fragments = some_fragments(NULL);
    char *pattern = expand(fragments, line);
    assert_non_null(pattern);
    assert_string_equal(pattern, expected);
    g_free(pattern);
    fragments_free(fragments);
}

static void assert_same(const char *line)
{
    assert_expands(line, line);
}

/* Does the pattern that line means match all of subject? */
static bool matches(const char *line, const char *subject)
{
    struct fragments *fragments = some_fragments(NULL);
    char *source = expand(fragments, line), *error = NULL;
    size_t offset, start, end;
    struct pattern *pattern = pattern_new(view_of(source), view_of(source), &offset, &error);
    assert_non_null(pattern);
    struct matcher *matcher = matcher_new();
    bool all = matcher_match(matcher, pattern, view_of(subject), 0) == PATTERN_MATCH &&
               matcher_group(matcher, 0, &start, &end) && end == strlen(subject);
    matcher_free(matcher);
    pattern_free(pattern);
    g_free(source);
    fragments_free(fragments);
    return all;
}

/* ---- the forms ---- */

static void test_blank(void **state)
{
    (void)state;
    static const char *const white[] = {"a b", "a    b", "a\nb", "a \n  b", "a\n b"};
    for (unsigned i = 0; i < G_N_ELEMENTS(white); i++) {
        assert_true(matches("a b", white[i]));
        assert_true(matches("a    b", white[i]));
        assert_true(matches("a ?b", white[i]));
        assert_true(matches("{spaced}", white[i]));
    }
    /* No blank, an empty line, another line between. */
    assert_false(matches("a b", "ab"));
    assert_false(matches("a b", "a\n\nb"));
    assert_false(matches("a b", "a\n \nb"));
    assert_false(matches("a b", "a\nx\nb"));
    assert_true(matches("a ?b", "ab"));
    /* One is not enough for two. */
    assert_false(matches("a[ ] b", "a b"));
    assert_true(matches("a[ ] b", "a  b"));
}

static void test_blank_itself(void **state)
{
    (void)state;
    assert_same("a[ ]b");
    assert_same("a[^ \\]]b");
    assert_same("[]  ]");
    assert_same("[^]  ]");
    assert_same("[[:alpha:] ]");
    assert_same("[a\\]  ]");
    assert_same("a\\ b");
    assert_true(matches("a[ ]b", "a b"));
    assert_false(matches("a[ ]b", "a\nb"));
    assert_true(matches("a\\ b", "a b"));
}

static void test_fragments(void **state)
{
    (void)state;
    assert_expands("{word}", "(?:\\w+)");
    assert_expands("{word}*x", "(?:\\w+)*x");
    assert_expands("<mean:word>", "(?<mean>\\w+)");
    assert_expands("<word>", "(?<word>\\w+)");
    assert_expands("{pair}", "(?:(?:\\w+),(?:\\w+))");
    assert_expands("<a:word>-<b:pair>", "(?<a>\\w+)-(?<b>(?:\\w+),(?:\\w+))");
    assert_expands("(?:{word}|x)", "(?:(?:\\w+)|x)");
}

/* What looks like ours but is PCRE2's, or nobody's. */
static void test_others(void **state)
{
    (void)state;
    static const char *const same[] = {
        "a{2}",      "a{2,3}",     "a{,3}",       "{",         "}",         "{}",        "{a",        "{a-b}",
        "<",         ">",          "<>",          "<a",        "<a:b",      "<a-b>",     "<1>",       "(?<=a)b",
        "(?<!a)b",   "(?<name>x)", "(?P<name>x)", "\\k<name>", "\\g{name}", "\\g<name>", "\\k{name}", "\\x{word}",
        "\\p{word}", "\\P{word}",  "\\N{U+41}",   "\\<word>",  "\\{word}",  "[<word>]",  "[{word}]",  "[^<word>]",
        "\\\\",      "(?'name'x)", "[a",          "[",         "(?<name",   "\\x{41",    "\\<a:.>",
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(same); i++)
        assert_same(same[i]);
    assert_true(matches("\\{word}", "{word}"));
    assert_true(matches("<1>", "<1>"));
    assert_true(matches("a{2}", "aa"));
}

/* ---- sets ---- */

static void assert_sketch(struct fragments *fragments, const char *line, const char *expected)
{
    char *sketch = expand_either(fragments, line, true);
    assert_string_equal(sketch, expected);
    g_free(sketch);
}

static void test_sketch(void **state)
{
    (void)state;
    struct fragments *fragments = some_fragments(NULL);
    struct source_place place = {1, 1};
    assert_true(fragments_define(fragments, "place", "Oslo|Narvik|Rena", "Narvik|Oslo", place));
    assert_true(fragments_define(fragments, "trip", "{place} to {place}", NULL, place));
    assert_sketch(fragments, "(?:a|b)", "(?:a|b)");
    assert_sketch(fragments, "a  <word>", "a(?:[ ]++)(?<word>\\w+)");
    assert_sketch(fragments, "<place>", "(?<place>Narvik|Oslo)");
    assert_sketch(fragments, "{trip}", "(?:(?:Narvik|Oslo)(?:[ ]++)to(?:[ ]++)(?:Narvik|Oslo))");
    char *pattern = expand(fragments, "<place>");
    assert_string_equal(pattern, "(?<place>Oslo|Narvik|Rena)");
    g_free(pattern);
    fragments_free(fragments);
}

/* Where in the line each byte of a sketch comes from. */
static void test_places(void **state)
{
    (void)state;
    static const char line[] = "ab <x:word>c{pair}";
    static const size_t offsets[] = {
        0,  1,  2,  2,  2,  2,  2, 2, 2, 2,  2, /* ab(?:[ ]++) */
        3,  3,  3,  4,  3,  6,  6, 6, 3, 11,    /* (?<x>\w+)c */
        12, 12, 12, 13, 13, 13,                 /* (?:(?: */
    };
    struct fragments *fragments = some_fragments(NULL);
    GString *mistakes = g_string_new(NULL);
    struct grammar_source *source = read_source(line, mistakes);
    struct expanded expanded;
    assert_true(fragments_expand(fragments, source, grammar_source_line(source, 0), 0, &expanded));
    assert_string_equal(expanded.sketch->str, "ab(?:[ ]++)(?<x>\\w+)c(?:(?:\\w+),(?:\\w+))");
    for (size_t i = 0; i < G_N_ELEMENTS(offsets); i++)
        assert_int_equal(expanded_offset(&expanded, i), offsets[i]);
    expanded_clear(&expanded);
    grammar_source_free(source);
    g_string_free(mistakes, TRUE);
    fragments_free(fragments);
}

static void test_parent(void **state)
{
    (void)state;
    struct fragments *parent = some_fragments(NULL), *child = fragments_new(parent);
    struct source_place place = {1, 1};
    char *pattern = expand(child, "{word}");
    assert_string_equal(pattern, "(?:\\w+)");
    g_free(pattern);
    assert_true(fragments_define(child, "word", "\\S+", NULL, place));
    assert_false(fragments_define(child, "word", "\\d+", NULL, place));
    pattern = expand(child, "{word}");
    assert_string_equal(pattern, "(?:\\S+)");
    g_free(pattern);
    fragments_free(child);
    fragments_free(parent);
    fragments_free(NULL);
}

static void test_unused(void **state)
{
    (void)state;
    struct fragments *fragments = fragments_new(NULL);
    static const char *const names[] = {"first", "second", "third", "fourth"};
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        struct source_place at = {i / 2 + 1, i + 1};
        assert_true(fragments_define(fragments, names[i], i == 3 ? "{second}" : "x", NULL, at));
    }
    g_free(expand(fragments, "{fourth}"));
    struct source_place place = {0, 0};
    assert_string_equal(fragments_unused(fragments, &place), "first");
    assert_int_equal(place.line, 1);
    assert_int_equal(place.column, 1);
    /* second is used by fourth. */
    assert_string_equal(fragments_unused(fragments, &place), "third");
    assert_int_equal(place.line, 2);
    assert_int_equal(place.column, 3);
    assert_null(fragments_unused(fragments, &place));
    fragments_free(fragments);
}

static void assert_no_pattern(struct fragments *fragments, const char *line)
{
    assert_null(expand(fragments, line));
}

static void test_mistakes(void **state)
{
    (void)state;
    struct fragments *fragments = some_fragments(NULL);
    struct source_place place = {1, 1};
    assert_no_pattern(fragments, "{wrod}");
    assert_no_pattern(fragments, "<word:wrod>");
    assert_no_pattern(fragments, "<wrod>");
    assert_true(fragments_define(fragments, "self", "x{self}", NULL, place));
    assert_no_pattern(fragments, "{self}");
    assert_true(fragments_define(fragments, "ping", "{pong}", NULL, place));
    assert_true(fragments_define(fragments, "pong", "{ping}", NULL, place));
    assert_no_pattern(fragments, "{ping}");
    /* 20 deep, and one more. */
    for (int i = 0; i <= 20; i++) {
        char *name = g_strdup_printf("level%d", i),
             *text = i == 0 ? g_strdup("x") : g_strdup_printf("{level%d}", i - 1);
        assert_true(fragments_define(fragments, name, text, NULL, place));
        g_free(name);
        g_free(text);
    }
    g_free(expand(fragments, "{level19}"));
    assert_no_pattern(fragments, "{level20}");
    /* Ten of ten of ten: 100000 times ten letters. */
    assert_true(fragments_define(fragments, "big0", "abcdefghij", NULL, place));
    for (int i = 1; i <= 5; i++) {
        char *name = g_strdup_printf("big%d", i);
        GString *text = g_string_new(NULL);
        for (int n = 0; n < 10; n++)
            g_string_append_printf(text, "{big%d}", i - 1);
        assert_true(fragments_define(fragments, name, text->str, NULL, place));
        g_string_free(text, TRUE);
        g_free(name);
    }
    g_free(expand(fragments, "{big3}"));
    assert_no_pattern(fragments, "{big5}");
    fragments_free(fragments);
}

/* ---- a file of fragments ---- */

static char *read_mistakes(const char *text)
{
    GString *mistakes = g_string_new(NULL);
    char *path;
    int fd = g_file_open_tmp("benchlore-XXXXXX", &path, NULL);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    struct fragments *fragments = fragments_new(NULL);
    bool good = fragments_read(fragments, path, mistakes);
    assert_int_equal(good, mistakes->len == 0);
    unlink(path);
    char **pieces = g_strsplit(mistakes->str, path, -1);
    char *plain = g_strjoinv("FILE", pieces);
    g_strfreev(pieces);
    g_string_free(mistakes, TRUE);
    fragments_free(fragments);
    g_free(path);
    return plain;
}

static void assert_mistakes(const char *text, const char *expected)
{
    char *mistakes = read_mistakes(text);
    assert_string_equal(mistakes, expected);
    g_free(mistakes);
}

static void test_file(void **state)
{
    (void)state;
    assert_mistakes("# Figures.\n\nfragment size {number}B?\n  fragment number \\d+\n", "");
    assert_mistakes(
        "fragment number [0-9\nnumber \\d+\nfragment number \\d+\nfragment x-y z\nfragment rate {nubmer}/s\n",
        "FILE:1:21: missing terminating ] for character class\n"
        "    fragment number [0-9\n"
        "                        ^\n"
        "FILE:2:1: a line here reads: fragment NAME PATTERN\n"
        "    number \\d+\n"
        "    ^\n"
        "FILE:3:10: fragment \"number\" is defined twice\n"
        "    fragment number \\d+\n"
        "             ^\n"
        "FILE:4:1: a line here reads: fragment NAME PATTERN\n"
        "    fragment x-y z\n"
        "    ^\n"
        "FILE:5:16: no fragment is called \"nubmer\"\n"
        "    fragment rate {nubmer}/s\n"
        "                   ^\n");
    GString *mistakes = g_string_new(NULL);
    struct fragments *fragments = fragments_new(NULL);
    assert_false(fragments_read(fragments, "tests/no-such-file.fragments", mistakes));
    assert_true(mistakes->len > 0);
    fragments_free(fragments);
    g_string_free(mistakes, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blank),  cmocka_unit_test(test_blank_itself), cmocka_unit_test(test_fragments),
        cmocka_unit_test(test_others), cmocka_unit_test(test_sketch),       cmocka_unit_test(test_places),
        cmocka_unit_test(test_parent), cmocka_unit_test(test_unused),       cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_file),
    };
    return cmocka_run_group_tests_name("fragment", tests, NULL, NULL);
}
