/* condition: how rare a literal is, is guessed from its bytes (share_in_mail).
 * Each condition has witnesses, of which one at least is there where it holds:
 * of two literals joined by `and` the rarer one, of two joined by `or` both.
 * They count as rare, whatever they are.
 */
#include "extract/condition.h"

#include "extract/bucket.h"

#define BESIDE_SHARE 0.05 /* of common words, those beside a number or another word */
#define RARE_SHARE   1e-6 /* of the places in mail */

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

/* The witnesses of a condition, which is the terms from first to end; share is 1
 * or more where there are none. */
static struct choice choose_witnesses(const struct conditions *conditions, guint first, guint end)
{
    struct choice stack[CONDITION_DEPTH];
    struct choice result = {NULL, 0, 1};
    unsigned depth = 0;

    for (guint i = first; i < end; i++) {
        const struct condition_term *term = conditions_term(conditions, i);

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
            stack[depth].share = share_in_mail(term->text) * (literal_has_neighbours(&term->item) ? BESIDE_SHARE : 1);
        depth++;
    }
    if (depth == 1)
        result = stack[0];
    return result;
}

struct literal_item condition_item(const struct condition_term *term, struct view piece)
{
    struct literal_item item = term->item;

    if (piece.bytes > item.text)
        item.begins_word = item.after_number = false;
    if (piece.bytes[piece.length] != '\0') {
        item.next = NULL;
        item.ends_word = item.before_number = false;
    }
    return item;
}

static struct condition_term read_term(const struct literal_item *item, guint grammar)
{
    struct condition_term term = {.item = *item, .grammar = grammar};

    if (item->kind == LITERAL_TEXT) {
        term.text = longest_run(item->text, true);
        term.narrow = longest_run(item->text, false);
        term.wide = count_wide(term.text);
        term.item = condition_item(&term, term.text);
    }
    if (term.text.length < PIECE_MIN)
        term.text.length = 0;
    return term;
}

static void add_grammar(struct conditions *conditions, guint index)
{
    const struct grammar *grammar = g_ptr_array_index(conditions->grammars, index);
    guint first = conditions->terms->len;
    struct choice choice;

    for (guint i = 0; i < grammar->literals->len; i++) {
        struct condition_term term = read_term(&g_array_index(grammar->literals, struct literal_item, i), index);

        term.rare = term.text.length > 0 && share_in_mail(term.text) <= RARE_SHARE;
        if (term.item.kind == LITERAL_TEXT && term.text.length < strlen(term.item.text))
            conditions->loose = true;
        g_array_append_val(conditions->terms, term);
    }
    g_array_append_val(conditions->first, conditions->terms->len);
    choice = choose_witnesses(conditions, first, conditions->terms->len);
    if (choice.share >= 1)
        g_array_append_val(conditions->open, index);
    for (guint i = 0; i < choice.count && choice.share < 1; i++)
        g_array_index(conditions->terms, struct condition_term, choice.terms[i]).rare = true;
    g_free(choice.terms);
    for (guint i = first; i < conditions->terms->len; i++)
        if (conditions_term(conditions, i)->text.length > 0)
            g_array_append_val(conditions_term(conditions, i)->rare ? conditions->rare : conditions->common, i);
}

static struct search *search_for(const struct conditions *conditions, const GArray *terms)
{
    struct search_literal *literals = g_new0(struct search_literal, terms->len + 1);
    struct search *search;

    for (guint i = 0; i < terms->len; i++)
        literals[i].text = conditions_term(conditions, g_array_index(terms, guint, i))->text;
    search = search_new(literals, terms->len);
    g_free(literals);
    return search;
}

struct conditions *conditions_new(const GPtrArray *grammars)
{
    struct conditions *conditions = g_new0(struct conditions, 1);
    const guint first = 0;

    conditions->grammars = grammars;
    conditions->terms = g_array_new(FALSE, FALSE, sizeof(struct condition_term));
    conditions->first = g_array_new(FALSE, FALSE, sizeof(guint));
    conditions->open = g_array_new(FALSE, FALSE, sizeof(guint));
    conditions->rare = g_array_new(FALSE, FALSE, sizeof(guint));
    conditions->common = g_array_new(FALSE, FALSE, sizeof(guint));
    g_array_append_val(conditions->first, first);
    for (guint g = 0; g < grammars->len; g++)
        add_grammar(conditions, g);
    conditions->rare_search = search_for(conditions, conditions->rare);
    conditions->common_search = search_for(conditions, conditions->common);
    return conditions;
}

