/* The columns that the recognizer fills, on small texts: result, caption,
 * value_text, part, line, quote_depth, better, tool_version, check. */
#include "extract/grammar_set.h"
#include "extract/recognize.h"
#include "output/writer.h"
#include "extract/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* A fio job: error, IOPS, bandwidth, I/O, runtime. */
#define JOB_BEGIN "job: (groupid=0, jobs=1): err= 0: pid=4711: Mon Nov 30 12:49:12 2026\n"
#define JOB_READ  "  read: IOPS=100, BW=400KiB/s (410kB/s)(4000KiB/10000msec)\n"
#define JOB       JOB_BEGIN JOB_READ

/* A whole table of two kernels: four rows. */
#define TABLE                                                                                                          \
    "hackbench\n"                                                                                                      \
    "                 5.9         5.10\n"                                                                              \
    "             vanilla      patched\n"                                                                              \
    "Amean  1      1.0000 (   0.00%)      2.0000 (-100.00%)\n"                                                         \
    "Hmean  1     50.0000 (   0.00%)     40.0000 ( -20.00%)\n"

#define OVERVIEW                                                                                                       \
    "Apache Siege 2.4.29\n"                                                                                            \
    "Concurrent Users: 50\n"                                                                                           \
    "Transactions Per Second > Higher Is Better\n"                                                                     \
    "v5.8 .. 1000.0 |====================\n"                                                                           \
    "v5.9 .. 500.00 |==========\n"

static int load_grammars(void **state)
{
    GString *mistakes = g_string_new(NULL);
    *state = grammar_set_load("grammars", NULL, mistakes);
    fputs(mistakes->str, stderr);
    int result = mistakes->len > 0 ? -1 : 0;
    g_string_free(mistakes, TRUE);
    return result;
}

static int free_grammars(void **state)
{
    g_ptr_array_unref(*state);
    return 0;
}

/* The rows of a mail, or of text that is none; *counts may be NULL. */
static struct rows *extract_raw(const GPtrArray *grammars, const char *text, bool is_mail,
                                struct recognizer_counts *counts)
{
    char *csv = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&csv, &length);
    struct diag *diag = diag_new(NULL, false);
    struct raw_message raw = {.bytes = view_of(text), .source = "mail", .is_mail = is_mail};
    struct message *message = message_parse(&raw, diag);
    struct conditions *conditions = conditions_new(grammars);
    struct recognizer *recognizer = recognizer_new(conditions, false, diag);
    struct writer *writer = writer_new("csv", stream);
    const struct observation *observation;
    assert_int_equal(writer_begin(writer), WRITER_OK);
    recognizer_read(recognizer, message, &raw);
    while ((observation = recognizer_next(recognizer)))
        assert_int_equal(writer_observation(writer, observation), WRITER_OK);
    assert_int_equal(writer_end(writer), WRITER_OK);
    if (counts)
        *counts = *recognizer_counts(recognizer);
    writer_free(writer);
    recognizer_free(recognizer);
    conditions_free(conditions);
    message_free(message);
    diag_free(diag);
    fclose(stream);
    struct rows *rows = rows_read(csv, NULL);
    free(csv);
    assert_non_null(rows);
    return rows;
}

static struct rows *extract(const GPtrArray *grammars, const char *text, struct recognizer_counts *counts)
{
    return extract_raw(grammars, text, false, counts);
}

/* The fields of some columns (`metric stat`) of all rows, one row a line. */
static char *fields_of(const struct rows *rows, const char *columns)
{
    char **names = g_strsplit(columns, " ", -1);
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < rows->lines->len; i++) {
        for (guint c = 0; names[c]; c++)
            g_string_append_printf(text, "%s%s", c ? "|" : "", rows_field(rows, i, names[c]));
        g_string_append_c(text, '\n');
    }
    g_strfreev(names);
    return g_string_free(text, FALSE);
}

static void expect(const GPtrArray *grammars, const char *text, const char *columns, const char *expected)
{
    struct rows *rows = extract(grammars, text, NULL);
    char *fields = fields_of(rows, columns);
    if (strcmp(fields, expected) != 0)
        fail_msg("columns %s of\n%s\nare\n%snot\n%s", columns, text, fields, expected);
    g_free(fields);
    rows_free(rows);
}

/* ---- caption ---- */

/* The captions of the results of text, one a line; all rows of a result must
 * have the same. */
static void expect_captions(const GPtrArray *grammars, const char *text, const char *expected)
{
    struct rows *rows = extract(grammars, text, NULL);
    GString *captions = g_string_new(NULL);
    for (guint i = 0; i < rows->lines->len; i++) {
        const char *caption = rows_field(rows, i, "caption");
        if (i == 0 || strcmp(rows_field(rows, i, "result"), rows_field(rows, i - 1, "result")) != 0)
            g_string_append_printf(captions, "%s\n", caption);
        else
            assert_string_equal(caption, rows_field(rows, i - 1, "caption"));
    }
    if (strcmp(captions->str, expected) != 0)
        fail_msg("captions of\n%s\nare\n%snot\n%s", text, captions->str, expected);
    g_string_free(captions, TRUE);
    rows_free(rows);
}

