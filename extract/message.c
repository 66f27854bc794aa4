/* message: reads one mail and keeps what is wanted of it.
 *
 * Of ordinary mails the structure is read by ordinary.h; of all others GMime
 * parses it from the bytes in memory and leaves the bodies where they are. Its
 * tree is walked once to list the text parts worth reading, in order; choosing
 * among the forms of a multipart/alternative takes entries off that list again.
 * Only then are the listed parts decoded: transfer encoding, character set, line
 * ends. GMime's objects are gone when message_parse returns.
 */
#define _GNU_SOURCE /* memmem */
#include "extract/message.h"

#include "extract/charset.h"
#include "extract/date.h"
#include "extract/flattened.h"
#include "extract/identity.h"
#include "extract/ordinary.h"

#include <gmime/gmime.h>

enum { FIELDS_USUAL = 64 };

struct message {
    GString *id, *date, *date_text, *subject, *author, *list;
    GPtrArray *references; /* of char * */
    GPtrArray *parts;      /* of struct part, whose section and text are its own */
};

/* One parse: what lives as long as message_parse runs. */
struct parse {
    struct diag *diag;
    struct place place;
    GPtrArray *leaves;
    GPtrArray *arrays;   /* GByteArrays: what GMime reads of */
    GPtrArray *mails;    /* GMimeMessage objects */
    GPtrArray *unpacked; /* GStrings: bytes of messages attached in base64 */
    bool limit_reported;
    bool is_long;      /* it may have more lines than are allowed */
    size_t text_left;  /* bytes of text parts that may follow, before decoding */
    size_t lines_left; /* lines of them, decoded */
};

static void part_free(gpointer pointer)
{
    struct part *part = pointer;

    g_free((char *)(uintptr_t)part->section);
    g_free((char *)(uintptr_t)part->text.bytes);
    g_free(part);
}

static void string_free(gpointer pointer)
{
    g_string_free(pointer, TRUE);
}

/* GMime wants to be set up once, before there are threads: when the program is
 * loaded, which needs no variable that tells. */
__attribute__((constructor)) static void gmime_start(void)
{
    g_mime_init();
}

/* Give back the array, not the bytes, which are another's. */
static void array_free(gpointer array)
{
    (void)g_byte_array_free(array, FALSE);
}

/* NULL where there is nothing to parse. GMime's own stream of a buffer would
 * copy it. */
static GMimeMessage *read_structure(struct parse *parse, struct view bytes)
{
    GByteArray *array = g_byte_array_new_take((guint8 *)(uintptr_t)bytes.bytes, bytes.length);
    GMimeStream *stream = g_mime_stream_mem_new_with_byte_array(array);
    GMimeParser *parser = g_mime_parser_new_with_stream(stream);

    g_ptr_array_add(parse->arrays, array);
    g_mime_stream_mem_set_owner(GMIME_STREAM_MEM(stream), FALSE);
    g_mime_parser_set_format(parser, GMIME_FORMAT_MESSAGE);
    g_mime_parser_set_persist_stream(parser, TRUE);

    GMimeMessage *mail = g_mime_parser_construct_message(parser, NULL);

    g_object_unref(parser);
    g_object_unref(stream);
    return mail;
}

static void limit_reached(struct parse *parse, const char *what, unsigned limit)
{
    if (!parse->limit_reported)
        diag_report(parse->diag, DIAG_UNREAD, &parse->place, "more than %u %s: the rest is left out", limit, what);
    parse->limit_reported = true;
}

/* NULL where there are too many. */
static struct leaf *add_leaf(struct parse *parse, struct view text, const char *prefix)
{
    struct leaf *leaf;

    if (parse->leaves->len >= MESSAGE_PARTS_MAX) {
        limit_reached(parse, "text parts", MESSAGE_PARTS_MAX);
        return NULL;
    }
    leaf = leaf_new(text, prefix);
    g_ptr_array_add(parse->leaves, leaf);
    return leaf;
}

/* All there is of text that is no mail. */
static void add_text(struct parse *parse, struct view text)
{
    struct leaf *leaf = add_leaf(parse, text, "");

    if (charset_is_utf16(text))
        leaf->charset = g_strdup("utf-16");
}

