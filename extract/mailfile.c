/* mailfile: splits a stream of bytes into messages.
 *
 * The stream goes through one growing buffer that always holds the message at
 * hand as a whole. A message of an mbox ends before the next `From ` line, and
 * such a line is one only with a date on it, and after an empty line or before
 * a header: text like `From here on ...` is body. The search goes from one `F`
 * that begins a line to the next and copies nothing; lines are looked at only
 * where it hits. What is held moves to the front of the buffer only when
 * there is no room left behind it, so positions are counted from the held
 * bytes' start and pointers are not kept across a fill.
 *
 * The kinds of mbox differ in how they keep a line `From ...` of a body apart:
 * mboxo and mboxrd escape it by `>`; mboxcl2 leaves it alone and counts the
 * body in Content-Length; mboxcl does both. Mail carries Content-Length fields
 * that mean nothing, so a count is honoured only where it leads exactly to the
 * next message or the end of the source.
 */
#define _GNU_SOURCE /* memmem */
#include "extract/mailfile.h"

#include "extract/charset.h"
#include "extract/field.h"
#include "extract/flattened.h"
#include "extract/from_line.h"
#include "extract/reader.h"

enum {
    BLOCK_SIZE = 256 * 1024,        /* the least room for one read */
    BUFFER_KEPT = 4 * 1024 * 1024,  /* a buffer grown beyond this for one message shrinks again */
    LOOK_BEHIND = 3,                /* bytes before a `From ` line that tell an empty line: LF CR LF */
    HEAD_SIZE = 64 * 1024,          /* of the source, to tell what it is */
    BINARY_HEAD = 8000,             /* bytes among which text has no NUL; git looks at as many */
    COUNTED_MAX = 32 * 1024 * 1024, /* of a body whose count leads beyond a `From ` line */
};

enum kind {
    KIND_UNKNOWN,
    KIND_MBOX,
    KIND_TEXT,   /* no mail; an mbox may begin in it */
    KIND_SINGLE, /* one message, the whole source */
    KIND_DONE,
};

struct mailfile {
    const char *source;
    struct diag *diag;
    enum diag_kind binary_kind;
    struct reader *reader;
    char *buffer;
    size_t capacity;
    size_t start; /* held bytes: buffer[start] to buffer[end] */
    size_t end;
    uint64_t byte_offset; /* of buffer[start] in the source */
    size_t message_max;
    enum kind kind;
    bool dateless;      /* the `From ` lines of this mbox have no date as they should */
    bool uncounted;     /* a message of this mbox had no count that fits */
    bool was_uncounted; /* one before the message at hand */
    bool unescaped;     /* a counted body of this mbox held a bare `From ` line: mboxcl2 */
    bool at_end;        /* the reader has no more */
    bool failed;        /* since reading failed */
    /* with mailfile_remember */
    bool remember;
    bool resumes; /* the next message is the one that before names */
    struct position before;
    struct position position; /* of the last message of all */
    bool lost;                /* it was too long to have one */
    bool may_grow, has_grown; /* the message at hand */
};

/* What the search for a message's end has met. */
struct extent {
    size_t end;   /* where the message ends, before the next `From ` line */
    bool skipped; /* longer than the limit: its bytes are gone */
    bool escapes; /* `>From` stands in it */
    bool bare;    /* a line that begins with `From ` stands in it */
};

static struct view held(const struct mailfile *mailfile)
{
    if (!mailfile->buffer)
        return view_of("");
    return (struct view){mailfile->buffer + mailfile->start, mailfile->end - mailfile->start};
}

static void release(struct mailfile *mailfile, size_t length)
{
    mailfile->start += length;
    mailfile->byte_offset += length;
}

static void report(const struct mailfile *mailfile, enum diag_kind kind, uint64_t byte_offset, const char *what)
{
    struct place place = {.source = mailfile->source, .byte_offset = (int64_t)byte_offset};

    diag_report(mailfile->diag, kind, &place, "%s", what);
}

static void report_size(const struct mailfile *mailfile, uint64_t byte_offset)
{
    char *what = g_strdup_printf("message of more than %zu bytes skipped", mailfile->message_max);

    report(mailfile, DIAG_UNREAD, byte_offset, what);
    g_free(what);
}

