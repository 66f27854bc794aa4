/* Tests of extract/message and of what it is made of: transfer,
 * charset. Encoded text was encoded with other programs (base64, iconv) or by
 * hand from the RFCs' tables. */
#include "extract/message.h"

#include "extract/charset.h"
#include "extract/envelope.h"
#include "extract/transfer.h"

#include "tests/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define FFFD "\xef\xbf\xbd"

/* The sections and texts of all parts: `1=text|2.1=text`. */
static void assert_parts(const struct message *message, const char *expected)
{
    GString *parts = g_string_new(NULL);

    for (size_t i = 0; i < message_part_count(message); i++) {
        const struct part *part = message_part(message, i);

        g_string_append_printf(parts, "%s%s=", i > 0 ? "|" : "", part->section);
        g_string_append_len(parts, part->text.bytes, (gssize)part->text.length);
    }
    assert_string_equal(parts->str, expected);
    g_string_free(parts, TRUE);
}

static void check_parts(struct diag *diag, const char *text, const char *expected)
{
    struct message *message = parse_string(diag, text);

    assert_parts(message, expected);
    message_free(message);
}

static void test_plain(void **state)
{
    struct message *message =
        parse_string(*state, "Message-ID: <a@b>\nDate: Tue, 30 Jan 2024 06:11:16 -1000\n\none\ntwo\n");

    assert_string_equal(message_id(message), "a@b");
    assert_string_equal(message_date(message), "2024-01-30T16:11:16Z");
    assert_parts(message, "1=one\ntwo\n");
    assert_int_equal(message_part(message, 0)->format, PART_PLAIN);
    message_free(message);
    message_free(NULL);
    for (enum diag_kind kind = 0; kind < DIAG_KIND_COUNT; kind++)
        assert_int_equal(diag_count(*state, kind), 0);
}

/* Of the mail before nothing stays, whatever the next one lacks. */
static void test_read_again(void **state)
{
    static const char full[] =
        "Message-ID: <a@b>\nDate: Tue, 30 Jan 2024 06:11:16 -1000\nSubject: s\nFrom: A <a@b>\nList-Id: <l.example>\n"
        "In-Reply-To: <c@d>\nReferences: <e@f> <g@h>\nContent-Type: multipart/mixed; boundary=x\n\n"
        "--x\n\none\n--x\nContent-Transfer-Encoding: base64\n\ndHdv\n--x--\n";
    static const char bare[] = "Date: never\nX-Mailing-List: k@example\nReferences: <i@j>\n\nthree\n";
    const char *const flat = "From: a@b Subject: t Date: Tue, 30 Jan 2024 06:11:16 -1000 Message-ID: <k@l> four";
    const struct raw_message raws[] = {
        {view_of(full), "test", 0, true}, {view_of(bare), "test", 0, true}, {view_of(flat), "test", 0, false}};
    struct message *message = message_new();

    for (size_t before = 0; before < G_N_ELEMENTS(raws); before++)
        for (size_t i = 0; i < G_N_ELEMENTS(raws); i++) {
            struct message *fresh = message_parse(&raws[i], *state);

            message_read(message, &raws[before], *state);
            message_read(message, &raws[i], *state);
            assert_string_equal(message_id(message), message_id(fresh));
            assert_string_equal(message_date(message), message_date(fresh));
            assert_string_equal(message_date_text(message), message_date_text(fresh));
            assert_string_equal(message_subject(message), message_subject(fresh));
            assert_string_equal(message_author(message), message_author(fresh));
            assert_string_equal(message_list(message), message_list(fresh));
            assert_int_equal(message_reference_count(message), message_reference_count(fresh));
            for (size_t r = 0; r < message_reference_count(fresh); r++)
                assert_string_equal(message_reference(message, r), message_reference(fresh, r));
            assert_int_equal(message_part_count(message), message_part_count(fresh));
            for (size_t p = 0; p < message_part_count(fresh); p++) {
                assert_string_equal(message_part(message, p)->section, message_part(fresh, p)->section);
                assert_true(view_equal(message_part(message, p)->text, message_part(fresh, p)->text));
            }
            message_free(fresh);
        }
    message_read(message, &raws[0], *state);
    assert_parts(message, "1=one|2=two");
    assert_string_equal(message_reference(message, 0), "c@d");
    assert_string_equal(message_list(message), "l.example");
    message_free(message);
}

static void test_no_mail(void **state)
{
    struct raw_message raw = {view_of("Subject: x\n\nbody \xe9\r\n"), "test", 0, false};
    struct message *message = message_parse(&raw, *state);

    assert_parts(message, "1=Subject: x\n\nbody \xc3\xa9\n");
    assert_string_equal(message_date(message), "");
    assert_true(g_str_has_prefix(message_id(message), "generated."));
    message_free(message);
}

