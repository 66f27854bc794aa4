/* The pattern is read as far as it is wanted: items one behind the other, each
 * with the line breaks that it may match. An item that must stand there and is
 * a plain character goes on with the literal before it; everything else ends
 * it. Groups are looked into only for their line breaks, unless all that they
 * hold must be there in turn. What is rare in patterns (options, conditions,
 * references) is not understood, and then nothing is told. */
#include "extract/need.h"

enum { REPEAT_ANY = NEED_LINES_ANY, DEPTH_MAX = 100 };

/* A group of the pattern; the whole is one. */
struct group {
    size_t end;    /* its closing parenthesis */
    bool is_split; /* into alternatives */
};

struct reading {
    struct view source;
    size_t at;
    GArray *groups;   /* of struct group, in the order of their beginnings */
    guint next_group; /* the one that begins next */
    bool failed;      /* something that is not understood */
    unsigned lines;   /* breaks that may stand before the item at hand */
    struct need run;  /* the literal that is being read */
    struct need best; /* the longest so far */
};

static unsigned add_lines(unsigned a, unsigned b)
{
    return MIN(a + b, (unsigned)NEED_LINES_ANY);
}

static bool is_next(const struct reading *reading, const char *text)
{
    size_t length = strlen(text);
    return reading->source.length - reading->at >= length &&
           memcmp(reading->source.bytes + reading->at, text, length) == 0;
}

static bool take(struct reading *reading, const char *text)
{
    if (!is_next(reading, text))
        return false;
    reading->at += strlen(text);
    return true;
}

static char peek(const struct reading *reading)
{
    return reading->at < reading->source.length ? reading->source.bytes[reading->at] : '\0';
}

static void end_run(struct reading *reading)
{
    if (reading->run.length > reading->best.length)
        reading->best = reading->run;
    reading->run.length = 0;
}

static void add_to_run(struct reading *reading, char c)
{
    if (reading->run.length == 0)
        reading->run.lines = reading->lines;
    if (reading->run.length < NEED_LENGTH_MAX)
        reading->run.literal[reading->run.length++] = c;
}

/* Past characters that stand for themselves: those of no account. */
static void skip_plain(struct reading *reading)
{
    while (g_ascii_isalnum(peek(reading)) || peek(reading) == ' ' || peek(reading) == '/')
        reading->at++;
}

/* ---- items ---- */

/* A class, behind its bracket: may it match a line break? One that names what
 * it does not match must name the break itself. */
static unsigned read_class(struct reading *reading)
{
    bool negated = take(reading, "^"), first = true, names_break = false, has_break = false;
    for (;; first = false) {
        char c = peek(reading);
        if (c == '\0') {
            reading->failed = true;
            return 0;
        }
        if (c == ']' && !first)
            break;
        reading->at++;
        if (c == '[' && peek(reading) == ':') {
            const char *end = memchr(reading->source.bytes + reading->at, ']', reading->source.length - reading->at);
            reading->failed |= !end;
            reading->at = end ? (size_t)(end - reading->source.bytes) + 1 : reading->source.length;
            has_break = true;
        } else if (c == '\\') {
            char escaped = peek(reading);
            reading->at++;
            names_break |= escaped == 'n' || escaped == 's';
            /* Of letters and digits only these are sure to match none; a range
             * may go over it. */
            has_break |= g_ascii_isalnum(escaped) && (!strchr("dwhStrfeab", escaped) || peek(reading) == '-');
        } else {
            names_break |= c == '\n';
            has_break |= (unsigned char)c < '\n' && peek(reading) == '-';
        }
    }
    reading->at++;
    return negated ? !names_break : names_break || has_break;
}

/* How often an item may stand: what follows it. */
static void read_repeat(struct reading *reading, unsigned *least, unsigned *most)
{
    char c = peek(reading);
    size_t start = reading->at;
    *least = *most = 1;
    if (c == '*' || c == '+' || c == '?') {
        reading->at++;
        *least = c == '+';
        *most = c == '?' ? 1 : REPEAT_ANY;
    } else if (c == '{') {
        unsigned numbers[2] = {0, 0};
        bool comma = false, digits[2] = {false, false};
        for (reading->at++; g_ascii_isdigit(peek(reading)) || (peek(reading) == ',' && !comma); reading->at++) {
            if (peek(reading) == ',') {
                comma = true;
                continue;
            }
            numbers[comma] = MIN(10 * numbers[comma] + (unsigned)(peek(reading) - '0'), (unsigned)REPEAT_ANY);
            digits[comma] = true;
        }
        if (!take(reading, "}") || !digits[0]) { /* a brace like any character, in some versions */
            reading->at = start;
            reading->failed = true;
            return;
        }
        *least = numbers[0];
        *most = !comma ? numbers[0] : digits[1] ? numbers[1] : (unsigned)REPEAT_ANY;
    } else {
        return;
    }
    if (peek(reading) == '+' || peek(reading) == '?')
        reading->at++;
}

