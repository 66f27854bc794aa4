/* Texts are made from templates into one scratch buffer and kept in the
 * findings' strings. */
#include "extract/emit.h"

#include "extract/emitter.h"

enum { REASON_TEXT_MAX = 60 }; /* bytes that are shown of a text that makes no row */

static struct list *list_new(void)
{
    struct list *list = g_new0(struct list, 1);
    list->texts = g_array_new(FALSE, FALSE, sizeof(struct view));
    return list;
}

static void list_free(gpointer data)
{
    struct list *list = data;
    if (list)
        g_array_free(list->texts, TRUE);
    g_free(list);
}

struct emitter *emitter_new(struct findings *findings)
{
    struct emitter *emitter = g_new0(struct emitter, 1);
    emitter->findings = findings;
    emitter->figures = g_array_new(FALSE, FALSE, sizeof(struct row_figure));
    emitter->variables = g_array_new(FALSE, TRUE, sizeof(struct variable));
    emitter->lists = g_ptr_array_new_with_free_func(list_free);
    emitter->block_params = g_array_new(FALSE, TRUE, sizeof(struct param_text));
    emitter->rule_params = g_array_new(FALSE, TRUE, sizeof(struct param_text));
    emitter->param_texts = arena_new();
    emitter->key = g_string_new(NULL);
    emitter->scratch = g_string_new(NULL);
    return emitter;
}

void emitter_free(struct emitter *emitter)
{
    if (!emitter)
        return;
    g_array_free(emitter->figures, TRUE);
    g_array_free(emitter->variables, TRUE);
    g_ptr_array_unref(emitter->lists);
    g_array_free(emitter->block_params, TRUE);
    g_array_free(emitter->rule_params, TRUE);
    arena_free(emitter->param_texts);
    g_string_free(emitter->key, TRUE);
    g_string_free(emitter->scratch, TRUE);
    emitter_keep_remarks(emitter, false);
    g_free(emitter);
}

/* ---- remarks ---- */

static void remark_clear(gpointer remark)
{
    g_free(((struct remark *)remark)->text);
}

void emitter_keep_remarks(struct emitter *emitter, bool keep)
{
    if (emitter->remarks)
        g_array_free(emitter->remarks, TRUE);
    emitter->remarks = NULL;
    if (keep) {
        emitter->remarks = g_array_new(FALSE, FALSE, sizeof(struct remark));
        g_array_set_clear_func(emitter->remarks, remark_clear);
    }
}

GArray *emitter_remarks(struct emitter *emitter)
{
    return emitter->remarks;
}

void emit_remark(struct emitter *emitter, unsigned line, char *text)
{
    struct remark remark = {line, text};
    if (emitter->remarks)
        g_array_append_val(emitter->remarks, remark);
    else
        g_free(text);
}

void reason_append(GString *out, const struct reason *reason)
{
    g_string_append(out, reason->what);
    if (reason->text.bytes)
        g_string_append_printf(out, " \"%.*s\"", (int)MIN(reason->text.length, REASON_TEXT_MAX), reason->text.bytes);
}

/* ---- what carries down ---- */

void emitter_begin_passage(struct emitter *emitter, const struct grammar *grammar)
{
    emitter->grammar = grammar;
    g_array_set_size(emitter->figures, 0);
    emitter->first_row = emitter->findings->rows->len;
    g_array_set_size(emitter->variables, 0);
    g_array_set_size(emitter->variables, grammar->variables->len);
    g_ptr_array_set_size(emitter->lists, 0);
    for (guint i = 0; grammar->has_lists && i < grammar->variables->len; i++)
        g_ptr_array_add(emitter->lists, g_array_index(grammar->listed, bool, i) ? list_new() : NULL);
    g_array_set_size(emitter->block_params, 0);
    g_array_set_size(emitter->rule_params, 0);
    arena_clear(emitter->param_texts);
    emitter->kept_params = emitter->kept_line = (struct view){NULL, 0};
    emitter->line = 0;
    emitter->asked_row = NO_ROW;
}

void emitter_begin_block(struct emitter *emitter)
{
    for (guint i = 0; i < emitter->variables->len; i++)
        if (!g_array_index(emitter->grammar->kept, bool, i))
            emitter_set_variable(emitter, i, (struct view){NULL, 0});
    for (guint i = 0; i < emitter->lists->len; i++)
        if (g_ptr_array_index(emitter->lists, i))
            g_array_set_size(((struct list *)g_ptr_array_index(emitter->lists, i))->texts, 0);
    g_array_set_size(emitter->block_params, 0);
    emitter->kept_params = (struct view){NULL, 0};
}

