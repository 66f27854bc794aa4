/* What the XML writer wrote is parsed again with libxml2, validated against
 * output/benchlore.rng, and looked at through XPath. */
#include "output/writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <libxml/xpath.h>

#include <cmocka.h>

#define SCHEMA "output/benchlore.rng"

/* The least that a row holds. */
static struct observation small_observation(void)
{
    struct observation row;
    for (int i = 0; i < COLUMN_COUNT; i++)
        row.field[i] = view_of("");
    row.field[COLUMN_MESSAGE_ID] = view_of("a@example.org");
    row.field[COLUMN_RESULT] = view_of("1");
    row.field[COLUMN_TOOL] = view_of("summary");
    row.field[COLUMN_VALUE] = view_of("1");
    row.field[COLUMN_QUOTE_DEPTH] = view_of("0");
    row.field[COLUMN_PART] = view_of("1");
    row.field[COLUMN_LINE] = view_of("1");
    return row;
}

static struct observation full_observation(void)
{
    struct observation row = small_observation();
    row.field[COLUMN_DATE] = view_of("2024-01-30T16:11:16Z");
    row.field[COLUMN_RESULT] = view_of("3");
    row.field[COLUMN_TOOL] = view_of("fio");
    row.field[COLUMN_TOOL_VERSION] = view_of("3.36");
    row.field[COLUMN_TEST] = view_of("randread");
    row.field[COLUMN_SERIES] = view_of("6.7.0-rc1");
    row.field[COLUMN_PARAMS] = view_of("group=0;jobs=4");
    row.field[COLUMN_METRIC] = view_of("read.clat");
    row.field[COLUMN_STAT] = view_of("p99.9");
    row.field[COLUMN_VALUE] = view_of("0.00003096");
    row.field[COLUMN_UNIT] = view_of("s");
    row.field[COLUMN_VALUE_TEXT] = view_of("30.96");
    row.field[COLUMN_CHANGE] = view_of("-38.25");
    row.field[COLUMN_SIGNIFICANT] = view_of("1");
    row.field[COLUMN_SPREAD] = view_of("4%");
    row.field[COLUMN_BETTER] = view_of("lower");
    row.field[COLUMN_CAPTION] = view_of("misc-next, numa=on");
    row.field[COLUMN_CHECK] = view_of("ok");
    row.field[COLUMN_QUOTE_DEPTH] = view_of("2");
    row.field[COLUMN_ORIGIN] = view_of("first@example.org");
    row.field[COLUMN_PART] = view_of("2.1");
    row.field[COLUMN_LINE] = view_of("117");
    return row;
}

