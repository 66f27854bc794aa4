/* The prefilter never says no where a message has the literals, whatever stands
 * between the raw bytes and the text that grammars see; and it says no to plain
 * mail without them, encoded or not. */
#include "extract/prefilter.h"

#include "extract/grammar_set.h"
#include "extract/passage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Grammars with literals of every kind. */
struct fixture {
    GPtrArray *grammars;
    struct conditions *conditions;
    struct prefilter *prefilter;
    struct prefilter_scratch *scratch;
    struct diag *diag;
};

static void add_item(struct grammar *grammar, int kind, const char *text)
{
    struct literal_item item = {0};

    item.kind = kind == '&' ? LITERAL_AND : kind == '|' ? LITERAL_OR : LITERAL_TEXT;
    item.text = g_strdup(text);
    item.before_number = kind == '>';
    item.after_number = kind == '<';
    g_array_append_val(grammar->literals, item);
}

static void free_grammar(gpointer grammar)
{
    grammar_free(grammar);
}

static int set_up(void **state)
{
    struct fixture *fixture = g_new0(struct fixture, 1);
    struct grammar *rate = grammar_new("rate"), *both = grammar_new("both"), *odd = grammar_new("odd");
    struct grammar *beside = grammar_new("beside"), *words = grammar_new("words");

    fixture->grammars = g_ptr_array_new_with_free_func(free_grammar);
    add_item(rate, 0, "IOPS="); /* IOPS= */
    add_item(both, 0, "Mean");  /* (Mean or Average) and (Better and |) */
    add_item(both, 0, "Average");
    add_item(both, '|', NULL);
    add_item(both, 0, "Better");
    add_item(both, 0, "|");
    add_item(both, '&', NULL);
    add_item(both, '&', NULL);
    add_item(odd, 0, ">=64\xc2\xb5s"); /* a mark, and a letter that sets of characters write in several ways */
    g_ptr_array_add(fixture->grammars, rate);
    g_ptr_array_add(fixture->grammars, both);
    g_ptr_array_add(fixture->grammars, odd);
    add_item(beside, '>', "Max"); /* Max <number> and <number> tps */
    add_item(beside, '<', "tps");
    add_item(beside, '&', NULL);
    g_ptr_array_add(fixture->grammars, beside);
    add_item(words, 0, "\xd1\x81\xd0\xbb\xd0\xbe\xd0\xb2\xd0\xb0"); /* Cyrillic */
    g_ptr_array_add(fixture->grammars, words);
    fixture->conditions = conditions_new(fixture->grammars);
    fixture->prefilter = prefilter_new(fixture->conditions);
    fixture->scratch = prefilter_scratch_new(fixture->prefilter);
    fixture->diag = diag_new(NULL, true);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    prefilter_scratch_free(fixture->scratch);
    prefilter_free(fixture->prefilter);
    conditions_free(fixture->conditions);
    g_ptr_array_unref(fixture->grammars);
    diag_free(fixture->diag);
    g_free(fixture);
    return 0;
}

static bool prefilter_says(const struct fixture *fixture, struct view bytes, bool is_mail)
{
    struct raw_message raw = {bytes, "test", 0, is_mail};

    return prefilter_may_match(fixture->prefilter, &raw, fixture->scratch);
}

/* Are the literals of a grammar in some text of the message as it is read? */
static bool is_there(const struct fixture *fixture, struct view bytes, bool is_mail)
{
    struct raw_message raw = {bytes, "test", 0, is_mail};
    struct message *message = message_parse(&raw, fixture->diag);
    bool found = false;

    for (size_t p = 0; p < message_part_count(message); p++) {
        struct body *body = body_new(message_part(message, p));
        struct passages *passages = passages_new();
        passages_add(passages, message_part(message, p)->section, body);

        for (guint i = 0; i < passages->count; i++) {
            const struct passage *passage = passages_at(passages, i);

            for (guint g = 0; g < fixture->grammars->len; g++)
                found = found || grammar_may_match(g_ptr_array_index(fixture->grammars, g),
                                                   (struct view){passage->text->str, passage->text->len});
        }
        passages_free(passages);
        body_free(body);
    }
    message_free(message);
    return found;
}

