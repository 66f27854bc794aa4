/* archive: finds the messages in a stream of bytes.
 *
 * The stream goes through one growing buffer that always holds the message at
 * hand as a whole. A message of an mbox ends before the next `From ` line, and
 * such a line is one only after an empty line and with a date on it: text like
 * `From here on ...` is body. The search is a memmem over whole blocks and
 * copies nothing; lines are looked at only where it hits. When more bytes are
 * needed, what is held moves to the front of the buffer, so positions are
 * counted from the held bytes' start and pointers are not kept across a fill.
 */
#define _GNU_SOURCE /* memmem */
#include "extract/archive.h"

#include "extract/reader.h"

enum {
    BLOCK_SIZE = 256 * 1024,       /* the least room for one read */
    BUFFER_KEPT = 4 * 1024 * 1024, /* a buffer grown beyond this for one message shrinks again */
    FROM_LINE_MAX = 1000,
    LOOK_BEHIND = 3, /* bytes before a `From ` line that tell an empty line: LF CR LF */
};

enum kind {
    KIND_UNKNOWN,
    KIND_MBOX,
    KIND_SINGLE, /* one message or text, the whole source */
};

struct archive {
    char *source;
    struct diag *diag;
    struct reader *reader;
    char *buffer;
    size_t capacity;
    size_t start; /* held bytes: buffer[start] to buffer[end] */
    size_t end;
    uint64_t byte_offset; /* of buffer[start] in the source */
    size_t message_max;
    enum kind kind;
    bool at_end; /* the reader has no more */
};

static struct view held(const struct archive *archive)
{
    return (struct view){archive->buffer + archive->start, archive->end - archive->start};
}

static void release(struct archive *archive, size_t length)
{
    archive->start += length;
    archive->byte_offset += length;
}

/* Read more behind the held bytes; false when there is no more. */
static bool fill(struct archive *archive)
{
    size_t length = archive->end - archive->start;
    size_t got = 0;

    if (archive->at_end)
        return false;
    if (archive->start > 0 && length > 0)
        memmove(archive->buffer, archive->buffer + archive->start, length);
    archive->start = 0;
    archive->end = length;
    if (archive->capacity - length < BLOCK_SIZE) {
        archive->capacity = MAX(2 * archive->capacity, 2 * (size_t)BLOCK_SIZE);
        archive->buffer = g_realloc(archive->buffer, archive->capacity);
    } else if (archive->capacity > BUFFER_KEPT && length < BUFFER_KEPT / 4) {
        archive->capacity = BUFFER_KEPT;
        archive->buffer = g_realloc(archive->buffer, archive->capacity);
    }
    if (reader_read(archive->reader, archive->buffer + length, archive->capacity - length, &got) != READER_BYTES) {
        archive->at_end = true;
        return false;
    }
    archive->end += got;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool starts_with(struct view text, const char *prefix)
{
    size_t length = strlen(prefix);

    return text.length >= length && memcmp(text.bytes, prefix, length) == 0;
}

/* Cut the first line off *rest, its line end (LF or CR LF) included. */
static struct view take_line(struct view *rest)
{
    const char *end = rest->length > 0 ? memchr(rest->bytes, '\n', rest->length) : NULL;
    struct view line = end == NULL ? *rest : view_slice(*rest, 0, (size_t)(end - rest->bytes));

    *rest = view_slice(*rest, end == NULL ? rest->length : line.length + 1, rest->length);
    if (line.length > 0 && line.bytes[line.length - 1] == '\r')
        line.length--;
    return line;
}

/* Cut the first word off *rest; empty at its end. */
static struct view take_word(struct view *rest)
{
    size_t start = 0;
    size_t end;

    while (start < rest->length && is_blank(rest->bytes[start]))
        start++;
    for (end = start; end < rest->length && !is_blank(rest->bytes[end]);)
        end++;
    struct view word = view_slice(*rest, start, end);
    *rest = view_slice(*rest, end, rest->length);
    return word;
}

/* Is word one of the three-letter names in list, which are written together? */
static bool is_name_of(struct view word, const char *list)
{
    if (word.length != 3)
        return false;
    for (; *list != '\0'; list += 3)
        if (memcmp(word.bytes, list, 3) == 0)
            return true;
    return false;
}

/* Does word look like shape? There 0 stands for a digit, A for a capital
 * letter, ~ for a digit that may be missing, the rest for itself. */
static bool has_shape(struct view word, const char *shape)
{
    size_t at = 0;

    for (; *shape != '\0'; shape++) {
        char c = at < word.length ? word.bytes[at] : '\0';
        bool fits = *shape == '0' || *shape == '~' ? g_ascii_isdigit(c)
                    : *shape == 'A'                ? g_ascii_isupper(c)
                                                   : c == *shape;

        if (fits)
            at++;
        else if (*shape != '~')
            return false;
    }
    return at == word.length;
}

static bool is_zone(struct view word)
{
    static const char *const shapes[] = {"+0000", "-0000", "AAA", "AAAA", "AAAAA", "UT", "Z"};

    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++)
        if (has_shape(word, shapes[i]))
            return true;
    return false;
}

