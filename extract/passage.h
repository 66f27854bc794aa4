/* passage: what one voice says in one part: its lines joined for recognition.
 *
 * Lines of one quote depth and voice form a passage, so that two quoted texts
 * that alternate are never read as one. Where other lines stood between two
 * lines of a passage there is an empty line, unless two texts alternate line by
 * line, or a kernel's log has been written between. Tabs are expanded, so that
 * columns are where the author saw them. Every byte knows its line in the part.
 */
#ifndef BENCHLORE_PASSAGE_H
#define BENCHLORE_PASSAGE_H

#include "extract/body.h"

/* A line of at least so many bytes may be a text that has lost its line breaks.
 * Quote marks that stood at its lines' starts are blanks in the passage. */
enum { PASSAGE_FLAT_LINE = 120 };

/* What was done to put a line in its place. */
enum repair {
    REPAIR_NONE,
    REPAIR_GAP,       /* no line: others stood between */
    REPAIR_JOINED,    /* continues the line before it */
    REPAIR_REMAINDER, /* had lost its quote mark when it was wrapped; where nothing was left before it, that line
                         ends in a blank: it is no empty line */
    REPAIR_REMARKED,  /* had got it twice */
};

/* A line of the passage's text. */
struct passage_line {
    size_t start;       /* first byte in the text */
    size_t end;         /* its line break, or the blank that joins it to the next */
    size_t source_line; /* in the part, from 1; 0 for the empty line that stands for others */
    size_t breaks;      /* line breaks before it in the text */
    bool joined;        /* continues the line before it: no place where a table's row begins */
    enum repair repair;
    bool decoded, undecorated; /* of struct line */
};

struct passage {
    const char *section; /* of the part; borrowed */
    unsigned quote_depth;
    unsigned voice; /* of struct line */
    GString *text;  /* valid UTF-8; every line ends in a line break */
    GArray *lines;  /* of struct passage_line, by start */
};

/* The passages of a message's parts, part by part, by their first lines. */
struct passages {
    GPtrArray *all; /* of struct passage; those beyond count are to be used again */
    guint count;
};

struct passages *passages_new(void);
void passages_free(struct passages *passages);
void passages_clear(struct passages *passages);

/* Add those of a part's body; section is borrowed. */
void passages_add(struct passages *passages, const char *section, const struct body *body);

static inline const struct passage *passages_at(const struct passages *passages, size_t index)
{
    return g_ptr_array_index(passages->all, index);
}

/* Index of the line that holds the byte at offset. */
size_t passage_line_at(const struct passage *passage, size_t offset);

/* The same, where the index is likely to be near, or the one behind it. */
size_t passage_line_near(const struct passage *passage, size_t offset, size_t near);

static inline const struct passage_line *passage_line(const struct passage *passage, size_t index)
{
    return &g_array_index(passage->lines, struct passage_line, index);
}

static inline struct view passage_view(const struct passage *passage, size_t start, size_t end)
{
    return (struct view){passage->text->str + start, end - start};
}

#endif
