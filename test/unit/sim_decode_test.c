// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator's decoder compared with LLVM's disassembler: every opcode of every encoding with
// random fields, and random words. Decoded instructions are printed from kiln_sim_inst_t
// (sim_render.h) and compared with LLVM's text; both must also agree on whether the words are an
// instruction, and on its size.
//
// KILN_TEST_ROUNDS: draws for each opcode (default 100); KILN_TEST_SEED: another sequence. The seed
// is printed.
//
// LLVM's disassembler decodes operands that its assembler rejects, and remarks on them in a comment
// ("/*Invalid register"). Those do not count as instructions, and neither do scalar ranges past
// s101.
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decode/mc.h"
#include "sim_draw.h"
#include "sim_llvm.h"
#include "sim_render.h"

static unsigned rounds;

// ---- the two decoders

static kiln_sim_mc_t *mc;
static sim_llvm_t *llvm;
static uint64_t compared, instructions, disagreements;
static uint8_t *seen; // by LLVM's opcode

static const uint32_t *constant_row(void *context, uint64_t value)
{
    (void)context;
    (void)value;
    static const uint32_t row[2 * KILN_GFX942_LANES];
    return row;
}

// Replaces up to `max` occurrences of `from` that are not followed by a character of a name.
static void replace(char *text, size_t size, const char *from, const char *to, unsigned max)
{
    char copy[1024];
    for (char *at = text; max && (at = strstr(at, from));) {
        const size_t length = strlen(from);
        const char next = at[length];
        if ((next >= 'a' && next <= 'z') || next == '_' || (next >= '0' && next <= '9')) {
            at += length;
            continue;
        }
        snprintf(copy, sizeof copy, "%.*s%s%s", (int)(at - text), text, to, at + length);
        const size_t whole = strlen(copy);
        memcpy(text, copy, whole < size ? whole + 1 : size);
        at += strlen(to);
        max--;
    }
}

// Whether a register range extends past s101, v255 or a255, which LLVM's assembler rejects.
static bool reaches_past_the_end(const char *text)
{
    for (const char *at = text; (at = strchr(at, '[')); at++) {
        unsigned first, last;
        const bool scalar = at[-1] == 's', vector = at[-1] == 'v' || at[-1] == 'a';
        if (sscanf(at, "[%u:%u]", &first, &last) == 2 &&
            ((scalar && last > 101) || (vector && last > 255)))
            return true;
    }
    return false;
}

// Replaces a TTMP at an operand's place by "sink".
static void ignore_destination(char *text, unsigned place)
{
    char *at = strchr(text, ' ');
    for (unsigned i = 0; at && i < place; i++)
        at = strchr(at + 1, ',') ? strchr(at + 1, ',') + 1 : NULL;
    if (!at || strncmp(at + 1, "ttmp", 4) != 0)
        return;
    char *end = at[5] == '[' ? strchr(at, ']') + 1 : at + 1 + strcspn(at + 1, ", ");
    memcpy(at + 1, "sink", 4);
    memmove(at + 5, end, strlen(end) + 1);
}

// Removes a modifier from the text.
static void remove_part(char *text, const char *start)
{
    char *at = strstr(text, start);
    if (!at)
        return;
    char *end =
        at + strlen(start) + (at[strlen(start) - 1] == '[' ? strcspn(at + strlen(start), " ") : 0);
    if (*end == ' ' || *end == '\0')
        memmove(at, end, strlen(end) + 1);
}

