/* reader: plain read(2) on a descriptor.
 *
 * Not mmap: a file that another program cuts short while it is mapped kills
 * the reading process, with read(2) it merely ends early.
 */
#include "extract/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

struct reader {
    const char *path;
    struct diag *diag;
    int descriptor; /* -1: never opened, or failed */
    int64_t byte_offset;
};

static void report(const struct reader *reader, const char *what, int error)
{
    struct place place = {.source = reader->path, .byte_offset = reader->byte_offset};

    diag_report(reader->diag, DIAG_UNREAD, &place, "%s: %s", what, g_strerror(error));
}

static void close_descriptor(struct reader *reader)
{
    /* Nothing was written: a failing close says nothing about the bytes read. */
    if (reader->descriptor > STDIN_FILENO)
        (void)close(reader->descriptor);
    reader->descriptor = -1;
}

struct reader *reader_open(const char *path, struct diag *diag)
{
    struct reader *reader = g_new0(struct reader, 1);

    reader->path = path;
    reader->diag = diag;
    if (strcmp(path, "-") == 0) {
        reader->descriptor = STDIN_FILENO;
        return reader;
    }
    do
        reader->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    while (reader->descriptor < 0 && errno == EINTR);
    if (reader->descriptor < 0) {
        int error = errno;

        reader->byte_offset = -1;
        report(reader, "cannot open", error);
    }
    return reader;
}

void reader_free(struct reader *reader)
{
    if (reader == NULL)
        return;
    close_descriptor(reader);
    g_free(reader);
}

enum reader_status reader_read(struct reader *reader, char *buffer, size_t size, size_t *length)
{
    while (reader->descriptor >= 0) {
        ssize_t got = read(reader->descriptor, buffer, size);

        if (got > 0) {
            reader->byte_offset += got;
            *length = (size_t)got;
            return READER_BYTES;
        }
        if (got == 0)
            return READER_END;
        if (errno == EAGAIN) { /* standard input that someone else made non-blocking */
            struct pollfd wait = {.fd = reader->descriptor, .events = POLLIN};

            (void)poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            report(reader, "cannot read", errno);
            close_descriptor(reader);
        }
    }
    return READER_FAILED;
}
