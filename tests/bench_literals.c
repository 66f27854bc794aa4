/* bench_literals: the literals of all grammars, for `rg -F -f`, one a line.
 *
 *     bench_literals [--witnesses]
 *
 * Every literal that a grammar names, once; or only those that the prefilter
 * looks for first (condition.h). Run from the repository's root.
 */
#include "extract/condition.h"
#include "extract/grammar_set.h"

#include <stdio.h>
#include <stdlib.h>

static void add(GHashTable *lines, struct view text)
{
    if (text.length > 0)
        g_hash_table_add(lines, g_strndup(text.bytes, text.length));
}

int main(int count, char **arguments)
{
    bool witnesses = count > 1 && strcmp(arguments[1], "--witnesses") == 0;
    GString *mistakes = g_string_new(NULL);
    GPtrArray *grammars = grammar_set_load("grammars", NULL, mistakes);
    struct conditions *conditions = conditions_new(grammars);
    GHashTable *lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GList *sorted;

    for (guint w = 0; witnesses && w < conditions->owners->len; w++)
        add(lines, conditions_witness(conditions, w)->text);
    for (guint g = 0; !witnesses && g < grammars->len; g++) {
        const GArray *terms = conditions_of(conditions, g);

        for (guint i = 0; i < terms->len; i++)
            add(lines, g_array_index(terms, struct condition_term, i).text);
    }
    sorted = g_list_sort(g_hash_table_get_keys(lines), (GCompareFunc)strcmp);
    for (GList *line = sorted; line; line = line->next)
        puts(line->data);
    g_list_free(sorted);
    g_hash_table_unref(lines);
    conditions_free(conditions);
    g_ptr_array_unref(grammars);
    fputs(mistakes->str, stderr);
    g_string_free(mistakes, TRUE);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
