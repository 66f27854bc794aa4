/* From captured text to exact values and rows. */
#include "extract/emit.h"
#include "extract/emitter.h"

enum { NUMBER_TEXT_MAX = 128 };

/* ---- figures ---- */

static bool is_not_a_number(struct view text)
{
    size_t i = text.length > 0 && (text.bytes[0] == '-' || text.bytes[0] == '+');
    return text.length >= i + 3 &&
           (g_ascii_strncasecmp(text.bytes + i, "nan", 3) == 0 || g_ascii_strncasecmp(text.bytes + i, "inf", 3) == 0);
}

/* Take the digits that the version begins with; too large a number is the largest. */
static uint64_t take_number(struct view *version)
{
    uint64_t number = 0;
    while (version->length > 0 && g_ascii_isdigit(version->bytes[0])) {
        const uint64_t digit = (uint64_t)(version->bytes[0] - '0');
        number = number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : number * 10 + digit;
        *version = view_slice(*version, 1, version->length);
    }
    return number;
}

static bool take_point(struct view *version)
{
    bool has_point = version->length > 0 && version->bytes[0] == '.';
    if (has_point)
        *version = view_slice(*version, 1, version->length);
    return has_point;
}

/* Compare versions as rows of numbers: 3.10 is after 3.9. */
static int compare_versions(struct view a, struct view b)
{
    for (;;) {
        uint64_t left = take_number(&a), right = take_number(&b);
        if (left != right)
            return left < right ? -1 : 1;
        bool a_goes_on = take_point(&a), b_goes_on = take_point(&b);
        if (!a_goes_on && !b_goes_on)
            return 0;
    }
}

/* The unit of row that holds for the version; NULL where the version decides
 * and is not known. */
static const struct row_unit *unit_for_version(const struct row *row, struct view version)
{
    for (unsigned i = 0; i < row->unit_count; i++) {
        const struct row_unit *unit = &row->units[i];
        if (!unit->from && !unit->before)
            return unit;
        if (version.length == 0)
            return NULL;
        if ((!unit->from || compare_versions(version, view_of(unit->from)) >= 0) &&
            (!unit->before || compare_versions(version, view_of(unit->before)) < 0))
            return unit;
    }
    return NULL;
}

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
    struct view point = emit_variable_text(emitter, VARIABLE_DECIMAL);
    bool comma = point.length == 1 && point.bytes[0] == ',';
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
enum figure_result emit_figure(struct emitter *emitter, const struct emission *emission, const struct row *row,
                               struct view text, struct figure *figure, struct reason *why)
{
    struct view suffix;
    struct unit given;
    const struct row_unit *unit = NULL;
    enum figure_result result = read_number(emitter, text, &figure->number, &suffix);
    *why = (struct reason){"", {NULL, 0}};
    if (result != FIGURE_GOOD) {
        *why = (struct reason){"this is no number", text};
        return result;
    }
    if (row && row->unit_count > 0) {
        unit = unit_for_version(row, emit_variable_text(emitter, VARIABLE_TOOL_VERSION));
        bool says_itself = suffix.length > 0 && combine_units(emission, suffix, NULL, &figure->unit) &&
                           strcmp(figure->unit.base, "1") != 0;
        if (!unit && (decimal_is_zero(&figure->number) || says_itself))
            unit = &row->units[0];
        if (!unit) {
            why->what = "its unit depends on the tool's version, which is not known";
            return FIGURE_BAD;
        }
    }
    *why = (struct reason){"unknown unit", suffix};
    if (unit && unit->by_reference) {
        struct view name;
        if (!emit_reference(emitter, &unit->reference, emission->text, emission->binding, &name)) {
            *why = (struct reason){"its unit is not said", {NULL, 0}};
            return FIGURE_BAD;
        }
        if (unit->reference.filter != FILTER_NONE) {
            struct piece piece = {.reference = unit->reference};
            name = emit_template(emitter, &(struct template){&piece, 1}, emission->text, emission->binding);
            if (!name.bytes) {
                *why = emitter->unmade;
                return FIGURE_BAD;
            }
        }
        why->text = name;
        if (unit->reference.filter == FILTER_BASE && name.length == 0)
            unit = NULL;
        else if (!grammar_unit(emission->grammar, emission->rule->units, name, &given))
            return FIGURE_BAD;
    } else if (unit) {
        given = unit->unit;
    }
    if (suffix.length > 0)
        why->text = suffix;
    if (!combine_units(emission, suffix, unit ? &given : NULL, &figure->unit)) {
        if (grammar_unit(emission->grammar, emission->rule->units, suffix, &given))
            why->what = "the row has another kind of unit than";
        return FIGURE_BAD;
    }
    figure->zeros = decimal_exponent_zeros(text);
    *why = (struct reason){"a figure has too many digits", {NULL, 0}};
    return decimal_multiply(&figure->number, &figure->unit.factor, &figure->value) ? FIGURE_GOOD : FIGURE_BAD;
}

