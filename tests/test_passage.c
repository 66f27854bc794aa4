/* Lines dealt out to the passages of their quote depths. */
#include "extract/passage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* Passages as `DEPTH[LINE text/LINE text]`, a joined line after `+`. */
static char *passages_of(const char *text, enum part_format format)
{
    struct part part = {"1.2", view_of(text), format};
    struct body *body = body_new(&part);
    struct passages *passages = passages_new();
    passages_add(passages, part.section, body);
    GString *out = g_string_new(NULL);
    for (guint p = 0; p < passages->count; p++) {
        const struct passage *passage = passages_at(passages, p);
        assert_string_equal(passage->section, "1.2");
        assert_true(g_utf8_validate(passage->text->str, (gssize)passage->text->len, NULL));
        assert_int_equal(passage->text->str[passage->text->len - 1], '\n');
        g_string_append_printf(out, "%u[", passage->quote_depth);
        for (guint i = 0; i < passage->lines->len; i++) {
            const struct passage_line *line = passage_line(passage, i);
            g_string_append_printf(out, "%s%s%zu ", i ? "/" : "", line->joined ? "+" : "", line->source_line);
            g_string_append_len(out, passage->text->str + line->start, (gssize)(line->end - line->start));
        }
        g_string_append(out, "]");
    }
    passages_free(passages);
    body_free(body);
    return g_string_free(out, FALSE);
}

static void expect_in(enum part_format format, const char *text, const char *expected)
{
    char *passages = passages_of(text, format);
    assert_string_equal(passages, expected);
    g_free(passages);
}

static void expect(const char *text, const char *expected)
{
    expect_in(PART_PLAIN, text, expected);
}

static void test_one_depth(void **state)
{
    (void)state;
    expect("", "");
    expect("a\n", "0[1 a]");
    expect("a", "0[1 a]");
    expect("a\n\n  b\n", "0[1 a/2 /3   b]");
    expect("> a\n> b\n", "1[1 a/2 b]");
}

static void test_depths(void **state)
{
    (void)state;
    expect("> > a\n> b\nc\n", "2[1 a]1[2 b]0[3 c]");
    /* Where other lines stood between there is an empty line, of no source line. */
    expect("> a\nb\n> c\n", "1[1 a/0 /3 c]0[2 b]");
    expect("a\n> b\nc\n> d\ne\n", "0[1 a/0 /3 c/0 /5 e]1[2 b/0 /4 d]");
    /* Marks in other ways are the same depth. */
    expect(">> a\n> > b\n>>c\n", "2[1 a/2 b/3 c]");
}

/* What a mailer broke off a quoted line goes with its beginning. */
static void test_lost_marks(void **state)
{
    (void)state;
    expect("> a line that a mailer found too long for its width, so that\nbroken\n> next\n",
           "1[1 a line that a mailer found too long for its width, so that/2 broken/3 next]");
    /* A short line was not broken: its next word had room. */
    expect("> a short line\nb\n> next\n", "1[1 a short line/0 /3 next]0[2 b]");
    /* An empty line is no remainder. */
    expect("> a line that a mailer found too long for its width, so that it\n\nb\n",
           "1[1 a line that a mailer found too long for its width, so that it]0[2 /3 b]");
    /* A line at greater depth neither. */
    expect("> a line that a mailer found too long for its width, so that it\n> > b\n",
           "1[1 a line that a mailer found too long for its width, so that it]2[2 b]");
}

/* A word that is longer than any line leaves nothing but the marks. */
static void test_lost_marks_of_a_word(void **state)
{
    (void)state;
    expect("> names:\n>\na/word/that/has/no/blank/where/a/mailer/could/have/broken/it/off\n> next\n",
           "1[1 names:/2 /3 a/word/that/has/no/blank/where/a/mailer/could/have/broken/it/off/4 next]");
    /* Several, and one below an empty line. */
    expect("> a\n>\n>\n=================================================================\n>  \n"
           "a/word/that/has/no/blank/where/a/mailer/could/have/broken/it/off\n>\n"
           "b/word/that/has/no/blank/where/a/mailer/could/have/broken/it/off\n>\n> next\n",
           "1[1 a/2 /3 /4 =================================================================/5 "
           "/6 a/word/that/has/no/blank/where/a/mailer/could/have/broken/it/off/7 "
           "/8 b/word/that/has/no/blank/where/a/mailer/could/have/broken/it/off/9 /10 next]");
    /* Blanks were left, the beginning of a wide line. */
    expect(">                                                               \nvanilla   patched\n> next\n",
           "1[1 /2 vanilla   patched/3 next]");
    /* It had room, is several words, or what it answers is over. */
    expect("> a\n>\na/word/that/has/no/blank\n> next\n", "1[1 a/2 /0 /4 next]0[3 a/word/that/has/no/blank]");
    expect("> a\n>\na/word/that/has/no/blank/where/a/mailer/could/have/broken/it/off and more\n> next\n",
           "1[1 a/2 /0 /4 next]0[3 a/word/that/has/no/blank/where/a/mailer/could/have/broken/it/off and more]");
    expect("> a\n>\na/word/that/has/no/blank/where/a/mailer/could/have/broken/it/off\n\n> next\n",
           "1[1 a/2 /0 /5 next]0[3 a/word/that/has/no/blank/where/a/mailer/could/have/broken/it/off/4 ]");
}

