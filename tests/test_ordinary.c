/* Tests of extract/ordinary: what it reads of a mail is what GMime reads. */
#include "extract/ordinary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define TEXT "one\n\ntwo = 3\n"

static void append_leaf(GString *out, const char *section, struct view text, GMimeContentType *type, int encoding,
                        bool attached)
{
    struct leaf *leaf = leaf_new(text, "");
    const struct content_type content_type = content_type_of(type);

    leaf_set_type(leaf, &content_type);
    g_string_append_printf(out, "%s kind %d encoding %d flowed %d %d charset %s attached %d: %.*s\n", section,
                           leaf->kind, encoding, leaf->flowed, leaf->delete_space, leaf->charset ? leaf->charset : "",
                           attached, (int)text.length, text.bytes);
    leaf_free(leaf);
}

/* The text parts below a part, as GMime has them; message parts give a word that
 * nothing else has. Forms are not chosen among. */
static void append_parts(GString *out, GMimeObject *object, struct view mail, const char *prefix)
{
    if (GMIME_IS_MULTIPART(object)) {
        for (int i = 0; i < g_mime_multipart_get_count(GMIME_MULTIPART(object)); i++) {
            char *inner = g_strdup_printf("%s%d.", prefix, i + 1);

            append_parts(out, g_mime_multipart_get_part(GMIME_MULTIPART(object), i), mail, inner);
            g_free(inner);
        }
    } else if (GMIME_IS_MESSAGE_PART(object) ||
               g_mime_content_type_is_type(g_mime_object_get_content_type(object), "message", "*")) {
        g_string_append(out, "a message\n");
    } else if (GMIME_IS_TEXT_PART(object)) {
        GMimePart *part = GMIME_PART(object);
        GMimeDataWrapper *content = g_mime_part_get_content(part);
        GMimeStream *stream = content ? g_mime_data_wrapper_get_stream(content) : NULL;
        struct view text = {"", 0};

        if (stream)
            text = view_slice(mail, (size_t)stream->bound_start, (size_t)stream->bound_end);
        append_leaf(out, *prefix ? prefix : "1.", text, g_mime_object_get_content_type(object),
                    (int)g_mime_part_get_content_encoding(part), g_mime_part_is_attachment(part));
    }
}

/* What GMime reads, as text. */
static char *read_with_gmime(struct view mail)
{
    GMimeStream *stream = g_mime_stream_mem_new_with_buffer(mail.bytes, mail.length);
    GMimeParser *parser = g_mime_parser_new_with_stream(stream);
    GMimeMessage *message;
    GString *out = g_string_new(NULL);

    g_mime_parser_set_persist_stream(parser, TRUE);
    message = g_mime_parser_construct_message(parser, NULL);
    if (message) {
        GMimeHeaderList *headers = g_mime_object_get_header_list(GMIME_OBJECT(message));

        for (int i = 0; i < g_mime_header_list_get_count(headers); i++) {
            GMimeHeader *header = g_mime_header_list_get_header_at(headers, i);

            g_string_append_printf(out, "%s:%s", g_mime_header_get_name(header), g_mime_header_get_raw_value(header));
        }
        append_parts(out, g_mime_message_get_mime_part(message), mail, "");
        g_object_unref(message);
    }
    g_object_unref(parser);
    g_object_unref(stream);
    return g_string_free(out, FALSE);
}

/* The same of what is read here; NULL where nothing is. */
static char *read_here(struct view mail)
{
    GArray *fields = g_array_new(FALSE, FALSE, sizeof(struct ordinary_field));
    GPtrArray *leaves = g_ptr_array_new_with_free_func(leaf_free);
    GString *out = g_string_new(NULL);
    bool read = ordinary_read(mail, fields, leaves);

    for (guint i = 0; i < fields->len; i++) {
        const struct ordinary_field *field = &g_array_index(fields, struct ordinary_field, i);

        if (field->name.length < 8 || g_ascii_strncasecmp(field->name.bytes, "Content-", 8) != 0)
            g_string_append_printf(out, "%.*s:%.*s", (int)field->name.length, field->name.bytes,
                                   (int)field->value.length, field->value.bytes);
    }
    for (guint i = 0; i < leaves->len; i++) {
        const struct leaf *leaf = g_ptr_array_index(leaves, i);

        g_string_append_printf(out, "%s. kind %d encoding %d flowed %d %d charset %s attached %d: %.*s\n",
                               leaf->section, leaf->kind, (int)leaf->encoding, leaf->flowed, leaf->delete_space,
                               leaf->charset ? leaf->charset : "", leaf->attached, (int)leaf->text.length,
                               leaf->text.bytes);
    }
    g_array_unref(fields);
    g_ptr_array_unref(leaves);
    if (!read)
        assert_string_equal(out->str, "");
    return g_string_free(out, !read);
}