/* The mail holds the literals once it is read, and the prefilter knows. */
static void expect_found(const struct fixture *fixture, const char *mail)
{
    if (!is_there(fixture, view_of(mail), true))
        fail_msg("not there: %s", mail);
    if (!prefilter_says(fixture, view_of(mail), true))
        fail_msg("lost: %s", mail);
}

/* It does not, and the prefilter knows that, too. */
static void expect_none(const struct fixture *fixture, const char *mail)
{
    if (is_there(fixture, view_of(mail), true))
        fail_msg("there: %s", mail);
    if (prefilter_says(fixture, view_of(mail), true))
        fail_msg("let through: %s", mail);
}

#define PLAIN "From: a@example.org\nContent-Type: text/plain; charset=utf-8\n\n"
#define QP    "From: a@example.org\nContent-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\n"
#define BASE  "From: a@example.org\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\n"
#define HTML  "From: a@example.org\nContent-Type: text/html; charset=utf-8\n\n"
#define MIXED "From: a@example.org\nContent-Type: multipart/mixed; boundary=b\n\n"

static void plain_text(void **state)
{
    expect_found(*state, PLAIN "read: IOPS=12\n");
    expect_found(*state, PLAIN "> > read: IOPS=12\n");
    expect_found(*state, "Subject: x\r\n\r\nread: IOPS=12\r\n");
    expect_found(*state, PLAIN "Mean 1\nHigher Is Better\n|\n");
    expect_found(*state, PLAIN ">From a: IOPS=12");
    expect_none(*state, PLAIN "read: IOPS 12, a = b, x *= 3, [1], =\n y\n");
    expect_none(*state, PLAIN "Mean 1\nHigher is better\n|\n");
    expect_none(*state, "Subject: IOPS=12\nX: Mean Better |\n\nnothing\n");
    expect_none(*state, "\nnothing\n");
    expect_none(*state, "");
}

/* Text that is no mail has no header. */
static void text_alone(void **state)
{
    static const char text[] = "Subject: IOPS=12\n\nnothing\n";

    assert_true(is_there(*state, view_of(text), false));
    assert_true(prefilter_says(*state, view_of(text), false));
}

/* What garbage in a header means, GMime decides. */
static void odd_headers(void **state)
{
    expect_found(*state, "Subject: x\nno field\n \nX: y\n\nIOPS=12\n");
    expect_found(*state, "Content-Transfer-Encoding : base64\nContent-Type\t:text/plain\n\nSU9QUz0xMg==\n");
    expect_found(*state, "CONTENT-TRANSFER-ENCODING:\n base64\n\nSU9QUz0xMg==\n");
    expect_found(*state, "Content-Transfer-Encoding: =?utf-8?B?YmFzZTY0?=\n\nSU9QUz0xMg==\n");
    expect_found(*state, "Content-Transfer-Encoding: 7bit\nContent-Transfer-Encoding: base64\n\nSU9QUz0xMg==\n");
    expect_found(*state, "Content-Transfer-Encoding: ba\rse64\n\nSU9QUz0xMg==\n");
    expect_found(*state, "Content-Transfer-Encoding: x-uuencode\n\nbegin 644 x\n(24]04STQ,@H \n`\nend\n");
}

static void quoted_printable(void **state)
{
    expect_found(*state, QP "read: IOPS=3D12\n");
    expect_found(*state, QP "read: IO=\nPS=3d12\n");
    expect_found(*state, QP "read: =49=4f=50=53=3D12\n");
    expect_found(*state, QP "read: IO= \t\r\nPS=3D12\r\n");
    expect_found(*state, QP "Mean 1\nHigher Is Bet=\nter\n=7C\n");
    expect_none(*state, QP "a =3D b, caf=C3=A9, long li=\nnes\n");
}

