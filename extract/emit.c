/* Texts are made from templates into one scratch buffer and kept in the
 * findings' string chunk, which holds equal texts once. */
#include "extract/emit.h"

#include "extract/relation.h"

enum { NUMBER_TEXT_MAX = 128, BAR_TOLERANCE = 2 };

struct param_text {
    char *key, *value;
};

struct emitter {
    struct findings *findings;
    const struct grammar *grammar;
    GArray *variables;                  /* of struct view; bytes NULL where not set */
    GArray *block_params, *rule_params; /* of struct param_text */
    const char *block_params_text;      /* made when first needed */
    GString *scratch;
    unsigned each_row;   /* the row before in a run of `each` or cells, or NO_ROW */
    unsigned each_first; /* the row of the first of them, or NO_ROW */
    unsigned each_count;
};

enum { NO_ROW = G_MAXUINT };

struct emitter *emitter_new(struct findings *findings)
{
    struct emitter *emitter = g_new0(struct emitter, 1);
    emitter->findings = findings;
    emitter->variables = g_array_new(FALSE, TRUE, sizeof(struct view));
    emitter->block_params = g_array_new(FALSE, TRUE, sizeof(struct param_text));
    emitter->rule_params = g_array_new(FALSE, TRUE, sizeof(struct param_text));
    emitter->scratch = g_string_new(NULL);
    return emitter;
}

static void clear_params(GArray *params)
{
    for (guint i = 0; i < params->len; i++) {
        g_free(g_array_index(params, struct param_text, i).key);
        g_free(g_array_index(params, struct param_text, i).value);
    }
    g_array_set_size(params, 0);
}

void emitter_free(struct emitter *emitter)
{
    if (!emitter)
        return;
    clear_params(emitter->block_params);
    clear_params(emitter->rule_params);
    g_array_free(emitter->variables, TRUE);
    g_array_free(emitter->block_params, TRUE);
    g_array_free(emitter->rule_params, TRUE);
    g_string_free(emitter->scratch, TRUE);
    g_free(emitter);
}

void emitter_begin_passage(struct emitter *emitter, const struct grammar *grammar)
{
    emitter->grammar = grammar;
    g_array_set_size(emitter->variables, 0);
    g_array_set_size(emitter->variables, grammar->variables->len);
    clear_params(emitter->block_params);
    clear_params(emitter->rule_params);
    emitter->block_params_text = NULL;
}

void emitter_begin_block(struct emitter *emitter)
{
    for (guint i = 0; i < emitter->variables->len; i++)
        if (!g_array_index(emitter->grammar->kept, bool, i))
            g_array_index(emitter->variables, struct view, i) = (struct view){NULL, 0};
    clear_params(emitter->block_params);
    emitter->block_params_text = NULL;
}

void emitter_begin_each(struct emitter *emitter)
{
    emitter->each_row = emitter->each_first = NO_ROW;
    emitter->each_count = 0;
}

void emitter_set_variable(struct emitter *emitter, unsigned variable, struct view text)
{
    g_array_index(emitter->variables, struct view, variable) = text;
}

/* ---- templates ---- */

static void append_number(GString *out, struct view text)
{
    struct decimal number;
    if (decimal_parse(text, true, &number))
        decimal_append(out, &number);
    else
        g_string_append_len(out, text.bytes, (gssize)text.length);
}

static bool append_mapped(GString *out, const struct map *map, struct view text)
{
    for (guint i = 0; i < map->entries->len; i++) {
        const struct map_entry *entry = &g_array_index(map->entries, struct map_entry, i);
        if (view_is(text, entry->from)) {
            g_string_append(out, entry->to);
            return true;
        }
    }
    return false;
}

/* The text of a reference; false where it is not set. */
static bool reference_text(const struct emitter *emitter, const struct reference *reference, struct view text,
                           const struct binding *binding, struct view *result)
{
    if (reference->carried) {
        *result = g_array_index(emitter->variables, struct view, reference->index);
        return result->bytes != NULL;
    }
    if (!binding[reference->index].is_set)
        return false;
    *result = view_trim(view_slice(text, binding[reference->index].start, binding[reference->index].end));
    return true;
}

