/* decimal: exact decimal numbers, text to text; nothing is ever rounded.
 *
 * The coefficient is four 64-bit limbs, worked on with the compiler's 128-bit
 * integers. Printed figures fit one limb almost always, so the common ways
 * (printing, comparing, multiplying) look for that first. Every operation
 * works on a copy and stores it only when all of it fitted.
 */
#include "extract/decimal.h"

__extension__ typedef unsigned __int128 wide; /* a scalar that C11 has no name for */

enum {
    CHUNK_DIGITS = 19,   /* decimal digits that always fit a limb */
    DIGITS_MAX = 78,     /* of a coefficient of 256 bits */
    EXPONENT_MAX = 9999, /* beyond every scale: larger exponents need no exact value */
};

static const uint64_t power_of_ten[CHUNK_DIGITS + 1] = {
    1U,
    10U,
    100U,
    1000U,
    10000U,
    100000U,
    1000000U,
    10000000U,
    100000000U,
    1000000000U,
    10000000000U,
    100000000000U,
    1000000000000U,
    10000000000000U,
    100000000000000U,
    1000000000000000U,
    10000000000000000U,
    100000000000000000U,
    1000000000000000000U,
    10000000000000000000U,
};

static bool is_small(const struct decimal *value)
{
    return (value->limb[1] | value->limb[2] | value->limb[3]) == 0;
}

bool decimal_is_zero(const struct decimal *value)
{
    return value->limb[0] == 0 && is_small(value);
}

