/* date: the date of a mail, in every form that mail has, as RFC 3339. */
#ifndef BENCHLORE_DATE_H
#define BENCHLORE_DATE_H

#include "extract/text.h"

/* Append the instant that a Date field's value means, in UTC
 * (`2024-01-30T16:11:16Z`). False, and nothing appended, where day, month, year
 * or time is missing or impossible, or lies outside 1970 to 2100.
 *
 * RFC 5322 with its obsolete forms (two and three digit years, zones by name,
 * comments), what ctime(3) and ISO 8601 print, and what mailers have made of
 * these. A zone whose name is ambiguous or unknown counts as UTC, as RFC 5322
 * 4.3 has it; so does none. */
bool date_read(GString *out, struct view value);

#endif