/* Append a text with its runs of white space as one blank each: the text may
 * have been broken or padded on its way. */
static void append_squeezed(GString *out, struct view text)
{
    for (size_t i = 0; i < text.length; i++) {
        bool white = text.bytes[i] == ' ' || text.bytes[i] == '\n';
        if (!white)
            g_string_append_c(out, text.bytes[i]);
        else if (i > 0 && text.bytes[i - 1] != ' ' && text.bytes[i - 1] != '\n')
            g_string_append_c(out, ' ');
    }
}

/* Append the template's text; false where a carried variable is not set, or a
 * map does not know its text. A capture that took no part in the match gives
 * nothing, and with strict is a failure too. */
static bool append_template(const struct emitter *emitter, GString *out, const struct template *template,
                            struct view text, const struct binding *binding, bool strict)
{
    for (unsigned i = 0; i < template->count; i++) {
        const struct piece *piece = &template->pieces[i];
        struct view part;
        if (piece->literal) {
            g_string_append(out, piece->literal);
            continue;
        }
        if (!reference_text(emitter, &piece->reference, text, binding, &part)) {
            if (strict || piece->reference.carried)
                return false;
            continue;
        }
        size_t start = out->len;
        switch (piece->reference.filter) {
        case FILTER_NONE:
            append_squeezed(out, part);
            break;
        case FILTER_LOWER:
            append_squeezed(out, part);
            for (size_t c = start; c < out->len; c++)
                out->str[c] = g_ascii_tolower(out->str[c]);
            break;
        case FILTER_NUMBER:
            append_number(out, part);
            break;
        case FILTER_BASE:
            if (unit_base(part))
                append_squeezed(out, part);
            break;
        case FILTER_MAP:
            if (!append_mapped(out, piece->reference.map, part))
                return false;
            break;
        }
    }
    return true;
}

/* The template's text as a dataset field in the string chunk, or NULL. */
static const char *template_text(struct emitter *emitter, const struct template *template, struct view text,
                                 const struct binding *binding)
{
    g_string_truncate(emitter->scratch, 0);
    if (!append_template(emitter, emitter->scratch, template, text, binding, false))
        return NULL;
    return g_string_chunk_insert_const(emitter->findings->strings, emitter->scratch->str);
}

static const char *variable_text(struct emitter *emitter, unsigned variable)
{
    struct view text = g_array_index(emitter->variables, struct view, variable);
    g_string_truncate(emitter->scratch, 0);
    append_squeezed(emitter->scratch, view_trim(text));
    return g_string_chunk_insert_const(emitter->findings->strings, emitter->scratch->str);
}

void emitter_set_variables(struct emitter *emitter, const struct rule *rule, struct view text,
                           const struct binding *binding)
{
    for (unsigned i = 0; i < rule->capture_count; i++)
        if (rule->captures[i].variable >= 0 && binding[i].is_set)
            emitter_set_variable(emitter, (unsigned)rule->captures[i].variable,
                                 view_slice(text, binding[i].start, binding[i].end));
    for (guint i = 0; i < rule->assignments->len; i++) {
        const struct assignment *assignment = &g_array_index(rule->assignments, struct assignment, i);
        const char *value = template_text(emitter, &assignment->text, text, binding);
        if (value)
            emitter_set_variable(emitter, assignment->variable, view_of(value));
    }
}

/* ---- parameters ---- */

static void add_param(GArray *params, const char *key, size_t key_length, const char *value, size_t value_length)
{
    struct param_text param = {g_strndup(key, key_length), g_strndup(value, value_length)};
    g_array_append_val(params, param);
}

/* Split text at the separator; a piece without key_end goes to the key other,
 * several of them together. */
static void add_split_params(GArray *params, const struct param *param, const char *text, const char *other)
{
    char **pieces = g_strsplit(text, param->separator, -1);
    GString *rest = g_string_new(NULL);
    for (char **piece = pieces; *piece; piece++) {
        const char *end = strstr(*piece, param->key_end);
        if (end && end > *piece)
            add_param(params, *piece, (size_t)(end - *piece), end + strlen(param->key_end),
                      strlen(end + strlen(param->key_end)));
        else if (**piece)
            g_string_append_printf(rest, "%s%s", rest->len ? param->separator : "", *piece);
    }
    if (rest->len > 0)
        add_param(params, other, strlen(other), rest->str, rest->len);
    g_string_free(rest, TRUE);
    g_strfreev(pieces);
}

