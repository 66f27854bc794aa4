/* condition: the literals that grammars want, asked of a text all together.
 *
 * Of each grammar's condition some literals are its witnesses: where none of
 * them is, the condition does not hold. All witnesses are looked for in one
 * pass; the rest of a condition is asked only where one is found.
 */
#ifndef BENCHLORE_CONDITION_H
#define BENCHLORE_CONDITION_H

#include "extract/grammar.h"
#include "extract/search.h"

/* One item of a condition. */
struct condition_term {
    struct literal_item item; /* its text is a grammar's */
    struct view text;         /* what must be there of a literal; empty: nothing can be told */
    /* Where it holds characters beyond ASCII, and the text may be in a set that
     * has other bytes for them: this must be there of ASCII, and so many bytes
     * beyond it that follow each other. */
    struct view narrow;
    size_t wide;
};

/* Where a witness comes from. */
struct condition_owner {
    guint grammar;
    guint term;
};

/* Immutable once made; threads share it. */
struct conditions {
    const GPtrArray *grammars;
    GPtrArray *terms;         /* of GArray of struct condition_term, by grammar, in postfix */
    GArray *open;             /* of guint: grammars without witnesses */
    GArray *owners;           /* of struct condition_owner, by witness */
    struct search *witnesses; /* literals are in the order of owners */
};

/* grammars are borrowed and must outlive the conditions. */
struct conditions *conditions_new(const GPtrArray *grammars);
void conditions_free(struct conditions *conditions);

static inline const GArray *conditions_of(const struct conditions *conditions, guint grammar)
{
    return g_ptr_array_index(conditions->terms, grammar);
}

static inline struct condition_owner conditions_owner(const struct conditions *conditions, guint witness)
{
    return g_array_index(conditions->owners, struct condition_owner, witness);
}

/* The term that a witness is. */
static inline const struct condition_term *conditions_witness(const struct conditions *conditions, guint witness)
{
    struct condition_owner owner = conditions_owner(conditions, witness);

    return &g_array_index(conditions_of(conditions, owner.grammar), struct condition_term, owner.term);
}

/* Set may_match[g] for every grammar g: whether text, which is UTF-8, holds its
 * literals (grammar_may_match). */
void conditions_ask(const struct conditions *conditions, struct view text, bool *may_match);

#endif
