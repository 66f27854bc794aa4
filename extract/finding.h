/* finding: what a recognizer has found in messages, and its rows as
 * observations.
 *
 * Texts are clean, as observations want them, and live until findings_clear:
 * among the findings' strings, or in the grammar.
 */
#ifndef BENCHLORE_FINDING_H
#define BENCHLORE_FINDING_H

#include "extract/arena.h"
#include "extract/grammar.h"
#include "extract/observation.h"
#include "extract/passage.h"

enum check_result { RESULT_UNCHECKED, RESULT_OK, RESULT_MISMATCH };

struct found_row {
    struct view tool_version, test, series, params, metric, stat, better;
    struct view value, unit, value_text;
    struct view change, spread, significant; /* empty where there is none */
    struct view line;                        /* its number in the part */
    enum check_result check;
};

struct found_block {
    const struct grammar *grammar;
    const struct block *block;
    const struct passage *passage; /* while the message is read */
    unsigned part;                 /* index in the message */
    size_t start, end;             /* in the passage */
    unsigned first_row, row_count;
    bool has_title; /* the line above is its own title */
    struct view result, tool, caption, quote_depth, section;
};

/* What else was seen on the way. */
struct scan_counts {
    uint64_t not_numbers, unknown_lines, dropped;
};

struct findings {
    GArray *rows;   /* of struct found_row */
    GArray *blocks; /* of struct found_block */
    struct arena *strings;
    GString *scratch; /* for cleaning */
    GArray *order;    /* of unsigned: the blocks that have rows, as they come, message by message */
};

/* What was found in one message. */
struct found_message {
    guint first, end; /* in order */
    struct view id, date;
};

/* Goes through the rows of one message. */
struct found_cursor {
    const struct findings *findings;
    struct found_message message;
    guint next_block; /* in order */
    unsigned next_row;
    struct observation observation; /* columns of the message, the block and the row at hand */
};

/* rows: so many have room before the memory has to grow. */
void findings_init(struct findings *findings, unsigned rows);
void findings_clear(struct findings *findings);
void findings_destroy(struct findings *findings);

/* Bytes that the findings hold, about. */
size_t findings_size(const struct findings *findings);

/* A clean copy of text (text_append_clean), or a number's text; NUL follows it. */
struct view findings_keep(struct findings *findings, struct view text);
struct view findings_keep_number(struct findings *findings, size_t number);

/* Begin with the first observation of the message. */
void found_cursor_begin(struct found_cursor *cursor, const struct findings *findings,
                        const struct found_message *message);

/* The next observation, NULL after the last. Valid until the next call. */
const struct observation *found_cursor_next(struct found_cursor *cursor);

static inline struct found_row *found_row(const struct findings *findings, unsigned index)
{
    return &g_array_index(findings->rows, struct found_row, index);
}

static inline struct found_block *found_block(const struct findings *findings, unsigned index)
{
    return &g_array_index(findings->blocks, struct found_block, index);
}

#endif
