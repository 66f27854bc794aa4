/* Outline. A message is a list of texts: its body as it stands, then each text
 * that an encoding of one before it stands for, or that is left of it where
 * something vanishes. The grammars' conditions are asked of all texts together.
 *
 * A literal is a token without blanks, and most of what is done to mail later
 * keeps tokens whole: quote marks and `From ` escapes stand before lines, wrapping
 * and flowed text break at blanks, character sets that hold ASCII leave it
 * alone. What is left can make a token out of bytes that do not stand together:
 *
 * - Transfer encodings. Where the parts of a mail can be told (ordinary.h), each
 *   is undone by itself, and what is no text is left out. Else quoted-printable
 *   is undone over the whole text, headers and all: it is read byte by byte, so
 *   that what a part of it stands for is in what the whole stands for. It may
 *   also be undeclared (undecoded.h), with quote marks between the pieces of a
 *   broken line. Base64 has groups, so that its beginning must be known: it is
 *   undone from the end of each header that declares it, but for parts that are
 *   plainly no text.
 * - What vanishes in body.c or is taken off as decoration (joint.h): rows with
 *   it are added without it.
 * - HTML: tags are taken out (untag.h).
 * - DelSp, and all sets of characters that are not known here: "maybe".
 *
 * A header is read as GMime reads it (3.2.13, tried out): lines that are no
 * fields do not end it, a blank may stand before the colon, values are decoded
 * by RFC 2047 before they are looked at, and of several fields the last counts.
 * Here all count.
 */
#define _GNU_SOURCE /* memrchr */
#include "extract/prefilter.h"

#include "extract/charset.h"
#include "extract/condition.h"
#include "extract/foreign.h"
#include "extract/joint.h"
#include "extract/message.h"
#include "extract/ordinary.h"
#include "extract/quoting.h"
#include "extract/transfer.h"
#include "extract/untag.h"

enum {
    TEXTS_MAX = 24,       /* of a message */
    ROOMS_KEPT = 8 << 20, /* bytes for decoded text */
    FIELD_MAX = 4096,     /* bytes of a Content- field */
    FIELDS_MAX = 50,      /* such fields in a text */
    STARTS_MAX = 4,       /* of base64 in a text */
    BYTES = 256,
};

struct prefilter {
    const struct conditions *conditions;
    struct search *fields; /* `Content-T` */
    bool wide;             /* some term has characters beyond ASCII */
    struct joints *joints; /* of all literals */
};

struct prefilter_scratch {
    GPtrArray *rooms; /* of GString: room for decoded texts */
    GArray *fields;   /* of struct ordinary_field */
    GPtrArray *leaves;
    GArray *starts; /* of size_t */
    struct condition_findings *findings;
};

/* A message under examination. */
struct survey {
    const struct prefilter *prefilter;
    struct prefilter_scratch *scratch;
    struct view texts[TEXTS_MAX];
    bool whole[TEXTS_MAX];    /* its lines are those of the text as it is read */
    bool untagged[TEXTS_MAX]; /* it has no tags any more */
    bool foreign_text;        /* the bytes of the text at hand may be others than those of UTF-8 */
    unsigned count;
    bool nested;     /* parts or messages may be in the body */
    bool html;       /* some text may be HTML */
    bool foreign;    /* some text may be in a set that has other bytes than UTF-8 for what is not ASCII */
    bool four_bytes; /* the set of characters has some of four bytes, two of them digits (GB 18030) */
    bool quoted;     /* the text at hand holds quoted-printable */
    GArray *starts;  /* of size_t: where base64 begins in it */
};

/* A unit is one with the digit before it. */
static void add_unit(struct joints *joints, const char *unit)
{
    for (char digit = '0'; digit <= '9'; digit++) {
        char *joined = g_strdup_printf("%c%s", digit, unit);

        joints_add(joints, view_of(joined));
        g_free(joined);
    }
}

struct prefilter *prefilter_new(const struct conditions *conditions)
{
    struct prefilter *prefilter = g_new0(struct prefilter, 1);
    const struct search_literal field = {view_of("content-t"), true};

