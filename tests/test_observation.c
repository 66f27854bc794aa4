/* The columns are a promise to everyone who reads the datasets: their names
 * and order are spelled out here a second time. */
#include "extract/observation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void names_stand_in_the_promised_order(void **state)
{
    (void)state;
    GString *header = g_string_new(NULL);
    for (int i = 0; i < COLUMN_COUNT; i++)
        g_string_append_printf(header, "%s%s", i > 0 ? "," : "", column_name((enum column)i));
    assert_string_equal(header->str, "message_id,date,result,tool,tool_version,test,series,params,metric,stat,value,"
                                     "unit,value_text,change,significant,spread,better,caption,check,quote_depth,"
                                     "origin,part,line");
    g_string_free(header, TRUE);
}

static void names_belong_to_their_columns(void **state)
{
    (void)state;
    assert_string_equal(column_name(COLUMN_MESSAGE_ID), "message_id");
    assert_string_equal(column_name(COLUMN_VALUE), "value");
    assert_string_equal(column_name(COLUMN_VALUE_TEXT), "value_text");
    assert_string_equal(column_name(COLUMN_CAPTION), "caption");
    assert_string_equal(column_name(COLUMN_LINE), "line");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_stand_in_the_promised_order),
        cmocka_unit_test(names_belong_to_their_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
