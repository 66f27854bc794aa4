/* Tests of extract/reader and extract/decompress. What is compressed here is
 * compressed by the formats' own libraries; what must come out is what went in. */
#include "extract/reader.h"

#include "extract/decompress.h"

#include <bzlib.h>
#include <glib/gstdio.h>
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

struct file {
    char *path;
    struct diag *diag;
};

static int set_up(void **state)
{
    struct file *file = g_new0(struct file, 1);
    int descriptor = g_file_open_tmp("benchlore-XXXXXX", &file->path, NULL);

    assert_true(descriptor >= 0);
    g_close(descriptor, NULL);
    file->diag = diag_new(NULL, false);
    *state = file;
    return 0;
}

static int tear_down(void **state)
{
    struct file *file = *state;

    (void)g_remove(file->path);
    diag_free(file->diag);
    g_free(file->path);
    g_free(file);
    return 0;
}

static uint64_t unread(const struct file *file)
{
    return diag_count(file->diag, DIAG_UNREAD);
}

/* Text that compresses neither too well nor not at all. */
static GString *make_text(size_t length)
{
    GString *text = g_string_sized_new(length + 32);

    for (unsigned n = 1; text->len < length; n = n * 1103515245U + 12345U)
        g_string_append_printf(text, "line %u of the text\n", n >> 20);
    g_string_truncate(text, length);
    return text;
}

static void append_compressed(GString *out, enum compression kind, struct view text)
{
    size_t room = text.length + text.length / 50 + 1024;
    char *packed = g_malloc(room);
    size_t length = 0;

    switch (kind) {
    case COMPRESSION_GZIP: {
        z_stream stream = {0};

        assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
        stream.next_in = (Bytef *)(uintptr_t)text.bytes;
        stream.avail_in = (uInt)text.length;
        stream.next_out = (Bytef *)packed;
        stream.avail_out = (uInt)room;
        assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
        length = stream.total_out;
        assert_int_equal(deflateEnd(&stream), Z_OK);
        break;
    }
    case COMPRESSION_ZSTD: {
        ZSTD_CCtx *context = ZSTD_createCCtx();

        (void)ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
        length = ZSTD_compress2(context, packed, room, text.bytes, text.length);
        assert_false(ZSTD_isError(length));
        (void)ZSTD_freeCCtx(context);
        break;
    }
    case COMPRESSION_XZ:
        assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text.bytes, text.length,
                                                 (uint8_t *)packed, &length, room),
                         LZMA_OK);
        break;
    case COMPRESSION_BZIP2: {
        unsigned int packed_length = (unsigned)room;

        assert_int_equal(BZ2_bzBuffToBuffCompress(packed, &packed_length, (char *)(uintptr_t)text.bytes,
                                                  (unsigned)text.length, 1, 0, 0),
                         BZ_OK);
        length = packed_length;
        break;
    }
    case COMPRESSION_NONE:
        memcpy(packed, text.bytes, text.length);
        length = text.length;
        break;
    }
    g_string_append_len(out, packed, (gssize)length);
    g_free(packed);
}

static struct view view_of_string(const GString *string)
{
    return (struct view){string->str, string->len};
}

/* All that can be read from the file, in pieces of at most size bytes. */
static GString *read_all(const struct file *file, size_t size, enum reader_status *last)
{
    struct reader *reader = reader_open(file->path, file->diag);
    GString *text = g_string_new(NULL);
    char *buffer = g_malloc(size);
    size_t length = 0;

    while ((*last = reader_read(reader, buffer, size, &length)) == READER_BYTES) {
        assert_in_range(length, 1, size);
        g_string_append_len(text, buffer, (gssize)length);
    }
    /* and it stays like this */
    assert_int_equal(reader_read(reader, buffer, size, &length), *last);
    reader_free(reader);
    g_free(buffer);
    return text;
}

static void write_file(const struct file *file, struct view bytes)
{
    assert_true(g_file_set_contents(file->path, bytes.bytes, (gssize)bytes.length, NULL));
}

static void expect_text(const struct file *file, struct view bytes, size_t size, struct view expected)
{
    enum reader_status last;

    write_file(file, bytes);

    GString *text = read_all(file, size, &last);
    assert_int_equal(last, READER_END);
    assert_int_equal(text->len, expected.length);
    assert_memory_equal(text->str, expected.bytes, expected.length);
    g_string_free(text, TRUE);
}

static const enum compression kinds[] = {COMPRESSION_NONE, COMPRESSION_GZIP, COMPRESSION_ZSTD, COMPRESSION_XZ,
                                         COMPRESSION_BZIP2};

static void test_whole(void **state)
{
    static const size_t lengths[] = {0, 1, 9, 10, 1000, 1000 * 1000};
    static const size_t sizes[] = {1, 7, 4096, 256 * 1024};
    const struct file *file = *state;

    for (size_t kind = 0; kind < G_N_ELEMENTS(kinds); kind++)
        for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
            GString *text = make_text(lengths[i]);
            GString *packed = g_string_new(NULL);

            append_compressed(packed, kinds[kind], view_of_string(text));
            for (size_t size = lengths[i] > 1000 ? 2 : 0; size < G_N_ELEMENTS(sizes); size++)
                expect_text(file, view_of_string(packed), sizes[size], view_of_string(text));
            g_string_free(packed, TRUE);
            g_string_free(text, TRUE);
        }
    assert_int_equal(unread(file), 0);
}

