/* trace: what rules took which text, or did not and why, kept for --explain.
 *
 * Events point into the passages and grammars of the message that was read
 * last; they are forgotten with it.
 */
#ifndef BENCHLORE_TRACE_H
#define BENCHLORE_TRACE_H

#include "extract/grammar.h"
#include "extract/passage.h"

enum trace_kind {
    TRACE_TAKEN,
    TRACE_NEAR_MISS, /* the rule matched from start to end and failed there */
    TRACE_NO_HEADER, /* a row of a table, but nothing above it says what its columns are */
    TRACE_HEADER,    /* names of a table's columns */
    TRACE_NOT_OPEN,  /* the rule would match, but its block is not open, or (`near`) none above it */
    TRACE_REMARK,    /* on what has become of a match */
    TRACE_UNTRIED,   /* the passage does not hold the grammar's literals; no rule */
};

struct trace_event {
    enum trace_kind kind;
    const struct passage *passage;
    const struct grammar *grammar;
    const struct rule *rule;
    size_t start, end; /* of the text taken, in the passage */
    unsigned columns;  /* of a row without a header */
    unsigned line;     /* of a remark: in the grammar file */
    char *text;        /* of what is taken `name=text name=text`, of a header the names; a block's name; a remark */
};

struct trace;

struct trace *trace_new(void);
void trace_free(struct trace *trace);
void trace_clear(struct trace *trace);

/* Add an event; text is taken over. */
void trace_add(struct trace *trace, struct trace_event event);

size_t trace_count(const struct trace *trace);
const struct trace_event *trace_event(const struct trace *trace, size_t index);

#endif