    prefilter->conditions = conditions;
    prefilter->fields = search_new(&field, 1);
    prefilter->joints = joints_new();
    for (guint i = 0; i < conditions->terms->len; i++) {
        const struct condition_term *term = conditions_term(conditions, i);

        joints_add(prefilter->joints, term->text);
        if (term->item.unit)
            add_unit(prefilter->joints, term->item.unit);
        prefilter->wide = prefilter->wide || term->wide > 0;
    }
    return prefilter;
}

void prefilter_free(struct prefilter *prefilter)
{
    if (!prefilter)
        return;
    search_free(prefilter->fields);
    joints_free(prefilter->joints);
    g_free(prefilter);
}

static void free_room(gpointer room)
{
    g_string_free(room, TRUE);
}

struct prefilter_scratch *prefilter_scratch_new(const struct prefilter *prefilter)
{
    struct prefilter_scratch *scratch = g_new0(struct prefilter_scratch, 1);

    scratch->rooms = g_ptr_array_new_with_free_func(free_room);
    for (unsigned i = 0; i < TEXTS_MAX; i++)
        g_ptr_array_add(scratch->rooms, g_string_new(NULL));
    scratch->fields = g_array_new(FALSE, FALSE, sizeof(struct ordinary_field));
    scratch->leaves = g_ptr_array_new_with_free_func(leaf_free);
    scratch->starts = g_array_new(FALSE, FALSE, sizeof(size_t));
    scratch->findings = condition_findings_new(prefilter->conditions);
    return scratch;
}

void prefilter_scratch_free(struct prefilter_scratch *scratch)
{
    if (!scratch)
        return;
    g_ptr_array_unref(scratch->rooms);
    g_array_free(scratch->fields, TRUE);
    g_ptr_array_unref(scratch->leaves);
    g_array_free(scratch->starts, TRUE);
    condition_findings_free(scratch->findings);
    g_free(scratch);
}

/* ---- fields that say how text is encoded ---- */

/* Text in these is UTF-8, if it is valid. */
static const char *const unicode[] = {"", "us-ascii", "utf-8", "utf8"};

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Is name, in lower case, a set of characters that is read as charset.c reads
 * it in all names that mail uses for ASCII, UTF-8 and windows-1252, or another
 * whose first 128 characters are those of ASCII, and that has no other bytes
 * for what vanishes than those that are looked for here? */
static bool is_plain_charset(const char *name)
{
    static const char *const names[] = {
        "7bit",     "8bit",    "ansi_x3.4-1968", "ascii",  "binary", "cp1252",  "default", "gb18030",
        "gb2312",   "gbk",     "iso-latin-1",    "koi8-r", "koi8-u", "latin-1", "latin1",  "none",
        "us-ascii", "usascii", "unknown-8bit",   "x-gbk",
    };
    static const char *const families[] = {"iso-8859-", "iso8859-", "iso_8859-", "windows-125", "cp125"};

    if (is_one_of(name, unicode, G_N_ELEMENTS(unicode)) || is_one_of(name, names, G_N_ELEMENTS(names)))
        return true;
    for (unsigned i = 0; i < G_N_ELEMENTS(families); i++) {
        size_t length = strlen(families[i]);

        if (strncmp(name, families[i], length) == 0 && strspn(name + length, "0123456789") == strlen(name + length))
            return true;
    }
    return false;
}

/* Take in what characters a set has, by its name in lower case; false where it
 * is none that is known here. */
static bool take_charset(struct survey *survey, const char *name)
{
    survey->foreign = survey->foreign || !is_one_of(name, unicode, G_N_ELEMENTS(unicode));
    survey->four_bytes = survey->four_bytes || strncmp(name, "gb", 2) == 0 || strcmp(name, "x-gbk") == 0;
    return is_plain_charset(name);
}

/* The character set that a Content-Type's value names at `charset`; false
 * where that is anything but a plain one plainly named. */
