/* bench_mail: makes archives to measure with, the same on every machine.
 *
 *     bench_mail sparse|dense|mangled|huge BYTES [SEED]
 *
 * writes an mbox of about BYTES to standard output. sparse is shaped like the
 * list of a kernel subsystem: 8 KB a mail, 3 KB of them header; replies with
 * quotes, patches, prose and logs; 12 mails in 100 encoded, a few in old sets
 * of characters or with HTML; one in 300 has a result. In dense every mail has
 * one, in one of several forms. Results are the samples in grammars/samples.
 * In mangled every mail has nothing but a result, and some bytes of the mail are
 * changed, lost or put between others; that is for tests, not for measuring.
 * huge is one mail of that size, with a result at its beginning and its end.
 */
#include "extract/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    THREADS = 64,      /* mails that may be answered */
    REFERENCES = 6,    /* the most that a mail names */
    COLUMNS = 72,      /* of prose */
    QP_COLUMNS = 75,   /* without the mark of a soft line break */
    RARE_RESULTS = 300 /* mails, one of which has a result in a sparse archive */
};

/* How a text becomes the body of a mail. */
enum form {
    FORM_PLAIN,
    FORM_BARE, /* without any MIME field */
    FORM_QUOTED_PRINTABLE,
    FORM_BASE64,
    FORM_SIGNED,      /* multipart/signed, the text quoted-printable */
    FORM_ALTERNATIVE, /* the text, and the same in HTML */
    FORM_ATTACHED,    /* as a file, in base64 */
    FORM_HTML,
    FORM_COUNT
};

enum kind { KIND_SPARSE, KIND_DENSE, KIND_MANGLED, KIND_HUGE, KIND_COUNT };

struct mill {
    enum kind kind;
    uint64_t state;
    GPtrArray *samples; /* of char * */
    char **words, **rare, **names;
    guint word_count, rare_count, name_count;
    char *ids[THREADS];
    uint64_t made;
    GString *text; /* of the mail at hand */
    GString *mail;
};

static const char WORDS[] =
    "the the the the the of of of to to to to a a a in in is is and and that that this it for for on with we we be as "
    "are not not if if by or from at can can will would which when then there have has had but all so no do does did "
    "use used using one two more than also only still just like some any each other same first second last next new "
    "old page pages folio inode block device driver queue request lock locks list node entry buffer cache memory file "
    "files directory mount filesystem kernel system user space patch patches series commit tree branch version review "
    "comment comments code function call caller callers return value pointer struct field flag flags bit bits state "
    "error errors case path check test tests bug fix fixed fixes issue problem report reported log message messages "
    "change changes changed add added remove removed move moved make made need needs needed want wanted think thought "
    "see seen look looks looking know known work works working worked run runs running time times thread threads task "
    "process scheduler interrupt timer event wait waiting wake allocate allocated allocation free freed release read "
    "reads write writes written sync async direct buffered offset length size range start end before after while "
    "during because since however maybe probably really actually already again even though through between without "
    "within into over under about around should could might must may better worse faster slower large small long "
    "short simple complex right wrong good bad sure thanks please hi what why how where who reason sense point idea "
    "way ways thing things place part parts side lot bit kind sort number numbers count ordinal array table map lookup "
    "hash search link delete update init setup cleanup probe attach detach enable disable support feature option "
    "options default config configuration build compile warning reproduce trigger race window reference retries "
    "barrier atomic ordering semantics behaviour regression pressure overhead cycles "
    "cpus core cores socket numa node zone huge swap writeback journal transaction extent bitmap superblock metadata";

/* What a benchmark's output has, and other mail now and then. */
static const char RARE[] =
    "Total Latency Time: real Average seconds Elapsed Duration Maximum user Ops records request= "
    "latency: Throughput io= size= Mean min/avg/max MB/s Requests time= 95% Duration: speed";

static const char NAMES[] = "folio inode bdev req queue ctx node page buf map entry state flags head tail iter sb data "
                            "priv dev group cgrp task rq lock ref count nr idx len off start end opt cb work list tree "
                            "hash slots pool cache zone vma addr mask info desc ring sqe cqe file path name bio ioend";

