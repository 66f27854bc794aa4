/* Tests of extract/folder, and of archives that are directories. */
#define _XOPEN_SOURCE 700 /* symlink */
#include "extract/folder.h"

#include "extract/archive.h"
#include "tests/scratch.h"

#include <fcntl.h>
#include <git2.h>
#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct tree {
    char *root;
    struct diag *diag;
};

static int set_up(void **state)
{
    struct tree *tree = g_new0(struct tree, 1);

    tree->root = scratch_new();
    tree->diag = diag_new(NULL, false);
    *state = tree;
    return 0;
}

static int tear_down(void **state)
{
    struct tree *tree = *state;

    diag_free(tree->diag);
    scratch_remove(tree->root);
    g_free(tree);
    return 0;
}

/* Make directories for the names that end in a slash, else files, that hold
 * their own names. NULL ends the list. */
static void make(const struct tree *tree, const char *const *names)
{
    for (; *names != NULL; names++) {
        char *path = g_build_filename(tree->root, *names, NULL);

        if (g_str_has_suffix(*names, "/")) {
            assert_int_equal(g_mkdir_with_parents(path, 0700), 0);
        } else {
            char *folder = g_path_get_dirname(path);

            assert_int_equal(g_mkdir_with_parents(folder, 0700), 0);
            assert_true(g_file_set_contents(path, *names, -1, NULL));
            g_free(folder);
        }
        g_free(path);
    }
}

/* All entries by their paths below the root, one a line, those of an inbox joined by `+`. */
static void expect_entries(const struct tree *tree, const char *expected)
{
    struct folder *folder = folder_open(tree->root, tree->diag);
    struct folder_entry entry;
    GString *entries = g_string_new(NULL);

    while (folder_next(folder, &entry)) {
        for (guint i = 0; i < entry.paths->len; i++) {
            const char *path = g_ptr_array_index(entry.paths, i);

            assert_true(g_str_has_prefix(path, tree->root));
            path += strlen(tree->root);
            g_string_append_printf(entries, "%s%s", i > 0 ? "+" : "", *path == '/' ? path + 1 : path);
        }
        g_string_append(entries, entry.kind == FOLDER_INBOX ? " (inbox)\n" : "\n");
    }
    assert_false(folder_next(folder, &entry));
    assert_string_equal(entries->str, expected);
    g_string_free(entries, TRUE);
    folder_free(folder);
}

static void expect_reports(const struct tree *tree, uint64_t notes, uint64_t unread)
{
    assert_int_equal(diag_count(tree->diag, DIAG_NOTE), notes);
    assert_int_equal(diag_count(tree->diag, DIAG_UNREAD), unread);
}

static void test_order(void **state)
{
    static const char *const names[] = {
        "b.eml", "10.patch", "9.patch",  "a/x.mbox", "a/0002-y.patch", "a/0001-z.patch", "B.eml",   "empty/",
        "10",    "9",        "007",      "7",        "a.b/x",          "c/d/e/f",        ".hidden", ".dir/x",
        "0x",    "00",       "\xff.eml", NULL};
    const struct tree *tree = *state;

    make(tree, names);
    expect_entries(tree, "00\n0x\n007\n7\n9\n9.patch\n10\n10.patch\nB.eml\na/0001-z.patch\na/0002-y.patch\n"
                         "a/x.mbox\na.b/x\nb.eml\nc/d/e/f\n\xff.eml\n");
    expect_reports(tree, 0, 0);
}

static void test_maildir(void **state)
{
    static const char *const names[] = {"cur/1700000002.M1P2.host:2,S",
                                        "cur/1700000001.M1P2.host:2,RS",
                                        "new/1700000000.M1P2.host",
                                        "tmp/1700000003.M1P2.host",
                                        ".Sent/cur/1.a:2,S",
                                        ".Sent/new/",
                                        ".Sent/tmp/",
                                        "dovecot-uidlist",
                                        "notes/x",
                                        "cur/.nfs001",
                                        "cur/inner/x",
                                        ".config/x",
                                        NULL};
    const struct tree *tree = *state;

    make(tree, names);
    expect_entries(tree, ".Sent/cur/1.a:2,S\ncur/1700000001.M1P2.host:2,RS\ncur/1700000002.M1P2.host:2,S\n"
                         "new/1700000000.M1P2.host\n");
    expect_reports(tree, 1, 0); /* cur/inner */
}