/* ---- rows ---- */

static void drop(struct emitter *emitter, struct emission *emission, const struct row *row, struct reason why)
{
    if (emitter->remarks) {
        GString *text = g_string_new("no row: ");
        reason_append(text, &why);
        emit_remark(emitter, row->line, g_string_free(text, FALSE));
    }
    emission->dropped++;
    emission->why = why;
}

static void set_change(struct emitter *emitter, const struct emission *emission, const struct row *row,
                       struct found_row *found)
{
    struct decimal change;
    if (!emission_has(emission, row->change) || !decimal_parse(emission_text(emission, row->change), false, &change))
        return;
    struct view text = emission_text(emission, row->change);
    size_t sign = text.bytes[0] == '+';
    found->change = findings_keep(emitter->findings, view_slice(text, sign, text.length));
    if (row->significant != CAPTURE_NONE)
        found->significant = view_of(emission_has(emission, row->significant) ? "1" : "0");
}

/* A spread in the row's unit, or in percent where it is printed so. */
static void set_spread(struct emitter *emitter, const struct emission *emission, const struct row *row,
                       const struct unit *unit, struct found_row *found)
{
    struct decimal number;
    struct view suffix;
    if (!emission_has(emission, row->spread) ||
        read_number(emitter, emission_text(emission, row->spread), &number, &suffix) != FIGURE_GOOD)
        return;
    bool percent = row->spread_is_percent || view_is(suffix, "%");
    if (!percent && !decimal_multiply(&number, &unit->factor, &number))
        return;
    g_string_truncate(emitter->scratch, 0);
    decimal_append(emitter->scratch, &number);
    g_string_append(emitter->scratch, percent ? "%" : "");
    found->spread = findings_keep(emitter->findings, (struct view){emitter->scratch->str, emitter->scratch->len});
}

/* Add a further figure to that of the row, in base units. */
static enum figure_result add_term(struct emitter *emitter, const struct emission *emission,
                                   const struct row_term *term, struct found_row *found, struct figure *figure,
                                   struct reason *why)
{
    struct decimal number, value;
    struct view suffix, text = emission_text(emission, term->capture);
    enum figure_result result = read_number(emitter, text, &number, &suffix);
    *why = (struct reason){"in a sum this is no plain number", text};
    if (result != FIGURE_GOOD || suffix.length > 0)
        return result == FIGURE_GOOD ? FIGURE_BAD : result;
    if (!decimal_multiply(&number, &term->unit.factor, &value) || !decimal_add(&figure->value, &value, &figure->value))
        return FIGURE_BAD;
    figure->number = figure->value;
    figure->zeros = 0;
    figure->unit = (struct unit){term->unit.base, decimal_from_int(1)};
    if (!found->value_text.bytes)
        found->value_text = text;
    found->value_text.length = (size_t)(text.bytes + text.length - found->value_text.bytes);
    return FIGURE_GOOD;
}

/* The row's figure: one capture, or a sum of those that took part. Its text is
 * still that of the passage. */
