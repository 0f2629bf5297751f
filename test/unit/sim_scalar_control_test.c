// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow, waits, hardware registers, relative addressing, and GWS: each instruction's effect
// on the state, and where the wave continues.
#include "run/gws.h"
#include "sim_machine.h"

enum { ROUNDS = 8 };

static uint32_t below(uint32_t limit)
{
    return (uint32_t)(reference_random(&sim_seed) >> 33) % limit;
}

// How a wave continues: KILN_SIM_STOP_NONE with the next instruction, or the reason why it stops.
typedef struct outcome {
    kiln_sim_stop_t stop;
    const kiln_sim_inst_t *next;
} outcome_t;

static sim_state_t got, want;

static void run_and_expect(const kiln_sim_inst_t *inst, outcome_t outcome)
{
    const sim_state_t start = got;
    sim.thread.special_modes = start.mode & (KILN_SIM_MODE_GPR_IDX_EN | KILN_SIM_MODE_VSKIP);
    sim_run(&got, inst);
    const kiln_sim_wave_t *wave = sim.wave;
    const kiln_sim_inst_t *next =
        wave->stop == KILN_SIM_STOP_NONE && wave->next ? wave->next : wave->resume;
    if (wave->stop != outcome.stop || (outcome.stop != KILN_SIM_STOP_FAULT && next != outcome.next))
        fail_msg("%s: stop %d instead of %d, or the wrong place", sim_text(inst), (int)wave->stop,
                 (int)outcome.stop);
    sim.launch.failed = 0; // the fault was expected
    sim_expect(inst, &got, &want, SIM_BITS, 1);
}

static void start(unsigned round)
{
    sim_randomize(&want);
    sim_choose_exec(&want, round);
    if (round % 2)
        sim_set_s64(&want, KILN_SIM_SGPR_VCC, round % 4 == 1 ? 0 : 1ull << below(64));
    got = want;
}

static void nothing_changes(void **unused)
{
    (void)unused;
    sim_code_t code = sim_assemble_code(
        "s_nop 0\ns_nop 7\ns_waitcnt 0\ns_waitcnt vmcnt(63) lgkmcnt(3)\ns_setprio "
        "3\ns_wakeup\ns_icache_inv\n"
        "s_incperflevel 2\ns_decperflevel 2\ns_ttracedata\ns_sendmsg "
        "sendmsg(MSG_INTERRUPT)\ns_sethalt 0\ns_setkill 0\n"
        "s_trap 3\ns_cbranch_cdbgsys 4\ns_cbranch_cdbguser 4\ns_cbranch_cdbgsys_or_user 4\n"
        "s_cbranch_cdbgsys_and_user 4\nv_nop\nv_nop_e64\nv_clrexcp\ns_barrier\ns_nop 0\ns_nop "
        "0\ns_nop 0\ns_nop 0\n"
        "s_nop 0\n");
    for (const kiln_sim_inst_t *inst = sim_inst_at(&code, 0); inst->address < 27 * 4;
         inst = inst->next) {
        for (unsigned round = 0; round < ROUNDS; round++) {
            start(round);
            run_and_expect(inst, (outcome_t){KILN_SIM_STOP_NONE, inst->next});
        }
    }
    sim_discard_code(&code);
}

static void the_wave_stops(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        kiln_sim_stop_t stop;
        bool continues; // whether it continues later, after the instruction
    } cases[] = {
        {"s_endpgm\n", KILN_SIM_STOP_END, false},
        {"s_endpgm_saved\n", KILN_SIM_STOP_END, false},
        {"s_endpgm_ordered_ps_done\n", KILN_SIM_STOP_END, false},
        {"s_setkill 1\n", KILN_SIM_STOP_END, false},
        {"s_sleep 1\ns_endpgm\n", KILN_SIM_STOP_YIELD, true},
        {"s_sleep 127\ns_endpgm\n", KILN_SIM_STOP_YIELD, true},
        {"s_barrier\ns_endpgm\n", KILN_SIM_STOP_BARRIER, true},
        {"s_trap 2\n", KILN_SIM_STOP_FAULT, false},
        {"s_trap 7\n", KILN_SIM_STOP_FAULT, false},
        {"s_sethalt 1\n", KILN_SIM_STOP_FAULT, false},
        {"s_sendmsghalt sendmsg(MSG_INTERRUPT)\n", KILN_SIM_STOP_FAULT, false},
    };
    sim.group.wave_count = 2;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_code_t code = sim_assemble_code(cases[i].text);
        const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
        for (unsigned round = 0; round < ROUNDS; round++) {
            start(round);
            run_and_expect(inst,
                           (outcome_t){cases[i].stop, cases[i].continues ? inst->next : NULL});
        }
        sim_discard_code(&code);
    }
    sim.group.wave_count = 1;
}

