// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts a launch (kiln/work.h): how often each step is executed, by evaluating loops and branches
// in a sample of the programs. access.c examines the addresses.
#include "analysis/work/measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/gfx942.h"

enum { SAMPLES = 32 };

// The weight of a step where programs are compared: about its time in units of a vector
// instruction.
static double weight_of(const kiln_work_step_t *step)
{
    switch (step->kind) {
    case KILN_WORK_DOT:
        return (double)step->m * (double)step->n * (double)step->k * (double)step->batch / 512;
    case KILN_WORK_VECTOR:
    case KILN_WORK_REDUCE:
        return (double)step->elements * step->units / KILN_GFX942_LANES;
    default:
        return (double)step->elements * step->bits / 512;
    }
}

void kiln_work_go_to(kiln_work_measurement_t *m, double program)
{
    kiln_program_order_ids(&m->program->order, m->launch->grid, (uint64_t)program,
                           m->point.program);
    kiln_point_moved(&m->point);
}

// How often a side of a branch is taken each time the branch is reached.
static double share_of_side(kiln_work_measurement_t *m, const kiln_place_node_t *side)
{
    bool is_known = side->condition >= 0;
    if (is_known) {
        const bool before = m->point.assumed;
        m->point.assumed = false;
        const bool is_true = kiln_point_value(&m->point, side->condition, NULL) != 0;
        is_known = !m->point.assumed;
        m->point.assumed |= before;
        if (is_known)
            return is_true == (side->kind == KILN_PLACE_THEN);
    }
    m->point.assumed = true;
    return side->is_guard ? 1 : 0.5;
}

// Sets entries and trips of each place for the current program. An inner loop is evaluated halfway
// through the outer ones.
static void count_places(kiln_work_measurement_t *m)
{
    const kiln_work_program_t *program = m->program;
    memset(m->point.iterations, 0, program->place_count * sizeof *m->point.iterations);
    kiln_point_moved(&m->point);
    for (size_t i = 0; i < program->place_count; i++) {
        const kiln_place_node_t *place = &program->places[i];
        const double around =
            place->parent < 0 ? 1 : m->entries[place->parent] * m->trips[place->parent];
        const bool is_side = place->kind == KILN_PLACE_THEN || place->kind == KILN_PLACE_ELSE;
        m->entries[i] = is_side && around > 0 ? around * share_of_side(m, place) : around;
        m->trips[i] = m->entries[i] > 0 ? kiln_point_trips(&m->point, (int)i) : 0;
        m->point.iterations[i] = (int64_t)(m->trips[i] / 2);
        kiln_point_moved(&m->point);
    }
    memset(m->point.iterations, 0, program->place_count * sizeof *m->point.iterations);
    kiln_point_moved(&m->point);
}

static double work_of_program(const kiln_work_measurement_t *m)
{
    double work = 0;
    for (size_t i = 0; i < m->program->item_count; i++) {
        const kiln_work_item_t *item = &m->program->items[i];
        work += m->entries[item->made_in] * m->trips[item->made_in] * weight_of(&item->step);
    }
    return work;
}

static void sample_programs(kiln_work_measurement_t *m, kiln_work_region_t *regions,
                            double *out_imbalance)
{
    const kiln_work_program_t *program = m->program;
    const double count = m->programs < SAMPLES ? m->programs : SAMPLES;
    double max = 0, sum = 0;
    for (double s = 0; s < count; s++) {
        kiln_work_go_to(m, count > 1 ? s * (m->programs - 1) / (count - 1) : 0);
        count_places(m);
        const double work = work_of_program(m);
        max = work > max ? work : max;
        sum += work / count;
        for (size_t i = 0; i < program->place_count; i++) {
            regions[i].entries += m->entries[i] / count;
            regions[i].trips += m->entries[i] * m->trips[i] / count; // divided below
        }
    }
    for (size_t i = 0; i < program->place_count; i++) {
        const kiln_place_node_t *place = &program->places[i];
        kiln_work_region_t *region = &regions[i];
        region->parent = place->parent;
        region->is_loop = place->kind == KILN_PLACE_FOR || place->kind == KILN_PLACE_WHILE;
        region->has_dot = place->has_dot;
        region->live_bits = place->live_bits;
        region->load_depth = place->load_depth;
        region->trips = region->entries > 0 ? region->trips / region->entries : 0;
    }
    *out_imbalance = sum > 0 ? max / sum : 1;
}

