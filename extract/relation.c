#include "extract/relation.h"

/* All numbers from low to high; nominal is what the text says. */
struct interval {
    struct decimal low, high, nominal;
};

static const struct decimal *lesser(const struct decimal *a, const struct decimal *b)
{
    return decimal_compare(a, b) <= 0 ? a : b;
}

static const struct decimal *greater(const struct decimal *a, const struct decimal *b)
{
    return decimal_compare(a, b) >= 0 ? a : b;
}

/* Half (or, with whole_step, all) of the last printed digit's unit. */
static bool last_digit(const struct figure *figure, bool whole_step, struct decimal *step)
{
    struct decimal five = decimal_from_int(5), one = decimal_from_int(1);
    int place = figure->zeros - figure->number.scale;
    return whole_step ? decimal_shift(&one, place, step) : decimal_shift(&five, place - 1, step);
}

/* Has number digits behind its point, all of them zero? */
static bool ends_in_zeros(const struct decimal *number)
{
    return number->scale > 0 && decimal_is_whole(number);
}

/* What the figure may stand for, in its base unit. */
static bool figure_interval(const struct check *check, const struct figure *figure, struct interval *interval)
{
    struct decimal step, low, high, one = decimal_from_int(1);
    if (!last_digit(figure, check && check->cut, &step))
        return false;
    if (check && check->whole)
        step = one;
    interval->nominal = figure->value;
    if (!decimal_subtract(&figure->number, &step, &low) || !decimal_add(&figure->number, &step, &high))
        return false;
    if (check && check->carry && ends_in_zeros(&figure->number) && !decimal_add(&figure->number, &one, &high))
        return false;
    return decimal_multiply(&low, &figure->unit.factor, &interval->low) &&
           decimal_multiply(&high, &figure->unit.factor, &interval->high);
}

static bool interval_add(const struct interval *a, const struct interval *b, struct interval *sum)
{
    struct interval result;
    if (!decimal_add(&a->low, &b->low, &result.low) || !decimal_add(&a->high, &b->high, &result.high) ||
        !decimal_add(&a->nominal, &b->nominal, &result.nominal))
        return false;
    *sum = result;
    return true;
}

static bool interval_multiply(const struct interval *a, const struct interval *b, struct interval *product)
{
    struct decimal corner[4], nominal;
    if (!decimal_multiply(&a->nominal, &b->nominal, &nominal))
        return false;
    if (!decimal_multiply(&a->low, &b->low, &corner[0]) || !decimal_multiply(&a->low, &b->high, &corner[1]) ||
        !decimal_multiply(&a->high, &b->low, &corner[2]) || !decimal_multiply(&a->high, &b->high, &corner[3]))
        return false;
    const struct decimal *low = &corner[0], *high = &corner[0];
    for (unsigned i = 1; i < 4; i++) {
        low = lesser(low, &corner[i]);
        high = greater(high, &corner[i]);
    }
    *product = (struct interval){*low, *high, nominal};
    return true;
}

static bool overlap(const struct interval *a, const struct interval *b)
{
    return decimal_compare(&a->low, &b->high) <= 0 && decimal_compare(&b->low, &a->high) <= 0;
}

/* Evaluate a postfix expression; false where a figure is missing, or where the
 * result is zero or does not fit. */
static bool evaluate(const struct check *check, const struct expression *expression,
                     const struct figure *const *figures, struct interval *result)
{
    struct interval stack[EXPRESSION_MAX] = {0};
    unsigned depth = 0;
    for (unsigned i = 0; i < expression->count; i++) {
        const struct expression_item *item = &expression->items[i];
        bool good = true;
        switch (item->kind) {
        case ITEM_CAPTURE:
        case ITEM_METRIC:
            good = figures[i] && figure_interval(check, figures[i], &stack[depth]);
            depth++;
            break;
        case ITEM_NUMBER:
            stack[depth++] = (struct interval){item->number, item->number, item->number};
            break;
        case ITEM_PLUS:
            depth--;
            good = interval_add(&stack[depth - 1], &stack[depth], &stack[depth - 1]);
            break;
        case ITEM_TIMES:
            depth--;
            good = interval_multiply(&stack[depth - 1], &stack[depth], &stack[depth - 1]);
            break;
        }
        if (!good)
            return false;
    }
    *result = stack[0];
    return depth == 1 && !decimal_is_zero(&result->nominal);
}

enum check_result relation_equal(const struct check *check, const struct figure *const *figures, struct decimal *sides)
{
    struct interval left, right;
    if (!evaluate(check, &check->left, figures, &left) ||
        !evaluate(check, &check->right, figures + check->left.count, &right))
        return RESULT_UNCHECKED;
    if (sides) {
        sides[0] = left.nominal;
        sides[1] = right.nominal;
    }
    return overlap(&left, &right) ? RESULT_OK : RESULT_MISMATCH;
}

enum check_result relation_order(const struct check *check, const struct figure *a, const struct figure *b)
{
    struct interval left, right;
    if (!figure_interval(check, a, &left) || !figure_interval(check, b, &right))
        return RESULT_UNCHECKED;
    return decimal_compare(&left.low, &right.high) <= 0 ? RESULT_OK : RESULT_MISMATCH;
}

static void negate(struct decimal *number)
{
    number->negative = !number->negative && !decimal_is_zero(number);
}

/* change% of base == 100 * (value - baseline), either sign. */
static bool is_change(const struct interval *change, const struct interval *base, const struct interval *difference)
{
    struct interval product, negated;
    if (!interval_multiply(change, base, &product))
        return false;
    negated = (struct interval){product.high, product.low, product.nominal};
    negate(&negated.low);
    negate(&negated.high);
    return overlap(&product, difference) || overlap(&negated, difference);
}

enum check_result relation_change(const struct figure *change, const struct figure *value,
                                  const struct figure *baseline)
{
    struct interval changes, values, baselines, difference = {.nominal = decimal_from_int(1)};
    struct decimal hundred = decimal_from_int(100);
    if (decimal_is_zero(&value->number) || decimal_is_zero(&baseline->number))
        return RESULT_UNCHECKED;
    if (!figure_interval(NULL, change, &changes) || !figure_interval(NULL, value, &values) ||
        !figure_interval(NULL, baseline, &baselines))
        return RESULT_UNCHECKED;
    if (!decimal_subtract(&values.low, &baselines.high, &difference.low) ||
        !decimal_subtract(&values.high, &baselines.low, &difference.high) ||
        !decimal_multiply(&difference.low, &hundred, &difference.low) ||
        !decimal_multiply(&difference.high, &hundred, &difference.high))
        return RESULT_UNCHECKED;
    return is_change(&changes, &baselines, &difference) || is_change(&changes, &values, &difference) ? RESULT_OK
                                                                                                     : RESULT_MISMATCH;
}
