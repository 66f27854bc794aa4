#include "extract/run_state.h"

#include "extract/grammar_set.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool run_state_failed(const struct run *run)
{
    return run->state && state_error(run->state);
}

/* Report what is wrong with the state; always status. */
static enum exit_status complain(const struct run *run, const char *what, enum exit_status status)
{
    diag_print(run->diag, "benchlore: --state %s: %s\n", run->options->state, what);
    return status;
}

/* What the rows of a run depend on, beside the mail. */
static GPtrArray *list_settings(const struct run *run)
{
    GPtrArray *settings = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(settings, g_strdup_printf("benchlore=%s", run->version));
    g_ptr_array_add(settings, g_strdup_printf("--no-quoted=%d", run->options->no_quoted));
    g_ptr_array_add(settings, g_strdup(G_BYTE_ORDER == G_LITTLE_ENDIAN ? "byte order=little" : "byte order=big"));
    grammar_set_describe(run->grammars, run->folder, settings);
    return settings;
}

/* What a run that was cut off has left at the end of the file that this one
 * appends to. False: it can't be taken off. */
static bool cut_output(struct run *run, struct state_output *output, bool appends)
{
    struct state_output left;
    if (!state_was_cut_off(run->state, &left))
        return true;
    bool same = left.inode != 0 && left.device == output->device && left.inode == output->inode;
    if (same && appends && output->length > left.length) {
        if (ftruncate(STDOUT_FILENO, (off_t)left.length) != 0)
            return false;
        diag_print(run->diag,
                   "benchlore: the last run was cut off; what it wrote to standard output, %" G_GUINT64_FORMAT
                   " bytes, was taken off\n",
                   output->length - left.length);
        output->length = left.length;
    } else if (!same) {
        diag_print(run->diag, "benchlore: the last run was cut off; what it wrote counts for nothing: all of it is "
                              "read and written again\n");
    }
    return true;
}

/* Look where the rows go and note that the run begins. */
static enum exit_status begin_output(struct run *run)
{
    struct state_output output = {0};
    struct stat file;
    if (fstat(STDOUT_FILENO, &file) == 0 && S_ISREG(file.st_mode)) {
        bool appends = (fcntl(STDOUT_FILENO, F_GETFL) & O_APPEND) != 0;
        off_t length = appends ? file.st_size : lseek(STDOUT_FILENO, 0, SEEK_CUR);
        output = (struct state_output){(uint64_t)file.st_dev, (uint64_t)file.st_ino, length > 0 ? (uint64_t)length : 0};
        if (!cut_output(run, &output, appends)) {
            diag_print(run->diag, "benchlore: standard output: %s\n", g_strerror(errno));
            return STATUS_UNWRITTEN;
        }
    } else {
        (void)cut_output(run, &output, false);
    }
    run->continues = output.length > 0;
    if (run->continues && !writer_can_continue(run->writer)) {
        diag_print(run->diag, "benchlore: standard output is a file that holds something, and what follows it would "
                              "be a second document: take another file\n");
        return STATUS_USAGE;
    }
    state_begin(run->state, &output);
    return run_state_failed(run) ? complain(run, state_error(run->state), STATUS_UNWRITTEN) : STATUS_GOOD;
}

enum exit_status run_state_begin(struct run *run)
{
    GPtrArray *settings = list_settings(run);
    GString *why = g_string_new(NULL);
    enum state_status opened = STATE_GOOD;
    enum exit_status result;
    run->state = state_open(run->options->state, settings, why, &opened);
    if (run->state)
        result = begin_output(run);
    else
        result = complain(run, why->str, opened == STATE_REFUSED ? STATUS_USAGE : STATUS_UNWRITTEN);
    g_string_free(why, TRUE);
    g_ptr_array_unref(settings);
    return result;
}

/* The rows are written: only what is safe on the disk is noted as read. */
enum exit_status run_state_end(struct run *run, enum exit_status result)
{
    struct stat file;
    if (!run_state_failed(run) && fstat(STDOUT_FILENO, &file) == 0 && S_ISREG(file.st_mode) &&
        fsync(STDOUT_FILENO) != 0) {
        diag_print(run->diag, "benchlore: standard output: %s\n", g_strerror(errno));
        return STATUS_UNWRITTEN;
    }
    if (state_commit(run->state))
        return result;
    (void)complain(run, state_error(run->state), STATUS_UNWRITTEN);
    return complain(run, "the rows of this run count for nothing: the next one writes them again", STATUS_UNWRITTEN);
}