// Converts LLVM's text to the form of sim_render.h: apertures are numbers, ignored destinations are
// "sink", numbers in words are '#'.
static void normalise(const kiln_sim_inst_t *inst, char *text, size_t size)
{
    static const struct {
        const char *name;
        uint64_t value;
    } apertures[] = {{"src_shared_base", KILN_SIM_SHARED_BASE},
                     {"src_shared_limit", KILN_SIM_SHARED_BASE | UINT32_MAX},
                     {"src_private_base", KILN_SIM_PRIVATE_BASE},
                     {"src_private_limit", KILN_SIM_PRIVATE_BASE | UINT32_MAX}};
    for (unsigned i = 0; i < 4; i++) {
        const kiln_sim_operand_t *const op = i < 3 ? &inst->src[i] : &inst->mem[1];
        if (op->kind != KILN_SIM_OP_CONST)
            continue;
        // Literals that an inline constant could have expressed.
        char literal[32], value[32];
        render_t r = {.text = value, .size = sizeof value};
        render_constant(&r, op,
                        (op->type == KILN_SIM_T_U16 || op->type == KILN_SIM_T_I16) &&
                            render_has_plain_numbers(text));
        snprintf(literal, sizeof literal, "lit(0x%" PRIx64 ")",
                 op->type == KILN_SIM_T_F64 ? op->value >> 32 : op->value);
        replace(text, size, literal, value, UINT_MAX);
        snprintf(literal, sizeof literal, "0x%" PRIx64, op->value);
        replace(text, size, literal, value, UINT_MAX); // of v_fmamk etc., and of 16 bits
        snprintf(literal, sizeof literal, "0x%" PRIx64, op->value & 0xffff);
        if (op->type == KILN_SIM_T_F16 || op->type == KILN_SIM_T_I16 || op->type == KILN_SIM_T_U16)
            replace(text, size, literal, value, UINT_MAX);
        for (unsigned n = 0; n < 4; n++) {
            if (op->value == (op->dwords == 1 ? apertures[n].value >> 32 : apertures[n].value))
                replace(text, size, apertures[n].name, value, 1);
        }
    }
    // Bits that LLVM prints although they have no meaning.
    if (inst->row->flags & KILN_SIM_ROW_NO_DST)
        text[strcspn(text, " ")] = '\0';
    if (inst->format == KILN_SIM_VOP3P && inst->row->src[0] == KILN_SIM_T_U32)
        remove_part(text, " neg_lo:["), remove_part(text, " neg_hi:[");
    if (inst->format == KILN_SIM_SMEM)
        remove_part(text, " offset:0x0");
    if ((inst->row->flags & KILN_SIM_ROW_SDWA_SELECTS) && inst->encoding == KILN_SIM_SDWA) {
        // LLVM prints the modifiers of conversions from 8-bit floats, which are ignored according
        // to the guide.
        remove_part(text, " clamp"), remove_part(text, " mul:2"), remove_part(text, " mul:4"),
            remove_part(text, " div:2");
        char *sext = strstr(text, "sext("), *end = sext ? strchr(sext, ')') : NULL;
        if (end) {
            memmove(end, end + 1, strlen(end));
            memmove(sext, sext + 5, strlen(sext + 5) + 1);
        }
    }
    replace(text, size, "-src_pops_exiting_wave_id", "neg(0)", UINT_MAX);
    replace(text, size, "src_pops_exiting_wave_id", "0", UINT_MAX);
    const bool atomic =
        inst->format == KILN_SIM_SMEM && inst->src[1].kind != KILN_SIM_OP_NONE; // prints its data
    if (inst->dst.kind == KILN_SIM_OP_SGPR && inst->dst.reg == KILN_SIM_SGPR_SINK && !atomic)
        ignore_destination(text, 0);
    if (inst->sdst.kind == KILN_SIM_OP_SGPR && inst->sdst.reg == KILN_SIM_SGPR_SINK)
        ignore_destination(text, 1);
}

// Operands of other processors, which LLVM's decoder accepts and its assembler rejects for gfx942.
static bool has_foreign_operand(const char *text)
{
    return strstr(text, "null") || strstr(text, "src_flat_scratch_base") ||
           strstr(text, "src_lds_direct") ||
           (strncmp(text, "v_", 2) == 0 && strncmp(text + strcspn(text, " "), " src_", 5) == 0) ||
           reaches_past_the_end(text);
}

