#include "extract/finding.h"

enum { STRING_CHUNK = 4096 };

void findings_init(struct findings *findings)
{
    findings->rows = g_array_new(FALSE, TRUE, sizeof(struct found_row));
    findings->blocks = g_array_new(FALSE, TRUE, sizeof(struct found_block));
    findings->strings = g_string_chunk_new(STRING_CHUNK);
}

void findings_clear(struct findings *findings)
{
    g_array_set_size(findings->rows, 0);
    g_array_set_size(findings->blocks, 0);
    g_string_chunk_clear(findings->strings);
}

void findings_destroy(struct findings *findings)
{
    g_array_free(findings->rows, TRUE);
    g_array_free(findings->blocks, TRUE);
    g_string_chunk_free(findings->strings);
}
