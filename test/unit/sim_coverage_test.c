// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The coverage of gfx942's instructions: for every opcode of every encoding, plausible fields are
// passed to LLVM's disassembler, and whatever it accepts must have a row or be in the list of known
// gaps below.
//
// Every mnemonic that LLVM's assembler accepts for gfx942 must have a row, or be another name for
// one (sim_aliases.inc).
//
// A gap that has been closed must be removed from the list; otherwise the test fails, too.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "decode/decode.h"
#include "decode/mc.h"
#include "sim_llvm.h"

// Instructions without a row, by mnemonic without encoding suffix.
static const char *const known_gaps[] = {
#include "sim_gaps.inc"
};

typedef struct format {
    const char *name;
    uint32_t prefix;             // fixed bits of the first dword
    unsigned op_shift, op_count; // position of the opcode
    uint32_t low, high;          // other fields: v2 or s2 as sources, v4 or s4 as destinations
    uint32_t low2, high2;        // a second try, if registers must be even or vector
} format_t;

static const format_t formats[] = {
    {"SOP2", 0x80000000, 23, 96, 4u << 16 | 8u << 8 | 2, 0, 0, 0},
    {"SOP1", 0xbe800000, 8, 256, 4u << 16 | 2, 0, 0, 0},
    {"SOPC", 0xbf000000, 16, 128, 4u << 8 | 2, 0, 0, 0},
    {"SOPK", 0xb0000000, 23, 28, 4u << 16 | 1, 0, 4u << 16 | 0xf801, 0},
    {"SOPP", 0xbf800000, 16, 128, 0, 0, 1, 0},
    {"SMEM", 0xc0000000, 18, 256, 1u << 17 | 8u << 6 | 2, 16, 1u << 17 | 1u << 16 | 8u << 6 | 4,
     16},
    {"VOP1", 0x7e000000, 9, 256, 4u << 17 | 258, 0, 4u << 17 | 2, 0},
    {"VOP2", 0x00000000, 25, 62, 4u << 17 | 6u << 9 | 258, 0x3f800000, 0, 0},
    {"VOPC", 0x7c000000, 17, 256, 6u << 9 | 258, 0, 0, 0},
    {"VOP3", 0xd0000000, 16, 1024, 4, 258 | 262u << 9 | 266u << 18, 4, 258 | 262u << 9 | 10u << 18},
    {"VOP3P", 0xd3800000, 16, 128, 4 | 1u << 14, 258 | 262u << 9 | 266u << 18 | 3u << 27, 32,
     258 | 262u << 9 | 288u << 18},
    {"DS", 0xd8000000, 17, 256, 0, 2 | 4u << 8 | 6u << 16 | 8u << 24, 1u << 16,
     2 | 4u << 8 | 6u << 16 | 8u << 24},
    {"FLAT", 0xdc000000, 18, 128, 0, 2 | 4u << 8 | 8u << 24, 1u << 16, 2 | 4u << 8 | 8u << 24},
    {"SCRATCH", 0xdc004000, 18, 128, 0x2000, 2 | 4u << 8 | 0x7fu << 16 | 8u << 24, 0, 0},
    {"GLOBAL", 0xdc008000, 18, 128, 0, 2 | 4u << 8 | 0x7fu << 16 | 8u << 24, 1u << 16,
     2 | 4u << 8 | 0x7fu << 16 | 8u << 24},
    {"MUBUF", 0xe0000000, 18, 128, 0x1000, 2 | 4u << 8 | 1u << 16 | 128u << 24, 0, 0},
    {"MTBUF", 0xe8000000, 15, 16, 0x1000 | 4u << 19 | 7u << 23, 2 | 4u << 8 | 1u << 16 | 128u << 24,
     0, 0},
};