// Whether `ours` and `theirs` are equivalent.
static bool same_text(const kiln_sim_inst_t *inst, const sim_llvm_inst_t *other, const char *ours,
                      const char *theirs)
{
    const char *number = strchr(ours, '#');
    if (strcmp(ours, theirs) == 0)
        return true;
    // There is no GDS; some opcodes lack its bit.
    if (inst->format == KILN_SIM_DS && strncmp(ours, theirs, strlen(theirs)) == 0 &&
        strcmp(ours + strlen(theirs), " gds") == 0)
        return true;
    if (number) {
        // An immediate that LLVM prints as a name: the texts before and after it must agree, and
        // the number, too.
        const size_t before = (size_t)(number - ours), after = strlen(number + 1),
                     length = strlen(theirs);
        const int64_t mask = inst->format == KILN_SIM_SOPC ? 0xf : 0xffff;
        const int64_t value = inst->format == KILN_SIM_SOPC ? inst->gpr_idx : inst->imm;
        return strncmp(ours, theirs, before) == 0 && length >= before + after &&
               strcmp(theirs + length - after, number + 1) == 0 &&
               ((value ^ (inst->format == KILN_SIM_DS ? other->first_imm : other->last_imm)) &
                mask) == 0;
    }
    // The same literal or aperture, read with two types: normalise() cannot know which text belongs
    // to which type.
    for (unsigned i = 1; i < 3; i++) {
        const kiln_sim_operand_t *const a = &inst->src[i - 1], *const b = &inst->src[i];
        if (a->kind == KILN_SIM_OP_CONST && b->kind == KILN_SIM_OP_CONST && a->type != b->type &&
            ((uint32_t)a->value == (uint32_t)b->value || (a->value >> 48) + (b->value >> 48)))
            return true;
    }
    return false;
}

static bool suffix_fits(const kiln_sim_inst_t *inst, const char *mnemonic, size_t length)
{
    static const char *const suffixes[] = {"_e32", "_e64", "_sdwa", "_dpp"};
    const size_t base = strlen(inst->row->name);
    if (strncmp(mnemonic, inst->row->name, base) != 0)
        return false;
    const size_t rest = length - base;
    return rest == 0 || (strlen(suffixes[inst->encoding]) == rest &&
                         strncmp(mnemonic + base, suffixes[inst->encoding], rest) == 0);
}

static void report(const char *what, const uint32_t words[4], const char *ours, const char *theirs)
{
    if (disagreements++ < 40)
        print_message("%s: %08x %08x\n  kiln: %s\n  llvm: %s\n", what, words[0], words[1], ours,
                      theirs);
}

// v_fmamk_f32, v_fmaak_f32, v_madmk_f16 or v_madak_f16 with a constant that LLVM 22 takes for an
// operand code.
static bool has_small_constant(const uint32_t *words)
{
    const unsigned op = words[0] >> 25;
    return (op == 0x17 || op == 0x18 || op == 0x24 || op == 0x25) && words[1] < 512;
}

// Whether the words are an instruction.
static bool compare(const uint32_t words[4])
{
    static sim_llvm_inst_t other;
    char text[256] = "", ours[512] = "", theirs[768];
    compared++;
    bool good = sim_llvm_decode(llvm, words, &other);
    good = good && !strstr(other.text, "/*") && !has_foreign_operand(other.text);
    good = good && !(words[0] >> 26 == 0x37 && (words[0] >> 14 & 3) == 0 &&
                     (words[0] & 0x1000)); // a flat offset has 12 bits

    kiln_sim_inst_t inst = {
        .size = kiln_sim_mc_decode(mc, (const uint8_t *)words, 16, 0, text, sizeof text)};
    kiln_sim_error_t error = {0};
    bool valid = inst.size != 0;
    if (valid) {
        inst.row = kiln_sim_row_find(kiln_sim_variant_find(""), text);
        if (!inst.row && strstr(text, "v_screen_partition_4se_b32"))
            return false; // graphics
        if (!inst.row) {
            report("no row", words, text, good ? other.text : "(invalid)");
            return good;
        }
        valid = kiln_sim_decode_fields(&inst, words, constant_row, NULL, &error);
    }
    if (has_small_constant(words)) {
        const kiln_sim_operand_t *const k =
            &inst.src[inst.row && inst.row->flags & KILN_SIM_ROW_LITERAL_K1 ? 1 : 2];
        if (valid && (!(inst.row->flags & (KILN_SIM_ROW_LITERAL_K1 | KILN_SIM_ROW_LITERAL_K2)) ||
                      k->value != words[1]))
            report("constant", words, text, "");
        return valid;
    }
    if (valid != good) {
        report("validity", words, valid ? text : error.text, good ? other.text : "(invalid)");
        return good;
    }
    if (!good)
        return false;
    instructions++;
    seen[other.opcode] = 1;
    const size_t length = strcspn(other.text, " ");
    render_instruction(&inst, other.text, length, ours, sizeof ours);
    snprintf(theirs, sizeof theirs, "%s", other.text);
    normalise(&inst, theirs, sizeof theirs);
    if (inst.size != other.size)
        report("size", words, ours, theirs);
    else if (!suffix_fits(&inst, other.text, length))
        report("encoding", words, ours, theirs);
    else if (!same_text(&inst, &other, ours, theirs))
        report("operands", words, ours, theirs);
    return true;
}

