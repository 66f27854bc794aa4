#include "extract/grammar_loader.h"

void loader_mistake(struct loader *loader, const struct line_reader *reader, size_t offset, const char *what)
{
    grammar_source_mistake(loader->source, source_line_place(reader->line, offset), "%s", what);
}

void loader_mistake_next(struct loader *loader, struct line_reader *reader, const char *what)
{
    loader_mistake(loader, reader, line_reader_rest(reader), what);
}

/* ---- names ---- */

unsigned rule_capture_count(const struct rule *rule)
{
    return rule->capture_count + (rule->table ? rule->table->cell_capture_count : 0);
}

const struct capture *rule_capture(const struct rule *rule, unsigned index)
{
    return index < rule->capture_count ? &rule->captures[index]
                                       : &rule->table->cell_captures[index - rule->capture_count];
}

int rule_find_capture(const struct rule *rule, const char *name)
{
    for (unsigned i = 0; i < rule_capture_count(rule); i++)
        if (strcmp(rule_capture(rule, i)->name, name) == 0)
            return (int)i;
    return -1;
}

int loader_find_variable(const struct loader *loader, const char *name)
{
    for (guint i = 0; i < loader->grammar->variables->len; i++)
        if (strcmp(g_ptr_array_index(loader->grammar->variables, i), name) == 0)
            return (int)i;
    return -1;
}

int loader_find_map(const struct loader *loader, const char *name)
{
    for (guint i = 0; i < loader->grammar->maps->len; i++)
        if (strcmp(((struct map *)g_ptr_array_index(loader->grammar->maps, i))->name, name) == 0)
            return (int)i;
    return -1;
}

size_t token_offset(const struct line_reader *reader, const struct token *token, size_t index)
{
    const char *text = reader->line->text->str;
    size_t offset = token->start;
    for (; text[offset]; offset++) {
        if (text[offset] == '"')
            continue;
        if (index == 0)
            break;
        index--;
    }
    return offset;
}

bool token_cut_comma(struct token *token)
{
    size_t length = strlen(token->text);
    if (length == 0 || token->text[length - 1] != ',')
        return false;
    token->text[length - 1] = '\0';
    return true;
}

/* ---- references and templates ---- */

unsigned loader_capture(struct loader *loader, struct line_reader *reader, const struct token *token)
{
    size_t length = strlen(token->text);
    if (length < 3 || token->text[0] != '<' || token->text[length - 1] != '>') {
        loader_mistake(loader, reader, token->start, "a capture is written <name>");
        return CAPTURE_NONE;
    }
    char *name = g_strndup(token->text + 1, length - 2);
    int index = rule_find_capture(loader->rule, name);
    if (index >= 0)
        loader->capture_used[index] = true;
    else if (loader->has_captures)
        grammar_source_mistake(loader->source, source_line_place(reader->line, token->start),
                               "the rule's pattern has no capture <%s>", name);
    g_free(name);
    return index < 0 ? CAPTURE_NONE : (unsigned)index;
}

static bool read_filter(struct loader *loader, struct source_place place, const char *name, struct reference *reference)
{
    if (strcmp(name, "lower") == 0) {
        reference->filter = FILTER_LOWER;
    } else if (strcmp(name, "number") == 0) {
        reference->filter = FILTER_NUMBER;
    } else if (strcmp(name, "base") == 0) {
        reference->filter = FILTER_BASE;
    } else {
        int map = loader_find_map(loader, name);
        if (map < 0) {
            grammar_source_mistake(loader->source, place, "no filter and no map is called \"%s\"", name);
            return false;
        }
        reference->filter = FILTER_MAP;
        reference->map = g_ptr_array_index(loader->grammar->maps, (guint)map);
        loader_definition(loader->maps, (unsigned)map)->used = true;
    }
    return true;
}

/* `name` or `name|filter`, which stands at index of the token. */
static bool read_reference(struct loader *loader, struct line_reader *reader, const struct token *token, size_t index,
                           const char *text, struct reference *reference)
{
    const char *bar = strchr(text, '|');
    char *name = bar ? g_strndup(text, (gsize)(bar - text)) : g_strdup(text);
    struct source_place place = source_line_place(reader->line, token_offset(reader, token, index));
    int found = loader->rule ? rule_find_capture(loader->rule, name) : -1;
    bool good = true;
    memset(reference, 0, sizeof *reference);
    if (found >= 0) {
        loader->capture_used[found] = true;
        reference->index = (unsigned)found;
    } else if ((found = loader_find_variable(loader, name)) >= 0) {
        reference->carried = true;
        reference->index = (unsigned)found;
        loader_definition(loader->variables, (unsigned)found)->used = true;
        if (g_array_index(loader->grammar->listed, bool, (guint)found)) {
            good = loader->rule && loader->rule->kind == RULE_EACH && loader->top;
            if (good)
                loader->rule->reads_list = loader->top->reads_list = true;
            else
                grammar_source_mistake(loader->source, place, "<%s> is a list: only an each can refer to it", name);
        }
    } else {
        good = false;
        if (loader->has_captures)
            grammar_source_mistake(loader->source, place, "<%s> is neither a capture of this rule nor carried", name);
    }
    if (bar) {
        place = source_line_place(reader->line, token_offset(reader, token, index + (size_t)(bar + 1 - text)));
        good &= read_filter(loader, place, bar + 1, reference);
    }
    g_free(name);
    return good;
}

bool loader_reference(struct loader *loader, struct line_reader *reader, const struct token *token,
                      struct reference *reference)
{
    size_t length = strlen(token->text);
    if (length < 3 || token->text[0] != '<' || token->text[length - 1] != '>') {
        loader_mistake(loader, reader, token->start, "a reference is written <name> or <name|filter>");
        return false;
    }
    char *text = g_strndup(token->text + 1, length - 2);
    bool good = read_reference(loader, reader, token, 1, text, reference);
    g_free(text);
    return good;
}

void loader_template(struct loader *loader, struct line_reader *reader, const struct token *token,
                     struct template *template)
{
    GArray *pieces = g_array_new(FALSE, TRUE, sizeof(struct piece));
    const char *text = token->text;
    for (size_t i = 0; text[i];) {
        struct piece piece = {0};
        const char *end = text[i] == '<' ? strchr(text + i, '>') : NULL;
        if (end) {
            char *inner = g_strndup(text + i + 1, (gsize)(end - text) - i - 1);
            read_reference(loader, reader, token, i + 1, inner, &piece.reference);
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
