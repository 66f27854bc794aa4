/* known: seen and origin, and the log of a state that brings both back.
 *
 * An entry of the log is a letter, what it says, and a check of both. The log
 * is read only when the first message with results comes: a run that finds
 * nothing new costs nothing.
 *
 * Of the last message of a file that may grow, a digest of each row is kept as
 * the tail of its place: if the message turns out to have been cut short when
 * it was read, its rows are compared with those written.
 */
#include "extract/known.h"

#include "extract/content.h"
#include "extract/seen.h"

enum {
    ENTRY_SEEN = 's',   /* the content_digest of a message, its name */
    ENTRY_ORIGIN = 'o', /* a record of origin */
    ENTRY_FORGET = 'f', /* the name of a message that is no longer known */
    CHECK_SIZE = 4,
};

struct known {
    struct state *state;
    struct diag *diag;
    bool loaded;
    struct seen *seen;
    GString *unique_id; /* of the message at hand, where its own is taken */
    struct origins *origins;
    GString *entry;
    /* of the message at hand */
    const char *name;    /* NULL: it is a copy, or has no results */
    char *tail;          /* NULL: it will not grow */
    GString *old, *new;  /* tails: a name, NUL, a digest of each row */
    GHashTable *written; /* digests in old to how often they are there; NULL: none */
};

struct known *known_new(struct state *state, struct diag *diag)
{
    struct known *known = g_new0(struct known, 1);

    known->state = state;
    known->diag = diag;
    known->seen = seen_new();
    known->unique_id = g_string_new(NULL);
    known->origins = origins_new();
    known->entry = g_string_new(NULL);
    known->old = g_string_new(NULL);
    known->new = g_string_new(NULL);
    return known;
}

static void end_tail(struct known *known)
{
    g_free(known->tail);
    known->tail = NULL;
    if (known->written != NULL)
        g_hash_table_unref(known->written);
    known->written = NULL;
}

void known_free(struct known *known)
{
    if (known == NULL)
        return;
    end_tail(known);
    seen_free(known->seen);
    g_string_free(known->unique_id, TRUE);
    origins_free(known->origins);
    g_string_free(known->entry, TRUE);
    g_string_free(known->old, TRUE);
    g_string_free(known->new, TRUE);
    g_free(known);
}

/* ---- the log ---- */

static uint32_t check_of(struct view text)
{
    uint32_t check = 0x811C9DC5U;

    for (size_t i = 0; i < text.length; i++)
        check = (check ^ (unsigned char)text.bytes[i]) * 0x01000193U;
    return check;
}

static void begin_entry(struct known *known, char letter)
{
    g_string_truncate(known->entry, 0);
    g_string_append_c(known->entry, letter);
}

static void log_entry(struct known *known)
{
    uint32_t check = check_of((struct view){known->entry->str, known->entry->len});

    g_string_append_len(known->entry, (const char *)&check, CHECK_SIZE);
    state_log(known->state, (struct view){known->entry->str, known->entry->len});
}

static void log_seen(struct known *known, const unsigned char digest[CONTENT_DIGEST_SIZE], const char *name)
{
    if (known->state == NULL)
        return;
    begin_entry(known, ENTRY_SEEN);
    g_string_append_len(known->entry, (const char *)digest, CONTENT_DIGEST_SIZE);
    g_string_append(known->entry, name);
    log_entry(known);
}

static void log_origin(struct known *known)
{
    if (known->state == NULL)
        return;
    begin_entry(known, ENTRY_ORIGIN);
    if (origins_save(known->origins, known->entry))
        log_entry(known);
}

static void forget(struct known *known, const char *name)
{
    seen_forget(known->seen, name);
    origins_forget(known->origins, name);
}

