/* Outline. With several jobs the reader (the caller's thread) copies messages
 * into batches and hands them to the workers. A worker examines all messages
 * of a batch and keeps what it finds with them; the reader takes batches back
 * in the order that it read them, and goes on reading while the first one is
 * not done. How far ahead it reads is limited by the bytes held: messages that
 * wait and what was found in others. So a message that takes long keeps the
 * others waiting only once there is no more room for what they give.
 *
 * Each thread reports into memory; what is reported is handed on, message by
 * message, in the order of the messages.
 */
#include "extract/pipeline.h"

#include "extract/archive.h"
#include "extract/html.h"
#include "extract/source_list.h"

enum {
    BATCH_BYTES_MAX = 256 * 1024, /* a batch is closed once it has as many; fewer where much is found in them */
    BATCH_BYTES_MIN = 16 * 1024,
    FOUND_MAX = 256 * 1024, /* bytes that should be found in a batch: what a processor's cache holds */
    BATCH_MESSAGES = 64,
    HELD_MAX = 8 * 1024 * 1024, /* bytes in all batches, if there are enough for all workers */
    BATCHES_MAX = 4096,
    WAITING_MAX = 2,      /* for each worker */
    SPARE_MAX = HELD_MAX, /* bytes in batches that wait to be used again */
    FULL_MIN = 16,        /* messages with results in a row, until the next is thought to hold some, too */
};

/* What one thread examines messages with. */
struct worker {
    const struct pipeline_options *options;
    struct prefilter_scratch *scratch;
    struct recognizer *recognizer;
    struct recognizer_counts counted; /* by the recognizer before the message at hand */
    unsigned full;                    /* messages with results in a row */
    struct diag *parsing;             /* what was reported on the message */
    struct diag *recognizing;
};

/* A message in a batch, and what was found in it. */
struct slot {
    size_t start, length; /* in the batch's bytes */
    size_t source;        /* likewise; ends with NUL */
    uint64_t byte_offset;
    bool is_mail;
    char *tail; /* or NULL */
    bool has_grown;
    const struct imprint *imprint; /* among the batch's; NULL: nothing was found */
    struct recognizer_counts counts;
    struct diag *read;          /* NULL: nothing was reported */
    struct diag *recognized;    /* likewise */
    struct found_message found; /* in the batch's findings; only with an imprint */
};

struct batch {
    GString *bytes;
    GArray *slots;            /* of struct slot */
    struct findings findings; /* in all its messages */
    GPtrArray *imprints;      /* those of its messages, then those that wait to be used again */
    guint imprint_count;      /* in use */
    size_t found;             /* bytes that were found */
    size_t held;              /* bytes counted in the pipeline's held */
    bool done;                /* guarded by the pipeline's mutex */
};

struct pipeline {
    struct pipeline_options options;
    struct diag *diag;
    struct source_list *sources;
    struct archive *archive;
    bool at_end;
    size_t source;  /* the one that is read, from 1 */
    uint64_t bytes; /* of all messages read */
    struct recognizer_counts counts;

    /* with one job */
    struct worker *worker;
    struct imprint *imprint;
    struct raw_message raw;
    struct recognizer_counts counts_here; /* of the message */

    /* with several */
    struct diag *reading;
    GThread **threads;
    GAsyncQueue *waiting; /* batches for the workers; the pipeline itself: no more will come */
    GMutex mutex;
    GCond changed;
    GQueue *batches;     /* all, in order */
    GQueue *spare;       /* empty ones, to be used again */
    size_t spare_bytes;  /* that they held */
    size_t held;         /* guarded by the mutex */
    size_t batch_bytes;  /* of the next batch */
    struct batch *batch; /* the one whose messages are handed out */
    guint slot;          /* the message at hand, from 1 */
    struct found_cursor cursor;
};

/* ---- examining a message ---- */

static struct worker *worker_new(const struct pipeline_options *options, const struct diag *diag)
{
    struct worker *worker = g_new0(struct worker, 1);

