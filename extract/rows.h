/* rows: what a grammar is tried by: the rows of a CSV text, and those that
 * grammars find in a text.
 */
#ifndef BENCHLORE_ROWS_H
#define BENCHLORE_ROWS_H

#include "extract/recognize.h"

struct rows {
    char **columns;
    GPtrArray *lines; /* of char **: a field for each column; NULL at the end of each */
    GArray *places;   /* of unsigned, for each of lines: the line that it stands in, from 1 */
};

/* Read a CSV text (RFC 4180) with a header row. NULL, and *wrong is the line of
 * it (wrong may be NULL), if a row has another number of fields than the
 * header. Free with rows_free. */
struct rows *rows_read(const char *csv, unsigned *wrong);
void rows_free(struct rows *rows);

/* Leave out a row. */
void rows_remove(struct rows *rows, guint row);

/* The first of the columns that the dataset does not have; or NULL. */
const char *rows_unknown_column(const struct rows *rows);

/* The field of a row in the column of this name; "" where there is no such
 * column. */
const char *rows_field(const struct rows *rows, guint row, const char *column);

/* What a run of grammars over a text gives beside rows. */
struct rows_run {
    struct recognizer_counts counts;
    GHashTable *rules; /* if not NULL: a set that gets every struct rule that took some text */
    FILE *log;         /* for diagnostics; or NULL */
};

/* Run grammars over text, which is no mail but the body of one: all that is
 * found, in all columns. Free with rows_free. */
struct rows *rows_extract(const GPtrArray *grammars, struct view text, struct rows_run *run);

/* Compare as multisets the columns that expected has. Numbers are the same
 * where they differ in trailing zeros alone. True if all are the same; else
 * each row that is missing, in the order of expected, and each that is
 * unexpected, in that of the text, is appended to difference, as
 * `CSV:LINE: missing: ...` and `TEXT:LINE: unexpected: ...`. */
bool rows_compare(const struct rows *expected, const char *csv, const struct rows *found, const char *text,
                  GString *difference);

#endif
