/* grammar: what a grammar file says, compiled; immutable once loaded.
 *
 * grammars/README.md is the manual of the language; the names here are its
 * words. grammar_load.h makes these structures, recognize.c runs them.
 */
#ifndef BENCHLORE_GRAMMAR_H
#define BENCHLORE_GRAMMAR_H

#include "extract/literal.h"
#include "extract/pattern.h"
#include "extract/unit.h"

/* Variables that carry down from rule to rule. The first ones are known to
 * every grammar and fill columns of the dataset. */
enum {
    VARIABLE_TEST,
    VARIABLE_SERIES,
    VARIABLE_TOOL_VERSION,
    VARIABLE_BETTER,
    VARIABLE_DECIMAL, /* "," where the text has decimal commas */
    VARIABLE_BUILTIN_COUNT
};

enum filter {
    FILTER_NONE,
    FILTER_LOWER,  /* ASCII lower case */
    FILTER_NUMBER, /* plain decimal without trailing zeros; what is no number passes */
    FILTER_BASE,   /* a base unit; what is none counts as no text */
    FILTER_MAP,
};

struct map_entry {
    char *from, *to;
};

struct map {
    char *name;
    GArray *entries; /* of struct map_entry */
};

/* `<name>` or `<name|filter>`: a capture of the rule, or a carried variable. */
struct reference {
    bool carried;
    unsigned index; /* of the rule's captures or the grammar's variables */
    enum filter filter;
    const struct map *map;
};

struct piece {
    char *literal; /* NULL: the reference */
    struct reference reference;
};

/* Text with references in it. */
struct template
{
    struct piece *pieces;
    unsigned count;
};

struct unit_entry {
    char *name;
    struct unit unit;
};

struct unit_set {
    char *name;      /* NULL for the grammar's own units */
    GArray *entries; /* of struct unit_entry */
};

/* One unit of a row, and the tool versions that it holds for. */
struct row_unit {
    bool given;        /* false: the figure's own text says it */
    bool by_reference; /* the text of a reference says it */
    struct unit unit;  /* where neither */
    struct reference reference;
    char *from, *before; /* versions; NULL: no bound */
};

/* A further figure that is added to a row's: `<min> min + <sec> s`. */
struct row_term {
    unsigned capture;
    struct unit unit;
};

struct row {
    struct template metric, stat, series;
    bool has_stat, has_series;
    unsigned value; /* captures; CAPTURE_NONE where there is none */
    unsigned change, significant, spread;
    bool spread_is_percent; /* one without a sign of its own */
    struct row_unit *units;
    unsigned unit_count;
    GArray *terms; /* of struct row_term; NULL: none */
    unsigned line; /* in the grammar file */
};

enum {
    CAPTURE_NONE = 0xffff,
    RULE_CAPTURES_MAX = 64, /* those of a table's cell with those of its label */
};

/* A relation between figures; truth-wise only within what the digits allow. */
enum check_kind {
    CHECK_EQUAL,        /* left = right: expressions over captures (in a rule) or metrics (in a block) */
    CHECK_ORDER,        /* figures that do not fall, in the order given */
    CHECK_RISING,       /* a figure that does not fall from one `each` to the next */
    CHECK_CHANGE,       /* a percentage against a third figure, or the first column of its row */
    CHECK_PROPORTIONAL, /* figures against lengths of captures, over all rows of a block */
};

enum { EXPRESSION_MAX = 16 };

/* Postfix: operands, and operators that take two. */
struct expression_item {
    enum { ITEM_CAPTURE, ITEM_METRIC, ITEM_NUMBER, ITEM_PLUS, ITEM_TIMES } kind;
    unsigned capture;
    char *metric;
    struct decimal number;
};

struct expression {
    struct expression_item items[EXPRESSION_MAX];
    unsigned count;
};

struct check {
    enum check_kind kind;
    unsigned line;                 /* in the grammar file */
    struct expression left, right; /* CHECK_EQUAL */
    unsigned *captures;            /* the other kinds */
    unsigned capture_count;
    bool cut;           /* figures may be cut off instead of rounded: a whole unit of the last digit */
    bool carry;         /* 1.0 may stand for 1.96 (a carry lost in rounding) */
    bool whole;         /* right only to one whole printed unit */
    unsigned condition; /* a capture that must be at least `least`, or CAPTURE_NONE */
    struct decimal least;
};

/* A name that one or more groups of a pattern have. */
struct capture {
    char *name;
    unsigned groups[8];
    unsigned group_count;
    int variable; /* that it sets, or -1 */
};

