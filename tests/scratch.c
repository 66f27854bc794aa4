#define _XOPEN_SOURCE 700 /* nftw */
#include "tests/scratch.h"

#include <ftw.h>
#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

char *scratch_new(void)
{
    char *path = g_dir_make_tmp("benchlore-XXXXXX", NULL);

    assert_non_null(path);
    return path;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return g_remove(path);
}

void scratch_remove(char *path)
{
    assert_int_equal(nftw(path, remove_entry, 10, FTW_DEPTH | FTW_PHYS), 0);
    g_free(path);
}
