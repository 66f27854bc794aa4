/* attribution: who is quoted, by the line that mail programs write above a
 * quotation: `On Monday, Ann Other <ann@example.org> wrote:`.
 *
 * People are compared by digests of their names and addresses in lower case,
 * of 24 bits: to choose among a few that is enough.
 */
#ifndef BENCHLORE_ATTRIBUTION_H
#define BENCHLORE_ATTRIBUTION_H

#include "extract/text.h"

#include <stdint.h>

/* Digests of a name and of an address, below 1 << 24; 0: there is none. */
struct author {
    uint32_t name, address;
};

/* Whom a From field names, decoded and in one line: `Ann Other <ann@example.org>`,
 * `ann@example.org (Ann Other)`. */
struct author attribution_author(const char *from);

/* Append to out the attribution above a quotation of this depth (1 at least)
 * in a part's text, a line of which, from 1, is given; in one line. Nothing is
 * appended where none is found. */
void attribution_find(struct view text, size_t line, unsigned depth, GString *out);

/* Does the attribution name the author, as a whole or by the address? */
bool attribution_names(const char *attribution, struct author author);

#endif
