/* What --explain shows of a scan. */
#include "extract/scanner.h"

enum { NEAR_MISS_MIN = 4 }; /* bytes of a line that a rule must have matched to be named */

static void add_event(struct scanner *scanner, struct trace_event event)
{
    event.passage = scanner->passage;
    event.grammar = scanner->grammar;
    trace_add(scanner->trace, event);
}

static void append_captures(GString *out, struct view text, const struct capture *captures, unsigned count,
                            const struct binding *binding)
{
    for (unsigned i = 0; i < count; i++) {
        if (!binding[i].is_set)
            continue;
        struct view value = view_trim(view_slice(text, binding[i].start, binding[i].end));
        g_string_append_printf(out, "%s%s=%.*s", out->len ? " " : "", captures[i].name, (int)value.length, value.bytes);
    }
}

void scan_trace_match(struct scanner *scanner, const struct rule *rule, size_t at, size_t end, const char *column)
{
    if (!scanner->trace)
        return;
    GString *text = g_string_new(NULL);
    append_captures(text, scanner->text, rule->captures, rule->capture_count, scanner->binding);
    if (rule->table)
        append_captures(text, scanner->text, rule->table->cell_captures, rule->table->cell_capture_count,
                        scanner->binding + rule->capture_count);
    for (guint i = 0; rule->kind == RULE_EACH && rule->reads_list && i < scanner->grammar->variables->len; i++) {
        struct view turn = emitter_variable(scanner->emitter, i);
        if (g_array_index(scanner->grammar->listed, bool, i) && turn.bytes)
            g_string_append_printf(text, "%s%s=%.*s", text->len ? " " : "",
                                   (const char *)g_ptr_array_index(scanner->grammar->variables, i), (int)turn.length,
                                   turn.bytes);
    }
    if (column)
        g_string_append_printf(text, " in column \"%s\"", column);
    add_event(scanner,
              (struct trace_event){
                  .kind = TRACE_TAKEN, .rule = rule, .start = at, .end = end, .text = g_string_free(text, FALSE)});
}

void scan_trace_header(struct scanner *scanner, const struct rule *rule, size_t at, size_t end)
{
    if (!scanner->trace)
        return;
    GString *names = g_string_new(NULL);
    for (unsigned i = 0; i < scanner->columns; i++)
        g_string_append_printf(names, "%s\"%s\"", i ? " " : "", scanner->series[i]);
    add_event(scanner,
              (struct trace_event){
                  .kind = TRACE_HEADER, .rule = rule, .start = at, .end = end, .text = g_string_free(names, FALSE)});
}

void scan_trace_no_header(struct scanner *scanner, const struct rule *rule, const struct table_row *row)
{
    if (scanner->trace)
        add_event(
            scanner,
            (struct trace_event){
                .kind = TRACE_NO_HEADER, .rule = rule, .start = row->start, .end = row->end, .columns = row->count});
}

void scan_trace_remarks(struct scanner *scanner, size_t at)
{
    GArray *remarks = emitter_remarks(scanner->emitter);
    if (!scanner->trace || !remarks)
        return;
    for (guint i = 0; i < remarks->len; i++) {
        const struct remark *remark = &g_array_index(remarks, struct remark, i);
        add_event(
            scanner,
            (struct trace_event){
                .kind = TRACE_REMARK, .start = at, .end = at, .line = remark->line, .text = g_strdup(remark->text)});
    }
    g_array_set_size(remarks, 0);
}

/* A rule that would have matched, if only its block were open. */
static bool waits_for_block(struct scanner *scanner, const struct rule *rule, const struct block *block, size_t at)
{
    size_t end;
    bool waits = rule->kind == RULE_LINE ? block != scanner->block : rule->near && scanner->blocks_begun == 0;
    return waits && scan_match(scanner, rule, at, &end);
}

void scan_trace_miss(struct scanner *scanner, const struct passage_line *line)
{
    size_t start = line->start;
    while (start < line->end && scanner->text.bytes[start] == ' ')
        start++;
    struct trace_event nearest = {.kind = TRACE_NEAR_MISS, .start = start, .end = start + NEAR_MISS_MIN};
    for (guint b = 0; b < scanner->grammar->blocks->len; b++) {
        const struct block *block = g_ptr_array_index(scanner->grammar->blocks, b);
        for (guint i = 0; i < block->rules->len; i++) {
            const struct rule *rule = g_ptr_array_index(block->rules, i);
            const struct pattern *pattern = rule->table ? rule->table->label : rule->pattern;
            if (rule->kind == RULE_SKIP || rule->form == FORM_FLAT || line->end - start > LINED_MAX)
                continue;
            if (waits_for_block(scanner, rule, block, start)) {
                add_event(scanner, (struct trace_event){.kind = TRACE_NOT_OPEN,
                                                        .rule = rule,
                                                        .start = start,
                                                        .end = line->end,
                                                        .text = g_strdup(block->name)});
                return;
            }
            size_t reach = matcher_reach(scanner->matcher, pattern, scanner->text, start, line->end);
            if (reach > nearest.end && reach < line->end) {
                nearest.end = reach;
                nearest.rule = rule;
            }
        }
    }
    if (nearest.rule)
        add_event(scanner, nearest);
}
