/* caption: the heading that labels a block of results.
 *
 * A heading is a short line of its own above a block, with only empty lines
 * and at most one command between; it holds for the blocks below it until
 * another heading or prose comes. A sentence, a greeting, an attribution
 * (`On ..., X wrote:`) or a shell prompt is none.
 */
#ifndef BENCHLORE_CAPTION_H
#define BENCHLORE_CAPTION_H

#include "extract/passage.h"

/* Is this line, marks and blanks around it taken off, a heading? */
bool caption_is_heading(struct view line);

/* The heading's text: list marks, underlines, bold marks and a final colon
 * taken off. */
struct view caption_clean(struct view line);

struct captions;

/* Read headings of a passage line by line; taken has a byte for every line,
 * set where a block or a tool's other output has it. All borrowed. */
struct captions *captions_new(const struct passage *passage, const bool *taken);
void captions_free(struct captions *captions);

/* The caption that holds for a block that begins on this line; lines must be
 * asked for in ascending order. With has_title the block has a title of its
 * own, and what stood above ends there. */
struct view captions_at(struct captions *captions, size_t line, bool has_title);

#endif
