/* repository: what a git repository of public-inbox holds: its newest commit,
 * and commits and trees taken apart.
 *
 * Taken apart by hand: they are few bytes of a fixed form (git-cat-file(1)), and
 * libgit2's own objects cost several times as much.
 */
#ifndef BENCHLORE_REPOSITORY_H
#define BENCHLORE_REPOSITORY_H

#include "extract/text.h"

#include <git2.h>

enum repository_form {
    REPOSITORY_DAMAGED, /* the newest commit can't be read */
    REPOSITORY_OTHER,   /* no mail */
    REPOSITORY_V1,
    REPOSITORY_V2,
};

/* Set libgit2 up, before anything else of it is used; each call is to be
 * followed by git_libgit2_shutdown in the end. */
void repository_start(void);

/* The newest commit: of HEAD or, where that names no branch that exists (as a
 * mirror's may), of the only branch. False if there is none. */
bool repository_tip(git_repository *repository, git_oid *tip) __attribute__((warn_unused_result));

/* What the tree of the newest commit looks like. */
enum repository_form repository_form(git_repository *repository, const git_oid *tip);

/* Of a commit's bytes the ids on the `tree` and `parent` lines at a commit's beginning. False: it
 * has no tree. *parents counts all parents; the first is given. */
bool repository_commit(struct view commit, git_oid *tree, git_oid *parent, unsigned *parents)
    __attribute__((warn_unused_result));

/* The blobs named `m` and `d` in a tree's bytes, zero where there is none. */
void repository_tree(struct view tree, git_oid *message, git_oid *deletion);

#endif