/* Or a second mark was put before what was broken off. */
static void test_doubled_marks(void **state)
{
    (void)state;
    expect("> a line that a mailer found too long for its width, so that\n> > broken\n> next\n",
           "1[1 a line that a mailer found too long for its width, so that/2 broken/3 next]");
    expect(">> a line that a mailer found too long for its width, so that\n>>>> broken\n>> next\n",
           "2[1 a line that a mailer found too long for its width, so that/2 broken/3 next]");
    /* The last line, where another was so. */
    expect("> a line that a mailer found too long for its width, so that\n> > broken\n"
           "> a line that a mailer found too long for its width, so that\n> > broken\n",
           "1[1 a line that a mailer found too long for its width, so that/2 broken"
           "/3 a line that a mailer found too long for its width, so that/4 broken]");
    /* Two lines are no remainder, nor what answers a sentence, nor what had room. */
    expect("> a line that a mailer found too long for its width, so that\n> > broken\n> > twice\n> next\n",
           "1[1 a line that a mailer found too long for its width, so that/0 /4 next]2[2 broken/3 twice]");
    /* A line of three widths was broken into three. */
    expect("> a line that a mailer found too long for its width, so that\n"
           "> > it broke it off, and what was broken off was too long again,\n> > broken\n> next\n",
           "1[1 a line that a mailer found too long for its width, so that/"
           "2 it broke it off, and what was broken off was too long again,/3 broken/4 next]");
    expect("> a line that a mailer found too long for its width, so that\n"
           "> > this could be a remainder, but the one below it had room to\n> > \n> > be\n> next\n",
           "1[1 a line that a mailer found too long for its width, so that/0 /5 next]"
           "2[2 this could be a remainder, but the one below it had room to/3 /4 be]");
    expect("> a line that ends in a full stop, as long as the line above is.\n> > another\n> next\n",
           "1[1 a line that ends in a full stop, as long as the line above is./0 /3 next]2[2 another]");
    expect("> a short line\n> > another\n> next\n", "1[1 a short line/0 /3 next]2[2 another]");
}

/* Two voices by turns are no wrapped lines, and their texts go on unbroken. */
static void test_alternation(void **state)
{
    (void)state;
    expect("> a\n>> b\n> c\n>> d\n> e\n>> f\ng\n", "1[1 a/3 c/5 e]2[2 b/4 d/6 f]0[7 g]");
    expect("Ab> a\nCd> b\nAb> c\nCd> d\nAb> e\nCd> f\n", "1[1 a/3 c/5 e]1[2 b/4 d/6 f]");
    /* too few lines to tell */
    expect("> a\n>> b\n> c\n>> d\n", "1[1 a/0 /3 c]2[2 b/0 /4 d]");
    /* One remainder that had room: none is one. */
    expect("> a line that a mailer found too long for its width, so that\nbroken\n> short\nbroken\n"
           "> a line that a mailer found too long for its width, so that\nbroken\n",
           "1[1 a line that a mailer found too long for its width, so that/3 short"
           "/5 a line that a mailer found too long for its width, so that]0[2 broken/4 broken/6 broken]");
    expect("> a line that a mailer found too long for its width, so that\nbroken\n"
           "> a line that a mailer found too long for its width, so that\nbroken\n"
           "> a line that a mailer found too long for its width, so that\nbroken\n",
           "1[1 a line that a mailer found too long for its width, so that/2 broken"
           "/3 a line that a mailer found too long for its width, so that/4 broken"
           "/5 a line that a mailer found too long for its width, so that/6 broken]");
}

static void test_log_lines(void **state)
{
    (void)state;
    expect("a\n[ 1234.567890] x\n[12.345678][ T5] y\nb\n", "0[1 a/4 b]0[2 [ 1234.567890] x/3 [12.345678][ T5] y]");
    expect("> a\n> [    0.000001] x\n\n> b\n", "1[1 a/0 /4 b]1[2 [    0.000001] x]0[3 ]");
    expect("[1234] a\n[ 1.5] b\n[  5.00th] c\n", "0[1 [1234] a/2 [ 1.5] b/3 [  5.00th] c]");
}