static void test_caption_marks(void **state)
{
    expect_captions(*state, "- misc-next, numa=on\n\n" JOB, "misc-next, numa=on\n");
    expect_captions(*state, "* patched\n" JOB, "patched\n");
    expect_captions(*state, "# patched\n" JOB, "patched\n");
    expect_captions(*state, "## patched ##\n\n" JOB, "patched\n");
    expect_captions(*state, "// patched\n\n" JOB, "patched\n");
    expect_captions(*state, "1. patched kernel\n\n" JOB, "patched kernel\n");
    expect_captions(*state, "2) patched kernel\n\n" JOB, "patched kernel\n");
    expect_captions(*state, "Patched:\n" JOB, "Patched\n");
    expect_captions(*state, "Patched:\n\n\n\n" JOB, "Patched\n");
    expect_captions(*state, "*Patched*\n\n" JOB, "Patched\n");
    expect_captions(*state, "**Patched**\n\n" JOB, "Patched\n");
    expect_captions(*state, "Patched\n-------\n\n" JOB, "Patched\n");
    expect_captions(*state, "Patched\n=======\n" JOB, "Patched\n");
    expect_captions(*state, "=== Patched ===\n" JOB, "Patched\n");
    expect_captions(*state, "  CPU_STRICT\n\n" JOB, "CPU_STRICT\n");
    expect_captions(*state, "v5.9-rc1\n" JOB, "v5.9-rc1\n");
}

static void test_no_caption(void **state)
{
    expect_captions(*state, JOB, "\n");
    expect_captions(*state, "\n\n" JOB, "\n");
    /* sentences */
    expect_captions(*state, "The patched kernel is faster.\n\n" JOB, "\n");
    expect_captions(*state, "It is faster. See below\n\n" JOB, "\n");
    expect_captions(*state, "Here are the results of the patched kernel:\n\n" JOB, "\n");
    expect_captions(*state, "This is a text of several lines that says\nwhat was done to the machine\n\n" JOB, "\n");
    /* greetings, attributions */
    expect_captions(*state, "Hi,\n\n" JOB, "\n");
    expect_captions(*state, "Hello all,\n\n" JOB, "\n");
    expect_captions(*state, "Dear A,\n\n" JOB, "\n");
    expect_captions(*state, "On Mon, 4 Mar 2024, A Tester wrote:\n" JOB, "\n");
    expect_captions(*state, "A Tester <a@example.org> writes:\n\n" JOB, "\n");
    /* shell prompts */
    expect_captions(*state, "$ fio job.fio\n" JOB, "\n");
    expect_captions(*state, "# fio --name=job\n" JOB, "\n");
    expect_captions(*state, "root@box:~# fio job.fio\n" JOB, "\n");
    expect_captions(*state, "[root@box dir]# fio job.fio\n" JOB, "\n");
    expect_captions(*state, "[a@box ~]$ fio job.fio\n" JOB, "\n");
}

/* 60 characters are a heading, 61 are none. */
static void test_caption_length(void **state)
{
    const char *sixty = "a23456789 b23456789 c23456789 d23456789 e23456789 f234567890";
    assert_int_equal(strlen(sixty), 60);
    char *text = g_strconcat(sixty, "\n\n" JOB, NULL), *caption = g_strconcat(sixty, "\n", NULL);
    expect_captions(*state, text, caption);
    g_free(text);
    g_free(caption);
    text = g_strconcat(sixty, "1\n\n" JOB, NULL);
    expect_captions(*state, text, "\n");
    g_free(text);
    /* Characters, not bytes. */
    GString *umlauts = g_string_new(NULL);
    for (int i = 0; i < 60; i++)
        g_string_append(umlauts, "\xc3\xa4");
    caption = g_strconcat(umlauts->str, "\n", NULL);
    text = g_strconcat(umlauts->str, "\n\n" JOB, NULL);
    expect_captions(*state, text, caption);
    g_free(text);
    g_free(caption);
    g_string_free(umlauts, TRUE);
}

static void test_caption_and_command(void **state)
{
    expect_captions(*state, "SYSTEM\n\n$ fio job.fio\n\n" JOB, "SYSTEM\n");
    expect_captions(*state, "SYSTEM\n# fio --name=job --rw=read\n" JOB, "SYSTEM\n");
    expect_captions(*state, "SYSTEM\nfio --name=job --rw=read\n" JOB, "SYSTEM\n");
    expect_captions(*state, "SYSTEM\n\nroot@box:~# fio job.fio\n" JOB, "SYSTEM\n");
    expect_captions(*state, "SYSTEM\n\n$ fio --name=job \\\n    --rw=read \\\n    --bs=4k\n\n" JOB, "SYSTEM\n");
    /* Two commands are one too many. */
    expect_captions(*state, "SYSTEM\n\n$ echo 3 >/proc/sys/vm/drop_caches\n$ fio job.fio\n" JOB, "\n");
}

