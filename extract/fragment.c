/* Expansion copies the pattern byte by byte and only looks at what could be
 * one of its own forms: an escape, a character class, PCRE2's own uses of `<`
 * (named groups, look-behinds, \k<name>) are copied as they are. */
#include "extract/fragment.h"

enum { NESTING_MAX = 20, PATTERN_SIZE_MAX = 1 << 18 };

struct fragment {
    char *text;
    char *sketch; /* NULL: text */
    struct source_place place;
    bool used;
    bool is_open; /* being expanded: not to be met again inside itself */
};

struct fragments {
    const struct fragments *parent;
    GHashTable *by_name;
};

/* What stands from byte `start` of a sketch on comes from byte `offset` of the
 * line, and what follows from the bytes that follow there, or all of it from
 * that one. */
struct expanded_place {
    size_t start, offset;
    bool all;
};

struct expansion {
    struct fragments *fragments;
    struct grammar_source *source;
    const struct source_line *line;
    struct expanded *to;
    unsigned nesting;
    bool is_check; /* of a fragment: what it holds is not used yet */
};

static void fragment_free(gpointer data)
{
    struct fragment *fragment = data;
    g_free(fragment->text);
    g_free(fragment->sketch);
    g_free(fragment);
}

struct fragments *fragments_new(const struct fragments *parent)
{
    struct fragments *fragments = g_new0(struct fragments, 1);
    fragments->parent = parent;
    fragments->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, fragment_free);
    return fragments;
}

void fragments_free(struct fragments *fragments)
{
    if (!fragments)
        return;
    g_hash_table_unref(fragments->by_name);
    g_free(fragments);
}

bool fragments_define(struct fragments *fragments, const char *name, const char *pattern, const char *sketch,
                      struct source_place place)
{
    if (g_hash_table_contains(fragments->by_name, name))
        return false;
    struct fragment *fragment = g_new0(struct fragment, 1);
    fragment->text = g_strdup(pattern);
    fragment->sketch = g_strdup(sketch);
    fragment->place = place;
    g_hash_table_insert(fragments->by_name, g_strdup(name), fragment);
    return true;
}

static struct fragment *find(const struct fragments *fragments, const char *name)
{
    struct fragment *fragment = NULL;
    for (; fragments && !fragment; fragments = fragments->parent)
        fragment = g_hash_table_lookup(fragments->by_name, name);
    return fragment;
}

static bool is_behind(struct source_place a, struct source_place b)
{
    return a.line != b.line ? a.line > b.line : a.column > b.column;
}

const char *fragments_unused(const struct fragments *fragments, struct source_place *place)
{
    const char *first = NULL;
    struct source_place first_place = *place;
    GHashTableIter iter;
    gpointer name, value;
    g_hash_table_iter_init(&iter, fragments->by_name);
    while (g_hash_table_iter_next(&iter, &name, &value)) {
        const struct fragment *fragment = value;
        if (!fragment->used && is_behind(fragment->place, *place) &&
            (!first || is_behind(first_place, fragment->place))) {
            first = name;
            first_place = fragment->place;
        }
    }
    *place = first_place;
    return first;
}

static void emit(struct expansion *expansion, struct view pattern, struct view sketch, size_t offset, bool all)
{
    struct expanded_place place = {expansion->to->sketch->len, offset, all};
    g_array_append_val(expansion->to->places, place);
    g_string_append_len(expansion->to->pattern, pattern.bytes, (gssize)pattern.length);
    g_string_append_len(expansion->to->sketch, sketch.bytes, (gssize)sketch.length);
}

/* Text that stands for itself. */
static void emit_text(struct expansion *expansion, const char *text, size_t length, size_t offset, bool all)
{
    emit(expansion, (struct view){text, length}, (struct view){text, length}, offset, all);
}

static bool is_name_start(char c)
{
    return g_ascii_isalpha(c) || c == '_';
}

static size_t name_length(const char *text)
{
    size_t length = 0;
    if (is_name_start(text[0]))
        while (g_ascii_isalnum(text[length]) || text[length] == '_')
            length++;
    return length;
}

/* Length of a character class that begins at text, its brackets included. */
static size_t class_length(const char *text)
{
    size_t i = 1;
    if (text[i] == '^')
        i++;
    if (text[i] == ']')
        i++;
    while (text[i] && text[i] != ']') {
        if (text[i] == '\\' && text[i + 1])
            i += 2;
        else if (text[i] == '[' && text[i + 1] == ':' && strstr(text + i + 2, ":]"))
            i = (size_t)(strstr(text + i + 2, ":]") - text) + 2;
        else
            i++;
    }
    return text[i] ? i + 1 : i;
}

