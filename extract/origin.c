/* origin: records of messages in an arena, found by id and by runs of figures.
 *
 * A record is packed bytes: struct head, links, digests, id, NUL. Its position
 * in the arena, counted in words of four bytes, fits into 32 bits and grows
 * with the run: the smaller one is the earlier message.
 *
 * The runs of figures that a record keeps are the smallest of the message's,
 * up to a bound (a bottom-k sketch): a run of a quoted block that is not above
 * the bound is in the record if, and only if, it is in the message. So the
 * share of a block that stands in a message is estimated without bias by the
 * runs that are not above the bound, and where there are none, nothing is
 * known.
 *
 * A message that is forgotten keeps its record, which nothing leads to any more:
 * positions are the same again when all records are restored in their order.
 *
 * Digests in records are cut to three bytes: a record is only compared with
 * when it is referred to, or when a longer digest has led to it.
 */
#include "extract/origin.h"

enum {
    WORD = 4,
    CHUNK_SIZE = 64 * 1024,
    TAG_SIZE = 3,
    LINKS_MAX = 4,   /* of a record, to the origins of what the message quotes */
    INDEXED_MAX = 3, /* runs by which a message is found by figures alone */
    POSTERS_MAX = 4, /* messages that a run leads to */
    PROBES_MAX = 64, /* of a table, before something counts as not there */
    /* What it takes where no reference vouches for the message: */
    ALONE_DIGITS = 8, /* for a block that is found as a whole */
    ALONE_RUNS = 2,   /* for one that is found in parts */
};

struct head {
    uint32_t bound; /* upper half of the largest run that may be in the sample */
    uint8_t link_count, block_count, sample_count;
    uint8_t is_forgotten;
    char author[2][TAG_SIZE]; /* the name and the address */
};

/* A table from 32 bits of a hash to positions; 0 is no position. */
struct slot {
    uint32_t key, position;
};

struct table {
    struct slot *slots;
    size_t capacity;
    size_t used;
};

struct origins {
    GPtrArray *chunks;
    size_t chunk_used; /* of the last one */
    struct table by_id, by_run;
    GArray *candidates; /* of uint32_t: what the blocks of the message at hand are compared with */
    GArray *found;      /* of uint32_t, by result - 1: their origins */
    GString *record;    /* of the message placed last, as it is saved; empty: none */
};

/* ---- tables ---- */

static void table_init(struct table *table)
{
    table->capacity = 64;
    table->used = 0;
    table->slots = g_new0(struct slot, table->capacity);
}

static struct slot *table_slot(const struct table *table, uint32_t key, size_t probe)
{
    uint64_t spread = (uint64_t)key * 0x9E3779B97F4A7C15U >> 32;
    size_t start = (size_t)(spread * table->capacity >> 32);
    return &table->slots[(start + probe) % table->capacity];
}

static void table_put(struct table *table, uint32_t key, uint32_t position)
{
    for (size_t probe = 0; probe < PROBES_MAX; probe++) {
        struct slot *slot = table_slot(table, key, probe);
        if (slot->position == 0) {
            *slot = (struct slot){key, position};
            table->used++;
            return;
        }
    }
}

static void table_add(struct table *table, uint32_t key, uint32_t position)
{
    if (table->used >= table->capacity / 5 * 4) {
        struct table larger = {.capacity = table->capacity / 2 * 3}; /* doubling would leave more of it empty */
        larger.slots = g_new0(struct slot, larger.capacity);
        for (size_t i = 0; i < table->capacity; i++)
            if (table->slots[i].position != 0)
                table_put(&larger, table->slots[i].key, table->slots[i].position);
        g_free(table->slots);
        *table = larger;
    }
    table_put(table, key, position);
}

/* ---- records ---- */

static char *record_place(const struct origins *origins, uint32_t position)
{
    size_t byte = (size_t)position * WORD;
    return (char *)g_ptr_array_index(origins->chunks, byte / CHUNK_SIZE) + byte % CHUNK_SIZE;
}

static const char *record_at(const struct origins *origins, uint32_t position)
{
    return record_place(origins, position);
}

static struct head record_head(const char *record)
{
    struct head head;
    memcpy(&head, record, sizeof head);
    return head;
}

