/* seen: a table from a fingerprint of the id to the digest of the content. */
#include "extract/seen.h"

enum { KEY_SIZE = FINGERPRINT_SIZE };

struct entry {
    unsigned char key[KEY_SIZE]; /* of the id */
    unsigned char digest[SEEN_DIGEST_SIZE];
};

struct seen {
    uint64_t seed;
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

    seen->seed = fingerprint_seed();
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

bool seen_has(const struct seen *seen, const char *id)
{
    struct entry entry;

    fingerprint_of(view_of(id), seen->seed, entry.key);
    return g_hash_table_contains(seen->entries, &entry);
}

enum seen_status seen_add(struct seen *seen, const char *id, const unsigned char digest[SEEN_DIGEST_SIZE])
{
    struct entry entry;
    const struct entry *old;

    fingerprint_of(view_of(id), seen->seed, entry.key);
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

    fingerprint_of(view_of(id), seen->seed, entry.key);
    g_hash_table_remove(seen->entries, &entry);
}
