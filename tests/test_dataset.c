/* The program's CSV and XML of the same mail hold the same figures, and the
 * XML follows output/benchlore.rng: for every mail of corpus/, and for mail
 * whose bytes are a danger to either form. */
#include "extract/observation.h"
#include "extract/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <libxml/parser.h>
#include <libxml/relaxng.h>

#include <cmocka.h>

#define FFFD "\xef\xbf\xbd"

/* ---- the program ---- */

static char *run_program(const char *format, const char *source)
{
    const char *program = g_getenv("BENCHLORE");
    const char *argv[] = {program ? program : "./benchlore", "--quiet", "--format", format, source, NULL};
    char *output = NULL;
    int status = -1;
    GError *error = NULL;
    if (!g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output, NULL, &status, &error))
        fail_msg("%s: %s", argv[0], error->message);
    if (status != 0)
        fail_msg("%s --format %s %s: wait status %d", argv[0], format, source, status);
    return output;
}

/* ---- XML back to CSV ---- */

static void append_field(GString *out, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        g_string_append(out, text);
        return;
    }
    g_string_append_c(out, '"');
    for (; *text; text++) {
        g_string_append_c(out, *text);
        if (*text == '"')
            g_string_append_c(out, '"');
    }
    g_string_append_c(out, '"');
}

/* The attribute that the schema gives a column, on whatever element it is. */
static char *attribute_text(xmlNodePtr observation, enum column column)
{
    xmlNodePtr result = observation->parent, message = result->parent;
    char *name = g_strdelimit(g_strdup(column_name(column)), "_", '-');
    xmlChar *text;
    if (column == COLUMN_VALUE)
        text = xmlNodeGetContent(observation);
    else if (column == COLUMN_MESSAGE_ID)
        text = xmlGetProp(message, (const xmlChar *)"id");
    else if (column == COLUMN_RESULT)
        text = xmlGetProp(result, (const xmlChar *)"n");
    else if ((text = xmlGetProp(observation, (const xmlChar *)name)) == NULL &&
             (text = xmlGetProp(result, (const xmlChar *)name)) == NULL)
        text = xmlGetProp(message, (const xmlChar *)name);
    char *copy = g_strdup(text ? (const char *)text : "");
    xmlFree(text);
    g_free(name);
    return copy;
}

static void append_rows(GString *csv, xmlNodePtr node)
{
    for (xmlNodePtr child = xmlFirstElementChild(node); child; child = xmlNextElementSibling(child)) {
        if (strcmp((const char *)child->name, "observation") != 0) {
            append_rows(csv, child);
            continue;
        }
        for (int i = 0; i < COLUMN_COUNT; i++) {
            char *text = attribute_text(child, (enum column)i);
            g_string_append(csv, i ? "," : "");
            append_field(csv, text);
            g_free(text);
        }
        g_string_append_c(csv, '\n');
    }
}

static char *csv_of_xml(xmlDocPtr document)
{
    GString *csv = g_string_new(NULL);
    for (int i = 0; i < COLUMN_COUNT; i++)
        g_string_append_printf(csv, "%s%s", i ? "," : "", column_name((enum column)i));
    g_string_append_c(csv, '\n');
    append_rows(csv, xmlDocGetRootElement(document));
    return g_string_free(csv, FALSE);
}

static void assert_valid(xmlDocPtr document)
{
    xmlRelaxNGParserCtxtPtr parser = xmlRelaxNGNewParserCtxt("output/benchlore.rng");
    xmlRelaxNGPtr schema = xmlRelaxNGParse(parser);
    assert_non_null(schema);
    xmlRelaxNGValidCtxtPtr context = xmlRelaxNGNewValidCtxt(schema);
    assert_int_equal(xmlRelaxNGValidateDoc(context, document), 0);
    xmlRelaxNGFreeValidCtxt(context);
    xmlRelaxNGFree(schema);
    xmlRelaxNGFreeParserCtxt(parser);
}

/* Both forms of source: the XML valid, the figures the same. Their rows. */
static struct rows *read_both(const char *source)
{
    char *csv = run_program("csv", source), *xml = run_program("xml", source);
    xmlDocPtr document = xmlReadMemory(xml, (int)strlen(xml), source, NULL, XML_PARSE_HUGE | XML_PARSE_NONET);
    assert_non_null(document);
    assert_valid(document);
    assert_true(g_utf8_validate(csv, -1, NULL));
    char *again = csv_of_xml(document);
    assert_string_equal(csv, again);
    struct rows *rows = rows_read(csv, NULL);
    assert_non_null(rows);
    xmlFreeDoc(document);
    g_free(again);
    g_free(xml);
    g_free(csv);
    return rows;
}

