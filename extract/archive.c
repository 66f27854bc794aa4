/* archive: finds out what a source is, and reads it with what reads that. */
#include "extract/archive.h"

#include "extract/folder.h"
#include "extract/inbox.h"
#include "extract/mailfile.h"

#include <sys/stat.h>

struct archive {
    char *source;
    struct diag *diag;
    size_t message_max;
    bool begun, ended;
    uint64_t messages, bytes;
    struct folder *folder;     /* NULL: the source is no directory */
    struct mailfile *mailfile; /* the one that is read, or */
    struct inbox *inbox;       /* the one; or neither */
};

struct archive *archive_open(const char *path, struct diag *diag)
{
    struct archive *archive = g_new0(struct archive, 1);

    archive->source = g_strdup(path);
    archive->diag = diag;
    archive->message_max = MAILFILE_MESSAGE_MAX;
    return archive;
}

static void close_entry(struct archive *archive)
{
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
        archive->mailfile = mailfile_open(archive->source, archive->message_max, DIAG_UNREAD, archive->diag);
}

/* Open the next file or inbox of a directory. */
static bool next_entry(struct archive *archive)
{
    struct folder_entry entry;

    close_entry(archive);
    if (archive->folder == NULL || !folder_next(archive->folder, &entry))
        return false;
    if (entry.kind == FOLDER_INBOX)
        archive->inbox = inbox_open(entry.paths, archive->message_max, archive->diag);
    else
        archive->mailfile =
            mailfile_open(g_ptr_array_index(entry.paths, 0), archive->message_max, DIAG_NOTE, archive->diag);
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