static void test_mh(void **state)
{
    static const char *const names[] = {"1", "2", "10", ",3", ".mh_sequences", "inbox/1", ",x", NULL};
    const struct tree *tree = *state;

    make(tree, names);
    expect_entries(tree, ",x\n1\n2\n10\ninbox/1\n");
}

static void make_link(const struct tree *tree, const char *target, const char *name)
{
    char *path = g_build_filename(tree->root, name, NULL);

    assert_int_equal(symlink(target, path), 0);
    g_free(path);
}

static void test_links(void **state)
{
    static const char *const names[] = {"a/x", "z/y", NULL};
    const struct tree *tree = *state;

    make(tree, names);
    make_link(tree, "..", "a/up");
    make_link(tree, ".", "a/self");
    make_link(tree, "../z", "a/z");
    make_link(tree, "x", "a/y");
    expect_entries(tree, "a/x\na/y\na/z/y\n");
    expect_reports(tree, 3, 0); /* a/self, a/up, z */
    make_link(tree, "nowhere", "a/broken");
    make_link(tree, "circle", "a/circle");
    expect_entries(tree, "a/x\na/y\na/z/y\n");
    expect_reports(tree, 6, 2);
}

static void test_special_files(void **state)
{
    static const char *const names[] = {"a", "c", NULL};
    const struct tree *tree = *state;
    char *path = g_build_filename(tree->root, "b", NULL);

    make(tree, names);
    assert_int_equal(mkfifo(path, 0600), 0);
    g_free(path);
    expect_entries(tree, "a\nc\n");
    expect_reports(tree, 1, 0);
}

static void test_unreadable(void **state)
{
    static const char *const names[] = {"a/x", "b/y", NULL};
    const struct tree *tree = *state;
    char *path = g_build_filename(tree->root, "a", NULL);

    make(tree, names);
    if (geteuid() == 0) {
        g_free(path);
        skip();
    }
    assert_int_equal(g_chmod(path, 0), 0);
    expect_entries(tree, "b/y\n");
    expect_reports(tree, 0, 1);
    assert_int_equal(g_chmod(path, 0700), 0);
    g_free(path);
}

static void test_deep(void **state)
{
    const struct tree *tree = *state;
    GString *name = g_string_new(NULL);
    const char *names[] = {NULL, NULL};

    for (unsigned i = 0; i < FOLDER_DEPTH_MAX + 5; i++)
        g_string_append(name, "d/");
    g_string_append(name, "x");
    names[0] = name->str;
    make(tree, names);
    expect_entries(tree, "");
    expect_reports(tree, 0, 1);
    g_string_free(name, TRUE);
}

/* More names than are held at a time; the order is that of the numbers. */
static void test_many(void **state)
{
    enum { COUNT = 70000 };
    const struct tree *tree = *state;
    struct folder_entry entry;
    char path[200];

    for (unsigned i = 0; i < COUNT; i++) {
        g_snprintf(path, sizeof path, "%s/%u", tree->root, (i * 7919U) % COUNT);
        int descriptor = g_creat(path, 0600);
        assert_true(descriptor >= 0);
        g_close(descriptor, NULL);
    }

    struct folder *folder = folder_open(tree->root, tree->diag);
    for (unsigned i = 0; i < COUNT; i++) {
        assert_true(folder_next(folder, &entry));
        g_snprintf(path, sizeof path, "%s/%u", tree->root, i);
        assert_string_equal(g_ptr_array_index(entry.paths, 0), path);
    }
    assert_false(folder_next(folder, &entry));
    folder_free(folder);
}

/* A repository with one commit, whose tree is one file. */
static void make_repository(const struct tree *tree, const char *name, bool bare, const char *file)
{
    char *path = g_build_filename(tree->root, name, NULL);
    git_repository *repository = NULL;
    git_treebuilder *builder = NULL;
    git_signature *author = NULL;
    git_tree *root = NULL;
    git_oid id;

    git_libgit2_init();
    assert_int_equal(g_mkdir_with_parents(path, 0700), 0);
    assert_int_equal(git_repository_init(&repository, path, bare), 0);
    assert_int_equal(git_treebuilder_new(&builder, repository, NULL), 0);
    assert_int_equal(git_blob_create_from_buffer(&id, repository, name, strlen(name)), 0);
    assert_int_equal(git_treebuilder_insert(NULL, builder, file, &id, GIT_FILEMODE_BLOB), 0);
    assert_int_equal(git_treebuilder_write(&id, builder), 0);
    assert_int_equal(git_tree_lookup(&root, repository, &id), 0);
    assert_int_equal(git_signature_new(&author, "a", "a@example.org", 1700000000, 0), 0);
    assert_int_equal(git_commit_create(&id, repository, "HEAD", author, author, NULL, "x", root, 0, NULL), 0);
    git_signature_free(author);
    git_tree_free(root);
    git_treebuilder_free(builder);
    git_repository_free(repository);
    git_libgit2_shutdown();
    g_free(path);
}

