/* Tests of what makes a message the same wherever it is found: its id, read or
 * generated (extract/identity), and where the footer begins that a list has put
 * to it (extract/footer). */
#include "extract/message.h"

#include "extract/footer.h"
#include "extract/identity.h"

#include "tests/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define FFFD "\xef\xbf\xbd"

static void test_ids(void **state)
{
    static const struct {
        const char *header, *id;
    } cases[] = {
        {"Message-ID: <a@b>\n", "a@b"},
        {"MESSAGE-ID:\n <a@b>\n", "a@b"},
        {"Message-Id : <a@b>\n", "a@b"},
        {"Message-ID: <first@b>\nMessage-ID: <second@b>\n", "first@b"},
        {"Message-ID:\nMessage-ID: <>\nMessage-ID: <third@b>\n", "third@b"},
        {"Message-ID: < a @ b >\n", "a@b"},
        {"Message-ID: <very-long-left-side@\n\texample.org>\n", "very-long-left-side@example.org"},
        {"Message-ID: (a <comment@x> (nested \\) one)) <a@b> (<c@d>)\n", "a@b"},
        {"Message-ID: a@b\n", "a@b"},
        {"Message-ID: a@b (added by relay@example.org)\n", "a@b"},
        {"Message-ID: <a@b\n", "a@b"},
        {"Message-ID: <<a@b>>\n", "a@b"},
        {"Message-ID: some words <a@b>\n", "a@b"},
        {"Message-ID: (<a@b>\n", "a@b"},
        {"Message-ID: <no-at-sign>\n", "no-at-sign"},
        {"Message-ID: <a(b)c@d>\n", "a(b)c@d"},
        {"Message-ID: <a\x01\xff@b>\n", "a" FFFD FFFD "@b"},
        /* as an archive hides it */
        {"Message-ID: 20240130.12-abc () mail ! example ! org\n", "20240130.12-abc@mail.example.org"},
        {"Message-ID: () <a@b>\n", "a@b"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *text = g_strconcat(cases[i].header, "Subject: x\n\nbody\n", NULL);
        struct message *message = parse_string(*state, text);

        assert_string_equal(message_id(message), cases[i].id);
        message_free(message);
        g_free(text);
    }
}

/* What sha256sum says of the bytes in the comment. */
#define BODY_ID "generated.250cf4d29121b0536d6644ad4b475a65@benchlore.invalid" /* Subject: x, LF, LF, body */
#define MAIL_ID "generated.aed6793a952f7ee905216d0cf66d631b@benchlore.invalid" /* MAIL without its last line end */
#define MAIL                                                                                                           \
    "From: A <a@example.org>\nSubject: a long\n one\nDate: Tue, 30 Jan 2024 06:11:16 -1000\n\nFrom here\n\n one\n"

static void expect_id(struct diag *diag, const char *text, const char *id)
{
    struct message *message = parse_string(diag, text);

    assert_string_equal(message_id(message), id);
    message_free(message);
}

/* The same mail as its writer has sent it, relays have passed it on, and
 * archives keep it. */
static void test_generated_ids(void **state)
{
    static const char *const mails[] = {
        MAIL,
        "From: A <a@example.org>\nSubject: a long\n one\nDate: Tue, 30 Jan 2024 06:11:16 -1000\n\nFrom here\n\n one",
        "From: A <a@example.org>\r\nSubject: a long\r\n one\r\nDate: Tue, 30 Jan 2024 06:11:16 -1000\r\n\r\n"
        "From here\r\n\r\n one\r\n\r\n",
        "Return-Path: <b>\nReceived: from x\n\tby y\n" MAIL "\n\n",
        "From: A <a@example.org>\nSubject: a long\n one\nTo: b@example.org,\n c@example.org\n"
        "Date: Tue, 30 Jan 2024 06:11:16 -1000\nStatus: RO\nContent-Length: 16\nLines: 3\nX-Status:\n"
        "\n>From here\n\n one\n",
        "From: A <a@example.org>\nSubject: a long\n one\nDate: Tue, 30 Jan 2024 06:11:16 -1000\n\n>>From here\n\n "
        "one\n",
        ">From b Tue Jan 30 16:11:16 2024\n" MAIL,
    };
    static const char *const others[] = {
        "Subject: x\n\nbody ",
        "Subject: x\n\n\nbody",
        "Subject: x\r\r\n\nbody",
        "Subject: x\n\nbod",
        "Subject: x\n\n>body",
        "Subject: x\n y\n\nbody",
        "Subject: X\n\nbody",
        "From: a\nSubject: x\n\nbody",
        "Subject: x\nDate: today\n\nbody",
        "Subject: x\nSubject: x\n\nbody",
    };

    for (size_t i = 0; i < G_N_ELEMENTS(mails); i++)
        expect_id(*state, mails[i], MAIL_ID);
    expect_id(*state, "Subject: x\n\nbody\n\n\n", BODY_ID);
    expect_id(*state, "To: b\nSubject: x\n\nbody", BODY_ID);
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        struct message *message = parse_string(*state, others[i]);

        assert_string_not_equal(message_id(message), BODY_ID);
        message_free(message);
    }
    /* SHA-256 of nothing: FIPS 180's example, known to everyone. */
    expect_id(*state, "To: b\r\n\r\n", "generated.e3b0c44298fc1c149afbf4c8996fb924@benchlore.invalid");
}

