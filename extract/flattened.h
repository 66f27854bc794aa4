/* flattened: mail that lost its line breaks, header and all.
 *
 * Text that was copied or scraped may hold a whole mail in one line. Its
 * fields are found by their names; what they say is kept where it is certain.
 */
#ifndef BENCHLORE_FLATTENED_H
#define BENCHLORE_FLATTENED_H

#include "extract/text.h"

/* Values borrow from the text; empty where the field is missing. */
struct flattened {
    struct view date, subject, message_id, list_id;
    size_t body; /* where the text behind the header begins; 0 where that can't be told */
};

/* Is text a flattened mail: three fields in its first line, and no field in
 * its second? Then *mail is set. */
bool flattened_read(struct view text, struct flattened *mail);

#endif
