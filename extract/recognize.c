/* A message is read whole: its passages are scanned by every grammar whose
 * literals they hold, blocks are put in the order of their first lines and
 * numbered, then rows are handed out one by one as observations. */
#include "extract/recognize.h"

#include "extract/body.h"
#include "extract/caption.h"
#include "extract/condition.h"
#include "extract/scan.h"

struct recognizer {
    const GPtrArray *grammars; /* those of conditions */
    const struct conditions *conditions;
    struct condition_findings *literals; /* of the passage at hand */
    bool *may_match;                     /* by grammar: does the passage at hand hold its literals? */
    struct scanner *scanner;
    struct trace *trace; /* NULL: none is kept */
    struct findings findings;
    struct findings *gathered; /* whose findings these are, who holds the recognizer's own meanwhile; or NULL */
    struct found_message found;
    struct found_cursor cursor;
    struct place place;
    GPtrArray *bodies; /* of the message */
    struct passages *passages;
    struct recognizer_counts counts;
};

static void body_free_item(gpointer body)
{
    body_free(body);
}

struct recognizer *recognizer_new(const struct conditions *conditions, bool warn_unknown, struct diag *diag)
{
    struct recognizer *recognizer = g_new0(struct recognizer, 1);
    recognizer->grammars = conditions->grammars;
    recognizer->conditions = conditions;
    recognizer->literals = condition_findings_new(conditions);
    recognizer->may_match = g_new0(bool, conditions->grammars->len);
    findings_init(&recognizer->findings, 0);
    recognizer->scanner = scanner_new(&recognizer->findings, warn_unknown, diag);
    recognizer->bodies = g_ptr_array_new_with_free_func(body_free_item);
    recognizer->passages = passages_new();
    return recognizer;
}

void recognizer_free(struct recognizer *recognizer)
{
    if (!recognizer)
        return;
    condition_findings_free(recognizer->literals);
    g_free(recognizer->may_match);
    scanner_free(recognizer->scanner);
    findings_destroy(&recognizer->findings);
    passages_free(recognizer->passages);
    g_ptr_array_unref(recognizer->bodies);
    g_free(recognizer);
}

void recognizer_trace(struct recognizer *recognizer, struct trace *trace)
{
    recognizer->trace = trace;
    scanner_trace(recognizer->scanner, trace);
}

const char *recognizer_message_id(const struct recognizer *recognizer)
{
    return recognizer->place.message_id;
}

size_t recognizer_passage_count(const struct recognizer *recognizer)
{
    return recognizer->passages->count;
}

const struct passage *recognizer_passage(const struct recognizer *recognizer, size_t index)
{
    return passages_at(recognizer->passages, index);
}

