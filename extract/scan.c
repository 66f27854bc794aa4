/* The scan goes from line to line. At the start of a line (its blanks left
 * out), and again wherever a match has ended inside one, the rules are tried
 * that may begin so: first those of the open block, then the grammar's skip and
 * version rules, then what begins a block. A line that has lost its line breaks is tried at
 * every word. The first rule that matches takes its text; rows are made at
 * once, relations over a whole block when it ends. */
#include "extract/scan.h"

#include "extract/scanner.h"

enum {
    EACH_MAX = 100000,          /* repetitions of an `each` rule */
    WINDOW = 4096,              /* what a pattern sees of a text without line breaks */
    LINE_WINDOW = 65536,        /* and of one with them */
    FLAT_MAX = 4 * 1024 * 1024, /* how far such a text is read */
};

static void free_dispatch(gpointer dispatch)
{
    dispatch_free(dispatch);
}

struct scanner *scanner_new(struct findings *findings, bool warn_unknown, struct diag *diag)
{
    struct scanner *scanner = g_new0(struct scanner, 1);
    scanner->findings = findings;
    scanner->diag = diag;
    scanner->warn_unknown = warn_unknown;
    scanner->emitter = emitter_new(findings);
    scanner->matcher = matcher_new();
    scanner->headers = g_ptr_array_new_with_free_func(header_free);
    scanner->agains = g_ptr_array_new_with_free_func(g_free);
    scanner->sightings = g_array_new(FALSE, TRUE, sizeof(struct sighting));
    scanner->dispatches = g_hash_table_new_full(NULL, NULL, NULL, free_dispatch);
    return scanner;
}

void scanner_free(struct scanner *scanner)
{
    if (!scanner)
        return;
    scan_clear_series(scanner);
    emitter_free(scanner->emitter);
    matcher_free(scanner->matcher);
    g_ptr_array_unref(scanner->headers);
    g_ptr_array_unref(scanner->agains);
    g_array_unref(scanner->sightings);
    g_hash_table_unref(scanner->dispatches);
    g_free(scanner);
}

void scanner_trace(struct scanner *scanner, struct trace *trace)
{
    scanner->trace = trace;
    emitter_keep_remarks(scanner->emitter, trace != NULL);
}

void scanner_begin_message(struct scanner *scanner, const struct place *place)
{
    scanner->place = place;
    g_ptr_array_set_size(scanner->headers, 0);
    scan_clear_series(scanner);
}

const struct scan_counts *scanner_counts(const struct scanner *scanner)
{
    return &scanner->counts;
}

void scan_report(struct scanner *scanner, enum diag_kind kind, size_t at, const char *what)
{
    const struct passage_line *line = passage_line(scanner->passage, passage_line_at(scanner->passage, at));
    diag_report(scanner->diag, kind, scanner->place, "part %s line %zu: %s: %s", scanner->passage->section,
                line->source_line, scanner->grammar->name, what);
}

/* ---- matching ---- */

void scan_bind(struct scanner *scanner, const struct capture *captures, unsigned count, struct binding *binding)
{
    for (unsigned i = 0; i < count; i++) {
        binding[i].is_set = false;
        for (unsigned g = 0; g < captures[i].group_count && !binding[i].is_set; g++)
            binding[i].is_set =
                matcher_group(scanner->matcher, captures[i].groups[g], &binding[i].start, &binding[i].end);
    }
}

void scan_report_limit(struct scanner *scanner, const struct rule *rule, size_t at)
{
    char what[80];
    g_snprintf(what, sizeof what, "the rule of line %u gave up at its match limit", rule->line);
    scan_report(scanner, DIAG_DROPPED, at, what);
    scanner->counts.dropped++;
}

/* The text that a pattern may see when it is tried at at: a bound on its time. */
struct view scan_visible(const struct scanner *scanner, size_t at)
{
    size_t rest = scanner->text.length - at;
    return view_slice(scanner->text, 0, at + MIN(rest, scanner->reach));
}

/* Where the line ends that is so many line breaks behind at, if a pattern sees so
 * far. */
