#include "extract/sample.h"

#include "extract/rows.h"

static const char TEXT_SUFFIX[] = ".txt";

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

/* Append each line of differences with the path before it. */
static void append_differences(GString *mistakes, const char *path, const char *differences)
{
    char **lines = g_strsplit(differences, "\n", -1);
    for (char **line = lines; *line; line++)
        if (**line)
            g_string_append_printf(mistakes, "%s: %s\n", path, *line);
    g_strfreev(lines);
}

/* A sample may list what other grammars find in it. */
static void drop_others(struct rows *rows, const char *tool)
{
    for (guint i = rows->lines->len; i-- > 0;) {
        const char *field = rows_field(rows, i, "tool");
        if (*field && strcmp(field, tool) != 0)
            g_ptr_array_remove_index(rows->lines, i);
    }
}

static void check_text(const struct grammar *grammar, const char *text, const char *csv_path, GString *mistakes)
{
    GPtrArray *grammars = g_ptr_array_new();
    GString *differences = g_string_new(NULL);
    struct rows_run run = {.log = NULL};
    char *csv = read_file(csv_path, mistakes);
    struct rows *expected = csv ? rows_read(csv) : NULL;
    g_ptr_array_add(grammars, (gpointer)grammar);
    if (csv && !expected)
        g_string_append_printf(mistakes, "%s: a row has not as many fields as the header\n", csv_path);
    if (expected) {
        drop_others(expected, grammar->name);
        struct rows *found = rows_extract(grammars, view_of(text), &run);
        (void)rows_compare(expected, found, differences);
        append_differences(mistakes, csv_path, differences->str);
        rows_free(found);
    }
    rows_free(expected);
    g_free(csv);
    g_string_free(differences, TRUE);
    g_ptr_array_unref(grammars);
}

static void check_sample(const struct grammar *grammar, const char *path, GString *mistakes)
{
    char *stem = g_strndup(path, strlen(path) - strlen(TEXT_SUFFIX));
    char *csv_path = g_strconcat(stem, ".csv", NULL);
    char *text = read_file(path, mistakes);
    if (text)
        check_text(grammar, text, csv_path, mistakes);
    g_free(text);
    g_free(csv_path);
    g_free(stem);
}

static int compare_paths(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

unsigned samples_check(const struct grammar *grammar, GString *mistakes)
{
    char *beside = g_path_get_dirname(grammar->file);
    char *folder = g_build_filename(beside, "samples", grammar->name, NULL);
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir)))
        if (g_str_has_suffix(name, TEXT_SUFFIX))
            g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
    g_ptr_array_sort(paths, compare_paths);
    for (guint i = 0; i < paths->len; i++)
        check_sample(grammar, g_ptr_array_index(paths, i), mistakes);
    unsigned count = paths->len;
    if (dir)
        g_dir_close(dir);
    g_ptr_array_unref(paths);
    g_free(folder);
    g_free(beside);
    return count;
}
