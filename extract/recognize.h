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

/* The counts with others added, or with others (no greater) taken off. */
struct recognizer_counts recognizer_counts_more(const struct recognizer_counts *counts,
                                                const struct recognizer_counts *others);
struct recognizer_counts recognizer_counts_less(const struct recognizer_counts *counts,
                                                const struct recognizer_counts *others);

struct recognizer;

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

/* What was found in the message, for found_cursor_begin. */
const struct found_message *recognizer_found(const struct recognizer *recognizer);

/* From now on gather what is found in findings, behind what is there, message
 * by message; NULL: each message's alone, as at first. What is gathered borrows
 * from the grammars; it is findings' own once another call has ended that. */
void recognizer_gather(struct recognizer *recognizer, struct findings *findings);

/* Begin again with the first observation of the message. */
void recognizer_rewind(struct recognizer *recognizer);

/* The message that was read last, as passages, by part and quote depth. */
const char *recognizer_message_id(const struct recognizer *recognizer);
size_t recognizer_passage_count(const struct recognizer *recognizer);
const struct passage *recognizer_passage(const struct recognizer *recognizer, size_t index);

const struct recognizer_counts *recognizer_counts(const struct recognizer *recognizer);

#endif