static void branches(void **unused)
{
    (void)unused;
    // Each with a forward and a backward target.
    static const char *const names[] = {"s_branch",        "s_cbranch_scc0",  "s_cbranch_scc1",
                                        "s_cbranch_vccz",  "s_cbranch_vccnz", "s_cbranch_execz",
                                        "s_cbranch_execnz"};
    for (unsigned i = 0; i < 7; i++) {
        char source[128];
        snprintf(source, sizeof source, "a: %s b\n%s a\ns_nop 0\ns_nop 1\nb: s_endpgm\n", names[i],
                 names[i]);
        sim_code_t code = sim_assemble_code(source);
        const kiln_sim_inst_t *ends[2] = {sim_inst_at(&code, 16), sim_inst_at(&code, 0)};
        const kiln_sim_inst_t *insts[2] = {ends[1], sim_inst_at(&code, 4)};
        const kiln_sim_inst_t *after[2] = {insts[1], sim_inst_at(&code, 8)};
        for (unsigned round = 0; round < 2 * ROUNDS; round++) {
            start(round);
            const uint64_t vcc = sim_s64(&want, KILN_SIM_SGPR_VCC), exec = sim_exec(&want);
            const bool conditions[] = {true, !want.scc, want.scc, !vcc, vcc, !exec, exec};
            const unsigned which = round / ROUNDS;
            run_and_expect(insts[which], (outcome_t){KILN_SIM_STOP_NONE,
                                                     conditions[i] ? ends[which] : after[which]});
        }
        sim_discard_code(&code);
    }
}

static void jumps_and_program_counters(void **unused)
{
    (void)unused;
    sim_code_t code = sim_assemble_code("s_getpc_b64 s[10:11]\n"          // 0
                                        "s_call_b64 s[10:11], 4\n"        // 4, to 24
                                        "s_swappc_b64 s[10:11], s[6:7]\n" // 8
                                        "s_nop 0\ns_nop 0\ns_nop 0\n"     // 12
                                        "s_setpc_b64 s[6:7]\n"            // 24
                                        "s_rfe_b64 s[6:7]\n"              // 28
                                        "s_rfe_restore_b64 s[6:7], s8\n"  // 32
                                        "s_endpgm\n");
    const uint64_t image = sim.thread.image;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const uint32_t to = 4 * below(9);
        const kiln_sim_inst_t *target = sim_inst_at(&code, to);
        for (unsigned at = 0; at <= 32; at += at == 8 ? 16 : 4) {
            const kiln_sim_inst_t *inst = sim_inst_at(&code, at);
            start(round);
            sim_set_s64(&want, 6, image + to);
            got = want;
            if (at <= 8) // the address after the instruction
                sim_set_s64(&want, 10, image + at + 4);
            run_and_expect(inst, (outcome_t){KILN_SIM_STOP_NONE, at == 0   ? inst->next
                                                                 : at == 4 ? sim_inst_at(&code, 24)
                                                                           : target});
        }
    }
    sim_discard_code(&code);
}

