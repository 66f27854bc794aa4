/* pack: an object is found by searching the index, which is mapped, read from
 * the pack with a little of what follows it, and unpacked in one go, its size
 * being known.
 *
 * An object may be kept as a delta, which is applied to another object, its
 * base. The way from an object to the one that is kept whole is walked first,
 * then back. Bases are often those of many objects, and a few are kept.
 *
 * Everything in these files may be wrong: each offset and size is checked
 * against what it leads into. Indexes are never written to once they have their
 * names, so that mapping them is safe, as git itself does it.
 */
#define _DEFAULT_SOURCE /* madvise, pread */
#include "extract/pack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    INDEX_HEAD = 8 + 256 * 4, /* magic, version, fan-out table */
    INDEX_TAIL = 2 * 20,      /* checksums */
    PACK_HEAD = 12,
    PACK_TAIL = 20,
    OFFSET_DELTA = 6,
    REFERENCE_DELTA = 7,
    CHAIN_MAX = 5000, /* deltas on deltas; git makes at most 4095 */
    KEPT_COUNT = 512, /* bases in memory, each of at most so many bytes */
    KEPT_MAX = 32 * 1024,
    ROOM_MIN = 1024,                       /* bytes for an object */
    INDEX_RESIDENT_MAX = 16 * 1024 * 1024, /* a longer index is let go now and then */
    LET_GO_EVERY = 4096,                   /* objects */
    HEAD_MAX = 32,                         /* bytes before an object's data, at most */
    WINDOW_COUNT = 4,
    WINDOW_SIZE = 8 * 1024,   /* read for an object */
    WINDOW_LARGE = 64 * 1024, /* for one that stands behind another that was read */
};

struct pack {
    struct view index;
    uint32_t count; /* of objects */
    int descriptor; /* of the pack */
    size_t end;     /* of the objects in it */
};

/* A piece of a pack that was read. */
struct window {
    const struct pack *pack; /* NULL: none */
    size_t byte_offset, length, capacity;
    char *bytes;
};

/* An object, unpacked. */
struct content {
    char *bytes;
    size_t length, capacity;
    enum pack_type type;
};

/* A base that is kept: that of pack at byte_offset. */
struct kept {
    struct content content;
    const struct pack *pack; /* NULL: none */
    size_t byte_offset;
};

/* Where a delta stands, unpacked to length bytes. */
struct delta {
    size_t byte_offset;
    size_t length;
    size_t object; /* where the object that it makes begins in the pack */
};

struct packs {
    GArray *packs; /* of struct pack */
    guint last;    /* the one that held the last object */
    size_t object_max;
    unsigned found; /* objects since indexes were let go */
    struct window windows[WINDOW_COUNT];
    unsigned next_window; /* the one that is read anew next */
    struct libdeflate_decompressor *decompressor;
    GArray *chain;            /* of struct delta, from the object to its base */
    struct content result[2]; /* in turn: an object, and what it is made from */
    struct content delta;
    struct kept kept[KEPT_COUNT];
};

/* ---- files ---- */

static int open_file(const char *path, size_t *length)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat status;

    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
        (uint64_t)status.st_size <= SIZE_MAX / 2) {
        *length = (size_t)status.st_size;
        return descriptor;
    }
    if (descriptor >= 0)
        (void)close(descriptor);
    return -1;
}

static bool map_index(const char *path, struct pack *pack)
{
    size_t length = 0;
    int descriptor = open_file(path, &length);
    void *mapped;

    if (descriptor < 0)
        return false;
    mapped = mmap(NULL, length, PROT_READ, MAP_PRIVATE, descriptor, 0);
    (void)close(descriptor);
    if (mapped == MAP_FAILED)
        return false;
    pack->index = (struct view){mapped, length};
    return true;
}

static void close_pack(struct pack *pack)
{
    if (pack->index.bytes != NULL)
        (void)munmap((void *)(uintptr_t)pack->index.bytes, pack->index.length);
    if (pack->descriptor >= 0)
        (void)close(pack->descriptor);
}

static uint32_t number_at(struct view bytes, size_t at)
{
    const unsigned char *number = (const unsigned char *)bytes.bytes + at;

    return (uint32_t)number[0] << 24 | (uint32_t)number[1] << 16 | (uint32_t)number[2] << 8 | number[3];
}

