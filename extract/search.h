/* search: where literals stand in a text, all found in one pass.
 *
 * A search is immutable once made: threads share it, each with cursors of its
 * own. Its cost depends little on the number of literals.
 */
#ifndef BENCHLORE_SEARCH_H
#define BENCHLORE_SEARCH_H

#include "extract/text.h"

#include <stdint.h>

struct search_literal {
    struct view text; /* of one byte at least; copied */
    bool any_case;    /* ASCII letters stand for either case */
};

struct search;

struct search *search_new(const struct search_literal *literals, unsigned count);
void search_free(struct search *search);

/* What a search goes by, from the fastest. */
enum search_kind {
    SEARCH_BYTES,  /* bytes, looked up in vectors of 64 (AVX-512 VBMI) */
    SEARCH_HALVES, /* halves of bytes, in vectors of 32 (AVX2) */
    SEARCH_PLAIN,  /* one place after the other */
};

/* A search of a kind; NULL where the processor lacks what it needs. */
struct search *search_new_of_kind(const struct search_literal *literals, unsigned count, enum search_kind kind);

enum {
    SEARCH_PLACES = 1024,
    SEARCH_SLACK = 4,
};

/* A search under way. The fields are search.c's own. */
struct search_cursor {
    struct view text;   /* borrowed */
    size_t start, next; /* where the places at hand begin, and the further ones */
    /* Where literals may begin; the one at hand, and how many. */
    uint16_t places[SEARCH_PLACES + SEARCH_SLACK];
    unsigned place, count;
    bool entered; /* the place at hand: entry is what comes next there */
    unsigned entry;
};

void search_begin(struct search_cursor *cursor, struct view text);

/* A literal that stands in the text, by its index, and where. Each comes as
 * often as it stands there, in the order of the text; different literals come
 * in no order. False where there is none any more. */
bool search_next(const struct search *search, struct search_cursor *cursor, unsigned *literal, size_t *offset)
    __attribute__((warn_unused_result));

#endif