/* Pieces of text have the pieces of names for keys, where there are as many. */
static void add_named_params(struct emitter *emitter, GArray *params, const struct param *param, const char *text,
                             const char *names)
{
    char **pieces = g_strsplit(text, param->separator, -1), **keys = g_strsplit(names, param->separator, -1);
    guint count = g_strv_length(pieces);
    for (guint i = 0; i < count && count == g_strv_length(keys); i++) {
        struct view key = view_trim(view_of(keys[i])), piece = view_trim(view_of(pieces[i]));
        if (!param->test_key || !view_is(key, param->test_key))
            add_param(params, key.bytes, key.length, piece.bytes, piece.length);
        else
            emitter_set_variable(
                emitter, VARIABLE_TEST,
                view_of(g_string_chunk_insert_len(emitter->findings->strings, piece.bytes, (gssize)piece.length)));
    }
    g_strfreev(pieces);
    g_strfreev(keys);
}

void emitter_set_params(struct emitter *emitter, const struct rule *rule, struct view text,
                        const struct binding *binding, bool for_block)
{
    GArray *params = for_block ? emitter->block_params : emitter->rule_params;
    clear_params(emitter->rule_params);
    if (for_block)
        emitter->block_params_text = NULL;
    for (guint i = 0; i < rule->params->len; i++) {
        const struct param *param = &g_array_index(rule->params, struct param, i);
        GString *key = g_string_new(NULL), *value = g_string_new(NULL);
        if (append_template(emitter, key, &param->key, text, binding, true) &&
            append_template(emitter, value, &param->value, text, binding, true)) {
            if (param->separator && !param->key_end)
                add_named_params(emitter, params, param, value->str, key->str);
            else if (param->separator)
                add_split_params(params, param, value->str, key->str);
            else
                add_param(params, key->str, key->len, value->str, value->len);
        }
        g_string_free(key, TRUE);
        g_string_free(value, TRUE);
    }
}

static void append_escaped(GString *out, const char *text)
{
    for (; *text; text++) {
        if (*text == ';' || *text == '=' || *text == '\\')
            g_string_append_c(out, '\\');
        g_string_append_c(out, *text);
    }
}

static const char *params_text(struct emitter *emitter)
{
    bool only_block = emitter->rule_params->len == 0;
    if (only_block && emitter->block_params_text)
        return emitter->block_params_text;
    unsigned total = emitter->block_params->len + emitter->rule_params->len;
    const struct param_text **sorted = g_new(const struct param_text *, total + 1);
    unsigned count = 0;
    GArray *sources[] = {emitter->block_params, emitter->rule_params};
    for (unsigned s = 0; s < G_N_ELEMENTS(sources); s++) {
        for (guint i = 0; i < sources[s]->len; i++) {
            const struct param_text *param = &g_array_index(sources[s], struct param_text, i);
            unsigned place = count++;
            for (; place > 0 && strcmp(sorted[place - 1]->key, param->key) > 0; place--)
                sorted[place] = sorted[place - 1];
            sorted[place] = param;
        }
    }
    g_string_truncate(emitter->scratch, 0);
    for (unsigned i = 0; i < count; i++) {
        g_string_append(emitter->scratch, i ? ";" : "");
        append_escaped(emitter->scratch, sorted[i]->key);
        g_string_append_c(emitter->scratch, '=');
        append_escaped(emitter->scratch, sorted[i]->value);
    }
    g_free(sorted);
    const char *text = g_string_chunk_insert_const(emitter->findings->strings, emitter->scratch->str);
    if (only_block)
        emitter->block_params_text = text;
    return text;
}

/* ---- figures ---- */

static bool is_not_a_number(struct view text)
{
    size_t i = text.length > 0 && (text.bytes[0] == '-' || text.bytes[0] == '+');
    return text.length >= i + 3 &&
           (g_ascii_strncasecmp(text.bytes + i, "nan", 3) == 0 || g_ascii_strncasecmp(text.bytes + i, "inf", 3) == 0);
}

