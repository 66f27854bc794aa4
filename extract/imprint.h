/* imprint: what one message and its result blocks are known by, elsewhere.
 *
 * Of a block's figures only the order, the names and the values count, not
 * where they stand: a quoted, wrapped or flattened copy has the same imprint.
 * The message need not live on. An imprint belongs to one thread at a time.
 */
#ifndef BENCHLORE_IMPRINT_H
#define BENCHLORE_IMPRINT_H

#include "extract/attribution.h"
#include "extract/content.h"
#include "extract/message.h"
#include "extract/observation.h"

/* A run of three figures in a row, or all of a block that has fewer: a part
 * that a trimmed copy still has. Only of figures with enough digits: `0, 100,
 * 0` stands in everybody's results. */
enum { IMPRINT_RUN = 3 };

struct imprint_block {
    unsigned result; /* its ordinal in the message */
    unsigned quote_depth;
    unsigned digits;    /* significant ones, of all its figures; for how much can be told by them */
    uint64_t whole;     /* a digest of all figures */
    size_t first_run;   /* its runs in imprint_runs */
    size_t run_count;   /* none twice */
    size_t attribution; /* of a quoted block: see imprint_attribution */
};

struct imprint;

struct imprint *imprint_new(void);
void imprint_free(struct imprint *imprint);

/* Begin a message, with its id, digest, author and references; the imprint of
 * another is forgotten. The message must live until the end. */
void imprint_begin(struct imprint *imprint, const struct message *message, const struct content_digest_kind *kind);

/* Add the observations of the message, in their order; end after the last. */
void imprint_add(struct imprint *imprint, const struct observation *observation);
void imprint_end(struct imprint *imprint);

/* Of the message: its id, as message_id; and CONTENT_DIGEST_SIZE bytes, as
 * content_digest. */
const char *imprint_id(const struct imprint *imprint);
const unsigned char *imprint_digest(const struct imprint *imprint);

/* After the end: the blocks, and the digests of their runs, those of a block
 * in ascending order. */
size_t imprint_block_count(const struct imprint *imprint);
const struct imprint_block *imprint_block(const struct imprint *imprint, size_t index);
const uint64_t *imprint_runs(const struct imprint *imprint);

/* The attribution above a block (attribution.h); "": none was found. */
const char *imprint_attribution(const struct imprint *imprint, const struct imprint_block *block);

struct author imprint_author(const struct imprint *imprint);

/* The ordinal of the block that an observation is part of. */
unsigned imprint_result(const struct observation *observation);

/* The references of the message, the nearest first, as message_reference. */
size_t imprint_reference_count(const struct imprint *imprint);
const char *imprint_reference(const struct imprint *imprint, size_t index);

/* Bytes that the imprint holds, about. */
size_t imprint_size(const struct imprint *imprint);

#endif
