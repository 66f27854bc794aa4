/* condition: the literals that grammars want, asked of texts all together.
 *
 * Literals that are rare in mail are looked for in one pass, those of each
 * grammar among them that it can't do without. Only where a condition holds if
 * all others were there, these are looked for, in a second pass.
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
    guint grammar;
    bool rare;
};

/* Immutable once made; threads share it. */
struct conditions {
    const GPtrArray *grammars;
    GArray *terms;                              /* of struct condition_term: by grammar, in postfix */
    GArray *first;                              /* of guint: of each grammar's terms; one more at the end */
    GArray *open;                               /* of guint: grammars without witnesses */
    GArray *rare, *common;                      /* of guint: terms of which something must be there */
    struct search *rare_search, *common_search; /* by the index there */
    bool loose;                                 /* of some literal only a piece is looked for */
};

/* What texts were found to hold. It is of one thread. */
struct condition_findings {
    bool any;      /* something was found of any grammar */
    bool *touched; /* by grammar: a rare term of it was found; else its condition does not hold */
    bool *present; /* by term */
};

/* grammars are borrowed and must outlive the conditions. */
struct conditions *conditions_new(const GPtrArray *grammars);
void conditions_free(struct conditions *conditions);

static inline const struct condition_term *conditions_term(const struct conditions *conditions, guint term)
{
    return &g_array_index(conditions->terms, struct condition_term, term);
}

/* What a term wants, where only a piece of its literal is looked for: what
 * stands beside the literal does not stand beside every piece. */
struct literal_item condition_item(const struct condition_term *term, struct view piece);

struct condition_findings *condition_findings_new(const struct conditions *conditions);
void condition_findings_free(struct condition_findings *findings);

/* Something of the grammar was found that its condition can't do without. */
static inline void condition_findings_touch(struct condition_findings *findings, guint grammar)
{
    findings->touched[grammar] = findings->any = true;
}

void condition_findings_clear(struct condition_findings *findings, const struct conditions *conditions);

/* Note the rare terms that text holds. */
void conditions_find_rare(const struct conditions *conditions, struct view text, struct condition_findings *findings);

/* With what rare terms were found, may any condition hold? Then the common ones
 * are worth a search. */
bool conditions_may_hold(const struct conditions *conditions, const struct condition_findings *findings);

void conditions_find_common(const struct conditions *conditions, struct view text, struct condition_findings *findings);

/* Does a grammar's condition hold with the terms that were found? */
bool conditions_hold(const struct conditions *conditions, guint grammar, const struct condition_findings *findings);

/* Set may_match[g] for every grammar g: whether text, which is UTF-8, holds its
 * literals (grammar_may_match). The findings are cleared and used. */
void conditions_ask(const struct conditions *conditions, struct view text, struct condition_findings *findings,
                    bool *may_match);

#endif
