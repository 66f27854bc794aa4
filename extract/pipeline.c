/* Outline. With several jobs messages are read into batches. A thread, the
 * caller's too, does whatever comes next: it reads a batch if no other thread
 * reads, and examines it itself, so that the bytes are at hand; as long as
 * others have nothing to do it reads more, for them. The caller's thread hands
 * out what was found in the order in which it was read, and works while that is
 * not there yet. How far ahead is read is limited by the bytes held: messages,
 * and what was found in those that can't be handed out yet. So a message that
 * takes long keeps the others waiting only once there is no more room.
 *
 * Where reading may wait for another program, or where what is read is noted in
 * a state, it is left to the caller's thread, which reads somewhat ahead: so
 * that ending never has to wait for a pipe.
 *
 * Each thread reports into memory; what is reported is handed on, message by
 * message, in the order of the messages.
 */
#include "extract/pipeline.h"

#include "extract/archive.h"
#include "extract/batch.h"
#include "extract/html.h"
#include "extract/source_list.h"

#include <unistd.h>

enum {
    BATCH_BYTES_MAX = 256 * 1024, /* a batch is closed once it has as many; fewer where much is found in them */
    BATCH_BYTES_MIN = 16 * 1024,
    FOUND_MAX = 96 * 1024, /* bytes that should be found in a batch: what a processor's cache holds beside the rest */
    BATCH_MESSAGES = 64,
    HELD_MAX = 8 * 1024 * 1024, /* bytes in all batches, if there are enough for all threads */
    BATCHES_MAX = 4096,
    ROOM_PIECE = 1536 * 1024, /* a thread's memory, that it is going to need about: pieces that malloc takes
                               * from the thread's heap */
    ROOM_PIECES = 3,
    SPARE_MAX = HELD_MAX, /* bytes in batches that wait to be used again */
};

struct pipeline {
    struct pipeline_options options;
    struct content_digest_kind digest_kind;
    struct diag *diag;
    struct examiner *examiner; /* of the caller's thread */
    struct recognizer_counts counts;

    /* of whoever reads */
    struct source_list *sources;
    struct archive *archive;
    bool at_end;
    size_t source;  /* the one that is read, from 1 */
    uint64_t bytes; /* of all messages read */
    struct diag *reading;

    /* with one job */
    struct raw_message raw;
    struct imprint *imprint;

    /* with several */
    bool reads_here;   /* nobody but the caller's thread reads */
    GThread **threads; /* the others: one less than jobs */
    GMutex mutex;      /* guards what follows, up to `batch` */
    GCond work;        /* for the others: there may be something to do */
    GCond changed;     /* for the caller's thread */
    GQueue batches;    /* all, in order */
    GQueue waiting;    /* of them, those that nobody has begun to examine */
    GQueue spare;      /* empty ones, to be used again */
    size_t spare_bytes, held;
    size_t batch_bytes; /* of the next batch */
    bool is_read;       /* a thread reads */
    bool ended;         /* all is read */
    bool stopped;       /* nothing more is wanted */
    unsigned idle;      /* of the others: they wait */
    bool sleeps;        /* the caller's thread waits */
    struct progress_state reached;
    gint64 noted; /* when that was so */

    struct batch *batch; /* the one whose messages are handed out */
    guint slot;          /* the message at hand, from 1 */
    struct found_cursor cursor;
};

/* ---- reading ---- */

/* The next message of all sources; false after the last. */
static bool read_message(struct pipeline *pipeline, struct raw_message *raw)
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
            pipeline->archive = archive_open(source, pipeline->reading);
            if (pipeline->options.state)
                archive_remember(pipeline->archive, pipeline->options.state);
        } else {
            pipeline->at_end = true;
        }
    }
    return false;
}

static struct progress_state reached(const struct pipeline *pipeline)
{
    return (struct progress_state){
        .source = pipeline->source,
        .share = pipeline->archive ? archive_share(pipeline->archive) : 0,
        .bytes = pipeline->bytes,
    };
}

/* Fill a batch of about so many bytes; it stays empty if all is read. What is
 * reported behind the last message is left where it is. */
static void fill_batch(struct pipeline *pipeline, struct batch *batch, size_t bytes)
{
    struct raw_message raw;

    while (batch->slots->len < BATCH_MESSAGES && batch->bytes->len < bytes && read_message(pipeline, &raw)) {
        bool has_grown = false;
        const char *tail = archive_tail(pipeline->archive, &has_grown);

        batch_add(batch, &raw, tail, has_grown, pipeline->reading);
    }
}

