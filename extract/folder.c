/* folder: a walk over directories that holds few names in memory.
 *
 * A directory is listed in batches: of all its names behind the last one
 * returned, the smallest are kept and sorted, and it is listed again for the
 * next batch. So a maildir of millions costs a few passes, not memory.
 */
#define _DEFAULT_SOURCE /* d_type */
#include "extract/folder.h"

#include "extract/inbox.h"
#include "extract/text.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

enum { BATCH = 32768 };

enum level_kind {
    LEVEL_TREE,    /* anything */
    LEVEL_MAILDIR, /* cur, new, and folders whose names begin with a dot */
    LEVEL_MAIL,    /* cur or new: files alone */
};

/* A directory on the way down to the current one. */
struct level {
    char *path;
    enum level_kind kind;
    GPtrArray *names; /* sorted; those before next are done */
    guint next;
    guint64 done; /* names of the batches before */
    guint64 all;  /* names, as far as known */
    char *last;   /* the last name of the batch before; NULL at first */
    bool more;    /* the directory holds names behind these */
    bool epochs;  /* its numbered repositories have been returned as one inbox */
};

struct directory_id {
    dev_t device;
    ino_t inode;
};

struct folder {
    struct diag *diag;
    char *root; /* until the first call */
    GPtrArray *levels;
    GHashTable *visited; /* of struct directory_id */
    GPtrArray *paths;    /* of the entry returned last */
};

static void level_free(gpointer pointer)
{
    struct level *level = pointer;

    g_free(level->path);
    g_free(level->last);
    if (level->names != NULL)
        g_ptr_array_unref(level->names);
    g_free(level);
}

static guint directory_hash(gconstpointer pointer)
{
    const struct directory_id *id = pointer;

    return (guint)(id->inode ^ (id->inode >> 32) ^ id->device);
}

static gboolean directory_equal(gconstpointer a, gconstpointer b)
{
    const struct directory_id *left = a;
    const struct directory_id *right = b;

    return left->inode == right->inode && left->device == right->device;
}

static void report(const struct folder *folder, enum diag_kind kind, const char *path, const char *what)
{
    struct place place = {.source = path, .byte_offset = -1};

    diag_report(folder->diag, kind, &place, "%s", what);
}

static void report_error(const struct folder *folder, const char *path, int error)
{
    char *what = g_strdup_printf("cannot open: %s", g_strerror(error));

    report(folder, DIAG_UNREAD, path, what);
    g_free(what);
}

/* ---- the order of names ---- */

static size_t number_length(const char *name)
{
    return strspn(name, "0123456789");
}

/* Names that begin with numbers by these: 9 before 10, 2.git before 10.git. */
static int compare_names(const char *a, const char *b)
{
    size_t a_length = number_length(a);
    size_t b_length = number_length(b);

    if (a_length > 0 && b_length > 0) {
        size_t a_zeros = strspn(a, "0");
        size_t b_zeros = strspn(b, "0");

        if (a_length - a_zeros != b_length - b_zeros)
            return a_length - a_zeros < b_length - b_zeros ? -1 : 1;

        int order = strncmp(a + a_zeros, b + b_zeros, a_length - a_zeros);
        if (order == 0)
            order = strcmp(a + a_length, b + b_length);
        if (order != 0)
            return order;
    }
    return strcmp(a, b);
}

static gint compare_entries(gconstpointer a, gconstpointer b)
{
    return compare_names(*(char *const *)a, *(char *const *)b);
}

/* ---- what a directory is ---- */

static bool is_directory(const char *folder, const char *name)
{
    char *path = g_build_filename(folder, name, NULL);
    struct stat status;
    bool is = stat(path, &status) == 0 && S_ISDIR(status.st_mode);

    g_free(path);
    return is;
}

static bool exists(const char *folder, const char *name)
{
    char *path = g_build_filename(folder, name, NULL);
    struct stat status;
    bool is = stat(path, &status) == 0;

    g_free(path);
    return is;
}

static bool is_bare_repository(const char *path)
{
    return exists(path, "HEAD") && is_directory(path, "objects") && is_directory(path, "refs");
}

/* `7.git` or `7`: the name of an epoch. */
static bool is_epoch_name(const char *name)
{
    size_t length = number_length(name);

    return length > 0 && (name[length] == '\0' || strcmp(name + length, ".git") == 0);
}

/* MH puts a comma before the number of a message that is deleted. */
static bool is_deleted(const char *name)
{
    return name[0] == ',' && number_length(name + 1) == strlen(name + 1);
}

