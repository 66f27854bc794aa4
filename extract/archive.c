/* archive: finds out what a source is, and reads it with what reads that. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "extract/archive.h"

#include "extract/folder.h"
#include "extract/inbox.h"
#include "extract/mailfile.h"

#include <stdlib.h>
#include <sys/stat.h>

struct archive {
    char *source;
    struct diag *diag;
    size_t message_max;
    bool begun, ended;
    bool in_maildir; /* what is read is a message of one */
    uint64_t messages, bytes;
    struct folder *folder;     /* NULL: the source is no directory */
    struct mailfile *mailfile; /* the one that is read, or */
    struct inbox *inbox;       /* the one; or neither */
    GPtrArray *keys;           /* by which state knows what is read: of the file, or of each epoch */
    struct state *state;       /* NULL: nothing is remembered */
    char *root;                /* the source's path without links; NULL: nothing of it is remembered */
    GString *position;
};

struct archive *archive_open(const char *path, struct diag *diag)
{
    struct archive *archive = g_new0(struct archive, 1);

    archive->source = g_strdup(path);
    archive->diag = diag;
    archive->message_max = MAILFILE_MESSAGE_MAX;
    archive->keys = g_ptr_array_new_with_free_func(g_free);
    archive->position = g_string_new(NULL);
    return archive;
}

/* ---- what the state knows ---- */

void archive_remember(struct archive *archive, struct state *state)
{
    archive->state = state;
    archive->root = strcmp(archive->source, "-") != 0 ? realpath(archive->source, NULL) : NULL;
}

static const char *key_at(const struct archive *archive, guint index)
{
    return g_ptr_array_index(archive->keys, index);
}

/* The name of a message in a maildir without its flags: what is behind a colon
 * or, where names can't have one, what some programs write in its place. */
static size_t unique_length(const char *name)
{
    static const char *const marks[] = {":", ";2,", "!2,"};
    size_t length = strlen(name);

    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++) {
        const char *mark = strstr(name, marks[i]);

        if (mark != NULL)
            length = MIN(length, (size_t)(mark - name));
    }
    return length;
}

/* The key of a path in the source: without links on the way to the source. A
 * message of a maildir moves from new to cur, and its flags change. */
static char *make_key(const struct archive *archive, const char *path, bool in_maildir)
{
    static const size_t inner = 4; /* bytes of `/new` and `/cur` */
    const char *rest = path + strlen(archive->source);
    GString *key = g_string_new(archive->root);
    const char *slash;

    while (rest > path && rest[-1] == '/')
        rest--;
    if (g_str_has_suffix(key->str, "/"))
        g_string_truncate(key, key->len - 1);
    g_string_append(key, rest);
    if (in_maildir && (slash = strrchr(key->str, '/')) != NULL && slash - key->str >= (gssize)inner) {
        g_string_truncate(key, (gsize)(slash + 1 - key->str) + unique_length(slash + 1));
        g_string_erase(key, slash - key->str - (gssize)inner, (gssize)inner);
    }
    return g_string_free(key, FALSE);
}

/* Take a file, unless no more is in it than was read before. *before is set,
 * and *resumes, if a part of it was. */
static bool take_file(struct archive *archive, const char *path, bool in_maildir, struct position *before,
                      bool *resumes)
{
    char *key = make_key(archive, path, in_maildir);
    enum state_place place = state_find(archive->state, key, archive->position);
    bool known = place == STATE_PLACE_KNOWN && (in_maildir || position_read(before, archive->position->str));
    bool wanted = place != STATE_PLACE_TAKEN && !(known && in_maildir);
    struct stat file;

    if (wanted && stat(path, &file) == 0 && S_ISREG(file.st_mode)) {
        wanted = !state_owns(archive->state, &file) && !(known && position_is_same(before, &file));
        if (wanted) {
            state_take(archive->state, key);
            g_ptr_array_add(archive->keys, g_steal_pointer(&key));
        }
    }
    *resumes = known && !in_maildir;
    g_free(key);
    return wanted;
}

/* Take what is new in an inbox. */
static void take_inbox(struct archive *archive, const GPtrArray *paths)
{
    for (guint epoch = 0; epoch < paths->len; epoch++) {
        char *key = make_key(archive, g_ptr_array_index(paths, epoch), false);

        switch (state_find(archive->state, key, archive->position)) {
        case STATE_PLACE_TAKEN:
            inbox_skip(archive->inbox, epoch);
            break;
        case STATE_PLACE_KNOWN:
            inbox_resume(archive->inbox, epoch, archive->position->str);
            break;
        case STATE_PLACE_NEW:
            break;
        }
        state_take(archive->state, key);
        g_ptr_array_add(archive->keys, key);
    }
}

