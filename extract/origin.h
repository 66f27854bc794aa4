/* origin: which message of a run first posted what another quotes.
 *
 * Only what an earlier message posted itself, unquoted, can be an origin, and
 * it is looked for among the messages that the quoting one refers to, the
 * nearest first; only what none of these holds is looked for by its figures
 * alone, and there the message whose author the attribution names counts, else
 * the first one that posted them.
 *
 * Of each message with results its id is remembered, a digest of each of its
 * blocks, and of a sample of its runs of figures, so that most trimmed quotes
 * are found too: no more than 256 bytes for all but messages with dozens of
 * results. What is remembered is never taken for more than a sample: where it
 * does not tell, there is no origin.
 */
#ifndef BENCHLORE_ORIGIN_H
#define BENCHLORE_ORIGIN_H

#include "extract/imprint.h"

enum {
    ORIGIN_BLOCKS_MAX = 64,      /* blocks of a message that are known as a whole */
    ORIGIN_SAMPLE_MAX = 20,      /* runs of figures of a message that are known */
    ORIGIN_CANDIDATES_MAX = 128, /* messages that the blocks of one are compared with */
    ORIGIN_ID_MAX = 255,         /* bytes of a message's id; with a longer one it is not remembered */
};

struct origins;

struct origins *origins_new(void);
void origins_free(struct origins *origins);

/* Find out where the quoted blocks of a message come from, then remember what
 * it posts itself. Messages come in the order of the run; name is what the
 * dataset calls this one. */
void origins_place(struct origins *origins, const char *name, const struct imprint *imprint);

/* The id of the message that first posted the block that observation is part
 * of, of the message placed last; "" where it is not quoted, or not known.
 * Valid as long as origins. */
const char *origins_of(const struct origins *origins, const struct observation *observation);

/* What is remembered of a message goes from one run to the next as a record,
 * which means something only on machines of the same byte order. Append that
 * of the message placed last; false if nothing of it is remembered. */
bool origins_save(const struct origins *origins, GString *record);

/* Remember what a record says, after those that were saved before it. False:
 * it is none. */
bool origins_restore(struct origins *origins, struct view record) __attribute__((warn_unused_result));

/* What is remembered of the message of this name is no origin any more. */
void origins_forget(struct origins *origins, const char *name);

#endif
