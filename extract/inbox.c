/* inbox: reads mail from git repositories with libgit2.
 *
 * The messages of a repository are listed first, newest to oldest, as git's
 * chain of commits goes: 20 bytes a message, the only memory that grows. The
 * list is then read backwards. Deletions come later than what they delete, and
 * in a later epoch maybe, so they are collected from all epochs first; the
 * lists made on the way are kept for reading as long as they are not too long.
 *
 * Where an earlier run has read an epoch up to a commit, listing ends at that
 * commit. Deletions behind it concern messages that were read as well, unless
 * some epoch turns out to be read anew as a whole: then all deletions are
 * collected once more, from all commits.
 *
 * Nearly all objects stand in packs, which pack.c reads; libgit2 reads all else,
 * and says what is wrong with what pack.c can't read.
 */
#include "extract/inbox.h"

#include "extract/field.h"
#include "extract/flattened.h"
#include "extract/from_line.h"
#include "extract/pack.h"
#include "extract/repository.h"

enum {
    LISTED_MAX = 1000 * 1000, /* messages whose lists are kept */
};

/* When a deletion came. */
struct moment {
    guint epoch;
    gsize newer; /* how many messages of the epoch came after it */
};

/* What is known of an epoch beside its list. */
struct epoch {
    git_oid tip;    /* the newest commit, once it is known; else zero */
    git_oid before; /* the one that an earlier run has read up to, or zero */
    bool skipped;   /* no message of it is wanted */
    bool done;      /* all its messages were handed out */
    bool failed;    /* something of it could not be read */
};

struct inbox {
    const GPtrArray *paths;
    struct diag *diag;
    size_t message_max;
    bool begun;
    struct epoch *epochs;
    bool rewritten;      /* an epoch has another history than that which was read before */
    GHashTable *deleted; /* git_oid * of a message to struct moment * of its last deletion */
    GPtrArray *lists;    /* of GArray of git_oid, newest first, by epoch; NULL: not kept */
    gsize listed;        /* how many messages the lists hold */
    guint epoch;         /* the one that is read */
    git_repository *repository;
    git_odb *objects;
    struct packs *packs;    /* what is not in them is read from objects */
    gsize left;             /* in the list of the epoch that is read */
    git_odb_object *object; /* the last one that was read from there */
    GString *source;
};

static guint id_hash(gconstpointer pointer)
{
    guint hash;

    memcpy(&hash, ((const git_oid *)pointer)->id, sizeof hash);
    return hash;
}

static gboolean id_equal(gconstpointer a, gconstpointer b)
{
    return git_oid_equal(a, b);
}

static void array_free(gpointer pointer)
{
    if (pointer != NULL)
        g_array_unref(pointer);
}

static const char *git_reason(void)
{
    const git_error *error = git_error_last();

    return error != NULL && error->message != NULL ? error->message : "unknown error";
}

static void report(const struct inbox *inbox, enum diag_kind kind, const char *source, const char *what,
                   const char *why)
{
    struct place place = {.source = source, .byte_offset = -1};

    diag_report(inbox->diag, kind, &place, "%s%s%s", what, why != NULL ? ": " : "", why != NULL ? why : "");
}

/* Something of an epoch can't be read: all of it, or an object in it. */
static void report_unread(struct inbox *inbox, guint epoch, const git_oid *id, const char *what, const char *why)
{
    char hex[GIT_OID_HEXSZ + 1];
    const char *path = g_ptr_array_index(inbox->paths, epoch);
    char *source = id != NULL ? g_strdup_printf("%s:%s", path, git_oid_tostr(hex, sizeof hex, id)) : g_strdup(path);

    inbox->epochs[epoch].failed = true;
    report(inbox, DIAG_UNREAD, source, what, why);
    g_free(source);
}

/* ---- what a repository holds ---- */

enum inbox_form inbox_look(const char *path)
{
    enum inbox_form form = INBOX_DAMAGED;
    git_repository *repository = NULL;
    git_oid tip;

