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
/* In a sketch: no fixed length either. */
#define FRAGMENT_BLANK_SKETCH "(?:[ ]++)"

/* A pattern as PCRE2 takes it. */
struct expanded {
    GString *pattern;
    /* The same with less in it: what stands for a blank is shorter, of a word
     * list some words are left out. It has the same groups, and is wrong where
     * the pattern is: so that it is checked instead, which is what takes time. */
    GString *sketch;
    GArray *places; /* of struct expanded_place: where the sketch comes from */
};

struct fragments;

/* An empty set that falls back on parent (borrowed, may be NULL). */
struct fragments *fragments_new(const struct fragments *parent);
void fragments_free(struct fragments *fragments);

/* Read a file of `fragment NAME PATTERN` lines into fragments; mistakes are
 * appended. False if there were any. */
bool fragments_read(struct fragments *fragments, const char *path, GString *mistakes);

/* Define name; false if this set has it already. The texts are copied; sketch
 * (NULL: the pattern itself) stands for the pattern in a sketch. */
bool fragments_define(struct fragments *fragments, const char *name, const char *pattern, const char *sketch,
                      struct source_place place);

/* Check by itself a fragment whose pattern stands from start to the end of
 * line. If it is wrong, that is reported, here and not again wherever it is
 * used: false. */
bool fragments_check(struct fragments *fragments, struct grammar_source *source, const struct source_line *line,
                     const char *name, size_t start);

/* The first fragment of this set itself behind *place that no pattern has
 * used, its place in *place; or NULL. */
const char *fragments_unused(const struct fragments *fragments, struct source_place *place);

/* Expand bytes start to the end of line. False, with the mistake reported, if a
 * fragment is unknown or in itself. expanded_clear releases what is in
 * *expanded, whichever is returned. */
bool fragments_expand(struct fragments *fragments, struct grammar_source *source, const struct source_line *line,
                      size_t start, struct expanded *expanded);
void expanded_clear(struct expanded *expanded);

/* The byte of the line that byte `at` of the sketch comes from. */
size_t expanded_offset(const struct expanded *expanded, size_t at);

/* The pattern that fragments_expand has made; NULL, with the mistake reported,
 * if it is wrong. */
struct pattern *fragments_compile(struct grammar_source *source, const struct source_line *line,
                                  const struct expanded *expanded);

#endif