/* Quoted-printable that nothing declares: undecoded.h says what is taken for it. */
static void undeclared_quoted_printable(void **state)
{
    expect_found(*state, PLAIN "a =3D b and c =3D d in caf=C3=A9\n"
                               "the first line of text is as long as lines of text are, and IO=\n"
                               "PS=3D13 here\n");
    expect_found(*state, PLAIN "> a =3D b and c =3D d in caf=C3=A9\n"
                               "> the first line of text is as long as lines of text are, and IO=\n"
                               "> PS=3D13 here\n");
    expect_found(*state, PLAIN "a =3D b and c =3D d in caf=C3=A9\nMean Is Better =7C\n");
    expect_found(*state, PLAIN "a =3D b and c =3D d in caf=C3=A9, IO\017PS=3D13 here\n");
    expect_found(*state, QP "a =3D3D b and c =3D3D d\nread: IOPS=3D3D12\n");
    expect_none(*state, PLAIN "IO=50A\nmode=0644 foo=\nbar\n");
}

static void base64(void **state)
{
    /* "read: IOPS=12\n" */
    expect_found(*state, BASE "cmVhZDogSU9QUz0xMgo=\n");
    expect_found(*state, BASE "cmVhZDog\nSU9Q\nUz0x\nMgo=\n");
    expect_found(*state, BASE "cmVhZDogSU\n9QUz0xMgo=\n");
    expect_found(*state, BASE "\n\nThis is no base64.\ncmVhZDogSU9QUz0xMgo=\n-- \nSent by a list\n");
    expect_found(*state, BASE "cmVh\n--\nlist\nSU9QUz0xMgo=\n");
    expect_found(*state, MIXED "--b\n\nfoo\n--b\nContent-Transfer-Encoding: base64\nX-Y:\n folded\n\n"
                               "cmVhZDogSU9QUz0xMgo=\n--b--\n");
    expect_found(*state, MIXED "--b\nContent-Transfer-Encoding: base64\n\naGVsbG8K\n--b\nContent-Transfer-Encoding: "
                               "base64\n\ncmVhZDogSU9QUz0xMgo=\n--b--\n");
    expect_found(*state, MIXED "--b\nContent-Transfer-Encoding: quoted-printable\n\nx =3D y\n--b\n"
                               "Content-Transfer-Encoding: base64\n\ncmVhZDogSU9QUz0xMgo=\n--b--\n");
    expect_found(*state, BASE "=\n--b\n\nContent-Transfer-Encoding: base64\n\n12\nSU9QUz0xMgo=\n");
    /* "hello\n" */
    expect_none(*state, BASE "aGVsbG8K\n");
    expect_none(*state, MIXED "--b\nContent-Transfer-Encoding: base64\n\naGVsbG8K\n--b--\n");
}

static void nested_messages(void **state)
{
    expect_found(*state, MIXED "--b\nContent-Type: message/rfc822\n\nSubject: inner\nContent-Transfer-Encoding: "
                               "base64\n\ncmVhZDogSU9QUz0xMgo=\n--b--\n");
    /* "Subject: inner\nContent-Transfer-Encoding: quoted-printable\n\nIOPS=3D12\n" */
    expect_found(*state, "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n"
                         "U3ViamVjdDogaW5uZXIKQ29udGVudC1UcmFuc2Zlci1FbmNvZGluZzogcXVvdGVkLXByaW50YWJs\n"
                         "ZQoKSU9QUz0zRDEyCg==\n");
}

static void character_sets(void **state)
{
    /* "IOPS=12" in UTF-16, the big end first */
    static const char utf16[] = "Content-Type: text/plain; charset=utf-16be\n\n\0I\0O\0P\0S\0=\0001\0002";
    struct view bytes = {utf16, sizeof utf16 - 1};

    assert_true(is_there(*state, bytes, true));
    assert_true(prefilter_says(*state, bytes, true));
    expect_found(*state, "Content-Type: text/plain; charset=utf-7\n\n+AEkATwBQAFM-=12\n");
    expect_found(*state, "Content-Type: text/plain; charset=\"ut\\f-7\"\n\n+AEkATwBQAFM-=12\n");
    expect_found(*state, "Content-Type: text/plain; charset*=us-ascii''utf-7\n\n+AEkATwBQAFM-=12\n");
    expect_found(*state, "Content-Type: text/plain; charset*0=utf; charset*1=-7\n\n+AEkATwBQAFM-=12\n");
    expect_found(*state, "Content-Type: text/plain; charset (a) = (b) utf-7\n\n+AEkATwBQAFM-=12\n");
    expect_found(*state, "Content-Type: =?utf-8?Q?text/plain;_charset=3Dutf-7?=\n\n+AEkATwBQAFM-=12\n");
    expect_none(*state, "Content-Type: text/plain; charset=\"ISO-8859-1\"\n\ncaf\xe9\n");
    expect_none(*state, "Content-Type: text/plain; charset=gb2312\n\n\xc4\xe3\xba\xc3 IOPS\n");
    expect_none(*state, "Content-Type: text/plain; charset=koi8-r\n\n\xf0\xd2\xc9 \xd7\xc5\xd4\n");
}

