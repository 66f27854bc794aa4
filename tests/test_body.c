/* Parts as lines: flowed text, clear-signing, what is not seen, and limits. */
#include "extract/body.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

/* The lines as `SOURCE_LINE DEPTH text`; a soft break is shown as `~`, one
 * that joins without a blank as `~~`. */
static char *lines_of(struct view text, enum part_format format)
{
    struct part part = {"1", text, format};
    struct body *body = body_new(&part);
    GString *out = g_string_new(NULL);

    for (size_t i = 0; i < body_line_count(body); i++) {
        const struct line *line = body_line(body, i);

        g_string_append_printf(out, "%zu %u ", line->source_line, line->quote_depth);
        g_string_append_len(out, line->text.bytes, (gssize)line->text.length);
        if (line->soft_break)
            g_string_append(out, line->join_without_blank ? "~~" : "~");
        g_string_append_c(out, '\n');
    }
    body_free(body);
    return g_string_free(out, FALSE);
}

static void expect(enum part_format format, const char *text, const char *wanted)
{
    char *got = lines_of(view_of(text), format);

    assert_string_equal(got, wanted);
    g_free(got);
}

static void plain_lines(void **state)
{
    (void)state;
    expect(PART_PLAIN, "", "");
    expect(PART_PLAIN, "a", "1 0 a\n");
    expect(PART_PLAIN, "a\n\n  b \t\n", "1 0 a\n2 0 \n3 0   b\n");
    expect(PART_PLAIN, "> > a\n> \nb\r\n", "1 2 a\n2 1 \n3 0 b\n");
    expect(PART_PLAIN, "\tTransactions:\t\t 5 hits", "1 0 \tTransactions:\t\t 5 hits\n");
    expect(PART_PLAIN, "    a\n        b", "1 0     a\n2 0         b\n");
    expect(PART_PLAIN, "a trailing blank is no soft break \nhere", "1 0 a trailing blank is no soft break\n2 0 here\n");
}

static void broken_value_is_mended(void **state)
{
    (void)state;
    expect(PART_PLAIN, ">> =64=0.0%\n>>> 4=1\n", "1 1 >=64=0.0%\n2 3 4=1\n");
}

static void spaces_become_blanks(void **state)
{
    (void)state;
    expect(PART_PLAIN, "a\u00a0\u2003\u202f\u205f\u3000b\u00a0", "1 0 a     b\n");
    expect(PART_PLAIN, ">\u00a0>\u00a0 a", "1 2  a\n");
    expect(PART_PLAIN, "\ufeffa\u200bb\u00adc\u2060d", "1 0 abcd\n");
    expect(PART_PLAIN, "\u00b5s \u2013 \u20ac \u3042 \ufb01", "1 0 \u00b5s \u2013 \u20ac \u3042 \ufb01\n");
}

static void carriage_returns_break_lines(void **state)
{
    (void)state;
    expect(PART_PLAIN, "Jobs: 1\rJobs: 2\r\nread: 3", "1 0 Jobs: 1\n1 0 Jobs: 2\n2 0 read: 3\n");
    expect(PART_PLAIN, "\r10 bytes\r20 bytes\r\r", "1 0 10 bytes\n1 0 20 bytes\n");
    expect(PART_PLAIN, "> Jobs: 1\rJobs: 2\r\n", "1 1 Jobs: 1\n1 1 Jobs: 2\n");
    expect(PART_PLAIN, "\r\n\r\n", "1 0 \n2 0 \n");
}

static void terminal_escapes_vanish(void **state)
{
    (void)state;
    expect(PART_PLAIN, "\033[1;34mdebug\033[0m x\033[K\033(B", "1 0 debug x\n");
    expect(PART_PLAIN, "[[1;34mdebug[0m] [0;32mHTTP[0m", "1 0 [debug] HTTP\n");
    expect(PART_PLAIN, "^[[31mred^[[0m \033]0;title\ax", "1 0 red x\n");
    expect(PART_PLAIN, "a\033", "1 0 a\n");
    /* no escapes */
    expect(PART_PLAIN, "rate(x[5m]) [m [eta 00m:01s] [1;m [12] [;1m",
           "1 0 rate(x[5m]) [m [eta 00m:01s] [1;m [12] [;1m\n");
    expect(PART_PLAIN, "1.00th=[   11], >=64=0.0%", "1 0 1.00th=[   11], >=64=0.0%\n");
}

