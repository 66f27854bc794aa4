/* One pass over the file's logical lines. A line's first word is its keyword;
 * the table at the end of this file says where each may stand and which
 * function reads it. A rule is finished (captures checked for use) when the
 * next rule or the end of the file comes. */
#include "extract/grammar_load.h"

#include "extract/grammar_line.h"

struct loader {
    struct grammar_source *source;
    struct grammar *grammar;
    struct fragments *fragments;
    struct block *block;
    struct rule *rule; /* the rule that statements go to */
    struct rule *top;  /* the rule that `each` goes under */
    GString *label; /* of the table being read, until its cell comes */
    bool *capture_used;
    const struct source_line *rule_line;
    GArray *variable_set, *variable_used; /* bool */
    GArray *variable_places;              /* struct source_place */
    GArray *line_of_map;                  /* unused-check for maps: bool used */
    GArray *unit_set_used;                /* bool */
};

/* ---- small helpers ---- */

static void mistake(struct loader *loader, struct line_reader *reader, size_t offset, const char *what)
{
    grammar_source_mistake(loader->source, source_line_place(reader->line, offset), "%s", what);
}

static unsigned all_captures(const struct rule *rule)
{
    return rule->capture_count + (rule->table ? rule->table->cell_capture_count : 0);
}

static const struct capture *capture_at(const struct rule *rule, unsigned index)
{
    return index < rule->capture_count ? &rule->captures[index]
                                       : &rule->table->cell_captures[index - rule->capture_count];
}

static int find_capture(const struct rule *rule, const char *name)
{
    for (unsigned i = 0; i < all_captures(rule); i++)
        if (strcmp(capture_at(rule, i)->name, name) == 0)
            return (int)i;
    return -1;
}

static int find_variable(const struct loader *loader, const char *name)
{
    for (guint i = 0; i < loader->grammar->variables->len; i++)
        if (strcmp(g_ptr_array_index(loader->grammar->variables, i), name) == 0)
            return (int)i;
    return -1;
}

static int find_map(const struct loader *loader, const char *name)
{
    for (guint i = 0; i < loader->grammar->maps->len; i++)
        if (strcmp(((struct map *)g_ptr_array_index(loader->grammar->maps, i))->name, name) == 0)
            return (int)i;
    return -1;
}

static void set_flag(GArray *flags, unsigned index)
{
    g_array_index(flags, bool, index) = true;
}

/* Cut a comma off the end of a word; true if there was one. */
static bool cut_comma(struct token *token)
{
    size_t length = strlen(token->text);
    if (length == 0 || token->text[length - 1] != ',')
        return false;
    token->text[length - 1] = '\0';
    return true;
}

/* ---- references and templates ---- */

/* The capture that a token `<name>` names; CAPTURE_NONE and a mistake if none. */
static unsigned read_capture(struct loader *loader, struct line_reader *reader, const struct token *token)
{
    size_t length = strlen(token->text);
    if (length < 3 || token->text[0] != '<' || token->text[length - 1] != '>') {
        mistake(loader, reader, token->start, "a capture is written <name>");
        return CAPTURE_NONE;
    }
    char *name = g_strndup(token->text + 1, length - 2);
    int index = find_capture(loader->rule, name);
    g_free(name);
    if (index < 0) {
        mistake(loader, reader, token->start, "the rule's pattern has no capture of this name");
        return CAPTURE_NONE;
    }
    loader->capture_used[index] = true;
    return (unsigned)index;
}

static bool read_filter(struct loader *loader, struct line_reader *reader, size_t offset, const char *name,
                        struct reference *reference)
{
    if (strcmp(name, "lower") == 0) {
        reference->filter = FILTER_LOWER;
    } else if (strcmp(name, "number") == 0) {
        reference->filter = FILTER_NUMBER;
    } else if (strcmp(name, "base") == 0) {
        reference->filter = FILTER_BASE;
    } else {
        int map = find_map(loader, name);
        if (map < 0) {
            mistake(loader, reader, offset, "no map and no filter is called so");
            return false;
        }
        reference->filter = FILTER_MAP;
        reference->map = g_ptr_array_index(loader->grammar->maps, (guint)map);
        set_flag(loader->line_of_map, (unsigned)map);
    }
    return true;
}

/* text is what stands between < and >, at offset of the line. */
static bool read_reference(struct loader *loader, struct line_reader *reader, size_t offset, const char *text,
                           struct reference *reference)
{
    const char *bar = strchr(text, '|');
    char *name = bar ? g_strndup(text, (gsize)(bar - text)) : g_strdup(text);
    bool good = true;
    memset(reference, 0, sizeof *reference);
    int index = loader->rule ? find_capture(loader->rule, name) : -1;
    if (index >= 0) {
        loader->capture_used[index] = true;
        reference->index = (unsigned)index;
    } else {
        index = find_variable(loader, name);
        if (index < 0) {
            mistake(loader, reader, offset, "neither a capture of this rule nor a carried variable");
            good = false;
        } else {
            reference->carried = true;
            reference->index = (unsigned)index;
            set_flag(loader->variable_used, (unsigned)index);
        }
    }
    if (bar)
        good &= read_filter(loader, reader, offset + (size_t)(bar + 1 - text), bar + 1, reference);
    g_free(name);
    return good;
}

static void read_template(struct loader *loader, struct line_reader *reader, const struct token *token,
                          struct template *template)
{
    GArray *pieces = g_array_new(FALSE, TRUE, sizeof(struct piece));
    const char *text = token->text;
    for (size_t i = 0; text[i];) {
        struct piece piece = {0};
        const char *end = text[i] == '<' ? strchr(text + i, '>') : NULL;
        if (end) {
            char *inner = g_strndup(text + i + 1, (gsize)(end - text) - i - 1);
            read_reference(loader, reader, token->start + i + 1, inner, &piece.reference);
            g_free(inner);
            i = (size_t)(end - text) + 1;
        } else {
            size_t length = 1 + strcspn(text + i + 1, "<");
            piece.literal = g_strndup(text + i, length);
            i += length;
        }
        g_array_append_val(pieces, piece);
    }
    template->count = pieces->len;
    template->pieces = (struct piece *)g_array_free(pieces, FALSE);
}

