#include "extract/options.h"

#include <string.h>

void options_report(struct diag *diag, const char *what)
{
    diag_print(diag, "benchlore: %s\nTry benchlore --help.\n", what);
}

/* Report a mistake in the options; every one of them is. */
static void mistake(struct diag *diag, bool *good, const char *what, const char *which)
{
    diag_print(diag, "benchlore: %s%s\n", what, which);
    *good = false;
}

static bool is_format(const char *name, const char *const *formats)
{
    for (const char *const *format = formats; *format; format++)
        if (strcmp(*format, name) == 0)
            return true;
    return false;
}

/* Report all that is wrong in the options that were read, and in what is left
 * of the command line behind the program's name: options that nobody knows. */
static bool check(struct options *options, char **left, const char *const *formats, int jobs_max, struct diag *diag)
{
    bool good = true;
    for (char **word = left + 1; left[0] && *word; word++)
        if ((*word)[0] == '-' && (*word)[1])
            mistake(diag, &good, "unknown option ", *word);
    if (options->format && !is_format(options->format, formats))
        mistake(diag, &good, "there is no such format; csv and xml are known: ", options->format);
    if (options->jobs < 0 || options->jobs > jobs_max) {
        char *most = g_strdup_printf("%d", jobs_max);
        mistake(diag, &good, "--jobs wants a number of threads, at most ", most);
        g_free(most);
    }
    for (char **warning = options->warnings; warning && *warning; warning++) {
        if (strcmp(*warning, "unknown") != 0)
            mistake(diag, &good, "--warn knows only `unknown`, not ", *warning);
        options->warn_unknown = true;
    }
    if (options->state && options->explain)
        mistake(diag, &good, "--explain keeps no state: leave out --state", "");
    if (!good)
        diag_print(diag, "Try benchlore --help.\n");
    return good;
}

/* The value that stands behind a short option in the same word (`-j2`, `-qj2`),
 * which GLib does not know; NULL if there is none. */
static const char *find_value(const GOptionEntry *entries, const char *word)
{
    if (word[0] != '-' || word[1] == '-')
        return NULL;
    for (const char *letter = word + 1; *letter; letter++) {
        const GOptionEntry *entry = entries;
        while (entry->long_name && entry->short_name != *letter)
            entry++;
        if (!entry->long_name || (entry->arg != G_OPTION_ARG_NONE && !letter[1]))
            return NULL;
        if (entry->arg != G_OPTION_ARG_NONE)
            return letter + 1;
    }
    return NULL;
}

/* The words of the command line, such values as words of their own. Free with g_strfreev. */
static char **part_values(const GOptionEntry *entries, int argc, char **argv)
{
    GPtrArray *words = g_ptr_array_new();
    bool are_names = false; /* what follows */
    for (int i = 0; i < argc; i++) {
        const char *value = i > 0 && !are_names ? find_value(entries, argv[i]) : NULL;
        are_names = are_names || strcmp(argv[i], "--") == 0;
        g_ptr_array_add(words, value ? g_strndup(argv[i], (gsize)(value - argv[i])) : g_strdup(argv[i]));
        if (value)
            g_ptr_array_add(words, g_strdup(value));
    }
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(words, FALSE);
}

/* With --help the text is left in options: GLib would print it and exit, whether
 * it was written or not. */
bool options_read(int argc, char **argv, const char *const *formats, int jobs_max, struct options *options,
                  struct diag *diag)
{
    const GOptionEntry entries[] = {
        {"format", 'f', 0, G_OPTION_ARG_STRING, &options->format, "csv (default) or xml", "FORMAT"},
        {"only", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->only, "use this grammar alone (repeatable)", "NAME"},
        {"grammar", 'g', 0, G_OPTION_ARG_FILENAME_ARRAY, &options->grammar_files, "use this grammar too", "FILE"},
        {"no-quoted", 0, 0, G_OPTION_ARG_NONE, &options->no_quoted, "leave out quoted results", NULL},
        {"warn", 'W', 0, G_OPTION_ARG_STRING_ARRAY, &options->warnings, "unknown: lines in tables that no rule takes",
         "WHAT"},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &options->jobs, "work in so many threads (default: one a processor)", "N"},
        {"no-prefilter", 0, 0, G_OPTION_ARG_NONE, &options->no_prefilter, "parse even mail that can't hold a result",
         NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &options->quiet, "no summary, no word on odd mail that was read", NULL},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &options->verbose, "a word on each source that was read", NULL},
        {"files0-from", 0, 0, G_OPTION_ARG_FILENAME, &options->files0_from,
         "read the sources' names from F, each ended by NUL (- is standard input)", "F"},
        {"state", 0, 0, G_OPTION_ARG_FILENAME, &options->state,
         "read only what no run before has read, and note it in FILE", "FILE"},
        {"explain", 0, 0, G_OPTION_ARG_NONE, &options->explain,
         "instead of rows, print each message with the rules that took its lines", NULL},
        {"list-grammars", 0, 0, G_OPTION_ARG_NONE, &options->list, "list the grammars and stop", NULL},
        {"check-grammar", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->check_files,
         "check a grammar, and its samples, and stop", "FILE"},
        {"help", 'h', 0, G_OPTION_ARG_NONE, &options->help, "show the options and stop", NULL},
        {"version", 0, 0, G_OPTION_ARG_NONE, &options->version, "print the version and stop", NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->sources, NULL, "SOURCE..."},
        {0},
    };
    GError *error = NULL;
    GOptionContext *context = g_option_context_new(NULL);
    g_option_context_set_summary(context, "Extract benchmark results from mail: an mbox, a message, a maildir, a "
                                          "public-inbox repository, or a directory of these; - is standard input.");
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_set_help_enabled(context, FALSE);
    g_option_context_set_ignore_unknown_options(context, TRUE);
    char **words = part_values(entries, argc, argv);
    bool good = g_option_context_parse_strv(context, &words, &error);
    if (good && options->help)
        options->help_text = g_option_context_get_help(context, TRUE, NULL);
    g_option_context_free(context);
    if (good) {
        good = check(options, words, formats, jobs_max, diag);
    } else {
        options_report(diag, error->message);
        g_error_free(error);
    }
    g_strfreev(words);
    return good;
}

void options_clear(struct options *options)
{
    g_free(options->format);
    g_free(options->help_text);
    g_strfreev(options->grammar_files);
    g_strfreev(options->only);
    g_strfreev(options->check_files);
    g_strfreev(options->warnings);
    g_strfreev(options->sources);
    g_free(options->files0_from);
    g_free(options->state);
}
