/* Tests of extract/content and extract/fingerprint. */
#include "extract/content.h"

#include "tests/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* Both digests say the same of two messages. */
static bool same_digest(struct diag *diag, const char *a, const char *b)
{
    unsigned char digest[2][CONTENT_DIGEST_SIZE], fingerprint[2][CONTENT_DIGEST_SIZE];
    struct message *messages[] = {parse_string(diag, a), parse_string(diag, b)};
    bool same;

    for (size_t i = 0; i < 2; i++) {
        content_digest(messages[i], &(struct content_digest_kind){.lasts = true}, digest[i]);
        content_digest(messages[i], &(struct content_digest_kind){.seed = 1}, fingerprint[i]);
        message_free(messages[i]);
    }
    same = memcmp(digest[0], digest[1], CONTENT_DIGEST_SIZE) == 0;
    assert_int_equal(memcmp(fingerprint[0], fingerprint[1], CONTENT_DIGEST_SIZE) == 0, same);
    return same;
}

#define FOOTER                                                                                                         \
    "_______________________________________________\nSched mailing list\nsched@example.org\n"                         \
    "http://example.org/mailman/listinfo/sched\n"

static void test_digest(void **state)
{
    static const char message[] = "Subject: x\n\none\n\ntwo 1.5\n";
    static const char *const same[] = {
        "Subject: y\nReceived: z\n\none\n\ntwo 1.5\n",
        "Subject: x\r\n\r\none\r\n\r\ntwo 1.5\r\n",
        "Subject: x\n\none  \n \ntwo 1.5\t\n\n\n",
        "Subject: x\n\none\n\ntwo 1.5",
        "Subject: x\n\none\n\ntwo 1.5\n" FOOTER,
        "Subject: x\n\none\n\ntwo 1.5\n\n" FOOTER "\n",
        "Subject: x\n\none\n\ntwo 1.5\n--\nTo unsubscribe from this list: send the line \"unsubscribe sched\" in\n"
        "the body of a message to majordomo@example.org\nMore majordomo info at  http://example.org/info.html\n",
        "Content-Transfer-Encoding: quoted-printable\n\none\n\ntwo =31.5\n",
        "Content-Transfer-Encoding: base64\n\nb25lCgp0d28gMS41Cg==\n",
        "Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n\ntwo 1.5\n--b\n\n" FOOTER "\n--b--\n",
    };
    static const char *const other[] = {
        "Subject: x\n\none\n\ntwo 1.6\n",
        "Subject: x\n\none\ntwo 1.5\n",
        "Subject: x\n\n one\n\ntwo 1.5\n",
        "Subject: x\n\none\n\ntwo 1.5\n____________________\nmore\n",
        "Subject: x\n\none\n\ntwo 1.5\n-- \nA Name\n",
        "Subject: x\n\n",
    };

    for (size_t i = 0; i < G_N_ELEMENTS(same); i++)
        assert_true(same_digest(*state, message, same[i]));
    for (size_t i = 0; i < G_N_ELEMENTS(other); i++)
        assert_false(same_digest(*state, message, other[i]));
}

/* An mboxo keeps `From ` and `>From ` alike, so what is read from it may lack a mark. */
static void test_digest_of_escaped_lines(void **state)
{
    static const char message[] = "Subject: x\n\nFrom here\n";

    assert_true(same_digest(*state, message, "Subject: x\n\n>From here\n"));
    assert_true(same_digest(*state, message, "Subject: x\n\n>>From here\n"));
    assert_false(same_digest(*state, message, "Subject: x\n\n> From here\n"));
    assert_false(same_digest(*state, message, "Subject: x\n\n>here\n"));
}

/* Texts that differ in one bit, in a byte more, or in where they are parted. */
static void test_fingerprints(void **state)
{
    GHashTable *known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    char text[] = "a text of thirty-seven bytes, or so..";
    guint count = 0;

    (void)state;
    for (size_t length = 0; length < sizeof text; length++)
        for (size_t cut = 0; cut <= length; cut++)
            for (size_t bit = 0; bit < MAX(8 * length, 1); bit++) {
                struct fingerprint *fingerprint = fingerprint_new(1);
                unsigned char bytes[FINGERPRINT_SIZE];
                GString *hex = g_string_new(NULL);

                text[bit / 8] ^= (char)(length > 0 ? 1 << bit % 8 : 0);
                fingerprint_add(fingerprint, (struct view){text, cut});
                fingerprint_add(fingerprint, (struct view){text + cut, length - cut});
                fingerprint_end(fingerprint, bytes);
                text[bit / 8] ^= (char)(length > 0 ? 1 << bit % 8 : 0);
                for (size_t i = 0; i < FINGERPRINT_SIZE; i++)
                    g_string_append_printf(hex, "%02x", bytes[i]);
                g_hash_table_add(known, g_string_free(hex, FALSE));
                count++;
            }
    assert_int_equal(g_hash_table_size(known), count);
    g_hash_table_unref(known);
}

/* One text by one seed always has the same, by another seed another. */
static void test_seeds(void **state)
{
    const struct view text = view_of("a text");
    unsigned char bytes[4][FINGERPRINT_SIZE];

    (void)state;
    assert_int_not_equal(fingerprint_seed(), fingerprint_seed());
    fingerprint_of(text, 1, bytes[0]);
    fingerprint_of(text, 1, bytes[1]);
    fingerprint_of(text, 2, bytes[2]);
    fingerprint_of(view_of("a texT"), 1, bytes[3]);
    assert_memory_equal(bytes[0], bytes[1], FINGERPRINT_SIZE);
    assert_memory_not_equal(bytes[0], bytes[2], FINGERPRINT_SIZE);
    assert_memory_not_equal(bytes[0], bytes[3], FINGERPRINT_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_digest, parse_set_up, parse_tear_down),
        cmocka_unit_test_setup_teardown(test_digest_of_escaped_lines, parse_set_up, parse_tear_down),
        cmocka_unit_test(test_fingerprints),
        cmocka_unit_test(test_seeds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