static kiln_status_t read_arguments(const kiln_work_program_t *program, void *const *args,
                                    int64_t *out)
{
    for (size_t i = 0; i < program->argument_count; i++) {
        const kiln_work_argument_t *argument = &program->arguments[i];
        if (!args || !args[i])
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "kiln_work_measure: launch->args[%zu] is NULL", i);
        if (!argument->is_integer)
            continue;
        uint64_t value = 0;
        memcpy(&value, args[i], argument->bits <= 8 ? 1 : (size_t)argument->bits / 8);
        out[i] = argument->bits >= 64 ? (int64_t)value
                 : argument->bits == 1
                     ? (int64_t)(value & 1)
                     : (int64_t)(value << (64 - argument->bits)) >> (64 - argument->bits);
    }
    return KILN_OK;
}

static void promise(const kiln_work_program_t *program, const int64_t *arguments, int64_t *out)
{
    enum { PROMISED_MULTIPLE = 16 };
    for (size_t i = 0; i < program->argument_count; i++) {
        const bool is_odd = arguments[i] % 2 != 0,
                   is_multiple = arguments[i] % PROMISED_MULTIPLE == 0;
        out[i] = is_odd || is_multiple ? arguments[i] : arguments[i] - 1;
    }
}

static kiln_status_t measure(kiln_work_measurement_t *m, kiln_workload_t *workload,
                             kiln_work_region_t *regions, kiln_work_step_t *steps)
{
    const kiln_work_program_t *program = m->program;
    sample_programs(m, regions, &workload->imbalance);
    for (size_t i = 0; i < program->item_count; i++) {
        const kiln_work_item_t *item = &program->items[i];
        const kiln_work_region_t *region = &regions[item->made_in];
        steps[i] = item->step;
        steps[i].region = (unsigned)item->made_in;
        steps[i].count = region->entries * region->trips;
    }
    workload->assumed = m->point.assumed;
    workload->longest_first = program->order.count > 0;
    return kiln_work_look_at_accesses(m, regions, steps) ? KILN_OK : kiln_status_out_of_memory();
}

kiln_status_t kiln_work_program_measure(const kiln_work_program_t *program,
                                        const kiln_work_launch_t *launch,
                                        kiln_workload_t **out_workload)
{
    const double max_programs = 281474976710656.0; // 2^48
    kiln_work_measurement_t m = {.program = program, .launch = launch, .programs = 1};
    for (int d = 0; d < 3; d++)
        m.programs *= launch->grid[d];
    if (m.programs < 1 || m.programs > max_programs)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "a grid of %u x %u x %u: expected 1 to 2^48 programs",
                                launch->grid[0], launch->grid[1], launch->grid[2]);
    kiln_workload_t *workload = calloc(1, sizeof *workload);
    kiln_work_region_t *regions = calloc(program->place_count + 1, sizeof *regions);
    kiln_work_step_t *steps = calloc(program->item_count + 1, sizeof *steps);
    int64_t *arguments = calloc(program->argument_count + 1, sizeof *arguments),
            *promised = calloc(program->argument_count + 1, sizeof *promised);
    m.entries = calloc(program->place_count + 1, sizeof *m.entries);
    m.trips = calloc(program->place_count + 1, sizeof *m.trips);
    const bool is_whole = kiln_point_create(&m.point, program->nodes, program->node_count,
                                            program->places, program->place_count);
    kiln_status_t status =
        is_whole && workload && regions && steps && arguments && promised && m.entries && m.trips
            ? read_arguments(program, launch->args, arguments)
            : kiln_status_out_of_memory();
    m.point.arguments = arguments;
    m.promised = promised;
    if (!status)
        promise(program, arguments, promised);
    for (int d = 0; d < 3; d++)
        m.point.grid[d] = launch->grid[d];
    if (!status)
        status = measure(&m, workload, regions, steps);
    free(arguments);
    free(promised);
    free(m.entries);
    free(m.trips);
    kiln_point_free(&m.point);
    if (status) {
        free(regions);
        free(steps);
        free(workload);
        return status;
    }
    workload->programs = m.programs;
    workload->default_warps = program->default_warps;
    workload->regions = regions;
    workload->region_count = program->place_count;
    workload->steps = steps;
    workload->step_count = program->item_count;
    *out_workload = workload;
    return KILN_OK;
}

void kiln_workload_release(kiln_workload_t *workload)
{
    if (!workload)
        return;
    free((void *)(uintptr_t)workload->regions);
    free((void *)(uintptr_t)workload->steps);
    free(workload);
}
