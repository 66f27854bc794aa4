/* decoration: what people put around a text to show it, and is none of it:
 * fences of markdown, the marks of a script's comments before every line, and
 * stars around what is bold.
 */
#ifndef BENCHLORE_DECORATION_H
#define BENCHLORE_DECORATION_H

#include "extract/text.h"

/* A line behind its quote marks. */
struct decorated_line {
    struct view text;
    unsigned quote_depth;
    bool continues; /* the line before: nothing begins here */
};

/* Take the decoration off count lines that follow each other. Texts that can't
 * borrow from what they were are copied to texts. */
void decoration_remove(struct decorated_line *lines, size_t count, GStringChunk *texts);

#endif
