/* charset: text of any character set as UTF-8.
 *
 * Mail lies about its character set, so names are read as they are used in
 * practice: ISO-8859-1 is windows-1252, GB2312 is GB 18030; ASCII with eight
 * bits, an unknown name or none is UTF-8 where that fits, else windows-1252.
 */
#ifndef BENCHLORE_CHARSET_H
#define BENCHLORE_CHARSET_H

#include "extract/text.h"

enum charset_status {
    CHARSET_OK,
    CHARSET_REPLACED, /* bytes without meaning (NUL too) have become U+FFFD */
    CHARSET_UNKNOWN,  /* the name means nothing; guessed as if none was given */
};

/* Does text that does not name its character set begin with the byte order mark
 * of UTF-16, as programs on Windows save it? */
bool charset_is_utf16(struct view bytes);

/* Converters that stay open for the next text: to open one takes longer than to
 * convert a mail. They are of one thread. */
struct charsets;
struct charsets *charsets_new(void);
void charsets_free(struct charsets *charsets);

/* Append bytes to out as UTF-8 without NUL and without a byte order mark at
 * its beginning. name is the declared character set, NULL where there is none. */
enum charset_status charset_decode(struct charsets *charsets, GString *out, struct view bytes, const char *name);

#endif