static bool is_forgotten(const struct origins *origins, uint32_t position)
{
    return record_head(record_at(origins, position)).is_forgotten;
}

static uint32_t record_link(const char *record, unsigned index)
{
    uint32_t link;
    memcpy(&link, record + sizeof(struct head) + index * sizeof link, sizeof link);
    return link;
}

static const char *record_tags(const char *record)
{
    return record + sizeof(struct head) + record_head(record).link_count * sizeof(uint32_t);
}

static const char *record_id(const char *record)
{
    struct head head = record_head(record);
    return record_tags(record) + (size_t)(head.block_count + head.sample_count) * TAG_SIZE;
}

/* Room for a record; its position, or 0 where 32 bits are used up. */
static uint32_t allocate(struct origins *origins, size_t size)
{
    size = (size + WORD - 1) / WORD * WORD;
    if (origins->chunks->len == 0 || CHUNK_SIZE - origins->chunk_used < size) {
        if (origins->chunks->len >= UINT32_MAX / (CHUNK_SIZE / WORD))
            return 0;
        g_ptr_array_add(origins->chunks, g_malloc(CHUNK_SIZE));
        origins->chunk_used = origins->chunks->len == 1 ? WORD : 0;
    }
    size_t byte = (size_t)(origins->chunks->len - 1) * CHUNK_SIZE + origins->chunk_used;
    origins->chunk_used += size;
    return (uint32_t)(byte / WORD);
}

static void make_tag(uint64_t digest, char tag[TAG_SIZE])
{
    for (unsigned i = 0; i < TAG_SIZE; i++)
        tag[i] = (char)(unsigned char)(digest >> (8 * i) & 0xFF);
}

static uint32_t read_tag(const char tag[TAG_SIZE])
{
    uint32_t digest = 0;
    for (unsigned i = 0; i < TAG_SIZE; i++)
        digest |= (uint32_t)(unsigned char)tag[i] << (8 * i);
    return digest;
}

static bool has_tag(const char *tags, size_t count, uint64_t digest)
{
    char tag[TAG_SIZE];
    make_tag(digest, tag);
    for (size_t i = 0; i < count; i++)
        if (memcmp(tags + i * TAG_SIZE, tag, TAG_SIZE) == 0)
            return true;
    return false;
}

static uint32_t id_key(const char *id)
{
    uint64_t digest = 0xCBF29CE484222325U;
    for (; *id; id++)
        digest = (digest ^ (unsigned char)*id) * 0x100000001B3U;
    return (uint32_t)(digest ^ digest >> 32);
}

static uint32_t find_id(const struct origins *origins, const char *id)
{
    uint32_t key = id_key(id);
    for (size_t probe = 0; probe < PROBES_MAX; probe++) {
        const struct slot *slot = table_slot(&origins->by_id, key, probe);
        if (slot->position == 0)
            break;
        if (slot->key == key && !is_forgotten(origins, slot->position) &&
            strcmp(record_id(record_at(origins, slot->position)), id) == 0)
            return slot->position;
    }
    return 0;
}

/* The messages that are found by a run; how many they are. */
static size_t find_run(const struct origins *origins, uint64_t run, uint32_t positions[POSTERS_MAX])
{
    size_t count = 0;
    for (size_t probe = 0; probe < PROBES_MAX && count < POSTERS_MAX; probe++) {
        const struct slot *slot = table_slot(&origins->by_run, (uint32_t)run, probe);
        if (slot->position == 0)
            break;
        if (slot->key == (uint32_t)run && !is_forgotten(origins, slot->position))
            positions[count++] = slot->position;
    }
    return count;
}

struct origins *origins_new(void)
{
    struct origins *origins = g_new0(struct origins, 1);
    origins->chunks = g_ptr_array_new_with_free_func(g_free);
    table_init(&origins->by_id);
    table_init(&origins->by_run);
    origins->candidates = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    origins->found = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    origins->record = g_string_new(NULL);
    return origins;
}

