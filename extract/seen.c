/* seen: a table from a digest of the id to the digest of the content.
 *
 * A message that must share its id is entered under the unique id it gets, so
 * that its own copies are found there.
 */
#include "extract/seen.h"

enum { KEY_SIZE = 16 };

struct entry {
    unsigned char key[KEY_SIZE]; /* SHA-256 of the id, cut */
    unsigned char digest[MESSAGE_DIGEST_SIZE];
};

struct seen {
    GHashTable *entries; /* a set of struct entry, by key */
};

static guint entry_hash(gconstpointer pointer)
{
    guint hash;

    memcpy(&hash, ((const struct entry *)pointer)->key, sizeof hash);
    return hash;
}

static gboolean entry_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(((const struct entry *)a)->key, ((const struct entry *)b)->key, KEY_SIZE) == 0;
}

struct seen *seen_new(void)
{
    struct seen *seen = g_new0(struct seen, 1);

    seen->entries = g_hash_table_new_full(entry_hash, entry_equal, g_free, NULL);
    return seen;
}

void seen_free(struct seen *seen)
{
    if (seen == NULL)
        return;
    g_hash_table_unref(seen->entries);
    g_free(seen);
}

static void set_key(struct entry *entry, const char *id)
{
    GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
    guint8 whole[32];
    gsize size = sizeof whole;

    g_checksum_update(checksum, (const guchar *)id, (gssize)strlen(id));
    g_checksum_get_digest(checksum, whole, &size);
    g_checksum_free(checksum);
    memcpy(entry->key, whole, KEY_SIZE);
}

/* The entry of an id; made from digest, and *is_new set, if there is none. */
static const struct entry *find_or_add(struct seen *seen, const char *id,
                                       const unsigned char digest[MESSAGE_DIGEST_SIZE], bool *is_new)
{
    struct entry *entry = g_new(struct entry, 1);
    const struct entry *old;

    set_key(entry, id);
    memcpy(entry->digest, digest, MESSAGE_DIGEST_SIZE);
    old = g_hash_table_lookup(seen->entries, entry);
    *is_new = old == NULL;
    if (old == NULL) {
        g_hash_table_add(seen->entries, entry);
        return entry;
    }
    g_free(entry);
    return old;
}

bool seen_has(const struct seen *seen, const char *id)
{
    struct entry entry;

    set_key(&entry, id);
    return g_hash_table_contains(seen->entries, &entry);
}

enum seen_status seen_add(struct seen *seen, const char *id, const unsigned char digest[MESSAGE_DIGEST_SIZE],
                          GString *unique)
{
    bool is_new;
    const struct entry *entry = find_or_add(seen, id, digest, &is_new);
    gsize start = unique->len;

    if (is_new)
        return SEEN_NEW;
    if (memcmp(entry->digest, digest, MESSAGE_DIGEST_SIZE) == 0)
        return SEEN_SAME;
    g_string_append_printf(unique, "%s.", id);
    for (size_t i = 0; i < MESSAGE_DIGEST_SIZE; i++)
        g_string_append_printf(unique, "%02x", digest[i]);
    g_string_append(unique, "@benchlore.invalid");
    (void)find_or_add(seen, unique->str + start, digest, &is_new);
    if (is_new)
        return SEEN_OTHER;
    g_string_truncate(unique, start);
    return SEEN_SAME;
}

void seen_forget(struct seen *seen, const char *id)
{
    struct entry entry;

    set_key(&entry, id);
    g_hash_table_remove(seen->entries, &entry);
}
