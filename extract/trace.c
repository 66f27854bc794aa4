#include "extract/trace.h"

struct trace {
    GArray *events;
};

static void event_clear(gpointer event)
{
    g_free(((struct trace_event *)event)->text);
}

struct trace *trace_new(void)
{
    struct trace *trace = g_new0(struct trace, 1);
    trace->events = g_array_new(FALSE, TRUE, sizeof(struct trace_event));
    g_array_set_clear_func(trace->events, event_clear);
    return trace;
}

void trace_free(struct trace *trace)
{
    if (!trace)
        return;
    g_array_free(trace->events, TRUE);
    g_free(trace);
}

void trace_clear(struct trace *trace)
{
    g_array_set_size(trace->events, 0);
}

void trace_add(struct trace *trace, struct trace_event event)
{
    g_array_append_val(trace->events, event);
}

size_t trace_count(const struct trace *trace)
{
    return trace->events->len;
}

const struct trace_event *trace_event(const struct trace *trace, size_t index)
{
    return &g_array_index(trace->events, struct trace_event, index);
}
