/* emission: a rule's match, as rows are made of it.
 */
#ifndef BENCHLORE_EMISSION_H
#define BENCHLORE_EMISSION_H

#include "extract/finding.h"

enum { BINDING_MAX = RULE_CAPTURES_MAX };

/* What a capture holds, in the passage's text. */
struct binding {
    bool is_set;
    size_t start, end;
};

/* Why a figure makes no row. */
struct reason {
    const char *what; /* static */
    struct view text; /* that it is about, in the passage or the grammar; bytes NULL if none */
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
    struct reason why;    /* the last of them was dropped */
};

/* The text of a capture that took part in the match. */
static inline struct view emission_text(const struct emission *emission, unsigned capture)
{
    const struct binding *binding = &emission->binding[capture];
    return view_trim(view_slice(emission->text, binding->start, binding->end));
}

static inline bool emission_has(const struct emission *emission, unsigned capture)
{
    return capture != CAPTURE_NONE && emission->binding[capture].is_set;
}

#endif