static void test_corpus(void **state)
{
    GDir *folder = g_dir_open("corpus", 0, NULL);
    const char *name;
    unsigned mails = 0;
    (void)state;
    assert_non_null(folder);
    while ((name = g_dir_read_name(folder))) {
        if (!g_str_has_suffix(name, ".eml") && !g_str_has_suffix(name, ".mbox"))
            continue;
        char *path = g_build_filename("corpus", name, NULL);
        rows_free(read_both(path));
        g_free(path);
        mails++;
    }
    g_dir_close(folder);
    assert_true(mails >= 17);
}

/* ---- bytes that are a danger ---- */

struct odd {
    const char *body;
    size_t length;
    unsigned count;            /* of rows */
    const char *column, *text; /* of the first row */
};

#define ODD(body, count, column, text)                                                                                 \
    {                                                                                                                  \
        body, sizeof(body) - 1, count, column, text                                                                    \
    }

/* The first line of a fio job and its direction: 5 figures. */
#define JOB_BEGIN ": (groupid=0, jobs=1): err= 0: pid=4711: Mon Nov 30 12:49:12 2026\n"
#define JOB_READ  "  read: IOPS=100, BW=400KiB/s (410kB/s)(4000KiB/10000msec)\n"
#define JOB       JOB_BEGIN JOB_READ
#define PLAIN_JOB "job" JOB
#define TABLE_ROW "Amean 1   1.0000 (   0.00%)   2.0000 (-100.00%)\n"

static const struct odd odds[] = {
    /* job names */
    ODD("a<b>&\"c\" 'd'" JOB, 5, "test", "a<b>&\"c\" 'd'"),
    ODD("]]>&#0;&lt;<!--" JOB, 5, "test", "]]>&#0;&lt;<!--"),
    ODD("jo\001x" JOB, 5, "test", "jo" FFFD "x"),
    ODD("jo\x7fx" JOB, 5, "test", "jo" FFFD "x"),
    ODD("jo\xc2\x85x" JOB, 5, "test", "jo" FFFD "x"),
    ODD("jo\xffx" JOB, 5, "test", "jo" FFFD "x"),
    ODD("jo\xef\xbf\xbex" JOB, 5, "test", "jo" FFFD "x"),
    ODD("caf\xc3\xa9 \xf0\x9f\x90\x90" JOB, 5, "test", "caf\xc3\xa9 \xf0\x9f\x90\x90"),
    ODD("jo\0x" JOB, 5, "metric", "error"),
    ODD("jo\xed\xa0\x81\xed\xb0\x80x" JOB, 5, "metric", "error"), /* surrogates, each as if a character */
    ODD("jo\xed\xa0\x81x" JOB, 5, "metric", "error"),             /* one alone */
    ODD("jo\xf4\x90\x80\x80x" JOB, 5, "metric", "error"),         /* beyond U+10FFFF */
    ODD("jo\xc0\xafx" JOB, 5, "metric", "error"),                 /* longer than need be */
    ODD("jo\xe2\x82" JOB, 5, "metric", "error"),                  /* cut off */
    /* captions */
    ODD("- numa=on, <a> & \"b\"\n\n" PLAIN_JOB, 5, "caption", "numa=on, <a> & \"b\""),
    ODD("- a\001y\xffz\n\n" PLAIN_JOB, 5, "caption", "a" FFFD "y" FFFD "z"),
    ODD("- a\xed\xa0\x81z\n\n" PLAIN_JOB, 5, "test", "job"),
    ODD("- a\0z\n\n" PLAIN_JOB, 5, "test", "job"),
    /* series and titles */
    ODD("x & y\n   <v1>   \"v2\",'\n   a   b\n" TABLE_ROW, 2, "series", "<v1>-a"),
    ODD("x \001 y\n   v\001w   v2\n   a   b\n" TABLE_ROW, 2, "series", "v" FFFD "w-a"),
    ODD("x\n   v\xffw   v2\n   a   b\n" TABLE_ROW, 2, "series", "v" FFFD "w-a"),
    ODD("x\n   v\xed\xb0\x80w   v2\n   a   b\n" TABLE_ROW, 2, "metric", "1"),
    ODD("Apache <Siege> & \"x\" 2.4.29\nA; b=c\\d: 50\nT/s > Higher Is Better\nv<1> .. 1.5 |==\nv2 .. 3 |====\n", 2,
        "params", "A\\; b\\=c\\\\d=50"),
    /* nothing at all */
    ODD("no result here\n", 0, NULL, NULL),
};

