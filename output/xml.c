/* dataset > message > result > observation, as benchlore.rng says. A table
 * maps each column to an attribute of one of these levels; an element stays
 * open until an observation differs in one of its columns. libxml2 writes into
 * our callback, which keeps the error to itself: told of it, libxml2 would
 * print it. */
#include "output/writer_class.h"

#include <errno.h>
#include <libxml/xmlwriter.h>

#define DATASET_VERSION "1"

enum level { LEVEL_MESSAGE, LEVEL_RESULT, LEVEL_OBSERVATION, LEVEL_COUNT };

static const char *const element_names[LEVEL_COUNT] = {"message", "result", "observation"};

/* Ordered by level; COLUMN_VALUE is the observation's content. */
static const struct attribute {
    enum level level;
    enum column column;
    const char *name;
} attributes[] = {
    {LEVEL_MESSAGE, COLUMN_MESSAGE_ID, "id"},
    {LEVEL_MESSAGE, COLUMN_DATE, "date"},
    {LEVEL_RESULT, COLUMN_RESULT, "n"},
    {LEVEL_RESULT, COLUMN_TOOL, "tool"},
    {LEVEL_RESULT, COLUMN_TOOL_VERSION, "tool-version"},
    {LEVEL_RESULT, COLUMN_CAPTION, "caption"},
    {LEVEL_RESULT, COLUMN_QUOTE_DEPTH, "quote-depth"},
    {LEVEL_RESULT, COLUMN_ORIGIN, "origin"},
    {LEVEL_OBSERVATION, COLUMN_TEST, "test"},
    {LEVEL_OBSERVATION, COLUMN_SERIES, "series"},
    {LEVEL_OBSERVATION, COLUMN_PARAMS, "params"},
    {LEVEL_OBSERVATION, COLUMN_METRIC, "metric"},
    {LEVEL_OBSERVATION, COLUMN_STAT, "stat"},
    {LEVEL_OBSERVATION, COLUMN_UNIT, "unit"},
    {LEVEL_OBSERVATION, COLUMN_VALUE_TEXT, "value-text"},
    {LEVEL_OBSERVATION, COLUMN_CHANGE, "change"},
    {LEVEL_OBSERVATION, COLUMN_SIGNIFICANT, "significant"},
    {LEVEL_OBSERVATION, COLUMN_SPREAD, "spread"},
    {LEVEL_OBSERVATION, COLUMN_BETTER, "better"},
    {LEVEL_OBSERVATION, COLUMN_CHECK, "check"},
    {LEVEL_OBSERVATION, COLUMN_PART, "part"},
    {LEVEL_OBSERVATION, COLUMN_LINE, "line"},
};
_Static_assert(G_N_ELEMENTS(attributes) + 1 == COLUMN_COUNT, "every column but value is an attribute");

struct xml_writer {
    struct writer base;
    xmlTextWriterPtr text;
    int error; /* of the callback */
    bool ended;
    size_t open_levels;             /* message and result elements that are open: 0 to 2 */
    GString *context[COLUMN_COUNT]; /* what the open elements say; NULL for columns of observations */
    GString *scratch;
};

static const xmlChar *chars_of(const char *string)
{
    return (const xmlChar *)string;
}

/* Attribute or element content. libxml2's own escaping would turn every
 * character beyond ASCII into a reference; the data is UTF-8 and stays so. */
static void escape(GString *out, struct view text)
{
    g_string_truncate(out, 0);
    for (size_t i = 0; i < text.length; i++) {
        switch (text.bytes[i]) {
        case '&':
            g_string_append(out, "&amp;");
            break;
        case '<':
            g_string_append(out, "&lt;");
            break;
        case '>':
            g_string_append(out, "&gt;");
            break;
        case '"':
            g_string_append(out, "&quot;");
            break;
        default:
            g_string_append_c(out, text.bytes[i]);
        }
    }
}

/* After a call of libxml2: a stream's error counts before its own. */
static int error_after(const struct xml_writer *xml, int returned)
{
    if (xml->error)
        return xml->error;
    return returned < 0 ? EIO : 0;
}

static int put_escaped(struct xml_writer *xml, struct view text)
{
    escape(xml->scratch, text);
    return xmlTextWriterWriteRawLen(xml->text, chars_of(xml->scratch->str), (int)xml->scratch->len);
}

static int put_attribute(struct xml_writer *xml, const char *name, struct view text)
{
    int error = error_after(xml, xmlTextWriterStartAttribute(xml->text, chars_of(name)));
    if (!error)
        error = error_after(xml, put_escaped(xml, text));
    if (!error)
        error = error_after(xml, xmlTextWriterEndAttribute(xml->text));
    return error;
}

