/* A pattern is checked when it is made, so that mistakes show, but the rest is
 * made when it is first wanted, since most patterns of a run never get so far:
 * first what is looked at before a match is tried (what it needs, and the bytes
 * that it can begin with, which PCRE2 works out for patterns that are not
 * anchored alone). The same code matches, interpreted; most patterns that get so
 * far are tried some times only. Beyond that, or where a match is long, JIT code
 * is made, which takes longer than hundreds of matches; it can't take
 * PCRE2_ANCHORED at match time, so the pattern is compiled so. What is
 * interpreted has limits far below those of JIT code, which then decides: so a
 * match does not depend on how often the pattern was tried before.
 *
 * What is checked is a sketch, compiled without what makes matching fast and is
 * never wrong. What a pattern has more than its sketch can make it wrong in one
 * way only: too large for PCRE2. If that is to be feared, it is compiled whole. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "extract/pattern.h"

#include <pcre2.h>
#include <stdatomic.h>

enum {
    MATCH_LIMIT = 1000000,
    DEPTH_LIMIT = 10000,
    HEAP_LIMIT_KIB = 20000,
    JIT_STACK_START = 32 * 1024,
    JIT_STACK_MAX = 1024 * 1024,
    INTERPRETED_MAX = 100, /* matches; about as long as it takes to make JIT code */
    INTERPRETED_LIMIT = 1000,
    GROUPS_MAX = 64,
    BYTES = 256,
    COMPILED_MAX = 60000, /* bytes of code: somewhat less than PCRE2's 64 KiB */
    CODE_PER_BYTE = 3,    /* that a sketch leaves out, at the most (`a|`: five for two) */
};

/* These are made when first wanted, then immutable. */
struct look {
    pcre2_code *code; /* not anchored; NULL: could not be compiled */
    bool first[BYTES];
    struct need need;
};

struct ready {
    pcre2_code *code; /* NULL: could not be compiled */
    bool has_jit;     /* an architecture without it matches slower, not otherwise */
};

struct later {
    _Atomic(struct look *) look;
    _Atomic(struct ready *) ready;
    atomic_uint interpreted; /* matches, roughly */
};

struct pattern {
    char *source;
    size_t length;
    unsigned group_count;
    char **group_names; /* group_count + 1 */
    struct later *later;
};

struct matcher {
    pcre2_match_context *context;
    pcre2_match_context *interpreted; /* with its limits */
    pcre2_match_data *data;
    pcre2_jit_stack *stack;
    int group_count; /* of the last match, with group 0 */
};

static const uint32_t COMPILE_OPTIONS = PCRE2_UTF | PCRE2_MULTILINE | PCRE2_DUPNAMES | PCRE2_NEVER_BACKSLASH_C;

/* How a sketch is compiled. */
static const uint32_t CHECK_OPTIONS = PCRE2_ANCHORED | PCRE2_NO_AUTO_POSSESS | PCRE2_NO_START_OPTIMIZE;

static pcre2_code *compile(struct view source, uint32_t options, int *error, size_t *error_offset)
{
    return pcre2_compile((PCRE2_SPTR)source.bytes, source.length, COMPILE_OPTIONS | options, error, error_offset, NULL);
}

static void find_first_bytes(const pcre2_code *code, bool *first)
{
    memset(first, true, BYTES);
    if (!code)
        return;
    uint32_t type = 0;
    const uint8_t *bitmap = NULL;
    if (pcre2_pattern_info(code, PCRE2_INFO_FIRSTCODETYPE, &type) == 0 && type == 1) {
        uint32_t unit = 0;
        pcre2_pattern_info(code, PCRE2_INFO_FIRSTCODEUNIT, &unit);
        memset(first, false, BYTES);
        first[unit & 0xff] = true;
        /* The unit may stand for either case. */
        if (g_ascii_isalpha((char)unit)) {
            first[(unsigned char)g_ascii_tolower((char)unit)] = true;
            first[(unsigned char)g_ascii_toupper((char)unit)] = true;
        }
    } else if (pcre2_pattern_info(code, PCRE2_INFO_FIRSTBITMAP, &bitmap) == 0 && bitmap) {
        for (unsigned byte = 0; byte < BYTES; byte++)
            first[byte] = (bitmap[byte / 8] >> (byte % 8)) & 1;
    }
}

static struct look *look_new(const struct pattern *pattern)
{
    const struct view source = {pattern->source, pattern->length};
    struct look *look = g_new0(struct look, 1);
    int error;
    size_t offset;
    look->code = compile(source, 0, &error, &offset);
    find_first_bytes(look->code, look->first);
    look->need = need_of(source);
    return look;
}

static void look_free(struct look *look)
{
    if (!look)
        return;
    pcre2_code_free(look->code);
    g_free(look);
}

static void ready_free(struct ready *ready)
{
    if (!ready)
        return;
    pcre2_code_free(ready->code);
    g_free(ready);
}