/* ---- patterns and rules ---- */

static void collect_captures(struct loader *loader, const struct pattern *pattern, struct capture **captures,
                             unsigned *count)
{
    GArray *found = g_array_new(FALSE, TRUE, sizeof(struct capture));
    for (unsigned group = 1; group <= pattern_group_count(pattern); group++) {
        const char *name = pattern_group_name(pattern, group);
        if (!name)
            continue;
        struct capture *capture = NULL;
        for (guint i = 0; i < found->len && !capture; i++)
            if (strcmp(g_array_index(found, struct capture, i).name, name) == 0)
                capture = &g_array_index(found, struct capture, i);
        if (!capture) {
            struct capture fresh = {.name = g_strdup(name), .variable = find_variable(loader, name)};
            if (fresh.variable >= 0)
                set_flag(loader->variable_set, (unsigned)fresh.variable);
            g_array_append_val(found, fresh);
            capture = &g_array_index(found, struct capture, found->len - 1);
        }
        if (capture->group_count < G_N_ELEMENTS(capture->groups))
            capture->groups[capture->group_count++] = group;
    }
    *count = found->len;
    *captures = (struct capture *)g_array_free(found, FALSE);
}

/* Compile what stands from start to the end of the line; NULL with the mistake
 * reported if that can't be done. */
static struct pattern *read_pattern(struct loader *loader, struct line_reader *reader, size_t start)
{
    GString *text;
    GArray *offsets;
    struct pattern *pattern = NULL;
    bool good = fragments_expand(loader->fragments, loader->source, reader->line, start, &text, &offsets);
    if (text->len == 0) {
        mistake(loader, reader, start, "a pattern is missing");
        good = false;
    }
    if (good) {
        size_t error_offset = 0;
        char *error = NULL;
        pattern = pattern_compile((struct view){text->str, text->len}, &error_offset, &error);
        if (!pattern) {
            size_t place =
                error_offset < offsets->len ? g_array_index(offsets, size_t, error_offset) : reader->line->text->len;
            mistake(loader, reader, place, error);
            g_free(error);
        }
    }
    g_string_free(text, TRUE);
    g_array_free(offsets, TRUE);
    return pattern;
}

static void finish_rule(struct loader *loader)
{
    struct rule *rule = loader->rule;
    if (!rule)
        return;
    for (unsigned i = 0; i < all_captures(rule); i++) {
        const struct capture *capture = capture_at(rule, i);
        if (!loader->capture_used[i] && capture->variable < 0)
            grammar_source_mistake(loader->source, source_line_place(loader->rule_line, 0),
                                   "capture <%s> is not used", capture->name);
    }
    if (rule->kind == RULE_TABLE && (!rule->table->label || !rule->table->cell))
        grammar_source_mistake(loader->source, source_line_place(loader->rule_line, 0),
                               "a table needs a label and a cell");
    g_free(loader->capture_used);
    loader->capture_used = NULL;
    if (loader->label)
        g_string_free(loader->label, TRUE);
    loader->label = NULL;
    loader->rule = NULL;
}

static void start_rule(struct loader *loader, struct line_reader *reader, enum rule_kind kind, GPtrArray *rules)
{
    finish_rule(loader);
    struct rule *rule = rule_new(kind, source_line_place(reader->line, 0).line);
    g_ptr_array_add(rules, rule);
    loader->rule = rule;
    loader->rule_line = reader->line;
    if (kind != RULE_TABLE) {
        size_t start = line_reader_rest(reader);
        rule->pattern = read_pattern(loader, reader, start);
        if (rule->pattern)
            collect_captures(loader, rule->pattern, &rule->captures, &rule->capture_count);
    } else {
        rule->table = g_new0(struct table, 1);
        rule->table->header_rows = 2;
        rule->table->join = g_strdup("-");
        rule->table->names = g_ptr_array_new_with_free_func(g_free);
    }
    loader->capture_used = g_new0(bool, 256);
}

static void read_begin(struct loader *loader, struct line_reader *reader)
{
    start_rule(loader, reader, RULE_BEGIN, loader->block->rules);
    loader->top = loader->rule;
}

static void read_line(struct loader *loader, struct line_reader *reader)
{
    start_rule(loader, reader, RULE_LINE, loader->block->rules);
    loader->top = loader->rule;
}

static void read_skip(struct loader *loader, struct line_reader *reader)
{
    start_rule(loader, reader, RULE_SKIP, loader->block ? loader->block->rules : loader->grammar->rules);
    loader->top = NULL;
}

static void read_version(struct loader *loader, struct line_reader *reader)
{
    start_rule(loader, reader, RULE_VERSION, loader->grammar->rules);
    loader->top = NULL;
    if (loader->rule->pattern && find_capture(loader->rule, "tool_version") < 0)
        mistake(loader, reader, 0, "the pattern has no capture <tool_version:...>");
}

static void read_each(struct loader *loader, struct line_reader *reader)
{
    if (!loader->top || loader->top->kind == RULE_TABLE) {
        mistake(loader, reader, 0, "each stands under a begin or line rule");
        return;
    }
    start_rule(loader, reader, RULE_EACH, loader->top->each);
}

static void read_table(struct loader *loader, struct line_reader *reader)
{
    start_rule(loader, reader, RULE_TABLE, loader->block->rules);
    loader->top = loader->rule;
    line_reader_end(reader, loader->source);
}

/* The label's pattern is compiled with its cell behind it: it ends where the
 * first cell begins. */
static void read_label(struct loader *loader, struct line_reader *reader)
{
    if (loader->label || loader->rule->table->cell) {
        mistake(loader, reader, 0, "a table has one label, before its cell");
        return;
    }
    GArray *offsets;
    struct pattern *alone = read_pattern(loader, reader, line_reader_rest(reader));
    if (alone && fragments_expand(loader->fragments, loader->source, reader->line, reader->at, &loader->label, &offsets))
        g_array_free(offsets, TRUE);
    pattern_free(alone);
}

