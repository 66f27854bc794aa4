/* scanner: what the parts of the scan share; private to scan.c, scan_table.c
 * and scan_trace.c.
 */
#ifndef BENCHLORE_SCANNER_H
#define BENCHLORE_SCANNER_H

#include "extract/diag.h"
#include "extract/dispatch.h"
#include "extract/emit.h"
#include "extract/header.h"
#include "extract/table_row.h"
#include "extract/trace.h"

/* Where a literal that a rule needs was looked for: it does not begin from `from`
 * on up to `to`, and, if found, begins there. */
struct sighting {
    size_t from, to;
    unsigned scan; /* another than the one under way: nothing is known */
    bool found;
};

enum { ENDS_MAX = 16 };

struct scanner {
    struct emitter *emitter;
    struct matcher *matcher;
    struct findings *findings;
    struct diag *diag;
    const struct place *place;
    GPtrArray *headers; /* of struct header, found in this message */
    GPtrArray *agains;  /* texts that the open block's `again` captures have had */
    bool warn_unknown;
    struct trace *trace; /* or NULL */
    struct scan_counts counts;
    GHashTable *dispatches; /* of each grammar that was used */

    /* of the scan under way */
    const struct grammar *grammar;
    struct dispatch *dispatch;
    const struct passage *passage;
    struct view text;
    size_t line;  /* the line that is tried */
    size_t reach; /* how far beyond its start a pattern sees the text */
    unsigned part;
    bool *taken;               /* by line of the passage */
    const struct block *block; /* open, or NULL */
    size_t block_end;          /* where its last match ended */
    bool began_again;          /* it began with a rule that has `again` */
    unsigned blocks_begun;     /* in this passage */
    unsigned scans;            /* so many were begun */
    GArray *sightings;         /* of struct sighting, NEED_LITERALS_MAX for each rule, by its number */
    size_t ends_of;            /* the place that ends tells of */
    size_t ends[ENDS_MAX];     /* by breaks: where the line ends that is so many behind it; 0: not known */
    struct binding binding[BINDING_MAX];

    /* of the open table */
    bool in_table;                 /* the open block has rows of a table */
    char *series[TABLE_CELLS_MAX]; /* also when it is closed: the next may have the same */
    unsigned columns;
    struct table_layout layout;
    size_t table_end;
    size_t last_end;     /* where the last match of the scan ended */
    size_t dropped_line; /* that had a row of a table without header */
};

/* The text that a pattern may see when it is tried at at. */
struct view scan_visible(const struct scanner *scanner, size_t at);

/* The line of the passage that offset at is in. */
static inline size_t scan_line_at(const struct scanner *scanner, size_t at)
{
    return passage_line_near(scanner->passage, at, scanner->line);
}

/* Report something at offset at of the passage. */
void scan_report(struct scanner *scanner, enum diag_kind kind, size_t at, const char *what);

/* Report that a rule gave up at a match limit. */
void scan_report_limit(struct scanner *scanner, const struct rule *rule, size_t at);

/* Bind captures to what the last match says. */
void scan_bind(struct scanner *scanner, const struct capture *captures, unsigned count, struct binding *binding);

enum { LINED_MAX = 4096 }; /* a longer line is no line of a table */

/* Does the rule's pattern match at offset at? *end is where. A limit that is hit is
 * reported and counts as no match. */
bool scan_match(struct scanner *scanner, const struct rule *rule, size_t at, size_t *end);

/* The following note things for --explain, if there is a trace.
 *
 * A match, and the column that it stands in (or NULL). */
void scan_trace_match(struct scanner *scanner, const struct rule *rule, size_t at, size_t end, const char *column);

/* The names of the columns of a table whose header goes from at to end. */
void scan_trace_header(struct scanner *scanner, const struct rule *rule, size_t at, size_t end);

/* A row of a table that has no header. */
void scan_trace_no_header(struct scanner *scanner, const struct rule *rule, const struct table_row *row);

/* What the emitter has said of a match at at. */
void scan_trace_remarks(struct scanner *scanner, size_t at);

/* The rule that went furthest into a line that none took. */
void scan_trace_miss(struct scanner *scanner, const struct passage_line *line);

/* The lines from start to end are taken by a rule. */
void scan_take_lines(struct scanner *scanner, size_t start, size_t end);

/* The open block's findings; NULL if none is open. */
struct found_block *scan_open_found(struct scanner *scanner);

/* Close the open block, if any, and open one that begins at start. */
struct found_block *scan_open_block(struct scanner *scanner, const struct block *block, size_t start);

/* Make the rows of a match whose captures are bound. */
void scan_take_rows(struct scanner *scanner, const struct rule *rule, size_t at);

/* Forget the columns of the last table. */
void scan_clear_series(struct scanner *scanner);

/* Try a table's row at at: a label and its cells. 0, or where it ends. */
size_t scan_try_table(struct scanner *scanner, const struct rule *rule, const struct block *block, size_t at,
                      bool flat);

#endif
