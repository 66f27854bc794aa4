#include "extract/grammar.h"

#include <fnmatch.h>

static void template_clear(struct template *template)
{
    for (unsigned i = 0; i < template->count; i++)
        g_free(template->pieces[i].literal);
    g_free(template->pieces);
}

static void expression_clear(struct expression *expression)
{
    for (unsigned i = 0; i < expression->count; i++)
        g_free(expression->items[i].metric);
}

static void checks_free(GArray *checks)
{
    for (guint i = 0; i < checks->len; i++) {
        struct check *check = &g_array_index(checks, struct check, i);
        expression_clear(&check->left);
        expression_clear(&check->right);
        g_free(check->captures);
    }
    g_array_free(checks, TRUE);
}

static void captures_free(struct capture *captures, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        g_free(captures[i].name);
    g_free(captures);
}

static void table_free(struct table *table)
{
    if (!table)
        return;
    pattern_free(table->label);
    pattern_free(table->label_alone);
    pattern_free(table->cell);
    captures_free(table->cell_captures, table->cell_capture_count);
    g_free(table->join);
    g_ptr_array_unref(table->names);
    g_free(table);
}

static void row_clear(struct row *row)
{
    template_clear(&row->metric);
    template_clear(&row->stat);
    template_clear(&row->series);
    for (unsigned i = 0; i < row->unit_count; i++) {
        g_free(row->units[i].from);
        g_free(row->units[i].before);
    }
    g_free(row->units);
    if (row->terms)
        g_array_free(row->terms, TRUE);
}

static void rule_free(gpointer data)
{
    struct rule *rule = data;
    pattern_free(rule->pattern);
    captures_free(rule->captures, rule->capture_count);
    table_free(rule->table);
    for (guint i = 0; i < rule->rows->len; i++)
        row_clear(&g_array_index(rule->rows, struct row, i));
    g_array_free(rule->rows, TRUE);
    for (guint i = 0; i < rule->assignments->len; i++)
        template_clear(&g_array_index(rule->assignments, struct assignment, i).text);
    g_array_free(rule->assignments, TRUE);
    for (guint i = 0; i < rule->params->len; i++) {
        struct param *param = &g_array_index(rule->params, struct param, i);
        template_clear(&param->key);
        template_clear(&param->value);
        g_free(param->separator);
        g_free(param->key_end);
        g_free(param->test_key);
    }
    g_array_free(rule->params, TRUE);
    checks_free(rule->checks);
    g_ptr_array_unref(rule->each);
    g_free(rule);
}

struct rule *rule_new(enum rule_kind kind, unsigned line)
{
    struct rule *rule = g_new0(struct rule, 1);
    rule->kind = kind;
    rule->line = line;
    rule->again = -1;
    rule->rows = g_array_new(FALSE, TRUE, sizeof(struct row));
    rule->assignments = g_array_new(FALSE, TRUE, sizeof(struct assignment));
    rule->params = g_array_new(FALSE, TRUE, sizeof(struct param));
    rule->checks = g_array_new(FALSE, TRUE, sizeof(struct check));
    rule->each = g_ptr_array_new_with_free_func(rule_free);
    return rule;
}

static void block_free(gpointer data)
{
    struct block *block = data;
    g_free(block->name);
    g_ptr_array_unref(block->rules);
    checks_free(block->checks);
    g_free(block);
}

static void map_free(gpointer data)
{
    struct map *map = data;
    for (guint i = 0; i < map->entries->len; i++) {
        g_free(g_array_index(map->entries, struct map_entry, i).from);
        g_free(g_array_index(map->entries, struct map_entry, i).to);
    }
    g_array_free(map->entries, TRUE);
    g_free(map->name);
    g_free(map);
}

static void unit_set_free(gpointer data)
{
    struct unit_set *set = data;
    for (guint i = 0; i < set->entries->len; i++)
        g_free(g_array_index(set->entries, struct unit_entry, i).name);
    g_array_free(set->entries, TRUE);
    g_free(set->name);
    g_free(set);
}

struct block *block_new(const char *name)
{
    struct block *block = g_new0(struct block, 1);
    block->name = g_strdup(name);
    block->rules = g_ptr_array_new_with_free_func(rule_free);
    block->checks = g_array_new(FALSE, TRUE, sizeof(struct check));
    return block;
}

struct unit_set *unit_set_new(const char *name)
{
    struct unit_set *set = g_new0(struct unit_set, 1);
    set->name = g_strdup(name);
    set->entries = g_array_new(FALSE, TRUE, sizeof(struct unit_entry));
    return set;
}

struct map *map_new(const char *name)
{
    struct map *map = g_new0(struct map, 1);
    map->name = g_strdup(name);
    map->entries = g_array_new(FALSE, TRUE, sizeof(struct map_entry));
    return map;
}

struct grammar *grammar_new(const char *file)
{
    static const char *const builtin[VARIABLE_BUILTIN_COUNT] = {"test", "series", "tool_version", "better", "decimal"};
    struct grammar *grammar = g_new0(struct grammar, 1);
    grammar->file = g_strdup(file);
    grammar->word_files = g_ptr_array_new_with_free_func(g_free);
    grammar->literals = g_array_new(FALSE, TRUE, sizeof(struct literal_item));
    grammar->variables = g_ptr_array_new_with_free_func(g_free);
    grammar->kept = g_array_new(FALSE, TRUE, sizeof(bool));
    grammar->listed = g_array_new(FALSE, TRUE, sizeof(bool));
    for (unsigned i = 0; i < VARIABLE_BUILTIN_COUNT; i++) {
        bool kept = i == VARIABLE_TOOL_VERSION;
        g_ptr_array_add(grammar->variables, g_strdup(builtin[i]));
        g_array_append_val(grammar->kept, kept);
        bool listed = false;
        g_array_append_val(grammar->listed, listed);
    }
    grammar->maps = g_ptr_array_new_with_free_func(map_free);
    grammar->unit_sets = g_ptr_array_new_with_free_func(unit_set_free);
    g_ptr_array_add(grammar->unit_sets, unit_set_new(NULL));
    grammar->better = g_array_new(FALSE, TRUE, sizeof(struct better_rule));
    grammar->rules = g_ptr_array_new_with_free_func(rule_free);
    grammar->blocks = g_ptr_array_new_with_free_func(block_free);
    return grammar;
}

