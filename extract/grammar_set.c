#define _GNU_SOURCE /* readlink */
#include "extract/grammar_set.h"

#include <limits.h>
#include <unistd.h>

static const char SUFFIX[] = ".grammar";
static const char COMMON[] = "common.fragments";

/* The folder at path below the program's own, if it holds grammars. */
static char *beside_program(const char *path)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return NULL;
    program[length] = '\0';
    char *here = g_path_get_dirname(program);
    char *folder = g_build_filename(here, path, NULL);
    char *common = g_build_filename(folder, COMMON, NULL);
    bool found = g_file_test(common, G_FILE_TEST_EXISTS);
    g_free(common);
    g_free(here);
    if (found)
        return folder;
    g_free(folder);
    return NULL;
}

char *grammar_set_folder(const char *installed)
{
    char *folder = beside_program("grammars");
    if (!folder)
        folder = beside_program("../share/benchlore/grammars");
    return folder ? folder : g_strdup(installed);
}

static void grammar_free_item(gpointer grammar)
{
    grammar_free(grammar);
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp((*(struct grammar *const *)a)->name, (*(struct grammar *const *)b)->name);
}

static void load_file(GPtrArray *grammars, const char *path, struct fragments *common, GString *mistakes)
{
    struct grammar *grammar = grammar_load(path, common, mistakes);
    if (!grammar)
        return;
    for (guint i = 0; i < grammars->len; i++) {
        if (strcmp(((struct grammar *)g_ptr_array_index(grammars, i))->name, grammar->name) == 0) {
            g_ptr_array_remove_index(grammars, i);
            break;
        }
    }
    g_ptr_array_add(grammars, grammar);
}

static void load_folder(GPtrArray *grammars, const char *folder, struct fragments *common, GString *mistakes)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    const char *name;
    while (dir && (name = g_dir_read_name(dir)))
        if (g_str_has_suffix(name, SUFFIX))
            g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
    if (dir)
        g_dir_close(dir);
    for (guint i = 0; i < paths->len; i++)
        load_file(grammars, g_ptr_array_index(paths, i), common, mistakes);
    g_ptr_array_unref(paths);
}

GPtrArray *grammar_set_load(const char *folder, char **files, GString *mistakes)
{
    GPtrArray *grammars = g_ptr_array_new_with_free_func(grammar_free_item);
    struct fragments *common = fragments_new(NULL);
    char *path = g_build_filename(folder, COMMON, NULL);
    char *user = g_build_filename(g_get_user_data_dir(), "benchlore", "grammars", NULL);
    if (fragments_read(common, path, mistakes)) {
        load_folder(grammars, folder, common, mistakes);
        load_folder(grammars, user, common, mistakes);
        for (char **file = files; file && *file; file++)
            load_file(grammars, *file, common, mistakes);
    }
    g_ptr_array_sort(grammars, compare_names);
    fragments_free(common);
    g_free(path);
    g_free(user);
    return grammars;
}

static bool has_name(char **names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

const char *grammar_set_only(GPtrArray *grammars, char **names)
{
    for (char **name = names; *name; name++) {
        bool found = false;
        for (guint i = 0; i < grammars->len && !found; i++)
            found = strcmp(((struct grammar *)g_ptr_array_index(grammars, i))->name, *name) == 0;
        if (!found)
            return *name;
    }
    for (guint i = grammars->len; i-- > 0;)
        if (!has_name(names, ((struct grammar *)g_ptr_array_index(grammars, i))->name))
            g_ptr_array_remove_index(grammars, i);
    return NULL;
}

/* Add the lines of a file that mean something. */
static void add_lines(GChecksum *checksum, const char *path)
{
    GString *mistakes = g_string_new(NULL); /* found already */
    struct grammar_source *source = grammar_source_read(path, mistakes);
    for (size_t i = 0; source && i < grammar_source_count(source); i++) {
        const GString *text = grammar_source_line(source, i)->text;
        g_checksum_update(checksum, (const guchar *)text->str, (gssize)text->len + 1);
    }
    grammar_source_free(source);
    g_string_free(mistakes, TRUE);
}

static void add_words(GChecksum *checksum, const char *path)
{
    char *text = NULL;
    gsize length = 0;
    if (g_file_get_contents(path, &text, &length, NULL))
        g_checksum_update(checksum, (const guchar *)text, (gssize)length);
    g_free(text);
}

static void describe(GPtrArray *settings, const char *prefix, const char *name, GChecksum *checksum)
{
    g_ptr_array_add(settings, g_strdup_printf("%s%s=%s", prefix, name, g_checksum_get_string(checksum)));
    g_checksum_free(checksum);
}

void grammar_set_describe(const GPtrArray *grammars, const char *folder, GPtrArray *settings)
{
    char *common = g_build_filename(folder, COMMON, NULL);
    GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
    add_lines(checksum, common);
    describe(settings, "", COMMON, checksum);
    for (guint i = 0; i < grammars->len; i++) {
        const struct grammar *grammar = g_ptr_array_index(grammars, i);
        checksum = g_checksum_new(G_CHECKSUM_SHA256);
        add_lines(checksum, grammar->file);
        for (guint w = 0; w < grammar->word_files->len; w++)
            add_words(checksum, g_ptr_array_index(grammar->word_files, w));
        describe(settings, "grammar ", grammar->name, checksum);
    }
    g_free(common);
}
