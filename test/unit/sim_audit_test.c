// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bugs of other CDNA3 emulators (docs/gfx942.md, 4.6): one test for each point, with
// the point's number in its name. The number is a row of that table, a letter a statement in it.
#include "hip_sim/entry.h"
#include "sim_machine.h"

enum { ROUNDS = 4 };

#define D ((uint64_t)(uintptr_t)sim.device)
#define FOR_LANES                                                                                  \
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)                                      \
        if (sim_exec(s) >> lane & 1)
#define FULL sim_set_s64(s, KILN_SIM_SGPR_EXEC, UINT64_MAX)

static uint64_t pair(const sim_state_t *s, unsigned reg, unsigned lane)
{
    return (uint64_t)s->vgpr[reg + 1][lane] << 32 | s->vgpr[reg][lane];
}

static void put_pair(sim_state_t *s, unsigned reg, unsigned lane, uint64_t value)
{
    s->vgpr[reg][lane] = (uint32_t)value;
    s->vgpr[reg + 1][lane] = (uint32_t)(value >> 32);
}

static void put_address(sim_state_t *s, unsigned lane, uint64_t address)
{
    put_pair(s, 2, lane, address);
}

static void put_word(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static bool exec_bit0(const sim_state_t *s)
{
    return sim_exec(s) & 1;
}

// Only lane 0, or no lane, with `data` in v8 and an address in v2 whose word is `word`.
static void one_place(sim_state_t *s, uint32_t word, uint32_t data)
{
    sim_set_s64(s, KILN_SIM_SGPR_EXEC, sim_exec(s) & 1);
    s->vgpr[2][0] = 0;
    s->vgpr[8][0] = data;
    put_word(s->lds, word);
}

static void one_global(sim_state_t *s, uint32_t word, uint32_t data)
{
    one_place(s, 0, data);
    put_address(s, 0, D);
    put_word(s->memory, word);
}

static void add_lanes(sim_state_t *s, unsigned address, int sign)
{
    uint32_t old;
    memcpy(&old, s->lds + address, 4);
    const uint32_t count = (uint32_t)__builtin_popcountll(sim_exec(s));
    put_word(s->lds + address, sign < 0 ? old - count : old + count);
    FOR_LANES s->vgpr[16][lane] = old;
}

#define swizzle(s, group, in_group)                                                                \
    do {                                                                                           \
        FOR_LANES s->vgpr[16][lane] = s->vgpr[8][(group) | (in_group)];                            \
    } while (0)

static void small_floats(sim_state_t *s)
{
    for (unsigned bank = 0; bank <= KILN_SIM_ACC_ROW; bank += KILN_SIM_ACC_ROW) {
        for (unsigned row = 4; row < 20; row++) {
            for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
                s->vgpr[bank + row][lane] =
                    reference_f32_bits((float)(reference_random(&sim_seed) >> 60) - 8);
        }
    }
}

static uint32_t plus(uint32_t bits, float value)
{
    return reference_f32_bits(reference_as_f32(bits) + value);
}

// Sixteen products of a column of four by a row of four; lane 4 * block + n holds element n of
// both.
static void multiply_4x4(sim_state_t *s, unsigned a, unsigned b, unsigned c, unsigned d)
{
    static sim_state_t before;
    before = *s;
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
        for (unsigned i = 0; i < 4; i++)
            s->vgpr[d + i][lane] =
                plus(before.vgpr[c + i][lane], reference_as_f32(before.vgpr[a][lane / 4 * 4 + i]) *
                                                   reference_as_f32(before.vgpr[b][lane]));
    }
}

static unsigned ror(unsigned lane, unsigned n)
{
    return lane / 16 * 16 + (lane + 16 - n) % 16;
}

static void move_and_add(sim_state_t *s, unsigned n)
{
    FOR_LANES s->vgpr[16][lane] =
        plus(s->vgpr[16][lane],
             reference_as_f32(s->vgpr[8][ror(lane, n)]) * reference_as_f32(s->vgpr[9][lane]));
}

