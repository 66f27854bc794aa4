/* Tests of extract/archive. What is expected follows from how each source is
 * written down here; nothing is taken from the module's own output. */
#include "tests/source.h"

#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define FROM  "From mboxrd@z Thu Jan  1 00:00:00 1970\n"
#define PATCH "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\n"
#define HEAD  "Subject: s\n\n"

static uint64_t unread(const struct source *source)
{
    return diag_count(source->diag, DIAG_UNREAD);
}

static void test_mbox(void **state)
{
    const struct source *source = *state;
    struct archive *archive = source_open_string(source, FROM HEAD "one\n\n" FROM HEAD "two\n\nmore\n\n");
    struct raw_message message;

    assert_int_equal(archive_next(archive, &message), ARCHIVE_MESSAGE);
    assert_string_equal(message.source, source->path);
    assert_true(view_is(message.bytes, HEAD "one\n"));
    assert_int_equal(message.byte_offset, 0);
    source_expect(archive, HEAD "two\n\nmore\n", strlen(FROM HEAD "one\n\n"), true);
    source_expect_end(archive);
    assert_int_equal(unread(source), 0);
}

static void test_messages_without_text(void **state)
{
    const struct source *source = *state;

    struct archive *archive = source_open_string(source, FROM "\n" FROM "\nbody\n\n" FROM "no header\n\n" FROM);
    source_expect(archive, "", 0, false);
    source_expect(archive, "\nbody\n", strlen(FROM) + 1, true);
    source_expect(archive, "no header\n", 2 * strlen(FROM) + strlen("\n\nbody\n\n"), false);
    source_expect(archive, "", 3 * strlen(FROM) + strlen("\n\nbody\n\nno header\n\n"), false);
    source_expect_end(archive);
}

/* A relay's second `From ` line, escaped or not, stands before the header. */
static void test_second_from_line(void **state)
{
    const struct source *source = *state;

    struct archive *archive = source_open_string(source, FROM ">From a@b Thu Jan  1 00:00:00 1970\n" HEAD "one\n");
    source_expect(archive, "From a@b Thu Jan  1 00:00:00 1970\n" HEAD "one\n", 0, true);
    source_expect_end(archive);
}

static void test_unescaping(void **state)
{
    const struct source *source = *state;

    struct archive *archive =
        source_open_string(source, FROM HEAD ">From a\n>>From b\n> From c\nx >From d\n>>>From e >From f\n"
                                             ">From\n>Fromage\n>From \n\n" FROM HEAD ">From last");
    source_expect(archive, HEAD "From a\n>From b\n> From c\nx >From d\n>>From e >From f\n>From\n>Fromage\nFrom \n", 0,
                  true);
    source_expect(archive, HEAD "From last",
                  strlen(FROM HEAD ">From a\n>>From b\n> From c\nx >From d\n>>>From e >From f\n>From\n>Fromage\n>From "
                                   "\n\n"),
                  true);
    source_expect_end(archive);
    /* A single message is no mbox: there nothing was escaped. */
    archive = source_open_string(source, HEAD "\n>From a\n");
    source_expect(archive, HEAD "\n>From a\n", 0, true);
    source_expect_end(archive);
}

static void test_crlf(void **state)
{
    static const char from[] = "From mboxrd@z Thu Jan  1 00:00:00 1970\r\n";
    static const char head[] = "Subject: s\r\n\r\n";
    const struct source *source = *state;
    char *text = g_strconcat(from, head, "one\r\n>From x\r\n\r\n", from, head, "two\r\n\r\n", from, "\r\n", NULL);
    struct archive *archive = source_open_string(source, text);

    source_expect(archive, "Subject: s\r\n\r\none\r\nFrom x\r\n", 0, true);
    source_expect(archive, "Subject: s\r\n\r\ntwo\r\n", strlen(from) + strlen(head) + strlen("one\r\n>From x\r\n\r\n"),
                  true);
    source_expect(archive, "",
                  2 * (strlen(from) + strlen(head)) + strlen("one\r\n>From x\r\n\r\n") + strlen("two\r\n\r\n"), false);
    source_expect_end(archive);
    g_free(text);
}