/* What PCRE2 looks at before a match begins, scan.c has looked at. */
static struct ready *ready_new(const struct pattern *pattern)
{
    struct ready *ready = g_new0(struct ready, 1);
    int error;
    size_t offset;
    ready->code = compile((struct view){pattern->source, pattern->length}, PCRE2_ANCHORED | PCRE2_NO_START_OPTIMIZE,
                          &error, &offset);
    ready->has_jit = ready->code && pcre2_jit_compile(ready->code, PCRE2_JIT_COMPLETE) == 0;
    return ready;
}

/* Threads that come first together each make it: one is kept. */
static const struct ready *get_ready(const struct pattern *pattern)
{
    struct ready *ready = atomic_load_explicit(&pattern->later->ready, memory_order_acquire);
    if (ready)
        return ready;
    struct ready *fresh = ready_new(pattern);
    if (atomic_compare_exchange_strong(&pattern->later->ready, &ready, fresh))
        return fresh;
    ready_free(fresh);
    return ready;
}

static const struct look *get_look(const struct pattern *pattern)
{
    struct look *look = atomic_load_explicit(&pattern->later->look, memory_order_acquire);
    if (look)
        return look;
    struct look *fresh = look_new(pattern);
    if (atomic_compare_exchange_strong(&pattern->later->look, &look, fresh))
        return fresh;
    look_free(fresh);
    return look;
}

static void read_group_names(struct pattern *pattern, const pcre2_code *code)
{
    uint32_t count = 0, entry_size = 0;
    PCRE2_SPTR table = NULL;
    pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &pattern->group_count);
    pcre2_pattern_info(code, PCRE2_INFO_NAMECOUNT, &count);
    pcre2_pattern_info(code, PCRE2_INFO_NAMEENTRYSIZE, &entry_size);
    pcre2_pattern_info(code, PCRE2_INFO_NAMETABLE, &table);
    pattern->group_names = g_new0(char *, pattern->group_count + 2);
    for (uint32_t i = 0; i < count; i++) {
        PCRE2_SPTR entry = table + (size_t)i * entry_size;
        unsigned number = (unsigned)entry[0] << 8 | entry[1];
        if (number <= pattern->group_count)
            pattern->group_names[number] = g_strdup((const char *)(entry + 2));
    }
}

/* May source be too large to compile, though the sketch is not? */
static bool may_be_large(const pcre2_code *sketch, size_t added)
{
    size_t size = 0;
    pcre2_pattern_info(sketch, PCRE2_INFO_SIZE, &size);
    return size + added * CODE_PER_BYTE > COMPILED_MAX;
}

/* The code that tells all about source but what it matches; NULL on a mistake. */
static pcre2_code *check(struct view source, struct view sketch, int *error, size_t *error_offset)
{
    pcre2_code *code = compile(sketch, CHECK_OPTIONS, error, error_offset);
    size_t added = source.length > sketch.length ? source.length - sketch.length : 0;
    if (!code || !may_be_large(code, added))
        return code;
    pcre2_code_free(code);
    code = compile(source, CHECK_OPTIONS, error, error_offset);
    *error_offset = MIN(*error_offset, sketch.length);
    return code;
}

struct pattern *pattern_new(struct view source, struct view sketch, size_t *error_offset, char **error)
{
    int code_error;
    size_t offset;
    pcre2_code *code = check(source, sketch, &code_error, &offset);
    if (!code) {
        PCRE2_UCHAR text[256];
        pcre2_get_error_message(code_error, text, sizeof text);
        *error_offset = offset;
        *error = g_strdup((const char *)text);
        return NULL;
    }
    struct pattern *pattern = g_new0(struct pattern, 1);
    read_group_names(pattern, code);
    pcre2_code_free(code);
    if (pattern->group_count >= GROUPS_MAX) {
        *error_offset = 0;
        *error = g_strdup_printf("more than %d groups", GROUPS_MAX - 1);
        pattern_free(pattern);
        return NULL;
    }
    pattern->source = g_strndup(source.bytes, source.length);
    pattern->length = source.length;
    pattern->later = g_new(struct later, 1);
    atomic_init(&pattern->later->look, NULL);
    atomic_init(&pattern->later->ready, NULL);
    atomic_init(&pattern->later->interpreted, 0);
    return pattern;
}

void pattern_free(struct pattern *pattern)
{
    if (!pattern)
        return;
    for (unsigned i = 0; i <= pattern->group_count; i++)
        g_free(pattern->group_names[i]);
    g_free(pattern->group_names);
    g_free(pattern->source);
    if (pattern->later) {
        look_free(atomic_load(&pattern->later->look));
        ready_free(atomic_load(&pattern->later->ready));
    }
    g_free(pattern->later);
    g_free(pattern);
}

unsigned pattern_group_count(const struct pattern *pattern)
{
    return pattern->group_count;
}

const char *pattern_group_name(const struct pattern *pattern, unsigned number)
{
    return number <= pattern->group_count ? pattern->group_names[number] : NULL;
}

bool pattern_may_begin(const struct pattern *pattern, unsigned char byte)
{
    return get_look(pattern)->first[byte];
}