static void test_caption_holds(void **state)
{
    /* Blocks of one output, and the next ones too. */
    expect_captions(*state,
                    "- numa=on\n\n" JOB "\nRun status group 0 (all jobs):\n"
                    "   READ: bw=400KiB/s (410kB/s), 400KiB/s-400KiB/s (410kB/s-410kB/s), io=4000KiB (4096kB), "
                    "run=10000-10000msec\n\n" JOB,
                    "numa=on\nnuma=on\nnuma=on\n");
    /* until another heading, */
    expect_captions(*state, "- numa=on\n\n" JOB "\n- numa=off\n\n" JOB "\n" JOB, "numa=on\nnuma=off\nnuma=off\n");
    /* or prose. */
    expect_captions(*state, "- numa=on\n\n" JOB "\nWithout the patch it is slower.\n\n" JOB, "numa=on\n\n");
    expect_captions(*state, "- numa=on\n\nBoth runs took an hour.\n\n" JOB, "\n");
}

static void test_caption_at_its_depth(void **state)
{
    expect_captions(*state, "> - numa=on\n\n" JOB, "\n");
    expect_captions(*state, "- numa=on\n\n> job: (groupid=0, jobs=1): err= 0: pid=4711\n", "\n");
    expect_captions(*state,
                    "> > - deep\n> - shallow\n> job: (groupid=0, jobs=1): err= 0: pid=4711\n"
                    "> > job: (groupid=0, jobs=1): err= 0: pid=4711\n",
                    "shallow\ndeep\n");
}

/* A table whose first line is its title has no caption, and ends that of the
 * blocks before. */
static void test_caption_and_title(void **state)
{
    expect_captions(*state, TABLE, "\n");
    expect_captions(*state, "- numa=on\n\n" TABLE, "\n");
    expect_captions(*state, OVERVIEW, "\n");
    expect_captions(*state, "- numa=on\n\n" JOB "\n" OVERVIEW "\n" JOB, "numa=on\n\n\n");
    expect_captions(*state, "- numa=on\n\n" JOB "\n" TABLE "\n" JOB, "numa=on\n\n\n");
}

/* ---- result, part, line, quote_depth ---- */

static void test_results(void **state)
{
    /* A job is a result, its group another, and so are the disks. */
    expect(*state,
           JOB_BEGIN "\nRun status group 0 (all jobs):\n"
                     "   READ: bw=400KiB/s (410kB/s), 400KiB/s-400KiB/s (410kB/s-410kB/s), io=4000KiB (4096kB), "
                     "run=10000-10000msec\n\n"
                     "Disk stats (read/write):\n"
                     "  sda: ios=1/2, merge=3/4, ticks=5/6, in_queue=7, util=8.90%\n" JOB_BEGIN,
           "result metric stat value",
           "1|error||0\n"
           "2|group.read.bw||409600\n2|group.read.bw|min|409600\n2|group.read.bw|max|409600\n"
           "2|group.read.io||4096000\n2|group.read.runtime|min|10\n2|group.read.runtime|max|10\n"
           "3|disk_util.read_ios||1\n3|disk_util.write_ios||2\n3|disk_util.read_merges||3\n"
           "3|disk_util.write_merges||4\n3|disk_util.read_ticks||0.005\n3|disk_util.write_ticks||0.006\n"
           "3|disk_util.in_queue||0.007\n3|disk_util.util||8.9\n"
           "4|error||0\n");
    /* Directions without a job line: the same one again begins the next result. */
    expect(*state, JOB_READ "  write: IOPS=100, BW=400KiB/s (410kB/s)(4000KiB/10000msec)\n" JOB_READ, "result metric",
           "1|read.iops\n1|read.bw\n1|read.io\n1|read.runtime\n"
           "1|write.iops\n1|write.bw\n1|write.io\n1|write.runtime\n"
           "2|read.iops\n2|read.bw\n2|read.io\n2|read.runtime\n");
    /* What stands between says that another result follows; an empty line does not. */
    expect(*state,
           "old:\n\n  READ: bw=400KiB/s (410kB/s)\n\n  WRITE: bw=500KiB/s (512kB/s)\n"
           "fio --rw=write\nnew:\n  TRIM: bw=600KiB/s (614kB/s)\n",
           "result caption metric", "1|old|group.read.bw\n1|old|group.write.bw\n2|new|group.trim.bw\n");
    /* Below a heading of their own, the group's, they are together. */
    expect(*state,
           "Run status group 3 (all jobs):\n  READ: bw=400KiB/s (410kB/s)\nwhat is not known\n"
           "  WRITE: bw=500KiB/s (512kB/s)\n",
           "result params metric", "1|group=3|group.read.bw\n1|group=3|group.write.bw\n");
    /* The results of other tools between. */
    expect(*state, OVERVIEW "\n" TABLE "\n" OVERVIEW, "result tool",
           "1|phoronix\n1|phoronix\n2|mmtests\n2|mmtests\n2|mmtests\n2|mmtests\n3|phoronix\n3|phoronix\n");
}

