/* ordinary: reads the structure of mails that are as nearly all are: fields one
 * below the other, parts whose boundaries all come. GMime reads every mail, but
 * makes objects of all that a mail holds, which takes several times as long.
 *
 * What GMime would make of an ordinary mail is made here, byte for byte; whatever
 * is the least bit out of the ordinary is left to it.
 */
#ifndef BENCHLORE_ORDINARY_H
#define BENCHLORE_ORDINARY_H

#include "extract/leaf.h"

/* A field of a header: its name, and all that follows the colon, with line ends. */
struct ordinary_field {
    struct view name, value;
};

/* Read a mail: append the fields of its header to fields (of struct
 * ordinary_field), and the text parts in their order to leaves (of struct leaf *;
 * they borrow from mail). False, with nothing appended, where it is none that can
 * be read here. */
bool ordinary_read(struct view mail, GArray *fields, GPtrArray *leaves);

#endif
