/* text: trimming, and the cleaning of fields. */
#include "extract/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define FFFD "\xEF\xBF\xBD"

static void assert_clean(struct view dirty, const char *expected)
{
    GString *out = g_string_new("<");
    text_append_clean(out, dirty);
    assert_string_equal(out->str + 1, expected);
    assert_int_equal(out->str[0], '<');
    assert_true(g_utf8_validate(out->str, (gssize)out->len, NULL));
    g_string_free(out, TRUE);
}

static void clean_string(const char *dirty, const char *expected)
{
    assert_clean(view_of(dirty), expected);
}

static void test_trim(void **state)
{
    (void)state;
    assert_true(view_is(view_trim(view_of(" \t\r\n a b \n")), "a b"));
    assert_true(view_is(view_trim(view_of("ab")), "ab"));
    assert_true(view_is(view_trim(view_of("")), ""));
    assert_true(view_is(view_trim(view_of(" \n\t ")), ""));
    /* A no-break space is no blank here: body turns it into one first. */
    assert_true(view_is(view_trim(view_of("\xC2\xA0")), "\xC2\xA0"));
    assert_int_equal(view_trim((struct view){NULL, 0}).length, 0);
}

static void test_views(void **state)
{
    (void)state;
    assert_true(view_is(view_slice(view_of("abcdef"), 2, 4), "cd"));
    assert_false(view_is(view_of("abc"), "abcd"));
    assert_true(view_equal((struct view){NULL, 0}, view_of("")));
    assert_false(view_equal(view_of("abc"), view_of("abd")));
}

static void test_clean_plain(void **state)
{
    (void)state;
    clean_string("", "");
    assert_clean((struct view){NULL, 0}, "");
    clean_string("read.iops, \"x\"; 99.5%~", "read.iops, \"x\"; 99.5%~");
    clean_string("\xC2\xB5s \xE2\x82\xAC \xF0\x9F\x98\x80 caf\xC3\xA9",
                 "\xC2\xB5s \xE2\x82\xAC \xF0\x9F\x98\x80 caf\xC3\xA9");
    clean_string("  two  blanks stay ", "  two  blanks stay ");
}

static void test_clean_breaks(void **state)
{
    (void)state;
    clean_string("a\nb", "a b");
    clean_string("a\r\nb", "a b");
    clean_string("a\rb", "a b");
    clean_string("a\n\rb", "a  b");
    clean_string("a\r\r\nb\r", "a  b ");
    clean_string("a\tb", "a b");
    clean_string("a\xE2\x80\xA8"
                 "b\xE2\x80\xA9"
                 "c",
                 "a b c");
}

static void test_clean_controls(void **state)
{
    (void)state;
    assert_clean((struct view){"a\0b", 3}, "a" FFFD "b");
    clean_string("\x1B[31mred\x7F", FFFD "[31mred" FFFD);
    clean_string("\x01\x08\x0B\x0C\x1F", FFFD FFFD FFFD FFFD FFFD);
    clean_string("\xC2\x80\xC2\x85\xC2\x9B\xC2\x9F", FFFD FFFD FFFD FFFD);
    clean_string("\xC2\xA0", "\xC2\xA0");
}

static void test_clean_surrogates_and_noncharacters(void **state)
{
    (void)state;
    clean_string("x\xED\xA0\x80y", "x" FFFD "y");                         /* U+D800 */
    clean_string("x\xED\xBF\xBFy", "x" FFFD "y");                         /* U+DFFF */
    clean_string("\xED\x9F\xBF", "\xED\x9F\xBF");                         /* U+D7FF is a character */
    clean_string("\xEE\x80\x80", "\xEE\x80\x80");                         /* U+E000 is one too */
    clean_string("\xEF\xBF\xBE\xEF\xBF\xBF", FFFD FFFD);                  /* U+FFFE, U+FFFF */
    clean_string("\xEF\xB7\x90\xEF\xB7\xAF", FFFD FFFD);                  /* U+FDD0, U+FDEF */
    clean_string("\xEF\xB7\x8F\xEF\xB7\xB0", "\xEF\xB7\x8F\xEF\xB7\xB0"); /* their neighbours */
    clean_string("\xF0\x9F\xBF\xBE\xF4\x8F\xBF\xBF", FFFD FFFD);          /* U+1FFFE, U+10FFFF */
    clean_string("\xF4\x8F\xBF\xBD", "\xF4\x8F\xBF\xBD");                 /* U+10FFFD */
}

