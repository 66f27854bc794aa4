/* A rule's pattern is compiled when its line is read; what only the lines
 * under it can tell (are all captures used? does an earlier rule take all that
 * this one could?) is checked when the next rule or the end of the file comes. */
#include "extract/grammar_rule.h"

/* ---- patterns ---- */

/* What captures called as a variable do: set it or, with that of a list, add to it. */
enum captures_use { CAPTURES_LOCAL, CAPTURES_SET, CAPTURES_ADD };

/* The variable that a capture of this name sets or adds to; or -1. */
static int captured_variable(const struct loader *loader, const char *name, enum captures_use use)
{
    int variable = use == CAPTURES_LOCAL ? -1 : loader_find_variable(loader, name);
    bool listed = variable >= 0 && g_array_index(loader->grammar->listed, bool, (guint)variable);
    return listed == (use == CAPTURES_ADD) ? variable : -1;
}

static struct capture *find_or_add_capture(struct loader *loader, GArray *captures, const char *name,
                                           enum captures_use use)
{
    for (guint i = 0; i < captures->len; i++) {
        struct capture *capture = &g_array_index(captures, struct capture, i);
        if (strcmp(capture->name, name) == 0)
            return capture;
    }
    struct capture fresh = {.name = g_strdup(name), .variable = captured_variable(loader, name, use)};
    if (fresh.variable >= 0)
        loader_definition(loader->variables, (unsigned)fresh.variable)->set = true;
    g_array_append_val(captures, fresh);
    return &g_array_index(captures, struct capture, captures->len - 1);
}

static void collect_captures(struct loader *loader, struct line_reader *reader, const struct pattern *pattern,
                             enum captures_use use, struct capture **captures, unsigned *count)
{
    GArray *found = g_array_new(FALSE, TRUE, sizeof(struct capture));
    for (unsigned group = 1; group <= pattern_group_count(pattern); group++) {
        const char *name = pattern_group_name(pattern, group);
        if (!name)
            continue;
        struct capture *capture = find_or_add_capture(loader, found, name, use);
        if (capture->group_count < G_N_ELEMENTS(capture->groups))
            capture->groups[capture->group_count++] = group;
        else
            grammar_source_mistake(loader->source, source_line_place(reader->line, 0),
                                   "more than %zu groups are called <%s>", G_N_ELEMENTS(capture->groups), name);
    }
    *count = found->len;
    *captures = (struct capture *)g_array_free(found, FALSE);
}

/* Expand and compile what stands from here to the end of the line. NULL, with
 * the mistake reported, if that can't be done; else *expanded (to be cleared) is
 * what was compiled. */
static struct pattern *read_pattern(struct loader *loader, struct line_reader *reader, struct expanded *expanded)
{
    struct expanded text;
    struct pattern *pattern = NULL;
    size_t start = line_reader_rest(reader);
    bool good = fragments_expand(loader->fragments, loader->source, reader->line, start, &text);
    if (text.pattern->len == 0)
        loader_mistake(loader, reader, start, "a pattern is missing");
    else if (good)
        pattern = fragments_compile(loader->source, reader->line, &text);
    loader->is_incomplete |= !pattern;
    loader->has_captures &= pattern != NULL;
    if (pattern)
        *expanded = text;
    else
        expanded_clear(&text);
    return pattern;
}

/* Append pattern with its named groups as plain ones. */
static void append_nameless(GString *out, const char *pattern)
{
    const char *group;
    while ((group = strstr(pattern, "(?<"))) {
        bool named = g_ascii_isalpha(group[3]) || group[3] == '_';
        const char *end = named ? strchr(group, '>') : NULL;
        g_string_append_len(out, pattern, group - pattern);
        g_string_append(out, end ? "(?:" : "(?<");
        pattern = end ? end + 1 : group + 3;
    }
    g_string_append(out, pattern);
}

/* ---- whole rules ---- */

/* Whatever `later` matches, `earlier` takes: both have one pattern and stand
 * under one heading. */