static void backspace_erases(void **state)
{
    (void)state;
    expect(PART_PLAIN, "N\bNA\bA x\u00e9\b\by", "1 0 NA y\n");
    expect(PART_PLAIN, "\b\ba", "1 0 a\n");
}

/* RFC 3676. A mailer breaks lines that are too long. */
#define LONG "a line that a mailer found too long for its width, so that it"

static void flowed_text(void **state)
{
    (void)state;
    expect(PART_FLOWED, LONG " \ntwo\nthree", "1 0 " LONG "~\n2 0 two\n3 0 three\n");
    expect(PART_FLOWED, LONG " \n" LONG " \nthree", "1 0 " LONG "~\n2 0 " LONG "~\n3 0 three\n");
    expect(PART_FLOWED, " >not quoted\n From x\n  y", "1 0 >not quoted\n2 0 From x\n3 0  y\n");
    expect(PART_FLOWED, ">> " LONG " \n>> b\n> " LONG " \nd", "1 2 " LONG "~\n2 2 b\n3 1 " LONG "\n4 0 d\n");
    expect(PART_FLOWED, "-- \nsig", "1 0 --\n2 0 sig\n");
    expect(PART_FLOWED, "> -- \n> sig", "1 1 --\n2 1 sig\n");
    expect(PART_FLOWED, LONG " \n\nb \n", "1 0 " LONG "\n2 0 \n3 0 b\n");
    expect(PART_FLOWED, LONG "\u00a0\nb", "1 0 " LONG "\n2 0 b\n");
    expect(PART_FLOWED_DELSP, "foo  \nba \nr\n", "1 0 foo ~~\n2 0 ba~~\n3 0 r\n");
    /* the blanks of a table that is wrapped between two columns */
    expect(PART_FLOWED, "> " LONG "     \n> 1.00", "1 1 " LONG "    ~\n2 1 1.00\n");
}

/* Lines that end in blanks of their own: a word had room, or the last one ends in a blank, too. */
static void blanks_that_break_nothing(void **state)
{
    (void)state;
    expect(PART_FLOWED, "one \ntwo\nthree", "1 0 one\n2 0 two\n3 0 three\n");
    expect(PART_FLOWED, LONG " \n" LONG " \n\nx", "1 0 " LONG "\n2 0 " LONG "\n3 0 \n4 0 x\n");
    expect(PART_FLOWED, LONG " \n" LONG " ", "1 0 " LONG "\n2 0 " LONG "\n");
    expect(PART_FLOWED, "> " LONG " \n> " LONG " \nx", "1 1 " LONG "\n2 1 " LONG "\n3 0 x\n");
    expect(PART_FLOWED, LONG " \n \nb", "1 0 " LONG "\n2 0 \n3 0 b\n");
}

/* RFC 4880 7: `- ` at a line's start is no text, the signature is none either. */
static void clear_signed_text(void **state)
{
    (void)state;
    expect(
        PART_PLAIN,
        "before\n- list\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n- -- dashes\n- - item\n> quoted\n- > q\n"
        "-----BEGIN PGP SIGNATURE-----\nVersion: X v1\n\niQEzBAEB+/=\n=abcd\n-----END PGP SIGNATURE-----\n- after\n",
        "1 0 before\n2 0 - list\n5 0 \n6 0 -- dashes\n7 0 - item\n8 1 quoted\n9 1 q\n16 0 - after\n");
    /* a quoted copy, whose program has shown the text without escapes */
    expect(PART_PLAIN, "> -----BEGIN PGP SIGNED MESSAGE-----\n> Hash: SHA1\n>\n> - item\n> - -x\nmine\n",
           "3 1 \n4 1 - item\n5 1 -x\n6 0 mine\n");
    /* cut off: text follows what is left of the signature */
    expect(PART_PLAIN, "-----BEGIN PGP SIGNATURE-----\n\niQEzBAEB\nTransactions: 5 hits\n",
           "4 0 Transactions: 5 hits\n");
    /* signed again: the inner signature is text */
    expect(PART_PLAIN, "-----BEGIN PGP SIGNED MESSAGE-----\n\n- -----BEGIN PGP SIGNATURE-----\nx y\n",
           "2 0 \n3 0 -----BEGIN PGP SIGNATURE-----\n4 0 x y\n");
}

