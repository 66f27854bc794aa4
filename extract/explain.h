/* explain: a message as the recognizer saw it, line by line, on a stream.
 *
 * Beside each line of repaired text: part, line, quote depth, how it was
 * repaired; below it the grammar, rule and captures that took it, and for a
 * line that a rule nearly took why it did not.
 */
#ifndef BENCHLORE_EXPLAIN_H
#define BENCHLORE_EXPLAIN_H

#include "extract/recognize.h"

#include <stdio.h>

/* Print the message that recognizer has read last; trace is the one it fills.
 * With untried, grammars whose literals are not there are named; with colour,
 * for a terminal. False if the stream can't be written. */
bool explain_message(const struct recognizer *recognizer, const struct trace *trace, bool untried, bool colour,
                     FILE *stream) __attribute__((warn_unused_result));

#endif
