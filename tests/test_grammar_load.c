/* Every grammar in tests/bad-grammars holds one kind of mistake (several.grammar
 * many). NAME.expected lists what must be reported of NAME.grammar, in this
 * order and nothing else, as `line:column: message`. */
#include "extract/grammar_load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const char FOLDER[] = "tests/bad-grammars";
static const char SUFFIX[] = ".grammar";
static const char COMMON[] = "grammars/common.fragments";

static struct fragments *read_common(void)
{
    GString *mistakes = g_string_new(NULL);
    struct fragments *common = fragments_new(NULL);
    if (!fragments_read(common, COMMON, mistakes))
        fail_msg("%s", mistakes->str);
    g_string_free(mistakes, TRUE);
    return common;
}

static char *read_text(const char *path)
{
    char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        fail_msg("%s can't be read", path);
    return text;
}

/* Load a file; the mistakes (to be freed). A file without any gives a grammar,
 * and one with any gives none. */
static char *mistakes_of(const char *path)
{
    struct fragments *common = read_common();
    GString *mistakes = g_string_new(NULL);
    struct grammar *grammar = grammar_load(path, common, mistakes);
    assert_int_equal(grammar == NULL, mistakes->len > 0);
    grammar_free(grammar);
    fragments_free(common);
    return g_string_free(mistakes, FALSE);
}

/* The same for a text. */
static char *mistakes_of_text(const char *text, size_t length)
{
    char *path;
    int fd = g_file_open_tmp("benchlore-XXXXXX", &path, NULL);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, length), (ssize_t)length);
    close(fd);
    char *mistakes = mistakes_of(path);
    unlink(path);
    /* The name of the file is no part of what is compared. */
    char **pieces = g_strsplit(mistakes, path, -1);
    char *plain = g_strjoinv("FILE", pieces);
    g_strfreev(pieces);
    g_free(mistakes);
    g_free(path);
    return plain;
}

static void assert_mistakes(const char *text, const char *expected)
{
    char *mistakes = mistakes_of_text(text, strlen(text));
    assert_string_equal(mistakes, expected);
    g_free(mistakes);
}

/* ---- the files ---- */