/* What follows the weekday on a `From ` line: `Jan  3 01:05[:34] [zone] 1996
 * [zone] [remote from host]`, and nothing else. */
static bool is_date_tail(struct view rest)
{
    if (!is_name_of(take_word(&rest), "JanFebMarAprMayJunJulAugSepOctNovDec") || !has_shape(take_word(&rest), "0~"))
        return false;

    struct view word = take_word(&rest);
    if (!has_shape(word, "0~:00:00") && !has_shape(word, "0~:00"))
        return false;
    word = take_word(&rest);
    for (int zones = 0; zones < 2 && is_zone(word); zones++)
        word = take_word(&rest);
    if (!has_shape(word, "0000"))
        return false;
    word = take_word(&rest);
    for (int zones = 0; zones < 2 && is_zone(word); zones++)
        word = take_word(&rest);
    return word.length == 0 || (view_is(word, "remote") && view_is(take_word(&rest), "from"));
}

/* Is this line, without its end, the `From ` line of an mbox? The sender may
 * be missing or hold blanks, so the date is looked for at every word. */
static bool is_from_line(struct view line)
{
    if (!starts_with(line, "From ") || line.length > FROM_LINE_MAX)
        return false;

    struct view rest = view_slice(line, 5, line.length);
    for (struct view word = take_word(&rest); word.length > 0; word = take_word(&rest))
        if (is_name_of(word, "MonTueWedThuFriSatSun") && is_date_tail(rest))
            return true;
    return false;
}

static bool is_field(struct view line, struct view *name)
{
    size_t end = 0;

    while (end < line.length && line.bytes[end] > ' ' && line.bytes[end] < 0x7f && line.bytes[end] != ':')
        end++;
    *name = view_slice(line, 0, end);
    while (end < line.length && is_blank(line.bytes[end]))
        end++;
    return name->length > 0 && end < line.length && line.bytes[end] == ':';
}

static bool is_mail_field_name(struct view name)
{
    static const char *const known[] = {
        "bcc",          "cc",           "content-transfer-encoding",
        "content-type", "date",         "delivered-to",
        "from",         "in-reply-to",  "list-id",
        "message-id",   "mime-version", "received",
        "references",   "reply-to",     "return-path",
        "sender",       "subject",      "to",
        "x-mailer",
    };

    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        if (name.length == strlen(known[i]) && g_ascii_strncasecmp(name.bytes, known[i], name.length) == 0)
            return true;
    return false;
}

/* Does text begin with the header of a mail? `Re: something` over a saved web
 * page has a field's form too: so one field must have a name that mail uses,
 * and two where a line among the fields is none. */
static bool has_header(struct view text)
{
    unsigned known = 0;
    bool first = true;

    while (text.length > 0) {
        struct view line = take_line(&text);
        struct view name;

        if (line.length == 0)
            break;
        if (!first && is_blank(line.bytes[0]))
            continue;
        if (starts_with(line, ">From "))
            continue;
        if (is_field(line, &name))
            known += is_mail_field_name(name);
        else
            return known >= 2;
        first = false;
    }
    return known >= 1;
}

/* Behind a `From ` line nearly everything is a mail: one that begins with any
 * field or, having no fields, with the empty line that ends them. */
static bool has_mbox_header(struct view text)
{
    struct view line, name;

    if (text.length == 0)
        return false;
    do
        line = take_line(&text);
    while (starts_with(line, "From ") || starts_with(line, ">From "));
    return line.length == 0 || is_field(line, &name);
}

static bool ends_empty_line(struct view text)
{
    size_t length = text.length;

    if (length == 0 || text.bytes[length - 1] != '\n')
        return false;
    if (length >= 2 && text.bytes[length - 2] == '\n')
        return true;
    return length >= 3 && text.bytes[length - 2] == '\r' && text.bytes[length - 3] == '\n';
}

/* Take one `>` off every line `>From `, `>>From `, ... in place; returns the
 * new length. */
static size_t unescape(char *bytes, size_t length)
{
    size_t written = 0; /* bytes[0] to bytes[written] are done */
    size_t copied = 0;  /* from where on the original is still to be moved */
    size_t at = 0;

    for (const char *hit; (hit = memmem(bytes + at, length - at, ">From ", 6)) != NULL;) {
        size_t first = (size_t)(hit - bytes);

        at = first + 6;
        while (first > copied && bytes[first - 1] == '>')
            first--;
        if (first > copied ? bytes[first - 1] == '\n' : first == 0) {
            memmove(bytes + written, bytes + copied, first - copied);
            written += first - copied;
            copied = first + 1;
        }
    }
    memmove(bytes + written, bytes + copied, length - copied);
    return written + length - copied;
}

static void report_size(const struct archive *archive, uint64_t byte_offset)
{
    struct place place = {.source = archive->source, .byte_offset = (int64_t)byte_offset};

    diag_report(archive->diag, DIAG_UNREAD, &place, "message of more than %zu bytes skipped", archive->message_max);
}

/* Find the end of the message whose text begins at held position content:
 * the position of the next `From ` line, or the end of the source. With a
 * message over the limit its bytes are let go on the way and *skipped is set;
 * the end returned counts from what is held then. */
