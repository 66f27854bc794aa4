/* recognize: grammars × the text of a message; next observation.
 *
 * A recognizer belongs to one thread; the grammars are shared.
 */
#ifndef BENCHLORE_RECOGNIZE_H
#define BENCHLORE_RECOGNIZE_H

#include "extract/condition.h"
#include "extract/finding.h"
#include "extract/message.h"
#include "extract/observation.h"
#include "extract/trace.h"

struct recognizer;

/* What was seen, for the summary. */
struct recognizer_counts {
    uint64_t results; /* result blocks */
    uint64_t observations;
    uint64_t checked;       /* observations that take part in a relation */
    uint64_t mismatched;    /* of these, those where one fails */
    uint64_t not_numbers;   /* figures printed as nan or inf */
    uint64_t unknown_lines; /* lines inside blocks that no rule explains */
    uint64_t dropped;       /* figures found, but not placed with certainty */
};

/* Recognizes by the grammars of conditions; these and diag are borrowed. With
 * warn_unknown, every unknown line is reported. */
struct recognizer *recognizer_new(const struct conditions *conditions, bool warn_unknown, struct diag *diag);
void recognizer_free(struct recognizer *recognizer);

/* Fill trace (borrowed) anew with every message that is read. */
void recognizer_trace(struct recognizer *recognizer, struct trace *trace);

/* Read a message (borrowed until the next call); raw says where it came from. */
void recognizer_read(struct recognizer *recognizer, const struct message *message, const struct raw_message *raw);

/* The next observation of the message, by result and within it in the order of
 * the text; NULL after the last. Valid until the next call. */
const struct observation *recognizer_next(struct recognizer *recognizer);

/* Hand over what was found in the message, with its observations: the
 * recognizer has none left. For findings_destroy; what is found borrows from
 * the grammars. */
struct findings recognizer_take(struct recognizer *recognizer);

/* Begin again with the first observation of the message. */
void recognizer_rewind(struct recognizer *recognizer);

/* The message that was read last, as passages, by part and quote depth. */
const char *recognizer_message_id(const struct recognizer *recognizer);
size_t recognizer_passage_count(const struct recognizer *recognizer);
const struct passage *recognizer_passage(const struct recognizer *recognizer, size_t index);

const struct recognizer_counts *recognizer_counts(const struct recognizer *recognizer);

#endif