static void test_cut_off(void **state)
{
    static const char whole[] = FROM HEAD "one\n\n" FROM HEAD "two";
    const size_t first = strlen(FROM HEAD "one\n\n");
    const struct source *source = *state;
    struct archive *archive;

    archive = source_open_string(source, whole);
    source_expect(archive, HEAD "one\n", 0, true);
    source_expect(archive, HEAD "two", first, true);
    source_expect_end(archive);
    archive = source_open(source, whole, first + strlen(FROM) - 1);
    source_expect(archive, HEAD "one\n", 0, true);
    source_expect(archive, "", first, false);
    source_expect_end(archive);
    /* A `From ` line cut within its date can't be told from text. */
    archive = source_open(source, whole, first + strlen("From mboxrd@z Thu Jan"));
    source_expect(archive, HEAD "one\n\nFrom mboxrd@z Thu Jan", 0, true);
    source_expect_end(archive);
}

static void test_nul_bytes(void **state)
{
    static const char text[] = FROM HEAD "a\0b\n\n" FROM "\0\n";
    const struct source *source = *state;
    struct archive *archive = source_open(source, text, sizeof text - 1);
    struct raw_message message;

    assert_int_equal(archive_next(archive, &message), ARCHIVE_MESSAGE);
    assert_int_equal(message.bytes.length, strlen(HEAD) + 4);
    assert_memory_equal(message.bytes.bytes, HEAD "a\0b\n", strlen(HEAD) + 4);
    assert_int_equal(archive_next(archive, &message), ARCHIVE_MESSAGE);
    assert_int_equal(message.bytes.length, 2);
    assert_false(message.is_mail);
    source_expect_end(archive);
}

static void test_nothing(void **state)
{
    const struct source *source = *state;

    source_expect_end(source_open_string(source, ""));
    source_expect_end(source_open_string(source, "\n\r\n\n"));
    assert_int_equal(unread(source), 0);
}

/* An mbox whose beginning is lost: what is left of the first message is text. */
static void test_text_before_an_mbox(void **state)
{
    const struct source *source = *state;

    struct archive *archive = source_open_string(source, "rest of a line\nmore\n\n" FROM HEAD "one\n\n" FROM "\ntwo\n");
    source_expect(archive, "rest of a line\nmore\n\n", 0, false);
    source_expect(archive, HEAD "one\n", strlen("rest of a line\nmore\n\n"), true);
    source_expect(archive, "\ntwo\n", strlen("rest of a line\nmore\n\n" FROM HEAD "one\n\n"), true);
    source_expect_end(archive);
    assert_int_equal(diag_count(source->diag, DIAG_NOTE), 1);
    assert_int_equal(unread(source), 0);

    /* text that speaks of one, or holds a patch, is still one text */
    static const char *const texts[] = {
        "text\n\n" FROM "no field\n",
        "text\n\n" FROM,
        "text\n" FROM HEAD,
        "text\n\n" PATCH HEAD "patch\n",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        archive = source_open_string(source, texts[i]);
        source_expect(archive, texts[i], 0, false);
        source_expect_end(archive);
    }
}

/* What git format-patch writes: each patch is a message; what looks like a
 * `From ` line inside a patch is indented. */
static void test_patches(void **state)
{
#define PATCH_TEXT                                                                                                     \
    "From: A <a@example.org>\nDate: Tue, 30 Jan 2024 06:11:16 -1000\nSubject: [PATCH 1/2] x: y\n\nWhy.\n---\n x.c | "  \
    "2 +-\n\n"                                                                                                         \
    "diff --git a/x.c b/x.c\n-From here\n+From there\n From a@b Thu Jan  1 00:00:00 1970\n-- \n2.39.5\n"
    const struct source *source = *state;

    struct archive *archive = source_open_string(source, PATCH PATCH_TEXT "\n");
    source_expect(archive, PATCH_TEXT, 0, true);
    source_expect_end(archive);
    archive = source_open_string(source, PATCH PATCH_TEXT "\n" PATCH PATCH_TEXT "\n");
    source_expect(archive, PATCH_TEXT, 0, true);
    source_expect(archive, PATCH_TEXT, strlen(PATCH PATCH_TEXT "\n"), true);
    source_expect_end(archive);
}

/* Mail with another mail or an mbox inside stays one. */
static void test_mail_with_mail_inside(void **state)
{
    static const char text[] = HEAD "forwarded:\n\n" FROM HEAD "one\n\n" FROM HEAD "two\n";
    const struct source *source = *state;

    struct archive *archive = source_open_string(source, text);
    source_expect(archive, text, 0, true);
    source_expect_end(archive);
    assert_int_equal(diag_count(source->diag, DIAG_NOTE), 1); /* it might be meant otherwise */
    archive = source_open_string(source, HEAD "a patch:\n\n" PATCH HEAD "patch\n\n" FROM "\n");
    source_expect(archive, HEAD "a patch:\n\n" PATCH HEAD "patch\n\n" FROM "\n", 0, true);
    source_expect_end(archive);
    assert_int_equal(diag_count(source->diag, DIAG_NOTE), 1);
}