void emitter_begin_each(struct emitter *emitter)
{
    emitter->each_row = emitter->each_first = NO_ROW;
    emitter->each_count = 0;
    emitter->each_match = 0;
    for (guint i = 0; i < emitter->lists->len; i++)
        if (g_ptr_array_index(emitter->lists, i))
            ((struct list *)g_ptr_array_index(emitter->lists, i))->begun = false;
}

/* Where the rule captures the variable; NULL if it does not, or not in this match. */
static const struct binding *find_captured(const struct rule *rule, const struct binding *binding, unsigned variable)
{
    for (unsigned i = 0; i < rule->capture_count; i++)
        if (rule->captures[i].variable == (int)variable && binding[i].is_set)
            return &binding[i];
    return NULL;
}

void emitter_next_each(struct emitter *emitter, const struct rule *rule, struct view text,
                       const struct binding *binding)
{
    for (guint i = 0; i < emitter->lists->len; i++) {
        struct list *list = g_ptr_array_index(emitter->lists, i);
        struct view turn = {NULL, 0};
        const struct binding *captured = list ? find_captured(rule, binding, i) : NULL;
        if (!list)
            continue;
        if (captured) {
            if (!list->begun)
                g_array_set_size(list->texts, 0);
            list->begun = true;
            turn = view_slice(text, captured->start, captured->end);
            g_array_append_val(list->texts, turn);
        } else if (emitter->each_match < list->texts->len) {
            turn = g_array_index(list->texts, struct view, emitter->each_match);
        }
        emitter_set_variable(emitter, i, turn);
    }
    emitter->each_match++;
}

bool emitter_lists_end(const struct emitter *emitter)
{
    for (guint i = 0; i < emitter->lists->len; i++) {
        const struct list *list = g_ptr_array_index(emitter->lists, i);
        if (list && !list->begun && emitter->each_match < list->texts->len)
            return false;
    }
    return true;
}

void emitter_set_variable(struct emitter *emitter, unsigned variable, struct view text)
{
    g_array_index(emitter->variables, struct variable, variable) = (struct variable){.text = text};
}

struct view emitter_variable(const struct emitter *emitter, unsigned variable)
{
    return emit_variable_text(emitter, variable);
}

/* ---- templates ---- */

static void append_number(GString *out, struct view text)
{
    struct decimal number;
    if (decimal_parse(text, true, &number))
        decimal_append(out, &number);
    else
        g_string_append_len(out, text.bytes, (gssize)text.length);
}

/* Append a text with its runs of white space as one blank each: the text may
 * have been broken or padded on its way. */
static void append_squeezed(GString *out, struct view text)
{
    size_t start = out->len;
    g_string_set_size(out, start + text.length);
    char *to = out->str + start;
    for (size_t i = 0; i < text.length; i++) {
        bool white = text.bytes[i] == ' ' || text.bytes[i] == '\n';
        if (!white)
            *to++ = text.bytes[i];
        else if (i > 0 && text.bytes[i - 1] != ' ' && text.bytes[i - 1] != '\n')
            *to++ = ' ';
    }
    g_string_truncate(out, (gsize)(to - out->str));
}

/* Append what the map has for text, its white space as in a template. */
static bool append_mapped(GString *out, const struct map *map, struct view text)
{
    size_t start = out->len;
    append_squeezed(out, text);
    struct view squeezed = {out->str + start, out->len - start};
    for (guint i = 0; i < map->entries->len; i++) {
        const struct map_entry *entry = &g_array_index(map->entries, struct map_entry, i);
        if (view_is(squeezed, entry->from)) {
            g_string_truncate(out, start);
            g_string_append(out, entry->to);
            return true;
        }
    }
    g_string_truncate(out, start);
    return false;
}

/* The text of a reference; false where it is not set. */
bool emit_reference(const struct emitter *emitter, const struct reference *reference, struct view text,
                    const struct binding *binding, struct view *result)
{
    if (reference->carried) {
        *result = emit_variable_text(emitter, reference->index);
        return result->bytes != NULL;
    }
    if (!binding[reference->index].is_set)
        return false;
    *result = view_trim(view_slice(text, binding[reference->index].start, binding[reference->index].end));
    return true;
}