static bool is_wanted(const struct level *level, const char *name)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return false;
    switch (level->kind) {
    case LEVEL_MAILDIR: {
        bool inner = name[0] == '.';
        char *path = inner ? g_build_filename(level->path, name, NULL) : NULL;
        bool wanted = inner ? is_directory(path, "cur") : strcmp(name, "cur") == 0 || strcmp(name, "new") == 0;

        g_free(path);
        return wanted;
    }
    case LEVEL_TREE:
        return name[0] != '.' && !is_deleted(name) && !(level->epochs && is_epoch_name(name));
    case LEVEL_MAIL:
        break;
    }
    return name[0] != '.';
}

/* ---- listing ---- */

/* List the next batch of names; false when there are no more. */
static bool list(const struct folder *folder, struct level *level)
{
    DIR *stream = opendir(level->path);
    const struct dirent *entry;
    guint had = level->names != NULL ? level->names->len : 0;

    if (level->names != NULL)
        g_ptr_array_unref(level->names);
    level->names = g_ptr_array_new_with_free_func(g_free);
    level->next = 0;
    level->done += had;
    level->all = level->done;
    level->more = false;
    if (stream == NULL) {
        report_error(folder, level->path, errno);
        return false;
    }
    for (errno = 0; (entry = readdir(stream)) != NULL; errno = 0) {
        if (!is_wanted(level, entry->d_name) || (level->last != NULL && compare_names(entry->d_name, level->last) <= 0))
            continue;
        g_ptr_array_add(level->names, g_strdup(entry->d_name));
        level->all++;
        if (level->names->len >= 2 * BATCH) {
            g_ptr_array_sort(level->names, compare_entries);
            g_ptr_array_set_size(level->names, BATCH);
            level->more = true;
        }
    }
    if (errno != 0)
        report_error(folder, level->path, errno);
    closedir(stream);
    g_ptr_array_sort(level->names, compare_entries);
    if (level->names->len > BATCH) {
        g_ptr_array_set_size(level->names, BATCH);
        level->more = true;
    }
    if (level->names->len == 0)
        return false;
    g_free(level->last);
    level->last = g_strdup(g_ptr_array_index(level->names, level->names->len - 1));
    return true;
}

/* The numbered bare repositories in a directory, oldest first: the epochs of
 * a public-inbox. NULL: there are none. */
static GPtrArray *find_epochs(const char *path)
{
    GPtrArray *epochs = g_ptr_array_new_with_free_func(g_free);
    DIR *stream = opendir(path);
    const struct dirent *entry;

    while (stream != NULL && (entry = readdir(stream)) != NULL)
        if (is_epoch_name(entry->d_name) && entry->d_type != DT_REG) {
            char *inner = g_build_filename(path, entry->d_name, NULL);
            bool is = is_bare_repository(inner) && inbox_look(inner) != INBOX_OTHER;

            g_free(inner);
            if (is)
                g_ptr_array_add(epochs, g_strdup(entry->d_name));
        }
    if (stream != NULL)
        closedir(stream);
    g_ptr_array_sort(epochs, compare_entries);
    for (guint i = 0; i < epochs->len; i++) {
        char *name = g_ptr_array_index(epochs, i);

        g_ptr_array_index(epochs, i) = g_build_filename(path, name, NULL);
        g_free(name);
    }
    if (epochs->len > 0)
        return epochs;
    g_ptr_array_unref(epochs);
    return NULL;
}

/* ---- the walk ---- */

static void push(struct folder *folder, const char *path, enum level_kind kind, bool epochs)
{
    struct level *level = g_new0(struct level, 1);

    level->path = g_strdup(path);
    level->kind = kind;
    level->epochs = epochs;
    level->more = true;
    g_ptr_array_add(folder->levels, level);
}

static void return_paths(struct folder *folder, GPtrArray *paths, enum folder_kind kind, struct folder_entry *entry)
{
    if (folder->paths != NULL)
        g_ptr_array_unref(folder->paths);
    folder->paths = paths;
    *entry = (struct folder_entry){.kind = kind, .paths = paths};
}

static void return_path(struct folder *folder, const char *path, enum folder_kind kind, struct folder_entry *entry)
{
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);

    g_ptr_array_add(paths, g_strdup(path));
    return_paths(folder, paths, kind, entry);
}

static bool was_visited(struct folder *folder, const struct stat *status)
{
    struct directory_id *id = g_new(struct directory_id, 1);

    *id = (struct directory_id){status->st_dev, status->st_ino};
    return !g_hash_table_add(folder->visited, id);
}