// ---- tests

static void every_opcode_with_random_fields(void **state)
{
    (void)state;
    for (size_t e = 0; e < sizeof encodings / sizeof encodings[0]; e++) {
        for (unsigned op = 0; op < encodings[e].op_count; op++) {
            unsigned hits = 0;
            for (unsigned round = 0; round < rounds; round++) {
                uint32_t words[4];
                draw_words(&encodings[e], op, words);
                hits += compare(words);
                if (hits == 0 && round >= 200)
                    break; // no such opcode
            }
        }
    }
    assert_int_equal(disagreements, 0);
}

static void random_words(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 1000ull * rounds; i++) {
        const uint64_t low = draw(), high = draw();
        const uint32_t words[4] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high,
                                   (uint32_t)(high >> 32)};
        compare(words);
    }
    assert_int_equal(disagreements, 0);
}

static void nearly_all_opcodes_were_drawn(void **state)
{
    (void)state;
    unsigned drawn = 0;
    for (unsigned i = 0; i < sim_llvm_opcode_count(llvm); i++)
        drawn += seen[i];
    print_message("%" PRIu64 " draws, %" PRIu64 " instructions of %u opcodes compared, %" PRIu64
                  " disagreements\n",
                  compared, instructions, drawn, disagreements);
    assert_true(drawn > 2500);
}

static int start(void **state)
{
    (void)state;
    const char *given = getenv("KILN_TEST_SEED"), *many = getenv("KILN_TEST_ROUNDS");
    seed = given ? strtoull(given, NULL, 0) : 0x6b696c6e;
    rounds = many ? (unsigned)strtoul(many, NULL, 0) : 100;
    print_message("KILN_TEST_SEED=0x%" PRIx64 "\n", seed);
    mc = kiln_sim_mc_create();
    llvm = sim_llvm_create();
    seen = llvm ? calloc(sim_llvm_opcode_count(llvm), 1) : NULL;
    return !mc || !seen;
}

static int stop(void **state)
{
    (void)state;
    free(seen);
    sim_llvm_destroy(llvm);
    kiln_sim_mc_destroy(mc);
    return 0;
}

// In one process, regardless of the variant requested before.
static void variants_differ_in_their_handlers_only(void **state)
{
    (void)state;
    const kiln_sim_variant_t *const best = kiln_sim_variant_find("");
    static const char *const names[] = {"generic", "avx2", "avx512"};
    assert_ptr_equal(kiln_sim_variant_find("avx1024"), best);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const kiln_sim_variant_t *const variant = kiln_sim_variant_find(names[i]);
        const kiln_sim_row_t *const row = kiln_sim_row_find(variant, "v_add_f32_e32 v0, v1, v2");
        const kiln_sim_row_t *const other = kiln_sim_row_find(best, "v_add_f32_e32 v0, v1, v2");
        assert_string_equal(row->name, other->name);
        assert_int_equal(row->run == other->run, variant == best);
        for (size_t j = 0; j < i; j++)
            assert_true(kiln_sim_variant_find(names[j]) != variant || variant == best);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_opcode_with_random_fields),
        cmocka_unit_test(random_words),
        cmocka_unit_test(nearly_all_opcodes_were_drawn),
        cmocka_unit_test(variants_differ_in_their_handlers_only),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
