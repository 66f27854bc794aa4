#include "extract/grammar_source.h"

#include <stdarg.h>

enum { FILE_SIZE_MAX = 4 << 20 };

struct mistake {
    struct source_place place;
    char *what;
};

struct grammar_source {
    char *path;
    char **file_lines;
    GPtrArray *lines;  /* of struct source_line */
    GArray *found;     /* of struct mistake */
    GString *mistakes; /* where they go in the end */
};

static void source_line_free(gpointer data)
{
    struct source_line *line = data;
    g_string_free(line->text, TRUE);
    g_array_free(line->pieces, TRUE);
    g_free(line);
}

/* Append a file's line from its first non-blank on; true if it goes on. */
static bool append_file_line(struct source_line *line, const char *text, size_t number)
{
    size_t start = strspn(text, " \t"), end = strlen(text);
    while (end > start && strchr(" \t\r", text[end - 1]))
        end--;
    bool goes_on = end > start && text[end - 1] == '\\' && (end - start < 2 || text[end - 2] != '\\');
    if (goes_on)
        end--;
    struct source_piece piece = {line->text->len, {(unsigned)number, (unsigned)start + 1}};
    g_array_append_val(line->pieces, piece);
    g_string_append_len(line->text, text + start, (gssize)(end - start));
    return goes_on;
}

static void read_lines(struct grammar_source *source)
{
    struct source_line *line = NULL;
    size_t number = 0;
    for (char **text = source->file_lines; *text; text++) {
        number++;
        const char *first = *text + strspn(*text, " \t\r");
        if (!line && (*first == '\0' || *first == '#'))
            continue;
        if (!line) {
            line = g_new0(struct source_line, 1);
            line->text = g_string_new(NULL);
            line->pieces = g_array_new(FALSE, FALSE, sizeof(struct source_piece));
            line->is_indented = first != *text;
            g_ptr_array_add(source->lines, line);
        }
        if (!append_file_line(line, *text, number))
            line = NULL;
    }
}

struct grammar_source *grammar_source_read(const char *path, GString *mistakes)
{
    char *text = NULL;
    gsize length = 0;
    GError *error = NULL;
    if (!g_file_get_contents(path, &text, &length, &error)) {
        g_string_append_printf(mistakes, "%s: %s\n", path, error->message);
        g_error_free(error);
        return NULL;
    }
    const char *invalid = NULL;
    if (length > FILE_SIZE_MAX || !g_utf8_validate(text, (gssize)length, &invalid)) {
        g_string_append_printf(mistakes, "%s: %s\n", path,
                               length > FILE_SIZE_MAX ? "too large for a grammar" : "not valid UTF-8 text");
        g_free(text);
        return NULL;
    }
    struct grammar_source *source = g_new0(struct grammar_source, 1);
    source->path = g_strdup(path);
    source->file_lines = g_strsplit(text, "\n", -1);
    source->lines = g_ptr_array_new_with_free_func(source_line_free);
    source->found = g_array_new(FALSE, FALSE, sizeof(struct mistake));
    source->mistakes = mistakes;
    g_free(text);
    read_lines(source);
    return source;
}

static int compare_places(gconstpointer a, gconstpointer b)
{
    const struct mistake *left = a, *right = b;
    if (left->place.line != right->place.line)
        return left->place.line < right->place.line ? -1 : 1;
    if (left->place.column != right->place.column)
        return left->place.column < right->place.column ? -1 : 1;
    return strcmp(left->what, right->what);
}

static void append_mistake(const struct grammar_source *source, const struct mistake *mistake)
{
    struct source_place place = mistake->place;
    g_string_append_printf(source->mistakes, "%s:%u:%u: %s\n", source->path, place.line, place.column, mistake->what);
    if (place.line == 0 || place.line > g_strv_length(source->file_lines))
        return;
    const char *text = source->file_lines[place.line - 1];
    g_string_append_printf(source->mistakes, "    %s\n    ", text);
    /* Tabs stay tabs, so that the caret stands under its character. */
    for (unsigned i = 0; i + 1 < place.column && text[i]; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            g_string_append_c(source->mistakes, text[i] == '\t' ? '\t' : ' ');
    }
    g_string_append(source->mistakes, "^\n");
}

void grammar_source_free(struct grammar_source *source)
{
    if (!source)
        return;
    g_array_sort(source->found, compare_places);
    for (guint i = 0; i < source->found->len; i++) {
        const struct mistake *mistake = &g_array_index(source->found, struct mistake, i);
        append_mistake(source, mistake);
        g_free(mistake->what);
    }
    g_array_free(source->found, TRUE);
    g_free(source->path);
    g_strfreev(source->file_lines);
    g_ptr_array_unref(source->lines);
    g_free(source);
}

const char *grammar_source_path(const struct grammar_source *source)
{
    return source->path;
}

size_t grammar_source_count(const struct grammar_source *source)
{
    return source->lines->len;
}

const struct source_line *grammar_source_line(const struct grammar_source *source, size_t index)
{
    return g_ptr_array_index(source->lines, index);
}

void grammar_source_mistake(struct grammar_source *source, struct source_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct mistake mistake = {place, g_strdup_vprintf(format, arguments)};
    va_end(arguments);
    g_array_append_val(source->found, mistake);
}

size_t grammar_source_mistake_count(const struct grammar_source *source)
{
    return source->found->len;
}

struct source_place source_line_place(const struct source_line *line, size_t offset)
{
    guint i = line->pieces->len - 1;
    while (i > 0 && g_array_index(line->pieces, struct source_piece, i).start > offset)
        i--;
    const struct source_piece *piece = &g_array_index(line->pieces, struct source_piece, i);
    struct source_place place = piece->place;
    place.column += (unsigned)(MIN(offset, line->text->len) - piece->start);
    return place;
}
