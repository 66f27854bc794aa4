/* sha256: against the examples of FIPS 180 and, at every length, GLib's. */
#include "extract/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(struct view text, const char *digits)
{
    for (unsigned plain = 0; plain < 2; plain++) {
        struct sha256 sha;
        unsigned char digest[SHA256_SIZE];
        sha256_begin(&sha);
        if (plain)
            sha256_use_plain(&sha);
        sha256_add(&sha, text);
        sha256_end(&sha, digest);
        for (unsigned i = 0; i < SHA256_SIZE; i++) {
            char byte[3];
            g_snprintf(byte, sizeof byte, "%02x", digest[i]);
            assert_memory_equal(byte, digits + 2 * i, 2);
        }
    }
}

static void test_examples(void **state)
{
    (void)state;
    expect(view_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(view_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(view_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char *million = g_strnfill(1000000, 'a');
    expect(view_of(million), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    g_free(million);
}

static void test_all_lengths(void **state)
{
    char text[300];
    (void)state;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(unsigned char)(i * 37 % 256);
    for (size_t length = 0; length <= sizeof text; length++) {
        char *digits = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, length);
        expect((struct view){text, length}, digits);
        g_free(digits);
    }
}

/* It is all one in how many pieces the text comes. */
static void test_pieces(void **state)
{
    char text[200];
    (void)state;
    memset(text, 'x', sizeof text);
    char *digits = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, sizeof text);
    for (size_t size = 1; size < sizeof text; size++) {
        struct sha256 sha;
        unsigned char digest[SHA256_SIZE];
        char byte[3];
        sha256_begin(&sha);
        for (size_t at = 0; at < sizeof text; at += size)
            sha256_add(&sha, (struct view){text + at, MIN(size, sizeof text - at)});
        sha256_end(&sha, digest);
        for (unsigned i = 0; i < SHA256_SIZE; i++) {
            g_snprintf(byte, sizeof byte, "%02x", digest[i]);
            assert_memory_equal(byte, digits + 2 * i, 2);
        }
    }
    g_free(digits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_all_lengths),
        cmocka_unit_test(test_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
