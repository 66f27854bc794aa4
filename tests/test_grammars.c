/* Every grammar in grammars/ with all samples of all grammars: a sample gives
 * the rows beside it, found by that grammar and no other, and every rule of a
 * grammar takes some text of a sample. */
#include "extract/grammar_set.h"
#include "extract/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const char GRAMMARS[] = "grammars";
static const char SAMPLES[] = "grammars/samples";
static const char TEXT_SUFFIX[] = ".txt";

struct sample {
    const GPtrArray *grammars;
    char *path;        /* of the text */
    char *tool;        /* its folder's name */
    GHashTable *rules; /* where the rules that take some of it are noted */
};

static char *read_file(const char *path)
{
    char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        fail_msg("%s can't be read", path);
    return text;
}

/* ---- a sample and its rows ---- */

static void test_sample(void **state)
{
    const struct sample *sample = *state;
    char *stem = g_strndup(sample->path, strlen(sample->path) - strlen(TEXT_SUFFIX));
    char *csv_path = g_strconcat(stem, ".csv", NULL);
    char *text = read_file(sample->path), *csv = read_file(csv_path);
    struct rows_run run = {.rules = sample->rules, .log = stderr};
    GString *difference = g_string_new(NULL);
    struct rows *expected = rows_read(csv, NULL);
    struct rows *found = rows_extract(sample->grammars, view_of(text), &run);
    assert_non_null(expected);
    assert_non_null(found);
    if (!rows_compare(expected, "csv", found, "txt", difference))
        fail_msg("%s\n%s", sample->path, difference->str);
    /* Nothing in a sample is beyond its grammar. */
    assert_int_equal(run.counts.unknown_lines, 0);
    assert_int_equal(run.counts.mismatched, 0);
    rows_free(expected);
    rows_free(found);
    g_string_free(difference, TRUE);
    g_free(text);
    g_free(csv);
    g_free(csv_path);
    g_free(stem);
}

/* ---- a grammar and its samples ---- */

struct coverage {
    const struct grammar *grammar;
    GHashTable *rules; /* that took some text of a sample */
};

static void list_idle(const struct coverage *coverage, const GPtrArray *rules, GString *lines)
{
    for (guint i = 0; i < rules->len; i++) {
        const struct rule *rule = g_ptr_array_index(rules, i);
        if (!g_hash_table_contains(coverage->rules, rule))
            g_string_append_printf(lines, "\n%s:%u", coverage->grammar->file, rule->line);
        list_idle(coverage, rule->each, lines);
    }
}

/* Runs after all samples. */
static void test_rules_have_samples(void **state)
{
    const struct coverage *coverage = *state;
    GString *lines = g_string_new(NULL);
    list_idle(coverage, coverage->grammar->rules, lines);
    for (guint b = 0; b < coverage->grammar->blocks->len; b++) {
        const struct block *block = g_ptr_array_index(coverage->grammar->blocks, b);
        list_idle(coverage, block->rules, lines);
    }
    if (lines->len > 0)
        fail_msg("rules that take nothing of any sample:%s", lines->str);
    g_string_free(lines, TRUE);
}

/* ---- all of them ---- */

static void free_sample(gpointer data)
{
    struct sample *sample = data;
    g_free(sample->path);
    g_free(sample->tool);
    g_free(sample);
}

static int compare_samples(gconstpointer a, gconstpointer b)
{
    return strcmp((*(struct sample *const *)a)->path, (*(struct sample *const *)b)->path);
}

static void find_samples(GPtrArray *samples, const GPtrArray *grammars, GHashTable *rules, const char *tool)
{
    char *folder = g_build_filename(SAMPLES, tool, NULL);
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        if (!g_str_has_suffix(name, TEXT_SUFFIX))
            continue;
        struct sample *sample = g_new0(struct sample, 1);
        sample->grammars = grammars;
        sample->rules = rules;
        sample->path = g_build_filename(folder, name, NULL);
        sample->tool = g_strdup(tool);
        g_ptr_array_add(samples, sample);
    }
    if (dir)
        g_dir_close(dir);
    g_free(folder);
}

int main(void)
{
    /* Grammars that the user has of his own are no part of this. */
    g_setenv("XDG_DATA_HOME", "/nonexistent", TRUE);
    GString *mistakes = g_string_new(NULL);
    GPtrArray *grammars = grammar_set_load(GRAMMARS, NULL, mistakes);
    GPtrArray *samples = g_ptr_array_new_with_free_func(free_sample);
    GHashTable *rules = g_hash_table_new(NULL, NULL);
    struct coverage *coverages = g_new0(struct coverage, grammars->len + 1);
    fputs(mistakes->str, stderr);
    for (guint i = 0; i < grammars->len; i++)
        find_samples(samples, grammars, rules, ((const struct grammar *)g_ptr_array_index(grammars, i))->name);
    g_ptr_array_sort(samples, compare_samples);

    guint count = samples->len + grammars->len;
    struct CMUnitTest *tests = g_new0(struct CMUnitTest, count + 1);
    for (guint i = 0; i < samples->len; i++) {
        struct sample *sample = g_ptr_array_index(samples, i);
        tests[i] = (struct CMUnitTest){.name = sample->path, .test_func = test_sample, .initial_state = sample};
    }
    for (guint i = 0; i < grammars->len; i++) {
        const struct grammar *grammar = g_ptr_array_index(grammars, i);
        coverages[i] = (struct coverage){.grammar = grammar, .rules = rules};
        tests[samples->len + i] = (struct CMUnitTest){
            .name = grammar->file, .test_func = test_rules_have_samples, .initial_state = &coverages[i]};
    }
    int failed = mistakes->len > 0 || grammars->len == 0 ? 1 : 0;
    failed |= _cmocka_run_group_tests("grammars", tests, count, NULL, NULL);

    g_free(coverages);
    g_free(tests);
    g_hash_table_unref(rules);
    g_ptr_array_unref(samples);
    g_ptr_array_unref(grammars);
    g_string_free(mistakes, TRUE);
    return failed;
}