/* The bytes of a part's content as they stand in the mail whose bytes these
 * are: GMime keeps the range in the content's stream. */
static struct view content_of(GMimePart *mime, struct view bytes)
{
    GMimeDataWrapper *content = g_mime_part_get_content(mime);
    GMimeStream *stream = content != NULL ? g_mime_data_wrapper_get_stream(content) : NULL;

    if (stream == NULL || stream->bound_start < 0 || stream->bound_end < stream->bound_start ||
        (uint64_t)stream->bound_end > bytes.length)
        return view_slice(bytes, 0, 0);
    return view_slice(bytes, (size_t)stream->bound_start, (size_t)stream->bound_end);
}

static void add_part(struct parse *parse, GMimePart *mime, struct view bytes, const char *prefix)
{
    struct leaf *leaf = add_leaf(parse, content_of(mime, bytes), prefix);
    struct content_type type;

    if (leaf == NULL)
        return;
    type = content_type_of(g_mime_object_get_content_type(GMIME_OBJECT(mime)));
    leaf_set_type(leaf, &type);
    leaf->encoding = g_mime_part_get_content_encoding(mime);
    leaf->attached = g_mime_part_is_attachment(mime);
}

static void walk(struct parse *parse, GMimeObject *object, struct view bytes, const char *prefix, unsigned depth);

static void walk_multipart(struct parse *parse, GMimeMultipart *multipart, struct view bytes, const char *prefix,
                           unsigned depth)
{
    GMimeContentType *type = g_mime_object_get_content_type(GMIME_OBJECT(multipart));
    guint count = (guint)g_mime_multipart_get_count(multipart);
    const char *prologue = g_mime_multipart_get_prologue(multipart);

    if (count == 0 && prologue != NULL) {
        diag_report(parse->diag, DIAG_NOTE, &parse->place, "multipart without parts, read as text");
        (void)add_leaf(parse, view_of(prologue), prefix);
        return;
    }

    guint *starts = g_new0(guint, (gsize)count + 1);

    for (guint i = 0; i < count; i++) {
        char *inner = g_strdup_printf("%s%u.", prefix, i + 1);

        starts[i] = parse->leaves->len;
        walk(parse, g_mime_multipart_get_part(multipart, (int)i), bytes, inner, depth + 1);
        g_free(inner);
    }
    starts[count] = parse->leaves->len;
    if (g_mime_content_type_is_type(type, "multipart", "alternative"))
        leaf_choose_form(parse->leaves, starts, count);
    g_free(starts);
}

static void walk_mail(struct parse *parse, GMimeMessage *mail, struct view bytes, const char *prefix, unsigned depth)
{
    GMimeObject *root = mail != NULL ? g_mime_message_get_mime_part(mail) : NULL;

    if (root != NULL)
        walk(parse, root, bytes, prefix, depth);
}

/* A message attached in an encoding, which RFC 2046 forbids and happens. */
static void walk_encoded_mail(struct parse *parse, GMimePart *mime, struct view bytes, const char *prefix,
                              unsigned depth)
{
    GString *unpacked = g_string_new(NULL);
    bool intact;
    struct view inner = leaf_unpack(g_mime_part_get_content_encoding(mime), content_of(mime, bytes), unpacked, &intact);
    GMimeMessage *mail = read_structure(parse, inner);

    g_ptr_array_add(parse->unpacked, unpacked);
    if (mail != NULL) {
        g_ptr_array_add(parse->mails, mail);
        walk_mail(parse, mail, inner, prefix, depth);
    }
}

/* List the text parts of object. What signs (multipart/signed) or encrypts is
 * no text and drops out by itself. */
