/* One pass over the file's logical lines. A line's first word is its keyword:
 * here are those that stand before the blocks; grammar_rule.c has those that
 * begin a rule, grammar_statement.c those that stand under one. */
#include "extract/grammar_load.h"

#include "extract/grammar_rule.h"
#include "extract/grammar_statement.h"
#include "extract/words.h"

enum { LITERAL_DEPTH_MAX = 10, LITERALS_MAX = 60 };

/* ---- what the grammar is ---- */

static void read_grammar(struct loader *loader, struct line_reader *reader)
{
    struct token token;
    if (loader->grammar->name) {
        loader_mistake(loader, reader, 0, "grammar NAME stands once");
        return;
    }
    if (!line_reader_next(reader, &token)) {
        loader_mistake_next(loader, reader, "grammar NAME");
        loader->is_incomplete = true;
        return;
    }
    for (const char *c = token.text; *c; c++) {
        if (!g_ascii_islower(*c) && !g_ascii_isdigit(*c) && *c != '-') {
            loader_mistake(loader, reader, token.start, "a name is lower-case letters, digits and -");
            break;
        }
    }
    loader->grammar->name = token.text;
    line_reader_end(reader, loader->source);
}

static void read_about(struct loader *loader, struct line_reader *reader)
{
    g_free(loader->grammar->about);
    loader->grammar->about = g_strdup(reader->line->text->str + line_reader_rest(reader));
}

/* ---- literals ---- */

static void append_operator(struct loader *loader, int kind)
{
    struct literal_item item = {0};
    item.kind = (unsigned)kind;
    g_array_append_val(loader->grammar->literals, item);
}

/* `<number>` before or behind a literal. */
static bool take_number(struct line_reader *reader)
{
    return line_reader_word(reader, "<number>");
}

/* `<number>UNIT` behind a literal. */
static bool take_number_and_unit(struct line_reader *reader, char **unit)
{
    static const char number[] = "<number>";
    struct token token;
    bool found = false;
    if (take_number(reader))
        return true;
    if (!line_reader_peek(reader, &token))
        return false;
    if (g_str_has_prefix(token.text, number)) {
        *unit = g_strdup(token.text + strlen(number));
        line_reader_skip(reader);
        found = true;
    }
    token_clear(&token);
    return found;
}

/* "one two": mail may break lines between the words. " one ": a word of its own. */
static void split_literal(struct loader *loader, struct line_reader *reader, const struct token *token,
                          struct literal_item *item)
{
    const struct view text = view_of(token->text), words = view_trim(text);
    const char *blank = memchr(words.bytes, ' ', words.length);

    if (words.length == 0)
        loader_mistake(loader, reader, token->start, "this literal is empty");
    item->begins_word = words.bytes > text.bytes;
    item->ends_word = words.bytes + words.length < text.bytes + text.length;
    item->text = g_strndup(words.bytes, blank ? (size_t)(blank - words.bytes) : words.length);
    if (!blank)
        return;
    while (*blank == ' ')
        blank++;
    item->next = g_strndup(blank, (size_t)(words.bytes + words.length - blank));
    for (const char *word = item->next; word; word = strchr(word + 1, ' '))
        if (!g_ascii_isalnum(word[*word == ' ']))
            loader_mistake(loader, reader, token->start, "behind a blank a literal goes on with a letter or digit");
}

static bool read_literal(struct loader *loader, struct line_reader *reader)
{
    struct literal_item item = {.after_number = take_number(reader)};
    struct token token;
    if (!line_reader_next(reader, &token)) {
        loader_mistake_next(loader, reader, "a literal is missing");
        return false;
    }
    split_literal(loader, reader, &token, &item);
    item.before_number = take_number_and_unit(reader, &item.unit);
    g_array_append_val(loader->grammar->literals, item);
    token_clear(&token);
    return true;
}

static bool read_literal_or(struct loader *loader, struct line_reader *reader, unsigned depth);

