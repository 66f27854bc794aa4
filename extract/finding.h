/* finding: what a recognizer has found in one message, before it is written.
 *
 * Texts are owned by the findings' string chunk, value texts borrow from the
 * passages; all of it lives until findings_clear.
 */
#ifndef BENCHLORE_FINDING_H
#define BENCHLORE_FINDING_H

#include "extract/grammar.h"
#include "extract/passage.h"

enum check_result { RESULT_UNCHECKED, RESULT_OK, RESULT_MISMATCH };

/* A figure as printed, and what one of its printed units is worth. */
struct figure {
    struct decimal number;
    struct unit unit;     /* base "" where the text names none */
    struct decimal value; /* number * factor */
};

struct found_row {
    const char *tool_version, *test, *series, *params, *metric, *stat, *better;
    struct figure figure;
    struct view value_text;      /* in the passage */
    const char *change, *spread; /* "" where there is none */
    const char *significant;     /* "0", "1" or "" */
    size_t proportion;           /* length of a bar, or SIZE_MAX */
    enum check_result check;
};

struct found_block {
    const struct grammar *grammar;
    const struct block *block;
    const struct passage *passage;
    unsigned part;     /* index in the message */
    size_t start, end; /* in the passage */
    unsigned first_row, row_count;
    bool has_title; /* the line above is its own title */
    const char *caption;
};

/* What else was seen on the way. */
struct scan_counts {
    uint64_t not_numbers, unknown_lines, dropped;
};

struct findings {
    GArray *rows;   /* of struct found_row */
    GArray *blocks; /* of struct found_block */
    GStringChunk *strings;
};

void findings_init(struct findings *findings);
void findings_clear(struct findings *findings);
void findings_destroy(struct findings *findings);

static inline struct found_row *found_row(const struct findings *findings, unsigned index)
{
    return &g_array_index(findings->rows, struct found_row, index);
}

static inline struct found_block *found_block(const struct findings *findings, unsigned index)
{
    return &g_array_index(findings->blocks, struct found_block, index);
}

#endif
