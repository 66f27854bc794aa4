#include "extract/grammar_statement.h"

/* ---- row ---- */

/* UNIT [from VERSION] [before VERSION]: the unit at reader; true if a comma
 * ends it, so that another follows. */
static bool read_row_unit(struct loader *loader, struct line_reader *reader, struct row_unit *unit)
{
    struct token token;
    line_reader_next(reader, &token);
    bool more = token_cut_comma(&token);
    unit->given = true;
    if (token.text[0] == '<') {
        unit->by_reference = true;
        loader_reference(loader, reader, &token, &unit->reference);
    } else if (!grammar_unit(loader->grammar, loader->rule->units, view_of(token.text), &unit->unit)) {
        grammar_source_mistake(loader->source, source_line_place(reader->line, token.start), "unknown unit \"%s\"",
                               token.text);
    }
    token_clear(&token);
    char **bounds[] = {&unit->from, &unit->before};
    const char *const words[] = {"from", "before"};
    for (unsigned i = 0; i < G_N_ELEMENTS(words) && !more; i++) {
        if (!line_reader_word(reader, words[i]))
            continue;
        if (!line_reader_next(reader, &token)) {
            loader_mistake_next(loader, reader, "a version is missing");
            break;
        }
        more = token_cut_comma(&token);
        if (!token.text[0] || token.text[strspn(token.text, "0123456789.")])
            loader_mistake(loader, reader, token.start, "a version is digits and points");
        *bounds[i] = token.text;
    }
    return more;
}

static bool is_row_word(const struct line_reader *reader)
{
    struct token token;
    if (!line_reader_peek(reader, &token))
        return false;
    bool is_word = strcmp(token.text, "+") == 0 || strcmp(token.text, "change") == 0 ||
                   strcmp(token.text, "significant") == 0 || strcmp(token.text, "spread") == 0;
    token_clear(&token);
    return is_word;
}

static void read_row_units(struct loader *loader, struct line_reader *reader, struct row *row)
{
    GArray *units = g_array_new(FALSE, TRUE, sizeof(struct row_unit));
    struct token token;
    for (bool more = true; more && !is_row_word(reader) && line_reader_peek(reader, &token);) {
        struct row_unit unit = {0};
        token_clear(&token);
        more = read_row_unit(loader, reader, &unit);
        g_array_append_val(units, unit);
    }
    row->unit_count = units->len;
    row->units = (struct row_unit *)g_array_free(units, FALSE);
}

/* An optional `WORD TEXT` before the figure; true if it is there. */
static bool read_row_text(struct loader *loader, struct line_reader *reader, const char *word,
                          struct template *template)
{
    struct token token;
    if (!line_reader_word(reader, word) || !line_reader_next(reader, &token))
        return false;
    loader_template(loader, reader, &token, template);
    token_clear(&token);
    return true;
}

/* + <capture> UNIT, after a first figure with one unit */
static void read_row_terms(struct loader *loader, struct line_reader *reader, struct row *row)
{
    struct token token;
    while (line_reader_word(reader, "+")) {
        struct row_term term = {.capture = CAPTURE_NONE};
        if (!line_reader_next(reader, &token)) {
            loader_mistake_next(loader, reader, "<capture> UNIT is missing");
            return;
        }
        term.capture = loader_capture(loader, reader, &token);
        token_clear(&token);
        if (!line_reader_next(reader, &token)) {
            loader_mistake_next(loader, reader, "a unit is missing");
            return;
        }
        if (!grammar_unit(loader->grammar, loader->rule->units, view_of(token.text), &term.unit))
            loader_mistake(loader, reader, token.start, "unknown unit");
        token_clear(&token);
        if (!row->terms)
            row->terms = g_array_new(FALSE, FALSE, sizeof(struct row_term));
        g_array_append_val(row->terms, term);
    }
    if (row->terms && row->unit_count != 1)
        loader_mistake(loader, reader, 0, "every figure of a sum has a unit");
}

/* row METRIC [stat STAT] [series SERIES] = <capture> [UNIT...] [+ <capture>
 * UNIT...] [change <c>] [significant <c>] [spread <c> [%]] */