/* Damage costs the message it is in, no other. */
static void test_garbage_between(void **state)
{
    static const char garbage[] = "\x80\0\xff\r\r\n\0From \n\nFrom\n\1";
    const struct source *source = *state;
    GString *text = g_string_new(FROM HEAD "one\n\n");
    struct raw_message message;

    g_string_append_len(text, garbage, sizeof garbage - 1);
    g_string_append(text, "\n\n" FROM HEAD "two\n\n" FROM);
    g_string_append_len(text, garbage, sizeof garbage - 1);
    g_string_append(text, "\n" FROM HEAD "three\n");

    struct archive *archive = source_open(source, text->str, text->len);
    assert_int_equal(archive_next(archive, &message), ARCHIVE_MESSAGE);
    assert_true(message.is_mail);
    assert_memory_equal(message.bytes.bytes, HEAD "one\n", strlen(HEAD "one\n"));
    assert_int_equal(message.bytes.length, strlen(HEAD "one\n\n") + sizeof garbage);
    assert_int_equal(archive_next(archive, &message), ARCHIVE_MESSAGE);
    assert_true(view_is(message.bytes, HEAD "two\n"));
    assert_int_equal(archive_next(archive, &message), ARCHIVE_MESSAGE);
    assert_false(message.is_mail);
    assert_int_equal(archive_next(archive, &message), ARCHIVE_MESSAGE);
    assert_true(view_is(message.bytes, HEAD "three\n"));
    source_expect_end(archive);
    g_string_free(text, TRUE);
}

static void test_neither_mail_nor_text(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
    } binaries[] = {
        {"\x7f"
         "ELF\x02\x01\x01\0\0\0",
         10},
        {"SQLite format 3\0", 16},
        {"PK\x03\x04\x14\0", 6},
        {"\0", 1},
    };
    const struct source *source = *state;

    for (size_t i = 0; i < G_N_ELEMENTS(binaries); i++) {
        source_expect_end(source_open(source, binaries[i].bytes, binaries[i].length));
        assert_int_equal(unread(source), i + 1);
    }

    /* UTF-16 is text, and mail may hold anything */
    struct raw_message message;
    struct archive *archive = source_open(source,
                                          "\xff\xfe"
                                          "a\0",
                                          4);
    assert_int_equal(archive_next(archive, &message), ARCHIVE_MESSAGE);
    archive_free(archive);
    archive = source_open(source, "Subject: s\n\n\0", 13);
    assert_int_equal(archive_next(archive, &message), ARCHIVE_MESSAGE);
    assert_true(message.is_mail);
    archive_free(archive);
    assert_int_equal(unread(source), G_N_ELEMENTS(binaries));
}

static void test_compressed(void **state)
{
    /* `printf 'Subject: s\n\none\n' | gzip -n` */
    static const unsigned char packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x0b, 0x2e,
                                           0x4d, 0xca, 0x4a, 0x4d, 0x2e, 0xb1, 0x52, 0x28, 0xe6, 0xe2, 0xca, 0xcf,
                                           0x4b, 0xe5, 0x02, 0x00, 0x33, 0xc4, 0x1a, 0x4a, 0x10, 0x00, 0x00, 0x00};
    const struct source *source = *state;
    struct archive *archive = source_open(source, (const char *)packed, sizeof packed);

    source_expect(archive, HEAD "one\n", 0, true);
    source_expect_end(archive);
    archive = source_open(source, (const char *)packed, sizeof packed - 4);
    source_expect(archive, HEAD "one\n", 0, true);
    source_expect_end(archive);
    assert_int_equal(unread(source), 1);
}

