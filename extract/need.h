/* need: what every text that a pattern matches must hold, read off the pattern.
 *
 * Most rules of a grammar are tried at most lines and fit few of them. A word
 * that is in the pattern once and for all tells sooner than matching does; so do
 * a few words of which each match has one.
 */
#ifndef BENCHLORE_NEED_H
#define BENCHLORE_NEED_H

#include "extract/text.h"

enum { NEED_LENGTH_MAX = 24, NEED_LITERALS_MAX = 6, NEED_LINES_ANY = 1000 };

struct need_literal {
    char text[NEED_LENGTH_MAX + 1];
    unsigned char length;
    unsigned char rarest; /* the byte of it that is the rarest in mail */
};

struct need {
    unsigned count;  /* of literals, one of which is there; 0: nothing can be told */
    unsigned lines;  /* line breaks at the most between the start of a match and the literal */
    unsigned breaks; /* in all of a match */
    struct need_literal literals[NEED_LITERALS_MAX];
};

/* source is a pattern of PCRE2 (without its extended forms) that compiles. */
struct need need_of(struct view source);

/* Where the literal stands in text; text.length if it does not. */
size_t need_find(const struct need_literal *literal, struct view text);

#endif