static bool hides(const struct rule *earlier, const struct rule *later)
{
    bool same_form = earlier->form == FORM_ANY || earlier->form == later->form;
    /* A line rule is tried in an open block alone, a begin rule always. */
    bool as_often = earlier->kind != RULE_LINE || later->kind != RULE_BEGIN;
    return same_form && as_often && !earlier->near;
}

static void check_reachable(struct loader *loader)
{
    const struct rule *rule = loader->rule;
    if (!loader->rule_pattern)
        return;
    char *key = g_strdup_printf("%p %s", (const void *)loader->rule_siblings, loader->rule_pattern->str);
    GPtrArray *same = g_hash_table_lookup(loader->patterns, key);
    for (guint i = 0; same && i < same->len; i++) {
        const struct rule *earlier = g_ptr_array_index(same, i);
        if (!hides(earlier, rule))
            continue;
        grammar_source_mistake(loader->source, source_line_place(loader->rule_line, 0),
                               "this rule is never reached: line %u has its pattern", earlier->line);
        break;
    }
    if (!same) {
        same = g_ptr_array_new();
        g_hash_table_insert(loader->patterns, g_strdup(key), same);
    }
    g_ptr_array_add(same, loader->rule);
    g_free(key);
}

/* Where a line of the rule names a capture; the rule's beginning if a fragment
 * does. */
static struct source_place capture_place(const struct loader *loader, const char *name)
{
    const struct source_line *lines[] = {loader->rule_line, loader->label_line, loader->cell_line};
    char *forms[] = {g_strdup_printf("<%s>", name), g_strdup_printf("<%s:", name)};
    struct source_place place = source_line_place(loader->rule_line, 0);
    for (unsigned l = 0; l < G_N_ELEMENTS(lines); l++) {
        for (unsigned i = 0; i < G_N_ELEMENTS(forms); i++) {
            const char *found = lines[l] ? strstr(lines[l]->text->str, forms[i]) : NULL;
            if (found)
                place = source_line_place(lines[l], (size_t)(found - lines[l]->text->str));
        }
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(forms); i++)
        g_free(forms[i]);
    return place;
}

static void check_captures(struct loader *loader)
{
    for (unsigned i = 0; i < rule_capture_count(loader->rule); i++) {
        const char *name = rule_capture(loader->rule, i)->name;
        if (loader->capture_used[i] || rule_capture(loader->rule, i)->variable >= 0)
            continue;
        grammar_source_mistake(loader->source, capture_place(loader, name), "capture <%s> is not used", name);
    }
}

void rule_finish(struct loader *loader)
{
    const struct rule *rule = loader->rule;
    if (!rule)
        return;
    /* After a mistake in its lines, what a rule uses is not known. */
    if (grammar_source_mistake_count(loader->source) == loader->mistakes_before) {
        if (rule->table && !rule->table->cell)
            grammar_source_mistake(loader->source, source_line_place(loader->rule_line, 0), "a table needs a %s",
                                   loader->has_label ? "cell" : "label and a cell");
        else
            check_captures(loader);
        if (!loader->is_incomplete)
            check_reachable(loader);
    }
    g_free(loader->capture_used);
    loader->capture_used = NULL;
    if (loader->has_label)
        expanded_clear(&loader->label);
    loader->has_label = false;
    if (loader->rule_pattern)
        g_string_free(loader->rule_pattern, TRUE);
    loader->rule_pattern = NULL;
    loader->rule = NULL;
}

