/* benchlore: options, wiring of the stages, exit status. */
#include "extract/archive.h"
#include "extract/explain.h"
#include "extract/grammar_set.h"
#include "extract/known.h"
#include "extract/pipeline.h"
#include "extract/sample.h"
#include "extract/recognize.h"
#include "extract/source_list.h"
#include "output/writer.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef BENCHLORE_VERSION
#define BENCHLORE_VERSION "unknown"
#endif
#ifndef BENCHLORE_GRAMMAR_DIR
#define BENCHLORE_GRAMMAR_DIR "/usr/local/share/benchlore/grammars"
#endif

enum { KEPT_MEMORY = 8 * 1024 * 1024 }; /* free bytes that are not given back */

/* The system takes a process's memory back at once. To free it piece by piece
 * takes longer than reading the grammars does, above all to unmap the code of
 * patterns; and that is done for those alone who look for leaks. */
#if defined(__SANITIZE_ADDRESS__) || defined(BENCHLORE_FREES_ALL)
enum { FREES_ALL = true };
#else
enum { FREES_ALL = false };
#endif

enum exit_status {
    STATUS_GOOD = 0,
    STATUS_UNREAD = 1,    /* some input could not be read; the rest was */
    STATUS_USAGE = 2,     /* wrong option, grammar or state; nothing was read */
    STATUS_UNWRITTEN = 3, /* the output or the state could not be written */
};

struct options {
    char *format;
    char *help_text; /* with --help */
    char **grammar_files;
    char **only;
    char **check_files;
    char **warnings;
    char **sources;
    char *files0_from;
    char *state;
    int jobs;
    gboolean explain, help, list, no_prefilter, no_quoted, quiet, verbose, version;
    bool warn_unknown;
};

/* Was all that was printed written, also what a full buffer sent off before? */
static bool is_written(FILE *stream)
{
    return fflush(stream) == 0 && !ferror(stream);
}

static enum exit_status usage(struct diag *diag, const char *what)
{
    diag_print(diag, "benchlore: %s\nTry benchlore --help.\n", what);
    return STATUS_USAGE;
}

/* Report a mistake in the options; every one of them is. */
static void mistake(struct diag *diag, bool *good, const char *what, const char *which)
{
    diag_print(diag, "benchlore: %s%s\n", what, which);
    *good = false;
}

static bool is_format(const char *name)
{
    for (const char *const *format = writer_formats(); *format; format++)
        if (strcmp(*format, name) == 0)
            return true;
    return false;
}

/* Report all that is wrong in the options that were read, and in what is left
 * of the command line: options that nobody knows. */
static bool check_options(struct options *options, int argc, char **argv, struct diag *diag)
{
    bool good = true;
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-' && argv[i][1])
            mistake(diag, &good, "unknown option ", argv[i]);
    if (options->format && !is_format(options->format))
        mistake(diag, &good, "there is no such format; csv and xml are known: ", options->format);
    if (options->jobs < 0 || options->jobs > PIPELINE_JOBS_MAX)
        mistake(diag, &good, "--jobs wants a number of threads, at most 256", "");
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

/* False if the options are wrong, which is reported. With --help the text is
 * left in options: GLib would print it and exit, whether it was written or not. */
static bool read_options(int *argc, char ***argv, struct options *options, struct diag *diag)
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
    bool good = g_option_context_parse(context, argc, argv, &error);
    if (good && options->help)
        options->help_text = g_option_context_get_help(context, TRUE, NULL);
    g_option_context_free(context);
    if (!good) {
        usage(diag, error->message);
        g_error_free(error);
        return false;
    }
    return check_options(options, *argc, *argv, diag);
}

static void free_options(struct options *options)
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

/* ---- the main job ---- */

struct run {
    const struct options *options;
    struct conditions *conditions; /* of the grammars */
    struct diag *diag;
    struct writer *writer;
    struct known *known;
    struct state *state; /* NULL: none is wanted */
    bool continues;      /* rows follow those that an earlier run wrote */
    uint64_t messages, with_results, copies;
    struct recognizer_counts counts;
    struct progress *progress;
};