/* Numbers go by the first line, whatever the depth. */
static void test_results_at_depths(void **state)
{
    expect(*state,
           "> one: (groupid=0, jobs=1): err= 1: pid=1\n"
           "two: (groupid=0, jobs=1): err= 2: pid=1\n"
           "> > three: (groupid=0, jobs=1): err= 3: pid=1\n"
           ">> four: (groupid=0, jobs=1): err= 4: pid=1\n"
           ">five: (groupid=0, jobs=1): err= 5: pid=1\n"
           "six: (groupid=0, jobs=1): err= 6: pid=1\n",
           "result quote_depth line test value",
           "1|1|1|one|1\n2|0|2|two|2\n3|2|3|three|3\n4|2|4|four|4\n5|1|5|five|5\n6|0|6|six|6\n");
}

/* Two quoted runs that alternate line by line are two results, not a mixture. */
static void test_results_interleaved(void **state)
{
    expect(*state,
           "> one: (groupid=0, jobs=1): err= 0: pid=1\n"
           "> > two: (groupid=0, jobs=1): err= 0: pid=1\n"
           ">   read: IOPS=100, BW=400KiB/s (410kB/s)(4000KiB/10000msec)\n"
           "> >   read: IOPS=200, BW=800KiB/s (819kB/s)(8000KiB/10000msec)\n",
           "result quote_depth line test metric value",
           "1|1|1|one|error|0\n1|1|3|one|read.iops|100\n1|1|3|one|read.bw|409600\n1|1|3|one|read.io|4096000\n"
           "1|1|3|one|read.runtime|10\n"
           "2|2|2|two|error|0\n2|2|4|two|read.iops|200\n2|2|4|two|read.bw|819200\n2|2|4|two|read.io|8192000\n"
           "2|2|4|two|read.runtime|10\n");
}

/* Results are numbered through all parts; lines are counted in each. */
static void test_parts(void **state)
{
    struct rows *rows = extract_raw(*state,
                                    "Message-ID: <p@example.org>\n"
                                    "Date: Mon, 04 Mar 2024 18:20:00 +0100\n"
                                    "Content-Type: multipart/mixed; boundary=b\n"
                                    "\n"
                                    "--b\n"
                                    "Content-Type: text/plain\n"
                                    "\n"
                                    "\n"
                                    "> a: (groupid=0, jobs=1): err= 1: pid=1\n"
                                    "b: (groupid=0, jobs=1): err= 2: pid=1\n"
                                    "--b\n"
                                    "Content-Type: multipart/mixed; boundary=c\n"
                                    "\n"
                                    "--c\n"
                                    "\n"
                                    "no result\n"
                                    "--c\n"
                                    "Content-Type: text/x-log\n"
                                    "Content-Disposition: attachment\n"
                                    "Content-Transfer-Encoding: quoted-printable\n"
                                    "\n"
                                    "one line that goes=\n"
                                    " on here\n"
                                    "c=3A (groupid=3D0, jobs=3D1): err=3D 3: pid=3D1\n"
                                    "--c--\n"
                                    "--b--\n",
                                    true, NULL);
    char *fields = fields_of(rows, "message_id date result part line quote_depth test value");
    assert_string_equal(fields, "p@example.org|2024-03-04T17:20:00Z|1|1|2|1|a|1\n"
                                "p@example.org|2024-03-04T17:20:00Z|2|1|3|0|b|2\n"
                                "p@example.org|2024-03-04T17:20:00Z|3|2.2|2|0|c|3\n");
    g_free(fields);
    rows_free(rows);
}

/* Each figure has the line on which it stands, not that of its block. */
static void test_lines(void **state)
{
    expect(*state,
           "\n\n" JOB_BEGIN "\n"
           "    clat (usec): min=8, max=401, avg=30.96, stdev= 9.60\n"
           "    clat percentiles (usec):\n"
           "     |  1.00th=[   71],  5.00th=[   77],\n"
           "     | 99.00th=[   81]\n",
           "line metric stat", "3|error|\n");
    expect(*state,
           JOB "    clat (usec): min=8, max=401, avg=30.96, stdev= 9.60\n"
               "    clat percentiles (usec):\n"
               "     |  1.00th=[   71],  5.00th=[   77],\n"
               "     | 99.00th=[   81]\n",
           "line metric stat",
           "1|error|\n2|read.iops|\n2|read.bw|\n2|read.io|\n2|read.runtime|\n"
           "3|read.clat|min\n3|read.clat|max\n3|read.clat|mean\n3|read.clat|stddev\n"
           "5|read.clat|p1\n5|read.clat|p5\n6|read.clat|p99\n");
}

/* ---- value_text ---- */

