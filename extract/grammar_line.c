#include "extract/grammar_line.h"

/* The word at *at, which moves behind it; NULL at the end. */
static char *take_word(const char *text, size_t *at, size_t *start)
{
    *at += strspn(text + *at, " \t");
    *start = *at;
    if (!text[*at])
        return NULL;
    /* Most have no quotes. */
    size_t length = strcspn(text + *at, " \t\"");
    if (text[*at + length] != '"') {
        *at += length;
        return g_strndup(text + *start, length);
    }
    GString *word = g_string_new(NULL);
    bool quoted = false;
    for (; text[*at] && (quoted || (text[*at] != ' ' && text[*at] != '\t')); (*at)++) {
        if (text[*at] == '"')
            quoted = !quoted;
        else
            g_string_append_c(word, text[*at]);
    }
    return g_string_free(word, FALSE);
}

bool line_reader_next(struct line_reader *reader, struct token *token)
{
    token->text = take_word(reader->line->text->str, &reader->at, &token->start);
    return token->text != NULL;
}

bool line_reader_peek(const struct line_reader *reader, struct token *token)
{
    struct line_reader copy = *reader;
    return line_reader_next(&copy, token);
}

void line_reader_skip(struct line_reader *reader)
{
    struct token token;
    if (line_reader_next(reader, &token))
        token_clear(&token);
}

bool line_reader_word(struct line_reader *reader, const char *word)
{
    const char *text = reader->line->text->str;
    size_t start = reader->at + strspn(text + reader->at, " \t"), length = strlen(word);
    if (strncmp(text + start, word, length) != 0 || !strchr(" \t", text[start + length]))
        return false;
    reader->at = start + length;
    return true;
}

size_t line_reader_rest(struct line_reader *reader)
{
    reader->at += strspn(reader->line->text->str + reader->at, " \t");
    return reader->at;
}

void line_reader_end(struct line_reader *reader, struct grammar_source *source)
{
    size_t rest = line_reader_rest(reader);
    if (reader->line->text->str[rest])
        grammar_source_mistake(source, source_line_place(reader->line, rest),
                               "this is too much here (a text with blanks stands in quotes)");
}

void token_clear(struct token *token)
{
    g_free(token->text);
    token->text = NULL;
}
