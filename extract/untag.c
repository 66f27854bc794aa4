/* untag: a tag ends at the next `>` that is in no quoted value. Where the text
 * around is no HTML, or the HTML is broken, a parser may see it otherwise; so a
 * tag with `<` or an empty line in it, which parts of a mail have between them,
 * is none that can be told.
 */
#define _GNU_SOURCE /* memmem */
#include "extract/untag.h"

#include "extract/html.h"
#include "extract/html_element.h"

enum {
    NAME_MAX_LENGTH = 32, /* of a character reference */
    DIGITS_MAX = 8,
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool has_empty_line(struct view text)
{
    return memmem(text.bytes, text.length, "\n\n", 2) || memmem(text.bytes, text.length, "\n\r\n", 3);
}

/* The length of a comment, which text begins with; 0: it can't be told. */
static size_t comment_length(struct view text)
{
    const struct view content = view_slice(text, 4, text.length);
    const char *end = memmem(content.bytes, content.length, "--", 2);
    size_t length;

    /* A parser may end it at `--!>`, at once at `>` or `->`, or at no other place. */
    if (!end || content.bytes[0] == '>' || content.bytes[0] == '-')
        return 0;
    length = (size_t)(end - content.bytes) + 2;
    if (length == content.length || content.bytes[length] != '>' || has_empty_line(view_slice(content, 0, length)))
        return 0;
    return 4 + length + 1;
}

/* The length of a tag or declaration, which text begins with; 0: it can't be told. */
static size_t tag_length(struct view text)
{
    char quote = '\0';
    char before = '\0'; /* the last byte that is no blank */

    for (size_t at = 1; at < text.length; at++) {
        const char c = text.bytes[at];

        if (c == '<')
            return 0;
        if (quote != '\0') {
            quote = c == quote ? '\0' : quote;
            continue;
        }
        if (c == '>')
            return has_empty_line(view_slice(text, 0, at)) ? 0 : at + 1;
        if ((c == '"' || c == '\'') && before == '=')
            quote = c;
        if (!is_blank(c))
            before = c;
    }
    return 0;
}

static bool starts_with(struct view text, const char *prefix)
{
    size_t length = strlen(prefix);

    return text.length >= length && memcmp(text.bytes, prefix, length) == 0;
}

/* What `<` at the beginning of text begins: *length is 0 where it is a
 * character. False where it can't be told. */
static bool read_tag(struct view text, size_t *length)
{
    const char next = text.length > 1 ? text.bytes[1] : '\0';

    *length = 0;
    if (starts_with(text, "<!--"))
        *length = comment_length(text);
    else if (g_ascii_isalpha(next) || next == '/' || next == '?' ||
             (text.length >= 9 && g_ascii_strncasecmp(text.bytes, "<!DOCTYPE", 9) == 0))
        *length = tag_length(text);
    else
        return next != '!';
    return *length > 0;
}

/* The length of a character reference by number, which text begins with, and
 * the character; 0: there is none. The semicolon may be missing. */
static size_t read_number(struct view text, gunichar *character)
{
    const bool hex = text.length > 2 && (text.bytes[2] == 'x' || text.bytes[2] == 'X');
    const size_t first = hex ? 3 : 2;
    size_t at = first;

    *character = 0;
    for (; at < text.length && at - first < DIGITS_MAX; at++) {
        if (hex ? !g_ascii_isxdigit(text.bytes[at]) : !g_ascii_isdigit(text.bytes[at]))
            break;
        *character = *character * (hex ? 16 : 10) + (gunichar)g_ascii_xdigit_value(text.bytes[at]);
    }
    if (at == first)
        return 0;
    return at < text.length && text.bytes[at] == ';' ? at + 1 : at;
}

/* Likewise by name. */
static size_t read_name(struct view text, gunichar *character)
{
    char name[NAME_MAX_LENGTH];
    size_t length = 0;

    while (1 + length < text.length && length + 1 < sizeof name && g_ascii_isalnum(text.bytes[1 + length])) {
        name[length] = text.bytes[1 + length];
        length++;
    }
    name[length] = '\0';
    if (length == 0 || 1 + length == text.length || text.bytes[1 + length] != ';')
        return 0;
    *character = html_character(name);
    return *character != 0 ? length + 2 : 0;
}

static size_t read_reference(struct view text, gunichar *character)
{
    return text.length > 2 && text.bytes[1] == '#' ? read_number(text, character) : read_name(text, character);
}

static bool is_of_name(char c)
{
    return g_ascii_isalnum(c) || c == ':' || c == '-' || c == '_' || c == '.';
}

/* What the element does whose tag this is. */
static unsigned effects_of(struct view tag)
{
    char name[NAME_MAX_LENGTH];
    size_t length = 0, at = tag.bytes[1] == '/' ? 2 : 1;

    while (at < tag.length && length + 1 < sizeof name && is_of_name(tag.bytes[at]))
        name[length++] = g_ascii_tolower(tag.bytes[at++]);
    name[length] = '\0';
    return html_element_effects(name);
}

/* Append what stands for a tag. False where it can't be told. */
static bool append_tag(GString *out, struct view tag)
{
    const unsigned effects = effects_of(tag);

    /* Its text would come between what stands together. */
    if ((effects & EFFECT_SKIP) && tag.bytes[1] != '/' && out->len > 0 && !is_blank(out->str[out->len - 1]))
        return false;
    if (effects != EFFECT_NONE)
        g_string_append_c(out, '\n');
    return true;
}

bool untag(GString *out, struct view text)
{
    size_t at = 0;

    while (at < text.length) {
        struct view rest = view_slice(text, at, text.length);
        gunichar character;
        size_t length;

        if (rest.bytes[0] == '<') {
            if (!read_tag(rest, &length) || (length > 0 && !append_tag(out, view_slice(rest, 0, length))))
                return false;
        } else if (rest.bytes[0] == '&' && (length = read_reference(rest, &character)) > 0) {
            if (g_unichar_validate(character) && character != 0)
                g_string_append_unichar(out, character);
        } else {
            length = 0;
        }
        if (length == 0) { /* a run of text, or a sign that is one */
            for (length = 1; length < rest.length && rest.bytes[length] != '<' && rest.bytes[length] != '&'; length++)
                ;
            g_string_append_len(out, rest.bytes, (gssize)length);
        }
        at += length;
    }
    return true;
}
