// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Macros of -D, before and after clang's preprocessor runs. There is no parser at this point, so a
// name counts as declared if a type or another name precedes it.
#include "frontend/lex/preprocess_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/string.h"

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_part_of_name(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9');
}

static bool is_name(const char *text)
{
    if (!is_letter(*text))
        return false;
    while (is_part_of_name(*text))
        text++;
    return !*text;
}

static bool is_one_of(const char *text, const char *const *words)
{
    while (*words && strcmp(*words, text) != 0)
        words++;
    return *words != NULL;
}

static bool equals(const char *text, const char *word)
{
    return strcmp(text, word) == 0;
}

// Before ------------------------------------------------------------------------------------------

int kiln_preprocess_define_of(const kiln_compile_options_t *options, const char *name)
{
    for (size_t i = options->define_count; i-- > 0;)
        if (is_name(name) && equals(options->defines[i].name, name))
            return (int)i;
    return -1;
}

char *kiln_preprocess_predefines(const kiln_compile_options_t *options)
{
    kiln_string_t text = {0};
    // Macros that would make code differ from day to day are not defined.
    kiln_string_append(
        &text, "# 1 \"<built-in>\" 3\n#undef __DATE__\n#undef __TIME__\n#undef __TIMESTAMP__\n"
               "#define __KILN__ 1\n# 1 \"<command line>\" 1\n");
    for (size_t i = 0; i < options->define_count; i++) {
        const kiln_setting_t *define = &options->defines[i];
        if (kiln_preprocess_define_of(options, define->name) != (int)i)
            continue;
        kiln_string_appendf(&text, "#define %s ", define->name);
        for (const char *c = define->value; *c; c++)
            kiln_string_append_char(&text, *c == '\n' || *c == '\r' ? ' ' : *c);
        kiln_string_append_char(&text, '\n');
    }
    kiln_string_append(&text, "# 1 \"<built-in>\" 2\n");
    return kiln_string_take(&text);
}

const char *kiln_preprocess_missing_advice(const kiln_compile_options_t *options)
{
    return options->no_include_files ? " among the in-memory headers (reading files is disabled)"
                                     : "; `include_dirs` lists directories to search";
}

// After -------------------------------------------------------------------------------------------

static bool is_type_word(const char *text)
{
    static const char *const words[] = {"bool", "auto", "void", "const", "restrict", "type", "i1",
#define KILN_SCALAR(id, spelling, bits, class, element) spelling,
#include "frontend/core/scalars.def"
#undef KILN_SCALAR
                                        NULL};
    return is_one_of(text, words);
}

// Marks the defines whose names the program declares: names after a type, a pointer to one, or
// another name.
static void find_declared(const kiln_raw_token_t *tokens, size_t count, bool *declared)
{
    static const char *const words[] = {"return", "else", "do", "sizeof", "constexpr", NULL};
    bool declares = false; // a list after constexpr
    for (size_t i = 0; i < count; i++) {
        const char *text = tokens[i].spelling;
        if (tokens[i].define < 0) {
            if (equals(text, "constexpr") || equals(text, ";") || equals(text, ")"))
                declares = equals(text, "constexpr");
            continue;
        }
        if (!tokens[i].begins_value || !i)
            continue;
        const kiln_raw_token_t *before = &tokens[i - 1];
        const bool is_word = before->define >= 0 ||
                             (is_name(before->spelling) && !is_one_of(before->spelling, words));
        const bool is_pointer =
            equals(before->spelling, "*") && i > 1 && is_type_word(tokens[i - 2].spelling);
        if (is_word || is_pointer || (equals(before->spelling, ",") && declares))
            declared[tokens[i].define] = true;
    }
}

// Writes the tokens as text with the same line breaks; the value of a declared name becomes the
// name again.
static void append_tokens(const kiln_raw_token_t *tokens, size_t count,
                          const kiln_compile_options_t *options, const bool *declared,
                          kiln_string_t *text, kiln_expanded_t *expanded)
{
    for (size_t i = 0; i < count; i++) {
        const kiln_raw_token_t *token = &tokens[i];
        const bool is_constant = token->define >= 0 && declared[token->define];
        if (is_constant && !token->begins_value)
            continue;
        const char *spelling = is_constant ? options->defines[token->define].name : token->spelling;
        if (text->length)
            kiln_string_append_char(text, token->begins_line ? '\n' : ' ');
        expanded->tokens[expanded->token_count++] =
            (kiln_text_token_t){.at = (uint32_t)text->length,
                                .length = (uint32_t)strlen(spelling),
                                .place = is_constant ? token->use : token->place,
                                .note = is_constant ? token->use_note : token->note};
        kiln_string_append(text, spelling);
    }
    kiln_string_append_char(text, '\n');
}

bool kiln_preprocess_write_text(const kiln_raw_token_t *tokens, size_t count,
                                const kiln_compile_options_t *options, kiln_expanded_t *expanded)
{
    kiln_string_t text = {0};
    bool *declared = calloc(options->define_count + 1, sizeof *declared);
    expanded->tokens = calloc(count + 1, sizeof *expanded->tokens);
    if (declared && expanded->tokens) {
        find_declared(tokens, count, declared);
        // A name that the program declares is not set by a macro.
        for (size_t i = 0; i < options->define_count; i++)
            expanded->is_macro[i] &= !declared[i];
        append_tokens(tokens, count, options, declared, &text, expanded);
    }
    free(declared);
    expanded->length = text.length;
    expanded->text = kiln_string_take(&text);
    return expanded->text != NULL;
}

static bool mentions(const char *text, size_t length, const char *name)
{
    const size_t size = strlen(name);
    for (const char *at = text, *end = text + length;
         (at = memmem(at, (size_t)(end - at), name, size)); at++)
        if ((at == text || !is_part_of_name(at[-1])) &&
            (at + size == end || !is_part_of_name(at[size])))
            return true;
    return false;
}

bool kiln_preprocess_mentions(const kiln_text_file_t *files, size_t count, const char *name)
{
    // Ignore the location of -D itself.
    for (size_t i = 0; i < count; i++)
        if (!equals(files[i].name, "<built-in>") && mentions(files[i].text, files[i].length, name))
            return true;
    return false;
}
