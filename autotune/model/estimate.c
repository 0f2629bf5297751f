// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a launch (kiln/tune_model.h): rounds of workgroups, of which each compute unit runs
// as many at a time as its registers and LDS hold.
//
// In each execution of a region the workgroups of a compute unit share its units (queue.c).
#include "model/model.h"

#include <math.h>

#include "base/require.h"

enum { POWER_ROUNDS = 2 };

typedef struct launch {
    const kiln_workload_t *workload;
    kiln_model_config_t config;
    kiln_model_machine_t machine;
    kiln_model_overlap_t overlap;
    kiln_model_resources_t resources;
    kiln_model_misses_t misses;
    double busy[KILN_MODEL_UNITS]; // over the launch, on a busy compute unit
    double spent;                  // cycles of all rounds
    double at_work;                // compute units, on average over the rounds
} launch_t;

// The registers that do not fit go to memory and come back, once in each execution of a loop.
static double spill_cycles(const launch_t *launch, const kiln_work_region_t *region)
{
    const double bytes =
        2 * 4 * launch->resources.spilled * KILN_GFX942_LANES * launch->config.warps;
    return region->is_loop ? bytes / KILN_GFX942_L1_CYCLE_BYTES : 0;
}

// Cycles of a wave in which registers beyond the architectural ones are moved, in each execution of
// a loop: once, because matrix instructions use either.
static double move_cycles(const launch_t *launch, const kiln_work_region_t *region)
{
    const double held = launch->resources.registers - launch->resources.spilled;
    return region->is_loop ? KILN_GFX942_VALU_CYCLES * fmax(0, held - KILN_GFX942_ARCH_VGPRS) : 0;
}

// Cycles of one execution of a region by a crowd of workgroups, and those for which it keeps each
// unit busy.
static double region_time(const launch_t *launch, unsigned region, const kiln_model_crowd_t *crowd,
                          kiln_model_overlap_t overlap, double busy[KILN_MODEL_UNITS])
{
    const kiln_workload_t *workload = launch->workload;
    for (int u = 0; u < KILN_MODEL_UNITS; u++)
        busy[u] = 0;
    for (size_t i = 0; i < workload->step_count; i++)
        if (workload->steps[i].region == region)
            kiln_model_add_step(workload, &workload->steps[i], &launch->config, &launch->machine,
                                &launch->misses, crowd, busy);
    kiln_model_waits_t waits = kiln_model_waits(workload, region, &launch->config, &launch->machine,
                                                &launch->misses, overlap);
    const double spilled = spill_cycles(launch, &workload->regions[region]),
                 waves = crowd->unit * fmax(1, (double)launch->config.warps / KILN_GFX942_SIMDS);
    busy[KILN_MODEL_VECTOR] += waves * move_cycles(launch, &workload->regions[region]);
    busy[KILN_MODEL_L1] += crowd->unit * spilled;
    waits.compute += spilled; // they return when they are needed, not ahead as other loads
    return kiln_model_queue(busy, &waits, crowd->unit, launch->config.warps);
}

// Adds the executions of a region to what the launch keeps busy.
static void count_busy(launch_t *launch, const double busy[KILN_MODEL_UNITS], double executions)
{
    const double used = fmin(1, (double)launch->config.warps / KILN_GFX942_SIMDS);
    for (int u = 0; u < KILN_MODEL_UNITS; u++)
        launch->busy[u] +=
            executions * busy[u] * (u == KILN_MODEL_MATRIX || u == KILN_MODEL_VECTOR ? used : 1);
}

// A pipelined loop has a step more than iterations, for the loads before the first one. They are in
// flight together, however many stages there are.
static double fill(const launch_t *launch, unsigned region)
{
    return kiln_model_stages(launch->workload, &launch->config, region) > 1 ? 1 : 0;
}

// Cycles of a round: `crowd` workgroups on each compute unit, from their start to their end. There
// are `repeats` such rounds.
static double round_time(launch_t *launch, double workgroups, double units, double repeats)
{
    const kiln_model_machine_t *machine = &launch->machine;
    const kiln_model_crowd_t crowd = {ceil(workgroups / units), workgroups / machine->dies};
    launch->misses.repeats = kiln_model_repeat_misses(launch->workload, &crowd);
    double time = KILN_TIMING_WAVE_START_CYCLES + KILN_TIMING_SCALAR_LATENCY;
    for (unsigned r = 0; r < launch->workload->region_count; r++) {
        const kiln_work_region_t *region = &launch->workload->regions[r];
        const double executions = region->entries * (region->trips + fill(launch, r));
        double busy[KILN_MODEL_UNITS], of_one[KILN_MODEL_UNITS];
        const double step = region_time(launch, r, &crowd, launch->overlap, busy);
        time += executions * step;
        count_busy(launch, busy, executions * repeats);
        launch->spent += executions * repeats * step;
        // Before the first iteration ends, and after the last one has begun, nothing overlaps.
        if (kiln_model_is_staged(launch->workload, &launch->config, r, launch->overlap))
            time += region->entries *
                    (region_time(launch, r, &crowd, KILN_MODEL_IN_TURN, of_one) - step);
    }
    return time;
}

