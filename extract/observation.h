/* observation: one normalized figure, every column as text.
 *
 * The columns are those of the flat dataset, in its order. All text is clean
 * (text_append_clean) and never NULL: an empty column has length 0.
 */
#ifndef BENCHLORE_OBSERVATION_H
#define BENCHLORE_OBSERVATION_H

#include "extract/text.h"

enum column {
    COLUMN_MESSAGE_ID,
    COLUMN_DATE,
    COLUMN_RESULT,
    COLUMN_TOOL,
    COLUMN_TOOL_VERSION,
    COLUMN_TEST,
    COLUMN_SERIES,
    COLUMN_PARAMS,
    COLUMN_METRIC,
    COLUMN_STAT,
    COLUMN_VALUE,
    COLUMN_UNIT,
    COLUMN_VALUE_TEXT,
    COLUMN_CHANGE,
    COLUMN_SIGNIFICANT,
    COLUMN_SPREAD,
    COLUMN_BETTER,
    COLUMN_CAPTION,
    COLUMN_CHECK,
    COLUMN_QUOTE_DEPTH,
    COLUMN_ORIGIN,
    COLUMN_PART,
    COLUMN_LINE,
    COLUMN_COUNT
};

struct observation {
    struct view field[COLUMN_COUNT];
};

/* "message_id", "date", ...: static. */
const char *column_name(enum column column);

#endif