/* ---- chance ---- */

/* splitmix64: good enough, and one line. */
static uint64_t draw(struct mill *mill)
{
    uint64_t z = (mill->state += UINT64_C(0x9E3779B97F4A7C15));

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* 0 to count - 1. */
static unsigned pick(struct mill *mill, unsigned count)
{
    return (unsigned)(((draw(mill) >> 32) * count) >> 32);
}

static const char *name(struct mill *mill)
{
    return mill->names[pick(mill, mill->name_count)];
}

/* ---- text ---- */

static void add_word(struct mill *mill, bool capital)
{
    GString *text = mill->text;
    gsize at = text->len;
    unsigned chance = pick(mill, 100);

    if (chance == 0)
        g_string_append_printf(text, "%s_%s()", name(mill), name(mill));
    else if (chance == 1)
        g_string_append_printf(text, "%u", pick(mill, 5000));
    else
        g_string_append(text, mill->words[pick(mill, mill->word_count)]);
    if (capital)
        text->str[at] = g_ascii_toupper(text->str[at]);
}

/* A paragraph of so many words, every line behind mark. */
static void add_prose(struct mill *mill, unsigned words, const char *mark)
{
    GString *text = mill->text;
    gsize line = text->len;
    bool capital = true;

    g_string_append(text, mark);
    for (unsigned i = 0; i < words; i++) {
        add_word(mill, capital);
        capital = i + 1 == words || pick(mill, 12) == 0;
        if (capital)
            g_string_append_c(text, '.');
        else if (pick(mill, 10) == 0)
            g_string_append_c(text, ',');
        if (i + 1 < words && text->len - line > COLUMNS - 8) {
            g_string_append_c(text, '\n');
            line = text->len;
            g_string_append(text, mark);
        } else if (i + 1 < words) {
            g_string_append_c(text, ' ');
        }
    }
    g_string_append_c(text, '\n');
}

static void add_code(struct mill *mill, char mark)
{
    GString *text = mill->text;

    g_string_append_c(text, mark);
    switch (pick(mill, 9)) {
    case 0:
        g_string_append_printf(text, "\tif (%s->%s != %u)\n", name(mill), name(mill), pick(mill, 64));
        break;
    case 1:
        g_string_append(text, "\t\treturn -EINVAL;\n");
        break;
    case 2:
        g_string_append_printf(text, "\t%s = %s_%s(%s, &%s);\n", name(mill), name(mill), name(mill), name(mill),
                               name(mill));
        break;
    case 3:
        g_string_append_printf(text, "\tstruct %s *%s = to_%s(%s);\n", name(mill), name(mill), name(mill), name(mill));
        break;
    case 4:
        g_string_append_printf(text, "\tfor (i = 0; i < %s[%u].%s; i++) {\n", name(mill), pick(mill, 16), name(mill));
        break;
    case 5:
        g_string_append_printf(text, "\t/* The %s of %s is %s here. */\n", name(mill), name(mill), name(mill));
        break;
    case 6:
        g_string_append_printf(text, "static int %s_%s(struct %s *%s, unsigned int *%s)\n", name(mill), name(mill),
                               name(mill), name(mill), name(mill));
        break;
    case 7:
        g_string_append(text, "\t}\n");
        break;
    default:
        g_string_append_c(text, '\n');
    }
}

static void add_patch(struct mill *mill)
{
    GString *text = mill->text;
    const char *folder = name(mill), *file = name(mill);
    unsigned hunks = 1 + pick(mill, 6);

    g_string_append_printf(text, "Signed-off-by: A Writer <writer%u@example.org>\n---\n", pick(mill, 500));
    g_string_append_printf(text, " fs/%s/%s.c | %u ++++++----\n 1 file changed\n\n", folder, file, 2 + pick(mill, 90));
    g_string_append_printf(text, "diff --git a/fs/%s/%s.c b/fs/%s/%s.c\nindex %08x..%08x 100644\n", folder, file,
                           folder, file, pick(mill, UINT32_MAX), pick(mill, UINT32_MAX));
    g_string_append_printf(text, "--- a/fs/%s/%s.c\n+++ b/fs/%s/%s.c\n", folder, file, folder, file);
    for (unsigned i = 0; i < hunks; i++) {
        unsigned line = 1 + pick(mill, 4000), lines = 8 + pick(mill, 40);

        g_string_append_printf(text, "@@ -%u,%u +%u,%u @@ static int %s_%s(struct %s *%s)\n", line, lines, line, lines,
                               name(mill), name(mill), name(mill), name(mill));
        for (unsigned k = 0; k < lines; k++)
            add_code(mill, " +- ++ - "[pick(mill, 8)]);
    }
    g_string_append(text, "-- \n2.39.2\n");
}

static void add_log(struct mill *mill)
{
    unsigned lines = 10 + pick(mill, 30);

    for (unsigned i = 0; i < lines; i++)
        g_string_append_printf(mill->text, "[%5u.%06u] %s_%s+0x%x/0x%x [%s]\n", pick(mill, 90000), pick(mill, 1000000),
                               name(mill), name(mill), pick(mill, 4096), pick(mill, 4096), name(mill));
}

/* Of a reply: what somebody wrote, and answers between it. */
static void add_reply(struct mill *mill)
{
    unsigned rounds = 2 + pick(mill, 7);

    g_string_append_printf(mill->text, "On Mon, Jan %u, 2024 at 10:%02u, B Writer wrote:\n", 1 + pick(mill, 28),
                           pick(mill, 60));
    for (unsigned i = 0; i < rounds; i++) {
        add_prose(mill, 20 + pick(mill, 60), "> > ");
        g_string_append(mill->text, ">\n");
        add_prose(mill, 30 + pick(mill, 90), "> ");
        g_string_append_c(mill->text, '\n');
        add_prose(mill, 10 + pick(mill, 80), "");
        g_string_append_c(mill->text, '\n');
    }
}

static void add_sample(struct mill *mill, const char *mark)
{
    char **lines = g_strsplit(g_ptr_array_index(mill->samples, pick(mill, mill->samples->len)), "\n", -1);

    for (guint i = 0; lines[i] && (lines[i][0] || lines[i + 1]); i++)
        g_string_append_printf(mill->text, "%s%s\n", mark, lines[i]);
    g_strfreev(lines);
}

/* Letters of people's names, as a set of characters writes them. */
static const char *letters_of(const char *charset)
{
    if (strcmp(charset, "iso-8859-1") == 0)
        return "J\xfcrgen and Ren\xe9\n";
    if (strcmp(charset, "koi8-r") == 0)
        return "\xf0\xd2\xc9\xd7\xc5\xd4, \xcd\xc9\xd2\n";
    if (strcmp(charset, "gb2312") == 0)
        return "\xc4\xe3\xba\xc3\n";
    return "J\xc3\xbcrgen and Ren\xc3\xa9 \xe2\x80\x93 thanks\n";
}

/* The text of one mail; what is beyond ASCII in charset. */
static void make_text(struct mill *mill, bool result, const char *charset)
{
    unsigned chance = pick(mill, 100);

    g_string_truncate(mill->text, 0);
    if (charset)
        g_string_append(mill->text, letters_of(charset));
    if (mill->kind == KIND_MANGLED) {
        add_sample(mill, pick(mill, 4) == 0 ? "> " : "");
        return;
    }
    if (chance < 55) {
        add_reply(mill);
    } else {
        for (unsigned i = 1 + pick(mill, 5); i > 0; i--) {
            add_prose(mill, 40 + pick(mill, 120), "");
            g_string_append_c(mill->text, '\n');
        }
    }
    if (result) {
        add_sample(mill, pick(mill, 4) == 0 ? "> " : "");
        g_string_append_c(mill->text, '\n');
    }
    if (pick(mill, 25) == 0)
        g_string_append_printf(mill->text, "It says %s %u in the end.\n\n", mill->rare[pick(mill, mill->rare_count)],
                               pick(mill, 1000));
    if (chance >= 55 && chance < 88)
        add_patch(mill);
    if (chance >= 92)
        add_log(mill);
}

/* ---- encodings ---- */

static void add_quoted_printable(GString *out, const GString *text)
{
    gsize line = out->len;

    for (gsize i = 0; i < text->len; i++) {
        unsigned char byte = (unsigned char)text->str[i];
        bool ends = i + 1 == text->len || text->str[i + 1] == '\n';

        if (byte == '\n') {
            g_string_append_c(out, '\n');
            line = out->len;
            continue;
        }
        if (out->len - line > QP_COLUMNS - 3 - 1) {
            g_string_append(out, "=\n");
            line = out->len;
        }
        if (byte >= 0x7f || byte == '=' || (byte < ' ' && byte != '\t') || (ends && byte <= ' '))
            g_string_append_printf(out, "=%02X", byte);
        else
            g_string_append_c(out, (char)byte);
    }
}

static void add_base64(GString *out, const GString *text)
{
    char *encoded = g_base64_encode((const guchar *)text->str, text->len);
    gsize length = strlen(encoded);

    for (gsize at = 0; at < length; at += 76) {
        g_string_append_len(out, encoded + at, (gssize)MIN(76, length - at));
        g_string_append_c(out, '\n');
    }
    g_free(encoded);
}

static void add_html(GString *out, const GString *text)
{
    char *escaped = g_markup_escape_text(text->str, (gssize)text->len);

    g_string_append_printf(out, "<html><head></head><body><pre>%s</pre></body></html>\n", escaped);
    g_free(escaped);
}

/* ---- mails ---- */

static void add_noise(struct mill *mill, unsigned lines)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (unsigned i = 0; i < lines; i++) {
        g_string_append(mill->mail, "         ");
        for (unsigned k = 0; k < 64; k++)
            g_string_append_c(mill->mail, letters[pick(mill, 64)]);
        g_string_append_c(mill->mail, '\n');
    }
}

