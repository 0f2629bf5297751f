// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See step_pace.h.
#include "passes/steps/step_pace.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/dot_chain.h"
#include "analysis/machine/co_residency.h"
#include "analysis/machine/dot_measure.h"
#include "analysis/machine/loop_registers.h"
#include "analysis/machine/register_fit.h"
#include "analysis/machine/step_cycles.h"
#include "analysis/memory/effects.h"
#include "base/array.h"
#include "base/gfx942.h"
#include "builder/op_facts.h"
#include "passes/pipelining/schedule.h"
#include "passes/rewrite/sched_barrier.h"

// What a wave does: cycles of its units.
typedef struct work {
    int64_t matrix, vector, memory; // memory: LDS, with an access of each SIMD, and the L1
    int64_t length;                 // from its begin to its end, if the wave is alone
} work_t;

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t busiest(const work_t *work)
{
    return most(most(work->matrix, work->vector), work->memory);
}

static void add_work(work_t *io, const work_t *more)
{
    io->matrix += more->matrix;
    io->vector += more->vector;
    io->memory += more->memory;
    io->length += more->length;
}

// What lies before an item of a step.
typedef struct border {
    bool has_fence, has_barrier;
} border_t;

static bool is_border(border_t border)
{
    return border.has_fence || border.has_barrier;
}

// The step as a list ------------------------------------------------------------------------------

typedef struct step {
    const kiln_step_kernel_t *kernel;
    const kiln_step_schedule_t *schedule;
    kiln_step_item_t *items;
    int count;
    border_t *borders; // before each item, and at the end of the step
    work_t *parts;     // between barriers
    int part_count, barriers;
} step_t;

static const kiln_step_op_t *op_of(const step_t *step, int item)
{
    return &step->schedule->ops[step->items[item].op];
}

static int cluster_of(const step_t *step, int item)
{
    return op_of(step, item)->cluster[step->items[item].slice];
}

// Cycles of the L1 for what a wave of each SIMD loads.
static int64_t load_cycles(MlirOperation op, int waves)
{
    const int64_t bytes = kiln_op_loads_tensor(op)
                              ? INT64_C(4) * kiln_value_registers(kiln_op_result(op, 0), waves)
                              : 0;
    return bytes * KILN_GFX942_LANES * KILN_GFX942_SIMDS / KILN_GFX942_L1_CYCLE_BYTES;
}

// Barriers ----------------------------------------------------------------------------------------

typedef struct hazards {
    const step_t *step;
    kiln_access_t *list; // of LDS, since the last barrier
    int count;
    size_t capacity;
    bool found, out_of_memory;
} hazards_t;

static MlirWalkResult find_hazard(MlirOperation op, void *user)
{
    hazards_t *h = user;
    const kiln_access_t access = kiln_op_access(op);
    if (!(access.effects & (KILN_READS_LDS | KILN_WRITES_LDS)))
        return MlirWalkResultAdvance;
    for (int i = 0; i < h->count; i++)
        h->found |= kiln_accesses_conflict(&h->list[i], &access);
    return MlirWalkResultAdvance;
}

static MlirWalkResult keep_access(MlirOperation op, void *user)
{
    hazards_t *h = user;
    const kiln_access_t access = kiln_op_access(op);
    if (!(access.effects & (KILN_READS_LDS | KILN_WRITES_LDS)))
        return MlirWalkResultAdvance;
    if (!KILN_ARRAY_RESERVE(&h->list, &h->capacity, (size_t)h->count + 1)) {
        h->out_of_memory = true;
        return MlirWalkResultInterrupt;
    }
    h->list[h->count++] = access;
    return MlirWalkResultAdvance;
}

// Whether place_barriers puts a barrier before the item.
static bool needs_barrier(hazards_t *io, int item)
{
    MlirOperation op = op_of(io->step, item)->op;
    io->found = false;
    kiln_walk(op, MlirWalkPreOrder, find_hazard, io);
    if (io->found)
        io->count = 0;
    kiln_walk(op, MlirWalkPreOrder, keep_access, io);
    return io->found;
}

// What lies before an item, or at the end of the step.
static border_t border_of_clusters(const step_t *step, int from, int to)
{
    border_t border = {false, false};
    for (int c = from + 1; c <= to; c++) {
        const kiln_step_cluster_t *cluster = &step->schedule->clusters[c];
        border.has_barrier |= cluster->has_barrier;
        border.has_fence |= cluster->may_cross != KILN_NO_FENCE;
    }
    return border;
}