    repository_start();
    if (git_repository_open_ext(&repository, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL) == 0) {
        enum repository_form held =
            repository_tip(repository, &tip) ? repository_form(repository, &tip) : REPOSITORY_OTHER;

        form = held == REPOSITORY_DAMAGED ? INBOX_DAMAGED : held == REPOSITORY_OTHER ? INBOX_OTHER : INBOX_MAIL;
    }
    git_repository_free(repository);
    (void)git_libgit2_shutdown();
    return form;
}

/* ---- listing ---- */

static void close_epoch(struct inbox *inbox)
{
    git_odb_object_free(inbox->object);
    packs_free(inbox->packs);
    git_odb_free(inbox->objects);
    git_repository_free(inbox->repository);
    inbox->object = NULL;
    inbox->packs = NULL;
    inbox->objects = NULL;
    inbox->repository = NULL;
}

static bool open_epoch(struct inbox *inbox, guint epoch)
{
    const char *path = g_ptr_array_index(inbox->paths, epoch);

    close_epoch(inbox);
    if (git_repository_open_ext(&inbox->repository, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL) == 0 &&
        git_repository_odb(&inbox->objects, inbox->repository) == 0) {
        char *objects = g_build_filename(git_repository_commondir(inbox->repository), "objects", NULL);

        inbox->packs = packs_open(objects, inbox->message_max);
        g_free(objects);
        return true;
    }
    report_unread(inbox, epoch, NULL, "cannot open", git_reason());
    return false;
}

/* Read an object of the open epoch; its bytes are valid until the next is read. */
static bool read_object(struct inbox *inbox, const git_oid *id, enum pack_type wanted, struct view *bytes)
{
    enum pack_type type;

    if (packs_read(inbox->packs, id->id, &type, bytes))
        return type == wanted;
    git_odb_object_free(inbox->object);
    inbox->object = NULL;
    if (git_odb_read(&inbox->object, inbox->objects, id) != 0)
        return false;
    *bytes = (struct view){git_odb_object_data(inbox->object), git_odb_object_size(inbox->object)};
    return (int)git_odb_object_type(inbox->object) == (int)wanted;
}

/* Of two deletions of one message the later counts, which comes first here. */
static void add_deletion(struct inbox *inbox, guint epoch, gsize newer, const git_oid *id)
{
    struct moment *moment;
    git_oid *key;

    if (g_hash_table_contains(inbox->deleted, id))
        return;
    moment = g_new(struct moment, 1);
    *moment = (struct moment){epoch, newer};
    key = g_new(git_oid, 1);
    *key = *id;
    g_hash_table_insert(inbox->deleted, key, moment);
}

/* One commit of version 2: what it adds to the list. */
static void list_commit(struct inbox *inbox, guint epoch, struct view tree, GArray *list)
{
    git_oid message, deletion;

    repository_tree(tree, &message, &deletion);
    /* A commit that leaves `m` as it was says nothing new: of the two, the
     * older one counts. */
    if (list->len > 0 && !git_oid_is_zero(&message) &&
        git_oid_equal(&g_array_index(list, git_oid, list->len - 1), &message))
        g_array_set_size(list, list->len - 1);
    if (!git_oid_is_zero(&deletion))
        add_deletion(inbox, epoch, list->len, &deletion);
    if (!git_oid_is_zero(&message))
        g_array_append_val(list, message);
}

enum chain {
    CHAIN_MET,   /* the commit to stop at */
    CHAIN_ENDED, /* there are no more, or no more that can be read */
    CHAIN_BRANCHED,
};

/* Follow the commits from a newest one by their first parents, as long as they
 * have but one, until the one to stop at (zero: none). */
static enum chain list_chain(struct inbox *inbox, guint epoch, const git_oid *tip, const git_oid *stop, GArray *list)
{
    git_oid id = *tip;

