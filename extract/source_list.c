/* source_list: reads names one by one, so that their number does not matter. */
#include "extract/source_list.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

struct source_list {
    char **arguments; /* those not yet returned; NULL: none */
    const char *path; /* of the file of names */
    struct diag *diag;
    FILE *names; /* NULL: none, or not yet open, or at its end */
    char *name;  /* malloc'd by getdelim */
    size_t capacity;
    int64_t byte_offset;
};

static void report(const struct source_list *list, int64_t byte_offset, const char *what)
{
    struct place place = {.source = list->path, .byte_offset = byte_offset};

    diag_report(list->diag, DIAG_UNREAD, &place, "%s", what);
}

static bool is_standard_input(const char *name)
{
    return strcmp(name, "-") == 0;
}

struct source_list *source_list_new(char **arguments, const char *files0_from, struct diag *diag)
{
    struct source_list *list = g_new0(struct source_list, 1);

    list->arguments = arguments;
    list->path = files0_from;
    list->diag = diag;
    if (files0_from == NULL)
        return list;
    list->names = is_standard_input(files0_from) ? stdin : fopen(files0_from, "r");
    if (list->names == NULL) {
        char *what = g_strdup_printf("cannot open: %s", g_strerror(errno));

        report(list, -1, what);
        g_free(what);
    }
    return list;
}

static void close_names(struct source_list *list)
{
    if (list->names != NULL && list->names != stdin)
        (void)fclose(list->names);
    list->names = NULL;
}

void source_list_free(struct source_list *list)
{
    if (list == NULL)
        return;
    close_names(list);
    free(list->name);
    g_free(list);
}

const char *source_list_next(struct source_list *list)
{
    if (list->arguments != NULL && *list->arguments != NULL)
        return *list->arguments++;
    while (list->names != NULL) {
        int64_t byte_offset = list->byte_offset;
        ssize_t length = getdelim(&list->name, &list->capacity, '\0', list->names);

        if (length < 0) {
            if (ferror(list->names))
                report(list, byte_offset, "cannot read");
            close_names(list);
            break;
        }
        list->byte_offset += length;
        if (list->name[0] == '\0')
            report(list, byte_offset, "empty name");
        else if (is_standard_input(list->name) && is_standard_input(list->path))
            report(list, byte_offset, "standard input holds the names, so that it can be no source");
        else
            return list->name;
    }
    return NULL;
}
