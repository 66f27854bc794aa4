/* The examples of grammars/README.md, run. A fenced block there that is marked
 *
 *   grammar NAME   is a grammar; where it has no `grammar` line, that line and
 *                  `literals` are put before it
 *   text NAME      is a text that grammar NAME is run over
 *   csv NAME       are the rows that come out, in the columns shown
 *   mistakes NAME  is what is said of grammar NAME, which then has no text
 *   file NAME      is a file beside all grammars
 *
 * Texts and rows of one name belong together in their order. */
#include "extract/grammar_line.h"
#include "extract/grammar_load.h"
#include "extract/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const char MANUAL[] = "grammars/README.md";
static const char COMMON[] = "grammars/common.fragments";
static const char FOLDER[] = "grammars";

struct example {
    char *name, *grammar, *mistakes;
    GPtrArray *texts, *csvs; /* of char * */
    const char *folder;      /* where the files are */
};

struct manual {
    GPtrArray *examples; /* of struct example */
    char *folder;        /* of files, made for this run */
    GPtrArray *files;    /* paths in it */
};

/* ---- reading the manual ---- */

static void example_free(gpointer data)
{
    struct example *example = data;
    g_free(example->name);
    g_free(example->grammar);
    g_free(example->mistakes);
    g_ptr_array_unref(example->texts);
    g_ptr_array_unref(example->csvs);
    g_free(example);
}

static struct example *find_example(struct manual *manual, const char *name)
{
    for (guint i = 0; i < manual->examples->len; i++) {
        struct example *example = g_ptr_array_index(manual->examples, i);
        if (strcmp(example->name, name) == 0)
            return example;
    }
    struct example *example = g_new0(struct example, 1);
    example->name = g_strdup(name);
    example->texts = g_ptr_array_new_with_free_func(g_free);
    example->csvs = g_ptr_array_new_with_free_func(g_free);
    example->folder = manual->folder;
    g_ptr_array_add(manual->examples, example);
    return example;
}

static void add_file(struct manual *manual, const char *name, const char *text)
{
    char *path = g_build_filename(manual->folder, name, NULL);
    if (!g_file_set_contents(path, text, -1, NULL))
        fprintf(stderr, "%s can't be written\n", path);
    g_ptr_array_add(manual->files, path);
}

/* False if a block of this kind and name has no place. */
static bool add_block(struct manual *manual, const char *kind, const char *name, const char *text)
{
    if (strcmp(kind, "file") == 0) {
        add_file(manual, name, text);
        return true;
    }
    struct example *example = find_example(manual, name);
    char **single = strcmp(kind, "grammar") == 0    ? &example->grammar
                    : strcmp(kind, "mistakes") == 0 ? &example->mistakes
                                                    : NULL;
    if (single) {
        bool first = !*single;
        if (first)
            *single = g_strdup(text);
        return first;
    }
    GPtrArray *list = strcmp(kind, "text") == 0 ? example->texts : strcmp(kind, "csv") == 0 ? example->csvs : NULL;
    if (list)
        g_ptr_array_add(list, g_strdup(text));
    return list != NULL;
}

/* Read all fenced blocks with a kind and a name; false if any is odd. */
static bool read_manual(struct manual *manual)
{
    char *text = NULL;
    bool good = g_file_get_contents(MANUAL, &text, NULL, NULL);
    char **lines = g_strsplit(good ? text : "", "\n", -1);
    for (guint i = 0; lines[i]; i++) {
        if (!g_str_has_prefix(lines[i], "```"))
            continue;
        char **words = g_strsplit(lines[i] + 3, " ", 2);
        GString *block = g_string_new(NULL);
        for (i++; lines[i] && strcmp(lines[i], "```") != 0; i++)
            g_string_append_printf(block, "%s\n", lines[i]);
        bool is_closed = lines[i] != NULL;
        bool is_placed = !words[0] || !words[1] || add_block(manual, words[0], words[1], block->str);
        if (!is_closed || !is_placed)
            fprintf(stderr, "%s:%u: this block has no place\n", MANUAL, i + 1);
        good = good && is_closed && is_placed;
        g_string_free(block, TRUE);
        g_strfreev(words);
        if (!is_closed)
            break;
    }
    g_strfreev(lines);
    g_free(text);
    return good;
}

/* ---- running an example ---- */

/* The grammar as a file that can be loaded. */
static char *write_grammar(const struct example *example)
{
    char *path = g_strdup_printf("%s/%s.grammar", example->folder, example->name);
    GString *text = g_string_new(NULL);
    bool has_name = g_regex_match_simple("^grammar\\s", example->grammar, G_REGEX_MULTILINE, 0);
    if (!has_name && example->texts->len > 0) {
        const char *first = g_ptr_array_index(example->texts, 0);
        char **words = g_strsplit_set(first + strspn(first, " \n"), " \n", 2);
        g_string_append_printf(text, "grammar example\nliterals %s\n", words[0]);
        g_strfreev(words);
    }
    g_string_append(text, example->grammar);
    if (!g_file_set_contents(path, text->str, -1, NULL))
        fail_msg("%s can't be written", path);
    g_string_free(text, TRUE);
    return path;
}

static struct grammar *load(const char *path, GString *mistakes)
{
    struct fragments *common = fragments_new(NULL);
    struct grammar *grammar = fragments_read(common, COMMON, mistakes) ? grammar_load(path, common, mistakes) : NULL;
    fragments_free(common);
    return grammar;
}

static void check_mistakes(const struct example *example, const GString *mistakes)
{
    char *prefix = g_strconcat(example->folder, "/", NULL);
    char **pieces = g_strsplit(mistakes->str, prefix, -1);
    char *plain = g_strjoinv("", pieces);
    assert_string_equal(plain, example->mistakes ? example->mistakes : "");
    g_free(plain);
    g_strfreev(pieces);
    g_free(prefix);
}