static void walk(struct parse *parse, GMimeObject *object, struct view bytes, const char *prefix, unsigned depth)
{
    GMimeContentType *type = g_mime_object_get_content_type(object);

    if (depth > MESSAGE_DEPTH_MAX) {
        limit_reached(parse, "levels of parts", MESSAGE_DEPTH_MAX);
    } else if (GMIME_IS_MULTIPART(object)) {
        walk_multipart(parse, GMIME_MULTIPART(object), bytes, prefix, depth);
    } else if (GMIME_IS_MESSAGE_PART(object)) {
        GMimeMessage *mail = g_mime_message_part_get_message(GMIME_MESSAGE_PART(object));
        bool nested = g_mime_content_type_is_type(type, "message", "rfc822");
        char *inner = nested ? g_strdup(prefix) : g_strdup_printf("%s1.", prefix);

        walk_mail(parse, mail, bytes, inner, depth + 1);
        g_free(inner);
    } else if (GMIME_IS_TEXT_PART(object)) {
        add_part(parse, GMIME_PART(object), bytes, prefix);
    } else if (GMIME_IS_PART(object) && g_mime_content_type_is_type(type, "message", "rfc822")) {
        walk_encoded_mail(parse, GMIME_PART(object), bytes, prefix, depth + 1);
    }
}

/* CR LF becomes LF, in place. */
static void unify_line_ends(GString *text)
{
    char *read = memchr(text->str, '\r', text->len);
    char *end = text->str + text->len;
    char *write = read;

    if (read == NULL)
        return;
    for (; read < end; read++)
        if (*read != '\r' || read + 1 == end || read[1] != '\n')
            *write++ = *read;
    g_string_truncate(text, (gsize)(write - text->str));
}

static enum part_format format_of(const struct leaf *leaf)
{
    if (leaf->kind == LEAF_HTML)
        return PART_HTML;
    if (!leaf->flowed)
        return PART_PLAIN;
    return leaf->delete_space ? PART_FLOWED_DELSP : PART_FLOWED;
}

/* Of text before it is decoded: what there is room for, in whole lines. */
static struct view limit_text(struct parse *parse, struct view text)
{
    if (text.length > parse->text_left) {
        limit_reached(parse, "bytes of text", MESSAGE_TEXT_MAX);
        text.length = parse->text_left;
        while (text.length > 0 && text.bytes[text.length - 1] != '\n')
            text.length--;
    }
    parse->text_left -= text.length;
    return text;
}

/* The same of its lines once it is decoded. */
static void limit_lines(struct parse *parse, GString *text)
{
    size_t at = 0;

    while (at < text->len) {
        const char *line_end = memchr(text->str + at, '\n', text->len - at);

        if (parse->lines_left == 0) {
            limit_reached(parse, "lines of text", MESSAGE_LINES_MAX);
            g_string_truncate(text, at);
            break;
        }
        parse->lines_left--;
        at = line_end != NULL ? (size_t)(line_end - text->str) + 1 : text->len;
    }
}

static struct part *decode_part(struct parse *parse, const struct leaf *leaf)
{
    struct part *part = g_new0(struct part, 1);
    GString *unpacked = g_string_new(NULL);
    bool intact;
    struct view bytes = leaf_unpack(leaf->encoding, limit_text(parse, leaf->text), unpacked, &intact);
    GString *text = g_string_sized_new(bytes.length);
    const char *charset = leaf->charset;

    part->format = format_of(leaf);
    if (!intact)
        diag_report(parse->diag, DIAG_NOTE, &parse->place, "part %s: damaged base64", leaf->section);
    switch (charset_decode(text, bytes, charset)) {
    case CHARSET_OK:
        break;
    case CHARSET_REPLACED:
        diag_report(parse->diag, DIAG_NOTE, &parse->place, "part %s: bytes that are no %s text", leaf->section,
                    charset != NULL ? charset : "valid");
        break;
    case CHARSET_UNKNOWN:
        diag_report(parse->diag, DIAG_NOTE, &parse->place, "part %s: unknown character set %s", leaf->section, charset);
        break;
    }
    g_string_free(unpacked, TRUE);
    unify_line_ends(text);
    if (parse->is_long)
        limit_lines(parse, text);
    part->section = g_strdup(leaf->section);
    part->text.length = text->len;
    part->text.bytes = g_string_free(text, FALSE);
    return part;
}

/* The value of the first header that is text, without RFC 2047 encoding. */
static void read_text(GString *out, const char *value)
{
    char *unfolded, *text;

    if (out->len > 0)
        return;
    unfolded = g_mime_utils_header_unfold(value);
    text = g_mime_utils_header_decode_text(NULL, unfolded);
    text_append_clean(out, view_trim(view_of(text)));
    g_free(text);
    g_free(unfolded);
}