static bool read_charset(struct survey *survey, const char *at)
{
    char name[32];
    size_t length;

    at += strspn(at, " \t");
    if (*at != '=')
        return false;
    at++;
    at += strspn(at, " \t");
    at += *at == '"';
    length = strcspn(at, "\"; \t\r\n");
    if (length >= sizeof name)
        return false;
    memcpy(name, at, length);
    name[length] = '\0';
    return take_charset(survey, name);
}

/* Look at a field that begins with `Content-T`; its value in lower case. False
 * where it can mean what is not looked at here. */
static bool read_field(struct survey *survey, const char *field, bool *base64)
{
    *base64 = false;
    if (strstr(field, "=?"))
        return false;
    if (g_str_has_prefix(field, "content-transfer-encoding")) {
        const char *value = field + strlen("content-transfer-encoding");

        survey->quoted = survey->quoted || strstr(value, "quoted");
        *base64 = strstr(value, "base64") != NULL;
        return !strstr(value, "uu");
    }
    if (!g_str_has_prefix(field, "content-type"))
        return true;
    if (strstr(field, "delsp"))
        return false;
    survey->html = survey->html || strstr(field, "html");
    if (strstr(field, "multipart") || strstr(field, "message") || strstr(field, "822"))
        survey->nested = true;
    for (const char *at = strstr(field, "charset"); at; at = strstr(at, "charset")) {
        at += strlen("charset");
        if (!read_charset(survey, at))
            return false;
    }
    return true;
}

static bool is_field_start(struct view text, size_t at)
{
    static const char wanted[] = "content-t";
    size_t i = 0;

    if (text.length - at <= strlen(wanted))
        return false;
    while (wanted[i] != '\0' && g_ascii_tolower(text.bytes[at + i]) == wanted[i])
        i++;
    return wanted[i] == '\0';
}

/* The field at offset with all its folded lines, in lower case, into field of
 * FIELD_MAX bytes; *end is behind it. False where it is too long, or where
 * carriage returns stand in it, of which GMime makes nothing. */
static bool copy_field(struct view text, size_t at, char *field, size_t *end)
{
    size_t length = 0;

    for (; at < text.length && length < FIELD_MAX - 1; at++) {
        char c = text.bytes[at];

        if (c == '\n' && (at + 1 == text.length || (text.bytes[at + 1] != ' ' && text.bytes[at + 1] != '\t'))) {
            *end = at + 1;
            field[length] = '\0';
            return true;
        }
        if (c == '\r' && at + 1 < text.length && text.bytes[at + 1] != '\n')
            return false;
        field[length++] = c == '\0' ? ' ' : g_ascii_isupper(c) ? (char)(c | 0x20) : c;
    }
    *end = at;
    field[length] = '\0';
    return at == text.length;
}

/* Read the mail's own header: *body is what follows it. False where "maybe" is
 * the answer. */
static bool read_header(struct survey *survey, struct view mail, struct view *body)
{
    size_t at = 0;

    while (at < mail.length && mail.bytes[at] != '\n' && mail.bytes[at] != '\r') {
        char field[FIELD_MAX];
        bool base64;

        if (!is_field_start(mail, at)) {
            at = text_find_line(mail, at + 1, 'c');
            continue;
        }
        if (!copy_field(mail, at, field, &at) || !read_field(survey, field, &base64))
            return false;
        if (base64 && survey->starts->len == 0) {
            const size_t start = 0;

            g_array_append_val(survey->starts, start);
        }
        at = text_find_line(mail, at, 'c');
    }
    *body = view_slice(mail, at, mail.length);
    return at <= MESSAGE_HEADER_MAX;
}

/* Where the header ends that the field ending at offset is in. */
static size_t find_header_end(struct view text, size_t at)
{
    while (at < text.length) {
        const char *line_end = memchr(text.bytes + at, '\n', text.length - at);
        bool empty = text.bytes[at] == '\n' || text.bytes[at] == '\r';

        at = line_end ? (size_t)(line_end - text.bytes) + 1 : text.length;
        if (empty)
            break;
    }
    return at;
}

