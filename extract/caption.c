#define _GNU_SOURCE /* memmem */
#include "extract/caption.h"

enum {
    HEADING_MAX = 60,
    COLON_WORDS_MAX = 6,
    PROMPT_MAX = 48,
    WRAP_MIN = 56, /* mailers break lines of 64 to 80 columns */
    WRAP_MAX = 82,
    WRAP_ROOM = 70,
};

struct captions {
    const struct passage *passage;
    const bool *taken;
    size_t next;         /* line to be read */
    struct view caption; /* that holds at next */
    bool after_text;     /* the line before is prose: the next line may be its end */
    unsigned commands;   /* since the heading */
    bool in_command;     /* the line before is a command that goes on */
    bool in_taken;       /* or a block's line that a mailer may have broken */
};

static bool starts_with(struct view text, const char *start)
{
    size_t length = strlen(start);
    return text.length >= length && memcmp(text.bytes, start, length) == 0;
}

static bool ends_with(struct view text, char c)
{
    return text.length > 0 && text.bytes[text.length - 1] == c;
}

/* Does text hold one of these bytes? */
static bool holds_any(struct view text, const char *bytes)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] != '\0' && strchr(bytes, text.bytes[i]))
            return true;
    return false;
}

static unsigned count_words(struct view text)
{
    unsigned words = 0;
    for (size_t i = 0; i < text.length; i++)
        words += text.bytes[i] != ' ' && (i == 0 || text.bytes[i - 1] == ' ');
    return words;
}

/* `- `, `* `, `# `, `1. `, `2) `, `// `, and what underlines or makes bold. */
static struct view without_marks(struct view text)
{
    static const char *const marks[] = {"- ", "* ", "# ", "## ", "### ", "// ", "+ ", "o "};
    text = view_trim(text);
    if (text.length == 0 || (!g_ascii_isdigit(text.bytes[0]) && !strchr("-*#/+o", text.bytes[0])))
        return text;
    for (unsigned i = 0; i < G_N_ELEMENTS(marks); i++)
        if (starts_with(text, marks[i]))
            return view_trim(view_slice(text, strlen(marks[i]), text.length));
    size_t digits = 0;
    while (digits < text.length && g_ascii_isdigit(text.bytes[digits]))
        digits++;
    if (digits > 0 && digits <= 2 && digits + 1 < text.length &&
        (text.bytes[digits] == '.' || text.bytes[digits] == ')') && text.bytes[digits + 1] == ' ')
        return view_trim(view_slice(text, digits + 1, text.length));
    return text;
}

struct view caption_clean(struct view line)
{
    struct view text = without_marks(line);
    size_t start = 0, end = text.length;
    while (start < end && strchr("*_=#-", text.bytes[start]) && (start + 1 == end || text.bytes[start] != '-'))
        start++;
    while (end > start && strchr("*_=#:", text.bytes[end - 1]))
        end--;
    while (end > start && (text.bytes[end - 1] == '-' || text.bytes[end - 1] == ' '))
        end--;
    /* A rule that encloses the heading: `--- patched ---`. */
    while (start + 2 < end && starts_with(view_slice(text, start, end), "--") && text.length > end &&
           text.bytes[text.length - 1] == '-')
        while (start < end && text.bytes[start] == '-')
            start++;
    text = view_trim(view_slice(text, start, end));
    while (ends_with(text, ':'))
        text.length--;
    return view_trim(text);
}

/* `name (branch) `, as prompts in a git work tree. */
static bool is_work_tree(struct view before)
{
    before = view_trim(before);
    const char *blank = memchr(before.bytes, ' ', before.length);
    size_t word = blank ? (size_t)(blank - before.bytes) : before.length;
    struct view branch = view_trim(view_slice(before, word, before.length));
    return ends_with(branch, ')') && starts_with(branch, "(") && !memchr(branch.bytes, ' ', branch.length);
}

/* `user@host:~# `, `[root@host dir]# `, `/mnt # `, `~/src (main)> `, `src (main) # `. */
static bool is_prompt(struct view text, size_t sign_at)
{
    static const char *const shells[] = {"bash", "sh", "root"};
    struct view before = view_slice(text, 0, sign_at);
    char sign = text.bytes[sign_at], last = text.bytes[sign_at - 1];
    for (unsigned s = 0; s < G_N_ELEMENTS(shells); s++)
        if (strchr("#$", sign) && view_is(before, shells[s]))
            return true;
    if ((sign == '%' && g_ascii_isdigit(last)) || (sign == '>' && strchr("-=", last)))
        return false;
    return text.bytes[0] == '[' || holds_any(before, "@/~") || (sign != '>' && is_work_tree(before));
}

static bool has_prompt(struct view text)
{
    size_t end = MIN(text.length, (size_t)PROMPT_MAX + 2);
    for (size_t i = 2; i < end; i++) {
        char sign = text.bytes[i - 1];
        if (text.bytes[i] == ' ' && (sign == '#' || sign == '$' || sign == '%' || sign == '>') &&
            is_prompt(text, i - 1))
            return true;
    }
    return false;
}

