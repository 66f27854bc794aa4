#include "extract/sample.h"

#include "extract/rows.h"

static const char TEXT_SUFFIX[] = ".txt", ROWS_SUFFIX[] = ".csv";

static char *read_file(const char *path, GString *mistakes)
{
    char *text = NULL;
    GError *error = NULL;
    if (!g_file_get_contents(path, &text, NULL, &error)) {
        g_string_append_printf(mistakes, "%s: %s\n", path, error->message);
        g_error_free(error);
    }
    return text;
}

/* A sample may list what other grammars find in it. */
static void drop_others(struct rows *rows, const char *tool)
{
    for (guint i = rows->lines->len; i-- > 0;) {
        const char *field = rows_field(rows, i, "tool");
        if (*field && strcmp(field, tool) != 0)
            rows_remove(rows, i);
    }
}

/* The rows that must come out; NULL if they can't be read. */
static struct rows *read_expected(const struct grammar *grammar, const char *path, GString *mistakes)
{
    unsigned wrong = 0;
    char *csv = read_file(path, mistakes);
    struct rows *expected = csv ? rows_read(csv, &wrong) : NULL;
    const char *unknown = expected ? rows_unknown_column(expected) : NULL;
    if (csv && !expected)
        g_string_append_printf(mistakes, "%s:%u: the row has not as many fields as the header\n", path, wrong);
    if (unknown) {
        g_string_append_printf(mistakes, "%s:1: the dataset has no column \"%s\"\n", path, unknown);
        rows_free(expected);
        expected = NULL;
    }
    if (expected)
        drop_others(expected, grammar->name);
    g_free(csv);
    return expected;
}

/* Figures that do not fit one another: most often a rule has read them wrongly,
 * or the relation itself is wrong. */
static void append_mismatches(GString *mistakes, const struct rows *found, const char *path)
{
    for (guint i = 0; i < found->lines->len; i++)
        if (strcmp(rows_field(found, i, "check"), "mismatch") == 0)
            g_string_append_printf(mistakes, "%s:%s: mismatch: %s %s\n", path, rows_field(found, i, "line"),
                                   rows_field(found, i, "metric"), rows_field(found, i, "value_text"));
}

static bool has_column(const struct rows *rows, const char *column)
{
    return g_strv_contains((const char *const *)rows->columns, column);
}

static void check_sample(const struct grammar *grammar, const char *path, struct sample_counts *counts,
                         GString *mistakes)
{
    char *stem = g_strndup(path, strlen(path) - strlen(TEXT_SUFFIX));
    char *csv_path = g_strconcat(stem, ROWS_SUFFIX, NULL);
    size_t before = mistakes->len;
    char *text = read_file(path, mistakes);
    struct rows *expected = text ? read_expected(grammar, csv_path, mistakes) : NULL;
    if (expected) {
        GPtrArray *grammars = g_ptr_array_new();
        struct rows_run run = {.log = NULL};
        g_ptr_array_add(grammars, (gpointer)grammar);
        struct rows *found = rows_extract(grammars, view_of(text), &run);
        (void)rows_compare(expected, csv_path, found, path, mistakes);
        if (!has_column(expected, "check"))
            append_mismatches(mistakes, found, path);
        counts->unknown_lines += (unsigned)run.counts.unknown_lines;
        rows_free(found);
        g_ptr_array_unref(grammars);
    }
    counts->samples++;
    counts->good += mistakes->len == before;
    rows_free(expected);
    g_free(text);
    g_free(csv_path);
    g_free(stem);
}

/* Rows whose text is missing, or called otherwise, are tried on nothing. */
static void check_rows(const char *path, GString *mistakes)
{
    char *stem = g_strndup(path, strlen(path) - strlen(ROWS_SUFFIX));
    char *text_path = g_strconcat(stem, TEXT_SUFFIX, NULL);
    if (!g_file_test(text_path, G_FILE_TEST_EXISTS))
        g_string_append_printf(mistakes, "%s: there is no %s\n", path, text_path);
    g_free(text_path);
    g_free(stem);
}

static int compare_paths(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char *samples_folder(const struct grammar *grammar)
{
    char *beside = g_path_get_dirname(grammar->file);
    char *folder = strcmp(beside, ".") == 0 ? g_build_filename("samples", grammar->name, NULL)
                                            : g_build_filename(beside, "samples", grammar->name, NULL);
    g_free(beside);
    return folder;
}

struct sample_counts samples_check(const struct grammar *grammar, GString *mistakes)
{
    struct sample_counts counts = {0};
    char *folder = samples_folder(grammar);
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir)))
        g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
    g_ptr_array_sort(paths, compare_paths);
    for (guint i = 0; i < paths->len; i++) {
        const char *path = g_ptr_array_index(paths, i);
        if (g_str_has_suffix(path, TEXT_SUFFIX))
            check_sample(grammar, path, &counts, mistakes);
        else if (g_str_has_suffix(path, ROWS_SUFFIX))
            check_rows(path, mistakes);
    }
    if (dir)
        g_dir_close(dir);
    g_ptr_array_unref(paths);
    g_free(folder);
    return counts;
}