/* Compare versions as rows of numbers: 3.10 is after 3.9. */
static int compare_versions(const char *a, const char *b)
{
    for (;;) {
        guint64 left = g_ascii_strtoull(a, (char **)&a, 10), right = g_ascii_strtoull(b, (char **)&b, 10);
        if (left != right)
            return left < right ? -1 : 1;
        if (*a != '.' && *b != '.')
            return 0;
        a += *a == '.';
        b += *b == '.';
    }
}

/* The unit of row that holds for the version; NULL where the version decides
 * and is not known. */
static const struct row_unit *unit_for_version(const struct row *row, const char *version)
{
    for (unsigned i = 0; i < row->unit_count; i++) {
        const struct row_unit *unit = &row->units[i];
        if (!unit->from && !unit->before)
            return unit;
        if (!*version)
            return NULL;
        if ((!unit->from || compare_versions(version, unit->from) >= 0) &&
            (!unit->before || compare_versions(version, unit->before) < 0))
            return unit;
    }
    return NULL;
}

enum figure_result { FIGURE_GOOD, FIGURE_NOT_A_NUMBER, FIGURE_BAD };

/* Parse digits, points and commas; with comma, `1.234,5` is 1234.5. */
static bool parse_digits(struct view text, bool comma, struct decimal *number)
{
    char plain[NUMBER_TEXT_MAX];
    size_t length = 0;
    if (!comma)
        return decimal_parse(text, true, number);
    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] == '.')
            continue;
        if (length == sizeof plain)
            return false;
        plain[length++] = text.bytes[i] == ',' ? '.' : text.bytes[i];
    }
    return decimal_parse((struct view){plain, length}, false, number);
}

/* Read text, with the unit behind its number, if any. */
static enum figure_result read_number(const struct emitter *emitter, struct view text, struct decimal *number,
                                      struct view *suffix)
{
    size_t end = text.length > 0 && (text.bytes[0] == '-' || text.bytes[0] == '+');
    if (is_not_a_number(text))
        return FIGURE_NOT_A_NUMBER;
    while (end < text.length && (g_ascii_isdigit(text.bytes[end]) || text.bytes[end] == '.' || text.bytes[end] == ','))
        end++;
    if (end + 1 < text.length && (text.bytes[end] == 'e' || text.bytes[end] == 'E') &&
        (text.bytes[end + 1] == '-' || text.bytes[end + 1] == '+')) {
        end += 2;
        while (end < text.length && g_ascii_isdigit(text.bytes[end]))
            end++;
    }
    *suffix = view_trim(view_slice(text, end, text.length));
    bool comma = view_is(g_array_index(emitter->variables, struct view, VARIABLE_DECIMAL), ",");
    return parse_digits(view_slice(text, 0, end), comma, number) ? FIGURE_GOOD : FIGURE_BAD;
}

/* The unit of a figure with suffix, where the row gives unit (or NULL). */
static bool combine_units(const struct emission *emission, struct view suffix, const struct unit *given,
                          struct unit *unit)
{
    struct unit own;
    if (suffix.length == 0) {
        *unit = given ? *given : (struct unit){"", decimal_from_int(1)};
        return true;
    }
    if (!grammar_unit(emission->grammar, emission->rule->units, suffix, &own))
        return false;
    if (!given || strcmp(own.base, given->base) == 0) {
        *unit = own;
        return true;
    }
    if (strcmp(own.base, "1") != 0)
        return false;
    unit->base = given->base;
    return decimal_multiply(&own.factor, &given->factor, &unit->factor);
}

/* Read the figure in text; row may be NULL for a figure that only a relation
 * uses. *why says what is wrong with a bad one. */