/* Does a Content-Type field, in lower case, plainly name what is no text? */
static bool names_binary(const char *field)
{
    static const char *const types[] = {"application/", "audio/", "font/", "image/", "video/"};
    static const char blanks[] = " \t\r\n";
    const char *at = field + strlen("content-type");

    at += strspn(at, blanks);
    if (*at != ':')
        return false;
    at++;
    at += strspn(at, blanks);
    for (unsigned i = 0; i < G_N_ELEMENTS(types); i++) {
        const char *subtype = at + strlen(types[i]);
        size_t length;

        if (!g_str_has_prefix(at, types[i]))
            continue;
        length = strspn(subtype, "abcdefghijklmnopqrstuvwxyz0123456789.+-");
        return length > 0 && (subtype[length] == '\0' || strchr("; \t\r\n", subtype[length]));
    }
    return false;
}

/* Does the header that a field at offset is in, and that ends at end, say that
 * its part is no text? Of several fields that say what it is, all must. */
static bool is_binary_part(struct view text, size_t at, size_t end)
{
    size_t start = at;
    bool binary = false;

    /* Back to the line that ends what is before: an empty one, or a boundary. */
    while (start > 0) {
        const char *line_end = memrchr(text.bytes, '\n', start - 1);
        size_t line = line_end ? (size_t)(line_end - text.bytes) + 1 : 0;

        if (text.bytes[line] == '\n' || text.bytes[line] == '\r' ||
            (text.bytes[line] == '-' && text.bytes[line + 1] == '-'))
            break;
        start = line;
    }
    while (start < end) {
        char field[FIELD_MAX];
        const char *line_end;

        if (is_field_start(text, start)) {
            if (!copy_field(text, start, field, &start))
                return false;
            if (!g_str_has_prefix(field, "content-type"))
                continue;
            if (!names_binary(field))
                return false;
            binary = true;
            continue;
        }
        line_end = memchr(text.bytes + start, '\n', end - start);
        start = line_end ? (size_t)(line_end - text.bytes) + 1 : end;
    }
    return binary;
}

/* Read what headers of parts and messages in the text say. */
static bool read_nested(struct survey *survey, struct view text)
{
    struct search_cursor cursor;
    unsigned literal, count = 0;
    size_t at;

    search_begin(&cursor, text);
    while (search_next(survey->prefilter->fields, &cursor, &literal, &at)) {
        char field[FIELD_MAX];
        bool base64;
        size_t start;

        /* Beyond, limits of message.h may be reached, which is reported. */
        if (++count > FIELDS_MAX || !copy_field(text, at, field, &start) || !read_field(survey, field, &base64))
            return false;
        if (!base64)
            continue;
        start = find_header_end(text, start);
        if (is_binary_part(text, at, start))
            continue;
        if (survey->starts->len == STARTS_MAX)
            return false;
        g_array_append_val(survey->starts, start);
    }
    return true;
}

/* ---- decoding ---- */

/* What base64 in text stands for, from each start to the end: where parts end
 * is not known, and what follows them does not change what came before. */
static void decode_base64(GString *out, struct view text, const GArray *starts)
{
    for (guint i = 0; i < starts->len; i++)
        (void)transfer_decode_base64(out, view_slice(text, g_array_index(starts, size_t, i), text.length));
}

/* Take room, which is that of the next text, as a text; false where there is
 * too much of it. What is there already needs no second look. */
static bool add_text(struct survey *survey, const GString *room, bool whole)
{
    struct view text = {room->str, room->len};

    for (unsigned i = 0; i < survey->count; i++)
        if (view_equal(survey->texts[i], text))
            return true;
    survey->whole[survey->count] = whole;
    survey->untagged[survey->count] = false;
    survey->texts[survey->count++] = text;
    return survey->count < TEXTS_MAX;
}

/* Room for what text stands for, which is hardly longer. */
static GString *next_room(const struct survey *survey, struct view text)
{
    GString *room = g_ptr_array_index(survey->scratch->rooms, survey->count);

    if (room->allocated_len <= text.length) {
        g_string_free(room, TRUE); /* growing would copy what is in it */
        room = g_string_sized_new(text.length);
        g_ptr_array_index(survey->scratch->rooms, survey->count) = room;
    }
    g_string_truncate(room, 0);
    return room;
}

