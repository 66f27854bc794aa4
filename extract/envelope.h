/* envelope: what a mail's header says of the mail, read field by field.
 *
 * The memory is used again for the next mail, so that threads, each with an
 * envelope of its own, seldom ask for any.
 */
#ifndef BENCHLORE_ENVELOPE_H
#define BENCHLORE_ENVELOPE_H

#include "extract/text.h"

enum { ENVELOPE_REFERENCES_MAX = 100 }; /* the nearest are kept */

struct envelope {
    /* As message.h says of each; empty where there is none. */
    GString *id, *date, *date_text, *subject, *author, *list;
    GPtrArray *references; /* of char *, the nearest first */

    /* while the header is read */
    GString *far;   /* the value of References, behind which In-Reply-To may come */
    GString *field; /* the value at hand */
    GString *scratch;
    GPtrArray *ids; /* in field; of char * */
    bool has_list_id;
    bool has_date; /* be it usable or not */
};

struct envelope *envelope_new(void);
void envelope_free(struct envelope *envelope);
void envelope_clear(struct envelope *envelope);

/* Read a field; value is all that follows the colon. Of several fields the first
 * usable counts, of In-Reply-To each, of References the last. */
void envelope_read(struct envelope *envelope, struct view name, struct view value);

/* Call once after the last field. */
void envelope_end(struct envelope *envelope);

#endif