/* Room for a block behind the held bytes. They move only over at least as many
 * bytes that are done with, and the buffer doubles: each byte moves a bounded
 * number of times. */
static void make_room(struct mailfile *mailfile)
{
    size_t length = mailfile->end - mailfile->start;
    size_t wanted = mailfile->capacity;

    if (length == 0) {
        mailfile->start = mailfile->end = 0;
        if (wanted > BUFFER_KEPT) {
            g_free(mailfile->buffer);
            mailfile->buffer = g_malloc(BUFFER_KEPT);
            mailfile->capacity = BUFFER_KEPT;
        }
    }
    if (mailfile->capacity - mailfile->end >= BLOCK_SIZE)
        return;
    if (wanted > BUFFER_KEPT && length < BUFFER_KEPT / 4)
        wanted = BUFFER_KEPT;
    else if (mailfile->start < length || mailfile->capacity - length < BLOCK_SIZE)
        wanted = MAX(2 * wanted, 4 * (size_t)BLOCK_SIZE);
    if (length > 0 && mailfile->start > 0)
        memmove(mailfile->buffer, mailfile->buffer + mailfile->start, length);
    if (wanted != mailfile->capacity) {
        mailfile->buffer = g_realloc(mailfile->buffer, wanted); /* maps what is large anew, and copies nothing */
        mailfile->capacity = wanted;
    }
    mailfile->start = 0;
    mailfile->end = length;
}