/* How many ids of the index begin with first or a smaller byte. */
static uint32_t fan_out(const struct pack *pack, unsigned first)
{
    return number_at(pack->index, 8 + 4 * (size_t)first);
}

static bool is_sound(struct pack *pack)
{
    char head[PACK_HEAD];

    if (pack->index.length < INDEX_HEAD + INDEX_TAIL || memcmp(pack->index.bytes, "\377tOc\0\0\0\2", 8) != 0 ||
        pread(pack->descriptor, head, sizeof head, 0) != sizeof head || memcmp(head, "PACK\0\0\0", 7) != 0)
        return false;
    for (unsigned i = 1; i < 256; i++)
        if (fan_out(pack, i) < fan_out(pack, i - 1))
            return false;
    pack->count = fan_out(pack, 255);
    /* of each object its id, a checksum and an offset */
    return (pack->index.length - INDEX_HEAD - INDEX_TAIL) / (PACK_ID_SIZE + 4 + 4) >= pack->count;
}

static void add_pack(struct packs *packs, const char *folder, const char *index_name)
{
    size_t stem = strlen(index_name) - strlen(".idx");
    char *index = g_build_filename(folder, index_name, NULL);
    char *data = g_strdup_printf("%s/%.*s.pack", folder, (int)stem, index_name);
    struct pack pack = {.descriptor = open_file(data, &pack.end)};

    if (pack.descriptor >= 0 && pack.end >= PACK_HEAD + PACK_TAIL && map_index(index, &pack) && is_sound(&pack)) {
        pack.end -= PACK_TAIL;
        g_array_append_val(packs->packs, pack);
    } else {
        close_pack(&pack);
    }
    g_free(data);
    g_free(index);
}

struct packs *packs_open(const char *objects, size_t object_max)
{
    struct packs *packs = g_new0(struct packs, 1);
    char *folder = g_build_filename(objects, "pack", NULL);
    DIR *stream = opendir(folder);
    const struct dirent *entry;

    packs->packs = g_array_new(FALSE, FALSE, sizeof(struct pack));
    packs->chain = g_array_new(FALSE, FALSE, sizeof(struct delta));
    packs->object_max = object_max;
    packs->decompressor = libdeflate_alloc_decompressor();
    if (packs->decompressor == NULL)
        g_error("pack: out of memory");
    while (stream != NULL && (entry = readdir(stream)) != NULL)
        if (g_str_has_suffix(entry->d_name, ".idx"))
            add_pack(packs, folder, entry->d_name);
    if (stream != NULL)
        (void)closedir(stream);
    g_free(folder);
    return packs;
}

void packs_free(struct packs *packs)
{
    if (packs == NULL)
        return;
    for (guint i = 0; i < packs->packs->len; i++)
        close_pack(&g_array_index(packs->packs, struct pack, i));
    for (size_t i = 0; i < KEPT_COUNT; i++)
        g_free(packs->kept[i].content.bytes);
    for (size_t i = 0; i < WINDOW_COUNT; i++)
        g_free(packs->windows[i].bytes);
    g_array_unref(packs->packs);
    g_array_unref(packs->chain);
    libdeflate_free_decompressor(packs->decompressor);
    g_free(packs->result[0].bytes);
    g_free(packs->result[1].bytes);
    g_free(packs->delta.bytes);
    g_free(packs);
}

/* Pages of a mapped file count as memory of this process until they are let go;
 * the system still has them. */
static void let_go(struct packs *packs)
{
    packs->found = 0;
    for (guint i = 0; i < packs->packs->len; i++) {
        const struct pack *pack = &g_array_index(packs->packs, struct pack, i);

        if (pack->index.length > INDEX_RESIDENT_MAX)
            (void)madvise((void *)(uintptr_t)pack->index.bytes, pack->index.length, MADV_DONTNEED);
    }
}

/* The window that holds length bytes from byte_offset on; NULL: none. */
static const struct window *find_window(const struct packs *packs, const struct pack *pack, size_t byte_offset,
                                        size_t length)
{
    for (size_t i = 0; i < WINDOW_COUNT; i++) {
        const struct window *window = &packs->windows[i];

        if (window->pack == pack && byte_offset >= window->byte_offset &&
            byte_offset - window->byte_offset <= window->length &&
            window->length - (byte_offset - window->byte_offset) >= length)
            return window;
    }
    return NULL;
}