/* Colour on a terminal, unless the user has said NO_COLOR (no-color.org). */
static bool wants_colour(void)
{
    const char *no_color = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && (!no_color || !*no_color);
}

static bool is_quoted(const struct observation *observation)
{
    return !view_is(observation->field[COLUMN_QUOTE_DEPTH], "0");
}

static enum writer_status write_figure(struct run *run, const struct observation *observation, const char *name)
{
    struct observation named = *observation;
    named.field[COLUMN_MESSAGE_ID] = view_of(name);
    if (is_quoted(observation))
        named.field[COLUMN_ORIGIN] = view_of(known_origin(run->known, observation));
    return known_is_written(run->known, &named) ? WRITER_OK : writer_observation(run->writer, &named);
}

static enum writer_status write_message(struct run *run, struct pipeline *pipeline, const struct imprint *imprint,
                                        bool *any)
{
    const struct observation *observation;
    enum writer_status status = WRITER_OK;
    const struct raw_message raw = pipeline_raw(pipeline);
    const char *name = known_name(run->known, imprint, &raw);
    if (!name) {
        run->copies++;
        return status;
    }
    pipeline_accept(pipeline);
    if (!run->options->no_quoted)
        known_find_origins(run->known, imprint);
    while (status == WRITER_OK && (observation = pipeline_observation(pipeline))) {
        if (run->options->no_quoted && is_quoted(observation))
            continue;
        status = write_figure(run, observation, name);
        *any = true;
    }
    run->with_results += *any;
    return status;
}

/* imprint: NULL where nothing was found in the message. */
static enum writer_status run_message(struct run *run, struct pipeline *pipeline, const struct imprint *imprint)
{
    bool has_grown = false, any = false;
    const char *tail = pipeline_tail(pipeline, &has_grown);
    enum writer_status status = WRITER_OK;
    run->messages++;
    if (!imprint && !tail)
        return status;
    known_begin(run->known, tail, has_grown);
    if (imprint)
        status = write_message(run, pipeline, imprint, &any);
    known_end(run->known, imprint, any);
    return status;
}

static bool has_failed(const struct state *state)
{
    return state && state_error(state);
}

static void show_progress(struct run *run, struct pipeline *pipeline)
{
    struct progress_state state = {.messages = run->messages};
    if (!progress_is_due(run->progress))
        return;
    pipeline_progress(pipeline, &state);
    progress_draw(run->progress, &state);
}

static enum writer_status run_sources(struct run *run)
{
    const struct options *options = run->options;
    struct prefilter *prefilter = options->no_prefilter ? NULL : prefilter_new(run->conditions);
    const struct pipeline_options pipeline_options = {
        .sources = options->sources,
        .files0_from = options->files0_from,
        .conditions = run->conditions,
        .prefilter = prefilter,
        .jobs = options->jobs > 0 ? (unsigned)options->jobs : MIN(g_get_num_processors(), PIPELINE_JOBS_MAX),
        .warn_unknown = options->warn_unknown,
        .wants_blocks = !options->no_quoted,
        .state = run->state,
    };
    enum writer_status status = run->continues ? writer_continue(run->writer) : writer_begin(run->writer);
    struct pipeline *pipeline = pipeline_new(&pipeline_options, run->diag);
    const struct imprint *imprint;
    const bool rows_are_shown = isatty(STDOUT_FILENO);
    run->progress = progress_new(options->sources, options->files0_from != NULL, run->diag);
    while (status == WRITER_OK && !has_failed(run->state) && pipeline_next(pipeline, &imprint)) {
        if (imprint && rows_are_shown) /* above the line */
            diag_status(run->diag, "");
        status = run_message(run, pipeline, imprint);
        show_progress(run, pipeline);
    }
    progress_free(run->progress);
    if (status == WRITER_OK && !has_failed(run->state))
        status = writer_end(run->writer);
    int error = errno; /* the writer's */
    run->counts = *pipeline_counts(pipeline);
    pipeline_free(pipeline);
    prefilter_free(prefilter);
    errno = error;
    return status;
}

