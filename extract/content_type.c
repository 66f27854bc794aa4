/* content_type: values of tokens and quoted texts without escapes, nearly all
 * there are, are cut here; GMime, which makes objects of each, reads the others.
 */
#include "extract/content_type.h"

#include <string.h>

/* Cut the token at *at off what follows it; NULL: there is none. Of what RFC 2045
 * lets stand in a token only what nobody reads otherwise. */
static char *take_token(char **at)
{
    char *token = *at;

    while (g_ascii_isalnum(**at) || (**at != '\0' && strchr("-._+", **at)))
        ++*at;
    return *at > token ? token : NULL;
}

static void skip_blanks(char **at)
{
    while (**at == ' ' || **at == '\t')
        ++*at;
}

/* Cut the value of a parameter; *end is the byte behind it, in whose place a NUL may be. */
static char *take_value(char **at, char *end)
{
    char *value;

    if (**at == '"') {
        value = ++*at;
        *at += strcspn(value, "\"\\");
        if (**at != '"' || *at == value)
            return NULL;
        **at = '\0';
        *end = *++*at;
        return value;
    }
    value = take_token(at);
    *end = **at;
    return value;
}

/* Set the parameter; false where it is there already. Others are left out. */
static bool set_parameter(struct content_type *type, const char *name, const char *value)
{
    const struct {
        const char *name;
        const char **value;
    } parameters[] = {
        {"charset", &type->charset}, {"boundary", &type->boundary}, {"format", &type->format}, {"delsp", &type->delsp}};

    for (unsigned i = 0; i < G_N_ELEMENTS(parameters); i++) {
        if (g_ascii_strcasecmp(name, parameters[i].name) != 0)
            continue;
        if (*parameters[i].value)
            return false;
        *parameters[i].value = value;
    }
    return true;
}

/* Read what is in room, in place; false where that is not as simple as can be. */
static bool read_simple(struct content_type *type)
{
    char *at = type->room, end;

    type->type = take_token(&at);
    if (!type->type || *at != '/')
        return false;
    *at++ = '\0';
    type->subtype = take_token(&at);
    if (!type->subtype)
        return false;
    end = *at;
    for (;;) {
        char *name, *value;

        if (end == ' ' || end == '\t') {
            *at++ = '\0';
            skip_blanks(&at);
            end = *at;
        }
        if (end != ';')
            break;
        *at++ = '\0';
        skip_blanks(&at);
        name = take_token(&at);
        if (!name || *at != '=')
            return false;
        *at++ = '\0';
        value = take_value(&at, &end);
        if (!value || !set_parameter(type, name, value))
            return false;
    }
    return end == '\0';
}

struct content_type content_type_of(GMimeContentType *type)
{
    return (struct content_type){
        .type = g_mime_content_type_get_media_type(type),
        .subtype = g_mime_content_type_get_media_subtype(type),
        .charset = g_mime_content_type_get_parameter(type, "charset"),
        .boundary = g_mime_content_type_get_parameter(type, "boundary"),
        .format = g_mime_content_type_get_parameter(type, "format"),
        .delsp = g_mime_content_type_get_parameter(type, "delsp"),
    };
}

bool content_type_read(struct content_type *type, const char *value)
{
    GMimeContentType *read;

    *type = (struct content_type){.room = g_strdup(value)};
    if (read_simple(type))
        return true;
    g_free(type->room);
    *type = (struct content_type){0};
    read = g_mime_content_type_parse(NULL, value);
    if (!read)
        return false;
    *type = content_type_of(read);
    type->owned = read;
    return true;
}

void content_type_clear(struct content_type *type)
{
    g_free(type->room);
    if (type->owned)
        g_object_unref(type->owned);
    *type = (struct content_type){0};
}

bool content_type_is(const struct content_type *type, const char *name, const char *subtype)
{
    return type->type && g_ascii_strcasecmp(type->type, name) == 0 &&
           (strcmp(subtype, "*") == 0 || (type->subtype && g_ascii_strcasecmp(type->subtype, subtype) == 0));
}