/* Are the bytes of the text maybe others than those of UTF-8? */
static bool is_foreign(const struct survey *survey, struct view text)
{
    return text_find_wide(text, 0) < text.length && (survey->foreign || !foreign_is_utf8(text));
}

/* Note what characters beyond ASCII in a text of an unknown set may be. */
static void find_encoded(const struct survey *survey, struct view text)
{
    if (survey->prefilter->wide && survey->foreign_text)
        foreign_find(survey->prefilter->conditions, text, survey->four_bytes, survey->scratch->findings);
}

static enum joint_charset charset_at_hand(const struct survey *survey)
{
    if (survey->four_bytes)
        return JOINT_GB;
    return survey->foreign_text ? JOINT_BYTES : JOINT_UTF8;
}

/* Add what stands in the text once some bytes of it are gone. False where that
 * can't be told. */
static bool add_closed(struct survey *survey, struct view text, bool whole)
{
    GString *room = next_room(survey, text);

    if (!joints_close(survey->prefilter->joints, text, charset_at_hand(survey), whole, room))
        return false;
    return room->len == 0 || add_text(survey, room, false);
}

/* Add the text without tags. False where that can't be told, or there is too much. */
static bool add_untagged(struct survey *survey, struct view text)
{
    GString *room = next_room(survey, text);
    const unsigned index = survey->count;

    if (!untag(room, text) || !add_text(survey, room, false))
        return false;
    survey->untagged[index] = true;
    return true;
}

/* Look at a text, by its index, and add those that it stands for. False where
 * "maybe" is the answer. */
static bool read_text(struct survey *survey, unsigned index)
{
    const struct view text = survey->texts[index];
    const bool whole = survey->whole[index];

    if (survey->nested && !read_nested(survey, text))
        return false;
    conditions_find_rare(survey->prefilter->conditions, text, survey->scratch->findings);
    survey->foreign_text = is_foreign(survey, text);
    find_encoded(survey, text);
    if (!add_closed(survey, text, whole))
        return false;
    if (survey->starts->len > 0) {
        GString *room = next_room(survey, text);

        decode_base64(room, text, survey->starts);
        if (!add_text(survey, room, whole))
            return false;
    }
    if (survey->quoted || quoting_is_in(text, survey->prefilter->joints)) {
        GString *room = next_room(survey, text);

        quoting_undo(room, text);
        if (!add_text(survey, room, false))
            return false;
    }
    survey->quoted = false;
    g_array_set_size(survey->starts, 0);
    return !survey->html || survey->untagged[index] || add_untagged(survey, text);
}

/* Does any grammar's condition hold of all texts together? */
static bool any_holds(const struct survey *survey)
{
    const struct conditions *conditions = survey->prefilter->conditions;
    struct condition_findings *findings = survey->scratch->findings;

    if (!conditions_may_hold(conditions, findings))
        return false;
    for (unsigned i = 0; i < survey->count; i++)
        conditions_find_common(conditions, survey->texts[i], findings);
    for (guint g = 0; g < conditions->grammars->len; g++)
        if (conditions_hold(conditions, g, findings))
            return true;
    return false;
}

/* Could message.c meet its limits? It reports that as input that is not read. */
static bool has_too_many_parts(const struct survey *survey, struct view body)
{
    const struct byte_pair line_of_dash = {{'\n', '\n'}, {'-', '-'}};
    unsigned count = 0;

    if (!survey->nested || body.length < 3 * (size_t)MESSAGE_PARTS_MAX)
        return false;
    for (size_t at = text_find_pair(body, 0, line_of_dash); at < body.length;
         at = text_find_pair(body, at + 1, line_of_dash))
        if (++count == MESSAGE_PARTS_MAX)
            return true;
    return false;
}

static size_t count_lines(struct view text)
{
    size_t count = 0;

    for (const char *at = text.bytes, *end = text.bytes + text.length; (at = memchr(at, '\n', (size_t)(end - at)));
         at++)
        count++;
    return count;
}

