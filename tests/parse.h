/* parse: messages for tests, of mail that stands in a string. */
#ifndef BENCHLORE_TESTS_PARSE_H
#define BENCHLORE_TESTS_PARSE_H

#include "extract/message.h"

/* For cmocka: *state is a struct diag that says nothing. */
int parse_set_up(void **state);
int parse_tear_down(void **state);

/* The message that the mail is; free with message_free. */
struct message *parse_bytes(struct diag *diag, const char *bytes, size_t length);
struct message *parse_string(struct diag *diag, const char *string);

#endif
