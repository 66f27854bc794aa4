/* Tests of extract/seen. */
#include "extract/seen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static enum seen_status add(struct seen *seen, const char *id, const char *digest, GString *unique)
{
    unsigned char bytes[MESSAGE_DIGEST_SIZE];

    assert_int_equal(strlen(digest), MESSAGE_DIGEST_SIZE);
    memcpy(bytes, digest, MESSAGE_DIGEST_SIZE);
    g_string_truncate(unique, 0);
    return seen_add(seen, id, bytes, unique);
}

static void test_copies(void **state)
{
    struct seen *seen = seen_new();
    GString *unique = g_string_new(NULL);

    (void)state;
    assert_false(seen_has(seen, "a@x"));
    assert_int_equal(add(seen, "a@x", "0123456789abcdef", unique), SEEN_NEW);
    assert_true(seen_has(seen, "a@x"));
    assert_false(seen_has(seen, "b@x"));
    assert_int_equal(add(seen, "b@x", "0123456789abcdef", unique), SEEN_NEW);
    assert_int_equal(add(seen, "a@x", "0123456789abcdef", unique), SEEN_SAME);
    assert_string_equal(unique->str, "");

    /* other content under an id: once, and under a name of its own */
    assert_int_equal(add(seen, "a@x", "ABCDEFGHIJKLMNOP", unique), SEEN_OTHER);
    assert_string_equal(unique->str, "a@x.4142434445464748494a4b4c4d4e4f50@benchlore.invalid");
    assert_int_equal(add(seen, "a@x", "ABCDEFGHIJKLMNOP", unique), SEEN_SAME);
    assert_string_equal(unique->str, "");
    assert_int_equal(add(seen, "a@x", "qrstuvwxyz012345", unique), SEEN_OTHER);
    assert_string_equal(unique->str, "a@x.7172737475767778797a303132333435@benchlore.invalid");
    assert_int_equal(add(seen, "a@x", "0123456789abcdef", unique), SEEN_SAME);

    /* forgotten is as never seen */
    seen_forget(seen, "a@x.7172737475767778797a303132333435@benchlore.invalid");
    assert_int_equal(add(seen, "a@x", "qrstuvwxyz012345", unique), SEEN_OTHER);
    seen_forget(seen, "b@x");
    seen_forget(seen, "c@x");
    assert_false(seen_has(seen, "b@x"));
    assert_int_equal(add(seen, "b@x", "ABCDEFGHIJKLMNOP", unique), SEEN_NEW);
    g_string_free(unique, TRUE);
    seen_free(seen);
    seen_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