/* Is the mail read, and as GMime reads it? False if it is left to GMime. */
static bool is_read(struct view mail)
{
    char *here = read_here(mail), *there;

    if (here == NULL)
        return false;
    there = read_with_gmime(mail);
    if (strcmp(here, there) != 0)
        print_message("%.*s\n", (int)mail.length, mail.bytes);
    assert_string_equal(here, there);
    g_free(here);
    g_free(there);
    return true;
}

static const char *const ordinary[] = {
    "Subject: x\n\n" TEXT,
    "Subject: x\n folded\n\tand again\nX-Empty:\nX-Y:z\n\n" TEXT,
    "Subject: x\r\n folded\r\n\r\none\r\n",
    "Subject: x\nContent-Type: text/plain; charset=utf-8; format=flowed;\n delsp=yes\n\n" TEXT,
    "Subject: x\nContent-Type: TEXT/Plain;charset=\"us-ascii\"\nContent-Transfer-Encoding: Quoted-Printable\n\n" TEXT,
    "Subject: x\ncontent-type: text/html\nContent-Transfer-Encoding: base64 \nMIME-Version: 1.0\n\n" TEXT,
    "Subject: x\nContent-Type: text/x-patch; name=\"a.patch\"\nContent-Disposition: attachment; "
    "filename=a.patch\n\n" TEXT,
    "Subject: x\nContent-Type: application/pdf\n\n" TEXT,
    "Subject: x\nContent-Type: text/plain;\n charset=\"utf-8\" ; x=y;format=fixed; Format=flowed;\n\n" TEXT,
    "Subject: x\nContent-Type: text/plain; charset = utf-8; delsp=\"y\\es\"; format=\"flowed\"\n\n" TEXT,
    "Subject: x\nContent-Type: text/plain; charset*=us-ascii''utf-8; name=\n\n" TEXT,
    "Subject: x\nContent-Type: text/plain; charset=\"utf-8; format=flowed\n\n" TEXT,
    "Subject: x\nContent-Type: text/plain; charset=a/b; charset=\"\"\n\n" TEXT,
    "Subject: x\n\n",
    "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\npreamble\n\n--b\n\none\n--b\nContent-Type: text/html\n\n"
    "two\n\n--b--\nepilogue\n",
    "Subject: x\r\nContent-Type: multipart/mixed; boundary=\"b c\"\r\n\r\n--b c\r\nContent-Type: "
    "text/plain\r\n\r\none\r\n"
    "--b c--\r\n",
    "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b \n\none\n--not\n--bc\n\n--b--",
    "Subject: x\nContent-Type: multipart/signed; boundary=b; micalg=pgp-sha1\n\n--b\nContent-Type: multipart/mixed;\n"
    " boundary=\"b--\"\n\n--b--\n\none\n--b----\n\n--b\nContent-Type: application/pgp-signature\n\nx\n--b--\n",
    "Subject: x\nContent-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/mixed; boundary=b\n\n"
    "--b\nContent-Transfer-Encoding: 8bit\n\none\n--b\n\n--b--\nbetween\n--a\nContent-Disposition: "
    "inline\n\ntwo\n--a--\n",
    "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\n--b\n\n\n--b--\n",
};

static void test_ordinary(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(ordinary); i++)
        assert_true(is_read(view_of(ordinary[i])));
}