static void add_addresses(struct mill *mill, const char *field, unsigned count)
{
    g_string_append_printf(mill->mail, "%s: ", field);
    for (unsigned i = 0; i < count; i++)
        g_string_append_printf(mill->mail, "%s%c %s <%s.%s%u@%s.example.org>", i > 0 ? ",\n        " : "",
                               'A' + (char)pick(mill, 26), "Writer", name(mill), name(mill), pick(mill, 90),
                               name(mill));
    g_string_append_c(mill->mail, '\n');
}

/* Fields that lists and servers put before those of the author. */
static void add_trace_fields(struct mill *mill)
{
    GString *mail = mill->mail;
    unsigned hops = 3 + pick(mill, 4);

    g_string_append_printf(mail, "Return-Path: <linux-%s-owner@lists.example.org>\n", name(mill));
    g_string_append(mail, "X-Original-To: archive@lists.example.org\nDelivered-To: archive@lists.example.org\n");
    for (unsigned i = 0; i < hops; i++)
        g_string_append_printf(mail,
                               "Received: from %s.example.org (%s.example.org [192.0.2.%u])\n\tby %s.example.org "
                               "(Postfix) with ESMTP id %08X%X\n\tfor <linux-%s@lists.example.org>; Mon, %u Jan 2024 "
                               "10:%02u:%02u +0000 (UTC)\n",
                               name(mill), name(mill), pick(mill, 255), name(mill), pick(mill, UINT32_MAX),
                               pick(mill, 16), name(mill), 1 + pick(mill, 28), pick(mill, 60), pick(mill, 60));
    g_string_append_printf(mail,
                           "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.org; s=%u;\n"
                           "         h=from:to:cc:subject:date:message-id:in-reply-to:references\n         bh=\n",
                           20200000 + pick(mill, 40000));
    add_noise(mill, 7);
    if (pick(mill, 3) > 0) {
        g_string_append(mail, "X-Google-DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.org;\n");
        add_noise(mill, 7);
    }
}

