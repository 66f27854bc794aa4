/* batch: messages that go from one thread to another together, and what was
 * found in them.
 *
 * A batch belongs to one thread at a time. Its memory is used again.
 */
#ifndef BENCHLORE_BATCH_H
#define BENCHLORE_BATCH_H

#include "extract/examiner.h"

/* A message, and what was found in it. */
struct slot {
    size_t start, length; /* in the batch's bytes */
    size_t source;        /* likewise; ends with NUL */
    uint64_t byte_offset;
    bool is_mail;
    char *tail; /* or NULL */
    bool has_grown;
    const struct imprint *imprint; /* NULL: nothing was found */
    struct recognizer_counts counts;
    struct diag *read;          /* what reading it gave rise to; NULL: nothing was reported */
    struct diag *recognized;    /* likewise */
    struct found_message found; /* in the batch's findings; only with an imprint */
};

struct batch {
    GString *bytes;           /* of all its messages */
    GArray *slots;            /* of struct slot */
    struct findings findings; /* in all its messages */
    GPtrArray *imprints;      /* those of its messages, then those that wait to be used again */
    guint imprint_count;      /* in use */
    size_t found;             /* bytes that were found */
    size_t held;              /* bytes in all, about */
    bool done;                /* it was examined */
};

struct batch *batch_new(void);
void batch_free(struct batch *batch);

/* Take all messages out. */
void batch_clear(struct batch *batch);

/* Copy a message into the batch. tail, has_grown: as archive_tail gives them;
 * what was reported goes into the batch with it. */
void batch_add(struct batch *batch, const struct raw_message *raw, const char *tail, bool has_grown,
               struct diag *reported);

/* Examine all messages of the batch; done stays as it is. */
void batch_examine(struct batch *batch, struct examiner *examiner);

static inline struct slot *batch_slot(const struct batch *batch, guint index)
{
    return &g_array_index(batch->slots, struct slot, index);
}

/* The message of a slot, valid until another is added. */
struct raw_message batch_raw(const struct batch *batch, const struct slot *slot);

#endif