    for (;;) {
        struct view bytes;
        git_oid tree, parent;
        unsigned parents = 0;

        if (git_oid_equal(&id, stop))
            return CHAIN_MET;
        bool good = read_object(inbox, &id, PACK_COMMIT, &bytes) && repository_commit(bytes, &tree, &parent, &parents);
        if (!good && !git_oid_equal(&id, tip) && git_repository_is_shallow(inbox->repository) == 1) {
            report(inbox, DIAG_NOTE, g_ptr_array_index(inbox->paths, epoch), "shallow clone: older mail is not in it",
                   NULL);
            return CHAIN_ENDED;
        }
        if (!good) {
            report_unread(inbox, epoch, &id, "cannot read this commit, or any before it", git_reason());
            return CHAIN_ENDED;
        }
        if (parents > 1)
            return CHAIN_BRANCHED;
        if (read_object(inbox, &tree, PACK_TREE, &bytes))
            list_commit(inbox, epoch, bytes, list);
        else
            report_unread(inbox, epoch, &tree, "cannot read this tree", git_reason());
        if (parents == 0)
            return CHAIN_ENDED;
        id = parent;
    }
}

/* What both kinds of inbox need where history branches: all commits, newest
 * first, but for those before stop (zero: none) and stop itself. */
static git_revwalk *walk_all(struct inbox *inbox, const git_oid *tip, const git_oid *stop)
{
    git_revwalk *walk = NULL;

    if (git_revwalk_new(&walk, inbox->repository) == 0 && git_revwalk_sorting(walk, GIT_SORT_TOPOLOGICAL) == 0 &&
        git_revwalk_push(walk, tip) == 0 && (git_oid_is_zero(stop) || git_revwalk_hide(walk, stop) == 0))
        return walk;
    git_revwalk_free(walk);
    return NULL;
}

/* The next commit of a walk; false at the end or where it can't go on. */
static bool walk_next(struct inbox *inbox, guint epoch, git_revwalk *walk, git_oid *id)
{
    int result = walk != NULL ? git_revwalk_next(id, walk) : -1;

    if (result != 0 && result != GIT_ITEROVER)
        report_unread(inbox, epoch, NULL, "cannot read all commits", git_reason());
    return result == 0;
}

/* History with merges: what two branches both have counts once. */
static void list_branches(struct inbox *inbox, guint epoch, const git_oid *tip, const git_oid *stop, GArray *list)
{
    git_revwalk *walk = walk_all(inbox, tip, stop);
    git_commit *commit = NULL;
    git_oid id;

    while (walk_next(inbox, epoch, walk, &id)) {
        struct view tree;

        if (git_commit_lookup(&commit, inbox->repository, &id) == 0 && git_commit_parentcount(commit) < 2 &&
            read_object(inbox, git_commit_tree_id(commit), PACK_TREE, &tree))
            list_commit(inbox, epoch, tree, list);
        git_commit_free(commit);
        commit = NULL;
    }
    git_revwalk_free(walk);
}

/* The epoch has not the history that was read before: it is read as a whole. */
static void note_rewritten(struct inbox *inbox, guint epoch)
{
    inbox->rewritten = true;
    inbox->epochs[epoch].before = (git_oid){0};
    report(inbox, DIAG_NOTE, g_ptr_array_index(inbox->paths, epoch),
           "its history is not the one that was read last: read as a whole", NULL);
}

/* Leave out what the oldest commit of the list only repeats of the one before
 * it, which was read by an earlier run. */
static void drop_repeated(struct inbox *inbox, const git_oid *before, GArray *list)
{
    git_oid tree, parent, message, deletion;
    struct view bytes;
    unsigned parents;

    if (list->len > 0 && read_object(inbox, before, PACK_COMMIT, &bytes) &&
        repository_commit(bytes, &tree, &parent, &parents) && read_object(inbox, &tree, PACK_TREE, &bytes)) {
        repository_tree(bytes, &message, &deletion);
        if (git_oid_equal(&g_array_index(list, git_oid, list->len - 1), &message))
            g_array_set_size(list, list->len - 1);
    }
}

/* The messages of version 2 behind `before`, and the deletions; if an epoch
 * was rewritten also those before it. */