static void add_thread_fields(struct mill *mill)
{
    GString *mail = mill->mail;
    unsigned count = pick(mill, REFERENCES);

    g_string_append_printf(mail, "Message-ID: <%" PRIu64 ".%08x@%s.example.org>\n", mill->made, pick(mill, UINT32_MAX),
                           name(mill));
    if (count > 0 && mill->ids[THREADS - 1]) {
        g_string_append(mail, "References:");
        for (unsigned i = 0; i < count; i++)
            g_string_append_printf(mail, " <%s>\n", mill->ids[(mill->made + 7 * i) % THREADS]);
        g_string_append_printf(mail, "In-Reply-To: <%s>\n", mill->ids[(mill->made + 7 * (count - 1)) % THREADS]);
    }
    g_free(mill->ids[mill->made % THREADS]);
    mill->ids[mill->made % THREADS] = g_strdup_printf("%" PRIu64 ".earlier@example.org", mill->made);
}

static void add_header(struct mill *mill)
{
    GString *mail = mill->mail;
    unsigned minute = (unsigned)(mill->made % (27 * 24 * 60));

    add_trace_fields(mill);
    add_addresses(mill, "From", 1);
    add_addresses(mill, "To", 1 + pick(mill, 3));
    add_addresses(mill, "Cc", 1 + pick(mill, 9));
    g_string_append_printf(mail, "Subject: %s[PATCH v%u %02u/%02u] %s: %s %s %s\n", pick(mill, 2) ? "Re: " : "",
                           1 + pick(mill, 9), pick(mill, 20), 20 + pick(mill, 9), name(mill),
                           mill->words[pick(mill, mill->word_count)], name(mill), name(mill));
    g_string_append_printf(mail, "Date: %u Jan 2024 %02u:%02u:%02u +0000\n", 1 + minute / (24 * 60), minute / 60 % 24,
                           minute % 60, pick(mill, 60));
    add_thread_fields(mill);
    g_string_append_printf(mail, "User-Agent: Mailer/%u.%u\nPrecedence: bulk\nList-ID: <linux-%s.lists.example.org>\n",
                           1 + pick(mill, 9), pick(mill, 99), name(mill));
    g_string_append(mail, "X-Mailing-List: linux@lists.example.org\nX-Spam-Status: No, score=-2.1 required=5.0\n");
}