static void test_kinds(void **state)
{
    static const struct {
        const char *text;
        bool is_mail;
    } cases[] = {
        {"From: a@example.org\nSubject: x\n\nbody\n", true},
        {"Received-SPF: pass (example.org: domain of a) client-ip=192.0.2.1;\nDate: Tue, 30 Jan 2024 06:11:16 -1000\n"
         "Cc: b@example.org,\n\tc@example.org\n\nHello\n",
         true},
        {"Message-ID: <a@b>\r\nX-Odd:\r\n\r\nbody\r\n", true},
        {"subject : x\n\nbody", true},
        {"Subject: x", true},
        {"From: a@example.org\nSubject: folded\nwithout a blank\nDate: today\n\nbody\n", true},
        {"Re: [PATCH] sched: faster\n\n[A Name]\n\nOh, a bit of addition.\n", false},
        {"On Wed, 04 Oct, at 06:18:50PM, A Name wrote:\n> text\n", false},
        {"Hello,\n\nSubject: what I forgot\n", false},
        {"Transactions:\t\t 100 hits\nAvailability:\t\t 100.00 %\n", false},
        {"Note: the date below is wrong\nSubject to change.\n\n", false},
        {"From mboxrd@z Thu Jan 1 00:00:00 1970 Return-Path: X-Spam-Level: Subject: x Hello\n", false},
        {"<html>\n<p>From: a</p>\n", false},
        {": no name\nSubject: x\n\n", false},
        {"\xff\xfe\n", false},
        {"Return-Path: <a@b> Received: from c by d Subject: x To: e Precedence: bulk Hello\n", false},
        {"From a@b Thu Jan  1 00:00:00 1970 Received: from c by d Subject: x To: e Hello\n", false},
        {"Subject: From: To: Date: x\nDate: today\n\nHello\n", true},
        {"Subject: Cc: me\n\nHello\n", true},
    };
    const struct source *source = *state;

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct archive *archive = source_open_string(source, cases[i].text);

        source_expect(archive, cases[i].text, 0, cases[i].is_mail);
        source_expect_end(archive);
    }
}

static void test_before_the_first(void **state)
{
    const struct source *source = *state;

    struct archive *archive = source_open_string(source, "\xef\xbb\xbf\n\r\n" FROM HEAD "one\n");
    source_expect(archive, HEAD "one\n", 6, true);
    source_expect_end(archive);
    archive = source_open_string(source, "\n\n" HEAD "one\n");
    source_expect(archive, HEAD "one\n", 2, true);
    source_expect_end(archive);
    /* lines of text are counted from the file's first */
    archive = source_open_string(source, "\n\ntext\n");
    source_expect(archive, "\n\ntext\n", 0, false);
    source_expect_end(archive);
}

static void test_unreadable(void **state)
{
    const struct source *source = *state;
    struct raw_message message;

    source_expect_end(archive_open(source->path, source->diag)); /* missing */
    assert_int_equal(unread(source), 1);
    if (geteuid() != 0) {
        struct archive *archive = source_open_string(source, HEAD);

        archive_free(archive);
        assert_int_equal(g_chmod(source->path, 0), 0);
        archive = archive_open(source->path, source->diag);
        assert_int_equal(archive_next(archive, &message), ARCHIVE_END);
        archive_free(archive);
        assert_int_equal(unread(source), 2);
    }
    archive_free(NULL);
}

/* Linux refuses to read the first page of a process with EIO. */
static void test_read_error(void **state)
{
    static const char path[] = "/proc/self/mem";
    const struct source *source = *state;

    if (access(path, R_OK) != 0)
        skip();
    source_expect_end(archive_open(path, source->diag));
    assert_int_equal(unread(source), 1);
}

static const char piped[] = FROM HEAD "one\n\n" FROM HEAD ">From two\n\n" FROM HEAD "three\n";

/* Write piped to the open descriptor, a byte at a time. */
static gpointer write_slowly(gpointer descriptor)
{
    for (size_t i = 0; i < strlen(piped); i++)
        if (write(GPOINTER_TO_INT(descriptor), piped + i, 1) != 1)
            break;
    close(GPOINTER_TO_INT(descriptor));
    return NULL;
}

static void expect_piped(struct archive *archive)
{
    source_expect(archive, HEAD "one\n", 0, true);
    source_expect(archive, HEAD "From two\n", strlen(FROM HEAD "one\n\n"), true);
    source_expect(archive, HEAD "three\n", strlen(FROM HEAD "one\n\n" FROM HEAD ">From two\n\n"), true);
    source_expect_end(archive);
}

static gpointer write_fifo(gpointer path)
{
    return write_slowly(GINT_TO_POINTER(open(path, O_WRONLY)));
}

static void test_fifo(void **state)
{
    const struct source *source = *state;
    GThread *writer;

    assert_int_equal(mkfifo(source->path, 0600), 0);
    writer = g_thread_new("writer", write_fifo, source->path);
    expect_piped(archive_open(source->path, source->diag));
    g_thread_join(writer);
    assert_int_equal(unread(source), 0);
}