/* A word of small letters, and options or paths behind it. */
static bool has_arguments(struct view text)
{
    size_t word = 0;
    unsigned options = 0;
    while (word < text.length && (g_ascii_islower(text.bytes[word]) || g_ascii_isdigit(text.bytes[word]) ||
                                  (text.bytes[word] != 0 && strchr("_-./", text.bytes[word]))))
        word++;
    if (word == 0 || word >= text.length || text.bytes[word] != ' ' || text.bytes[0] == '-')
        return false;
    struct view rest = view_trim(view_slice(text, word, text.length));
    const char *blank = memchr(rest.bytes, ' ', rest.length);
    struct view first = {rest.bytes, blank ? (size_t)(blank - rest.bytes) : rest.length};
    const char *equals = memchr(first.bytes, '=', first.length);
    if (first.bytes[0] == '/' || (equals && memchr(equals, '/', (size_t)(first.bytes + first.length - equals))))
        return true;
    const char *bracket = memchr(rest.bytes, '(', rest.length);
    size_t end = bracket ? (size_t)(bracket - rest.bytes) : rest.length;
    for (size_t i = 0; i < end && i + 1 < rest.length; i++) {
        const char *dash = memchr(rest.bytes + i, '-', end - i);
        if (!dash)
            break;
        i = (size_t)(dash - rest.bytes);
        if (i + 1 == rest.length)
            break;
        bool begins = i == 0 || rest.bytes[i - 1] == ' ';
        if (begins && rest.bytes[i + 1] == '-')
            return true;
        if (!begins || !g_ascii_isalpha(rest.bytes[i + 1]))
            continue;
        options++;
        if (options > 1 || (i + 3 < rest.length && rest.bytes[i + 2] == ' '))
            return true;
    }
    return false;
}

/* How commands begin that have no options or paths. */
static bool begins_command(struct view text)
{
    static const char *const starts[] = {
        "sudo ",   "./",     "/usr/",   "taskset ",   "bin/",       "grep ",         "echo ",       "modprobe ",
        "insmod ", "rmmod ", "git am ", "git apply ", "git reset ", "git checkout ", "git revert ", "git cherry-pick "};

    for (unsigned i = 0; i < G_N_ELEMENTS(starts); i++)
        if (starts_with(text, starts[i]))
            return true;
    /* The end of a command, which a mailer has broken. */
    return starts_with(text, "--") && text.length > 2 && g_ascii_isalpha(text.bytes[2]);
}

static bool is_command(struct view text)
{
    text = view_trim(text);
    if (text.length > 2 && (text.bytes[0] == '$' || text.bytes[0] == '#' || text.bytes[0] == '%') &&
        text.bytes[1] == ' ')
        return text.bytes[0] != '#' || memchr(text.bytes, '/', text.length) ||
               memmem(text.bytes, text.length, " -", 2) || begins_command(view_slice(text, 2, text.length));
    if (begins_command(text) || memmem(text.bytes, text.length, "; done", 6))
        return true;
    if (starts_with(text, "time ") && has_arguments(view_slice(text, 5, text.length)))
        return true;
    return has_prompt(text) || has_arguments(text);
}

/* What a program complains of: `name: error writing 'x': No space left on device`. */
static bool is_complaint(struct view text)
{
    static const char *const words[] = {": error ",  ": cannot ",     ": failed ",
                                        " failed: ", ": writing to ", ": reading "};

    if (!g_ascii_islower(text.bytes[0]) || ends_with(text, ':'))
        return false;
    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
        if (memmem(text.bytes, text.length, words[i], strlen(words[i])))
            return true;
    return false;
}

/* A prompt alone, a trailer (`Tested-by: `), the mark of a footnote or of what
 * was left out, figures: what has no word that names anything. */
static bool names_nothing(struct view text)
{
    size_t letters = 0;
    for (size_t i = 0; i < text.length; i++)
        letters += g_ascii_isalpha(text.bytes[i]) || (unsigned char)text.bytes[i] >= 0x80;
    bool several = memchr(text.bytes, ' ', text.length) != NULL;
    if (ends_with(text, '#') || ends_with(text, '$')) {
        struct view before = view_slice(text, 0, text.length - 1);
        if (is_work_tree(before))
            return true;
    }
    return (letters == 0 && (several || strchr("([", text.bytes[0]))) || view_is(text, "[snip]") ||
           view_is(text, "<snip>") || starts_with(text, "[sudo] ") ||
           (memchr(text.bytes, '@', text.length) && !several) || memmem(text.bytes, text.length, "-by: ", 5);
}

static bool is_greeting(struct view text)
{
    static const char *const words[] = {"Hi",   "Hello", "Hey",    "Dear", "Thanks",  "Thank",   "Cheers",  "Regards",
                                        "Best", "Hi,",   "Hello,", "Hey,", "Thanks,", "Cheers,", "Regards,"};
    const char *blank = memchr(text.bytes, ' ', text.length);
    struct view first = {text.bytes, blank ? (size_t)(blank - text.bytes) : text.length};
    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
        if (view_is(first, words[i]) && (count_words(text) <= 4 || ends_with(text, ',')))
            return true;
    return false;
}