static void list_commits(struct inbox *inbox, guint epoch, const git_oid *tip, GArray *list)
{
    static const git_oid none = {0};
    const git_oid before = inbox->epochs[epoch].before;
    const bool resumes = !git_oid_is_zero(&before);
    enum chain chain = list_chain(inbox, epoch, tip, &before, list);
    bool met = chain == CHAIN_MET;

    if (chain == CHAIN_BRANCHED) {
        met = resumes && (git_oid_equal(tip, &before) || git_graph_descendant_of(inbox->repository, tip, &before) == 1);
        g_array_set_size(list, 0);
        list_branches(inbox, epoch, tip, met ? &before : &none, list);
    }
    if (resumes && !met && !inbox->epochs[epoch].failed)
        note_rewritten(inbox, epoch);
    if (!met)
        return;
    drop_repeated(inbox, &before, list);
    if (inbox->rewritten) {
        GArray *old = g_array_new(FALSE, FALSE, sizeof(git_oid));

        if (list_chain(inbox, epoch, &before, &none, old) == CHAIN_BRANCHED)
            list_branches(inbox, epoch, &before, &none, old);
        g_array_unref(old);
    }
}

static void add_id(GHashTable *live, const git_oid *id)
{
    git_oid *key = g_new(git_oid, 1);

    *key = *id;
    g_hash_table_add(live, key);
}

static int add_live(const char *root, const git_tree_entry *entry, void *live)
{
    (void)root;
    if (git_tree_entry_type(entry) == GIT_OBJECT_BLOB)
        add_id(live, git_tree_entry_id(entry));
    return 0;
}

/* The files that live in the newest commit and not in the one before. */
static bool find_live(struct inbox *inbox, const git_oid *tip, const git_oid *before, GHashTable *live)
{
    git_commit *commit = NULL;
    git_tree *tree = NULL, *old = NULL;
    git_diff *diff = NULL;
    bool good = git_commit_lookup(&commit, inbox->repository, tip) == 0 && git_commit_tree(&tree, commit) == 0;

    git_commit_free(commit);
    commit = NULL;
    if (good && git_oid_is_zero(before)) {
        good = git_tree_walk(tree, GIT_TREEWALK_PRE, add_live, live) == 0;
    } else if (good) {
        good = git_commit_lookup(&commit, inbox->repository, before) == 0 && git_commit_tree(&old, commit) == 0 &&
               git_diff_tree_to_tree(&diff, inbox->repository, old, tree, NULL) == 0;
        for (size_t i = 0; good && i < git_diff_num_deltas(diff); i++) {
            const git_diff_delta *delta = git_diff_get_delta(diff, i);

            if (delta->status == GIT_DELTA_ADDED || delta->status == GIT_DELTA_MODIFIED)
                add_id(live, &delta->new_file.id);
        }
    }
    git_diff_free(diff);
    git_tree_free(old);
    git_tree_free(tree);
    git_commit_free(commit);
    return good;
}

/* Version 1: of the files that a commit adds, those are listed that are still
 * there in the newest one. */
static void list_additions(struct inbox *inbox, git_commit *commit, GHashTable *live, GArray *list)
{
    git_commit *parent = NULL;
    git_tree *tree = NULL, *old = NULL;
    git_diff *diff = NULL;

    if (git_commit_parentcount(commit) > 0 &&
        (git_commit_parent(&parent, commit, 0) != 0 || git_commit_tree(&old, parent) != 0))
        goto cleanup;
    if (git_commit_tree(&tree, commit) != 0 || git_diff_tree_to_tree(&diff, inbox->repository, old, tree, NULL) != 0)
        goto cleanup;
    for (size_t i = git_diff_num_deltas(diff); i-- > 0;) {
        const git_oid *id = &git_diff_get_delta(diff, i)->new_file.id;

        if (g_hash_table_remove(live, id))
            g_array_append_vals(list, id, 1);
    }
cleanup:
    git_diff_free(diff);
    git_tree_free(tree);
    git_tree_free(old);
    git_commit_free(parent);
}

