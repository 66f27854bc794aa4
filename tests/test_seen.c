/* Tests of extract/seen. */
#include "extract/seen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static enum seen_status add(struct seen *seen, const char *id, const char *digest)
{
    unsigned char bytes[SEEN_DIGEST_SIZE];

    assert_int_equal(strlen(digest), SEEN_DIGEST_SIZE);
    memcpy(bytes, digest, SEEN_DIGEST_SIZE);
    return seen_add(seen, id, bytes);
}

static void test_copies(void **state)
{
    struct seen *seen = seen_new();

    (void)state;
    assert_false(seen_has(seen, "a@x"));
    assert_int_equal(add(seen, "a@x", "0123456789abcdef"), SEEN_NEW);
    assert_true(seen_has(seen, "a@x"));
    assert_false(seen_has(seen, "b@x"));
    assert_int_equal(add(seen, "b@x", "0123456789abcdef"), SEEN_NEW);
    assert_int_equal(add(seen, "a@x", "0123456789abcdef"), SEEN_SAME);

    /* other content under an id changes nothing of what is known */
    assert_int_equal(add(seen, "a@x", "ABCDEFGHIJKLMNOP"), SEEN_OTHER);
    assert_int_equal(add(seen, "a@x", "ABCDEFGHIJKLMNOP"), SEEN_OTHER);
    assert_int_equal(add(seen, "a@x", "0123456789abcdef"), SEEN_SAME);

    /* forgotten is as never seen */
    seen_forget(seen, "b@x");
    seen_forget(seen, "c@x");
    assert_false(seen_has(seen, "b@x"));
    assert_int_equal(add(seen, "b@x", "ABCDEFGHIJKLMNOP"), SEEN_NEW);
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
