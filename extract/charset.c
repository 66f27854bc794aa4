/* charset: UTF-8 and windows-1252, which nearly all mail is in, are decoded
 * here; everything else goes through iconv. The three ways end in UTF-8
 * without NUL: what a way cannot read becomes U+FFFD and is remembered.
 */
#include "extract/charset.h"

#include <errno.h>
#include <stdint.h>

#define REPLACEMENT     "\xef\xbf\xbd"
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

enum { NAME_MAX_LENGTH = 40, OPEN_MAX = 4 };

struct open_converter {
    char *name; /* of the set that it converts from; NULL: there is none */
    GIConv converter;
};

struct charsets {
    struct open_converter open[OPEN_MAX];
    size_t next; /* the place of the next one */
};

/* How much of v, from its beginning, is UTF-8 without NUL. Nearly all of most text
 * is ASCII, for which GLib takes ten times as long: it is asked only about what
 * stands between. */
static size_t valid_length(struct view v)
{
    const char *nul = v.length > 0 ? memchr(v.bytes, '\0', v.length) : NULL;
    size_t at = 0;

    if (nul)
        v.length = (size_t)(nul - v.bytes);
    while ((at = text_find_wide(v, at)) < v.length) {
        const char *end;
        size_t start = at;

        while (at < v.length && (unsigned char)v.bytes[at] >= 0x80)
            at++;
        if (!g_utf8_validate_len(v.bytes + start, at - start, &end))
            return (size_t)(end - v.bytes);
    }
    return v.length;
}

/* Append v, which should be UTF-8; true if it is. */
static bool append_utf8(GString *out, struct view v)
{
    bool clean = true;

    if (v.length >= 3 && memcmp(v.bytes, BYTE_ORDER_MARK, 3) == 0)
        v = view_slice(v, 3, v.length);
    while (v.length > 0) {
        size_t length = valid_length(v);

        g_string_append_len(out, v.bytes, (gssize)length);
        if (length < v.length) {
            clean = false;
            g_string_append(out, REPLACEMENT);
            length++;
        }
        v = view_slice(v, length, v.length);
    }
    return clean;
}

/* Is v UTF-8, NUL bytes aside? */
static bool is_utf8(struct view v)
{
    for (;;) {
        size_t length = valid_length(v);

        if (length == v.length)
            return true;
        if (v.bytes[length] != '\0')
            return false;
        v = view_slice(v, length + 1, v.length);
    }
}

static bool append_windows_1252(GString *out, struct view v)
{
    /* 0x80 to 0x9f; 0 where the set has no character */
    static const gunichar upper[32] = {
        0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
        0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178,
    };
    bool clean = true;
    size_t start = 0;

    for (size_t at = 0; at < v.length; at++) {
        unsigned char byte = (unsigned char)v.bytes[at];

        if (byte != 0 && byte < 0x80)
            continue;
        g_string_append_len(out, v.bytes + start, (gssize)(at - start));
        start = at + 1;

        gunichar character = byte >= 0x80 && byte < 0xa0 ? upper[byte - 0x80] : byte;
        if (character == 0) {
            clean = false;
            character = 0xfffd;
        }
        g_string_append_unichar(out, character);
    }
    g_string_append_len(out, v.bytes + start, (gssize)(v.length - start));
    return clean;
}

/* Append v converted by iconv; after each run of bytes that it refuses, go on
 * behind one unit of the character set. */