static void test_standard_input(void **state)
{
    const struct source *source = *state;
    int ends[2];
    int kept = dup(STDIN_FILENO);
    GThread *writer;

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    writer = g_thread_new("writer", write_slowly, GINT_TO_POINTER(ends[1]));

    struct archive *archive = archive_open("-", source->diag);
    expect_piped(archive);
    g_thread_join(writer);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* left open */
    close(ends[0]);
    if (kept >= 0) {
        dup2(kept, STDIN_FILENO);
        close(kept);
    }
}

/* Messages of many lengths, so that `From ` lines lie across the ends of blocks
 * in every way. */
static void test_many(void **state)
{
    enum { COUNT = 4000 };
    const struct source *source = *state;
    GString *text = g_string_new(NULL);
    GArray *offsets = g_array_new(FALSE, FALSE, sizeof(gsize));
    struct raw_message message;

    for (unsigned i = 0; i < COUNT; i++) {
        g_array_append_val(offsets, text->len);
        g_string_append(text, FROM HEAD);
        for (unsigned line = 0; line < i * 7 % 61; line++)
            g_string_append(text, "\nFrom line to line\n");
        g_string_append_printf(text, "%0*u\n\n", 1 + (int)(i % 97), i);
    }

    struct archive *archive = source_open(source, text->str, text->len);
    for (unsigned i = 0; i < COUNT; i++) {
        gsize start = g_array_index(offsets, gsize, i);
        gsize end = i + 1 < COUNT ? g_array_index(offsets, gsize, i + 1) : text->len;

        assert_int_equal(archive_next(archive, &message), ARCHIVE_MESSAGE);
        assert_int_equal(message.byte_offset, start);
        start += strlen(FROM);
        assert_int_equal(message.bytes.length, end - 1 - start);
        assert_memory_equal(message.bytes.bytes, text->str + start, end - 1 - start);
    }
    source_expect_end(archive);
    g_array_free(offsets, TRUE);
    g_string_free(text, TRUE);
}

static void test_long_line(void **state)
{
    const size_t length = 50 * 1000 * 1000;
    const struct source *source = *state;
    GString *text = g_string_new(FROM HEAD);
    struct raw_message message;

    g_string_set_size(text, text->len + length);
    memset(text->str + strlen(FROM HEAD), 'F', length);
    g_string_append(text, "\n\n" FROM HEAD "two\n");

    struct archive *archive = source_open(source, text->str, text->len);
    assert_int_equal(archive_next(archive, &message), ARCHIVE_MESSAGE);
    assert_int_equal(message.bytes.length, strlen(HEAD) + length + 1);
    source_expect(archive, HEAD "two\n", strlen(FROM HEAD) + length + 2, true);
    source_expect_end(archive);
    g_string_free(text, TRUE);
}

static void test_limit(void **state)
{
    const struct source *source = *state;
    static const size_t lengths[] = {1000, 300 * 1000, 700 * 1000 + 3};

    for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
        GString *text = g_string_new(FROM HEAD "one\n\n" FROM HEAD);

        for (size_t n = 0; n < lengths[i] / 10; n++)
            g_string_append(text, "123456789\n");
        g_string_append(text, "\n");

        size_t last = text->len;
        g_string_append(text, FROM HEAD "three\n");

        struct archive *archive = source_open(source, text->str, text->len);
        archive_limit(archive, 500);
        source_expect(archive, HEAD "one\n", 0, true);
        source_expect(archive, HEAD "three\n", last, true);
        source_expect_end(archive);
        assert_int_equal(unread(source), 2 * i + 1);

        /* the last message too long */
        archive = source_open(source, text->str, last);
        archive_limit(archive, 500);
        source_expect(archive, HEAD "one\n", 0, true);
        source_expect_end(archive);
        assert_int_equal(unread(source), 2 * i + 2);
        g_string_free(text, TRUE);
    }

    struct archive *archive = source_open_string(source, "text of 15 bytes");
    archive_limit(archive, 15);
    source_expect_end(archive);
    archive = source_open_string(source, "text of 15 bytes");
    archive_limit(archive, 16);
    source_expect(archive, "text of 15 bytes", 0, false);
    source_expect_end(archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_mbox, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_messages_without_text, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_second_from_line, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_unescaping, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_crlf, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_cut_off, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_nul_bytes, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_nothing, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_text_before_an_mbox, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_patches, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_mail_with_mail_inside, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_garbage_between, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_neither_mail_nor_text, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_compressed, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_kinds, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_before_the_first, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_unreadable, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_read_error, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_fifo, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_standard_input, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_many, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_long_line, source_set_up, source_tear_down),
        cmocka_unit_test_setup_teardown(test_limit, source_set_up, source_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