static unsigned read_alternatives(struct reading *reading, bool required);

/* A group, behind its parenthesis; only its line breaks count, and its literals
 * where required. */
static unsigned read_group(struct reading *reading, bool required, bool *is_look)
{
    unsigned lines;
    *is_look = take(reading, "?=") || take(reading, "?!") || take(reading, "?<=") || take(reading, "?<!");
    if (*is_look || take(reading, "?:") || take(reading, "?>")) {
        required &= !*is_look;
    } else if (take(reading, "?i:")) {
        required = false;
    } else if (take(reading, "?<") || take(reading, "?P<")) {
        while (peek(reading) != '>' && peek(reading) != '\0')
            reading->at++;
        reading->at++;
    } else if (peek(reading) == '?' || peek(reading) == '*') {
        reading->failed = true;
        return 0;
    }
    lines = read_alternatives(reading, required);
    reading->failed |= !take(reading, ")");
    return *is_look ? 0 : lines;
}

/* One item and its repeat; the line breaks that it may match. */
static unsigned read_item(struct reading *reading, bool required)
{
    char c = peek(reading), literal = '\0';
    unsigned lines = 0, least, most;
    bool is_look = false;
    reading->at++;
    if (c == '(') {
        size_t behind = g_array_index(reading->groups, struct group, reading->next_group).end + 1;
        bool is_repeated = behind < reading->source.length && strchr("*+?{", reading->source.bytes[behind]);
        unsigned before = reading->lines;
        end_run(reading);
        lines = read_group(reading, required && !is_repeated, &is_look);
        reading->lines = before;
        end_run(reading);
    } else if (c == '[') {
        lines = read_class(reading);
    } else if (c == '\\') {
        c = peek(reading);
        reading->at++;
        if (!g_ascii_isalnum(c))
            literal = c;
        else if (c == 'n' || c == 's' || c == 'D' || c == 'W' || c == 'R' || c == 'v' || c == 'H')
            lines = 1;
        else if (!strchr("dwhSbBAGzZKNtrfea", c))
            reading->failed = true;
    } else if (c == '\n') {
        lines = 1;
    } else if (!strchr("^$.", c)) {
        literal = c;
    }
    if (reading->failed)
        return 0;
    read_repeat(reading, &least, &most);
    if (literal == '\0' || !required || least == 0) {
        end_run(reading);
    } else {
        add_to_run(reading, literal);
        if (least != 1 || most != 1)
            end_run(reading);
    }
    lines = lines == 0 || most == 0 ? 0
            : most >= REPEAT_ANY    ? NEED_LINES_ANY
                                    : MIN(lines * most, (unsigned)NEED_LINES_ANY);
    reading->lines = add_lines(reading->lines, lines);
    return lines;
}

/* The most line breaks of the alternatives; with required, literals of a single
 * one count. */
static unsigned read_alternatives(struct reading *reading, bool required)
{
    unsigned most = 0, start = reading->lines;
    required = required && !g_array_index(reading->groups, struct group, reading->next_group).is_split;
    reading->next_group++;
    while (!reading->failed) {
        unsigned lines = 0;
        reading->lines = start;
        for (;;) {
            if (!required)
                skip_plain(reading);
            if (reading->failed || strchr(")|", peek(reading)))
                break;
            lines = add_lines(lines, read_item(reading, required));
        }
        most = MAX(most, lines);
        if (!take(reading, "|"))
            break;
    }
    return most;
}

/* List the groups; false where parentheses do not fit. */
static bool find_groups(struct reading *reading)
{
    struct group group = {.end = reading->source.length};
    guint open[DEPTH_MAX];
    unsigned depth = 0;

    open[depth++] = reading->groups->len;
    g_array_append_val(reading->groups, group);
    while (reading->at < reading->source.length && !reading->failed) {
        switch (reading->source.bytes[reading->at++]) {
        case '\\':
            reading->at++;
            break;
        case '[':
            read_class(reading);
            break;
        case '|':
            g_array_index(reading->groups, struct group, open[depth - 1]).is_split = true;
            break;
        case '(':
            if (depth == DEPTH_MAX)
                return false;
            open[depth++] = reading->groups->len;
            g_array_append_val(reading->groups, group);
            break;
        case ')':
            if (--depth == 0)
                return false;
            g_array_index(reading->groups, struct group, open[depth]).end = reading->at - 1;
            break;
        default:
            break;
        }
    }
    reading->at = 0;
    return depth == 1 && !reading->failed;
}

struct need need_of(struct view source)
{
    struct reading reading = {.source = source, .groups = g_array_new(FALSE, TRUE, sizeof(struct group))};
    if (find_groups(&reading))
        read_alternatives(&reading, true);
    g_array_free(reading.groups, TRUE);
    end_run(&reading);
    if (reading.failed || reading.at < source.length || memchr(source.bytes, '\0', source.length))
        return (struct need){.length = 0};
    reading.best.literal[reading.best.length] = '\0';
    return reading.best;
}
