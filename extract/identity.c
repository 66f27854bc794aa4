/* identity: finds the id in a header's value as RFC 5322 3.6.4 has it, and in
 * the odd forms that mail shows: no `<`, no `>`, text before or behind it.
 */
#include "extract/identity.h"

#include "extract/sha256.h"

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

/* Append id without the white space that folding has put there; not if it is
 * too long to be one. */
static void append_packed(GString *out, struct view id)
{
    GString *packed = g_string_sized_new(id.length);

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
    char **words = g_strsplit_set(value, " \t\r\n", -1);
    GString *id = g_string_new(NULL);
    bool hidden = false;
    bool good = true;

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
    good = good && hidden && strchr(value, '<') == NULL;
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

GPtrArray *identity_read_all(const char *value)
{
    GPtrArray *ids = g_ptr_array_new_with_free_func(g_free);

    while ((value = strchr(value, '<')) != NULL) {
        const char *end = strchr(value, '>');
        GString *id = g_string_new(NULL);

        if (end == NULL)
            end = value + strlen(value);
        append_packed(id, (struct view){value + 1, (size_t)(end - value) - 1});
        if (id->len > 0)
            g_ptr_array_add(ids, g_string_free(id, FALSE));
        else
            g_string_free(id, TRUE);
        value = end;
    }
    return ids;
}

void identity_generate(GString *out, struct view bytes)
{
    unsigned char digest[SHA256_SIZE];
    struct sha256 sha;
    const char *end;

    sha256_begin(&sha);

    while (bytes.length > 0 && (bytes.bytes[bytes.length - 1] == '\n' || bytes.bytes[bytes.length - 1] == '\r'))
        bytes.length--;
    while (bytes.length > 0 && (end = memchr(bytes.bytes, '\r', bytes.length)) != NULL) {
        size_t length = (size_t)(end - bytes.bytes);
        bool line_end = length + 1 < bytes.length && end[1] == '\n';

        sha256_add(&sha, view_slice(bytes, 0, line_end ? length : length + 1));
        bytes = view_slice(bytes, length + 1, bytes.length);
    }
    sha256_add(&sha, bytes);
    sha256_end(&sha, digest);
    g_string_append(out, "generated.");
    for (size_t i = 0; i < HASH_DIGITS / 2; i++)
        g_string_append_printf(out, "%02x", digest[i]);
    g_string_append(out, "@benchlore.invalid");
}