static void start_rule(struct loader *loader, struct line_reader *reader, enum rule_kind kind, GPtrArray *siblings)
{
    rule_finish(loader);
    struct rule *rule = rule_new(kind, source_line_place(reader->line, 0).line);
    g_ptr_array_add(siblings, rule);
    loader->is_orphan = false;
    loader->rule = rule;
    loader->rule_line = reader->line;
    loader->label_line = loader->cell_line = NULL;
    loader->rule_siblings = siblings;
    loader->mistakes_before = grammar_source_mistake_count(loader->source);
    loader->has_captures = true;
    loader->capture_used = g_new0(bool, 2 * RULE_CAPTURES_MAX);
    if (kind == RULE_TABLE) {
        rule->table = g_new0(struct table, 1);
        rule->table->header_rows = 2;
        rule->table->join = g_strdup("-");
        rule->table->names = g_ptr_array_new_with_free_func(g_free);
        line_reader_end(reader, loader->source);
        return;
    }
    struct expanded expanded;
    rule->pattern = read_pattern(loader, reader, &expanded);
    if (!rule->pattern)
        return;
    collect_captures(loader, reader, rule->pattern, kind == RULE_EACH ? CAPTURES_ADD : CAPTURES_SET, &rule->captures,
                     &rule->capture_count);
    loader->rule_pattern = g_string_new(NULL);
    append_nameless(loader->rule_pattern, expanded.pattern->str);
    expanded_clear(&expanded);
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
    if (loader->rule->pattern && rule_find_capture(loader->rule, "tool_version") < 0)
        loader_mistake(loader, reader, 0, "the pattern has no capture <tool_version:...>");
}

static void read_each(struct loader *loader, struct line_reader *reader)
{
    if (!loader->top || loader->top->kind == RULE_TABLE) {
        rule_finish(loader);
        loader_mistake(loader, reader, 0, "this stands under a begin or line rule");
        start_rule(loader, reader, RULE_EACH, loader->block->rules);
        return;
    }
    start_rule(loader, reader, RULE_EACH, loader->top->each);
}

/* ---- tables ---- */

static void read_table(struct loader *loader, struct line_reader *reader)
{
    start_rule(loader, reader, RULE_TABLE, loader->block->rules);
    loader->top = loader->rule;
}

/* The label's pattern is compiled with its cell behind it: it ends where the
 * first cell begins. */
static void read_label(struct loader *loader, struct line_reader *reader)
{
    if (loader->has_label || loader->rule->table->cell) {
        loader_mistake(loader, reader, 0, "a table has one label, before its cell");
        return;
    }
    loader->label_line = reader->line;
    struct pattern *pattern = read_pattern(loader, reader, &loader->label);
    loader->has_label = pattern != NULL;
    pattern_free(pattern);
}

/* The label between two texts, as pattern or as sketch. */
static GString *around_label(const GString *label, const char *blank, const GString *cell)
{
    GString *text = g_string_new("(?:");
    g_string_append(text, label->str);
    g_string_append_c(text, ')');
    if (!cell)
        return g_string_append(text, "\\z");
    g_string_append(text, blank);
    g_string_append(text, "(?=");
    append_nameless(text, cell->str);
    return g_string_append_c(text, ')');
}

/* The pattern of a label in front of a cell or, where that is NULL, alone. */
static struct pattern *compile_label(struct loader *loader, struct line_reader *reader, const struct expanded *cell)
{
    const struct expanded *label = &loader->label;
    GString *pattern = around_label(label->pattern, FRAGMENT_BLANK, cell ? cell->pattern : NULL);
    GString *sketch = around_label(label->sketch, FRAGMENT_BLANK_SKETCH, cell ? cell->sketch : NULL);
    size_t error_offset;
    char *error = NULL;
    struct pattern *compiled = pattern_new((struct view){pattern->str, pattern->len},
                                           (struct view){sketch->str, sketch->len}, &error_offset, &error);
    if (!compiled)
        loader_mistake(loader, reader, 0, error);
    g_free(error);
    g_string_free(pattern, TRUE);
    g_string_free(sketch, TRUE);
    return compiled;
}

static void compile_labels(struct loader *loader, struct line_reader *reader, const struct expanded *cell)
{
    struct table *table = loader->rule->table;
    table->label = compile_label(loader, reader, cell);
    if (table->label)
        table->label_alone = compile_label(loader, reader, NULL);
    if (table->label_alone)
        collect_captures(loader, reader, table->label, CAPTURES_SET, &loader->rule->captures,
                         &loader->rule->capture_count);
    expanded_clear(&loader->label);
    loader->has_label = false;
}