/* ---- --explain: every message, whether or not it holds results ---- */

static bool explain_source(struct run *run, struct recognizer *recognizer, const struct trace *trace,
                           const struct content_digest_kind *digest_kind, const char *source)
{
    struct archive *archive = archive_open(source, run->diag);
    struct imprint *imprint = imprint_new();
    struct raw_message raw;
    bool good = true;
    while (good && archive_next(archive, &raw) == ARCHIVE_MESSAGE) {
        uint64_t before = recognizer_counts(recognizer)->observations;
        struct message *message = message_parse(&raw, run->diag);
        imprint_begin(imprint, message, digest_kind);
        imprint_end(imprint);
        run->messages++;
        bool any = false;
        known_begin(run->known, NULL, false);
        if (known_name(run->known, imprint, &raw)) {
            recognizer_read(recognizer, message, &raw);
            good = explain_message(recognizer, trace, run->options->only != NULL, wants_colour(), stdout);
            any = recognizer_counts(recognizer)->observations > before;
            run->with_results += any;
        } else {
            run->copies++;
        }
        known_end(run->known, imprint, any);
        message_free(message);
    }
    imprint_free(imprint);
    archive_free(archive);
    return good;
}

static enum writer_status explain_sources(struct run *run)
{
    struct source_list *sources = source_list_new(run->options->sources, run->options->files0_from, run->diag);
    struct recognizer *recognizer = recognizer_new(run->conditions, run->options->warn_unknown, run->diag);
    struct trace *trace = trace_new();
    const struct content_digest_kind digest_kind = {.seed = fingerprint_seed()};
    const char *source;
    bool good = true;
    recognizer_trace(recognizer, trace);
    while (good && (source = source_list_next(sources)))
        good = explain_source(run, recognizer, trace, &digest_kind, source);
    run->counts = *recognizer_counts(recognizer);
    recognizer_free(recognizer);
    trace_free(trace);
    source_list_free(sources);
    return good && is_written(stdout) ? WRITER_OK : WRITER_FAILED;
}

static void print_summary(const struct run *run)
{
    const struct recognizer_counts *counts = &run->counts;
    diag_print(run->diag,
               "%" G_GUINT64_FORMAT " messages, %" G_GUINT64_FORMAT " with results; %" G_GUINT64_FORMAT
               " results, %" G_GUINT64_FORMAT " figures, %" G_GUINT64_FORMAT " of them checked, %" G_GUINT64_FORMAT
               " mismatches\n",
               run->messages, run->with_results, counts->results, counts->observations, counts->checked,
               counts->mismatched);
    if (run->copies > 0)
        diag_print(run->diag, "%" G_GUINT64_FORMAT " copies of messages read before\n", run->copies);
    if (counts->not_numbers + counts->unknown_lines + counts->dropped > 0)
        diag_print(run->diag,
                   "%" G_GUINT64_FORMAT " figures printed as nan or inf, %" G_GUINT64_FORMAT
                   " dropped, %" G_GUINT64_FORMAT " unknown lines in tables\n",
                   counts->not_numbers, counts->dropped, counts->unknown_lines);
}

/* ---- --state ---- */

/* Report what is wrong with the state; always status. */
static enum exit_status complain(const struct run *run, const char *what, enum exit_status status)
{
    diag_print(run->diag, "benchlore: --state %s: %s\n", run->options->state, what);
    return status;
}

/* What the rows of a run depend on, beside the mail. */
static GPtrArray *list_settings(const struct options *options, const GPtrArray *grammars, const char *folder)
{
    GPtrArray *settings = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(settings, g_strdup("benchlore=" BENCHLORE_VERSION));
    g_ptr_array_add(settings, g_strdup_printf("--no-quoted=%d", options->no_quoted));
    g_ptr_array_add(settings, g_strdup(G_BYTE_ORDER == G_LITTLE_ENDIAN ? "byte order=little" : "byte order=big"));
    grammar_set_describe(grammars, folder, settings);
    return settings;
}

/* What a run that was cut off has left at the end of the file that this one
 * appends to. False: it can't be taken off. */