/* The fields of MIME, the empty line, and the text in the form. */
static void add_body(struct mill *mill, enum form form, const char *charset)
{
    GString *mail = mill->mail;
    char *type = g_strdup_printf("Content-Type: text/plain; charset=%s\n", charset ? charset : "us-ascii");
    char *boundary = g_strdup_printf("=_%" PRIu64 "_%08x", mill->made, pick(mill, UINT32_MAX));

    if (form != FORM_BARE)
        g_string_append(mail, "MIME-Version: 1.0\n");
    switch (form) {
    case FORM_QUOTED_PRINTABLE:
        g_string_append_printf(mail, "%sContent-Transfer-Encoding: quoted-printable\n\n", type);
        add_quoted_printable(mail, mill->text);
        break;
    case FORM_BASE64:
        g_string_append_printf(mail, "%sContent-Transfer-Encoding: base64\n\n", type);
        add_base64(mail, mill->text);
        break;
    case FORM_SIGNED:
        g_string_append_printf(mail,
                               "Content-Type: multipart/signed; micalg=pgp-sha512;\n\tprotocol=\"application/"
                               "pgp-signature\"; boundary=\"%s\"\n\n--%s\n%sContent-Transfer-Encoding: "
                               "quoted-printable\n\n",
                               boundary, boundary, type);
        add_quoted_printable(mail, mill->text);
        g_string_append_printf(
            mail, "\n--%s\nContent-Type: application/pgp-signature\n\n-----BEGIN PGP SIGNATURE-----\n\n", boundary);
        add_noise(mill, 6);
        g_string_append_printf(mail, "-----END PGP SIGNATURE-----\n\n--%s--\n", boundary);
        break;
    case FORM_ALTERNATIVE:
        g_string_append_printf(mail,
                               "Content-Type: multipart/alternative; boundary=\"%s\"\n\n--%s\n%s"
                               "Content-Transfer-Encoding: quoted-printable\n\n",
                               boundary, boundary, type);
        add_quoted_printable(mail, mill->text);
        g_string_append_printf(mail, "\n--%s\nContent-Type: text/html; charset=utf-8\n\n", boundary);
        add_html(mail, mill->text);
        g_string_append_printf(mail, "\n--%s--\n", boundary);
        break;
    case FORM_ATTACHED:
        g_string_append_printf(mail,
                               "Content-Type: multipart/mixed; boundary=\"%s\"\n\n--%s\nContent-Type: text/plain\n\n"
                               "It is attached.\n\n--%s\n%sContent-Disposition: attachment; filename=\"log.txt\"\n"
                               "Content-Transfer-Encoding: base64\n\n",
                               boundary, boundary, boundary, type);
        add_base64(mail, mill->text);
        g_string_append_printf(mail, "\n--%s--\n", boundary);
        break;
    case FORM_HTML:
        g_string_append_printf(mail, "Content-Type: text/html; charset=%s\n\n", charset ? charset : "us-ascii");
        add_html(mail, mill->text);
        break;
    default:
        if (form == FORM_PLAIN)
            g_string_append_printf(mail, "%sContent-Transfer-Encoding: 8bit\n", type);
        g_string_append_c(mail, '\n');
        g_string_append_len(mail, mill->text->str, (gssize)mill->text->len);
    }
    g_free(type);
    g_free(boundary);
}

