/* bucket: which bytes of literals a search looks for at all places at once.
 *
 * Of each literal these are WINDOW bytes, where it is rarest; literals are put
 * into buckets, and a bucket lets a place of a text through where each byte may
 * stand at that place of the window of any of its literals. What is let through
 * for nothing costs a look at the place, so that it should be little.
 */
#ifndef BENCHLORE_BUCKET_H
#define BENCHLORE_BUCKET_H

#include "extract/text.h"

enum {
    WINDOW = 4,
    BUCKETS_MAX = 16,
};

/* How large a share of the places in mail text stands at, roughly. */
double share_in_mail(struct view text);

/* A literal in a search. */
struct needle {
    const char *text; /* borrowed */
    size_t length;
    size_t window; /* offset in text; where the text is shorter than a window, any bytes may follow */
    unsigned literal;
    unsigned bucket;
    bool any_case; /* ASCII letters stand for either case */
};

/* The bytes that may stand at a place of needle's window at offset, as many as
 * returned, which is two at most; 0: any. */
unsigned needle_bytes(const struct needle *needle, size_t window, unsigned place, unsigned char *bytes);

/* Set window and bucket (less than buckets) of each needle. With halves, a byte
 * passes where its low and its high half do, each by itself. */
void buckets_choose(struct needle *needles, unsigned count, unsigned buckets, bool halves);

#endif