static size_t characters(const char *text, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* Under a mistake at line:column stand that line of the file and a caret, as
 * many characters from its start as the place is, under tabs a tab. */
static void check_caret(char **file_lines, const char *shown, const char *caret, unsigned line, unsigned column)
{
    assert_true(line >= 1 && line <= g_strv_length(file_lines));
    const char *text = file_lines[line - 1];
    assert_true(g_str_has_prefix(shown, "    "));
    assert_string_equal(shown + 4, text);
    assert_true(column - 1 <= strlen(text));
    assert_true(g_str_has_prefix(caret, "    "));
    size_t length = strlen(caret + 4);
    assert_int_equal(length, characters(text, column - 1) + 1);
    assert_int_equal(caret[4 + length - 1], '^');
    size_t at = 0;
    for (size_t i = 0; i + 1 < length; i++) {
        assert_int_equal(caret[4 + i] == '\t', text[at] == '\t');
        for (at++; ((unsigned char)text[at] & 0xc0) == 0x80; at++)
            continue;
    }
}

static void test_bad_grammar(void **state)
{
    const char *path = *state;
    char *stem = g_strndup(path, strlen(path) - strlen(SUFFIX));
    char *expected_path = g_strconcat(stem, ".expected", NULL);
    char *text = read_text(path), *expected = read_text(expected_path), *mistakes = mistakes_of(path);
    char **file_lines = g_strsplit(text, "\n", -1), **lines = g_strsplit(mistakes, "\n", -1);
    GString *found = g_string_new(NULL);
    size_t prefix = strlen(path) + 1;
    assert_true(*mistakes);
    for (guint i = 0; lines[i] && *lines[i]; i += 3) {
        unsigned line, column;
        assert_true(strncmp(lines[i], path, strlen(path)) == 0 && lines[i][prefix - 1] == ':');
        assert_int_equal(sscanf(lines[i] + prefix, "%u:%u: ", &line, &column), 2);
        assert_non_null(lines[i + 1]);
        assert_non_null(lines[i + 2]);
        check_caret(file_lines, lines[i + 1], lines[i + 2], line, column);
        g_string_append_printf(found, "%s\n", lines[i] + prefix);
    }
    assert_string_equal(found->str, expected);
    g_string_free(found, TRUE);
    g_strfreev(file_lines);
    g_strfreev(lines);
    g_free(text);
    g_free(expected);
    g_free(mistakes);
    g_free(expected_path);
    g_free(stem);
}

/* ---- what is no mistake ---- */

static void test_good(void **state)
{
    (void)state;
    assert_mistakes("grammar tool\nliterals rate\nblock result\n  begin rate <value:number>\n    row rate = <value>\n",
                    "");
    /* CRLF, indentation by tabs, comments, empty lines, no line break at the end. */
    assert_mistakes("# one\r\n\r\ngrammar\ttool\r\nliterals rate\r\n\r\nblock result\r\n\tbegin rate <value:number>\r\n"
                    "\t\t# two\r\n\t\trow rate = <value>",
                    "");
}

/* Definitions may stand in any order, behind rules too. */
static void test_order(void **state)
{
    (void)state;
    assert_mistakes("version tool <tool_version:version>\nskip {noise}\nfragment noise {mark}+\nfragment mark \\*\n"
                    "units old KB = 1024 B\nliterals rate\ngrammar tool\n"
                    "block result\n  begin rate <value:size>\n    units old\n    row rate = <value>\n",
                    "");
}

/* One pattern twice, but each is reached: in another block, in another form,
 * or because the first holds only near other results. */
static void test_reached(void **state)
{
    (void)state;
    assert_mistakes("grammar tool\nliterals rate\n"
                    "block one\n  begin one\n  line rate <value:number>\n    row rate = <value>\n"
                    "block two\n  begin two\n  line rate <value:number>\n    row rate = <value>\n"
                    "block three\n  begin three\n    lined\n  begin three\n    flat\n"
                    "block four\n  begin four\n    near\n  begin four\n"
                    "block five\n  line five\n  begin five\n",
                    "");
}

/* ---- the message itself ---- */

static void test_message(void **state)
{
    (void)state;
    assert_mistakes("grammar tool\nliterals rate\nblock result\n  begin rate <value:nubmer>\n    row rate = <value>\n",
                    "FILE:4:21: no fragment is called \"nubmer\"\n"
                    "      begin rate <value:nubmer>\n"
                    "                        ^\n");
}

static void test_unreadable(void **state)
{
    (void)state;
    char *mistakes = mistakes_of("tests/bad-grammars/no-such-file.grammar");
    assert_true(g_str_has_prefix(mistakes, "tests/bad-grammars/no-such-file.grammar: "));
    g_free(mistakes);
    static const char latin1[] = "grammar tool\n# d\xe9"
                                 "bit\n";
    mistakes = mistakes_of_text(latin1, sizeof latin1 - 1);
    assert_string_equal(mistakes, "FILE: not valid UTF-8 text\n");
    g_free(mistakes);
    static const char nul[] = "grammar tool\0\n";
    mistakes = mistakes_of_text(nul, sizeof nul - 1);
    assert_string_equal(mistakes, "FILE: not valid UTF-8 text\n");
    g_free(mistakes);
    size_t length = 5 << 20;
    char *large = g_malloc(length);
    memset(large, '\n', length);
    mistakes = mistakes_of_text(large, length);
    assert_string_equal(mistakes, "FILE: too large for a grammar\n");
    g_free(mistakes);
    g_free(large);
}

/* No file, however odd, does worse than being refused. */
static void test_odd(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "\n",
        "\\",
        "\\\n",
        "grammar",
        "grammar \\",
        "\"",
        "row",
        "row \"",
        "literals ((((((((((((((((((((((((((((((",
        "literals ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( a",
        "block a\n begin <",
        "block a\n begin <a",
        "block a\n begin <a:>",
        "block a\n begin {}",
        "block a\n begin {",
        "block a\n begin (?<",
        "block a\n begin [",
        "block a\n begin \\",
        "block a\n begin a\n row <",
        "block a\n begin a\n row <>",
        "block a\n begin a\n row <|>",
        "block a\n table\n cell a",
        "block a\n table\n label\n cell\n",
        "fragment",
        "fragment a {a}{a}{a}{a}",
        "words a from",
        "words a from .",
        "map",
        "unit",
        "units",
        "units a",
        "carry",
        "keep",
        "list",
        "list a",
        "better",
        "version",
        "skip",
        "block",
        "block a\n each",
        "block a\n check",
        "fragment a {b}{b}{b}{b}{b}{b}{b}{b}{b}{b}\nfragment b {c}{c}{c}{c}{c}{c}{c}{c}{c}{c}\n"
        "fragment c {d}{d}{d}{d}{d}{d}{d}{d}{d}{d}\nfragment d {e}{e}{e}{e}{e}{e}{e}{e}{e}{e}\n"
        "fragment e {f}{f}{f}{f}{f}{f}{f}{f}{f}{f}\nfragment f xxxxxxxxxx\nblock a\n begin {a}",
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
        char *mistakes = mistakes_of_text(texts[i], strlen(texts[i]));
        assert_true(*mistakes);
        g_free(mistakes);
    }
}

static int compare_paths(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int main(void)
{
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(FOLDER, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir)))
        if (g_str_has_suffix(name, SUFFIX))
            g_ptr_array_add(paths, g_build_filename(FOLDER, name, NULL));
    if (dir)
        g_dir_close(dir);
    g_ptr_array_sort(paths, compare_paths);
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_good),    cmocka_unit_test(test_order),      cmocka_unit_test(test_reached),
        cmocka_unit_test(test_message), cmocka_unit_test(test_unreadable), cmocka_unit_test(test_odd),
    };
    guint count = paths->len + G_N_ELEMENTS(others);
    struct CMUnitTest *tests = g_new0(struct CMUnitTest, count);
    for (guint i = 0; i < paths->len; i++) {
        char *path = g_ptr_array_index(paths, i);
        tests[i] = (struct CMUnitTest){.name = path, .test_func = test_bad_grammar, .initial_state = path};
    }
    memcpy(tests + paths->len, others, sizeof others);
    int failed = paths->len == 0;
    failed |= _cmocka_run_group_tests("grammar_load", tests, count, NULL, NULL);
    g_free(tests);
    g_ptr_array_unref(paths);
    return failed;
}