static enum figure_result read_figure(struct emitter *emitter, const struct emission *emission, const struct row *row,
                                      struct view text, struct figure *figure, const char **why)
{
    struct view suffix;
    struct unit given;
    const struct row_unit *unit = NULL;
    enum figure_result result = read_number(emitter, text, &figure->number, &suffix);
    if (result != FIGURE_GOOD) {
        *why = "a figure is no number";
        return result;
    }
    if (row && row->unit_count > 0) {
        struct view version = g_array_index(emitter->variables, struct view, VARIABLE_TOOL_VERSION);
        char *known = g_strndup(version.bytes ? version.bytes : "", version.length);
        unit = unit_for_version(row, known);
        g_free(known);
        bool says_itself = suffix.length > 0 && combine_units(emission, suffix, NULL, &figure->unit) &&
                           strcmp(figure->unit.base, "1") != 0;
        if (!unit && (decimal_is_zero(&figure->number) || says_itself))
            unit = &row->units[0];
        if (!unit) {
            *why = "its unit depends on the tool's version, which is not known";
            return FIGURE_BAD;
        }
    }
    *why = "unknown unit";
    if (unit && unit->by_reference) {
        struct view name;
        if (!reference_text(emitter, &unit->reference, emission->text, emission->binding, &name))
            return FIGURE_BAD;
        if (unit->reference.filter == FILTER_BASE && !unit_base(name))
            unit = NULL;
        else if (!grammar_unit(emission->grammar, emission->rule->units, name, &given))
            return FIGURE_BAD;
    } else if (unit) {
        given = unit->unit;
    }
    if (!combine_units(emission, suffix, unit ? &given : NULL, &figure->unit))
        return FIGURE_BAD;
    *why = "a figure has too many digits";
    return decimal_multiply(&figure->number, &figure->unit.factor, &figure->value) ? FIGURE_GOOD : FIGURE_BAD;
}

static struct view bound_text(const struct emission *emission, unsigned capture)
{
    const struct binding *binding = &emission->binding[capture];
    return view_trim(view_slice(emission->text, binding->start, binding->end));
}

static bool is_bound(const struct emission *emission, unsigned capture)
{
    return capture != CAPTURE_NONE && emission->binding[capture].is_set;
}

/* ---- rows ---- */

static void drop(struct emission *emission, const char *why)
{
    emission->dropped++;
    emission->why = why;
}

static void set_change(struct emitter *emitter, const struct emission *emission, const struct row *row,
                       struct found_row *found)
{
    struct decimal change;
    found->change = found->significant = "";
    if (!is_bound(emission, row->change) || !decimal_parse(bound_text(emission, row->change), false, &change))
        return;
    struct view text = bound_text(emission, row->change);
    size_t sign = text.bytes[0] == '+';
    g_string_truncate(emitter->scratch, 0);
    g_string_append_len(emitter->scratch, text.bytes + sign, (gssize)(text.length - sign));
    found->change = g_string_chunk_insert_const(emitter->findings->strings, emitter->scratch->str);
    if (row->significant != CAPTURE_NONE)
        found->significant = is_bound(emission, row->significant) ? "1" : "0";
}

/* A spread in the row's unit, or in percent where it is printed so. */
static void set_spread(struct emitter *emitter, const struct emission *emission, const struct row *row,
                       struct found_row *found)
{
    struct decimal number;
    struct view suffix;
    found->spread = "";
    if (!is_bound(emission, row->spread) ||
        read_number(emitter, bound_text(emission, row->spread), &number, &suffix) != FIGURE_GOOD)
        return;
    bool percent = view_is(suffix, "%");
    if (!percent && !decimal_multiply(&number, &found->figure.unit.factor, &number))
        return;
    g_string_truncate(emitter->scratch, 0);
    decimal_append(emitter->scratch, &number);
    g_string_append(emitter->scratch, percent ? "%" : "");
    found->spread = g_string_chunk_insert_const(emitter->findings->strings, emitter->scratch->str);
}

