/* quote: the marks that mail puts before quoted lines.
 *
 * `>` in every spelling, and, where the lines around them prove it, `|` and
 * `Name>`. Bars that nobody else's text stands behind are taken off, too. Lines that only look quoted keep their depth: prompts of a shell
 * between its lines, `>From `, values such as `>=64`; and hunks of a diff, whose
 * `< ` and `> ` are taken off as marks of two voices.
 */
#ifndef BENCHLORE_QUOTE_H
#define BENCHLORE_QUOTE_H

#include "extract/text.h"

enum { QUOTE_DEPTH_MAX = 100 };

struct quote {
    size_t length;  /* bytes before the text: the marks, and the blank that belongs to them */
    unsigned depth; /* number of marks, at most QUOTE_DEPTH_MAX */
    unsigned voice; /* the same for marks of the same names, bars and sides; 0 where all are `>` */
    bool split;     /* a mailer took the text's own `>` for a mark (`> =64` for `>=64`): put it back before the text */
};

/* Find the marks of count lines that follow each other, into as many quotes.
 * With flowed, marks and stuffed blanks are those of format=flowed. */
void quote_find(const struct view *lines, size_t count, bool flowed, struct quote *quotes);

#endif