/* Could there be more text than message.c takes? That is reported, too. Each
 * part may have a last line that does not end. */
static bool has_too_much_text(const struct survey *survey, const struct raw_message *raw)
{
    size_t lines = MESSAGE_PARTS_MAX;

    if (raw->bytes.length <= MESSAGE_LINES_MAX)
        return false;
    for (unsigned i = 0; i < survey->count; i++)
        lines += count_lines(survey->texts[i]);
    return raw->bytes.length > MESSAGE_TEXT_MAX || lines > MESSAGE_LINES_MAX;
}

/* Room that one huge message took is given back. */
static void shrink(struct prefilter_scratch *scratch)
{
    size_t size = 0;

    for (guint i = 0; i < scratch->rooms->len; i++) {
        GString *room = g_ptr_array_index(scratch->rooms, i);

        size += room->allocated_len;
        if (size > ROOMS_KEPT) {
            size -= room->allocated_len;
            g_string_free(room, TRUE);
            g_ptr_array_index(scratch->rooms, i) = g_string_new(NULL);
        }
    }
}

static void push_text(struct survey *survey, struct view text)
{
    survey->whole[survey->count] = true;
    survey->untagged[survey->count] = false;
    survey->texts[survey->count++] = text;
}

/* Look at the texts from the first one on, and at those that they stand for. */
static bool read_texts(struct survey *survey, unsigned first)
{
    for (unsigned i = first; i < survey->count; i++)
        if (!read_text(survey, i))
            return false;
    return true;
}

/* Look at a part that holds text. False where "maybe" is the answer. */
static bool read_leaf(struct survey *survey, const struct leaf *leaf)
{
    const unsigned first = survey->count;
    bool intact;

    if (leaf->delete_space || first + 1 >= TEXTS_MAX)
        return false;
    if (leaf->charset) {
        char *name = g_ascii_strdown(leaf->charset, -1);
        bool known = take_charset(survey, name);

        g_free(name);
        if (!known)
            return false;
    }
    survey->html = leaf->kind == LEAF_HTML;
    push_text(survey, leaf_unpack(leaf->encoding, leaf->text, next_room(survey, leaf->text), &intact));
    return read_texts(survey, first);
}

/* Look at each part by itself, where they can be told. False where they can't. */
static bool read_parts(struct survey *survey, struct view mail, bool *maybe)
{
    GPtrArray *leaves = survey->scratch->leaves;

    if (!ordinary_read(mail, survey->scratch->fields, leaves))
        return false;
    survey->nested = survey->quoted = false;
    g_array_set_size(survey->starts, 0);
    for (guint i = 0; i < leaves->len && !*maybe; i++)
        *maybe = !read_leaf(survey, g_ptr_array_index(leaves, i));
    g_ptr_array_set_size(leaves, 0);
    g_array_set_size(survey->scratch->fields, 0);
    return true;
}

static bool survey_message(struct survey *survey, const struct raw_message *raw)
{
    struct view body = raw->bytes;
    bool maybe = false;

    if (!raw->is_mail && charset_is_utf16(body))
        return true;
    if (raw->is_mail && (!read_header(survey, raw->bytes, &body) || has_too_many_parts(survey, body)))
        return true;
    if (!survey->nested || !read_parts(survey, raw->bytes, &maybe)) {
        push_text(survey, body);
        maybe = !read_texts(survey, 0);
    }
    return maybe || has_too_much_text(survey, raw) || any_holds(survey);
}

bool prefilter_may_match(const struct prefilter *prefilter, const struct raw_message *raw,
                         struct prefilter_scratch *scratch)
{
    struct survey survey = {.prefilter = prefilter, .scratch = scratch, .starts = scratch->starts};

    if (prefilter->conditions->open->len > 0)
        return true;
    condition_findings_clear(scratch->findings, prefilter->conditions);
    g_array_set_size(scratch->starts, 0);

    bool result = survey_message(&survey, raw);
    shrink(scratch);
    return result;
}