/* coefficient = coefficient * factor + addend; false where it overflows. */
static bool scale_up(struct decimal *value, uint64_t factor, uint64_t addend)
{
    uint64_t carry = addend;

    for (int i = 0; i < DECIMAL_LIMBS; i++) {
        const wide product = (wide)value->limb[i] * factor + carry;
        value->limb[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    return carry == 0;
}

/* coefficient = coefficient / divisor; the remainder is returned. */
static uint64_t scale_down(struct decimal *value, uint64_t divisor)
{
    uint64_t remainder = 0;

    for (int i = DECIMAL_LIMBS - 1; i >= 0; i--) {
        const wide dividend = (wide)remainder << 64 | value->limb[i];
        value->limb[i] = (uint64_t)(dividend / divisor);
        remainder = (uint64_t)(dividend % divisor);
    }
    return remainder;
}

bool decimal_is_whole(const struct decimal *value)
{
    struct decimal rest = *value;
    bool whole = true;

    for (int left = value->scale; left > 0 && whole; left -= CHUNK_DIGITS)
        whole = scale_down(&rest, power_of_ten[MIN(left, (int)CHUNK_DIGITS)]) == 0;
    return whole;
}

/* coefficient = coefficient * 10^power, power not negative; false where it overflows. */
static bool scale_up_ten(struct decimal *value, int power)
{
    if (decimal_is_zero(value))
        return true;
    for (; power > CHUNK_DIGITS; power -= CHUNK_DIGITS)
        if (!scale_up(value, power_of_ten[CHUNK_DIGITS], 0))
            return false;
    return scale_up(value, power_of_ten[power], 0);
}

static int compare_coefficients(const struct decimal *a, const struct decimal *b)
{
    for (int i = DECIMAL_LIMBS - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* Bring a wanted scale of any size into range by growing the coefficient. */
static bool settle_scale(struct decimal *value, int64_t scale)
{
    if (scale > DECIMAL_SCALE_MAX)
        return false;
    if (scale >= 0) {
        value->scale = (int)scale;
        return true;
    }
    value->scale = 0;
    if (decimal_is_zero(value))
        return true;
    return -scale <= DIGITS_MAX && scale_up_ten(value, (int)-scale);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The digits of a number as they are read: chunks of up to 19 go into the
 * coefficient at once. */
struct accumulator {
    struct decimal value;
    uint64_t chunk;
    int chunk_digits;
};

static bool flush_chunk(struct accumulator *digits)
{
    if (!scale_up(&digits->value, power_of_ten[digits->chunk_digits], digits->chunk))
        return false;
    digits->chunk = 0;
    digits->chunk_digits = 0;
    return true;
}

static bool add_digit(struct accumulator *digits, char c)
{
    if (digits->chunk_digits == CHUNK_DIGITS && !flush_chunk(digits))
        return false;
    digits->chunk = digits->chunk * 10 + (uint64_t)(c - '0');
    digits->chunk_digits++;
    return true;
}

/* A comma stands rightly where the group before it has three digits (the
 * first: one to three, not beginning with 0, which would be a decimal comma)
 * and three digits and no fourth follow. */
static bool is_group_comma(struct view text, size_t start, size_t comma, size_t group_start)
{
    const size_t group = comma - group_start;
    if (group_start == start ? group < 1 || group > 3 || text.bytes[start] == '0' : group != 3)
        return false;
    if (text.length - comma < 4)
        return false;
    for (size_t i = comma + 1; i < comma + 4; i++)
        if (!is_digit(text.bytes[i]))
            return false;
    return comma + 4 == text.length || !is_digit(text.bytes[comma + 4]);
}

bool decimal_parse(struct view text, bool grouped, struct decimal *result)
{
    struct accumulator digits = {0};
    const char *bytes = text.bytes;
    size_t position = 0;
    bool negative = false;

    if (position < text.length && (bytes[position] == '+' || bytes[position] == '-')) {
        negative = bytes[position] == '-';
        position++;
    }

    const size_t whole_start = position;
    size_t group_start = position;
    for (; position < text.length; position++) {
        if (is_digit(bytes[position])) {
            if (!add_digit(&digits, bytes[position]))
                return false;
        } else if (grouped && bytes[position] == ',' && is_group_comma(text, whole_start, position, group_start)) {
            group_start = position + 1;
        } else {
            break;
        }
    }
    size_t digit_count = position - whole_start;

    int64_t scale = 0;
    if (position < text.length && bytes[position] == '.') {
        const size_t fraction_start = ++position;
        for (; position < text.length && is_digit(bytes[position]); position++)
            if (position - fraction_start >= DECIMAL_SCALE_MAX + EXPONENT_MAX || !add_digit(&digits, bytes[position]))
                return false;
        scale = (int64_t)(position - fraction_start);
        digit_count += position - fraction_start;
    }
    if (digit_count == 0)
        return false;

    if (position < text.length && (bytes[position] == 'e' || bytes[position] == 'E')) {
        position++;
        bool exponent_negative = false;
        if (position < text.length && (bytes[position] == '+' || bytes[position] == '-')) {
            exponent_negative = bytes[position] == '-';
            position++;
        }
        const size_t exponent_start = position;
        int64_t exponent = 0;
        for (; position < text.length && is_digit(bytes[position]); position++)
            if (exponent <= EXPONENT_MAX)
                exponent = exponent * 10 + (bytes[position] - '0');
        if (position == exponent_start)
            return false;
        scale += exponent_negative ? exponent : -exponent;
    }
    if (position != text.length)
        return false;

    if (!flush_chunk(&digits) || !settle_scale(&digits.value, scale))
        return false;
    digits.value.negative = negative && !decimal_is_zero(&digits.value);
    *result = digits.value;
    return true;
}

int decimal_exponent_zeros(struct view text)
{
    size_t at = text.length > 0 && (text.bytes[0] == '+' || text.bytes[0] == '-');
    int fraction = 0, exponent = 0;

    while (at < text.length && (is_digit(text.bytes[at]) || text.bytes[at] == ','))
        at++;
    if (at < text.length && text.bytes[at] == '.')
        for (at++; at < text.length && is_digit(text.bytes[at]); at++)
            fraction += fraction <= DECIMAL_SCALE_MAX;
    if (at + 1 >= text.length || (text.bytes[at] != 'e' && text.bytes[at] != 'E'))
        return 0;
    at += text.bytes[at + 1] == '+' ? 2 : 1;
    for (; at < text.length && is_digit(text.bytes[at]) && exponent <= EXPONENT_MAX; at++)
        exponent = exponent * 10 + (text.bytes[at] - '0');
    return exponent > fraction ? exponent - fraction : 0;
}

struct decimal decimal_from_int(int64_t value)
{
    struct decimal result = {0};
    result.negative = value < 0;
    result.limb[0] = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    return result;
}

/* Write a limb's digits so that they end before end, at least least of them;
 * returns their start. */
static char *write_limb(uint64_t limb, int least, char *end)
{
    while (limb > 0 || least > 0) {
        *--end = (char)('0' + limb % 10);
        limb /= 10;
        least--;
    }
    return end;
}

/* Write the coefficient's digits so that they end before end; none for zero. */
static char *write_digits(const struct decimal *value, char *end)
{
    if (is_small(value))
        return write_limb(value->limb[0], 0, end);

    struct decimal rest = *value;
    while (!is_small(&rest))
        end = write_limb(scale_down(&rest, power_of_ten[CHUNK_DIGITS]), CHUNK_DIGITS, end);
    return write_limb(rest.limb[0], 0, end);
}

void decimal_append(GString *out, const struct decimal *value)
{
    char buffer[DECIMAL_TEXT_MAX];
    char *end = buffer + sizeof buffer;
    char *start = write_digits(value, end);
    int scale = value->scale;

    while (scale > 0 && start < end && end[-1] == '0') {
        end--;
        scale--;
    }
    if (start == end) {
        g_string_append_c(out, '0');
        return;
    }
    while (end - start < scale)
        *--start = '0';

    if (value->negative)
        g_string_append_c(out, '-');
    if (end - start == scale)
        g_string_append_c(out, '0');
    else
        g_string_append_len(out, start, end - start - scale);
    if (scale > 0) {
        g_string_append_c(out, '.');
        g_string_append_len(out, end - scale, scale);
    }
}

/* Both coefficients in the larger of the two scales, where that is sure to fit;
 * signs aside. Nearly all numbers that are printed do. */
static bool align_small(const struct decimal *a, const struct decimal *b, wide *left, wide *right)
{
    const int more = a->scale - b->scale;

    if (!is_small(a) || !is_small(b) || more > CHUNK_DIGITS || more < -CHUNK_DIGITS)
        return false;
    *left = (wide)a->limb[0] * (more < 0 ? power_of_ten[-more] : 1);
    *right = (wide)b->limb[0] * (more > 0 ? power_of_ten[more] : 1);
    return true;
}

/* Compare without regard to the sign, through the digits: no common scale is
 * needed then, which might not fit. */
static int compare_magnitudes(const struct decimal *a, const struct decimal *b)
{
    wide left, right;

    if (align_small(a, b, &left, &right))
        return left < right ? -1 : left > right;
    if (a->scale == b->scale)
        return compare_coefficients(a, b);

    char a_digits[DIGITS_MAX + CHUNK_DIGITS];
    char b_digits[DIGITS_MAX + CHUNK_DIGITS];
    const char *a_end = a_digits + sizeof a_digits;
    const char *b_end = b_digits + sizeof b_digits;
    const char *a_digit = write_digits(a, a_digits + sizeof a_digits);
    const char *b_digit = write_digits(b, b_digits + sizeof b_digits);
    if (a_digit == a_end || b_digit == b_end)
        return (a_digit != a_end) - (b_digit != b_end);

    const ptrdiff_t a_whole = a_end - a_digit - a->scale; /* digits before the point, negative for 0.0... */
    const ptrdiff_t b_whole = b_end - b_digit - b->scale;
    if (a_whole != b_whole)
        return a_whole < b_whole ? -1 : 1;
    while (a_digit < a_end || b_digit < b_end) {
        const char a_char = a_digit < a_end ? *a_digit++ : '0';
        const char b_char = b_digit < b_end ? *b_digit++ : '0';
        if (a_char != b_char)
            return a_char < b_char ? -1 : 1;
    }
    return 0;
}

int decimal_compare(const struct decimal *a, const struct decimal *b)
{
    if (a->negative != b->negative)
        return a->negative ? -1 : 1;
    return a->negative ? compare_magnitudes(b, a) : compare_magnitudes(a, b);
}

/* The coefficients' sum, scales and signs aside; false where it overflows. */
static bool add_coefficients(const struct decimal *a, const struct decimal *b, struct decimal *sum)
{
    uint64_t carry = 0;

    for (int i = 0; i < DECIMAL_LIMBS; i++) {
        const wide total = (wide)a->limb[i] + b->limb[i] + carry;
        sum->limb[i] = (uint64_t)total;
        carry = (uint64_t)(total >> 64);
    }
    return carry == 0;
}

/* The coefficients' difference; larger must not be the smaller one. */
static void subtract_coefficients(const struct decimal *larger, const struct decimal *smaller,
                                  struct decimal *difference)
{
    uint64_t borrow = 0;

    for (int i = 0; i < DECIMAL_LIMBS; i++) {
        const wide rest = (wide)larger->limb[i] - smaller->limb[i] - borrow;
        difference->limb[i] = (uint64_t)rest;
        borrow = (rest >> 64) != 0;
    }
}

/* The sum of two that align_small has aligned: one of them has not grown, so
 * that it fits two limbs. */
static struct decimal add_small(const struct decimal *a, const struct decimal *b, wide left, wide right)
{
    const bool grows = a->negative == b->negative;
    const wide total = grows ? left + right : left > right ? left - right : right - left;
    struct decimal sum = {.limb = {(uint64_t)total, (uint64_t)(total >> 64)}, .scale = MAX(a->scale, b->scale)};

    sum.negative = total != 0 && (grows || left > right ? a->negative : b->negative);
    return sum;
}

bool decimal_add(const struct decimal *a, const struct decimal *b, struct decimal *result)
{
    wide small_left, small_right;
    if (align_small(a, b, &small_left, &small_right)) {
        *result = add_small(a, b, small_left, small_right);
        return true;
    }

    struct decimal left = *a;
    struct decimal right = *b;
    struct decimal sum = {0};

    sum.scale = MAX(left.scale, right.scale);
    if (!scale_up_ten(&left, sum.scale - left.scale) || !scale_up_ten(&right, sum.scale - right.scale))
        return false;

    if (left.negative == right.negative) {
        if (!add_coefficients(&left, &right, &sum))
            return false;
        sum.negative = left.negative;
    } else if (compare_coefficients(&left, &right) >= 0) {
        subtract_coefficients(&left, &right, &sum);
        sum.negative = left.negative;
    } else {
        subtract_coefficients(&right, &left, &sum);
        sum.negative = right.negative;
    }
    if (decimal_is_zero(&sum))
        sum.negative = false;
    *result = sum;
    return true;
}

bool decimal_subtract(const struct decimal *a, const struct decimal *b, struct decimal *result)
{
    struct decimal negated = *b;
    negated.negative = !b->negative && !decimal_is_zero(b);
    return decimal_add(a, &negated, result);
}

bool decimal_multiply(const struct decimal *a, const struct decimal *b, struct decimal *result)
{
    struct decimal product = {0};

    if (a->scale + b->scale > DECIMAL_SCALE_MAX)
        return false;
    product.scale = a->scale + b->scale;

    if (is_small(a) && is_small(b)) {
        const wide both = (wide)a->limb[0] * b->limb[0];
        product.limb[0] = (uint64_t)both;
        product.limb[1] = (uint64_t)(both >> 64);
    } else {
        for (int i = 0; i < DECIMAL_LIMBS; i++) {
            uint64_t carry = 0;
            for (int j = 0; j < DECIMAL_LIMBS; j++) {
                if (i + j >= DECIMAL_LIMBS) {
                    if (a->limb[i] != 0 && b->limb[j] != 0)
                        return false;
                    continue;
                }
                const wide sum = (wide)a->limb[i] * b->limb[j] + product.limb[i + j] + carry;
                product.limb[i + j] = (uint64_t)sum;
                carry = (uint64_t)(sum >> 64);
            }
            if (carry != 0)
                return false;
        }
    }
    product.negative = a->negative != b->negative && !decimal_is_zero(&product);
    *result = product;
    return true;
}

bool decimal_shift(const struct decimal *value, int power, struct decimal *result)
{
    struct decimal shifted = *value;
    if (!settle_scale(&shifted, (int64_t)value->scale - power))
        return false;
    *result = shifted;
    return true;
}
