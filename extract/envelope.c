/* GMime undoes RFC 2047; most values have none of it, and are taken as they are. */
#define _GNU_SOURCE /* memmem */
#include "extract/envelope.h"

#include "extract/date.h"
#include "extract/identity.h"

#include <gmime/gmime.h>

struct envelope *envelope_new(void)
{
    struct envelope *envelope = g_new0(struct envelope, 1);

    envelope->id = g_string_new(NULL);
    envelope->date = g_string_new(NULL);
    envelope->date_text = g_string_new(NULL);
    envelope->subject = g_string_new(NULL);
    envelope->author = g_string_new(NULL);
    envelope->list = g_string_new(NULL);
    envelope->references = g_ptr_array_new_with_free_func(g_free);
    envelope->far = g_string_new(NULL);
    envelope->field = g_string_new(NULL);
    envelope->scratch = g_string_new(NULL);
    envelope->ids = g_ptr_array_new_with_free_func(g_free);
    return envelope;
}

void envelope_free(struct envelope *envelope)
{
    if (envelope == NULL)
        return;
    g_string_free(envelope->id, TRUE);
    g_string_free(envelope->date, TRUE);
    g_string_free(envelope->date_text, TRUE);
    g_string_free(envelope->subject, TRUE);
    g_string_free(envelope->author, TRUE);
    g_string_free(envelope->list, TRUE);
    g_ptr_array_unref(envelope->references);
    g_string_free(envelope->far, TRUE);
    g_string_free(envelope->field, TRUE);
    g_string_free(envelope->scratch, TRUE);
    g_ptr_array_unref(envelope->ids);
    g_free(envelope);
}

void envelope_clear(struct envelope *envelope)
{
    g_string_truncate(envelope->id, 0);
    g_string_truncate(envelope->date, 0);
    g_string_truncate(envelope->date_text, 0);
    g_string_truncate(envelope->subject, 0);
    g_string_truncate(envelope->author, 0);
    g_string_truncate(envelope->list, 0);
    g_ptr_array_set_size(envelope->references, 0);
    g_string_truncate(envelope->far, 0);
    envelope->has_list_id = false;
    envelope->has_date = false;
}

/* The value without RFC 2047 encoding. */
static void read_text(GString *out, const GString *field)
{
    struct view value = view_trim((struct view){field->str, field->len});

    if (out->len > 0)
        return;
    if (text_is_plain(value) && memmem(value.bytes, value.length, "=?", 2) == NULL) {
        text_append_clean(out, value);
    } else {
        char *unfolded = g_mime_utils_header_unfold(field->str);
        char *text = g_mime_utils_header_decode_text(NULL, unfolded);

        text_append_clean(out, view_trim(view_of(text)));
        g_free(text);
        g_free(unfolded);
    }
}

static void read_date(struct envelope *envelope)
{
    GString *date = envelope->scratch;
    bool good;

    envelope->has_date = true;
    if (envelope->date->len > 0)
        return;
    g_string_truncate(date, 0);
    good = date_read(date, view_of(envelope->field->str));
    if (good || envelope->date_text->len == 0) {
        char *unfolded = g_mime_utils_header_unfold(envelope->field->str);

        g_string_truncate(envelope->date_text, 0);
        text_append_clean(envelope->date_text, view_trim(view_of(unfolded)));
        g_string_append_len(envelope->date, date->str, (gssize)date->len);
        g_free(unfolded);
    }
}

/* The id between <> of a List-Id; X-Mailing-List holds an address, and gives
 * way to a List-Id. */
static void read_list(struct envelope *envelope, bool is_id)
{
    struct view list = view_trim(view_of(envelope->field->str));
    const char *start = memchr(list.bytes, '<', list.length);
    const char *end = start != NULL ? memchr(start, '>', list.length - (size_t)(start - list.bytes)) : NULL;

    if (end != NULL)
        list = (struct view){start + 1, (size_t)(end - start) - 1};
    else if (is_id && list.length > 0 && strpbrk(list.bytes, " \t") != NULL)
        return; /* a description alone */
    if (list.length == 0 || (envelope->list->len > 0 && !is_id))
        return;
    g_string_truncate(envelope->list, 0);
    text_append_clean(envelope->list, list);
}

/* Add the ids of a value, the last first. */
static void add_references(struct envelope *envelope, const char *value)
{
    GPtrArray *ids = envelope->ids;

    g_ptr_array_set_size(ids, 0);
    g_string_truncate(envelope->scratch, 0);
    while (identity_read_next(envelope->scratch, &value)) {
        g_ptr_array_add(ids, g_strndup(envelope->scratch->str, envelope->scratch->len));
        g_string_truncate(envelope->scratch, 0);
    }
    while (ids->len > 0 && envelope->references->len < ENVELOPE_REFERENCES_MAX) {
        char *id = g_ptr_array_steal_index(ids, ids->len - 1);

        if (g_ptr_array_find_with_equal_func(envelope->references, id, g_str_equal, NULL))
            g_free(id);
        else
            g_ptr_array_add(envelope->references, id);
    }
}

void envelope_read(struct envelope *envelope, struct view name, struct view value)
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

    while (kind < OTHER &&
           (strlen(names[kind]) != name.length || g_ascii_strncasecmp(names[kind], name.bytes, name.length) != 0))
        kind++;
    if (kind == OTHER)
        return;
    g_string_truncate(envelope->field, 0);
    g_string_append_len(envelope->field, value.bytes, (gssize)value.length);
    switch (kind) {
    case ID:
        if (envelope->id->len == 0)
            identity_read(envelope->id, envelope->field->str);
        break;
    case DATE:
        read_date(envelope);
        break;
    case SUBJECT:
        read_text(envelope->subject, envelope->field);
        break;
    case FROM:
        read_text(envelope->author, envelope->field);
        break;
    case IN_REPLY_TO:
        add_references(envelope, envelope->field->str);
        break;
    case REFERENCES:
        g_string_assign(envelope->far, envelope->field->str);
        break;
    case MAILING_LIST:
        read_list(envelope, false);
        break;
    case LIST_ID:
        if (!envelope->has_list_id)
            read_list(envelope, true);
        envelope->has_list_id = true;
        break;
    }
}

void envelope_end(struct envelope *envelope)
{
    add_references(envelope, envelope->far->str);
}