/* 12 in 100 are encoded. */
static enum form draw_form(struct mill *mill)
{
    static const unsigned char below[FORM_COUNT] = {
        [FORM_PLAIN] = 55,  [FORM_BARE] = 88,        [FORM_QUOTED_PRINTABLE] = 93, [FORM_BASE64] = 95,
        [FORM_SIGNED] = 98, [FORM_ALTERNATIVE] = 99, [FORM_ATTACHED] = 100,        [FORM_HTML] = 100,
    };
    unsigned chance = pick(mill, 100);
    enum form form = FORM_PLAIN;

    while (chance >= below[form])
        form++;
    return form;
}

static const char *draw_charset(struct mill *mill)
{
    static const char *const rare[] = {"iso-8859-1", "iso-8859-1", "koi8-r", "gb2312"};
    unsigned chance = pick(mill, 100);

    return chance < 60 ? NULL : chance < 96 ? "utf-8" : rare[chance - 96];
}

/* What stands between bytes of mangled mail, or in place of them. */
static const struct {
    const char *bytes;
    size_t length;
} STRAY[] = {
#define BYTES(text)                                                                                                    \
    {                                                                                                                  \
        text, sizeof(text) - 1                                                                                         \
    }
    BYTES("*"),
    BYTES("**"),
    BYTES("_"),
    BYTES("="),
    BYTES("=\n"),
    BYTES("= \r\n"),
    BYTES("=\n> "),
    BYTES("=3D"),
    BYTES("=C2=AD"),
    BYTES("=20\n"),
    BYTES("\n"),
    BYTES("\n> "),
    BYTES("\n>"),
    BYTES("\n| "),
    BYTES("\r"),
    BYTES("\r\n"),
    BYTES(" "),
    BYTES("\t"),
    BYTES(">"),
    BYTES("\0"),
    BYTES("\b"),
    BYTES("x\b"),
    BYTES("\033[1m"),
    BYTES("\033[0m"),
    BYTES("[1;34m"),
    BYTES("\xc2\xad"),
    BYTES("\xc2\xa0"),
    BYTES("\xe2\x80\x8b"),
    BYTES("\xad"),
    BYTES("\xff"),
    BYTES("<b>"),
    BYTES("</b>"),
    BYTES("<br>"),
    BYTES("&#61;"),
    BYTES("&nbsp;"),
    BYTES("<!--"),
    BYTES("-->"),
    BYTES("&shy;"),
    BYTES("<i a='>'>"),
    BYTES("<wbr>"),
    BYTES("\n\n"),
    BYTES("\n--b\n"),
    BYTES("- "),
    BYTES("\x0f"),
    BYTES("\xef\xbb\xbf"),
    BYTES("\nContent-Type: text/html\n"),
    BYTES("\nContent-Type: text/plain; charset=utf-16\n"),
    BYTES("\nContent-Type: text/plain; charset=gb18030\n"),
    BYTES("\nContent-Type: text/plain; format=flowed; delsp=yes\n"),
    BYTES("\nContent-Type: multipart/mixed; boundary=b\n"),
    BYTES("\nContent-Transfer-Encoding: quoted-printable\n"),
    BYTES("\nContent-Transfer-Encoding: base64\n"),
    BYTES("\nContent-Transfer-Encoding: uuencode\n"),
#undef BYTES
};