/* Text as programs on Windows save it. */
static void test_text_in_utf16(void **state)
{
    static const char bytes[] = "\xff\xfe"
                                "a\0\r\0\n\0\xb5\0s\0";
    struct raw_message raw = {{bytes, sizeof bytes - 1}, "test", 0, false};
    struct message *message = message_parse(&raw, *state);

    assert_parts(message, "1=a\n\xc2\xb5s");
    assert_int_equal(diag_count(*state, DIAG_NOTE), 0);
    message_free(message);
}

static struct message *parse_text(struct diag *diag, const char *text)
{
    struct raw_message raw = {view_of(text), "test", 0, false};

    return message_parse(&raw, diag);
}

/* Mail in one line: what is certain of its header is kept. */
static void test_flattened(void **state)
{
    static const struct {
        const char *text, *id, *date, *parts;
    } cases[] = {
        {"From mboxrd@z Thu Jan 1 00:00:00 1970 Return-Path: <x@y> Received: from a (a [192.0.2.1]) by b; Tue, 30 Jan "
         "2024 01:02:03 +0000 Subject: Re: faster To: A <a@b> Message-ID: <1@b> Date: Tue, 30 Jan 2024 06:11:16 -1000 "
         "MIME-Version: 1.0 Precedence: bulk List-ID: X-Mailing-List: list@b On 1/2/24, A wrote: > one: 1\n",
         "1@b", "2024-01-30T16:11:16Z", "1=On 1/2/24, A wrote: > one: 1\n"},
        {"Received: from a by b Date: 30 Jan 2024 06:11:16 +0000 From: A <a@b> In-Reply-To: Message-ID: Subject: x "
         "Content-Transfer-Encoding: 7bit Cc: b@c text",
         NULL, "2024-01-30T06:11:16Z", NULL},
        /* a signature's list of fields has no values */
        {"DKIM-Signature: v=1; h=From:Date: Subject:To; b=abc= From: A <a@b> Date: 30 Jan 2024 06:11:16 +0000 "
         "Message-ID: <1@b> text",
         "1@b", "2024-01-30T06:11:16Z", "1=text"},
        /* the mail that is quoted has fields as well */
        {"From: A <a@b> To: c@d Subject: x MIME-Version: 1.0 Hello > Date: 30 Jan 2024 06:11:16 +0000 > Message-ID: "
         "<1@b> > yes",
         NULL, "", "1=Hello > Date: 30 Jan 2024 06:11:16 +0000 > Message-ID: <1@b> > yes"},
        {"From: A <a@b> To: c@d Subject: x Hello > Date: 30 Jan 2024 06:11:16 +0000 > Message-ID: <1@b> > yes", NULL,
         "", NULL},
        {"From: A To: c@d Subject: x Date: 30 Jan 2024 06:11:16 +0000 From: B Message-ID: <1@b> text", NULL,
         "2024-01-30T06:11:16Z", NULL},
        /* lines are counted from the file's first */
        {"Subject: one From: A <a@b> To: c@d\nand more To: me\nLines: Precedence: bulk one\ntwo\n", NULL, "", NULL},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct message *message = parse_text(*state, cases[i].text);
        char *all = g_strconcat("1=", cases[i].text, NULL);

        if (cases[i].id != NULL)
            assert_string_equal(message_id(message), cases[i].id);
        else
            assert_true(g_str_has_prefix(message_id(message), "generated."));
        assert_string_equal(message_date(message), cases[i].date);
        assert_parts(message, cases[i].parts != NULL ? cases[i].parts : all);
        g_free(all);
        message_free(message);
    }

    /* no flattened mail */
    static const char *const others[] = {
        "Subject: x\nTo: y\nFrom: z\n",
        "See From: and To: and Subject: of it\n",
        "Subject: x To: y\n",
        "",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        struct message *message = parse_text(*state, others[i]);

        assert_true(g_str_has_prefix(message_id(message), "generated."));
        message_free(message);
    }
}

