/* folder: what holds mail below a directory, in a stable order.
 *
 * A directory may be a maildir (cur and new are read, and Maildir++ folders),
 * an MH folder, a public-inbox or its epochs, or any tree of these and of
 * files. Names are in byte order, but numbers at their beginning count as
 * numbers. Symbolic links are followed; a directory is read once, so links in
 * a circle end; names that begin with a dot are left out.
 */
#ifndef BENCHLORE_FOLDER_H
#define BENCHLORE_FOLDER_H

#include "extract/diag.h"

#include <glib.h>

enum { FOLDER_DEPTH_MAX = 100 };

enum folder_kind {
    FOLDER_FILE,  /* paths is one file */
    FOLDER_INBOX, /* paths are the git repositories of one public-inbox, oldest first */
};

/* Borrowed until the next call. */
struct folder_entry {
    enum folder_kind kind;
    const GPtrArray *paths; /* of char * */
    bool in_maildir;        /* a file in cur or new of a maildir: only its name changes */
};

struct folder;

/* Never NULL; what can't be read is reported to diag, which is borrowed. */
struct folder *folder_open(const char *path, struct diag *diag);
void folder_free(struct folder *folder);

/* False after the last. */
bool folder_next(struct folder *folder, struct folder_entry *entry) __attribute__((warn_unused_result));

/* How much of it was returned before the last entry, and how much the last one
 * is of all, as shares of 1. They are estimated from the directories on the way
 * down to it: each name in one counts the same. */
void folder_share(const struct folder *folder, double *before, double *last);

#endif
