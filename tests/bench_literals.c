/* bench_literals: the literals of all grammars, once each, one a line, for
 * `rg -F -f`. Run from the repository's root.
 */
#include "extract/grammar_set.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    GString *mistakes = g_string_new(NULL);
    GPtrArray *grammars = grammar_set_load("grammars", NULL, mistakes);
    GHashTable *lines = g_hash_table_new(g_str_hash, g_str_equal);
    GList *sorted;

    for (guint g = 0; g < grammars->len; g++) {
        const struct grammar *grammar = g_ptr_array_index(grammars, g);

        for (guint i = 0; i < grammar->literals->len; i++) {
            const struct literal_item *item = &g_array_index(grammar->literals, struct literal_item, i);

            if (item->kind == LITERAL_TEXT)
                g_hash_table_add(lines, item->text);
        }
    }
    sorted = g_list_sort(g_hash_table_get_keys(lines), (GCompareFunc)strcmp);
    for (GList *line = sorted; line; line = line->next)
        puts(line->data);
    g_list_free(sorted);
    g_hash_table_unref(lines);
    g_ptr_array_unref(grammars);
    fputs(mistakes->str, stderr);
    g_string_free(mistakes, TRUE);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