/* Characters that nobody sees, and what moves a terminal's cursor. */
static void vanishing_bytes(void **state)
{
    expect_found(*state, PLAIN "read: IO\xc2\xadPS=12\n");
    expect_found(*state, PLAIN "read: IO\xe2\x80\x8bPS=12\n");
    expect_found(*state, PLAIN "read: IO\xe2\x81\xa0PS\xef\xbb\xbf=12\n");
    expect_found(*state, PLAIN "read: \033[1mIO\033[0mPS=12\n");
    expect_found(*state, PLAIN "read: IO[0mPS=12\n");
    expect_found(*state, PLAIN "read: IOX\bPS=12\n");
    expect_found(*state, "Content-Type: text/plain; charset=iso-8859-1\n\nread: IO\xadPS=12\n");
    expect_found(*state, "Subject: x\n\nread: IO\xadPS=12\n");
    /* U+200B in GB 18030 */
    expect_found(*state, "Content-Type: text/plain; charset=gb18030\n\nread: IO\x81\x36\xa4\x37PS=12\n");
    expect_found(*state, QP "read: IO=C2=ADPS=3D12\n");
    expect_found(*state, QP "read: IO=08=49OPS=3D12\n");
    expect_found(*state, PLAIN "read: IO\033]0;title\aPS=12\n");
    expect_found(*state, PLAIN "read: IO\033]0;title\nIO\033[KPS=12\a\n");
    expect_found(*state, PLAIN "Max\033[32m12\033[0m 3 \033[1mtps\n");
    expect_none(*state, PLAIN "read: IO\033[1m PS=12 \033]0;\a \b x\n");
    expect_none(*state, PLAIN "caf\xc3\xa9, it\xe2\x80\x99s 5 \xc2\xb5s, \xe2\x80\x8bword\n");
}

static void marks_around_words(void **state)
{
    expect_found(*state, PLAIN "*IOPS*=12\n");
    expect_found(*state, PLAIN "**IOPS**=12\n");
    expect_found(*state, PLAIN "a =3D b and c =3D d in caf=C3=A9\n*IOPS*=3D12\n");
    expect_none(*state, PLAIN "int *p = (char *)q; /* a */ **bold** x*y\n");
    expect_none(*state, PLAIN "s = kmalloc(sizeof(*s)); a=*b; IO*PS=12\n");
}

/* DelSp takes the blank before a soft line break away. */
static void joined_lines(void **state)
{
    expect_found(*state, "Content-Type: text/plain; format=flowed; DelSp=yes\n\nread: IO \nPS=12\n");
    expect_none(*state, "Content-Type: text/plain; format=flowed\n\nread: IO \nPS=12\n");
}