/* Add a further figure to that of the row, in base units. */
static enum figure_result add_term(struct emitter *emitter, const struct emission *emission,
                                   const struct row_term *term, struct found_row *found, const char **why)
{
    struct decimal number, value;
    struct view suffix, text = bound_text(emission, term->capture);
    enum figure_result result = read_number(emitter, text, &number, &suffix);
    *why = "a sum has a figure that is no plain number";
    if (result != FIGURE_GOOD || suffix.length > 0)
        return result == FIGURE_GOOD ? FIGURE_BAD : result;
    if (!decimal_multiply(&number, &term->unit.factor, &value) ||
        !decimal_add(&found->figure.value, &value, &found->figure.value))
        return FIGURE_BAD;
    found->figure.number = found->figure.value;
    found->figure.unit = (struct unit){term->unit.base, decimal_from_int(1)};
    if (!found->value_text.bytes)
        found->value_text = text;
    found->value_text.length = (size_t)(text.bytes + text.length - found->value_text.bytes);
    return FIGURE_GOOD;
}

/* The row's figure: one capture, or a sum of those that took part. */
static enum figure_result read_row_figure(struct emitter *emitter, const struct emission *emission,
                                          const struct row *row, struct found_row *found, const char **why)
{
    enum figure_result result = FIGURE_GOOD;
    if (is_bound(emission, row->value)) {
        found->value_text = bound_text(emission, row->value);
        result = read_figure(emitter, emission, row, found->value_text, &found->figure, why);
    }
    for (guint i = 0; row->terms && i < row->terms->len && result == FIGURE_GOOD; i++) {
        const struct row_term *term = &g_array_index(row->terms, struct row_term, i);
        if (is_bound(emission, term->capture))
            result = add_term(emitter, emission, term, found, why);
    }
    /* A unit that stands right behind a sum's last figure belongs to it. */
    const char *end = emission->text.bytes + emission->text.length;
    while (row->terms && found->value_text.bytes && found->value_text.bytes + found->value_text.length < end &&
           g_ascii_isalpha(found->value_text.bytes[found->value_text.length]))
        found->value_text.length++;
    return result;
}

/* Make one row; its index, or NO_ROW where the text has no figure for it. */
static unsigned make_row(struct emitter *emitter, struct emission *emission, const struct row *row)
{
    const char *why = "";
    struct found_row found = {.proportion = SIZE_MAX};
    enum figure_result result = read_row_figure(emitter, emission, row, &found, &why);
    if (!found.value_text.bytes)
        return NO_ROW;
    switch (result) {
    case FIGURE_NOT_A_NUMBER:
        emission->not_numbers++;
        return NO_ROW;
    case FIGURE_BAD:
        drop(emission, why);
        return NO_ROW;
    case FIGURE_GOOD:
        break;
    }
    found.metric = template_text(emitter, &row->metric, emission->text, emission->binding);
    found.stat = row->has_stat ? template_text(emitter, &row->stat, emission->text, emission->binding) : "";
    found.series = row->has_series ? template_text(emitter, &row->series, emission->text, emission->binding)
                                   : variable_text(emitter, VARIABLE_SERIES);
    if (!found.metric || !found.stat || !found.series) {
        drop(emission, "what the figure is about is not said above it");
        return NO_ROW;
    }
    found.test = variable_text(emitter, VARIABLE_TEST);
    found.tool_version = variable_text(emitter, VARIABLE_TOOL_VERSION);
    found.better = variable_text(emitter, VARIABLE_BETTER);
    if (!*found.better)
        found.better = grammar_better(emission->grammar, found.metric, found.stat);
    found.params = params_text(emitter);
    set_change(emitter, emission, row, &found);
    set_spread(emitter, emission, row, &found);
    g_array_append_val(emitter->findings->rows, found);
    return emitter->findings->rows->len - 1;
}

/* ---- relations ---- */

static void mark(struct emitter *emitter, unsigned row, enum check_result result)
{
    if (row == NO_ROW || result == RESULT_UNCHECKED)
        return;
    struct found_row *found = found_row(emitter->findings, row);
    if (found->check != RESULT_MISMATCH)
        found->check = result;
}

/* What a relation needs to know of a match: the row that holds a capture, and
 * the figure itself where no row does. */
struct match_rows {
    unsigned rows[BINDING_MAX]; /* by capture */
    struct figure figures[EXPRESSION_MAX * 2];
};