/* Append up to where one of the things at hand was read. */
static bool find_position(struct archive *archive, guint index)
{
    struct position position;

    g_string_truncate(archive->position, 0);
    if (archive->inbox != NULL)
        return inbox_position(archive->inbox, index, archive->position);
    if (archive->in_maildir)
        return mailfile_is_read(archive->mailfile);
    if (!mailfile_position(archive->mailfile, &position))
        return false;
    position_write(&position, archive->position);
    return true;
}

static void put_positions(struct archive *archive)
{
    for (guint i = 0; i < archive->keys->len; i++)
        if (find_position(archive, i))
            state_put_position(archive->state, key_at(archive, i), archive->position->str);
    g_ptr_array_set_size(archive->keys, 0);
}

const char *archive_tail(const struct archive *archive, bool *has_grown)
{
    if (archive->mailfile == NULL || archive->keys->len == 0)
        return NULL;
    *has_grown = mailfile_has_grown(archive->mailfile);
    return *has_grown || mailfile_may_grow(archive->mailfile) ? key_at(archive, 0) : NULL;
}

/* ---- opening and closing ---- */

static void open_file(struct archive *archive, const char *path, enum diag_kind kind, bool in_maildir)
{
    struct position before;
    bool resumes = false;

    archive->in_maildir = in_maildir;
    if (archive->root != NULL && !take_file(archive, path, in_maildir, &before, &resumes))
        return;
    archive->mailfile = mailfile_open(path, archive->message_max, kind, archive->diag);
    if (archive->keys->len > 0 && !in_maildir)
        mailfile_remember(archive->mailfile, resumes ? &before : NULL);
}

static void open_inbox(struct archive *archive, const GPtrArray *paths)
{
    archive->inbox = inbox_open(paths, archive->message_max, archive->diag);
    if (archive->root != NULL)
        take_inbox(archive, paths);
}

static void close_entry(struct archive *archive)
{
    put_positions(archive);
    mailfile_free(archive->mailfile);
    archive->mailfile = NULL;
    inbox_free(archive->inbox);
    archive->inbox = NULL;
}

void archive_free(struct archive *archive)
{
    if (archive == NULL)
        return;
    close_entry(archive);
    folder_free(archive->folder);
    g_ptr_array_unref(archive->keys);
    g_string_free(archive->position, TRUE);
    free(archive->root); /* realpath's */
    g_free(archive->source);
    g_free(archive);
}

void archive_limit(struct archive *archive, size_t message_max)
{
    archive->message_max = message_max;
}

static void begin(struct archive *archive)
{
    struct stat status;

    archive->begun = true;
    if (strcmp(archive->source, "-") != 0 && stat(archive->source, &status) == 0 && S_ISDIR(status.st_mode))
        archive->folder = folder_open(archive->source, archive->diag);
    else
        open_file(archive, archive->source, DIAG_UNREAD, false);
}

/* Open the next file or inbox of a directory. */
static bool next_entry(struct archive *archive)
{
    struct folder_entry entry;

    close_entry(archive);
    if (archive->folder == NULL || !folder_next(archive->folder, &entry))
        return false;
    if (entry.kind == FOLDER_INBOX)
        open_inbox(archive, entry.paths);
    else
        open_file(archive, g_ptr_array_index(entry.paths, 0), DIAG_NOTE, entry.in_maildir);
    return true;
}

static bool find_message(struct archive *archive, struct raw_message *message)
{
    do {
        if (archive->mailfile != NULL && mailfile_next(archive->mailfile, message))
            return true;
        if (archive->inbox != NULL && inbox_next(archive->inbox, message))
            return true;
    } while (next_entry(archive));
    return false;
}

static void report_end(struct archive *archive)
{
    struct place place = {.source = archive->source, .byte_offset = -1};

    archive->ended = true;
    diag_report(archive->diag, DIAG_VERBOSE, &place, "%" G_GUINT64_FORMAT " messages, %" G_GUINT64_FORMAT " bytes",
                archive->messages, archive->bytes);
}

enum archive_status archive_next(struct archive *archive, struct raw_message *message)
{
    if (!archive->begun)
        begin(archive);
    if (find_message(archive, message)) {
        archive->messages++;
        archive->bytes += message->bytes.length;
        return ARCHIVE_MESSAGE;
    }
    if (!archive->ended)
        report_end(archive);
    return ARCHIVE_END;
}

static double entry_share(const struct archive *archive)
{
    if (archive->mailfile != NULL)
        return mailfile_share(archive->mailfile);
    return archive->inbox != NULL ? inbox_share(archive->inbox) : 0;
}

double archive_share(const struct archive *archive)
{
    double share = entry_share(archive);
    double before, last;

    if (archive->folder == NULL)
        return share;
    folder_share(archive->folder, &before, &last);
    return before + last * MAX(share, 0);
}
