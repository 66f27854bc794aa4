/* position: up to where a file was read, in words that a state can keep.
 *
 * It names the file's last message by where that begins and ends and by a
 * digest of its last bytes, so that a file that has only grown is told from
 * one that was rewritten; and the file as the system knew it, so that a file
 * that has not changed need not be opened.
 */
#ifndef BENCHLORE_POSITION_H
#define BENCHLORE_POSITION_H

#include "extract/text.h"

#include <stdint.h>
#include <sys/stat.h>

enum {
    POSITION_TAIL = 16 * 1024, /* bytes at a message's end that the digest is made of */
    POSITION_DIGEST = 16,
    POSITION_SETTLED = 2, /* seconds without change after which a file's times tell of any further one */
    POSITION_DONE = 60,   /* seconds without change after which nobody is still writing a mail to it */
};

enum position_kind {
    POSITION_NOTHING = '-', /* no message in it */
    POSITION_MBOX = 'm',
    POSITION_LEFT = 'l',  /* an mbox whose last message was left for a later run */
    POSITION_WHOLE = 'w', /* one message, the whole file from 0 to end */
};

struct position {
    enum position_kind kind;
    bool unescaped;      /* an mbox that leaves `From ` lines of bodies as they are */
    bool uncounted;      /* one in which, before the last message, not all had a count that fits */
    bool dateless;       /* one whose `From ` lines have no date as they should */
    uint64_t start, end; /* of the last message, unpacked; not of POSITION_NOTHING */
    unsigned char digest[POSITION_DIGEST];
    bool settled; /* the rest is set */
    uint64_t size, inode;
    int64_t modified, changed; /* nanoseconds */
};

/* The digest of a message's bytes. */
void position_digest(struct view message, unsigned char digest[POSITION_DIGEST]);

/* Note what file is, as it was at the beginning of reading, unless it changed
 * so shortly before that its times may stay the same when it changes again. */
void position_settle(struct position *position, const struct stat *file);

/* May somebody still be writing to file? */
bool position_is_fresh(const struct stat *file);

/* Is file the one that was noted, and unchanged? */
bool position_is_same(const struct position *position, const struct stat *file);

/* One line of text; and back: false if it is none. */
void position_write(const struct position *position, GString *text);
bool position_read(struct position *position, const char *text) __attribute__((warn_unused_result));

#endif