static void read_date(struct message *message, struct view value)
{
    GString *date = g_string_new(NULL);

    if (message->date->len == 0) {
        bool good = date_read(date, value);

        if (good || message->date_text->len == 0) {
            char *bytes = g_strndup(value.bytes, value.length);
            char *unfolded = g_mime_utils_header_unfold(bytes);

            g_string_truncate(message->date_text, 0);
            text_append_clean(message->date_text, view_trim(view_of(unfolded)));
            g_string_append(message->date, date->str);
            g_free(unfolded);
            g_free(bytes);
        }
    }
    g_string_free(date, TRUE);
}

/* The id between <> of a List-Id; X-Mailing-List holds an address, and gives
 * way to a List-Id. */
static void read_list(struct message *message, const char *value, bool is_id)
{
    struct view list = view_trim(view_of(value));
    const char *start = memchr(list.bytes, '<', list.length);
    const char *end = start != NULL ? memchr(start, '>', list.length - (size_t)(start - list.bytes)) : NULL;

    if (end != NULL)
        list = (struct view){start + 1, (size_t)(end - start) - 1};
    else if (is_id && list.length > 0 && strpbrk(list.bytes, " \t") != NULL)
        return; /* a description alone */
    if (list.length == 0 || (message->list->len > 0 && !is_id))
        return;
    g_string_truncate(message->list, 0);
    text_append_clean(message->list, list);
}

/* Add the ids of a header, the last first. */
static void add_references(struct message *message, const char *value)
{
    GPtrArray *ids = identity_read_all(value);

    for (guint i = ids->len; i-- > 0 && message->references->len < MESSAGE_REFERENCES_MAX;) {
        const char *id = g_ptr_array_index(ids, i);

        if (!g_ptr_array_find_with_equal_func(message->references, id, g_str_equal, NULL))
            g_ptr_array_add(message->references, g_strdup(id));
    }
    g_ptr_array_unref(ids);
}

/* What is read of a header beside its message's own texts. */
struct reading {
    char *references; /* NULL: there are none */
    bool has_list_id;
    bool dated;
};

/* GMime's own getters return the last of several fields: hence one by one, in
 * their order. value is all that follows the colon. */
static void read_field(struct message *message, struct view name, struct view value, struct reading *reading)
{
    enum kind { ID, DATE, SUBJECT, FROM, IN_REPLY_TO, REFERENCES, MAILING_LIST, LIST_ID, OTHER };
    static const char *const names[] = {
        [ID] = "Message-ID",
        [DATE] = "Date",
        [SUBJECT] = "Subject",
        [FROM] = "From",
        [IN_REPLY_TO] = "In-Reply-To",
        [REFERENCES] = "References",
        [MAILING_LIST] = "X-Mailing-List",
        [LIST_ID] = "List-Id",
    };
    unsigned kind = ID;
    char *text;

    while (kind < OTHER &&
           (strlen(names[kind]) != name.length || g_ascii_strncasecmp(names[kind], name.bytes, name.length) != 0))
        kind++;
    if (kind == OTHER)
        return;
    text = g_strndup(value.bytes, value.length);
    switch (kind) {
    case ID:
        if (message->id->len == 0)
            identity_read(message->id, text);
        break;
    case DATE:
        read_date(message, view_of(text));
        reading->dated = true;
        break;
    case SUBJECT:
        read_text(message->subject, text);
        break;
    case FROM:
        read_text(message->author, text);
        break;
    case IN_REPLY_TO:
        add_references(message, text);
        break;
    case REFERENCES:
        g_free(reading->references);
        reading->references = text;
        return;
    case MAILING_LIST:
        read_list(message, text, false);
        break;
    case LIST_ID:
        if (!reading->has_list_id)
            read_list(message, text, true);
        reading->has_list_id = true;
        break;
    }
    g_free(text);
}

static void end_header(struct message *message, struct parse *parse, struct reading *reading)
{
    if (reading->references != NULL)
        add_references(message, reading->references);
    g_free(reading->references);
    if (reading->dated && message->date->len == 0) {
        if (message->id->len > 0)
            parse->place.message_id = message->id->str;
        diag_report(parse->diag, DIAG_NOTE, &parse->place, "unusable Date header");
    }
}