/* Do again what an entry of the log says; false if it is none. */
static bool replay(struct known *known, struct view entry)
{
    uint32_t check;

    if (entry.length <= 1 + CHECK_SIZE)
        return false;
    entry.length -= CHECK_SIZE;
    memcpy(&check, entry.bytes + entry.length, CHECK_SIZE);
    if (check != check_of(entry))
        return false;

    struct view rest = view_slice(entry, 1, entry.length);
    switch (entry.bytes[0]) {
    case ENTRY_SEEN: {
        unsigned char digest[CONTENT_DIGEST_SIZE];

        if (rest.length < CONTENT_DIGEST_SIZE)
            return false;
        memcpy(digest, rest.bytes, CONTENT_DIGEST_SIZE);
        g_string_truncate(known->new, 0);
        g_string_append_len(known->new, rest.bytes + CONTENT_DIGEST_SIZE, (gssize)(rest.length - CONTENT_DIGEST_SIZE));
        return seen_add(known->seen, known->new->str, digest) == SEEN_NEW;
    }
    case ENTRY_ORIGIN:
        return origins_restore(known->origins, rest);
    case ENTRY_FORGET:
        g_string_truncate(known->new, 0);
        g_string_append_len(known->new, rest.bytes, (gssize)rest.length);
        forget(known, known->new->str);
        return true;
    default:
        return false;
    }
}

static void load(struct known *known)
{
    struct view entry;

    known->loaded = true;
    while (state_replay(known->state, &entry))
        if (!replay(known, entry))
            state_fail(known->state, "it is damaged");
}

/* ---- tails ---- */

enum { ROW_DIGEST = 8 };

static guint digest_hash(gconstpointer pointer)
{
    guint hash;

    memcpy(&hash, pointer, sizeof hash);
    return hash;
}

static gboolean digest_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, ROW_DIGEST) == 0;
}

static guint count_of(const struct known *known, const char *digest)
{
    return known->written != NULL ? GPOINTER_TO_UINT(g_hash_table_lookup(known->written, digest)) : 0;
}

/* The message was read before, when it was shorter: now it is as if it had not
 * been, but for the rows that were written. */
static void take_back(struct known *known)
{
    size_t name_length;

    if (!state_find_tail(known->state, known->tail, known->old))
        return;
    name_length = strlen(known->old->str);
    begin_entry(known, ENTRY_FORGET);
    g_string_append_len(known->entry, known->old->str, (gssize)name_length);
    log_entry(known);
    forget(known, known->old->str);

    known->written = g_hash_table_new(digest_hash, digest_equal);
    for (size_t at = name_length + 1; at + ROW_DIGEST <= known->old->len; at += ROW_DIGEST) {
        char *digest = known->old->str + at;

        g_hash_table_insert(known->written, digest, GUINT_TO_POINTER(count_of(known, digest) + 1));
    }
}

/* A digest of what a row says of its figure: whether other figures agree, and
 * where it is quoted from, may be told by what stands below it. */
static void digest_row(const struct observation *row, char digest[ROW_DIGEST])
{
    GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
    guint8 whole[32];
    gsize size = sizeof whole;

    for (unsigned column = 0; column < COLUMN_COUNT; column++) {
        if (column == COLUMN_CHECK || column == COLUMN_ORIGIN)
            continue;
        g_checksum_update(checksum, (const guchar *)row->field[column].bytes, (gssize)row->field[column].length);
        g_checksum_update(checksum, (const guchar *)"", 1);
    }
    g_checksum_get_digest(checksum, whole, &size);
    g_checksum_free(checksum);
    memcpy(digest, whole, ROW_DIGEST);
}

/* Say so if rows were written that the whole message has not. */
static void report_lost_rows(const struct known *known, const struct imprint *imprint)
{
    struct place place = {.source = known->tail, .byte_offset = -1};
    GHashTableIter iter;
    gpointer count;
    guint lost = 0;

    if (imprint != NULL)
        place.message_id = imprint_id(imprint);
    g_hash_table_iter_init(&iter, known->written);
    while (g_hash_table_iter_next(&iter, NULL, &count))
        lost += GPOINTER_TO_UINT(count);
    if (lost > 0)
        diag_report(known->diag, DIAG_NOTE, &place,
                    "the last run read this message when it was cut short: %u of the rows written then are not "
                    "in the whole of it",
                    lost);
}

