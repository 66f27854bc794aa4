/* Literals are found wherever they stand, and nowhere else: against a search
 * that compares every literal at every place. */
#include "extract/search.h"

#include "extract/bucket.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { TEXT_MAX = 300, LITERALS_MAX = 120 };

static bool stands_at(const struct search_literal *literal, struct view text, size_t at)
{
    if (text.length - at < literal->text.length)
        return false;
    for (size_t i = 0; i < literal->text.length; i++) {
        char one = text.bytes[at + i], two = literal->text.bytes[i];

        if (one != two && !(literal->any_case && g_ascii_tolower(one) == g_ascii_tolower(two)))
            return false;
    }
    return true;
}

/* Every hit of the search is right, none comes twice, and none is missing. */
static void check_search(const struct search *search, const struct search_literal *literals, unsigned count,
                         struct view text)
{
    struct search_cursor cursor;
    unsigned literal, expected = 0, found = 0;
    size_t offset;
    GHashTable *seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

    for (size_t at = 0; at < text.length; at++)
        for (unsigned i = 0; i < count; i++)
            expected += stands_at(&literals[i], text, at);
    search_begin(&cursor, text);
    while (search_next(search, &cursor, &literal, &offset)) {
        gint64 *key = g_new(gint64, 1);

        *key = (gint64)(offset * LITERALS_MAX + literal);
        assert_true(literal < count && offset < text.length);
        assert_true(stands_at(&literals[literal], text, offset));
        assert_true(g_hash_table_add(seen, key));
        found++;
    }
    assert_false(search_next(search, &cursor, &literal, &offset));
    assert_int_equal(found, expected);
    g_hash_table_destroy(seen);
}

static void check(const struct search_literal *literals, unsigned count, struct view text)
{
    struct search *search = search_new(literals, count);

    check_search(search, literals, count, text);
    search_free(search);
    for (enum search_kind kind = SEARCH_BYTES; kind <= SEARCH_PLAIN; kind++) {
        search = search_new_of_kind(literals, count, kind);
        if (search)
            check_search(search, literals, count, text);
        search_free(search);
    }
}

static void check_texts(const char *const *texts, unsigned count, const char *text)
{
    struct search_literal literals[LITERALS_MAX];

    for (unsigned i = 0; i < count; i++)
        literals[i] = (struct search_literal){view_of(texts[i]), false};
    check(literals, count, view_of(text));
}

static void plain(void **state)
{
    static const char *const texts[] = {"IOPS=", "io=", "|", "|=", "=", "s", "|====", "aggrb="};

    (void)state;
    check_texts(texts, G_N_ELEMENTS(texts), "read: IOPS=12, io=3 |======| aggrb=1KB/s, aggrb");
    check_texts(texts, G_N_ELEMENTS(texts), "=");
    check_texts(texts, G_N_ELEMENTS(texts), "");
    check_texts(texts, 0, "IOPS=");
}

/* A literal that ends with the text, or begins it, at every length around a
 * vector's. */
static void at_the_ends(void **state)
{
    static const char *const texts[] = {"Hmean", "ab", "Transactions:"};

    (void)state;
    for (size_t length = 0; length < 80; length++)
        for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
            char *padding = g_strnfill(length, '.');
            char *last = g_strconcat(padding, texts[i], NULL);
            char *first = g_strconcat(texts[i], padding, texts[i], padding, NULL);

            check_texts(texts, G_N_ELEMENTS(texts), last);
            check_texts(texts, G_N_ELEMENTS(texts), first);
            last[strlen(last) - 1] = '\0';
            check_texts(texts, G_N_ELEMENTS(texts), last);
            g_free(padding);
            g_free(last);
            g_free(first);
        }
}

static void either_case(void **state)
{
    const struct search_literal literals[] = {
        {view_of("content-t"), true}, {view_of("Content-T"), false}, {view_of("T"), true}};

    (void)state;
    check(literals, G_N_ELEMENTS(literals), view_of("Content-Type: x\ncontent-type\nCONTENT-T\ncOnTeNt-T\nContent_T"));
}

/* All bytes, NUL and those beyond ASCII too, in literals and text. */
static void any_bytes(void **state)
{
    const struct search_literal literals[] = {
        {{"\0\xff", 2}, false}, {{"\0", 1}, false}, {{"\x80\x81\x82\x83\x84", 5}, false}};
    static const char text[] = "\0\0\xff\xff\0\x80\x81\x82\x83\x84\0";

    (void)state;
    check(literals, G_N_ELEMENTS(literals), (struct view){text, sizeof text});
}

/* Text and literals of few letters, so that they meet in every way. */
static void random_texts(void **state)
{
    GRand *random = g_rand_new_with_seed(1);

    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        struct search_literal literals[LITERALS_MAX];
        char storage[LITERALS_MAX][8];
        char text[TEXT_MAX];
        unsigned count = (unsigned)g_rand_int_range(random, 1, round % 2 == 0 ? 6 : LITERALS_MAX);
        size_t length = (size_t)g_rand_int_range(random, 0, TEXT_MAX);
        int letters = g_rand_int_range(random, 2, 40);

        for (size_t i = 0; i < length; i++)
            text[i] = (char)('A' + g_rand_int_range(random, 0, letters));
        for (unsigned i = 0; i < count; i++) {
            size_t size = (size_t)g_rand_int_range(random, 1, (gint32)sizeof storage[i] + 1);

            for (size_t j = 0; j < size; j++)
                storage[i][j] = (char)('A' + g_rand_int_range(random, 0, letters));
            literals[i] = (struct search_literal){{storage[i], size}, g_rand_boolean(random) != 0};
        }
        check(literals, count, (struct view){text, length});
    }
    g_rand_free(random);
}

static void rare_and_common(void **state)
{
    (void)state;
    assert_true(share_in_mail(view_of("e")) > share_in_mail(view_of("q")));
    assert_true(share_in_mail(view_of("ios=")) > share_in_mail(view_of("in_queue=")));
    assert_true(share_in_mail(view_of("min")) > share_in_mail(view_of("|==")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),     cmocka_unit_test(at_the_ends),  cmocka_unit_test(either_case),
        cmocka_unit_test(any_bytes), cmocka_unit_test(random_texts), cmocka_unit_test(rare_and_common),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