static const struct figure *capture_figure(struct emitter *emitter, const struct emission *emission,
                                           struct match_rows *made, unsigned capture, unsigned slot)
{
    const char *why;
    if (made->rows[capture] != NO_ROW)
        return &found_row(emitter->findings, made->rows[capture])->figure;
    if (!is_bound(emission, capture) ||
        read_figure(emitter, emission, NULL, bound_text(emission, capture), &made->figures[slot], &why) != FIGURE_GOOD)
        return NULL;
    return &made->figures[slot];
}

static bool condition_holds(struct emitter *emitter, const struct emission *emission, const struct check *check,
                            struct match_rows *made)
{
    if (check->condition == CAPTURE_NONE)
        return true;
    const struct figure *figure = capture_figure(emitter, emission, made, check->condition, 0);
    return figure && decimal_compare(&figure->value, &check->least) >= 0;
}

static void check_equal(struct emitter *emitter, const struct emission *emission, const struct check *check,
                        struct match_rows *made)
{
    const struct figure *figures[EXPRESSION_MAX * 2] = {0};
    unsigned total = check->left.count + check->right.count;
    for (unsigned i = 0; i < total; i++) {
        const struct expression_item *item =
            i < check->left.count ? &check->left.items[i] : &check->right.items[i - check->left.count];
        if (item->kind == ITEM_CAPTURE)
            figures[i] = capture_figure(emitter, emission, made, item->capture, i);
    }
    enum check_result result = relation_equal(check, figures);
    for (unsigned i = 0; i < total; i++) {
        const struct expression_item *item =
            i < check->left.count ? &check->left.items[i] : &check->right.items[i - check->left.count];
        if (item->kind == ITEM_CAPTURE)
            mark(emitter, made->rows[item->capture], result);
    }
}

static void check_order(struct emitter *emitter, const struct check *check, const struct match_rows *made)
{
    for (unsigned i = 1; i < check->capture_count; i++) {
        unsigned a = made->rows[check->captures[i - 1]], b = made->rows[check->captures[i]];
        if (a == NO_ROW || b == NO_ROW)
            continue;
        enum check_result result =
            relation_order(check, &found_row(emitter->findings, a)->figure, &found_row(emitter->findings, b)->figure);
        mark(emitter, a, result);
        mark(emitter, b, result);
    }
}

static void check_rising(struct emitter *emitter, const struct check *check, const struct match_rows *made)
{
    unsigned row = made->rows[check->captures[0]];
    if (row == NO_ROW)
        return;
    if (emitter->each_row != NO_ROW) {
        enum check_result result = relation_order(check, &found_row(emitter->findings, emitter->each_row)->figure,
                                                  &found_row(emitter->findings, row)->figure);
        mark(emitter, emitter->each_row, result);
        mark(emitter, row, result);
    }
    emitter->each_row = row;
}

static void check_change(struct emitter *emitter, const struct check *check, const struct match_rows *made)
{
    unsigned row = made->rows[check->captures[0]];
    struct decimal change;
    if (emitter->each_count++ == 0)
        emitter->each_first = row;
    if (row == NO_ROW || emitter->each_first == NO_ROW)
        return;
    const struct found_row *found = found_row(emitter->findings, row);
    const struct found_row *first = found_row(emitter->findings, emitter->each_first);
    if (!decimal_parse(view_of(found->change), false, &change))
        return;
    enum check_result result = relation_change(&change, &found->figure, &first->figure);
    mark(emitter, row, result);
    mark(emitter, emitter->each_first, result);
}

static void check_rows(struct emitter *emitter, const struct emission *emission, struct match_rows *made)
{
    const GArray *checks = emission->rule->checks;
    for (guint i = 0; i < checks->len; i++) {
        const struct check *check = &g_array_index(checks, struct check, i);
        if (!condition_holds(emitter, emission, check, made))
            continue;
        switch (check->kind) {
        case CHECK_EQUAL:
            check_equal(emitter, emission, check, made);
            break;
        case CHECK_ORDER:
            check_order(emitter, check, made);
            break;
        case CHECK_RISING:
            check_rising(emitter, check, made);
            break;
        case CHECK_CHANGE:
            check_change(emitter, check, made);
            break;
        case CHECK_PROPORTIONAL:
            if (made->rows[check->captures[0]] != NO_ROW && is_bound(emission, check->captures[1]))
                found_row(emitter->findings, made->rows[check->captures[0]])->proportion =
                    bound_text(emission, check->captures[1]).length;
            break;
        }
    }
}