static void test_clean_invalid(void **state)
{
    (void)state;
    clean_string("a\x80z", "a" FFFD "z");
    clean_string("a\xFF\xFEz", "a" FFFD FFFD "z");
    clean_string("\xC0\xAF", FFFD FFFD);          /* overlong `/` */
    clean_string("\xE0\x80\xAF", FFFD FFFD FFFD); /* and with three bytes */
    clean_string("\xF0\x82\x82\xAC", FFFD FFFD FFFD FFFD);
    clean_string("\xF4\x90\x80\x80", FFFD FFFD FFFD FFFD); /* beyond U+10FFFF */
    clean_string("\xE2\x82", FFFD FFFD);                   /* cut at the end */
    clean_string("\xE2\x82z", FFFD FFFD "z");              /* cut in the middle: z survives */
    clean_string("\xF0\x9F\x98", FFFD FFFD FFFD);
    clean_string("\xC3\n", FFFD " ");
    clean_string("5 \xB5s", "5 " FFFD "s"); /* latin1 that was never decoded */
}

/* Whatever the bytes, what comes out is valid and has no control character. */
static void test_clean_any_bytes(void **state)
{
    (void)state;
    GRand *random = g_rand_new_with_seed(20);
    GString *out = g_string_new(NULL);
    for (int round = 0; round < 2000; round++) {
        char bytes[64];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (char)g_rand_int_range(random, round % 2 ? 0x80 : 0, 256);
        g_string_truncate(out, 0);
        text_append_clean(out, (struct view){bytes, sizeof bytes});
        assert_true(g_utf8_validate(out->str, (gssize)out->len, NULL));
        for (const char *p = out->str; *p != '\0'; p = g_utf8_next_char(p))
            assert_false(g_unichar_iscntrl(g_utf8_get_char(p)));
    }
    g_string_free(out, TRUE);
    g_rand_free(random);
}

/* One byte of each value, at each place of texts that are a word and a half. */
static void test_is_plain(void **state)
{
    (void)state;
    assert_true(text_is_plain(view_of("")));
    assert_true(text_is_plain(view_of(" ~")));
    for (unsigned byte = 0; byte < 256; byte++)
        for (size_t place = 0; place < 12; place++) {
            char bytes[12];
            memset(bytes, 'a', sizeof bytes);
            bytes[place] = (char)(unsigned char)byte;
            assert_int_equal(text_is_plain((struct view){bytes, sizeof bytes}), byte >= 0x20 && byte <= 0x7E);
            /* Every other byte at its ends, so that nothing is carried over. */
            memset(bytes, place % 2 ? '~' : ' ', sizeof bytes);
            bytes[place] = (char)(unsigned char)byte;
            assert_int_equal(text_is_plain((struct view){bytes, sizeof bytes}), byte >= 0x20 && byte <= 0x7E);
        }
}

/* Against a look at every byte, in texts longer and shorter than a vector. */
static void test_find(void **state)
{
    static const char letters[] = "abA\r\n\n>\xc3\xa9";
    const struct byte_pair pair = {{'\n', '>'}, {'a', 'b'}};
    GRand *random = g_rand_new_with_seed(3);
    char bytes[200];

    (void)state;
    for (unsigned round = 0; round < 3000; round++) {
        struct view text = {bytes, (size_t)g_rand_int_range(random, 0, sizeof bytes)};
        const int rare = g_rand_int_range(random, 1, 100);

        for (size_t i = 0; i < text.length; i++)
            bytes[i] = g_rand_int_range(random, 0, rare) == 0 ? letters[g_rand_int_range(random, 0, 9)] : 'x';
        for (size_t offset = 0; offset <= text.length; offset += 13) {
            size_t second = MAX(offset, 1), wide = offset, line = MAX(offset, 1);

            while (second < text.length && !((bytes[second - 1] == '\n' || bytes[second - 1] == '>') &&
                                             (bytes[second] == 'a' || bytes[second] == 'b')))
                second++;
            while (wide < text.length && (unsigned char)bytes[wide] < 0x80)
                wide++;
            assert_int_equal(text_find_pair(text, offset, pair), MIN(second, text.length));
            while (line < text.length && !(bytes[line - 1] == '\n' && strchr("aA\n\r", bytes[line])))
                line++;
            assert_int_equal(text_find_wide(text, offset), wide);
            assert_int_equal(text_find_line(text, offset, 'a'), MIN(line, text.length));
        }
    }
    g_rand_free(random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trim),           cmocka_unit_test(test_views),
        cmocka_unit_test(test_clean_plain),    cmocka_unit_test(test_clean_breaks),
        cmocka_unit_test(test_clean_controls), cmocka_unit_test(test_clean_surrogates_and_noncharacters),
        cmocka_unit_test(test_clean_invalid),  cmocka_unit_test(test_clean_any_bytes),
        cmocka_unit_test(test_is_plain),       cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