static void html_parts(void **state)
{
    (void)state;
    expect(PART_HTML, "<div>a&nbsp;&nbsp;1&nbsp;<br>\n&gt; q&nbsp;x</div>", "1 0 a  1\n2 1 q x\n");
    expect(PART_HTML, "<blockquote>&gt; a</blockquote>b", "1 2 a\n1 0 b\n");
    /* a mark inside a line is none, wherever the source breaks */
    expect(PART_HTML, "<p>Seconds\n&gt; Higher Is Better</p>", "1 0 Seconds~\n2 0 > Higher Is Better\n");
    expect(PART_HTML, "<blockquote>&gt; one\ntwo</blockquote>", "1 2 one~\n2 2 two\n");
    expect(PART_HTML, "<pre>\n&gt;  a\n  b</pre>", "2 1  a\n3 0   b\n");
}

/* What is left encoded is decoded before marks are looked for. */
static void encoded_text(void **state)
{
    (void)state;
    expect(
        PART_PLAIN,
        "> a=3Db=C2=A0c=20\n> Now's the time for all folk to come to the aid of their country, and so=\n> x\n> =3D\n",
        "1 1 a=b c\n2 1 Now's the time for all folk to come to the aid of their country, and so~~\n3 1 x\n4 1 =\n");
    /* the blank before the break is the text's */
    expect(PART_PLAIN, "READ: io=3D13556KB, aggrb=3D4475KB/s, minb=3D4582KB/s, maxb=3D4582KB/s, =\nmint=3D3029msec",
           "1 0 READ: io=13556KB, aggrb=4475KB/s, minb=4582KB/s, maxb=4582KB/s, ~~\n2 0 mint=3029msec\n");
    expect(PART_PLAIN, "a=3Db=3Dc=0Anext=0A=\nlast", "1 0 a=b=c\n1 0 next\n2 0 last\n");
    expect(PART_FLOWED,
           LONG "=3D=3D=20\nd\n> Now's the time for all folk to come to the aid of their country, and so=\nx\n",
           "1 0 " LONG
           "==~\n2 0 d\n3 1 Now's the time for all folk to come to the aid of their country, and so~~\n4 1 x\n");
    expect(PART_HTML,
           "<p class=3D\"x\">a</p>\n<p class=3D\"y\">one that goes beyond its line and so has been "
           "br=\noken</p>\n<b>c</b>",
           "1 0 a\n2 0 one that goes beyond its line and so has been broken\n4 0 c\n");
}

static void sizes_without_bound(void **state)
{
    enum { SIZE = 1 << 19 };
    static const char *const repeated[] = {"\n",        ">",    "> ",     "[",     "\033[",   "\r",
                                           "\u00a0",    "\b",   "| \n",   "A> \n", " ",       "$ for\n> x\n",
                                           "1,9c1,9\n", "- \n", "\033]x", "a \n",  "[1;1;1;", ">\n>> \n"};
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(repeated); i++) {
        GString *text = g_string_new(NULL);

        while (text->len < SIZE)
            g_string_append(text, repeated[i]);
        for (int format = PART_PLAIN; format <= PART_HTML; format++) {
            struct part part = {"1", {text->str, text->len}, (enum part_format)format};
            gint64 start = g_get_monotonic_time();

            body_free(body_new(&part));
            assert_true(g_get_monotonic_time() - start < 20 * G_USEC_PER_SEC);
        }
        g_string_free(text, TRUE);
    }
}

