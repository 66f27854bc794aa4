/* emit: from what a rule has captured to rows: texts, exact values, relations.
 *
 * The emitter holds what carries down in a passage: the grammar's variables
 * and the parameters of the open block.
 */
#ifndef BENCHLORE_EMIT_H
#define BENCHLORE_EMIT_H

#include "extract/emission.h"

struct emitter;

struct emitter *emitter_new(struct findings *findings);
void emitter_free(struct emitter *emitter);

void emitter_begin_passage(struct emitter *emitter, const struct grammar *grammar);

/* Forget the variables of the block before, but for those that are kept. */
void emitter_begin_block(struct emitter *emitter);

/* A run of `each` matches, or of a table's cells, begins: the figures that
 * relations compare from one to the next. */
void emitter_begin_each(struct emitter *emitter);

/* A match of a run of `each`: it adds to the lists whose variables it captures;
 * the other lists are set to the text whose turn it is. */
void emitter_next_each(struct emitter *emitter, const struct rule *rule, struct view text,
                       const struct binding *binding);

/* Have the lists no text for another match of the run? */
bool emitter_lists_end(const struct emitter *emitter);

/* Set one variable to a text that lives as long as the passage. */
void emitter_set_variable(struct emitter *emitter, unsigned variable, struct view text);

/* The text that a variable is set to; bytes are NULL where it is not set. */
struct view emitter_variable(const struct emitter *emitter, unsigned variable);

/* Set what the rule's captures and `set` lines set. */
void emitter_set_variables(struct emitter *emitter, const struct rule *rule, struct view text,
                           const struct binding *binding);

/* Whose rows parameters are for. */
enum param_scope {
    PARAMS_OF_BLOCK,
    PARAMS_OF_RULE,
    PARAMS_OF_EACH, /* beside those of the rule that it stands under */
};

/* The rule's parameters; those of the rule before, or of the `each` match
 * before, are forgotten. */
void emitter_set_params(struct emitter *emitter, const struct rule *rule, struct view text,
                        const struct binding *binding, enum param_scope scope);

/* Something to be said of a match: why it makes no row, or which relation fails. */
struct remark {
    unsigned line; /* in the grammar file */
    char *text;
};

/* Keep remarks from now on, or no longer. */
void emitter_keep_remarks(struct emitter *emitter, bool keep);

/* Those kept (of struct remark) since they were cleared last, by the emitter; NULL
 * if none are to be kept. To clear them set the size to 0. */
GArray *emitter_remarks(struct emitter *emitter);

/* Append what reason says. */
void reason_append(GString *out, const struct reason *reason);

/* Make the rows of one match and check the relations between them. */
void emitter_rows(struct emitter *emitter, struct emission *emission);

/* Check the relations over all rows of a block that ends. */
void emitter_check_block(struct emitter *emitter, const struct block *block, const struct found_block *found);

#endif
