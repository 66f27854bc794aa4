#define _GNU_SOURCE /* memmem */
#include "extract/leaf.h"

#include "extract/transfer.h"

/* A longer part is not looked at: it isn't blank. */
enum { BLANK_MAX = 256 };

/* How good a part is among the forms of a multipart/alternative. */
enum rank { RANK_PLAIN, RANK_HTML, RANK_OTHER, RANK_BLANK, RANK_NONE };

struct leaf *leaf_new(struct view text, const char *prefix)
{
    struct leaf *leaf = g_new0(struct leaf, 1);
    size_t length = strlen(prefix);

    leaf->text = text;
    leaf->is_bare = true;
    leaf->section = length > 0 ? g_strndup(prefix, length - 1) : g_strdup("1");
    return leaf;
}

void leaf_free(void *pointer)
{
    struct leaf *leaf = pointer;

    if (leaf == NULL)
        return;
    g_free(leaf->charset);
    g_free(leaf->section);
    g_free(leaf);
}

static bool is_value(const char *found, const char *value)
{
    return found != NULL && g_ascii_strcasecmp(found, value) == 0;
}

void leaf_set_type(struct leaf *leaf, const struct content_type *type)
{
    leaf->is_bare = false;
    leaf->charset = g_strdup(type->charset);
    if (is_value(type->subtype, "html"))
        leaf->kind = LEAF_HTML;
    else if (!is_value(type->subtype, "plain"))
        leaf->kind = content_type_is(type, "text", "*") ? LEAF_OTHER : LEAF_PLAIN;
    else
        leaf->flowed = is_value(type->format, "flowed");
    leaf->delete_space = leaf->flowed && is_value(type->delsp, "yes");
}

/* What stands before the `begin` line is no part of the encoding. */
static struct view unpack_uuencode(struct view text, GString *unpacked)
{
    GMimeEncoding decoder;
    const char *begin = text.length > 6 && memcmp(text.bytes, "begin ", 6) == 0
                            ? text.bytes
                            : memmem(text.bytes, text.length, "\nbegin ", 7);

    if (begin == NULL)
        return text;
    if (*begin == '\n')
        begin++;
    text = view_slice(text, (size_t)(begin - text.bytes), text.length);
    begin = memchr(text.bytes, '\n', text.length);
    if (begin == NULL)
        return text;
    text = view_slice(text, (size_t)(begin + 1 - text.bytes), text.length);
    g_mime_encoding_init_decode(&decoder, GMIME_CONTENT_ENCODING_UUENCODE);
    decoder.state |= GMIME_UUDECODE_STATE_BEGIN;
    g_string_set_size(unpacked, g_mime_encoding_outlen(&decoder, text.length));
    g_string_truncate(unpacked, g_mime_encoding_flush(&decoder, text.bytes, text.length, unpacked->str));
    return (struct view){unpacked->str, unpacked->len};
}

struct view leaf_unpack(GMimeContentEncoding encoding, struct view text, GString *unpacked, bool *intact)
{
    *intact = true;
    switch (encoding) {
    case GMIME_CONTENT_ENCODING_BASE64:
        *intact = transfer_decode_base64(unpacked, text);
        break;
    case GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE:
        transfer_decode_quoted_printable(unpacked, text);
        break;
    case GMIME_CONTENT_ENCODING_UUENCODE:
        return unpack_uuencode(text, unpacked);
    default:
        return text;
    }
    return (struct view){unpacked->str, unpacked->len};
}

/* Is there nothing to read in a plain part? Mailers that write HTML alone send
 * such a part with it. */
static bool is_blank(const struct leaf *leaf)
{
    bool blank = false;

    if (leaf->text.length < BLANK_MAX) {
        GString *unpacked = g_string_new(NULL);
        bool intact;

        blank = view_trim(leaf_unpack(leaf->encoding, leaf->text, unpacked, &intact)).length == 0;
        g_string_free(unpacked, TRUE);
    }
    return blank;
}

static enum rank rank_of(const struct leaf *leaf)
{
    if (leaf->attached)
        return RANK_NONE;
    if (leaf->is_bare)
        return RANK_OTHER;
    if (leaf->kind == LEAF_HTML)
        return RANK_HTML;
    if (is_blank(leaf))
        return RANK_BLANK;
    return leaf->kind == LEAF_PLAIN ? RANK_PLAIN : RANK_OTHER;
}

void leaf_choose_form(GPtrArray *leaves, const guint *starts, guint count)
{
    guint best = 0;
    enum rank best_rank = RANK_NONE;

    for (guint form = 0; form < count; form++)
        for (guint i = starts[form]; i < starts[form + 1]; i++) {
            enum rank rank = rank_of(g_ptr_array_index(leaves, i));

            if (rank < best_rank) {
                best_rank = rank;
                best = form;
            }
        }
    for (guint i = starts[count]; i-- > starts[0];) {
        const struct leaf *leaf = g_ptr_array_index(leaves, i);
        bool chosen = i >= starts[best] && i < starts[best + 1];

        if (!chosen && !leaf->attached)
            g_ptr_array_remove_index(leaves, i);
    }
}