static void ignore_error(void *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void ignore_error(void *context, const char *format, ...)
{
    (void)context;
    (void)format;
}

/* 0 if the document is valid; what libxml2 returns otherwise. */
static int validate(xmlDocPtr document)
{
    xmlRelaxNGParserCtxtPtr parser = xmlRelaxNGNewParserCtxt(SCHEMA);
    assert_non_null(parser);
    xmlRelaxNGPtr schema = xmlRelaxNGParse(parser);
    assert_non_null(schema);
    xmlRelaxNGValidCtxtPtr context = xmlRelaxNGNewValidCtxt(schema);
    assert_non_null(context);
    xmlRelaxNGSetValidErrors(context, ignore_error, ignore_error, NULL);
    int result = xmlRelaxNGValidateDoc(context, document);
    xmlRelaxNGFreeValidCtxt(context);
    xmlRelaxNGFree(schema);
    xmlRelaxNGFreeParserCtxt(parser);
    return result;
}

/* The bytes of a document with these rows; free() them. */
static char *write_rows(const struct observation *rows, size_t count)
{
    char *bytes = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&bytes, &length);
    assert_non_null(stream);
    struct writer *writer = writer_new("xml", stream);
    assert_non_null(writer);
    assert_int_equal(writer_begin(writer), WRITER_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(writer_observation(writer, &rows[i]), WRITER_OK);
    assert_int_equal(writer_end(writer), WRITER_OK);
    writer_free(writer);
    assert_int_equal(fclose(stream), 0);
    return bytes;
}

static xmlDocPtr parse(const char *bytes)
{
    xmlDocPtr document = xmlReadMemory(bytes, (int)strlen(bytes), NULL, NULL, XML_PARSE_NONET);
    assert_non_null(document);
    return document;
}

/* Writes, parses, and asserts validity. */
static xmlDocPtr valid_document(const struct observation *rows, size_t count)
{
    char *bytes = write_rows(rows, count);
    xmlDocPtr document = parse(bytes);
    assert_int_equal(validate(document), 0);
    free(bytes);
    return document;
}

/* The string value of an XPath expression, asserted. */
static void assert_xpath(xmlDocPtr document, const char *expression, const char *expected)
{
    xmlXPathContextPtr context = xmlXPathNewContext(document);
    xmlXPathObjectPtr object = xmlXPathEvalExpression((const xmlChar *)expression, context);
    assert_non_null(object);
    xmlChar *actual = xmlXPathCastToString(object);
    assert_string_equal((const char *)actual, expected);
    xmlFree(actual);
    xmlXPathFreeObject(object);
    xmlXPathFreeContext(context);
}

static void an_empty_dataset_is_valid(void **state)
{
    (void)state;
    char *bytes = write_rows(NULL, 0);
    assert_string_equal(bytes, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<dataset version=\"1\"/>\n");
    xmlDocPtr document = parse(bytes);
    assert_int_equal(validate(document), 0);
    xmlFreeDoc(document);
    free(bytes);
}

static void the_document_reads_well(void **state)
{
    (void)state;
    struct observation rows[2] = {small_observation(), small_observation()};
    rows[0].field[COLUMN_STAT] = view_of("min");
    rows[1].field[COLUMN_STAT] = view_of("max");
    rows[1].field[COLUMN_VALUE] = view_of("-2.5");
    char *bytes = write_rows(rows, 2);
    assert_string_equal(bytes, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                               "<dataset version=\"1\">\n"
                               " <message id=\"a@example.org\">\n"
                               "  <result n=\"1\" tool=\"summary\" quote-depth=\"0\">\n"
                               "   <observation stat=\"min\" part=\"1\" line=\"1\">1</observation>\n"
                               "   <observation stat=\"max\" part=\"1\" line=\"1\">-2.5</observation>\n"
                               "  </result>\n"
                               " </message>\n"
                               "</dataset>\n");
    free(bytes);
}

static void every_column_has_its_place(void **state)
{
    (void)state;
    static const struct {
        enum column column;
        const char *path;
    } places[COLUMN_COUNT] = {
        {COLUMN_MESSAGE_ID, "/dataset/message/@id"},
        {COLUMN_DATE, "/dataset/message/@date"},
        {COLUMN_RESULT, "/dataset/message/result/@n"},
        {COLUMN_TOOL, "/dataset/message/result/@tool"},
        {COLUMN_TOOL_VERSION, "/dataset/message/result/@tool-version"},
        {COLUMN_TEST, "/dataset/message/result/observation/@test"},
        {COLUMN_SERIES, "/dataset/message/result/observation/@series"},
        {COLUMN_PARAMS, "/dataset/message/result/observation/@params"},
        {COLUMN_METRIC, "/dataset/message/result/observation/@metric"},
        {COLUMN_STAT, "/dataset/message/result/observation/@stat"},
        {COLUMN_VALUE, "/dataset/message/result/observation"},
        {COLUMN_UNIT, "/dataset/message/result/observation/@unit"},
        {COLUMN_VALUE_TEXT, "/dataset/message/result/observation/@value-text"},
        {COLUMN_CHANGE, "/dataset/message/result/observation/@change"},
        {COLUMN_SIGNIFICANT, "/dataset/message/result/observation/@significant"},
        {COLUMN_SPREAD, "/dataset/message/result/observation/@spread"},
        {COLUMN_BETTER, "/dataset/message/result/observation/@better"},
        {COLUMN_CAPTION, "/dataset/message/result/@caption"},
        {COLUMN_CHECK, "/dataset/message/result/observation/@check"},
        {COLUMN_QUOTE_DEPTH, "/dataset/message/result/@quote-depth"},
        {COLUMN_ORIGIN, "/dataset/message/result/@origin"},
        {COLUMN_PART, "/dataset/message/result/observation/@part"},
        {COLUMN_LINE, "/dataset/message/result/observation/@line"},
    };
    struct observation row = full_observation();
    xmlDocPtr document = valid_document(&row, 1);
    for (int i = 0; i < COLUMN_COUNT; i++) {
        struct view field = row.field[places[i].column];
        char *expected = g_strndup(field.bytes, field.length);
        assert_int_equal(places[i].column, i);
        assert_xpath(document, places[i].path, expected);
        g_free(expected);
    }
    xmlFreeDoc(document);
}

/* Each column of the two outer levels opens a new element where it changes. */
static void elements_open_where_their_columns_change(void **state)
{
    (void)state;
    static const struct {
        enum column column;
        const char *other;
        const char *message_count;
    } changes[] = {
        {COLUMN_MESSAGE_ID, "b@example.org", "2"},
        {COLUMN_DATE, "2024-01-30T16:11:17Z", "2"},
        {COLUMN_RESULT, "4", "1"},
        {COLUMN_TOOL, "siege", "1"},
        {COLUMN_TOOL_VERSION, "", "1"},
        {COLUMN_CAPTION, "misc-next", "1"},
        {COLUMN_QUOTE_DEPTH, "1", "1"},
        {COLUMN_ORIGIN, "", "1"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
        struct observation rows[4] = {full_observation(), full_observation(), full_observation(), full_observation()};
        rows[2].field[changes[i].column] = view_of(changes[i].other);
        rows[3].field[changes[i].column] = view_of(changes[i].other);
        xmlDocPtr document = valid_document(rows, 4);
        assert_xpath(document, "count(/dataset/message)", changes[i].message_count);
        assert_xpath(document, "count(/dataset/message/result)", "2");
        assert_xpath(document, "count(/dataset/message/result[1]/observation)",
                     *changes[i].message_count == '2' ? "4" : "2");
        assert_xpath(document, "count(//observation)", "4");
        xmlFreeDoc(document);
    }
}

static void columns_of_observations_open_nothing(void **state)
{
    (void)state;
    struct observation rows[2] = {full_observation(), full_observation()};
    rows[1].field[COLUMN_TEST] = view_of("randwrite");
    rows[1].field[COLUMN_LINE] = view_of("118");
    xmlDocPtr document = valid_document(rows, 2);
    assert_xpath(document, "count(//result)", "1");
    assert_xpath(document, "//observation[2]/@test", "randwrite");
    xmlFreeDoc(document);
}

/* A reader gets back what was in the fields, and the file holds it as UTF-8. */
static void hostile_text_survives(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "a\"b'c",          "<!-- & -->",   "]]>",         "&amp;&#10;",          "<![CDATA[x]]>",
        " two  blanks ",   "\xEF\xBF\xBD", "caf\xC3\xA9", "\xF0\x9F\x93\x88 up", "\\;=\\\\",
        "100%%s%n%1$s {}",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        struct observation row = full_observation();
        row.field[COLUMN_MESSAGE_ID] = view_of(texts[i]);
        row.field[COLUMN_CAPTION] = view_of(texts[i]);
        row.field[COLUMN_TEST] = view_of(texts[i]);
        row.field[COLUMN_VALUE_TEXT] = view_of(texts[i]);
        xmlDocPtr document = valid_document(&row, 1);
        assert_xpath(document, "//message/@id", texts[i]);
        assert_xpath(document, "//result/@caption", texts[i]);
        assert_xpath(document, "//observation/@test", texts[i]);
        assert_xpath(document, "//observation/@value-text", texts[i]);
        xmlFreeDoc(document);
    }

    struct observation row = full_observation();
    row.field[COLUMN_CAPTION] = view_of("caf\xC3\xA9");
    char *bytes = write_rows(&row, 1);
    assert_non_null(strstr(bytes, "caption=\"caf\xC3\xA9\""));
    free(bytes);
}

static void only_the_view_is_written(void **state)
{
    (void)state;
    struct observation row = small_observation();
    row.field[COLUMN_TEST] = view_slice(view_of("before inside after"), 7, 13);
    row.field[COLUMN_SERIES] = (struct view){NULL, 0};
    xmlDocPtr document = valid_document(&row, 1);
    assert_xpath(document, "//observation/@test", "inside");
    assert_xpath(document, "count(//observation/@series)", "0");
    xmlFreeDoc(document);
}

/* The schema is worth something: it refuses what isn't normalized. */
static void the_schema_refuses(void **state)
{
    (void)state;
    static const struct {
        enum column column;
        const char *text;
    } refused[] = {
        {COLUMN_VALUE, ""},
        {COLUMN_VALUE, "1e3"},
        {COLUMN_VALUE, "-0"},
        {COLUMN_VALUE, "1.50"},
        {COLUMN_VALUE, "01"},
        {COLUMN_VALUE, "+1"},
        {COLUMN_VALUE, ".5"},
        {COLUMN_VALUE, "5."},
        {COLUMN_VALUE, "nan"},
        {COLUMN_VALUE, "1,000"},
        {COLUMN_VALUE, " 1"},
        {COLUMN_UNIT, "ms"},
        {COLUMN_UNIT, "KiB/s"},
        {COLUMN_BETTER, "more"},
        {COLUMN_CHECK, "yes"},
        {COLUMN_PART, ""},
        {COLUMN_PART, "1."},
        {COLUMN_PART, "0"},
        {COLUMN_PART, "1.TEXT"},
        {COLUMN_LINE, "0"},
        {COLUMN_LINE, "-1"},
        {COLUMN_LINE, ""},
        {COLUMN_RESULT, "0"},
        {COLUMN_RESULT, ""},
        {COLUMN_SIGNIFICANT, "2"},
        {COLUMN_DATE, "2024-01-30"},
        {COLUMN_DATE, "2024-13-30T16:11:16Z"},
        {COLUMN_DATE, "2024-01-30T16:11:16+01:00"},
        {COLUMN_QUOTE_DEPTH, "-1"},
        {COLUMN_QUOTE_DEPTH, ""},
        {COLUMN_CHANGE, "38.25%"},
        {COLUMN_SPREAD, "-4"},
        {COLUMN_TOOL, ""},
        {COLUMN_MESSAGE_ID, ""},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        struct observation row = full_observation();
        row.field[refused[i].column] = view_of(refused[i].text);
        char *bytes = write_rows(&row, 1);
        xmlDocPtr document = parse(bytes);
        if (validate(document) <= 0)
            fail_msg("valid with %s = '%s'", column_name(refused[i].column), refused[i].text);
        xmlFreeDoc(document);
        free(bytes);
    }
}

static void the_schema_takes_every_decimal(void **state)
{
    (void)state;
    static const char *const values[] = {
        "0",
        "-1",
        "0.5",
        "-0.05",
        "10",
        "14784921.6",
        "100.001",
        "0.000000000000000000000000000000000001",
        "-12345678901234567890123456789012345678901234567890.12345678901234567890123456789",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
        struct observation row = full_observation();
        row.field[COLUMN_VALUE] = view_of(values[i]);
        xmlDocPtr document = valid_document(&row, 1);
        assert_xpath(document, "string(//observation)", values[i]);
        xmlFreeDoc(document);
    }
}

/* A run that stops early frees the writer and must not add to the stream. */
static void a_document_given_up_is_not_flushed(void **state)
{
    (void)state;
    char *bytes = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&bytes, &length);
    struct writer *writer = writer_new("xml", stream);
    struct observation row = full_observation();
    assert_int_equal(writer_begin(writer), WRITER_OK);
    assert_int_equal(writer_observation(writer, &row), WRITER_OK);
    writer_free(writer);
    fclose(stream);
    assert_int_equal(length, 0);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_dataset_is_valid),
        cmocka_unit_test(the_document_reads_well),
        cmocka_unit_test(every_column_has_its_place),
        cmocka_unit_test(elements_open_where_their_columns_change),
        cmocka_unit_test(columns_of_observations_open_nothing),
        cmocka_unit_test(hostile_text_survives),
        cmocka_unit_test(only_the_view_is_written),
        cmocka_unit_test(the_schema_refuses),
        cmocka_unit_test(the_schema_takes_every_decimal),
        cmocka_unit_test(a_document_given_up_is_not_flushed),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    xmlCleanupParser();
    return failures;
}
