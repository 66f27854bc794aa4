/* footer: what mailing lists append to the mail that they send on. */
#ifndef BENCHLORE_FOOTER_H
#define BENCHLORE_FOOTER_H

#include "extract/text.h"

/* Where the list's footer at the end of text begins; text.length: it has none.
 *
 * A footer is a rule (underscores, dashes, `-- `) with a few lines below it that
 * speak of the list: how to unsubscribe, or where its page is. */
size_t footer_start(struct view text);

#endif