/* A place for the mail of one test. */
static int set_up(void **state)
{
    char *path = NULL;
    int descriptor = g_file_open_tmp("benchlore-XXXXXX", &path, NULL);
    if (descriptor < 0)
        return -1;
    close(descriptor);
    *state = path;
    return 0;
}

static int tear_down(void **state)
{
    g_unlink(*state);
    g_free(*state);
    return 0;
}

static void test_odd_bytes(void **state)
{
    const char *path = *state;
    for (size_t i = 0; i < G_N_ELEMENTS(odds); i++) {
        GString *mail = g_string_new("From: a@example.org\nMessage-ID: <odd@example.org>\n"
                                     "Content-Type: text/plain; charset=utf-8\n\n");
        g_string_append_len(mail, odds[i].body, (gssize)odds[i].length);
        assert_true(g_file_set_contents(path, mail->str, (gssize)mail->len, NULL));
        struct rows *rows = read_both(path);
        if (rows->lines->len != odds[i].count)
            fail_msg("text %zu: %u rows", i, rows->lines->len);
        if (odds[i].count > 0 && strcmp(rows_field(rows, 0, odds[i].column), odds[i].text) != 0)
            fail_msg("text %zu: %s is %s, not %s", i, odds[i].column, rows_field(rows, 0, odds[i].column),
                     odds[i].text);
        rows_free(rows);
        g_string_free(mail, TRUE);
    }
}

/* Surrogates are in no field, whatever else stands for them. */
static void test_no_surrogates(void **state)
{
    static const char mail[] = "Message-ID: <s@example.org>\n\njo\xed\xa0\x81\xed\xb0\x80" PLAIN_JOB;
    struct rows *rows;
    assert_true(g_file_set_contents(*state, mail, sizeof mail - 1, NULL));
    rows = read_both(*state);
    assert_int_equal(rows->lines->len, 5);
    for (guint i = 0; i < 5; i++)
        assert_non_null(strstr(rows_field(rows, i, "test"), FFFD));
    rows_free(rows);
}

/* Ids and dates are the mail's own text as well. */
static void test_odd_headers(void **state)
{
    static const struct {
        const char *header, *id, *date;
    } cases[] = {
        {"Message-ID: <a&b<\"c\"@example.org>\nDate: Mon, 04 Mar 2024 18:20:00 +0100\n", NULL, "2024-03-04T17:20:00Z"},
        {"Message-ID: <a,\"b\"@example.org>\n", "a,\"b\"@example.org", ""},
        {"Message-ID: <a\001\xff@example.org>\nDate: no date\n", "a" FFFD FFFD "@example.org", ""},
        {"Message-ID: <>\nDate: Thu, 01 Jan 1970 00:00:00 +0000\n", NULL, "1970-01-01T00:00:00Z"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *mail = g_strconcat("From: a@example.org\n", cases[i].header, "\n" PLAIN_JOB, NULL);
        assert_true(g_file_set_contents(*state, mail, -1, NULL));
        struct rows *rows = read_both(*state);
        assert_int_equal(rows->lines->len, 5);
        assert_true(strlen(rows_field(rows, 0, "message_id")) > 0);
        if (cases[i].id)
            assert_string_equal(rows_field(rows, 0, "message_id"), cases[i].id);
        assert_string_equal(rows_field(rows, 0, "date"), cases[i].date);
        rows_free(rows);
        g_free(mail);
    }
}

/* Each message of an mbox is an element of its own, with its results. */
static void test_messages(void **state)
{
    static const char mail[] = "Message-ID: <m%u@example.org>\n\n" PLAIN_JOB "\nprose, and a second one:\n\n" PLAIN_JOB;
    GString *box = g_string_new(NULL);
    for (unsigned i = 0; i < 3; i++) {
        g_string_append(box, "From a@example.org Mon Mar  4 17:20:00 2024\n");
        g_string_append_printf(box, mail, i);
        g_string_append_c(box, '\n');
    }
    assert_true(g_file_set_contents(*state, box->str, (gssize)box->len, NULL));
    struct rows *rows = read_both(*state);
    assert_int_equal(rows->lines->len, 30);
    assert_string_equal(rows_field(rows, 29, "message_id"), "m2@example.org");
    assert_string_equal(rows_field(rows, 29, "result"), "2");
    rows_free(rows);
    g_string_free(box, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corpus),
        cmocka_unit_test_setup_teardown(test_odd_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_surrogates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_odd_headers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_messages, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
