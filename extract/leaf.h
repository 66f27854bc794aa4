/* leaf: a part of a mail that holds text, as it stands in the mail.
 */
#ifndef BENCHLORE_LEAF_H
#define BENCHLORE_LEAF_H

#include "extract/content_type.h"
#include "extract/text.h"

/* What the text is, as far as it tells how it is read. */
enum leaf_kind {
    LEAF_PLAIN, /* or of no known type at all: that is read as plain text */
    LEAF_HTML,
    LEAF_OTHER, /* a calendar, rich text */
};

struct leaf {
    struct view text;
    bool is_bare; /* the text is all there is to it: no type, no encoding */
    enum leaf_kind kind;
    GMimeContentEncoding encoding;
    bool flowed, delete_space; /* format=flowed, DelSp=yes of RFC 3676 */
    char *charset;             /* NULL: not known */
    char *section;
    bool attached;
};

/* A leaf of text, which is borrowed, bare until it gets a type. prefix ("",
 * "2.", "2.1.") leads to its section. */
struct leaf *leaf_new(struct view text, const char *prefix);
void leaf_free(void *leaf);

/* What the fields of its header say of a leaf. */
void leaf_set_type(struct leaf *leaf, const struct content_type *type);

/* Undo a transfer encoding. The result borrows from text or unpacked; *intact is
 * false where text is damaged. */
struct view leaf_unpack(GMimeContentEncoding encoding, struct view text, GString *unpacked, bool *intact);

/* Of the forms of a multipart/alternative keep the best, and every attachment.
 * starts[i] is the index of form i's first leaf among leaves (of struct leaf *),
 * starts[count] their number. */
void leaf_choose_form(GPtrArray *leaves, const guint *starts, guint count);

#endif