/* ---- a message ---- */

void known_begin(struct known *known, const char *tail, bool has_grown)
{
    if (known->state != NULL && !known->loaded)
        load(known);
    known->name = NULL;
    known->tail = g_strdup(tail);
    if (tail != NULL && has_grown)
        take_back(known);
    g_string_truncate(known->new, 0);
}

/* The content_digest of a message that is read once more; all that is odd about
 * it has been reported. */
static void digest_again(const struct raw_message *raw, unsigned char digest[CONTENT_DIGEST_SIZE])
{
    static const struct content_digest_kind lasting = {.lasts = true};
    struct diag *silent = diag_new(NULL, true);
    struct message *message = message_parse(raw, silent);

    content_digest(message, &lasting, digest);
    message_free(message);
    diag_free(silent);
}

/* The id that a message gets whose own is taken. It is entered under that, so
 * that its own copies are found there. What is shown is for every machine, and
 * for programs to come, as what a state keeps. */
static void make_unique_id(struct known *known, const struct imprint *imprint, const struct raw_message *raw)
{
    unsigned char digest[CONTENT_DIGEST_SIZE];

    if (known->state != NULL)
        memcpy(digest, imprint_digest(imprint), sizeof digest);
    else
        digest_again(raw, digest);
    g_string_printf(known->unique_id, "%s.", imprint_id(imprint));
    for (size_t i = 0; i < CONTENT_DIGEST_SIZE; i++)
        g_string_append_printf(known->unique_id, "%02x", digest[i]);
    g_string_append(known->unique_id, "@benchlore.invalid");
}

const char *known_name(struct known *known, const struct imprint *imprint, const struct raw_message *raw)
{
    const unsigned char *digest = imprint_digest(imprint);

    known->name = imprint_id(imprint);
    if (!seen_has(known->seen, known->name))
        return known->name;
    known->name = NULL;
    if (seen_add(known->seen, imprint_id(imprint), digest) == SEEN_OTHER) {
        make_unique_id(known, imprint, raw);
        if (seen_add(known->seen, known->unique_id->str, digest) == SEEN_NEW) {
            known->name = known->unique_id->str;
            log_seen(known, digest, known->name);
        }
    }
    return known->name;
}

void known_find_origins(struct known *known, const struct imprint *imprint)
{
    origins_place(known->origins, known->name, imprint);
    log_origin(known);
}

const char *known_origin(const struct known *known, const struct observation *observation)
{
    return origins_of(known->origins, observation);
}

bool known_is_written(struct known *known, const struct observation *row)
{
    char digest[ROW_DIGEST];
    guint count;

    if (known->tail == NULL)
        return false;
    digest_row(row, digest);
    if (known->new->len == 0)
        g_string_append_len(known->new, known->name, (gssize)strlen(known->name) + 1);
    g_string_append_len(known->new, digest, ROW_DIGEST);
    count = count_of(known, digest);
    if (count > 0)
        g_hash_table_insert(known->written, digest, GUINT_TO_POINTER(count - 1)); /* keeps the key it has */
    return count > 0;
}

static void remember(struct known *known, const struct imprint *imprint)
{
    const char *id = imprint_id(imprint);

    if (seen_has(known->seen, id))
        return;
    (void)seen_add(known->seen, id, imprint_digest(imprint));
    log_seen(known, imprint_digest(imprint), id);
}

void known_end(struct known *known, const struct imprint *imprint, bool any)
{
    if (any)
        remember(known, imprint);
    if (known->written != NULL)
        report_lost_rows(known, imprint);
    if (known->tail != NULL)
        state_put_tail(known->state, known->tail, (struct view){known->new->str, known->new->len});
    end_tail(known);
}
