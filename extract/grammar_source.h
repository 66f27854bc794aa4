/* grammar_source: a grammar file as logical lines, and mistakes in it.
 *
 * A logical line is a line without comment and indentation; where it ends in
 * `\` the next line goes on with it. Every byte of it knows its place in the
 * file, so that a mistake can be shown under the very character.
 */
#ifndef BENCHLORE_GRAMMAR_SOURCE_H
#define BENCHLORE_GRAMMAR_SOURCE_H

#include "extract/text.h"

struct source_place {
    unsigned line;   /* from 1 */
    unsigned column; /* in bytes, from 1 */
};

/* What a line of the file has of a logical line, from byte `start` of it on. */
struct source_piece {
    size_t start;
    struct source_place place;
};

struct source_line {
    GString *text;
    GArray *pieces; /* of struct source_piece, one a line of the file */
    bool is_indented;
};

struct grammar_source;

/* Read a file; NULL, and a mistake appended, if it can't be read or is no
 * UTF-8. All later mistakes are appended to mistakes (borrowed) when the source
 * is freed, in the order of the file. */
struct grammar_source *grammar_source_read(const char *path, GString *mistakes);
void grammar_source_free(struct grammar_source *source);

const char *grammar_source_path(const struct grammar_source *source);
size_t grammar_source_count(const struct grammar_source *source);
const struct source_line *grammar_source_line(const struct grammar_source *source, size_t index);

/* Report `path:line:column: what`, the line of the file and a caret. */
void grammar_source_mistake(struct grammar_source *source, struct source_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
size_t grammar_source_mistake_count(const struct grammar_source *source);

/* The place of byte offset of a line. */
struct source_place source_line_place(const struct source_line *line, size_t offset);

#endif
