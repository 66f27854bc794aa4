/* What the CSV writer wrote is compared to bytes spelled out by hand, and read
 * back by a small RFC 4180 parser. */
#include "output/writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define HEADER                                                                                                         \
    "message_id,date,result,tool,tool_version,test,series,params,metric,stat,value,unit,value_text,change,"            \
    "significant,spread,better,caption,check,quote_depth,origin,part,line\n"

static struct observation empty_observation(void)
{
    struct observation row;
    for (int i = 0; i < COLUMN_COUNT; i++)
        row.field[i] = view_of("");
    return row;
}

/* A stream into memory and the CSV writer on it. */
struct fixture {
    FILE *stream;
    char *bytes;
    size_t length;
    struct writer *writer;
};

static int set_up(void **state)
{
    struct fixture *fixture = g_new0(struct fixture, 1);
    fixture->stream = open_memstream(&fixture->bytes, &fixture->length);
    assert_non_null(fixture->stream);
    fixture->writer = writer_new("csv", fixture->stream);
    assert_non_null(fixture->writer);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    writer_free(fixture->writer);
    fclose(fixture->stream);
    free(fixture->bytes);
    g_free(fixture);
    return 0;
}

/* The next field of text, unquoted; its end is moved past the separator.
 * Returns that separator, or '\0' after a field that follows no rule. */
static char read_field(const char **cursor, GString *field)
{
    const char *c = *cursor;
    g_string_truncate(field, 0);
    if (*c == '"') {
        for (c++; *c != '"' || c[1] == '"'; c++) {
            if (*c == '\0')
                return '\0';
            if (*c == '"')
                c++;
            g_string_append_c(field, *c);
        }
        c++;
    } else {
        while (*c != ',' && *c != '\n' && *c != '"' && *c != '\0')
            g_string_append_c(field, *c++);
    }
    if (*c != ',' && *c != '\n')
        return '\0';
    *cursor = c + 1;
    return *c;
}

static void assert_row_reads_back(const char **cursor, const struct observation *row)
{
    GString *field = g_string_new(NULL);
    for (int i = 0; i < COLUMN_COUNT; i++) {
        assert_int_equal(read_field(cursor, field), i + 1 < COLUMN_COUNT ? ',' : '\n');
        assert_int_equal(field->len, row->field[i].length);
        assert_memory_equal(field->str, row->field[i].bytes, field->len);
    }
    g_string_free(field, TRUE);
}

static void an_empty_dataset_is_its_header(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(writer_begin(fixture->writer), WRITER_OK);
    assert_int_equal(writer_end(fixture->writer), WRITER_OK);
    assert_string_equal(fixture->bytes, HEADER);
}

static void a_row_holds_the_fields_in_order(void **state)
{
    struct fixture *fixture = *state;
    struct observation row = empty_observation();
    row.field[COLUMN_MESSAGE_ID] = view_of("a@example.org");
    row.field[COLUMN_DATE] = view_of("2024-01-30T16:11:16Z");
    row.field[COLUMN_RESULT] = view_of("1");
    row.field[COLUMN_TOOL] = view_of("fio");
    row.field[COLUMN_METRIC] = view_of("read.bw");
    row.field[COLUMN_VALUE] = view_of("245760");
    row.field[COLUMN_UNIT] = view_of("B/s");
    row.field[COLUMN_VALUE_TEXT] = view_of("240KiB/s");
    row.field[COLUMN_QUOTE_DEPTH] = view_of("0");
    row.field[COLUMN_PART] = view_of("1");
    row.field[COLUMN_LINE] = view_of("12");
    assert_int_equal(writer_begin(fixture->writer), WRITER_OK);
    assert_int_equal(writer_observation(fixture->writer, &row), WRITER_OK);
    assert_int_equal(writer_end(fixture->writer), WRITER_OK);
    assert_string_equal(fixture->bytes, HEADER "a@example.org,2024-01-30T16:11:16Z,1,fio,,,,,read.bw,,245760,B/s,"
                                               "240KiB/s,,,,,,,0,,1,12\n");
}

/* RFC 4180, section 2, rules 5 to 7. */
static void quotes_stand_only_where_they_must(void **state)
{
    struct fixture *fixture = *state;
    struct observation row = empty_observation();
    row.field[COLUMN_MESSAGE_ID] = view_of("plain blank");
    row.field[COLUMN_TEST] = view_of("a,b");
    row.field[COLUMN_SERIES] = view_of("6\" disk");
    row.field[COLUMN_PARAMS] = view_of("\"");
    row.field[COLUMN_METRIC] = view_of("'single' <&;");
    row.field[COLUMN_CAPTION] = view_of("caf\xC3\xA9 \xEF\xBF\xBD");
    row.field[COLUMN_ORIGIN] = view_of("two\nlines\r");
    assert_int_equal(writer_observation(fixture->writer, &row), WRITER_OK);
    assert_int_equal(writer_end(fixture->writer), WRITER_OK);
    assert_string_equal(fixture->bytes, "plain blank,,,,,\"a,b\",\"6\"\" disk\",\"\"\"\",'single' <&;,,,,,,,,,"
                                        "caf\xC3\xA9 \xEF\xBF\xBD,,,\"two\nlines\r\",,\n");
    const char *cursor = fixture->bytes;
    assert_row_reads_back(&cursor, &row);
}