void origins_free(struct origins *origins)
{
    if (!origins)
        return;
    g_ptr_array_unref(origins->chunks);
    g_free(origins->by_id.slots);
    g_free(origins->by_run.slots);
    g_array_unref(origins->candidates);
    g_array_unref(origins->found);
    g_string_free(origins->record, TRUE);
    g_free(origins);
}

/* ---- finding ---- */

static uint32_t candidate_at(const struct origins *origins, size_t index)
{
    return g_array_index(origins->candidates, uint32_t, index);
}

static void add_candidate(struct origins *origins, uint32_t position)
{
    if (position == 0 || is_forgotten(origins, position) || origins->candidates->len >= ORIGIN_CANDIDATES_MAX)
        return;
    for (guint i = 0; i < origins->candidates->len; i++)
        if (candidate_at(origins, i) == position)
            return;
    g_array_append_val(origins->candidates, position);
}

/* The messages referred to, then those that these quote from: many a mail
 * names no more than the one that it answers. */
static void collect_near(struct origins *origins, const struct imprint *imprint)
{
    for (size_t i = 0; i < imprint_reference_count(imprint); i++)
        add_candidate(origins, find_id(origins, imprint_reference(imprint, i)));
    guint direct = origins->candidates->len;
    for (guint i = 0; i < direct; i++) {
        const char *record = record_at(origins, candidate_at(origins, i));
        for (unsigned link = 0; link < record_head(record).link_count; link++)
            add_candidate(origins, record_link(record, link));
    }
}

static bool holds_whole(const char *record, const struct imprint_block *block)
{
    return has_tag(record_tags(record), record_head(record).block_count, block->whole);
}

/* Does the sample say that at least half of the block stands in the message? */
static bool holds_parts(const char *record, const struct imprint_block *block, const uint64_t *runs, size_t hits_min)
{
    struct head head = record_head(record);
    const char *sample = record_tags(record) + (size_t)head.block_count * TAG_SIZE;
    size_t known = 0, hits = 0;
    for (size_t i = 0; i < block->run_count && (uint32_t)(runs[i] >> 32) <= head.bound; i++) {
        known++;
        hits += has_tag(sample, head.sample_count, runs[i]);
    }
    return hits >= hits_min && 2 * hits >= known;
}

/* Does the attribution name the author of the message? */
static bool is_named(const char *record, const char *attribution)
{
    const struct head head = record_head(record);
    const struct author author = {read_tag(head.author[0]), read_tag(head.author[1])};
    return attribution_names(attribution, author);
}

/* How much speaks for a candidate; 0: it does not hold the block. alone: no
 * reference vouches for it. */
static unsigned rank(const char *record, const struct imprint_block *block, const uint64_t *runs, bool alone)
{
    if ((!alone || block->digits >= ALONE_DIGITS) && holds_whole(record, block))
        return 2;
    return holds_parts(record, block, runs, alone ? ALONE_RUNS : 1);
}

/* The first of the candidates that holds the block, as a whole if there is one;
 * where no reference vouches for them, of several the one that the attribution
 * names, if it names one. */
static uint32_t choose(const struct origins *origins, const struct imprint_block *block, const uint64_t *runs,
                       const char *attribution, bool alone)
{
    uint32_t best = 0;
    unsigned best_rank = 0;
    for (guint i = 0; i < origins->candidates->len; i++) {
        const char *record = record_at(origins, candidate_at(origins, i));
        unsigned of_this = rank(record, block, runs, alone);
        if (of_this > 0 && alone && is_named(record, attribution))
            of_this += 2;
        if (of_this > best_rank) {
            best = candidate_at(origins, i);
            best_rank = of_this;
        }
    }
    return best;
}

