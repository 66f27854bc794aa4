/* HTML as lines, each with its line in the source. */
#include "extract/html.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

/* The lines as `SOURCE_LINE DEPTH text`; a soft break is shown as `~`, one
 * that joins without a blank as `~~`. */
static char *laid_out(struct view source)
{
    struct html *html = html_new(source);
    GString *out = g_string_new(NULL);

    for (size_t i = 0; i < html_line_count(html); i++) {
        const struct html_line *line = html_line(html, i);

        g_string_append_printf(out, "%zu %u ", line->source_line, line->quote_depth);
        g_string_append_len(out, line->text.bytes, (gssize)line->text.length);
        if (line->soft_break)
            g_string_append(out, line->join_without_blank ? "~~" : "~");
        g_string_append_c(out, '\n');
    }
    html_free(html);
    return g_string_free(out, FALSE);
}

static void expect(const char *source, const char *wanted)
{
    char *got = laid_out(view_of(source));

    assert_string_equal(got, wanted);
    g_free(got);
}

static void blocks_begin_lines(void **state)
{
    (void)state;
    expect("", "");
    expect("<p>a</p><p>b</p>", "1 0 a\n1 0 b\n");
    expect("<div>a<div>b</div>c</div>", "1 0 a\n1 0 b\n1 0 c\n");
    expect("<ul><li>a<li>b</ul><h1>t</h1>x", "1 0 a\n1 0 b\n1 0 t\n1 0 x\n");
    expect("a<br>b<br><br>c", "1 0 a\n1 0 b\n1 0 \n1 0 c\n");
    expect("<div>a</div><div><br></div><div>b</div>", "1 0 a\n1 0 \n1 0 b\n");
}

static void white_space_collapses(void **state)
{
    (void)state;
    expect("<p>  a \t  b  <b> c</b> </p>", "1 0 a b c\n");
    expect("<p>a&nbsp;&nbsp;b</p>", "1 0 a\u00a0\u00a0b\n");
    expect("<p>&nbsp; a</p>", "1 0 \u00a0 a\n");
}

static void lines_of_the_source_are_kept(void **state)
{
    (void)state;
    expect("<p>one\n two</p>\n\n<p>three", "1 0 one~\n2 0 two\n4 0 three\n");
    expect("<p>wo<b\n>rd</b></p>", "1 0 wo~~\n2 0 rd\n");
    expect("<!-- a\nb\n-->\n<p\n title='\n'>x", "6 0 x\n");
    expect("bare\ntext\n<p>and\nmore", "1 0 bare~\n2 0 text\n3 0 and~\n4 0 more\n");
    expect("<p>a<br\n><br>\nb", "1 0 a\n2 0 \n3 0 b\n");
    expect("<p>a &lt; b\n&amp;\nc</p>", "1 0 a < b~\n2 0 &~\n3 0 c\n");
}

static void pre_keeps_lines_and_blanks(void **state)
{
    (void)state;
    expect("<pre>\n  a   b\n\n\tc &gt;=64\n</pre>x", "2 0   a   b\n3 0 \n4 0 \tc >=64\n5 0 x\n");
    expect("<div style=\"color: red; White-Space: pre-wrap\">a  b\n c</div>d\n  e",
           "1 0 a  b\n2 0  c\n2 0 d~\n3 0 e\n");
    expect("<p style=\"white-space: normal\">a  b\n c</p>", "1 0 a b~\n2 0 c\n");
}

static void cells_stay_apart(void **state)
{
    (void)state;
    expect("<table><tr><th></th><th>base</th><th>new</th></tr><tr><td>a</td><td>1</td><td>2</td></tr></table>",
           "1 0 \tbase\tnew\n1 0 a\t1\t2\n");
    expect("<table><tr><td><p>a</p></td><td><div>1<br></div></td></tr></table>", "1 0 a\t1\n");
    expect("<table><tr>\n<td>a</td>\n<td>1</td>\n</tr></table>", "2 0 a~~\n3 0 \t1\n");
    /* lines of cells stand side by side */
    expect("<table><tr><td>a<br>b</td><td>1</td></tr></table>", "1 0 a~~\n1 0 \t1\n1 0 b\n");
    expect("<table><tr><th></th><th>5.1<br>\nbase</th>\n<th><p>5.2</p><p>new one</p></th></tr></table>",
           "1 0 \t5.1~~\n3 0 \t5.2\n2 0 \tbase~~\n3 0 \tnew one\n");
    expect("<table><tr><td>a<br>b<br>c<br>d</td><td>1</td></tr></table>", "1 0 a\n1 0 b\n1 0 c\n1 0 d\t1\n");

    /* but not those of rows inside of each other */
    expect("<tr><td>a</td><td>b<thead><tr><td>c</td></tr></tbody>d", "1 0 a\tb\n1 0 c\n1 0 d\n");
    expect("<table><tr><td><table><tr><td>x</td><td>y</td></tr><tr><td>z</td></tr></table>w</td></tr></table>",
           "1 0 x\ty\n1 0 z\n1 0 w\n");
    /* what follows is set apart: its first line is no row, nor is the last row a title */
    expect("<p>t</p><table><tr><td>a</td></tr></table>\n<table><tr><td></td><td>b</td></tr></table>\n<p>c</p>",
           "1 0 t\n1 0 a\n2 0 \n2 0 \tb\n3 0 \n3 0 c\n");
    expect("<table><tr><td>a</td></tr></table><br>b", "1 0 a\n1 0 \n1 0 b\n");
}

