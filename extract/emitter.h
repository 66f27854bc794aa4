/* emitter: what the parts of the emitter share; private to emit.c, emit_row.c
 * and emit_check.c.
 */
#ifndef BENCHLORE_EMITTER_H
#define BENCHLORE_EMITTER_H

#include "extract/emission.h"
#include "extract/relation.h"

/* NUL follows each text. */
struct param_text {
    struct view key, value;
};

/* What rows have in common is made when the first one wants it, and kept until
 * it changes: `kept` texts are clean, and have no bytes where not made. */
struct variable {
    struct view text; /* bytes NULL where not set */
    struct view kept;
};

/* The texts of a list. */
struct list {
    GArray *texts; /* of struct view, in the passage */
    bool begun;    /* by the run of `each` under way */
};

/* What relations want to know of a row, and nobody else. */
struct row_figure {
    struct figure figure;
    size_t bar; /* its length, or SIZE_MAX */
};

struct emitter {
    struct findings *findings;
    GArray *figures;    /* of struct row_figure: of the rows that the passage has given so far */
    unsigned first_row; /* the first of these rows */
    const struct grammar *grammar;
    GArray *variables;                  /* of struct variable */
    GPtrArray *lists;                   /* of struct list, for each variable; NULL for those that are none */
    unsigned each_match;                /* of the run under way: how many came before this one */
    GArray *block_params, *rule_params; /* of struct param_text */
    struct arena *param_texts;          /* of the passage */
    guint own_params;                   /* so many of rule_params are the rule's, the others of its `each` */
    struct view kept_params;            /* of both */
    struct view kept_line;              /* the number of the line of the last row */
    size_t line;                        /* its index in the passage */
    unsigned asked_row;                 /* the last row whose direction the grammar was asked for, or NO_ROW */
    GString *key, *scratch;
    GArray *remarks;      /* of struct remark; or NULL */
    struct reason unmade; /* why the last text that could not be made was not */
    unsigned each_row;    /* the row before in a run of `each` or cells, or NO_ROW */
    unsigned each_first;  /* the row of the first of them, or NO_ROW */
    unsigned each_count;
};

enum { NO_ROW = G_MAXUINT };

/* What a relation needs to know of a match: the row that holds a capture, and
 * the figure itself where no row does. */
struct match_rows {
    unsigned rows[BINDING_MAX]; /* by capture */
    struct figure figures[EXPRESSION_MAX * 2];
};

enum figure_result { FIGURE_GOOD, FIGURE_NOT_A_NUMBER, FIGURE_BAD };

/* The template's text as a dataset field; bytes are NULL where a carried
 * variable is not set or a map does not know its text, as `unmade` then says. */
struct view emit_template(struct emitter *emitter, const struct template *template, struct view text,
                          const struct binding *binding);

static inline struct row_figure *emit_row_figure(const struct emitter *emitter, unsigned row)
{
    return &g_array_index(emitter->figures, struct row_figure, row - emitter->first_row);
}

/* The text of a variable as it was set; bytes are NULL where it is not. */
static inline struct view emit_variable_text(const struct emitter *emitter, unsigned variable)
{
    return g_array_index(emitter->variables, struct variable, variable).text;
}

/* A variable's text as a dataset field; "" where it is not set. */
struct view emit_variable(struct emitter *emitter, unsigned variable);

/* The parameters of the block and the rule, as the dataset has them. */
struct view emit_params(struct emitter *emitter);

/* The text of a reference; false where it is not set. */
bool emit_reference(const struct emitter *emitter, const struct reference *reference, struct view text,
                    const struct binding *binding, struct view *result);

/* Read the figure in text; row may be NULL for a figure that only a relation
 * uses. *why says what is wrong with a bad one. */
enum figure_result emit_figure(struct emitter *emitter, const struct emission *emission, const struct row *row,
                               struct view text, struct figure *figure, struct reason *why);

/* Make a remark, if they are kept; text is taken over. */
void emit_remark(struct emitter *emitter, unsigned line, char *text);

/* Check the relations between the rows made of one match. */
void emit_check_rows(struct emitter *emitter, const struct emission *emission, struct match_rows *made);

#endif
