/* decompress: one table of formats, each a begin, run and end over its library.
 *
 * A format's run unpacks within one stream and says when that ends; that the
 * next may follow, and that zero bytes may fill up the end (as on tapes), is
 * handled here for all formats alike.
 */
#include "extract/decompress.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

/* The largest window of `zstd --ultra -22` is 2^27 bytes. */
enum { ZSTD_WINDOW_LOG_MAX = 27 };

enum progress {
    PROGRESS_MORE,
    PROGRESS_STREAM_END,
    PROGRESS_DAMAGED,
};

struct decompressor {
    enum compression kind;
    bool inside; /* a stream has begun and not ended */
    bool ended;  /* at least one stream has ended */
    const char *damage;
    union {
        z_stream gzip;
        ZSTD_DStream *zstd;
        lzma_stream xz;
        bz_stream bzip2;
    } library;
};

static bool has_magic(struct view head, const char *magic, size_t length)
{
    return head.length >= length && memcmp(head.bytes, magic, length) == 0;
}

enum compression decompress_detect(struct view head)
{
    if (has_magic(head, "\x1f\x8b\x08", 3))
        return COMPRESSION_GZIP;
    if (has_magic(head, "\x28\xb5\x2f\xfd", 4))
        return COMPRESSION_ZSTD;
    /* a skippable frame, RFC 8878 3.1.2, as pzstd writes before the others */
    if (head.length >= 4 && (head.bytes[0] & 0xf0) == 0x50 && memcmp(head.bytes + 1, "\x2a\x4d\x18", 3) == 0)
        return COMPRESSION_ZSTD;
    if (has_magic(head, "\xfd\x37zXZ\0", 6))
        return COMPRESSION_XZ;
    if (has_magic(head, "BZh", 3) && head.length >= 10 && head.bytes[3] >= '1' && head.bytes[3] <= '9' &&
        (memcmp(head.bytes + 4, "1AY&SY", 6) == 0 || memcmp(head.bytes + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0))
        return COMPRESSION_BZIP2;
    return COMPRESSION_NONE;
}

/* Lengths are handed to the libraries as unsigned int. */
static unsigned piece(size_t length)
{
    return (unsigned)MIN(length, 1U << 30);
}

/* The libraries' types lack const; none of them writes to its input. */
static void *writable(const char *bytes)
{
    return (void *)(uintptr_t)bytes;
}

static enum progress damaged(struct decompressor *decompressor, const char *what)
{
    decompressor->damage = what;
    return PROGRESS_DAMAGED;
}

static void out_of_memory(void)
{
    g_error("decompress: out of memory");
}

static enum progress run_gzip(struct decompressor *decompressor, struct view *input, char *buffer, size_t size,
                              size_t *length)
{
    z_stream *stream = &decompressor->library.gzip;

    stream->next_in = writable(input->bytes);
    stream->avail_in = piece(input->length);
    stream->next_out = (Bytef *)buffer;
    stream->avail_out = piece(size);

    int result = inflate(stream, Z_NO_FLUSH);
    *length = (size_t)((char *)stream->next_out - buffer);
    *input = view_slice(*input, (size_t)((const char *)stream->next_in - input->bytes), input->length);
    if (result == Z_STREAM_END)
        return PROGRESS_STREAM_END;
    if (result == Z_OK || result == Z_BUF_ERROR)
        return PROGRESS_MORE;
    if (result == Z_MEM_ERROR)
        out_of_memory();
    return damaged(decompressor, stream->msg != NULL ? stream->msg : "not gzip");
}

static enum progress run_zstd(struct decompressor *decompressor, struct view *input, char *buffer, size_t size,
                              size_t *length)
{
    ZSTD_inBuffer in = {input->bytes, input->length, 0};
    ZSTD_outBuffer out = {buffer, size, 0};
    size_t result = ZSTD_decompressStream(decompressor->library.zstd, &out, &in);

    *length = out.pos;
    *input = view_slice(*input, in.pos, input->length);
    if (ZSTD_isError(result))
        return damaged(decompressor, ZSTD_getErrorName(result));
    return result == 0 ? PROGRESS_STREAM_END : PROGRESS_MORE;
}

static enum progress run_xz(struct decompressor *decompressor, struct view *input, char *buffer, size_t size,
                            size_t *length)
{
    lzma_stream *stream = &decompressor->library.xz;

    stream->next_in = (const uint8_t *)input->bytes;
    stream->avail_in = input->length;
    stream->next_out = (uint8_t *)buffer;
    stream->avail_out = size;

    lzma_ret result = lzma_code(stream, LZMA_RUN);
    *length = (size_t)((char *)stream->next_out - buffer);
    *input = view_slice(*input, (size_t)((const char *)stream->next_in - input->bytes), input->length);
    switch (result) {
    case LZMA_OK:
    case LZMA_BUF_ERROR:
    case LZMA_NO_CHECK:
    case LZMA_UNSUPPORTED_CHECK:
    case LZMA_GET_CHECK:
        return PROGRESS_MORE;
    case LZMA_STREAM_END:
        return PROGRESS_STREAM_END;
    case LZMA_MEM_ERROR:
        out_of_memory();
        break;
    case LZMA_MEMLIMIT_ERROR:
        return damaged(decompressor, "needs too much memory");
    case LZMA_OPTIONS_ERROR:
        return damaged(decompressor, "unsupported options");
    default:
        break;
    }
    return damaged(decompressor, "damaged data");
}

static enum progress run_bzip2(struct decompressor *decompressor, struct view *input, char *buffer, size_t size,
                               size_t *length)
{
    bz_stream *stream = &decompressor->library.bzip2;

    stream->next_in = writable(input->bytes);
    stream->avail_in = piece(input->length);
    stream->next_out = buffer;
    stream->avail_out = piece(size);

    int result = BZ2_bzDecompress(stream);
    *length = (size_t)(stream->next_out - buffer);
    *input = view_slice(*input, (size_t)(stream->next_in - input->bytes), input->length);
    if (result == BZ_STREAM_END)
        return PROGRESS_STREAM_END;
    if (result == BZ_OK)
        return PROGRESS_MORE;
    if (result == BZ_MEM_ERROR)
        out_of_memory();
    return damaged(decompressor, result == BZ_DATA_ERROR_MAGIC ? "not bzip2" : "damaged data");
}

static void begin(struct decompressor *decompressor)
{
    bool good = false;

    switch (decompressor->kind) {
    case COMPRESSION_GZIP:
        decompressor->library.gzip = (z_stream){0};
        good = inflateInit2(&decompressor->library.gzip, MAX_WBITS + 16) == Z_OK; /* 16: gzip and nothing else */
        break;
    case COMPRESSION_ZSTD:
        decompressor->library.zstd = ZSTD_createDStream();
        good =
            decompressor->library.zstd != NULL &&
            !ZSTD_isError(ZSTD_DCtx_setParameter(decompressor->library.zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX));
        break;
    case COMPRESSION_XZ:
        decompressor->library.xz = (lzma_stream)LZMA_STREAM_INIT;
        good = lzma_stream_decoder(&decompressor->library.xz, DECOMPRESS_MEMORY_MAX, 0) == LZMA_OK;
        break;
    case COMPRESSION_BZIP2:
        decompressor->library.bzip2 = (bz_stream){0};
        good = BZ2_bzDecompressInit(&decompressor->library.bzip2, 0, 0) == BZ_OK;
        break;
    case COMPRESSION_NONE:
        break;
    }
    if (!good)
        out_of_memory();
    decompressor->inside = true;
}

static void end(struct decompressor *decompressor)
{
    if (!decompressor->inside)
        return;
    decompressor->inside = false;
    switch (decompressor->kind) {
    case COMPRESSION_GZIP:
        (void)inflateEnd(&decompressor->library.gzip);
        break;
    case COMPRESSION_ZSTD:
        (void)ZSTD_freeDStream(decompressor->library.zstd);
        break;
    case COMPRESSION_XZ:
        lzma_end(&decompressor->library.xz);
        break;
    case COMPRESSION_BZIP2:
        (void)BZ2_bzDecompressEnd(&decompressor->library.bzip2);
        break;
    case COMPRESSION_NONE:
        break;
    }
}

static enum progress run(struct decompressor *decompressor, struct view *input, char *buffer, size_t size,
                         size_t *length)
{
    switch (decompressor->kind) {
    case COMPRESSION_GZIP:
        return run_gzip(decompressor, input, buffer, size, length);
    case COMPRESSION_ZSTD:
        return run_zstd(decompressor, input, buffer, size, length);
    case COMPRESSION_XZ:
        return run_xz(decompressor, input, buffer, size, length);
    case COMPRESSION_BZIP2:
        return run_bzip2(decompressor, input, buffer, size, length);
    case COMPRESSION_NONE:
        break;
    }
    return damaged(decompressor, "not compressed");
}

struct decompressor *decompressor_new(enum compression kind)
{
    struct decompressor *decompressor = g_new0(struct decompressor, 1);