/* HTML has tags and character references anywhere. */
static void html_text(void **state)
{
    expect_found(*state, HTML "<p>read: I<b>OP</b>S&#61;12</p>\n");
    expect_found(*state, HTML "<p>read: IO&#x50S=12</p>\n");
    expect_found(*state, HTML "IO<p:x>PS=12\n");
    expect_found(*state, HTML "IO<!-- > -->PS=12\n");
    expect_found(*state, HTML "IO<a title=\"x>y\">PS=12</a>\n");
    expect_found(*state, HTML "a < b, IO<b>PS=12\n");
    expect_found(*state, HTML "<p>Max<p>12 3<td>tps</td>x\n");
    expect_found(*state, HTML "Max 12&nbsp;3&nbsp;tps\n");
    expect_found(*state, HTML "<p>read: IO&shy;PS=12</p>\n");
    expect_found(*state, MIXED "--b\nContent-Type: text/html\n\n<p>read: I<b>OP</b>S=12</p>\n--b--\n");
    expect_found(*state, MIXED "--b\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n"
                               "<p class=3D\"x\">read: IO<b =\nid=3D1>PS=3D12</p>\n--b--\n");
    expect_found(*state, MIXED "--b\n\nx <y\n--b\nContent-Type: text/html\n\nIO&#80;S=12 > <b>\n--b--\n");
    expect_none(*state, HTML "<head><title>x</title></head><p class=\"x\">read: IO<br>PS=12</p>\n");
    expect_none(*state, HTML "<p>the Max is 12, 3 tps &amp; more</p><!-- no -->\n");
}

/* Only text is decoded; what has a type that nobody knows may be text. */
static void attachments(void **state)
{
    static const char encoded[] =
        "Content-Transfer-Encoding: base64\n\ncmVhZDogSU9QUz0xMgo=\n--b--\n"; /* read: IOPS=12 */
    char *log = g_strconcat(MIXED "--b\nContent-Type: text/x-log; name=a\n", encoded, NULL);
    char *last = g_strconcat(MIXED "--b\nContent-Type: image/png\nContent-Type: text/plain\n", encoded, NULL);
    char *none = g_strconcat(MIXED "Content-Type: image/png\n--b\n", encoded, NULL);
    char *image = g_strconcat(MIXED "--b\nContent-Type: image/png; name=a\n", encoded, NULL);

    expect_found(*state, log);
    expect_found(*state, last);
    expect_found(*state, none);
    expect_none(*state, image);
    g_free(log);
    g_free(last);
    g_free(none);
    g_free(image);
}

/* A quote mark may be put back before a text, and a micro sign is one byte or two. */
static void literals_that_change(void **state)
{
    expect_found(*state, PLAIN ">=64\xc2\xb5s\n");
    expect_found(*state, PLAIN "> x\n> >=64\xc2\xb5s=0\n");
    expect_found(*state, "Content-Type: text/plain; charset=iso-8859-1\n\na >=64\xb5s\n");
    expect_found(*state, "Subject: x\n\na >=64\xb5s\n");
    expect_none(*state, "Content-Type: text/plain; charset=iso-8859-1\n\na >=63\xb5s\n");
    expect_none(*state, "Content-Type: text/plain; charset=iso-8859-1\n\na >=64us\n");
    /* "words" in Russian */
    expect_found(*state, PLAIN "\xd1\x81\xd0\xbb\xd0\xbe\xd0\xb2\xd0\xb0\n");
    expect_found(*state, "Content-Type: text/plain; charset=koi8-r\n\n\xd3\xcc\xcf\xd7\xc1\n");
    expect_found(*state, "Content-Type: text/plain; charset=gb18030\n\n\xa7\xe3\xa7\xdd\xa7\xe0\xa7\xd3\xa7\xd1\n");
    expect_none(*state, "Content-Type: text/plain; charset=koi8-r\n\n\xd3\xcc\xcf\xd7\n");
    expect_none(*state, PLAIN "a >=63\n");
}

/* Numbers beside words, and what may stand between. */
static void words_beside_numbers(void **state)
{
    expect_found(*state, PLAIN "Max 12\n3 tps\n");
    expect_found(*state, PLAIN "> *Max*: = -.5, (3)tps\n");
    expect_found(*state, PLAIN "Max nan 2 tps\n");
    expect_found(*state, PLAIN "Max\xc2\xa0"
                               "12 3\xc2\xa0tps\n");
    expect_found(*state, PLAIN "JD> Max\nJD> 12 3\nJD> tps\n");
    expect_found(*state, QP "Max=C2=A012 3=\n tps\n");
    expect_found(*state, PLAIN "a =3D b and c =3D d in caf=C3=A9\nMax=C2=A012 3=C2=A0tps\n");
    expect_found(*state, "Content-Type: text/plain; charset=gb18030\n\nMax\xd6\x41"
                         "12 3\xd6\x41tps\n");
    expect_none(*state, PLAIN "Max of 12, 3 is tps\n");
    expect_none(*state, PLAIN "the Max is 12, 3 tps\n");
    expect_found(*state, PLAIN "Max\n\n12, 3\r\ntps\n");
    expect_none(*state, PLAIN "Max");
    expect_none(*state, PLAIN "Max\nof 12, 3\ntps\n");
    expect_none(*state, PLAIN "Max 12 and 3 is\ntps\n");
}

