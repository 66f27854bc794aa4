/* ordinary: follows GMime 3.2's parser (gmime-parser.c) where that has but one
 * way to go. A Content-Type that is not simple GMime reads itself.
 *
 * GMime looks for boundaries in what it holds of the mail at a time, so that a
 * line that does not fit may be looked at in pieces; a boundary in the middle of
 * a longer line is therefore nothing ordinary. */
#define _GNU_SOURCE /* memmem */
#include "extract/ordinary.h"

enum {
    DEPTH_MAX = 8,
    LEAVES_MAX = 100,
    BOUNDARY_MAX = 100,
    LINE_SAFE = 120,  /* so much of a line GMime always sees in one piece */
    FIELD_MAX = 2000, /* bytes of one in the header of a part */
};

struct reader {
    struct view mail;
    size_t at;
    GPtrArray *leaves;
    GArray *fields;    /* those of the mail's header, then those of a part's */
    guint kept, first; /* so many are the mail's; where those of the header that was read last begin */
    const char *boundaries[DEPTH_MAX];
    unsigned depth; /* so many boundaries are open, the outermost first */
};

static char byte_at(const struct reader *reader, size_t at)
{
    return at < reader->mail.length ? reader->mail.bytes[at] : '\0';
}

/* Where the line that begins at `at` ends: behind its line break, or 0 where it
 * has none. */
static size_t line_end(const struct reader *reader, size_t at)
{
    const char *found =
        at < reader->mail.length ? memchr(reader->mail.bytes + at, '\n', reader->mail.length - at) : NULL;

    return found != NULL ? (size_t)(found - reader->mail.bytes) + 1 : 0;
}

static bool is_name_byte(char c)
{
    return c > ' ' && c < 0x7f && c != ':';
}

/* ---- headers ---- */

/* Read a header, up to and with the empty line that ends it. */
static bool read_header(struct reader *reader)
{
    size_t start = reader->at;

    g_array_set_size(reader->fields, reader->kept);
    reader->first = reader->kept;
    for (;;) {
        size_t at = reader->at, end = line_end(reader, at), name_end = at;
        struct ordinary_field field;

        if (end == 0)
            return false;
        if (end - at == 1 || (end - at == 2 && byte_at(reader, at) == '\r')) {
            bool has_nul = memchr(reader->mail.bytes + start, '\0', end - start) != NULL;

            reader->at = end;
            return !has_nul;
        }
        while (is_name_byte(byte_at(reader, name_end)))
            name_end++;
        if (name_end == at || byte_at(reader, name_end) != ':')
            return false;
        while (end != 0 && (byte_at(reader, end) == ' ' || byte_at(reader, end) == '\t'))
            end = line_end(reader, end);
        if (end == 0)
            return false;
        field.name = view_slice(reader->mail, at, name_end);
        field.value = view_slice(reader->mail, name_end + 1, end);
        /* The header of a part is also looked through for boundaries. */
        if (reader->depth > 0 && (end - at > FIELD_MAX || memcmp(reader->mail.bytes + at, "--", 2) == 0))
            return false;
        g_array_append_val(reader->fields, field);
        reader->at = end;
    }
}

static bool name_is(struct view name, const char *other)
{
    return name.length == strlen(other) && g_ascii_strncasecmp(name.bytes, other, name.length) == 0;
}

/* Text that nobody has two minds about: ASCII without control characters, but for
 * tabs and line ends, and without RFC 2047 encoding. */
static bool is_plain(struct view value)
{
    for (size_t i = 0; i < value.length; i++) {
        char c = value.bytes[i];

        if ((c < ' ' || c > '~') && c != '\t' && c != '\n' &&
            !(c == '\r' && i + 1 < value.length && value.bytes[i + 1] == '\n'))
            return false;
    }
    return memmem(value.bytes, value.length, "=?", 2) == NULL;
}

/* The value of the header's one field of this name, as text without line breaks;
 * NULL where it has none. False where there are several, or where it is not
 * plain text. */
static bool read_value(const struct reader *reader, const char *name, char **value)
{
    *value = NULL;
    for (guint i = reader->first; i < reader->fields->len; i++) {
        const struct ordinary_field *field = &g_array_index(reader->fields, struct ordinary_field, i);
        char *raw;

        if (!name_is(field->name, name))
            continue;
        if (*value != NULL || !is_plain(field->value)) {
            g_free(*value);
            *value = NULL;
            return false;
        }
        raw = g_strndup(field->value.bytes, field->value.length);
        *value = g_mime_utils_header_unfold(raw);
        g_free(raw);
    }
    return true;
}