static void test_dates(void **state)
{
    static const struct {
        const char *value, *date;
    } cases[] = {
        {"Tue, 30 Jan 2024 06:11:16 -1000", "2024-01-30T16:11:16Z"},
        {"Tue,\n 30 Jan 2024 06:11:16 +0530 (IST)", "2024-01-30T00:41:16Z"},
        {"30 Jan 2024 06:11 +0000", "2024-01-30T06:11:00Z"},
        {"Tue, 30 Jan 24 06:11:16 EST", "2024-01-30T11:11:16Z"},
        {"Tue, 30 Jan 2024 06:11:16 PDT", "2024-01-30T13:11:16Z"},
        {"Sat, 3 Jan 98 01:05:34 UT", "1998-01-03T01:05:34Z"},
        {"Tue, 30 Jan 2024 06:11:16 GMT", "2024-01-30T06:11:16Z"},
        {"Tue, 30 Jan 2024 06:11:16 -0000", "2024-01-30T06:11:16Z"},
        {"Tue, 30 Jan 2024 06:11:16 +05:30", "2024-01-30T00:41:16Z"},
        {"Thu, 29 Feb 2024 23:59:59 -0100", "2024-03-01T00:59:59Z"},
        {"Thu, 01 Jan 1970 00:00:00 +0000", "1970-01-01T00:00:00Z"},
        {"Thu, 01 Jan 1970 00:00:00 +0100", ""},
        {"Fri, 01 Jan 2101 00:00:00 +0000", ""},
        {"Wed, 31 Feb 2024 01:00:00 +0000", ""},
        {"yesterday", ""},
        {"", ""},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *text = g_strdup_printf("Subject: x\nDate: %s\n\nbody\n", cases[i].value);
        uint64_t notes = diag_count(*state, DIAG_NOTE);
        struct message *message = parse_string(*state, text);

        assert_string_equal(message_date(message), cases[i].date);
        assert_int_equal(diag_count(*state, DIAG_NOTE) - notes, cases[i].date[0] == '\0');
        message_free(message);
        g_free(text);
    }

    struct message *message = parse_string(*state, "Date: soon\nDate: Tue, 30 Jan 2024 06:11:16 +0000\n"
                                                   "Date: Wed, 31 Jan 2024 06:11:16 +0000\n\n");
    assert_string_equal(message_date(message), "2024-01-30T06:11:16Z");
    message_free(message);
}

static void test_date_text(void **state)
{
    static const struct {
        const char *header, *text;
    } cases[] = {
        {"Date: Tue,\n 30 Jan 2024\t06:11:16 -1000 (HST)\n", "Tue, 30 Jan 2024 06:11:16 -1000 (HST)"},
        {"Date: soon\nDate: 30 Jan 2024 06:11:16 +0000\n", "30 Jan 2024 06:11:16 +0000"},
        {"Date: soon\nDate: later\n", "soon"},
        {"Date: so\x01on\xff\n", "so" FFFD "on" FFFD},
        {"Subject: x\n", ""},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *text = g_strconcat(cases[i].header, "\nbody\n", NULL);
        struct message *message = parse_string(*state, text);

        assert_string_equal(message_date_text(message), cases[i].text);
        message_free(message);
        g_free(text);
    }
}

static void test_subject_and_author(void **state)
{
    struct message *message =
        parse_string(*state, "Subject: Re: [PATCH]\n =?utf-8?q?caf=C3=A9?= x\nFrom: =?iso-8859-1?b?5A==?= B <a@b>\n"
                             "Subject: two\n\n");

    assert_string_equal(message_subject(message), "Re: [PATCH] caf\xc3\xa9 x");
    assert_string_equal(message_author(message), "\xc3\xa4 B <a@b>");
    message_free(message);
    message = parse_string(*state, "To: x\n\n");
    assert_string_equal(message_subject(message), "");
    assert_string_equal(message_author(message), "");
    message_free(message);
}

static void test_lists(void **state)
{
    static const struct {
        const char *headers, *list;
    } cases[] = {
        {"List-Id: A list <sched.lists.example.org>\n", "sched.lists.example.org"},
        {"List-Id: <sched.example.org>\nX-Mailing-List: sched@example.org\n", "sched.example.org"},
        {"X-Mailing-List: sched@example.org\nList-Id: <sched.example.org>\n", "sched.example.org"},
        {"X-Mailing-List: <sched@example.org> archive/latest/1\n", "sched@example.org"},
        {"X-Mailing-List: sched@example.org\n", "sched@example.org"},
        {"List-Id: sched.example.org\n", "sched.example.org"},
        {"List-Id: The scheduler list\nX-Mailing-List: sched@example.org\n", "sched@example.org"},
        {"List-Id: <one.example.org>\nList-Id: <two.example.org>\n", "one.example.org"},
        {"List-Id:\n", ""},
        {"Subject: x\n", ""},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *text = g_strconcat(cases[i].headers, "\nbody\n", NULL);
        struct message *message = parse_string(*state, text);

        assert_string_equal(message_list(message), cases[i].list);
        message_free(message);
        g_free(text);
    }
}

static void test_references(void **state)
{
    static const struct {
        const char *headers, *ids;
    } cases[] = {
        {"References: <a@x> <b@x>\n <c@x>\nIn-Reply-To: <c@x>\n", "c@x b@x a@x"},
        {"In-Reply-To: <d@x>\nReferences: <a@x><b@x>\n", "d@x b@x a@x"},
        {"In-Reply-To: Your message of \"Tue\" <a@x> (from B <b@x>)\n", "b@x a@x"},
        {"References: <very-long@\n example.org>\n", "very-long@example.org"},
        {"References: <> < > text <a@x\n", "a@x"},
        {"Subject: x\n", ""},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *text = g_strconcat(cases[i].headers, "\nbody\n", NULL);
        struct message *message = parse_string(*state, text);
        GString *ids = g_string_new(NULL);

        for (size_t id = 0; id < message_reference_count(message); id++)
            g_string_append_printf(ids, "%s%s", id > 0 ? " " : "", message_reference(message, id));
        assert_string_equal(ids->str, cases[i].ids);
        g_string_free(ids, TRUE);
        message_free(message);
        g_free(text);
    }

    GString *text = g_string_new("References:");
    for (unsigned i = 1; i <= 1000; i++)
        g_string_append_printf(text, " <%u@x>\n", i);
    g_string_append(text, "\n");
    struct message *message = parse_string(*state, text->str);
    assert_int_equal(message_reference_count(message), ENVELOPE_REFERENCES_MAX);
    assert_string_equal(message_reference(message, 0), "1000@x");
    message_free(message);
    g_string_free(text, TRUE);
}

