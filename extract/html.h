/* html: an HTML part as lines of text, laid out as a reader sees them.
 *
 * Blocks, rows, list items and <br> begin lines; <pre> and textarea keep their
 * line breaks and blanks, elsewhere runs of white space are one blank. Cells of
 * a row are set apart by a tab; where they have a few lines each, these stand
 * side by side, and the lines of the source are not in order. Style sheets, scripts, the head and comments
 * are left out. No-break spaces stay as they are.
 */
#ifndef BENCHLORE_HTML_H
#define BENCHLORE_HTML_H

#include "extract/text.h"

/* A run of text that stands on one line of the source. */
struct html_line {
    struct view text;
    size_t source_line;      /* where the text begins, from 1 */
    unsigned quote_depth;    /* <blockquote> and type=cite around it, at most 100 */
    bool soft_break;         /* the next one continues this line */
    bool join_without_blank; /* and no blank belongs between them */
};

struct html;

/* Read UTF-8 text whatever charset it claims; it is borrowed during the call
 * only. Never NULL: from where it can't be read as HTML (elements nested more
 * than 512 deep, more than 20000 names) the source's lines follow as they are. */
struct html *html_new(struct view text);
void html_free(struct html *html);

/* The character that a reference means by its name, without `&` and `;`; 0: there
 * is none of this name. */
gunichar html_character(const char *name);

size_t html_line_count(const struct html *html);
const struct html_line *html_line(const struct html *html, size_t index);

#endif