static bool read_literal_and(struct loader *loader, struct line_reader *reader, unsigned depth)
{
    for (unsigned count = 0;; count++) {
        if (loader->grammar->literals->len > LITERALS_MAX || depth > LITERAL_DEPTH_MAX) {
            loader_mistake_next(loader, reader, "too many literals");
            return false;
        }
        if (!line_reader_word(reader, "(")) {
            if (!read_literal(loader, reader))
                return false;
        } else {
            if (!read_literal_or(loader, reader, depth + 1))
                return false;
            if (!line_reader_word(reader, ")")) {
                loader_mistake_next(loader, reader, ") is missing");
                return false;
            }
        }
        if (count > 0)
            append_operator(loader, LITERAL_AND);
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
            append_operator(loader, LITERAL_OR);
        if (!line_reader_word(reader, "or"))
            return true;
    }
}

static void read_literals(struct loader *loader, struct line_reader *reader)
{
    if (loader->grammar->literals->len > 0)
        loader_mistake(loader, reader, 0, "literals stand once");
    else if (read_literal_or(loader, reader, 0))
        line_reader_end(reader, loader->source);
    else
        loader->is_incomplete = true;
}

/* ---- fragments ---- */

static bool is_name(const char *text)
{
    bool good = g_ascii_isalpha(text[0]) || text[0] == '_';
    while (good && *text) {
        good = g_ascii_isalnum(*text) || *text == '_';
        text++;
    }
    return good;
}

/* The name that something is given: letters, digits and _, so that a pattern
 * can hold it. False, with the mistake reported, if it is none. */
static bool read_name(struct loader *loader, struct line_reader *reader, const char *usage, struct token *name)
{
    if (!line_reader_next(reader, name)) {
        loader_mistake_next(loader, reader, usage);
        return false;
    }
    if (!is_name(name->text)) {
        loader_mistake(loader, reader, name->start, "a name is letters, digits and _");
        token_clear(name);
        return false;
    }
    return true;
}

static bool define_fragment(struct loader *loader, struct line_reader *reader, const struct token *name,
                            const char *pattern, const char *sketch)
{
    struct source_place place = source_line_place(reader->line, name->start);
    bool good = fragments_define(loader->fragments, name->text, pattern, sketch, place);
    if (!good)
        grammar_source_mistake(loader->source, place, "fragment \"%s\" is defined twice", name->text);
    return good;
}

/* The pattern is checked when all fragments are known: check_fragments. */
static void read_fragment(struct loader *loader, struct line_reader *reader)
{
    struct token name;
    if (!read_name(loader, reader, "fragment NAME PATTERN", &name)) {
        loader->is_incomplete = true;
        return;
    }
    const char *pattern = reader->line->text->str + line_reader_rest(reader);
    bool is_defined = define_fragment(loader, reader, &name, pattern, NULL);
    if (!*pattern)
        loader_mistake_next(loader, reader, "a pattern is missing");
    else if (is_defined)
        g_ptr_array_add(loader->fragment_lines, (gpointer)reader->line);
    token_clear(&name);
}

static void check_fragments(struct loader *loader)
{
    for (guint i = 0; i < loader->fragment_lines->len; i++) {
        struct line_reader reader = {.line = g_ptr_array_index(loader->fragment_lines, i)};
        struct token name;
        line_reader_skip(&reader);
        line_reader_next(&reader, &name);
        loader->is_incomplete |=
            !fragments_check(loader->fragments, loader->source, reader.line, name.text, line_reader_rest(&reader));
        token_clear(&name);
    }
}