static void list_tree(struct inbox *inbox, guint epoch, const git_oid *tip, GArray *list)
{
    const git_oid *before = &inbox->epochs[epoch].before;
    GHashTable *live = g_hash_table_new_full(id_hash, id_equal, g_free, NULL);
    git_revwalk *walk;
    git_commit *commit = NULL;
    git_oid id;

    if (!git_oid_is_zero(before) && !git_oid_equal(tip, before) &&
        git_graph_descendant_of(inbox->repository, tip, before) != 1)
        note_rewritten(inbox, epoch);
    if (!find_live(inbox, tip, before, live))
        report_unread(inbox, epoch, NULL, "cannot read all messages", git_reason());
    walk = walk_all(inbox, tip, before);
    while (g_hash_table_size(live) > 0 && walk_next(inbox, epoch, walk, &id)) {
        if (git_commit_lookup(&commit, inbox->repository, &id) != 0)
            continue;
        list_additions(inbox, commit, live, list);
        git_commit_free(commit);
    }
    git_revwalk_free(walk);
    g_hash_table_unref(live);
}

/* The messages of the open epoch that are to be read, newest first. */
static GArray *list_epoch(struct inbox *inbox, guint epoch)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(git_oid));
    git_oid *tip = &inbox->epochs[epoch].tip;

    if (git_oid_is_zero(tip) && !repository_tip(inbox->repository, tip)) {
        *tip = (git_oid){0};
        report_unread(inbox, epoch, NULL, "no branch to read", NULL);
        return list;
    }
    switch (repository_form(inbox->repository, tip)) {
    case REPOSITORY_V2:
        list_commits(inbox, epoch, tip, list);
        break;
    case REPOSITORY_V1:
        list_tree(inbox, epoch, tip, list);
        break;
    case REPOSITORY_DAMAGED:
        report_unread(inbox, epoch, tip, "cannot read the newest commit", git_reason());
        break;
    case REPOSITORY_OTHER:
        report_unread(inbox, epoch, NULL, "git repository without mail", NULL);
        break;
    }
    if (inbox->epochs[epoch].skipped)
        g_array_set_size(list, 0);
    return list;
}

/* Collect the deletions of all epochs, newest first, and the lists that there
 * is room for. */
static void list_all(struct inbox *inbox)
{
    inbox->listed = 0;
    g_hash_table_remove_all(inbox->deleted);
    g_ptr_array_set_size(inbox->lists, 0);
    g_ptr_array_set_size(inbox->lists, (gint)inbox->paths->len);
    for (guint epoch = inbox->paths->len; epoch-- > 0;) {
        if (!open_epoch(inbox, epoch)) {
            g_ptr_array_index(inbox->lists, epoch) = g_array_new(FALSE, FALSE, sizeof(git_oid));
            continue;
        }

        GArray *list = list_epoch(inbox, epoch);
        if (inbox->paths->len == 1 || inbox->listed + list->len <= LISTED_MAX) {
            inbox->listed += list->len;
            g_ptr_array_index(inbox->lists, epoch) = list;
        } else {
            g_array_unref(list);
        }
    }
    close_epoch(inbox);
}

static void begin(struct inbox *inbox)
{
    inbox->begun = true;
    list_all(inbox);
    if (inbox->rewritten)
        list_all(inbox);
}

/* ---- reading ---- */

struct inbox *inbox_open(const GPtrArray *paths, size_t message_max, struct diag *diag)
{
    struct inbox *inbox = g_new0(struct inbox, 1);

    repository_start();
    inbox->paths = paths;
    inbox->epochs = g_new0(struct epoch, paths->len);
    inbox->diag = diag;
    inbox->message_max = message_max;
    inbox->deleted = g_hash_table_new_full(id_hash, id_equal, g_free, g_free);
    inbox->lists = g_ptr_array_new_with_free_func(array_free);
    inbox->source = g_string_new(NULL);
    return inbox;
}

void inbox_free(struct inbox *inbox)
{
    if (inbox == NULL)
        return;
    close_epoch(inbox);
    g_hash_table_unref(inbox->deleted);
    g_ptr_array_unref(inbox->lists);
    g_free(inbox->epochs);
    g_string_free(inbox->source, TRUE);
    g_free(inbox);
    (void)git_libgit2_shutdown();
}