static void test_value_texts(void **state)
{
    /* A unit attached belongs to it; a blank ends it, and so do brackets. */
    expect(*state,
           JOB_BEGIN "  read : io=2024.0KB, bw=39686KB/s, iops=9921 , runt=    51msec\n"
                     "  cpu          : usr=0.00%, sys=1.96%, ctx=506, majf=0, minf=33\n"
                     "    clat (usec): min= 8 , max=12.5k, avg=30.96, stdev= 9.60\n"
                     "    clat percentiles (usec):\n"
                     "     |  1.00th=[   71],\n",
           "metric stat value value_text",
           "error||0|0\n"
           "read.io||2072576|2024.0KB\nread.bw||40638464|39686KB/s\nread.iops||9921|9921\nread.runtime||0.051|51msec\n"
           "cpu.usr||0|0.00%\ncpu.sys||1.96|1.96%\ncpu.ctx||506|506\ncpu.majf||0|0\ncpu.minf||33|33\n"
           "read.clat|min|0.000008|8\nread.clat|max|0.0125|12.5k\nread.clat|mean|0.00003096|30.96\n"
           "read.clat|stddev|0.0000096|9.60\nread.clat|p1|0.000071|71\n");
    expect(*state, "Transactions:     1,160 hits\nData transferred:   17.44 MB\nResponse time:  10.50 ms\n",
           "metric value value_text",
           "transactions|1160|1,160\ndata_transferred|18287165.44|17.44\nresponse_time|0.0105|10.50\n");
    expect(*state, OVERVIEW, "value value_text", "1000|1000.0\n500|500.00\n");
    expect(*state, TABLE, "value value_text change",
           "1|1.0000|0.00\n2|2.0000|-100.00\n50|50.0000|0.00\n40|40.0000|-20.00\n");
}

/* ---- better ---- */

static void test_better(void **state)
{
    expect(*state,
           JOB "    slat (nsec): min=1, max=3, avg=2.00, stdev= 1.00\n"
               "    bw (  KiB/s): min=  214, max=  665, per=99.85%, avg=440.29, stdev=11.35, samples=119\n"
               "   iops        : min=   53, max=   66, avg=60.00, stdev= 2.83, samples=119\n"
               "  cpu          : usr=0.00%, sys=1.96%, ctx=506, majf=0, minf=33\n",
           "metric stat better",
           "error||\nread.iops||higher\nread.bw||higher\nread.io||\nread.runtime||\n"
           "read.slat|min|lower\nread.slat|max|lower\nread.slat|mean|lower\nread.slat|stddev|lower\n"
           "read.bw|min|higher\nread.bw|max|higher\nread.bw|agg|\nread.bw|mean|higher\nread.bw|stddev|\n"
           "read.bw|samples|\n"
           "read.iops|min|higher\nread.iops|max|higher\nread.iops|mean|higher\nread.iops|stddev|\n"
           "read.iops|samples|\n"
           "cpu.usr||\ncpu.sys||\ncpu.ctx||\ncpu.majf||\ncpu.minf||\n");
    expect(*state,
           "Transactions: 1160 hits\nAvailability: 100.00 %\nElapsed time: 2.00 secs\nData transferred: 17.44 MB\n"
           "Response time: 0.01 secs\nTransaction rate: 580.00 trans/sec\nThroughput: 8.72 MB/sec\nConcurrency: 4.21\n"
           "Successful transactions: 1160\nFailed transactions: 0\nLongest transaction: 0.05\n"
           "Shortest transaction: 0.00\n",
           "metric better",
           "transactions|\navailability|\nelapsed_time|lower\ndata_transferred|\nresponse_time|lower\n"
           "transaction_rate|higher\nthroughput|higher\nconcurrency|\nsuccessful_transactions|\nfailed_transactions|\n"
           "longest_transaction|lower\nshortest_transaction|lower\n");
    /* Phoronix says it, result by result. */
    expect(*state, OVERVIEW, "better", "higher\nhigher\n");
    expect(*state, "x 1.0\nA: 1\nSeconds < Lower Is Better\nv5.8 .. 1.0 |==\nv5.9 .. 2.0 |====\n", "better",
           "lower\nlower\n");
    expect(*state, OVERVIEW "\nx 1.0\nA: 1\nSeconds\nv5.8 .. 1.0 |==\nv5.9 .. 2.0 |====\n", "series better",
           "v5.8|higher\nv5.9|higher\nv5.8|\nv5.9|\n");
}

static void test_better_by_statistic(void **state)
{
    expect(*state,
           "x\n       5.9       5.10\n   vanilla    patched\n"
           "Min       a   1.00 (   0.00%)   1.00 (   0.00%)\n"
           "Amean     a   1.00 (   0.00%)   1.00 (   0.00%)\n"
           "Hmean     a   1.00 (   0.00%)   1.00 (   0.00%)\n"
           "BAmean-99 a   1.00 (   0.00%)   1.00 (   0.00%)\n"
           "BHmean-50 a   1.00 (   0.00%)   1.00 (   0.00%)\n"
           "Stddev    a   1.00 (   0.00%)   1.00 (   0.00%)\n"
           "Max       a   1.00 (   0.00%)   1.00 (   0.00%)\n"
           "Ops       a   1.00 (   0.00%)   1.00 (   0.00%)\n",
           "metric stat better",
           "a|min|\na|min|\na|amean|lower\na|amean|lower\na|hmean|higher\na|hmean|higher\n"
           "a|bamean-99|lower\na|bamean-99|lower\na|bhmean-50|higher\na|bhmean-50|higher\n"
           "a|stddev|\na|stddev|\na|max|\na|max|\nOps a||\nOps a||\n");
}