/* The lines of a file beside the grammar. */
static void read_word_file(struct loader *loader, struct line_reader *reader, GPtrArray *words)
{
    struct token token;
    if (!line_reader_next(reader, &token)) {
        loader_mistake_next(loader, reader, "words NAME from FILE");
        return;
    }
    char *folder = g_path_get_dirname(grammar_source_path(loader->source));
    char *path = g_build_filename(folder, token.text, NULL), *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL) || !g_utf8_validate(text, -1, NULL)) {
        loader_mistake(loader, reader, token.start, "this file can't be read");
    } else {
        char **lines = g_strsplit_set(text, "\r\n", -1);
        for (char **line = lines; *line; line++)
            if (**line && **line != '#')
                g_ptr_array_add(words, g_strdup(*line));
        g_strfreev(lines);
        if (words->len == 0)
            loader_mistake(loader, reader, token.start, "this file holds no words");
        line_reader_end(reader, loader->source);
    }
    g_free(text);
    g_ptr_array_add(loader->grammar->word_files, path);
    g_free(folder);
    token_clear(&token);
}

/* words NAME WORD... | words NAME from FILE: a fragment, the longest of those that begin alike first. */
static void read_words(struct loader *loader, struct line_reader *reader)
{
    struct token name, token;
    if (!read_name(loader, reader, "words NAME WORD..., or words NAME from FILE", &name)) {
        loader->is_incomplete = true;
        return;
    }
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
    if (line_reader_word(reader, "from")) {
        read_word_file(loader, reader, words);
    } else {
        while (line_reader_next(reader, &token)) {
            g_ptr_array_add(words, g_strdup(token.text));
            token_clear(&token);
        }
        if (words->len == 0)
            loader_mistake_next(loader, reader, "words NAME WORD..., or words NAME from FILE");
    }
    GString *pattern = g_string_new(NULL), *sketch = g_string_new(NULL);
    words_append(pattern, sketch, words);
    define_fragment(loader, reader, &name, pattern->str, sketch->str);
    g_string_free(pattern, TRUE);
    g_string_free(sketch, TRUE);
    g_ptr_array_unref(words);
    token_clear(&name);
}

/* ---- maps, units, variables ---- */

static void define(GArray *definitions, const struct line_reader *reader, size_t offset, bool is_used)
{
    struct definition definition = {.place = source_line_place(reader->line, offset), .used = is_used};
    g_array_append_val(definitions, definition);
}

static bool map_has(const struct map *map, const char *from)
{
    for (guint i = 0; i < map->entries->len; i++)
        if (strcmp(g_array_index(map->entries, struct map_entry, i).from, from) == 0)
            return true;
    return false;
}

/* map NAME FROM=TO... */
static void read_map(struct loader *loader, struct line_reader *reader)
{
    static const char *const usage = "map NAME FROM=TO...";
    struct token token;
    if (!read_name(loader, reader, usage, &token)) {
        loader->is_incomplete = true;
        return;
    }
    bool is_known = loader_find_map(loader, token.text) >= 0;
    if (is_known)
        grammar_source_mistake(loader->source, source_line_place(reader->line, token.start),
                               "map \"%s\" is defined twice", token.text);
    struct map *map = map_new(token.text);
    g_ptr_array_add(loader->grammar->maps, map);
    define(loader->maps, reader, token.start, is_known);
    token_clear(&token);
    if (!line_reader_peek(reader, &token))
        loader_mistake_next(loader, reader, usage);
    else
        token_clear(&token);
    while (line_reader_next(reader, &token)) {
        char *equals = strchr(token.text, '=');
        if (!equals) {
            loader_mistake(loader, reader, token.start, "an entry is written FROM=TO");
        } else {
            struct map_entry entry = {g_strndup(token.text, (gsize)(equals - token.text)), g_strdup(equals + 1)};
            if (map_has(map, entry.from))
                grammar_source_mistake(loader->source, source_line_place(reader->line, token.start),
                                       "\"%s\" is mapped already", entry.from);
            g_array_append_val(map->entries, entry);
        }
        token_clear(&token);
    }
}

static bool unit_set_has(const struct unit_set *set, const char *name)
{
    for (guint i = 0; i < set->entries->len; i++)
        if (strcmp(g_array_index(set->entries, struct unit_entry, i).name, name) == 0)
            return true;
    return false;
}

/* UNIT = FACTOR BASE into set; true if a comma ends it, so that another
 * follows. */
