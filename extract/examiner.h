/* examiner: what one thread examines messages with: prefilter, message,
 * recognizer and imprint.
 */
#ifndef BENCHLORE_EXAMINER_H
#define BENCHLORE_EXAMINER_H

#include "extract/imprint.h"
#include "extract/prefilter.h"
#include "extract/recognize.h"

struct examiner_options {
    const struct conditions *conditions; /* of the grammars to recognize by */
    const struct prefilter *prefilter;   /* NULL: parse every message */
    bool warn_unknown;
    bool wants_blocks;                      /* in imprints */
    struct content_digest_kind digest_kind; /* of imprints */
};

struct examiner;

/* What options point to is borrowed. What is reported is kept in memory as
 * `like` would write it. */
struct examiner *examiner_new(const struct examiner_options *options, const struct diag *like);
void examiner_free(struct examiner *examiner);

/* Examine a message. True if there are observations in it: then imprint is
 * that of the message, of which nothing else is needed any more. */
bool examiner_read(struct examiner *examiner, const struct raw_message *raw, struct imprint *imprint)
    __attribute__((warn_unused_result));

/* Of the message: what was counted, and what was reported on it and on
 * recognizing it, to be handed on, or cleared, before the next one. */
const struct recognizer_counts *examiner_counts(const struct examiner *examiner);
struct diag *examiner_parsing(struct examiner *examiner);
struct diag *examiner_recognizing(struct examiner *examiner);

/* As recognizer_next, recognizer_gather and recognizer_found. */
const struct observation *examiner_observation(struct examiner *examiner);
void examiner_gather(struct examiner *examiner, struct findings *findings);
const struct found_message *examiner_found(const struct examiner *examiner);

#endif