static size_t end_of_lines(const struct scanner *scanner, unsigned breaks, size_t at)
{
    size_t end = at + MIN(scanner->text.length - at, scanner->reach);
    if (breaks >= NEED_LINES_ANY)
        return end;
    size_t index = scan_line_at(scanner, at);
    size_t last = passage_line(scanner->passage, index)->breaks + breaks;
    for (; index < scanner->passage->lines->len; index++) {
        const struct passage_line *line = passage_line(scanner->passage, index);
        if (line->breaks > last)
            return MIN(end, line->start);
    }
    return end;
}

/* Let patterns see so many bytes from where they are tried. */
static void set_reach(struct scanner *scanner, size_t reach)
{
    scanner->reach = reach;
    scanner->ends_of = SIZE_MAX;
}

/* The same, remembered: many rules are tried at one place. */
static size_t known_end_of_lines(struct scanner *scanner, unsigned breaks, size_t at)
{
    if (breaks >= ENDS_MAX)
        return end_of_lines(scanner, breaks, at);
    if (scanner->ends_of != at) {
        memset(scanner->ends, 0, sizeof scanner->ends);
        scanner->ends_of = at;
    }
    if (scanner->ends[breaks] == 0)
        scanner->ends[breaks] = end_of_lines(scanner, breaks, at);
    return scanner->ends[breaks];
}

/* Does the literal stand between at and end? Each part of the text is looked at
 * once. */
static bool stands(const struct scanner *scanner, const struct need_literal *literal, struct sighting *sighting,
                   size_t at, size_t end)
{
    if (sighting->scan != scanner->scans || at < sighting->from || at > sighting->to)
        *sighting = (struct sighting){at, at, scanner->scans, false};
    if (!sighting->found && sighting->to < end) {
        size_t place = sighting->to + need_find(literal, view_slice(scanner->text, sighting->to, end));
        sighting->found = place < end;
        /* What may begin before end and go on behind it is still to be found. */
        sighting->to = place < end ? place : MAX(sighting->to, end + 1 - MIN((size_t)literal->length, end + 1));
    }
    return sighting->found && sighting->to < end;
}

/* May the rule match at at, which needs this, behind so many line breaks at the
 * most? */
static bool is_needed_there(struct scanner *scanner, const struct rule *rule, const struct need *need, unsigned breaks,
                            size_t at)
{
    if (need->count == 0)
        return true;
    struct sighting *sightings =
        &g_array_index(scanner->sightings, struct sighting, (size_t)rule->number * NEED_LITERALS_MAX);
    size_t end = known_end_of_lines(scanner, MIN(breaks + need->lines, (unsigned)NEED_LINES_ANY), at);
    for (unsigned i = 0; i < need->count; i++)
        if (stands(scanner, &need->literals[i], &sightings[i], at, end))
            return true;
    return false;
}

/* scan_match, where nothing tells sooner that there is no match. */
static bool match(struct scanner *scanner, const struct rule *rule, size_t at, size_t *end)
{
    size_t start;
    struct view visible = scan_visible(scanner, at);
    switch (matcher_match(scanner->matcher, rule->pattern, visible, at)) {
    case PATTERN_MATCH:
        /* What reaches the end of the visible text may go on behind it. */
        return matcher_group(scanner->matcher, 0, &start, end) && *end > at &&
               (*end < visible.length || visible.length == scanner->text.length);
    case PATTERN_NO_MATCH:
        return false;
    case PATTERN_LIMIT:
        break;
    }
    scan_report_limit(scanner, rule, at);
    return false;
}

bool scan_match(struct scanner *scanner, const struct rule *rule, size_t at, size_t *end)
{
    return at < scanner->text.length && pattern_may_begin(rule->pattern, (unsigned char)scanner->text.bytes[at]) &&
           (rule->kind == RULE_EACH || is_needed_there(scanner, rule, pattern_need(rule->pattern), 0, at)) &&
           match(scanner, rule, at, end);
}

void scan_take_lines(struct scanner *scanner, size_t start, size_t end)
{
    size_t first = scan_line_at(scanner, start), last = passage_line_near(scanner->passage, end - 1, first);
    for (size_t i = first; i <= last; i++)
        scanner->taken[i] = true;
}

static size_t skip_white(const struct scanner *scanner, size_t at)
{
    bool broken = false;
    for (; at < scanner->text.length; at++) {
        if (scanner->text.bytes[at] == '\n') {
            if (broken)
                break;
            broken = true;
        } else if (scanner->text.bytes[at] != ' ') {
            break;
        }
    }
    return at;
}