static bool read_unit_entry(struct loader *loader, struct line_reader *reader, struct unit_set *set)
{
    struct token name, factor, base;
    bool more = false;
    if (!line_reader_next(reader, &name)) {
        loader_mistake_next(loader, reader, "UNIT = FACTOR BASE is missing");
        return false;
    }
    if (!line_reader_word(reader, "=") || !line_reader_next(reader, &factor)) {
        loader_mistake_next(loader, reader, "= FACTOR BASE is missing");
        token_clear(&name);
        return false;
    }
    struct unit_entry entry = {0};
    if (!decimal_parse(view_of(factor.text), false, &entry.unit.factor))
        loader_mistake(loader, reader, factor.start, "a factor is a plain number");
    token_clear(&factor);
    if (line_reader_next(reader, &base)) {
        more = token_cut_comma(&base);
        entry.unit.base = unit_base(view_of(base.text));
        if (!entry.unit.base)
            loader_mistake(loader, reader, base.start, "a base unit is s, B, B/s, 1/s, % or 1");
        token_clear(&base);
    } else {
        loader_mistake_next(loader, reader, "the base unit is missing");
    }
    if (unit_set_has(set, name.text))
        grammar_source_mistake(loader->source, source_line_place(reader->line, name.start),
                               "unit \"%s\" is defined twice", name.text);
    entry.name = name.text;
    g_array_append_val(set->entries, entry);
    return more;
}

static void read_unit_entries(struct loader *loader, struct line_reader *reader, struct unit_set *set)
{
    size_t mistakes = grammar_source_mistake_count(loader->source);
    while (read_unit_entry(loader, reader, set))
        continue;
    if (mistakes == grammar_source_mistake_count(loader->source))
        line_reader_end(reader, loader->source);
}

static void read_unit(struct loader *loader, struct line_reader *reader)
{
    read_unit_entries(loader, reader, g_ptr_array_index(loader->grammar->unit_sets, 0));
}

/* Before the blocks a set is defined, under a rule it is used. */
static void read_units(struct loader *loader, struct line_reader *reader)
{
    struct token name;
    if (loader->block) {
        if (loader->rule)
            statement_units(loader, reader);
        else
            loader_mistake(loader, reader, 0, "this stands before the blocks, or under a rule");
        return;
    }
    rule_finish(loader);
    if (!line_reader_next(reader, &name)) {
        loader_mistake_next(loader, reader, "units NAME UNIT = FACTOR BASE, ...");
        loader->is_incomplete = true;
        return;
    }
    bool is_known = false;
    for (guint i = 1; i < loader->grammar->unit_sets->len; i++)
        is_known |= strcmp(((struct unit_set *)g_ptr_array_index(loader->grammar->unit_sets, i))->name, name.text) == 0;
    if (is_known)
        grammar_source_mistake(loader->source, source_line_place(reader->line, name.start),
                               "units \"%s\" are defined twice", name.text);
    struct unit_set *set = unit_set_new(name.text);
    g_ptr_array_add(loader->grammar->unit_sets, set);
    define(loader->unit_sets, reader, name.start, is_known);
    token_clear(&name);
    read_unit_entries(loader, reader, set);
}

/* better higher|lower|none GLOB... */
static void read_better(struct loader *loader, struct line_reader *reader)
{
    static const char *const usage = "better higher|lower|none METRIC...";
    struct token token;
    const char *direction = line_reader_word(reader, "higher")  ? "higher"
                            : line_reader_word(reader, "lower") ? "lower"
                            : line_reader_word(reader, "none")  ? ""
                                                                : NULL;
    if (!direction || !line_reader_peek(reader, &token)) {
        loader_mistake_next(loader, reader, usage);
        return;
    }
    token_clear(&token);
    while (line_reader_next(reader, &token))
        grammar_add_better(loader->grammar, token.text, direction);
}

/* How long a variable holds, and how much. */
enum variable_kind { VARIABLE_CARRIED, VARIABLE_KEPT, VARIABLE_LIST };

