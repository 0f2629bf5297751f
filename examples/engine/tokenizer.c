// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WordPiece: a word is split from its beginning into the longest pieces in the vocabulary, where
// all pieces after the first begin with "##". Before that, text is converted to lower case without
// accents, and punctuation becomes separate words.
//
// If one piece of a word is missing, the whole word is [UNK].
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { WORD_LIMIT = 100, PIECE_LIMIT = 1 << 17 }; // bytes of a word; pieces

struct tokenizer {
    struct hsearch_data table; // maps a piece to 1 + its number
    char **pieces;
    size_t count;
    int32_t cls, sep, unknown;
};

static int32_t find(tokenizer_t *tokenizer, char *piece)
{
    ENTRY *found;
    return hsearch_r((ENTRY){piece, NULL}, FIND, &found, &tokenizer->table)
               ? (int32_t)(intptr_t)found->data - 1
               : -1;
}

static kiln_status_t read_pieces(tokenizer_t *tokenizer, FILE *file, const char *path)
{
    char *line = NULL;
    size_t room = 0;
    ENTRY *entered;
    for (ssize_t length; (length = getline(&line, &room, file)) > 0;) {
        line[strcspn(line, "\r\n")] = '\0';
        tokenizer->pieces[tokenizer->count] = tokenizer->count < PIECE_LIMIT ? strdup(line) : NULL;
        ENTRY entry = {tokenizer->pieces[tokenizer->count],
                       (void *)(intptr_t)(tokenizer->count + 1)};
        if (!entry.key || !hsearch_r(entry, ENTER, &entered, &tokenizer->table))
            break;
        tokenizer->count++;
    }
    free(line);
    tokenizer->cls = find(tokenizer, (char[]){"[CLS]"});
    tokenizer->sep = find(tokenizer, (char[]){"[SEP]"});
    tokenizer->unknown = find(tokenizer, (char[]){"[UNK]"});
    if (!feof(file) || tokenizer->cls < 0 || tokenizer->sep < 0 || tokenizer->unknown < 0)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "%s: no vocabulary with [CLS], [SEP] and [UNK]", path);
    return KILN_OK;
}

kiln_status_t tokenizer_open(const char *path, tokenizer_t **out_tokenizer)
{
    *out_tokenizer = NULL;
    FILE *file = fopen(path, "r");
    if (!file)
        return kiln_status_make(KILN_STATUS_NOT_FOUND, "%s: cannot be opened", path);
    tokenizer_t *tokenizer = calloc(1, sizeof *tokenizer);
    kiln_status_t status = kiln_status_out_of_memory();
    if (tokenizer && (tokenizer->pieces = calloc(PIECE_LIMIT + 1, sizeof *tokenizer->pieces)) &&
        hcreate_r(2 * PIECE_LIMIT, &tokenizer->table))
        status = read_pieces(tokenizer, file, path);
    fclose(file);
    if (status)
        tokenizer_close(tokenizer);
    else
        *out_tokenizer = tokenizer;
    return status;
}

void tokenizer_close(tokenizer_t *tokenizer)
{
    if (!tokenizer)
        return;
    for (size_t i = 0; tokenizer->pieces && i <= tokenizer->count; i++)
        free(tokenizer->pieces[i]);
    free(tokenizer->pieces);
    hdestroy_r(&tokenizer->table);
    free(tokenizer);
}

// Text to words -----------------------------------------------------------------------------------

// Lower-case letters without accents for U+00C0 to U+017F; '?': there is none.
static const char letters[] = "aaaaaa?ceeeeiiii?nooooo??uuuuy??aaaaaa?ceeeeiiii?nooooo??uuuuy?y"
                              "aaaaaaccccccccdd??eeeeeeeeeegggggggghh??iiiiiiiii???jjkk?llllll?"
                              "???nnnnnn???oooooo??rrrrrrsssssssstttt??uuuuuuuuuuuuwwyyyzzzzzz?";

typedef enum character { LETTER, SPACE, PUNCTUATION, UNKNOWN } character_t;

// Reads a character and returns its kind; *out_letter is its lower case without accents.
static character_t next_character(const unsigned char **text, char *out_letter)
{
    unsigned c = *(*text)++;
    *out_letter = (char)c;
    if (c < 0x80) {
        if (c >= 'A' && c <= 'Z')
            *out_letter = (char)(c + ('a' - 'A'));
        bool is_word = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        return is_word ? LETTER : c <= ' ' || c == 127 ? SPACE : PUNCTUATION;
    }
    unsigned second = **text;
    if (c < 0xC3 || c > 0xC5 || (second & 0xC0) != 0x80)
        return UNKNOWN;
    unsigned code = (c & 31) << 6 | (second & 63);
    *out_letter = letters[code - 0xC0];
    (*text)++;
    return *out_letter == '?' ? UNKNOWN : LETTER;
}

// Splits a word into pieces and returns their number, at most WORD_LIMIT.
static int cut(tokenizer_t *tokenizer, const char *word, size_t length, int32_t *ids)
{
    int count = 0;
    for (size_t begin = 0, end; begin < length; begin = end) {
        char piece[WORD_LIMIT + 3];
        int32_t id = -1;
        for (end = length; end > begin; end--) {
            snprintf(piece, sizeof piece, "%s%.*s", begin ? "##" : "", (int)(end - begin),
                     word + begin);
            if ((id = find(tokenizer, piece)) >= 0)
                break;
        }
        if (id < 0) {
            ids[0] = tokenizer->unknown;
            return 1;
        }
        ids[count++] = id;
    }
    return count;
}

kiln_status_t tokenizer_encode(tokenizer_t *tokenizer, const char *text, int32_t *out_ids,
                               int capacity, int *out_count)
{
    char word[WORD_LIMIT], letter;
    int32_t ids[2 * WORD_LIMIT];
    size_t length = 0;
    int count = 1;
    out_ids[0] = tokenizer->cls;
    for (const unsigned char *at = (const unsigned char *)text, *start = at,
                             *end = at + strlen(text);
         start <= end; start = at) {
        character_t kind = at == end ? SPACE : next_character(&at, &letter); // the end also ends a
                                                                             // word
        if (kind == UNKNOWN || (kind == LETTER && length == WORD_LIMIT))
            return kiln_status_make(
                KILN_STATUS_UNSUPPORTED,
                "'%s': byte %td (0x%02x): the tokenizer knows ASCII and Latin letters up to U+017F "
                "that have a base letter, in words of up to %d",
                text, start - (const unsigned char *)text, *start, WORD_LIMIT);
        if (kind == LETTER) {
            word[length++] = letter;
            continue;
        }
        int pieces = cut(tokenizer, word, length, ids);
        if (kind == PUNCTUATION)
            pieces += cut(tokenizer, &letter, 1, ids + pieces);
        for (int i = 0; i < pieces && count < capacity - 1; i++)
            out_ids[count++] = ids[i];
        length = 0;
        if (start == end)
            break;
    }
    out_ids[count++] = tokenizer->sep;
    *out_count = count;
    return KILN_OK;
}
