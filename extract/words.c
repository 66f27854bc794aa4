#include "extract/words.h"

/* By first character, an empty word last; of those with the same the longest
 * first, so that it is tried before its own beginning. */
static int compare_words(gconstpointer a, gconstpointer b)
{
    const char *left = *(char *const *)a, *right = *(char *const *)b;
    gunichar left_first = g_utf8_get_char(left), right_first = g_utf8_get_char(right);
    if (left_first != right_first)
        return left_first > right_first ? -1 : 1;
    size_t left_length = strlen(left), right_length = strlen(right);
    return left_length == right_length ? strcmp(left, right) : left_length > right_length ? -1 : 1;
}

/* A blank of a word is any white space, spelled shorter than in a pattern: a
 * long list has many. */
static void append_text(GString *pattern, const char *word, const char *end)
{
    for (; word < end; word++) {
        if (*word == ' ') {
            g_string_append(pattern, "\\s++");
            continue;
        }
        if (!g_ascii_isalnum(*word) && (unsigned char)*word < 0x80)
            g_string_append_c(pattern, '\\');
        g_string_append_c(pattern, *word);
    }
}

static void append_word(GString *pattern, const char *word)
{
    if (pattern->len > 0)
        g_string_append_c(pattern, '|');
    append_text(pattern, word, word + strlen(word));
}

/* Append words that begin with the same character, said once: where it is not
 * there, none of them is tried. */
static void append_group(GString *pattern, char *const *words, guint count)
{
    const char *first_end = *words[0] ? g_utf8_next_char(words[0]) : words[0];
    if (count == 1) {
        append_word(pattern, words[0]);
        return;
    }
    if (pattern->len > 0)
        g_string_append_c(pattern, '|');
    append_text(pattern, words[0], first_end);
    for (guint i = 0; i < count; i++) {
        g_string_append(pattern, i ? "|" : "(?:");
        append_text(pattern, words[i] + (first_end - words[0]), words[i] + strlen(words[i]));
    }
    g_string_append_c(pattern, ')');
}

static void append_words(GString *pattern, const GPtrArray *words)
{
    char *const *all = (char *const *)words->pdata;
    for (guint start = 0, end; start < words->len; start = end) {
        for (end = start + 1; end < words->len && g_utf8_get_char(all[end]) == g_utf8_get_char(all[start]);)
            end++;
        append_group(pattern, all + start, end - start);
    }
}

/* The longest word, the shortest, and one with a blank: whether all have one
 * length is all that a list can be wrong about (in a look-behind). */
static void append_sketch(GString *sketch, const GPtrArray *words)
{
    const char *longest = NULL, *shortest = NULL, *blank = NULL;
    for (guint i = 0; i < words->len; i++) {
        const char *word = g_ptr_array_index(words, i);
        if (!longest || g_utf8_strlen(word, -1) > g_utf8_strlen(longest, -1))
            longest = word;
        if (!shortest || g_utf8_strlen(word, -1) < g_utf8_strlen(shortest, -1))
            shortest = word;
        if (strchr(word, ' '))
            blank = word;
    }
    if (longest)
        append_word(sketch, longest);
    if (shortest && shortest != longest)
        append_word(sketch, shortest);
    if (blank && blank != longest && blank != shortest)
        append_word(sketch, blank);
}

void words_append(GString *pattern, GString *sketch, GPtrArray *words)
{
    g_ptr_array_sort(words, compare_words);
    append_words(pattern, words);
    append_sketch(sketch, words);
}
