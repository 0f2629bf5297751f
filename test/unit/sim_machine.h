// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One wave, its workgroup and some device memory, for tests that run single instructions on a state
// of their choice.
//
// Idea: a sim_state_t holds everything that an instruction may read or write. A test creates one,
// executes the instruction on it (sim_run), lets its own model change a copy, and compares the two
// completely (sim_expect), including the parts that must not change.
//
// Device memory, which also holds the code, starts at the same address in every process
// (memory/memory.c), so states do not differ between builds. A test has a single machine at a time.
#ifndef KILN_TEST_SIM_MACHINE_H
#define KILN_TEST_SIM_MACHINE_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "run/launch.h"
#include "sim_assemble.h"
#include "sim_reference.h"
#include "sim_variants.h"
#include "sim_vectors.h"

enum { SIM_MEMORY = 8192, SIM_LDS = 4096, SIM_SCRATCH = 64 }; // bytes; scratch: of a lane

typedef struct sim_state {
    uint32_t vgpr[KILN_SIM_VGPR_ROWS][KILN_GFX942_LANES];
    uint32_t sgpr[KILN_SIM_SGPR_COUNT];
    uint32_t scc, mode;
    uint8_t memory[SIM_MEMORY];
    uint8_t lds[SIM_LDS];
    uint8_t scratch[KILN_GFX942_LANES * SIM_SCRATCH];
} sim_state_t;

static struct {
    kiln_sim_wave_t *wave;
    kiln_sim_workgroup_t group;
    kiln_sim_thread_t thread;
    kiln_sim_launch_t launch;
    kiln_sim_kernel_t kernel;
    kiln_sim_dispatch_t dispatch;
    kiln_sim_machine_t *machine;
    uint8_t *device; // SIM_MEMORY bytes
} sim;

static uint64_t sim_seed = 0x853c49e6748fea9bull;

static inline int sim_open(void **state)
{
    (void)state;
    kiln_sim_error_t error = {0};
    const kiln_sim_setting_t setting = {"variant", sim_variant};
    if (!kiln_sim_machine_create(&setting, 1, &sim.machine, &error))
        return 1;
    sim.device = kiln_sim_machine_allocate(sim.machine, SIM_MEMORY, &error);
    sim.wave = aligned_alloc(64, sizeof *sim.wave);
    sim.group.lds = aligned_alloc(64, SIM_LDS);
    if (!sim.device || !sim.wave || !sim.group.lds)
        return 1;
    memset(sim.wave, 0, sizeof *sim.wave);
    sim.group.lds_size = SIM_LDS;
    sim.group.wave_count = 1;
    sim.kernel.name = (char *)(uintptr_t)"test";
    sim.launch.machine = sim.machine;
    sim.launch.memory = &sim.machine->memory;
    sim.launch.kernel = &sim.kernel;
    sim.launch.dispatch = &sim.dispatch;
    sim.launch.options = &sim.machine->setup.options;
    sim.thread.launch = &sim.launch;
    sim.wave->group = &sim.group;
    sim.wave->thread = &sim.thread;
    sim.wave->scratch_size = SIM_SCRATCH;
    sim.wave->scratch = malloc(KILN_GFX942_LANES * SIM_SCRATCH);
    return sim.wave->scratch ? 0 : 1;
}

static inline int sim_close(void **state)
{
    (void)state;
    kiln_sim_thread_free(&sim.thread);
    free(sim.wave->scratch);
    free(sim.group.lds);
    free(sim.wave);
    kiln_sim_machine_destroy(sim.machine);
    return 0;
}

// ---- code

typedef struct sim_code {
    void *bytes;
    size_t size;
    kiln_sim_program_t *program;
} sim_code_t;

static inline sim_code_t sim_assemble_code(const char *source)
{
    sim_code_t code = {0};
    kiln_sim_error_t error = {0};
    void *text = sim_assemble(source, &code.size);
    code.bytes =
        kiln_sim_memory_allocate(&sim.machine->memory, code.size, KILN_SIM_MEMORY_CODE, 0, &error);
    if (!code.bytes)
        fail_msg("%s", error.text);
    memcpy(code.bytes, text, code.size);
    free(text);
    const kiln_sim_range_t range = {0, code.size};
    code.program =
        kiln_sim_program_create(code.bytes, &range, 1, kiln_sim_variant_find(sim_variant), &error);
    if (!code.program)
        fail_msg("%s", error.text);
    sim.launch.program = code.program;
    sim.launch.image = sim.thread.image = (uint64_t)(uintptr_t)code.bytes;
    return code;
}

static inline void sim_discard_code(sim_code_t *code)
{
    kiln_sim_error_t error = {0};
    kiln_sim_program_destroy(code->program);
    kiln_sim_memory_free(&sim.machine->memory, code->bytes, &error);
}

// The instruction at an offset; the simulator must support all code that is reachable from it.
static inline const kiln_sim_inst_t *sim_inst_at(const sim_code_t *code, uint64_t address)
{
    kiln_sim_error_t error = {0};
    const kiln_sim_inst_t *inst = kiln_sim_program_at(code->program, address, &error);
    if (!inst)
        fail_msg("%s", error.text);
    if (!kiln_sim_thread_reserve(&sim.thread, kiln_sim_program_count(code->program)))
        fail_msg("out of memory");
    return inst;
}

