#include "extract/glue.h"

enum { NAME_MIN = 3, PREFIX_MIN = 4, PIECES_MAX = 64 };

/* A name begins at `at`: what is before it does not ask to go on. */
static bool may_begin(struct view text, size_t at)
{
    return !strchr("-_.+", text.bytes[at - 1]) && !strchr("-_.+", text.bytes[at]);
}

static bool stands_at(struct view text, size_t at, const char *name, size_t length)
{
    return text.length - at >= length && memcmp(text.bytes + at, name, length) == 0;
}

/* Cuts where a known name begins, and where the one that the text begins with
 * ends. */
static unsigned cut_at_names(struct view text, const GPtrArray *names, size_t *cuts)
{
    unsigned count = 0;
    for (size_t at = 0; at < text.length; at++) {
        size_t longest = 0;
        for (guint i = 0; i < names->len; i++) {
            const char *name = g_ptr_array_index(names, i);
            size_t length = strlen(name);
            if (length >= NAME_MIN && length > longest && length < text.length && stands_at(text, at, name, length))
                longest = length;
        }
        if (longest == 0 || (at > 0 && !may_begin(text, at)))
            continue;
        if (at > 0 && (count == 0 || cuts[count - 1] != at)) {
            if (count == PIECES_MAX)
                return 0;
            cuts[count++] = at;
        }
        if (at + longest < text.length && may_begin(text, at + longest) && count < PIECES_MAX)
            cuts[count++] = at + longest;
        at += longest - 1;
    }
    return count;
}

/* Cuts where the text's own first length bytes come again. */
static unsigned cut_at_prefix(struct view text, size_t length, size_t *cuts)
{
    unsigned count = 0;
    for (size_t at = length; at + length <= text.length; at++) {
        if (may_begin(text, at) && stands_at(text, at, text.bytes, length)) {
            if (count == PIECES_MAX)
                return 0;
            cuts[count++] = at;
            at += length - 1;
        }
    }
    return count;
}

static void set_pieces(struct view text, const size_t *cuts, unsigned count, struct view *pieces)
{
    size_t start = 0;
    for (unsigned i = 0; i < count; i++) {
        size_t end = i + 1 < count ? cuts[i] : text.length;
        pieces[i] = view_slice(text, start, end);
        start = end;
    }
}

bool glue_split(struct view text, unsigned count, const GPtrArray *names, struct view *pieces)
{
    size_t cuts[PIECES_MAX + 1];
    if (count == 0 || count > PIECES_MAX)
        return false;
    bool decided = count == 1 || cut_at_names(text, names, cuts) == count - 1;
    for (size_t length = text.length / count; !decided && length >= PREFIX_MIN; length--)
        decided = cut_at_prefix(text, length, cuts) == count - 1;
    if (decided)
        set_pieces(text, cuts, count, pieces);
    return decided;
}

bool glue_split_words(const struct view *words, unsigned count, unsigned wanted, const GPtrArray *names,
                      struct view *pieces)
{
    struct view trial[PIECES_MAX];
    unsigned ways = 0;
    if (count == 0 || count > wanted || wanted > PIECES_MAX)
        return false;
    if (count == wanted) {
        memcpy(pieces, words, wanted * sizeof *pieces);
        return true;
    }
    /* One word holds all that is glued. */
    for (unsigned glued = 0; glued < count; glued++) {
        if (!glue_split(words[glued], wanted - count + 1, names, trial))
            continue;
        ways++;
        memcpy(pieces, words, glued * sizeof *pieces);
        memcpy(pieces + glued, trial, (wanted - count + 1) * sizeof *pieces);
        memcpy(pieces + wanted - (count - glued - 1), words + glued + 1, (count - glued - 1) * sizeof *pieces);
    }
    /* Or several, each of them parted as far as it can be. */
    unsigned total = 0;
    for (unsigned i = 0; ways == 0 && i < count; i++) {
        size_t cuts[PIECES_MAX + 1];
        unsigned parts = 1 + cut_at_names(words[i], names, cuts);
        if (total + parts > wanted)
            return false;
        set_pieces(words[i], cuts, parts, pieces + total);
        total += parts;
    }
    return ways == 1 || (ways == 0 && total == wanted);
}