static void mangle(struct mill *mill, size_t header)
{
    GString *mail = mill->mail;

    for (unsigned changes = 1 + pick(mill, 12); changes > 0; changes--) {
        unsigned stray = pick(mill, G_N_ELEMENTS(STRAY)), how = pick(mill, 8);
        size_t from = pick(mill, 4) == 0 ? header : header + 1;
        size_t at = from + pick(mill, (unsigned)(mail->len - from));

        if (how < 2)
            g_string_erase(mail, (gssize)at, at + 3 < mail->len ? 1 + (gssize)pick(mill, 3) : -1);
        if (how > 0)
            g_string_insert_len(mail, (gssize)at, STRAY[stray].bytes, (gssize)STRAY[stray].length);
    }
}

static void make_mail(struct mill *mill)
{
    bool dense = mill->kind != KIND_SPARSE;
    bool result = dense || pick(mill, RARE_RESULTS) == 0;
    enum form form = dense ? (enum form)(mill->made % FORM_COUNT) : draw_form(mill);
    size_t header;
    const char *charset = form == FORM_BARE ? NULL : result ? "utf-8" : draw_charset(mill);

    g_string_truncate(mill->mail, 0);
    if (mill->kind == KIND_MANGLED)
        g_string_append_printf(mill->mail, "Message-ID: <%" PRIu64 "@example.org>\n", mill->made);
    else
        add_header(mill);
    header = mill->mail->len;
    make_text(mill, result, form == FORM_HTML && !result ? NULL : charset);
    add_body(mill, form, charset);
    if (mill->kind == KIND_MANGLED)
        mangle(mill, header);
    mill->made++;
}

static void write_text(const char *text, size_t length)
{
    if (fwrite(text, 1, length, stdout) != length) {
        perror("bench_mail");
        exit(EXIT_FAILURE);
    }
}

/* As mbox asks: `>` before lines of text that would begin a message, and more
 * of them before those that have some. */
static void write_escaped(const GString *text)
{
    for (const char *at = text->str, *end = at + text->len; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline ? newline + 1 : end;

        if (strncmp(at + strspn(at, ">"), "From ", 5) == 0)
            write_text(">", 1);
        write_text(at, (size_t)(next - at));
        at = next;
    }
}

static void write_from_line(void)
{
    static const char line[] = "From mboxrd@z Thu Jan  1 00:00:00 1970\n";

    write_text(line, strlen(line));
}

static void make_archive(struct mill *mill, uint64_t size)
{
    for (uint64_t written = 0; written < size; written += mill->mail->len) {
        make_mail(mill);
        write_from_line();
        write_escaped(mill->mail);
        write_text("\n", 1);
    }
}

static void make_huge_mail(struct mill *mill, uint64_t size)
{
    uint64_t written;

    g_string_truncate(mill->mail, 0);
    add_header(mill);
    g_string_append(mill->mail, "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n");
    write_from_line();
    write_text(mill->mail->str, mill->mail->len);
    make_text(mill, true, NULL);
    write_escaped(mill->text);
    for (written = mill->text->len; written < size; written += mill->text->len) {
        g_string_truncate(mill->text, 0);
        for (unsigned i = 0; i < 1000; i++)
            add_prose(mill, 100, "");
        write_escaped(mill->text);
    }
    g_string_truncate(mill->text, 0);
    add_sample(mill, "");
    write_escaped(mill->text);
}

