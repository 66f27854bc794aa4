/* What a batch needs as a rule is made room for at once: to grow means to copy,
 * into memory that the system has to hand out first. */
#include "extract/batch.h"

enum {
    ROOM_BYTES = 64 * 1024,
    ROOM_ROWS = 512,
};

static void free_imprint(gpointer imprint)
{
    imprint_free(imprint);
}

struct batch *batch_new(void)
{
    struct batch *batch = g_new0(struct batch, 1);

    batch->bytes = g_string_sized_new(ROOM_BYTES);
    findings_init(&batch->findings, ROOM_ROWS);
    batch->imprints = g_ptr_array_new_with_free_func(free_imprint);
    batch->slots = g_array_new(FALSE, TRUE, sizeof(struct slot));
    return batch;
}

void batch_clear(struct batch *batch)
{
    for (guint i = 0; i < batch->slots->len; i++) {
        struct slot *slot = batch_slot(batch, i);

        diag_free(slot->read);
        diag_free(slot->recognized);
        g_free(slot->tail);
    }
    g_array_set_size(batch->slots, 0);
    g_string_truncate(batch->bytes, 0);
    findings_clear(&batch->findings);
    batch->imprint_count = 0;
    batch->done = false;
}

void batch_free(struct batch *batch)
{
    if (!batch)
        return;
    batch_clear(batch);
    g_string_free(batch->bytes, TRUE);
    g_array_free(batch->slots, TRUE);
    findings_destroy(&batch->findings);
    g_ptr_array_unref(batch->imprints);
    g_free(batch);
}

/* Move what was reported, if anything, to a buffer that is made when needed. */
static void keep_reports(struct diag *from, struct diag **to)
{
    if (diag_is_empty(from))
        return;
    if (!*to)
        *to = diag_new_buffer(from);
    diag_hand_on(from, *to);
}

void batch_add(struct batch *batch, const struct raw_message *raw, const char *tail, bool has_grown,
               struct diag *reported)
{
    struct slot slot = {
        .start = batch->bytes->len,
        .length = raw->bytes.length,
        .byte_offset = raw->byte_offset,
        .is_mail = raw->is_mail,
        .tail = g_strdup(tail),
        .has_grown = has_grown,
    };

    g_string_append_len(batch->bytes, raw->bytes.bytes, (gssize)raw->bytes.length);
    slot.source = batch->bytes->len;
    g_string_append_len(batch->bytes, raw->source, (gssize)strlen(raw->source) + 1);
    keep_reports(reported, &slot.read);
    g_array_append_val(batch->slots, slot);
    batch->held = batch->bytes->allocated_len;
}

struct raw_message batch_raw(const struct batch *batch, const struct slot *slot)
{
    return (struct raw_message){
        {batch->bytes->str + slot->start, slot->length},
        batch->bytes->str + slot->source,
        slot->byte_offset,
        slot->is_mail,
    };
}

/* An imprint that the batch has, for the next message. */
static struct imprint *spare_imprint(struct batch *batch)
{
    if (batch->imprint_count == batch->imprints->len)
        g_ptr_array_add(batch->imprints, imprint_new());
    return g_ptr_array_index(batch->imprints, batch->imprint_count);
}

void batch_examine(struct batch *batch, struct examiner *examiner)
{
    size_t size = 0;

    examiner_gather(examiner, &batch->findings);
    for (guint i = 0; i < batch->slots->len; i++) {
        struct slot *slot = batch_slot(batch, i);
        const struct raw_message raw = batch_raw(batch, slot);
        struct imprint *imprint = spare_imprint(batch);

        if (examiner_read(examiner, &raw, imprint)) {
            slot->found = *examiner_found(examiner);
            slot->imprint = imprint;
            batch->imprint_count++;
            size += imprint_size(imprint);
        }
        slot->counts = *examiner_counts(examiner);
        keep_reports(examiner_parsing(examiner), &slot->read);
        keep_reports(examiner_recognizing(examiner), &slot->recognized);
    }
    examiner_gather(examiner, NULL);
    batch->found = size + findings_size(&batch->findings);
    batch->held = batch->found + batch->bytes->allocated_len;
}
