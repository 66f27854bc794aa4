/* Text left in quoted-printable, and text that only looks so. */
#include "extract/undecoded.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

/* The lines of text, decoded; a soft break is shown as `~`, a carriage return as `!`. */
static char *mended(const char *text)
{
    GArray *array = g_array_new(FALSE, FALSE, sizeof(struct undecoded_line));
    GStringChunk *texts = g_string_chunk_new(4096);
    GString *out = g_string_new(NULL);
    const char *stop = text + strlen(text);
    struct undecoded_line *lines;
    size_t count;

    for (;;) {
        const char *end = memchr(text, '\n', (size_t)(stop - text));
        struct undecoded_line line = {.text = {text, (size_t)((end ? end : stop) - text)}};

        g_array_append_val(array, line);
        if (!end)
            break;
        text = end + 1;
    }
    lines = (struct undecoded_line *)(void *)array->data;
    count = array->len;
    (void)undecoded_mend(lines, count, texts);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            g_string_append_c(out, '\n');
        for (size_t j = 0; j < lines[i].text.length; j++)
            g_string_append_c(out, lines[i].text.bytes[j] == '\r' ? '!' : lines[i].text.bytes[j]);
        if (lines[i].soft_break)
            g_string_append_c(out, '~');
    }
    g_array_free(array, TRUE);
    g_string_chunk_free(texts);
    return g_string_free(out, FALSE);
}

static void expect(const char *text, const char *wanted)
{
    char *got = mended(text);

    assert_string_equal(got, wanted);
    g_free(got);
}

static void expect_same(const char *text)
{
    expect(text, text);
}

/* RFC 2045 6.7 */
static void rules_of_the_encoding(void **state)
{
    (void)state;
    expect("a=3Db\nc=3Dd", "a=b\nc=d");
    /* 76 characters, the `=` among them; blanks after it are none of the text */
    expect("Now's the time for all folk to come to the aid of their country, and so fort=\nh.",
           "Now's the time for all folk to come to the aid of their country, and so fort~\nh.");
    expect("Now's the time for all folk to come to the aid of their country, and so fort= \t\nh.",
           "Now's the time for all folk to come to the aid of their country, and so fort~\nh.");
    expect("a=3Db=3Dc\nblank at the end=20\ntab=09\n=20=20indented", "a=b=c\nblank at the end \ntab\t\n  indented");
    expect("a=3Db=3Dc\ncol:=09 5\ntwo=20=20blanks", "a=b=c\ncol:\t 5\ntwo  blanks");
    expect("x=3Dy=3Dz\nthe end =20=\n", "x=y=z\nthe end =20=\n");
}

static void characters_beyond_ascii(void **state)
{
    (void)state;
    expect("5=C2=A0=C2=B5s", "5\u00a0\u00b5s");
    expect("=E2=82=AC and =F0=9F=98=80", "\u20ac and \U0001F600");
    /* parted by a soft break: whole in the second line */
    expect("Response time:                                                   =C2=\n=A0=C2=A05 secs",
           "Response time:                                                   ~\n\u00a0\u00a05 secs");
    expect("Response time:                                                  =E2=82=\n=AC 5\nnext",
           "Response time:                                                  ~\n\u20ac 5\nnext");
    /* a charset of one byte a character */
    expect("x=3Dy=3Dz\n5=A0=B5s", "x=y=z\n5\u00a0\u00b5s");
}

static void control_characters(void **state)
{
    (void)state;
    expect("[=1B[1;34mdebug=1B[0m] a=3D=3D>b", "[\033[1;34mdebug\033[0m] a==>b");
    expect("a=3Db=3Dc=0D=0A=\nnext=0A=\nlast", "a=b=c!!\nnext!\nlast");
    /* only what a text has: NUL and the like vanish, no matter how they came */
    expect("a=3Db=3Dc=07x", "a=b=c\ax");
}

static void quoted_before_it_was_encoded(void **state)
{
    (void)state;
    expect("> Now's the time for all folk to come to the aid of their country, and so=\n forth.\n> a=3D",
           "> Now's the time for all folk to come to the aid of their country, and so~\n forth.\n> a=");
}

static void quoted_after_it_was_encoded(void **state)
{
    (void)state;
    expect("> Now's the time for all folk to come to the aid of their country, and so fo=\n> rth.\n> a=3Db",
           "> Now's the time for all folk to come to the aid of their country, and so fo~\nrth.\n> a=b");
    /* both, one after the other: the inner mark is encoded text */
    expect("> > Now's the time for all folk to come to the aid of their country, and so f=\n> orth.",
           "> > Now's the time for all folk to come to the aid of their country, and so f~\north.");
    expect(">Now's the time for all folk to come to the aid of their country, and so fo=C2=\n>=A0rth.",
           ">Now's the time for all folk to come to the aid of their country, and so fo~\n\u00a0rth.");
}

