#include "extract/repository.h"

#include "extract/field.h"

enum {
    WINDOW_SIZE = 4 * 1024 * 1024, /* of a pack that is mapped at once; pack.c reads most of it */
    MAPPED_MAX = 32 * 1024 * 1024, /* of all packs */
    RAW_ID = 20,                   /* bytes of an id in a tree */
};

/* libgit2 counts its users; its options hold for the process and are the same
 * for all. Ownership is not checked: nothing in a repository is executed.
 * Objects are read once, so that its cache would only grow; and packs have
 * checksums below the ids of objects. */
void repository_start(void)
{
    (void)git_libgit2_init();
    (void)git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    (void)git_libgit2_opts(GIT_OPT_ENABLE_CACHING, 0);
    (void)git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
    (void)git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, (size_t)WINDOW_SIZE);
    (void)git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, (size_t)MAPPED_MAX);
}

bool repository_tip(git_repository *repository, git_oid *tip)
{
    git_strarray names = {0};
    bool found = false;

    if (git_reference_name_to_id(tip, repository, "HEAD") == 0)
        return true;
    if (git_reference_list(&names, repository) != 0)
        return false;
    for (size_t i = 0, branches = 0; i < names.count; i++)
        if (g_str_has_prefix(names.strings[i], "refs/heads/"))
            found = git_reference_name_to_id(tip, repository, names.strings[i]) == 0 && ++branches == 1;
    git_strarray_dispose(&names);
    return found;
}

static bool is_hash_part(const char *name)
{
    return strlen(name) == 2 && g_ascii_isxdigit(name[0]) && g_ascii_isxdigit(name[1]);
}

enum repository_form repository_form(git_repository *repository, const git_oid *tip)
{
    git_commit *commit = NULL;
    git_tree *tree = NULL;
    enum repository_form form = REPOSITORY_DAMAGED;

    if (git_commit_lookup(&commit, repository, tip) != 0 || git_commit_tree(&tree, commit) != 0)
        goto cleanup;
    if (git_tree_entry_byname(tree, "m") != NULL || git_tree_entry_byname(tree, "d") != NULL) {
        form = git_tree_entrycount(tree) <= 2 ? REPOSITORY_V2 : REPOSITORY_OTHER;
        goto cleanup;
    }
    form = git_tree_entrycount(tree) > 0 ? REPOSITORY_V1 : REPOSITORY_OTHER;
    for (size_t i = 0; i < git_tree_entrycount(tree); i++) {
        const git_tree_entry *entry = git_tree_entry_byindex(tree, i);

        if (git_tree_entry_type(entry) != GIT_OBJECT_TREE || !is_hash_part(git_tree_entry_name(entry)))
            form = REPOSITORY_OTHER;
    }
cleanup:
    git_tree_free(tree);
    git_commit_free(commit);
    return form;
}

bool repository_commit(struct view commit, git_oid *tree, git_oid *parent, unsigned *parents)
{
    struct view line = field_take_line(&commit);

    *parents = 0;
    if (line.length != 5 + GIT_OID_HEXSZ || memcmp(line.bytes, "tree ", 5) != 0 ||
        git_oid_fromstrn(tree, line.bytes + 5, GIT_OID_HEXSZ) != 0)
        return false;
    for (;;) {
        git_oid id;

        line = field_take_line(&commit);
        if (line.length != 7 + GIT_OID_HEXSZ || memcmp(line.bytes, "parent ", 7) != 0 ||
            git_oid_fromstrn(&id, line.bytes + 7, GIT_OID_HEXSZ) != 0)
            return true;
        if ((*parents)++ == 0)
            *parent = id;
    }
}

/* An entry is `MODE NAME`, NUL, and the id's bytes. */
void repository_tree(struct view tree, git_oid *message, git_oid *deletion)
{
    const char *at = tree.bytes;
    const char *end = at + tree.length;

    *message = *deletion = (git_oid){0};
    while (at < end) {
        const char *name = memchr(at, ' ', (size_t)(end - at));
        const char *nul = name != NULL ? memchr(name, '\0', (size_t)(end - name)) : NULL;

        if (nul == NULL || end - nul <= RAW_ID)
            break;
        if (strcmp(name, " m") == 0)
            (void)git_oid_fromraw(message, (const unsigned char *)nul + 1);
        else if (strcmp(name, " d") == 0)
            (void)git_oid_fromraw(deletion, (const unsigned char *)nul + 1);
        at = nul + 1 + RAW_ID;
    }
}