static void quotes_have_depth(void **state)
{
    (void)state;
    expect("X wrote:<blockquote>a<blockquote type=\"cite\">b</blockquote>c</blockquote>d",
           "1 0 X wrote:\n1 1 a\n1 2 b\n1 1 c\n1 0 d\n");
    expect("<div class=\"gmail_quote\">X wrote:<br><blockquote class=\"gmail_quote\">a</blockquote></div>",
           "1 0 X wrote:\n1 1 a\n");
    expect("a<span type=cite>b</span>c", "1 0 a\n1 1 b\n1 0 c\n");
}

static void what_is_not_seen_is_left_out(void **state)
{
    (void)state;
    expect("<html><head><title>t</title><style>p{}</style></head><body>x<script>y()</script><!-- z "
           "--><style>q</style></body>",
           "1 0 x\n");
    expect("x<script>if (a < b) '</p>'", "1 0 x\n");
}

static void text_that_looks_like_tags_stays(void **state)
{
    (void)state;
    expect("<p>a < b, AT&T <3 &unknown; 1<2</p>", "1 0 a < b, AT&T <3 &unknown; 1<2\n");
}

static void claimed_charset_is_ignored(void **state)
{
    (void)state;
    expect("<meta charset=\"iso-8859-1\"><p>\u00b5s \u20ac</p>", "1 0 \u00b5s \u20ac\n");
}

static void entities_are_not_fetched(void **state)
{
    (void)state;
    expect("<!DOCTYPE html [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><p>&x;y</p>", "1 0 ]>\n1 0 &x;y\n");
}

/* The parser hands long text over in pieces: no line is lost or miscounted
 * wherever their borders fall. */
static void long_text_keeps_count(void **state)
{
    (void)state;
    for (size_t width = 1; width < 60; width += 7) {
        GString *source = g_string_new("<pre>");
        struct html *html;

        for (int i = 1; i <= 500; i++) {
            g_string_append_printf(source, "%d", i);
            for (size_t j = 0; j < width; j++)
                g_string_append_c(source, 'x');
            g_string_append_c(source, '\n');
        }
        html = html_new((struct view){source->str, source->len});
        assert_int_equal(html_line_count(html), 500);
        for (size_t i = 0; i < 500; i++) {
            assert_int_equal(html_line(html, i)->source_line, i + 1);
            assert_int_equal(strtoul(html_line(html, i)->text.bytes, NULL, 10), i + 1);
        }
        html_free(html);
        g_string_free(source, TRUE);
    }
}

static void lines_beyond_16_bits(void **state)
{
    enum { LINES = 70000 };
    GString *source = g_string_new(NULL);
    char *got;

    (void)state;
    for (int i = 0; i < LINES; i++)
        g_string_append_c(source, '\n');
    g_string_append(source, "<p>x</p>\n\n<p>y</p>");
    got = laid_out((struct view){source->str, source->len});
    assert_string_equal(got, "70001 0 x\n70003 0 y\n");
    g_free(got);
    g_string_free(source, TRUE);
}

/* Append text many times. */
static void repeat(GString *out, const char *text, int times)
{
    for (int i = 0; i < times; i++)
        g_string_append(out, text);
}

static void deep_nesting_ends_in_plain_lines(void **state)
{
    GString *source = g_string_new(NULL);
    struct html *html;
    const struct html_line *last;

    (void)state;
    repeat(source, "<b>\n", 100000);
    g_string_append(source, "Transactions: 5 hits\n</b>");
    html = html_new((struct view){source->str, source->len});
    last = html_line(html, html_line_count(html) - 2);
    assert_true(view_is(last->text, "Transactions: 5 hits"));
    assert_int_equal(last->source_line, 100001);
    html_free(html);
    g_string_free(source, TRUE);
}