/* Of the forms of an alternative the best is kept, as message.h says. */
static void test_forms(void **state)
{
    static const char mail[] = "Subject: x\nContent-Type: multipart/alternative; boundary=b\n\n"
                               "--b\nContent-Type: text/html\n\n<p>one\n--b\n\none\n"
                               "--b\nContent-Disposition: attachment\n\ntwo\n--b--\n";
    GArray *fields = g_array_new(FALSE, FALSE, sizeof(struct ordinary_field));
    GPtrArray *leaves = g_ptr_array_new_with_free_func(leaf_free);

    (void)state;
    assert_true(ordinary_read(view_of(mail), fields, leaves));
    assert_int_equal(leaves->len, 2);
    assert_string_equal(((struct leaf *)g_ptr_array_index(leaves, 0))->section, "2");
    assert_string_equal(((struct leaf *)g_ptr_array_index(leaves, 1))->section, "3");
    g_array_unref(fields);
    g_ptr_array_unref(leaves);
}

/* What GMime has its own ways with is left to it. */
static void test_others(void **state)
{
    static const char *const others[] = {
        "",
        "\none\n",
        "one\n",
        "Subject: x\none\n\ntwo\n",
        "Subject: x\n",
        "From a@example.org Mon Jan  1 00:00:00 2024\nSubject: x\n\none\n",
        "Sub ject: x\n\none\n",
        "Subject : x\n\none\n",
        ": x\n\none\n",
        " x\nSubject: x\n\none\n",
        "Subject: x\nContent-Type: text\n\none\n",
        "Subject: x\nContent-Type: text/plain (comment)\n\none\n",
        "Subject: x\nContent-Type: text/plain\nContent-Type: text/html\n\none\n",
        "Subject: x\nContent-Type: text/plain; charset==?utf-8?q?x?=\n\none\n",
        "Subject: x\nContent-Type: text/plain; charset=\xC3\xA4\n\none\n",
        "Subject: x\nContent-Type: message/rfc822\n\nSubject: y\n\none\n",
        "Subject: x\nContent-Type: multipart/mixed\n\none\n",
        "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\none\n",
        "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\none\n",
        "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b--\n",
        "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/rfc822\n\nx\n--b--\n",
        "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nno field\n\none\n--b--\n",
        "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nA: b\n--b--\n",
        "Subject: x\nContent-Type: multipart/digest; boundary=b\n\n--b\n\none\n--b--\n",
        "Content-Type:multipart/x;boundary=a\n\n--a\nContent-Type:multipart/x;boundary=b\n\n--b\n\n\n--a--\n",
    };

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        assert_false(is_read(view_of(others[i])));
}

/* A boundary in a line that does not fit into what GMime sees of a mail. */
static void test_long_lines(void **state)
{
    char *filler = g_strnfill(4000, 'x');

    (void)state;
    for (size_t length = 3800; length < 4000; length++) {
        char *mail =
            g_strdup_printf("Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\n%s%s--b--\n--b--\n",
                            filler + length - 3800, filler);

        (void)is_read(view_of(mail));
        g_free(mail);
    }
    g_free(filler);
}

/* Mails with bytes changed, lost and doubled. */
static void test_mangled(void **state)
{
    static const char bytes[] = "\n\r :;-b=\"/\t\0\x80(ACacm*\\'";
    uint32_t chance = 1;
    unsigned read = 0;

    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        GString *mail = g_string_new(ordinary[round % G_N_ELEMENTS(ordinary)]);

        for (unsigned change = 0; mail->len > 0 && change <= round / G_N_ELEMENTS(ordinary) % 3; change++) {
            size_t at;

            chance = chance * 1664525 + 1013904223;
            at = (chance >> 8) % mail->len;
            switch (chance >> 30) {
            case 0:
                mail->str[at] = bytes[(chance >> 4) % (sizeof bytes - 1)];
                break;
            case 1:
                g_string_erase(mail, (gssize)at, (gssize)MIN(1 + (chance >> 26) % 8, mail->len - at));
                break;
            case 2:
                g_string_insert_len(mail, (gssize)at, bytes + (chance >> 4) % (sizeof bytes - 1), 1);
                break;
            default:
                g_string_insert_len(mail, (gssize)at, mail->str + at / 2, (gssize)MIN(at / 2, (chance >> 24) % 40));
                break;
            }
        }
        read += is_read((struct view){mail->str, mail->len});
        g_string_free(mail, TRUE);
    }
    assert_true(read > 5000);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ordinary),   cmocka_unit_test(test_forms),   cmocka_unit_test(test_others),
        cmocka_unit_test(test_long_lines), cmocka_unit_test(test_mangled),
    };

    (void)count;
    (void)arguments;
    g_mime_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