static void declare_variable(struct loader *loader, struct line_reader *reader, const struct token *name,
                             enum variable_kind kind)
{
    bool kept = kind == VARIABLE_KEPT, listed = kind == VARIABLE_LIST;
    int index = loader_find_variable(loader, name->text);
    if (index >= 0 && index < VARIABLE_BUILTIN_COUNT && kept) {
        g_array_index(loader->grammar->kept, bool, (guint)index) = true;
    } else if (index >= 0) {
        grammar_source_mistake(loader->source, source_line_place(reader->line, name->start),
                               "variable \"%s\" is known already", name->text);
    } else {
        g_ptr_array_add(loader->grammar->variables, g_strdup(name->text));
        g_array_append_val(loader->grammar->kept, kept);
        g_array_append_val(loader->grammar->listed, listed);
        loader->grammar->has_lists |= listed;
        define(loader->variables, reader, name->start, false);
    }
}

static void declare_variables(struct loader *loader, struct line_reader *reader, const char *usage,
                              enum variable_kind kind)
{
    struct token name;
    do {
        if (read_name(loader, reader, usage, &name)) {
            declare_variable(loader, reader, &name, kind);
            token_clear(&name);
        } else {
            loader->is_incomplete = true;
        }
    } while (reader->line->text->str[line_reader_rest(reader)]);
}

static void read_carry(struct loader *loader, struct line_reader *reader)
{
    declare_variables(loader, reader, "carry VARIABLE...", VARIABLE_CARRIED);
}

static void read_keep(struct loader *loader, struct line_reader *reader)
{
    declare_variables(loader, reader, "keep VARIABLE...", VARIABLE_KEPT);
}

static void read_list(struct loader *loader, struct line_reader *reader)
{
    declare_variables(loader, reader, "list VARIABLE...", VARIABLE_LIST);
}

static void read_block(struct loader *loader, struct line_reader *reader)
{
    struct token name;
    rule_finish(loader);
    loader->top = NULL;
    loader->is_orphan = false;
    bool has_name = line_reader_next(reader, &name);
    if (!has_name)
        loader_mistake_next(loader, reader, "block NAME");
    for (guint i = 0; has_name && i < loader->grammar->blocks->len; i++)
        if (strcmp(((struct block *)g_ptr_array_index(loader->grammar->blocks, i))->name, name.text) == 0)
            grammar_source_mistake(loader->source, source_line_place(reader->line, name.start),
                                   "block \"%s\" is defined twice", name.text);
    loader->block = block_new(has_name ? name.text : "");
    g_ptr_array_add(loader->grammar->blocks, loader->block);
    define(loader->blocks, reader, 0, true);
    if (has_name) {
        token_clear(&name);
        line_reader_end(reader, loader->source);
    }
}

/* ---- lines ---- */

static const struct keyword *file_keyword(const char *word)
{
    static const struct keyword keywords[] = {
        {"grammar", PLACE_FILE, false, read_grammar},   {"about", PLACE_FILE, true, read_about},
        {"literals", PLACE_FILE, false, read_literals}, {"fragment", PLACE_FILE, true, read_fragment},
        {"words", PLACE_FILE, false, read_words},       {"map", PLACE_FILE, false, read_map},
        {"unit", PLACE_FILE, false, read_unit},         {"units", PLACE_ANYWHERE, false, read_units},
        {"better", PLACE_FILE, false, read_better},     {"carry", PLACE_FILE, false, read_carry},
        {"keep", PLACE_FILE, false, read_keep},         {"list", PLACE_FILE, false, read_list},
        {"block", PLACE_ANYWHERE, false, read_block},
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(keywords); i++)
        if (strcmp(keywords[i].word, word) == 0)
            return &keywords[i];
    return NULL;
}

