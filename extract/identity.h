/* identity: the id of a message, read from a header or made from its bytes. */
#ifndef BENCHLORE_IDENTITY_H
#define BENCHLORE_IDENTITY_H

#include "extract/text.h"

/* RFC 5322's longest line; what is longer is no id. */
enum { IDENTITY_LENGTH_MAX = 998 };

/* Append the id in the raw value of a Message-ID header, without <>, comments
 * and white space, clean (text_append_clean). Nothing where there is none. */
void identity_read(GString *out, const char *value);

/* Append the next id between <> in the value of a References or In-Reply-To
 * header, clean; *value moves behind it. False, and nothing appended, where no
 * more follow. */
bool identity_read_next(GString *out, const char **value);

/* Append `generated.HASH@benchlore.invalid`, HASH being the first 32 hex
 * digits of a SHA-256: of the header's From, Date and Subject fields as they
 * stand, and of the body, which begins with the empty line that ends the
 * header; both with CRLF as LF, without the marks before `From ` that an mbox
 * may have added, and without the line ends at their end. So it is the same
 * wherever, and in whatever archive, a message is kept. */
void identity_generate(GString *out, struct view header, struct view body);

#endif