/* Length of a form of PCRE2's own at text that is copied as it is, or 0. */
static size_t verbatim_length(const char *text)
{
    if (text[0] == '\\') {
        if ((text[1] == 'k' || text[1] == 'g') && (text[2] == '<' || text[2] == '{')) {
            const char *end = strchr(text + 3, text[2] == '<' ? '>' : '}');
            if (end)
                return (size_t)(end - text) + 1;
        }
        if ((text[1] == 'x' || text[1] == 'o' || text[1] == 'p' || text[1] == 'P' || text[1] == 'N') &&
            text[2] == '{') {
            const char *end = strchr(text + 3, '}');
            if (end)
                return (size_t)(end - text) + 1;
        }
        return text[1] ? 2 : 1;
    }
    if (text[0] == '[')
        return class_length(text);
    if (text[0] == '(' && text[1] == '?' && text[2] == '<' && (text[3] == '=' || text[3] == '!'))
        return 4;
    if (text[0] != '(')
        return 0;
    size_t prefix = g_str_has_prefix(text, "(?<") ? 3 : g_str_has_prefix(text, "(?P<") ? 4 : 0;
    if (prefix) {
        const char *end = strchr(text + prefix, '>');
        if (end)
            return (size_t)(end - text) + 1;
    }
    return 0;
}

static bool expand(struct expansion *expansion, const char *text, size_t base, bool inside_fragment);

static bool expand_fragment(struct expansion *expansion, const char *name, size_t offset)
{
    struct fragment *fragment = find(expansion->fragments, name);
    struct source_place place = source_line_place(expansion->line, offset);
    if (!fragment) {
        grammar_source_mistake(expansion->source, place, "no fragment is called \"%s\"", name);
        return false;
    }
    if (fragment->is_open || expansion->nesting == NESTING_MAX) {
        grammar_source_mistake(
            expansion->source, place,
            fragment->is_open ? "fragment \"%s\" contains itself" : "fragments are nested too deep at \"%s\"", name);
        return false;
    }
    fragment->used |= !expansion->is_check;
    fragment->is_open = true;
    expansion->nesting++;
    bool good = true;
    if (fragment->sketch)
        emit(expansion, view_of(fragment->text), view_of(fragment->sketch), offset, true);
    else
        good = expand(expansion, fragment->text, offset, true);
    expansion->nesting--;
    fragment->is_open = false;
    return good;
}

/* Length of `<name:...>` at text, whose name is as long as that, if what stands
 * behind the colon has no blank; else 0. */
static size_t colon_form_length(const char *text, size_t name)
{
    size_t length = 1 + name;
    if (text[0] != '<' || text[length] != ':')
        return 0;
    length += strcspn(text + length, " >");
    return text[length] == '>' ? length + 1 : 0;
}

/* `<name>`, `<name:fragment>` or `{name}` at text; its length in *length, 0 if
 * it is none of them. */
static bool expand_form(struct expansion *expansion, const char *text, size_t offset, size_t *length)
{
    *length = 0;
    bool is_group = text[0] == '<', is_inside = expansion->nesting > 0;
    size_t name = name_length(text + 1);
    if (name == 0)
        return true;
    size_t end = 1 + name, fragment_start = 1, fragment = name;
    if (is_group && text[end] == ':') {
        fragment_start = end + 1;
        fragment = name_length(text + fragment_start);
        end = fragment_start + fragment;
    }
    if (text[end] != (is_group ? '>' : '}') || fragment == 0) {
        *length = colon_form_length(text, name);
        if (*length > 0)
            grammar_source_mistake(expansion->source, source_line_place(expansion->line, offset),
                                   "behind <%.*s: stands the name of a fragment; a pattern is captured by "
                                   "(?<%.*s>PATTERN)",
                                   (int)name, text + 1, (int)name, text + 1);
        return *length == 0;
    }
    *length = end + 1;
    if (is_group) {
        emit_text(expansion, "(?<", 3, offset, true);
        emit_text(expansion, text + 1, name, offset + 1, is_inside);
        emit_text(expansion, ">", 1, offset, true);
    } else {
        emit_text(expansion, "(?:", 3, offset, true);
    }
    char *fragment_name = g_strndup(text + fragment_start, fragment);
    bool good = expand_fragment(expansion, fragment_name, is_inside ? offset : offset + fragment_start);
    g_free(fragment_name);
    emit_text(expansion, ")", 1, offset, true);
    return good;
}

/* Length of what stands for itself at text. */
static size_t plain_length(const char *text)
{
    size_t length = strcspn(text, "\\[(<{ ");
    for (size_t more; (more = verbatim_length(text + length)) > 0 || text[length] == '(';) {
        length += more > 0 ? more : 1;
        length += strcspn(text + length, "\\[(<{ ");
    }
    return length;
}

/* text stands at base of the line; inside a fragment all of it counts as that
 * byte, where the fragment is named. */
static bool expand(struct expansion *expansion, const char *text, size_t base, bool inside_fragment)
{
    bool good = true;
    for (size_t i = 0, length; text[i]; i += length) {
        size_t offset = inside_fragment ? base : base + i;
        if (expansion->to->pattern->len > PATTERN_SIZE_MAX) {
            grammar_source_mistake(expansion->source, source_line_place(expansion->line, offset),
                                   "the pattern is too large");
            return false;
        }
        /* One mistake inside a fragment is enough, however often it is met. */
        if (inside_fragment && !good)
            return false;
        length = 0;
        if (text[i] == ' ') {
            length = strspn(text + i, " ");
            emit(expansion, view_of(FRAGMENT_BLANK), view_of(FRAGMENT_BLANK_SKETCH), offset, true);
            continue;
        }
        if (text[i] == '<' || text[i] == '{')
            good &= expand_form(expansion, text + i, offset, &length);
        if (length > 0)
            continue;
        length = plain_length(text + i);
        /* It looked like a form. */
        if (length == 0)
            length = 1;
        emit_text(expansion, text + i, length, offset, inside_fragment);
    }
    return good;
}

