/* One table, in the order of enum column; the names are the dataset's own. */
#include "extract/observation.h"

static const char *const names[] = {
    [COLUMN_MESSAGE_ID] = "message_id",
    [COLUMN_DATE] = "date",
    [COLUMN_RESULT] = "result",
    [COLUMN_TOOL] = "tool",
    [COLUMN_TOOL_VERSION] = "tool_version",
    [COLUMN_TEST] = "test",
    [COLUMN_SERIES] = "series",
    [COLUMN_PARAMS] = "params",
    [COLUMN_METRIC] = "metric",
    [COLUMN_STAT] = "stat",
    [COLUMN_VALUE] = "value",
    [COLUMN_UNIT] = "unit",
    [COLUMN_VALUE_TEXT] = "value_text",
    [COLUMN_CHANGE] = "change",
    [COLUMN_SIGNIFICANT] = "significant",
    [COLUMN_SPREAD] = "spread",
    [COLUMN_BETTER] = "better",
    [COLUMN_CAPTION] = "caption",
    [COLUMN_CHECK] = "check",
    [COLUMN_QUOTE_DEPTH] = "quote_depth",
    [COLUMN_ORIGIN] = "origin",
    [COLUMN_PART] = "part",
    [COLUMN_LINE] = "line",
};
_Static_assert(G_N_ELEMENTS(names) == COLUMN_COUNT, "every column has a name");

const char *column_name(enum column column)
{
    g_assert((unsigned)column < COLUMN_COUNT);
    return names[column];
}
