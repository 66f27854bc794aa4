/* benchlore: what is wanted of the program, and its memory. */
#include "extract/grammar_check.h"
#include "extract/grammar_set.h"
#include "extract/pipeline.h"
#include "extract/run_sources.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>

#ifndef BENCHLORE_VERSION
#define BENCHLORE_VERSION "unknown"
#endif
#ifndef BENCHLORE_GRAMMAR_DIR
#define BENCHLORE_GRAMMAR_DIR "/usr/local/share/benchlore/grammars"
#endif

enum { KEPT_MEMORY = 8 * 1024 * 1024 }; /* free bytes that are not given back */

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
        status = grammar_check(options->check_files, folder, diag);
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
        options_report(diag, "no source given");
    } else {
        struct run run = {
            .options = options, .grammars = grammars, .folder = folder, .version = BENCHLORE_VERSION, .diag = diag};
        status = run_sources(&run);
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
    if (options_read(argc, argv, writer_formats(), PIPELINE_JOBS_MAX, &options, diag)) {
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
    options_clear(&options);
    return (int)status;
}