/* Why a line can't stand here, or NULL. */
static const char *misplaced(const struct loader *loader, enum keyword_place place)
{
    const struct rule *rule = loader->rule;
    switch (place) {
    case PLACE_ANYWHERE:
        return NULL;
    case PLACE_FILE:
        return loader->block ? "this stands before the blocks" : NULL;
    case PLACE_BLOCK:
        return loader->block ? NULL : "this stands in a block";
    case PLACE_RULE:
        return rule ? NULL : "this stands under a rule";
    case PLACE_ROWS:
        return rule && rule->kind != RULE_SKIP && rule->kind != RULE_VERSION
                   ? NULL
                   : "this stands under a begin, line, each or table rule";
    case PLACE_TABLE:
        return rule && rule->table ? NULL : "this stands under a table";
    }
    return NULL;
}

/* A quote that is not closed swallows the rest of its line. */
static bool has_open_quote(const char *text, size_t *offset)
{
    bool is_open = false;
    for (size_t i = 0; text[i]; i++) {
        if (text[i] != '"')
            continue;
        is_open = !is_open;
        *offset = i;
    }
    return is_open;
}

static const struct keyword *find_keyword(const char *word)
{
    const struct keyword *keyword = file_keyword(word);
    if (!keyword)
        keyword = rule_keyword(word);
    return keyword ? keyword : statement_keyword(word);
}

/* A line that can't be read. If it may have begun a rule, so does none of what
 * stands below it belong to the rule before: it is passed over. */
static void refuse_line(struct loader *loader, struct line_reader *reader, const struct keyword *keyword,
                        const struct token *word, const char *what)
{
    bool may_begin = keyword ? rule_keyword(keyword->word) && keyword->place == PLACE_BLOCK
                             : !loader->rule || source_line_place(reader->line, 0).column <=
                                                    source_line_place(loader->rule_line, 0).column;
    if (may_begin) {
        rule_finish(loader);
        loader->is_orphan = true;
    }
    loader_mistake(loader, reader, word->start, what);
    loader->is_incomplete = true;
}

static void read_logical_line(struct loader *loader, const struct source_line *line)
{
    struct line_reader reader = {.line = line};
    struct token word;
    size_t quote;
    if (!line_reader_next(&reader, &word))
        return;
    const struct keyword *keyword = find_keyword(word.text);
    /* Outside a block, what follows a version or skip rule belongs to the file again. */
    if (keyword && !loader->block && keyword->place == PLACE_FILE)
        rule_finish(loader);
    bool is_orphan = loader->is_orphan && keyword && statement_keyword(word.text);
    const char *what = is_orphan ? NULL : keyword ? misplaced(loader, keyword->place) : "no line begins with this word";
    if (what) {
        refuse_line(loader, &reader, keyword, &word, what);
    } else if (!is_orphan && !keyword->has_pattern && has_open_quote(line->text->str, &quote)) {
        loader_mistake(loader, &reader, quote, "this quote is not closed");
        loader->is_incomplete = true;
    } else if (!is_orphan) {
        keyword->read(loader, &reader);
    }
    token_clear(&word);
}

static bool defines_fragment(const struct source_line *line)
{
    struct line_reader reader = {.line = line};
    return line_reader_word(&reader, "fragment") || line_reader_word(&reader, "words");
}

/* Fragments first: they may use those below them, and rules outside blocks may
 * stand above them. */
static void read_lines(struct loader *loader)
{
    size_t count = grammar_source_count(loader->source);
    for (size_t i = 0; i < count; i++) {
        struct line_reader reader = {.line = grammar_source_line(loader->source, i)};
        if (line_reader_word(&reader, "block"))
            break;
        if (defines_fragment(reader.line))
            read_logical_line(loader, reader.line);
    }
    check_fragments(loader);
    for (size_t i = 0; i < count; i++) {
        const struct source_line *line = grammar_source_line(loader->source, i);
        if (!loader->block && defines_fragment(line))
            rule_finish(loader);
        else
            read_logical_line(loader, line);
    }
    rule_finish(loader);
}

/* ---- the whole file ---- */

