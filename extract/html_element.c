#include "extract/html_element.h"

#include <glib.h>
#include <string.h>

unsigned html_element_effects(const char *name)
{
    static const struct {
        const char *name;
        unsigned effects;
    } table[] = {
        {"address", EFFECT_BLOCK},
        {"article", EFFECT_BLOCK},
        {"blockquote", EFFECT_BLOCK | EFFECT_HARD | EFFECT_QUOTE},
        {"body", EFFECT_BLOCK},
        {"br", EFFECT_BREAK},
        {"caption", EFFECT_BLOCK},
        {"center", EFFECT_BLOCK},
        {"dd", EFFECT_BLOCK},
        {"details", EFFECT_BLOCK},
        {"dir", EFFECT_BLOCK},
        {"div", EFFECT_BLOCK},
        {"dl", EFFECT_BLOCK},
        {"dt", EFFECT_BLOCK},
        {"fieldset", EFFECT_BLOCK},
        {"footer", EFFECT_BLOCK},
        {"form", EFFECT_BLOCK},
        {"h1", EFFECT_BLOCK},
        {"h2", EFFECT_BLOCK},
        {"h3", EFFECT_BLOCK},
        {"h4", EFFECT_BLOCK},
        {"h5", EFFECT_BLOCK},
        {"h6", EFFECT_BLOCK},
        {"head", EFFECT_SKIP},
        {"header", EFFECT_BLOCK},
        {"hr", EFFECT_BLOCK},
        {"legend", EFFECT_BLOCK},
        {"li", EFFECT_BLOCK},
        {"listing", EFFECT_BLOCK | EFFECT_PRE},
        {"main", EFFECT_BLOCK},
        {"menu", EFFECT_BLOCK},
        {"nav", EFFECT_BLOCK},
        {"ol", EFFECT_BLOCK},
        {"p", EFFECT_BLOCK},
        {"pre", EFFECT_BLOCK | EFFECT_PRE},
        {"script", EFFECT_SKIP},
        {"section", EFFECT_BLOCK},
        {"style", EFFECT_SKIP},
        {"summary", EFFECT_BLOCK},
        {"table", EFFECT_BLOCK | EFFECT_HARD | EFFECT_TABLE},
        {"tbody", EFFECT_BLOCK | EFFECT_HARD},
        {"td", EFFECT_CELL},
        {"textarea", EFFECT_BLOCK | EFFECT_PRE},
        {"tfoot", EFFECT_BLOCK | EFFECT_HARD},
        {"th", EFFECT_CELL},
        {"thead", EFFECT_BLOCK | EFFECT_HARD},
        {"title", EFFECT_SKIP},
        {"tr", EFFECT_BLOCK | EFFECT_HARD | EFFECT_ROW},
        {"ul", EFFECT_BLOCK},
        {"xmp", EFFECT_BLOCK | EFFECT_PRE},
    };
    size_t low = 0, high = G_N_ELEMENTS(table);

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, table[middle].name);

        if (order == 0)
            return table[middle].effects;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return EFFECT_NONE;
}
