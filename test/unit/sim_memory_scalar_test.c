// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar memory: loads, stores and atomics by address, descriptor and scratch base, with every kind
// of offset; clocks; cache controls.
#include "sim_memory_ops.h"

enum { ROUNDS = 12, BASE = 4, OFFSET = 8, RESOURCE = 20, DATA = 40, MIDDLE = 2048 };

typedef enum base { ADDRESS, BUFFER, SCRATCH_BASE } base_t;

// How the offset is written; a round's scalar offset is in s8 or M0.
static const struct {
    const char *text;
    int immediate;
    bool scalar, m0;
} offsets[] = {{"0x10", 16, false, false},
               {"s8", 0, true, false},
               {"m0", 0, false, true},
               {"s8 offset:0x14", 20, true, false},
               {"0x7", 4, false, false}};
enum { OFFSETS = sizeof offsets / sizeof offsets[0] };

static const struct {
    const char *prefix, *registers;
} bases[] = {{"s_", "s[4:5]"}, {"s_buffer_", "s[20:23]"}, {"s_scratch_", "s[4:5]"}};

static uint32_t below(uint32_t limit)
{
    return (uint32_t)(reference_random(&sim_seed) >> 33) % limit;
}

// Sets up base and offsets; returns the place in the state's memory, and how many dwords from there
// are in range.
static unsigned choose_place(sim_state_t *state, base_t base, unsigned form, unsigned align,
                             uint32_t *place)
{
    const uint32_t scale = base == SCRATCH_BASE ? 64 : 1; // of the scalar part
    const bool has_scalar = offsets[form].scalar || offsets[form].m0;
    const uint32_t scalar = !has_scalar ? 0 : base == SCRATCH_BASE ? below(16) : below(256) * 4;
    const uint32_t offset = scalar * scale + (uint32_t)offsets[form].immediate;
    const uint32_t start = MIDDLE + (align == 8 && offset % 8 ? 4 : 0);
    const uint64_t address = (uint64_t)(uintptr_t)sim.device + start;
    if (offsets[form].scalar)
        state->sgpr[OFFSET] = scalar;
    if (offsets[form].m0)
        state->sgpr[KILN_SIM_SGPR_M0] = scalar;
    *place = start + offset;
    if (base != BUFFER) {
        sim_set_s64(state, BASE, address + below(4)); // low bits are ignored
        return UINT32_MAX;
    }
    const uint32_t stride = below(3) * 4, units = below(1100) / (stride ? stride : 1);
    state->sgpr[RESOURCE] = (uint32_t)address;
    state->sgpr[RESOURCE + 1] = (uint32_t)(address >> 32) | stride << 16;
    state->sgpr[RESOURCE + 2] = units;
    state->sgpr[RESOURCE + 3] = 4u << 15;
    const uint32_t size = units * (stride ? stride : 1);
    return size > offset ? (size - offset) / 4 : 0;
}

static void run_case(const kiln_sim_inst_t *inst, const sim_memory_op_t *op, base_t base,
                     unsigned form, unsigned dwords, bool store, bool returns)
{
    static sim_state_t got, want;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t place;
        sim_randomize(&want);
        sim_choose_exec(&want, round); // EXEC has no effect
        sim_fill_operands(&want, SIM_BITS);
        unsigned inside = choose_place(&want, base, form, op ? op->bytes : 4, &place);
        for (unsigned d = 0; op && d < 4; d += 2)
            sim_set_s64(&want, DATA + d, sim_operand(SIM_BITS));
        got = want;
        sim_run(&got, inst);
        inside = inside < dwords ? inside : dwords;
        if (op && inside == dwords) {
            uint32_t old[2];
            op->act(want.memory + place, old, &want.sgpr[DATA], false);
            if (returns)
                memcpy(&want.sgpr[DATA], old, op->bytes);
        } else if (!op && store) {
            memcpy(want.memory + place, &want.sgpr[DATA], 4 * inside);
        } else if (!op) {
            memcpy(&want.sgpr[DATA], want.memory + place, 4 * inside);
        }
        sim_expect(inst, &got, &want, SIM_BITS, 1);
    }
}

