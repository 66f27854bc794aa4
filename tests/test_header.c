/* Names of columns, as they stand over mmtests tables: in place, run together,
 * broken up by mail, or not to be told. */
#include "extract/header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* What a message has said before, and names that headers often hold. */
struct context {
    GPtrArray *known, *common;
};

static int set_up(void **state)
{
    struct context *context = g_new0(struct context, 1);
    context->known = g_ptr_array_new_with_free_func(header_free);
    context->common = g_ptr_array_new();
    *state = context;
    return 0;
}

static int tear_down(void **state)
{
    struct context *context = *state;
    g_ptr_array_unref(context->known);
    g_ptr_array_unref(context->common);
    g_free(context);
    return 0;
}

static char *names_of(const struct header *header)
{
    GString *names = g_string_new(NULL);
    for (unsigned i = 0; i < header->columns; i++) {
        g_string_append(names, i ? "|" : "");
        header_append_name(names, header, i, "-");
    }
    return g_string_free(names, FALSE);
}

/* The names of the columns, parted by `|`, and what stands above the header;
 * names NULL: they can't be told. The header found becomes known. */
static void expect(struct context *context, const char *above, enum header_text form, unsigned columns,
                   const char *names, const char *before)
{
    struct view text = view_of(above);
    struct header *header = header_find(text, form, 2, false, columns, 0, context->known, context->common);
    if (!names) {
        assert_null(header);
        return;
    }
    assert_non_null(header);
    assert_int_equal(header->columns, columns);
    char *found = names_of(header);
    assert_string_equal(found, names);
    g_free(found);
    struct view rest = view_trim(view_slice(text, 0, header->start));
    assert_true(view_is(rest, before));
    g_ptr_array_add(context->known, header);
}

static void test_words_for_every_column(void **state)
{
    expect(*state,
           "        4.12.0       4.13.0\n"
           "       vanilla      vanilla",
           HEADER_LINES, 2, "4.12.0-vanilla|4.13.0-vanilla", "");
    expect(*state,
           "A sentence that is none of it.\n"
           "\n"
           "hackbench-process-pipes\n"
           "                  5.9.0-rc6              5.9.0-rc6              5.9.0-rc6\n"
           "                    vanilla              schedutil      schedutil-freqinv",
           HEADER_LINES, 3, "5.9.0-rc6-vanilla|5.9.0-rc6-schedutil|5.9.0-rc6-schedutil-freqinv",
           "A sentence that is none of it.\n\nhackbench-process-pipes");
    /* Blanks collapsed: the words can still be counted. */
    expect(*state, "title\n4.12.0 4.13.0\nvanilla patched", HEADER_LINES, 2, "4.12.0-vanilla|4.13.0-patched", "title");
    expect(*state, "4.12.0\nvanilla", HEADER_LINES, 1, "4.12.0-vanilla", "");
}

static void test_one_row(void **state)
{
    struct context *context = *state;
    struct header *header =
        header_find(view_of("title\n  a   b"), HEADER_LINES, 1, false, 2, 0, context->known, context->common);
    assert_non_null(header);
    char *names = names_of(header);
    assert_string_equal(names, "a|b");
    assert_int_equal(header->start, strlen("title\n  "));
    g_free(names);
    header_free(header);
}

/* The names of a header of one row where two are wanted, or NULL; the first cell
 * below begins in the column label_width. */
static void expect_beside(struct context *context, const char *above, size_t label_width, unsigned columns,
                          const char *names, const char *before)
{
    struct view text = view_of(above);
    struct header *header =
        header_find(text, HEADER_LINES, 2, true, columns, label_width, context->known, context->common);
    if (!names) {
        assert_null(header);
        return;
    }
    assert_non_null(header);
    char *found = names_of(header);
    assert_string_equal(found, names);
    assert_true(view_is(view_trim(view_slice(text, 0, header->start)), before));
    g_free(found);
    header_free(header);
}

static void expect_single(struct context *context, const char *above, unsigned columns, const char *names,
                          const char *before)
{
    expect_beside(context, above, 0, columns, names, before);
}

