#include "extract/content.h"

#include "extract/footer.h"
#include "extract/from_line.h"

/* Goes through the lines that count, in all parts. */
struct cursor {
    const struct message *message;
    size_t next_part;
    struct view text; /* what is left of the part at hand */
    unsigned empty;   /* empty lines before the line in its part */
    struct view line;
};

static bool next_line(struct cursor *cursor)
{
    cursor->empty = 0;
    for (;;) {
        const char *end;
        size_t length;

        if (cursor->text.length == 0) {
            if (cursor->next_part == message_part_count(cursor->message))
                return false;
            cursor->text = message_part(cursor->message, cursor->next_part++)->text;
            cursor->text.length = footer_start(cursor->text);
            cursor->empty = 0; /* those at the end of a part do not count */
            continue;
        }
        end = memchr(cursor->text.bytes, '\n', cursor->text.length);
        length = end != NULL ? (size_t)(end - cursor->text.bytes) : cursor->text.length;
        cursor->line = view_slice(cursor->text, 0, length);
        cursor->text = view_slice(cursor->text, end != NULL ? length + 1 : length, cursor->text.length);
        while (cursor->line.length > 0 && g_ascii_isspace(cursor->line.bytes[cursor->line.length - 1]))
            cursor->line.length--;
        cursor->line = from_line_unescaped(cursor->line);
        if (cursor->line.length > 0)
            return true;
        cursor->empty++;
    }
}

static void digest_to_last(const struct message *message, unsigned char digest[CONTENT_DIGEST_SIZE])
{
    GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
    struct cursor cursor = {.message = message};
    guint8 whole[32];
    gsize size = sizeof whole;

    while (next_line(&cursor)) {
        for (unsigned i = 0; i < cursor.empty; i++)
            g_checksum_update(checksum, (const guchar *)"\n", 1);
        g_checksum_update(checksum, (const guchar *)cursor.line.bytes, (gssize)cursor.line.length);
        g_checksum_update(checksum, (const guchar *)"\n", 1);
    }
    g_checksum_get_digest(checksum, whole, &size);
    memcpy(digest, whole, CONTENT_DIGEST_SIZE);
    g_checksum_free(checksum);
}

static void digest_for_run(const struct message *message, uint64_t seed, unsigned char digest[CONTENT_DIGEST_SIZE])
{
    struct fingerprint *fingerprint = fingerprint_new(seed);
    struct cursor cursor = {.message = message};

    while (next_line(&cursor)) {
        for (unsigned i = 0; i < cursor.empty; i++)
            fingerprint_add(fingerprint, view_of(""));
        fingerprint_add(fingerprint, cursor.line);
    }
    fingerprint_end(fingerprint, digest);
}

void content_digest(const struct message *message, const struct content_digest_kind *kind,
                    unsigned char digest[CONTENT_DIGEST_SIZE])
{
    if (kind->lasts)
        digest_to_last(message, digest);
    else
        digest_for_run(message, kind->seed, digest);
}
