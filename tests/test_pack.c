/* Tests of extract/pack. Packs are written here as gitformat-pack(5) describes
 * them; libgit2 makes their indexes, and says what the objects' ids are. */
#include "extract/pack.h"

#include "tests/scratch.h"

#include <fcntl.h>
#include <git2.h>
#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

enum { OBJECT_MAX = 1000 * 1000, OFFSET_DELTA = 6, REFERENCE_DELTA = 7 };

struct store {
    char *folder; /* of the objects */
    char *packs;
};

/* What a pack is to hold, and what must come out of it. */
struct object {
    unsigned type; /* as it is kept */
    const struct object *base;
    GString *data; /* a delta for one with a base */
    enum pack_type is;
    GString *content;
    size_t byte_offset;
};

static int set_up(void **state)
{
    struct store *store = g_new0(struct store, 1);

    git_libgit2_init();
    store->folder = scratch_new();
    store->packs = g_build_filename(store->folder, "pack", NULL);
    assert_int_equal(g_mkdir(store->packs, 0700), 0);
    *state = store;
    return 0;
}

static int tear_down(void **state)
{
    struct store *store = *state;

    scratch_remove(store->folder);
    g_free(store->packs);
    g_free(store);
    git_libgit2_shutdown();
    return 0;
}

static git_oid id_of(const struct object *object)
{
    git_oid id;

    assert_int_equal(git_odb_hash(&id, object->content->str, object->content->len, (git_object_t)object->is), 0);
    return id;
}

/* ---- writing ---- */

static void append_number(GString *out, uint64_t number)
{
    for (; number > 0x7f; number >>= 7)
        g_string_append_c(out, (char)(unsigned char)(0x80 | (number & 0x7f)));
    g_string_append_c(out, (char)(unsigned char)number);
}

static void append_copy(GString *delta, size_t start, size_t count)
{
    size_t command = delta->len;
    unsigned char bits = 0x80;

    g_string_append_c(delta, 0);
    for (unsigned i = 0; i < 4; i++)
        if ((start >> (8 * i) & 0xff) != 0) {
            g_string_append_c(delta, (char)(unsigned char)(start >> (8 * i) & 0xff));
            bits |= (unsigned char)(1U << i);
        }
    for (unsigned i = 0; i < 3 && count != 0x10000; i++)
        if ((count >> (8 * i) & 0xff) != 0) {
            g_string_append_c(delta, (char)(unsigned char)(count >> (8 * i) & 0xff));
            bits |= (unsigned char)(0x10U << i);
        }
    delta->str[command] = (char)bits;
}

static void append_packed(GString *out, const GString *data)
{
    uLongf room = compressBound(data->len);
    Bytef *packed = g_malloc(room);

    assert_int_equal(compress(packed, &room, (const Bytef *)data->str, data->len), Z_OK);
    g_string_append_len(out, (const char *)packed, (gssize)room);
    g_free(packed);
}

static void append_object(GString *out, struct object *object)
{
    size_t length = object->data->len;
    unsigned char first = (unsigned char)(object->type << 4 | (length & 0xf));

    object->byte_offset = out->len;
    g_string_append_c(out, (char)(unsigned char)(first | (length > 0xf ? 0x80 : 0)));
    if (length > 0xf)
        append_number(out, length >> 4);
    if (object->type == OFFSET_DELTA) {
        uint64_t distance = object->byte_offset - object->base->byte_offset;
        char bytes[10];
        unsigned at = sizeof bytes;

        bytes[--at] = (char)(distance & 0x7f);
        while ((distance >>= 7) > 0)
            bytes[--at] = (char)(unsigned char)(0x80 | (--distance & 0x7f));
        g_string_append_len(out, bytes + at, (gssize)(sizeof bytes - at));
    } else if (object->type == REFERENCE_DELTA) {
        git_oid base = id_of(object->base);

        g_string_append_len(out, (const char *)base.id, PACK_ID_SIZE);
    }
    append_packed(out, object->data);
}

