/* archive: finds out what a source is, and reads it with what reads that. */
#include "extract/archive.h"

#include "extract/mailfile.h"

struct archive {
    char *source;
    struct diag *diag;
    size_t message_max;
    struct mailfile *mailfile;
};

struct archive *archive_open(const char *path, struct diag *diag)
{
    struct archive *archive = g_new0(struct archive, 1);

    archive->source = g_strdup(path);
    archive->diag = diag;
    archive->message_max = MAILFILE_MESSAGE_MAX;
    return archive;
}

void archive_free(struct archive *archive)
{
    if (archive == NULL)
        return;
    mailfile_free(archive->mailfile);
    g_free(archive->source);
    g_free(archive);
}

void archive_limit(struct archive *archive, size_t message_max)
{
    archive->message_max = message_max;
}

enum archive_status archive_next(struct archive *archive, struct raw_message *message)
{
    if (archive->mailfile == NULL)
        archive->mailfile = mailfile_open(archive->source, archive->message_max, DIAG_UNREAD, archive->diag);
    return mailfile_next(archive->mailfile, message) ? ARCHIVE_MESSAGE : ARCHIVE_END;
}
