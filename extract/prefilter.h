/* prefilter: may a message hold a result? Told from its raw bytes, fast.
 *
 * The literals that grammars declare (grammar_may_match) are looked for in the
 * bytes as they stand in the archive, and in what they stand for where they
 * are encoded. "No" is certain: message, body and passage cannot make a text of
 * the message in which a grammar's literals are. Where that can't be told
 * cheaply (HTML, rare character sets, DelSp, terminal escapes, odd structure)
 * the answer is "maybe", and the message must be parsed.
 */
#ifndef BENCHLORE_PREFILTER_H
#define BENCHLORE_PREFILTER_H

#include "extract/condition.h"
#include "extract/raw_message.h"

/* Immutable once made; threads share it. */
struct prefilter;

/* conditions are borrowed and must outlive the prefilter. */
struct prefilter *prefilter_new(const struct conditions *conditions);
void prefilter_free(struct prefilter *prefilter);

/* Room for decoded text; each thread has its own. */
struct prefilter_scratch;

struct prefilter_scratch *prefilter_scratch_new(const struct prefilter *prefilter);
void prefilter_scratch_free(struct prefilter_scratch *scratch);

bool prefilter_may_match(const struct prefilter *prefilter, const struct raw_message *raw,
                         struct prefilter_scratch *scratch);

#endif