// ---- points that single instructions show

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define AUDIT(point, text, prepare, change)                                                        \
    static void PASTE(prepare_, __LINE__)(sim_state_t * s)                                         \
        prepare static void PASTE(change_, __LINE__)(sim_state_t * s) change
#include "sim_audit_cases.def"
#undef AUDIT
static const struct {
    const char *point, *text;
    void (*prepare)(sim_state_t *s);
    void (*change)(sim_state_t *s);
} cases[] = {
#define AUDIT(point, text, prepare, change)                                                        \
    {#point, text, PASTE(prepare_, __LINE__), PASTE(change_, __LINE__)},
#include "sim_audit_cases.def"
#undef AUDIT
};

static void check_point(const char *point)
{
    static sim_state_t got, want;
    unsigned found = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(cases[i].point, point) != 0)
            continue;
        found++;
        char source[256];
        snprintf(source, sizeof source, "%s\ns_endpgm\n", cases[i].text);
        sim_code_t code = sim_assemble_code(source);
        const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
        for (unsigned round = 0; round < ROUNDS; round++) {
            sim_randomize(&want);
            sim_choose_exec(&want, round);
            cases[i].prepare(&want);
            got = want;
            sim.thread.special_modes = got.mode & (KILN_SIM_MODE_GPR_IDX_EN | KILN_SIM_MODE_VSKIP);
            sim_run(&got, inst);
            cases[i].change(&want);
            sim_expect(inst, &got, &want, SIM_BITS, 1);
        }
        sim_discard_code(&code);
    }
    assert_true(found > 0);
}

