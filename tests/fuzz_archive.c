/* Fuzz target: bytes as an archive, read to the rows, with the prefilter and
 * without. Both must give the same rows; the sanitizers watch over the rest.
 *
 * One that libFuzzer has found (`make fuzz` says how to run it) is run again by
 * giving its file as the argument: build/fuzz/tests/fuzz_archive FILE.
 */
#define _GNU_SOURCE /* memfd_create */
#include "extract/grammar_set.h"
#include "extract/pipeline.h"
#include "output/writer.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct fixture {
    struct conditions *conditions;
    struct prefilter *prefilter;
    struct diag *diag;
};

static struct fixture *set_up(void)
{
    struct fixture *fixture = g_new0(struct fixture, 1);
    GString *mistakes = g_string_new(NULL);
    GPtrArray *grammars = grammar_set_load("grammars", NULL, mistakes);

    g_assert_cmpstr(mistakes->str, ==, "");
    g_assert_cmpuint(grammars->len, >, 0);
    g_string_free(mistakes, TRUE);
    fixture->conditions = conditions_new(grammars);
    fixture->prefilter = prefilter_new(fixture->conditions);
    fixture->diag = diag_new(fopen("/dev/null", "w"), true);
    return fixture;
}

/* The rows of the archive as CSV, in bytes that are freed by the caller. */
static char *extract(const struct fixture *fixture, const char *path, bool prefilter)
{
    char *sources[] = {(char *)(uintptr_t)path, NULL};
    const struct pipeline_options options = {
        .sources = sources,
        .conditions = fixture->conditions,
        .prefilter = prefilter ? fixture->prefilter : NULL,
        .jobs = 1,
    };
    struct pipeline *pipeline = pipeline_new(&options, fixture->diag);
    const struct imprint *imprint;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    struct writer *writer = writer_new("csv", stream);
    enum writer_status status = writer_begin(writer);

    while (pipeline_next(pipeline, &imprint)) {
        const struct observation *observation;

        if (!imprint)
            continue;
        pipeline_accept(pipeline);
        while ((observation = pipeline_observation(pipeline)) && status == WRITER_OK)
            status = writer_observation(writer, observation);
    }
    pipeline_free(pipeline);
    if (status == WRITER_OK)
        status = writer_end(writer);
    g_assert_true(status == WRITER_OK);
    writer_free(writer);
    fclose(stream);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct fixture *fixture;
    char path[64], *with, *without;
    int file = memfd_create("archive", MFD_CLOEXEC);

    if (!fixture)
        fixture = set_up();
    g_assert_true(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    g_snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    with = extract(fixture, path, true);
    without = extract(fixture, path, false);
    if (strcmp(with, without) != 0) {
        fprintf(stderr, "with the prefilter:\n%s\nwithout:\n%s\n", with, without);
        abort();
    }
    free(with);
    free(without);
    close(file);
    return 0;
}