static bool read_window(struct window *window, const struct pack *pack, size_t byte_offset, size_t length)
{
    window->pack = NULL;
    window->length = 0;
    if (window->capacity < length || window->capacity / 8 > MAX(length, WINDOW_LARGE)) {
        g_free(window->bytes);
        window->capacity = MAX(length, WINDOW_LARGE);
        window->bytes = g_malloc(window->capacity);
    }
    while (window->length < length) {
        ssize_t got = pread(pack->descriptor, window->bytes + window->length, length - window->length,
                            (off_t)(byte_offset + window->length));

        if (got > 0)
            window->length += (size_t)got;
        else if (got == 0 || errno != EINTR)
            return false;
    }
    window->pack = pack;
    window->byte_offset = byte_offset;
    return true;
}

/* Have length bytes of a pack from byte_offset on, or all that is left there,
 * and room bytes if they must be read. They are valid until the next call. */
static bool look(struct packs *packs, const struct pack *pack, size_t byte_offset, size_t length, size_t room,
                 struct view *bytes)
{
    const struct window *window;

    if (byte_offset < PACK_HEAD || byte_offset >= pack->end)
        return false;
    length = MIN(length, pack->end - byte_offset);
    window = find_window(packs, pack, byte_offset, length);
    if (window == NULL) {
        struct window *fresh = &packs->windows[packs->next_window++ % WINDOW_COUNT];

        if (!read_window(fresh, pack, byte_offset, MIN(MAX(length, room), pack->end - byte_offset)))
            return false;
        window = fresh;
    }
    *bytes = (struct view){window->bytes + (byte_offset - window->byte_offset),
                           window->length - (byte_offset - window->byte_offset)};
    return true;
}

/* ---- finding ---- */