/* Write a pack of the objects and have it indexed. */
static void write_pack(const struct store *store, struct object *objects, unsigned count)
{
    GString *pack = g_string_new_len("PACK\0\0\0\2\0\0\0", 11);
    GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA1);
    git_indexer *indexer = NULL;
    git_indexer_progress progress = {0};
    guint8 digest[20];
    gsize size = sizeof digest;

    g_string_append_c(pack, (char)count);
    for (unsigned i = 0; i < count; i++)
        append_object(pack, &objects[i]);
    g_checksum_update(checksum, (const guchar *)pack->str, (gssize)pack->len);
    g_checksum_get_digest(checksum, digest, &size);
    g_string_append_len(pack, (const char *)digest, sizeof digest);
    assert_int_equal(git_indexer_new(&indexer, store->packs, 0600, NULL, NULL), 0);
    assert_int_equal(git_indexer_append(indexer, pack->str, pack->len, &progress), 0);
    assert_int_equal(git_indexer_commit(indexer, &progress), 0);
    git_indexer_free(indexer);
    g_checksum_free(checksum);
    g_string_free(pack, TRUE);
}

/* ---- objects ---- */

static struct object whole(enum pack_type type, const char *text, size_t length)
{
    return (struct object){
        type, NULL, g_string_new_len(text, (gssize)length), type, g_string_new_len(text, (gssize)length), 0};
}

/* The base with a text in place of count bytes at start. */
static struct object changed(const struct object *base, unsigned type, size_t start, size_t count, const char *text)
{
    struct object object = {type, base, g_string_new(NULL), base->is, g_string_new(NULL), 0};
    size_t length = strlen(text);

    g_string_append_len(object.content, base->content->str, (gssize)start);
    g_string_append(object.content, text);
    g_string_append_len(object.content, base->content->str + start + count,
                        (gssize)(base->content->len - start - count));
    append_number(object.data, base->content->len);
    append_number(object.data, object.content->len);
    for (size_t at = 0; at < start; at += 0x10000)
        append_copy(object.data, at, MIN(start - at, 0x10000));
    g_string_append_c(object.data, (char)length);
    g_string_append(object.data, text);
    for (size_t at = start + count; at < base->content->len; at += 0x10000)
        append_copy(object.data, at, MIN(base->content->len - at, 0x10000));
    return object;
}

enum { COUNT = 9 };

static void make_objects(struct object objects[COUNT])
{
    GString *text = g_string_new(NULL);
    GString *large = g_string_new(NULL);

    for (unsigned n = 1, i = 0; i < 200; i++, n = n * 1103515245U + 12345U)
        g_string_append_printf(text, "line %u\n", n >> 16);
    for (unsigned n = 2, i = 0; i < 20000; i++, n = n * 1103515245U + 12345U)
        g_string_append_printf(large, "line %u\n", n >> 16);
    objects[0] = whole(PACK_BLOB, text->str, text->len);
    objects[1] = changed(&objects[0], OFFSET_DELTA, 100, 10, "one");
    objects[2] = changed(&objects[1], REFERENCE_DELTA, 1500, 0, "two");
    objects[3] = changed(&objects[2], OFFSET_DELTA, 0x100, 0x200, "three");
    objects[4] = whole(PACK_COMMIT, "tree 0\n", 7);
    objects[5] = whole(PACK_TREE, "100644 m\0abcdefghijklmnopqrst", 29);
    objects[6] = whole(PACK_BLOB, "", 0);
    objects[7] = whole(PACK_BLOB, large->str, large->len);
    objects[8] = changed(&objects[7], OFFSET_DELTA, 0x10000 + 5, 70000, "four");
    g_string_free(text, TRUE);
    g_string_free(large, TRUE);
}

static void free_objects(struct object objects[COUNT])
{
    for (unsigned i = 0; i < COUNT; i++) {
        g_string_free(objects[i].data, TRUE);
        g_string_free(objects[i].content, TRUE);
    }
}

static void expect_object(struct packs *packs, const struct object *object)
{
    git_oid id = id_of(object);
    enum pack_type type;
    struct view bytes;

    assert_true(packs_read(packs, id.id, &type, &bytes));
    assert_int_equal(type, object->is);
    assert_int_equal(bytes.length, object->content->len);
    assert_memory_equal(bytes.bytes, object->content->str, bytes.length);
}