static bool cut_output(struct run *run, struct state_output *output, bool appends)
{
    struct state_output left;
    if (!state_was_cut_off(run->state, &left))
        return true;
    bool same = left.inode != 0 && left.device == output->device && left.inode == output->inode;
    if (same && appends && output->length > left.length) {
        if (ftruncate(STDOUT_FILENO, (off_t)left.length) != 0)
            return false;
        diag_print(run->diag,
                   "benchlore: the last run was cut off; what it wrote to standard output, %" G_GUINT64_FORMAT
                   " bytes, was taken off\n",
                   output->length - left.length);
        output->length = left.length;
    } else if (!same) {
        diag_print(run->diag, "benchlore: the last run was cut off; what it wrote counts for nothing: all of it is "
                              "read and written again\n");
    }
    return true;
}

/* Look where the rows go and note that the run begins. */
static enum exit_status begin_output(struct run *run)
{
    struct state_output output = {0};
    struct stat file;
    if (fstat(STDOUT_FILENO, &file) == 0 && S_ISREG(file.st_mode)) {
        bool appends = (fcntl(STDOUT_FILENO, F_GETFL) & O_APPEND) != 0;
        off_t length = appends ? file.st_size : lseek(STDOUT_FILENO, 0, SEEK_CUR);
        output = (struct state_output){(uint64_t)file.st_dev, (uint64_t)file.st_ino, length > 0 ? (uint64_t)length : 0};
        if (!cut_output(run, &output, appends)) {
            diag_print(run->diag, "benchlore: standard output: %s\n", g_strerror(errno));
            return STATUS_UNWRITTEN;
        }
    } else {
        (void)cut_output(run, &output, false);
    }
    run->continues = output.length > 0;
    if (run->continues && !writer_can_continue(run->writer)) {
        diag_print(run->diag, "benchlore: standard output is a file that holds something, and what follows it would "
                              "be a second document: take another file\n");
        return STATUS_USAGE;
    }
    state_begin(run->state, &output);
    return has_failed(run->state) ? complain(run, state_error(run->state), STATUS_UNWRITTEN) : STATUS_GOOD;
}

static enum exit_status begin_state(struct run *run, const GPtrArray *grammars, const char *folder)
{
    GPtrArray *settings = list_settings(run->options, grammars, folder);
    GString *why = g_string_new(NULL);
    enum state_status opened = STATE_GOOD;
    enum exit_status result;
    run->state = state_open(run->options->state, settings, why, &opened);
    if (run->state)
        result = begin_output(run);
    else
        result = complain(run, why->str, opened == STATE_REFUSED ? STATUS_USAGE : STATUS_UNWRITTEN);
    g_string_free(why, TRUE);
    g_ptr_array_unref(settings);
    return result;
}

/* The rows are written: only what is safe on the disk is noted as read. */
static enum exit_status end_state(struct run *run, enum exit_status result)
{
    struct stat file;
    if (!has_failed(run->state) && fstat(STDOUT_FILENO, &file) == 0 && S_ISREG(file.st_mode) &&
        fsync(STDOUT_FILENO) != 0) {
        diag_print(run->diag, "benchlore: standard output: %s\n", g_strerror(errno));
        return STATUS_UNWRITTEN;
    }
    if (state_commit(run->state))
        return result;
    (void)complain(run, state_error(run->state), STATUS_UNWRITTEN);
    return complain(run, "the rows of this run count for nothing: the next one writes them again", STATUS_UNWRITTEN);
}

/* ---- a whole run ---- */

static enum exit_status run_and_report(struct run *run)
{
    const struct options *options = run->options;
    enum exit_status result = diag_count(run->diag, DIAG_UNREAD) > 0 ? STATUS_UNREAD : STATUS_GOOD;
    if ((options->explain ? explain_sources(run) : run_sources(run)) != WRITER_OK) {
        /* A reader that has seen enough (`head`) closes the pipe: nothing to say. */
        if (errno != EPIPE)
            diag_print(run->diag, "benchlore: standard output: %s\n", g_strerror(errno));
        return STATUS_UNWRITTEN;
    }
    if (diag_count(run->diag, DIAG_UNREAD) > 0)
        result = STATUS_UNREAD;
    if (run->state)
        result = end_state(run, result);
    if (!options->quiet && result != STATUS_UNWRITTEN)
        print_summary(run);
    return result;
}