static void check_rows(const struct example *example, struct grammar *grammar, guint index)
{
    GPtrArray *grammars = g_ptr_array_new();
    GString *difference = g_string_new(NULL);
    g_ptr_array_add(grammars, grammar);
    struct rows *expected = rows_read(g_ptr_array_index(example->csvs, index), NULL);
    struct rows_run run = {0};
    struct rows *found = rows_extract(grammars, view_of(g_ptr_array_index(example->texts, index)), &run);
    assert_non_null(expected);
    assert_non_null(found);
    if (!rows_compare(expected, "csv", found, "text", difference))
        fail_msg("example %s:\n%s", example->name, difference->str);
    rows_free(expected);
    rows_free(found);
    g_string_free(difference, TRUE);
    g_ptr_array_unref(grammars);
}

static void test_example(void **state)
{
    const struct example *example = *state;
    assert_non_null(example->grammar);
    assert_int_equal(example->texts->len, example->csvs->len);
    assert_int_equal(example->texts->len == 0, example->mistakes != NULL);
    GString *mistakes = g_string_new(NULL);
    char *path = write_grammar(example);
    struct grammar *grammar = load(path, mistakes);
    unlink(path);
    check_mistakes(example, mistakes);
    for (guint i = 0; i < example->texts->len; i++)
        check_rows(example, grammar, i);
    grammar_free(grammar);
    g_string_free(mistakes, TRUE);
    g_free(path);
}

/* ---- is all of the language in the manual? ---- */

/* The words that lines of a grammar file begin with. */
static void add_keywords(GHashTable *words, const char *path)
{
    GString *mistakes = g_string_new(NULL);
    struct grammar_source *source = grammar_source_read(path, mistakes);
    for (size_t i = 0; source && i < grammar_source_count(source); i++) {
        struct line_reader reader = {.line = grammar_source_line(source, i)};
        struct token token;
        if (line_reader_next(&reader, &token))
            g_hash_table_add(words, token.text);
    }
    grammar_source_free(source);
    g_string_free(mistakes, TRUE);
}

/* What the grammars use, the examples show. */
static void test_keywords(void **state)
{
    struct manual *manual = *state;
    GHashTable *used = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GHashTable *shown = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GDir *dir = g_dir_open(FOLDER, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        char *path = g_build_filename(FOLDER, name, NULL);
        if (g_str_has_suffix(name, ".grammar"))
            add_keywords(used, path);
        g_free(path);
    }
    if (dir)
        g_dir_close(dir);
    for (guint i = 0; i < manual->examples->len; i++) {
        const struct example *example = g_ptr_array_index(manual->examples, i);
        char *path = example->mistakes ? NULL : write_grammar(example);
        if (path) {
            add_keywords(shown, path);
            unlink(path);
        }
        g_free(path);
    }
    GHashTableIter iter;
    gpointer word;
    g_hash_table_iter_init(&iter, used);
    assert_true(g_hash_table_size(used) > 10);
    while (g_hash_table_iter_next(&iter, &word, NULL))
        if (!g_hash_table_contains(shown, word))
            fail_msg("no example in %s has the keyword %s", MANUAL, (const char *)word);
    g_hash_table_unref(used);
    g_hash_table_unref(shown);
}

/* The shared fragments are listed. */
static void test_fragments(void **state)
{
    (void)state;
    char *manual = NULL;
    GString *mistakes = g_string_new(NULL);
    assert_true(g_file_get_contents(MANUAL, &manual, NULL, NULL));
    struct grammar_source *source = grammar_source_read(COMMON, mistakes);
    assert_non_null(source);
    for (size_t i = 0; i < grammar_source_count(source); i++) {
        struct line_reader reader = {.line = grammar_source_line(source, i)};
        struct token token;
        line_reader_skip(&reader);
        assert_true(line_reader_next(&reader, &token));
        char *listed = g_strdup_printf("| `%s` |", token.text);
        if (!strstr(manual, listed))
            fail_msg("%s doesn't list the fragment %s", MANUAL, token.text);
        g_free(listed);
        token_clear(&token);
    }
    grammar_source_free(source);
    g_string_free(mistakes, TRUE);
    g_free(manual);
}

int main(void)
{
    struct manual manual = {.examples = g_ptr_array_new_with_free_func(example_free),
                            .folder = g_dir_make_tmp("benchlore-XXXXXX", NULL),
                            .files = g_ptr_array_new_with_free_func(g_free)};
    if (!manual.folder)
        return 1;
    int failed = !read_manual(&manual);
    guint count = manual.examples->len + 2;
    struct CMUnitTest *tests = g_new0(struct CMUnitTest, count);
    for (guint i = 0; i < manual.examples->len; i++) {
        struct example *example = g_ptr_array_index(manual.examples, i);
        tests[i] = (struct CMUnitTest){.name = example->name, .test_func = test_example, .initial_state = example};
    }
    tests[count - 2] =
        (struct CMUnitTest){.name = "test_keywords", .test_func = test_keywords, .initial_state = &manual};
    tests[count - 1] = (struct CMUnitTest){.name = "test_fragments", .test_func = test_fragments};
    failed |= _cmocka_run_group_tests("manual", tests, count, NULL, NULL);
    for (guint i = 0; i < manual.files->len; i++)
        unlink(g_ptr_array_index(manual.files, i));
    rmdir(manual.folder);
    g_ptr_array_unref(manual.files);
    g_ptr_array_unref(manual.examples);
    g_free(manual.folder);
    g_free(tests);
    return failed;
}
