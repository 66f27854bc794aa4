/* fragment: named pieces of patterns, and the step from a pattern as a grammar
 * writes it to the PCRE2 pattern that it means.
 *
 *   a blank             any white space, one line break at most
 *   {name}              the fragment of that name
 *   <name>              a group called name, holding the fragment name
 *   <name:fragment>     a group called name, holding that fragment
 *
 * All else is PCRE2, unescaped. In a character class a blank is a blank.
 */
#ifndef BENCHLORE_FRAGMENT_H
#define BENCHLORE_FRAGMENT_H

#include "extract/grammar_source.h"
#include "extract/pattern.h"

/* What a blank in a pattern means: blanks, or a line break between blanks;
 * never an empty line. */
#define FRAGMENT_BLANK "(?:[ ]++(?:\\n[ ]*+)?+|\\n[ ]*+)"

struct fragments;

/* An empty set that falls back on parent (borrowed, may be NULL). */
struct fragments *fragments_new(const struct fragments *parent);
void fragments_free(struct fragments *fragments);

/* Read a file of `fragment NAME PATTERN` lines into fragments; mistakes are
 * appended. False if there were any. */
bool fragments_read(struct fragments *fragments, const char *path, GString *mistakes);

/* Define name; false if this set has it already. The text is copied. */
bool fragments_define(struct fragments *fragments, const char *name, const char *pattern, struct source_place place);

/* Check by itself a fragment whose pattern stands from start to the end of
 * line. If it is wrong, that is reported, here and not again wherever it is
 * used: false. */
bool fragments_check(struct fragments *fragments, struct grammar_source *source, const struct source_line *line,
                     const char *name, size_t start);

/* The first fragment of this set itself behind *place that no pattern has
 * used, its place in *place; or NULL. */
const char *fragments_unused(const struct fragments *fragments, struct source_place *place);

/* Expand bytes start to the end of line into *pattern (to be freed), with
 * *offsets[i] the byte of the line that byte i of the pattern comes from.
 * False, with the mistake reported, if a fragment is unknown or in itself. */
bool fragments_expand(struct fragments *fragments, struct grammar_source *source, const struct source_line *line,
                      size_t start, GString **pattern, GArray **offsets);

/* Compile what fragments_expand has made; NULL, with the mistake reported, if
 * that can't be done. */
struct pattern *fragments_compile(struct grammar_source *source, const struct source_line *line, const GString *pattern,
                                  const GArray *offsets);

#endif