static enum exit_status run_all(const struct options *options, const GPtrArray *grammars, const char *folder,
                                struct diag *diag)
{
    struct run run = {.options = options, .diag = diag};
    enum exit_status result = STATUS_GOOD;
    run.writer = writer_new(options->format ? options->format : "csv", stdout);
    g_assert(run.writer); /* check_options knows the formats */
    if (options->state)
        result = begin_state(&run, grammars, folder);
    run.known = known_new(run.state, diag);
    run.conditions = conditions_new(grammars);
    if (result == STATUS_GOOD)
        result = run_and_report(&run);
    state_free(run.state);
    if (FREES_ALL) {
        known_free(run.known);
        conditions_free(run.conditions);
        writer_free(run.writer);
    }
    return result;
}

/* ---- grammars ---- */

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
static enum exit_status check_grammars(char **files, const char *folder, struct diag *diag)
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

static void list_grammars(const GPtrArray *grammars)
{
    for (guint i = 0; i < grammars->len; i++) {
        const struct grammar *grammar = g_ptr_array_index(grammars, i);
        printf("%-12s %-60s %s\n", grammar->name, grammar->about ? grammar->about : "", grammar->file);
    }
}

static enum exit_status run_with_grammars(struct options *options, struct diag *diag)
{
    GString *mistakes = g_string_new(NULL);
    char *folder = grammar_set_folder(BENCHLORE_GRAMMAR_DIR);
    GPtrArray *grammars = NULL;
    enum exit_status status = STATUS_USAGE;
    if (options->check_files) {
        status = check_grammars(options->check_files, folder, diag);
        goto cleanup;
    }
    grammars = grammar_set_load(folder, options->grammar_files, mistakes);
    if (mistakes->len > 0) {
        diag_print(diag, "%s", mistakes->str);
        goto cleanup;
    }
    const char *unknown = options->only ? grammar_set_only(grammars, options->only) : NULL;
    if (unknown) {
        diag_print(diag, "benchlore: --only %s: no grammar has this name\n", unknown);
    } else if (options->list) {
        list_grammars(grammars);
        status = is_written(stdout) ? STATUS_GOOD : STATUS_UNWRITTEN;
    } else if (!options->sources && !options->files0_from) {
        status = usage(diag, "no source given");
    } else {
        status = run_all(options, grammars, folder, diag);
    }
cleanup:
    if (grammars && FREES_ALL)
        g_ptr_array_unref(grammars);
    g_string_free(mistakes, TRUE);
    g_free(folder);
    return status;
}

/* Memory that one message frees is for the next. By default glibc gives it back
 * to the system, which then hands it out page by page again. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_TRIM_THRESHOLD, KEPT_MEMORY);
    (void)mallopt(M_MMAP_THRESHOLD, KEPT_MEMORY / 4);
#endif
}

int main(int argc, char **argv)
{
    struct options options = {0};
    enum exit_status status = STATUS_USAGE;
    keep_memory();
    /* A closed pipe is an error of write(2), not a signal. */
    signal(SIGPIPE, SIG_IGN);
    struct diag *diag = diag_new(stderr, false);
    if (read_options(&argc, &argv, &options, diag)) {
        if (options.quiet) {
            diag_free(diag);
            diag = diag_new(stderr, true);
        }
        if (options.verbose)
            diag_set_verbose(diag);
        if (options.help_text || options.version) {
            if (options.help_text)
                printf("%s", options.help_text);
            else
                printf("benchlore %s\n", BENCHLORE_VERSION);
            status = is_written(stdout) ? STATUS_GOOD : STATUS_UNWRITTEN;
        } else {
            status = run_with_grammars(&options, diag);
        }
    }
    diag_free(diag);
    free_options(&options);
    return (int)status;
}
