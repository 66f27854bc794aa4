/* arena: texts that are kept together and forgotten together, in memory that is
 * used again.
 */
#ifndef BENCHLORE_ARENA_H
#define BENCHLORE_ARENA_H

#include "extract/text.h"

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *arena);

/* Forget all texts. Most of the memory stays, for the next ones. */
void arena_clear(struct arena *arena);

/* A copy of text that lives until arena_clear; NUL follows it. */
struct view arena_copy(struct arena *arena, struct view text);

/* Bytes of the texts, about. */
size_t arena_size(const struct arena *arena);

#endif
