/* field: names and lines of a mail header. */
#include "extract/field.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct view field_take_line(struct view *rest)
{
    const char *end = rest->length > 0 ? memchr(rest->bytes, '\n', rest->length) : NULL;
    struct view line = end == NULL ? *rest : view_slice(*rest, 0, (size_t)(end - rest->bytes));

    *rest = view_slice(*rest, end == NULL ? rest->length : line.length + 1, rest->length);
    if (line.length > 0 && line.bytes[line.length - 1] == '\r')
        line.length--;
    return line;
}

bool field_is(struct view line, struct view *name)
{
    size_t end = 0;

    while (end < line.length && line.bytes[end] > ' ' && line.bytes[end] < 0x7f && line.bytes[end] != ':')
        end++;
    *name = view_slice(line, 0, end);
    while (end < line.length && is_blank(line.bytes[end]))
        end++;
    return name->length > 0 && end < line.length && line.bytes[end] == ':';
}

bool field_is_known(struct view name)
{
    static const char *const known[] = {
        "arc-authentication-results",
        "arc-message-signature",
        "arc-seal",
        "authentication-results",
        "bcc",
        "cc",
        "content-disposition",
        "content-language",
        "content-length",
        "content-transfer-encoding",
        "content-type",
        "date",
        "delivered-to",
        "dkim-signature",
        "from",
        "in-reply-to",
        "list-archive",
        "list-id",
        "list-post",
        "message-id",
        "mime-version",
        "precedence",
        "received",
        "received-spf",
        "references",
        "reply-to",
        "return-path",
        "sender",
        "subject",
        "to",
        "user-agent",
        "x-mailer",
        "x-mailing-list",
    };

    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        if (name.length == strlen(known[i]) && g_ascii_strncasecmp(name.bytes, known[i], name.length) == 0)
            return true;
    return false;
}

static bool starts_with(struct view text, const char *prefix)
{
    size_t length = strlen(prefix);

    return text.length >= length && memcmp(text.bytes, prefix, length) == 0;
}

bool field_begins_message(struct view text)
{
    struct view line, name;

    do {
        if (text.length == 0)
            return false;
        line = field_take_line(&text);
    } while (starts_with(line, "From ") || starts_with(line, ">From "));
    return line.length == 0 || field_is(line, &name);
}

bool field_begins_mail(struct view text)
{
    unsigned known = 0;
    bool first = true;

    while (text.length > 0) {
        struct view line = field_take_line(&text);
        struct view name;

        if (line.length == 0)
            break;
        if (!first && is_blank(line.bytes[0]))
            continue;
        if (starts_with(line, ">From "))
            continue;
        if (field_is(line, &name))
            known += field_is_known(name);
        else
            return known >= 2;
        first = false;
    }
    return known >= 1;
}
