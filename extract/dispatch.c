#include "extract/dispatch.h"

enum { BYTES = 256, LISTS_MAX = 255 };

/* Of one trial while one block is open. Most bytes have the same rules as others,
 * if any: this is small, so that a processor has it at hand. */
struct rules_by_byte {
    unsigned char list[BYTES]; /* from 1; 0: not known yet */
    struct candidate *lists[LISTS_MAX];
    unsigned count;
};

struct dispatch {
    const struct grammar *grammar;
    struct rules_by_byte **tables; /* by open block and trial; NULL: not made yet */
    size_t count;
};

struct dispatch *dispatch_new(const struct grammar *grammar)
{
    struct dispatch *dispatch = g_new0(struct dispatch, 1);
    dispatch->grammar = grammar;
    dispatch->count = ((size_t)grammar->blocks->len + 1) * TRIAL_COUNT;
    dispatch->tables = g_new0(struct rules_by_byte *, dispatch->count);
    return dispatch;
}

void dispatch_free(struct dispatch *dispatch)
{
    if (!dispatch)
        return;
    for (size_t i = 0; i < dispatch->count; i++) {
        for (unsigned list = 0; dispatch->tables[i] && list < dispatch->tables[i]->count; list++)
            g_free(dispatch->tables[i]->lists[list]);
        g_free(dispatch->tables[i]);
    }
    g_free(dispatch->tables);
    g_free(dispatch);
}

static bool is_tried(const struct rule *rule, enum trial trial)
{
    bool is_skip = rule->kind == RULE_SKIP;
    switch (trial) {
    case TRIAL_LINE:
        return rule->form != FORM_FLAT;
    case TRIAL_LONG_LINE:
        return rule->form != FORM_FLAT && !is_skip;
    case TRIAL_FLAT:
        return rule->form == FORM_FLAT || (rule->form == FORM_ANY && !is_skip);
    case TRIAL_SKIP:
        return is_skip && rule->form != FORM_FLAT;
    case TRIAL_WORD:
        return rule->anywhere && rule->form != FORM_FLAT;
    case TRIAL_COUNT:
        break;
    }
    return false;
}

/* A table's row begins with its label. */
static bool may_begin(const struct rule *rule, unsigned char byte)
{
    if (rule->kind == RULE_TABLE)
        return pattern_may_begin(rule->table->label, byte) || pattern_may_begin(rule->table->label_alone, byte);
    return pattern_may_begin(rule->pattern, byte);
}

static void add_rules(GArray *list, const GPtrArray *rules, const struct block *block, bool opening, enum trial trial,
                      unsigned char byte)
{
    for (guint i = 0; i < rules->len; i++) {
        const struct rule *rule = g_ptr_array_index(rules, i);
        bool opens = rule->kind == RULE_BEGIN || rule->kind == RULE_TABLE;
        if ((opening && !opens) || !is_tried(rule, trial) || !may_begin(rule, byte))
            continue;
        struct candidate candidate = {.rule = rule, .block = block};
        candidate.need = pattern_need(rule->kind == RULE_TABLE ? rule->table->cell : rule->pattern);
        candidate.breaks = rule->kind == RULE_TABLE ? pattern_need(rule->table->label)->breaks : 0;
        g_array_append_val(list, candidate);
    }
}

/* The rules of the open block, then those outside blocks, then what opens
 * another. */
static struct candidate *make_list(const struct grammar *grammar, const struct block *open, enum trial trial,
                                   unsigned char byte)
{
    GArray *list = g_array_new(TRUE, FALSE, sizeof(struct candidate));
    if (open)
        add_rules(list, open->rules, open, false, trial, byte);
    add_rules(list, grammar->rules, NULL, false, trial, byte);
    for (guint i = 0; i < grammar->blocks->len; i++) {
        const struct block *block = g_ptr_array_index(grammar->blocks, i);
        if (block != open)
            add_rules(list, block->rules, block, true, trial, byte);
    }
    return (struct candidate *)(void *)g_array_free(list, FALSE);
}

/* Are these the same rules? In one table they then come from the same blocks. */
static bool is_same(const struct candidate *a, const struct candidate *b)
{
    while (a->rule && a->rule == b->rule) {
        a++;
        b++;
    }
    return a->rule == b->rule;
}

/* The number of a list, from 1, which is taken over. */
static unsigned char add_list(struct rules_by_byte *table, struct candidate *list)
{
    for (unsigned i = 0; i < table->count; i++)
        if (is_same(table->lists[i], list)) {
            g_free(list);
            return (unsigned char)(i + 1);
        }
    g_assert(table->count < LISTS_MAX); /* bytes that begin UTF-8 text are fewer */
    table->lists[table->count++] = list;
    return (unsigned char)table->count;
}

const struct candidate *dispatch_find(struct dispatch *dispatch, const struct block *open, enum trial trial,
                                      unsigned char byte)
{
    struct rules_by_byte **table = &dispatch->tables[(open ? open->number + 1 : 0) * TRIAL_COUNT + trial];
    if (!*table)
        *table = g_new0(struct rules_by_byte, 1);
    if ((*table)->list[byte] == 0)
        (*table)->list[byte] = add_list(*table, make_list(dispatch->grammar, open, trial, byte));
    return (*table)->lists[(*table)->list[byte] - 1];
}
