/* Tests of extract/inbox. The repositories are written here, with libgit2, as
 * public-inbox-v1-format(5) and public-inbox-v2-format(5) describe them. */
#include "extract/inbox.h"

#include "tests/scratch.h"

#include <git2.h>
#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define MAIL(text) "Subject: s\n\n" text "\n"

struct place_of_inboxes {
    char *folder;
    GPtrArray *paths; /* of the epochs */
    struct diag *diag;
};

static int set_up(void **state)
{
    struct place_of_inboxes *place = g_new0(struct place_of_inboxes, 1);

    git_libgit2_init();
    place->folder = scratch_new();
    place->paths = g_ptr_array_new_with_free_func(g_free);
    place->diag = diag_new(NULL, false);
    *state = place;
    return 0;
}

static int tear_down(void **state)
{
    struct place_of_inboxes *place = *state;

    g_ptr_array_unref(place->paths);
    diag_free(place->diag);
    scratch_remove(place->folder);
    g_free(place);
    git_libgit2_shutdown();
    return 0;
}

/* A file of a commit's tree; text NULL ends a list of them. */
struct content {
    const char *name, *text;
};

static git_repository *add_epoch(struct place_of_inboxes *place, const char *name, bool bare)
{
    char *path = g_build_filename(place->folder, name, NULL);
    git_repository *repository = NULL;

    assert_int_equal(git_repository_init(&repository, path, bare), 0);
    g_ptr_array_add(place->paths, path);
    return repository;
}

/* A tree that holds each text under its name, and under `DIRECTORY/NAME` where
 * the name has a slash behind two letters. */
static git_oid make_tree(git_repository *repository, const struct content *files)
{
    git_treebuilder *root = NULL;
    git_oid id, blob;

    assert_int_equal(git_treebuilder_new(&root, repository, NULL), 0);
    for (; files->text != NULL; files++) {
        assert_int_equal(git_blob_create_from_buffer(&blob, repository, files->text, strlen(files->text)), 0);
        if (strlen(files->name) > 3 && files->name[2] == '/') {
            char directory[3] = {files->name[0], files->name[1], '\0'};
            const git_tree_entry *old = git_treebuilder_get(root, directory);
            git_treebuilder *inner = NULL;
            git_tree *tree = NULL;

            if (old != NULL)
                assert_int_equal(git_tree_lookup(&tree, repository, git_tree_entry_id(old)), 0);
            assert_int_equal(git_treebuilder_new(&inner, repository, tree), 0);
            assert_int_equal(git_treebuilder_insert(NULL, inner, files->name + 3, &blob, GIT_FILEMODE_BLOB), 0);
            assert_int_equal(git_treebuilder_write(&id, inner), 0);
            assert_int_equal(git_treebuilder_insert(NULL, root, directory, &id, GIT_FILEMODE_TREE), 0);
            git_treebuilder_free(inner);
            git_tree_free(tree);
        } else {
            assert_int_equal(git_treebuilder_insert(NULL, root, files->name, &blob, GIT_FILEMODE_BLOB), 0);
        }
    }
    assert_int_equal(git_treebuilder_write(&id, root), 0);
    git_treebuilder_free(root);
    return id;
}