static bool find_in(const struct pack *pack, const unsigned char id[PACK_ID_SIZE], size_t *byte_offset)
{
    const char *ids = pack->index.bytes + INDEX_HEAD;
    uint32_t low = id[0] > 0 ? fan_out(pack, id[0] - 1U) : 0;
    uint32_t high = fan_out(pack, id[0]);
    /* Ids are spread evenly, so that their next bytes tell where they stand, about. */
    uint32_t share = (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 | id[3];
    uint32_t middle = low + (uint32_t)((uint64_t)(high - low) * share >> 24);

    for (uint32_t step = 4; low < high; step = MIN(4 * step, 1U << 24)) {
        int order = memcmp(id, ids + (size_t)middle * PACK_ID_SIZE, PACK_ID_SIZE);

        if (order < 0) {
            high = middle;
            middle = high - low > 2 * step ? high - step : low + (high - low) / 2;
        } else if (order > 0) {
            low = middle + 1;
            middle = high - low > 2 * step ? low + step : low + (high - low) / 2;
        } else {
            size_t offsets = INDEX_HEAD + (size_t)pack->count * (PACK_ID_SIZE + 4);
            uint64_t found = number_at(pack->index, offsets + 4 * (size_t)middle);

            if (found >> 31 != 0) { /* the number of one of eight bytes */
                size_t at = offsets + 4 * (size_t)pack->count + 8 * (size_t)(found & 0x7fffffff);

                if (at + 8 + INDEX_TAIL > pack->index.length)
                    return false;
                found = (uint64_t)number_at(pack->index, at) << 32 | number_at(pack->index, at + 4);
            }
            *byte_offset = (size_t)found;
            return found < pack->end;
        }
    }
    return false;
}

static const struct pack *find(struct packs *packs, const unsigned char id[PACK_ID_SIZE], size_t *byte_offset)
{
    for (guint i = 0; i < packs->packs->len; i++) {
        guint at = (packs->last + i) % packs->packs->len;
        const struct pack *pack = &g_array_index(packs->packs, struct pack, at);

        if (find_in(pack, id, byte_offset)) {
            packs->last = at;
            if (++packs->found >= LET_GO_EVERY)
                let_go(packs);
            return pack;
        }
    }
    return NULL;
}

/* ---- unpacking ---- */

/* Room for so many bytes; what was there is lost, and what one huge object took
 * is given back. */
static void make_room(struct content *content, size_t length)
{
    if (content->bytes == NULL || content->capacity < length || content->capacity / 8 > MAX(length, ROOM_MIN)) {
        g_free(content->bytes);
        content->capacity = MAX(length, ROOM_MIN);
        content->bytes = g_malloc(content->capacity);
    }
    content->length = length;
}

/* What is packed is hardly longer than what it holds. */
static bool unpack(struct packs *packs, const struct pack *pack, size_t at, size_t length, struct content *content)
{
    struct view packed;

    if (!look(packs, pack, at, length + length / 1024 + 64, 0, &packed))
        return false;
    make_room(content, length);
    return libdeflate_zlib_decompress(packs->decompressor, packed.bytes, packed.length, content->bytes, length, NULL) ==
           LIBDEFLATE_SUCCESS;
}

/* A number in pieces of seven bits, the lowest first, behind a first piece of
 * so many bits. */
static bool take_number(struct view *rest, unsigned bits, uint64_t *number)
{
    unsigned shift = bits < 7 ? bits : 0;
    unsigned char byte;

    if (bits == 7)
        *number = 0;
    do {
        if (rest->length == 0 || shift > 56)
            return false;
        byte = (unsigned char)rest->bytes[0];
        *rest = view_slice(*rest, 1, rest->length);
        *number |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while ((byte & 0x80) != 0);
    return true;
}

/* How far before an object its base stands: pieces of seven bits, the highest
 * first, each but the last counting one more. */
static bool take_distance(struct view *rest, uint64_t *distance)
{
    unsigned char byte;

    *distance = 0;
    for (unsigned pieces = 0; pieces < 9; pieces++) {
        if (rest->length == 0)
            return false;
        byte = (unsigned char)rest->bytes[0];
        *rest = view_slice(*rest, 1, rest->length);
        *distance = *distance << 7 | (byte & 0x7f);
        if ((byte & 0x80) == 0)
            return true;
        ++*distance;
    }
    return false;
}

/* Read what stands before an object's data: its type and length, and where a
 * delta's base begins. *at is moved to the data. */
static bool read_head(struct packs *packs, const struct pack *pack, size_t *at, unsigned *type, size_t *length,
                      size_t *base)
{
    struct view head, rest;
    uint64_t number, distance;
    /* Where the one before it was read, those behind it will be. */
    size_t room = find_window(packs, pack, *at, 0) != NULL ? WINDOW_LARGE : WINDOW_SIZE;

    if (!look(packs, pack, *at, HEAD_MAX, room, &head))
        return false;
    rest = head;
    unsigned char byte = (unsigned char)rest.bytes[0];
    rest = view_slice(rest, 1, rest.length);
    *type = byte >> 4 & 7;
    number = byte & 0xf;
    if ((byte & 0x80) != 0 && !take_number(&rest, 4, &number))
        return false;
    if (number > SIZE_MAX)
        return false;
    *length = (size_t)number;
    if (*type == OFFSET_DELTA) {
        if (!take_distance(&rest, &distance) || distance == 0 || distance > *at)
            return false;
        *base = *at - (size_t)distance;
    } else if (*type == REFERENCE_DELTA) {
        if (rest.length < PACK_ID_SIZE || !find_in(pack, (const unsigned char *)rest.bytes, base))
            return false;
        rest = view_slice(rest, PACK_ID_SIZE, rest.length);
    } else if (*type < PACK_COMMIT || *type > PACK_TAG) {
        return false;
    }
    *at += head.length - rest.length;
    return true;
}

/* Take the bytes of a number that the bits of command say are there. */
static bool take_bytes(struct view *delta, unsigned bits, unsigned count, size_t *number)
{
    *number = 0;
    for (unsigned i = 0; i < count; i++)
        if ((bits >> i & 1) != 0) {
            if (delta->length == 0)
                return false;
            *number |= (size_t)(unsigned char)delta->bytes[0] << (8 * i);
            *delta = view_slice(*delta, 1, delta->length);
        }
    return true;
}

/* Make an object of its base: the delta says what to copy from there, and holds
 * what else there is. */
static bool apply(struct packs *packs, const struct content *base, struct view delta, struct content *result)
{
    uint64_t base_length, length;
    size_t written = 0;

    if (!take_number(&delta, 7, &base_length) || !take_number(&delta, 7, &length) || base_length != base->length ||
        length > packs->object_max)
        return false;
    make_room(result, (size_t)length);
    result->type = base->type;
    while (delta.length > 0) {
        unsigned char command = (unsigned char)delta.bytes[0];
        const char *from;
        size_t start, count = command;

        delta = view_slice(delta, 1, delta.length);
        if ((command & 0x80) != 0) {
            if (!take_bytes(&delta, command, 4, &start) || !take_bytes(&delta, command >> 4U & 7U, 3, &count))
                return false;
            if (count == 0)
                count = 0x10000;
            if (start > base->length || count > base->length - start)
                return false;
            from = base->bytes + start;
        } else {
            if (count == 0 || count > delta.length)
                return false;
            from = delta.bytes;
            delta = view_slice(delta, count, delta.length);
        }
        if (count > result->length - written)
            return false;
        memcpy(result->bytes + written, from, count);
        written += count;
    }
    return written == result->length;
}

/* ---- bases that are kept ---- */

static struct kept *kept_place(struct packs *packs, const struct pack *pack, size_t byte_offset)
{
    uint64_t spread = ((uint64_t)byte_offset + (uintptr_t)pack) * 0x9E3779B97F4A7C15U;

    return &packs->kept[spread >> 55]; /* 9 bits: KEPT_COUNT */
}

static void keep(struct packs *packs, const struct pack *pack, size_t byte_offset, const struct content *content)
{
    struct kept *kept = kept_place(packs, pack, byte_offset);

    if (content->length > KEPT_MAX)
        return;
    make_room(&kept->content, content->length);
    memcpy(kept->content.bytes, content->bytes, content->length);
    kept->content.type = content->type;
    kept->pack = pack;
    kept->byte_offset = byte_offset;
}

/* ---- reading ---- */

/* Follow the bases from the object that begins at byte_offset to one that is
 * kept or stands there whole, and unpack that. */
static const struct content *read_base(struct packs *packs, const struct pack *pack, size_t byte_offset)
{
    struct content *content = &packs->result[0];
    size_t length, base = 0;
    unsigned type = 0;

    g_array_set_size(packs->chain, 0);
    for (;;) {
        struct kept *kept = kept_place(packs, pack, byte_offset);
        size_t at = byte_offset;

        if (kept->pack == pack && kept->byte_offset == byte_offset)
            return &kept->content;
        if (!read_head(packs, pack, &at, &type, &length, &base) || length > packs->object_max)
            return NULL;
        if (type <= PACK_TAG) {
            if (!unpack(packs, pack, at, length, content))
                return NULL;
            content->type = (enum pack_type)type;
            if (packs->chain->len > 0)
                keep(packs, pack, byte_offset, content);
            return content;
        }
        if (packs->chain->len >= CHAIN_MAX)
            return NULL;
        struct delta delta = {at, length, byte_offset};
        g_array_append_val(packs->chain, delta);
        byte_offset = base;
    }
}

bool packs_read(struct packs *packs, const unsigned char id[PACK_ID_SIZE], enum pack_type *type, struct view *bytes)
{
    size_t byte_offset = 0;
    const struct pack *pack = find(packs, id, &byte_offset);
    const struct content *content = pack != NULL ? read_base(packs, pack, byte_offset) : NULL;

    if (content == NULL)
        return false;
    for (guint i = packs->chain->len; i-- > 0;) {
        const struct delta *delta = &g_array_index(packs->chain, struct delta, i);
        struct content *result = &packs->result[content == &packs->result[0]];

        if (!unpack(packs, pack, delta->byte_offset, delta->length, &packs->delta) ||
            !apply(packs, content, (struct view){packs->delta.bytes, packs->delta.length}, result))
            return false;
        if (i > 0)
            keep(packs, pack, delta->object, result);
        content = result;
    }
    *type = content->type;
    *bytes = (struct view){content->bytes, content->length};
    return true;
}
