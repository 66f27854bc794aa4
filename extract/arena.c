/* Blocks of one size are filled one after the other; a longer text has a block
 * of its own, which is not kept. */
#include "extract/arena.h"

enum {
    BLOCK_SIZE = 32 * 1024,
    BLOCKS_KEPT = 32,
};

struct arena {
    GPtrArray *blocks; /* those in use, then those that wait */
    guint in_use;
    size_t used;      /* of the last one in use */
    GPtrArray *large; /* texts longer than a block */
    size_t size;
};

struct arena *arena_new(void)
{
    struct arena *arena = g_new0(struct arena, 1);
    arena->blocks = g_ptr_array_new_with_free_func(g_free);
    arena->large = g_ptr_array_new_with_free_func(g_free);
    return arena;
}

void arena_free(struct arena *arena)
{
    if (!arena)
        return;
    g_ptr_array_unref(arena->blocks);
    g_ptr_array_unref(arena->large);
    g_free(arena);
}

void arena_clear(struct arena *arena)
{
    if (arena->blocks->len > BLOCKS_KEPT)
        g_ptr_array_set_size(arena->blocks, BLOCKS_KEPT);
    g_ptr_array_set_size(arena->large, 0);
    arena->in_use = 0;
    arena->used = 0;
    arena->size = 0;
}

static char *allocate(struct arena *arena, size_t size)
{
    if (size > BLOCK_SIZE) {
        char *text = g_malloc(size);
        g_ptr_array_add(arena->large, text);
        return text;
    }
    if (arena->in_use == 0 || BLOCK_SIZE - arena->used < size) {
        if (arena->in_use == arena->blocks->len)
            g_ptr_array_add(arena->blocks, g_malloc(BLOCK_SIZE));
        arena->in_use++;
        arena->used = 0;
    }
    char *text = (char *)g_ptr_array_index(arena->blocks, arena->in_use - 1) + arena->used;
    arena->used += size;
    return text;
}

struct view arena_copy(struct arena *arena, struct view text)
{
    char *copy = allocate(arena, text.length + 1);
    if (text.length > 0)
        memcpy(copy, text.bytes, text.length);
    copy[text.length] = '\0';
    arena->size += text.length + 1;
    return (struct view){copy, text.length};
}

size_t arena_size(const struct arena *arena)
{
    return arena->size;
}