static void read_row(struct loader *loader, struct line_reader *reader)
{
    struct row row = {.value = CAPTURE_NONE,
                      .change = CAPTURE_NONE,
                      .significant = CAPTURE_NONE,
                      .spread = CAPTURE_NONE,
                      .line = source_line_place(reader->line, 0).line};
    struct token token;
    if (!line_reader_next(reader, &token)) {
        loader_mistake_next(loader, reader, "row METRIC [stat STAT] = <capture> [UNIT]");
        return;
    }
    loader_template(loader, reader, &token, &row.metric);
    token_clear(&token);
    row.has_stat = read_row_text(loader, reader, "stat", &row.stat);
    row.has_series = read_row_text(loader, reader, "series", &row.series);
    if (!line_reader_word(reader, "=") || !line_reader_next(reader, &token)) {
        loader_mistake_next(loader, reader, "= <capture> is missing");
        g_array_append_val(loader->rule->rows, row);
        return;
    }
    row.value = loader_capture(loader, reader, &token);
    token_clear(&token);
    read_row_units(loader, reader, &row);
    read_row_terms(loader, reader, &row);
    unsigned *extra[] = {&row.change, &row.significant, &row.spread};
    const char *const words[] = {"change", "significant", "spread"};
    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
        if (!line_reader_word(reader, words[i]))
            continue;
        if (line_reader_next(reader, &token)) {
            *extra[i] = loader_capture(loader, reader, &token);
            token_clear(&token);
        } else {
            loader_mistake_next(loader, reader, "<capture> is missing");
        }
    }
    row.spread_is_percent = row.spread != CAPTURE_NONE && line_reader_word(reader, "%");
    line_reader_end(reader, loader->source);
    g_array_append_val(loader->rule->rows, row);
}

/* ---- variables and parameters ---- */

static void read_set(struct loader *loader, struct line_reader *reader)
{
    struct token name, value;
    if (!line_reader_next(reader, &name)) {
        loader_mistake_next(loader, reader, "set VARIABLE = TEXT");
        return;
    }
    int variable = loader_find_variable(loader, name.text);
    if (variable < 0 || g_array_index(loader->grammar->listed, bool, (guint)variable)) {
        grammar_source_mistake(loader->source, source_line_place(reader->line, name.start),
                               "no variable \"%s\" is carried", name.text);
    } else if (!line_reader_word(reader, "=") || !line_reader_next(reader, &value)) {
        loader_mistake_next(loader, reader, "= TEXT is missing");
    } else {
        struct assignment assignment = {.variable = (unsigned)variable};
        loader_definition(loader->variables, assignment.variable)->set = true;
        loader_template(loader, reader, &value, &assignment.text);
        g_array_append_val(loader->rule->assignments, assignment);
        token_clear(&value);
        line_reader_end(reader, loader->source);
    }
    token_clear(&name);
}

static void read_param(struct loader *loader, struct line_reader *reader)
{
    struct token key, value;
    struct param param = {0};
    if (!line_reader_next(reader, &key)) {
        loader_mistake_next(loader, reader, "param KEY = TEXT");
        return;
    }
    if (!line_reader_word(reader, "=") || !line_reader_next(reader, &value)) {
        loader_mistake_next(loader, reader, "= TEXT is missing");
    } else {
        loader_template(loader, reader, &key, &param.key);
        loader_template(loader, reader, &value, &param.value);
        g_array_append_val(loader->rule->params, param);
        token_clear(&value);
        line_reader_end(reader, loader->source);
    }
    token_clear(&key);
}

/* params TEXT split SEPARATOR key END else KEY
 * params TEXT split SEPARATOR names TEXT [test KEY] */
