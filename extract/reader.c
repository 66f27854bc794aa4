/* reader: plain read(2) on a descriptor, and a decompressor behind it where the
 * first bytes ask for one.
 *
 * Not mmap: a file that another program cuts short while it is mapped kills
 * the reading process, with read(2) it merely ends early. What is not
 * compressed goes straight into the caller's buffer.
 */
#include "extract/reader.h"

#include "extract/decompress.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { INPUT_SIZE = 128 * 1024 };

struct reader {
    const char *path;
    struct diag *diag;
    int descriptor; /* -1: never opened, or failed */
    bool failed;
    bool begun;                        /* the first bytes have been looked at */
    int64_t byte_offset;               /* of what the caller gets next */
    struct decompressor *decompressor; /* NULL: not compressed */
    char *input;                       /* compressed bytes; or first bytes the caller had no room for */
    struct view pending;               /* those of input that wait */
};

static enum reader_status fail(struct reader *reader, const char *what, const char *why)
{
    struct place place = {.source = reader->path, .byte_offset = reader->byte_offset};

    diag_report(reader->diag, DIAG_UNREAD, &place, "%s: %s", what, why);
    reader->failed = true;
    return READER_FAILED;
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
        (void)fail(reader, "cannot open", g_strerror(error));
    }
    return reader;
}

void reader_free(struct reader *reader)
{
    if (reader == NULL)
        return;
    /* Nothing was written: a failing close says nothing about the bytes read. */
    if (reader->descriptor > STDIN_FILENO)
        (void)close(reader->descriptor);
    decompressor_free(reader->decompressor);
    g_free(reader->input);
    g_free(reader);
}

static enum reader_status read_descriptor(struct reader *reader, char *buffer, size_t size, size_t *length)
{
    for (;;) {
        ssize_t got = read(reader->descriptor, buffer, size);

        if (got > 0) {
            *length = (size_t)got;
            return READER_BYTES;
        }
        if (got == 0)
            return READER_END;
        if (errno == EAGAIN) { /* standard input that someone else made non-blocking */
            struct pollfd wait = {.fd = reader->descriptor, .events = POLLIN};

            (void)poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return fail(reader, "cannot read", g_strerror(errno));
        }
    }
}

/* Read until there are enough bytes to know whether they are compressed. */
static enum reader_status begin(struct reader *reader)
{
    enum reader_status status = READER_BYTES;
    size_t length = 0;

    reader->begun = true;
    reader->input = g_malloc(INPUT_SIZE);
    while (length < DECOMPRESS_HEAD && status == READER_BYTES) {
        size_t got = 0;

        status = read_descriptor(reader, reader->input + length, INPUT_SIZE - length, &got);
        length += got;
    }
    reader->pending = (struct view){reader->input, length};

    enum compression compression = decompress_detect(reader->pending);
    if (compression != COMPRESSION_NONE)
        reader->decompressor = decompressor_new(compression);
    return status == READER_FAILED ? status : READER_BYTES;
}

static enum reader_status read_plain(struct reader *reader, char *buffer, size_t size, size_t *length)
{
    if (reader->pending.length == 0)
        return read_descriptor(reader, buffer, size, length);
    *length = MIN(size, reader->pending.length);
    memcpy(buffer, reader->pending.bytes, *length);
    reader->pending = view_slice(reader->pending, *length, reader->pending.length);
    return READER_BYTES;
}

static enum reader_status read_compressed(struct reader *reader, char *buffer, size_t size, size_t *length)
{
    for (bool at_end = false;;) {
        enum decompress_status status = decompressor_run(reader->decompressor, &reader->pending, buffer, size, length);

        if (*length > 0)
            return READER_BYTES;
        if (status == DECOMPRESS_DAMAGED)
            return fail(reader, "cannot unpack", decompressor_damage(reader->decompressor));
        if (reader->pending.length > 0)
            continue;
        if (at_end)
            return decompressor_at_end(reader->decompressor) ? READER_END
                                                             : fail(reader, "cannot unpack", "the file is cut short");

        size_t got = 0;
        enum reader_status input = read_descriptor(reader, reader->input, INPUT_SIZE, &got);
        if (input == READER_FAILED)
            return input;
        at_end = input == READER_END;
        reader->pending = (struct view){reader->input, got};
    }
}

enum reader_status reader_read(struct reader *reader, char *buffer, size_t size, size_t *length)
{
    if (reader->failed || (!reader->begun && begin(reader) == READER_FAILED))
        return READER_FAILED;

    size_t got = 0;
    enum reader_status status = reader->decompressor == NULL ? read_plain(reader, buffer, size, &got)
                                                             : read_compressed(reader, buffer, size, &got);
    if (status == READER_BYTES) {
        reader->byte_offset += (int64_t)got;
        *length = got;
    }
    return status;
}

/* Seek where the file can be read from anywhere. */
static bool seek(struct reader *reader, uint64_t count)
{
    struct stat file;
    uint64_t pending = reader->pending.length;

    if (reader->decompressor != NULL || count <= pending || !reader_file(reader, &file) ||
        count - pending > (uint64_t)INT64_MAX || lseek(reader->descriptor, (off_t)(count - pending), SEEK_CUR) < 0)
        return false;
    reader->pending = view_slice(reader->pending, pending, pending);
    reader->byte_offset += (int64_t)count;
    return true;
}

bool reader_skip(struct reader *reader, uint64_t count)
{
    char *buffer;

    if (reader->failed || (!reader->begun && begin(reader) == READER_FAILED))
        return false;
    if (seek(reader, count))
        return true; /* a seek beyond the end shows when it is read from there */
    buffer = g_malloc(INPUT_SIZE);
    while (count > 0) {
        size_t got = 0;

        if (reader_read(reader, buffer, (size_t)MIN(count, INPUT_SIZE), &got) != READER_BYTES)
            break;
        count -= got;
    }
    g_free(buffer);
    return count == 0;
}

bool reader_file(const struct reader *reader, struct stat *file)
{
    return reader->descriptor >= 0 && fstat(reader->descriptor, file) == 0 && S_ISREG(file->st_mode);
}

bool reader_is_packed(const struct reader *reader)
{
    return reader->decompressor != NULL;
}

double reader_share(const struct reader *reader)
{
    struct stat status;

    if (!reader_file(reader, &status))
        return -1;

    off_t at = lseek(reader->descriptor, 0, SEEK_CUR);
    if (at < 0)
        return -1;
    return at < status.st_size ? (double)at / (double)status.st_size : 1;
}