static size_t find_end(struct archive *archive, size_t content, bool *skipped)
{
    uint64_t byte_offset = archive->byte_offset;
    size_t at = content - 1; /* of the LF before the place that is looked at */
    size_t end = 0;

    *skipped = false;
    while (end == 0) {
        struct view text = held(archive);
        const char *hit = memmem(text.bytes + at, text.length - at, "\nFrom ", 6);

        if (hit != NULL) {
            at = (size_t)(hit - text.bytes);

            struct view rest = view_slice(text, at + 1, text.length);
            if (archive->at_end || rest.length > FROM_LINE_MAX || memchr(rest.bytes, '\n', rest.length) != NULL) {
                at++;
                if (ends_empty_line(view_slice(text, 0, at)) && is_from_line(take_line(&rest)))
                    end = at;
                continue;
            }
        } else if (archive->at_end) {
            end = text.length;
            continue;
        } else {
            /* The last bytes may be the beginning of a `\nFrom ` that the block cuts. */
            at = MAX(at, text.length - MIN(text.length, 5));
        }
        if (!*skipped && text.length - content > archive->message_max) {
            *skipped = true;
            report_size(archive, byte_offset);
        }
        if (*skipped && at > LOOK_BEHIND) {
            release(archive, at - LOOK_BEHIND);
            at = LOOK_BEHIND;
        }
        (void)fill(archive); /* at the end of the source, the next round ends the search */
    }
    if (!*skipped && end - content > archive->message_max) {
        *skipped = true;
        report_size(archive, byte_offset);
    }
    return end;
}

static enum archive_status next_in_mbox(struct archive *archive, struct raw_message *message)
{
    bool skipped = false;

    do {
        struct view rest = held(archive);

        if (rest.length == 0)
            return ARCHIVE_END;
        (void)take_line(&rest);

        uint64_t byte_offset = archive->byte_offset;
        size_t content = held(archive).length - rest.length;
        size_t end = find_end(archive, content, &skipped);
        if (!skipped) {
            char *bytes = archive->buffer + archive->start + content;
            struct view text = {bytes, end - content};

            if (text.length > 0 && ends_empty_line(view_slice(held(archive), 0, end)))
                text.length -= text.length > 1 && bytes[text.length - 2] == '\r' ? 2 : 1;
            text.length = unescape(bytes, text.length);
            *message = (struct raw_message){text, archive->source, byte_offset, has_mbox_header(text)};
        }
        release(archive, end);
    } while (skipped);
    return ARCHIVE_MESSAGE;
}

/* The length of what may stand before a mail in a file: byte order mark, empty lines. */
static size_t preamble_length(struct view text)
{
    size_t length = starts_with(text, "\xef\xbb\xbf") ? 3 : 0;

    while (length < text.length && (text.bytes[length] == '\n' || text.bytes[length] == '\r'))
        length++;
    return length;
}

static enum archive_status next_single(struct archive *archive, struct raw_message *message)
{
    while (held(archive).length <= archive->message_max && fill(archive))
        continue;

    struct view text = held(archive);
    size_t preamble = preamble_length(text);
    struct view mail = view_slice(text, preamble, text.length);

    if (mail.length == 0)
        return ARCHIVE_END;
    if (text.length > archive->message_max) {
        report_size(archive, 0);
        archive->at_end = true;
        release(archive, text.length);
        return ARCHIVE_END;
    }

    bool is_mail = has_header(mail);
    if (!is_mail) {
        mail = text; /* lines of plain text are counted from the file's first */
        preamble = 0;
    }
    *message = (struct raw_message){mail, archive->source, preamble, is_mail};
    release(archive, text.length);
    return ARCHIVE_MESSAGE;
}

static void find_kind(struct archive *archive)
{
    struct view text;
    size_t preamble;

    do {
        text = held(archive);
        preamble = preamble_length(text);
        text = view_slice(text, preamble, text.length);
    } while (preamble < BLOCK_SIZE && text.length <= FROM_LINE_MAX && fill(archive));

    archive->kind = is_from_line(take_line(&text)) ? KIND_MBOX : KIND_SINGLE;
    if (archive->kind == KIND_MBOX)
        release(archive, preamble);
}

struct archive *archive_open(const char *path, struct diag *diag)
{
    struct archive *archive = g_new0(struct archive, 1);

    archive->source = g_strdup(path);
    archive->diag = diag;
    archive->reader = reader_open(archive->source, diag);
    archive->message_max = ARCHIVE_MESSAGE_MAX;
    return archive;
}

void archive_free(struct archive *archive)
{
    if (archive == NULL)
        return;
    reader_free(archive->reader);
    g_free(archive->buffer);
    g_free(archive->source);
    g_free(archive);
}

void archive_limit(struct archive *archive, size_t message_max)
{
    archive->message_max = message_max;
}

enum archive_status archive_next(struct archive *archive, struct raw_message *message)
{
    if (archive->kind == KIND_UNKNOWN)
        find_kind(archive);
    return archive->kind == KIND_MBOX ? next_in_mbox(archive, message) : next_single(archive, message);
}
