/* The pattern is read as far as it is wanted: items one behind the other, each
 * with the line breaks that it may match. An item that must stand there and is
 * a plain character goes on with the literal before it; everything else ends
 * it. A group that must match needs what one of its alternatives needs. Other
 * groups are looked into only for their line breaks. What is rare in patterns
 * (options, conditions, references) is not understood, and then nothing is told. */
#include "extract/need.h"

#include "extract/bucket.h"

enum { REPEAT_ANY = NEED_LINES_ANY, DEPTH_MAX = 100 };

/* A group of the pattern; the whole is one. */
struct group {
    size_t end;    /* its closing parenthesis */
    unsigned ways; /* alternatives */
};

struct reading {
    struct view source;
    size_t at;
    GArray *groups;          /* of struct group, in the order of their beginnings */
    guint next_group;        /* the one that begins next */
    bool failed;             /* something that is not understood */
    unsigned lines;          /* breaks that may stand before the item at hand */
    struct need_literal run; /* the literal that is being read */
    unsigned run_lines;      /* breaks that may stand before it */
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

/* Is what a needs rarer in mail than what b needs? */
static bool is_rarer(const struct need *a, const struct need *b)
{
    const struct need *needs[] = {a, b};
    double shares[2] = {0, 0};

    if (a->count == 0 || b->count == 0)
        return a->count > 0;
    for (unsigned n = 0; n < 2; n++)
        for (unsigned i = 0; i < needs[n]->count; i++) {
            const struct need_literal *literal = &needs[n]->literals[i];

            shares[n] += share_in_mail((struct view){literal->text, literal->length});
        }
    return shares[0] < shares[1];
}

/* The literal that was read is at its end. */
static void end_run(struct reading *reading, struct need *best)
{
    if (reading->run.length > 0) {
        struct need need = {.count = 1, .lines = reading->run_lines};

        need.literals[0] = reading->run;
        need.literals[0].rarest = 0;
        if (is_rarer(&need, best))
            *best = need;
    }
    reading->run.length = 0;
}

static void add_to_run(struct reading *reading, struct view text)
{
    if (reading->run.length == 0)
        reading->run_lines = reading->lines;
    for (size_t i = 0; i < text.length && reading->run.length < NEED_LENGTH_MAX; i++)
        reading->run.text[reading->run.length++] = text.bytes[i];
}

/* What one of several alternatives needs, with another of them; false if that
 * can't be told. */
static bool join(struct need *all, const struct need *other)
{
    if (other->count == 0 || all->count + other->count > NEED_LITERALS_MAX)
        return false;
    for (unsigned i = 0; i < other->count; i++)
        all->literals[all->count++] = other->literals[i];
    all->lines = MAX(all->lines, other->lines);
    return true;
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

static unsigned read_alternatives(struct reading *reading, bool required, struct need *need);

/* A group, behind its parenthesis: its line breaks and, where it is required, what
 * it needs. */
static unsigned read_group(struct reading *reading, bool required, bool *is_look, struct need *need)
{
    unsigned lines;
    bool ahead = take(reading, "?=");
    *is_look = ahead || take(reading, "?!") || take(reading, "?<=") || take(reading, "?<!");
    if (*is_look || take(reading, "?:") || take(reading, "?>")) {
        required &= ahead || !*is_look;
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
    lines = read_alternatives(reading, required, need);
    reading->failed |= !take(reading, ")");
    return *is_look ? 0 : lines;
}

/* A group and what is before and behind it. */
static unsigned read_group_item(struct reading *reading, bool required, bool *is_look, struct need *best)
{
    size_t behind = g_array_index(reading->groups, struct group, reading->next_group).end + 1;
    bool is_repeated = behind < reading->source.length && strchr("*+?{", reading->source.bytes[behind]);
    unsigned before = reading->lines, lines;
    struct need need;

    need.count = 0;
    end_run(reading, best);
    lines = read_group(reading, required && !is_repeated, is_look, &need);
    reading->lines = before;
    if (is_rarer(&need, best))
        *best = need;
    return lines;
}

/* One item and its repeat; the line breaks that it may match. */
static unsigned read_item(struct reading *reading, bool required, struct need *best)
{
    char c = peek(reading);
    unsigned lines = 0, least, most;
    bool is_look = false;
    struct view literal = view_slice(reading->source, reading->at, reading->at);
    reading->at++;
    if (c == '(') {
        lines = read_group_item(reading, required, &is_look, best);
    } else if (c == '[') {
        lines = read_class(reading);
    } else if (c == '\\') {
        c = peek(reading);
        literal.bytes++;
        reading->at++;
        if (!g_ascii_isalnum(c))
            literal.length = 1;
        else if (c == 'n' || c == 's' || c == 'D' || c == 'W' || c == 'R' || c == 'v' || c == 'H')
            lines = 1;
        else if (!strchr("dwhSbBAGzZKNtrfea", c))
            reading->failed = true;
    } else if (c == '\n') {
        lines = 1;
    } else if (!strchr("^$.", c)) {
        /* A repeat is one of the whole character. */
        while (reading->at < reading->source.length && ((unsigned char)peek(reading) & 0xC0) == 0x80)
            reading->at++;
        literal = view_slice(reading->source, (size_t)(literal.bytes - reading->source.bytes), reading->at);
    }
    if (reading->failed)
        return 0;
    read_repeat(reading, &least, &most);
    if (literal.length == 0 || !required || least == 0) {
        end_run(reading, best);
    } else {
        for (unsigned i = 0; i < MIN(least, (unsigned)NEED_LENGTH_MAX); i++)
            add_to_run(reading, literal);
        if (least != most)
            end_run(reading, best);
    }
    lines = lines == 0 || most == 0 ? 0
            : most >= REPEAT_ANY    ? NEED_LINES_ANY
                                    : MIN(lines * most, (unsigned)NEED_LINES_ANY);
    reading->lines = add_lines(reading->lines, lines);
    return lines;
}

/* The most line breaks of the alternatives; with required, need gets what they
 * need. */
static unsigned read_alternatives(struct reading *reading, bool required, struct need *need)
{
    unsigned most = 0, start = reading->lines;

    required = required && g_array_index(reading->groups, struct group, reading->next_group).ways <= NEED_LITERALS_MAX;
    reading->next_group++;
    need->count = need->lines = 0;
    while (!reading->failed) {
        unsigned lines = 0;
        struct need best;

        best.count = 0;
        reading->lines = start;
        for (;;) {
            if (!required)
                skip_plain(reading);
            if (reading->failed || strchr(")|", peek(reading)))
                break;
            lines = add_lines(lines, read_item(reading, required, &best));
        }
        end_run(reading, &best);
        required = required && join(need, &best);
        most = MAX(most, lines);
        if (!take(reading, "|"))
            break;
    }
    if (!required)
        need->count = 0;
    return most;
}

/* List the groups; false where parentheses do not fit. */
static bool find_groups(struct reading *reading)
{
    struct group group = {.end = reading->source.length, .ways = 1};
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
            g_array_index(reading->groups, struct group, open[depth - 1]).ways++;
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

static void finish(struct need_literal *literal)
{
    double least = 1;

    literal->text[literal->length] = '\0';
    for (unsigned char i = 0; i < literal->length; i++) {
        double share = share_in_mail((struct view){literal->text + i, 1});

        if (share < least) {
            least = share;
            literal->rarest = i;
        }
    }
}

struct need need_of(struct view source)
{
    struct reading reading = {.source = source, .groups = g_array_new(FALSE, TRUE, sizeof(struct group))};
    struct need need;

    need.count = need.lines = 0;
    need.breaks = NEED_LINES_ANY;
    if (find_groups(&reading))
        need.breaks = read_alternatives(&reading, true, &need);
    g_array_free(reading.groups, TRUE);
    if (reading.failed || reading.at < source.length || memchr(source.bytes, '\0', source.length)) {
        need.count = 0;
        need.breaks = NEED_LINES_ANY;
    }
    for (unsigned i = 0; i < need.count; i++)
        finish(&need.literals[i]);
    return need;
}

/* memmem is made for longer texts than those between one line and the next. */
size_t need_find(const struct need_literal *literal, struct view text)
{
    const char *at, *end;

    if (text.length < literal->length)
        return text.length;
    at = text.bytes + literal->rarest;
    end = at + (text.length - literal->length) + 1;
    while (at < end) {
        at = memchr(at, literal->text[literal->rarest], (size_t)(end - at));
        if (!at)
            break;
        if (memcmp(at - literal->rarest, literal->text, literal->length) == 0)
            return (size_t)(at - text.bytes) - literal->rarest;
        at++;
    }
    return text.length;
}
