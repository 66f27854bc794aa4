/* Relations between the rows of one match, and over a whole block: what they
 * say goes into the rows' check. */
#include "extract/emit.h"
#include "extract/emitter.h"
#include "extract/relation.h"

enum { BAR_TOLERANCE = 2 };

/* ---- relations ---- */

static void mark(struct emitter *emitter, unsigned row, enum check_result result)
{
    if (row == NO_ROW || result == RESULT_UNCHECKED)
        return;
    struct found_row *found = found_row(emitter->findings, row);
    if (found->check != RESULT_MISMATCH)
        found->check = result;
}

/* Say which relation fails: that a WORD b, in base units. */
static void remark_failure(struct emitter *emitter, const struct check *check, const struct decimal *a,
                           const char *word, const struct decimal *b)
{
    if (!emitter->remarks)
        return;
    GString *text = g_string_new("check fails: ");
    decimal_append(text, a);
    g_string_append_printf(text, " %s ", word);
    decimal_append(text, b);
    emit_remark(emitter, check->line, g_string_free(text, FALSE));
}

/* a is to be not above b. */
static void compare_rows(struct emitter *emitter, const struct check *check, unsigned a, unsigned b)
{
    const struct figure *left = &emit_row_figure(emitter, a)->figure;
    const struct figure *right = &emit_row_figure(emitter, b)->figure;
    enum check_result result = relation_order(check, left, right);
    if (result == RESULT_MISMATCH)
        remark_failure(emitter, check, &left->value, "is above", &right->value);
    mark(emitter, a, result);
    mark(emitter, b, result);
}

static const struct figure *capture_figure(struct emitter *emitter, const struct emission *emission,
                                           struct match_rows *made, unsigned capture, unsigned slot)
{
    struct reason why;
    if (made->rows[capture] != NO_ROW)
        return &emit_row_figure(emitter, made->rows[capture])->figure;
    if (!emission_has(emission, capture) || emit_figure(emitter, emission, NULL, emission_text(emission, capture),
                                                        &made->figures[slot], &why) != FIGURE_GOOD)
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
    struct decimal sides[2];
    enum check_result result = relation_equal(check, figures, sides);
    if (result == RESULT_MISMATCH)
        remark_failure(emitter, check, &sides[0], "is not", &sides[1]);
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
        if (a != NO_ROW && b != NO_ROW)
            compare_rows(emitter, check, a, b);
    }
}

static void check_rising(struct emitter *emitter, const struct check *check, const struct match_rows *made)
{
    unsigned row = made->rows[check->captures[0]];
    if (row == NO_ROW)
        return;
    if (emitter->each_row != NO_ROW)
        compare_rows(emitter, check, emitter->each_row, row);
    emitter->each_row = row;
}

static void check_change(struct emitter *emitter, const struct check *check, const struct match_rows *made)
{
    unsigned row = made->rows[check->captures[0]];
    struct figure change = {.unit = {"%", decimal_from_int(1)}};
    if (emitter->each_count++ == 0)
        emitter->each_first = row;
    unsigned baseline = check->capture_count > 2 ? made->rows[check->captures[2]] : emitter->each_first;
    if (row == NO_ROW || baseline == NO_ROW)
        return;
    const struct view text = found_row(emitter->findings, row)->change;
    const struct figure *figure = &emit_row_figure(emitter, row)->figure;
    const struct figure *base = &emit_row_figure(emitter, baseline)->figure;
    if (!decimal_parse(text, false, &change.number))
        return;
    change.value = change.number;
    change.zeros = decimal_exponent_zeros(text);
    enum check_result result = relation_change(&change, figure, base);
    if (result == RESULT_MISMATCH)
        remark_failure(emitter, check, &figure->value, "has another change against", &base->value);
    mark(emitter, row, result);
    mark(emitter, baseline, result);
}

void emit_check_rows(struct emitter *emitter, const struct emission *emission, struct match_rows *made)
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
            if (made->rows[check->captures[0]] != NO_ROW && emission_has(emission, check->captures[1]))
                emit_row_figure(emitter, made->rows[check->captures[0]])->bar =
                    emission_text(emission, check->captures[1]).length;
            break;
        }
    }
}

/* ---- relations over a whole block ---- */

static unsigned find_metric(const struct emitter *emitter, const struct found_block *found, const char *metric)
{
    for (unsigned i = 0; i < found->row_count; i++) {
        const struct found_row *row = found_row(emitter->findings, found->first_row + i);
        if (view_is(row->metric, metric) && row->stat.length == 0)
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
            figures[i] = &emit_row_figure(emitter, rows[i])->figure;
    }
    struct decimal sides[2];
    enum check_result result = relation_equal(check, figures, sides);
    if (result == RESULT_MISMATCH)
        remark_failure(emitter, check, &sides[0], "is not", &sides[1]);
    for (unsigned i = 0; i < total; i++)
        mark(emitter, rows[i], result);
}

/* Is bar the length of value, when full is that of the highest value? */
static enum check_result is_proportional(const struct row_figure *row, const struct row_figure *highest)
{
    struct decimal length = decimal_from_int((int64_t)row->bar), product, wanted, difference, tolerance;
    struct decimal full = decimal_from_int((int64_t)highest->bar), two = decimal_from_int(BAR_TOLERANCE);
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
    const struct row_figure *highest = NULL;
    unsigned bars = 0;
    for (unsigned i = found->first_row; i < found->first_row + found->row_count; i++) {
        const struct row_figure *row = emit_row_figure(emitter, i);
        if (row->bar == SIZE_MAX)
            continue;
        bars++;
        if (!highest || decimal_compare(&row->figure.number, &highest->figure.number) > 0)
            highest = row;
    }
    if (bars < 2 || highest->bar == 0 || decimal_is_zero(&highest->figure.number))
        return;
    for (unsigned i = found->first_row; i < found->first_row + found->row_count; i++)
        if (emit_row_figure(emitter, i)->bar != SIZE_MAX)
            mark(emitter, i, is_proportional(emit_row_figure(emitter, i), highest));
}

void emitter_check_block(struct emitter *emitter, const struct block *block, const struct found_block *found)
{
    for (guint i = 0; i < block->checks->len; i++)
        check_metrics(emitter, &g_array_index(block->checks, struct check, i), found);
    check_proportions(emitter, found);
}
