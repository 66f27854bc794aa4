#include "extract/run_sources.h"

#include "extract/archive.h"
#include "extract/explain.h"
#include "extract/pipeline.h"
#include "extract/run_state.h"
#include "extract/source_list.h"

#include <errno.h>
#include <unistd.h>

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

static void show_progress(struct run *run, struct pipeline *pipeline)
{
    struct progress_state state = {.messages = run->messages};
    if (!progress_is_due(run->progress))
        return;
    pipeline_progress(pipeline, &state);
    progress_draw(run->progress, &state);
}

static enum writer_status write_sources(struct run *run)
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
    while (status == WRITER_OK && !run_state_failed(run) && pipeline_next(pipeline, &imprint)) {
        if (imprint && rows_are_shown) /* above the line */
            diag_status(run->diag, "");
        status = run_message(run, pipeline, imprint);
        show_progress(run, pipeline);
    }
    progress_free(run->progress);
    if (status == WRITER_OK && !run_state_failed(run))
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

/* ---- a whole run ---- */

static enum exit_status run_and_report(struct run *run)
{
    const struct options *options = run->options;
    enum exit_status result = diag_count(run->diag, DIAG_UNREAD) > 0 ? STATUS_UNREAD : STATUS_GOOD;
    if ((options->explain ? explain_sources(run) : write_sources(run)) != WRITER_OK) {
        /* A reader that has seen enough (`head`) closes the pipe: nothing to say. */
        if (errno != EPIPE)
            diag_print(run->diag, "benchlore: standard output: %s\n", g_strerror(errno));
        return STATUS_UNWRITTEN;
    }
    if (diag_count(run->diag, DIAG_UNREAD) > 0)
        result = STATUS_UNREAD;
    if (run->state)
        result = run_state_end(run, result);
    if (!options->quiet && result != STATUS_UNWRITTEN)
        print_summary(run);
    return result;
}

enum exit_status run_sources(struct run *run)
{
    enum exit_status result = STATUS_GOOD;
    run->writer = writer_new(run->options->format ? run->options->format : "csv", stdout);
    g_assert(run->writer); /* options_read knows the formats */
    if (run->options->state)
        result = run_state_begin(run);
    run->known = known_new(run->state, run->diag);
    run->conditions = conditions_new(run->grammars);
    if (result == STATUS_GOOD)
        result = run_and_report(run);
    state_free(run->state);
    if (FREES_ALL) {
        known_free(run->known);
        conditions_free(run->conditions);
        writer_free(run->writer);
    }
    return result;
}