#define MIXED(boundary) "Content-Type: multipart/mixed; boundary=" boundary "\n\n"

static void test_sections(void **state)
{
    check_parts(
        *state,
        MIXED("A") "preamble\n--A\n\none\n--A\n" MIXED("B") "--B\n\ntwo\n--B\n\nthree\n--B--\n--A--\nepilogue\n",
        "1=one|2.1=two|2.2=three");
    /* a nested message: single, and a multipart */
    check_parts(*state, MIXED("A") "--A\n\none\n--A\nContent-Type: message/rfc822\n\nSubject: x\n\ntwo\n--A--\n",
                "1=one|2=two");
    check_parts(*state,
                MIXED("A") "--A\n\none\n--A\nContent-Type: message/rfc822\n\nSubject: x\n" MIXED(
                    "B") "--B\n\ntwo\n--B\n\nthree\n--B--\n\n--A--\n",
                "1=one|2.1=two|2.2=three");
    check_parts(*state, "Content-Type: message/rfc822\n\nSubject: x\n\nwhole\n", "1=whole\n");
    check_parts(
        *state,
        "Content-Type: multipart/digest; boundary=A\n\n--A\n\nSubject: a\n\none\n--A\n\nSubject: b\n\ntwo\n--A--\n",
        "1=one|2=two");
    /* other types keep their numbers and give no text */
    check_parts(*state,
                MIXED("A") "--A\nContent-Type: image/png\n\nx\n--A\n\ntwo\n--A\nContent-Type: application/x-gzip\n\nx\n"
                           "--A\nContent-Type: text/x-patch; name=a.patch\nContent-Disposition: attachment\n\n+++ a\n"
                           "--A--\n",
                "2=two|4=+++ a");
    check_parts(*state,
                "Content-Type: multipart/signed; boundary=A; protocol=\"application/pgp-signature\"\n\n--A\n" MIXED(
                    "B") "--B\n\none\n--B--\n--A\nContent-Type: application/pgp-signature\n\nx\n--A--\n",
                "1.1=one");
    /* a message in base64: `Subject: x` LF LF `two` LF */
    check_parts(*state,
                MIXED("A") "--A\n\none\n--A\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n"
                           "U3ViamVjdDogeAoKdHdvCg==\n--A--\n",
                "1=one|2=two\n");
    assert_int_equal(diag_count(*state, DIAG_NOTE), 0);
}

#define ALTERNATIVE "Content-Type: multipart/alternative; boundary=A\n\n"
#define HTML        "--A\nContent-Type: text/html\n\n<p>\n"
#define PLAIN       "--A\nContent-Type: text/plain\n\nplain\n"

static void test_alternative(void **state)
{
    check_parts(*state, ALTERNATIVE PLAIN HTML "--A--\n", "1=plain");
    check_parts(*state, ALTERNATIVE HTML PLAIN "--A--\n", "2=plain");
    check_parts(*state, ALTERNATIVE HTML "--A--\n", "1=<p>");
    check_parts(*state, ALTERNATIVE "--A\nContent-Type: text/calendar\n\nBEGIN\n" HTML "--A--\n", "2=<p>");
    check_parts(*state, ALTERNATIVE "--A\nContent-Type: text/calendar\n\nBEGIN\n--A--\n", "1=BEGIN");
    /* a plain form without text: nothing, and `=20` LF */
    check_parts(*state, ALTERNATIVE "--A\n\n \n" HTML "--A--\n", "2=<p>");
    check_parts(*state, ALTERNATIVE "--A\nContent-Transfer-Encoding: quoted-printable\n\n=20\n" HTML "--A--\n",
                "2=<p>");
    /* forms that are multiparts; attachments stay, whichever form holds them */
    check_parts(*state,
                ALTERNATIVE PLAIN
                "--A\n" MIXED("B") "--B\nContent-Type: text/html\n\n<p>\n--B\n"
                                   "Content-Disposition: attachment; filename=a.txt\n\nfile\n--B--\n--A--\n",
                "1=plain|2.2=file");
    check_parts(*state, ALTERNATIVE HTML "--A\n" MIXED("B") "--B\n\none\n--B\n\ntwo\n--B--\n--A--\n",
                "2.1=one|2.2=two");
}

