#include "extract/explain.h"

enum {
    REPAIR_WIDTH = 14, /* columns; more than one or two repairs in a line are rare */
    REPAIRS_MAX = 40,  /* bytes of all repairs of a line */
};

static const char *const kind_words[] = {
    [RULE_BEGIN] = "begin",     [RULE_LINE] = "line",   [RULE_SKIP] = "skip",
    [RULE_VERSION] = "version", [RULE_TABLE] = "table", [RULE_EACH] = "each",
};

struct ink {
    const char *place, *taken, *missed, *end;
};

static const struct ink plain = {"", "", "", ""};
static const struct ink coloured = {"\033[2m", "\033[32m", "\033[33m", "\033[0m"};

static const char *repair_word(const struct passage_line *line)
{
    switch (line->repair) {
    case REPAIR_NONE:
        return "";
    case REPAIR_GAP:
        return "other text";
    case REPAIR_JOINED:
        return "joined";
    case REPAIR_REMAINDER:
        return "mark lost";
    case REPAIR_REMARKED:
        return "mark twice";
    }
    return "";
}

/* Text of a mail, for a terminal: without what could drive it. */
static void print_text(struct view text, FILE *stream)
{
    GString *clean = g_string_new(NULL);
    text_append_clean(clean, text);
    fwrite(clean->str, 1, clean->len, stream);
    g_string_free(clean, TRUE);
}

static void print_near_miss(const struct trace_event *event, FILE *stream)
{
    size_t length = event->end - event->start;
    fprintf(stream, " nearly: stopped after %zu characters, behind \"", length);
    size_t from = length > 20 ? event->end - 20 : event->start;
    print_text(passage_view(event->passage, from, event->end), stream);
    fputc('"', stream);
}

static bool is_success(const struct trace_event *event)
{
    return event->kind == TRACE_TAKEN || event->kind == TRACE_HEADER;
}

static void print_event(const struct trace_event *event, const struct ink *ink, FILE *stream)
{
    fprintf(stream, "%24s%s%s:%u", "", is_success(event) ? ink->taken : ink->missed, event->grammar->name,
            event->rule ? event->rule->line : event->line);
    if (event->rule)
        fprintf(stream, " %s", kind_words[event->rule->kind]);
    switch (event->kind) {
    case TRACE_NEAR_MISS:
        print_near_miss(event, stream);
        break;
    case TRACE_NO_HEADER:
        fprintf(stream, " nearly: a row of %u, but no header above it names as many columns", event->columns);
        break;
    case TRACE_NOT_OPEN:
        fprintf(stream, event->rule->kind == RULE_LINE ? " fits, but the block is not open: "
                                                       : " fits, but no block stands above it: ");
        print_text(view_of(event->text), stream);
        break;
    case TRACE_HEADER:
        fputs(" header:", stream);
        /* fall through */
    case TRACE_TAKEN:
    case TRACE_REMARK:
        if (*event->text)
            fputc(' ', stream);
        print_text(view_of(event->text), stream);
        break;
    case TRACE_UNTRIED:
        break;
    }
    fprintf(stream, "%s\n", ink->end);
}

/* Have the names of a table's columns been read from this text? */
static bool is_header(const struct trace *trace, const struct passage *passage, size_t start, size_t end)
{
    for (size_t e = 0; e < trace_count(trace); e++) {
        const struct trace_event *event = trace_event(trace, e);
        if (event->kind == TRACE_HEADER && event->passage == passage && event->start < end && event->end > start)
            return true;
    }
    return false;
}

/* Grammars whose literals are not there. */
static void print_untried(const struct passage *passage, const struct trace *trace, const struct ink *ink, FILE *stream)
{
    for (size_t e = 0; e < trace_count(trace); e++) {
        const struct trace_event *event = trace_event(trace, e);
        if (event->passage == passage && event->kind == TRACE_UNTRIED)
            fprintf(stream, "%24s%s%s not tried: this text does not hold its literals%s\n", "", ink->missed,
                    event->grammar->name, ink->end);
    }
}

static void print_passage(const struct passage *passage, const struct trace *trace, const struct ink *ink, FILE *stream)
{
    for (size_t i = 0; i < passage->lines->len; i++) {
        const struct passage_line *line = passage_line(passage, i);
        size_t next = i + 1 < passage->lines->len ? passage_line(passage, i + 1)->start : passage->text->len;
        char repairs[REPAIRS_MAX];
        g_snprintf(repairs, sizeof repairs, "%s%s%s", repair_word(line), line->decoded ? " decoded" : "",
                   line->undecorated ? " bared" : "");
        fprintf(stream, "%s%-6s %6zu %2u %-*s%s| ", ink->place, passage->section, line->source_line,
                passage->quote_depth, REPAIR_WIDTH, g_strchug(repairs), ink->end);
        print_text(passage_view(passage, line->start, line->end), stream);
        fputc('\n', stream);
        bool header = is_header(trace, passage, line->start, line->end);
        for (size_t e = 0; e < trace_count(trace); e++) {
            const struct trace_event *event = trace_event(trace, e);
            if (event->kind != TRACE_UNTRIED && event->passage == passage && event->start >= line->start &&
                event->start < next && (!header || event->kind == TRACE_HEADER || event->kind == TRACE_TAKEN))
                print_event(event, ink, stream);
        }
    }
}

bool explain_message(const struct recognizer *recognizer, const struct trace *trace, bool untried, bool colour,
                     FILE *stream)
{
    const struct ink *ink = colour ? &coloured : &plain;
    fprintf(stream, "%s== %s%s\n", ink->place, recognizer_message_id(recognizer), ink->end);
    fprintf(stream, "%s%-6s %6s %2s %-*s| text, and below it the rules that took it%s\n", ink->place, "part", "line",
            "q", REPAIR_WIDTH, "repair", ink->end);
    for (size_t i = 0; i < recognizer_passage_count(recognizer); i++) {
        const struct passage *passage = recognizer_passage(recognizer, i);
        print_passage(passage, trace, ink, stream);
        if (untried)
            print_untried(passage, trace, ink, stream);
    }
    return !ferror(stream);
}