static kiln_status_t find_borders(step_t *io)
{
    enum { STEPS = 2 }; // in the second one, barriers repeat
    hazards_t hazards = {.step = io};
    for (int s = 0; s < STEPS; s++)
        for (int i = 0, cluster = 0; i <= io->count; i++) {
            const bool is_end = i == io->count;
            const int next = is_end ? io->schedule->cluster_count - 1 : cluster_of(io, i);
            border_t *own = &io->borders[i];
            *own = border_of_clusters(io, cluster, next);
            cluster = next;
            if (own->has_barrier)
                hazards.count = 0;
            if (!is_end && io->kernel->waves > 1)
                own->has_barrier |= needs_barrier(&hazards, i);
        }
    free(hazards.list);
    return hazards.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}

// Sections and parts ------------------------------------------------------------------------------

// Where an operation lies in its section.
typedef enum place { BEFORE_DOT, BESIDE_DOT, AFTER_DOT } place_t;

// What lies in a section, in cycles.
typedef struct section {
    int64_t reads, results; // of the operands of its dots; arithmetic with what they compute
    int64_t matrix, vector, lds, loads, waits;
} section_t;

static void add_item(const step_t *step, int item, place_t place, section_t *io)
{
    const kiln_step_op_t *op = op_of(step, item);
    const kiln_step_cycles_t cycles = kiln_op_cycles(op->op, step->kernel->waves);
    io->matrix += cycles.matrix / op->slices;
    *(place == AFTER_DOT ? &io->results : &io->vector) += cycles.vector / op->slices;
    *(place == BEFORE_DOT ? &io->reads : &io->lds) += cycles.lds / op->slices;
    io->loads += load_cycles(op->op, step->kernel->waves);
    io->waits += cycles.waits;
}

// Whether the item reads an operand of a dot before the next border.
static bool is_read_ahead(const step_t *step, int item)
{
    int operand;
    MlirOperation dot = kiln_step_dot_of_read(op_of(step, item)->op, &operand);
    if (mlirOperationIsNull(dot))
        return false;
    for (int i = item + 1; i < step->count && !is_border(step->borders[i]); i++)
        if (mlirOperationEqual(op_of(step, i)->op, dot) &&
            step->items[i].slice == step->items[item].slice)
            return true;
    return false;
}

typedef struct results {
    const step_t *step;
    bool *are_known; // of each operation: whether it is computed from a dot of the section
    bool found;
} results_t;

static bool look_for_result(MlirValue operand, void *user)
{
    results_t *results = user;
    const int from = mlirValueIsABlockArgument(operand)
                         ? -1
                         : kiln_step_find(results->step->schedule, mlirOpResultGetOwner(operand));
    results->found |= from >= 0 && results->are_known[from];
    return !results->found;
}

static place_t place_of(results_t *io, int item)
{
    MlirOperation op = op_of(io->step, item)->op;
    io->found = false;
    kiln_visit_operands(op, look_for_result, io);
    io->are_known[io->step->items[item].op] = io->found || kiln_has_dot(op);
    return io->found && !kiln_has_dot(op)  ? AFTER_DOT
           : is_read_ahead(io->step, item) ? BEFORE_DOT
                                           : BESIDE_DOT;
}

static void end_section(const section_t *section, work_t *io)
{
    const work_t own = {section->matrix, section->vector, section->lds + section->loads, 0};
    io->matrix += own.matrix;
    io->vector += own.vector + section->results;
    io->memory += own.memory + section->reads;
    io->length += section->reads + busiest(&own) + section->results + section->waits;
}

// Adds up what lies between the barriers of a step. Loads may move across a barrier without a
// fence. The last part goes on in the next step, as its first one.
static kiln_status_t find_parts(step_t *io)
{
    section_t section = {.loads = 0};
    const size_t count = (size_t)io->schedule->count + 1;
    results_t results = {io, calloc(count, sizeof *results.are_known), false};
    if (!results.are_known)
        return kiln_status_out_of_memory();
    work_t part = {.length = 0};
    for (int i = 0; i <= io->count; i++) {
        if (is_border(io->borders[i])) {
            const int64_t later = io->borders[i].has_fence ? 0 : section.loads;
            section.loads -= later;
            end_section(&section, &part);
            section = (section_t){.loads = later};
            memset(results.are_known, 0, count * sizeof *results.are_known);
        }
        if (io->borders[i].has_barrier) {
            io->parts[io->part_count++] = part;
            part = (work_t){.length = 0};
        }
        if (i < io->count)
            add_item(io, i, place_of(&results, i), &section);
    }
    end_section(&section, &part);
    io->barriers = io->part_count;
    add_work(&io->parts[0], &part);
    io->part_count += io->part_count == 0;
    free(results.are_known);
    return KILN_OK;
}