static inline const char *sim_text(const kiln_sim_inst_t *inst)
{
    static char text[256];
    kiln_sim_program_print(sim.launch.program, inst, text, sizeof text);
    return text;
}

// "v8", "a[8:9]": registers as the assembler writes them. The text lasts for a few calls.
static inline const char *sim_registers(char bank, unsigned reg, unsigned dwords)
{
    static char texts[4][32];
    static unsigned next;
    char *const text = texts[next++ % 4];
    if (dwords == 1)
        snprintf(text, sizeof texts[0], "%c%u", bank, reg);
    else
        snprintf(text, sizeof texts[0], "%c[%u:%u]", bank, reg, reg + dwords - 1);
    return text;
}

// The row of a register in sim_state_t.vgpr.
static inline unsigned sim_row(char bank, unsigned reg)
{
    return (bank == 'a' ? KILN_SIM_ACC_ROW : 0) + reg;
}

// ---- states

static inline void sim_fill(void *bytes, size_t size)
{
    for (size_t i = 0; i + 8 <= size; i += 8) {
        const uint64_t value = reference_random(&sim_seed);
        memcpy((uint8_t *)bytes + i, &value, 8);
    }
}

// Everything random, but EXEC full and MODE the default one. Rows above v63 and a63 are filled once
// only.
static inline void sim_randomize(sim_state_t *state)
{
    static bool filled;
    static uint32_t rest[KILN_SIM_VGPR_ROWS][KILN_GFX942_LANES];
    if (!filled)
        sim_fill(rest, sizeof rest);
    filled = true;
    memcpy(state->vgpr, rest, sizeof rest);
    sim_fill(state->vgpr, sizeof state->vgpr[0] * 24);
    sim_fill(state->vgpr[KILN_SIM_ACC_ROW], sizeof state->vgpr[0] * 24);
    sim_fill(state->sgpr, sizeof state->sgpr);
    memset(&state->sgpr[KILN_SIM_SGPR_TTMP0], 0, 16 * 4);
    sim_fill(state->memory, sizeof state->memory);
    sim_fill(state->lds, sizeof state->lds);
    sim_fill(state->scratch, sizeof state->scratch);
    state->scc = reference_random(&sim_seed) >> 40 & 1;
    state->mode = 0xf0;
    state->sgpr[KILN_SIM_SGPR_EXEC] = state->sgpr[KILN_SIM_SGPR_EXEC + 1] = UINT32_MAX;
}

static inline uint64_t sim_s64(const sim_state_t *state, unsigned reg)
{
    return (uint64_t)state->sgpr[reg + 1] << 32 | state->sgpr[reg];
}

static inline void sim_set_s64(sim_state_t *state, unsigned reg, uint64_t value)
{
    state->sgpr[reg] = (uint32_t)value;
    state->sgpr[reg + 1] = (uint32_t)(value >> 32);
}

static inline uint64_t sim_exec(const sim_state_t *state)
{
    return sim_s64(state, KILN_SIM_SGPR_EXEC);
}

// Sets EXEC in turn to empty, full, one lane, and random.
static inline void sim_choose_exec(sim_state_t *state, unsigned round)
{
    const uint64_t random = reference_random(&sim_seed);
    const uint64_t exec = round % 6 == 0   ? UINT64_MAX
                          : round % 6 == 3 ? 0
                          : round % 6 == 4 ? 1ull << (random >> 58)
                                           : random;
    sim_set_s64(state, KILN_SIM_SGPR_EXEC, exec);
}

// ---- running and comparing

// Runs one instruction on the state. Afterwards sim.wave->stop and ->next show how it continues.
static inline void sim_run(sim_state_t *state, const kiln_sim_inst_t *inst)
{
    kiln_sim_wave_t *wave = sim.wave;
    memcpy(wave->vgpr, state->vgpr, sizeof wave->vgpr);
    memcpy(wave->sgpr, state->sgpr, sizeof wave->sgpr);
    wave->scc = state->scc;
    wave->mode = state->mode;
    memcpy(sim.device, state->memory, SIM_MEMORY);
    memcpy(sim.group.lds, state->lds, SIM_LDS);
    memcpy(wave->scratch, state->scratch, sizeof state->scratch);
    wave->stop = KILN_SIM_STOP_NONE;
    wave->resume = NULL;
    wave->next = inst->next;
    sim.launch.failed = 0;
    sim.launch.error = (kiln_sim_error_t){0};
    inst->run(wave, inst);
    memcpy(state->vgpr, wave->vgpr, sizeof wave->vgpr);
    memcpy(state->sgpr, wave->sgpr, sizeof wave->sgpr);
    state->scc = wave->scc;
    state->mode = wave->mode;
    memcpy(state->memory, sim.device, SIM_MEMORY);
    memcpy(state->lds, sim.group.lds, SIM_LDS);
    memcpy(state->scratch, wave->scratch, sizeof state->scratch);
    sim_observe(state->vgpr, sizeof state->vgpr[0] * 24);
    sim_observe(state->memory, sizeof state->memory);
    sim_observe(state->lds, sizeof state->lds);
    sim_observe(state->scratch, sizeof state->scratch);
    sim_observe(state->sgpr, sizeof(uint32_t) * KILN_SIM_SGPR_SINK);
}