static bool expand_line(struct expansion *expansion, size_t start)
{
    *expansion->to = (struct expanded){g_string_new(NULL), g_string_new(NULL),
                                       g_array_new(FALSE, FALSE, sizeof(struct expanded_place))};
    return expand(expansion, expansion->line->text->str + start, start, false);
}

bool fragments_expand(struct fragments *fragments, struct grammar_source *source, const struct source_line *line,
                      size_t start, struct expanded *expanded)
{
    struct expansion expansion = {.fragments = fragments, .source = source, .line = line, .to = expanded};
    return expand_line(&expansion, start);
}

void expanded_clear(struct expanded *expanded)
{
    g_string_free(expanded->pattern, TRUE);
    g_string_free(expanded->sketch, TRUE);
    g_array_free(expanded->places, TRUE);
}

size_t expanded_offset(const struct expanded *expanded, size_t at)
{
    const struct expanded_place *place = NULL;
    for (guint i = 0; i < expanded->places->len; i++) {
        const struct expanded_place *next = &g_array_index(expanded->places, struct expanded_place, i);
        if (next->start > at)
            break;
        place = next;
    }
    return !place ? 0 : place->offset + (place->all ? 0 : at - place->start);
}

struct pattern *fragments_compile(struct grammar_source *source, const struct source_line *line,
                                  const struct expanded *expanded)
{
    const GString *pattern = expanded->pattern, *sketch = expanded->sketch;
    size_t error_offset = 0;
    char *error = NULL;
    struct pattern *compiled = pattern_new((struct view){pattern->str, pattern->len},
                                           (struct view){sketch->str, sketch->len}, &error_offset, &error);
    if (compiled)
        return compiled;
    size_t offset = error_offset < sketch->len ? expanded_offset(expanded, error_offset) : line->text->len;
    grammar_source_mistake(source, source_line_place(line, offset), "%s", error);
    g_free(error);
    return NULL;
}

bool fragments_check(struct fragments *fragments, struct grammar_source *source, const struct source_line *line,
                     const char *name, size_t start)
{
    struct expanded expanded;
    struct expansion expansion = {
        .fragments = fragments, .source = source, .line = line, .to = &expanded, .is_check = true};
    struct pattern *pattern = NULL;
    struct fragment *fragment = g_hash_table_lookup(fragments->by_name, name);
    fragment->is_open = true;
    if (expand_line(&expansion, start))
        pattern = fragments_compile(source, line, &expanded);
    fragment->is_open = false;
    bool good = pattern != NULL;
    if (!good) {
        g_free(fragment->text);
        fragment->text = g_strdup("");
        fragment->used = true;
    }
    pattern_free(pattern);
    expanded_clear(&expanded);
    return good;
}

/* `fragment NAME PATTERN`: the name (to be freed) and where the pattern
 * begins; NULL if the line reads otherwise. */
static char *read_definition(const struct source_line *line, size_t *name, size_t *pattern)
{
    static const char keyword[] = "fragment ";
    const char *text = line->text->str;
    if (!g_str_has_prefix(text, keyword))
        return NULL;
    *name = strlen(keyword) + strspn(text + strlen(keyword), " \t");
    size_t length = name_length(text + *name), blanks = strspn(text + *name + length, " \t");
    *pattern = *name + length + blanks;
    return length > 0 && blanks > 0 && text[*pattern] ? g_strndup(text + *name, length) : NULL;
}

bool fragments_read(struct fragments *fragments, const char *path, GString *mistakes)
{
    struct grammar_source *source = grammar_source_read(path, mistakes);
    if (!source)
        return false;
    size_t name_at, pattern_at, count = grammar_source_count(source);
    bool *defines = g_new0(bool, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct source_line *line = grammar_source_line(source, i);
        char *name = read_definition(line, &name_at, &pattern_at);
        if (!name)
            grammar_source_mistake(source, source_line_place(line, 0), "a line here reads: fragment NAME PATTERN");
        else
            defines[i] =
                fragments_define(fragments, name, line->text->str + pattern_at, NULL, source_line_place(line, name_at));
        if (name && !defines[i])
            grammar_source_mistake(source, source_line_place(line, name_at), "fragment \"%s\" is defined twice", name);
        g_free(name);
    }
    /* A fragment may use those that stand below it. */
    for (size_t i = 0; i < count; i++) {
        const struct source_line *line = grammar_source_line(source, i);
        char *name = defines[i] ? read_definition(line, &name_at, &pattern_at) : NULL;
        if (name)
            fragments_check(fragments, source, line, name, pattern_at);
        g_free(name);
    }
    bool good = grammar_source_mistake_count(source) == 0;
    g_free(defines);
    grammar_source_free(source);
    return good;
}
