/* RFC 4180, but with LF. Rows gather in a buffer that goes out in large
 * blocks, because dense archives give tens of thousands of rows a second and
 * a stream's own buffer is small. Most rows need no quotes, so a row is first
 * written as if none did: if it then holds a comma more than part its fields,
 * or a quote or a line end, it is written again. */
#include "output/writer_class.h"

enum {
    BLOCK_SIZE = 64 * 1024,
    LANES = 16,
    PLAIN_MAX = 255 * LANES, /* a longer row is not looked at as a whole: a lane would count too far */
};

/* Bytes that are compared at once; compilers know how on every processor. */
typedef unsigned char lanes __attribute__((vector_size(LANES)));

struct csv_writer {
    struct writer base;
    GString *pending;
};

static struct writer *create(void)
{
    struct csv_writer *csv = g_new0(struct csv_writer, 1);
    csv->pending = g_string_sized_new(BLOCK_SIZE + 4096);
    return &csv->base;
}

static void destroy(struct writer *writer)
{
    struct csv_writer *csv = (struct csv_writer *)writer;
    g_string_free(csv->pending, TRUE);
    g_free(csv);
}

static bool needs_quotes(struct view field)
{
    for (size_t i = 0; i < field.length; i++) {
        char c = field.bytes[i];
        if (c == ',' || c == '"' || c == '\n' || c == '\r')
            return true;
    }
    return false;
}

static void append_field(GString *out, struct view field)
{
    if (!needs_quotes(field)) {
        g_string_append_len(out, field.bytes, (gssize)field.length);
        return;
    }
    g_string_append_c(out, '"');
    for (size_t i = 0; i < field.length; i++) {
        if (field.bytes[i] == '"')
            g_string_append_c(out, '"');
        g_string_append_c(out, field.bytes[i]);
    }
    g_string_append_c(out, '"');
}

static int put_pending(struct csv_writer *csv)
{
    int error = writer_put(&csv->base, csv->pending->str, csv->pending->len);
    g_string_truncate(csv->pending, 0);
    return error;
}

/* Does the row, with zeros behind it to fill the lanes, hold so many commas and
 * nothing else that asks for quotes? */
static bool is_plain(const char *row, size_t length, unsigned commas)
{
    lanes counts = {0}, others = {0};
    for (size_t i = 0; i < length; i += LANES) {
        lanes bytes;
        memcpy(&bytes, row + i, sizeof bytes);
        counts -= (lanes)(bytes == ','); /* a lane that fits is -1 */
        others |= (lanes)((bytes == '"') | (bytes == '\n') | (bytes == '\r'));
    }
    for (unsigned i = 0; i < LANES; i++) {
        commas -= counts[i];
        if (others[i])
            return false;
    }
    return commas == 0;
}

/* Append the row as if no field needed quotes; false if one does. */
static bool append_plain(GString *out, const struct view *fields)
{
    size_t start = out->len, length = COLUMN_COUNT - 1;
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        length += fields[i].length;
    if (length > PLAIN_MAX)
        return false;
    g_string_set_size(out, start + length + LANES);
    char *to = out->str + start;
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (i > 0)
            *to++ = ',';
        if (fields[i].length > 0)
            memcpy(to, fields[i].bytes, fields[i].length);
        to += fields[i].length;
    }
    memset(to, 0, LANES);
    g_string_truncate(out, start + length);
    return is_plain(out->str + start, length, COLUMN_COUNT - 1);
}

static int put_row(struct csv_writer *csv, const struct view *fields)
{
    size_t start = csv->pending->len;
    if (!append_plain(csv->pending, fields)) {
        g_string_truncate(csv->pending, start);
        for (size_t i = 0; i < COLUMN_COUNT; i++) {
            if (i > 0)
                g_string_append_c(csv->pending, ',');
            append_field(csv->pending, fields[i]);
        }
    }
    g_string_append_c(csv->pending, '\n');
    return csv->pending->len < BLOCK_SIZE ? 0 : put_pending(csv);
}

static int begin(struct writer *writer)
{
    struct view names[COLUMN_COUNT];
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        names[i] = view_of(column_name((enum column)i));
    return put_row((struct csv_writer *)writer, names);
}

static int observation(struct writer *writer, const struct observation *row)
{
    return put_row((struct csv_writer *)writer, row->field);
}

static int end(struct writer *writer)
{
    return put_pending((struct csv_writer *)writer);
}

const struct writer_class csv_class = {
    .format = "csv",
    .continues = true,
    .create = create,
    .begin = begin,
    .observation = observation,
    .end = end,
    .destroy = destroy,
};