static void read_params(struct loader *loader, struct line_reader *reader)
{
    static const char *const usage =
        "params TEXT split SEPARATOR key END else KEY, or params TEXT split SEPARATOR names TEXT [test KEY]";
    struct token text, separator = {0}, end = {0}, other = {0};
    struct param param = {0};
    if (!line_reader_next(reader, &text)) {
        loader_mistake_next(loader, reader, usage);
        return;
    }
    bool splits = line_reader_word(reader, "split") && line_reader_next(reader, &separator);
    if (splits && line_reader_word(reader, "names") && line_reader_next(reader, &other)) {
        if (!*separator.text)
            loader_mistake(loader, reader, separator.start, "this text is empty");
        loader_template(loader, reader, &text, &param.value);
        loader_template(loader, reader, &other, &param.key);
        param.separator = g_strdup(separator.text);
        if (line_reader_word(reader, "test") && line_reader_next(reader, &end))
            param.test_key = g_strdup(end.text);
        g_array_append_val(loader->rule->params, param);
        line_reader_end(reader, loader->source);
    } else if (splits && line_reader_word(reader, "key") && line_reader_next(reader, &end) &&
               line_reader_word(reader, "else") && line_reader_next(reader, &other)) {
        if (!*separator.text || !*end.text)
            loader_mistake(loader, reader, *separator.text ? end.start : separator.start, "this text is empty");
        loader_template(loader, reader, &text, &param.value);
        loader_template(loader, reader, &other, &param.key);
        param.separator = g_strdup(separator.text);
        param.key_end = g_strdup(end.text);
        g_array_append_val(loader->rule->params, param);
        line_reader_end(reader, loader->source);
    } else {
        loader_mistake_next(loader, reader, usage);
    }
    token_clear(&text);
    token_clear(&separator);
    token_clear(&end);
    token_clear(&other);
}

/* ---- when a rule matches ---- */

static bool is_begin(struct loader *loader, struct line_reader *reader)
{
    if (loader->rule->kind != RULE_BEGIN)
        loader_mistake(loader, reader, 0, "this stands under a begin rule");
    return loader->rule->kind == RULE_BEGIN;
}

static void read_again(struct loader *loader, struct line_reader *reader)
{
    struct token token;
    if (!is_begin(loader, reader))
        return;
    if (!line_reader_next(reader, &token)) {
        loader_mistake_next(loader, reader, "again <capture>");
        return;
    }
    unsigned capture = loader_capture(loader, reader, &token);
    loader->rule->again = capture == CAPTURE_NONE ? -1 : (int)capture;
    token_clear(&token);
    line_reader_end(reader, loader->source);
}

static void read_near(struct loader *loader, struct line_reader *reader)
{
    if (!is_begin(loader, reader))
        return;
    loader->rule->near = true;
    line_reader_end(reader, loader->source);
}

static void read_form(struct loader *loader, struct line_reader *reader, enum rule_form form)
{
    if (loader->rule->form != FORM_ANY)
        loader_mistake(loader, reader, 0, "a rule is either lined or flat, once");
    loader->rule->form = form;
    line_reader_end(reader, loader->source);
}

static void read_flat(struct loader *loader, struct line_reader *reader)
{
    read_form(loader, reader, FORM_FLAT);
}

static void read_titled(struct loader *loader, struct line_reader *reader)
{
    if (!is_begin(loader, reader))
        return;
    loader->rule->titled = true;
    line_reader_end(reader, loader->source);
}

static void read_anywhere(struct loader *loader, struct line_reader *reader)
{
    loader->rule->anywhere = true;
    line_reader_end(reader, loader->source);
}

static void read_lined(struct loader *loader, struct line_reader *reader)
{
    read_form(loader, reader, FORM_LINED);
}

void statement_units(struct loader *loader, struct line_reader *reader)
{
    struct token token;
    if (!line_reader_next(reader, &token)) {
        loader_mistake_next(loader, reader, "units NAME");
        return;
    }
    for (guint i = 1; i < loader->grammar->unit_sets->len; i++) {
        const struct unit_set *set = g_ptr_array_index(loader->grammar->unit_sets, i);
        if (strcmp(set->name, token.text) == 0) {
            loader->rule->units = set;
            loader_definition(loader->unit_sets, i)->used = true;
        }
    }
    if (!loader->rule->units)
        grammar_source_mistake(loader->source, source_line_place(reader->line, token.start),
                               "no units are called \"%s\"", token.text);
    token_clear(&token);
    line_reader_end(reader, loader->source);
}

/* ---- check ---- */