/* `text/plain`, then nothing or a semicolon. */
static bool has_plain_type(const char *value)
{
    size_t parts[2];

    for (unsigned i = 0; i < 2; i++) {
        parts[i] = 0;
        while (g_ascii_isalnum(*value) || *value == '-' || *value == '.' || *value == '+' || *value == '_') {
            value++;
            parts[i]++;
        }
        if (i == 0 && *value++ != '/')
            return false;
    }
    while (*value == ' ' || *value == '\t')
        value++;
    return parts[0] > 0 && parts[1] > 0 && (*value == '\0' || *value == ';');
}

/* What the header says of the part; false where that is not plain. Clear it afterwards. */
static bool read_type(const struct reader *reader, struct content_type *type)
{
    char *value;
    bool good;

    *type = (struct content_type){.type = "text", .subtype = "plain"};
    if (!read_value(reader, "Content-Type", &value))
        return false;
    if (value == NULL)
        return true;
    good = has_plain_type(value) && strchr(value, '(') == NULL && content_type_read(type, value);
    g_free(value);
    return good;
}

static bool read_encoding(const struct reader *reader, GMimeContentEncoding *encoding)
{
    char *value;

    *encoding = GMIME_CONTENT_ENCODING_DEFAULT;
    if (!read_value(reader, "Content-Transfer-Encoding", &value))
        return false;
    if (value != NULL)
        *encoding = g_mime_content_encoding_from_string(value);
    g_free(value);
    return true;
}

static bool read_attached(const struct reader *reader, bool *attached)
{
    char *value, *end;

    *attached = false;
    if (!read_value(reader, "Content-Disposition", &value))
        return false;
    if (value != NULL) {
        end = strchr(value, ';');
        if (end != NULL)
            *end = '\0';
        *attached = g_ascii_strcasecmp(g_strstrip(value), "attachment") == 0;
    }
    g_free(value);
    return true;
}

/* ---- boundaries ---- */

enum boundary { BOUNDARY_NONE, BOUNDARY_NEXT, BOUNDARY_LAST };

/* Is line, which begins with `--`, this boundary? White space may follow. */
static enum boundary match_boundary(struct view line, const char *boundary)
{
    size_t length = strlen(boundary), at = 2 + length;
    enum boundary match = BOUNDARY_NEXT;

    if (line.length < at || memcmp(line.bytes + 2, boundary, length) != 0)
        return BOUNDARY_NONE;
    if (line.length >= at + 2 && line.bytes[at] == '-' && line.bytes[at + 1] == '-') {
        match = BOUNDARY_LAST;
        at += 2;
    }
    for (; at < line.length; at++)
        if (line.bytes[at] != ' ' && line.bytes[at] != '\t' && line.bytes[at] != '\r')
            return BOUNDARY_NONE;
    return match;
}

/* Any boundary at all in a line that GMime may look at in pieces? */
static bool is_dangerous(const struct reader *reader, struct view line)
{
    for (unsigned i = 0; i < reader->depth; i++)
        if (memmem(line.bytes, line.length, reader->boundaries[i], strlen(reader->boundaries[i])) != NULL)
            return true;
    return false;
}

/* Find the next boundary of the part at hand. What is before it is *text; the
 * reader goes behind its line. BOUNDARY_NONE where another comes first, or none. */
static enum boundary find_boundary(struct reader *reader, struct view *text)
{
    size_t start = reader->at;

    while (reader->at < reader->mail.length) {
        size_t at = reader->at, end = line_end(reader, at);
        struct view line = view_slice(reader->mail, at, end > 0 ? end - 1 : reader->mail.length);
        enum boundary match = BOUNDARY_NONE;

        reader->at = end > 0 ? end : reader->mail.length;
        if (line.length > LINE_SAFE && is_dangerous(reader, line))
            return BOUNDARY_NONE;
        if (line.length < 2 || line.bytes[0] != '-' || line.bytes[1] != '-')
            continue;
        for (unsigned i = reader->depth; i > 0 && match == BOUNDARY_NONE; i--) {
            match = match_boundary(line, reader->boundaries[i - 1]);
            if (match != BOUNDARY_NONE && i < reader->depth)
                return BOUNDARY_NONE;
        }
        if (match != BOUNDARY_NONE) {
            /* The line break before a boundary belongs to it. */
            size_t breaks = line.bytes[line.length - 1] == '\r' ? 2 : 1;

            if (at > start && at - start < breaks)
                return BOUNDARY_NONE;
            *text = view_slice(reader->mail, start, at > start ? at - breaks : at);
            return match;
        }
    }
    return BOUNDARY_NONE;
}