/* Append pattern with its named groups as plain ones. */
static void append_nameless(GString *out, const char *pattern)
{
    while (*pattern) {
        const char *end = g_str_has_prefix(pattern, "(?<") && (g_ascii_isalpha(pattern[3]) || pattern[3] == '_')
                              ? strchr(pattern, '>')
                              : NULL;
        g_string_append(out, end ? "(?:" : "");
        if (end)
            pattern = end + 1;
        else
            g_string_append_c(out, *pattern++);
    }
}

static void compile_label(struct loader *loader, struct line_reader *reader, const char *cell)
{
    struct table *table = loader->rule->table;
    GString *source = g_string_new("(?:");
    g_string_append_printf(source, "%s)%s(?=", loader->label->str, FRAGMENT_BLANK);
    append_nameless(source, cell);
    g_string_append_c(source, ')');
    size_t error_offset;
    char *error = NULL;
    table->label = pattern_compile((struct view){source->str, source->len}, &error_offset, &error);
    g_free(error);
    error = NULL;
    g_string_printf(source, "(?:%s)\\z", loader->label->str);
    table->label_alone = pattern_compile((struct view){source->str, source->len}, &error_offset, &error);
    if (table->label && table->label_alone)
        collect_captures(loader, table->label, &loader->rule->captures, &loader->rule->capture_count);
    else
        mistake(loader, reader, 0, error);
    g_free(error);
    g_string_free(source, TRUE);
    g_string_free(loader->label, TRUE);
    loader->label = NULL;
}

static void read_cell(struct loader *loader, struct line_reader *reader)
{
    struct table *table = loader->rule->table;
    if (table->cell || !loader->label) {
        mistake(loader, reader, 0, "a table has one cell, after its label");
        return;
    }
    table->cell = read_pattern(loader, reader, line_reader_rest(reader));
    if (!table->cell)
        return;
    GString *text;
    GArray *offsets;
    fragments_expand(loader->fragments, loader->source, reader->line, reader->at, &text, &offsets);
    compile_label(loader, reader, text->str);
    collect_captures(loader, table->cell, &table->cell_captures, &table->cell_capture_count);
    g_string_free(text, TRUE);
    g_array_free(offsets, TRUE);
}

/* header N join "-" | header same */
static void read_header(struct loader *loader, struct line_reader *reader)
{
    struct table *table = loader->rule->table;
    struct token token;
    if (!line_reader_next(reader, &token)) {
        mistake(loader, reader, 0, "header COUNT join TEXT, or header same");
        return;
    }
    if (strcmp(token.text, "same") == 0) {
        table->header_rows = 0;
    } else if (g_ascii_isdigit(token.text[0]) && token.text[0] != '0' && !token.text[1]) {
        table->header_rows = (unsigned)(token.text[0] - '0');
        token_clear(&token);
        if (line_reader_word(reader, "join") && line_reader_next(reader, &token)) {
            g_free(table->join);
            table->join = g_strdup(token.text);
        } else {
            mistake(loader, reader, reader->at, "join TEXT is missing");
            return;
        }
    } else {
        mistake(loader, reader, token.start, "a count from 1 to 9, or same");
    }
    token_clear(&token);
    line_reader_end(reader, loader->source);
}

/* names WORD...: what headers of such tables often hold */
static void read_names(struct loader *loader, struct line_reader *reader)
{
    struct token token;
    while (line_reader_next(reader, &token)) {
        g_ptr_array_add(loader->rule->table->names, g_strdup(token.text));
        token_clear(&token);
    }
    if (loader->rule->table->names->len == 0)
        mistake(loader, reader, reader->at, "names WORD...");
}

static void read_title(struct loader *loader, struct line_reader *reader)
{
    if (!line_reader_word(reader, "test"))
        mistake(loader, reader, reader->at, "title test");
    loader->rule->table->title_is_test = true;
    line_reader_end(reader, loader->source);
}

/* ---- statements of a rule ---- */

/* UNIT [from VERSION] [before VERSION] {, ...}; stops at a keyword. */
static void read_row_units(struct loader *loader, struct line_reader *reader, struct row *row)
{
    GArray *units = g_array_new(FALSE, TRUE, sizeof(struct row_unit));
    struct token token;
    while (line_reader_peek(reader, &token)) {
        bool keyword = strcmp(token.text, "change") == 0 || strcmp(token.text, "significant") == 0 ||
                       strcmp(token.text, "spread") == 0;
        if (keyword) {
            token_clear(&token);
            break;
        }
        line_reader_skip(reader);
        bool more = cut_comma(&token);
        size_t length = strlen(token.text);
        struct row_unit unit = {.given = true};
        if (token.text[0] == '<') {
            unit.by_reference = true;
            char *inner = g_strndup(token.text + 1, length >= 2 ? length - 2 : 0);
            read_reference(loader, reader, token.start + 1, inner, &unit.reference);
            g_free(inner);
        } else if (!grammar_unit(loader->grammar, loader->rule->units, view_of(token.text), &unit.unit)) {
            mistake(loader, reader, token.start, "unknown unit");
        }
        token_clear(&token);
        char **bounds[] = {&unit.from, &unit.before};
        const char *const words[] = {"from", "before"};
        for (unsigned i = 0; i < 2 && !more; i++) {
            if (!line_reader_word(reader, words[i]))
                continue;
            if (!line_reader_next(reader, &token)) {
                mistake(loader, reader, reader->at, "a version is missing");
                break;
            }
            more = cut_comma(&token);
            if (!token.text[0] || token.text[strspn(token.text, "0123456789.")])
                mistake(loader, reader, token.start, "a version is digits and points");
            *bounds[i] = g_strdup(token.text);
            token_clear(&token);
        }
        g_array_append_val(units, unit);
        if (!more)
            break;
    }
    row->unit_count = units->len;
    row->units = (struct row_unit *)g_array_free(units, FALSE);
}

/* row METRIC [stat STAT] [series SERIES] = <capture> [UNIT...] [change <c>]
 * [significant <c>] [spread <c>] */