/* ---- blocks ---- */

struct found_block *scan_open_found(struct scanner *scanner)
{
    return scanner->block ? found_block(scanner->findings, scanner->findings->blocks->len - 1) : NULL;
}

/* Lines between the first and the last of a block that no rule took. */
static void count_unknown(struct scanner *scanner, const struct found_block *found)
{
    size_t first = passage_line_at(scanner->passage, found->start);
    size_t last = passage_line_at(scanner->passage, found->end - 1);
    for (size_t i = first; i <= last; i++) {
        const struct passage_line *line = passage_line(scanner->passage, i);
        struct view text = view_trim(passage_view(scanner->passage, line->start, line->end));
        if (scanner->taken[i] || text.length == 0)
            continue;
        scanner->counts.unknown_lines++;
        if (scanner->warn_unknown) {
            char *what = g_strdup_printf("unknown line: %.*s", (int)MIN(text.length, 200), text.bytes);
            scan_report(scanner, DIAG_NOTE, line->start, what);
            g_free(what);
        }
    }
}

static void close_block(struct scanner *scanner)
{
    struct found_block *found = scan_open_found(scanner);
    if (!found)
        return;
    found->end = scanner->block_end;
    found->row_count = scanner->findings->rows->len - found->first_row;
    emitter_check_block(scanner->emitter, scanner->block, found);
    scan_trace_remarks(scanner, found->start);
    count_unknown(scanner, found);
    scanner->block = NULL;
    scanner->in_table = false;
}

struct found_block *scan_open_block(struct scanner *scanner, const struct block *block, size_t start)
{
    close_block(scanner);
    struct found_block fresh = {
        .grammar = scanner->grammar,
        .block = block,
        .passage = scanner->passage,
        .part = scanner->part,
        .start = start,
        .first_row = scanner->findings->rows->len,
        .caption = {"", 0},
    };
    g_array_append_val(scanner->findings->blocks, fresh);
    scanner->block = block;
    scanner->began_again = false;
    scanner->blocks_begun++;
    emitter_begin_block(scanner->emitter);
    return scan_open_found(scanner);
}

/* Does a line that no rule took stand between the open block's last match and at? */
static bool interrupted(const struct scanner *scanner, size_t at)
{
    size_t last = scan_line_at(scanner, at);
    for (size_t i = scan_line_at(scanner, scanner->block_end - 1) + 1; i < last; i++) {
        const struct passage_line *line = passage_line(scanner->passage, i);
        if (!scanner->taken[i] && view_trim(passage_view(scanner->passage, line->start, line->end)).length > 0)
            return true;
    }
    return false;
}

/* Does a begin rule that has matched at at begin a block? With `again` it is a line
 * of the open block, unless the block has had the text of that capture. Where such
 * a rule has begun the block, too, it has no heading that holds it together: what
 * stands between says that another result follows. */
static bool begins(struct scanner *scanner, const struct rule *rule, const struct block *block, size_t at)
{
    if (rule->again < 0) {
        g_ptr_array_set_size(scanner->agains, 0);
        return true;
    }
    const struct binding *binding = &scanner->binding[rule->again];
    size_t length = binding->is_set ? binding->end - binding->start : 0;
    char *text = g_strndup(scanner->text.bytes + binding->start, length);
    bool opens = scanner->block != block ||
                 g_ptr_array_find_with_equal_func(scanner->agains, text, g_str_equal, NULL) ||
                 (scanner->began_again && interrupted(scanner, at));
    if (opens)
        g_ptr_array_set_size(scanner->agains, 0);
    g_ptr_array_add(scanner->agains, text);
    return opens;
}

/* ---- rules with a pattern ---- */

void scan_take_rows(struct scanner *scanner, const struct rule *rule, size_t at)
{
    struct emission emission = {.grammar = scanner->grammar,
                                .rule = rule,
                                .text = scanner->text,
                                .binding = scanner->binding,
                                .passage = scanner->passage};
    emitter_rows(scanner->emitter, &emission);
    scan_trace_remarks(scanner, at);
    scanner->counts.not_numbers += emission.not_numbers;
    scanner->counts.dropped += emission.dropped;
    if (emission.dropped > 0) {
        GString *what = g_string_new(NULL);
        g_string_printf(what, "the rule of line %u: ", rule->line);
        reason_append(what, &emission.why);
        scan_report(scanner, DIAG_DROPPED, at, what->str);
        g_string_free(what, TRUE);
    }
}

