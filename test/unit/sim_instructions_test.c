// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/simulator-instructions.md is the output of this program: each row with its encodings,
// meaning and tests, and the instructions that LLVM can encode for gfx942 without a row.
// `sim_instructions_test --write` updates the page.
//
// The text above the page's mark is written by hand and kept. Which programs test an instruction
// comes from the files that they write to test/vectors (sim_vectors.h); ctest runs them before this
// test.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>

#include "decode/decode.h"
#include "decode/mc.h"
#include "sim_draw.h"
#include "sim_llvm.h"
#include "sim_meanings.h"

#define PAGE KILN_SOURCE_DIR "/docs/simulator-instructions.md"
#define VECTORS KILN_BINARY_DIR "/test/vectors"
#define MARK                                                                                       \
    "<!-- From here on the page is printed by build/test/sim_instructions_test --write -->\n"
#define ENCODINGS (sizeof encodings / sizeof encodings[0])

#define TABLE(table, variant) extern const kiln_sim_rows_t kiln_sim_rows_##table##_##variant;
KILN_SIM_ROW_TABLES_OF(TABLE, generic)
#undef TABLE
#define TABLE(table, variant) &kiln_sim_rows_##table##_##variant,
static const kiln_sim_rows_t *const tables[] = {KILN_SIM_ROW_TABLES_OF(TABLE, generic)};
#undef TABLE

typedef struct entry {
    const kiln_sim_row_t *row;
    const meaning_t *meaning;
    uint32_t encodings; // set of indices into encodings[]
    uint32_t programs;  // set of indices into programs[]
} entry_t;

static entry_t entries[4096];
static size_t count;
static char *programs[32];
static size_t program_count;
static unsigned gaps;

static int by_table_and_name(const void *a, const void *b)
{
    const entry_t *const x = a, *const y = b;
    const int order = strcmp(x->meaning->table, y->meaning->table);
    return order ? order : strcmp(x->row->name, y->row->name);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static entry_t *find_entry(const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(entries[i].row->name, name) == 0)
            return &entries[i];
    }
    return NULL;
}

static void collect_rows(void)
{
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        for (size_t i = 0; i < tables[t]->count; i++) {
            entry_t *const entry = &entries[count++];
            entry->row = &tables[t]->rows[i];
            for (size_t m = 0; m < sizeof meanings / sizeof meanings[0] && !entry->meaning; m++) {
                if (strcmp(meanings[m].name, entry->row->name) == 0)
                    entry->meaning = &meanings[m];
            }
            if (!entry->meaning)
                fail_msg("%s: no table of sim_meanings.h has it", entry->row->name);
        }
    }
}

static void collect_encodings(void)
{
    kiln_sim_mc_t *mc = kiln_sim_mc_create();
    assert_non_null(mc);
    seed = 0x6b696c6e;
    for (size_t e = 0; e < ENCODINGS; e++) {
        for (unsigned op = 0; op < encodings[e].op_count; op++) {
            char text[256];
            uint32_t words[4];
            unsigned size = 0, found = 0;
            // Other operands may make it another instruction, as the segments of FLAT do.
            for (unsigned round = 0; round < 400 && (round < 100 || !found); round++) {
                if (round == 0)
                    words[0] = encodings[e].prefix | op << encodings[e].op_shift,
                    words[1] = words[2] = words[3] = 0;
                else
                    draw_words(&encodings[e], op, words);
                size = kiln_sim_mc_decode(mc, (const uint8_t *)words, sizeof words, 0, text,
                                          sizeof text);
                const kiln_sim_row_t *const row =
                    size ? kiln_sim_row_find(kiln_sim_variant_find(""), text) : NULL;
                if (row)
                    find_entry(row->name)->encodings |= 1u << e;
                found += size != 0;
            }
        }
    }
    kiln_sim_mc_destroy(mc);
}

// Reads the counts of all test programs; false if there are none.
static bool collect_programs(void)
{
    DIR *directory = opendir(VECTORS);
    for (const struct dirent *file; directory && (file = readdir(directory));) {
        const size_t length = strlen(file->d_name);
        if (length > 13 && strncmp(file->d_name, "sim_", 4) == 0 &&
            strcmp(file->d_name + length - 9, "_test.txt") == 0 && program_count < 32)
            programs[program_count++] = strndup(file->d_name, length - 4);
    }
    if (directory)
        closedir(directory);
    qsort(programs, program_count, sizeof *programs, by_text);
    for (size_t i = 0; i < program_count; i++) {
        char path[512], name[128];
        snprintf(path, sizeof path, VECTORS "/%s.txt", programs[i]);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        for (uint64_t vectors; fscanf(file, "%127s %" SCNu64, name, &vectors) == 2;) {
            if (vectors && find_entry(name))
                find_entry(name)->programs |= 1u << i;
        }
        fclose(file);
    }
    return program_count != 0;
}

// ---- the page

// Prints a meaning in a table cell, where bars would end it; a few expressions are long.
static void print_meaning(FILE *page, const char *text)
{
    enum { MAX = 96 };
    fputs(" `", page);
    for (size_t i = 0; text[i] && i < MAX; i++) {
        if (text[i] == '|')
            fputc('\\', page);
        fputc(text[i], page);
    }
    fprintf(page, "%s` |", strlen(text) > MAX ? "…" : "");
}

