/* arena: copies stay where and what they are until all are forgotten. */
#include "extract/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void test_copies(void **state)
{
    struct arena *arena = arena_new();
    GArray *copies = g_array_new(FALSE, FALSE, sizeof(struct view));
    char *text = g_strnfill(100000, 'x');
    (void)state;
    for (unsigned round = 0; round < 3; round++) {
        size_t size = 0;
        for (size_t i = 0; i < 3000; i++) {
            /* short ones, some that just fill a block, some that are longer */
            size_t length = i % 500 == 7 ? 32767 : i % 500 == 9 ? 32768 + i : i % 97;
            text[0] = (char)('a' + i % 26);
            struct view copy = arena_copy(arena, (struct view){text, length});
            assert_int_equal(copy.length, length);
            g_array_append_val(copies, copy);
            size += length + 1;
        }
        assert_int_equal(arena_size(arena), size);
        for (guint i = 0; i < copies->len; i++) {
            struct view copy = g_array_index(copies, struct view, i);
            text[0] = (char)('a' + i % 26);
            assert_memory_equal(copy.bytes, text, copy.length);
            assert_int_equal(copy.bytes[copy.length], '\0');
        }
        g_array_set_size(copies, 0);
        arena_clear(arena);
        assert_int_equal(arena_size(arena), 0);
    }
    assert_string_equal(arena_copy(arena, (struct view){NULL, 0}).bytes, "");
    g_array_free(copies, TRUE);
    g_free(text);
    arena_free(arena);
    arena_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
