#include "extract/grammar_check.h"

#include "extract/condition.h"
#include "extract/grammar_set.h"
#include "extract/sample.h"

/* The grammar of this file; NULL if one of the same name has come later. */
static const struct grammar *find_grammar(const GPtrArray *grammars, const char *file)
{
    for (guint i = 0; i < grammars->len; i++) {
        const struct grammar *grammar = g_ptr_array_index(grammars, i);
        if (strcmp(grammar->file, file) == 0)
            return grammar;
    }
    return NULL;
}

/* Must every mail be read for the grammar? */
static bool reads_all(const struct grammar *grammar)
{
    GPtrArray *grammars = g_ptr_array_new();
    struct conditions *conditions;
    bool all;

    g_ptr_array_add(grammars, (gpointer)grammar);
    conditions = conditions_new(grammars);
    all = conditions->open->len > 0;
    conditions_free(conditions);
    g_ptr_array_unref(grammars);
    return all;
}

/* What the samples of a grammar without mistakes say of it. */
static void check_samples(const char *file, const struct grammar *grammar, GString *mistakes)
{
    size_t before = mistakes->len;
    struct sample_counts counts = samples_check(grammar, mistakes);
    if (mistakes->len > before) {
        g_string_append_printf(mistakes, "%s: %u of %u samples as expected\n", file, counts.good, counts.samples);
        return;
    }
    printf("%s: good; ", file);
    if (counts.samples > 0) {
        printf("%u of %u samples as expected", counts.good, counts.samples);
    } else {
        char *folder = samples_folder(grammar);
        printf("no samples in %s", folder);
        g_free(folder);
    }
    if (counts.unknown_lines > 0)
        printf("; %u lines in blocks that no rule takes (--warn=unknown)", counts.unknown_lines);
    if (reads_all(grammar))
        printf("; slow, since its literals are too short to be looked for");
    printf("\n");
}

/* What is wrong with the files or, where nothing is, what their samples say. */
enum exit_status grammar_check(char **files, const char *folder, struct diag *diag)
{
    GString *mistakes = g_string_new(NULL);
    GPtrArray *grammars = grammar_set_load(folder, files, mistakes);
    bool is_loaded = mistakes->len == 0;
    for (char **file = files; is_loaded && *file; file++) {
        const struct grammar *grammar = find_grammar(grammars, *file);
        if (grammar)
            check_samples(*file, grammar, mistakes);
        else /* a later one of the same name has taken its place */
            printf("%s: good\n", *file);
    }
    diag_print(diag, "%s", mistakes->str);
    enum exit_status status = mistakes->len > 0 ? STATUS_USAGE : STATUS_GOOD;
    if (!is_written(stdout) && status == STATUS_GOOD)
        status = STATUS_UNWRITTEN;
    g_ptr_array_unref(grammars);
    g_string_free(mistakes, TRUE);
    return status;
}