static void test_formats(void **state)
{
    static const struct {
        const char *type;
        enum part_format format;
    } cases[] = {
        {"text/plain", PART_PLAIN},
        {"text/plain; format=flowed", PART_FLOWED},
        {"text/plain; charset=utf-8; Format=\"Flowed\"; delsp=no", PART_FLOWED},
        {"text/plain; format=flowed; DelSp=Yes", PART_FLOWED_DELSP},
        {"text/plain; delsp=yes", PART_PLAIN},
        {"text/x-patch; format=flowed", PART_PLAIN},
        {"TEXT/HTML; format=flowed", PART_HTML},
        /* broken ones: a type that can't be read is text/plain (RFC 2045 5.2) */
        {"text", PART_PLAIN},
        {"plain; charset=utf-8", PART_PLAIN},
        {"", PART_PLAIN},
        {"text/plain charset=utf-8", PART_PLAIN},
        {"text/plain; charset", PART_PLAIN},
        {"text/plain; charset=\"utf-8", PART_PLAIN},
        {"text/plain; ; =; x=; charset==utf-8", PART_PLAIN},
        {"text/plain; format=flowed; charset", PART_FLOWED},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *text = g_strdup_printf("Content-Type: %s\n\nbody\n", cases[i].type);
        struct message *message = parse_string(*state, text);

        assert_parts(message, "1=body\n");
        assert_int_equal(message_part(message, 0)->format, cases[i].format);
        message_free(message);
        g_free(text);
    }
}

static void test_encodings(void **state)
{
    check_parts(*state, "Content-Transfer-Encoding: base64\n\nb25lDQp0d28N\nCg==\n", "1=one\ntwo\n");
    check_parts(*state, "Content-Transfer-Encoding: BASE64 \n\nb25lCg\n", "1=one\n");
    check_parts(*state, "Content-Transfer-Encoding: quoted-printable\n\na=3Db =E2=82=AC so=\nft\n",
                "1=a=b \xe2\x82\xac soft\n");
    check_parts(*state, "Content-Transfer-Encoding: x-uuencode\n\nhello\n\nbegin 644 a.txt\n#0V%T\n`\nend\n", "1=Cat");
    check_parts(*state, "Content-Transfer-Encoding: 7-bits\n\na=3Db\n", "1=a=3Db\n");
    check_parts(*state, "Subject: x\r\n\r\none\r\ntwo\rthree\r\r\n", "1=one\ntwo\rthree\r\n");
    assert_int_equal(diag_count(*state, DIAG_NOTE), 0);
}

static void test_damaged_base64(void **state)
{
    static const struct {
        const char *encoded, *text;
    } cases[] = {
        /* `one` LF, `two` LF; a list's footer behind the end */
        {"b25lCnR3bwo=\n___________\nlist mailing list\nhttps://example.org/list\n", "1=one\ntwo\n" FFFD},
        {"b25lCg==\nThanks\n", "1=one\n" FFFD},
        /* a damaged line costs itself alone */
        {"b25l\nb2!l\nCnR3bwo=\n", "1=one" FFFD "\ntwo\n"},
        /* cut off in a group: one character says nothing */
        {"b25lCnR3b", "1=one\ntw"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *text = g_strconcat("Content-Transfer-Encoding: base64\n\n", cases[i].encoded, NULL);
        uint64_t notes = diag_count(*state, DIAG_NOTE);

        check_parts(*state, text, cases[i].text);
        assert_true(diag_count(*state, DIAG_NOTE) > notes);
        g_free(text);
    }
}

static void test_base64(void **state)
{
    static const struct {
        const char *encoded, *text;
        bool intact;
    } cases[] = {
        {"", "", true}, /* RFC 4648 10 */
        {"Zg==", "f", true},
        {"Zm8=", "fo", true},
        {"Zm9v", "foo", true},
        {"Zm9vYg==", "foob", true},
        {"Zm9vYmE=", "fooba", true},
        {"Zm9vYmFy", "foobar", true},
        {" Zm9v\r\n\r\n\tYmFy \r\n", "foobar", true},
        {"Zm\n9vY\nmFy\n", "foobar", true},     /* groups across lines */
        {"Zg==\nZm8=\nZm9v\n", "ffofoo", true}, /* encoded piece by piece */
        {"Z", "", false},
        {"Zm9vY", "foo", false},
        {"=", "", true},
    };
    GString *out = g_string_new(NULL);

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_string_truncate(out, 0);
        assert_int_equal(transfer_decode_base64(out, view_of(cases[i].encoded)), cases[i].intact);
        assert_string_equal(out->str, cases[i].text);
    }
    g_string_free(out, TRUE);
}

