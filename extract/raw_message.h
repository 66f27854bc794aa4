/* raw_message: one message as it stands in its archive. */
#ifndef BENCHLORE_RAW_MESSAGE_H
#define BENCHLORE_RAW_MESSAGE_H

#include "extract/text.h"

#include <stdint.h>

/* Without the mbox `From ` line and the empty line that ends it there; `>From `
 * lines unescaped where the mbox escaped them. Borrowed from what read it,
 * valid until that reads on. */
struct raw_message {
    struct view bytes;
    const char *source;   /* the file it is in; for a message in a git repository `REPOSITORY:BLOB` */
    uint64_t byte_offset; /* of its first byte in the source, unpacked (of its `From ` line in an mbox) */
    bool is_mail;         /* false: text without a mail header, all of it body */
};

#endif