// Registers ---------------------------------------------------------------------------------------

// The registers that a loop needs if a dot is cut: the operands of two slices instead of all. How
// many waves_per_eu leaves to a wave does not count: schedules that are chosen by it are predicted
// to be 2 to 7 % slower in two of three tiles of a GEMM, and the same in the third (2026-11-30).
static kiln_register_fit_t registers_of(const step_t *step)
{
    const int waves = step->kernel->waves;
    unsigned early = kiln_loop_registers_read_early(step->schedule->loop, waves),
             late = kiln_loop_registers_with_operands(step->schedule->loop, waves);
    for (int i = 0; i < step->schedule->count; i++) {
        const kiln_step_op_t *op = &step->schedule->ops[i];
        kiln_dot_measure_t dot;
        if (op->slices == 1 || kiln_op_kind(op->op) != KILN_OP_TT_DOT ||
            !kiln_dot_measure(op->op, waves, &dot))
            continue;
        early -= dot.operand_registers - 2 * dot.operand_registers / (unsigned)op->slices;
        late = early; // fences keep reads and dots in their order
    }
    return kiln_register_fit(early, late, waves, 0);
}

// The SIMD ----------------------------------------------------------------------------------------

// Cycles for a step of the waves of one workgroup on a SIMD.
static int64_t cycles_of_workgroup(const step_t *step, int64_t waves)
{
    int64_t cycles = 0;
    for (int p = 0; p < step->part_count; p++) {
        const work_t *own = &step->parts[p],
                     *other = &step->parts[(p + step->part_count - 1) % step->part_count];
        work_t both = *own;
        add_work(&both, other);
        cycles += step->schedule->wave_groups > 1
                      ? most(most(own->length, other->length), busiest(&both))
                      : waves * own->length;
    }
    return cycles;
}

static int64_t busy_cycles(const step_t *step)
{
    work_t sum = {.length = 0};
    for (int p = 0; p < step->part_count; p++)
        add_work(&sum, &step->parts[p]);
    return busiest(&sum);
}

static bool has_priorities(const kiln_step_schedule_t *schedule)
{
    bool has = false;
    for (int c = 0; c < schedule->cluster_count; c++)
        has |= schedule->clusters[c].priority > 0;
    return has;
}

// Cycles for a step of each of the waves of a SIMD.
static int64_t cycles_of_simd(const step_t *step, int64_t waves)
{
    const int64_t own = most(step->kernel->waves / KILN_GFX942_SIMDS, 1),
                  waits = INT64_C(2) * step->barriers * KILN_GFX942_LDS_LATENCY,
                  first = cycles_of_workgroup(step, own) + waits, busy = busy_cycles(step);
    const bool have_turns = has_priorities(step->schedule) && step->schedule->wave_groups == 1;
    return most(first + (waves > own && !have_turns ? own * busy : 0), waves * busy + waits);
}

kiln_status_t kiln_step_time(const kiln_step_kernel_t *kernel, const kiln_step_schedule_t *schedule,
                             kiln_step_time_t *out)
{
    step_t step = {.kernel = kernel, .schedule = schedule};
    *out = (kiln_step_time_t){0, 0};
    KILN_TRY(kiln_step_list(schedule, &step.items, &step.count));
    step.borders = calloc((size_t)step.count + 1, sizeof *step.borders);
    step.parts = calloc((size_t)step.count + 2, sizeof *step.parts);
    kiln_status_t status =
        step.borders && step.parts ? find_borders(&step) : kiln_status_out_of_memory();
    const kiln_register_fit_t registers = registers_of(&step);
    const unsigned all =
        kiln_co_resident_workgroups(registers.taken, kernel->lds_bytes, kernel->waves) *
        (unsigned)kernel->waves;
    if (!status)
        status = find_parts(&step);
    if (!status && all > 0) {
        const unsigned waves = all > KILN_GFX942_SIMDS ? all / KILN_GFX942_SIMDS : 1;
        *out = (kiln_step_time_t){
            cycles_of_simd(&step, waves) + waves * kiln_spill_cycles(&registers), waves};
    }
    free(step.parts);
    free(step.borders);
    free(step.items);
    return status;
}
