/* content_type: what a Content-Type (RFC 2045 5.1) says, as far as it tells how
 * a part is read.
 */
#ifndef BENCHLORE_CONTENT_TYPE_H
#define BENCHLORE_CONTENT_TYPE_H

#include <gmime/gmime.h>
#include <stdbool.h>

struct content_type {
    const char *type, *subtype;                      /* as written */
    const char *charset, *boundary, *format, *delsp; /* parameters; NULL: not there */
    char *room;                                      /* what these are in, or: */
    GMimeContentType *owned;
};

/* Read an unfolded value as GMime 3.2 does. False where GMime makes nothing of
 * it. Afterwards content_type_clear it, whichever is returned. */
bool content_type_read(struct content_type *type, const char *value);
void content_type_clear(struct content_type *type);

/* What GMime has read already, from which this borrows. */
struct content_type content_type_of(GMimeContentType *type);

/* Is it of this type, and of this subtype (`*`: any)? */
bool content_type_is(const struct content_type *type, const char *name, const char *subtype);

#endif