/* ---- parts ---- */

static bool read_multipart(struct reader *reader, const struct content_type *type, const char *prefix);

/* A part of a multipart, behind the line of its boundary; *boundary is the one
 * that ends it. */
static bool read_part(struct reader *reader, const char *prefix, enum boundary *boundary)
{
    struct content_type type;
    GMimeContentEncoding encoding;
    bool attached, good = false;
    struct view text;

    if (!read_header(reader) || !read_encoding(reader, &encoding) || !read_attached(reader, &attached))
        return false;
    if (!read_type(reader, &type)) {
        content_type_clear(&type);
        return false;
    }
    if (content_type_is(&type, "multipart", "*")) {
        good = read_multipart(reader, &type, prefix);
        *boundary = good ? find_boundary(reader, &text) : BOUNDARY_NONE;
    } else if (!content_type_is(&type, "message", "*")) {
        *boundary = find_boundary(reader, &text);
        good = reader->leaves->len < LEAVES_MAX;
        if (*boundary != BOUNDARY_NONE && content_type_is(&type, "text", "*")) {
            struct leaf *leaf = leaf_new(text, prefix);

            leaf_set_type(leaf, &type);
            leaf->encoding = encoding;
            leaf->attached = attached;
            g_ptr_array_add(reader->leaves, leaf);
        }
    }
    content_type_clear(&type);
    return good && *boundary != BOUNDARY_NONE;
}

/* A multipart, behind its header, up to its last boundary. */
static bool read_multipart(struct reader *reader, const struct content_type *type, const char *prefix)
{
    const char *own = type->boundary;
    GArray *starts;
    enum boundary boundary;
    struct view text;
    bool good;

    if (own == NULL || *own == '\0' || strlen(own) > BOUNDARY_MAX || reader->depth == DEPTH_MAX ||
        content_type_is(type, "multipart", "digest"))
        return false;
    reader->boundaries[reader->depth++] = own;
    starts = g_array_new(FALSE, FALSE, sizeof(guint));
    boundary = find_boundary(reader, &text);
    good = boundary == BOUNDARY_NEXT;
    while (good && boundary == BOUNDARY_NEXT) {
        char *inner = g_strdup_printf("%s%u.", prefix, starts->len + 1);

        g_array_append_val(starts, reader->leaves->len);
        good = read_part(reader, inner, &boundary);
        g_free(inner);
    }
    g_array_append_val(starts, reader->leaves->len);
    if (good && content_type_is(type, "multipart", "alternative"))
        leaf_choose_form(reader->leaves, (const guint *)(const void *)starts->data, starts->len - 1);
    g_array_free(starts, TRUE);
    reader->depth--;
    return good;
}

/* The mail behind its header. */
static bool read_body(struct reader *reader)
{
    struct content_type type;
    GMimeContentEncoding encoding;
    bool attached, good = true;

    if (!read_encoding(reader, &encoding) || !read_attached(reader, &attached))
        return false;
    if (!read_type(reader, &type)) {
        content_type_clear(&type);
        return false;
    }
    if (content_type_is(&type, "multipart", "*")) {
        good = read_multipart(reader, &type, "");
    } else if (content_type_is(&type, "message", "*")) {
        good = false;
    } else if (content_type_is(&type, "text", "*")) {
        struct leaf *leaf = leaf_new(view_slice(reader->mail, reader->at, reader->mail.length), "");

        leaf_set_type(leaf, &type);
        leaf->encoding = encoding;
        leaf->attached = attached;
        g_ptr_array_add(reader->leaves, leaf);
    }
    content_type_clear(&type);
    return good;
}

bool ordinary_read(struct view mail, GArray *fields, GPtrArray *leaves)
{
    struct reader reader = {.mail = mail, .leaves = leaves, .fields = fields};
    bool good = read_header(&reader) && fields->len > 0;

    reader.kept = fields->len;
    good = good && read_body(&reader);
    g_array_set_size(fields, reader.kept);
    if (!good) {
        g_array_set_size(fields, 0);
        g_ptr_array_set_size(leaves, 0);
    }
    return good;
}
