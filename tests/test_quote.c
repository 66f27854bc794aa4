/* Marks of quoting, and lines that only look quoted. */
#include "extract/quote.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

enum { LINES_MAX = 200 };

/* The lines of text as `DEPTH text`, one a line. */
static char *marked(const char *text, bool flowed)
{
    char **lines = g_strsplit(text, "\n", LINES_MAX);
    size_t count = g_strv_length(lines);
    struct view views[LINES_MAX];
    struct quote quotes[LINES_MAX];
    GString *out = g_string_new(NULL);

    for (size_t i = 0; i < count; i++)
        views[i] = view_of(lines[i]);
    quote_find(views, count, flowed, quotes);
    for (size_t i = 0; i < count; i++) {
        assert_true(quotes[i].length <= views[i].length);
        g_string_append_printf(out, "%u %s%s\n", quotes[i].depth, quotes[i].split ? ">" : "",
                               lines[i] + quotes[i].length);
    }
    g_strfreev(lines);
    return g_string_free(out, FALSE);
}

static void expect(const char *text, bool flowed, const char *wanted)
{
    char *got = marked(text, flowed);

    assert_string_equal(got, wanted);
    g_free(got);
}

static void marks_in_every_spelling(void **state)
{
    (void)state;
    expect("plain", false, "0 plain\n");
    expect("> one", false, "1 one\n");
    expect(">one", false, "1 one\n");
    expect("> > two", false, "2 two\n");
    expect(">> two", false, "2 two\n");
    expect("> >> three", false, "3 three\n");
    expect(">> > three", false, "3 three\n");
    expect(">>>", false, "3 \n");
    expect("> > ", false, "2 \n");
    expect("   > indented mark", false, "1 indented mark\n");
    expect("    > too far", false, "0     > too far\n");
    expect("a > b", false, "0 a > b\n");
    expect("< less", false, "0 < less\n");
    expect(": colon", false, "0 : colon\n");
}

/* Only the blank that belongs to the mark goes: the others place columns. */
static void blanks_that_place_columns_stay(void **state)
{
    (void)state;
    expect(">      lat (usec): min=1", false, "1      lat (usec): min=1\n");
    expect(">>a\n>>  b\n>>\n>> c", false, "2 a\n2   b\n2 \n2  c\n");
    expect("> a\n>   b\n>\n>> c", false, "1 a\n1   b\n1 \n2 c\n");
    expect(">\ttab", false, "1 \ttab\n");
    expect("> |  1.00th=[   11],", false, "1 |  1.00th=[   11],\n");
    expect("> >      | 99.99th=[ 12]", false, "2      | 99.99th=[ 12]\n");
}

static void values_that_begin_like_a_mark(void **state)
{
    (void)state;
    expect(">=64=0.0%", false, "0 >=64=0.0%\n");
    expect("> >=64=0.0%", false, "1 >=64=0.0%\n");
    expect(">>=64=0.0%", false, "1 >=64=0.0%\n");
    expect(">> =64=0.0%", false, "1 >=64=0.0%\n");
    expect("> > =64=0.0%", false, "1 >=64=0.0%\n");
    expect("> =64=0.0%", false, "0 >=64=0.0%\n");
    expect("> = 64", false, "1 = 64\n");
    expect(">>=64=0.0%", true, "1 >=64=0.0%\n");
    expect(">> =64=0.0%", true, "1 >=64=0.0%\n");
    expect(">=64=0.0%", true, "0 >=64=0.0%\n");
}

static void escaped_from(void **state)
{
    (void)state;
    expect("text\n>From here on\ntext", false, "0 text\n0 >From here on\n0 text\n");
    expect(">a\n>From here on\n>b", false, "1 a\n1 From here on\n1 b\n");
}