static int compare_positions(gconstpointer a, gconstpointer b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Messages that hold some run of a quoted block, the earliest first. */
static void collect_by_figures(struct origins *origins, const struct imprint *imprint)
{
    for (size_t b = 0; b < imprint_block_count(imprint); b++) {
        const struct imprint_block *block = imprint_block(imprint, b);
        for (size_t i = 0; i < block->run_count && block->quote_depth > 0; i++) {
            uint32_t positions[POSTERS_MAX];
            size_t count = find_run(origins, imprint_runs(imprint)[block->first_run + i], positions);
            for (size_t p = 0; p < count; p++)
                add_candidate(origins, positions[p]);
        }
    }
    g_array_sort(origins->candidates, compare_positions);
}

/* Compare the quoted blocks that still have no origin with the candidates. */
static void find_blocks(struct origins *origins, const struct imprint *imprint, bool alone)
{
    for (size_t b = 0; b < imprint_block_count(imprint); b++) {
        const struct imprint_block *block = imprint_block(imprint, b);
        uint32_t *found = &g_array_index(origins->found, uint32_t, block->result - 1);
        if (block->quote_depth > 0 && *found == 0)
            *found = choose(origins, block, imprint_runs(imprint) + block->first_run,
                            imprint_attribution(imprint, block), alone);
    }
}

/* ---- remembering ---- */

/* The origins of what the message quotes. */
static unsigned collect_links(const struct origins *origins, uint32_t links[LINKS_MAX])
{
    unsigned count = 0;
    for (guint i = 0; i < origins->found->len && count < LINKS_MAX; i++) {
        uint32_t position = g_array_index(origins->found, uint32_t, i);
        bool known = position == 0;
        for (unsigned link = 0; link < count; link++)
            known |= links[link] == position;
        if (!known)
            links[count++] = position;
    }
    return count;
}

/* Enter run into the sorted sample, which keeps the smallest ones; true if one
 * was left out. */
static bool sample_run(uint64_t sample[ORIGIN_SAMPLE_MAX], size_t *count, uint64_t run)
{
    size_t at = *count;
    while (at > 0 && sample[at - 1] > run)
        at--;
    if (at > 0 && sample[at - 1] == run)
        return false;
    if (at == ORIGIN_SAMPLE_MAX)
        return true;
    bool full = *count == ORIGIN_SAMPLE_MAX;
    *count += !full;
    memmove(&sample[at + 1], &sample[at], (*count - at - 1) * sizeof *sample);
    sample[at] = run;
    return full;
}

/* The record of a message without the runs it is found by. */
static void build(struct origins *origins, const char *name, const struct imprint *imprint,
                  uint64_t sample[ORIGIN_SAMPLE_MAX], size_t *sample_count)
{
    uint64_t wholes[ORIGIN_BLOCKS_MAX];
    uint32_t links[LINKS_MAX];
    size_t block_count = 0, id_length = strlen(name);
    unsigned link_count = collect_links(origins, links);
    bool cut = false;
    *sample_count = 0;
    for (size_t b = 0; b < imprint_block_count(imprint); b++) {
        const struct imprint_block *block = imprint_block(imprint, b);
        if (block->quote_depth > 0)
            continue;
        if (block_count < ORIGIN_BLOCKS_MAX)
            wholes[block_count++] = block->whole;
        for (size_t i = 0; i < block->run_count; i++)
            cut |= sample_run(sample, sample_count, imprint_runs(imprint)[block->first_run + i]);
    }
    if (block_count + link_count == 0 || id_length > ORIGIN_ID_MAX || find_id(origins, name) != 0)
        return;

    struct head head = {.bound = cut ? (uint32_t)(sample[*sample_count - 1] >> 32) : UINT32_MAX,
                        .link_count = (uint8_t)link_count,
                        .block_count = (uint8_t)block_count,
                        .sample_count = (uint8_t)*sample_count};
    struct author author = imprint_author(imprint);
    GString *record = origins->record;
    char tag[TAG_SIZE];
    make_tag(author.name, head.author[0]);
    make_tag(author.address, head.author[1]);
    g_string_append_len(record, (const char *)&head, sizeof head);
    g_string_append_len(record, (const char *)links, (gssize)(link_count * sizeof *links));
    for (size_t i = 0; i < block_count; i++) {
        make_tag(wholes[i], tag);
        g_string_append_len(record, tag, TAG_SIZE);
    }
    for (size_t i = 0; i < *sample_count; i++) {
        make_tag(sample[i], tag);
        g_string_append_len(record, tag, TAG_SIZE);
    }
    g_string_append_len(record, name, (gssize)id_length + 1);
}

/* Enter a record, and by count keys of runs; its position, or 0. */
static uint32_t enter(struct origins *origins, struct view record, const uint32_t *keys, size_t count)
{
    uint32_t position = allocate(origins, record.length);
    if (position == 0)
        return 0;
    memcpy(record_place(origins, position), record.bytes, record.length);
    table_add(&origins->by_id, id_key(record_id(record_at(origins, position))), position);
    for (size_t i = 0; i < count; i++)
        table_add(&origins->by_run, keys[i], position);
    return position;
}

static void remember(struct origins *origins, const char *name, const struct imprint *imprint)
{
    uint64_t sample[ORIGIN_SAMPLE_MAX];
    uint32_t keys[INDEXED_MAX];
    size_t sample_count, count = 0;
    build(origins, name, imprint, sample, &sample_count);
    if (origins->record->len == 0)
        return;
    /* A run that leads to earlier messages goes on doing so. */
    for (size_t i = 0; i < sample_count && count < INDEXED_MAX; i++) {
        uint32_t positions[POSTERS_MAX];
        if (find_run(origins, sample[i], positions) < POSTERS_MAX)
            keys[count++] = (uint32_t)sample[i];
    }
    if (enter(origins, (struct view){origins->record->str, origins->record->len}, keys, count) == 0)
        g_string_truncate(origins->record, 0);
    else
        g_string_append_len(origins->record, (const char *)keys, (gssize)(count * sizeof *keys));
}

void origins_place(struct origins *origins, const char *name, const struct imprint *imprint)
{
    size_t count = imprint_block_count(imprint);
    bool quotes = false;
    g_array_set_size(origins->found, 0);
    g_string_truncate(origins->record, 0);
    if (count == 0)
        return;
    g_array_set_size(origins->found, imprint_block(imprint, count - 1)->result);
    for (size_t b = 0; b < count; b++)
        quotes |= imprint_block(imprint, b)->quote_depth > 0;
    if (quotes) {
        g_array_set_size(origins->candidates, 0);
        collect_near(origins, imprint);
        find_blocks(origins, imprint, false);
        g_array_set_size(origins->candidates, 0);
        collect_by_figures(origins, imprint);
        find_blocks(origins, imprint, true);
    }
    remember(origins, name, imprint);
}

const char *origins_of(const struct origins *origins, const struct observation *observation)
{
    unsigned result = imprint_result(observation);
    uint32_t position = 0;
    if (result > 0 && result <= origins->found->len)
        position = g_array_index(origins->found, uint32_t, result - 1);
    return position != 0 ? record_id(record_at(origins, position)) : "";
}

/* ---- from one run to the next ---- */

bool origins_save(const struct origins *origins, GString *record)
{
    g_string_append_len(record, origins->record->str, (gssize)origins->record->len);
    return origins->record->len > 0;
}

bool origins_restore(struct origins *origins, struct view record)
{
    uint32_t keys[INDEXED_MAX];
    if (record.length <= sizeof(struct head))
        return false;
    struct head head = record_head(record.bytes);
    size_t fixed =
        sizeof head + head.link_count * sizeof(uint32_t) + (size_t)(head.block_count + head.sample_count) * TAG_SIZE;
    const char *end = fixed < record.length ? memchr(record.bytes + fixed, '\0', record.length - fixed) : NULL;
    if (!end || head.is_forgotten || end - record.bytes > (gssize)(fixed + ORIGIN_ID_MAX))
        return false;
    size_t length = (size_t)(end + 1 - record.bytes), rest = record.length - length;
    if (rest % sizeof *keys != 0 || rest > sizeof keys)
        return false;
    memcpy(keys, end + 1, rest);
    uint32_t position = enter(origins, view_slice(record, 0, length), keys, rest / sizeof *keys);
    for (unsigned link = 0; position != 0 && link < head.link_count; link++) {
        uint32_t target = record_link(record.bytes, link);
        if (target == 0 || target >= position)
            return false;
    }
    return true;
}

void origins_forget(struct origins *origins, const char *name)
{
    uint32_t position = find_id(origins, name);
    if (position != 0) {
        struct head head = record_head(record_at(origins, position));
        head.is_forgotten = true;
        memcpy(record_place(origins, position), &head, sizeof head);
    }
}