/* Read more behind the held bytes; false when there is no more. */
static bool fill(struct mailfile *mailfile)
{
    size_t got = 0;

    if (mailfile->at_end)
        return false;
    make_room(mailfile);
    switch (reader_read(mailfile->reader, mailfile->buffer + mailfile->end, mailfile->capacity - mailfile->end, &got)) {
    case READER_BYTES:
        mailfile->end += got;
        return true;
    case READER_FAILED:
        mailfile->failed = true;
        break;
    case READER_END:
        break;
    }
    mailfile->at_end = true;
    return false;
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

/* The last message of an mbox has no empty line behind it, and may be one that
 * is still being written: of half a figure a whole one would be made. */
static bool is_unfinished(const struct mailfile *mailfile, struct view message)
{
    struct stat file;

    return !ends_empty_line(message) && !reader_is_packed(mailfile->reader) && reader_file(mailfile->reader, &file) &&
           position_is_fresh(&file);
}

/* The held bytes up to length are a message: false if it is not to be returned,
 * because an earlier run has read it, or a later one is to read it. One that
 * ends where the file does may go on there later. */
static bool note_message(struct mailfile *mailfile, enum position_kind kind, size_t length)
{
    const struct view message = view_slice(held(mailfile), 0, length);
    const uint64_t start = mailfile->byte_offset, end = start + length;
    const bool again = mailfile->resumes && start == mailfile->before.start && mailfile->before.kind != POSITION_LEFT;

    mailfile->resumes = false;
    mailfile->has_grown = again && end != mailfile->before.end;
    mailfile->may_grow = mailfile->remember && mailfile->at_end && length == held(mailfile).length;
    if (mailfile->may_grow) {
        mailfile->position.kind = kind;
        mailfile->position.start = start;
        mailfile->position.end = end;
        position_digest(message, mailfile->position.digest);
        if (kind == POSITION_MBOX && !again && is_unfinished(mailfile, message)) {
            mailfile->position.kind = POSITION_LEFT;
            report(mailfile, DIAG_NOTE, start, "the last message may be incomplete: left for a later run");
            return false;
        }
    }
    return !again || mailfile->has_grown;
}

/* A message was too long to be held, and may have been the last. */
static void note_skipped(struct mailfile *mailfile)
{
    mailfile->resumes = false;
    mailfile->lost = mailfile->at_end && held(mailfile).length == 0;
}

static bool starts_with(struct view text, const char *prefix)
{
    size_t length = strlen(prefix);

    return text.length >= length && memcmp(text.bytes, prefix, length) == 0;
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
    if (copied == 0)
        return length;
    memmove(bytes + written, bytes + copied, length - copied);
    return written + length - copied;
}

/* May a line that is no `From ` line, but begins so, be one all the same? The
 * header of a mail must follow. */
static bool is_dateless(struct view line, struct view rest)
{
    struct view name;

    return line.length <= FROM_LINE_MAX && starts_with(line, "From ") && !field_is(line, &name) &&
           field_begins_mail(rest);
}

/* Is what follows position at the beginning of a message? Its first lines are
 * held. After an empty line a date on the line is enough; elsewhere, and in
 * text, a header must follow, and the line of a patch proves nothing: patches
 * are pasted into mail. */
static bool begins_message(const struct mailfile *mailfile, size_t at)
{
    struct view rest = view_slice(held(mailfile), at, held(mailfile).length);
    struct view line = field_take_line(&rest);
    struct view name;

    bool after_empty = at == 0 || ends_empty_line(view_slice(held(mailfile), 0, at));

    if (!from_line_is(line))
        return mailfile->dateless && after_empty && is_dateless(line, rest);
    if (mailfile->kind == KIND_MBOX && after_empty)
        return true;
    return (mailfile->kind == KIND_MBOX || after_empty) && !from_line_is_patch(line) &&
           field_is(field_take_line(&rest), &name);
}

/* Find the end of the message whose text begins at held position content: the
 * next `From ` line, or the end of the source. With a message over the limit
 * its bytes are let go on the way; the end then counts from what is held. */
static struct extent find_end(struct mailfile *mailfile, size_t content)
{
    const size_t line_room = 2 * FROM_LINE_MAX; /* the line, and enough of the next */
    const struct byte_pair begins = {{'\n', '>'}, {'F', 'F'}};
    struct extent extent = {0};
    uint64_t byte_offset = mailfile->byte_offset;
    size_t at = content;

    for (;;) {
        struct view text = held(mailfile);

        at = text_find_pair(text, at, begins);
        if (at < text.length) {
            if (text.length - at >= 5) {
                if (memcmp(text.bytes + at, "From ", 5) != 0) {
                    at++;
                    continue;
                }
                if (text.bytes[at - 1] == '>') {
                    extent.escapes = true;
                    at += 5;
                    continue;
                }
            }
            if (mailfile->at_end || text.length - at > line_room) {
                if (at > content && begins_message(mailfile, at)) {
                    extent.end = at;
                    break;
                }
                extent.bare = true;
                at++;
                continue;
            }
        } else if (mailfile->at_end) {
            extent.end = text.length;
            break;
        }
        if (!extent.skipped && at - content > mailfile->message_max) {
            extent.skipped = true;
            report_size(mailfile, byte_offset);
        }
        if (extent.skipped && at > LOOK_BEHIND) {
            release(mailfile, at - LOOK_BEHIND);
            at = LOOK_BEHIND;
            content = 0;
        }
        (void)fill(mailfile); /* at the end of the source, the next round ends the search */
    }
    if (!extent.skipped && extent.end - content > mailfile->message_max) {
        extent.skipped = true;
        report_size(mailfile, byte_offset);
    }
    return extent;
}

/* The number that a Content-Length field says; false where the line is none. */
static bool is_count(struct view line, size_t *count)
{
    static const char wanted[] = "content-length";
    struct view name, digits;

    if (line.length < strlen(wanted) + 2 || line.length > strlen(wanted) + 20 ||
        g_ascii_strncasecmp(line.bytes, wanted, strlen(wanted)) != 0 || !field_is(line, &name) ||
        name.length != strlen(wanted))
        return false;
    digits = view_trim(view_slice(line, strlen(wanted) + 1, line.length));
    *count = 0;
    for (size_t i = 0; i < digits.length; i++) {
        if (!g_ascii_isdigit(digits.bytes[i]) || *count > COUNTED_MAX)
            return false;
        *count = 10 * *count + (size_t)(digits.bytes[i] - '0');
    }
    return digits.length > 0;
}

/* The length that the header at the beginning of text says its body has, and
 * where the body begins. False: it says none. */
static bool read_count(struct view text, size_t *body, size_t *count)
{
    bool counted = false;

    for (size_t at = 0; at < text.length; at = text_find_line(text, at + 1, 'c')) {
        struct view rest = view_slice(text, at, text.length);
        const struct view line = field_take_line(&rest);

        if (line.length == 0) {
            *body = text.length - rest.length;
            return counted;
        }
        counted = counted || is_count(line, count);
    }
    return false;
}

/* Does a message end at position at: is there, behind at most an empty line,
 * the next one or the end of the source? *end is where that is. */
static bool ends_at(struct mailfile *mailfile, size_t at, size_t *end)
{
    while (held(mailfile).length < at + FROM_LINE_MAX && fill(mailfile))
        continue;

    struct view text = held(mailfile);
    if (at > text.length)
        return false;
    if (at < text.length && text.bytes[at] == '\r')
        at++;
    if (at < text.length && text.bytes[at] == '\n')
        at++;
    *end = at;
    if (at == text.length)
        return true;

    struct view rest = view_slice(text, at, text.length);
    return at > 0 && text.bytes[at - 1] == '\n' && from_line_is(field_take_line(&rest));
}

/* Is there a counted message at position at, or the end of the source? */
static bool is_counted(struct mailfile *mailfile, size_t at)
{
    size_t body, count;

    while (held(mailfile).length < at + HEAD_SIZE && fill(mailfile))
        continue;

    struct view rest = view_slice(held(mailfile), at, MIN(held(mailfile).length, at + HEAD_SIZE));
    if (rest.length == 0)
        return true;
    (void)field_take_line(&rest);
    return read_count(rest, &body, &count);
}

/* Correct extent by the count of the header at content, if there is one and it
 * fits. True if so. A count that leads over the beginning of a message is
 * followed only where all messages are counted: in another mbox, who wrote it
 * would hide what others wrote. */
static bool follow_count(struct mailfile *mailfile, size_t content, struct extent *extent)
{
    size_t body, count, end;

    if (!read_count(view_slice(held(mailfile), content, extent->end), &body, &count))
        return false;
    body += content;
    if (count > COUNTED_MAX || count > mailfile->message_max || !ends_at(mailfile, body + count, &end))
        return false;
    if (end > extent->end && (mailfile->uncounted || !is_counted(mailfile, end))) {
        report(mailfile, DIAG_NOTE, mailfile->byte_offset, "Content-Length leads over another message: not followed");
        return false;
    }
    extent->bare |= end > extent->end;
    extent->end = end;
    return true;
}

static bool next_in_mbox(struct mailfile *mailfile, struct raw_message *message)
{
    for (;;) {
        struct view rest = held(mailfile);

        if (rest.length == 0)
            return false;
        (void)field_take_line(&rest);

        uint64_t byte_offset = mailfile->byte_offset;
        size_t content = held(mailfile).length - rest.length;
        struct extent extent = find_end(mailfile, content);
        if (extent.skipped) {
            release(mailfile, extent.end);
            note_skipped(mailfile);
            continue;
        }

        bool counted = follow_count(mailfile, content, &extent);
        bool is_new = note_message(mailfile, POSITION_MBOX, extent.end);
        mailfile->was_uncounted = mailfile->uncounted;
        mailfile->uncounted |= !counted;
        char *bytes = mailfile->buffer + mailfile->start + content;
        struct view text = {bytes, extent.end - content};

        if (counted && extent.bare)
            mailfile->unescaped = true;
        if (text.length > 0 && ends_empty_line(view_slice(held(mailfile), 0, extent.end)))
            text.length -= text.length > 1 && bytes[text.length - 2] == '\r' ? 2 : 1;
        /* bytes behind the first `From ` that the count led to were not searched */
        if ((extent.escapes || extent.bare) && !(counted && mailfile->unescaped))
            text.length = unescape(bytes, text.length);
        *message = (struct raw_message){text, mailfile->source, byte_offset, field_begins_message(text)};
        release(mailfile, extent.end);
        if (is_new)
            return true;
    }
}

/* The length of what may stand before a mail in a file: byte order mark, empty lines. */
static size_t preamble_length(struct view text)
{
    size_t length = starts_with(text, "\xef\xbb\xbf") ? 3 : 0;

    while (length < text.length && (text.bytes[length] == '\n' || text.bytes[length] == '\r'))
        length++;
    return length;
}

/* Does a mail hold what begins messages of an mbox? It may be forwarded mail,
 * or an mbox whose first line is lost. */
static bool holds_messages(struct view text)
{
    const char *hit;

    while ((hit = memmem(text.bytes, text.length, "\n\nFrom ", 7)) != NULL) {
        struct view name, line;

        text = view_slice(text, (size_t)(hit + 2 - text.bytes), text.length);
        line = field_take_line(&text);
        if (from_line_is(line) && !from_line_is_patch(line) && field_is(field_take_line(&text), &name))
            return true;
    }
    return false;
}

static bool next_single(struct mailfile *mailfile, struct raw_message *message)
{
    while (held(mailfile).length <= mailfile->message_max && fill(mailfile))
        continue;

    struct view text = held(mailfile);
    size_t preamble = preamble_length(text);

    mailfile->kind = KIND_DONE;
    if (text.length > mailfile->message_max) {
        report_size(mailfile, 0);
        mailfile->lost = true;
        return false;
    }
    if (!note_message(mailfile, POSITION_WHOLE, text.length))
        return false;
    text = view_slice(text, preamble, text.length);
    if (holds_messages(text))
        report(mailfile, DIAG_NOTE, preamble, "a mail with an mbox in it, read as one mail");
    *message = (struct raw_message){text, mailfile->source, preamble, true};
    return true;
}

/* Lines of plain text are counted from the file's first, so nothing is taken
 * off its beginning. */
static bool next_text(struct mailfile *mailfile, struct raw_message *message)
{
    struct extent extent = find_end(mailfile, 0);
    struct view text = view_slice(held(mailfile), 0, extent.end);
    uint64_t byte_offset = mailfile->byte_offset;
    bool blank = extent.skipped || preamble_length(text) == text.length;
    bool is_new = blank || note_message(mailfile, POSITION_WHOLE, extent.end);

    release(mailfile, extent.end);
    if (extent.skipped)
        note_skipped(mailfile);
    mailfile->kind = held(mailfile).length > 0 ? KIND_MBOX : KIND_DONE;
    if (mailfile->kind == KIND_MBOX)
        report(mailfile, DIAG_NOTE, 0, "text before the first message of an mbox");
    if (blank || !is_new)
        return mailfile->kind == KIND_MBOX && next_in_mbox(mailfile, message);
    *message = (struct raw_message){text, mailfile->source, byte_offset, false};
    return true;
}

static bool is_binary(struct view text)
{
    if (text.length == 0 || charset_is_utf16(text))
        return false;
    return memchr(text.bytes, '\0', MIN(text.length, BINARY_HEAD)) != NULL;
}

static bool has_empty_line(struct view text)
{
    return memmem(text.bytes, text.length, "\n\n", 2) != NULL || memmem(text.bytes, text.length, "\n\r\n", 3) != NULL;
}

static void find_kind(struct mailfile *mailfile)
{
    struct flattened flattened;
    struct view text;
    size_t preamble;

    do {
        text = held(mailfile);
        preamble = preamble_length(text);
        text = view_slice(text, preamble, text.length);
    } while (text.length < HEAD_SIZE && !(text.length > FROM_LINE_MAX && has_empty_line(text)) &&
             preamble < HEAD_SIZE && fill(mailfile));

    struct view rest = text;
    struct view line = field_take_line(&rest);
    bool is_flattened = !from_line_is(line) && flattened_read(text, &flattened);
    mailfile->dateless = !from_line_is(line) && !is_flattened && is_dateless(line, rest);
    if (mailfile->dateless)
        report(mailfile, DIAG_NOTE, preamble, "an mbox whose `From ` lines have no date of the usual form");
    if (mailfile->dateless || from_line_is(line)) {
        mailfile->kind = KIND_MBOX;
        release(mailfile, preamble);
    } else if (!is_flattened && field_begins_mail(text)) {
        mailfile->kind = KIND_SINGLE;
    } else if (is_binary(text)) {
        report(mailfile, mailfile->binary_kind, 0, "neither mail nor text");
        mailfile->lost = mailfile->binary_kind == DIAG_UNREAD;
        mailfile->kind = KIND_DONE;
    } else {
        mailfile->kind = KIND_TEXT;
    }
}

struct mailfile *mailfile_open(const char *path, size_t message_max, enum diag_kind kind, struct diag *diag)
{
    struct mailfile *mailfile = g_new0(struct mailfile, 1);

    mailfile->source = path;
    mailfile->message_max = message_max;
    mailfile->binary_kind = kind;
    mailfile->diag = diag;
    mailfile->reader = reader_open(path, diag);
    return mailfile;
}

void mailfile_free(struct mailfile *mailfile)
{
    if (mailfile == NULL)
        return;
    reader_free(mailfile->reader);
    g_free(mailfile->buffer);
    g_free(mailfile);
}

/* ---- going on where an earlier run stopped ---- */

/* Have the message that before names held as a whole; false if it is not there. */
static bool find_before(struct mailfile *mailfile)
{
    const struct position *before = &mailfile->before;
    const uint64_t length = before->end - before->start;
    unsigned char digest[POSITION_DIGEST];

    if (length > mailfile->message_max + (uint64_t)FROM_LINE_MAX || !reader_skip(mailfile->reader, before->start))
        return false;
    mailfile->byte_offset = before->start;
    while (held(mailfile).length < length && fill(mailfile))
        continue;
    if (held(mailfile).length < length)
        return false;
    position_digest(view_slice(held(mailfile), 0, (size_t)length), digest);
    return memcmp(digest, before->digest, sizeof digest) == 0;
}

static void start_over(struct mailfile *mailfile)
{
    reader_free(mailfile->reader);
    mailfile->reader = reader_open(mailfile->source, mailfile->diag);
    mailfile->start = mailfile->end = 0;
    mailfile->byte_offset = 0;
    mailfile->at_end = mailfile->failed = mailfile->resumes = false;
}

static void begin(struct mailfile *mailfile)
{
    if (mailfile->resumes && find_before(mailfile)) {
        mailfile->unescaped = mailfile->before.unescaped;
        mailfile->uncounted = mailfile->before.uncounted;
        mailfile->dateless = mailfile->before.dateless;
        if (mailfile->before.kind != POSITION_WHOLE)
            mailfile->kind = KIND_MBOX;
    } else if (mailfile->resumes) {
        /* folders of single mails are renumbered often */
        report(mailfile, mailfile->before.kind == POSITION_WHOLE ? DIAG_VERBOSE : DIAG_NOTE, 0,
               "not as it was when it was read last: read from its beginning");
        start_over(mailfile);
    }
    if (mailfile->kind == KIND_UNKNOWN)
        find_kind(mailfile);
}

void mailfile_remember(struct mailfile *mailfile, const struct position *before)
{
    struct stat file;

    mailfile->remember = true;
    mailfile->position.kind = POSITION_NOTHING;
    if (reader_file(mailfile->reader, &file))
        position_settle(&mailfile->position, &file);
    if (before != NULL && before->kind != POSITION_NOTHING) {
        mailfile->before = *before;
        mailfile->resumes = true;
    }
}

static bool is_at_end(const struct mailfile *mailfile)
{
    return !mailfile->lost && (mailfile->kind == KIND_DONE || (mailfile->at_end && held(mailfile).length == 0));
}

bool mailfile_is_read(const struct mailfile *mailfile)
{
    return is_at_end(mailfile) && !mailfile->failed;
}

bool mailfile_position(const struct mailfile *mailfile, struct position *position)
{
    if (!is_at_end(mailfile) || (mailfile->failed && mailfile->position.kind == POSITION_NOTHING))
        return false;
    *position = mailfile->position;
    position->unescaped = mailfile->unescaped;
    position->uncounted = mailfile->was_uncounted; /* the last is read again */
    position->dateless = mailfile->dateless;
    position->settled &= !mailfile->failed && position->kind != POSITION_LEFT;
    return true;
}

bool mailfile_may_grow(const struct mailfile *mailfile)
{
    return mailfile->may_grow;
}

bool mailfile_has_grown(const struct mailfile *mailfile)
{
    return mailfile->has_grown;
}

bool mailfile_next(struct mailfile *mailfile, struct raw_message *message)
{
    if (mailfile->kind == KIND_UNKNOWN)
        begin(mailfile);
    switch (mailfile->kind) {
    case KIND_MBOX:
        return next_in_mbox(mailfile, message);
    case KIND_TEXT:
        return next_text(mailfile, message);
    case KIND_SINGLE:
        return next_single(mailfile, message);
    case KIND_UNKNOWN:
    case KIND_DONE:
        break;
    }
    return false;
}

double mailfile_share(const struct mailfile *mailfile)
{
    return reader_share(mailfile->reader);
}
