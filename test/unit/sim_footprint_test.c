// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Footprints (decode/footprint.h) against execution: random instructions that do not access memory
// run twice, the second time with other values in all registers that they are not said to read. The
// results must be the same, and registers that they are not said to write must keep their values.
//
// KILN_TEST_ROUNDS sets the number of tries for each opcode.
#include "decode/mc.h"
#include "sim_draw.h"
#include "sim_machine.h"

static sim_state_t before[2], after[2];
static uint32_t *code; // a drawn instruction and s_endpgm

static bool computes(const kiln_sim_inst_t *inst)
{
    static const char *const by_m0[] = {"s_movrel", "s_set_gpr_idx"}; // registers chosen by M0
    for (size_t i = 0; i < sizeof by_m0 / sizeof by_m0[0]; i++) {
        if (kiln_sim_inst_starts(inst, by_m0[i]))
            return false;
    }
    const kiln_sim_class_t class_ = inst->row->class_;
    return class_ == KILN_SIM_CLASS_SALU || class_ == KILN_SIM_CLASS_VALU ||
           class_ == KILN_SIM_CLASS_TRANS || class_ == KILN_SIM_CLASS_MFMA ||
           inst->footprint->crossbar;
}

static bool has_role(const kiln_sim_inst_t *inst, unsigned r, unsigned roles)
{
    for (unsigned i = 0; i < inst->footprint->count; i++) {
        const kiln_sim_registers_t *span = &inst->footprint->spans[i];
        if (span->role & roles && r >= span->first && r < span->first + span->count)
            return true;
    }
    return false;
}

// Every vector instruction reads EXEC, which a footprint does not mention.
static bool is_fixed(unsigned r)
{
    const unsigned exec = KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_EXEC,
                   trap = KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_TTMP0;
    return r == exec || r == exec + 1 || (r >= trap && r < trap + 16) ||
           r >= KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_SINK;
}

static uint32_t *place(sim_state_t *state, unsigned r)
{
    return r < KILN_SIM_FIRST_SGPR ? state->vgpr[r] : &state->sgpr[r - KILN_SIM_FIRST_SGPR];
}

static size_t size_of(unsigned r)
{
    return r < KILN_SIM_FIRST_SGPR ? sizeof before[0].vgpr[0] : sizeof(uint32_t);
}

static void fill(sim_state_t *state, unsigned r)
{
    for (size_t i = 0; i < size_of(r) / 4; i++)
        place(state, r)[i] = (uint32_t)reference_random(&sim_seed);
}

static bool differ(sim_state_t *a, sim_state_t *b, unsigned r)
{
    return memcmp(place(a, r), place(b, r), size_of(r)) != 0;
}

static void expect_footprint(const kiln_sim_inst_t *inst)
{
    sim_randomize(&before[0]);
    before[1] = before[0];
    for (unsigned r = 0; r < KILN_SIM_REGISTERS; r++) {
        if (!has_role(inst, r, KILN_SIM_READS) && !is_fixed(r))
            fill(&before[1], r);
    }
    for (unsigned run = 0; run < 2; run++) {
        after[run] = before[run];
        sim_run(&after[run], inst);
        if (sim.launch.failed) // the instruction is invalid
            return;
    }
    assert_int_equal(after[0].scc, after[1].scc);
    for (unsigned r = 0; r < KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_SINK; r++) {
        char name[32];
        kiln_sim_register_name(r, name, sizeof name);
        const bool written = has_role(inst, r, KILN_SIM_WRITES);
        if (!written && (differ(&before[0], &after[0], r) || differ(&before[1], &after[1], r)))
            fail_msg("%s writes %s, which its footprint lacks", sim_text(inst), name);
        if (written && (r >= KILN_SIM_FIRST_SGPR || !inst->footprint->partial) &&
            differ(&after[0], &after[1], r))
            fail_msg("%s: %s depends on a register that its footprint does not read",
                     sim_text(inst), name);
    }
}

static bool try_one(const encoding_t *encoding, unsigned op, kiln_sim_mc_t *mc)
{
    char text[256];
    uint32_t words[4];
    draw_words(encoding, op, words);
    const unsigned size =
        kiln_sim_mc_decode(mc, (const uint8_t *)words, sizeof words, 0, text, sizeof text);
    const kiln_sim_row_t *row = size ? kiln_sim_row_find(kiln_sim_variant_find(""), text) : NULL;
    if (!row || row->class_ == KILN_SIM_CLASS_BRANCH)
        return false;
    kiln_sim_error_t error = {0};
    memcpy(code, words, size);
    code[size / 4] = 0xbf810000; // s_endpgm
    const kiln_sim_range_t range = {0, size + 4};
    kiln_sim_program_t *program = kiln_sim_program_create(
        (const uint8_t *)code, &range, 1, kiln_sim_variant_find(sim_variant), &error);
    assert_non_null(program);
    sim.launch.program = program;
    sim.launch.image = sim.thread.image = (uint64_t)(uintptr_t)code;
    const kiln_sim_inst_t *inst = kiln_sim_program_at(program, 0, &error);
    const bool tried = inst && computes(inst) &&
                       kiln_sim_thread_reserve(&sim.thread, kiln_sim_program_count(program));
    if (tried)
        expect_footprint(inst);
    kiln_sim_program_destroy(program);
    return tried;
}

static void footprints_hold_what_execution_reads_and_writes(void **state)
{
    (void)state;
    const char *text = getenv("KILN_TEST_ROUNDS");
    const unsigned rounds = text ? (unsigned)atoi(text) : 24;
    kiln_sim_error_t error = {0};
    kiln_sim_mc_t *mc = kiln_sim_mc_create();
    code = kiln_sim_memory_allocate(&sim.machine->memory, 64, KILN_SIM_MEMORY_CODE, 0, &error);
    assert_true(mc && code);
    seed = 0x6b696c6e;
    unsigned tried = 0, opcodes = 0;
    for (size_t e = 0; e < sizeof encodings / sizeof encodings[0]; e++) {
        for (unsigned op = 0; op < encodings[e].op_count; op++) {
            unsigned found = 0;
            for (unsigned round = 0; round < rounds; round++)
                found += try_one(&encodings[e], op, mc);
            tried += found;
            opcodes += found != 0;
        }
    }
    print_message("%u instructions of %u opcodes\n", tried, opcodes);
    assert_true(opcodes > 1000);
    kiln_sim_memory_free(&sim.machine->memory, code, &error);
    kiln_sim_mc_destroy(mc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(footprints_hold_what_execution_reads_and_writes),
    };
    return cmocka_run_group_tests(tests, sim_open, sim_close);
}