static enum figure_result read_row_figure(struct emitter *emitter, const struct emission *emission,
                                          const struct row *row, struct found_row *found, struct figure *figure,
                                          struct reason *why)
{
    enum figure_result result = FIGURE_GOOD;
    if (emission_has(emission, row->value)) {
        found->value_text = emission_text(emission, row->value);
        result = emit_figure(emitter, emission, row, found->value_text, figure, why);
    }
    for (guint i = 0; row->terms && i < row->terms->len && result == FIGURE_GOOD; i++) {
        const struct row_term *term = &g_array_index(row->terms, struct row_term, i);
        if (emission_has(emission, term->capture))
            result = add_term(emitter, emission, term, found, figure, why);
    }
    const char *end = emission->text.bytes + emission->text.length;
    if (found->value_text.bytes && found->value_text.bytes + found->value_text.length < end &&
        found->value_text.bytes[found->value_text.length] == '%')
        found->value_text.length++;
    /* A unit that stands right behind a sum's last figure belongs to it. */
    while (row->terms && found->value_text.bytes && found->value_text.bytes + found->value_text.length < end &&
           g_ascii_isalpha(found->value_text.bytes[found->value_text.length]))
        found->value_text.length++;
    return result;
}

/* The number of the line that the byte at `at` of the passage stands in. */
static struct view line_number(struct emitter *emitter, const struct passage *passage, const char *at)
{
    size_t line = passage_line_near(passage, (size_t)(at - passage->text->str), emitter->line);
    if (!emitter->kept_line.bytes || emitter->line != line) {
        emitter->kept_line = findings_keep_number(emitter->findings, passage_line(passage, line)->source_line);
        emitter->line = line;
    }
    return emitter->kept_line;
}

/* The grammar's direction. Often one row after the other is of the same metric. */
static struct view ask_direction(struct emitter *emitter, const struct grammar *grammar, struct view metric,
                                 struct view stat)
{
    unsigned last = emitter->asked_row;
    emitter->asked_row = emitter->findings->rows->len; /* the row that is being made */
    if (last != NO_ROW && view_equal(found_row(emitter->findings, last)->metric, metric) &&
        view_equal(found_row(emitter->findings, last)->stat, stat))
        return found_row(emitter->findings, last)->better;
    return view_of(grammar_better(grammar, metric, stat));
}

/* Make one row; its index, or NO_ROW where the text has no figure for it. */
static unsigned make_row(struct emitter *emitter, struct emission *emission, const struct row *row)
{
    struct reason why = {"", {NULL, 0}};
    static const struct view none = {"", 0};
    struct found_row found = {.stat = none, .change = none, .significant = none, .spread = none};
    struct row_figure made = {.bar = SIZE_MAX};
    enum figure_result result = read_row_figure(emitter, emission, row, &found, &made.figure, &why);
    if (!found.value_text.bytes)
        return NO_ROW;
    switch (result) {
    case FIGURE_NOT_A_NUMBER:
        emission->not_numbers++;
        return NO_ROW;
    case FIGURE_BAD:
        drop(emitter, emission, row, why);
        return NO_ROW;
    case FIGURE_GOOD:
        break;
    }
    found.metric = emit_template(emitter, &row->metric, emission->text, emission->binding);
    if (row->has_stat)
        found.stat = emit_template(emitter, &row->stat, emission->text, emission->binding);
    found.series = row->has_series ? emit_template(emitter, &row->series, emission->text, emission->binding)
                                   : emit_variable(emitter, VARIABLE_SERIES);
    if (!found.metric.bytes || !found.stat.bytes || !found.series.bytes) {
        drop(emitter, emission, row, emitter->unmade);
        return NO_ROW;
    }
    found.test = emit_variable(emitter, VARIABLE_TEST);
    found.tool_version = emit_variable(emitter, VARIABLE_TOOL_VERSION);
    found.better = emit_variable(emitter, VARIABLE_BETTER);
    if (found.better.length == 0)
        found.better = ask_direction(emitter, emission->grammar, found.metric, found.stat);
    found.params = emit_params(emitter);
    found.line = line_number(emitter, emission->passage, found.value_text.bytes);
    found.value_text = findings_keep(emitter->findings, found.value_text);
    g_string_truncate(emitter->scratch, 0);
    decimal_append(emitter->scratch, &made.figure.value);
    found.value = findings_keep(emitter->findings, (struct view){emitter->scratch->str, emitter->scratch->len});
    set_change(emitter, emission, row, &found);
    set_spread(emitter, emission, row, &made.figure.unit, &found);
    found.unit = view_of(made.figure.unit.base);
    g_array_append_val(emitter->findings->rows, found);
    g_array_append_val(emitter->figures, made);
    return emitter->findings->rows->len - 1;
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
        emit_check_rows(emitter, emission, &made);
}
