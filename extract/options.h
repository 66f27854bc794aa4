/* options: the command line.
 */
#ifndef BENCHLORE_OPTIONS_H
#define BENCHLORE_OPTIONS_H

#include "extract/diag.h"

#include <glib.h>

/* As README.md tells of each; NULL and 0 where it is not given. */
struct options {
    char *format;
    char *help_text; /* with --help */
    char **grammar_files;
    char **only;
    char **check_files;
    char **warnings;
    char **sources;
    char *files0_from;
    char *state;
    int jobs;
    gboolean explain, help, list, no_prefilter, no_quoted, quiet, verbose, version;
    bool warn_unknown;
};

/* Read the command line into options, which are all 0 before. False if it is
 * wrong, which is reported. Formats are the names of the forms of output, NULL
 * behind the last; at most jobs_max threads may be wanted. */
bool options_read(int argc, char **argv, const char *const *formats, int jobs_max, struct options *options,
                  struct diag *diag);
void options_clear(struct options *options);

/* Report that the command line is wrong in some other way. */
void options_report(struct diag *diag, const char *what);

#endif
