/* sample: texts beside a grammar, with the rows that it must find in them.
 *
 * They are in the folder samples/NAME beside the grammar's file: CASE.txt, and
 * CASE.csv with its rows.
 */
#ifndef BENCHLORE_SAMPLE_H
#define BENCHLORE_SAMPLE_H

#include "extract/grammar.h"

/* What the samples of a grammar say of it. */
struct sample_counts {
    unsigned samples;
    unsigned good;          /* those as expected */
    unsigned unknown_lines; /* in blocks, that no rule takes */
};

/* The folder that holds the samples of a grammar. Free with g_free. */
char *samples_folder(const struct grammar *grammar);

/* Try a grammar, without any other, on its samples. Appended to mistakes is each
 * row that is missing or unexpected, each that a relation contradicts (where the
 * sample does not compare the column `check` itself), and what can't be read. */
struct sample_counts samples_check(const struct grammar *grammar, GString *mistakes);

#endif