static void test_objects(void **state)
{
    /* every order in which one makes another a kept base */
    static const unsigned orders[][COUNT] = {{0, 1, 2, 3, 4, 5, 6, 7, 8},
                                             {8, 7, 6, 5, 4, 3, 2, 1, 0},
                                             {3, 3, 2, 0, 1, 3, 8, 8, 7},
                                             {2, 8, 3, 1, 7, 0, 3, 4, 2}};
    const struct store *store = *state;
    struct object objects[COUNT];
    enum pack_type type;
    struct view bytes;

    make_objects(objects);
    write_pack(store, objects, COUNT);
    for (size_t order = 0; order < G_N_ELEMENTS(orders); order++) {
        struct packs *packs = packs_open(store->folder, OBJECT_MAX);

        for (unsigned i = 0; i < COUNT; i++)
            expect_object(packs, &objects[orders[order][i]]);
        for (unsigned i = 0; i < 256; i++) {
            unsigned char id[PACK_ID_SIZE] = {(unsigned char)i, (unsigned char)(7 * i)};

            assert_false(packs_read(packs, id, &type, &bytes));
        }
        packs_free(packs);
    }

    /* a limit on size */
    struct packs *packs = packs_open(store->folder, objects[3].content->len);
    git_oid id = id_of(&objects[8]);
    assert_false(packs_read(packs, id.id, &type, &bytes));
    id = id_of(&objects[0]);
    assert_false(packs_read(packs, id.id, &type, &bytes));
    expect_object(packs, &objects[4]);
    packs_free(packs);
    free_objects(objects);
}

static void test_several_packs(void **state)
{
    const struct store *store = *state;
    struct object objects[COUNT];

    make_objects(objects);
    write_pack(store, objects, 4);
    write_pack(store, objects + 4, 3);
    write_pack(store, objects + 7, 2);

    struct packs *packs = packs_open(store->folder, OBJECT_MAX);
    for (unsigned i = 0; i < 3 * COUNT; i++)
        expect_object(packs, &objects[4 * i % COUNT]);
    packs_free(packs);
    free_objects(objects);
}

static void test_no_packs(void **state)
{
    static const unsigned char id[PACK_ID_SIZE];
    const struct store *store = *state;
    char *index = g_build_filename(store->packs, "pack-1.idx", NULL);
    char *data = g_build_filename(store->packs, "pack-1.pack", NULL);
    enum pack_type type;
    struct view bytes;

    struct packs *packs = packs_open(store->folder, OBJECT_MAX);
    assert_false(packs_read(packs, id, &type, &bytes));
    packs_free(packs);
    assert_true(g_file_set_contents(index, "\377tOc\0\0\0\2", 8, NULL));
    packs = packs_open(store->folder, OBJECT_MAX); /* without data */
    assert_false(packs_read(packs, id, &type, &bytes));
    packs_free(packs);
    assert_true(g_file_set_contents(data, "", 0, NULL));
    packs = packs_open(store->folder, OBJECT_MAX);
    assert_false(packs_read(packs, id, &type, &bytes));
    packs_free(packs);
    packs = packs_open(store->packs, OBJECT_MAX); /* no such directory */
    assert_false(packs_read(packs, id, &type, &bytes));
    packs_free(packs);
    packs_free(NULL);
    g_free(index);
    g_free(data);
}

/* The file in the packs' directory whose name ends so. */
static char *find_file(const struct store *store, const char *suffix)
{
    GDir *folder = g_dir_open(store->packs, 0, NULL);
    const char *name;
    char *path = NULL;

    while (path == NULL && (name = g_dir_read_name(folder)) != NULL)
        if (g_str_has_suffix(name, suffix))
            path = g_build_filename(store->packs, name, NULL);
    g_dir_close(folder);
    assert_non_null(path);
    return path;
}

/* Whatever is wrong in a file, reading ends, within its bounds (which the
 * sanitizers check), and what is returned is within the limit. */
static void read_damaged(const struct store *store, const struct object objects[COUNT])
{
    struct packs *packs = packs_open(store->folder, OBJECT_MAX);
    enum pack_type type;
    struct view bytes;

    for (unsigned i = 0; i < COUNT; i++) {
        git_oid id = id_of(&objects[i]);

        if (packs_read(packs, id.id, &type, &bytes))
            assert_in_range(bytes.length, 0, OBJECT_MAX);
    }
    packs_free(packs);
}

