#include "tests/parse.h"

int parse_set_up(void **state)
{
    *state = diag_new(NULL, false);
    return 0;
}

int parse_tear_down(void **state)
{
    diag_free(*state);
    return 0;
}

struct message *parse_bytes(struct diag *diag, const char *bytes, size_t length)
{
    struct raw_message raw = {{bytes, length}, "test", 0, true};

    return message_parse(&raw, diag);
}

struct message *parse_string(struct diag *diag, const char *string)
{
    return parse_bytes(diag, string, strlen(string));
}