static void loads_and_stores(void **unused)
{
    (void)unused;
    static const unsigned widths[] = {1, 2, 4, 8, 16};
    char source[8192] = "";
    for (unsigned pass = 0; pass < 2; pass++) {
        sim_code_t code = {0};
        const kiln_sim_inst_t *inst = NULL;
        if (pass == 1) {
            code = sim_assemble_code(source);
            inst = sim_inst_at(&code, 0);
        }
        for (unsigned i = 0; i < 3 * 2 * 5 * OFFSETS; i++) {
            const unsigned form = i % OFFSETS, dwords = widths[i / OFFSETS % 5],
                           store = i / OFFSETS / 5 % 2;
            const base_t base = (base_t)(i / OFFSETS / 10);
            if (dwords > 4 && (store || base == SCRATCH_BASE))
                continue;
            if (pass == 0) {
                char suffix[8] = "";
                if (dwords > 1)
                    snprintf(suffix, sizeof suffix, "x%u", dwords);
                snprintf(source + strlen(source), sizeof source - strlen(source),
                         "%s%s_dword%s %s, %s, %s\n", bases[base].prefix, store ? "store" : "load",
                         suffix, sim_registers('s', DATA, dwords), bases[base].registers,
                         offsets[form].text);
            } else {
                run_case(inst, NULL, base, form, dwords, store, false);
                inst = inst->next;
            }
        }
        if (pass == 1)
            sim_discard_code(&code);
    }
}

// Compare and swap: the new value, then the value to compare with.
static void swap_if_equal(uint8_t *p, uint32_t *r, const uint32_t *a, bool wide)
{
    const unsigned bytes = wide ? 8 : 4;
    memcpy(r, p, bytes);
    if (memcmp(p, a + bytes / 4, bytes) == 0)
        memcpy(p, a, bytes);
}
static void swap_if_equal_32(uint8_t *p, uint32_t *r, const uint32_t *a, bool flush)
{
    (void)flush;
    swap_if_equal(p, r, a, false);
}
static void swap_if_equal_64(uint8_t *p, uint32_t *r, const uint32_t *a, bool flush)
{
    (void)flush;
    swap_if_equal(p, r, a, true);
}
static const sim_memory_op_t swaps[] = {
    {"atomic_cmpswap", "", "", SIM_ATOMIC, SIM_BITS, 4, 2, swap_if_equal_32},
    {"atomic_cmpswap_x2", "", "", SIM_ATOMIC, SIM_BITS, 8, 4, swap_if_equal_64},
};

static const sim_memory_op_t *atomic(unsigned i)
{
    const sim_memory_op_t *op =
        i < SIM_MEMORY_OPS ? &sim_memory_ops[i] : &swaps[i - SIM_MEMORY_OPS];
    return op->kind == SIM_ATOMIC && op->type == SIM_BITS && op->vmem[0] ? op : NULL;
}

static void atomics(void **unused)
{
    (void)unused;
    static char source[1 << 15];
    for (unsigned pass = 0; pass < 2; pass++) {
        sim_code_t code = {0};
        const kiln_sim_inst_t *inst = NULL;
        if (pass == 1) {
            code = sim_assemble_code(source);
            inst = sim_inst_at(&code, 0);
        }
        for (unsigned i = 0; i < (SIM_MEMORY_OPS + 2) * 2 * 2; i++) {
            const sim_memory_op_t *op = atomic(i / 4);
            const base_t base = (base_t)(i / 2 % 2);
            const unsigned form = i % 4;
            const bool returns = i % 2;
            if (!op)
                continue;
            if (pass == 0) {
                snprintf(source + strlen(source), sizeof source - strlen(source),
                         "%s%s %s, %s, %s%s\n", bases[base].prefix, op->vmem,
                         sim_registers('s', DATA, op->dwords), bases[base].registers,
                         offsets[form].text, returns ? " glc" : "");
            } else {
                run_case(inst, op, base, form, op->bytes / 4, false, returns);
                inst = inst->next;
            }
        }
        if (pass == 1)
            sim_discard_code(&code);
    }
}