// The guide's picture: the smaller half of the lanes runs first, the other waits on the stack.
static void forks_and_joins(void **unused)
{
    (void)unused;
    sim_code_t code = sim_assemble_code("s_cbranch_g_fork s[40:41], s[42:43]\n" // 0
                                        "s_cbranch_i_fork s[40:41], 3\n"        // 4, to 20
                                        "s_nop 0\ns_nop 0\ns_nop 0\n"           // 8
                                        "s_cbranch_join s44\ns_endpgm\n");      // 20
    const kiln_sim_inst_t *far = sim_inst_at(&code, 20), *after_join = sim_inst_at(&code, 24);
    const uint64_t image = sim.thread.image;
    for (unsigned round = 0; round < 4 * ROUNDS; round++) {
        const unsigned which = round & 1, level = below(6);
        const kiln_sim_inst_t *inst = sim_inst_at(&code, which * 4), *after = inst->next;
        start(round);
        const uint64_t exec = sim_exec(&want);
        const uint64_t mask = round % 8 < 2 ? exec : round % 8 < 4 ? ~exec : sim_s64(&want, 40);
        sim_set_s64(&want, 40, mask);
        sim_set_s64(&want, 42, image + 20);
        want.mode |= level << 29;
        got = want;
        const uint64_t taken = exec & mask, left = exec & ~mask;
        outcome_t outcome = {KILN_SIM_STOP_NONE, taken == exec ? far : after};
        if (taken && left) {
            const bool stay = __builtin_popcountll(left) < __builtin_popcountll(taken);
            outcome.next = stay ? after : far;
            sim_set_s64(&want, 4 * level, stay ? taken : left);
            sim_set_s64(&want, 4 * level + 2, image + (stay ? 20 : which * 4 + 4));
            sim_set_s64(&want, KILN_SIM_SGPR_EXEC, stay ? left : taken);
            want.mode += 1u << 29;
        }
        run_and_expect(inst, outcome);

        start(round);
        want.mode |= (level + 1) << 29;
        want.sgpr[44] = round % 3 ? level : level + 1;
        sim_set_s64(&want, 4 * level + 2, image + 4);
        got = want;
        if (round % 3) {
            sim_set_s64(&want, KILN_SIM_SGPR_EXEC, sim_s64(&want, 4 * level));
            want.mode -= 1u << 29;
        }
        run_and_expect(
            far, (outcome_t){KILN_SIM_STOP_NONE, round % 3 ? sim_inst_at(&code, 4) : after_join});
    }
    sim_discard_code(&code);
}

// ---- relative addressing: all bits of M0 are the distance; out of range reads s0 and writes
// nothing

static void relative_moves(void **unused)
{
    (void)unused;
    sim_code_t code =
        sim_assemble_code("s_movrels_b32 s40, s20\ns_movrels_b64 s[40:41], s[20:21]\n"
                          "s_movreld_b32 s20, s40\ns_movreld_b64 s[20:21], s[40:41]\n");
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < 4; i++, inst = inst->next) {
        const unsigned count = 1 + i % 2;
        for (unsigned round = 0; round < 2 * ROUNDS; round++) {
            start(round);
            const uint32_t distance = round % 4 == 3 ? 0x10000 * (1 + below(9)) : below(30) * count;
            want.sgpr[KILN_SIM_SGPR_M0] = distance;
            got = want;
            const bool inside = distance < 64;
            for (unsigned n = 0; n < count; n++) {
                if (i < 2)
                    want.sgpr[40 + n] = got.sgpr[inside ? 20 + distance + n : n];
                else if (inside)
                    want.sgpr[20 + distance + n] = got.sgpr[40 + n];
            }
            run_and_expect(inst, (outcome_t){KILN_SIM_STOP_NONE, inst->next});
        }
    }
    sim_discard_code(&code);
}

// ---- hardware registers

static uint32_t field(uint32_t value, unsigned offset, unsigned size)
{
    return (uint32_t)((uint64_t)(value >> offset) % (1ull << size));
}