static void test_damage(void **state)
{
    static const char *const suffixes[] = {".idx", ".pack"};
    const struct store *store = *state;
    struct object objects[COUNT];
    unsigned n = 1;

    make_objects(objects);
    write_pack(store, objects, COUNT);
    for (size_t file = 0; file < G_N_ELEMENTS(suffixes); file++) {
        char *path = find_file(store, suffixes[file]);
        char *bytes = NULL;
        gsize length = 0;

        assert_int_equal(g_chmod(path, 0600), 0);
        assert_true(g_file_get_contents(path, &bytes, &length, NULL));
        int descriptor = open(path, O_WRONLY);
        for (unsigned round = 0; round < 2400; round++) {
            n = n * 1103515245U + 12345U;
            /* all bytes near the beginning and the end, where most is said, some of the rest */
            gsize at = round < 1500 ? round % length : round < 1800 ? length - (round - 1499) : (n >> 1) % length;
            char wrong = (char)(unsigned char)((unsigned char)bytes[at] ^ (1U << (n >> 8 & 7)));

            assert_int_equal(pwrite(descriptor, &wrong, 1, (off_t)at), 1);
            read_damaged(store, objects);
            assert_int_equal(pwrite(descriptor, &bytes[at], 1, (off_t)at), 1);
        }
        for (gsize cut = length; cut > 0; cut -= 1 + cut / 20) {
            assert_int_equal(ftruncate(descriptor, (off_t)cut), 0);
            read_damaged(store, objects);
        }
        close(descriptor);
        assert_true(g_file_set_contents(path, bytes, (gssize)length, NULL));
        g_free(bytes);
        g_free(path);
    }
    struct packs *packs = packs_open(store->folder, OBJECT_MAX);
    for (unsigned i = 0; i < COUNT; i++)
        expect_object(packs, &objects[i]);
    packs_free(packs);
    free_objects(objects);
}

/* Deltas that ask for what is not there. The index is that of a good pack of
 * the same lengths. */
static void test_wrong_deltas(void **state)
{
    static const struct {
        const char *delta;
        size_t length;
    } deltas[] = {
        {"\4\4\x90\4", 4},    /* good: a copy of the base */
        {"\5\4\x90\4", 4},    /* another base length */
        {"\4\4\x90\5", 4},    /* a copy behind the base's end */
        {"\4\4\x91\4\4", 5},  /* likewise */
        {"\4\4\x90\3", 4},    /* too little */
        {"\4\4\x90\4\1a", 6}, /* too much */
        {"\4\4\x04"
         "abc",
         6},                                                        /* an insertion that is cut */
        {"\4\4\0\x90\4", 5},                                        /* the reserved command */
        {"\4\4\x90", 3},                                            /* a command that is cut */
        {"\4\4\xff\xff\xff\xff", 6},                                /* likewise */
        {"\4", 1},                                                  /* no length */
        {"\x84\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\1", 13}, /* a number without end */
        {"\4\xff\xff\xff\xff\x0f\x90\4", 8},                        /* too large */
        {"", 0},
    };
    const struct store *store = *state;
    struct object objects[] = {whole(PACK_BLOB, "base", 4), whole(PACK_BLOB, "base, and more", 14)};

    for (size_t i = 0; i < G_N_ELEMENTS(deltas); i++) {
        GString *pack = g_string_new_len("PACK\0\0\0\2\0\0\0\2", 12);
        GString *index = g_string_new_len("\377tOc\0\0\0\2", 8);
        struct object delta = {
            OFFSET_DELTA, &objects[0],        g_string_new_len(deltas[i].delta, (gssize)deltas[i].length),
            PACK_BLOB,    objects[1].content, 0};
        char *index_path = g_build_filename(store->packs, "pack-1.idx", NULL);
        char *pack_path = g_build_filename(store->packs, "pack-1.pack", NULL);
        const unsigned char id[PACK_ID_SIZE] = {1};
        enum pack_type type;
        struct view bytes;

        append_object(pack, &objects[0]);
        append_object(pack, &delta);
        g_string_append_len(pack, "01234567890123456789", 20);
        /* one object, of id 01 00 ... */
        for (unsigned first = 0; first < 256; first++)
            g_string_append_len(index, first == 0 ? "\0\0\0\0" : "\0\0\0\1", 4);
        g_string_append_len(index, (const char *)id, PACK_ID_SIZE);
        g_string_append_len(index, "\0\0\0\0\0\0\0", 7);
        g_string_append_c(index, (char)delta.byte_offset);
        g_string_append_len(index, "0123456789012345678901234567890123456789", 40);
        assert_true(g_file_set_contents(index_path, index->str, (gssize)index->len, NULL));
        assert_true(g_file_set_contents(pack_path, pack->str, (gssize)pack->len, NULL));

        struct packs *packs = packs_open(store->folder, OBJECT_MAX);
        assert_int_equal(packs_read(packs, id, &type, &bytes), i == 0);
        if (i == 0)
            assert_true(view_is(bytes, "base"));
        packs_free(packs);
        g_free(index_path);
        g_free(pack_path);
        g_string_free(delta.data, TRUE);
        g_string_free(pack, TRUE);
        g_string_free(index, TRUE);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(objects); i++) {
        g_string_free(objects[i].data, TRUE);
        g_string_free(objects[i].content, TRUE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_objects, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_several_packs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_packs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_damage, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_deltas, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