// Equal operands, which random ones almost never are.
static void compare_and_swap_meets_equal_values(void **unused)
{
    (void)unused;
    static sim_state_t got, want;
    sim_code_t code = sim_assemble_code("s_atomic_cmpswap s[40:41], s[4:5], 0x10 "
                                        "glc\ns_atomic_cmpswap_x2 s[40:43], s[4:5], 0x10\n");
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < 2; i++, inst = inst->next) {
        for (unsigned round = 0; round < 8; round++) {
            uint32_t place;
            sim_randomize(&want);
            choose_place(&want, ADDRESS, 0, 8, &place);
            memcpy(&want.sgpr[DATA + 1 + i], want.memory + place, 4 + 4 * i);
            got = want;
            sim_run(&got, inst);
            memcpy(want.memory + place, &want.sgpr[DATA], 4 + 4 * i);
            if (i == 0)
                want.sgpr[DATA] = want.sgpr[DATA + 1];
            sim_expect(inst, &got, &want, SIM_BITS, 1);
        }
    }
    sim_discard_code(&code);
}

static void a_base_may_be_its_own_destination(void **unused)
{
    (void)unused;
    static sim_state_t got, want;
    sim_code_t code = sim_assemble_code("s_load_dwordx4 s[4:7], s[4:5], s7 offset:-0x40\n");
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned round = 0; round < 8; round++) {
        sim_randomize(&want);
        const uint32_t place = 4 * below(1000), scalar = 4 * below(1 << 28);
        want.sgpr[7] = scalar;
        sim_set_s64(&want, BASE, (uint64_t)(uintptr_t)sim.device + place + 64 - scalar);
        got = want;
        sim_run(&got, inst);
        memcpy(&want.sgpr[BASE], want.memory + place, 16);
        sim_expect(inst, &got, &want, SIM_BITS, 1);
    }
    sim_discard_code(&code);
}

static void clocks_go_forward(void **unused)
{
    (void)unused;
    static sim_state_t state, before;
    sim_code_t code = sim_assemble_code("s_memtime s[40:41]\ns_memrealtime s[40:41]\n");
    const kiln_sim_inst_t *memtime = sim_inst_at(&code, 0), *realtime = memtime->next;
    uint64_t last = 0, last_real = 0;
    for (unsigned round = 0; round < 16; round++) {
        sim_randomize(&state);
        sim.wave->executed += below(1000);
        before = state;
        sim_run(&state, memtime);
        const uint64_t cycles = sim_s64(&state, DATA);
        assert_true(cycles > last && cycles >= 4 * sim.wave->executed);
        sim_set_s64(&before, DATA, cycles);
        sim_expect(memtime, &state, &before, SIM_BITS, 1);
        sim.wave->executed += 100;
        sim_run(&state, realtime);
        const uint64_t ticks = sim_s64(&state, DATA); // of 10 ns, at 2100 MHz
        assert_true(ticks > last_real && ticks * 21 + 20 >= cycles &&
                    ticks * 21 < cycles + 400 + 200);
        sim_set_s64(&before, DATA, ticks);
        sim_expect(realtime, &state, &before, SIM_BITS, 1);
        last = cycles;
        last_real = ticks;
    }
    sim_discard_code(&code);
}

static void cache_controls_change_nothing(void **unused)
{
    (void)unused;
    sim_expect_unchanged("s_dcache_inv\ns_dcache_inv_vol\ns_dcache_wb\ns_dcache_wb_vol\n"
                         "s_dcache_discard s[4:5], 0x40\ns_dcache_discard_x2 s[4:5], s8\n"
                         "s_atc_probe 1, s[4:5], 0x10\ns_atc_probe_buffer 2, s[20:23], s8\n",
                         8, 8);
}

static int run(const char *variant)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_and_stores),
        cmocka_unit_test(atomics),
        cmocka_unit_test(compare_and_swap_meets_equal_values),
        cmocka_unit_test(a_base_may_be_its_own_destination),
        cmocka_unit_test(clocks_go_forward),
        cmocka_unit_test(cache_controls_change_nothing),
    };
    return cmocka_run_group_tests_name(variant, tests, sim_open, sim_close);
}

int main(void)
{
    return sim_run_variants(run);
}
