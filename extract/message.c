/* message: reads one mail and keeps what is wanted of it.
 *
 * Of ordinary mails the structure is read by ordinary.h; of all others GMime
 * parses it from the bytes in memory and leaves the bodies where they are. Its
 * tree is walked once to list the text parts worth reading, in order; choosing
 * among the forms of a multipart/alternative takes entries off that list again.
 * Only then are the listed parts decoded: transfer encoding, character set, line
 * ends. GMime's objects are gone when message_read returns.
 */
#define _GNU_SOURCE /* memmem */
#include "extract/message.h"

#include "extract/charset.h"
#include "extract/envelope.h"
#include "extract/flattened.h"
#include "extract/identity.h"
#include "extract/ordinary.h"

#include <gmime/gmime.h>

/* What is kept for the next mail. */
enum {
    TEXT_KEPT = 1024 * 1024, /* bytes of a part's text */
    PARTS_KEPT = 8,
};

/* A part with the memory that its texts are in. */
struct part_room {
    struct part part;
    GString *section, *text;
};

struct message {
    struct envelope *envelope;
    struct charsets *charsets;
    GPtrArray *rooms; /* of struct part_room: those of the parts, then others */
    size_t part_count;

    /* while a mail is read */
    GArray *fields;     /* of struct ordinary_field */
    GPtrArray *leaves;  /* of struct leaf */
    GString *unpacked;  /* a part without its transfer encoding */
    GString *flattened; /* the text of mail without line breaks */
};

/* One parse: what lives as long as message_read runs. */
struct parse {
    struct diag *diag;
    struct place place;
    GPtrArray *leaves;   /* the message's */
    GPtrArray *arrays;   /* GByteArrays: what GMime reads of; NULL, as the next two, if it is not asked */
    GPtrArray *mails;    /* GMimeMessage objects */
    GPtrArray *unpacked; /* GStrings: bytes of messages attached in base64 */
    bool limit_reported;
    bool is_long;      /* it may have more lines than are allowed */
    size_t text_left;  /* bytes of text parts that may follow, before decoding */
    size_t lines_left; /* lines of them, decoded */
};

static struct part_room *room_new(void)
{
    struct part_room *room = g_new0(struct part_room, 1);

    room->section = g_string_new(NULL);
    room->text = g_string_new(NULL);
    return room;
}