static struct reason reason_of_unset(const struct grammar *grammar, unsigned variable)
{
    bool listed = g_array_index(grammar->listed, bool, variable);
    return (struct reason){listed ? "no text of this number is in the list" : "nothing above it sets the variable",
                           view_of(g_ptr_array_index(grammar->variables, variable))};
}

/* Append the template's text; false where a carried variable is not set, or a
 * map does not know its text. A capture that took no part in the match gives
 * nothing, and with strict is a failure too. */
static bool append_template(struct emitter *emitter, GString *out, const struct template *template, struct view text,
                            const struct binding *binding, bool strict)
{
    for (unsigned i = 0; i < template->count; i++) {
        const struct piece *piece = &template->pieces[i];
        struct view part;
        if (piece->literal) {
            g_string_append(out, piece->literal);
            continue;
        }
        if (!emit_reference(emitter, &piece->reference, text, binding, &part)) {
            if (!strict && !piece->reference.carried)
                continue;
            if (piece->reference.carried)
                emitter->unmade = reason_of_unset(emitter->grammar, piece->reference.index);
            return false;
        }
        size_t start = out->len;
        switch (piece->reference.filter) {
        case FILTER_NONE:
            append_squeezed(out, part);
            break;
        case FILTER_LOWER:
            append_squeezed(out, part);
            for (size_t c = start; c < out->len; c++)
                out->str[c] = g_ascii_tolower(out->str[c]);
            break;
        case FILTER_NUMBER:
            append_number(out, part);
            break;
        case FILTER_BASE:
            if (unit_base(part))
                append_squeezed(out, part);
            break;
        case FILTER_MAP:
            if (!append_mapped(out, piece->reference.map, part)) {
                emitter->unmade = (struct reason){"the map does not have", part};
                return false;
            }
            break;
        }
    }
    return true;
}

static struct view keep_scratch(struct emitter *emitter)
{
    return findings_keep(emitter->findings, (struct view){emitter->scratch->str, emitter->scratch->len});
}

struct view emit_template(struct emitter *emitter, const struct template *template, struct view text,
                          const struct binding *binding)
{
    if (template->count == 1 && template->pieces[0].literal) { /* as most are: nothing to be made */
        struct view literal = view_of(template->pieces[0].literal);
        if (text_is_plain(literal))
            return literal;
    }
    g_string_truncate(emitter->scratch, 0);
    if (!append_template(emitter, emitter->scratch, template, text, binding, false))
        return (struct view){NULL, 0};
    return keep_scratch(emitter);
}

struct view emit_variable(struct emitter *emitter, unsigned index)
{
    struct variable *variable = &g_array_index(emitter->variables, struct variable, index);
    if (!variable->text.bytes)
        return view_of("");
    if (!variable->kept.bytes) {
        g_string_truncate(emitter->scratch, 0);
        append_squeezed(emitter->scratch, view_trim(variable->text));
        variable->kept = keep_scratch(emitter);
    }
    return variable->kept;
}

void emitter_set_variables(struct emitter *emitter, const struct rule *rule, struct view text,
                           const struct binding *binding)
{
    for (unsigned i = 0; i < rule->capture_count; i++)
        if (rule->captures[i].variable >= 0 && binding[i].is_set)
            emitter_set_variable(emitter, (unsigned)rule->captures[i].variable,
                                 view_slice(text, binding[i].start, binding[i].end));
    for (guint i = 0; i < rule->assignments->len; i++) {
        const struct assignment *assignment = &g_array_index(rule->assignments, struct assignment, i);
        struct view value = emit_template(emitter, &assignment->text, text, binding);
        if (value.bytes)
            emitter_set_variable(emitter, assignment->variable, value);
    }
}

/* ---- parameters ---- */

static void add_param(struct emitter *emitter, GArray *params, struct view key, struct view value)
{
    struct param_text param = {arena_copy(emitter->param_texts, key), arena_copy(emitter->param_texts, value)};
    g_array_append_val(params, param);
}

/* Split text at the separator; a piece without key_end goes to the key other,
 * several of them together. */