static bool is_gap(const char *text)
{
    size_t length = strcspn(text, " ");
    static const char *const suffixes[] = {"_e32", "_e64", "_sdwa", "_dpp"};
    for (size_t i = 0; i < 4; i++) {
        size_t n = strlen(suffixes[i]);
        if (length > n && strncmp(text + length - n, suffixes[i], n) == 0)
            length -= n;
    }
    for (size_t i = 0; i < sizeof known_gaps / sizeof known_gaps[0]; i++) {
        if (strlen(known_gaps[i]) == length && strncmp(known_gaps[i], text, length) == 0)
            return true;
    }
    return false;
}

static void every_opcode_has_a_row(void **state)
{
    (void)state;
    kiln_sim_mc_t *mc = kiln_sim_mc_create();
    assert_non_null(mc);
    unsigned decoded = 0, missing = 0, stale = 0;
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        const format_t *format = &formats[f];
        for (uint32_t op = 0; op < format->op_count; op++) {
            for (unsigned attempt = 0; attempt < 2; attempt++) {
                uint32_t words[4] = {format->prefix | op << format->op_shift |
                                         (attempt ? format->low2 : format->low),
                                     attempt ? format->high2 : format->high, 0, 0};
                char text[256] = "";
                if (attempt == 1 && format->low2 == 0 && format->high2 == 0)
                    continue;
                if (!kiln_sim_mc_decode(mc, (const uint8_t *)words, sizeof words, 0, text,
                                        sizeof text))
                    continue;
                decoded++;
                bool found = kiln_sim_row_find(kiln_sim_variant_find(""), text) != NULL;
                if (!found && !is_gap(text)) {
                    missing++;
                    print_message("no row: %s: %s\n", format->name, text);
                } else if (found && is_gap(text)) {
                    stale++;
                    print_message("no longer a gap: %s\n", text);
                }
                break;
            }
        }
    }
    kiln_sim_mc_destroy(mc);
    print_message("%u opcodes decode, %zu known gaps\n", decoded,
                  sizeof known_gaps / sizeof known_gaps[0]);
    assert_true(decoded > 1000);
    assert_int_equal(missing, 0);
    assert_int_equal(stale, 0);
}

static const struct {
    const char *line, *name;
} aliases[] = {
#include "sim_aliases.inc"
};

static unsigned known_mnemonics, unknown_mnemonics;

static void look_up(void *context, const char *mnemonic)
{
    (void)context;
    known_mnemonics++;
    bool found = kiln_sim_row_find(kiln_sim_variant_find(""), mnemonic) || is_gap(mnemonic);
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        found = found || strncmp(aliases[i].line, mnemonic, strcspn(aliases[i].line, " ")) == 0;
    if (found)
        return;
    unknown_mnemonics++;
    print_message("no row: %s\n", mnemonic);
}

static void every_mnemonic_has_a_row(void **state)
{
    (void)state;
    sim_llvm_t *llvm = sim_llvm_create();
    kiln_sim_mc_t *mc = kiln_sim_mc_create();
    assert_non_null(llvm);
    assert_non_null(mc);
    sim_llvm_mnemonics(llvm, look_up, NULL);
    print_message("%u mnemonics\n", known_mnemonics);
    assert_true(known_mnemonics > 1300);
    assert_int_equal(unknown_mnemonics, 0);
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        uint32_t words[4];
        char text[256] = "";
        if (!sim_llvm_assemble(llvm, aliases[i].line, words))
            fail_msg("LLVM does not assemble '%s'", aliases[i].line);
        kiln_sim_mc_decode(mc, (const uint8_t *)words, sizeof words, 0, text, sizeof text);
        const kiln_sim_row_t *const row = kiln_sim_row_find(kiln_sim_variant_find(""), text);
        assert_non_null(row);
        assert_string_equal(row->name, aliases[i].name);
    }
    kiln_sim_mc_destroy(mc);
    sim_llvm_destroy(llvm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_opcode_has_a_row),
                                       cmocka_unit_test(every_mnemonic_has_a_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