static void test_quoted_printable(void **state)
{
    static const struct {
        const char *encoded, *text;
    } cases[] = {
        {"", ""},
        {"plain\n", "plain\n"},
        {"a=3D=3db", "a==b"},
        {"so=\nft", "soft"},
        {"so=\r\nft", "soft"},
        {"so= \t\r\nft", "soft"}, /* RFC 2045 6.7 (3): blanks that a relay added */
        {"=\n=\n", ""},
        {"50=% =zz =", "50=% =zz "},
        {"==3D", "=="},
        {"=4", "=4"},
        {"tail \n", "tail \n"}, /* RFC 3676 needs it */
    };
    GString *out = g_string_new(NULL);

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_string_truncate(out, 0);
        transfer_decode_quoted_printable(out, view_of(cases[i].encoded));
        assert_string_equal(out->str, cases[i].text);
    }
    g_string_free(out, TRUE);
}

static void test_charsets(void **state)
{
#define BYTES(literal)                                                                                                 \
    {                                                                                                                  \
        literal, sizeof literal - 1                                                                                    \
    }
    static const struct {
        const char *name;
        struct view bytes;
        const char *text;
        enum charset_status status;
    } cases[] = {
        {NULL, BYTES(""), "", CHARSET_OK},
        {NULL, BYTES("\xc2\xb5s"), "\xc2\xb5s", CHARSET_OK},
        {NULL, BYTES("\xb5s \x80 \x93"), "\xc2\xb5s \xe2\x82\xac \xe2\x80\x9c", CHARSET_OK},
        {"us-ascii", BYTES("\xc2\xb5s"), "\xc2\xb5s", CHARSET_OK},
        {"US-ASCII", BYTES("\xb5s"), "\xc2\xb5s", CHARSET_OK},
        {"unknown-8bit", BYTES("\xb5s"), "\xc2\xb5s", CHARSET_OK},
        {"x-nonsense", BYTES("\xb5s"), "\xc2\xb5s", CHARSET_UNKNOWN},
        {"utf-8//IGNORE", BYTES("\xc2\xb5s"), "\xc2\xb5s", CHARSET_UNKNOWN},
        {"utf-8", BYTES("\xef\xbb\xbf\xc2\xb5s"), "\xc2\xb5s", CHARSET_OK},
        {"'UTF8\"", BYTES("\xc2\xb5s"), "\xc2\xb5s", CHARSET_OK},
        {"utf-8", BYTES("a\xb5z\xe2\x82"), "a" FFFD "z" FFFD FFFD, CHARSET_REPLACED},
        {"utf-8", BYTES("\xed\xa0\x80"), FFFD FFFD FFFD, CHARSET_REPLACED}, /* a surrogate */
        {"utf-8", BYTES("a\0b"), "a" FFFD "b", CHARSET_REPLACED},
        {NULL, BYTES("\xc2\xb5\0"), "\xc2\xb5" FFFD, CHARSET_REPLACED}, /* NUL doesn't make it windows-1252 */
        {"iso-8859-1", BYTES("\xb5 \x96 \xff"), "\xc2\xb5 \xe2\x80\x93 \xc3\xbf", CHARSET_OK},
        {"windows-1252", BYTES("a\x81z\0"), "a" FFFD "z" FFFD, CHARSET_REPLACED},
        {"iso-8859-15", BYTES("\xa4"), "\xe2\x82\xac", CHARSET_OK},
        {"koi8-r", BYTES("\xd0\xd2\xc9"), "\xd0\xbf\xd1\x80\xd0\xb8", CHARSET_OK},
        {"gb18030", BYTES("\xc4\xe3\xba\xc3"), "\xe4\xbd\xa0\xe5\xa5\xbd", CHARSET_OK},
        {"GB2312", BYTES("\xc4\xe3\xba\xc3"), "\xe4\xbd\xa0\xe5\xa5\xbd", CHARSET_OK},
        {"gb18030",
         BYTES("a\xff"
               "b\xc4"),
         "a" FFFD "b" FFFD, CHARSET_REPLACED},
        {"iso-2022-jp", BYTES("\x1b$B$\"\x1b(B."), "\xe3\x81\x82.", CHARSET_OK},
        {"shift_jis", BYTES("\x82\xa0"), "\xe3\x81\x82", CHARSET_OK},
        {"utf-16",
         BYTES("\xff\xfe"
               "a\0\xac\x20"),
         "a\xe2\x82\xac", CHARSET_OK},
        {"utf-16", BYTES("\xfe\xff\0a\x20\xac"), "a\xe2\x82\xac", CHARSET_OK},
        {"utf-16", BYTES("a\0b\0"), "ab", CHARSET_OK},
        {"utf-16", BYTES("\0a\0b"), "ab", CHARSET_OK},
        {"utf-16le",
         BYTES("a\0\0\xd8"
               "b\0"),
         "a" FFFD "b", CHARSET_REPLACED}, /* a lone surrogate */
        {"utf-16be", BYTES("\0a\0\0\0b\0"), "a" FFFD "b" FFFD, CHARSET_REPLACED},
        {"utf-7", BYTES("1 +AGE-"), "1 a", CHARSET_OK},
    };
#undef BYTES
    struct charsets *charsets = charsets_new();
    GString *out = g_string_new(NULL);

    (void)state;
    for (size_t i = 0; i < 4 * G_N_ELEMENTS(cases); i++) {
        /* each twice in a row, in the second half: whatever a converter read before, it begins anew */
        size_t index = i < 2 * G_N_ELEMENTS(cases) ? i % G_N_ELEMENTS(cases) : i / 2 % G_N_ELEMENTS(cases);

        g_string_assign(out, "<");
        assert_int_equal(charset_decode(charsets, out, cases[index].bytes, cases[index].name), cases[index].status);
        assert_int_equal(out->len, 1 + strlen(cases[index].text));
        assert_string_equal(out->str + 1, cases[index].text);
    }

    /* more than iconv's buffer holds, in characters that grow */
    GString *cyrillic = g_string_new(NULL);
    for (unsigned i = 0; i < 100000; i++)
        g_string_append(cyrillic, "\xd0\xd2\xc9");
    g_string_truncate(out, 0);
    assert_int_equal(charset_decode(charsets, out, (struct view){cyrillic->str, cyrillic->len}, "koi8-r"), CHARSET_OK);
    assert_int_equal(out->len, 600000);
    assert_true(g_str_has_suffix(out->str, "\xd0\xbf\xd1\x80\xd0\xb8"));
    g_string_free(cyrillic, TRUE);
    g_string_free(out, TRUE);
    charsets_free(charsets);
}