#define POINT(number, name)                                                                        \
    static void point_##number##_##name(void **unused)                                             \
    {                                                                                              \
        (void)unused;                                                                              \
        check_point(#number);                                                                      \
    }
#define POINTS(P)                                                                                  \
    P(1a, smem_address_parts_are_bytes_and_low_bits_are_ignored)                                   \
    P(1b, smem_offsets_are_signed_21_bits_or_sgpr_or_m0)                                           \
    P(1c, scratch_smem_counts_its_offset_in_64_bytes)                                              \
    P(1d, scalar_stores_and_atomics_exist)                                                         \
    P(2a, the_register_of_a_global_saddr_form_is_unsigned)                                         \
    P(2b, global_offsets_are_signed_13_bits)                                                       \
    P(2c, flat_offsets_are_unsigned_12_bits)                                                       \
    P(3a, each_lane_of_flat_picks_its_aperture)                                                    \
    P(4a, m0_does_not_clip_lds)                                                                    \
    P(4b, equal_offsets_are_one_access_with_data0)                                                 \
    P(4d, addtid_adds_m0_and_lane)                                                                 \
    P(4e, append_and_consume_use_the_offset_alone)                                                 \
    P(4f, packed_lds_atomics_are_two_lanes)                                                        \
    P(4g, lds_float_atomics_follow_modes_denormals_and_round_to_even)                              \
    P(5a, l2_flushes_denormals_of_f32_additions)                                                   \
    P(5b, l2_keeps_denormals_of_f64_and_packed_additions)                                          \
    P(6, ds_swizzle_has_four_modes)                                                                \
    P(7, acc_selects_accumulation_registers)                                                       \
    P(8a, out_of_range_scalar_sources_read_s0)                                                     \
    P(8b, out_of_range_destinations_are_dropped_and_scc_is_not)                                    \
    P(8d, s_max_sets_scc_on_equal_operands)                                                        \
    P(8e, s_absdiff_wraps)                                                                         \
    P(8f, s_movrel_uses_all_of_m0)                                                                 \
    P(9a, readfirstlane_without_lanes_reads_lane_0)                                                \
    P(9b, lshl_add_u64_shifts_by_no_more_than_4)                                                   \
    P(9c, fract_stays_below_1)                                                                     \
    P(9d, integer_clamp_saturates)                                                                 \
    P(9e, packed_f16_clamp_is_0_to_1)                                                              \
    P(9f, packed_f32_reads_scalar_pairs)                                                           \
    P(9g, cvt_pkrtz_rounds_to_zero)                                                                \
    P(9h, dot2_flushes_denormals)                                                                  \
    P(9i, omod_needs_flushed_outputs_and_no_ieee)                                                  \
    P(10a, dpp_of_accumulating_instructions_moves_src0)                                            \
    P(10b, dpp_of_64_bits_broadcasts)                                                              \
    P(11, cmpx_in_vop3_writes_its_sgprs_and_exec)                                                  \
    P(12a, gpr_idx_lives_in_m0)                                                                    \
    P(14a, status_tracks_execz)                                                                    \
    P(14b, status_tracks_vccz)                                                                     \
    P(14c, status_is_not_in_a_barrier_while_running)
POINTS(POINT)

// ---- points about instructions that must fail

// Decodes one raw instruction; NULL if the simulator rejects it. Words that LLVM does not decode
// become an instruction that fails when it is executed.
static const kiln_sim_inst_t *decode_raw(sim_code_t *code, uint32_t low, uint32_t high)
{
    char source[64];
    snprintf(source, sizeof source, ".long 0x%x, 0x%x, 0xbf810000\n", low, high);
    *code = sim_assemble_code(source);
    kiln_sim_error_t error = {0};
    const kiln_sim_inst_t *inst = kiln_sim_program_at(code->program, 0, &error);
    assert_true(!inst ||
                kiln_sim_thread_reserve(&sim.thread, kiln_sim_program_count(code->program)));
    return inst;
}

static void assert_refused(uint32_t low, uint32_t high)
{
    static sim_state_t got, want;
    sim_code_t code;
    const kiln_sim_inst_t *inst = decode_raw(&code, low, high);
    if (inst) {
        sim_randomize(&want);
        got = want;
        sim_run(&got, inst);
        assert_int_equal(sim.wave->stop, KILN_SIM_STOP_FAULT);
        assert_memory_equal(&got, &want, sizeof got);
    }
    sim_discard_code(&code);
}

static void assert_faults(const char *text, uint64_t address, const char *message)
{
    static sim_state_t got, want;
    sim_code_t code = sim_assemble_code(text);
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    sim_randomize(&want);
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
        put_address(&want, lane, lane == 40 ? address : D);
    got = want;
    sim_run(&got, inst);
    assert_int_equal(sim.wave->stop, KILN_SIM_STOP_FAULT);
    if (!strstr(sim.launch.error.text, message) || !strstr(sim.launch.error.text, "lane 40"))
        fail_msg("'%s' and lane 40 are not in '%s'", message, sim.launch.error.text);
    sim_discard_code(&code);
}

static void point_3b_global_in_the_lds_aperture_is_a_violation(void **unused)
{
    (void)unused;
    assert_faults("global_load_dword v16, v[2:3], off\ns_endpgm\n", KILN_SIM_SHARED_BASE + 64,
                  "memory violation");
    assert_faults("global_store_dword v[2:3], v8, off\ns_endpgm\n", KILN_SIM_PRIVATE_BASE + 8,
                  "memory violation");
    assert_faults("flat_load_dword v16, v[2:3]\ns_endpgm\n", KILN_SIM_SHARED_BASE + (1 << 20),
                  "LDS");
}

static void point_3c_segment_3_and_scratch_atomics_are_illegal(void **unused)
{
    (void)unused;
    assert_refused(0xdc50c000, 0x107f0002); // flat_load_dword with SEG = 3
    assert_refused(0xdd086000, 0x007f0802); // opcode of atomic_add with SEG = 1
    assert_faults("flat_atomic_add v[2:3], v8\ns_endpgm\n", KILN_SIM_PRIVATE_BASE + 8,
                  "scratch atomics do not exist");
}

static void point_4c_atomics_without_return_leave_vdst_alone(void **unused)
{
    (void)unused;
    static sim_state_t got, want;
    sim_code_t code;
    const kiln_sim_inst_t *inst =
        decode_raw(&code, 0xd8000000, 0x10000802); // ds_add_u32 v2, v8, and 16 as VDST
    assert_non_null(inst);
    for (unsigned round = 0; round < ROUNDS; round++) {
        sim_randomize(&want);
        sim_choose_exec(&want, round);
        sim_state_t *const s = &want;
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
            want.vgpr[2][lane] = 4 * lane;
        got = want;
        sim_run(&got, inst);
        FOR_LANES
        {
            uint32_t word;
            memcpy(&word, want.lds + 4 * lane, 4);
            put_word(want.lds + 4 * lane, word + want.vgpr[8][lane]);
        }
        if (sim.wave->stop != KILN_SIM_STOP_FAULT) // LLVM may refuse the encoding altogether
            sim_expect(inst, &got, &want, SIM_BITS, 1);
    }
    sim_discard_code(&code);
}

// An odd number means the even pair below it, as the disassembler prints it.
static void point_8c_pairs_are_even(void **unused)
{
    (void)unused;
    static sim_state_t got, want;
    sim_code_t code;
    const kiln_sim_inst_t *inst =
        decode_raw(&code, 0xbe8b0103, 0xbf810000); // s_mov_b64 s[11:12], s[3:4]
    assert_non_null(inst);
    sim_randomize(&want);
    got = want;
    sim_run(&got, inst);
    want.sgpr[10] = want.sgpr[2];
    want.sgpr[11] = want.sgpr[3];
    sim_expect(inst, &got, &want, SIM_BITS, 1);
    sim_discard_code(&code);
}

static void point_10c_dpp_of_64_bits_is_illegal_otherwise(void **unused)
{
    (void)unused;
    assert_refused(0x7e0c70fa, 0xff010100); // v_mov_b64_dpp row_shl:1
    assert_refused(0x7e0c70fa, 0xff00e400); // v_mov_b64_dpp quad_perm
    assert_refused(0x7dd204fa, 0xff015000); // v_cmp_lt_u64_dpp
    assert_refused(0x7e1404fa, 0xff015000); // v_readfirstlane_b32_dpp
}

// ---- points that show in a running wave

static hipModule_t module;
static uint32_t *out;
enum { ROWS = 6 };

static void run_kernel(const char *name, unsigned items)
{
    hipFunction_t function;
    size_t size = sizeof out;
    void *extra[] = {(void *)1, &out, (void *)2, &size, (void *)3};
    memset(out, 0, ROWS * 256);
    assert_int_equal(hipModuleGetFunction(&function, module, name), 0);
    if (hipModuleLaunchKernel(function, 1, 1, 1, items, 1, 1, 0, NULL, NULL, extra) != 0)
        fail_msg("%s: %s", name, kilnSimGetLastErrorMessage());
}

static void point_12b_gpr_idx_chooses_operands(void **unused)
{
    (void)unused;
    run_kernel("relative_registers", 64);
    static const uint32_t expected[ROWS] = {500, 400, 700, 300, 200, 0};
    for (unsigned i = 0; i < ROWS * 64; i++)
        assert_int_equal(out[i], expected[i / 64]);
}

static void point_13_vskip_skips_vector_lds_and_memory_instructions(void **unused)
{
    (void)unused;
    run_kernel("skipping", 64);
    static const uint32_t expected[ROWS] = {1, 2, 0, 7, 77, 0};
    for (unsigned i = 0; i < ROWS * 64; i++)
        assert_int_equal(out[i], expected[i / 64]);
}

static void point_14d_in_barrier_is_over_when_a_wave_goes_on(void **unused)
{
    (void)unused;
    run_kernel("barrier_status", 128);
    for (unsigned i = 0; i < 128; i++)
        assert_int_equal(out[i], 0);
}

static void point_3d_apertures_in_a_kernel(void **unused)
{
    (void)unused;
    run_kernel("apertures", 64);
    for (unsigned lane = 0; lane < 64; lane++) {
        assert_int_equal(out[lane], lane < 32 ? 0 : 1000 + lane);
        assert_int_equal(out[64 + lane], lane < 32 ? 1000 + lane : 0xc7c7c7c7);
    }
}

static void point_15_hardware_registers(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint32_t group, wave, value;
    } registers[] = {
        {"s_getreg_b32 s40, hwreg(HW_REG_XCC_ID, 0, 4)\ns_endpgm\n", 13, 0, 5},
        {"s_getreg_b32 s40, hwreg(HW_REG_XCC_ID)\ns_endpgm\n", 8, 0, 0},
        {"s_getreg_b32 s40, hwreg(HW_REG_HW_ID, 4, 2)\ns_endpgm\n", 0, 6, 2}, // SIMD
        {"s_getreg_b32 s40, hwreg(HW_REG_HW_ID, 0, 4)\ns_endpgm\n", 0, 6, 1}, // slot
        {"s_getreg_b32 s40, hwreg(HW_REG_MODE, 4, 4)\ns_endpgm\n", 0, 0, 15},
        {"s_getreg_b32 s40, hwreg(HW_REG_STATUS, 16, 1)\ns_endpgm\n", 0, 0, 1}, // VALID
    };
    static sim_state_t got, want;
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        sim_code_t code = sim_assemble_code(registers[i].text);
        const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
        sim.group.index = registers[i].group;
        sim.wave->index = registers[i].wave;
        sim_randomize(&want);
        got = want;
        want.sgpr[40] = registers[i].value;
        sim_run(&got, inst);
        sim_expect(inst, &got, &want, SIM_BITS, 1);
        sim_discard_code(&code);
    }
    sim.group.index = sim.wave->index = 0;
}