static void read_row(struct loader *loader, struct line_reader *reader)
{
    struct row row = {.value = CAPTURE_NONE,
                      .change = CAPTURE_NONE,
                      .significant = CAPTURE_NONE,
                      .spread = CAPTURE_NONE,
                      .line = source_line_place(reader->line, 0).line};
    struct token token;
    if (!line_reader_next(reader, &token)) {
        mistake(loader, reader, reader->at, "row METRIC [stat STAT] = <capture> [UNIT]");
        return;
    }
    read_template(loader, reader, &token, &row.metric);
    token_clear(&token);
    if (line_reader_word(reader, "stat") && line_reader_next(reader, &token)) {
        row.has_stat = true;
        read_template(loader, reader, &token, &row.stat);
        token_clear(&token);
    }
    if (line_reader_word(reader, "series") && line_reader_next(reader, &token)) {
        row.has_series = true;
        read_template(loader, reader, &token, &row.series);
        token_clear(&token);
    }
    if (!line_reader_word(reader, "=") || !line_reader_next(reader, &token)) {
        mistake(loader, reader, reader->at, "= <capture> is missing");
        g_array_append_val(loader->rule->rows, row);
        return;
    }
    row.value = read_capture(loader, reader, &token);
    token_clear(&token);
    read_row_units(loader, reader, &row);
    unsigned *extra[] = {&row.change, &row.significant, &row.spread};
    const char *const words[] = {"change", "significant", "spread"};
    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
        if (line_reader_word(reader, words[i]) && line_reader_next(reader, &token)) {
            *extra[i] = read_capture(loader, reader, &token);
            token_clear(&token);
        }
    }
    line_reader_end(reader, loader->source);
    g_array_append_val(loader->rule->rows, row);
}

static void read_set(struct loader *loader, struct line_reader *reader)
{
    struct token name, value;
    if (!line_reader_next(reader, &name))
        mistake(loader, reader, reader->at, "set VARIABLE = TEXT");
    else {
        struct assignment assignment = {0};
        int variable = find_variable(loader, name.text);
        if (variable < 0)
            mistake(loader, reader, name.start, "no variable of this name is carried");
        else if (!line_reader_word(reader, "=") || !line_reader_next(reader, &value))
            mistake(loader, reader, reader->at, "= TEXT is missing");
        else {
            assignment.variable = (unsigned)variable;
            set_flag(loader->variable_set, assignment.variable);
            read_template(loader, reader, &value, &assignment.text);
            g_array_append_val(loader->rule->assignments, assignment);
            token_clear(&value);
            line_reader_end(reader, loader->source);
        }
        token_clear(&name);
    }
}

static void read_param(struct loader *loader, struct line_reader *reader)
{
    struct token key, value;
    struct param param = {0};
    if (!line_reader_next(reader, &key)) {
        mistake(loader, reader, reader->at, "param KEY = TEXT");
        return;
    }
    if (!line_reader_word(reader, "=") || !line_reader_next(reader, &value)) {
        mistake(loader, reader, reader->at, "= TEXT is missing");
    } else {
        read_template(loader, reader, &key, &param.key);
        read_template(loader, reader, &value, &param.value);
        g_array_append_val(loader->rule->params, param);
        token_clear(&value);
        line_reader_end(reader, loader->source);
    }
    token_clear(&key);
}

/* params TEXT split SEPARATOR key END else KEY */
static void read_params(struct loader *loader, struct line_reader *reader)
{
    static const char *const usage = "params TEXT split SEPARATOR key END else KEY";
    struct token text, separator = {0}, end = {0}, other = {0};
    struct param param = {0};
    if (!line_reader_next(reader, &text)) {
        mistake(loader, reader, reader->at, usage);
        return;
    }
    if (line_reader_word(reader, "split") && line_reader_next(reader, &separator) && line_reader_word(reader, "key") &&
        line_reader_next(reader, &end) && line_reader_word(reader, "else") && line_reader_next(reader, &other)) {
        read_template(loader, reader, &text, &param.value);
        read_template(loader, reader, &other, &param.key);
        param.separator = g_strdup(separator.text);
        param.key_end = g_strdup(end.text);
        g_array_append_val(loader->rule->params, param);
        line_reader_end(reader, loader->source);
    } else {
        mistake(loader, reader, reader->at, usage);
    }
    token_clear(&text);
    token_clear(&separator);
    token_clear(&end);
    token_clear(&other);
}

static void read_again(struct loader *loader, struct line_reader *reader)
{
    struct token token;
    if (loader->rule->kind != RULE_BEGIN || !line_reader_next(reader, &token)) {
        mistake(loader, reader, reader->at, "again <capture>, under a begin rule");
        return;
    }
    unsigned capture = read_capture(loader, reader, &token);
    loader->rule->again = capture == CAPTURE_NONE ? -1 : (int)capture;
    token_clear(&token);
    line_reader_end(reader, loader->source);
}

static void read_near(struct loader *loader, struct line_reader *reader)
{
    if (loader->rule->kind != RULE_BEGIN)
        mistake(loader, reader, 0, "near stands under a begin rule");
    loader->rule->near = true;
    line_reader_end(reader, loader->source);
}

static void read_flat(struct loader *loader, struct line_reader *reader)
{
    loader->rule->form = FORM_FLAT;
    line_reader_end(reader, loader->source);
}

static void read_lined(struct loader *loader, struct line_reader *reader)
{
    loader->rule->form = FORM_LINED;
    line_reader_end(reader, loader->source);
}

static void use_units(struct loader *loader, struct line_reader *reader)
{
    struct token token;
    if (!line_reader_next(reader, &token)) {
        mistake(loader, reader, reader->at, "units NAME");
        return;
    }
    for (guint i = 1; i < loader->grammar->unit_sets->len; i++) {
        const struct unit_set *set = g_ptr_array_index(loader->grammar->unit_sets, i);
        if (strcmp(set->name, token.text) == 0) {
            loader->rule->units = set;
            set_flag(loader->unit_set_used, i);
        }
    }
    if (!loader->rule->units)
        mistake(loader, reader, token.start, "no units of this name");
    token_clear(&token);
    line_reader_end(reader, loader->source);
}