void emitter_rows(struct emitter *emitter, struct emission *emission)
{
    struct match_rows made;
    for (unsigned i = 0; i < BINDING_MAX; i++)
        made.rows[i] = NO_ROW;
    for (guint i = 0; i < emission->rule->rows->len; i++) {
        const struct row *row = &g_array_index(emission->rule->rows, struct row, i);
        unsigned index = make_row(emitter, emission, row);
        if (index != NO_ROW)
            made.rows[row->value] = index;
    }
    if (emission->rule->checks->len > 0)
        check_rows(emitter, emission, &made);
}

/* ---- relations over a whole block ---- */

static unsigned find_metric(const struct emitter *emitter, const struct found_block *found, const char *metric)
{
    for (unsigned i = 0; i < found->row_count; i++) {
        const struct found_row *row = found_row(emitter->findings, found->first_row + i);
        if (strcmp(row->metric, metric) == 0 && !*row->stat)
            return found->first_row + i;
    }
    return NO_ROW;
}

static void check_metrics(struct emitter *emitter, const struct check *check, const struct found_block *found)
{
    const struct figure *figures[EXPRESSION_MAX * 2] = {0};
    unsigned rows[EXPRESSION_MAX * 2];
    unsigned total = check->left.count + check->right.count;
    for (unsigned i = 0; i < total; i++) {
        const struct expression_item *item =
            i < check->left.count ? &check->left.items[i] : &check->right.items[i - check->left.count];
        rows[i] = item->kind == ITEM_METRIC ? find_metric(emitter, found, item->metric) : NO_ROW;
        if (rows[i] != NO_ROW)
            figures[i] = &found_row(emitter->findings, rows[i])->figure;
    }
    enum check_result result = relation_equal(check, figures);
    for (unsigned i = 0; i < total; i++)
        mark(emitter, rows[i], result);
}

/* Is bar the length of value, when full is that of the highest value? */
static enum check_result is_proportional(const struct found_row *row, const struct found_row *highest)
{
    struct decimal length = decimal_from_int((int64_t)row->proportion), product, wanted, difference, tolerance;
    struct decimal full = decimal_from_int((int64_t)highest->proportion), two = decimal_from_int(BAR_TOLERANCE);
    if (!decimal_multiply(&length, &highest->figure.number, &product) ||
        !decimal_multiply(&full, &row->figure.number, &wanted) || !decimal_subtract(&product, &wanted, &difference) ||
        !decimal_multiply(&two, &highest->figure.number, &tolerance))
        return RESULT_UNCHECKED;
    difference.negative = false;
    return decimal_compare(&difference, &tolerance) <= 0 ? RESULT_OK : RESULT_MISMATCH;
}

/* Bars: all rows that have one against that of the highest figure. */
static void check_proportions(struct emitter *emitter, const struct found_block *found)
{
    unsigned highest = NO_ROW, bars = 0;
    for (unsigned i = found->first_row; i < found->first_row + found->row_count; i++) {
        const struct found_row *row = found_row(emitter->findings, i);
        if (row->proportion == SIZE_MAX)
            continue;
        bars++;
        if (highest == NO_ROW ||
            decimal_compare(&row->figure.number, &found_row(emitter->findings, highest)->figure.number) > 0)
            highest = i;
    }
    if (bars < 2 || found_row(emitter->findings, highest)->proportion == 0 ||
        decimal_is_zero(&found_row(emitter->findings, highest)->figure.number))
        return;
    for (unsigned i = found->first_row; i < found->first_row + found->row_count; i++)
        if (found_row(emitter->findings, i)->proportion != SIZE_MAX)
            mark(emitter, i, is_proportional(found_row(emitter->findings, i), found_row(emitter->findings, highest)));
}

void emitter_check_block(struct emitter *emitter, const struct block *block, const struct found_block *found)
{
    for (guint i = 0; i < block->checks->len; i++)
        check_metrics(emitter, &g_array_index(block->checks, struct check, i), found);
    check_proportions(emitter, found);
}