static void shell_prompts_are_text(void **state)
{
    (void)state;
    expect("$ for i in 1 2\n> do\n> fio job$i\n> done\nTransactions: 1", false,
           "0 $ for i in 1 2\n0 > do\n0 > fio job$i\n0 > done\n0 Transactions: 1\n");
    expect("me@host:~$ while true; do\n> siege -c 5; done", false,
           "0 me@host:~$ while true; do\n0 > siege -c 5; done\n");
    expect("# cat > job <<'EOF'\n> [global]\n> rw=read\n> EOF\nok", false,
           "0 # cat > job <<'EOF'\n0 > [global]\n0 > rw=read\n0 > EOF\n0 ok\n");
    expect("$ fio --name=a \\\n> --rw=read \\\n> --bs=4k\nout", false,
           "0 $ fio --name=a \\\n0 > --rw=read \\\n0 > --bs=4k\n0 out\n");
    /* the same, quoted once */
    expect("> $ for i in 1 2\n> > do\n> > true\n> > done", false, "1 $ for i in 1 2\n1 > do\n1 > true\n1 > done\n");
}

static void prose_is_no_shell(void **state)
{
    (void)state;
    expect("while I agree:\n> do you think so\n> at all", false, "0 while I agree:\n1 do you think so\n1 at all\n");
    expect("# what he said\n> text\n> more", false, "0 # what he said\n1 text\n1 more\n");
    /* the wrapped end of a quoted command lost its mark: what follows is quoted */
    expect("> run fio\n--rw=read \\\n> --bs=4k\n> and see", false, "1 run fio\n0 --rw=read \\\n1 --bs=4k\n1 and see\n");
}

static void sides_of_diffs(void **state)
{
    (void)state;
    expect("3c3,4\n< old\n---\n> new\n> newer\n> quoted", false, "0 3c3,4\n0 old\n0 ---\n0 new\n0 newer\n1 quoted\n");
    expect("> 5a6\n> > added\n> text", false, "1 5a6\n1 added\n1 text\n");
    expect("2,3d1\n<  a\n<\n< b", false, "0 2,3d1\n0  a\n0 \n0 < b\n");
    /* wrapped lines */
    expect("1,2c1,2\n< a\nb\n< c\nd\n---\n> e\nf\n> g\n> h", false,
           "0 1,2c1,2\n0 a\n0 b\n0 c\n0 d\n0 ---\n0 e\n0 f\n0 g\n1 h\n");
    /* not of a diff */
    expect("-> x\n+> y\n-old\n+new", false, "0 -> x\n0 +> y\n0 -old\n0 +new\n");
    expect("3c3\n\n> quoted", false, "0 3c3\n0 \n1 quoted\n");
}

static void sides_of_diffs_are_voices(void **state)
{
    const struct view lines[] = {view_of("1c1"), view_of("< a"), view_of("---"), view_of("> b"), view_of("> c")};
    struct quote quotes[G_N_ELEMENTS(lines)];

    (void)state;
    quote_find(lines, G_N_ELEMENTS(lines), false, quotes);
    assert_int_equal(quotes[0].voice, 0);
    assert_int_equal(quotes[4].voice, 0);
    assert_int_not_equal(quotes[1].voice, 0);
    assert_int_not_equal(quotes[3].voice, 0);
    assert_int_not_equal(quotes[1].voice, quotes[3].voice);
}

static void names(void **state)
{
    (void)state;
    expect("Bob> one\nBob> two\nmine", false, "1 one\n1 two\n0 mine\n");
    expect("JD>> one\nJD>> two", false, "2 one\n2 two\n");
    expect("> JD> one\n> JD> two", false, "2 one\n2 two\n");
    expect("Bob> alone", false, "0 Bob> alone\n");
    expect("Bob> a\nJD> b\nBob> c\nJD> d\nx", false, "1 a\n1 b\n1 c\n1 d\n0 x\n");
    expect("JD> x\nBob> a\nBob> b\n", false, "0 JD> x\n1 a\n1 b\n0 \n");
    expect("Bob> a\nJD> b\n", false, "0 Bob> a\n0 JD> b\n0 \n");
    expect("A Tester writes:\n\nbob> alone", false, "0 A Tester writes:\n0 \n1 alone\n");
    expect("mysql> select 1\nmysql> select 2", false, "0 mysql> select 1\n0 mysql> select 2\n");
    expect("Abcdefghi> too long\nAbcdefghi> too long", false, "0 Abcdefghi> too long\n0 Abcdefghi> too long\n");
}