/* ---- checks ---- */

static bool read_operand(struct loader *loader, struct line_reader *reader, const struct token *token,
                         struct expression *expression)
{
    struct expression_item item = {0};
    if (expression->count + 2 > EXPRESSION_MAX) {
        mistake(loader, reader, token->start, "the relation is too long");
        return false;
    }
    if (decimal_parse(view_of(token->text), false, &item.number)) {
        item.kind = ITEM_NUMBER;
    } else if (loader->rule) {
        item.kind = ITEM_CAPTURE;
        item.capture = read_capture(loader, reader, token);
        if (item.capture == CAPTURE_NONE)
            return false;
    } else {
        item.kind = ITEM_METRIC;
        item.metric = g_strdup(token->text);
    }
    expression->items[expression->count++] = item;
    return true;
}

/* OPERAND {(*|+) OPERAND}, from left to right, * before +. */
static bool read_expression(struct loader *loader, struct line_reader *reader, struct expression *expression)
{
    struct token token;
    unsigned pending_plus = 0;
    bool times = false;
    for (;;) {
        if (!line_reader_next(reader, &token)) {
            mistake(loader, reader, reader->at, "a figure is missing");
            return false;
        }
        bool good = read_operand(loader, reader, &token, expression);
        token_clear(&token);
        if (!good)
            return false;
        if (times)
            expression->items[expression->count++].kind = ITEM_TIMES;
        times = line_reader_word(reader, "*");
        if (times)
            continue;
        if (pending_plus > 0) {
            expression->items[expression->count++].kind = ITEM_PLUS;
            pending_plus--;
        }
        if (!line_reader_word(reader, "+"))
            return true;
        pending_plus++;
    }
}

static void read_check_flags(struct line_reader *reader, struct check *check)
{
    for (bool more = true; more;) {
        more = false;
        if (line_reader_word(reader, "cut"))
            check->cut = more = true;
        if (line_reader_word(reader, "carry"))
            check->carry = more = true;
        if (line_reader_word(reader, "whole"))
            check->whole = more = true;
    }
}

static void read_check_captures(struct loader *loader, struct line_reader *reader, struct check *check)
{
    GArray *captures = g_array_new(FALSE, FALSE, sizeof(unsigned));
    struct token token;
    while (line_reader_peek(reader, &token)) {
        bool is_capture = token.text[0] == '<';
        if (is_capture) {
            unsigned capture = read_capture(loader, reader, &token);
            g_array_append_val(captures, capture);
            line_reader_skip(reader);
        }
        token_clear(&token);
        if (!is_capture)
            break;
    }
    check->capture_count = captures->len;
    check->captures = (unsigned *)g_array_free(captures, FALSE);
}

/* if <capture> >= FIGURE, in the base unit */
static void read_check_condition(struct loader *loader, struct line_reader *reader, struct check *check)
{
    struct token token;
    if (!loader->rule || !line_reader_next(reader, &token)) {
        mistake(loader, reader, reader->at, "if <capture> >= FIGURE, under a rule");
        return;
    }
    check->condition = read_capture(loader, reader, &token);
    token_clear(&token);
    if (!line_reader_word(reader, ">=") || !line_reader_next(reader, &token)) {
        mistake(loader, reader, reader->at, ">= FIGURE is missing");
        return;
    }
    if (!decimal_parse(view_of(token.text), false, &check->least))
        mistake(loader, reader, token.start, "a plain number, in the base unit");
    token_clear(&token);
}

static void read_check(struct loader *loader, struct line_reader *reader)
{
    static const struct {
        const char *word;
        enum check_kind kind;
        unsigned count; /* 0: two or more */
    } kinds[] = {{"order", CHECK_ORDER, 0},
                 {"rising", CHECK_RISING, 1},
                 {"change", CHECK_CHANGE, 2},
                 {"proportional", CHECK_PROPORTIONAL, 2}};
    struct check check = {.kind = CHECK_EQUAL, .condition = CAPTURE_NONE};
    for (unsigned i = 0; i < G_N_ELEMENTS(kinds) && check.kind == CHECK_EQUAL; i++) {
        if (!line_reader_word(reader, kinds[i].word))
            continue;
        check.kind = kinds[i].kind;
        if (!loader->rule) {
            mistake(loader, reader, 0, "this relation stands under a rule");
            return;
        }
        read_check_captures(loader, reader, &check);
        if (kinds[i].count ? check.capture_count != kinds[i].count : check.capture_count < 2)
            mistake(loader, reader, reader->at, "another number of captures is wanted here");
    }
    if (check.kind == CHECK_EQUAL) {
        bool good = read_expression(loader, reader, &check.left);
        if (good && !line_reader_word(reader, "="))
            mistake(loader, reader, reader->at, "= is missing");
        else if (good)
            read_expression(loader, reader, &check.right);
    }
    read_check_flags(reader, &check);
    if (line_reader_word(reader, "if"))
        read_check_condition(loader, reader, &check);
    line_reader_end(reader, loader->source);
    GArray *checks = loader->rule ? loader->rule->checks : loader->block->checks;
    g_array_append_val(checks, check);
}

/* ---- lines outside rules ---- */

static void read_grammar(struct loader *loader, struct line_reader *reader)
{
    struct token token;
    if (loader->grammar->name || !line_reader_next(reader, &token)) {
        mistake(loader, reader, 0, "grammar NAME, once");
        return;
    }
    for (const char *c = token.text; *c; c++) {
        if (!g_ascii_islower(*c) && !g_ascii_isdigit(*c) && *c != '-') {
            mistake(loader, reader, token.start, "a name is lower-case letters, digits and -");
            break;
        }
    }
    loader->grammar->name = g_strdup(token.text);
    token_clear(&token);
    line_reader_end(reader, loader->source);
}

static void read_about(struct loader *loader, struct line_reader *reader)
{
    g_free(loader->grammar->about);
    loader->grammar->about = g_strdup(reader->line->text->str + line_reader_rest(reader));
}