static void test_charset_of_mail(void **state)
{
    check_parts(*state, "Content-Type: text/plain; charset=koi8-r\n\n\xd0\xd2\xc9\n", "1=\xd0\xbf\xd1\x80\xd0\xb8\n");
    check_parts(*state,
                "Content-Type: text/plain; charset=\"utf-16\"\nContent-Transfer-Encoding: base64\n\n//5hAA0ACgBiAA==\n",
                "1=a\nb");
    assert_int_equal(diag_count(*state, DIAG_NOTE), 0);
    check_parts(*state, "Content-Type: text/plain; charset=x-nonsense\n\n\xb5s\n", "1=\xc2\xb5s\n");
    assert_int_equal(diag_count(*state, DIAG_NOTE), 1);
    check_parts(*state, "Content-Type: text/plain; charset=utf-8\n\n\xb5s\n", "1=" FFFD "s\n");
    assert_int_equal(diag_count(*state, DIAG_NOTE), 2);
}

static void test_broken_structure(void **state)
{
    check_parts(*state, "", "");
    check_parts(*state, "Subject: x\n", "1=");
    check_parts(*state, "\nbody\n", "1=body\n");
    check_parts(*state, "Subject: x\nno field at all\n>From a@b\nTo: a\n\nbody\n", "1=body\n");
    check_parts(*state, MIXED("A") "--A\n\none\n--A\n\ntwo", "1=one|2=two");
    check_parts(*state, MIXED("A") "--A\n\none", "1=one");
    assert_int_equal(diag_count(*state, DIAG_NOTE), 0);
    check_parts(*state, MIXED("A") "--B\n\none\n--B--\n", "1=--B\n\none\n--B--\n");
    check_parts(*state, "Content-Type: multipart/mixed\n\none\n", "1=one\n");
    check_parts(*state, MIXED("A") "--A\n" MIXED("B") "one\n--A\n\ntwo\n--A--\n", "1=one|2=two");
    assert_int_equal(diag_count(*state, DIAG_NOTE), 3);
    assert_int_equal(diag_count(*state, DIAG_UNREAD), 0);
}

static void test_nul_bytes(void **state)
{
    static const char text[] = "Subject: a\0b\nMessage-ID: <a@b>\n\na\0b\n";
    struct message *message = parse_bytes(*state, text, sizeof text - 1);

    assert_string_equal(message_id(message), "a@b");
    assert_parts(message, "1=a" FFFD "b\n");
    message_free(message);
}

/* 1000 multiparts, one in the other; and the same of messages. */
static void test_deep(void **state)
{
    GString *text = g_string_new("Message-ID: <a@b>\n");

    for (unsigned i = 0; i < 1000; i++)
        g_string_append_printf(text, "Content-Type: multipart/mixed; boundary=b%u\n\n--b%u\n\ntext %u\n--b%u\n", i, i,
                               i, i);
    struct message *message = parse_string(*state, text->str);
    assert_string_equal(message_id(message), "a@b");
    assert_int_equal(message_part_count(message), MESSAGE_DEPTH_MAX);
    assert_string_equal(message_part(message, 1)->section, "2.1");
    assert_true(view_is(message_part(message, 1)->text, "text 1"));
    assert_int_equal(diag_count(*state, DIAG_UNREAD), 1);
    message_free(message);

    g_string_assign(text, "Message-ID: <a@b>\n");
    for (unsigned i = 0; i < 100000; i++)
        g_string_append(text, "Content-Type: message/rfc822\n\n");
    message = parse_string(*state, text->str);
    assert_int_equal(message_part_count(message), 0);
    assert_int_equal(diag_count(*state, DIAG_UNREAD), 2);
    message_free(message);
    g_string_free(text, TRUE);
}

