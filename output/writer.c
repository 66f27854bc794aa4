/* The list of formats, and what all of them share: the error that sticks and
 * the final flush. Every call sets errno again from the first failure, since
 * the caller may have lost it between two calls. */
#include "output/writer_class.h"

#include <errno.h>

static const struct writer_class *const classes[] = {&csv_class, &xml_class};
static const char *const formats[] = {"csv", "xml", NULL};
_Static_assert(G_N_ELEMENTS(formats) == G_N_ELEMENTS(classes) + 1, "every format is listed");

struct writer *writer_new(const char *format, FILE *stream)
{
    for (size_t i = 0; i < G_N_ELEMENTS(classes); i++) {
        if (strcmp(classes[i]->format, format) == 0) {
            struct writer *writer = classes[i]->create();
            *writer = (struct writer){.class = classes[i], .stream = stream};
            return writer;
        }
    }
    return NULL;
}

void writer_free(struct writer *writer)
{
    if (writer)
        writer->class->destroy(writer);
}

const char *const *writer_formats(void)
{
    return formats;
}

static enum writer_status status_after(struct writer *writer, int error)
{
    if (!writer->error)
        writer->error = error;
    if (!writer->error)
        return WRITER_OK;
    errno = writer->error;
    return WRITER_FAILED;
}

enum writer_status writer_begin(struct writer *writer)
{
    return status_after(writer, writer->error ? 0 : writer->class->begin(writer));
}

bool writer_can_continue(const struct writer *writer)
{
    return writer->class->continues;
}

enum writer_status writer_continue(struct writer *writer)
{
    return writer->class->continues ? status_after(writer, 0) : writer_begin(writer);
}

enum writer_status writer_observation(struct writer *writer, const struct observation *observation)
{
    return status_after(writer, writer->error ? 0 : writer->class->observation(writer, observation));
}

/* What errno says of a failed stdio call; C doesn't promise that it's set. */
static int stdio_error(void)
{
    return errno ? errno : EIO;
}

static int flush(FILE *stream)
{
    errno = 0;
    if (fflush(stream) != 0)
        return stdio_error();
    /* An earlier write to the stream, not by us, may have failed unnoticed. */
    return ferror(stream) ? EIO : 0;
}

enum writer_status writer_end(struct writer *writer)
{
    int error = 0;
    if (!writer->error) {
        error = writer->class->end(writer);
        if (!error)
            error = flush(writer->stream);
    }
    return status_after(writer, error);
}

int writer_put(struct writer *writer, const char *bytes, size_t length)
{
    errno = 0;
    return fwrite(bytes, 1, length, writer->stream) == length ? 0 : stdio_error();
}
