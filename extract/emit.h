/* emit: from what a rule has captured to rows: texts, exact values, relations.
 *
 * The emitter holds what carries down in a passage: the grammar's variables
 * and the parameters of the open block.
 */
#ifndef BENCHLORE_EMIT_H
#define BENCHLORE_EMIT_H

#include "extract/finding.h"

enum { BINDING_MAX = RULE_CAPTURES_MAX };

/* What a capture holds, in the passage's text. */
struct binding {
    bool is_set;
    size_t start, end;
};

/* A rule's match whose rows are to be made. */
struct emission {
    const struct grammar *grammar;
    const struct rule *rule;
    struct view text;
    const struct passage *passage;
    const struct binding *binding; /* by the rule's captures */
    /* set by emitter_rows: */
    unsigned not_numbers; /* figures that are nan or inf */
    unsigned dropped;     /* figures that could not be placed */
    const char *why;      /* the last of them was dropped; static */
};

struct emitter;

struct emitter *emitter_new(struct findings *findings);
void emitter_free(struct emitter *emitter);

void emitter_begin_passage(struct emitter *emitter, const struct grammar *grammar);

/* Forget the variables of the block before, but for those that are kept. */
void emitter_begin_block(struct emitter *emitter);

/* A run of `each` matches, or of a table's cells, begins: the figures that
 * relations compare from one to the next. */
void emitter_begin_each(struct emitter *emitter);

/* Set one variable to a text that lives as long as the passage. */
void emitter_set_variable(struct emitter *emitter, unsigned variable, struct view text);

/* Set what the rule's captures and `set` lines set. */
void emitter_set_variables(struct emitter *emitter, const struct rule *rule, struct view text,
                           const struct binding *binding);

/* The rule's parameters, for the block or for the rule's own rows. */
void emitter_set_params(struct emitter *emitter, const struct rule *rule, struct view text,
                        const struct binding *binding, bool for_block);

/* Make the rows of one match and check the relations between them. */
void emitter_rows(struct emitter *emitter, struct emission *emission);

/* Check the relations over all rows of a block that ends. */
void emitter_check_block(struct emitter *emitter, const struct block *block, const struct found_block *found);

#endif