// 100 MHz against the core's 2100.
static void point_16_memrealtime_is_a_constant_clock(void **unused)
{
    (void)unused;
    static sim_state_t state;
    sim_code_t code = sim_assemble_code("s_memtime s[40:41]\ns_memrealtime s[42:43]\ns_endpgm\n");
    const kiln_sim_inst_t *memtime = sim_inst_at(&code, 0);
    sim_randomize(&state);
    uint64_t first[2] = {0};
    for (unsigned round = 0; round < 2; round++) {
        sim_run(&state, memtime);
        sim_run(&state, memtime->next);
        const uint64_t cycles = sim_s64(&state, 40) - first[0],
                       ticks = sim_s64(&state, 42) - first[1];
        if (round)
            assert_true(cycles > 1000000 && ticks * 21 > cycles - 1000 &&
                        ticks * 21 < cycles + 1000);
        first[0] = sim_s64(&state, 40);
        first[1] = sim_s64(&state, 42);
        sim.wave->executed += 1000000;
    }
    sim_discard_code(&code);
}

static int set_up(void **state)
{
    void *pointer;
    if (hipModuleLoad(&module, KILN_BINARY_DIR "/test/sim_kernels/audit.hsaco") != 0 ||
        hipMalloc(&pointer, ROWS * 256) != 0)
        return 1;
    out = pointer;
    return sim_open(state);
}

static int run(const char *variant)
{
    const struct CMUnitTest tests[] = {
#define TEST(number, name) cmocka_unit_test(point_##number##_##name),
        POINTS(TEST)
#undef TEST
            cmocka_unit_test(point_3b_global_in_the_lds_aperture_is_a_violation),
        cmocka_unit_test(point_3c_segment_3_and_scratch_atomics_are_illegal),
        cmocka_unit_test(point_3d_apertures_in_a_kernel),
        cmocka_unit_test(point_4c_atomics_without_return_leave_vdst_alone),
        cmocka_unit_test(point_8c_pairs_are_even),
        cmocka_unit_test(point_10c_dpp_of_64_bits_is_illegal_otherwise),
        cmocka_unit_test(point_12b_gpr_idx_chooses_operands),
        cmocka_unit_test(point_13_vskip_skips_vector_lds_and_memory_instructions),
        cmocka_unit_test(point_14d_in_barrier_is_over_when_a_wave_goes_on),
        cmocka_unit_test(point_15_hardware_registers),
        cmocka_unit_test(point_16_memrealtime_is_a_constant_clock),
    };
    return cmocka_run_group_tests_name(variant, tests, set_up, sim_close);
}

int main(void)
{
    return sim_run_variants(run);
}
