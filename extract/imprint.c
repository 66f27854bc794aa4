/* imprint: 64-bit digests of figures, of runs of figures and of whole blocks.
 *
 * The digest is FNV-1a with a final mix. Nobody gains anything by a forged one:
 * who wants to be taken for the first to post a figure can as well quote it.
 */
#include "extract/imprint.h"

/* Digits that a run must have to tell one message from another. */
enum { RUN_DIGITS = 6 };

struct imprint {
    GArray *blocks; /* of struct imprint_block */
    GArray *runs;   /* of uint64_t */
    GString *text;  /* the id, references and attributions, each ended by NUL; begins with NUL */
    const struct message *message;
    unsigned char digest[CONTENT_DIGEST_SIZE];
    struct author author;
    GArray *references; /* of size_t: where they begin in text */
    /* of the block at hand */
    uint64_t figures[IMPRINT_RUN]; /* digests of the last ones */
    unsigned digits[IMPRINT_RUN];
    size_t figure_count;
};

struct imprint *imprint_new(void)
{
    struct imprint *imprint = g_new0(struct imprint, 1);
    imprint->blocks = g_array_new(FALSE, FALSE, sizeof(struct imprint_block));
    imprint->runs = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    imprint->text = g_string_new(NULL);
    imprint->references = g_array_new(FALSE, FALSE, sizeof(size_t));
    return imprint;
}

void imprint_free(struct imprint *imprint)
{
    if (!imprint)
        return;
    g_array_unref(imprint->blocks);
    g_array_unref(imprint->runs);
    g_string_free(imprint->text, TRUE);
    g_array_unref(imprint->references);
    g_free(imprint);
}

static void append_text(struct imprint *imprint, const char *text)
{
    g_string_append_len(imprint->text, text, (gssize)strlen(text) + 1);
}

void imprint_begin(struct imprint *imprint, const struct message *message, const struct content_digest_kind *kind)
{
    g_array_set_size(imprint->blocks, 0);
    g_array_set_size(imprint->runs, 0);
    g_string_truncate(imprint->text, 0);
    g_string_append_c(imprint->text, '\0');
    append_text(imprint, message_id(message));
    g_array_set_size(imprint->references, 0);
    imprint->message = message;
    content_digest(message, kind, imprint->digest);
    imprint->author = attribution_author(message_author(message));
    imprint->figure_count = 0;
    for (size_t i = 0; i < message_reference_count(message); i++) {
        size_t start = imprint->text->len;
        g_array_append_val(imprint->references, start);
        append_text(imprint, message_reference(message, i));
    }
}

const char *imprint_id(const struct imprint *imprint)
{
    return imprint->text->str + 1;
}

const unsigned char *imprint_digest(const struct imprint *imprint)
{
    return imprint->digest;
}

/* ---- digests ---- */

static const uint64_t basis = 0xCBF29CE484222325U;
static const uint64_t prime = 0x100000001B3U;

static uint64_t add_view(uint64_t digest, struct view text)
{
    for (size_t i = 0; i < text.length; i++)
        digest = (digest ^ (unsigned char)text.bytes[i]) * prime;
    return (digest ^ 0xFF) * prime; /* no byte of UTF-8: ends the field */
}

/* FNV leaves the upper bits of short texts much alike. */
static uint64_t mix(uint64_t digest)
{
    digest = (digest ^ (digest >> 33)) * 0xFF51AFD7ED558CCDU;
    digest = (digest ^ (digest >> 33)) * 0xC4CEB9FE1A85EC53U;
    return digest ^ (digest >> 33);
}

static uint64_t add_digest(uint64_t digest, uint64_t other)
{
    return mix(digest * prime ^ other);
}

static uint64_t figure_digest(const struct observation *observation)
{
    static const enum column columns[] = {COLUMN_TOOL, COLUMN_METRIC, COLUMN_STAT, COLUMN_SERIES, COLUMN_VALUE};
    uint64_t digest = basis;
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        digest = add_view(digest, observation->field[columns[i]]);
    return mix(digest);
}

/* The significant digits of a figure as printed, 2 of `0.120`, 3 of `1230KiB` and 4 of `0m1.413s`:
 * a value in its base unit has digits that come from the unit. */
static unsigned count_digits(struct view text)
{
    unsigned digits = 0, zeros = 0;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.bytes[i];
        if (c == '0')
            zeros += digits > 0;
        else if (g_ascii_isdigit(c)) {
            digits += zeros + 1;
            zeros = 0;
        }
    }
    return digits;
}

/* ---- blocks ---- */

static struct imprint_block *last_block(struct imprint *imprint)
{
    return imprint->blocks->len > 0 ? &g_array_index(imprint->blocks, struct imprint_block, imprint->blocks->len - 1)
                                    : NULL;
}