static void test_tabs(void **state)
{
    (void)state;
    expect("\ta\tb\n", "0[1         a       b]");
    expect("1234567\ta\n", "0[1 1234567 a]");
    expect("12345678\ta\n", "0[1 12345678        a]");
    /* A stop is counted in characters. */
    expect("\xc3\xa4\xc3\xa4\ta\n", "0[1 \xc3\xa4\xc3\xa4      a]");
}

static void test_soft_breaks(void **state)
{
    (void)state;
    expect_in(PART_FLOWED_DELSP, "a  \nb\nc\n", "0[1 a /+2 b/3 c]");
    expect_in(PART_FLOWED_DELSP, "> a  \n> b\n> c\n", "1[1 a /+2 b/3 c]");
    /* A paragraph ends with its depth, soft break or not. */
    expect_in(PART_FLOWED_DELSP, "> a \nb\n", "1[1 a]0[2 b]");
}

static void test_joined_text(void **state)
{
    struct part part = {"1", view_of("a  \nb\n"), PART_FLOWED_DELSP};
    struct body *body = body_new(&part);
    struct passages *passages = passages_new();
    passages_add(passages, "1", body);
    const struct passage *passage = passages_at(passages, 0);
    (void)state;
    assert_string_equal(passage->text->str, "a b\n");
    passages_free(passages);
    body_free(body);
}

/* A quoted text that was put on one line has its marks in the middle. */
static void test_marks_inside(void **state)
{
    GString *text = g_string_new("> ");
    (void)state;
    for (int i = 0; i < 20; i++)
        g_string_append(text, "IOPS=100 > ");
    g_string_append(text, "x>1 >=64=0.0%\n");
    struct part part = {"1", {text->str, text->len}, PART_PLAIN};
    struct body *body = body_new(&part);
    struct passages *passages = passages_new();
    passages_add(passages, "1", body);
    const struct passage *passage = passages_at(passages, 0);
    assert_int_equal(passage->quote_depth, 1);
    assert_null(strstr(passage->text->str, " > "));
    assert_non_null(strstr(passage->text->str, "x>1 >=64=0.0%"));
    passages_free(passages);
    body_free(body);
    g_string_free(text, TRUE);
}

static void test_line_at(void **state)
{
    struct part part = {"1", view_of("ab\n\n> q\ncd\nef\n"), PART_PLAIN};
    struct body *body = body_new(&part);
    struct passages *passages = passages_new();
    passages_add(passages, "1", body);
    const struct passage *passage = passages_at(passages, 0);
    (void)state;
    /* ab, the empty line, the gap, cd, ef: each byte, line ends too, knows its line. */
    assert_string_equal(passage->text->str, "ab\n\n\ncd\nef\n");
    static const size_t lines[] = {0, 0, 0, 1, 2, 3, 3, 3, 4, 4, 4};
    static const size_t source_lines[] = {1, 2, 0, 4, 5};
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        assert_int_equal(passage_line_at(passage, i), lines[i]);
        assert_int_equal(passage_line(passage, lines[i])->source_line, source_lines[lines[i]]);
    }
    struct view view = passage_view(passage, 5, 7);
    assert_true(view_is(view, "cd"));
    passages_free(passages);
    body_free(body);
}

/* The passages of several parts come one behind the other, until all are cleared. */
static void test_several_parts(void **state)
{
    static const char *const texts[] = {"one\n> two\n", "three\n"};
    struct passages *passages = passages_new();
    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        passages_clear(passages);
        for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
            struct part part = {i == 0 ? "1" : "2", view_of(texts[i]), PART_PLAIN};
            struct body *body = body_new(&part);
            passages_add(passages, part.section, body);
            body_free(body);
        }
        assert_int_equal(passages->count, 3);
        assert_string_equal(passages_at(passages, 0)->text->str, "one\n");
        assert_string_equal(passages_at(passages, 1)->text->str, "two\n");
        assert_int_equal(passages_at(passages, 1)->quote_depth, 1);
        assert_string_equal(passages_at(passages, 2)->text->str, "three\n");
        assert_string_equal(passages_at(passages, 2)->section, "2");
        assert_int_equal(passages_at(passages, 2)->lines->len, 1);
    }
    passages_free(passages);
}

static void test_invalid_bytes(void **state)
{
    (void)state;
    expect("a\xff\xed\xa0\x80z\n", "0[1 a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_depth),     cmocka_unit_test(test_depths),
        cmocka_unit_test(test_lost_marks),    cmocka_unit_test(test_lost_marks_of_a_word),
        cmocka_unit_test(test_doubled_marks), cmocka_unit_test(test_alternation),
        cmocka_unit_test(test_log_lines),     cmocka_unit_test(test_tabs),
        cmocka_unit_test(test_soft_breaks),   cmocka_unit_test(test_joined_text),
        cmocka_unit_test(test_marks_inside),  cmocka_unit_test(test_line_at),
        cmocka_unit_test(test_invalid_bytes), cmocka_unit_test(test_several_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
