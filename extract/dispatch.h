/* dispatch: which rules of a grammar are tried at a place of a text, told from the
 * byte that stands there.
 *
 * Most rules can't begin with most bytes, so that few are left for each, and at
 * most places none. A dispatch is filled as it is asked, and belongs to one
 * thread.
 */
#ifndef BENCHLORE_DISPATCH_H
#define BENCHLORE_DISPATCH_H

#include "extract/grammar.h"

/* How a place of the text is tried. */
enum trial {
    TRIAL_LINE,      /* a line begins there, or goes on */
    TRIAL_LONG_LINE, /* a long line begins: skip rules, which take all of it, come last */
    TRIAL_FLAT,      /* a word in text without line breaks */
    TRIAL_SKIP,      /* only skip rules */
    TRIAL_WORD,      /* a word inside a line: only rules that may match anywhere */
    TRIAL_COUNT
};

/* A rule, and the block that it stands in (NULL: in none), with what is asked of
 * it first: what it needs, or of a table each cell. */
struct candidate {
    const struct rule *rule;
    const struct block *block;
    const struct need *need;
    unsigned breaks; /* that may stand before that part of the rule */
};

struct dispatch;

/* The grammar is borrowed. */
struct dispatch *dispatch_new(const struct grammar *grammar);
void dispatch_free(struct dispatch *dispatch);

/* The rules that may match where this byte stands while block is open (NULL:
 * none), in the order in which they are tried; behind the last comes one whose
 * rule is NULL. Borrowed until dispatch_free. */
const struct candidate *dispatch_find(struct dispatch *dispatch, const struct block *open, enum trial trial,
                                      unsigned char byte);

#endif
