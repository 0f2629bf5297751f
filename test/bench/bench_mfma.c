// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator's cost of one matrix instruction: ./dev bench mfma [MNEMONIC-PART]
//
// Each row of base/gfx942.def in the exact and the fast mode, as compiled for KILN_SIM_VARIANT
// (default: the best that the host supports), in the order of a kernel's inner loop: 4 x 4 (32 x 32
// shapes: 2 x 2) tiles of D, 16 steps along k. Times are this thread's CPU time, the best of
// several runs, so that a busy machine matters little. Operands are rewritten to the same registers
// at every step, because the simulator caches what it derives from them.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exec/mfma.h"

enum { ROUNDS = 12, STEPS = 16, TILE = 4, ROW = 4 * KILN_GFX942_LANES };

static const struct {
    const char *name;
    kiln_mfma_shape_t shape;
} INSTRUCTIONS[] = {
#define GFX942_MFMA(name, n, k, blocks, a, b, d, passes)                                           \
    {#name, {n, k, blocks, KILN_MFMA_##a, KILN_MFMA_##b, 0}},
#define GFX942_SMFMAC(name, n, k, blocks, a, b, d, passes)                                         \
    {#name, {n, k, blocks, KILN_MFMA_##a, KILN_MFMA_##b, 1}},
#include "base/gfx942.def"
};

static kiln_mfma_execute_fn *choose(const char **name)
{
    const char *const requested = getenv("KILN_SIM_VARIANT");
    kiln_mfma_execute_fn *found = kiln_mfma_execute_generic;
    *name = "generic";
#ifdef __x86_64__
    __builtin_cpu_init();
    const bool generic = requested && strcmp(requested, "generic") == 0,
               avx2 = requested && strcmp(requested, "avx2") == 0;
    if (!generic && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        found = kiln_mfma_execute_avx2;
        *name = "avx2";
    }
    if (!generic && !avx2 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        found = kiln_mfma_execute_avx512;
        *name = "avx512";
    }
#endif
    return found;
}

// Elements between -1 and 1 that use all their significand bits, in register rows.
static void fill(uint32_t *registers, unsigned count, unsigned type, unsigned seed)
{
    for (unsigned i = 0; i < count; i++) {
        const uint32_t random = (seed + i) * 2654435761u ^ (seed + i) * 40503u << 7;
        const float value = (float)(int32_t)random / 2147483648.0f;
        const _Float16 low = (_Float16)value, high = (_Float16)(0.7f - value * 0.3f);
        uint16_t halves[2];
        uint32_t bits;
        double wide = (double)value;
        memcpy(halves, &low, 2);
        memcpy(halves + 1, &high, 2);
        memcpy(&bits, &value, 4);
        switch (type) {
        case KILN_MFMA_F16:
            registers[i] = (uint32_t)halves[1] << 16 | halves[0];
            break;
        case KILN_MFMA_F64:
            memcpy(&bits, (char *)&wide + (i / 64 % 2) * 4, 4);
            registers[i] = bits;
            break;
        case KILN_MFMA_FP8:
        case KILN_MFMA_BF8: // exponents in the upper half of their range
            registers[i] = random | (type == KILN_MFMA_FP8 ? 0x20202020u : 0x40404040u);
            break;
        case KILN_MFMA_BF16:
            registers[i] = (bits & 0xffff0000u) | (bits * 3 >> 16 & 0x80ff) | 0x3f00;
            break;
        case KILN_MFMA_I8:
            registers[i] = random;
            break;
        default:
            registers[i] = bits;
        }
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Seconds per instruction.
static double measure(kiln_mfma_execute_fn *execute, const kiln_mfma_shape_t *shape,
                      kiln_mfma_mode_t mode)
{
    static uint32_t memory[STEPS][2][TILE][ROW], index[KILN_GFX942_LANES];
    alignas(64) static uint32_t
        registers[KILN_SIM_VGPR_ROWS * KILN_GFX942_LANES]; // D, A, B, one after the other
    const unsigned tile = shape->n == 32 ? 2 : TILE;
    const size_t size_a = (size_t)kiln_mfma_registers(shape, shape->a) * KILN_GFX942_LANES;
    const size_t size_b = (size_t)kiln_mfma_registers(shape, shape->b) * KILN_GFX942_LANES;
    const size_t size_d =
        (size_t)shape->n * shape->n * shape->blocks * (shape->a == KILN_MFMA_F64 ? 2 : 1);
    uint32_t *const a = registers + tile * tile * size_d, *const b = a + tile * size_a;
    for (unsigned step = 0; step < STEPS; step++)
        for (unsigned i = 0; i < TILE; i++) {
            fill(memory[step][0][i], ROW, shape->a, step * 100 + i + 1);
            fill(memory[step][1][i], ROW, shape->b, step * 100 + i + 4711);
        }
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
        index[lane] = 0x4c8d9e44u;
    const kiln_mfma_options_t options = {.mode = mode, .index = index};
    double best = 1;
    for (unsigned round = 0; round < ROUNDS; round++) {
        memset(registers, 0, tile * tile * size_d * sizeof *registers);
        const double start = now();
        for (unsigned step = 0; step < STEPS; step++) {
            for (unsigned i = 0; i < tile; i++) {
                memcpy(a + i * size_a, memory[step][0][i], size_a * sizeof *a);
                memcpy(b + i * size_b, memory[step][1][i], size_b * sizeof *b);
            }
            for (unsigned i = 0; i < tile; i++)
                for (unsigned j = 0; j < tile; j++)
                    execute(shape, &options, a + i * size_a, b + j * size_b,
                            registers + (i * tile + j) * size_d);
        }
        const double each = (now() - start) / (STEPS * tile * tile);
        best = each < best ? each : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    const char *const part = argc > 1 ? argv[1] : "", *variant;
    kiln_mfma_execute_fn *const execute = choose(&variant);
    printf("one matrix instruction on the simulator, %s build; CPU time, best of %d\n", variant,
           ROUNDS);
    printf("  %-34s %12s %12s %12s %12s\n", "", "exact ns", "GFLOP/s", "fast ns", "GFLOP/s");
    for (size_t i = 0; i < sizeof INSTRUCTIONS / sizeof *INSTRUCTIONS; i++) {
        const kiln_mfma_shape_t *const shape = &INSTRUCTIONS[i].shape;
        if (!strstr(INSTRUCTIONS[i].name, part))
            continue;
        const double flops =
            2.0 * shape->n * shape->n * shape->k * shape->blocks; // dense operations for SMFMAC
        const double exact = measure(execute, shape, KILN_MFMA_EXACT),
                     fast = measure(execute, shape, KILN_MFMA_FAST);
        printf("  %-34s %12.0f %12.1f %12.0f %12.1f\n", INSTRUCTIONS[i].name, exact * 1e9,
               flops / exact * 1e-9, fast * 1e9, flops / fast * 1e-9);
    }
    return 0;
}