/* As grokmirror lays lists out; one of them indexed by public-inbox. */
static void test_inboxes(void **state)
{
    static const char *const names[] = {"b/description",   "indexed/inbox.lock", "indexed/msgmap.sqlite3",
                                        "indexed/xap15/x", "manifest.js.gz",     NULL};
    const struct tree *tree = *state;

    make_repository(tree, "a/git/0.git", true, "m");
    make_repository(tree, "a/git/2.git", true, "m");
    make_repository(tree, "a/git/10.git", true, "m");
    make_repository(tree, "indexed/git/0.git", true, "m");
    make_repository(tree, "indexed/all.git", true, "x");
    make_repository(tree, "b", true, "m");
    make_repository(tree, "clone", false, "m");
    make_repository(tree, "plain/0", true, "m");
    make_repository(tree, "plain/1", true, "d");
    make_repository(tree, "source.git", true, "Makefile");
    make_repository(tree, "work", false, "Makefile");
    make(tree, names);
    make(tree, (const char *const[]){"work/x.patch", "clone/m", NULL});
    expect_entries(tree, "a/git/0.git+a/git/2.git+a/git/10.git (inbox)\nb (inbox)\nclone (inbox)\n"
                         "indexed/git/0.git (inbox)\nmanifest.js.gz\nplain/0+plain/1 (inbox)\nwork/x.patch\n");
    expect_reports(tree, 1, 0); /* source.git */
}

static void test_one_repository(void **state)
{
    const struct tree *tree = *state;

    make_repository(tree, "", true, "m");
    expect_entries(tree, " (inbox)\n");
    expect_reports(tree, 0, 0);
}

static void test_repository_without_mail(void **state)
{
    const struct tree *tree = *state;

    make_repository(tree, "", true, "Makefile");
    expect_entries(tree, "");
    expect_reports(tree, 0, 1);
}

/* What the files hold comes out as one archive. */
static void test_archive(void **state)
{
    static const struct {
        const char *name, *text;
    } files[] = {
        {"1.eml", "Subject: s\n\none\n"},
        {"2.mbox", "From a@b Thu Jan  1 00:00:00 1970\nSubject: s\n\ntwo\n\nFrom a@b Thu Jan  1 00:00:00 "
                   "1970\nSubject: s\n\nthree\n"},
        {"3.txt", "four\n"},
        {"4.empty", ""},
    };
    static const struct {
        const char *name, *text;
    } expected[] = {
        {"1.eml", "Subject: s\n\none\n"},
        {"2.mbox", "Subject: s\n\ntwo\n"},
        {"2.mbox", "Subject: s\n\nthree\n"},
        {"3.txt", "four\n"},
        {"x.git", NULL},
    };
    const struct tree *tree = *state;

    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        char *path = g_build_filename(tree->root, files[i].name, NULL);

        assert_true(g_file_set_contents(path, files[i].text, -1, NULL));
        g_free(path);
    }
    make_repository(tree, "x.git", true, "m");
    make(tree, (const char *const[]){"6.bin", NULL});
    char *binary = g_build_filename(tree->root, "6.bin", NULL);
    assert_true(g_file_set_contents(binary, "\0\1\2\3", 4, NULL));
    g_free(binary);

    struct archive *archive = archive_open(tree->root, tree->diag);
    struct raw_message message;
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        assert_int_equal(archive_next(archive, &message), ARCHIVE_MESSAGE);
        if (expected[i].text == NULL) {
            assert_true(view_is(message.bytes, "x.git"));
            continue;
        }
        char *path = g_build_filename(tree->root, expected[i].name, NULL);
        assert_string_equal(message.source, path);
        assert_true(view_is(message.bytes, expected[i].text));
        g_free(path);
    }
    assert_int_equal(archive_next(archive, &message), ARCHIVE_END);
    assert_int_equal(archive_next(archive, &message), ARCHIVE_END);
    archive_free(archive);
    expect_reports(tree, 1, 0); /* 6.bin, which nobody asked for by name */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_maildir, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mh, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_links, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_special_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unreadable, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_deep, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_inboxes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_repository, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_repository_without_mail, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_archive, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