// Cycles for which the largest workgroup works when the others have ended: what it has more than
// the mean one. If it begins first, it works while further rounds do.
static double excess_time(launch_t *launch, double rounds)
{
    const kiln_workload_t *workload = launch->workload;
    const double meanwhile = workload->longest_first ? fmax(1, rounds) : 1,
                 few = fmin(workload->programs, launch->machine.units);
    return workload->imbalance > meanwhile
               ? (workload->imbalance - meanwhile) * round_time(launch, few, few, 0)
               : 0;
}

// Cycles of the whole launch at the machine's clock.
static double launch_time(launch_t *launch)
{
    const kiln_model_machine_t *machine = &launch->machine;
    const double programs = launch->workload->programs, units = machine->units,
                 slots = launch->resources.resident * units,
                 // Small workgroups at the end fill the gaps that others leave.
        full = launch->workload->longest_first && programs > slots ? programs / slots
                                                                   : floor(programs / slots),
                 rest = fmax(0, programs - full * slots);
    for (int u = 0; u < KILN_MODEL_UNITS; u++)
        launch->busy[u] = 0;
    launch->spent = 0;
    const double rounds = full > 0 ? full * round_time(launch, slots, units, full) : 0,
                 last = rest > 0 ? round_time(launch, rest, fmin(rest, units), 1) : 0;
    double time = rounds + last;
    launch->at_work = (rounds * units + last * fmin(rest, units)) / time;
    time += excess_time(launch, programs / slots);
    const double wave = launch->config.warps / machine->dies * 100 / KILN_TIMING_DISPATCH_WAVES;
    // Those that run at first begin one after the other; the first reads its arguments.
    return fmax(time + fmin(programs, slots) * wave, programs * wave) + machine->hbm_latency;
}

// Power -------------------------------------------------------------------------------------------

// The share of the launch for which the device's matrix units draw power: without the time that a
// limit of their rate adds.
static double matrix_share(const launch_t *launch, double time)
{
    const kiln_workload_t *workload = launch->workload;
    double cycles = 0; // of the SIMDs, for one workgroup
    for (size_t i = 0; i < workload->step_count; i++)
        if (workload->steps[i].kind == KILN_WORK_DOT)
            cycles += workload->steps[i].count * launch->config.warps *
                      kiln_model_matrix_cycles(&workload->steps[i], &launch->config);
    return cycles * workload->programs / (time * launch->machine.units * KILN_GFX942_SIMDS);
}

enum {
#define KILN_TIMING_POWER(name, milliwatts, mark, source) KILN_MODEL_POWER_##name,
#include "sim/timing/power.def"
#undef KILN_TIMING_POWER
};

static const double milliwatts[] = {
#define KILN_TIMING_POWER(name, milliwatts, mark, source) milliwatts,
#include "sim/timing/power.def"
#undef KILN_TIMING_POWER
};

// The kind of the launch's matrix instructions.
static int matrix_kind(const kiln_workload_t *workload)
{
    double widest = 0;
    for (size_t i = 0; i < workload->step_count; i++)
        if (workload->steps[i].kind == KILN_WORK_DOT)
            widest = fmax(widest, workload->steps[i].operand_bits[0]);
    return widest > 32   ? KILN_MODEL_POWER_MATRIX_64
           : widest > 16 ? KILN_MODEL_POWER_MATRIX_32
           : widest > 8  ? KILN_MODEL_POWER_MATRIX_16
                         : KILN_MODEL_POWER_MATRIX_8;
}

// What HBM draws, in W. Of the memory's bytes it has those that the Infinity Cache misses
// (add_access in units.c).
static double hbm_power(const launch_t *launch, double time)
{
    const kiln_model_machine_t *machine = &launch->machine;
    const double mall = launch->misses.mall,
                 bytes = launch->busy[KILN_MODEL_MEMORY] * machine->dies * mall /
                         fmax(1 / machine->fabric_bytes, mall / machine->hbm_bytes),
                 gb_s = bytes / (time / machine->mhz * 1e3);
    return 1e-3 * gb_s * KILN_TIMING_POWER_HBM;
}

