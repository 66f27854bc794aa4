/* pack: the objects of a git repository that stand in its packs, by id.
 *
 * It reads what gitformat-pack(5) describes, in constant memory, and several
 * times as fast as a general library. What it can't find or read may still be
 * read otherwise, and is to be reported there: nothing is reported here.
 */
#ifndef BENCHLORE_PACK_H
#define BENCHLORE_PACK_H

#include "extract/text.h"

enum pack_type {
    PACK_COMMIT = 1,
    PACK_TREE = 2,
    PACK_BLOB = 3,
    PACK_TAG = 4,
};

enum { PACK_ID_SIZE = 20 };

struct packs;

/* The packs in `pack/` in the directory of a repository's objects; those that
 * can't be read are left out. Never NULL. An object or base of an object of
 * more than object_max bytes is not read. */
struct packs *packs_open(const char *objects, size_t object_max);
void packs_free(struct packs *packs);

/* Read an object: its bytes are valid until the next call. False: it is in none
 * of the packs, too large or damaged. Its content is checked as far as the
 * pack's checksums go, not against the id. */
bool packs_read(struct packs *packs, const unsigned char id[PACK_ID_SIZE], enum pack_type *type, struct view *bytes)
    __attribute__((warn_unused_result));

#endif