/* ---- tool_version ---- */

static void test_versions(void **state)
{
    expect(*state, "fio-3.36\n" JOB_BEGIN, "tool_version", "3.36\n");
    expect(*state, "fio 2.0.14\n" JOB_BEGIN, "tool_version", "2.0.14\n");
    expect(*state, JOB_BEGIN, "tool_version", "\n");
    /* It holds for all that follows, until another is printed. */
    expect(*state, "fio-3.7\nStarting 1 process\n" JOB_BEGIN "\n" JOB_BEGIN "\nfio-3.28\n" JOB_BEGIN,
           "result tool_version", "1|3.7\n2|3.7\n3|3.28\n");
    /* Not for what stands above, or what another voice quotes. */
    expect(*state, "> fio-3.7\n" JOB_BEGIN, "tool_version", "\n");
    expect(*state, "** SIEGE 4.0.4\n** Preparing 5 concurrent users for battle.\nTransactions: 5 hits\n",
           "tool_version", "4.0.4\n");
    expect(*state, "** SIEGE 4.0.4\n" JOB_BEGIN, "tool tool_version", "fio|\n");
}

/* ---- check ---- */

static void test_check_bandwidths(void **state)
{
    const char *good = "job: (groupid=0, jobs=1): err= 0: pid=1\n"
                       "  read: IOPS=60, BW=240KiB/s (246kB/s)(14.1MiB/60022msec)\n";
    expect(*state, good, "metric value check",
           "error|0|\nread.iops|60|\nread.bw|245760|ok\nread.io|14784921.6|ok\nread.runtime|60.022|ok\n");
    /* One bandwidth of the two is misread: its row says so, and keeps its value. */
    expect(*state, "  read: IOPS=60, BW=240KiB/s (346kB/s)(14.1MiB/60022msec)\n", "metric value check",
           "read.iops|60|\nread.bw|245760|mismatch\nread.io|14784921.6|ok\nread.runtime|60.022|ok\n");
    /* bandwidth x runtime is not the I/O */
    expect(*state, "  read: IOPS=60, BW=240KiB/s (246kB/s)(24.1MiB/60022msec)\n", "metric check",
           "read.iops|\nread.bw|mismatch\nread.io|mismatch\nread.runtime|mismatch\n");
    /* Below 100 ms the runtime says too little. */
    expect(*state, "  read: IOPS=60, BW=240KiB/s (246kB/s)(24.1MiB/99msec)\n", "metric check",
           "read.iops|\nread.bw|ok\nread.io|\nread.runtime|\n");
    /* 1.96 is printed as 1.0 by some versions. */
    expect(*state, "  read: IOPS=60, BW=1.0MiB/s (2055kB/s)(118MiB/60022msec)\n", "metric check",
           "read.iops|\nread.bw|ok\nread.io|ok\nread.runtime|ok\n");
    /* Nothing was read: nothing to compare. */
    expect(*state, "  read: IOPS=0, BW=0B/s (0B/s)(0B/60022msec)\n", "metric check",
           "read.iops|\nread.bw|\nread.io|\nread.runtime|\n");
}

static void test_check_statistics(void **state)
{
    expect(*state, JOB_READ "    clat (usec): min=8, max=401, avg=30.96, stdev= 9.60\n", "metric stat check",
           "read.iops||\nread.bw||ok\nread.io||ok\nread.runtime||ok\n"
           "read.clat|min|ok\nread.clat|max|ok\nread.clat|mean|ok\nread.clat|stddev|\n");
    /* A mean above the maximum; it is above the minimum, which stands. */
    expect(*state, JOB_READ "    clat (usec): min=8, max=40, avg=309.6, stdev= 9.60\n", "metric stat check",
           "read.iops||\nread.bw||ok\nread.io||ok\nread.runtime||ok\n"
           "read.clat|min|ok\nread.clat|max|mismatch\nread.clat|mean|mismatch\nread.clat|stddev|\n");
    /* A minimum that is the mean, but for rounding. */
    expect(*state, JOB_READ "    clat (usec): min=31, max=31, avg=30.96, stdev= 0.00\n", "stat check",
           "|\n|ok\n|ok\n|ok\nmin|ok\nmax|ok\nmean|ok\nstddev|\n");
}

static void test_check_percentiles(void **state)
{
    expect(*state,
           JOB_READ "    clat percentiles (usec):\n"
                    "     |  1.00th=[   71],  5.00th=[   77], 10.00th=[   77], 20.00th=[   87]\n",
           "stat check", "|\n|ok\n|ok\n|ok\np1|ok\np5|ok\np10|ok\np20|ok\n");
    expect(*state,
           JOB_READ "    clat percentiles (usec):\n"
                    "     |  1.00th=[   71],  5.00th=[  177], 10.00th=[   81], 20.00th=[   87]\n",
           "stat check", "|\n|ok\n|ok\n|ok\np1|ok\np5|mismatch\np10|mismatch\np20|ok\n");
}