/* Was the message at index in its epoch's list deleted after it came? */
static bool is_deleted(const struct inbox *inbox, const git_oid *id, gsize index)
{
    const struct moment *moment = g_hash_table_lookup(inbox->deleted, id);

    return moment != NULL &&
           (moment->epoch > inbox->epoch || (moment->epoch == inbox->epoch && moment->newer <= index));
}

/* Have the list of the epoch to read, and the epoch open; false: no mail in it. */
static bool begin_epoch(struct inbox *inbox)
{
    GArray *list;

    if (!open_epoch(inbox, inbox->epoch))
        return false;
    if (g_ptr_array_index(inbox->lists, inbox->epoch) == NULL)
        g_ptr_array_index(inbox->lists, inbox->epoch) = list_epoch(inbox, inbox->epoch);
    list = g_ptr_array_index(inbox->lists, inbox->epoch);
    inbox->left = list->len;
    return list->len > 0;
}

static void end_epoch(struct inbox *inbox)
{
    inbox->epochs[inbox->epoch].done = true;
    array_free(g_ptr_array_index(inbox->lists, inbox->epoch));
    g_ptr_array_index(inbox->lists, inbox->epoch) = NULL;
    close_epoch(inbox);
    inbox->epoch++;
}

static bool read_blob(struct inbox *inbox, const git_oid *id, struct raw_message *message)
{
    char hex[GIT_OID_HEXSZ + 1];
    const char *path = g_ptr_array_index(inbox->paths, inbox->epoch);
    struct view text;

    if (!read_object(inbox, id, PACK_BLOB, &text)) {
        report_unread(inbox, inbox->epoch, id, "cannot read this message", git_reason());
        return false;
    }
    g_string_printf(inbox->source, "%s:%s", path, git_oid_tostr(hex, sizeof hex, id));
    if (text.length > inbox->message_max) {
        report(inbox, DIAG_UNREAD, inbox->source->str, "message too long: skipped", NULL);
        return false;
    }

    /* Some importers have left an mbox's line in place. */
    struct view rest = text;
    if (text.length > 5 && memcmp(text.bytes, "From ", 5) == 0 && from_line_is(field_take_line(&rest)))
        text = rest;
    *message = (struct raw_message){text, inbox->source->str, 0, field_begins_message(text)};
    return true;
}

bool inbox_next(struct inbox *inbox, struct raw_message *message)
{
    if (!inbox->begun)
        begin(inbox);
    while (inbox->epoch < inbox->paths->len) {
        if (inbox->repository == NULL && !begin_epoch(inbox)) {
            end_epoch(inbox);
            continue;
        }

        const GArray *list = g_ptr_array_index(inbox->lists, inbox->epoch);
        while (inbox->left > 0) {
            gsize index = --inbox->left;

            if (!is_deleted(inbox, &g_array_index(list, git_oid, index), index) &&
                read_blob(inbox, &g_array_index(list, git_oid, index), message))
                return true;
        }
        end_epoch(inbox);
    }
    return false;
}

void inbox_resume(struct inbox *inbox, guint epoch, const char *position)
{
    if (git_oid_fromstr(&inbox->epochs[epoch].before, position) != 0)
        inbox->epochs[epoch].before = (git_oid){0};
}

void inbox_skip(struct inbox *inbox, guint epoch)
{
    inbox->epochs[epoch].skipped = true;
}

bool inbox_position(const struct inbox *inbox, guint epoch, GString *position)
{
    char hex[GIT_OID_HEXSZ + 1];

    const struct epoch *read = &inbox->epochs[epoch];

    if (!read->done || read->failed || read->skipped)
        return false;
    g_string_append(position, git_oid_tostr(hex, sizeof hex, &read->tip));
    return true;
}

double inbox_share(const struct inbox *inbox)
{
    double done = inbox->epoch;

    if (inbox->paths->len == 0)
        return 1;
    if (inbox->repository != NULL && inbox->epoch < inbox->lists->len) {
        const GArray *list = g_ptr_array_index(inbox->lists, inbox->epoch);

        if (list != NULL && list->len > 0)
            done += 1 - (double)inbox->left / (double)list->len;
    }
    return done / (double)inbox->paths->len;
}
