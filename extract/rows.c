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

static struct rows *rows_new(char **columns)
{
    struct rows *rows = g_new0(struct rows, 1);
    rows->columns = columns;
    rows->lines = g_ptr_array_new_with_free_func(free_line);
    rows->places = g_array_new(FALSE, FALSE, sizeof(unsigned));
    return rows;
}

static void add_row(struct rows *rows, char **fields, unsigned place)
{
    g_ptr_array_add(rows->lines, fields);
    g_array_append_val(rows->places, place);
}

static unsigned count_breaks(const char *from, const char *to)
{
    unsigned breaks = 0;
    for (; from < to; from++)
        breaks += *from == '\n';
    return breaks;
}

struct rows *rows_read(const char *csv, unsigned *wrong)
{
    const char *start = csv;
    struct rows *rows = rows_new(take_line(&csv));
    for (unsigned place = 1; *csv;) {
        place += count_breaks(start, csv);
        start = csv;
        char **line = take_line(&csv);
        add_row(rows, line, place);
        if (g_strv_length(line) != g_strv_length(rows->columns)) {
            if (wrong)
                *wrong = place;
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
    g_array_unref(rows->places);
    g_free(rows);
}

void rows_remove(struct rows *rows, guint row)
{
    g_ptr_array_remove_index(rows->lines, row);
    g_array_remove_index(rows->places, row);
}

const char *rows_unknown_column(const struct rows *rows)
{
    for (char **name = rows->columns; *name; name++) {
        bool known = false;
        for (unsigned i = 0; i < COLUMN_COUNT; i++)
            known |= strcmp(*name, column_name((enum column)i)) == 0;
        if (!known)
            return *name;
    }
    return NULL;
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
    struct rows *rows = rows_new(column_names());
    struct diag *diag = diag_new(run->log, false);
    struct trace *trace = trace_new();
    struct raw_message raw = {.bytes = text, .source = "text", .byte_offset = 0, .is_mail = false};
    struct message *message = message_parse(&raw, diag);
    struct conditions *conditions = conditions_new(grammars);
    struct recognizer *recognizer = recognizer_new(conditions, true, diag);
    const struct observation *observation;
    recognizer_trace(recognizer, trace);
    recognizer_read(recognizer, message, &raw);
    while ((observation = recognizer_next(recognizer)))
        add_row(rows, copy_fields(observation),
                (unsigned)g_ascii_strtoull(observation->field[COLUMN_LINE].bytes, NULL, 10));
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

/* A row to be compared. */
struct candidate {
    char *text;
    unsigned place; /* the line that it stands in */
    guint index;
    bool has_match;
};

static int compare_texts(gconstpointer a, gconstpointer b)
{
    return strcmp(((const struct candidate *)a)->text, ((const struct candidate *)b)->text);
}

static int compare_indices(gconstpointer a, gconstpointer b)
{
    guint left = ((const struct candidate *)a)->index, right = ((const struct candidate *)b)->index;
    return (left > right) - (left < right);
}

static void clear_candidate(gpointer candidate)
{
    g_free(((struct candidate *)candidate)->text);
}

static GArray *sorted_candidates(const struct rows *rows, char **columns)
{
    GArray *candidates = g_array_new(FALSE, FALSE, sizeof(struct candidate));
    g_array_set_clear_func(candidates, clear_candidate);
    for (guint i = 0; i < rows->lines->len; i++) {
        struct candidate candidate = {row_text(rows, i, columns), g_array_index(rows->places, unsigned, i), i, false};
        g_array_append_val(candidates, candidate);
    }
    g_array_sort(candidates, compare_texts);
    return candidates;
}

/* Pair those of both lists, which are sorted, that are the same. */
static void match_candidates(GArray *wanted, GArray *got)
{
    for (guint w = 0, g = 0; w < wanted->len && g < got->len;) {
        struct candidate *left = &g_array_index(wanted, struct candidate, w);
        struct candidate *right = &g_array_index(got, struct candidate, g);
        int order = strcmp(left->text, right->text);
        if (order == 0)
            left->has_match = right->has_match = true;
        w += order <= 0;
        g += order >= 0;
    }
}

/* Append those without a match in their order; true if there are none. */
static bool append_unmatched(GArray *candidates, const char *name, const char *what, GString *difference)
{
    bool none = true;
    g_array_sort(candidates, compare_indices);
    for (guint i = 0; i < candidates->len; i++) {
        const struct candidate *candidate = &g_array_index(candidates, struct candidate, i);
        if (!candidate->has_match)
            g_string_append_printf(difference, "%s:%u: %s %s\n", name, candidate->place, what, candidate->text);
        none &= candidate->has_match;
    }
    return none;
}

bool rows_compare(const struct rows *expected, const char *csv, const struct rows *found, const char *text,
                  GString *difference)
{
    GArray *wanted = sorted_candidates(expected, expected->columns);
    GArray *got = sorted_candidates(found, expected->columns);
    match_candidates(wanted, got);
    bool same = append_unmatched(wanted, csv, "missing:", difference);
    same &= append_unmatched(got, text, "unexpected:", difference);
    g_array_unref(wanted);
    g_array_unref(got);
    return same;
}