/* Blocks of this passage get their captions, in the order of the text. */
static void set_captions(struct recognizer *recognizer, guint first_block, const struct passage *passage,
                         const bool *taken)
{
    struct captions *captions = captions_new(passage, taken);
    guint count = recognizer->findings.blocks->len - first_block;
    struct found_block **sorted = g_new(struct found_block *, count + 1);
    for (guint i = 0; i < count; i++) {
        struct found_block *block = found_block(&recognizer->findings, first_block + i);
        guint place = i;
        for (; place > 0 && sorted[place - 1]->start > block->start; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = block;
    }
    for (guint i = 0; i < count; i++) {
        struct view caption = captions_at(captions, passage_line_at(passage, sorted[i]->start), sorted[i]->has_title);
        sorted[i]->caption = findings_keep(&recognizer->findings, caption);
    }
    g_free(sorted);
    captions_free(captions);
}

static void read_passage(struct recognizer *recognizer, const struct passage *passage, unsigned part)
{
    struct view text = passage_view(passage, 0, passage->text->len);
    guint first_block = recognizer->findings.blocks->len;
    bool *taken = NULL;
    conditions_ask(recognizer->conditions, text, recognizer->literals, recognizer->may_match);
    for (guint g = 0; g < recognizer->grammars->len; g++) {
        const struct grammar *grammar = g_ptr_array_index(recognizer->grammars, g);
        if (!recognizer->may_match[g]) {
            if (recognizer->trace)
                trace_add(recognizer->trace,
                          (struct trace_event){.kind = TRACE_UNTRIED, .passage = passage, .grammar = grammar});
            continue;
        }
        if (!taken)
            taken = g_new0(bool, passage->lines->len + 1);
        scanner_scan(recognizer->scanner, grammar, passage, part, taken);
    }
    if (taken)
        set_captions(recognizer, first_block, passage, taken);
    g_free(taken);
}

static size_t block_source_line(const struct found_block *block)
{
    return passage_line(block->passage, passage_line_at(block->passage, block->start))->source_line;
}

static int compare_blocks(gconstpointer a, gconstpointer b, gpointer data)
{
    const struct recognizer *recognizer = data;
    const struct found_block *left = found_block(&recognizer->findings, *(const unsigned *)a);
    const struct found_block *right = found_block(&recognizer->findings, *(const unsigned *)b);
    if (left->part != right->part)
        return left->part < right->part ? -1 : 1;
    size_t left_line = block_source_line(left), right_line = block_source_line(right);
    if (left_line != right_line)
        return left_line < right_line ? -1 : 1;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return *(const unsigned *)a < *(const unsigned *)b ? -1 : *(const unsigned *)a > *(const unsigned *)b;
}

/* The blocks of the message, from first on, that have rows. */
static void number_blocks(struct recognizer *recognizer, unsigned first)
{
    struct findings *findings = &recognizer->findings;
    guint start = findings->order->len;
    for (unsigned i = first; i < findings->blocks->len; i++)
        if (found_block(findings, i)->row_count > 0)
            g_array_append_val(findings->order, i);
    guint count = findings->order->len - start;
    if (count > 0)
        g_qsort_with_data(&g_array_index(findings->order, unsigned, start), (gint)count, sizeof(unsigned),
                          compare_blocks, recognizer);
    for (guint i = 0; i < count; i++) {
        struct found_block *block = found_block(findings, g_array_index(findings->order, unsigned, start + i));
        block->result = findings_keep_number(findings, i + 1);
        block->tool = findings_keep(findings, view_of(block->grammar->name));
        block->quote_depth = findings_keep_number(findings, block->passage->quote_depth);
        block->section = findings_keep(findings, view_of(block->passage->section));
    }
    recognizer->found.first = start;
    recognizer->found.end = start + count;
}

static void count_rows(struct recognizer *recognizer, guint first)
{
    for (guint i = first; i < recognizer->findings.rows->len; i++) {
        const struct found_row *row = found_row(&recognizer->findings, i);
        recognizer->counts.checked += row->check != RESULT_UNCHECKED;
        recognizer->counts.mismatched += row->check == RESULT_MISMATCH;
    }
    recognizer->counts.observations += recognizer->findings.rows->len - first;
    recognizer->counts.results += recognizer->found.end - recognizer->found.first;
    const struct scan_counts *counts = scanner_counts(recognizer->scanner);
    recognizer->counts.not_numbers = counts->not_numbers;
    recognizer->counts.unknown_lines = counts->unknown_lines;
    recognizer->counts.dropped = counts->dropped;
}

void recognizer_read(struct recognizer *recognizer, const struct message *message, const struct raw_message *raw)
{
    recognizer->place = (struct place){raw->source, (int64_t)raw->byte_offset, message_id(message)};
    if (!recognizer->gathered)
        findings_clear(&recognizer->findings);
    guint first_block = recognizer->findings.blocks->len, first_row = recognizer->findings.rows->len;
    if (recognizer->trace)
        trace_clear(recognizer->trace);
    passages_clear(recognizer->passages);
    g_ptr_array_set_size(recognizer->bodies, 0);
    scanner_begin_message(recognizer->scanner, &recognizer->place);
    for (size_t p = 0; p < message_part_count(message); p++) {
        const struct part *part = message_part(message, p);
        struct body *body = body_new(part);
        guint first = recognizer->passages->count;
        g_ptr_array_add(recognizer->bodies, body);
        passages_add(recognizer->passages, part->section, body);
        for (guint i = first; i < recognizer->passages->count; i++)
            read_passage(recognizer, passages_at(recognizer->passages, i), (unsigned)p);
    }
    number_blocks(recognizer, first_block);
    count_rows(recognizer, first_row);
    recognizer->found.id = findings_keep(&recognizer->findings, view_of(message_id(message)));
    recognizer->found.date = findings_keep(&recognizer->findings, view_of(message_date(message)));
    recognizer_rewind(recognizer);
}

const struct observation *recognizer_next(struct recognizer *recognizer)
{
    return found_cursor_next(&recognizer->cursor);
}

void recognizer_rewind(struct recognizer *recognizer)
{
    found_cursor_begin(&recognizer->cursor, &recognizer->findings, &recognizer->found);
}

const struct found_message *recognizer_found(const struct recognizer *recognizer)
{
    return &recognizer->found;
}

static void swap_findings(struct findings *a, struct findings *b)
{
    struct findings swapped = *a;
    *a = *b;
    *b = swapped;
}

/* The scanner knows the recognizer's findings by their place: so what is there
 * is changed, not the place. */
void recognizer_gather(struct recognizer *recognizer, struct findings *findings)
{
    if (recognizer->gathered)
        swap_findings(&recognizer->findings, recognizer->gathered);
    recognizer->gathered = findings;
    if (findings)
        swap_findings(&recognizer->findings, findings);
    recognizer->found = (struct found_message){0};
    recognizer_rewind(recognizer);
}

const struct recognizer_counts *recognizer_counts(const struct recognizer *recognizer)
{
    return &recognizer->counts;
}

static struct recognizer_counts combine(const struct recognizer_counts *counts, const struct recognizer_counts *others,
                                        bool add)
{
    const uint64_t factor = add ? 1 : UINT64_MAX; /* -1 */

    return (struct recognizer_counts){
        .results = counts->results + factor * others->results,
        .observations = counts->observations + factor * others->observations,
        .checked = counts->checked + factor * others->checked,
        .mismatched = counts->mismatched + factor * others->mismatched,
        .not_numbers = counts->not_numbers + factor * others->not_numbers,
        .unknown_lines = counts->unknown_lines + factor * others->unknown_lines,
        .dropped = counts->dropped + factor * others->dropped,
    };
}

struct recognizer_counts recognizer_counts_more(const struct recognizer_counts *counts,
                                                const struct recognizer_counts *others)
{
    return combine(counts, others, true);
}

struct recognizer_counts recognizer_counts_less(const struct recognizer_counts *counts,
                                                const struct recognizer_counts *others)
{
    return combine(counts, others, false);
}