static void append_literal(struct loader *loader, int kind, const char *text)
{
    struct literal_item item = {.text = g_strdup(text)};
    item.kind = (unsigned)kind;
    g_array_append_val(loader->grammar->literals, item);
}

static bool read_literal_or(struct loader *loader, struct line_reader *reader, unsigned depth);

static bool read_literal_and(struct loader *loader, struct line_reader *reader, unsigned depth)
{
    for (unsigned count = 0;; count++) {
        struct token token;
        if (depth > 10 || !line_reader_next(reader, &token)) {
            mistake(loader, reader, reader->at, "a literal is missing");
            return false;
        }
        bool opens = strcmp(token.text, "(") == 0;
        if (!opens) {
            if (strchr(token.text, ' '))
                mistake(loader, reader, token.start, "mail may break a literal at its blank");
            append_literal(loader, LITERAL_TEXT, token.text);
        }
        token_clear(&token);
        if (opens) {
            if (!read_literal_or(loader, reader, depth + 1))
                return false;
            if (!line_reader_word(reader, ")")) {
                mistake(loader, reader, reader->at, ") is missing");
                return false;
            }
        }
        if (count > 0)
            append_literal(loader, LITERAL_AND, NULL);
        if (!line_reader_word(reader, "and"))
            return true;
    }
}

static bool read_literal_or(struct loader *loader, struct line_reader *reader, unsigned depth)
{
    for (unsigned count = 0;; count++) {
        if (!read_literal_and(loader, reader, depth))
            return false;
        if (count > 0)
            append_literal(loader, LITERAL_OR, NULL);
        if (!line_reader_word(reader, "or"))
            return true;
    }
}

static void read_literals(struct loader *loader, struct line_reader *reader)
{
    if (loader->grammar->literals->len > 0)
        mistake(loader, reader, 0, "literals stand once");
    else if (read_literal_or(loader, reader, 0))
        line_reader_end(reader, loader->source);
}

static void read_fragment(struct loader *loader, struct line_reader *reader)
{
    struct token name;
    if (!line_reader_next(reader, &name)) {
        mistake(loader, reader, reader->at, "fragment NAME PATTERN");
        return;
    }
    const char *pattern = reader->line->text->str + line_reader_rest(reader);
    if (!*pattern)
        mistake(loader, reader, reader->at, "a pattern is missing");
    else if (!fragments_define(loader->fragments, name.text, pattern, source_line_place(reader->line, name.start)))
        mistake(loader, reader, name.start, "this fragment is defined twice");
    token_clear(&name);
}

static int compare_length(gconstpointer a, gconstpointer b)
{
    size_t left = strlen(*(char *const *)a), right = strlen(*(char *const *)b);
    return left == right ? strcmp(*(char *const *)a, *(char *const *)b) : left > right ? -1 : 1;
}

static void append_quoted(GString *pattern, const char *word)
{
    for (; *word; word++) {
        if (*word != ' ' && !g_ascii_isalnum(*word) && (unsigned char)*word < 0x80)
            g_string_append_c(pattern, '\\');
        g_string_append_c(pattern, *word);
    }
}

/* words NAME WORD... | words NAME from FILE: a fragment, the longest first. */
static void read_words(struct loader *loader, struct line_reader *reader)
{
    struct token name, token;
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
    if (!line_reader_next(reader, &name)) {
        mistake(loader, reader, reader->at, "words NAME WORD..., or words NAME from FILE");
        g_ptr_array_unref(words);
        return;
    }
    if (line_reader_word(reader, "from") && line_reader_next(reader, &token)) {
        char *folder = g_path_get_dirname(grammar_source_path(loader->source));
        char *path = g_build_filename(folder, token.text, NULL), *text = NULL;
        if (g_file_get_contents(path, &text, NULL, NULL)) {
            char **lines = g_strsplit(text, "\n", -1);
            for (char **line = lines; *line; line++)
                if (**line && **line != '#')
                    g_ptr_array_add(words, g_strdup(*line));
            g_strfreev(lines);
        } else {
            mistake(loader, reader, token.start, "this file can't be read");
        }
        g_free(text);
        g_free(path);
        g_free(folder);
        token_clear(&token);
    } else {
        while (line_reader_next(reader, &token)) {
            g_ptr_array_add(words, g_strdup(token.text));
            token_clear(&token);
        }
    }
    g_ptr_array_sort(words, compare_length);
    GString *pattern = g_string_new(NULL);
    for (guint i = 0; i < words->len; i++) {
        g_string_append(pattern, i ? "|" : "");
        append_quoted(pattern, g_ptr_array_index(words, i));
    }
    if (words->len == 0)
        mistake(loader, reader, reader->at, "the words are missing");
    else if (!fragments_define(loader->fragments, name.text, pattern->str, source_line_place(reader->line, name.start)))
        mistake(loader, reader, name.start, "this fragment is defined twice");
    g_string_free(pattern, TRUE);
    g_ptr_array_unref(words);
    token_clear(&name);
}

static void read_map(struct loader *loader, struct line_reader *reader)
{
    struct token token;
    if (!line_reader_next(reader, &token)) {
        mistake(loader, reader, reader->at, "map NAME FROM=TO...");
        return;
    }
    if (find_map(loader, token.text) >= 0)
        mistake(loader, reader, token.start, "this map is defined twice");
    struct map *map = map_new(token.text);
    bool unused = false;
    g_ptr_array_add(loader->grammar->maps, map);
    g_array_append_val(loader->line_of_map, unused);
    token_clear(&token);
    while (line_reader_next(reader, &token)) {
        char *equals = strchr(token.text, '=');
        if (!equals) {
            mistake(loader, reader, token.start, "FROM=TO");
        } else {
            struct map_entry entry = {g_strndup(token.text, (gsize)(equals - token.text)), g_strdup(equals + 1)};
            g_array_append_val(map->entries, entry);
        }
        token_clear(&token);
    }
}