static bool is_attribution(struct view text)
{
    static const char *const verbs[] = {"wrote:",
                                        "writes:",
                                        "said:",
                                        "schrieb:",
                                        "\xC3\xA9"
                                        "crit :",
                                        "\xC3\xA9"
                                        "crit:",
                                        "scritto:",
                                        "scrisse:",
                                        "escribi\xC3\xB3:",
                                        "schreef:",
                                        "skrev:",
                                        "napisa\xC5\x82:"};
    for (unsigned i = 0; i < G_N_ELEMENTS(verbs); i++)
        if (memmem(text.bytes, text.length, verbs[i], strlen(verbs[i])))
            return true;
    return false;
}

bool caption_is_heading(struct view line)
{
    struct view text = view_trim(line);
    struct view clean = caption_clean(line);
    if (clean.length == 0 || text.length == 0 || g_utf8_strlen(clean.bytes, (gssize)clean.length) > HEADING_MAX)
        return false;
    if (names_nothing(text) || is_command(text) || is_command(clean) || is_complaint(clean) || is_greeting(text) ||
        is_attribution(text) || text.bytes[0] == '>' || text.bytes[0] == '$')
        return false;
    if (ends_with(text, '.') || ends_with(text, ',') || ends_with(text, ';') || ends_with(text, '?') ||
        ends_with(text, '!'))
        return false;
    if (memmem(text.bytes, text.length, ". ", 2))
        return without_marks(line).length < text.length &&
               !memmem(without_marks(line).bytes, without_marks(line).length, ". ", 2);
    if (ends_with(text, ':') && count_words(clean) > COLON_WORDS_MAX)
        return false;
    return true;
}

struct captions *captions_new(const struct passage *passage, const bool *taken)
{
    struct captions *captions = g_new0(struct captions, 1);
    captions->passage = passage;
    captions->taken = taken;
    captions->caption = view_of("");
    return captions;
}

void captions_free(struct captions *captions)
{
    g_free(captions);
}

static struct view line_text(const struct captions *captions, size_t index)
{
    const struct passage_line *line = passage_line(captions->passage, index);
    return view_trim(passage_view(captions->passage, line->start, line->end));
}

/* An underline belongs to the heading above it. */
static bool is_underline(struct view text)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] != text.bytes[0])
            return false;
    return text.length >= 3 && strchr("-=~*_", text.bytes[0]);
}

static bool is_last_of_paragraph(const struct captions *captions, size_t index)
{
    return index + 1 >= captions->passage->lines->len || captions->taken[index + 1] ||
           line_text(captions, index + 1).length == 0 || is_underline(line_text(captions, index + 1)) ||
           is_command(line_text(captions, index + 1));
}

/* May a mailer have broken the line where the next one begins? */
static bool goes_on(const struct captions *captions, size_t index)
{
    const struct passage_line *line = passage_line(captions->passage, index);
    size_t width = line->end - line->start + 2 * captions->passage->quote_depth;
    if (index + 1 >= captions->passage->lines->len || width < WRAP_MIN || width > WRAP_MAX)
        return false;
    struct view next = line_text(captions, index + 1);
    const char *blank = memchr(next.bytes, ' ', next.length);
    size_t word = blank ? (size_t)(blank - next.bytes) : next.length;
    return word > 0 && width + 1 + word > WRAP_ROOM;
}

static void read_line(struct captions *captions)
{
    size_t index = captions->next++;
    struct view text = line_text(captions, index);
    bool was_taken = captions->in_taken;
    captions->in_taken = captions->taken[index] && goes_on(captions, index);
    if (captions->taken[index]) {
        captions->after_text = captions->in_command = false;
        captions->commands = 0;
        return;
    }
    if (text.length == 0) {
        captions->after_text = captions->in_command = false;
        return;
    }
    /* The end of a block's line, which nothing has read. */
    if (was_taken && holds_any(text, "=[]"))
        return;
    if (is_underline(text))
        return;
    if (captions->in_command) {
        captions->in_command = ends_with(text, '\\') || goes_on(captions, index);
        return;
    }
    struct view unmarked = without_marks(text);
    if (is_command(text) || (unmarked.length < text.length && is_command(unmarked))) {
        captions->in_command = ends_with(text, '\\') || goes_on(captions, index);
        captions->after_text = false;
        if (++captions->commands > 1)
            captions->caption = view_of("");
        return;
    }
    if (!captions->after_text && caption_is_heading(text) && is_last_of_paragraph(captions, index)) {
        captions->caption = caption_clean(text);
        captions->commands = 0;
    } else {
        captions->caption = view_of("");
        captions->after_text = true;
    }
}

struct view captions_at(struct captions *captions, size_t line, bool has_title)
{
    while (captions->next < line)
        read_line(captions);
    if (has_title)
        captions->caption = view_of("");
    return captions->caption;
}