static void test_many(void **state)
{
    GString *text = g_string_new("Message-ID: <a@b>\n" MIXED("A"));

    for (unsigned i = 0; i < MESSAGE_BOUNDARIES_MAX + 10; i++)
        g_string_append(text, "--A\n\nx\n");
    struct message *message = parse_string(*state, text->str);
    assert_int_equal(message_part_count(message), MESSAGE_PARTS_MAX);
    assert_string_equal(message_part(message, MESSAGE_PARTS_MAX - 1)->section, "10000");
    assert_int_equal(diag_count(*state, DIAG_UNREAD), 1);
    message_free(message);

    /* the same lines are no parts where the mail has none */
    g_string_erase(text, 0, (gssize)strlen("Message-ID: <a@b>\n" MIXED("A")));
    g_string_prepend(text, "Message-ID: <a@b>\n\n");
    message = parse_string(*state, text->str);
    assert_int_equal(message_part_count(message), 1);
    assert_int_equal(message_part(message, 0)->text.length, text->len - strlen("Message-ID: <a@b>\n\n"));
    assert_int_equal(diag_count(*state, DIAG_UNREAD), 1);
    message_free(message);

    g_string_assign(text, "Message-ID: <a@b>\n");
    for (unsigned i = 0; i < MESSAGE_HEADER_MAX / 4; i++)
        g_string_append(text, "a:b\n");
    message = parse_string(*state, text->str);
    assert_int_equal(message_part_count(message), 1);
    assert_int_equal(message_part(message, 0)->text.length, text->len);
    assert_int_equal(diag_count(*state, DIAG_NOTE), 1);
    message_free(message);
    g_string_free(text, TRUE);
}

/* What text there is beyond a limit is left out, in whole lines, and reported. */
static void test_long_text(void **state)
{
    GString *text = g_string_new("Message-ID: <a@b>\n\n");

    for (unsigned i = 0; i < MESSAGE_LINES_MAX; i++)
        g_string_append(text, "\n");
    struct message *message = parse_string(*state, text->str);
    assert_int_equal(message_part(message, 0)->text.length, MESSAGE_LINES_MAX);
    assert_int_equal(diag_count(*state, DIAG_UNREAD), 0);
    message_free(message);

    g_string_append(text, "one more");
    message = parse_string(*state, text->str);
    assert_int_equal(message_part(message, 0)->text.length, MESSAGE_LINES_MAX);
    assert_int_equal(diag_count(*state, DIAG_UNREAD), 1);
    message_free(message);

    /* in two parts together, the second encoded */
    g_string_assign(text, "Message-ID: <a@b>\n" MIXED("A") "--A\n\n");
    for (unsigned i = 0; i < MESSAGE_LINES_MAX - 1; i++)
        g_string_append(text, "x\n");
    g_string_append(text, "\n--A\nContent-Transfer-Encoding: base64\n\nMQoyCjMK\n--A--\n"); /* 1, 2, 3 */
    message = parse_string(*state, text->str);
    assert_int_equal(message_part_count(message), 2);
    assert_int_equal(message_part(message, 1)->text.length, 2);
    assert_memory_equal(message_part(message, 1)->text.bytes, "1\n", 2);
    assert_int_equal(diag_count(*state, DIAG_UNREAD), 2);
    message_free(message);

    char *line = g_strnfill(999, 'x');
    g_string_assign(text, "Message-ID: <a@b>\n\n");
    for (unsigned i = 0; i < MESSAGE_TEXT_MAX / 1000 + 2; i++)
        g_string_append_printf(text, "%s\n", line);
    message = parse_string(*state, text->str);
    assert_int_equal(message_part(message, 0)->text.length, MESSAGE_TEXT_MAX / 1000 * 1000);
    assert_int_equal(diag_count(*state, DIAG_UNREAD), 3);
    message_free(message);
    g_free(line);
    g_string_free(text, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_plain, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_read_again, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_no_mail, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_text_in_utf16, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_flattened, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_dates, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_date_text, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_subject_and_author, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_lists, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_references, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_sections, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_alternative, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_formats, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_encodings, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_damaged_base64, parse_set_up, parse_tear_down),
        cmocka_unit_test(test_base64),
        cmocka_unit_test(test_quoted_printable),
        cmocka_unit_test(test_charsets),
        cmocka_unit_test_setup_teardown(test_charset_of_mail, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_broken_structure, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_nul_bytes, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_deep, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_many, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_long_text, parse_set_up, parse_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