static void test_check_groups(void **state)
{
    expect(*state,
           "Run status group 0 (all jobs):\n"
           "   READ: bw=400KiB/s (410kB/s), 400KiB/s-500KiB/s (410kB/s-410kB/s), io=4000KiB (4096kB), "
           "run=10000-10000msec\n",
           "metric stat check",
           "group.read.bw||ok\ngroup.read.bw|min|ok\ngroup.read.bw|max|mismatch\ngroup.read.io||ok\n"
           "group.read.runtime|min|\ngroup.read.runtime|max|ok\n");
}

static void test_check_siege(void **state)
{
    expect(*state,
           "Transactions: 1160 hits\nAvailability: 100.00 %\nElapsed time: 2.00 secs\nData transferred: 17.44 MB\n"
           "Response time: 0.01 secs\nTransaction rate: 580.00 trans/sec\nThroughput: 8.72 MB/sec\nConcurrency: 4.21\n"
           "Successful transactions: 1160\nFailed transactions: 0\n",
           "metric check",
           "transactions|ok\navailability|ok\nelapsed_time|ok\ndata_transferred|ok\nresponse_time|\n"
           "transaction_rate|ok\nthroughput|ok\nconcurrency|\nsuccessful_transactions|\nfailed_transactions|ok\n");
}

static void test_check_siege_mismatch(void **state)
{
    expect(*state, "Transactions: 1160 hits\nElapsed time: 2.00 secs\nTransaction rate: 530.00 trans/sec\n",
           "metric check", "transactions|mismatch\nelapsed_time|mismatch\ntransaction_rate|mismatch\n");
    expect(*state,
           "Transactions: 1160 hits\nElapsed time: 2.00 secs\nData transferred: 17.44 MB\nThroughput: 9.72 MB/sec\n",
           "metric check", "transactions|\nelapsed_time|mismatch\ndata_transferred|mismatch\nthroughput|mismatch\n");
    /* half of them failed, but all were available */
    expect(*state, "Transactions: 50 hits\nAvailability: 100.00 %\nFailed transactions: 50\n", "metric check",
           "transactions|mismatch\navailability|mismatch\nfailed_transactions|mismatch\n");
    expect(*state, "Transactions: 50 hits\nAvailability: 50.00 %\nFailed transactions: 50\n", "metric check",
           "transactions|ok\navailability|ok\nfailed_transactions|ok\n");
}

static void test_check_bars(void **state)
{
    expect(*state, OVERVIEW, "check", "ok\nok\n");
    /* half the value, a bar as long */
    expect(*state,
           "x 1.0\nA: 1\nT/s > Higher Is Better\n"
           "v5.8 .. 1000.0 |====================\n"
           "v5.9 .. 500.00 |====================\n"
           "v6.0 .. 250.00 |=====\n",
           "series check", "v5.8|ok\nv5.9|mismatch\nv6.0|ok\n");
    /* A bar alone can be compared with nothing. */
    expect(*state, "x 1.0\nA: 1\nT/s > Higher Is Better\nv5.8 .. 1000.0 |====================\n", "check", "\n");
}

static void test_check_changes(void **state)
{
    expect(*state, TABLE, "value change check", "1|0.00|ok\n2|-100.00|ok\n50|0.00|ok\n40|-20.00|ok\n");
    /* The second change fits neither its value nor any sign of it: both
     * figures that take part are marked, and the third is not. */
    expect(*state,
           "x\n       5.9       5.10       5.11\n   vanilla    patched    patched\n"
           "Amean     a   1.00 (   0.00%)   1.50 ( -60.00%)   1.50 ( -50.00%)\n",
           "series change check", "5.9-vanilla|0.00|mismatch\n5.10-patched|-60.00|mismatch\n5.11-patched|-50.00|ok\n");
    /* Percent of the new value, as once was printed; a gain, whatever its sign. */
    expect(*state,
           "x\n       3.0       3.1       3.2\n   vanilla    patched    patched\n"
           "Hmean     a   1.00 (   0.00%)   2.00 (  50.00%)   2.00 ( 100.00%)\n",
           "change check", "0.00|ok\n50.00|ok\n100.00|ok\n");
    /* Nothing is a part of zero. */
    expect(*state,
           "x\n       5.9       5.10\n   vanilla    patched\n"
           "Amean     a   0.00 (   0.00%)   1.50 ( -99.00%)\n",
           "change check", "0.00|\n-99.00|\n");
}

/* The summary counts what was checked, and what did not hold. */
static void test_check_counts(void **state)
{
    struct recognizer_counts counts;
    rows_free(extract(*state, "  read: IOPS=60, BW=240KiB/s (346kB/s)(14.1MiB/60022msec)\n", &counts));
    assert_int_equal(counts.results, 1);
    assert_int_equal(counts.observations, 4);
    assert_int_equal(counts.checked, 3);
    assert_int_equal(counts.mismatched, 1);
    assert_int_equal(counts.not_numbers, 0);
    assert_int_equal(counts.unknown_lines, 0);
    assert_int_equal(counts.dropped, 0);
}