static void test_one_row_for_two(void **state)
{
    expect_single(*state, "tbench4 Throughput\n                  unpatched           patched", 2, "unpatched|patched",
                  "tbench4 Throughput");
    expect_single(*state, "                  unpatched           patched", 2, "unpatched|patched", "");
    expect_single(*state, "a sentence of some length, which says what follows:\n\n              old        new", 2,
                  "old|new", "a sentence of some length, which says what follows:");
    expect_single(*state, "   pipes\n                  unpatched           patched", 2, "unpatched|patched", "pipes");
    /* Names of several words, and one over the labels. */
    expect_single(*state, "title\nkernel        5.15-rc2        5.15-rc2 + maple tree", 2,
                  "5.15-rc2|5.15-rc2 + maple tree", "title");
    /* Names that fill their cells. */
    expect_single(*state, "title-of-23-letters-now\n        vanilla patched", 2, "vanilla|patched",
                  "title-of-23-letters-now");
    /* The line above is a row of names: in place, or not left of the columns. */
    expect_single(*state, "                 5.8             5.9\n             vanilla         patched", 2,
                  "5.8-vanilla|5.9-patched", "");
    expect_single(*state, "                 5.8             5.9\n\n             vanilla         patched", 2,
                  "5.8-vanilla|5.9-patched", "");
    expect_single(*state, "                 5.8-and-more-5.9-and-more\n             vanilla         patched", 2, NULL,
                  NULL);
    /* Blanks were lost: the line above may be anything. */
    expect_single(*state, "pipes\nunpatched patched", 2, NULL, NULL);
    /* A remark in parentheses may follow, and is no row of names. */
    expect_single(*state, "title\n             old         new\n(SMT off)", 2, "old|new", "title");
    expect_single(*state, "title\n   5.8       5.9\n  old       new\n(SMT off)", 2, NULL, NULL);
    /* Figures are no names. */
    expect_single(*state, "title\nMean 4       7.0 ( 0.0%)       7.7 (-10.0%)", 2, NULL, NULL);
}

/* A name too many that keeps left of the cells is what the labels are called. */
static void test_name_of_labels(void **state)
{
    static const char above[] = "title\n      clients           MQ                     SQ          MQ-Patched";
    expect_beside(*state, above, strlen("Amean 1      "), 3, "MQ|SQ|MQ-Patched", "title");
    expect_beside(*state, above, strlen("Amean 1     "), 3, NULL, NULL);
    expect_beside(*state, above, 0, 3, NULL, NULL);
    /* As many as there are columns: it is one of them. */
    expect_beside(*state, above, strlen("Amean 1      "), 4, "clients|MQ|SQ|MQ-Patched", "title");
    expect_beside(*state, above, strlen("Amean 1      "), 2, NULL, NULL);
}

static void test_blank_cells(void **state)
{
    /* The lower row has no names at all. */
    expect(*state, "   4.12.0   4.13.0\n\n", HEADER_LINES, 2, "4.12.0|4.13.0", "");
    /* The baseline has none: what there is stands under its own release. */
    expect(*state,
           "              4.12.0              4.12.0              4.12.0\n"
           "                                 patch-a             patch-b",
           HEADER_LINES, 3, "4.12.0|4.12.0-patch-a|4.12.0-patch-b", "");
    expect(*state,
           "              4.12.0              4.12.0              4.12.0\n"
           "             vanilla                                 patch-b",
           HEADER_LINES, 3, "4.12.0-vanilla|4.12.0|4.12.0-patch-b", "");
}

/* An empty line over the figures is no row of the header when both are there. */
static void test_gap(void **state)
{
    expect(*state,
           "title\n"
           "              5.10.0              5.11.0\n"
           "             vanilla       sched-fair-v2\n\n",
           HEADER_LINES, 2, "5.10.0-vanilla|5.11.0-sched-fair-v2", "title");
    expect(*state,
           "                5.10               5.11\n"
           "                  v1                 v2\n\n",
           HEADER_LINES, 2, "5.10-v1|5.11-v2", "");
    expect(*state, "6.1.0 6.2.0\nvanilla patched\n\n", HEADER_LINES, 2, "6.1.0-vanilla|6.2.0-patched", "");
    expect(*state, "bonnie64\n              5.10.0\n\n", HEADER_LINES, 1, "5.10.0", "bonnie64");
    expect(*state, "two words\n   4.12.0   4.13.0\n\n", HEADER_LINES, 2, "4.12.0|4.13.0", "two words");
}