/* NAME = FACTOR BASE {, ...} into set */
static void read_unit_entries(struct loader *loader, struct line_reader *reader, struct unit_set *set)
{
    struct token name, factor, base;
    for (bool more = true; more;) {
        if (!line_reader_next(reader, &name)) {
            mistake(loader, reader, reader->at, "UNIT = FACTOR BASE");
            return;
        }
        if (!line_reader_word(reader, "=") || !line_reader_next(reader, &factor)) {
            mistake(loader, reader, reader->at, "= FACTOR BASE is missing");
            token_clear(&name);
            return;
        }
        struct unit_entry entry = {0};
        if (!decimal_parse(view_of(factor.text), false, &entry.unit.factor))
            mistake(loader, reader, factor.start, "a factor is a plain number");
        token_clear(&factor);
        more = false;
        if (line_reader_next(reader, &base)) {
            more = cut_comma(&base);
            entry.unit.base = unit_base(view_of(base.text));
            if (!entry.unit.base)
                mistake(loader, reader, base.start, "a base unit is s, B, B/s, 1/s, % or 1");
            token_clear(&base);
        } else {
            mistake(loader, reader, reader->at, "the base unit is missing");
        }
        entry.name = g_strdup(name.text);
        token_clear(&name);
        g_array_append_val(set->entries, entry);
    }
    line_reader_end(reader, loader->source);
}

static void read_unit(struct loader *loader, struct line_reader *reader)
{
    read_unit_entries(loader, reader, g_ptr_array_index(loader->grammar->unit_sets, 0));
}

static void read_units(struct loader *loader, struct line_reader *reader)
{
    if (loader->rule) {
        use_units(loader, reader);
        return;
    }
    struct token name;
    if (!line_reader_next(reader, &name)) {
        mistake(loader, reader, reader->at, "units NAME UNIT = FACTOR BASE, ...");
        return;
    }
    struct unit_set *set = unit_set_new(name.text);
    bool unused = false;
    token_clear(&name);
    g_ptr_array_add(loader->grammar->unit_sets, set);
    g_array_append_val(loader->unit_set_used, unused);
    read_unit_entries(loader, reader, set);
}

static void read_better(struct loader *loader, struct line_reader *reader)
{
    struct token token;
    const char *direction = line_reader_word(reader, "higher") ? "higher"
                            : line_reader_word(reader, "lower") ? "lower"
                            : line_reader_word(reader, "none")  ? ""
                                                                : NULL;
    if (!direction) {
        mistake(loader, reader, reader->at, "better higher|lower|none METRIC...");
        return;
    }
    while (line_reader_next(reader, &token)) {
        struct better_rule rule = {g_strdup(token.text), direction};
        g_array_append_val(loader->grammar->better, rule);
        token_clear(&token);
    }
}

static void declare_variables(struct loader *loader, struct line_reader *reader, bool kept)
{
    struct token token;
    while (line_reader_next(reader, &token)) {
        int index = find_variable(loader, token.text);
        bool no = false;
        if (index >= 0 && index < VARIABLE_BUILTIN_COUNT && kept) {
            g_array_index(loader->grammar->kept, bool, (guint)index) = true;
        } else if (index >= 0) {
            mistake(loader, reader, token.start, "this variable is known already");
        } else {
            struct source_place place = source_line_place(reader->line, token.start);
            g_ptr_array_add(loader->grammar->variables, g_strdup(token.text));
            g_array_append_val(loader->grammar->kept, kept);
            g_array_append_val(loader->variable_set, no);
            g_array_append_val(loader->variable_used, no);
            g_array_append_val(loader->variable_places, place);
        }
        token_clear(&token);
    }
}

static void read_carry(struct loader *loader, struct line_reader *reader)
{
    declare_variables(loader, reader, false);
}

static void read_keep(struct loader *loader, struct line_reader *reader)
{
    declare_variables(loader, reader, true);
}

static void read_block(struct loader *loader, struct line_reader *reader)
{
    struct token token;
    finish_rule(loader);
    loader->top = NULL;
    if (!line_reader_next(reader, &token)) {
        mistake(loader, reader, reader->at, "block NAME");
        return;
    }
    loader->block = block_new(token.text);
    g_ptr_array_add(loader->grammar->blocks, loader->block);
    token_clear(&token);
    line_reader_end(reader, loader->source);
}

enum where { ANYWHERE, OUTSIDE_RULES, IN_BLOCK, IN_RULE, IN_TABLE, IN_BLOCK_OR_RULE };

static const struct keyword {
    const char *word;
    enum where where;
    void (*read)(struct loader *, struct line_reader *);
} keywords[] = {
    {"grammar", OUTSIDE_RULES, read_grammar},
    {"about", OUTSIDE_RULES, read_about},
    {"literals", OUTSIDE_RULES, read_literals},
    {"fragment", OUTSIDE_RULES, read_fragment},
    {"words", OUTSIDE_RULES, read_words},
    {"map", OUTSIDE_RULES, read_map},
    {"unit", OUTSIDE_RULES, read_unit},
    {"units", ANYWHERE, read_units},
    {"better", OUTSIDE_RULES, read_better},
    {"carry", OUTSIDE_RULES, read_carry},
    {"keep", OUTSIDE_RULES, read_keep},
    {"version", ANYWHERE, read_version},
    {"skip", ANYWHERE, read_skip},
    {"block", ANYWHERE, read_block},
    {"begin", IN_BLOCK, read_begin},
    {"line", IN_BLOCK, read_line},
    {"table", IN_BLOCK, read_table},
    {"each", IN_RULE, read_each},
    {"row", IN_RULE, read_row},
    {"set", IN_RULE, read_set},
    {"param", IN_RULE, read_param},
    {"params", IN_RULE, read_params},
    {"again", IN_RULE, read_again},
    {"near", IN_RULE, read_near},
    {"flat", IN_RULE, read_flat},
    {"lined", IN_RULE, read_lined},
    {"check", IN_BLOCK_OR_RULE, read_check},
    {"label", IN_TABLE, read_label},
    {"cell", IN_TABLE, read_cell},
    {"header", IN_TABLE, read_header},
    {"title", IN_TABLE, read_title},
    {"names", IN_TABLE, read_names},
};