static int start_element(struct xml_writer *xml, enum level level, const struct observation *row)
{
    int error = error_after(xml, xmlTextWriterStartElement(xml->text, chars_of(element_names[level])));
    for (size_t i = 0; i < G_N_ELEMENTS(attributes) && !error; i++) {
        const struct attribute *attribute = &attributes[i];
        struct view text = row->field[attribute->column];
        if (attribute->level == level && (text.length > 0 || attribute->column == COLUMN_MESSAGE_ID))
            error = put_attribute(xml, attribute->name, text);
    }
    return error;
}

/* How many of the open elements row belongs to. */
static size_t shared_levels(const struct xml_writer *xml, const struct observation *row)
{
    for (size_t i = 0; i < G_N_ELEMENTS(attributes) && attributes[i].level < xml->open_levels; i++) {
        const GString *open = xml->context[attributes[i].column];
        if (!view_equal((struct view){open->str, open->len}, row->field[attributes[i].column]))
            return attributes[i].level;
    }
    return xml->open_levels;
}

static int open_level(struct xml_writer *xml, const struct observation *row)
{
    enum level level = (enum level)xml->open_levels;
    for (size_t i = 0; i < G_N_ELEMENTS(attributes); i++) {
        struct view text = row->field[attributes[i].column];
        if (attributes[i].level == level) {
            GString *context = xml->context[attributes[i].column];
            g_string_truncate(context, 0);
            g_string_append_len(context, text.bytes, (gssize)text.length);
        }
    }
    xml->open_levels++;
    return start_element(xml, level, row);
}

static int observation(struct writer *writer, const struct observation *row)
{
    struct xml_writer *xml = (struct xml_writer *)writer;
    size_t shared = shared_levels(xml, row);
    int error = 0;
    for (; xml->open_levels > shared && !error; xml->open_levels--)
        error = error_after(xml, xmlTextWriterEndElement(xml->text));
    while (xml->open_levels < LEVEL_OBSERVATION && !error)
        error = open_level(xml, row);
    if (!error)
        error = start_element(xml, LEVEL_OBSERVATION, row);
    if (!error)
        error = error_after(xml, put_escaped(xml, row->field[COLUMN_VALUE]));
    if (!error)
        error = error_after(xml, xmlTextWriterEndElement(xml->text));
    return error;
}

static int begin(struct writer *writer)
{
    struct xml_writer *xml = (struct xml_writer *)writer;
    int error = error_after(xml, xmlTextWriterStartDocument(xml->text, NULL, "UTF-8", NULL));
    if (!error)
        error = error_after(xml, xmlTextWriterStartElement(xml->text, chars_of("dataset")));
    if (!error)
        error = put_attribute(xml, "version", view_of(DATASET_VERSION));
    return error;
}

static int end(struct writer *writer)
{
    struct xml_writer *xml = (struct xml_writer *)writer;
    int error = error_after(xml, xmlTextWriterEndDocument(xml->text));
    if (!error)
        error = error_after(xml, xmlTextWriterFlush(xml->text));
    xml->ended = true;
    return error;
}

/* libxml2's callback. After an error, and when libxml2 flushes a document
 * that was given up, the bytes are dropped. */
static int put_bytes(void *context, const char *bytes, int length)
{
    struct xml_writer *xml = context;
    if (!xml->error && !xml->ended)
        xml->error = writer_put(&xml->base, bytes, (size_t)length);
    return length;
}

static struct writer *create(void)
{
    struct xml_writer *xml = g_new0(struct xml_writer, 1);
    xmlOutputBufferPtr buffer = xmlOutputBufferCreateIO(put_bytes, NULL, xml, NULL);
    xml->text = buffer ? xmlNewTextWriter(buffer) : NULL;
    if (!xml->text)
        g_error("out of memory"); /* as GLib's allocator would */
    xmlTextWriterSetIndent(xml->text, 1);
    xmlTextWriterSetIndentString(xml->text, chars_of(" "));
    for (size_t i = 0; i < G_N_ELEMENTS(attributes); i++) {
        if (attributes[i].level < LEVEL_OBSERVATION)
            xml->context[attributes[i].column] = g_string_new(NULL);
    }
    xml->scratch = g_string_new(NULL);
    return &xml->base;
}

static void destroy(struct writer *writer)
{
    struct xml_writer *xml = (struct xml_writer *)writer;
    xml->ended = true;
    xmlFreeTextWriter(xml->text);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (xml->context[i])
            g_string_free(xml->context[i], TRUE);
    }
    g_string_free(xml->scratch, TRUE);
    g_free(xml);
}

const struct writer_class xml_class = {
    .format = "xml",
    .create = create,
    .begin = begin,
    .observation = observation,
    .end = end,
    .destroy = destroy,
};