/* May reading wait for another program? */
static bool may_wait(const char *source)
{
    struct stat file;
    int result = strcmp(source, "-") == 0 ? fstat(STDIN_FILENO, &file) : stat(source, &file);

    return result == 0 && !S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode);
}

/* Is reading left to the caller's thread? */
static bool reads_here(const struct pipeline_options *options)
{
    if (options->state || options->files0_from) /* whose names nobody has seen */
        return true;
    for (char **source = options->sources; source && *source; source++)
        if (may_wait(*source))
            return true;
    return false;
}

/* ---- batches; the mutex is held ---- */

/* An empty batch: the one that was used last, if there is any, since its memory
 * is at hand. */
static struct batch *get_batch(struct pipeline *pipeline)
{
    struct batch *batch = g_queue_pop_tail(&pipeline->spare);

    if (!batch)
        return batch_new();
    pipeline->spare_bytes -= batch->held;
    return batch;
}

/* Done with a batch, which is empty: keep it, unless there is much memory in
 * others. */
static void put_batch(struct pipeline *pipeline, struct batch *batch)
{
    if (pipeline->spare_bytes + batch->held > SPARE_MAX) {
        batch_free(batch);
        return;
    }
    pipeline->spare_bytes += batch->held;
    g_queue_push_tail(&pipeline->spare, batch);
}