void grammar_free(struct grammar *grammar)
{
    if (!grammar)
        return;
    g_free(grammar->name);
    g_free(grammar->about);
    g_free(grammar->file);
    g_ptr_array_unref(grammar->word_files);
    for (guint i = 0; i < grammar->literals->len; i++)
        literal_clear(&g_array_index(grammar->literals, struct literal_item, i));
    g_array_free(grammar->literals, TRUE);
    g_ptr_array_unref(grammar->variables);
    g_array_free(grammar->kept, TRUE);
    g_array_free(grammar->listed, TRUE);
    g_ptr_array_unref(grammar->maps);
    g_ptr_array_unref(grammar->unit_sets);
    for (guint i = 0; i < grammar->better->len; i++)
        g_free(g_array_index(grammar->better, struct better_rule, i).glob);
    g_array_free(grammar->better, TRUE);
    g_ptr_array_unref(grammar->rules);
    g_ptr_array_unref(grammar->blocks);
    g_free(grammar);
}

static void number_rules(struct grammar *grammar, const GPtrArray *rules)
{
    for (guint i = 0; i < rules->len; i++) {
        struct rule *rule = g_ptr_array_index(rules, i);
        rule->number = grammar->rule_count++;
        grammar->has_anywhere |= rule->anywhere;
    }
}

void grammar_number_rules(struct grammar *grammar)
{
    grammar->rule_count = 0;
    number_rules(grammar, grammar->rules);
    for (guint i = 0; i < grammar->blocks->len; i++) {
        struct block *block = g_ptr_array_index(grammar->blocks, i);
        block->number = i;
        number_rules(grammar, block->rules);
    }
}

bool grammar_may_match(const struct grammar *grammar, struct view text)
{
    bool stack[64];
    unsigned depth = 0;
    for (guint i = 0; i < grammar->literals->len; i++) {
        const struct literal_item *item = &g_array_index(grammar->literals, struct literal_item, i);
        if (item->kind == LITERAL_TEXT) {
            if (depth == G_N_ELEMENTS(stack))
                return true;
            stack[depth++] = literal_stands(item, text);
        } else {
            depth--;
            stack[depth - 1] =
                item->kind == LITERAL_AND ? stack[depth - 1] && stack[depth] : stack[depth - 1] || stack[depth];
        }
    }
    return depth == 0 || stack[0];
}

void grammar_add_better(struct grammar *grammar, char *glob, const char *direction)
{
    const char *star = strchr(glob, '*');
    struct better_rule rule = {.glob = glob, .direction = direction, .with_stat = strchr(glob, ':') != NULL};
    rule.is_simple = !strpbrk(glob, "?[\\") && (!star || !strchr(star + 1, '*'));
    rule.has_star = star != NULL;
    rule.head = star ? (size_t)(star - glob) : strlen(glob);
    rule.tail = star ? strlen(star + 1) : 0;
    g_array_append_val(grammar->better, rule);
}

/* name ends with NUL. This is asked of every row, and fnmatch is slow. */
static bool fits(const struct better_rule *rule, struct view name)
{
    if (!rule->is_simple)
        return fnmatch(rule->glob, name.bytes, 0) == 0;
    if (name.length < rule->head + rule->tail || (!rule->has_star && name.length > rule->head))
        return false;
    return memcmp(name.bytes, rule->glob, rule->head) == 0 &&
           memcmp(name.bytes + name.length - rule->tail, rule->glob + rule->head + rule->has_star, rule->tail) == 0;
}

const char *grammar_better(const struct grammar *grammar, struct view metric, struct view stat)
{
    char text[512];
    struct view both = {text, MIN(metric.length + 1 + stat.length, sizeof text - 1)};
    size_t before = MIN(metric.length, both.length);
    memcpy(text, metric.bytes, before);
    if (before < both.length) {
        text[before] = ':';
        memcpy(text + before + 1, stat.bytes, both.length - before - 1);
    }
    text[both.length] = '\0';
    for (guint i = 0; i < grammar->better->len; i++) {
        const struct better_rule *rule = &g_array_index(grammar->better, struct better_rule, i);
        if (fits(rule, rule->with_stat ? both : metric))
            return rule->direction;
    }
    return "";
}

bool grammar_unit(const struct grammar *grammar, const struct unit_set *set, struct view text, struct unit *unit)
{
    char name[32];
    size_t length = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (g_ascii_isspace(text.bytes[i]))
            continue;
        if (length == sizeof name - 1)
            return false;
        name[length++] = text.bytes[i];
    }
    name[length] = '\0';
    const struct unit_set *sets[] = {set, g_ptr_array_index(grammar->unit_sets, 0)};
    for (unsigned s = 0; s < G_N_ELEMENTS(sets); s++) {
        for (guint i = 0; sets[s] && i < sets[s]->entries->len; i++) {
            const struct unit_entry *entry = &g_array_index(sets[s]->entries, struct unit_entry, i);
            if (strcmp(entry->name, name) == 0) {
                *unit = entry->unit;
                return true;
            }
        }
    }
    return unit_lookup((struct view){name, length}, unit);
}
