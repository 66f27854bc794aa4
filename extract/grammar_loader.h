/* grammar_loader: what the readers of a grammar file's lines share: the state
 * of the reading, mistakes, names, and texts with references in them.
 *
 * Private to grammar_load.c and the two modules it calls, grammar_rule and
 * grammar_statement.
 */
#ifndef BENCHLORE_GRAMMAR_LOADER_H
#define BENCHLORE_GRAMMAR_LOADER_H

#include "extract/fragment.h"
#include "extract/grammar.h"
#include "extract/grammar_line.h"

/* A name that the file defines, and whether it is used. */
struct definition {
    struct source_place place;
    bool set, used;
};

struct loader {
    struct grammar_source *source;
    struct grammar *grammar;
    struct fragments *fragments;
    struct block *block; /* that rules go to, or NULL */
    struct rule *rule;   /* that statements go to, or NULL */
    struct rule *top;    /* that `each` goes under, or NULL */

    /* of the rule */
    const struct source_line *rule_line, *label_line, *cell_line; /* the last two of a table, or NULL */
    const GPtrArray *rule_siblings;
    GString *rule_pattern; /* expanded, without the names of its groups */
    bool has_label;
    struct expanded label; /* of the table being read, until its cell comes */
    bool *capture_used;
    bool has_captures; /* false: its pattern is wrong, so they are not known */
    size_t mistakes_before;

    /* of the file; an entry for each of the grammar's variables and so on */
    GArray *variables, *maps, *unit_sets, *blocks; /* of struct definition */
    GPtrArray *fragment_lines;                     /* of struct source_line: those that define one */
    GHashTable *patterns; /* of rules so far: siblings and pattern -> GPtrArray of struct rule */
    bool is_incomplete;   /* a line was not understood: what it uses is not known */
    bool is_orphan;       /* nor do the lines below it belong to any rule */
};

/* One word that a line may begin with. */
struct keyword {
    const char *word;
    enum keyword_place {
        PLACE_ANYWHERE,
        PLACE_FILE,  /* before the blocks */
        PLACE_BLOCK, /* in a block */
        PLACE_RULE,  /* under a rule */
        PLACE_ROWS,  /* under a rule that makes rows: begin, line, each, table */
        PLACE_TABLE, /* under a table */
    } place;
    bool has_pattern; /* the rest of the line is a pattern or prose: quotes mean nothing in it */
    void (*read)(struct loader *, struct line_reader *);
};

/* Report a mistake: at a byte of the reader's line; at the next word or, where
 * there is none, at the line's end. */
void loader_mistake(struct loader *loader, const struct line_reader *reader, size_t offset, const char *what);
void loader_mistake_next(struct loader *loader, struct line_reader *reader, const char *what);

/* Index of the variable or map of this name; -1 where there is none. */
int loader_find_variable(const struct loader *loader, const char *name);
int loader_find_map(const struct loader *loader, const char *name);

static inline struct definition *loader_definition(GArray *definitions, unsigned index)
{
    return &g_array_index(definitions, struct definition, index);
}

/* Captures of the rule, those of a table's cell behind those of its label. */
unsigned rule_capture_count(const struct rule *rule);
const struct capture *rule_capture(const struct rule *rule, unsigned index);
int rule_find_capture(const struct rule *rule, const char *name);

/* Cut a comma off the end of a word; true if there was one. */
bool token_cut_comma(struct token *token);

/* Byte of the line where the byte at index of a token's text stands. */
size_t token_offset(const struct line_reader *reader, const struct token *token, size_t index);

/* The capture that a token `<name>` names; CAPTURE_NONE and a mistake if none. */
unsigned loader_capture(struct loader *loader, struct line_reader *reader, const struct token *token);

/* A token `<name>` or `<name|filter>`; false and a mistake if it names nothing. */
bool loader_reference(struct loader *loader, struct line_reader *reader, const struct token *token,
                      struct reference *reference);

/* A token as text with references in it. */
void loader_template(struct loader *loader, struct line_reader *reader, const struct token *token,
                     struct template *template);

#endif
