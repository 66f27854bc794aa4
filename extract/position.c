#include "extract/position.h"

#include <time.h>

static const int64_t second = 1000 * 1000 * 1000;

void position_digest(struct view message, unsigned char digest[POSITION_DIGEST])
{
    size_t length = MIN(message.length, POSITION_TAIL);
    GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
    guint8 whole[32];
    gsize size = sizeof whole;

    g_checksum_update(checksum, (const guchar *)message.bytes + (message.length - length), (gssize)length);
    g_checksum_get_digest(checksum, whole, &size);
    g_checksum_free(checksum);
    memcpy(digest, whole, POSITION_DIGEST);
}

static int64_t nanoseconds(struct timespec time)
{
    return (int64_t)time.tv_sec * second + time.tv_nsec;
}

static int64_t now(void)
{
    struct timespec time = {0};

    (void)clock_gettime(CLOCK_REALTIME, &time);
    return nanoseconds(time);
}

void position_settle(struct position *position, const struct stat *file)
{
    position->size = (uint64_t)file->st_size;
    position->inode = (uint64_t)file->st_ino;
    position->modified = nanoseconds(file->st_mtim);
    position->changed = nanoseconds(file->st_ctim);
    position->settled = position->changed < now() - POSITION_SETTLED * second;
}

bool position_is_fresh(const struct stat *file)
{
    return nanoseconds(file->st_mtim) > now() - POSITION_DONE * second;
}

bool position_is_same(const struct position *position, const struct stat *file)
{
    return position->settled && position->size == (uint64_t)file->st_size &&
           position->inode == (uint64_t)file->st_ino && position->modified == nanoseconds(file->st_mtim) &&
           position->changed == nanoseconds(file->st_ctim);
}

void position_write(const struct position *position, GString *text)
{
    g_string_append_printf(text, "%c %d %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " ", (char)position->kind,
                           position->unescaped | position->uncounted << 1 | position->dateless << 2, position->start,
                           position->end);
    for (size_t i = 0; i < POSITION_DIGEST; i++)
        g_string_append_printf(text, "%02x", position->digest[i]);
    if (position->settled)
        g_string_append_printf(text,
                               " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
                               position->size, position->inode, position->modified, position->changed);
}

static bool read_digest(struct position *position, const char *text)
{
    if (strlen(text) != 2 * (size_t)POSITION_DIGEST)
        return false;
    for (size_t i = 0; i < POSITION_DIGEST; i++) {
        int high = g_ascii_xdigit_value(text[2 * i]);
        int low = g_ascii_xdigit_value(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        position->digest[i] = (unsigned char)(16 * high + low);
    }
    return true;
}

bool position_read(struct position *position, const char *text)
{
    char **words = g_strsplit(text, " ", -1);
    guint count = g_strv_length(words);
    struct position read = {0};
    guint64 habits = 0;
    bool good = (count == 5 || count == 9) && strlen(words[0]) == 1 && strchr("-mlw", words[0][0]) != NULL &&
                g_ascii_string_to_unsigned(words[1], 10, 0, 7, &habits, NULL) &&
                g_ascii_string_to_unsigned(words[2], 10, 0, UINT64_MAX, &read.start, NULL) &&
                g_ascii_string_to_unsigned(words[3], 10, read.start, UINT64_MAX, &read.end, NULL) &&
                read_digest(&read, words[4]);

    if (good && count == 9)
        good = g_ascii_string_to_unsigned(words[5], 10, 0, UINT64_MAX, &read.size, NULL) &&
               g_ascii_string_to_unsigned(words[6], 10, 0, UINT64_MAX, &read.inode, NULL) &&
               g_ascii_string_to_signed(words[7], 10, INT64_MIN, INT64_MAX, &read.modified, NULL) &&
               g_ascii_string_to_signed(words[8], 10, INT64_MIN, INT64_MAX, &read.changed, NULL);
    if (good) {
        read.kind = (enum position_kind)words[0][0];
        read.unescaped = (habits & 1) != 0;
        read.uncounted = (habits & 2) != 0;
        read.dateless = (habits & 4) != 0;
        read.settled = count == 9;
        *position = read;
    }
    g_strfreev(words);
    return good;
}
