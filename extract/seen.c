/* seen: a table from a fingerprint of the id to the digest of the content. */
#include "extract/seen.h"

enum { KEY_SIZE = FINGERPRINT_SIZE };

struct entry {
    unsigned char key[KEY_SIZE]; /* of the id */
    unsigned char digest[SEEN_DIGEST_SIZE];
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
    struct fingerprint fingerprint = fingerprint_begin();

    fingerprint_add(&fingerprint, view_of(id));
    fingerprint_end(&fingerprint, entry->key);
}

bool seen_has(const struct seen *seen, const char *id)
{
    struct entry entry;

    set_key(&entry, id);
    return g_hash_table_contains(seen->entries, &entry);
}

enum seen_status seen_add(struct seen *seen, const char *id, const unsigned char digest[SEEN_DIGEST_SIZE])
{
    struct entry entry;
    const struct entry *old;

    set_key(&entry, id);
    old = g_hash_table_lookup(seen->entries, &entry);
    if (old != NULL)
        return memcmp(old->digest, digest, SEEN_DIGEST_SIZE) == 0 ? SEEN_SAME : SEEN_OTHER;
    memcpy(entry.digest, digest, SEEN_DIGEST_SIZE);
    g_hash_table_add(seen->entries, g_memdup2(&entry, sizeof entry));
    return SEEN_NEW;
}

void seen_forget(struct seen *seen, const char *id)
{
    struct entry entry;

    set_key(&entry, id);
    g_hash_table_remove(seen->entries, &entry);
}
