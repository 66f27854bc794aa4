/* What is a heading, what of it is the caption, and how far it holds. */
#include "extract/caption.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static bool is_heading(const char *line)
{
    return caption_is_heading(view_of(line));
}

static void assert_clean(const char *line, const char *caption)
{
    struct view clean = caption_clean(view_of(line));
    char *text = g_strndup(clean.bytes, clean.length);
    assert_string_equal(text, caption);
    g_free(text);
}

static void test_headings(void **state)
{
    (void)state;
    assert_true(is_heading("SYSTEM"));
    assert_true(is_heading("- misc-next, numa=on"));
    assert_true(is_heading("  * patched"));
    assert_true(is_heading("Patched kernel:"));
    assert_true(is_heading("Results with 4 threads, 2 nodes:"));
    assert_true(is_heading("1. without the series"));
    assert_true(is_heading("v5.10-rc3"));
    assert_true(is_heading("Linux 6.1.0-rc1+ (tip/sched/core)"));
    assert_true(is_heading("==== after ===="));
    assert_true(is_heading("# after the patch"));
    assert_true(is_heading("ext4 (made with mkfs -N 24000000)"));
    assert_true(is_heading("-git, mitigations=off"));
    assert_true(is_heading("patched numa=on"));
    assert_true(is_heading("READ/WRITE 50% mix"));
    assert_true(is_heading("xfs/loop/xfs"));
    assert_true(is_heading("v5.10 -rc3"));
    assert_true(is_heading("4.19.21"));
    assert_true(is_heading("git tip, echo off"));
    assert_true(is_heading("grepping"));
    assert_true(is_heading("-D0 -B1"));
    assert_true(is_heading("time to completion"));
    assert_true(is_heading("ext4: error=remount"));
    assert_true(is_heading("/dev/sda:"));
}

static void test_no_headings(void **state)
{
    (void)state;
    assert_false(is_heading(""));
    assert_false(is_heading("   "));
    assert_false(is_heading("-"));
    assert_false(is_heading("----------"));
    assert_false(is_heading("That is much faster."));
    assert_false(is_heading("That is much faster. See the table"));
    assert_false(is_heading("Is it faster?"));
    assert_false(is_heading("It is!"));
    assert_false(is_heading("I ran the same again, and this is what came out of it:"));
    assert_false(is_heading("Hi all,"));
    assert_false(is_heading("Hello A,"));
    assert_false(is_heading("Dear maintainers,"));
    assert_false(is_heading("Thanks,"));
    assert_false(is_heading("On Mon, Mar 4, 2024 at 18:20, A Tester wrote:"));
    assert_false(is_heading("A Tester <a.tester@example.org> writes:"));
    assert_false(is_heading("$ fio job.fio"));
    assert_false(is_heading("# fio --name=x"));
    assert_false(is_heading("root@box:~# siege -c 5"));
    assert_false(is_heading("[root@box ~]# siege -c 5"));
    assert_false(is_heading("a@box:~$ ./run"));
    assert_false(is_heading("fio --name=x --rw=read"));
    assert_false(is_heading("> quoted"));
    /* Other prompts, and commands without one. */
    assert_false(is_heading("/mnt/t # time cp big /dev/null"));
    assert_false(is_heading("[ fio] # t/io_uring /dev/sda"));
    assert_false(is_heading("user@box ~/src (main)> t/io_uring -N1"));
    assert_false(is_heading("box:~ # iostat 5"));
    assert_false(is_heading("bash$ dd if=zero"));
    assert_false(is_heading("user@box:~"));
    assert_false(is_heading("dd if=/dev/zero of=big bs=1M"));
    assert_false(is_heading("% dd if=/dev/zero of=big bs=1M"));
    assert_false(is_heading("umount /mnt/a"));
    assert_false(is_heading("* linux-block (for-next) # grep IOPS *fio*log"));
    assert_false(is_heading("nvme (nvme-6.13) #"));
    assert_false(is_heading("echo 2 > nomerges"));
    assert_false(is_heading("grep err= fio.log"));
    assert_false(is_heading("# grep cpu *.fio"));
    assert_false(is_heading("git am changes.patch"));
    assert_false(is_heading("git cherry-pick -x 9316a9ed6895"));
    assert_false(is_heading("modprobe null_blk"));
    assert_false(is_heading("bin/lkp run    compatible-job.yaml"));
    assert_false(is_heading("time blkdiscard /dev/md0"));
    assert_false(is_heading("--filename=/dev/mapper/loop --name=job --rw=rw"));
    assert_false(is_heading("status group\"; done"));
    assert_false(is_heading("[sudo] password for tester:"));
    /* What a program complains of. */
    assert_false(is_heading("dd: error writing '/dev/nullb0': No space left on device"));
    assert_false(is_heading("dd: writing to '/mnt/x.x': No space left on device"));
    assert_false(is_heading("dd: error reading \xE2\x80\x98/dev/nullb0\xE2\x80\x99: Input/output error"));
    assert_false(is_heading("aio_write failed: Resource temporarily unavailable"));
    /* Left out. */
    assert_false(is_heading("[snip]"));
    assert_false(is_heading("<snip>"));
    assert_false(is_heading("iostat -d /dev/sda 1"));
    assert_false(is_heading("xfs_io -f -c 'pwrite 0 1M' a"));
    /* Nothing is named. */
    assert_false(is_heading("(...)"));
    assert_false(is_heading("[1]"));
    assert_false(is_heading("1,5%    0,0%"));
    assert_false(is_heading("Tested-by: A Tester <a.tester@example.org>"));
}