/* A mail that GMime has to read. What it has read of the parts is walked later,
 * when the message has its id. */
static void read_with_gmime(struct message *message, struct parse *parse, struct view bytes, struct reading *reading)
{
    GMimeMessage *mail = read_structure(parse, bytes);
    GMimeHeaderList *headers;

    if (mail == NULL)
        return;
    g_ptr_array_add(parse->mails, mail);
    headers = g_mime_object_get_header_list(GMIME_OBJECT(mail));
    for (int i = 0; i < g_mime_header_list_get_count(headers); i++) {
        GMimeHeader *header = g_mime_header_list_get_header_at(headers, i);
        const char *name = g_mime_header_get_name(header);
        const char *value = g_mime_header_get_raw_value(header);

        if (name != NULL && value != NULL)
            read_field(message, view_of(name), view_of(value), reading);
    }
}

static void read_mail(struct message *message, struct parse *parse, struct view bytes)
{
    struct reading reading = {0};
    GArray *fields = g_array_sized_new(FALSE, FALSE, sizeof(struct ordinary_field), FIELDS_USUAL);

    if (ordinary_read(bytes, fields, parse->leaves))
        for (guint i = 0; i < fields->len; i++) {
            const struct ordinary_field *field = &g_array_index(fields, struct ordinary_field, i);

            read_field(message, field->name, field->value, &reading);
        }
    else
        read_with_gmime(message, parse, bytes, &reading);
    end_header(message, parse, &reading);
    g_array_free(fields, TRUE);
}

/* A mail that lost its line breaks: what its header says, and the text behind
 * it. The lines before that text stay, empty, so that lines count as in the
 * file. */
static void read_flattened(struct message *message, struct view *text, GString *room)
{
    struct flattened mail;

    if (!flattened_read(*text, &mail))
        return;
    if (mail.date.length > 0)
        read_date(message, mail.date);
    text_append_clean(message->subject, mail.subject);
    if (mail.message_id.length > 0) {
        char *id = g_strndup(mail.message_id.bytes, mail.message_id.length);

        identity_read(message->id, id);
        g_free(id);
    }
    if (mail.list_id.length > 0) {
        char *list = g_strndup(mail.list_id.bytes, mail.list_id.length);

        read_list(message, list, true);
        g_free(list);
    }
    for (size_t i = 0; i < mail.body; i++)
        if (text->bytes[i] == '\n')
            g_string_append_c(room, '\n');
    *text = view_slice(*text, mail.body, text->length);
    if (room->len > 0) {
        g_string_append_len(room, text->bytes, (gssize)text->length);
        *text = (struct view){room->str, room->len};
    }
}

/* Where the header of a mail ends: before the empty line, or with the bytes. */
static size_t header_length(struct view bytes)
{
    size_t at = 0;

    while (at < bytes.length && bytes.bytes[at] != '\n' && bytes.bytes[at] != '\r') {
        const char *end = memchr(bytes.bytes + at, '\n', bytes.length - at);

        at = end != NULL ? (size_t)(end - bytes.bytes) + 1 : bytes.length;
    }
    return at;
}

/* GMime makes an object of every part before anything can be counted. So a
 * mail with parts is cut where too many lines in it may begin one. */
static struct view limit_boundaries(struct parse *parse, struct view bytes, size_t header)
{
    struct view rest = view_slice(bytes, header, bytes.length);
    char *lower;
    bool has_parts;
    unsigned count = 0;

    if (rest.length < 3 * (size_t)MESSAGE_BOUNDARIES_MAX)
        return bytes;
    lower = g_ascii_strdown(bytes.bytes, (gssize)header);
    has_parts = memmem(lower, header, "multipart/", 10) != NULL || memmem(lower, header, "message/", 8) != NULL;
    g_free(lower);
    while (has_parts) {
        const char *hit = memmem(rest.bytes, rest.length, "\n--", 3);

        if (hit == NULL)
            break;
        if (++count > MESSAGE_BOUNDARIES_MAX) {
            limit_reached(parse, "lines that begin with --", MESSAGE_BOUNDARIES_MAX);
            return view_slice(bytes, 0, (size_t)(hit + 1 - bytes.bytes));
        }
        rest = view_slice(rest, (size_t)(hit + 3 - rest.bytes), rest.length);
    }
    return bytes;
}