const struct need *pattern_need(const struct pattern *pattern)
{
    return &get_look(pattern)->need;
}

struct matcher *matcher_new(void)
{
    struct matcher *matcher = g_new0(struct matcher, 1);
    matcher->context = pcre2_match_context_create(NULL);
    matcher->interpreted = pcre2_match_context_create(NULL);
    matcher->data = pcre2_match_data_create(GROUPS_MAX, NULL);
    matcher->stack = pcre2_jit_stack_create(JIT_STACK_START, JIT_STACK_MAX, NULL);
    if (!matcher->context || !matcher->interpreted || !matcher->data)
        g_error("out of memory");
    pcre2_set_match_limit(matcher->context, MATCH_LIMIT);
    pcre2_set_depth_limit(matcher->context, DEPTH_LIMIT);
    pcre2_set_heap_limit(matcher->context, HEAP_LIMIT_KIB);
    pcre2_set_match_limit(matcher->interpreted, INTERPRETED_LIMIT);
    pcre2_set_depth_limit(matcher->interpreted, INTERPRETED_LIMIT);
    if (matcher->stack)
        pcre2_jit_stack_assign(matcher->context, NULL, matcher->stack);
    return matcher;
}

void matcher_free(struct matcher *matcher)
{
    if (!matcher)
        return;
    pcre2_match_data_free(matcher->data);
    pcre2_match_context_free(matcher->context);
    pcre2_match_context_free(matcher->interpreted);
    pcre2_jit_stack_free(matcher->stack);
    g_free(matcher);
}

/* Is it time for JIT code? One thread makes it; the others go on without until
 * it is there. */
static bool wants_jit(const struct pattern *pattern)
{
    atomic_uint *interpreted = &pattern->later->interpreted;
    unsigned before = atomic_load_explicit(interpreted, memory_order_relaxed);
    if (before <= INTERPRETED_MAX)
        before = atomic_fetch_add_explicit(interpreted, 1, memory_order_relaxed);
    return before == INTERPRETED_MAX ||
           (before > INTERPRETED_MAX && atomic_load_explicit(&pattern->later->ready, memory_order_acquire) != NULL);
}

/* Try the match without JIT code; false: it is not for that. *count is as
 * pcre2_match returns it. */
static bool interpret(struct matcher *matcher, const struct pattern *pattern, struct view subject, size_t at,
                      int *count)
{
    if (wants_jit(pattern))
        return false;
    const pcre2_code *code = get_look(pattern)->code;
    if (!code)
        return false;
    *count = pcre2_match(code, (PCRE2_SPTR)subject.bytes, subject.length, at, PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK,
                         matcher->data, matcher->interpreted);
    return *count > 0 || *count == PCRE2_ERROR_NOMATCH;
}

enum pattern_result matcher_match(struct matcher *matcher, const struct pattern *pattern, struct view subject,
                                  size_t at)
{
    int count = 0;
    matcher->group_count = 0;
    if (!interpret(matcher, pattern, subject, at, &count)) {
        const struct ready *ready = get_ready(pattern);
        if (!ready->code)
            return PATTERN_LIMIT;
        /* The same but for checks that nothing here can fail. */
        count = ready->has_jit ? pcre2_jit_match(ready->code, (PCRE2_SPTR)subject.bytes, subject.length, at, 0,
                                                 matcher->data, matcher->context)
                               : pcre2_match(ready->code, (PCRE2_SPTR)subject.bytes, subject.length, at,
                                             PCRE2_NO_UTF_CHECK, matcher->data, matcher->context);
    }
    matcher->group_count = count > 0 ? count : 0;
    if (count > 0)
        return PATTERN_MATCH;
    return count == PCRE2_ERROR_NOMATCH ? PATTERN_NO_MATCH : PATTERN_LIMIT;
}

/* A prefix of the text that may still become a match is a partial match; the
 * longest one is found by halving. */
size_t matcher_reach(struct matcher *matcher, const struct pattern *pattern, struct view subject, size_t at, size_t end)
{
    size_t good = at, bad = end + 1;
    const pcre2_code *code = get_ready(pattern)->code;
    if (!code)
        return at;
    while (bad - good > 1) {
        size_t middle = good + (bad - good) / 2;
        int count =
            pcre2_match(code, (PCRE2_SPTR)subject.bytes, middle, at,
                        PCRE2_NO_UTF_CHECK | PCRE2_PARTIAL_SOFT | PCRE2_NO_JIT, matcher->data, matcher->context);
        if (count > 0 || count == PCRE2_ERROR_PARTIAL)
            good = middle;
        else
            bad = middle;
    }
    return good;
}

bool matcher_group(const struct matcher *matcher, unsigned number, size_t *start, size_t *end)
{
    if ((int)number >= matcher->group_count)
        return false;
    const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(matcher->data);
    if (offsets[2 * number] == PCRE2_UNSET)
        return false;
    *start = offsets[2 * number];
    *end = offsets[2 * number + 1];
    return true;
}