/* Begin a directory; true if it is an entry itself. */
static bool enter(struct folder *folder, const char *path, enum level_kind above, struct folder_entry *entry)
{
    bool bare = is_bare_repository(path);

    if (folder->levels->len >= FOLDER_DEPTH_MAX) {
        report(folder, DIAG_UNREAD, path, "directories too deep: left out");
        return false;
    }
    if (above == LEVEL_MAILDIR && !exists(path, "cur")) {
        push(folder, path, LEVEL_MAIL, false);
        return false;
    }
    if (bare || exists(path, ".git")) {
        enum inbox_form form = inbox_look(path);

        if (form == INBOX_MAIL) {
            return_path(folder, path, FOLDER_INBOX, entry);
            return true;
        }
        if (bare && form == INBOX_DAMAGED) {
            report(folder, DIAG_UNREAD, path, "git repository that cannot be read");
            return false;
        }
        if (bare) {
            report(folder, folder->levels->len == 0 ? DIAG_UNREAD : DIAG_NOTE, path, "git repository without mail");
            return false;
        }
    }
    if (is_directory(path, "cur") && is_directory(path, "new")) {
        push(folder, path, LEVEL_MAILDIR, false);
        return false;
    }

    GPtrArray *epochs = find_epochs(path);
    /* In the directory of a public-inbox nothing but git/ holds mail. */
    bool whole = epochs == NULL && is_directory(path, "git") && (exists(path, "all.git") || exists(path, "inbox.lock"));
    if (whole) {
        char *git = g_build_filename(path, "git", NULL);

        epochs = find_epochs(git);
        g_free(git);
        if (epochs == NULL)
            report(folder, DIAG_NOTE, path, "public-inbox without mail");
    }
    if (!whole)
        push(folder, path, LEVEL_TREE, epochs != NULL);
    if (epochs == NULL)
        return false;
    return_paths(folder, epochs, FOLDER_INBOX, entry);
    return true;
}

/* Look at one name; true if it is an entry. */
static bool visit(struct folder *folder, const char *path, enum level_kind above, struct folder_entry *entry)
{
    struct stat status;

    if (stat(path, &status) != 0) {
        report_error(folder, path, errno);
        return false;
    }
    if (S_ISDIR(status.st_mode)) {
        if (above == LEVEL_MAIL) {
            report(folder, DIAG_NOTE, path, "directory among the messages of a maildir: left out");
            return false;
        }
        if (was_visited(folder, &status)) {
            report(folder, DIAG_NOTE, path, "directory that was read already: left out");
            return false;
        }
        return enter(folder, path, above, entry);
    }
    if (!S_ISREG(status.st_mode)) {
        report(folder, DIAG_NOTE, path, "neither file nor directory: left out");
        return false;
    }
    return_path(folder, path, FOLDER_FILE, entry);
    entry->in_maildir = above == LEVEL_MAIL;
    return true;
}

struct folder *folder_open(const char *path, struct diag *diag)
{
    struct folder *folder = g_new0(struct folder, 1);

    folder->diag = diag;
    folder->root = g_strdup(path);
    folder->levels = g_ptr_array_new_with_free_func(level_free);
    folder->visited = g_hash_table_new_full(directory_hash, directory_equal, g_free, NULL);
    return folder;
}

void folder_free(struct folder *folder)
{
    if (folder == NULL)
        return;
    g_ptr_array_unref(folder->levels);
    g_hash_table_unref(folder->visited);
    if (folder->paths != NULL)
        g_ptr_array_unref(folder->paths);
    g_free(folder->root);
    g_free(folder);
}

bool folder_next(struct folder *folder, struct folder_entry *entry)
{
    if (folder->root != NULL) {
        char *root = folder->root;
        bool found;

        folder->root = NULL;
        found = visit(folder, root, LEVEL_TREE, entry);
        g_free(root);
        if (found)
            return true;
    }
    while (folder->levels->len > 0) {
        struct level *level = g_ptr_array_index(folder->levels, folder->levels->len - 1);

        if (level->names == NULL || level->next == level->names->len) {
            if (!level->more || !list(folder, level))
                g_ptr_array_set_size(folder->levels, (gint)folder->levels->len - 1);
            continue;
        }

        char *path = g_build_filename(level->path, g_ptr_array_index(level->names, level->next++), NULL);
        bool found = visit(folder, path, level->kind, entry);
        g_free(path);
        if (found)
            return true;
    }
    return false;
}

void folder_share(const struct folder *folder, double *before, double *last)
{
    *before = 0;
    *last = 1;
    for (guint i = 0; i < folder->levels->len; i++) {
        const struct level *level = g_ptr_array_index(folder->levels, i);

        if (level->next == 0 || level->all == 0)
            break;
        *last /= (double)level->all;
        *before += *last * (double)(level->done + level->next - 1);
    }
}