static bool lets_through(const GPtrArray *grammars, struct view mail)
{
    const struct raw_message raw = {mail, "test", 0, true};
    struct conditions *conditions = conditions_new(grammars);
    struct prefilter *prefilter = prefilter_new(conditions);
    struct prefilter_scratch *scratch = prefilter_scratch_new(prefilter);
    bool through = prefilter_may_match(prefilter, &raw, scratch);

    prefilter_scratch_free(scratch);
    prefilter_free(prefilter);
    conditions_free(conditions);
    return through;
}

/* A grammar without literals, or with none that can be searched for, lets all through. */
static void no_literals(void **state)
{
    GPtrArray *grammars = g_ptr_array_new_with_free_func(free_grammar);
    struct grammar *weak = grammar_new("weak");

    (void)state;
    assert_false(lets_through(grammars, view_of("Subject: x\n\nnothing\n")));
    add_item(weak, 0, "IOPS=");
    add_item(weak, 0, "|");
    add_item(weak, '|', NULL);
    g_ptr_array_add(grammars, weak);
    assert_true(lets_through(grammars, view_of("Subject: x\n\nnothing\n")));
    g_ptr_array_unref(grammars);
}

/* What message.c reports as unread must be parsed, results or not. */
static void limits(void **state)
{
    GString *mail = g_string_new(MIXED);

    for (unsigned i = 0; i < MESSAGE_PARTS_MAX + 1; i++)
        g_string_append(mail, "--b\n\nx\n");
    assert_true(prefilter_says(*state, (struct view){mail->str, mail->len}, true));
    g_string_assign(mail, "");
    for (unsigned i = 0; i < MESSAGE_DEPTH_MAX + 2; i++)
        g_string_append_printf(mail, "Content-Type: multipart/mixed; boundary=b%u\n\n--b%u\n", i, i);
    assert_true(prefilter_says(*state, (struct view){mail->str, mail->len}, true));
    g_string_free(mail, TRUE);
}

/* Mails made of such pieces at random: never a no where a literal is. */
static void random_mails(void **state)
{
    static const char *const pieces[] = {
        "IO",
        "PS",
        "=",
        "IOPS=",
        "=3D",
        "=\n",
        "=50",
        "=53",
        "\n",
        "\n\n",
        " ",
        "\n> ",
        "> ",
        ">",
        "*",
        "**",
        "Max",
        "tps",
        "7",
        "nan",
        "\xc2\xa0",
        "=C2=A0",
        "=20",
        "=0A",
        "\xe9",
        "\nContent-Type: text/plain; charset=gb18030\n\n",
        "\xd6\x41",
        "\n--b\n",
        "\n--b--\n",
        "\033[1m",
        "\b",
        "\xc2\xad",
        "\xad",
        "SU9QUz0xMgo=",
        "cmVhZDogSU9Q\nUz0xMgo=\n",
        "=C3=A9",
        "Mean",
        "Better",
        "|",
        "a =3D b and c =3D d\n",
        "read: lat 12, a rather long line of text that is to be broken",
        "\nContent-Type: text/plain\n",
        "\nContent-Type: message/rfc822\n\n",
        "\nContent-Type: text/html\n\n",
        "<b>",
        "\nContent-Transfer-Encoding: base64\n\n",
        "\nContent-Transfer-Encoding: quoted-printable\n\n",
        "\r\n",
        "&#61;",
        "\nContent-Type: text/plain; charset=utf-8; format=flowed; delsp=yes\n\n",
        "[0m",
        "x",
        "12",
        "\xe2\x80\x8b",
        "\nContent-Type: multipart/mixed; boundary=b\n\n--b\n",
    };
    static const char *const headers[] = {PLAIN, QP, BASE, MIXED, MIXED "--b\n", "Subject: x\n\n"};
    GRand *random = g_rand_new_with_seed(7);
    unsigned found = 0, refused = 0;

    for (unsigned round = 0; round < 60000; round++) {
        GString *mail = g_string_new(headers[g_rand_int_range(random, 0, G_N_ELEMENTS(headers))]);
        int count = g_rand_int_range(random, 0, 14);
        bool there, told;

        for (int i = 0; i < count; i++)
            g_string_append(mail, pieces[g_rand_int_range(random, 0, G_N_ELEMENTS(pieces))]);
        there = is_there(*state, (struct view){mail->str, mail->len}, true);
        told = prefilter_says(*state, (struct view){mail->str, mail->len}, true);
        if (there && !told)
            fail_msg("lost: %s", mail->str);
        found += there;
        refused += !told;
        g_string_free(mail, TRUE);
    }
    /* Both kinds were tried in plenty. */
    assert_true(found > 3000 && refused > 10000);
    g_rand_free(random);
}