static void test_many_members(void **state)
{
    const struct file *file = *state;
    GString *text = make_text(3000);

    for (size_t kind = 1; kind < G_N_ELEMENTS(kinds); kind++) {
        GString *packed = g_string_new(NULL);

        append_compressed(packed, kinds[kind], view_slice(view_of_string(text), 0, 1000));
        append_compressed(packed, kinds[kind], view_slice(view_of_string(text), 1000, 1000)); /* an empty one */
        append_compressed(packed, kinds[kind], view_slice(view_of_string(text), 1000, 3000));
        expect_text(file, view_of_string(packed), 4096, view_of_string(text));
        /* zeros to the end of a tape's block */
        g_string_set_size(packed, packed->len + 512);
        memset(packed->str + packed->len - 512, 0, 512);
        expect_text(file, view_of_string(packed), 4096, view_of_string(text));
        g_string_free(packed, TRUE);
    }
    assert_int_equal(unread(file), 0);
    g_string_free(text, TRUE);
}

/* RFC 8878 3.1.2: a skippable frame of 3 bytes. */
static void test_skippable_frame(void **state)
{
    const struct file *file = *state;
    GString *packed = g_string_new_len("\x53\x2a\x4d\x18\x03\0\0\0abc", 11);

    append_compressed(packed, COMPRESSION_ZSTD, view_of("text"));
    expect_text(file, view_of_string(packed), 100, view_of("text"));
    g_string_free(packed, TRUE);
}

/* Wherever a file is cut, what is read is a beginning of the text, and the cut is reported. */
static void test_cut_short(void **state)
{
    const struct file *file = *state;
    GString *text = make_text(1000);
    uint64_t reports = 0;

    for (size_t kind = 1; kind < G_N_ELEMENTS(kinds); kind++) {
        GString *packed = g_string_new(NULL);

        append_compressed(packed, kinds[kind], view_of_string(text));
        for (size_t length = DECOMPRESS_HEAD; length < packed->len; length++) {
            enum reader_status last;

            write_file(file, view_slice(view_of_string(packed), 0, length));

            GString *begin = read_all(file, 300, &last);
            assert_int_equal(last, READER_FAILED);
            assert_int_equal(unread(file), ++reports);
            assert_true(begin->len <= text->len);
            assert_memory_equal(begin->str, text->str, begin->len);
            g_string_free(begin, TRUE);
        }
        g_string_free(packed, TRUE);
    }
    g_string_free(text, TRUE);
}

/* Most of a large file comes before the damage in its last bytes. */
static void test_much_before_the_damage(void **state)
{
    const struct file *file = *state;
    GString *text = make_text(3 * 1000 * 1000);
    uint64_t reports = 0;

    for (size_t kind = 1; kind < G_N_ELEMENTS(kinds); kind++) {
        GString *packed = g_string_new(NULL);
        enum reader_status last;

        append_compressed(packed, kinds[kind], view_of_string(text));
        write_file(file, view_slice(view_of_string(packed), 0, packed->len - 100));

        GString *begin = read_all(file, 256 * 1024, &last);
        assert_int_equal(last, READER_FAILED);
        assert_int_equal(unread(file), ++reports);
        assert_in_range(begin->len, 2 * 1000 * 1000, text->len);
        assert_memory_equal(begin->str, text->str, begin->len);
        g_string_free(begin, TRUE);

        /* a byte changed in the middle */
        packed->str[packed->len / 2] = (char)(packed->str[packed->len / 2] ^ 0x55);
        write_file(file, view_of_string(packed));
        begin = read_all(file, 256 * 1024, &last);
        assert_int_equal(last, READER_FAILED);
        assert_int_equal(unread(file), ++reports);
        assert_in_range(begin->len, 1000 * 1000, text->len);
        assert_memory_equal(begin->str, text->str, 1000 * 1000);
        g_string_free(begin, TRUE);
        g_string_free(packed, TRUE);
    }
    g_string_free(text, TRUE);
}

static void test_garbage_behind(void **state)
{
    const struct file *file = *state;
    uint64_t reports = 0;

    for (size_t kind = 1; kind < G_N_ELEMENTS(kinds); kind++) {
        GString *packed = g_string_new(NULL);
        enum reader_status last;

        append_compressed(packed, kinds[kind], view_of("text"));
        g_string_append(packed, "this is no compressed data at all");
        write_file(file, view_of_string(packed));

        GString *text = read_all(file, 100, &last);
        assert_int_equal(last, READER_FAILED);
        assert_int_equal(unread(file), ++reports);
        assert_string_equal(text->str, "text");
        g_string_free(text, TRUE);
        g_string_free(packed, TRUE);
    }
}

/* Text is not taken for a compressed file by its first letters alone. */
static void test_only_alike(void **state)
{
    static const char *const texts[] = {"BZh91 is what bzip2 begins with", "\x1f\x8b", "(\xb5/", "\xfd\x37zXZ", "P*M"};
    const struct file *file = *state;

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        expect_text(file, view_of(texts[i]), 100, view_of(texts[i]));
    assert_int_equal(unread(file), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_members, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_skippable_frame, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cut_short, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_much_before_the_damage, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_garbage_behind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_only_alike, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