static void print_set(FILE *page, uint32_t set, const char *(*name)(size_t i))
{
    const char *comma = " ";
    for (size_t i = 0; set >> i; i++) {
        if (set >> i & 1) {
            fprintf(page, "%s%s", comma, name(i));
            comma = ", ";
        }
    }
    fputs(" |", page);
}

static const char *encoding_name(size_t i)
{
    return encodings[i].name;
}

static const char *program_name(size_t i)
{
    return programs[i] + strlen("sim_");
}

static const struct {
    const char *line, *name;
} aliases[] = {
#include "sim_aliases.inc"
};

static const char *const known_gaps[] = {
#include "sim_gaps.inc"
};

static void print_missing(void *context, const char *mnemonic)
{
    const size_t length = strlen(mnemonic);
    if (kiln_sim_row_find(kiln_sim_variant_find(""), mnemonic))
        return;
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        if (strncmp(aliases[i].line, mnemonic, length) == 0 && aliases[i].line[length] == ' ')
            return;
    }
    gaps++;
    fprintf(context, "- `%s`%s\n", mnemonic, strstr(mnemonic, known_gaps[0]) ? ": graphics" : "");
}

static void print_page(FILE *page)
{
    fprintf(page, "\n## All %zu instructions\n\n", count);
    fputs("Meanings are the rows' expressions, in C: `a`, `b`, `c` are the sources, `d` is the\n"
          "result where it is not the expression's value, `old` what was in memory or in the\n"
          "destination, `i` the lane, `x` the modes. Tests are the `sim_*_test` programs that\n"
          "compare at least one vector of the instruction; `sim_vector_count_test` requires\n"
          "eight of each.\n",
          page);
    const char *table = "";
    for (size_t i = 0; i < count; i++) {
        const entry_t *const entry = &entries[i];
        if (strcmp(table, entry->meaning->table) != 0) {
            table = entry->meaning->table;
            fprintf(
                page,
                "\n### %s\n\n| instruction | encodings | meaning | tests |\n|---|---|---|---|\n",
                table);
        }
        fprintf(page, "| `%s` |", entry->row->name);
        print_set(page, entry->encodings, encoding_name);
        print_meaning(page, entry->meaning->text);
        print_set(page, entry->programs, program_name);
        fputc('\n', page);
    }
    fputs("\n## Other names\n\nLLVM's assembler takes these, too; the disassembler prints the "
          "second.\n\n",
          page);
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        fprintf(page, "- `%.*s`: `%s`\n", (int)strcspn(aliases[i].line, " "), aliases[i].line,
                aliases[i].name);
    fputs("\n## What LLVM can encode for gfx942 that is not here\n\n", page);
    sim_llvm_t *llvm = sim_llvm_create();
    assert_non_null(llvm);
    sim_llvm_mnemonics(llvm, print_missing, page);
    sim_llvm_destroy(llvm);
}

static char *read_page(void)
{
    FILE *file = fopen(PAGE, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    return text;
}

static bool writes;

static void the_page_is_what_is_printed(void **state)
{
    (void)state;
    collect_rows();
    collect_encodings();
    const bool tested = collect_programs();
    if (!tested) // run alone, in a new build directory
        skip();
    qsort(entries, count, sizeof *entries, by_table_and_name);
    char *old = read_page(), *printed = NULL, *mark = strstr(old, MARK);
    size_t size = 0, kept = mark ? (size_t)(mark - old) + strlen(MARK) : 0;
    if (!mark)
        fail_msg("%s: the mark is missing: %s", PAGE, MARK);
    FILE *page = open_memstream(&printed, &size);
    print_page(page);
    fclose(page);
    for (size_t i = 0; i < count; i++) {
        if (!entries[i].encodings)
            fail_msg("%s: LLVM decodes no such instruction", entries[i].row->name);
    }
    if (writes) {
        FILE *file = fopen(PAGE, "w");
        assert_non_null(file);
        fwrite(old, 1, kept, file);
        fwrite(printed, 1, size, file);
        assert_int_equal(fclose(file), 0);
    } else if (strcmp(old + kept, printed) != 0) {
        size_t at = 0, line;
        while (old[kept + at] && old[kept + at] == printed[at])
            at++;
        for (line = at; line && printed[line - 1] != '\n'; line--)
            continue;
        fail_msg("docs/simulator-instructions.md is not up to date: run "
                 "build/test/sim_instructions_test --write\n%.*s",
                 (int)strcspn(printed + line, "\n"), printed + line);
    }
    free(old);
    free(printed);
}

static void only_graphics_is_missing(void **state)
{
    (void)state;
    print_message("%zu instructions; %u names of LLVM's assembler without a row\n", count, gaps);
    assert_true(gaps <= 4 * (sizeof known_gaps / sizeof known_gaps[0]));
}

int main(int argc, char **argv)
{
    writes = argc > 1 && strcmp(argv[1], "--write") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_is_what_is_printed),
        cmocka_unit_test(only_graphics_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