    worker->options = options;
    worker->scratch = options->prefilter ? prefilter_scratch_new(options->prefilter) : NULL;
    worker->parsing = diag_new_buffer(diag);
    worker->recognizing = diag_new_buffer(diag);
    worker->recognizer = recognizer_new(options->conditions, options->warn_unknown, worker->recognizing);
    return worker;
}

static void worker_free(struct worker *worker)
{
    if (!worker)
        return;
    recognizer_free(worker->recognizer);
    prefilter_scratch_free(worker->scratch);
    diag_free(worker->parsing);
    diag_free(worker->recognizing);
    g_free(worker);
}

/* The counts with others added, or with others (no greater) taken off. */
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

static bool may_match(struct worker *worker, const struct raw_message *raw)
{
    const struct prefilter *prefilter = worker->options->prefilter;

    return !prefilter || prefilter_may_match(prefilter, raw, worker->scratch);
}

static void make_imprint(const struct worker *worker, const struct message *message, struct imprint *imprint)
{
    const struct observation *observation;

    imprint_begin(imprint, message, worker->options->state != NULL);
    while (worker->options->wants_blocks && (observation = recognizer_next(worker->recognizer)))
        imprint_add(imprint, observation);
    imprint_end(imprint);
    recognizer_rewind(worker->recognizer);
}

/* True if observations wait in the worker's recognizer; then imprint is that of
 * the message, of which nothing else is kept: what has to be done with its text
 * is done while it is at hand.
 * Where one message after the other holds results, the prefilter is asked only
 * about those that then turn out to hold none: a message that it would have
 * kept back is as if it had not been read. */
static bool examine(struct worker *worker, const struct raw_message *raw, struct recognizer_counts *counts,
                    struct imprint *imprint)
{
    struct message *message;
    bool is_late = worker->full >= FULL_MIN;

    *counts = (struct recognizer_counts){0};
    if (!is_late && !may_match(worker, raw)) {
        worker->full = 0;
        return false;
    }
    message = message_parse(raw, worker->parsing);
    recognizer_read(worker->recognizer, message, raw);
    *counts = combine(recognizer_counts(worker->recognizer), &worker->counted, false);
    worker->counted = *recognizer_counts(worker->recognizer);
    worker->full++;
    if (counts->observations > 0) {
        make_imprint(worker, message, imprint);
    } else {
        worker->full = 0;
        if (is_late && !may_match(worker, raw)) {
            *counts = (struct recognizer_counts){0};
            diag_clear(worker->parsing);
            diag_clear(worker->recognizing);
        }
    }
    message_free(message);
    return counts->observations > 0;
}

/* ---- batches ---- */

static void free_imprint(gpointer imprint)
{
    imprint_free(imprint);
}

static struct batch *batch_new(void)
{
    struct batch *batch = g_new0(struct batch, 1);

    batch->bytes = g_string_new(NULL);
    findings_init(&batch->findings);
    batch->imprints = g_ptr_array_new_with_free_func(free_imprint);
    batch->slots = g_array_new(FALSE, TRUE, sizeof(struct slot));
    return batch;
}