/* Is there room for another batch? */
static bool has_room(const struct pipeline *pipeline)
{
    guint count = g_queue_get_length((GQueue *)(uintptr_t)&pipeline->batches);

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

/* Should the thread read a batch, rather than examine one? */
static bool should_read(struct pipeline *pipeline, bool is_caller)
{
    /* one for each thread that waits, and one for this one; or so many more */
    guint wanted = pipeline->idle + (pipeline->reads_here ? pipeline->options.jobs : pipeline->sleeps + 1U);

    return !pipeline->is_read && !pipeline->ended && !pipeline->stopped && (is_caller || !pipeline->reads_here) &&
           g_queue_get_length(&pipeline->waiting) < wanted && has_room(pipeline);
}

/* Wake those who wait for what was read. */
static void wake(struct pipeline *pipeline)
{
    if (pipeline->ended) {
        g_cond_broadcast(&pipeline->work);
        g_cond_signal(&pipeline->changed);
    } else if (g_queue_get_length(&pipeline->waiting) <= pipeline->idle) {
        g_cond_signal(&pipeline->work);
    } else if (pipeline->sleeps) {
        g_cond_signal(&pipeline->changed);
    }
}

static void read_batch(struct pipeline *pipeline)
{
    struct batch *batch = get_batch(pipeline);
    size_t bytes = pipeline->batch_bytes;
    struct progress_state state = pipeline->reached;
    gint64 now = g_get_monotonic_time(), noted = pipeline->noted;

    pipeline->is_read = true;
    g_mutex_unlock(&pipeline->mutex);
    fill_batch(pipeline, batch, bytes);
    if (now - noted >= PROGRESS_INTERVAL / 2) { /* seldom, since it takes calls of the system */
        state = reached(pipeline);
        noted = now;
    }
    g_mutex_lock(&pipeline->mutex);
    pipeline->is_read = false;
    pipeline->reached = state;
    pipeline->noted = noted;
    if (batch->slots->len > 0) {
        pipeline->held += batch->held;
        g_queue_push_tail(&pipeline->batches, batch);
        g_queue_push_tail(&pipeline->waiting, batch);
    } else {
        pipeline->ended = true;
        put_batch(pipeline, batch);
    }
    wake(pipeline);
}

static void examine_batch(struct pipeline *pipeline, struct examiner *examiner, struct batch *batch)
{
    size_t held = batch->held;

    g_mutex_unlock(&pipeline->mutex);
    batch_examine(batch, examiner);
    g_mutex_lock(&pipeline->mutex);
    pipeline->held += batch->held - held;
    size_batches(pipeline, batch->found);
    batch->done = true;
    if (pipeline->sleeps && g_queue_peek_head(&pipeline->batches) == batch)
        g_cond_signal(&pipeline->changed);
}

/* Do what comes next; false if there is nothing to do at present. The mutex is
 * given up meanwhile. */
static bool do_next(struct pipeline *pipeline, struct examiner *examiner, bool is_caller)
{
    struct batch *batch;

    if (should_read(pipeline, is_caller)) {
        read_batch(pipeline);
        return true;
    }
    batch = g_queue_pop_head(&pipeline->waiting);
    if (!batch)
        return false;
    examine_batch(pipeline, examiner, batch);
    return true;
}

/* The next batch in order, once it is done; NULL after the last. */
static struct batch *next_batch(struct pipeline *pipeline)
{
    for (;;) {
        struct batch *first = g_queue_peek_head(&pipeline->batches);

        if (first && first->done) {
            pipeline->held -= first->held;
            (void)g_queue_pop_head(&pipeline->batches);
            if (pipeline->idle > 0 && should_read(pipeline, false))
                g_cond_signal(&pipeline->work);
            return first;
        }
        if (do_next(pipeline, pipeline->examiner, true))
            continue;
        if (!first && pipeline->ended)
            return NULL;
        pipeline->sleeps = true;
        g_cond_wait(&pipeline->changed, &pipeline->mutex);
        pipeline->sleeps = false;
    }
}

/* ---- threads ---- */

static struct examiner *new_examiner(const struct pipeline *pipeline)
{
    const struct examiner_options options = {
        .conditions = pipeline->options.conditions,
        .prefilter = pipeline->options.prefilter,
        .warn_unknown = pipeline->options.warn_unknown,
        .wants_blocks = pipeline->options.wants_blocks,
        .digest_kind = pipeline->digest_kind,
    };

    return examiner_new(&options, pipeline->diag);
}

/* A thread's heap grows page by page, each with a call of the system that stops
 * all threads for a moment: so it is made large at once, and stays so. */
static void take_room(void)
{
    void *pieces[ROOM_PIECES];

    for (size_t i = 0; i < ROOM_PIECES; i++)
        pieces[i] = g_malloc(ROOM_PIECE);
    for (size_t i = 0; i < ROOM_PIECES; i++)
        g_free(pieces[i]);
}

static gpointer run_thread(gpointer data)
{
    struct pipeline *pipeline = data;
    struct examiner *examiner;

    take_room();
    examiner = new_examiner(pipeline);

    g_mutex_lock(&pipeline->mutex);
    while (!pipeline->stopped) {
        if (do_next(pipeline, examiner, false))
            continue;
        if (pipeline->ended)
            break;
        pipeline->idle++;
        g_cond_wait(&pipeline->work, &pipeline->mutex);
        pipeline->idle--;
    }
    g_mutex_unlock(&pipeline->mutex);
    examiner_free(examiner);
    return NULL;
}

static void start_threads(struct pipeline *pipeline)
{
    static const struct raw_message nothing = {{"", 0}, "", 0, true};

    /* What libraries set up once is set up before there are threads. */
    html_free(html_new(view_of("<p>")));
    message_free(message_parse(&nothing, pipeline->reading));
    pipeline->reads_here = reads_here(&pipeline->options);
    pipeline->batch_bytes = BATCH_BYTES_MIN;
    g_mutex_init(&pipeline->mutex);
    g_cond_init(&pipeline->work);
    g_cond_init(&pipeline->changed);
    pipeline->threads = g_new0(GThread *, pipeline->options.jobs - 1);
    for (unsigned i = 0; i < pipeline->options.jobs - 1; i++)
        pipeline->threads[i] = g_thread_new("worker", run_thread, pipeline);
}

static void free_batches(GQueue *batches)
{
    struct batch *batch;

    while ((batch = g_queue_pop_head(batches)))
        batch_free(batch);
}

static void stop_threads(struct pipeline *pipeline)
{
    g_mutex_lock(&pipeline->mutex);
    pipeline->stopped = true;
    g_cond_broadcast(&pipeline->work);
    g_mutex_unlock(&pipeline->mutex);
    for (unsigned i = 0; i < pipeline->options.jobs - 1; i++)
        g_thread_join(pipeline->threads[i]);
    g_free(pipeline->threads);
    g_queue_clear(&pipeline->waiting);
    free_batches(&pipeline->batches);
    free_batches(&pipeline->spare);
    batch_free(pipeline->batch);
    g_mutex_clear(&pipeline->mutex);
    g_cond_clear(&pipeline->work);
    g_cond_clear(&pipeline->changed);
}

/* ---- the interface ---- */

struct pipeline *pipeline_new(const struct pipeline_options *options, struct diag *diag)
{
    struct pipeline *pipeline = g_new0(struct pipeline, 1);

    g_assert(options->jobs >= 1 && options->jobs <= PIPELINE_JOBS_MAX);
    pipeline->options = *options;
    pipeline->digest_kind = (struct content_digest_kind){.lasts = options->state != NULL, .seed = fingerprint_seed()};
    pipeline->diag = diag;
    pipeline->reading = diag_new_buffer(diag);
    pipeline->sources = source_list_new(options->sources, options->files0_from, pipeline->reading);
    if (options->jobs == 1)
        pipeline->imprint = imprint_new();
    else
        start_threads(pipeline);
    pipeline->examiner = new_examiner(pipeline);
    return pipeline;
}

void pipeline_free(struct pipeline *pipeline)
{
    if (!pipeline)
        return;
    if (pipeline->threads)
        stop_threads(pipeline);
    examiner_free(pipeline->examiner);
    imprint_free(pipeline->imprint);
    archive_free(pipeline->archive);
    source_list_free(pipeline->sources);
    diag_free(pipeline->reading);
    g_free(pipeline);
}

static bool next_here(struct pipeline *pipeline, const struct imprint **imprint)
{
    struct examiner *examiner = pipeline->examiner;
    bool any;

    diag_clear(examiner_recognizing(examiner));
    any = read_message(pipeline, &pipeline->raw);
    diag_hand_on(pipeline->reading, pipeline->diag);
    if (!any)
        return false;
    *imprint = examiner_read(examiner, &pipeline->raw, pipeline->imprint) ? pipeline->imprint : NULL;
    diag_hand_on(examiner_parsing(examiner), pipeline->diag);
    return true;
}

static struct slot *current_slot(const struct pipeline *pipeline)
{
    return batch_slot(pipeline->batch, pipeline->slot - 1);
}

static void take_batch(struct pipeline *pipeline)
{
    if (pipeline->batch)
        batch_clear(pipeline->batch);
    g_mutex_lock(&pipeline->mutex);
    if (pipeline->batch)
        put_batch(pipeline, pipeline->batch);
    pipeline->batch = next_batch(pipeline);
    g_mutex_unlock(&pipeline->mutex);
    pipeline->slot = 0;
}

static bool next_of_batch(struct pipeline *pipeline, const struct imprint **imprint)
{
    const struct slot *slot;

    if (!pipeline->batch || pipeline->slot == pipeline->batch->slots->len) {
        take_batch(pipeline);
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
    bool any = pipeline->threads ? next_of_batch(pipeline, imprint) : next_here(pipeline, imprint);

    if (any && !*imprint)
        pipeline_accept(pipeline);
    return any;
}

struct raw_message pipeline_raw(const struct pipeline *pipeline)
{
    return pipeline->threads ? batch_raw(pipeline->batch, current_slot(pipeline)) : pipeline->raw;
}

const char *pipeline_tail(const struct pipeline *pipeline, bool *has_grown)
{
    const struct slot *slot;

    if (!pipeline->threads)
        return archive_tail(pipeline->archive, has_grown);
    slot = current_slot(pipeline);
    *has_grown = slot->has_grown;
    return slot->tail;
}

void pipeline_accept(struct pipeline *pipeline)
{
    const struct slot *slot = pipeline->threads ? current_slot(pipeline) : NULL;
    struct diag *recognizing = slot ? slot->recognized : examiner_recognizing(pipeline->examiner);

    pipeline->counts =
        recognizer_counts_more(&pipeline->counts, slot ? &slot->counts : examiner_counts(pipeline->examiner));
    if (recognizing)
        diag_hand_on(recognizing, pipeline->diag);
}

const struct recognizer_counts *pipeline_counts(const struct pipeline *pipeline)
{
    return &pipeline->counts;
}

const struct observation *pipeline_observation(struct pipeline *pipeline)
{
    return pipeline->threads ? found_cursor_next(&pipeline->cursor) : examiner_observation(pipeline->examiner);
}

void pipeline_progress(struct pipeline *pipeline, struct progress_state *state)
{
    uint64_t messages = state->messages;

    if (pipeline->threads) {
        g_mutex_lock(&pipeline->mutex);
        *state = pipeline->reached;
        g_mutex_unlock(&pipeline->mutex);
    } else {
        *state = reached(pipeline);
    }
    state->messages = messages;
    state->results = pipeline->counts.results;
}