static void room_free(gpointer pointer)
{
    struct part_room *room = pointer;

    g_string_free(room->section, TRUE);
    g_string_free(room->text, TRUE);
    g_free(room);
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

/* An empty part behind the others. */
static struct part_room *add_room(struct message *message)
{
    if (message->part_count == message->rooms->len)
        g_ptr_array_add(message->rooms, room_new());
    return g_ptr_array_index(message->rooms, message->part_count++);
}

static void decode_part(struct message *message, struct parse *parse, const struct leaf *leaf)
{
    struct part_room *room = add_room(message);
    GString *unpacked = message->unpacked;
    bool intact;
    struct view bytes;
    GString *text = room->text;
    const char *charset = leaf->charset;

    g_string_truncate(unpacked, 0);
    bytes = leaf_unpack(leaf->encoding, limit_text(parse, leaf->text), unpacked, &intact);
    if (!intact)
        diag_report(parse->diag, DIAG_NOTE, &parse->place, "part %s: damaged base64", leaf->section);
    switch (charset_decode(message->charsets, text, bytes, charset)) {
    case CHARSET_OK:
        break;
    case CHARSET_REPLACED:
        diag_report(parse->diag, DIAG_NOTE, &parse->place, "part %s: bytes that are no %s text", leaf->section,
                    charset != NULL ? charset : "valid");
        break;
    case CHARSET_UNKNOWN:
        diag_report(parse->diag, DIAG_NOTE, &parse->place,
                    "part %s: unknown character set %s: read as if it named none", leaf->section, charset);
        break;
    }
    unify_line_ends(text);
    if (parse->is_long)
        limit_lines(parse, text);
    g_string_append(room->section, leaf->section);
    room->part = (struct part){room->section->str, {text->str, text->len}, format_of(leaf)};
}

/* A mail that GMime has to read. What it has read of the parts is walked later,
 * when the message has its id. */
static void read_with_gmime(struct message *message, struct parse *parse, struct view bytes)
{
    GMimeMessage *mail;
    GMimeHeaderList *headers;

    parse->arrays = g_ptr_array_new_with_free_func(array_free);
    parse->mails = g_ptr_array_new_with_free_func(g_object_unref);
    parse->unpacked = g_ptr_array_new_with_free_func(string_free);
    mail = read_structure(parse, bytes);
    if (mail == NULL)
        return;
    g_ptr_array_add(parse->mails, mail);
    headers = g_mime_object_get_header_list(GMIME_OBJECT(mail));
    /* GMime's own getters return the last of several fields: hence one by one */
    for (int i = 0; i < g_mime_header_list_get_count(headers); i++) {
        GMimeHeader *header = g_mime_header_list_get_header_at(headers, i);
        const char *name = g_mime_header_get_name(header);
        const char *value = g_mime_header_get_raw_value(header);

        if (name != NULL && value != NULL)
            envelope_read(message->envelope, view_of(name), view_of(value));
    }
}

/* Give back what GMime has made, if it was asked. */
static void forget_gmime(struct parse *parse)
{
    if (parse->mails == NULL)
        return;
    g_ptr_array_unref(parse->mails);
    g_ptr_array_unref(parse->arrays);
    g_ptr_array_unref(parse->unpacked);
}

static void read_mail(struct message *message, struct parse *parse, struct view bytes)
{
    if (ordinary_read(bytes, message->fields, parse->leaves))
        for (guint i = 0; i < message->fields->len; i++) {
            const struct ordinary_field *field = &g_array_index(message->fields, struct ordinary_field, i);

            envelope_read(message->envelope, field->name, field->value);
        }
    else
        read_with_gmime(message, parse, bytes);
    envelope_end(message->envelope);
    if (message->envelope->has_date && message->envelope->date->len == 0) {
        if (message->envelope->id->len > 0)
            parse->place.message_id = message->envelope->id->str;
        diag_report(parse->diag, DIAG_NOTE, &parse->place, "unusable Date header");
    }
}

/* A mail that lost its line breaks: what its header says, and the text behind
 * it. The lines before that text stay, empty, so that lines count as in the
 * file; then it lies in room. */
static void read_flattened(struct envelope *envelope, struct view *text, GString *room)
{
    struct flattened mail;

    if (!flattened_read(*text, &mail))
        return;
    envelope_read(envelope, view_of("Date"), mail.date);
    envelope_read(envelope, view_of("Subject"), mail.subject);
    envelope_read(envelope, view_of("Message-ID"), mail.message_id);
    envelope_read(envelope, view_of("List-Id"), mail.list_id);
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

struct message *message_new(void)
{
    struct message *message = g_new0(struct message, 1);

    message->envelope = envelope_new();
    message->charsets = charsets_new();
    message->rooms = g_ptr_array_new_with_free_func(room_free);
    message->fields = g_array_new(FALSE, FALSE, sizeof(struct ordinary_field));
    message->leaves = g_ptr_array_new_with_free_func(leaf_free);
    message->unpacked = g_string_new(NULL);
    message->flattened = g_string_new(NULL);
    return message;
}

void message_free(struct message *message)
{
    if (message == NULL)
        return;
    envelope_free(message->envelope);
    charsets_free(message->charsets);
    g_ptr_array_unref(message->rooms);
    g_array_free(message->fields, TRUE);
    g_ptr_array_unref(message->leaves);
    g_string_free(message->unpacked, TRUE);
    g_string_free(message->flattened, TRUE);
    g_free(message);
}

static void clear(struct message *message)
{
    envelope_clear(message->envelope);
    if (message->rooms->len > PARTS_KEPT)
        g_ptr_array_set_size(message->rooms, PARTS_KEPT);
    for (guint i = 0; i < message->rooms->len; i++) {
        struct part_room *room = g_ptr_array_index(message->rooms, i);

        g_string_truncate(room->section, 0);
        text_empty(&room->text, TEXT_KEPT);
    }
    message->part_count = 0;
    g_array_set_size(message->fields, 0);
    text_empty(&message->unpacked, TEXT_KEPT);
    text_empty(&message->flattened, TEXT_KEPT);
}

void message_read(struct message *message, const struct raw_message *raw, struct diag *diag)
{
    struct parse parse = {
        .diag = diag,
        .place = {.source = raw->source, .byte_offset = (int64_t)raw->byte_offset},
        .leaves = message->leaves,
        .text_left = MESSAGE_TEXT_MAX,
        .lines_left = MESSAGE_LINES_MAX,
        .is_long = raw->bytes.length > MESSAGE_LINES_MAX,
    };
    GString *id = message->envelope->id;
    bool is_mail = raw->is_mail;
    size_t header = is_mail ? header_length(raw->bytes) : 0;
    struct view bytes = raw->bytes;

    clear(message);
    if (header > MESSAGE_HEADER_MAX) {
        diag_report(diag, DIAG_NOTE, &parse.place, "header of %zu bytes, read as text", header);
        is_mail = false;
    }
    if (is_mail) {
        bytes = limit_boundaries(&parse, bytes, header);
        if (bytes.length > 0)
            read_mail(message, &parse, bytes);
    } else {
        read_flattened(message->envelope, &bytes, message->flattened);
    }
    if (id->len == 0)
        identity_generate(id, view_slice(raw->bytes, 0, is_mail ? header : 0),
                          view_slice(raw->bytes, is_mail ? header : 0, raw->bytes.length));
    parse.place.message_id = id->str;

    if (parse.mails != NULL && parse.mails->len > 0)
        walk_mail(&parse, g_ptr_array_index(parse.mails, 0), bytes, "", 0);
    else if (!is_mail && bytes.length > 0)
        add_text(&parse, bytes);
    for (guint i = 0; i < parse.leaves->len; i++)
        decode_part(message, &parse, g_ptr_array_index(parse.leaves, i));
    g_ptr_array_set_size(parse.leaves, 0);
    forget_gmime(&parse);
}

struct message *message_parse(const struct raw_message *raw, struct diag *diag)
{
    struct message *message = message_new();

    message_read(message, raw, diag);
    return message;
}

const char *message_id(const struct message *message)
{
    return message->envelope->id->str;
}

const char *message_date(const struct message *message)
{
    return message->envelope->date->str;
}

const char *message_date_text(const struct message *message)
{
    return message->envelope->date_text->str;
}

const char *message_subject(const struct message *message)
{
    return message->envelope->subject->str;
}

const char *message_author(const struct message *message)
{
    return message->envelope->author->str;
}

const char *message_list(const struct message *message)
{
    return message->envelope->list->str;
}

size_t message_reference_count(const struct message *message)
{
    return message->envelope->references->len;
}

const char *message_reference(const struct message *message, size_t index)
{
    return g_ptr_array_index(message->envelope->references, index);
}

size_t message_part_count(const struct message *message)
{
    return message->part_count;
}

const struct part *message_part(const struct message *message, size_t index)
{
    return &((const struct part_room *)g_ptr_array_index(message->rooms, index))->part;
}