static const char *misplaced(const struct loader *loader, enum where where)
{
    switch (where) {
    case ANYWHERE:
        return NULL;
    case OUTSIDE_RULES:
        return loader->block ? "this stands before the blocks" : NULL;
    case IN_BLOCK:
        return loader->block ? NULL : "this stands in a block";
    case IN_RULE:
        return loader->rule ? NULL : "this stands under a rule";
    case IN_TABLE:
        return loader->rule && loader->rule->table ? NULL : "this stands under a table";
    case IN_BLOCK_OR_RULE:
        return loader->block ? NULL : "this stands in a block";
    }
    return NULL;
}

static void read_logical_line(struct loader *loader, const struct source_line *line)
{
    struct line_reader reader = {.line = line};
    struct token word;
    if (!line_reader_next(&reader, &word))
        return;
    const struct keyword *keyword = NULL;
    for (unsigned i = 0; i < G_N_ELEMENTS(keywords) && !keyword; i++)
        if (strcmp(keywords[i].word, word.text) == 0)
            keyword = &keywords[i];
    /* Outside a block, what follows a version or skip rule belongs to the file again. */
    if (keyword && !loader->block && keyword->where == OUTSIDE_RULES)
        finish_rule(loader);
    if (!keyword) {
        mistake(loader, &reader, word.start, "no line begins with this word");
    } else {
        const char *what = misplaced(loader, keyword->where);
        if (what)
            mistake(loader, &reader, word.start, what);
        else
            keyword->read(loader, &reader);
    }
    token_clear(&word);
}

/* ---- the whole file ---- */

static void check_blocks(struct loader *loader)
{
    struct source_place top = {1, 1};
    for (guint b = 0; b < loader->grammar->blocks->len; b++) {
        const struct block *block = g_ptr_array_index(loader->grammar->blocks, b);
        bool opens = false;
        for (guint r = 0; r < block->rules->len; r++) {
            const struct rule *rule = g_ptr_array_index(block->rules, r);
            opens |= rule->kind == RULE_BEGIN || rule->kind == RULE_TABLE;
        }
        if (!opens)
            grammar_source_mistake(loader->source, top, "block %s can't begin: its rules are unreachable", block->name);
    }
}

static void check_unused(struct loader *loader)
{
    struct source_place place = {1, 1};
    const char *fragment = fragments_unused(loader->fragments, &place);
    if (fragment)
        grammar_source_mistake(loader->source, place, "fragment \"%s\" is not used", fragment);
    struct source_place top = {1, 1};
    for (guint i = 0; i < loader->grammar->maps->len; i++)
        if (!g_array_index(loader->line_of_map, bool, i))
            grammar_source_mistake(loader->source, top, "map \"%s\" is not used",
                                   ((struct map *)g_ptr_array_index(loader->grammar->maps, i))->name);
    for (guint i = 1; i < loader->grammar->unit_sets->len; i++)
        if (!g_array_index(loader->unit_set_used, bool, i))
            grammar_source_mistake(loader->source, top, "units \"%s\" are not used",
                                   ((struct unit_set *)g_ptr_array_index(loader->grammar->unit_sets, i))->name);
    for (guint i = VARIABLE_BUILTIN_COUNT; i < loader->grammar->variables->len; i++) {
        const char *name = g_ptr_array_index(loader->grammar->variables, i);
        place = g_array_index(loader->variable_places, struct source_place, i);
        if (!g_array_index(loader->variable_set, bool, i))
            grammar_source_mistake(loader->source, place, "no rule sets <%s>", name);
        else if (!g_array_index(loader->variable_used, bool, i))
            grammar_source_mistake(loader->source, place, "no rule uses <%s>", name);
    }
}

static void check_whole(struct loader *loader)
{
    struct source_place top = {1, 1};
    if (!loader->grammar->name)
        grammar_source_mistake(loader->source, top, "the line `grammar NAME` is missing");
    if (loader->grammar->literals->len == 0)
        grammar_source_mistake(loader->source, top, "the line `literals ...` is missing");
    if (loader->grammar->blocks->len == 0)
        grammar_source_mistake(loader->source, top, "there is no block");
    check_blocks(loader);
    /* After other mistakes, what is unused is mostly their consequence. */
    if (grammar_source_mistake_count(loader->source) == 0)
        check_unused(loader);
}

struct grammar *grammar_load(const char *path, struct fragments *common, GString *mistakes)
{
    struct loader loader = {.source = grammar_source_read(path, mistakes)};
    if (!loader.source)
        return NULL;
    loader.grammar = grammar_new(path);
    loader.fragments = fragments_new(common);
    loader.variable_set = g_array_new(FALSE, TRUE, sizeof(bool));
    loader.variable_used = g_array_new(FALSE, TRUE, sizeof(bool));
    loader.variable_places = g_array_new(FALSE, TRUE, sizeof(struct source_place));
    loader.line_of_map = g_array_new(FALSE, TRUE, sizeof(bool));
    loader.unit_set_used = g_array_new(FALSE, TRUE, sizeof(bool));
    g_array_set_size(loader.variable_set, VARIABLE_BUILTIN_COUNT);
    g_array_set_size(loader.variable_used, VARIABLE_BUILTIN_COUNT);
    g_array_set_size(loader.variable_places, VARIABLE_BUILTIN_COUNT);
    g_array_set_size(loader.unit_set_used, 1);
    for (size_t i = 0; i < grammar_source_count(loader.source); i++)
        read_logical_line(&loader, grammar_source_line(loader.source, i));
    finish_rule(&loader);
    check_whole(&loader);
    if (grammar_source_mistake_count(loader.source) > 0) {
        grammar_free(loader.grammar);
        loader.grammar = NULL;
    }
    g_array_free(loader.variable_set, TRUE);
    g_array_free(loader.variable_used, TRUE);
    g_array_free(loader.variable_places, TRUE);
    g_array_free(loader.line_of_map, TRUE);
    g_array_free(loader.unit_set_used, TRUE);
    fragments_free(loader.fragments);
    grammar_source_free(loader.source);
    return loader.grammar;
}
