/* sample: texts beside a grammar, with the rows that it must find in them.
 *
 * They are in the folder samples/NAME beside the grammar's file: CASE.txt, and
 * CASE.csv with its rows.
 */
#ifndef BENCHLORE_SAMPLE_H
#define BENCHLORE_SAMPLE_H

#include "extract/grammar.h"

/* Try a grammar, without any other, on its samples; every row that is missing
 * or unexpected is appended to mistakes, and what can't be read. Returns how
 * many samples there are. */
unsigned samples_check(const struct grammar *grammar, GString *mistakes);

#endif