static void registers_are_read_in_fields(void **unused)
{
    (void)unused;
    static const struct {
        unsigned id, offset, size;
    } fields[] = {{1, 0, 32}, {1, 4, 4},  {1, 28, 1},  {2, 0, 1},  {2, 9, 1},
                  {2, 10, 1}, {2, 9, 2},  {4, 0, 4},   {4, 4, 2},  {4, 8, 4},
                  {4, 13, 3}, {20, 0, 4}, {20, 0, 32}, {15, 0, 32}};
    char source[1024] = "";
    for (unsigned i = 0; i < 14; i++)
        snprintf(source + strlen(source), sizeof source - strlen(source),
                 "s_getreg_b32 s40, hwreg(%u, %u, %u)\n", fields[i].id, fields[i].offset,
                 fields[i].size);
    sim_code_t code = sim_assemble_code(source);
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < 14; i++, inst = inst->next) {
        for (unsigned round = 0; round < ROUNDS; round++) {
            start(round);
            want.mode = (uint32_t)reference_random(&sim_seed) &
                        ~(uint32_t)(KILN_SIM_MODE_VSKIP | KILN_SIM_MODE_GPR_IDX_EN);
            got = want;
            const uint32_t status = want.scc | (sim_exec(&want) == 0 ? 1u << 9 : 0) |
                                    (sim_s64(&want, KILN_SIM_SGPR_VCC) == 0 ? 1u << 10 : 0);
            sim.group.index = round * 13;
            sim.wave->index = round;
            // A workgroup's XCD is its number modulo 8; SIMDs take a workgroup's waves in turn.
            const uint32_t hw_id = round / 4 | round % 4 << 4;
            const uint32_t value =
                fields[i].id == 1   ? want.mode
                : fields[i].id == 2 ? status
                : fields[i].id == 4 ? hw_id
                : fields[i].id == 20
                    ? sim.group.index % 8
                    : (uint32_t)(KILN_SIM_PRIVATE_BASE >> 48 | KILN_SIM_SHARED_BASE >> 32);
            want.sgpr[40] = field(value, fields[i].offset, fields[i].size);
            if (fields[i].id == 4 &&
                fields[i].offset >= 8) { // the unit's number is not specified: in range
                sim_state_t probe = got;
                sim_run(&probe, inst);
                assert_true(probe.sgpr[40] < 10);
                want.sgpr[40] = probe.sgpr[40];
            }
            run_and_expect(inst, (outcome_t){KILN_SIM_STOP_NONE, inst->next});
        }
    }
    sim.group.index = sim.wave->index = 0;
    sim_discard_code(&code);
}

static void mode_is_written_in_fields(void **unused)
{
    (void)unused;
    static const struct {
        unsigned id, offset, size;
    } fields[] = {{1, 0, 4},  {1, 4, 4},  {1, 0, 8},  {1, 8, 2}, {1, 23, 1},
                  {1, 0, 32}, {1, 28, 1}, {2, 0, 32}, {4, 0, 8}};
    char source[2048] = "";
    for (unsigned i = 0; i < 9; i++)
        snprintf(
            source + strlen(source), sizeof source - strlen(source),
            "s_setreg_b32 hwreg(%u, %u, %u), s40\ns_setreg_imm32_b32 hwreg(%u, %u, %u), 0x%x\n",
            fields[i].id, fields[i].offset, fields[i].size, fields[i].id, fields[i].offset,
            fields[i].size, 0x12345678 + i);
    sim_code_t code = sim_assemble_code(source);
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < 18; i++, inst = inst->next) {
        const unsigned offset = fields[i / 2].offset, size = fields[i / 2].size;
        for (unsigned round = 0; round < ROUNDS; round++) {
            start(round);
            want.mode = (uint32_t)reference_random(&sim_seed);
            got = want;
            const uint32_t value = i % 2 ? 0x12345678 + i / 2 : want.sgpr[40];
            for (unsigned bit = 0; bit < size && fields[i / 2].id == 1; bit++)
                want.mode = (want.mode & ~(1u << (offset + bit))) | (value >> bit & 1)
                                                                        << (offset + bit);
            run_and_expect(inst, (outcome_t){KILN_SIM_STOP_NONE, inst->next});
        }
    }
    sim_discard_code(&code);
}

static void register_index_modes(void **unused)
{
    (void)unused;
    sim_code_t code = sim_assemble_code(
        "s_set_gpr_idx_on s40, gpr_idx(SRC0,DST)\ns_set_gpr_idx_on s40, gpr_idx(SRC1,SRC2)\n"
        "s_set_gpr_idx_off\ns_set_gpr_idx_mode gpr_idx(SRC0,SRC2)\ns_set_gpr_idx_idx s40\n"
        "s_setvskip s40, s41\ns_setvskip 4, 2\n");
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < 7; i++, inst = inst->next) {
        for (unsigned round = 0; round < 2 * ROUNDS; round++) {
            start(round);
            want.mode = (uint32_t)reference_random(&sim_seed);
            got = want;
            uint32_t *m0 = &want.sgpr[KILN_SIM_SGPR_M0];
            const uint32_t index = want.sgpr[40] % 256;
            if (i < 2) {
                *m0 = *m0 / 65536 * 65536 + (*m0 / 256 % 16) * 256 + (i ? 6u : 9u) * 4096 + index;
                want.mode |= 1u << 27;
            } else if (i == 2) {
                want.mode &= ~(1u << 27);
            } else if (i == 3) {
                *m0 = *m0 / 65536 * 65536 + *m0 % 4096 + 5u * 4096;
            } else if (i == 4) {
                *m0 = *m0 / 256 * 256 + index;
            } else {
                const bool skip = i == 6 || (want.sgpr[40] >> want.sgpr[41] % 32 & 1);
                want.mode = (want.mode & ~(1u << 28)) | (skip ? 1u << 28 : 0);
            }
            run_and_expect(inst, (outcome_t){KILN_SIM_STOP_NONE, inst->next});
        }
    }
    sim_discard_code(&code);
}

