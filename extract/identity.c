/* identity: finds the id in a header's value as RFC 5322 3.6.4 has it, and in
 * the odd forms that mail shows: no `<`, no `>`, text before or behind it.
 */
#include "extract/identity.h"

#include "extract/field.h"
#include "extract/from_line.h"

enum { HASH_DIGITS = 32 };

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* What follows the comments (RFC 5322 3.2.2) and white space at value's
 * beginning; a comment that never ends is none. */
static const char *skip_comments(const char *value)
{
    unsigned depth = 0;
    const char *at = value;

    for (; *at != '\0' && (depth > 0 || *at == '(' || is_space(*at)); at++) {
        if (*at == '(')
            depth++;
        else if (*at == ')')
            depth--;
        else if (*at == '\\' && at[1] != '\0')
            at++;
    }
    return depth > 0 ? value : at;
}

/* The id in a Message-ID header's value, by the bytes it is made of; empty
 * where there is none. White space inside <> was put there by folding. */
static struct view find_id(const char *value)
{
    const char *bare = skip_comments(value);
    const char *start = strchr(bare, '<');
    const char *end;

    if (start != NULL) {
        start += strspn(start, "< \t\r\n");
        end = strchr(start, '>');
        if (end == NULL)
            end = start + strcspn(start, " \t\r\n");
    } else {
        start = bare;
        end = start + strcspn(start, " \t\r\n(>");
        if (memchr(start, '@', (size_t)(end - start)) == NULL)
            end = start;
    }
    return (struct view){start, (size_t)(end - start)};
}

static bool is_packed(struct view id)
{
    for (size_t i = 0; i < id.length; i++)
        if (is_space(id.bytes[i]))
            return false;
    return true;
}

/* Append id without the white space that folding has put there; not if it is
 * too long to be one. */
static void append_packed(GString *out, struct view id)
{
    GString *packed;

    if (is_packed(id)) {
        if (id.length <= IDENTITY_LENGTH_MAX)
            text_append_clean(out, id);
        return;
    }
    packed = g_string_sized_new(id.length);
    for (size_t i = 0; i < id.length; i++)
        if (!is_space(id.bytes[i]))
            g_string_append_c(packed, id.bytes[i]);
    if (packed->len <= IDENTITY_LENGTH_MAX)
        text_append_clean(out, (struct view){packed->str, packed->len});
    g_string_free(packed, TRUE);
}

/* Archives that hide addresses write `left () host ! org`; the address is
 * restored. */
static bool read_hidden(GString *out, const char *value)
{
    char **words;
    GString *id;
    bool hidden = false;
    bool good = true;

    if (strchr(value, '<') != NULL || strstr(value, "()") == NULL)
        return false;
    words = g_strsplit_set(value, " \t\r\n", -1);
    id = g_string_new(NULL);
    for (char **word = words; *word != NULL && good; word++) {
        if (strcmp(*word, "()") == 0) {
            good = !hidden && id->len > 0;
            hidden = true;
            g_string_append_c(id, '@');
        } else if (strcmp(*word, "!") == 0) {
            g_string_append_c(id, '.');
        } else if (**word != '\0') {
            good = id->len == 0 || id->str[id->len - 1] == '@' || id->str[id->len - 1] == '.';
            g_string_append(id, *word);
        }
    }
    good = good && hidden;
    if (good)
        append_packed(out, (struct view){id->str, id->len});
    g_string_free(id, TRUE);
    g_strfreev(words);
    return good;
}

void identity_read(GString *out, const char *value)
{
    if (!read_hidden(out, value))
        append_packed(out, find_id(value));
}

bool identity_read_next(GString *out, const char **value)
{
    size_t length = out->len;

    while (out->len == length && (*value = strchr(*value, '<')) != NULL) {
        const char *start = *value + 1, *end = strchr(start, '>');

        *value = end != NULL ? end : start + strlen(start);
        append_packed(out, (struct view){start, (size_t)(*value - start)});
    }
    return out->len > length;
}

/* Fields that nobody on the way changes. */
static bool is_lasting(struct view line)
{
    static const char *const names[] = {"from", "date", "subject"};
    struct view name;
    bool lasting = false;

    if (!field_is(line, &name))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(names) && !lasting; i++)
        lasting = name.length == strlen(names[i]) && g_ascii_strncasecmp(name.bytes, names[i], name.length) == 0;
    return lasting;
}

/* Add the lines of text, with LF between them: *line_ends is how many LF wait
 * for what follows them. Of a header the lasting fields alone. */
static void add_lines(GChecksum *checksum, struct view text, bool is_header, unsigned *line_ends)
{
    bool kept = !is_header;

    while (text.length > 0) {
        const char *end = memchr(text.bytes, '\n', text.length);
        size_t length = end != NULL ? (size_t)(end - text.bytes) : text.length;
        struct view line = view_slice(text, 0, length);

        text = view_slice(text, end != NULL ? length + 1 : length, text.length);
        if (end != NULL && line.length > 0 && line.bytes[line.length - 1] == '\r')
            line.length--;
        if (is_header && line.length > 0 && !is_space(line.bytes[0]))
            kept = is_lasting(line);
        if (!kept)
            continue;
        if (!is_header)
            line = from_line_unescaped(line);
        for (; line.length > 0 && *line_ends > 0; --*line_ends)
            g_checksum_update(checksum, (const guchar *)"\n", 1);
        g_checksum_update(checksum, (const guchar *)line.bytes, (gssize)line.length);
        *line_ends += end != NULL;
    }
}

void identity_generate(GString *out, struct view header, struct view body)
{
    GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
    unsigned line_ends = 0;

    while (body.length > 0 && (body.bytes[body.length - 1] == '\n' || body.bytes[body.length - 1] == '\r'))
        body.length--;
    add_lines(checksum, header, true, &line_ends);
    add_lines(checksum, body, false, &line_ends);
    g_string_append_printf(out, "generated.%.*s@benchlore.invalid", HASH_DIGITS, g_checksum_get_string(checksum));
    g_checksum_free(checksum);
}