/* ---- samples ---- */

static gint compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What is in a folder, in the same order everywhere. */
static GPtrArray *list_folder(const char *path)
{
    GPtrArray *entries = g_ptr_array_new_with_free_func(g_free);
    GDir *folder = g_dir_open(path, 0, NULL);
    const char *entry;

    if (!folder) {
        fprintf(stderr, "bench_mail: no %s here\n", path);
        exit(EXIT_FAILURE);
    }
    while ((entry = g_dir_read_name(folder)))
        g_ptr_array_add(entries, g_build_filename(path, entry, NULL));
    g_dir_close(folder);
    g_ptr_array_sort(entries, compare_names);
    return entries;
}

/* Add the text of a sample that gives rows. */
static void read_sample(GPtrArray *samples, const char *path)
{
    char *stem, *rows_path, *text = NULL, *rows = NULL;
    const char *header_end;

    if (!g_str_has_suffix(path, ".txt"))
        return;
    stem = g_strndup(path, strlen(path) - strlen(".txt"));
    rows_path = g_strconcat(stem, ".csv", NULL);
    if (g_file_get_contents(rows_path, &rows, NULL, NULL) && (header_end = strchr(rows, '\n')) && header_end[1] &&
        g_file_get_contents(path, &text, NULL, NULL) && g_utf8_validate(text, -1, NULL)) {
        g_ptr_array_add(samples, text);
        text = NULL;
    }
    g_free(text);
    g_free(rows);
    g_free(rows_path);
    g_free(stem);
}

static GPtrArray *read_samples(void)
{
    GPtrArray *samples = g_ptr_array_new_with_free_func(g_free);
    GPtrArray *tools = list_folder("grammars/samples");

    for (guint i = 0; i < tools->len; i++) {
        GPtrArray *files = list_folder(g_ptr_array_index(tools, i));

        for (guint k = 0; k < files->len; k++)
            read_sample(samples, g_ptr_array_index(files, k));
        g_ptr_array_unref(files);
    }
    g_ptr_array_unref(tools);
    return samples;
}

int main(int count, char **arguments)
{
    static const char *const kinds[KIND_COUNT] = {"sparse", "dense", "mangled", "huge"};
    struct mill mill = {.kind = KIND_COUNT, .state = count > 3 ? strtoull(arguments[3], NULL, 10) : 1};
    uint64_t size = count > 2 ? strtoull(arguments[2], NULL, 10) : 0;

    for (unsigned i = 0; i < KIND_COUNT; i++)
        if (count > 2 && strcmp(arguments[1], kinds[i]) == 0)
            mill.kind = i;
    if (size == 0 || mill.kind == KIND_COUNT) {
        fputs("usage: bench_mail sparse|dense|mangled|huge BYTES [SEED]\n", stderr);
        return 2;
    }
    mill.samples = read_samples();
    mill.words = g_strsplit(WORDS, " ", -1);
    mill.rare = g_strsplit(RARE, " ", -1);
    mill.names = g_strsplit(NAMES, " ", -1);
    mill.word_count = g_strv_length(mill.words);
    mill.rare_count = g_strv_length(mill.rare);
    mill.name_count = g_strv_length(mill.names);
    mill.text = g_string_new(NULL);
    mill.mail = g_string_new(NULL);
    if (mill.kind == KIND_HUGE)
        make_huge_mail(&mill, size);
    else
        make_archive(&mill, size);
    for (unsigned i = 0; i < THREADS; i++)
        g_free(mill.ids[i]);
    g_string_free(mill.text, TRUE);
    g_string_free(mill.mail, TRUE);
    g_strfreev(mill.words);
    g_strfreev(mill.rare);
    g_strfreev(mill.names);
    g_ptr_array_unref(mill.samples);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