/* A commit on HEAD or, with parents given, off any branch. */
static git_oid commit_with(git_repository *repository, const struct content *files, const git_oid *parents,
                           size_t count, bool on_head)
{
    git_oid tree_id = make_tree(repository, files);
    git_oid id;
    git_tree *tree = NULL;
    git_signature *author = NULL;
    git_commit *commits[2] = {NULL, NULL};

    assert_int_equal(git_tree_lookup(&tree, repository, &tree_id), 0);
    assert_int_equal(git_signature_new(&author, "a", "a@example.org", 1700000000, 0), 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(git_commit_lookup(&commits[i], repository, &parents[i]), 0);
    assert_int_equal(git_commit_create(&id, repository, on_head ? "HEAD" : NULL, author, author, NULL, "x", tree, count,
                                       (const git_commit **)commits),
                     0);
    git_commit_free(commits[0]);
    git_commit_free(commits[1]);
    git_signature_free(author);
    git_tree_free(tree);
    return id;
}

static git_oid commit(git_repository *repository, const struct content *files)
{
    git_oid head;
    bool born = git_reference_name_to_id(&head, repository, "HEAD") == 0;

    return commit_with(repository, files, &head, born ? 1 : 0, true);
}

static git_oid add(git_repository *repository, const char *name, const char *text)
{
    const struct content files[] = {{name, text}, {NULL, NULL}};

    return commit(repository, files);
}

/* Take an object out of a repository, as damage does. */
static void lose(const struct place_of_inboxes *place, guint epoch, const git_oid *id)
{
    char hex[GIT_OID_HEXSZ + 1];
    char *path;

    git_oid_tostr(hex, sizeof hex, id);
    path = g_strdup_printf("%s/objects/%.2s/%s", (char *)g_ptr_array_index(place->paths, epoch), hex, hex + 2);
    assert_int_equal(g_remove(path), 0);
    g_free(path);
}

static git_oid blob_of(const char *text)
{
    git_oid id;

    assert_int_equal(git_odb_hash(&id, text, strlen(text), GIT_OBJECT_BLOB), 0);
    return id;
}

/* The bodies of all messages, one letter or word each: `one two`. */
static void expect_bodies(struct place_of_inboxes *place, const char *expected)
{
    struct inbox *inbox = inbox_open(place->paths, 1000, place->diag);
    GString *bodies = g_string_new(NULL);
    struct raw_message message;

    while (inbox_next(inbox, &message)) {
        const size_t head = strlen("Subject: s\n\n");

        assert_true(message.is_mail);
        assert_int_equal(message.byte_offset, 0);
        assert_true(message.bytes.length > head);
        assert_memory_equal(message.bytes.bytes, "Subject: s\n\n", head);
        if (bodies->len > 0)
            g_string_append_c(bodies, ' ');
        g_string_append_len(bodies, message.bytes.bytes + head, (gssize)(message.bytes.length - head - 1));
    }
    assert_false(inbox_next(inbox, &message));
    assert_string_equal(bodies->str, expected);
    g_string_free(bodies, TRUE);
    inbox_free(inbox);
}

/* The positions of all epochs, `-` where an epoch has none, with a blank
 * between; after reading the inbox from the positions given (NULL: none). */
static char *read_from(struct place_of_inboxes *place, const char *positions, const char *expected)
{
    struct inbox *inbox = inbox_open(place->paths, 1000, place->diag);
    char **before = g_strsplit(positions != NULL ? positions : "", " ", -1);
    GString *bodies = g_string_new(NULL), *after = g_string_new(NULL);
    struct raw_message message;

    for (guint epoch = 0; before[epoch] != NULL; epoch++)
        if (strcmp(before[epoch], "skip") == 0)
            inbox_skip(inbox, epoch);
        else if (strcmp(before[epoch], "-") != 0 && epoch < place->paths->len)
            inbox_resume(inbox, epoch, before[epoch]);
    while (inbox_next(inbox, &message)) {
        const size_t head = strlen("Subject: s\n\n");

        g_string_append_len(bodies, message.bytes.bytes + head, (gssize)(message.bytes.length - head - 1));
        g_string_append_c(bodies, ' ');
    }
    assert_string_equal(bodies->str, expected);
    for (guint epoch = 0; epoch < place->paths->len; epoch++) {
        g_string_append(after, epoch > 0 ? " " : "");
        if (!inbox_position(inbox, epoch, after))
            g_string_append_c(after, '-');
    }
    inbox_free(inbox);
    g_string_free(bodies, TRUE);
    g_strfreev(before);
    return g_string_free(after, FALSE);
}

static uint64_t unread(const struct place_of_inboxes *place)
{
    return diag_count(place->diag, DIAG_UNREAD);
}

static void test_messages(void **state)
{
    struct place_of_inboxes *place = *state;
    git_repository *repository = add_epoch(place, "0.git", true);

    add(repository, "m", MAIL("one"));
    add(repository, "m", MAIL("two"));
    add(repository, "m", "From mboxrd@z Thu Jan  1 00:00:00 1970\n" MAIL("three"));
    add(repository, "m", MAIL("four"));
    git_repository_free(repository);
    assert_int_equal(inbox_look(g_ptr_array_index(place->paths, 0)), INBOX_MAIL);
    expect_bodies(place, "one two three four");
    assert_int_equal(unread(place), 0);

    /* the source tells the repository and the blob */
    struct inbox *inbox = inbox_open(place->paths, 1000, place->diag);
    struct raw_message message;
    git_oid id = blob_of(MAIL("one"));
    char hex[GIT_OID_HEXSZ + 1];
    char *source =
        g_strdup_printf("%s:%s", (char *)g_ptr_array_index(place->paths, 0), git_oid_tostr(hex, sizeof hex, &id));
    assert_true(inbox_next(inbox, &message));
    assert_string_equal(message.source, source);
    assert_true(view_is(message.bytes, MAIL("one")));
    g_free(source);
    inbox_free(inbox);
    inbox_free(NULL);
}

static void test_deletions(void **state)
{
    struct place_of_inboxes *place = *state;
    git_repository *repository = add_epoch(place, "0.git", true);

    add(repository, "m", MAIL("one"));
    add(repository, "m", MAIL("two"));
    add(repository, "d", MAIL("one"));
    add(repository, "m", MAIL("three"));
    add(repository, "m", MAIL("four"));
    add(repository, "d", MAIL("four"));
    expect_bodies(place, "two three");
    /* what comes back after its deletion is there */
    add(repository, "m", MAIL("one"));
    expect_bodies(place, "two three one");
    /* a commit that changes nothing adds nothing */
    add(repository, "m", MAIL("five"));
    add(repository, "m", MAIL("five"));
    expect_bodies(place, "two three one five");
    git_repository_free(repository);
    assert_int_equal(unread(place), 0);
}

static void test_epochs(void **state)
{
    struct place_of_inboxes *place = *state;
    git_repository *first = add_epoch(place, "0.git", true);
    git_repository *second = add_epoch(place, "1.git", true);

    add(first, "m", MAIL("one"));
    add(first, "m", MAIL("two"));
    add(second, "m", MAIL("three"));
    add(second, "d", MAIL("one"));
    add(second, "m", MAIL("four"));
    git_repository_free(first);
    git_repository_free(second);
    expect_bodies(place, "two three four");
    assert_int_equal(unread(place), 0);
}

static void test_version_1(void **state)
{
    struct place_of_inboxes *place = *state;
    git_repository *repository = add_epoch(place, "v1.git", true);
    const struct content commits[][4] = {
        {{"f0/1", MAIL("one")}},
        {{"f0/1", MAIL("one")}, {"0a/2", MAIL("two")}},
        {{"f0/1", MAIL("one")}, {"0a/2", MAIL("two")}, {"f0/0", MAIL("three")}},
        {{"f0/1", MAIL("one")}, {"f0/0", MAIL("three")}},
        {{"f0/1", MAIL("one")}, {"f0/0", MAIL("three")}, {"00/3", MAIL("four")}},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(commits); i++)
        commit(repository, commits[i]);
    git_repository_free(repository);
    assert_int_equal(inbox_look(g_ptr_array_index(place->paths, 0)), INBOX_MAIL);
    expect_bodies(place, "one three four");
    assert_int_equal(unread(place), 0);
}

/* Two writers, merged: no message is lost, none is there twice. */
static void test_merge(void **state)
{
    struct place_of_inboxes *place = *state;
    git_repository *repository = add_epoch(place, "0.git", true);
    const struct content two[] = {{"m", MAIL("two")}, {NULL, NULL}};
    const struct content three[] = {{"m", MAIL("three")}, {NULL, NULL}};
    git_oid one = add(repository, "m", MAIL("one"));
    git_oid parents[2];

    parents[0] = commit_with(repository, two, &one, 1, true);
    parents[1] = commit_with(repository, three, &one, 1, false);
    commit_with(repository, two, parents, 2, true);
    add(repository, "m", MAIL("four"));
    git_repository_free(repository);

    struct inbox *inbox = inbox_open(place->paths, 1000, place->diag);
    struct raw_message message;
    GString *order = g_string_new(NULL);
    while (inbox_next(inbox, &message))
        g_string_append_c(order, message.bytes.bytes[strlen("Subject: s\n\n") + 1]);
    inbox_free(inbox);
    /* the second letters; the branches may come in either order */
    assert_true(strcmp(order->str, "nwho") == 0 || strcmp(order->str, "nhwo") == 0);
    g_string_free(order, TRUE);
    assert_int_equal(unread(place), 0);
}

static void test_other_repositories(void **state)
{
    struct place_of_inboxes *place = *state;
    git_repository *repository = add_epoch(place, "source.git", true);
    const struct content files[] = {{"Makefile", "all:\n"}, {"m", "x"}, {"d", "x"}, {NULL, NULL}};

    assert_int_equal(inbox_look(g_ptr_array_index(place->paths, 0)), INBOX_OTHER); /* empty */
    commit(repository, files);
    assert_int_equal(inbox_look(g_ptr_array_index(place->paths, 0)), INBOX_OTHER);
    add(repository, "README", "text\n");
    assert_int_equal(inbox_look(g_ptr_array_index(place->paths, 0)), INBOX_OTHER);
    git_repository_free(repository);
    assert_int_equal(inbox_look(place->folder), INBOX_DAMAGED);
    expect_bodies(place, "");
    assert_int_equal(unread(place), 1);
}

/* A clone with files checked out; and one whose HEAD names no branch it has. */
static void test_clones(void **state)
{
    struct place_of_inboxes *place = *state;
    git_repository *repository = add_epoch(place, "clone", false);

    add(repository, "m", MAIL("one"));
    add(repository, "m", MAIL("two"));
    expect_bodies(place, "one two");
    assert_int_equal(git_repository_set_head(repository, "refs/heads/other"), 0);
    expect_bodies(place, "one two");
    git_repository_free(repository);
    assert_int_equal(unread(place), 0);
}

static void test_missing_message(void **state)
{
    struct place_of_inboxes *place = *state;
    git_repository *repository = add_epoch(place, "0.git", true);
    git_oid id = blob_of(MAIL("two"));

    add(repository, "m", MAIL("one"));
    add(repository, "m", MAIL("two"));
    add(repository, "m", MAIL("three"));
    git_repository_free(repository);
    lose(place, 0, &id);
    expect_bodies(place, "one three");
    assert_int_equal(unread(place), 1);
}

static void test_missing_commit(void **state)
{
    struct place_of_inboxes *place = *state;
    git_repository *repository = add_epoch(place, "0.git", true);

    add(repository, "m", MAIL("one"));
    git_oid id = add(repository, "m", MAIL("two"));
    add(repository, "m", MAIL("three"));
    add(repository, "m", MAIL("four"));
    git_repository_free(repository);
    lose(place, 0, &id);
    expect_bodies(place, "three four");
    assert_int_equal(unread(place), 1);

    /* in a shallow clone that is no damage */
    char *path = g_build_filename(g_ptr_array_index(place->paths, 0), "shallow", NULL);
    char hex[GIT_OID_HEXSZ + 2];
    git_oid_tostr(hex, GIT_OID_HEXSZ + 1, &id);
    g_strlcat(hex, "\n", sizeof hex);
    assert_true(g_file_set_contents(path, hex, -1, NULL));
    g_free(path);
    expect_bodies(place, "three four");
    assert_int_equal(unread(place), 1);
    assert_int_equal(diag_count(place->diag, DIAG_NOTE), 1);
}

static void test_missing_epoch(void **state)
{
    struct place_of_inboxes *place = *state;
    git_repository *repository;

    g_ptr_array_add(place->paths, g_build_filename(place->folder, "0.git", NULL));
    repository = add_epoch(place, "1.git", true);
    add(repository, "m", MAIL("one"));
    git_repository_free(repository);
    expect_bodies(place, "one");
    assert_in_range(unread(place), 1, 2);
}

static void test_long_message(void **state)
{
    struct place_of_inboxes *place = *state;
    git_repository *repository = add_epoch(place, "0.git", true);
    char *text = g_strnfill(1001, 'x');

    add(repository, "m", MAIL("one"));
    add(repository, "m", text);
    add(repository, "m", MAIL("two"));
    git_repository_free(repository);
    g_free(text);
    expect_bodies(place, "one two");
    assert_int_equal(unread(place), 1);
}

static void test_resumed(void **state)
{
    struct place_of_inboxes *place = *state;
    git_repository *first = add_epoch(place, "0.git", true);

    add(first, "m", MAIL("one"));
    git_oid two = add(first, "m", MAIL("two"));
    char *position = read_from(place, NULL, "one two ");
    char *old = position;
    position = read_from(place, old, "");
    assert_string_equal(position, old);
    g_free(old);

    add(first, "m", MAIL("two")); /* says nothing new */
    add(first, "d", MAIL("one"));
    add(first, "m", MAIL("three"));
    add(first, "d", MAIL("three"));
    add(first, "m", MAIL("four"));
    git_repository *second = add_epoch(place, "1.git", true);
    add(second, "m", MAIL("five"));
    old = position;
    position = read_from(place, old, "four five ");
    g_free(old);

    /* merged from a branch that began before what was read */
    const struct content six[] = {{"m", MAIL("six")}, {NULL, NULL}};
    git_oid head, side = commit_with(first, six, &two, 1, false);
    assert_int_equal(git_reference_name_to_id(&head, first, "HEAD"), 0);
    const git_oid both[] = {head, side};
    const struct content four[] = {{"m", MAIL("four")}, {NULL, NULL}};
    commit_with(first, four, both, 2, true);
    old = position;
    position = read_from(place, old, "six ");
    g_free(old);
    assert_int_equal(diag_count(place->diag, DIAG_NOTE), 0);
    old = position;
    position = read_from(place, old, "");
    g_free(old);

    /* nothing wanted of an epoch but what it deletes */
    add(second, "d", MAIL("six"));
    old = read_from(place, "- skip", "two four ");
    assert_true(g_str_has_suffix(old, " -"));
    g_free(old);

    /* another history: what was deleted in an epoch that was read stays deleted */
    git_reference *branch = NULL, *moved = NULL;
    assert_int_equal(git_repository_head(&branch, first), 0);
    assert_int_equal(git_reference_set_target(&moved, branch, &side, NULL), 0);
    old = position;
    position = read_from(place, old, "one two ");
    g_free(old);
    assert_int_equal(diag_count(place->diag, DIAG_NOTE), 1);
    old = position;
    position = read_from(place, old, "");
    g_free(old);
    old = read_from(place, "0123456789012345678901234567890123456789 no-commit", "one two five ");
    g_free(old);
    assert_int_equal(diag_count(place->diag, DIAG_NOTE), 2);
    assert_int_equal(unread(place), 0);

    /* what can't be read to its end has no position */
    git_oid seven = add(second, "m", MAIL("seven"));
    git_oid lost = blob_of(MAIL("seven"));
    (void)seven;
    lose(place, 1, &lost);
    old = read_from(place, position, "");
    assert_true(g_str_has_suffix(old, " -"));
    g_free(old);
    g_free(position);
    git_reference_free(moved);
    git_reference_free(branch);
    git_repository_free(first);
    git_repository_free(second);
}

static void test_resumed_version_1(void **state)
{
    struct place_of_inboxes *place = *state;
    git_repository *repository = add_epoch(place, "old", true);
    const struct content one[] = {{"aa/1", MAIL("one")}, {NULL, NULL}};
    const struct content two[] = {{"aa/1", MAIL("one")}, {"bb/2", MAIL("two")}, {NULL, NULL}};
    const struct content three[] = {
        {"bb/2", MAIL("two")}, {"bb/3", MAIL("three")}, {"cc/4", MAIL("four")}, {NULL, NULL}};

    commit(repository, one);
    char *position = read_from(place, NULL, "one ");
    commit(repository, two);
    char *next = read_from(place, position, "two ");
    commit(repository, three);
    char *last = read_from(place, next, "three four ");
    char *again = read_from(place, last, "");
    assert_string_equal(last, again);
    g_free(again);
    again = read_from(place, position, "two three four ");
    assert_string_equal(last, again);
    g_free(again);
    assert_int_equal(diag_count(place->diag, DIAG_NOTE), 0);
    again = read_from(place, "0123456789012345678901234567890123456789", "two three four ");
    assert_int_equal(diag_count(place->diag, DIAG_NOTE), 1);
    g_free(again);
    g_free(last);
    g_free(next);
    g_free(position);
    git_repository_free(repository);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_messages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_deletions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_epochs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_version_1, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_merge, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_repositories, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_clones, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing_message, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing_commit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing_epoch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_long_message, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_resumed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_resumed_version_1, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
