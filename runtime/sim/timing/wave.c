// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes when a replayed wave's next instruction can issue (timing/wave.h).
#include "timing/wave.h"

#include <string.h>

void kiln_timing_wave_begin(kiln_timing_wave_t *wave, const kiln_timing_stream_t *stream,
                            uint64_t now)
{
    memset(wave, 0, sizeof *wave);
    wave->stream = stream;
    wave->free_at = wave->issued = now;
    wave->jumps = true;
}

// ---- counters

// Drops completed operations.
static void settle(kiln_timing_counter_t *counter, uint64_t now)
{
    unsigned left = 0;
    for (unsigned i = 0; i < counter->count; i++) {
        if (counter->done[i] <= now)
            continue;
        counter->op[left] = counter->op[i];
        counter->done[left++] = counter->done[i];
    }
    counter->count = left;
}

// With `in_order`, an operation does not complete before earlier ones. Scalar loads may overtake.
static void add(kiln_timing_counter_t *counter, uint32_t op, uint64_t done, bool in_order)
{
    if (counter->count == KILN_TIMING_MAX_VM) {
        memmove(counter->done, counter->done + 1, --counter->count * sizeof *counter->done);
        memmove(counter->op, counter->op + 1, counter->count * sizeof *counter->op);
    }
    unsigned at = counter->count;
    if (in_order && at && counter->done[at - 1] > done) {
        done = counter->done[at - 1];
        op = counter->op[at - 1];
    }
    for (; at && counter->done[at - 1] > done; at--) {
        counter->done[at] = counter->done[at - 1];
        counter->op[at] = counter->op[at - 1];
    }
    counter->done[at] = done;
    counter->op[at] = op;
    counter->count++;
}

void kiln_timing_wave_count(kiln_timing_wave_t *wave, const kiln_timing_op_t *op, uint64_t done)
{
    if (op->queue == KILN_SIM_QUEUE_VM || op->queue == KILN_SIM_QUEUE_FLAT)
        add(&wave->vm, op->index, done, true);
    if (op->queue == KILN_SIM_QUEUE_LDS || op->queue == KILN_SIM_QUEUE_SMEM ||
        op->queue == KILN_SIM_QUEUE_FLAT)
        add(&wave->lgkm, op->index, done, op->queue == KILN_SIM_QUEUE_LDS);
}

// ---- registers

void kiln_timing_wave_write(kiln_timing_wave_t *wave, const kiln_timing_op_t *op, uint64_t at)
{
    const uint64_t scalar_at = at + (op->port == KILN_TIMING_VALU ? KILN_TIMING_VALU_TO_SCALAR : 0);
    for (unsigned i = 0; i < op->footprint->count; i++) {
        const kiln_sim_registers_t *span = &op->footprint->spans[i];
        for (unsigned r = 0; span->role & KILN_SIM_WRITES && r < span->count; r++) {
            wave->registers[span->first + r] = at;
            if (span->first >= KILN_SIM_FIRST_SGPR)
                wave->scalars[span->first - KILN_SIM_FIRST_SGPR + r] = scalar_at;
        }
    }
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t registers_ready(const kiln_timing_wave_t *wave, const kiln_timing_op_t *op)
{
    uint64_t at = 0;
    for (unsigned i = 0; i < op->footprint->count; i++) {
        const kiln_sim_registers_t *span = &op->footprint->spans[i];
        for (unsigned r = 0; r < span->count; r++)
            at = later(at, wave->registers[span->first + r]);
        if (op->port != KILN_TIMING_SCALAR || span->first < KILN_SIM_FIRST_SGPR ||
            !(span->role & KILN_SIM_READS))
            continue;
        for (unsigned r = 0; r < span->count; r++)
            at = later(at, wave->scalars[span->first - KILN_SIM_FIRST_SGPR + r]);
    }
    return at;
}

// ---- the next instruction

static void delay(kiln_timing_wave_t *wave, uint64_t until_cycle, kiln_sim_stall_t reason)
{
    if (until_cycle > wave->ready) {
        wave->ready = until_cycle;
        wave->reason = reason;
    }
}

// Waits until at most `limit` operations are outstanding. The operations are in ascending order.
static void await(kiln_timing_wave_t *wave, const kiln_timing_counter_t *counter, unsigned limit,
                  kiln_sim_stall_t reason)
{
    if (counter->count <= limit)
        return;
    const unsigned last = counter->count - limit - 1;
    if (counter->done[last] > wave->ready)
        wave->awaited = counter->op[last];
    delay(wave, counter->done[last], reason);
}

void kiln_timing_wave_prepare(kiln_timing_wave_t *wave, const kiln_timing_op_t *op, uint64_t image,
                              kiln_timing_scalar_t *scalar, const kiln_timing_map_t *map)
{
    wave->ready = wave->free_at;
    wave->reason = KILN_SIM_STALL_ISSUE;
    if (wave->jumps)
        kiln_timing_fetch_jump(&wave->fetch, scalar, wave->issued, wave->free_at,
                               image + op->address, map);
    wave->jumps = false;
    const uint64_t fetched = kiln_timing_fetch_next(&wave->fetch, scalar, wave->issued,
                                                    image + op->address, op->size, map);
    if (!(op->without & KILN_SIM_WITHOUT_FETCH))
        delay(wave, fetched, KILN_SIM_STALL_FETCH);
    if (op->act == KILN_TIMING_WAITS) {
        settle(&wave->vm, wave->free_at);
        settle(&wave->lgkm, wave->free_at);
        await(wave, &wave->vm, op->vm, KILN_SIM_STALL_VMCNT);
        await(wave, &wave->lgkm, op->lgkm, KILN_SIM_STALL_LGKMCNT);
    } else if (op->act == KILN_TIMING_ENDS) { // s_endpgm waits for all counters (ISA guide)
        await(wave, &wave->vm, 0, KILN_SIM_STALL_VMCNT);
        await(wave, &wave->lgkm, 0, KILN_SIM_STALL_LGKMCNT);
    } else {
        delay(wave, registers_ready(wave, op), KILN_SIM_STALL_DEPENDENCY);
    }
}