struct message *message_parse(const struct raw_message *raw, struct diag *diag)
{
    struct message *message = g_new0(struct message, 1);
    struct parse parse = {
        .diag = diag,
        .place = {.source = raw->source, .byte_offset = (int64_t)raw->byte_offset},
        .leaves = g_ptr_array_new_with_free_func(leaf_free),
        .arrays = g_ptr_array_new_with_free_func(array_free),
        .mails = g_ptr_array_new_with_free_func(g_object_unref),
        .unpacked = g_ptr_array_new_with_free_func(string_free),
        .text_left = MESSAGE_TEXT_MAX,
        .lines_left = MESSAGE_LINES_MAX,
        .is_long = raw->bytes.length > MESSAGE_LINES_MAX,
    };
    bool is_mail = raw->is_mail;
    size_t header = is_mail ? header_length(raw->bytes) : 0;
    struct view bytes = raw->bytes;
    GString *room = g_string_new(NULL);

    message->id = g_string_new(NULL);
    message->date = g_string_new(NULL);
    message->date_text = g_string_new(NULL);
    message->subject = g_string_new(NULL);
    message->author = g_string_new(NULL);
    message->list = g_string_new(NULL);
    message->references = g_ptr_array_new_with_free_func(g_free);
    message->parts = g_ptr_array_new_with_free_func(part_free);
    if (header > MESSAGE_HEADER_MAX) {
        diag_report(diag, DIAG_NOTE, &parse.place, "header of %zu bytes, read as text", header);
        is_mail = false;
    }
    if (is_mail) {
        bytes = limit_boundaries(&parse, bytes, header);
        if (bytes.length > 0)
            read_mail(message, &parse, bytes);
    } else {
        read_flattened(message, &bytes, room);
    }
    if (message->id->len == 0)
        identity_generate(message->id, view_slice(raw->bytes, 0, is_mail ? header : 0),
                          view_slice(raw->bytes, is_mail ? header : 0, raw->bytes.length));
    parse.place.message_id = message->id->str;

    if (parse.mails->len > 0)
        walk_mail(&parse, g_ptr_array_index(parse.mails, 0), bytes, "", 0);
    else if (!is_mail && bytes.length > 0)
        add_text(&parse, bytes);
    for (guint i = 0; i < parse.leaves->len; i++)
        g_ptr_array_add(message->parts, decode_part(&parse, g_ptr_array_index(parse.leaves, i)));

    g_ptr_array_unref(parse.leaves);
    g_ptr_array_unref(parse.mails);
    g_ptr_array_unref(parse.arrays);
    g_ptr_array_unref(parse.unpacked);
    g_string_free(room, TRUE);
    return message;
}

void message_free(struct message *message)
{
    if (message == NULL)
        return;
    g_string_free(message->id, TRUE);
    g_string_free(message->date, TRUE);
    g_string_free(message->date_text, TRUE);
    g_string_free(message->subject, TRUE);
    g_string_free(message->author, TRUE);
    g_string_free(message->list, TRUE);
    g_ptr_array_unref(message->references);
    g_ptr_array_unref(message->parts);
    g_free(message);
}

const char *message_id(const struct message *message)
{
    return message->id->str;
}

const char *message_date(const struct message *message)
{
    return message->date->str;
}

const char *message_date_text(const struct message *message)
{
    return message->date_text->str;
}

const char *message_subject(const struct message *message)
{
    return message->subject->str;
}

const char *message_author(const struct message *message)
{
    return message->author->str;
}

const char *message_list(const struct message *message)
{
    return message->list->str;
}

size_t message_reference_count(const struct message *message)
{
    return message->references->len;
}

const char *message_reference(const struct message *message, size_t index)
{
    return g_ptr_array_index(message->references, index);
}

size_t message_part_count(const struct message *message)
{
    return message->parts->len;
}

const struct part *message_part(const struct message *message, size_t index)
{
    return g_ptr_array_index(message->parts, index);
}
