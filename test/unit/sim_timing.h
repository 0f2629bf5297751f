// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compute unit of the clock that replays a few instructions, for tests that count its cycles by
// hand.
//
// Idea: one workgroup of some waves that all execute the same text from cycle 0 on. Its code is in
// the instruction cache. The test specifies the lines that its accesses touch, one entry for each
// instruction that accesses memory, in order.
//
// SIMD s issues in cycles s, s + 4, s + 8, …; with a single wave everything happens at multiples of
// ISSUE_CYCLES, and the end is the cycle in which s_endpgm is issued.
#ifndef KILN_TEST_SIM_TIMING_H
#define KILN_TEST_SIM_TIMING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decode/decode.h"
#include "decode/program.h"
#include "sim_assemble.h"
#include "timing/parameters.h"
#include "timing/unit.h"

#define P(name) ((uint64_t)KILN_TIMING_##name)

enum {
    TIMING_STEPS = 512,
    TIMING_LINE = 128,
    TIMING_GHZ = 2
}; // a clock at which ns are even numbers of cycles
static const double TIMING_GB_S = 5300;
static const unsigned TIMING_XCDS = 8;
static const uint64_t TIMING_IMAGE = 1 << 20; // device address of the code

// The lines that an instruction accesses: `count` lines from `first` on.
typedef struct timing_reach {
    uint64_t first;
    unsigned count;
    kiln_timing_access_t access;
} timing_reach_t;

// 64 lanes that load or store neighbouring elements of `lane_bytes` bytes.
static inline timing_reach_t timing_vector(uint64_t first, unsigned lane_bytes)
{
    const unsigned bytes = 64 * lane_bytes, halves = (bytes + 63) / 64;
    const uint16_t lookups = (uint16_t)(lane_bytes > 4 ? 16 : halves);
    return (timing_reach_t){first,
                            (bytes + TIMING_LINE - 1) / TIMING_LINE,
                            {.halves = (uint16_t)halves,
                             .lookups = lookups,
                             .least_lookups = lookups,
                             .bytes = (uint16_t)(bytes / 4),
                             .lane_bytes = (uint8_t)lane_bytes}};
}

static inline timing_reach_t timing_store(uint64_t first, unsigned lane_bytes)
{
    timing_reach_t reach = timing_vector(first, lane_bytes);
    reach.access.writes = true;
    return reach;
}

static inline timing_reach_t timing_lds(unsigned cycles, unsigned lane_bytes)
{
    return (timing_reach_t){
        0, 0, {.lds_cycles = (uint16_t)cycles, .bytes = (uint16_t)(16 * lane_bytes)}};
}

static inline timing_reach_t timing_scalar(uint64_t line)
{
    return (timing_reach_t){line, 1, {.scalar = true, .bytes = 1}};
}

static struct {
    kiln_timing_unit_t unit;
    kiln_timing_slot_t slot;
    kiln_timing_group_t group;
    kiln_timing_stream_t streams[KILN_TIMING_GROUP_WAVES];
    kiln_timing_op_t ops[TIMING_STEPS];
    uint64_t stalls[TIMING_STEPS][KILN_SIM_STALLS];
    uint64_t end;
    bool in_mall;   // where lines are that the L2 does not hold
    bool cold_code; // otherwise the instruction cache holds the text
} timing;

static inline kiln_timing_place_t timing_find(const kiln_timing_map_t *map, uint64_t line)
{
    (void)map;
    (void)line;
    return (kiln_timing_place_t){.in_mall = timing.in_mall, .sharers = 1};
}

static const kiln_timing_map_t timing_map = {timing_find};

static inline void timing_follow(void *user, const kiln_timing_wave_t *wave, uint64_t now,
                                 uint64_t missed, bool after)
{
    (void)user, (void)wave, (void)now, (void)missed, (void)after;
}

static inline void timing_ended(void *user, kiln_timing_slot_t *slot, uint64_t now)
{
    (void)user, (void)slot;
    timing.end = now;
}

static inline void timing_add(kiln_timing_stream_t *stream, const timing_reach_t *reach)
{
    kiln_timing_access_t *to = kiln_timing_stream_access(stream);
    assert_non_null(to);
    const uint32_t shape = to->shape;
    *to = reach->access;
    to->shape = shape;
    for (unsigned i = 0; i < reach->count; i++)
        assert_true(kiln_timing_stream_add(stream, to, reach->first + i));
}

// Replays the text, which takes no jumps, in this number of waves; returns the cycle in which the
// last one ends. The state of the caches is left in timing.unit until the next call.
static inline uint64_t timing_run(const char *text, unsigned waves, const timing_reach_t *reaches)
{
    size_t size;
    kiln_sim_error_t error = {0};
    uint8_t *code = sim_assemble(text, &size);
    const kiln_sim_range_t range = {0, size};
    kiln_sim_program_t *program =
        kiln_sim_program_create(code, &range, 1, kiln_sim_variant_find("generic"), &error);
    assert_non_null(program);
    assert_non_null(kiln_sim_program_at(program, 0, &error));
    for (unsigned w = 0; w < KILN_TIMING_GROUP_WAVES; w++)
        kiln_timing_stream_free(&timing.streams[w]);
    kiln_timing_unit_close(&timing.unit);
    timing.unit = (kiln_timing_unit_t){.ops = timing.ops,
                                       .stalls = timing.stalls,
                                       .image = TIMING_IMAGE,
                                       .map = &timing_map,
                                       .follow = timing_follow,
                                       .ended = timing_ended};
    memset(timing.stalls, 0, sizeof timing.stalls);
    assert_true(kiln_timing_unit_open(&timing.unit, KILN_GFX942_L2_BYTES, TIMING_GHZ, TIMING_GB_S,
                                      TIMING_XCDS));
    unsigned reach = 0;
    for (size_t i = 0; i < kiln_sim_program_count(program); i++) {
        const kiln_sim_inst_t *inst = kiln_sim_program_inst(program, i);
        assert_true(i < TIMING_STEPS);
        kiln_timing_op_make(&timing.ops[i], inst);
        for (unsigned w = 0; w < waves; w++)
            assert_true(kiln_timing_stream_step(&timing.streams[w], (uint32_t)i));
        if (kiln_timing_is_access(&timing.ops[i])) {
            for (unsigned w = 0; w < waves; w++)
                timing_add(&timing.streams[w], &reaches[reach]);
            reach++;
        }
        if (!timing.cold_code) {
            kiln_timing_scalar_warm(&timing.unit.scalar, TIMING_IMAGE + inst->address);
            kiln_timing_scalar_warm(&timing.unit.scalar,
                                    TIMING_IMAGE + inst->address + inst->size - 1);
        }
    }
    timing.group = (kiln_timing_group_t){.wave_count = waves, .waves = timing.streams};
    timing.slot = (kiln_timing_slot_t){.group = &timing.group};
    timing.end = UINT64_MAX;
    kiln_timing_unit_start(&timing.unit, &timing.slot, 0);
    assert_true(kiln_timing_unit_run(&timing.unit));
    kiln_sim_program_destroy(program);
    free(code);
    return timing.end;
}

// Stall cycles of all waves for a reason at instruction `number`.
static inline uint64_t timing_stall(unsigned number, kiln_sim_stall_t reason)
{
    return timing.stalls[number][reason];
}

// The next visit of SIMD 0.
static inline uint64_t timing_visit(uint64_t cycle)
{
    return (cycle + P(ISSUE_CYCLES) - 1) / P(ISSUE_CYCLES) * P(ISSUE_CYCLES);
}

#endif