/* Each of these took minutes if the time grew with the square of the size. */
static void hostile_input_takes_linear_time(void **state)
{
    static const struct {
        const char *before, *repeated, *after;
        int times;
    } cases[] = {
        {"<a ", "a=\"b\"", ">x", 200000}, {"<a ", "b ", ">x", 500000},     {"<a ", "bbbbbbbbbb", ">x", 100000},
        {"", "<b>", "x", 300000},         {"", "<!--", "x", 300000},       {"", "&", "x", 300000},
        {"", "<", "x", 300000},           {"<script>", "</", "x", 300000}, {"<table>", "<tr><td>", "x", 100000},
    };

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GString *source = g_string_new(cases[i].before);
        gint64 start = g_get_monotonic_time();

        repeat(source, cases[i].repeated, cases[i].times);
        g_string_append(source, cases[i].after);
        html_free(html_new((struct view){source->str, source->len}));
        assert_true(g_get_monotonic_time() - start < 20 * G_USEC_PER_SEC);
        g_string_free(source, TRUE);
    }
}

static void too_many_names_end_in_plain_lines(void **state)
{
    GString *source = g_string_new(NULL);
    struct html *html;

    (void)state;
    for (int i = 0; i < 100000; i++)
        g_string_append_printf(source, "<x%d></x%d></y%d>", i, i, i);
    g_string_append(source, "\nAvailability: 100.00 %\n");
    html = html_new((struct view){source->str, source->len});
    assert_true(view_is(html_line(html, html_line_count(html) - 1)->text, "Availability: 100.00 %"));
    html_free(html);
    g_string_free(source, TRUE);
}

static void any_bytes_are_read(void **state)
{
    static const char *const tokens[] = {"<p>",
                                         "</p>",
                                         "<td>",
                                         "<table>",
                                         "</table>",
                                         "<tr>",
                                         "<pre>",
                                         "</pre>",
                                         "\n",
                                         " ",
                                         "x",
                                         "&nbsp;",
                                         "&",
                                         "<",
                                         ">",
                                         "<blockquote>",
                                         "</blockquote>",
                                         "\xff",
                                         "\x80",
                                         "<!--",
                                         "-->",
                                         "<br>",
                                         "<script>",
                                         "</script>",
                                         "\"",
                                         "=",
                                         "<a b",
                                         "<head>",
                                         "<body>",
                                         "</html>",
                                         "\r",
                                         "<li type=cite>",
                                         "1"};
    GRand *random = g_rand_new_with_seed(7);

    (void)state;
    for (int run = 0; run < 2000; run++) {
        GString *source = g_string_new(NULL);
        struct html *html;
        size_t line_before = 1;
        size_t lines = 1;

        for (int i = g_rand_int_range(random, 0, 80); i > 0; i--)
            g_string_append(source, tokens[g_rand_int_range(random, 0, G_N_ELEMENTS(tokens))]);
        for (gsize i = 0; i < source->len; i++)
            lines += source->str[i] == '\n';
        html = html_new((struct view){source->str, source->len});
        for (size_t i = 0; i < html_line_count(html); i++) {
            const struct html_line *line = html_line(html, i);

            assert_true(line->source_line >= line_before && line->source_line <= lines);
            assert_true(g_utf8_validate(line->text.bytes, (gssize)line->text.length, NULL));
            assert_true(line->soft_break || !line->join_without_blank);
            line_before = line->source_line;
        }
        html_free(html);
        g_string_free(source, TRUE);
    }
    g_rand_free(random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_begin_lines),
        cmocka_unit_test(white_space_collapses),
        cmocka_unit_test(lines_of_the_source_are_kept),
        cmocka_unit_test(pre_keeps_lines_and_blanks),
        cmocka_unit_test(cells_stay_apart),
        cmocka_unit_test(quotes_have_depth),
        cmocka_unit_test(what_is_not_seen_is_left_out),
        cmocka_unit_test(text_that_looks_like_tags_stays),
        cmocka_unit_test(claimed_charset_is_ignored),
        cmocka_unit_test(entities_are_not_fetched),
        cmocka_unit_test(long_text_keeps_count),
        cmocka_unit_test(lines_beyond_16_bits),
        cmocka_unit_test(deep_nesting_ends_in_plain_lines),
        cmocka_unit_test(hostile_input_takes_linear_time),
        cmocka_unit_test(too_many_names_end_in_plain_lines),
        cmocka_unit_test(any_bytes_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