/* Wherever in the row the byte is that asks for quotes, and however long the row. */
static void quotes_stand_wherever_they_must(void **state)
{
    static const char asking[] = ",\"\n\r";
    static const size_t lengths[] = {1, 15, 16, 17, 40, 4050, 4080, 4081, 9000};
    struct fixture *fixture = *state;
    const char *cursor;
    for (unsigned written = 0; written < 2; written++) {
        cursor = fixture->bytes; /* set once all is written */
        for (size_t l = 0; l < G_N_ELEMENTS(lengths); l++)
            for (size_t place = 0; place < MIN(lengths[l], 40); place++)
                for (size_t a = 0; asking[a]; a++) {
                    struct observation row = empty_observation();
                    char *text = g_strnfill(lengths[l], 'x');
                    text[place] = asking[a];
                    row.field[COLUMN_TEST] = view_of(text);
                    row.field[COLUMN_LINE] = view_of("7");
                    if (written)
                        assert_row_reads_back(&cursor, &row);
                    else
                        assert_int_equal(writer_observation(fixture->writer, &row), WRITER_OK);
                    g_free(text);
                }
        /* As many commas as a lane counts to, and as would make it wrap around. */
        for (size_t count = 1; count <= 9000; count = 3 * count + 1) {
            struct observation row = empty_observation();
            char *text = g_strnfill(count, ',');
            row.field[COLUMN_TEST] = view_of(text);
            if (written)
                assert_row_reads_back(&cursor, &row);
            else
                assert_int_equal(writer_observation(fixture->writer, &row), WRITER_OK);
            g_free(text);
        }
        if (!written)
            assert_int_equal(writer_end(fixture->writer), WRITER_OK);
    }
    assert_int_equal(*cursor, '\0');
}

/* A view may be a slice of a longer text, or have no bytes at all. */
static void only_the_view_is_written(void **state)
{
    struct fixture *fixture = *state;
    struct observation row = empty_observation();
    row.field[COLUMN_MESSAGE_ID] = view_slice(view_of("before,inside,after"), 7, 13);
    row.field[COLUMN_LINE] = (struct view){NULL, 0};
    assert_int_equal(writer_observation(fixture->writer, &row), WRITER_OK);
    assert_int_equal(writer_end(fixture->writer), WRITER_OK);
    assert_string_equal(fixture->bytes, "inside,,,,,,,,,,,,,,,,,,,,,,\n");
}

/* More than any buffer, with one field larger than a block. */
static void many_rows_read_back(void **state)
{
    struct fixture *fixture = *state;
    enum { ROW_COUNT = 5000, LARGE = 200000 };
    char *large = g_strnfill(LARGE, '"');
    assert_int_equal(writer_begin(fixture->writer), WRITER_OK);
    for (int i = 0; i < ROW_COUNT; i++) {
        char number[16];
        g_snprintf(number, sizeof number, "%d", i);
        struct observation row = empty_observation();
        row.field[COLUMN_VALUE] = view_of(number);
        if (i == ROW_COUNT / 2)
            row.field[COLUMN_TEST] = view_of(large);
        assert_int_equal(writer_observation(fixture->writer, &row), WRITER_OK);
    }
    assert_int_equal(writer_end(fixture->writer), WRITER_OK);

    const char *cursor = fixture->bytes + strlen(HEADER);
    for (int i = 0; i < ROW_COUNT; i++) {
        char number[16];
        g_snprintf(number, sizeof number, "%d", i);
        struct observation row = empty_observation();
        row.field[COLUMN_VALUE] = view_of(number);
        if (i == ROW_COUNT / 2)
            row.field[COLUMN_TEST] = view_of(large);
        assert_row_reads_back(&cursor, &row);
    }
    assert_ptr_equal(cursor, fixture->bytes + fixture->length);
    g_free(large);
}

#define test_with_stream(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_with_stream(an_empty_dataset_is_its_header),    test_with_stream(a_row_holds_the_fields_in_order),
        test_with_stream(quotes_stand_only_where_they_must), test_with_stream(quotes_stand_wherever_they_must),
        test_with_stream(only_the_view_is_written),          test_with_stream(many_rows_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