static void check_blocks(struct loader *loader)
{
    for (guint b = 0; b < loader->grammar->blocks->len; b++) {
        const struct block *block = g_ptr_array_index(loader->grammar->blocks, b);
        bool opens = false;
        for (guint r = 0; r < block->rules->len; r++) {
            const struct rule *rule = g_ptr_array_index(block->rules, r);
            opens |= rule->kind == RULE_BEGIN || rule->kind == RULE_TABLE;
        }
        if (!opens)
            grammar_source_mistake(loader->source, loader_definition(loader->blocks, b)->place,
                                   "block \"%s\" has no begin and no table: it is never reached", block->name);
    }
}

static void check_unused(struct loader *loader)
{
    struct source_place place = {0, 0};
    const char *fragment;
    while ((fragment = fragments_unused(loader->fragments, &place)))
        grammar_source_mistake(loader->source, place, "fragment \"%s\" is not used", fragment);
    for (guint i = 0; i < loader->maps->len; i++) {
        const struct map *map = g_ptr_array_index(loader->grammar->maps, i);
        if (!loader_definition(loader->maps, i)->used)
            grammar_source_mistake(loader->source, loader_definition(loader->maps, i)->place, "map \"%s\" is not used",
                                   map->name);
    }
    for (guint i = 1; i < loader->unit_sets->len; i++) {
        const struct unit_set *set = g_ptr_array_index(loader->grammar->unit_sets, i);
        if (!loader_definition(loader->unit_sets, i)->used)
            grammar_source_mistake(loader->source, loader_definition(loader->unit_sets, i)->place,
                                   "units \"%s\" are not used", set->name);
    }
    for (guint i = VARIABLE_BUILTIN_COUNT; i < loader->variables->len; i++) {
        const struct definition *variable = loader_definition(loader->variables, i);
        const char *name = g_ptr_array_index(loader->grammar->variables, i);
        if (!variable->set)
            grammar_source_mistake(loader->source, variable->place, "no rule sets <%s>", name);
        else if (!variable->used)
            grammar_source_mistake(loader->source, variable->place, "no rule uses <%s>", name);
    }
}

/* What is missing or not used may stand in a line that was not understood. */
static void check_whole(struct loader *loader)
{
    struct source_place top = {1, 1};
    if (loader->is_incomplete)
        return;
    if (!loader->grammar->name)
        grammar_source_mistake(loader->source, top, "the line `grammar NAME` is missing");
    if (loader->grammar->literals->len == 0)
        grammar_source_mistake(loader->source, top, "the line `literals ...` is missing");
    if (loader->grammar->blocks->len == 0)
        grammar_source_mistake(loader->source, top, "there is no block");
    check_blocks(loader);
    check_unused(loader);
}

static GArray *definitions_new(unsigned known)
{
    GArray *definitions = g_array_new(FALSE, TRUE, sizeof(struct definition));
    g_array_set_size(definitions, known);
    return definitions;
}

struct grammar *grammar_load(const char *path, struct fragments *common, GString *mistakes)
{
    struct loader loader = {.source = grammar_source_read(path, mistakes)};
    if (!loader.source)
        return NULL;
    loader.grammar = grammar_new(path);
    loader.fragments = fragments_new(common);
    loader.variables = definitions_new(VARIABLE_BUILTIN_COUNT);
    loader.maps = definitions_new(0);
    loader.unit_sets = definitions_new(1);
    loader.blocks = definitions_new(0);
    loader.patterns = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
    loader.fragment_lines = g_ptr_array_new();
    read_lines(&loader);
    check_whole(&loader);
    grammar_number_rules(loader.grammar);
    if (grammar_source_mistake_count(loader.source) > 0) {
        grammar_free(loader.grammar);
        loader.grammar = NULL;
    }
    g_array_free(loader.variables, TRUE);
    g_array_free(loader.maps, TRUE);
    g_array_free(loader.unit_sets, TRUE);
    g_array_free(loader.blocks, TRUE);
    g_ptr_array_unref(loader.fragment_lines);
    g_hash_table_unref(loader.patterns);
    fragments_free(loader.fragments);
    grammar_source_free(loader.source);
    return loader.grammar;
}
