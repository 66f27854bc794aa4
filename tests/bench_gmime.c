/* bench_gmime: what GMime alone takes to parse an mbox and decode all of it.
 *
 *     bench_gmime MBOX
 *
 * It is what any program does at least that parses every mail. GMime's mbox
 * mode stops where a line of a body begins with `From `, so that whether it has
 * come to the end is looked at.
 */
#include <gmime/gmime.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static guint64 decode(GMimeMessage *message)
{
    GMimePartIter *parts = g_mime_part_iter_new(GMIME_OBJECT(message));
    guint64 size = 0;

    do {
        GMimeObject *object = g_mime_part_iter_get_current(parts);
        GMimeDataWrapper *content =
            object && GMIME_IS_PART(object) ? g_mime_part_get_content(GMIME_PART(object)) : NULL;
        GMimeStream *stream;

        if (!content)
            continue;
        stream = g_mime_stream_mem_new();
        g_mime_data_wrapper_write_to_stream(content, stream);
        size += (guint64)g_mime_stream_length(stream);
        g_object_unref(stream);
    } while (g_mime_part_iter_next(parts));
    g_mime_part_iter_free(parts);
    return size;
}

int main(int count, char **arguments)
{
    GMimeStream *file;
    GMimeParser *parser;
    GMimeMessage *message;
    guint64 messages = 0, bytes = 0;
    gint64 end, size;

    g_mime_init();
    file = count > 1 ? g_mime_stream_file_open(arguments[1], "r", NULL) : NULL;
    if (!file) {
        fputs("usage: bench_gmime MBOX\n", stderr);
        return 2;
    }
    parser = g_mime_parser_new_with_stream(file);
    g_mime_parser_set_format(parser, GMIME_FORMAT_MBOX);
    while (!g_mime_parser_eos(parser) && (message = g_mime_parser_construct_message(parser, NULL))) {
        bytes += decode(message);
        messages++;
        g_object_unref(message);
    }
    end = g_mime_parser_tell(parser);
    size = g_mime_stream_length(file);
    printf("%" PRIu64 " messages, %" PRIu64 " bytes\n", messages, bytes);
    g_object_unref(parser);
    g_object_unref(file);
    if (end + 1 < size) {
        fprintf(stderr, "bench_gmime: stopped at %" PRId64 " of %" PRId64 "\n", end, size);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
