/* literal: a word that a text must hold for a grammar to be tried at all, maybe
 * beside other words or a number.
 */
#ifndef BENCHLORE_LITERAL_H
#define BENCHLORE_LITERAL_H

#include "extract/text.h"

enum literal_kind { LITERAL_TEXT, LITERAL_AND, LITERAL_OR };

/* Literals that a text must hold, in postfix. Beside each other are words and
 * numbers with only blanks, signs, quote marks and line ends between them. */
struct literal_item {
    enum literal_kind kind;
    char *text;
    char *next;         /* words that follow text, each beside the one before, parted by blanks; or NULL */
    bool begins_word;   /* no letter or digit stands before text */
    bool ends_word;     /* nor behind the last word */
    bool after_number;  /* a number stands beside text, before it */
    bool before_number; /* and one behind the last word */
    char *unit;         /* what follows that number directly; or NULL */
};

void literal_clear(struct literal_item *item);

/* Does item want anything beside its text? */
bool literal_has_neighbours(const struct literal_item *item);

/* Is beside item's text, which stands in text from start to end, what item
 * wants there? Also true where that can't be told of raw bytes. */
bool literal_fits(const struct literal_item *item, struct view text, size_t start, size_t end);

/* Is the literal in the text? */
bool literal_stands(const struct literal_item *item, struct view text);

#endif
