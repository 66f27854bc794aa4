#include "extract/rows.h"

/* ---- CSV ---- */

/* Take a field; *text moves behind it, on the separator. */
static char *take_field(const char **text)
{
    const char *c = *text;
    GString *field = g_string_new(NULL);
    if (*c == '"') {
        for (c++; *c && (*c != '"' || c[1] == '"'); c++) {
            c += *c == '"';
            g_string_append_c(field, *c);
        }
        c += *c == '"';
    } else {
        for (; *c && *c != ',' && *c != '\n'; c++)
            g_string_append_c(field, *c);
    }
    *text = c;
    return g_string_free(field, FALSE);
}

/* Take a line of fields; *text moves behind its line break. */
static char **take_line(const char **text)
{
    GPtrArray *fields = g_ptr_array_new();
    for (;;) {
        g_ptr_array_add(fields, take_field(text));
        if (**text != ',')
            break;
        (*text)++;
    }
    if (**text == '\n')
        (*text)++;
    g_ptr_array_add(fields, NULL);
    return (char **)g_ptr_array_free(fields, FALSE);
}

static void free_line(gpointer line)
{
    g_strfreev(line);
}

struct rows *rows_read(const char *csv)
{
    struct rows *rows = g_new0(struct rows, 1);
    rows->lines = g_ptr_array_new_with_free_func(free_line);
    rows->columns = take_line(&csv);
    while (*csv) {
        char **line = take_line(&csv);
        g_ptr_array_add(rows->lines, line);
        if (g_strv_length(line) != g_strv_length(rows->columns)) {
            rows_free(rows);
            return NULL;
        }
    }
    return rows;
}

void rows_free(struct rows *rows)
{
    if (!rows)
        return;
    g_strfreev(rows->columns);
    g_ptr_array_unref(rows->lines);
    g_free(rows);
}

const char *rows_field(const struct rows *rows, guint row, const char *column)
{
    char **line = g_ptr_array_index(rows->lines, row);
    for (guint i = 0; rows->columns[i]; i++)
        if (strcmp(rows->columns[i], column) == 0)
            return line[i];
    return "";
}

/* ---- extraction ---- */

static void add_rules(GHashTable *rules, const struct trace *trace)
{
    for (size_t i = 0; i < trace_count(trace); i++)
        if (trace_event(trace, i)->kind == TRACE_TAKEN)
            g_hash_table_add(rules, (gpointer)trace_event(trace, i)->rule);
}

static char **column_names(void)
{
    char **names = g_new0(char *, COLUMN_COUNT + 1);
    for (unsigned i = 0; i < COLUMN_COUNT; i++)
        names[i] = g_strdup(column_name((enum column)i));
    return names;
}

static char **copy_fields(const struct observation *observation)
{
    char **fields = g_new0(char *, COLUMN_COUNT + 1);
    for (unsigned i = 0; i < COLUMN_COUNT; i++)
        fields[i] = g_strndup(observation->field[i].bytes, observation->field[i].length);
    return fields;
}

struct rows *rows_extract(const GPtrArray *grammars, struct view text, struct rows_run *run)
{
    struct rows *rows = g_new0(struct rows, 1);
    struct diag *diag = diag_new(run->log, false);
    struct trace *trace = trace_new();
    struct raw_message raw = {.bytes = text, .source = "text", .byte_offset = 0, .is_mail = false};
    struct message *message = message_parse(&raw, diag);
    struct conditions *conditions = conditions_new(grammars);
    struct recognizer *recognizer = recognizer_new(conditions, true, diag);
    const struct observation *observation;
    rows->columns = column_names();
    rows->lines = g_ptr_array_new_with_free_func(free_line);
    recognizer_trace(recognizer, trace);
    recognizer_read(recognizer, message, &raw);
    while ((observation = recognizer_next(recognizer)))
        g_ptr_array_add(rows->lines, copy_fields(observation));
    run->counts = *recognizer_counts(recognizer);
    if (run->rules)
        add_rules(run->rules, trace);
    recognizer_free(recognizer);
    conditions_free(conditions);
    trace_free(trace);
    message_free(message);
    diag_free(diag);
    return rows;
}

/* ---- comparison ---- */

/* Append a field, a number without the zeros that its digits end in. */
static void append_field(GString *out, const char *field)
{
    size_t digits = strspn(field, "+-.0123456789%"), length = strlen(field);
    const char *percent = length > 0 && field[length - 1] == '%' ? "%" : "";
    if (digits == length && strchr(field, '.')) {
        length -= strlen(percent);
        while (field[length - 1] == '0')
            length--;
        length -= field[length - 1] == '.';
        g_string_append_len(out, field, (gssize)length);
        g_string_append(out, percent);
    } else {
        g_string_append(out, field);
    }
}

/* A row as one text: the fields of columns. */
static char *row_text(const struct rows *rows, guint row, char **columns)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; columns[i]; i++) {
        g_string_append(text, i ? " | " : "");
        append_field(text, rows_field(rows, row, columns[i]));
    }
    return g_string_free(text, FALSE);
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static GPtrArray *sorted_texts(const struct rows *rows, char **columns)
{
    GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < rows->lines->len; i++)
        g_ptr_array_add(texts, row_text(rows, i, columns));
    g_ptr_array_sort(texts, compare_texts);
    return texts;
}

bool rows_compare(const struct rows *expected, const struct rows *found, GString *difference)
{
    GPtrArray *wanted = sorted_texts(expected, expected->columns);
    GPtrArray *got = sorted_texts(found, expected->columns);
    bool same = true;
    for (guint w = 0, g = 0; w < wanted->len || g < got->len;) {
        int order = w == wanted->len ? 1
                    : g == got->len  ? -1
                                     : strcmp(g_ptr_array_index(wanted, w), g_ptr_array_index(got, g));
        if (order < 0)
            g_string_append_printf(difference, "missing:    %s\n", (char *)g_ptr_array_index(wanted, w));
        else if (order > 0)
            g_string_append_printf(difference, "unexpected: %s\n", (char *)g_ptr_array_index(got, g));
        same &= order == 0;
        w += order <= 0;
        g += order >= 0;
    }
    g_ptr_array_unref(wanted);
    g_ptr_array_unref(got);
    return same;
}