/* Each rules under a rule, again and again from at on; where they end. */
static size_t take_each(struct scanner *scanner, const struct rule *rule, size_t at)
{
    bool more = rule->each->len > 0;
    emitter_begin_each(scanner->emitter);
    for (unsigned count = 0; more && count < EACH_MAX; count++) {
        more = false;
        size_t start = skip_white(scanner, at), end;
        /* The next line may be another row of the same columns. */
        if (rule->reads_list && emitter_lists_end(scanner->emitter) &&
            memchr(scanner->text.bytes + at, '\n', start - at))
            break;
        for (guint i = 0; i < rule->each->len && !more; i++) {
            const struct rule *each = g_ptr_array_index(rule->each, i);
            if (!scan_match(scanner, each, start, &end))
                continue;
            scan_bind(scanner, each->captures, each->capture_count, scanner->binding);
            emitter_next_each(scanner->emitter, each, scanner->text, scanner->binding);
            emitter_set_params(scanner->emitter, each, scanner->text, scanner->binding, PARAMS_OF_EACH);
            scan_trace_match(scanner, each, start, end, NULL);
            scan_take_rows(scanner, each, start);
            at = end;
            more = true;
        }
    }
    return at;
}

/* The rule has matched from at to end; where its text ends, with its each. */
static size_t take_match(struct scanner *scanner, const struct rule *rule, const struct block *block, size_t at,
                         size_t end)
{
    bool opens = false;
    scan_bind(scanner, rule->captures, rule->capture_count, scanner->binding);
    if (rule->kind == RULE_BEGIN && begins(scanner, rule, block, at)) {
        scan_open_block(scanner, block, at)->has_title = rule->titled;
        scanner->began_again = rule->again >= 0;
        opens = true;
    }
    emitter_set_variables(scanner->emitter, rule, scanner->text, scanner->binding);
    emitter_set_params(scanner->emitter, rule, scanner->text, scanner->binding,
                       opens && rule->again < 0 ? PARAMS_OF_BLOCK : PARAMS_OF_RULE);
    scan_trace_match(scanner, rule, at, end, NULL);
    scan_take_rows(scanner, rule, at);
    end = take_each(scanner, rule, end);
    if (scanner->block && rule->kind != RULE_SKIP && rule->kind != RULE_VERSION)
        scanner->block_end = end;
    scanner->last_end = end;
    scan_take_lines(scanner, at, end);
    return end;
}

/* ---- the scan ---- */

/* Try one rule at at; 0, or where its text ends. */
static size_t try_rule(struct scanner *scanner, const struct candidate *candidate, size_t at, enum trial trial)
{
    const struct rule *rule = candidate->rule;
    size_t end;
    if (!is_needed_there(scanner, rule, candidate->need, candidate->breaks, at) ||
        (rule->near && scanner->blocks_begun == 0))
        return 0;
    if (rule->kind == RULE_TABLE)
        return scan_try_table(scanner, rule, candidate->block, at, trial == TRIAL_FLAT);
    if (!match(scanner, rule, at, &end))
        return 0;
    return take_match(scanner, rule, candidate->block, at, end);
}

static size_t try_all(struct scanner *scanner, size_t at, enum trial trial)
{
    unsigned char byte = (unsigned char)scanner->text.bytes[at];
    const struct candidate *candidate = dispatch_find(scanner->dispatch, scanner->block, trial, byte);
    size_t end = 0;
    for (; candidate->rule && end == 0; candidate++)
        end = try_rule(scanner, candidate, at, trial);
    return end;
}

static size_t next_word(const struct scanner *scanner, size_t at, size_t line_end)
{
    while (at < line_end && scanner->text.bytes[at] != ' ')
        at++;
    while (at < line_end && scanner->text.bytes[at] == ' ')
        at++;
    return at;
}

static size_t skip_blanks(const struct scanner *scanner, size_t at, size_t end, const char *blanks)
{
    while (at < end && strchr(blanks, scanner->text.bytes[at]))
        at++;
    return at;
}

