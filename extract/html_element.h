/* html_element: what the elements of HTML do to the text in them. */
#ifndef BENCHLORE_HTML_ELEMENT_H
#define BENCHLORE_HTML_ELEMENT_H

/* Several may hold. */
enum html_effect {
    EFFECT_NONE = 0,
    EFFECT_BLOCK = 1, /* begins and ends lines */
    EFFECT_HARD = 2,  /* and does so at once, even in a cell */
    EFFECT_BREAK = 4, /* <br> */
    EFFECT_CELL = 8,
    EFFECT_ROW = 16,
    EFFECT_TABLE = 32,
    EFFECT_QUOTE = 64,
    EFFECT_PRE = 128,
    EFFECT_SKIP = 256, /* its text is left out */
};

/* The effects of an element by its name, which is in lower case. Elements that
 * are not known have none: their text is part of the text around. */
unsigned html_element_effects(const char *name);

#endif