/* ---- the samples of all grammars in every form that mail has ---- */

static void encode_quoted(GString *out, const char *text)
{
    size_t column = 0;

    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte == '\n') {
            g_string_append_c(out, '\n');
            column = 0;
            continue;
        }
        if (column >= 72) {
            g_string_append(out, "=\n");
            column = 0;
        }
        if (byte == '=' || byte >= 0x80) {
            g_string_append_printf(out, "=%02X", byte);
            column += 3;
        } else {
            g_string_append_c(out, (char)byte);
            column++;
        }
    }
}

static void encode_base64(GString *out, const char *bytes, size_t length)
{
    char *encoded = g_base64_encode((const guchar *)bytes, length);

    for (size_t at = 0; at < strlen(encoded); at += 76)
        g_string_append_printf(out, "%.76s\n", encoded + at);
    g_free(encoded);
}

/* text with one string in place of every other. */
static void replace(GString *out, const char *text, const char *old, const char *new)
{
    char **pieces = g_strsplit(text, old, -1);
    char *joined = g_strjoinv(new, pieces);

    g_string_append(out, joined);
    g_free(joined);
    g_strfreev(pieces);
}

enum form {
    FORM_TEXT,
    FORM_QUOTED_PRINTABLE,
    FORM_BASE64,
    FORM_UNDECLARED,
    FORM_QUOTED_UNDECLARED,
    FORM_UTF16,
    FORM_NESTED,
    FORM_STARS,
    FORM_SOFT_HYPHENS,
    FORM_COLOURS,
    FORM_HTML,
    FORM_COUNT
};

static char *make_mail(enum form form, const char *text)
{
    GString *mail = g_string_new("Message-ID: <1@example.org>\n");
    GString *other = g_string_new(NULL);
    gsize length = 0;
    char *wide;

    switch (form) {
    case FORM_QUOTED_PRINTABLE:
        g_string_append(mail, "Content-Transfer-Encoding: quoted-printable\n\n");
        encode_quoted(mail, text);
        break;
    case FORM_BASE64:
        g_string_append(mail, "Content-Transfer-Encoding: base64\n\n");
        encode_base64(mail, text, strlen(text));
        break;
    case FORM_UNDECLARED:
        g_string_append(mail, "\n");
        encode_quoted(mail, text);
        break;
    case FORM_QUOTED_UNDECLARED:
        g_string_append(mail, "\n> ");
        encode_quoted(other, text);
        replace(mail, other->str, "\n", "\n> ");
        break;
    case FORM_UTF16:
        g_string_append(mail, "Content-Type: text/plain; charset=utf-16le\nContent-Transfer-Encoding: base64\n\n");
        wide = g_convert(text, -1, "utf-16le", "utf-8", NULL, &length, NULL);
        assert_non_null(wide);
        encode_base64(mail, wide, length);
        g_free(wide);
        break;
    case FORM_NESTED:
        g_string_append(mail, "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/rfc822\n\n"
                              "Subject: x\nContent-Transfer-Encoding: base64\n\n");
        encode_base64(mail, text, strlen(text));
        g_string_append(mail, "--b--\n");
        break;
    case FORM_STARS:
        g_string_append(mail, "\n*");
        replace(mail, text, "=", "*=");
        break;
    case FORM_SOFT_HYPHENS:
        g_string_append(mail, "\n");
        replace(mail, text, "=", "\xc2\xad=");
        break;
    case FORM_COLOURS:
        g_string_append(mail, "\n");
        replace(mail, text, ":", "\033[0m:");
        break;
    case FORM_HTML:
        g_string_append(mail, "Content-Type: text/html\n\n<pre>");
        replace(other, text, "<", "&lt;");
        replace(mail, other->str, "=", "&#61;");
        break;
    case FORM_TEXT:
    case FORM_COUNT:
        g_string_append(mail, "\n");
        g_string_append(mail, text);
        break;
    }
    g_string_free(other, TRUE);
    return g_string_free(mail, FALSE);
}