/* Where a rule may match. */
enum rule_form {
    FORM_ANY,
    FORM_LINED, /* only where lines are lines */
    FORM_FLAT,  /* only in text that has lost its line breaks */
};

enum rule_kind { RULE_BEGIN, RULE_LINE, RULE_SKIP, RULE_VERSION, RULE_TABLE, RULE_EACH };

struct assignment {
    unsigned variable;
    struct template text;
};

struct param {
    struct template key, value;
    /* `params`: value is split at separator, each piece at the first key_end;
     * a piece without key_end counts for the key `key`. NULL: not split. */
    char *separator, *key_end;
    /* Or the pieces of value have for keys those of key (key_end is NULL); the
     * one of the key test_key is the test and no parameter. */
    char *test_key;
};

/* Columns of series under header rows that the grammar does not know. */
struct table {
    struct pattern *label;       /* label and the blank behind it, before a cell */
    struct pattern *label_alone; /* the same groups, at the end of the text */
    struct pattern *cell;
    struct capture *cell_captures;
    unsigned cell_capture_count;
    unsigned header_rows; /* 0: the series of the table before */
    bool or_single;       /* or one row of names, below a line that is none */
    char *join;
    GPtrArray *names; /* of char *: what such headers often hold */
    bool title_is_test;
    unsigned least_columns; /* a row of fewer cells opens no table */
};

struct rule {
    enum rule_kind kind;
    unsigned line;   /* in the grammar file */
    unsigned number; /* in the grammar, from 0 */
    struct pattern *pattern;
    struct capture *captures;
    unsigned capture_count;
    int again;       /* capture: a begin rule is a line of an open block that has not seen its text; or -1 */
    bool near;       /* a begin rule that holds only below another block of the grammar */
    bool titled;     /* a begin rule that takes the block's own title: what stands above is no caption of it */
    bool reads_list; /* an `each` that refers to a list, or a rule that has one such */
    bool anywhere;   /* tried at every word of a line, not only where a line or the text of a rule ends */
    enum rule_form form;
    const struct unit_set *units;
    struct table *table;
    GArray *rows;        /* of struct row */
    GArray *assignments; /* of struct assignment */
    GArray *params;      /* of struct param */
    GArray *checks;      /* of struct check */
    GPtrArray *each;     /* of struct rule: read again and again right behind this one */
};

struct block {
    char *name;
    unsigned number; /* in the grammar, from 0 */
    GPtrArray *rules;
    GArray *checks;
};

struct better_rule {
    char *glob; /* over metric, or metric:stat where it has a colon */
    const char *direction;
    bool with_stat;
    bool is_simple;    /* one star, or none, is all that is no plain character */
    bool has_star;     /* where simple */
    size_t head, tail; /* what stands before and behind it */
};

struct grammar {
    char *name;
    char *about;
    char *file;
    GPtrArray *word_files; /* paths of the files that it takes words from */
    GArray *literals;      /* of struct literal_item */
    GPtrArray *variables;  /* names */
    GArray *kept;          /* bool for each variable: outlives its block */
    GArray *listed;        /* bool for each variable: holds several texts */
    bool has_lists;        /* one does */
    GPtrArray *maps;
    GPtrArray *unit_sets; /* the first is the grammar's own */
    GArray *better;
    GPtrArray *rules; /* outside blocks: version, skip */
    GPtrArray *blocks;
    /* set by grammar_number_rules, which also numbers the blocks, of all rules but those of `each`: */
    unsigned rule_count;
    bool has_anywhere; /* one that may match anywhere */
};

void grammar_free(struct grammar *grammar);

/* Empty structures, for the loader to fill; each is freed with its grammar. */
struct grammar *grammar_new(const char *file);
struct block *block_new(const char *name);
struct rule *rule_new(enum rule_kind kind, unsigned line);
struct map *map_new(const char *name);
struct unit_set *unit_set_new(const char *name);

/* Number the rules: when there are no more to come. */
void grammar_number_rules(struct grammar *grammar);

/* True if text may hold a block: the literals are there. */
bool grammar_may_match(const struct grammar *grammar, struct view text);

/* "higher", "lower" or "" by the grammar's better lines; and a line more: glob
 * is taken over, direction is static. */
const char *grammar_better(const struct grammar *grammar, struct view metric, struct view stat);
void grammar_add_better(struct grammar *grammar, char *glob, const char *direction);

/* Unit by the rule's set, the grammar's own, then the common table. */
bool grammar_unit(const struct grammar *grammar, const struct unit_set *set, struct view text, struct unit *unit)
    __attribute__((warn_unused_result));

#endif
