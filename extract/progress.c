/* progress: one line, drawn at intervals. */
#include "extract/progress.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Before this much is known, a guess of the time left would be a bad one. */
static const double share_min = 0.005;
static const double seconds_min = 1;

struct progress {
    struct diag *diag;
    GArray *weights; /* of double, one a source */
    double whole;    /* of all weights; 0: not known */
    double drawn;    /* the share that was drawn last: it never falls */
    gint64 begun, last;
    GString *line;
};

/* The size of a file; negative for what is none. */
static double size_of(const char *source)
{
    struct stat status;
    bool found = strcmp(source, "-") == 0 ? fstat(STDIN_FILENO, &status) == 0 : stat(source, &status) == 0;
    if (!found)
        return 0; /* is soon done with */
    return S_ISREG(status.st_mode) ? (double)status.st_size : -1;
}

static void weigh(struct progress *progress, char *const *sources)
{
    bool equal = false;
    for (; sources && *sources; sources++) {
        double size = size_of(*sources);
        equal |= size < 0;
        g_array_append_val(progress->weights, size);
    }
    for (guint i = 0; i < progress->weights->len; i++) {
        double *weight = &g_array_index(progress->weights, double, i);
        *weight = equal ? 1 : *weight;
        progress->whole += *weight;
    }
}

struct progress *progress_new(char *const *sources, bool more, struct diag *diag)
{
    struct progress *progress = g_new0(struct progress, 1);
    progress->diag = diag;
    progress->weights = g_array_new(FALSE, FALSE, sizeof(double));
    progress->line = g_string_new(NULL);
    progress->begun = progress->last = g_get_monotonic_time();
    if (!more)
        weigh(progress, sources);
    return progress;
}

void progress_free(struct progress *progress)
{
    if (!progress)
        return;
    diag_status(progress->diag, "");
    g_array_unref(progress->weights);
    g_string_free(progress->line, TRUE);
    g_free(progress);
}

bool progress_is_due(const struct progress *progress)
{
    return diag_shows_status(progress->diag) && g_get_monotonic_time() - progress->last >= PROGRESS_INTERVAL;
}

double progress_share(const struct progress *progress, const struct progress_state *state)
{
    double done = 0;
    if (progress->whole <= 0 || (state->source > 0 && state->share < 0))
        return -1;
    for (guint i = 0; i + 1 < state->source && i < progress->weights->len; i++)
        done += g_array_index(progress->weights, double, i);
    if (state->source > 0 && state->source <= progress->weights->len)
        done += CLAMP(state->share, 0, 1) * g_array_index(progress->weights, double, state->source - 1);
    return done / progress->whole;
}

void progress_describe(GString *line, const struct progress_state *state, double share, double seconds)
{
    if (share >= 0)
        g_string_append_printf(line, "%3d%%, ", (int)(100 * share));
    g_string_append_printf(line, "%" G_GUINT64_FORMAT " messages, %" G_GUINT64_FORMAT " results", state->messages,
                           state->results);
    if (seconds > 0)
        g_string_append_printf(line, ", %.1f MB/s", (double)state->bytes / 1e6 / seconds);
    if (share >= share_min && seconds >= seconds_min) {
        guint64 left = (guint64)(seconds * (1 - share) / share + 0.5);
        if (left >= 3600)
            g_string_append_printf(line, ", %" G_GUINT64_FORMAT ":%02u:%02u left", left / 3600,
                                   (unsigned)(left / 60 % 60), (unsigned)(left % 60));
        else
            g_string_append_printf(line, ", %u:%02u left", (unsigned)(left / 60), (unsigned)(left % 60));
    }
}

void progress_draw(struct progress *progress, const struct progress_state *state)
{
    gint64 now = g_get_monotonic_time();
    double share = progress_share(progress, state);
    if (share >= 0)
        progress->drawn = share = MAX(share, progress->drawn);
    progress->last = now;
    g_string_truncate(progress->line, 0);
    progress_describe(progress->line, state, share, (double)(now - progress->begun) / 1e6);
    diag_status(progress->diag, progress->line->str);
}
