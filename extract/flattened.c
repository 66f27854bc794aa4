/* flattened: walks the words of a header whose line breaks have become blanks.
 *
 * A field begins with a word that is a known name (or `X-...`, `List-...`) and
 * ends in a colon; its value reaches to the next such word. The header's end
 * is certain only behind a field whose value has a form of its own, one word
 * mostly, and which no further name follows: behind any other field the body's
 * first words can't be told from the value. Then all is body, so that no
 * result is lost.
 */
#include "extract/flattened.h"

#include "extract/field.h"
#include "extract/from_line.h"

enum {
    HEADER_MAX = 64 * 1024,
    VALUE_MAX = 4000, /* longer than any signature */
    NAME_MAX_LENGTH = 60,
    FIELDS_MIN = 3,
};

/* The fields seen of which a header has but one: another one is body. */
enum once {
    ONCE_FROM = 1,
    ONCE_DATE = 2,
    ONCE_SUBJECT = 4,
    ONCE_MESSAGE_ID = 8,
    ONCE_TO = 16,
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t skip_spaces(struct view text, size_t at)
{
    while (at < text.length && is_space(text.bytes[at]))
        at++;
    return at;
}

static size_t skip_word(struct view text, size_t at)
{
    while (at < text.length && !is_space(text.bytes[at]))
        at++;
    return at;
}

static bool is_name(struct view name, const char *known)
{
    return name.length == strlen(known) && g_ascii_strncasecmp(name.bytes, known, name.length) == 0;
}

static bool starts_with(struct view text, const char *prefix)
{
    size_t length = strlen(prefix);

    return text.length >= length && memcmp(text.bytes, prefix, length) == 0;
}

/* Is the word the name of a field with its colon? */
static bool is_field_word(struct view word, struct view *name)
{
    if (word.length < 3 || word.length > NAME_MAX_LENGTH || word.bytes[word.length - 1] != ':' ||
        !g_ascii_isupper(word.bytes[0]))
        return false;
    *name = view_slice(word, 0, word.length - 1);
    for (size_t i = 0; i < name->length; i++)
        if (!g_ascii_isalnum(name->bytes[i]) && name->bytes[i] != '-')
            return false;
    return field_is_known(*name) || starts_with(*name, "X-") || starts_with(*name, "List-") ||
           starts_with(*name, "Resent-") || starts_with(*name, "ARC-") || starts_with(*name, "DKIM-");
}

/* The next field word from at on, where a word begins, and *end behind it;
 * text.length: none near enough. */
static size_t find_field(struct view text, size_t at, struct view *name, size_t *end)
{
    size_t limit = MIN(text.length, at + VALUE_MAX);

    for (at = skip_spaces(text, at); at < limit; at = skip_spaces(text, at)) {
        *end = skip_word(text, at);
        if (is_field_word(view_slice(text, at, *end), name))
            return at;
        at = *end;
    }
    return text.length;
}

/* Where a value of a form that shows its end does end; 0: its form shows none. */
static size_t value_end(struct view text, struct view name, size_t at)
{
    static const char *const words[] = {
        "content-language", "content-length", "content-transfer-encoding",
        "mime-version",     "precedence",     "x-mailing-list",
    };

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (is_name(name, words[i]))
            return skip_word(text, at);
    if ((is_name(name, "message-id") || is_name(name, "in-reply-to") || is_name(name, "list-id")) && at < text.length &&
        text.bytes[at] == '<') {
        size_t end = skip_word(text, at);

        return text.bytes[end - 1] == '>' ? end : 0;
    }
    return 0;
}

static enum once once_of(struct view name)
{
    return is_name(name, "from")         ? ONCE_FROM
           : is_name(name, "date")       ? ONCE_DATE
           : is_name(name, "subject")    ? ONCE_SUBJECT
           : is_name(name, "message-id") ? ONCE_MESSAGE_ID
           : is_name(name, "to")         ? ONCE_TO
                                         : 0;
}

/* Words that no header holds, but the first lines of a reply do. */
static bool looks_like_body(struct view value)
{
    for (size_t at = 0; at < value.length;) {
        size_t start = skip_spaces(value, at);

        at = skip_word(value, start);
        struct view word = view_slice(value, start, at);
        if (view_is(word, ">") || view_is(word, "wrote:"))
            return true;
    }
    return false;
}

static void keep(struct flattened *mail, struct view name, struct view value)
{
    struct view *place = is_name(name, "date")             ? &mail->date
                         : is_name(name, "subject")        ? &mail->subject
                         : is_name(name, "message-id")     ? &mail->message_id
                         : is_name(name, "list-id")        ? &mail->list_id
                         : is_name(name, "x-mailing-list") ? &mail->list_id
                                                           : NULL;

    if (place != NULL && place->length == 0)
        *place = view_trim(value);
}

/* A header with line breaks left has a field or a continuation in its second line. */
static bool has_lines(struct view text)
{
    struct view name, line;

    (void)field_take_line(&text);
    line = field_take_line(&text);
    return line.length > 0 && (field_is(line, &name) || is_space(line.bytes[0]));
}

static bool has_fields(struct view text)
{
    struct view line = field_take_line(&text);
    struct view name;
    size_t end = 0;
    unsigned count = 0;

    if (find_field(line, 0, &name, &end) != 0)
        return false;
    for (count = 1; count < FIELDS_MIN && find_field(line, end, &name, &end) < line.length;)
        count++;
    return count >= FIELDS_MIN;
}

bool flattened_read(struct view text, struct flattened *mail)
{
    struct flattened found = {0};
    struct view name, next_name;
    size_t at = skip_spaces(text, 0);
    size_t end = 0;
    unsigned seen = 0;
    size_t body = 0;

    text = view_slice(text, 0, MIN(text.length, HEADER_MAX));
    at = MIN(at, text.length);
    at = skip_spaces(text, at + from_line_length(view_slice(text, at, text.length)));
    if (!has_fields(view_slice(text, at, text.length)) || has_lines(view_slice(text, at, text.length)))
        return false;
    for (at = find_field(text, at, &name, &end); at < text.length;) {
        size_t value = skip_spaces(text, end);
        size_t next_end = 0;
        size_t next = find_field(text, value, &next_name, &next_end);
        size_t sure_end = next == value ? 0 : value_end(text, name, value);
        enum once once = once_of(name);

        if ((seen & once) != 0)
            break;
        seen |= once;
        if (sure_end > 0 && skip_spaces(text, sure_end) != next) {
            keep(&found, name, view_slice(text, value, sure_end));
            body = skip_spaces(text, sure_end);
            break;
        }
        if (next == text.length || looks_like_body(view_slice(text, value, next)))
            break;
        keep(&found, name, view_slice(text, value, next));
        name = next_name;
        end = next_end;
        at = next;
    }
    found.body = body;
    *mail = found;
    return true;
}