static unsigned number_of(struct view text)
{
    unsigned number = 0;
    for (size_t i = 0; i < text.length && g_ascii_isdigit(text.bytes[i]); i++)
        number = 10 * number + (unsigned)(text.bytes[i] - '0');
    return number;
}

/* The last figures, length of them, as a run. */
static void add_run(struct imprint *imprint, size_t length)
{
    uint64_t digest = basis;
    unsigned digits = 0;
    for (size_t i = imprint->figure_count - length; i < imprint->figure_count; i++) {
        digest = add_digest(digest, imprint->figures[i % IMPRINT_RUN]);
        digits += imprint->digits[i % IMPRINT_RUN];
    }
    if (digits >= RUN_DIGITS)
        g_array_append_val(imprint->runs, digest);
}

static int compare_digests(gconstpointer a, gconstpointer b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void end_block(struct imprint *imprint)
{
    struct imprint_block *block = last_block(imprint);
    if (!block)
        return;
    if (imprint->figure_count < IMPRINT_RUN)
        add_run(imprint, imprint->figure_count);
    uint64_t *runs = (uint64_t *)(void *)imprint->runs->data + block->first_run;
    size_t count = imprint->runs->len - block->first_run, kept = 0;
    if (count > 0)
        qsort(runs, count, sizeof *runs, compare_digests);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || runs[kept - 1] != runs[i])
            runs[kept++] = runs[i];
    block->run_count = kept;
    g_array_set_size(imprint->runs, (guint)(block->first_run + kept));
    imprint->figure_count = 0;
}

/* The attribution above the block that begins with the observation; where it
 * is in the text. */
static size_t find_attribution(struct imprint *imprint, const struct observation *observation, unsigned depth)
{
    const size_t start = imprint->text->len;

    for (size_t i = 0; i < message_part_count(imprint->message); i++) {
        const struct part *part = message_part(imprint->message, i);

        if (!view_is(observation->field[COLUMN_PART], part->section))
            continue;
        attribution_find(part->text, number_of(observation->field[COLUMN_LINE]), depth, imprint->text);
        break;
    }
    if (imprint->text->len == start)
        return 0;
    g_string_append_c(imprint->text, '\0');
    return start;
}

void imprint_add(struct imprint *imprint, const struct observation *observation)
{
    unsigned result = imprint_result(observation);
    struct imprint_block *block = last_block(imprint);
    if (!block || block->result != result) {
        end_block(imprint);
        struct imprint_block fresh = {.result = result, .whole = basis, .first_run = imprint->runs->len};
        fresh.quote_depth = number_of(observation->field[COLUMN_QUOTE_DEPTH]);
        if (fresh.quote_depth > 0)
            fresh.attribution = find_attribution(imprint, observation, fresh.quote_depth);
        g_array_append_val(imprint->blocks, fresh);
        block = last_block(imprint);
    }
    size_t slot = imprint->figure_count++ % IMPRINT_RUN;
    imprint->figures[slot] = figure_digest(observation);
    imprint->digits[slot] = count_digits(observation->field[COLUMN_VALUE_TEXT]);
    block->whole = add_digest(block->whole, imprint->figures[slot]);
    block->digits += imprint->digits[slot];
    if (imprint->figure_count >= IMPRINT_RUN)
        add_run(imprint, IMPRINT_RUN);
}

void imprint_end(struct imprint *imprint)
{
    end_block(imprint);
    imprint->message = NULL;
}

const char *imprint_attribution(const struct imprint *imprint, const struct imprint_block *block)
{
    return imprint->text->str + block->attribution;
}

struct author imprint_author(const struct imprint *imprint)
{
    return imprint->author;
}

unsigned imprint_result(const struct observation *observation)
{
    return number_of(observation->field[COLUMN_RESULT]);
}

size_t imprint_block_count(const struct imprint *imprint)
{
    return imprint->blocks->len;
}

const struct imprint_block *imprint_block(const struct imprint *imprint, size_t index)
{
    return &g_array_index(imprint->blocks, struct imprint_block, index);
}

const uint64_t *imprint_runs(const struct imprint *imprint)
{
    return (const uint64_t *)(void *)imprint->runs->data;
}

size_t imprint_reference_count(const struct imprint *imprint)
{
    return imprint->references->len;
}

const char *imprint_reference(const struct imprint *imprint, size_t index)
{
    return imprint->text->str + g_array_index(imprint->references, size_t, index);
}

size_t imprint_size(const struct imprint *imprint)
{
    return imprint->blocks->len * sizeof(struct imprint_block) + imprint->runs->len * sizeof(uint64_t) +
           imprint->references->len * sizeof(size_t) + imprint->text->len;
}
