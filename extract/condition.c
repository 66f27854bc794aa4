/* condition: of two literals joined by `and` the rarer one is witness, of two
 * joined by `or` both are; how rare is guessed from the bytes (search_share).
 */
#include "extract/condition.h"

#define NUMBER_SHARE 0.05 /* of common words, those beside a number */

enum {
    PIECE_MIN = 2,        /* bytes of a literal worth a search */
    CONDITION_DEPTH = 64, /* operands that wait for an operator, as in grammar_may_match */
};

/* The longest run of bytes in a literal that stand in a text together: all, but
 * for `>`, which quote.h may put before a text. Without wide those of ASCII. */
static struct view longest_run(const char *literal, bool wide)
{
    struct view best = {literal, 0};
    size_t start = 0;

    for (size_t i = 0;; i++) {
        unsigned char byte = (unsigned char)literal[i];

        if (byte > ' ' && byte != '>' && byte != 0x7f && (wide || byte < 0x80))
            continue;
        if (i - start > best.length)
            best = (struct view){literal + start, i - start};
        if (byte == '\0')
            break;
        start = i + 1;
    }
    return best;
}

/* The most characters beyond ASCII that follow each other in UTF-8 text. */
static size_t count_wide(struct view text)
{
    size_t most = 0, count = 0;

    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];

        if (byte < 0x80)
            count = 0;
        else
            count += byte >= 0xC0;
        most = MAX(most, count);
    }
    return most;
}

/* Terms of which one at least holds where a condition holds. */
struct choice {
    guint *terms;
    guint count;
    double share; /* 1 and more: nothing can be told */
};

/* Of two conditions that both must hold the rarer one is witness enough. */
static struct choice combine(enum literal_kind kind, struct choice left, struct choice right)
{
    struct choice both = left;

    if (kind == LITERAL_AND) {
        bool keep_left = left.share <= right.share;

        g_free(keep_left ? right.terms : left.terms);
        return keep_left ? left : right;
    }
    both.terms = g_renew(guint, left.terms, left.count + right.count);
    for (guint i = 0; i < right.count; i++)
        both.terms[both.count++] = right.terms[i];
    both.share += right.share;
    g_free(right.terms);
    return both;
}

static bool has_number(const struct condition_term *term)
{
    return term->item.after_number || term->item.before_number;
}

/* The witnesses of a condition; share is 1 or more where there are none. */
static struct choice find_witnesses(const GArray *condition)
{
    struct choice stack[CONDITION_DEPTH];
    struct choice result = {NULL, 0, 1};
    unsigned depth = 0;

    for (guint i = 0; i < condition->len; i++) {
        const struct condition_term *term = &g_array_index(condition, struct condition_term, i);

        if (term->item.kind != LITERAL_TEXT) {
            depth--;
            stack[depth - 1] = combine(term->item.kind, stack[depth - 1], stack[depth]);
            continue;
        }
        if (depth == CONDITION_DEPTH) {
            while (depth > 0)
                g_free(stack[--depth].terms);
            return result;
        }
        stack[depth] = (struct choice){g_new(guint, 1), 1, 1};
        stack[depth].terms[0] = i;
        if (term->text.length > 0)
            stack[depth].share = search_share(term->text) * (has_number(term) ? NUMBER_SHARE : 1);
        depth++;
    }
    if (depth == 1)
        result = stack[0];
    return result;
}

static void free_terms(gpointer terms)
{
    g_array_free(terms, TRUE);
}

static GArray *read_terms(const struct grammar *grammar)
{
    GArray *terms = g_array_new(FALSE, FALSE, sizeof(struct condition_term));

    for (guint i = 0; i < grammar->literals->len; i++) {
        const struct literal_item *item = &g_array_index(grammar->literals, struct literal_item, i);
        struct condition_term term = {.item = *item};

        if (item->kind == LITERAL_TEXT) {
            term.text = longest_run(item->text, true);
            term.narrow = longest_run(item->text, false);
            term.wide = count_wide(term.text);
            /* A number stands beside the literal, not beside a piece of it. */
            term.item.after_number = item->after_number && term.text.bytes == item->text;
            term.item.before_number = item->before_number && term.text.bytes[term.text.length] == '\0';
        }
        if (term.text.length < PIECE_MIN)
            term.text.length = 0;
        g_array_append_val(terms, term);
    }
    return terms;
}

struct conditions *conditions_new(const GPtrArray *grammars)
{
    struct conditions *conditions = g_new0(struct conditions, 1);
    GArray *literals = g_array_new(FALSE, FALSE, sizeof(struct search_literal));

    conditions->grammars = grammars;
    conditions->terms = g_ptr_array_new_with_free_func(free_terms);
    conditions->open = g_array_new(FALSE, FALSE, sizeof(guint));
    conditions->owners = g_array_new(FALSE, FALSE, sizeof(struct condition_owner));
    for (guint g = 0; g < grammars->len; g++) {
        GArray *terms = read_terms(g_ptr_array_index(grammars, g));
        struct choice choice = find_witnesses(terms);

        if (choice.share >= 1)
            g_array_append_val(conditions->open, g);
        for (guint i = 0; i < choice.count && choice.share < 1; i++) {
            struct condition_owner owner = {g, choice.terms[i]};
            struct search_literal literal = {g_array_index(terms, struct condition_term, owner.term).text, false};

            g_array_append_val(literals, literal);
            g_array_append_val(conditions->owners, owner);
        }
        g_free(choice.terms);
        g_ptr_array_add(conditions->terms, terms);
    }
    conditions->witnesses = search_new((const struct search_literal *)(const void *)literals->data, literals->len);
    g_array_free(literals, TRUE);
    return conditions;
}

void conditions_free(struct conditions *conditions)
{
    if (!conditions)
        return;
    search_free(conditions->witnesses);
    g_array_free(conditions->owners, TRUE);
    g_array_free(conditions->open, TRUE);
    g_ptr_array_unref(conditions->terms);
    g_free(conditions);
}

void conditions_ask(const struct conditions *conditions, struct view text, bool *may_match)
{
    struct search_cursor cursor;
    unsigned witness;
    size_t offset;

    memset(may_match, 0, conditions->grammars->len * sizeof *may_match);
    for (guint i = 0; i < conditions->open->len; i++)
        may_match[g_array_index(conditions->open, guint, i)] = true;
    search_begin(&cursor, text);
    while (search_next(conditions->witnesses, &cursor, &witness, &offset)) {
        const struct condition_term *term = conditions_witness(conditions, witness);
        guint grammar = conditions_owner(conditions, witness).grammar;

        if (!may_match[grammar])
            may_match[grammar] = literal_has_numbers(&term->item, text, offset, offset + term->text.length);
    }
    for (guint g = 0; g < conditions->grammars->len; g++)
        if (may_match[g])
            may_match[g] = grammar_may_match(g_ptr_array_index(conditions->grammars, g), text);
}