// The type whose NaNs count as equal to each other if a result may be one.
typedef enum sim_nan { SIM_BITS, SIM_F32, SIM_F64, SIM_F16, SIM_BF16 } sim_nan_t;

static inline bool sim_is_nan(uint64_t bits, sim_nan_t kind)
{
    switch (kind) {
    case SIM_F32:
        return isnan(reference_as_f32((uint32_t)bits));
    case SIM_F64:
        return isnan(reference_as_f64(bits));
    case SIM_F16:
        return (bits & 0x7fff) > 0x7c00;
    case SIM_BF16:
        return (bits & 0x7fff) > 0x7f80;
    default:
        return false;
    }
}

static inline bool sim_equal(uint64_t got, uint64_t want, sim_nan_t kind)
{
    const unsigned bits = kind == SIM_F16 || kind == SIM_BF16 ? 16 : kind == SIM_F32 ? 32 : 64;
    for (unsigned at = 0; at < 64 && got != want; at += bits) {
        const uint64_t mask = bits == 64 ? UINT64_MAX : (1ull << bits) - 1, x = got >> at & mask,
                       y = want >> at & mask;
        if (x != y && !(sim_is_nan(x, kind) && sim_is_nan(y, kind)))
            return false;
    }
    return true;
}

static inline void sim_expect_bytes(const kiln_sim_inst_t *inst, const char *where,
                                    const uint8_t *got, const uint8_t *want, size_t size,
                                    sim_nan_t kind)
{
    if (memcmp(got, want, size) == 0)
        return;
    for (size_t at = 0; at < size; at += 8) {
        uint64_t x, y;
        memcpy(&x, got + at, 8);
        memcpy(&y, want + at, 8);
        if (!sim_equal(x, y, kind))
            fail_msg("%s: %s byte 0x%zx is %016" PRIx64 ", not %016" PRIx64, sim_text(inst), where,
                     at, x, y);
    }
}

// Compares two states completely, and counts `vectors` for the instruction.
static inline void sim_expect(const kiln_sim_inst_t *inst, const sim_state_t *got,
                              const sim_state_t *want, sim_nan_t kind, uint64_t vectors)
{
    if (sim.launch.failed)
        fail_msg("%s: %s", sim_text(inst), sim.launch.error.text);
    for (unsigned row = 0; row < KILN_SIM_VGPR_ROWS; row++) {
        if (memcmp(got->vgpr[row], want->vgpr[row], sizeof got->vgpr[row]) == 0)
            continue;
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
            uint64_t x = got->vgpr[row][lane], y = want->vgpr[row][lane];
            if (kind == SIM_F64) { // the high dword determines whether it is a NaN
                const unsigned low = row & ~1u;
                x = (uint64_t)got->vgpr[low + 1][lane] << 32 | got->vgpr[low][lane];
                y = (uint64_t)want->vgpr[low + 1][lane] << 32 | want->vgpr[low][lane];
            }
            if (!sim_equal(x, y, kind))
                fail_msg("%s: %c%u of lane %u (exec %016" PRIx64 ") is %" PRIx64 ", not %" PRIx64,
                         sim_text(inst), row < KILN_SIM_ACC_ROW ? 'v' : 'a', row % KILN_SIM_ACC_ROW,
                         lane, sim_exec(want), x, y);
        }
    }
    for (unsigned reg = 0; reg < KILN_SIM_SGPR_SINK; reg++) {
        if (got->sgpr[reg] != want->sgpr[reg])
            fail_msg("%s: scalar register %u is %08x, not %08x", sim_text(inst), reg,
                     got->sgpr[reg], want->sgpr[reg]);
    }
    if (got->scc != want->scc || got->mode != want->mode)
        fail_msg("%s: SCC %u and MODE %08x, not %u and %08x", sim_text(inst), got->scc, got->mode,
                 want->scc, want->mode);
    sim_expect_bytes(inst, "memory", got->memory, want->memory, sizeof got->memory, kind);
    sim_expect_bytes(inst, "LDS", got->lds, want->lds, sizeof got->lds, kind);
    sim_expect_bytes(inst, "scratch", got->scratch, want->scratch, sizeof got->scratch, kind);
    sim_vectors_add(inst->row->name, vectors);
}

// Runs the source's first `count` instructions on random states, of which they change nothing.
static inline void sim_expect_unchanged(const char *source, unsigned count, unsigned rounds)
{
    static sim_state_t got, want;
    sim_code_t code = sim_assemble_code(source);
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < count; i++, inst = inst->next) {
        for (unsigned round = 0; round < rounds; round++) {
            sim_randomize(&want);
            sim_choose_exec(&want, round);
            got = want;
            sim_run(&got, inst);
            sim_expect(inst, &got, &want, SIM_BITS, 1);
        }
    }
    sim_discard_code(&code);
}

#endif