static void batch_clear(struct batch *batch)
{
    for (guint i = 0; i < batch->slots->len; i++) {
        struct slot *slot = &g_array_index(batch->slots, struct slot, i);

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

static void batch_free(struct batch *batch)
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

/* An empty batch: one that was used, if there is any, since its memory is at
 * hand. */
static struct batch *get_batch(struct pipeline *pipeline)
{
    struct batch *batch = g_queue_pop_tail(pipeline->spare);

    if (!batch)
        return batch_new();
    pipeline->spare_bytes -= batch->held;
    return batch;
}

/* Done with a batch: keep it, unless there is much memory in others. */
static void put_batch(struct pipeline *pipeline, struct batch *batch)
{
    if (!batch)
        return;
    if (pipeline->spare_bytes + batch->held > SPARE_MAX) {
        batch_free(batch);
        return;
    }
    batch_clear(batch);
    pipeline->spare_bytes += batch->held;
    g_queue_push_tail(pipeline->spare, batch);
}

static void free_batch(gpointer batch)
{
    batch_free(batch);
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

/* An imprint that the batch has, for the next message. */
static struct imprint *spare_imprint(struct batch *batch)
{
    if (batch->imprint_count == batch->imprints->len)
        g_ptr_array_add(batch->imprints, imprint_new());
    return g_ptr_array_index(batch->imprints, batch->imprint_count);
}

static struct raw_message slot_raw(const struct batch *batch, const struct slot *slot)
{
    return (struct raw_message){
        {batch->bytes->str + slot->start, slot->length},
        batch->bytes->str + slot->source,
        slot->byte_offset,
        slot->is_mail,
    };
}

static void examine_batch(struct worker *worker, struct batch *batch)
{
    size_t size = 0;

    recognizer_gather(worker->recognizer, &batch->findings);
    for (guint i = 0; i < batch->slots->len; i++) {
        struct slot *slot = &g_array_index(batch->slots, struct slot, i);
        const struct raw_message raw = slot_raw(batch, slot);
        struct imprint *imprint = spare_imprint(batch);

        if (examine(worker, &raw, &slot->counts, imprint)) {
            slot->found = *recognizer_found(worker->recognizer);
            slot->imprint = imprint;
            batch->imprint_count++;
            size += imprint_size(imprint);
        }
        keep_reports(worker->parsing, &slot->read);
        keep_reports(worker->recognizing, &slot->recognized);
    }
    recognizer_gather(worker->recognizer, NULL);
    batch->found = size + findings_size(&batch->findings);
    batch->held = batch->found + batch->bytes->allocated_len;
}

static gpointer run_worker(gpointer data)
{
    struct pipeline *pipeline = data;
    struct worker *worker = worker_new(&pipeline->options, pipeline->diag);
    gpointer item;

    while ((item = g_async_queue_pop(pipeline->waiting)) != pipeline) {
        struct batch *batch = item;
        size_t held = batch->held;

        examine_batch(worker, batch);
        g_mutex_lock(&pipeline->mutex);
        pipeline->held += batch->held - held;
        batch->done = true;
        g_cond_signal(&pipeline->changed);
        g_mutex_unlock(&pipeline->mutex);
    }
    worker_free(worker);
    return NULL;
}

/* ---- reading ---- */

/* The next message of all sources; false after the last. */
static bool read_message(struct pipeline *pipeline, struct diag *diag, struct raw_message *raw)
{
    while (!pipeline->at_end) {
        const char *source;

        if (pipeline->archive && archive_next(pipeline->archive, raw) == ARCHIVE_MESSAGE) {
            pipeline->bytes += raw->bytes.length;
            return true;
        }
        archive_free(pipeline->archive);
        pipeline->archive = NULL;
        source = source_list_next(pipeline->sources);
        pipeline->source++;
        if (source) {
            pipeline->archive = archive_open(source, diag);
            if (pipeline->options.state)
                archive_remember(pipeline->archive, pipeline->options.state);
        } else {
            pipeline->at_end = true;
        }
    }
    return false;
}

/* Read a batch, unless there is nothing more to read, and hand it to the
 * workers. What is reported behind the last message of all goes to diag at the
 * end. */
static void read_batch(struct pipeline *pipeline)
{
    struct batch *batch = get_batch(pipeline);
    struct raw_message raw;

    while (batch->slots->len < BATCH_MESSAGES && batch->bytes->len < pipeline->batch_bytes &&
           read_message(pipeline, pipeline->reading, &raw)) {
        struct slot slot = {.length = raw.bytes.length, .byte_offset = raw.byte_offset, .is_mail = raw.is_mail};

        slot.tail = g_strdup(archive_tail(pipeline->archive, &slot.has_grown));
        slot.start = batch->bytes->len;
        g_string_append_len(batch->bytes, raw.bytes.bytes, (gssize)raw.bytes.length);
        slot.source = batch->bytes->len;
        g_string_append_len(batch->bytes, raw.source, (gssize)strlen(raw.source) + 1);
        keep_reports(pipeline->reading, &slot.read);
        g_array_append_val(batch->slots, slot);
    }
    if (batch->slots->len == 0) {
        put_batch(pipeline, batch);
        return;
    }
    batch->held = batch->bytes->allocated_len;
    g_mutex_lock(&pipeline->mutex);
    pipeline->held += batch->held;
    g_mutex_unlock(&pipeline->mutex);
    g_queue_push_tail(pipeline->batches, batch);
    g_async_queue_push(pipeline->waiting, batch);
}

/* Is there room for another batch? Not while the workers have enough to do: what
 * will be found in those that wait can't be told. The mutex is held. */
static bool has_room(const struct pipeline *pipeline)
{
    guint count = g_queue_get_length(pipeline->batches);

    if (g_async_queue_length(pipeline->waiting) >= WAITING_MAX * (gint)pipeline->options.jobs)
        return false;
    return count <= pipeline->options.jobs || (pipeline->held < HELD_MAX && count < BATCHES_MAX);
}

/* Let the next batches have a size at which about as much is found as should be. */
static void size_batches(struct pipeline *pipeline, size_t found)
{
    if (found > FOUND_MAX)
        pipeline->batch_bytes = MAX(pipeline->batch_bytes / 2, (size_t)BATCH_BYTES_MIN);
    else if (found < FOUND_MAX / 4)
        pipeline->batch_bytes = MIN(pipeline->batch_bytes * 2, (size_t)BATCH_BYTES_MAX);
}

/* Take the next batch once it is done, and read on while it is not. */
static struct batch *next_batch(struct pipeline *pipeline)
{
    for (;;) {
        struct batch *first = g_queue_peek_head(pipeline->batches);
        bool read, done;

        g_mutex_lock(&pipeline->mutex);
        while (first && !first->done && (pipeline->at_end || !has_room(pipeline)))
            g_cond_wait(&pipeline->changed, &pipeline->mutex);
        done = first && first->done;
        read = !done && !pipeline->at_end;
        if (done)
            pipeline->held -= first->held;
        g_mutex_unlock(&pipeline->mutex);
        if (done) {
            size_batches(pipeline, first->found);
            return g_queue_pop_head(pipeline->batches);
        }
        if (!read)
            return NULL;
        read_batch(pipeline);
    }
}

/* ---- the interface ---- */

static void start_here(struct pipeline *pipeline)
{
    pipeline->worker = worker_new(&pipeline->options, pipeline->diag);
    pipeline->imprint = imprint_new();
}

static void start_workers(struct pipeline *pipeline)
{
    static const struct raw_message nothing = {{"", 0}, "", 0, true};

    /* What libraries set up once is set up before there are threads. */
    html_free(html_new(view_of("<p>")));
    message_free(message_parse(&nothing, pipeline->reading));
    pipeline->waiting = g_async_queue_new_full(NULL);
    pipeline->batches = g_queue_new();
    pipeline->spare = g_queue_new();
    pipeline->batch_bytes = BATCH_BYTES_MAX;
    g_mutex_init(&pipeline->mutex);
    g_cond_init(&pipeline->changed);
    pipeline->threads = g_new0(GThread *, pipeline->options.jobs);
    for (unsigned i = 0; i < pipeline->options.jobs; i++)
        pipeline->threads[i] = g_thread_new("worker", run_worker, pipeline);
}

static void stop_workers(struct pipeline *pipeline)
{
    gpointer item;

    /* Nobody wants what was not begun. */
    do
        item = g_async_queue_try_pop(pipeline->waiting);
    while (item);
    for (unsigned i = 0; i < pipeline->options.jobs; i++)
        g_async_queue_push(pipeline->waiting, pipeline);
    for (unsigned i = 0; i < pipeline->options.jobs; i++)
        g_thread_join(pipeline->threads[i]);
    g_free(pipeline->threads);
    g_async_queue_unref(pipeline->waiting);
    g_queue_free_full(pipeline->batches, free_batch);
    batch_free(pipeline->batch);
    g_queue_free_full(pipeline->spare, free_batch);
    g_mutex_clear(&pipeline->mutex);
    g_cond_clear(&pipeline->changed);
}

struct pipeline *pipeline_new(const struct pipeline_options *options, struct diag *diag)
{
    struct pipeline *pipeline = g_new0(struct pipeline, 1);

    g_assert(options->jobs >= 1 && options->jobs <= PIPELINE_JOBS_MAX);
    pipeline->options = *options;
    pipeline->diag = diag;
    pipeline->reading = diag_new_buffer(diag);
    pipeline->sources = source_list_new(options->sources, options->files0_from, pipeline->reading);
    if (options->jobs == 1)
        start_here(pipeline);
    else
        start_workers(pipeline);
    return pipeline;
}

void pipeline_free(struct pipeline *pipeline)
{
    if (!pipeline)
        return;
    if (pipeline->threads)
        stop_workers(pipeline);
    worker_free(pipeline->worker);
    imprint_free(pipeline->imprint);
    archive_free(pipeline->archive);
    source_list_free(pipeline->sources);
    diag_free(pipeline->reading);
    g_free(pipeline);
}

static bool next_here(struct pipeline *pipeline, const struct imprint **imprint)
{
    struct worker *worker = pipeline->worker;
    bool any;

    diag_clear(worker->recognizing);
    any = read_message(pipeline, pipeline->reading, &pipeline->raw);
    diag_hand_on(pipeline->reading, pipeline->diag);
    if (!any)
        return false;
    *imprint = examine(worker, &pipeline->raw, &pipeline->counts_here, pipeline->imprint) ? pipeline->imprint : NULL;
    diag_hand_on(worker->parsing, pipeline->diag);
    return true;
}

static struct slot *current_slot(const struct pipeline *pipeline)
{
    return &g_array_index(pipeline->batch->slots, struct slot, pipeline->slot - 1);
}

static bool next_of_batch(struct pipeline *pipeline, const struct imprint **imprint)
{
    const struct slot *slot;

    if (!pipeline->batch || pipeline->slot == pipeline->batch->slots->len) {
        put_batch(pipeline, pipeline->batch);
        pipeline->slot = 0;
        pipeline->batch = next_batch(pipeline);
        if (!pipeline->batch) {
            diag_hand_on(pipeline->reading, pipeline->diag);
            return false;
        }
    }
    pipeline->slot++;
    slot = current_slot(pipeline);
    if (slot->read)
        diag_hand_on(slot->read, pipeline->diag);
    *imprint = slot->imprint;
    if (slot->imprint)
        found_cursor_begin(&pipeline->cursor, &pipeline->batch->findings, &slot->found);
    return true;
}

bool pipeline_next(struct pipeline *pipeline, const struct imprint **imprint)
{
    bool any = pipeline->worker ? next_here(pipeline, imprint) : next_of_batch(pipeline, imprint);

    if (any && !*imprint)
        pipeline_accept(pipeline);
    return any;
}

struct raw_message pipeline_raw(const struct pipeline *pipeline)
{
    return pipeline->worker ? pipeline->raw : slot_raw(pipeline->batch, current_slot(pipeline));
}

const char *pipeline_tail(const struct pipeline *pipeline, bool *has_grown)
{
    const struct slot *slot;

    if (pipeline->worker)
        return archive_tail(pipeline->archive, has_grown);
    slot = current_slot(pipeline);
    *has_grown = slot->has_grown;
    return slot->tail;
}

void pipeline_accept(struct pipeline *pipeline)
{
    const struct slot *slot = pipeline->worker ? NULL : current_slot(pipeline);
    struct diag *recognizing = slot ? slot->recognized : pipeline->worker->recognizing;

    pipeline->counts = combine(&pipeline->counts, slot ? &slot->counts : &pipeline->counts_here, true);
    if (recognizing)
        diag_hand_on(recognizing, pipeline->diag);
}

const struct recognizer_counts *pipeline_counts(const struct pipeline *pipeline)
{
    return &pipeline->counts;
}

const struct observation *pipeline_observation(struct pipeline *pipeline)
{
    return pipeline->worker ? recognizer_next(pipeline->worker->recognizer) : found_cursor_next(&pipeline->cursor);
}

void pipeline_progress(const struct pipeline *pipeline, struct progress_state *state)
{
    state->source = pipeline->source;
    state->share = pipeline->archive ? archive_share(pipeline->archive) : 0;
    state->bytes = pipeline->bytes;
    state->results = pipeline->counts.results;
}
