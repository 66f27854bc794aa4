/* pattern: PCRE2 patterns, compiled when first used, matched at one place with limits.
 *
 * A pattern is immutable and may be shared by threads; a matcher holds what a
 * match needs (limits, JIT stack, captures) and belongs to one thread.
 */
#ifndef BENCHLORE_PATTERN_H
#define BENCHLORE_PATTERN_H

#include "extract/need.h"

struct pattern;

/* Check source and keep it: UTF-8, ^ and $ at every line, a name may be given to
 * several groups. It is compiled when it is first used. NULL on a mistake:
 * *error_offset is its byte in sketch, *error its text (g_free).
 *
 * sketch is what is looked at: source, or a shorter text with the same groups
 * that is wrong where source is. */
struct pattern *pattern_new(struct view source, struct view sketch, size_t *error_offset, char **error);
void pattern_free(struct pattern *pattern);

unsigned pattern_group_count(const struct pattern *pattern);

/* The name of group number (from 1), or NULL where it has none; borrowed. */
const char *pattern_group_name(const struct pattern *pattern, unsigned number);

/* False where no match can begin with this byte: a cheap first look. */
bool pattern_may_begin(const struct pattern *pattern, unsigned char byte);

/* What every match holds, for a second look. */
const struct need *pattern_need(const struct pattern *pattern);

enum pattern_result {
    PATTERN_MATCH,
    PATTERN_NO_MATCH,
    PATTERN_LIMIT, /* gave up at a limit: neither a match nor none */
};

struct matcher;

struct matcher *matcher_new(void);
void matcher_free(struct matcher *matcher);

/* Match the pattern at offset at of subject and nowhere else. subject must be
 * valid UTF-8. */
enum pattern_result matcher_match(struct matcher *matcher, const struct pattern *pattern, struct view subject,
                                  size_t at) __attribute__((warn_unused_result));

/* Where, at the latest before end, a match that begins at `at` stops: up to
 * there the text could go on to match. `at` if not even one byte fits. Slow:
 * for explaining. */
size_t matcher_reach(struct matcher *matcher, const struct pattern *pattern, struct view subject, size_t at,
                     size_t end);

/* Range of a group (0: all) of the last match; false where it took no part. */
bool matcher_group(const struct matcher *matcher, unsigned number, size_t *start, size_t *end);

#endif
