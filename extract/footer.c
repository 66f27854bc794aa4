/* footer: looks at the last lines of a text, backwards, for a list's rule. */
#include "extract/footer.h"

enum {
    FOOTER_LINES_MAX = 12, /* below the rule */
    FOOTER_BYTES_MAX = 4096,
    RULE_MIN = 20, /* of the same character */
};

static bool is_rule(struct view line)
{
    char c = line.length > 0 ? line.bytes[0] : '\0';

    line = view_trim(line);
    if (view_is(line, "--"))
        return true;
    if (line.length < RULE_MIN || (c != '_' && c != '-' && c != '='))
        return false;
    for (size_t i = 0; i < line.length; i++)
        if (line.bytes[i] != c)
            return false;
    return true;
}

static bool speaks_of_list(struct view text)
{
    static const char *const words[] = {"unsubscribe", "mailing list", "mailman/listinfo", "majordomo"};
    char *lower = g_ascii_strdown(text.bytes, (gssize)text.length);
    bool found = false;

    for (size_t i = 0; i < G_N_ELEMENTS(words) && !found; i++)
        found = strstr(lower, words[i]) != NULL;
    g_free(lower);
    return found;
}

size_t footer_start(struct view text)
{
    size_t end = text.length; /* of the line that is looked at */
    unsigned lines = 0;

    while (end > 0 && lines <= FOOTER_LINES_MAX && text.length - end <= FOOTER_BYTES_MAX) {
        size_t start = end - (text.bytes[end - 1] == '\n');

        while (start > 0 && text.bytes[start - 1] != '\n')
            start--;

        struct view line = view_slice(text, start, end);
        if (is_rule(line))
            return speaks_of_list(view_slice(text, end, text.length)) ? start : text.length;
        lines += view_trim(line).length > 0;
        end = start;
    }
    return text.length;
}