static void add_split_params(struct emitter *emitter, GArray *params, const struct param *param, const char *text,
                             struct view other)
{
    char **pieces = g_strsplit(text, param->separator, -1);
    GString *rest = g_string_new(NULL);
    for (char **piece = pieces; *piece; piece++) {
        const char *end = strstr(*piece, param->key_end);
        if (end && end > *piece)
            add_param(emitter, params, (struct view){*piece, (size_t)(end - *piece)},
                      view_of(end + strlen(param->key_end)));
        else if (**piece)
            g_string_append_printf(rest, "%s%s", rest->len ? param->separator : "", *piece);
    }
    if (rest->len > 0)
        add_param(emitter, params, other, (struct view){rest->str, rest->len});
    g_string_free(rest, TRUE);
    g_strfreev(pieces);
}

/* Pieces of text have the pieces of names for keys, where there are as many. */
static void add_named_params(struct emitter *emitter, GArray *params, const struct param *param, const char *text,
                             const char *names)
{
    char **pieces = g_strsplit(text, param->separator, -1), **keys = g_strsplit(names, param->separator, -1);
    guint count = g_strv_length(pieces);
    for (guint i = 0; i < count && count == g_strv_length(keys); i++) {
        struct view key = view_trim(view_of(keys[i])), piece = view_trim(view_of(pieces[i]));
        if (!param->test_key || !view_is(key, param->test_key))
            add_param(emitter, params, key, piece);
        else
            emitter_set_variable(emitter, VARIABLE_TEST, arena_copy(emitter->findings->strings, piece));
    }
    g_strfreev(pieces);
    g_strfreev(keys);
}

void emitter_set_params(struct emitter *emitter, const struct rule *rule, struct view text,
                        const struct binding *binding, enum param_scope scope)
{
    GArray *params = scope == PARAMS_OF_BLOCK ? emitter->block_params : emitter->rule_params;
    guint kept = scope == PARAMS_OF_EACH ? emitter->own_params : 0;
    GString *key = emitter->key, *value = emitter->scratch;
    if (emitter->rule_params->len - kept + rule->params->len > 0)
        emitter->kept_params = (struct view){NULL, 0};
    g_array_set_size(emitter->rule_params, MIN(kept, emitter->rule_params->len));
    for (guint i = 0; i < rule->params->len; i++) {
        const struct param *param = &g_array_index(rule->params, struct param, i);
        g_string_truncate(key, 0);
        g_string_truncate(value, 0);
        if (!append_template(emitter, key, &param->key, text, binding, true) ||
            !append_template(emitter, value, &param->value, text, binding, true))
            continue;
        if (param->separator && !param->key_end)
            add_named_params(emitter, params, param, value->str, key->str);
        else if (param->separator)
            add_split_params(emitter, params, param, value->str, (struct view){key->str, key->len});
        else
            add_param(emitter, params, (struct view){key->str, key->len}, (struct view){value->str, value->len});
    }
    if (scope != PARAMS_OF_EACH)
        emitter->own_params = emitter->rule_params->len;
}

static void append_escaped(GString *out, struct view text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] == ';' || text.bytes[i] == '=' || text.bytes[i] == '\\')
            g_string_append_c(out, '\\');
        g_string_append_c(out, text.bytes[i]);
    }
}

struct view emit_params(struct emitter *emitter)
{
    if (emitter->kept_params.bytes)
        return emitter->kept_params;
    unsigned total = emitter->block_params->len + emitter->rule_params->len;
    const struct param_text **sorted = g_new(const struct param_text *, total + 1);
    unsigned count = 0;
    GArray *sources[] = {emitter->block_params, emitter->rule_params};
    for (unsigned s = 0; s < G_N_ELEMENTS(sources); s++) {
        for (guint i = 0; i < sources[s]->len; i++) {
            const struct param_text *param = &g_array_index(sources[s], struct param_text, i);
            unsigned place = count++;
            for (; place > 0 && strcmp(sorted[place - 1]->key.bytes, param->key.bytes) > 0; place--)
                sorted[place] = sorted[place - 1];
            sorted[place] = param;
        }
    }
    g_string_truncate(emitter->scratch, 0);
    for (unsigned i = 0; i < count; i++) {
        g_string_append(emitter->scratch, i ? ";" : "");
        append_escaped(emitter->scratch, sorted[i]->key);
        g_string_append_c(emitter->scratch, '=');
        append_escaped(emitter->scratch, sorted[i]->value);
    }
    g_free(sorted);
    emitter->kept_params = keep_scratch(emitter);
    return emitter->kept_params;
}