static bool read_operand(struct loader *loader, struct line_reader *reader, const struct token *token,
                         struct expression *expression)
{
    struct expression_item item = {0};
    if (expression->count + 2 > EXPRESSION_MAX) {
        loader_mistake(loader, reader, token->start, "the relation is too long");
        return false;
    }
    if (decimal_parse(view_of(token->text), false, &item.number)) {
        item.kind = ITEM_NUMBER;
    } else if (loader->rule) {
        item.kind = ITEM_CAPTURE;
        item.capture = loader_capture(loader, reader, token);
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
            loader_mistake_next(loader, reader, "a figure is missing");
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
            unsigned capture = loader_capture(loader, reader, &token);
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
        loader_mistake_next(loader, reader, "if <capture> >= FIGURE, under a rule");
        return;
    }
    check->condition = loader_capture(loader, reader, &token);
    token_clear(&token);
    if (!line_reader_word(reader, ">=") || !line_reader_next(reader, &token)) {
        loader_mistake_next(loader, reader, ">= FIGURE is missing");
        return;
    }
    if (!decimal_parse(view_of(token.text), false, &check->least))
        loader_mistake(loader, reader, token.start, "a plain number, in the base unit");
    token_clear(&token);
}

/* The relation itself, without its flags; false after a mistake. */
static bool read_relation(struct loader *loader, struct line_reader *reader, struct check *check)
{
    static const struct {
        const char *word;
        enum check_kind kind;
        unsigned least, most; /* captures */
        const char *usage;
    } kinds[] = {{"order", CHECK_ORDER, 2, RULE_CAPTURES_MAX, "check order <a> <b>..."},
                 {"rising", CHECK_RISING, 1, 1, "check rising <a>"},
                 {"change", CHECK_CHANGE, 2, 3, "check change <value> <change> [<baseline>]"},
                 {"proportional", CHECK_PROPORTIONAL, 2, 2, "check proportional <value> <bar>"}};
    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (!line_reader_word(reader, kinds[i].word))
            continue;
        check->kind = kinds[i].kind;
        if (!loader->rule) {
            loader_mistake(loader, reader, 0, "this relation stands under a rule");
            return false;
        }
        read_check_captures(loader, reader, check);
        bool good = check->capture_count >= kinds[i].least && check->capture_count <= kinds[i].most;
        if (!good)
            loader_mistake_next(loader, reader, kinds[i].usage);
        return good;
    }
    if (!read_expression(loader, reader, &check->left))
        return false;
    if (!line_reader_word(reader, "=")) {
        loader_mistake_next(loader, reader, "= is missing");
        return false;
    }
    return read_expression(loader, reader, &check->right);
}

static void read_check(struct loader *loader, struct line_reader *reader)
{
    struct check check = {
        .kind = CHECK_EQUAL, .line = source_line_place(reader->line, 0).line, .condition = CAPTURE_NONE};
    if (loader->rule && (loader->rule->kind == RULE_SKIP || loader->rule->kind == RULE_VERSION)) {
        loader_mistake(loader, reader, 0, "this stands under a rule that makes rows, or before the rules of a block");
        return;
    }
    if (read_relation(loader, reader, &check)) {
        read_check_flags(reader, &check);
        if (line_reader_word(reader, "if"))
            read_check_condition(loader, reader, &check);
        line_reader_end(reader, loader->source);
    }
    GArray *checks = loader->rule ? loader->rule->checks : loader->block->checks;
    g_array_append_val(checks, check);
}

const struct keyword *statement_keyword(const char *word)
{
    static const struct keyword keywords[] = {
        {"row", PLACE_ROWS, false, read_row},           {"set", PLACE_RULE, false, read_set},
        {"param", PLACE_ROWS, false, read_param},       {"params", PLACE_ROWS, false, read_params},
        {"again", PLACE_RULE, false, read_again},       {"near", PLACE_RULE, false, read_near},
        {"flat", PLACE_RULE, false, read_flat},         {"lined", PLACE_RULE, false, read_lined},
        {"anywhere", PLACE_RULE, false, read_anywhere}, {"titled", PLACE_RULE, false, read_titled},
        {"check", PLACE_BLOCK, false, read_check},
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(keywords); i++)
        if (strcmp(keywords[i].word, word) == 0)
            return &keywords[i];
    return NULL;
}