static void read_cell(struct loader *loader, struct line_reader *reader)
{
    struct table *table = loader->rule->table;
    struct expanded text;
    if (table->cell) {
        loader_mistake(loader, reader, 0, "a table has one cell");
        return;
    }
    loader->cell_line = reader->line;
    table->cell = read_pattern(loader, reader, &text);
    if (!table->cell)
        return;
    if (loader->has_label) {
        compile_labels(loader, reader, &text);
        collect_captures(loader, reader, table->cell, CAPTURES_LOCAL, &table->cell_captures,
                         &table->cell_capture_count);
        if (rule_capture_count(loader->rule) > RULE_CAPTURES_MAX)
            grammar_source_mistake(loader->source, source_line_place(reader->line, 0),
                                   "more than %d captures in label and cell", RULE_CAPTURES_MAX);
    } else if (loader->has_captures) {
        loader_mistake(loader, reader, 0, "the table's label stands before its cell");
        loader->has_captures = false;
    }
    expanded_clear(&text);
}

/* header N [or 1] [join "-"] | header same */
static void read_header(struct loader *loader, struct line_reader *reader)
{
    struct table *table = loader->rule->table;
    struct token token;
    if (line_reader_word(reader, "same")) {
        table->header_rows = 0;
    } else if (!line_reader_peek(reader, &token)) {
        loader_mistake_next(loader, reader, "header COUNT [or 1] [join TEXT], or header same");
        return;
    } else {
        bool good = g_ascii_isdigit(token.text[0]) && token.text[0] != '0' && !token.text[1];
        if (good)
            table->header_rows = (unsigned)(token.text[0] - '0');
        else
            loader_mistake(loader, reader, token.start, "a count from 1 to 9, or same");
        token_clear(&token);
        line_reader_skip(reader);
        if (line_reader_word(reader, "or")) {
            table->or_single = line_reader_word(reader, "1");
            if (!table->or_single)
                loader_mistake_next(loader, reader, "or 1");
        }
        if (line_reader_word(reader, "join")) {
            if (!line_reader_next(reader, &token)) {
                loader_mistake_next(loader, reader, "join TEXT: the text is missing");
                return;
            }
            g_free(table->join);
            table->join = token.text;
        } else if (!good) {
            return;
        }
    }
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
        loader_mistake_next(loader, reader, "names WORD...");
}

/* columns COUNT: at the least */
static void read_columns(struct loader *loader, struct line_reader *reader)
{
    struct token token = {0};
    if (!line_reader_next(reader, &token) || !g_ascii_isdigit(token.text[0]) || token.text[1])
        loader_mistake_next(loader, reader, "columns COUNT, from 1 to 9");
    else
        loader->rule->table->least_columns = (unsigned)(token.text[0] - '0');
    token_clear(&token);
    line_reader_end(reader, loader->source);
}

static void read_title(struct loader *loader, struct line_reader *reader)
{
    if (!line_reader_word(reader, "test")) {
        loader_mistake_next(loader, reader, "title test");
        return;
    }
    loader->rule->table->title_is_test = true;
    line_reader_end(reader, loader->source);
}

const struct keyword *rule_keyword(const char *word)
{
    static const struct keyword keywords[] = {
        {"version", PLACE_ANYWHERE, true, read_version}, {"skip", PLACE_ANYWHERE, true, read_skip},
        {"begin", PLACE_BLOCK, true, read_begin},        {"line", PLACE_BLOCK, true, read_line},
        {"table", PLACE_BLOCK, false, read_table},       {"each", PLACE_BLOCK, true, read_each},
        {"label", PLACE_TABLE, true, read_label},        {"cell", PLACE_TABLE, true, read_cell},
        {"header", PLACE_TABLE, false, read_header},     {"names", PLACE_TABLE, false, read_names},
        {"columns", PLACE_TABLE, false, read_columns},   {"title", PLACE_TABLE, false, read_title},
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(keywords); i++)
        if (strcmp(keywords[i].word, word) == 0)
            return &keywords[i];
    return NULL;
}
