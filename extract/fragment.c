/* Expansion copies the pattern byte by byte and only looks at what could be
 * one of its own forms: an escape, a character class, PCRE2's own uses of `<`
 * (named groups, look-behinds, \k<name>) are copied as they are. */
#include "extract/fragment.h"

enum { NESTING_MAX = 20, PATTERN_SIZE_MAX = 1 << 18 };

struct fragment {
    char *text;
    struct source_place place;
    bool used;
    bool is_open; /* being expanded: not to be met again inside itself */
};

struct fragments {
    const struct fragments *parent;
    GHashTable *by_name;
};

struct expansion {
    struct fragments *fragments;
    struct grammar_source *source;
    const struct source_line *line;
    GString *pattern;
    GArray *offsets; /* of size_t */
    unsigned nesting;
    bool is_check; /* of a fragment: what it holds is not used yet */
};

static void fragment_free(gpointer data)
{
    struct fragment *fragment = data;
    g_free(fragment->text);
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

bool fragments_define(struct fragments *fragments, const char *name, const char *pattern, struct source_place place)
{
    if (g_hash_table_contains(fragments->by_name, name))
        return false;
    struct fragment *fragment = g_new0(struct fragment, 1);
    fragment->text = g_strdup(pattern);
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

static void emit(struct expansion *expansion, const char *text, size_t length, size_t offset)
{
    guint start = expansion->offsets->len;
    g_string_append_len(expansion->pattern, text, (gssize)length);
    g_array_set_size(expansion->offsets, start + (guint)length);
    for (guint i = 0; i < length; i++)
        g_array_index(expansion->offsets, size_t, start + i) = offset;
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
    bool good = expand(expansion, fragment->text, offset, true);
    expansion->nesting--;
    fragment->is_open = false;
    return good;
}

/* `<name>`, `<name:fragment>` or `{name}` at text; its length in *length, 0 if
 * it is none of them. */
static bool expand_form(struct expansion *expansion, const char *text, size_t offset, size_t *length)
{
    *length = 0;
    bool is_group = text[0] == '<';
    size_t name = name_length(text + 1);
    if (name == 0)
        return true;
    size_t end = 1 + name, fragment_start = 1, fragment = name;
    if (is_group && text[end] == ':') {
        fragment_start = end + 1;
        fragment = name_length(text + fragment_start);
        end = fragment_start + fragment;
    }
    if (text[end] != (is_group ? '>' : '}') || fragment == 0)
        return true;
    *length = end + 1;
    if (is_group) {
        emit(expansion, "(?<", 3, offset);
        emit(expansion, text + 1, name, offset + 1);
        emit(expansion, ">", 1, offset);
    } else {
        emit(expansion, "(?:", 3, offset);
    }
    char *fragment_name = g_strndup(text + fragment_start, fragment);
    bool is_inside = expansion->nesting > 0;
    bool good = expand_fragment(expansion, fragment_name, is_inside ? offset : offset + fragment_start);
    g_free(fragment_name);
    emit(expansion, ")", 1, offset);
    return good;
}

/* text stands at base of the line; inside a fragment all of it counts as that
 * byte, where the fragment is named. */
static bool expand(struct expansion *expansion, const char *text, size_t base, bool inside_fragment)
{
    bool good = true;
    for (size_t i = 0; text[i];) {
        size_t offset = inside_fragment ? base : base + i;
        size_t length = verbatim_length(text + i);
        if (expansion->pattern->len > PATTERN_SIZE_MAX) {
            grammar_source_mistake(expansion->source, source_line_place(expansion->line, offset),
                                   "the pattern is too large");
            return false;
        }
        /* One mistake inside a fragment is enough, however often it is met. */
        if (inside_fragment && !good)
            return false;
        if (length > 0) {
            emit(expansion, text + i, length, offset);
        } else if (text[i] == ' ') {
            length = strspn(text + i, " ");
            emit(expansion, FRAGMENT_BLANK, strlen(FRAGMENT_BLANK), offset);
        } else {
            if (text[i] == '<' || text[i] == '{')
                good &= expand_form(expansion, text + i, offset, &length);
            if (length == 0) {
                /* Inside a fragment all bytes have one place: as many as stand for themselves. */
                length = 1 + (inside_fragment ? strcspn(text + i + 1, "\\[(<{ ") : 0);
                emit(expansion, text + i, length, offset);
            }
        }
        i += length;
    }
    return good;
}

static bool expand_line(struct expansion *expansion, size_t start)
{
    expansion->pattern = g_string_new(NULL);
    expansion->offsets = g_array_new(FALSE, FALSE, sizeof(size_t));
    return expand(expansion, expansion->line->text->str + start, start, false);
}

bool fragments_expand(struct fragments *fragments, struct grammar_source *source, const struct source_line *line,
                      size_t start, GString **pattern, GArray **offsets)
{
    struct expansion expansion = {.fragments = fragments, .source = source, .line = line};
    bool good = expand_line(&expansion, start);
    *pattern = expansion.pattern;
    *offsets = expansion.offsets;
    return good;
}

struct pattern *fragments_compile(struct grammar_source *source, const struct source_line *line, const GString *pattern,
                                  const GArray *offsets)
{
    size_t error_offset = 0;
    char *error = NULL;
    struct pattern *compiled = pattern_compile((struct view){pattern->str, pattern->len}, &error_offset, &error);
    if (compiled)
        return compiled;
    size_t offset = error_offset < offsets->len ? g_array_index(offsets, size_t, error_offset) : line->text->len;
    grammar_source_mistake(source, source_line_place(line, offset), "%s", error);
    g_free(error);
    return NULL;
}

bool fragments_check(struct fragments *fragments, struct grammar_source *source, const struct source_line *line,
                     const char *name, size_t start)
{
    struct expansion expansion = {.fragments = fragments, .source = source, .line = line, .is_check = true};
    struct pattern *pattern = NULL;
    struct fragment *fragment = g_hash_table_lookup(fragments->by_name, name);
    fragment->is_open = true;
    if (expand_line(&expansion, start))
        pattern = fragments_compile(source, line, expansion.pattern, expansion.offsets);
    fragment->is_open = false;
    bool good = pattern != NULL;
    if (!good) {
        g_free(fragment->text);
        fragment->text = g_strdup("");
        fragment->used = true;
    }
    pattern_free(pattern);
    g_string_free(expansion.pattern, TRUE);
    g_array_free(expansion.offsets, TRUE);
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
                fragments_define(fragments, name, line->text->str + pattern_at, source_line_place(line, name_at));
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
