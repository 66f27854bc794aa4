/* bench_inbox: an mbox as a public-inbox of version 2, for `git fast-import`.
 *
 *     bench_inbox MBOX | git -C NEW.git fast-import
 */
#include "extract/archive.h"

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments)
{
    struct diag *diag = diag_new(stderr, false);
    struct archive *archive;
    struct raw_message raw;

    if (count != 2) {
        fputs("usage: bench_inbox MBOX\n", stderr);
        return 2;
    }
    archive = archive_open(arguments[1], diag);
    while (archive_next(archive, &raw) == ARCHIVE_MESSAGE) {
        printf("commit refs/heads/master\ncommitter Writer <writer@example.org> 1700000000 +0000\ndata 5\nmail\n\n"
               "M 100644 inline m\ndata %zu\n",
               raw.bytes.length);
        fwrite(raw.bytes.bytes, 1, raw.bytes.length, stdout);
        putchar('\n');
    }
    archive_free(archive);
    diag_free(diag);
    return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}
