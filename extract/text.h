/* text: borrowed runs of bytes, and the one cleaning of text for datasets.
 *
 * A view borrows: it stays valid until the owner of its bytes moves or frees
 * them. Nothing here allocates but the functions that append to a GString.
 */
#ifndef BENCHLORE_TEXT_H
#define BENCHLORE_TEXT_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct view {
    const char *bytes;
    size_t length;
};

static inline struct view view_of(const char *string)
{
    return (struct view){string, strlen(string)};
}

static inline struct view view_slice(struct view whole, size_t start, size_t end)
{
    return (struct view){whole.bytes + start, end - start};
}

static inline bool view_equal(struct view a, struct view b)
{
    return a.length == b.length && (a.length == 0 || a.bytes == b.bytes || memcmp(a.bytes, b.bytes, a.length) == 0);
}

static inline bool view_is(struct view a, const char *string)
{
    return view_equal(a, view_of(string));
}

static inline bool text_is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The view without blanks, tabs and line ends at both ends. */
static inline struct view view_trim(struct view v)
{
    while (v.length > 0 && text_is_white(v.bytes[0])) {
        v.bytes++;
        v.length--;
    }
    while (v.length > 0 && text_is_white(v.bytes[v.length - 1]))
        v.length--;
    return v;
}

/* Two bytes, each one of two. */
struct byte_pair {
    char first[2];
    char second[2];
};

/* Where the second byte of the next such pair is, which is at offset at least
 * and not the view's first; v.length if there is none. */
size_t text_find_pair(struct view v, size_t offset, struct byte_pair pair);

/* Where the next line begins, at offset at least and not the view's first, that
 * begins with the letter, given in lower case, in either case, or with LF or CR,
 * as an empty one does; v.length if there is none. */
size_t text_find_line(struct view v, size_t offset, char letter);

/* Where the next byte beyond ASCII is, from offset on; v.length if there is none. */
size_t text_find_wide(struct view v, size_t offset);

/* Is all of v printable ASCII? Such text is clean as it is. */
bool text_is_plain(struct view v);

/* Append v to out as a dataset field: valid UTF-8 in which line breaks and
 * tabs are one blank each (CR LF: one), and every other control character
 * (C0, DEL, C1), surrogate, noncharacter and invalid byte is U+FFFD. This is
 * the only cleaning; every writer may rely on it. */
void text_append_clean(GString *out, struct view v);

/* Empty a string that is to be used again. What memory it has beyond kept bytes
 * is given back, for which it may become another string. */
void text_empty(GString **string, size_t kept);

#endif
