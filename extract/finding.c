#include "extract/finding.h"

void findings_init(struct findings *findings, unsigned rows)
{
    *findings = (struct findings){0};
    findings->rows = g_array_sized_new(FALSE, TRUE, sizeof(struct found_row), rows);
    findings->blocks = g_array_new(FALSE, TRUE, sizeof(struct found_block));
    findings->strings = arena_new();
    findings->scratch = g_string_new(NULL);
    findings->order = g_array_new(FALSE, FALSE, sizeof(unsigned));
}

void findings_clear(struct findings *findings)
{
    g_array_set_size(findings->rows, 0);
    g_array_set_size(findings->blocks, 0);
    g_array_set_size(findings->order, 0);
    arena_clear(findings->strings);
}

void findings_destroy(struct findings *findings)
{
    g_array_free(findings->rows, TRUE);
    g_array_free(findings->blocks, TRUE);
    arena_free(findings->strings);
    g_string_free(findings->scratch, TRUE);
    g_array_free(findings->order, TRUE);
}

size_t findings_size(const struct findings *findings)
{
    return findings->rows->len * sizeof(struct found_row) + findings->blocks->len * sizeof(struct found_block) +
           arena_size(findings->strings);
}

struct view findings_keep(struct findings *findings, struct view text)
{
    if (!text_is_plain(text)) {
        g_string_truncate(findings->scratch, 0);
        text_append_clean(findings->scratch, text);
        text = (struct view){findings->scratch->str, findings->scratch->len};
    }
    return arena_copy(findings->strings, text);
}

struct view findings_keep_number(struct findings *findings, size_t number)
{
    char digits[24];
    size_t start = sizeof digits;
    do
        digits[--start] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return findings_keep(findings, (struct view){digits + start, sizeof digits - start});
}

/* ---- rows as observations ---- */

void found_cursor_begin(struct found_cursor *cursor, const struct findings *findings,
                        const struct found_message *message)
{
    cursor->findings = findings;
    cursor->message = *message;
    cursor->next_block = message->first;
    cursor->next_row = 0;
    cursor->observation.field[COLUMN_MESSAGE_ID] = message->id;
    cursor->observation.field[COLUMN_DATE] = message->date;
    cursor->observation.field[COLUMN_ORIGIN] = view_of("");
}

static void set_block(struct view *field, const struct found_block *block)
{
    field[COLUMN_RESULT] = block->result;
    field[COLUMN_TOOL] = block->tool;
    field[COLUMN_CAPTION] = block->caption;
    field[COLUMN_QUOTE_DEPTH] = block->quote_depth;
    field[COLUMN_PART] = block->section;
}

static void set_row(struct view *field, const struct found_row *row)
{
    static const struct view checks[] = {{"", 0}, {"ok", 2}, {"mismatch", 8}};
    field[COLUMN_TOOL_VERSION] = row->tool_version;
    field[COLUMN_TEST] = row->test;
    field[COLUMN_SERIES] = row->series;
    field[COLUMN_PARAMS] = row->params;
    field[COLUMN_METRIC] = row->metric;
    field[COLUMN_STAT] = row->stat;
    field[COLUMN_VALUE] = row->value;
    field[COLUMN_UNIT] = row->unit;
    field[COLUMN_VALUE_TEXT] = row->value_text;
    field[COLUMN_CHANGE] = row->change;
    field[COLUMN_SIGNIFICANT] = row->significant;
    field[COLUMN_SPREAD] = row->spread;
    field[COLUMN_BETTER] = row->better;
    field[COLUMN_CHECK] = checks[row->check];
    field[COLUMN_LINE] = row->line;
}

const struct observation *found_cursor_next(struct found_cursor *cursor)
{
    if (cursor->next_block == cursor->message.end)
        return NULL;
    unsigned index = g_array_index(cursor->findings->order, unsigned, cursor->next_block);
    const struct found_block *block = found_block(cursor->findings, index);
    if (cursor->next_row == 0)
        set_block(cursor->observation.field, block);
    set_row(cursor->observation.field, found_row(cursor->findings, block->first_row + cursor->next_row));
    if (++cursor->next_row == block->row_count) {
        cursor->next_block++;
        cursor->next_row = 0;
    }
    return &cursor->observation;
}