/* A header pasted with its mail says how that is encoded. */
static void announced(void **state)
{
    static const char *const encoded = "MIME-Version: 1.0\nContent-Transfer-Encoding: quoted-printable\n"
                                       "Content-Type: text/plain; charset=utf-8\n\none=20\na=3Db\n";
    (void)state;
    expect(encoded, "MIME-Version: 1.0\nContent-Transfer-Encoding: quoted-printable\n"
                    "Content-Type: text/plain; charset=utf-8\n\none \na=b\n");
    expect("> Content-transfer-encoding: Quoted-Printable\n>\n> a=3Db",
           "> Content-transfer-encoding: Quoted-Printable\n"
           ">\n> a=b");
    expect_same("Content-Transfer-Encoding: 8bit\n\na=3Db");
    expect_same("Content-Transfer-Encoding: quoted-printable\nis what it said\n\na=3Db");
}

static void normal_text(void **state)
{
    (void)state;
    expect_same("");
    expect_same("\n\n");
    expect_same("x=20\ny=3D\nfor n=20");
    expect_same("  lat (usec): min=8, max=20, avg=12.00, stdev= 3.10\n  iops=20\n  depth=20");
    expect_same("     cpu          : usr=0.20%, sys=0.80%, ctx=3D, majf=3D, minf=80");
    expect_same("  >=64=0.0%\n  IO depths    : 1=0.1%, 2=0.1%, 4=0.1%, 8=0.1%, 16=0.1%, 32=99.9%, >=64=0.0%");
    expect_same("v5.9 Git . 459.51 |===========================================================\nv5.10 ... 460 |=====");
    expect_same("Results\n=======\n\n=20\n");
    expect_same("fio --name=3D --rw=3D --bs=4k --iodepth=20");
    expect_same("-\tint x=20;\n+\tint x=3D;\n-\ty == 3;\n+\ty=3D;");
    expect_same("https://example.org/?a=3Ds&b=C2");
    expect_same("bs=A0 bs=B5 =E9");
    /* the end of base64: 64 or 76 characters, the last of them `=` */
    expect_same("iQEzBAEBCAAdFiEEabcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ0=\n=AB3D\n-----END PGP SIGNATURE-----");
    /* source code that is wrapped after an assignment, once */
    expect_same("static const struct some_operations *example_operations_table =\n\tNULL;\ndone");
    /* what an encoder would have encoded ends the run */
    expect_same("a=3D\n\u00b5s\nb=3D");
    /* the break comes too early, or too late */
    expect_same("too short for a=\nbreak");
    expect_same(
        "x=3D long after all that an encoder would have written in a single line of at most 76 characters xx=\n");
}

/* A line with a `=` that no encoder wrote ends the run and is left alone. */
static void runs_end(void **state)
{
    (void)state;
    expect("min=3D8, max=3D9\nmin=8, max=3D\nmin=3D8, max=3D9", "min=8, max=9\nmin=8, max=3D\nmin=8, max=9");
    expect("min=8, x=3D\nmin=3D8\nmin=8", "min=8, x=3D\nmin=3D8\nmin=8");
    /* a soft break before such a line is none */
    expect("Now's the time for all folk to come to the aid of their country, and so fort=\nx = 5",
           "Now's the time for all folk to come to the aid of their country, and so fort=\nx = 5");
}

static void any_bytes_are_read(void **state)
{
    static const char *const tokens[] = {"=",
                                         "=3D",
                                         "=20",
                                         "=09",
                                         "=C2",
                                         "=A0",
                                         "=0A",
                                         "=0D",
                                         "=1B",
                                         "\n",
                                         "\n",
                                         "> ",
                                         ">",
                                         "a",
                                         " ",
                                         "\t",
                                         "5",
                                         "=80",
                                         "\u00b5",
                                         "\xff",
                                         "=\n",
                                         "Content-Transfer-Encoding: quoted-printable\n\n",
                                         "Now's the time for all folk to come to the aid of their country, "};
    GRand *random = g_rand_new_with_seed(3);

    (void)state;
    for (int run = 0; run < 4000; run++) {
        GString *text = g_string_new(NULL);

        for (int i = g_rand_int_range(random, 0, 60); i > 0; i--)
            g_string_append(text, tokens[g_rand_int_range(random, 0, G_N_ELEMENTS(tokens))]);
        g_free(mended(text->str));
        g_string_free(text, TRUE);
    }
    g_rand_free(random);
}

static void sizes_without_bound(void **state)
{
    enum { SIZE = 1 << 20 };
    static const char *const repeated[] = {"=", "=3D",     "=20",  "=C2", "=\n",   "\n",
                                           ">", "> =3D\n", "=3D ", " ",   "=0A=\n"};

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(repeated); i++) {
        GString *text = g_string_new("a=3Db=3Dc\n");
        gint64 start = g_get_monotonic_time();

        while (text->len < SIZE)
            g_string_append(text, repeated[i]);
        g_free(mended(text->str));
        assert_true(g_get_monotonic_time() - start < 20 * G_USEC_PER_SEC);
        g_string_free(text, TRUE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_of_the_encoding),
        cmocka_unit_test(characters_beyond_ascii),
        cmocka_unit_test(control_characters),
        cmocka_unit_test(quoted_before_it_was_encoded),
        cmocka_unit_test(quoted_after_it_was_encoded),
        cmocka_unit_test(announced),
        cmocka_unit_test(normal_text),
        cmocka_unit_test(runs_end),
        cmocka_unit_test(any_bytes_are_read),
        cmocka_unit_test(sizes_without_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
