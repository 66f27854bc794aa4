/* need: what every text that a pattern matches must hold, read off the pattern.
 *
 * Most rules of a grammar are tried at most lines and fit few of them. A word
 * that is in the pattern once and for all tells sooner than matching does.
 */
#ifndef BENCHLORE_NEED_H
#define BENCHLORE_NEED_H

#include "extract/text.h"

enum { NEED_LENGTH_MAX = 24, NEED_LINES_ANY = 1000 };

struct need {
    char literal[NEED_LENGTH_MAX + 1];
    size_t length;  /* 0: nothing can be told */
    unsigned lines; /* line breaks at the most between the start of a match and the literal */
};

/* source is a pattern of PCRE2 (without its extended forms) that compiles. */
struct need need_of(struct view source);

#endif