    decompressor->kind = kind;
    return decompressor;
}

void decompressor_free(struct decompressor *decompressor)
{
    if (decompressor == NULL)
        return;
    end(decompressor);
    g_free(decompressor);
}

enum decompress_status decompressor_run(struct decompressor *decompressor, struct view *input, char *buffer,
                                        size_t size, size_t *length)
{
    *length = 0;
    if (decompressor->damage != NULL)
        return DECOMPRESS_DAMAGED;
    if (!decompressor->inside) {
        while (decompressor->ended && input->length > 0 && input->bytes[0] == '\0')
            *input = view_slice(*input, 1, input->length);
        if (input->length == 0)
            return DECOMPRESS_GOOD;
        begin(decompressor);
    }

    size_t before = input->length;
    switch (run(decompressor, input, buffer, size, length)) {
    case PROGRESS_STREAM_END:
        end(decompressor);
        decompressor->ended = true;
        break;
    case PROGRESS_DAMAGED:
        return DECOMPRESS_DAMAGED;
    case PROGRESS_MORE:
        /* Asked again with input and room, a library that stands still never moves. */
        if (before > 0 && input->length == before && *length == 0 && size > 0) {
            decompressor->damage = "damaged data";
            return DECOMPRESS_DAMAGED;
        }
        break;
    }
    return DECOMPRESS_GOOD;
}

bool decompressor_at_end(const struct decompressor *decompressor)
{
    return !decompressor->inside && decompressor->damage == NULL;
}

const char *decompressor_damage(const struct decompressor *decompressor)
{
    return decompressor->damage;
}
