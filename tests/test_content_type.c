/* Content-Type is read as GMime reads it, simple or not. */
#include "extract/content_type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char *describe(const struct content_type *type)
{
    return g_strdup_printf("%s/%s charset %s boundary %s format %s delsp %s", type->type, type->subtype, type->charset,
                           type->boundary, type->format, type->delsp);
}

static void check(const char *value)
{
    GMimeContentType *gmime = g_mime_content_type_parse(NULL, value);
    const struct content_type expected = content_type_of(gmime);
    struct content_type type;
    char *read, *wanted = describe(&expected);

    assert_true(content_type_read(&type, value));
    read = describe(&type);
    if (strcmp(read, wanted) != 0)
        fail_msg("%s: %s in place of %s", value, read, wanted);
    content_type_clear(&type);
    g_object_unref(gmime);
    g_free(read);
    g_free(wanted);
}

static void test_simple(void **state)
{
    struct content_type type;

    (void)state;
    assert_true(content_type_read(&type, "Text/Plain; charset=UTF-8; Format=flowed ;delsp=\"yes\""));
    assert_string_equal(type.type, "Text");
    assert_string_equal(type.subtype, "Plain");
    assert_string_equal(type.charset, "UTF-8");
    assert_string_equal(type.format, "flowed");
    assert_string_equal(type.delsp, "yes");
    assert_null(type.boundary);
    assert_true(content_type_is(&type, "text", "plain"));
    assert_true(content_type_is(&type, "text", "*"));
    assert_false(content_type_is(&type, "text", "html"));
    content_type_clear(&type);
    check("text/html");
    check("multipart/mixed; boundary=\"=_a b--c\"");
    check("text/plain; name=\"a; charset=x\"; charset=koi8-r");
}

static void test_odd(void **state)
{
    static const char *const values[] = {
        "text/plain; charset=a; charset=b",  "text/plain; charset = utf-8",
        "text/plain; charset=\"a\\\"b\"",    "text/plain; charset*=utf-8''x",
        "text/plain; boundary=----=_Part_1", "text/plain; charset=\"\"",
        "text/plain; charset=utf-8;",        "text/plain;; charset=utf-8",
        "text/plain; flowed; charset=utf-8", "text/plain; charset=utf-8 format=flowed",
        "text/plain; charset=\"utf-8",       "text/plain charset=utf-8",
    };

    (void)state;
    for (unsigned i = 0; i < G_N_ELEMENTS(values); i++)
        check(values[i]);
}

static void test_random(void **state)
{
    static const char *const pieces[] = {
        "charset",
        "boundary",
        "format",
        "delsp",
        "name",
        "=",
        "=",
        ";",
        ";",
        "; ",
        " ",
        "\t",
        "\"",
        "\"",
        "utf-8",
        "flowed",
        "yes",
        "a.b_c+",
        "\\",
        "*",
        "/",
        "'",
        "%",
        "=_",
        "--",
        "x:y",
        ",",
        "charset=utf-8; ",
        "; boundary=\"a b\"",
        "; format=flowed",
    };
    GRand *random = g_rand_new_with_seed(7);

    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        GString *value = g_string_new("text/plain; ");

        for (int count = g_rand_int_range(random, 0, 12); count > 0; count--)
            g_string_append(value, pieces[g_rand_int_range(random, 0, (gint32)G_N_ELEMENTS(pieces))]);
        check(value->str);
        g_string_free(value, TRUE);
    }
    g_rand_free(random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simple),
        cmocka_unit_test(test_odd),
        cmocka_unit_test(test_random),
    };

    g_mime_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
