/* What is put around a text to show it, and what only looks so. */
#include "extract/decoration.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

/* The lines of text without their decoration. A line that begins with `\1`
 * continues the one before it, one that begins with `\2` is quoted. */
static char *plain(const char *text, size_t length)
{
    GArray *array = g_array_new(FALSE, FALSE, sizeof(struct decorated_line));
    GStringChunk *texts = g_string_chunk_new(4096);
    GString *out = g_string_new(NULL);
    const char *stop = text + length;

    while (text < stop) {
        const char *end = memchr(text, '\n', (size_t)(stop - text));
        struct decorated_line line = {{text, (size_t)((end ? end : stop) - text)}, 0, false};

        line.continues = line.text.length > 0 && text[0] == '\1';
        line.quote_depth = line.text.length > 0 && text[0] == '\2';
        if (line.continues || line.quote_depth > 0)
            line.text = view_slice(line.text, 1, line.text.length);
        g_array_append_val(array, line);
        text = end ? end + 1 : stop;
    }
    decoration_remove((struct decorated_line *)(void *)array->data, array->len, texts);
    for (guint i = 0; i < array->len; i++) {
        struct view line = g_array_index(array, struct decorated_line, i).text;

        g_string_append_len(out, line.bytes, (gssize)line.length);
        g_string_append_c(out, '\n');
    }
    g_array_free(array, TRUE);
    g_string_chunk_free(texts);
    return g_string_free(out, FALSE);
}

static void expect(const char *text, const char *wanted)
{
    char *got = plain(text, strlen(text));

    assert_string_equal(got, wanted);
    g_free(got);
}

static void expect_same(const char *text)
{
    expect(text, text);
}

static void fences(void **state)
{
    (void)state;
    expect("```\na\n```\n", "\na\n\n");
    expect("  ~~~~ text\na\n  ~~~~\n", "\na\n\n");
    expect("```console\n", "\n");
    expect_same("``` is a fence\n`a`\n``\n~ 5\n```a```\n");
}

static void comments(void **state)
{
    (void)state;
    expect("# a  1\n#   b\n#\n# c\n", "a  1\n  b\n\nc\n");
    expect("  // a\t1\n  //\tb\n  // c\nd\n", "a\t1\n\tb\nc\nd\n");
    expect("/*\n * a  1\n * b  2\n *\n * c\n */\n", "/*\na  1\nb  2\n\nc\n */\n");
    /* a broken line has its mark once */
    expect("# a  1\n\1b\n# c  2\n", "a  1\nb\nc  2\n");
}

static void no_comments(void **state)
{
    (void)state;
    expect_same("# mkfs /dev/x\n# mount /dev/x /mnt\n# fio job\n");
    expect_same("# fio job  x\n  read\n# fio job  y\n  read\n# fio  z\n");
    expect_same("#include  <a>\n#include  <b>\n#include  <c>\n");
    expect_same("# a  1\n# b  2\nc\n");
    expect_same(" * a  1\n * b  2\n * c  3\n");
    expect_same("http://a  b\n//x  y\n//z  y\n");
    /* another indentation, another depth */
    expect_same("# a  1\n # b  2\n# c  3\n");
    expect("# a  1\n\2# b  2\n# c  3\n", "# a  1\n# b  2\n# c  3\n");
}

static void bold(void **state)
{
    (void)state;
    expect("*iops=463*\n", "iops=463\n");
    expect("a *b* (*c*), d=*5*. **e** \"*f*\"\n", "a b (c), d=5. e \"f\"\n");
    expect("  *read: IOPS=463, BW=1852KiB/s*\n", "  read: IOPS=463, BW=1852KiB/s\n");
    expect("*   read: IOPS=463*\n", "   read: IOPS=463\n");
    expect("usr=*1.05%*, *cpu*\n", "usr=1.05%, cpu\n");
    /* a table's row, whose own stars stay */
    expect("*Amean 1   1.00 (   0.00%)   0.90 *  10.00%**\n", "Amean 1   1.00 (   0.00%)   0.90 *  10.00%*\n");
    expect("*Amean 1   1.00 *   0.50%*   0.99 (   1.00%)*\n", "Amean 1   1.00 *   0.50%*   0.99 (   1.00%)\n");
    /* parted by a line break */
    expect("*one\ntwo*\n", "one\ntwo\n");
    expect("a *99.99th=[ 1]\n*\n", "a 99.99th=[ 1]\n\n");
}

static void stars_that_stay(void **state)
{
    (void)state;
    /* of a table: the change is significant */
    expect_same("Amean 1   1.0000 (   0.00%)   0.9000 *  10.00%*   2.0000 *-100.00%*   1.0 *1100.00%*\n");
    expect_same("*  10.00%*\n0.9000 *\n10.00%*\n*-100.00%*  x\n");
    expect_same("*10.00%*   2.0000 *-100.00%*\n");
    /* of lists, of figures, of programs */
    expect_same("* a\n * b *c\n*\n** SIEGE 4.0.4\n*** a\n");
    expect_same("2 * 3 * 4\na*b*c\nchar *a, *b;\n/* a */\n/** b **/\nf(*a)(*b)\n* item*\n");
    expect_same("*a\nb\n*\n");
    expect("*a\n\2b*\n*\n", "*a\nb*\n*\n");
    expect_same("5 **\n***\n*...*\n****a****\n");
}

static void any_bytes_are_read(void **state)
{
    static const char *const tokens[] = {"*",   "*",   "**", "a",  " ",    "  ", "\n", "\n", "# ",       "//",
                                         "```", "~~~", "5%", "\t", "/*\n", "\1", "\2", "(",  "\xc3\xa9", "\xff"};
    GRand *random = g_rand_new_with_seed(5);

    (void)state;
    for (int run = 0; run < 5000; run++) {
        GString *text = g_string_new(NULL);
        char *copy;

        for (int i = g_rand_int_range(random, 0, 60); i > 0; i--)
            g_string_append(text, tokens[g_rand_int_range(random, 0, G_N_ELEMENTS(tokens))]);
        copy = text->len > 0 ? g_memdup2(text->str, text->len) : NULL;
        g_free(plain(copy, text->len));
        g_free(copy);
        g_string_free(text, TRUE);
    }
    g_rand_free(random);
}

static void sizes_without_bound(void **state)
{
    enum { SIZE = 1 << 20 };
    static const char *const repeated[] = {"*",    "* ",       "*a",  "*a*",   "*a* ", "a* ",
                                           "*a\n", "# a  b\n", "#\n", "```\n", "`",    " "};

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(repeated); i++) {
        GString *text = g_string_new(NULL);
        gint64 start = g_get_monotonic_time();

        while (text->len < SIZE)
            g_string_append(text, repeated[i]);
        g_free(plain(text->str, text->len));
        assert_true(g_get_monotonic_time() - start < 20 * G_USEC_PER_SEC);
        g_string_free(text, TRUE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fences),
        cmocka_unit_test(comments),
        cmocka_unit_test(no_comments),
        cmocka_unit_test(bold),
        cmocka_unit_test(stars_that_stay),
        cmocka_unit_test(any_bytes_are_read),
        cmocka_unit_test(sizes_without_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