// ---- GWS: a random sequence of operations on a semaphore, and on a barrier, compared with the
// test's own counters

static uint32_t value_of_first_lane(const sim_state_t *state, unsigned row)
{
    unsigned lane = 0;
    while (lane < 63 && sim_exec(state) && !(sim_exec(state) >> lane & 1))
        lane++;
    return state->vgpr[row][lane];
}

static void global_wave_sync(void **unused)
{
    (void)unused;
    sim_code_t code = sim_assemble_code(
        "ds_gws_init v2 offset:3 gds\nds_gws_sema_v offset:3 gds\nds_gws_sema_br v2 offset:3 gds\n"
        "ds_gws_sema_p offset:3 gds\nds_gws_sema_release_all offset:3 gds\n"
        "ds_gws_barrier v2 offset:7 gds\nds_gws_init v2 offset:7 gds\ns_endpgm\n");
    const kiln_sim_inst_t *insts[7];
    for (unsigned i = 0; i < 7; i++)
        insts[i] = sim_inst_at(&code, 8 * i);
    uint64_t credits = 0, waiting = 0, remaining = 0;
    for (unsigned round = 0; round < 200; round++) {
        const unsigned op = round == 0   ? 0
                            : round == 1 ? 6
                                         : (round < 120 ? below(5) : 5 + (below(6) == 0));
        start(round);
        want.sgpr[KILN_SIM_SGPR_M0] = 0xffc0ffffu | 60u << 16; // resource (60 + offset) % 64
        for (unsigned lane = 0; lane < 64; lane++)
            want.vgpr[2][lane] = below(4);
        got = want;
        const uint32_t value = value_of_first_lane(&want, 2);
        bool held = false;
        if (op == 0 && waiting) // the effect on waiting waves is not specified
            continue;
        if (op == 0) {
            credits = value;
        } else if (op == 1 || op == 2) {
            credits += op == 1 ? 1 : value;
        } else if (op == 3) {
            waiting++;
        } else if (op == 4) {
            waiting = 0;
        } else if (op == 5) {
            held = remaining != 0;
            remaining = remaining ? remaining - 1 : value;
        } else {
            remaining = value;
        }
        if (op == 3)
            held = credits < waiting;
        while (op < 4 && credits && waiting) {
            credits--;
            waiting--;
        }
        run_and_expect(insts[op],
                       (outcome_t){held ? KILN_SIM_STOP_GWS : KILN_SIM_STOP_NONE, insts[op]->next});
        if (held)
            assert_false(kiln_sim_gws_ready(sim.wave));
    }
    // A credit releases one waiting wave.
    sim_run(&got, insts[4]);
    want = got;
    for (unsigned i = 0; i < 64; i++)
        got.vgpr[2][i] = 0;
    sim_run(&got, insts[0]);
    sim_run(&got, insts[3]);
    assert_false(kiln_sim_gws_ready(sim.wave));
    sim_run(&got, insts[1]);
    assert_true(kiln_sim_gws_ready(sim.wave));
    sim_discard_code(&code);
}

static int run(const char *variant)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changes),
        cmocka_unit_test(the_wave_stops),
        cmocka_unit_test(branches),
        cmocka_unit_test(jumps_and_program_counters),
        cmocka_unit_test(forks_and_joins),
        cmocka_unit_test(relative_moves),
        cmocka_unit_test(registers_are_read_in_fields),
        cmocka_unit_test(mode_is_written_in_fields),
        cmocka_unit_test(register_index_modes),
        cmocka_unit_test(global_wave_sync),
    };
    return cmocka_run_group_tests_name(variant, tests, sim_open, sim_close);
}

int main(void)
{
    return sim_run_variants(run);
}