void conditions_free(struct conditions *conditions)
{
    if (!conditions)
        return;
    search_free(conditions->rare_search);
    search_free(conditions->common_search);
    g_array_free(conditions->rare, TRUE);
    g_array_free(conditions->common, TRUE);
    g_array_free(conditions->open, TRUE);
    g_array_free(conditions->first, TRUE);
    g_array_free(conditions->terms, TRUE);
    g_free(conditions);
}

struct condition_findings *condition_findings_new(const struct conditions *conditions)
{
    struct condition_findings *findings = g_new0(struct condition_findings, 1);

    findings->touched = g_new0(bool, conditions->grammars->len + 1);
    findings->present = g_new0(bool, conditions->terms->len + 1);
    return findings;
}

void condition_findings_free(struct condition_findings *findings)
{
    if (!findings)
        return;
    g_free(findings->touched);
    g_free(findings->present);
    g_free(findings);
}

void condition_findings_clear(struct condition_findings *findings, const struct conditions *conditions)
{
    findings->any = false;
    memset(findings->touched, 0, conditions->grammars->len * sizeof *findings->touched);
    memset(findings->present, 0, conditions->terms->len * sizeof *findings->present);
}

/* Note those of the terms that text holds. */
static void find_terms(const struct conditions *conditions, const struct search *search, const GArray *terms,
                       struct view text, struct condition_findings *findings)
{
    struct search_cursor cursor;
    unsigned index;
    size_t offset;

    search_begin(&cursor, text);
    while (search_next(search, &cursor, &index, &offset)) {
        guint place = g_array_index(terms, guint, index);
        const struct condition_term *term = conditions_term(conditions, place);

        if (findings->present[place] || !literal_fits(&term->item, text, offset, offset + term->text.length))
            continue;
        findings->present[place] = true;
        condition_findings_touch(findings, term->grammar);
    }
}

void conditions_find_rare(const struct conditions *conditions, struct view text, struct condition_findings *findings)
{
    find_terms(conditions, conditions->rare_search, conditions->rare, text, findings);
}

void conditions_find_common(const struct conditions *conditions, struct view text, struct condition_findings *findings)
{
    find_terms(conditions, conditions->common_search, conditions->common, text, findings);
}

/* Does the condition hold, if all common terms were there (given), or as found? */
static bool holds(const struct conditions *conditions, guint grammar, const struct condition_findings *findings,
                  bool given)
{
    bool stack[CONDITION_DEPTH];
    unsigned depth = 0;

    for (guint i = g_array_index(conditions->first, guint, grammar);
         i < g_array_index(conditions->first, guint, grammar + 1); i++) {
        const struct condition_term *term = conditions_term(conditions, i);

        if (term->item.kind == LITERAL_TEXT) {
            if (depth == CONDITION_DEPTH)
                return true;
            stack[depth++] = term->text.length == 0 || findings->present[i] || (given && !term->rare);
        } else {
            depth--;
            stack[depth - 1] =
                term->item.kind == LITERAL_AND ? stack[depth - 1] && stack[depth] : stack[depth - 1] || stack[depth];
        }
    }
    return depth == 0 || stack[0];
}

bool conditions_may_hold(const struct conditions *conditions, const struct condition_findings *findings)
{
    for (guint g = 0; g < conditions->grammars->len && findings->any; g++)
        if (findings->touched[g] && holds(conditions, g, findings, true))
            return true;
    return false;
}

bool conditions_hold(const struct conditions *conditions, guint grammar, const struct condition_findings *findings)
{
    return findings->touched[grammar] && holds(conditions, grammar, findings, false);
}

void conditions_ask(const struct conditions *conditions, struct view text, struct condition_findings *findings,
                    bool *may_match)
{
    condition_findings_clear(findings, conditions);
    conditions_find_rare(conditions, text, findings);
    for (guint i = 0; i < conditions->open->len; i++)
        condition_findings_touch(findings, g_array_index(conditions->open, guint, i));
    if (conditions_may_hold(conditions, findings))
        conditions_find_common(conditions, text, findings);
    for (guint g = 0; g < conditions->grammars->len; g++) {
        may_match[g] = conditions_hold(conditions, g, findings);
        if (may_match[g] && conditions->loose)
            may_match[g] = grammar_may_match(g_ptr_array_index(conditions->grammars, g), text);
    }
}
