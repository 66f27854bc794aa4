/* diag: diagnostics about the input; the only writer to standard error.
 *
 * A report is put together as one line in memory, each piece cut to a length
 * and made harmless, and written by one call, so that the lines of several
 * handles on one stream never mix.
 */
#define _DEFAULT_SOURCE /* struct winsize */
#include "extract/diag.h"

#include "extract/text.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    NAME_MAX_BYTES = 1024, /* of a source's name */
    ID_MAX_BYTES = 256,    /* of a message-id, which mail can make as long as it likes */
    TEXT_MAX_BYTES = 2048, /* of the text itself */
};

struct diag {
    FILE *stream;  /* NULL: counts only; or kept */
    GString *kept; /* lines of a buffer; NULL in other handles, and where they are not wanted */
    bool quiet, verbose;
    bool shows_status;
    size_t status_length; /* of what is shown on the terminal's last line */
    uint64_t count[DIAG_KIND_COUNT];
};

/* Can a line on it be drawn anew? */
static bool is_screen(FILE *stream)
{
    const char *kind = getenv("TERM");
    const int descriptor = fileno(stream);

    return descriptor >= 0 && isatty(descriptor) && (kind == NULL || strcmp(kind, "dumb") != 0);
}

struct diag *diag_new(FILE *stream, bool quiet)
{
    struct diag *diag = g_new0(struct diag, 1);
    diag->stream = stream;
    diag->quiet = quiet;
    diag->shows_status = stream != NULL && !quiet && is_screen(stream);
    return diag;
}

void diag_set_verbose(struct diag *diag)
{
    diag->verbose = true;
}

struct diag *diag_new_buffer(const struct diag *like)
{
    struct diag *diag = diag_new(NULL, like->quiet);
    diag->verbose = like->verbose;
    if (like->stream || like->kept)
        diag->kept = g_string_new(NULL);
    return diag;
}

void diag_free(struct diag *diag)
{
    if (!diag)
        return;
    diag_status(diag, "");
    if (diag->kept)
        g_string_free(diag->kept, TRUE);
    g_free(diag);
}

bool diag_is_empty(const struct diag *buffer)
{
    for (unsigned kind = 0; kind < DIAG_KIND_COUNT; kind++)
        if (buffer->count[kind] > 0)
            return false;
    return true;
}

void diag_clear(struct diag *buffer)
{
    memset(buffer->count, 0, sizeof buffer->count);
    if (buffer->kept)
        g_string_truncate(buffer->kept, 0);
}

static void write_text(struct diag *diag, const char *text, size_t length)
{
    diag_status(diag, "");
    if (diag->stream)
        fwrite(text, 1, length, diag->stream);
    else if (diag->kept)
        g_string_append_len(diag->kept, text, (gssize)length);
}

void diag_hand_on(struct diag *buffer, struct diag *diag)
{
    for (unsigned kind = 0; kind < DIAG_KIND_COUNT; kind++)
        diag->count[kind] += buffer->count[kind];
    if (buffer->kept && buffer->kept->len > 0)
        write_text(diag, buffer->kept->str, buffer->kept->len);
    diag_clear(buffer);
}

/* Characters that move a terminal's cursor or turn the order of what is shown. */
static bool is_harmless(gunichar character)
{
    if (character < 0x20 || (character >= 0x7F && character <= 0x9F))
        return false;
    return !(character == 0x200E || character == 0x200F || (character >= 0x2028 && character <= 0x202E) ||
             (character >= 0x2066 && character <= 0x2069));
}

/* Append text with `?` for whatever is not harmless UTF-8; of a long text only
 * what begins within its first limit bytes. */
static void append_harmless(GString *line, const char *text, size_t limit)
{
    const char *const start = text;

    while (*text != '\0') {
        if ((size_t)(text - start) >= limit) {
            g_string_append(line, "...");
            return;
        }
        const gunichar character = g_utf8_get_char_validated(text, -1);
        if (character == (gunichar)-1 || character == (gunichar)-2) {
            g_string_append_c(line, '?');
            text++;
            continue;
        }
        const char *next = g_utf8_next_char(text);
        if (is_harmless(character))
            g_string_append_len(line, text, next - text);
        else
            g_string_append_c(line, '?');
        text = next;
    }
}

void diag_report(struct diag *diag, enum diag_kind kind, const struct place *place, const char *format, ...)
{
    diag->count[kind]++;
    if ((diag->stream == NULL && diag->kept == NULL) || (diag->quiet && (kind == DIAG_NOTE || kind == DIAG_VERBOSE)) ||
        (!diag->verbose && kind == DIAG_VERBOSE))
        return;

    GString *line = g_string_new(NULL);
    if (place != NULL && place->source != NULL) {
        append_harmless(line, place->source, NAME_MAX_BYTES);
        if (place->byte_offset >= 0)
            g_string_append_printf(line, ":%" G_GINT64_FORMAT, place->byte_offset);
        g_string_append(line, ": ");
    }
    if (place != NULL && place->message_id != NULL) {
        append_harmless(line, place->message_id, ID_MAX_BYTES);
        g_string_append(line, ": ");
    }

    /* Room for more than is shown, so that a cut is seen as one; a character
     * that this buffer cuts in two is past what is shown. */
    char text[TEXT_MAX_BYTES + 8];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    append_harmless(line, length < 0 ? format : text, TEXT_MAX_BYTES);

    g_string_append_c(line, '\n');
    write_text(diag, line->str, line->len);
    g_string_free(line, TRUE);
}

void diag_print(struct diag *diag, const char *format, ...)
{
    if (diag->stream == NULL)
        return;
    diag_status(diag, "");
    va_list arguments;
    va_start(arguments, format);
    vfprintf(diag->stream, format, arguments);
    va_end(arguments);
}

/* A line longer than the terminal is wide could not be drawn anew. */
static size_t screen_width(FILE *stream)
{
    struct winsize size;

    if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col < 2)
        return 79;
    return (size_t)size.ws_col - 1;
}

/* The carriage returns, the text overwrites what was there, and blanks what is
 * left of it: that works on any terminal. */
void diag_status(struct diag *diag, const char *text)
{
    if (!diag->shows_status || (text[0] == '\0' && diag->status_length == 0))
        return;

    const size_t width = screen_width(diag->stream);
    const int length = (int)MIN(strlen(text), width);
    const size_t old = MIN(diag->status_length, width);
    const int rest = old > (size_t)length ? (int)old - length : 0;
    fprintf(diag->stream, "\r%.*s%*s%s", length, text, rest, "", length == 0 ? "\r" : "");
    fflush(diag->stream);
    diag->status_length = (size_t)length;
}

bool diag_shows_status(const struct diag *diag)
{
    return diag->shows_status;
}

uint64_t diag_count(const struct diag *diag, enum diag_kind kind)
{
    return diag->count[kind];
}
