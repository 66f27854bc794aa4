/* field: the form of a mail header's fields, as far as it tells mail from text. */
#ifndef BENCHLORE_FIELD_H
#define BENCHLORE_FIELD_H

#include "extract/text.h"

/* Cut the first line off *rest with its line end, LF or CR LF, which the line
 * returned lacks. */
struct view field_take_line(struct view *rest);

/* Does line begin a field, `Name:`? *name is set in either case. */
bool field_is(struct view line, struct view *name);

/* Is it a name that mail programs give to fields? */
bool field_is_known(struct view name);

/* Does text begin with the header of a mail? `Re: something` over a saved web
 * page has a field's form too: so one field must have a known name, and two
 * where a line among the fields is none. */
bool field_begins_mail(struct view text);

/* Does a message begin here, where nearly everything is one (behind the
 * `From ` line of an mbox, in a mail store): does text begin with any field or,
 * having no fields, with the empty line that ends them? */
bool field_begins_message(struct view text);

#endif
