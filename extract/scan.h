/* scan: one grammar over one passage; what it finds goes to the findings.
 *
 * Grammars don't see each other: each reads the whole passage, so that a block
 * inside another tool's block is found as well.
 */
#ifndef BENCHLORE_SCAN_H
#define BENCHLORE_SCAN_H

#include "extract/diag.h"
#include "extract/finding.h"
#include "extract/trace.h"

struct scanner;

/* findings and diag are borrowed. */
struct scanner *scanner_new(struct findings *findings, bool warn_unknown, struct diag *diag);
void scanner_free(struct scanner *scanner);

/* Note in trace (borrowed) what is taken from now on, and what was missed
 * narrowly; NULL: nothing. */
void scanner_trace(struct scanner *scanner, struct trace *trace);

/* Forget what was learned from the last message (headers of tables). place is
 * named in diagnostics and must outlive the message's scans. */
void scanner_begin_message(struct scanner *scanner, const struct place *place);

/* Scan passage, part being its index in the message. taken has a byte for
 * every line of the passage, set where a rule took the line. */
void scanner_scan(struct scanner *scanner, const struct grammar *grammar, const struct passage *passage, unsigned part,
                  bool *taken);

const struct scan_counts *scanner_counts(const struct scanner *scanner);

#endif