static void check_sample(const struct fixture *fixture, const char *path, unsigned *found)
{
    char *text = NULL;

    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    for (int form = 0; form < FORM_COUNT; form++) {
        char *mail = make_mail((enum form)form, text);
        bool there = is_there(fixture, view_of(mail), true);

        if (there && !prefilter_says(fixture, view_of(mail), true))
            fail_msg("lost: %s in form %d", path, form);
        found[form] += there;
        g_free(mail);
    }
    g_free(text);
}

static void all_samples_in_all_forms(void **state)
{
    struct fixture *given = *state;
    GString *mistakes = g_string_new(NULL);
    struct fixture fixture = {.diag = given->diag};
    unsigned found[FORM_COUNT] = {0};
    GDir *folders = g_dir_open("grammars/samples", 0, NULL);
    const char *name;

    assert_non_null(folders);
    fixture.grammars = grammar_set_load("grammars", NULL, mistakes);
    assert_string_equal(mistakes->str, "");
    fixture.conditions = conditions_new(fixture.grammars);
    fixture.prefilter = prefilter_new(fixture.conditions);
    fixture.scratch = prefilter_scratch_new(fixture.prefilter);
    while ((name = g_dir_read_name(folders))) {
        char *folder = g_build_filename("grammars/samples", name, NULL);
        GDir *samples = g_dir_open(folder, 0, NULL);

        while (samples && (name = g_dir_read_name(samples))) {
            char *path = g_build_filename(folder, name, NULL);

            if (g_str_has_suffix(name, ".txt"))
                check_sample(&fixture, path, found);
            g_free(path);
        }
        g_dir_close(samples);
        g_free(folder);
    }
    /* In every form most samples still have their literals. */
    for (int form = 0; form < FORM_COUNT; form++)
        assert_true(found[form] > found[FORM_TEXT] / 2 && found[form] > 30);
    g_dir_close(folders);
    prefilter_scratch_free(fixture.scratch);
    prefilter_free(fixture.prefilter);
    conditions_free(fixture.conditions);
    g_ptr_array_unref(fixture.grammars);
    g_string_free(mistakes, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text),
        cmocka_unit_test(text_alone),
        cmocka_unit_test(odd_headers),
        cmocka_unit_test(quoted_printable),
        cmocka_unit_test(undeclared_quoted_printable),
        cmocka_unit_test(base64),
        cmocka_unit_test(nested_messages),
        cmocka_unit_test(character_sets),
        cmocka_unit_test(vanishing_bytes),
        cmocka_unit_test(marks_around_words),
        cmocka_unit_test(joined_lines),
        cmocka_unit_test(html_text),
        cmocka_unit_test(attachments),
        cmocka_unit_test(literals_that_change),
        cmocka_unit_test(words_beside_numbers),
        cmocka_unit_test(no_literals),
        cmocka_unit_test(limits),
        cmocka_unit_test(random_mails),
        cmocka_unit_test(all_samples_in_all_forms),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