// The clock at which the units draw what the device's power leaves to them (sim/timing/power.c).
static double held_clock(const launch_t *launch, double time)
{
    const struct {
        int kind;
        kiln_model_unit_t unit;
        double share; // of its cycles
    } others[] = {{KILN_MODEL_POWER_VECTOR, KILN_MODEL_VECTOR, 1},
                  {KILN_MODEL_POWER_LDS, KILN_MODEL_LDS, kiln_model_lds_bank_share()},
                  {KILN_MODEL_POWER_L1, KILN_MODEL_L1, 1},
                  {KILN_MODEL_POWER_L2, KILN_MODEL_L2, 1}};
    const kiln_model_machine_t *machine = &launch->machine;
    double drawn =
        matrix_share(launch, time) * machine->units * milliwatts[matrix_kind(launch->workload)];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        drawn += launch->busy[others[i].unit] / time * launch->at_work * others[i].share *
                 milliwatts[others[i].kind];
    const double left =
        fmax(KILN_TIMING_POWER_LIMIT - KILN_TIMING_POWER_IDLE - hbm_power(launch, time),
             KILN_TIMING_POWER_LEAST);
    double held = machine->max_mhz;
    if (drawn > 0)
        held = fmin(held, KILN_TIMING_POWER_CLOCK * cbrt(left / (1e-3 * drawn)) *
                              machine->held_percent / 100);
    return held;
}

static const char *bound_of(const launch_t *launch)
{
    static const char *const names[] = {
        [KILN_MODEL_MATRIX] = "MFMA",   [KILN_MODEL_VECTOR] = "VALU",
        [KILN_MODEL_LDS] = "LDS",       [KILN_MODEL_L1] = "L1",
        [KILN_MODEL_L2] = "L2",         [KILN_MODEL_MEMORY] = "memory",
        [KILN_MODEL_FLIGHT] = "latency"};
    int busiest = 0;
    for (int u = 1; u < KILN_MODEL_UNITS; u++)
        if (launch->busy[u] > launch->busy[busiest])
            busiest = u;
    return launch->busy[busiest] < launch->spent / 2 ? "latency" : names[busiest];
}

static kiln_model_config_t config_of(const kiln_workload_t *workload,
                                     const kiln_compile_options_t *options)
{
    kiln_model_config_t config = {.warps = options->num_warps ? options->num_warps
                                                              : workload->default_warps,
                                  .stages = options->num_stages,
                                  .waves_per_eu = options->waves_per_eu};
    while (1 << config.wave_choice < config.warps &&
           config.wave_choice < KILN_WORK_WAVE_CHOICES - 1)
        config.wave_choice++;
    config.side_choice = options->matrix_instr_nonkdim == 16   ? 1
                         : options->matrix_instr_nonkdim == 32 ? 2
                                                               : 0;
    return config;
}

kiln_status_t kiln_tune_estimate(const kiln_workload_t *workload,
                                 const kiln_compile_options_t *options,
                                 const kiln_device_properties_t *device,
                                 kiln_tune_estimate_t *out_estimate)
{
    kiln_compile_options_t taken;
    KILN_REQUIRE_OUT_STRUCT(kiln_tune_estimate_t, out_estimate);
    KILN_REQUIRE(workload);
    kiln_compile_options_initialize(&taken);
    KILN_REQUIRE_STRUCT(kiln_compile_options_t, &taken, options);
    launch_t launch = {.workload = workload,
                       .config = config_of(workload, &taken),
                       .machine = kiln_model_machine(device)};
    launch.overlap = kiln_model_overlap(workload, &launch.config);
    launch.resources = kiln_model_resources(workload, &launch.config, launch.overlap);
    launch.misses = kiln_model_misses(workload, &launch.machine);
    double time = launch_time(&launch);
    for (int i = 0; i < POWER_ROUNDS; i++) {
        launch.machine = kiln_model_machine_at(&launch.machine, held_clock(&launch, time));
        time = launch_time(&launch);
    }
    const kiln_tune_estimate_t estimate = {
        .nanoseconds = time / launch.machine.mhz * 1e3 + KILN_TIMING_END_NS,
        .bound = bound_of(&launch),
        .warps = (unsigned)launch.config.warps,
        .registers = (unsigned)launch.resources.registers,
        .lds_bytes = (unsigned)launch.resources.lds,
        .workgroups_per_unit = (unsigned)launch.resources.resident,
        .stages = (unsigned)launch.resources.stages,
        .rounds = workload->programs / (launch.resources.resident * launch.machine.units),
        .clock_mhz = launch.machine.mhz,
        .spilled_registers = (unsigned)ceil(launch.resources.spilled)};
    kiln_struct_copy_out(out_estimate, &estimate, sizeof estimate);
    return KILN_OK;
}
