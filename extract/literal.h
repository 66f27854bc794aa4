/* literal: a word that a text must hold for a grammar to be tried at all, maybe
 * beside a number.
 */
#ifndef BENCHLORE_LITERAL_H
#define BENCHLORE_LITERAL_H

#include "extract/text.h"

enum literal_kind { LITERAL_TEXT, LITERAL_AND, LITERAL_OR };

/* Literals that a text must hold, in postfix. */
struct literal_item {
    enum literal_kind kind;
    char *text;
    bool after_number, before_number; /* only blanks, signs and quote marks between the two */
};

/* Are the numbers there that item wants beside a word, which stands in text
 * from start to end? Also true where that can't be told of raw bytes. */
bool literal_has_numbers(const struct literal_item *item, struct view text, size_t start, size_t end);

/* Is the literal in the text? */
bool literal_stands(const struct literal_item *item, struct view text);

#endif