static void test_marks(void **state)
{
    (void)state;
    assert_clean("- misc-next, numa=on", "misc-next, numa=on");
    assert_clean("  * patched  ", "patched");
    assert_clean("# patched", "patched");
    assert_clean("### patched ###", "patched");
    assert_clean("// patched", "patched");
    assert_clean("1. patched", "patched");
    assert_clean("12) patched", "patched");
    assert_clean("patched:", "patched");
    assert_clean("*patched:*", "patched");
    assert_clean("**patched**:", "patched");
    assert_clean("__patched__", "patched");
    assert_clean("=== patched ===", "patched");
    assert_clean("patched", "patched");
    /* What belongs to the name stays. */
    assert_clean("-rc3", "-rc3");
    assert_clean("v5.10-rc3", "v5.10-rc3");
    assert_clean("3.10 kernel", "3.10 kernel");
    assert_clean("ratio 1:2", "ratio 1:2");
    assert_clean("a (b) [c]", "a (b) [c]");
    assert_clean("-", "");
    assert_clean("", "");
}

/* ---- in a text ---- */

/* Lines that begin with `|` stand for a block's, and with `!` for those of a
 * block with a title of its own. The captions of all blocks, one a line; lines
 * of `|` that follow each other are one block. */
static void expect(const char *text, const char *expected)
{
    struct part part = {"1", view_of(text), PART_PLAIN};
    struct body *body = body_new(&part);
    struct passages *passages = passages_new();
    passages_add(passages, "1", body);
    GString *captions_text = g_string_new(NULL);
    assert_int_equal(passages->count, 1);
    const struct passage *passage = passages_at(passages, 0);
    bool *taken = g_new0(bool, passage->lines->len + 1);
    struct captions *captions = captions_new(passage, taken);
    for (guint i = 0; i < passage->lines->len; i++) {
        const char *start = passage->text->str + passage_line(passage, i)->start;
        taken[i] = *start == '|' || *start == '!';
    }
    for (guint i = 0; i < passage->lines->len; i++) {
        const char *start = passage->text->str + passage_line(passage, i)->start;
        if (!taken[i] || (i > 0 && taken[i - 1]))
            continue;
        struct view caption = captions_at(captions, i, *start == '!');
        g_string_append_len(captions_text, caption.bytes, (gssize)caption.length);
        g_string_append_c(captions_text, '\n');
    }
    assert_string_equal(captions_text->str, expected);
    captions_free(captions);
    g_free(taken);
    g_string_free(captions_text, TRUE);
    passages_free(passages);
    body_free(body);
}

static void test_nearest_line(void **state)
{
    (void)state;
    expect("|\n", "\n");
    expect("a\n|\n", "a\n");
    expect("a\n\n\n\n|\n", "a\n");
    expect("a\n\nb\n\n|\n", "b\n");
    expect("a\n---\n|\n", "a\n");
    expect("A sentence.\n\na\n|\n", "a\n");
    expect("a\n\nA sentence.\n\n|\n", "\n");
    /* The last line of a paragraph is no heading. */
    expect("this is a text that goes on\nto a second line\n|\n", "\n");
    expect("this is a text that ends here:\nto a second line:\n|\n", "\n");
}

static void test_one_command(void **state)
{
    (void)state;
    expect("a\n$ cmd\n|\n", "a\n");
    expect("a\n\n$ cmd\n\n|\n", "a\n");
    expect("a\n\n$ cmd \\\n  more \\\n  and more\n\n|\n", "a\n");
    expect("a\n\n$ cmd \\\n  more\nand prose that is no more of it.\n|\n", "\n");
    expect("a\n$ cmd\n$ cmd\n|\n", "\n");
    expect("a\n$ cmd\n\n$ cmd\n|\n", "\n");
    /* Its end, where a mailer broke it, and that of a block's line. */
    expect("a\n$ cmd with so many words behind it that they fill a whole long line\nif=b of=c\n|\n", "a\n");
    expect("a\n|a line with so many words in it that they fill more than one line\n512B, depth=3\n|\n", "a\na\n");
    expect("a\n|a line with so many words in it that they fill more than a line\nafter this change:\n|\n",
           "a\nafter this change\n");
    expect("$ cmd\n|\n", "\n");
    expect("$ cmd\n\na\n|\n", "a\n");
    /* One before each block. */
    expect("a\n$ cmd\n|\n$ cmd\n|\n", "a\na\n");
}

static void test_how_long_it_holds(void **state)
{
    (void)state;
    expect("a\n|\n\n|\n\n|\n", "a\na\na\n");
    expect("a\n|\nb\n|\n\n|\n", "a\nb\nb\n");
    expect("a\n|\n\nA sentence.\n\n|\n", "a\n\n");
    expect("a\n|\n\nA sentence.\n\nb\n|\n", "a\nb\n");
    expect("a\n|\n\nHi,\n\n|\n", "a\n\n");
}

static void test_title_of_its_own(void **state)
{
    (void)state;
    expect("!\n", "\n");
    expect("a\n!\n", "\n");
    expect("a\n|\n\n!\n\n|\n", "a\n\n\n");
    expect("a\n!\n\nb\n|\n", "\nb\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headings),
        cmocka_unit_test(test_no_headings),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_nearest_line),
        cmocka_unit_test(test_one_command),
        cmocka_unit_test(test_how_long_it_holds),
        cmocka_unit_test(test_title_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
