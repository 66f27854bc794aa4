/* known: what is known of the messages with results before the one at hand, in
 * this run and, with a state, in those before it: so that copies are told,
 * names are unique, and quoted results get their origin.
 *
 * For each message with results, or with a tail: known_begin; known_name if it
 * has results, with an imprint that lasts if there is a state; if that gives a name known_find_origins (if origins are wanted),
 * then known_origin and known_is_written for each observation; known_end.
 */
#ifndef BENCHLORE_KNOWN_H
#define BENCHLORE_KNOWN_H

#include "extract/origin.h"
#include "extract/state.h"

struct known;

/* state is borrowed; NULL: nothing is known from before, or kept. */
struct known *known_new(struct state *state, struct diag *diag);
void known_free(struct known *known);

/* Begin a message. tail, has_grown: as pipeline_tail gives them. */
void known_begin(struct known *known, const char *tail, bool has_grown);

/* What the dataset calls the message: its id, or another where a message with
 * other content has that. NULL: it is a copy of one that was read before. raw is
 * the message as it stands: it is read once more where its id is taken.
 * Valid until the next message, as long as the imprint is that of this one. */
const char *known_name(struct known *known, const struct imprint *imprint, const struct raw_message *raw);

/* Look where the quoted results of the message come from. */
void known_find_origins(struct known *known, const struct imprint *imprint);

/* The origin of an observation, as origins_of. */
const char *known_origin(const struct known *known, const struct observation *observation);

/* Is this row of the message at hand one that an earlier run has written, when
 * the message was still shorter? */
bool known_is_written(struct known *known, const struct observation *row);

/* End the message; any: there are rows of it, so that it is to be told from its
 * copies. imprint is NULL if it has no results. */
void known_end(struct known *known, const struct imprint *imprint, bool any);

#endif
