/* joint: may literals come about in a text once what nobody sees is gone from
 * it, or stars of bold text are taken off? `IO<soft hyphen>PS=`, `bw=*12*`.
 */
#ifndef BENCHLORE_JOINT_H
#define BENCHLORE_JOINT_H

#include "extract/text.h"

/* Which bytes stand side by side in some literal. Immutable once made. */
struct joints;

struct joints *joints_new(void);
void joints_free(struct joints *joints);
void joints_add(struct joints *joints, struct view literal);

/* Is byte in some literal? */
bool joints_have(const struct joints *joints, unsigned char byte);

/* Can two bytes become neighbours in a literal once what is between them is
 * gone? What the second begins may vanish, too, and so may a star that is the first. */
bool joints_touch(const struct joints *joints, char before, char after);

enum joint_charset {
    JOINT_UTF8,
    JOINT_BYTES, /* a byte is a character in some parts, or all; ASCII is the same */
    JOINT_GB,    /* as GB 18030: some characters have four bytes, two of them digits */
};

/* Append to closed each row of the text, without what vanishes from it
 * (unseen.h, decoration.h), in which that may part a literal. False where it
 * can't be told what such rows will be. Unless whole, a row of the text may be
 * several once it is read. */
bool joints_close(const struct joints *joints, struct view text, enum joint_charset charset, bool whole,
                  GString *closed);

#endif