static void test_glued_names(void **state)
{
    /* In place: every cell is 12 wide, and one name fills its own. */
    expect(*state,
           "   5.9.0-rc6   5.9.0-rc6   5.9.0-rc6\n"
           "     vanillaschedutil-ab     patched",
           HEADER_LINES, 3, "5.9.0-rc6-vanilla|5.9.0-rc6-schedutil-ab|5.9.0-rc6-patched", "");
}

static void test_known_letters(void **state)
{
    expect(*state,
           "                  5.9.0-rc6              5.9.0-rc6              5.9.0-rc6\n"
           "                    vanilla              schedutil      schedutil-freqinv",
           HEADER_LINES, 3, "5.9.0-rc6-vanilla|5.9.0-rc6-schedutil|5.9.0-rc6-schedutil-freqinv", "");
    /* The same names again, run together. */
    expect(*state,
           "               5.9.0-rc6   5.9.0-rc6   5.9.0-rc6\n"
           "                 vanilla   schedutilschedutil-freqinv",
           HEADER_LINES, 3, "5.9.0-rc6-vanilla|5.9.0-rc6-schedutil|5.9.0-rc6-schedutil-freqinv", "");
    /* and broken up */
    expect(*state,
           "title\n"
           "5.9.0-rc6 5.9.0-rc6\n"
           "5.9.0-rc6\n"
           "vanilla schedutil\n"
           "schedutil-freqinv",
           HEADER_LINES, 3, "5.9.0-rc6-vanilla|5.9.0-rc6-schedutil|5.9.0-rc6-schedutil-freqinv", "title");
    /* Fewer columns are another table. */
    expect(*state, "5.9.0-rc6 5.9.0-rc6\nvanilla schedutil", HEADER_LINES, 2, "5.9.0-rc6-vanilla|5.9.0-rc6-schedutil",
           "");
}

static void test_common_names(void **state)
{
    struct context *context = *state;
    static char vanilla[] = "vanilla";
    g_ptr_array_add(context->common, vanilla);
    expect(context, "5.9.0-rc6 5.9.0-rc6\nvanillaschedutil-freqinv", HEADER_LINES, 2,
           "5.9.0-rc6-vanilla|5.9.0-rc6-schedutil-freqinv", "");
}

static void test_without_line_breaks(void **state)
{
    expect(*state, "The results follow. hackbench 4.12.0 4.12.0 vanilla patched ", HEADER_FLAT, 2,
           "4.12.0-vanilla|4.12.0-patched", "The results follow. hackbench");
    expect(*state, "hackbench 4.12.0 4.13.0 vanilla vanilla", HEADER_FLAT, 2, "4.12.0-vanilla|4.13.0-vanilla",
           "hackbench");
}

static void test_not_to_be_told(void **state)
{
    expect(*state, "", HEADER_LINES, 2, NULL, "");
    expect(*state, "\n\n", HEADER_LINES, 2, NULL, "");
    expect(*state, "too few", HEADER_LINES, 3, NULL, "");
    expect(*state, "a b c\nd e f", HEADER_LINES, 2, NULL, "");
    /* Where does one name end and the next begin? */
    expect(*state, "5.9.0-rc6 5.9.1-rc6\nabcdefgh", HEADER_LINES, 2, NULL, "");
    /* No limit is passed. */
    expect(*state, "a b\nc d", HEADER_LINES, 0, NULL, "");
    expect(*state, "a b\nc d", HEADER_LINES, 100000, NULL, "");
    GString *many = g_string_new(NULL);
    for (int i = 0; i < 10000; i++)
        g_string_append(many, "word ");
    expect(*state, many->str, true, 65, NULL, "");
    expect(*state, many->str, false, 65, NULL, "");
    g_string_free(many, TRUE);
}

/* Rows of figures above are no header. */
static void test_figures_are_no_names(void **state)
{
    expect(*state,
           "Amean 1.00 ( 0.00%) 2.00 ( -100.00%)\n"
           "Amean 1.00 ( 0.00%) 2.00 ( -100.00%)",
           HEADER_LINES, 2, NULL, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_words_for_every_column, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_row, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_row_for_two, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_name_of_labels, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_blank_cells, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_glued_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_known_letters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_common_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_line_breaks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_to_be_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_figures_are_no_names, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