static bool append_converted(GString *out, struct view v, GIConv converter, size_t unit)
{
    char *from = (char *)(uintptr_t)v.bytes; /* iconv only reads it, its type is older than const */
    size_t left = v.length;
    char buffer[8192];
    bool clean = true;
    bool flushed = false;
    GString *text = g_string_new(NULL);

    while (!flushed) {
        char *to = buffer;
        size_t room = sizeof buffer;
        bool last = left == 0;
        size_t result =
            last ? g_iconv(converter, NULL, NULL, &to, &room) : g_iconv(converter, &from, &left, &to, &room);
        int error = result == (size_t)-1 ? errno : 0;

        g_string_append_len(text, buffer, (gssize)(sizeof buffer - room));
        if (error == E2BIG)
            continue;
        flushed = last;
        if (error == 0)
            continue;
        clean = false;
        g_string_append(text, REPLACEMENT);
        from += MIN(unit, left);
        left = error == EINVAL ? 0 : left - MIN(unit, left);
    }
    /* The set may have characters for NUL, and a converter may have faults. */
    clean = append_utf8(out, (struct view){text->str, text->len}) && clean;
    g_string_free(text, TRUE);
    return clean;
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

bool charset_is_utf16(struct view bytes)
{
    return bytes.length >= 2 && (memcmp(bytes.bytes, "\xff\xfe", 2) == 0 || memcmp(bytes.bytes, "\xfe\xff", 2) == 0);
}

/* UTF-16 without a byte order mark: by RFC 2781 its bytes stand the big end
 * first, by practice mostly not; ASCII, which has half its bytes 0, decides. */
static const char *utf16_order(struct view v)
{
    size_t zeros[2] = {0, 0};

    if (charset_is_utf16(v))
        return "utf-16";
    for (size_t i = 0; i < MIN(v.length, 4096); i++)
        zeros[i % 2] += v.bytes[i] == '\0';
    return zeros[1] > zeros[0] ? "utf-16le" : "utf-16be";
}

/* What iconv calls a set that mail calls name, where that differs, or where
 * the name in practice stands for a larger set. */
static const char *iconv_name(const char *name, struct view v)
{
    static const struct {
        const char *name, *iconv;
    } aliases[] = {
        {"cp-850", "cp850"},         {"gb2312", "gb18030"},
        {"gbk", "gb18030"},          {"iso-8859-8-e", "iso-8859-8"},
        {"gb_2312-80", "gb18030"},   {"iso-8859-8-i", "iso-8859-8"},
        {"ks_c_5601-1987", "cp949"}, {"shift-jis", "cp932"},
        {"shift_jis", "cp932"},      {"x-euc-jp", "euc-jp"},
        {"x-gbk", "gb18030"},        {"x-mac-roman", "macintosh"},
        {"x-sjis", "cp932"},
    };

    if (strcmp(name, "utf-16") == 0 || strcmp(name, "utf16") == 0)
        return utf16_order(v);
    for (size_t i = 0; i < G_N_ELEMENTS(aliases); i++)
        if (strcmp(name, aliases[i].name) == 0)
            return aliases[i].iconv;
    return name;
}

/* The name in lower case without blanks and quotes around it, in a buffer of
 * NAME_MAX_LENGTH + 1; false where it can be no set's name. The check also
 * keeps what iconv_open would understand as an instruction (`//`) from it. */
static bool clean_name(const char *name, char *cleaned)
{
    size_t length = 0;

    for (; *name != '\0'; name++) {
        if (strchr(" \t\r\n\"'", *name) != NULL)
            continue;
        if (length == NAME_MAX_LENGTH || (!g_ascii_isalnum(*name) && strchr("-_.:+", *name) == NULL))
            return false;
        cleaned[length++] = g_ascii_tolower(*name);
    }
    cleaned[length] = '\0';
    return true;
}

static bool append_guessed(GString *out, struct view v)
{
    return is_utf8(v) ? append_utf8(out, v) : append_windows_1252(out, v);
}

struct charsets *charsets_new(void)
{
    return g_new0(struct charsets, 1);
}

void charsets_free(struct charsets *charsets)
{
    if (charsets == NULL)
        return;
    for (size_t i = 0; i < OPEN_MAX; i++) {
        if (charsets->open[i].name != NULL)
            g_iconv_close(charsets->open[i].converter);
        g_free(charsets->open[i].name);
    }
    g_free(charsets);
}

/* The converter from set, as g_iconv_open, in its initial state. The one that was
 * opened first gives way to a new one. */
static GIConv find_converter(struct charsets *charsets, const char *set)
{
    struct open_converter *place = &charsets->open[charsets->next];
    GIConv converter;

    for (size_t i = 0; i < OPEN_MAX; i++)
        if (charsets->open[i].name != NULL && strcmp(charsets->open[i].name, set) == 0) {
            (void)g_iconv(charsets->open[i].converter, NULL, NULL, NULL, NULL);
            return charsets->open[i].converter;
        }
    converter = g_iconv_open("utf-8", set);
    if (converter == (GIConv)-1)
        return converter;
    if (place->name != NULL)
        g_iconv_close(place->converter);
    g_free(place->name);
    *place = (struct open_converter){g_strdup(set), converter};
    charsets->next = (charsets->next + 1) % OPEN_MAX;
    return converter;
}

enum charset_status charset_decode(struct charsets *charsets, GString *out, struct view bytes, const char *name)
{
    static const char *const nothing[] = {
        "",     "7bit",    "8bit",         "ansi_x3.4-1968", "ascii",   "binary",         "default",   "iso646-us",
        "none", "unknown", "unknown-8bit", "us-ascii",       "usascii", "x-user-defined", "x-unknown",
    };
    static const char *const latin[] = {
        "cp1252", "iso-8859-1", "iso-latin-1", "iso8859-1", "iso_8859-1", "l1", "latin-1", "latin1", "windows-1252",
    };
    static const char *const unicode[] = {"utf-8", "utf8", "utf_8", "unicode-1-1-utf-8"};
    char cleaned[NAME_MAX_LENGTH + 1];
    bool clean;

    if (!clean_name(name != NULL ? name : "", cleaned)) {
        (void)append_guessed(out, bytes);
        return CHARSET_UNKNOWN;
    }
    if (is_one_of(cleaned, nothing, G_N_ELEMENTS(nothing))) {
        clean = append_guessed(out, bytes);
    } else if (is_one_of(cleaned, unicode, G_N_ELEMENTS(unicode))) {
        clean = append_utf8(out, bytes);
    } else if (is_one_of(cleaned, latin, G_N_ELEMENTS(latin))) {
        clean = append_windows_1252(out, bytes);
    } else {
        const char *set = iconv_name(cleaned, bytes);
        GIConv converter = find_converter(charsets, set);

        if (converter == (GIConv)-1) {
            (void)append_guessed(out, bytes);
            return CHARSET_UNKNOWN;
        }

        size_t unit = strncmp(set, "utf-16", 6) == 0 || strncmp(set, "ucs-2", 5) == 0   ? 2
                      : strncmp(set, "utf-32", 6) == 0 || strncmp(set, "ucs-4", 5) == 0 ? 4
                                                                                        : 1;
        clean = append_converted(out, bytes, converter, unit);
    }
    return clean ? CHARSET_OK : CHARSET_REPLACED;
}
