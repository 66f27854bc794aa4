/* grammar_line: the words of one logical line of a grammar file.
 *
 * Words are parted by blanks; "quoted text" is one word, its quotes off, and
 * may be part of a word ("IO depths"=iodepth_level).
 */
#ifndef BENCHLORE_GRAMMAR_LINE_H
#define BENCHLORE_GRAMMAR_LINE_H

#include "extract/grammar_source.h"

struct line_reader {
    const struct source_line *line;
    size_t at; /* byte of the line where the next word is looked for */
};

struct token {
    char *text;   /* owned; free with token_clear */
    size_t start; /* byte of the line */
};

/* The next word; false at the end of the line. */
bool line_reader_next(struct line_reader *reader, struct token *token);
bool line_reader_peek(const struct line_reader *reader, struct token *token);
void line_reader_skip(struct line_reader *reader);

/* Take the next word if it is this one. */
bool line_reader_word(struct line_reader *reader, const char *word);

/* Byte where the rest of the line begins, blanks left out. */
size_t line_reader_rest(struct line_reader *reader);

/* Report anything that is left as a mistake. */
void line_reader_end(struct line_reader *reader, struct grammar_source *source);

void token_clear(struct token *token);

#endif