static void check_invariants(struct view text, enum part_format format)
{
    struct part part = {"1", text, format};
    struct body *body = body_new(&part);
    bool valid = g_utf8_validate(text.bytes, (gssize)text.length, NULL);
    size_t line_before = 1;
    size_t lines = 1;

    for (size_t i = 0; i < text.length; i++)
        lines += text.bytes[i] == '\n';
    for (size_t i = 0; i < body_line_count(body); i++) {
        const struct line *line = body_line(body, i);

        assert_true(line->source_line >= line_before && line->source_line <= lines);
        line_before = line->source_line;
        assert_true(line->quote_depth <= 100);
        assert_true(!valid || g_utf8_validate(line->text.bytes, (gssize)line->text.length, NULL));
        assert_true(line->soft_break || line->text.length == 0 ||
                    !strchr(" \t\r\n", line->text.bytes[line->text.length - 1]) ||
                    line->text.bytes[line->text.length - 1] == '\0');
        assert_true(line->soft_break || !line->join_without_blank);
        if (line->soft_break) {
            assert_true(i + 1 < body_line_count(body));
            assert_int_equal(body_line(body, i + 1)->quote_depth, line->quote_depth);
        }
    }
    body_free(body);
}

static void any_bytes_are_read(void **state)
{
    static const char *const tokens[] = {"> ",
                                         ">",
                                         "|",
                                         "| ",
                                         "Ab> ",
                                         "\n",
                                         "\n",
                                         "\n",
                                         " ",
                                         "  ",
                                         "\t",
                                         "\r",
                                         "\b",
                                         "\033[1m",
                                         "[0m",
                                         "\033",
                                         "\u00a0",
                                         "\u200b",
                                         "\u00e9",
                                         "x",
                                         "5",
                                         "=64",
                                         ">=64",
                                         "- ",
                                         "-----BEGIN PGP SIGNED MESSAGE-----\n",
                                         "-----BEGIN PGP SIGNATURE-----\n",
                                         "\n-----END PGP SIGNATURE-----\n",
                                         "$ for i\n",
                                         "do\n",
                                         "done\n",
                                         "\\\n",
                                         "3c3\n",
                                         "---\n",
                                         "< ",
                                         "A wrote:\n",
                                         "-- \n",
                                         "<p>",
                                         "<pre>",
                                         "<td>",
                                         "</td>",
                                         "<br>",
                                         "<blockquote>",
                                         "&nbsp;",
                                         "\xc2",
                                         "\xe2\x80",
                                         "<<E\n",
                                         "E\n",
                                         "+--+\n"};
    GRand *random = g_rand_new_with_seed(11);

    (void)state;
    for (int run = 0; run < 4000; run++) {
        GString *text = g_string_new(NULL);

        for (int i = g_rand_int_range(random, 0, 100); i > 0; i--) {
            if (run % 8 == 0)
                g_string_append_c(text, (char)g_rand_int_range(random, 0, 256));
            else
                g_string_append(text, tokens[g_rand_int_range(random, 0, G_N_ELEMENTS(tokens))]);
        }
        for (int format = PART_PLAIN; format <= PART_HTML; format++) {
            /* exactly as long as the text, so that a read beyond it is seen */
            char *copy = text->len > 0 ? g_memdup2(text->str, text->len) : NULL;

            check_invariants((struct view){copy, text->len}, (enum part_format)format);
            g_free(copy);
        }
        g_string_free(text, TRUE);
    }
    g_rand_free(random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_lines),
        cmocka_unit_test(broken_value_is_mended),
        cmocka_unit_test(spaces_become_blanks),
        cmocka_unit_test(carriage_returns_break_lines),
        cmocka_unit_test(terminal_escapes_vanish),
        cmocka_unit_test(backspace_erases),
        cmocka_unit_test(flowed_text),
        cmocka_unit_test(blanks_that_break_nothing),
        cmocka_unit_test(clear_signed_text),
        cmocka_unit_test(html_parts),
        cmocka_unit_test(encoded_text),
        cmocka_unit_test(sizes_without_bound),
        cmocka_unit_test(any_bytes_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