/* Text that is no mail has no header. */
static void test_id_of_text(void **state)
{
    struct raw_message raw = {view_of("Subject: x\r\n\r\nbody\r\n"), "test", 0, false};
    struct message *message = message_parse(&raw, *state);

    assert_string_equal(message_id(message), BODY_ID);
    message_free(message);
    raw.bytes = view_of("To: b\nSubject: x\n\nbody\n");
    message = message_parse(&raw, *state);
    assert_string_not_equal(message_id(message), BODY_ID);
    message_free(message);
}

/* Headers that hold no id, and one that is too long. */
static void test_no_id(void **state)
{
    char *long_value = g_strnfill(IDENTITY_LENGTH_MAX + 1, 'a');
    const char *unusable[] = {"", " ", "<>", "none", "< >", "(comment)", long_value};
    GString *id = g_string_new(NULL);

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(unusable); i++) {
        g_string_truncate(id, 0);
        identity_read(id, unusable[i]);
        assert_string_equal(id->str, "");
    }
    long_value[1] = '@';
    identity_read(id, long_value + 1);
    assert_int_equal(id->len, IDENTITY_LENGTH_MAX);
    g_free(long_value);
    g_string_free(id, TRUE);
}

#define FOOTER                                                                                                         \
    "_______________________________________________\nSched mailing list\nsched@example.org\n"                         \
    "http://example.org/mailman/listinfo/sched\n"

static void test_footers(void **state)
{
    static const struct {
        const char *text, *footer;
    } cases[] = {
        {"one\n" FOOTER, FOOTER},
        {FOOTER, FOOTER},
        {"one\n" FOOTER "\n\n", FOOTER "\n\n"},
        {"one\n-- \nTo unsubscribe: no", "-- \nTo unsubscribe: no"},
        {"one\n--------------------------------\nthis mailing list\n",
         "--------------------------------\nthis mailing list\n"},
        {"one\n--\nA Name\n", ""},
        {"one\n-------\nmailing list\n", ""},
        {"one\n--\nunsubscribe\n--\nA Name\n", ""},
        {"one\n--\nunsubscribe\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n", ""},
        {"", ""},
        {"\n", ""},
        {"mailing list\n", ""},
    };

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        assert_int_equal(footer_start(view_of(cases[i].text)), strlen(cases[i].text) - strlen(cases[i].footer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ids, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_generated_ids, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_id_of_text, parse_set_up, parse_tear_down),
        cmocka_unit_test(test_no_id),
        cmocka_unit_test(test_footers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