/* Does the grammar's literals' neighbourhood reach the text at at? */
static bool is_worth_reading(const struct scanner *scanner, size_t at, size_t line_end)
{
    size_t end = at + 2 * WINDOW < line_end ? at + 2 * WINDOW : line_end;
    return scanner->block || grammar_may_match(scanner->grammar, view_slice(scanner->text, at, end));
}

/* A long line may be one line or many: it is read as a line where it begins,
 * else as text without line breaks, which is tried at every word. */
static size_t scan_long_line(struct scanner *scanner, size_t start, size_t line_end)
{
    size_t at = start, end = 0, checked = start;
    bool worth = false;
    if (line_end - start <= LINED_MAX)
        end = try_all(scanner, at, TRIAL_LONG_LINE);
    bool any = end > 0;
    if (line_end - start > FLAT_MAX) {
        scan_report(scanner, DIAG_NOTE, start, "a line is too long: what is behind its first 4 MiB is not read");
        line_end = start + FLAT_MAX;
    }
    while (at < line_end) {
        if (end == 0 && at >= checked) {
            worth = is_worth_reading(scanner, at, line_end);
            checked = at + WINDOW;
        }
        if (end == 0 && worth) {
            set_reach(scanner, WINDOW);
            end = try_all(scanner, at, TRIAL_FLAT);
        }
        any |= end > 0;
        at = end > 0 ? skip_blanks(scanner, end, line_end, " ,;")
                     : next_word(scanner, worth ? at : MIN(checked, line_end), line_end);
        end = 0;
    }
    set_reach(scanner, LINE_WINDOW);
    if (!any && line_end - start <= LINED_MAX)
        end = try_all(scanner, start, TRIAL_SKIP);
    return end > at ? end : at;
}

static size_t scan_line(struct scanner *scanner, const struct passage_line *line, size_t from)
{
    size_t start = from > line->start ? from : line->start, end;
    size_t at = start;
    while (at < line->end && scanner->text.bytes[at] == ' ')
        at++;
    if (line->end - line->start >= PASSAGE_FLAT_LINE && at < line->end)
        return scan_long_line(scanner, at, line->end);
    while (at < line->end) {
        end = try_all(scanner, at, TRIAL_LINE);
        for (size_t word = at; scanner->grammar->has_anywhere && end == 0 && word < line->end;) {
            word = next_word(scanner, word, line->end);
            end = word < line->end ? try_all(scanner, word, TRIAL_WORD) : 0;
        }
        if (end == 0)
            break;
        at = skip_blanks(scanner, end, line->end, " ,;");
    }
    return at > from ? at : from;
}

void scanner_scan(struct scanner *scanner, const struct grammar *grammar, const struct passage *passage, unsigned part,
                  bool *taken)
{
    scanner->grammar = grammar;
    scanner->passage = passage;
    scanner->text = passage_view(passage, 0, passage->text->len);
    set_reach(scanner, LINE_WINDOW);
    scanner->part = part;
    scanner->taken = taken;
    scanner->block = NULL;
    scanner->in_table = false;
    scanner->blocks_begun = 0;
    scanner->last_end = 0;
    scanner->dropped_line = SIZE_MAX - 1;
    if (scanner->sightings->len < grammar->rule_count * NEED_LITERALS_MAX)
        g_array_set_size(scanner->sightings, grammar->rule_count * NEED_LITERALS_MAX);
    scanner->scans++;
    emitter_begin_passage(scanner->emitter, grammar);
    scanner->dispatch = g_hash_table_lookup(scanner->dispatches, grammar);
    if (!scanner->dispatch) {
        scanner->dispatch = dispatch_new(grammar);
        g_hash_table_insert(scanner->dispatches, (gpointer)grammar, scanner->dispatch);
    }
    size_t from = 0;
    for (size_t i = 0; i < passage->lines->len; i++) {
        const struct passage_line *line = passage_line(passage, i);
        if (line->joined || line->end <= from)
            continue;
        scanner->line = i;
        from = scan_line(scanner, line, from);
        if (scanner->trace && !taken[i] && line->end > line->start)
            scan_trace_miss(scanner, line);
    }
    close_block(scanner);
}