static void bars_that_quote(void **state)
{
    (void)state;
    expect("On Monday, A wrote:\n| Transactions: 10 hits\n| done", false,
           "0 On Monday, A wrote:\n1 Transactions: 10 hits\n1 done\n");
    expect("A wrote:\n| > both", false, "0 A wrote:\n2 both\n");
    expect("A wrote:\n| one\n\nI see.\n\n| two\n\n", false, "0 A wrote:\n1 one\n0 \n0 I see.\n0 \n1 two\n0 \n0 \n");
}

static void bars_that_indent(void **state)
{
    (void)state;
    expect("see\n\n| one\n|   two\n| three\n| four\n\nend", false,
           "0 see\n0 \n0 one\n0   two\n0 three\n0 four\n0 \n0 end\n");
    expect("x\n| job: 1\n|\n|   read: 2\n|      |  1.00th=[ 1]\n| cpu: 3\ny", false,
           "0 x\n0 job: 1\n0 \n0   read: 2\n0      |  1.00th=[ 1]\n0 cpu: 3\n0 y\n");
    expect("> x\n> | job: 1\n> |\n> |   read: 2\n> | cpu: 3\n", false,
           "1 x\n1 job: 1\n1 \n1   read: 2\n1 cpu: 3\n0 \n");
}

static void bars_of_tables(void **state)
{
    (void)state;
    expect(
        "    clat percentiles (usec):\n|  1.00th=[   11],\n| 50.00th=[   13],\n| 90.00th=[   15],\n| 99.99th=[   17]\n"
        "lat: 1",
        false,
        "0     clat percentiles (usec):\n0 |  1.00th=[   11],\n0 | 50.00th=[   13],\n0 | 90.00th=[   15],\n"
        "0 | 99.99th=[   17]\n0 lat: 1\n");
    expect("\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", false,
           "0 \n0 | a | b |\n0 |---|---|\n0 | 1 | 2 |\n0 | 3 | 4 |\n0 \n");
    expect("\n+---+\n| a |\n| b |\n| c |\n| d |\n+---+\n", false,
           "0 \n0 +---+\n0 | a |\n0 | b |\n0 | c |\n0 | d |\n0 +---+\n0 \n");
    expect("... 459\n|=====\n... 460\n|======", false, "0 ... 459\n0 |=====\n0 ... 460\n0 |======\n");
    /* a box whose right side was wrapped off */
    expect("| machine | 192 threads\n|\n| mode    | process\n|\n| tasks   | 100\n|", false,
           "0 | machine | 192 threads\n0 |\n0 | mode    | process\n0 |\n0 | tasks   | 100\n0 |\n");
}

static void flowed_marks(void **state)
{
    (void)state;
    expect(">> two", true, "2 two\n");
    expect(" > stuffed", true, "0 > stuffed\n");
    expect("  two blanks", true, "0  two blanks\n");
    expect("> > text by the RFC", true, "1 > text by the RFC\n");
    expect("> > quoted\n> > the old way", true, "2 quoted\n2 the old way\n");
}

static void depth_has_a_limit(void **state)
{
    enum { MARKS = 1000000 };
    char *line = g_malloc(MARKS + 2);
    struct view view = {line, MARKS + 1};
    struct quote quote;

    (void)state;
    memset(line, '>', MARKS);
    line[MARKS] = 'x';
    line[MARKS + 1] = '\0';
    for (int flowed = 0; flowed < 2; flowed++) {
        quote_find(&view, 1, flowed, &quote);
        assert_int_equal(quote.depth, QUOTE_DEPTH_MAX);
        assert_int_equal(quote.length, MARKS);
    }
    g_free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_in_every_spelling),
        cmocka_unit_test(blanks_that_place_columns_stay),
        cmocka_unit_test(values_that_begin_like_a_mark),
        cmocka_unit_test(escaped_from),
        cmocka_unit_test(shell_prompts_are_text),
        cmocka_unit_test(prose_is_no_shell),
        cmocka_unit_test(sides_of_diffs),
        cmocka_unit_test(sides_of_diffs_are_voices),
        cmocka_unit_test(names),
        cmocka_unit_test(bars_that_quote),
        cmocka_unit_test(bars_that_indent),
        cmocka_unit_test(bars_of_tables),
        cmocka_unit_test(flowed_marks),
        cmocka_unit_test(depth_has_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