/* ---- figures that are none ---- */

static void test_not_numbers(void **state)
{
    struct recognizer_counts counts;
    struct rows *rows = extract(*state, JOB_READ "    clat (usec): min=8, max=401, avg=  nan, stdev= -nan\n", &counts);
    char *fields = fields_of(rows, "metric stat");
    assert_string_equal(fields, "read.iops|\nread.bw|\nread.io|\nread.runtime|\nread.clat|min\nread.clat|max\n");
    assert_int_equal(counts.not_numbers, 2);
    g_free(fields);
    rows_free(rows);

    rows = extract(*state, "Transactions: 0 hits\nAvailability: -nan %\nTransaction rate: inf trans/sec\n", &counts);
    assert_int_equal(rows->lines->len, 1);
    assert_int_equal(counts.not_numbers, 2);
    rows_free(rows);

    /* A figure that is missing has no row; a change that is none is empty. */
    rows = extract(*state,
                   "x\n       5.9       5.10\n   vanilla    patched\n"
                   "Amean     a   1.00 (   0.00%)   NaN (   NaN%)\n"
                   "Amean     b   1.00 (   0.00%)   2.00 (   NaN%)\n"
                   "Amean     c    inf (   0.00%)   2.00 (   0.00%)\n"
                   "Amean     d   1.00 (   0.00%)   -Inf ( -Inf%)\n",
                   &counts);
    fields = fields_of(rows, "series metric value change");
    assert_string_equal(fields, "5.9-vanilla|a|1|0.00\n5.9-vanilla|b|1|0.00\n5.10-patched|b|2|\n"
                                "5.10-patched|c|2|0.00\n5.9-vanilla|d|1|0.00\n");
    assert_int_equal(counts.not_numbers, 3);
    g_free(fields);
    rows_free(rows);
}

/* ---- params ---- */

static void test_params(void **state)
{
    /* keys in byte order; what parts them is escaped */
    expect(*state, JOB_BEGIN, "params", "group=0;jobs=1\n");
    expect(*state, "x 1.0\nb: 1 - a=b: c;d - B: \\\nT/s > Higher Is Better\nv5.8 .. 1000.0 |==\n", "params",
           "B=\\\\;a\\=b=c\\;d;b=1\n");
    expect(*state, "x 1.0\nStatic Serving\nT/s > Higher Is Better\nv5.8 .. 1000.0 |==\n", "params",
           "description=Static Serving\n");
}

/* ---- units by version ---- */

/* Until 3.2 fio's latency target is in microseconds, from 3.3 in nanoseconds,
 * and says so only since 3.42. */
static void test_units_by_version(void **state)
{
    struct recognizer_counts counts;
    const struct {
        const char *version, *target, *value; /* NULL: no row */
    } cases[] = {
        {"fio-3.2\n", "1000", "0.001"},
        {"fio-3.3\n", "1000", "0.000001"},
        {"fio-2.2.10\n", "1000", "0.001"},
        {"fio-3.10\n", "1000", "0.000001"},
        {"", "1000", NULL},
        {"", "0", "0"},
        {"fio-3.42\n", "1000nsec", "0.000001"},
        {"", "1000nsec", "0.000001"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *text = g_strconcat(cases[i].version, JOB "     latency   : target=", cases[i].target,
                                 ", window=0, percentile=100.00%, depth=1\n", NULL);
        struct rows *rows = extract(*state, text, &counts);
        const char *value = NULL;
        for (guint r = 0; r < rows->lines->len; r++)
            if (strcmp(rows_field(rows, r, "metric"), "latency_target") == 0)
                value = rows_field(rows, r, "value");
        if (cases[i].value)
            assert_string_equal(value, cases[i].value);
        else
            assert_null(value);
        assert_int_equal(counts.dropped, cases[i].value ? 0 : 1);
        rows_free(rows);
        g_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_caption_marks),
        cmocka_unit_test(test_no_caption),
        cmocka_unit_test(test_caption_length),
        cmocka_unit_test(test_caption_and_command),
        cmocka_unit_test(test_caption_holds),
        cmocka_unit_test(test_caption_at_its_depth),
        cmocka_unit_test(test_caption_and_title),
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_results_at_depths),
        cmocka_unit_test(test_results_interleaved),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_value_texts),
        cmocka_unit_test(test_better),
        cmocka_unit_test(test_better_by_statistic),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_check_bandwidths),
        cmocka_unit_test(test_check_statistics),
        cmocka_unit_test(test_check_percentiles),
        cmocka_unit_test(test_check_groups),
        cmocka_unit_test(test_check_siege),
        cmocka_unit_test(test_check_siege_mismatch),
        cmocka_unit_test(test_check_bars),
        cmocka_unit_test(test_check_changes),
        cmocka_unit_test(test_check_counts),
        cmocka_unit_test(test_not_numbers),
        cmocka_unit_test(test_params),
        cmocka_unit_test(test_units_by_version),
    };
    return cmocka_run_group_tests(tests, load_grammars, free_grammars);
}
