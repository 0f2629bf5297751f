// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For how long a step keeps the units of the device busy.
//
// Note that L1 and L2 move lines: a row that is shorter than a line costs as much as the line.
#include "model/model.h"

#include <math.h>

// Vector instructions for an access: its address, the comparison of its mask, and what selects
// lanes.
enum { ACCESS_UNITS = 4 };

static double waves_of(const kiln_model_config_t *config)
{
    return config->warps;
}

// The bytes that a lane accesses at once: no more than its share of the tile.
static double access_width(const kiln_work_step_t *step, const kiln_model_config_t *config)
{
    const double lanes = KILN_GFX942_LANES * waves_of(config), element = step->bits / 8.0;
    return fmax(element, fmin(step->width, (double)step->elements * element / lanes));
}

// Of all waves.
static double access_instructions(const kiln_work_step_t *step, const kiln_model_config_t *config)
{
    const double lanes = KILN_GFX942_LANES * waves_of(config),
                 bytes = (double)step->elements * step->bits / 8;
    return waves_of(config) * ceil(bytes / access_width(step, config) / lanes);
}

double kiln_model_matrix_cycles(const kiln_work_step_t *dot, const kiln_model_config_t *config)
{
    const kiln_work_matrix_t *matrix = &dot->matrix[config->wave_choice][config->side_choice];
    if (!matrix->m)
        return 0;
    const double rows = ceil((double)dot->m / matrix->m / matrix->warps_m),
                 columns = ceil((double)dot->n / matrix->n / matrix->warps_n),
                 depth = ceil((double)dot->k / matrix->k),
                 batch = ceil((double)dot->batch / matrix->warps_batch);
    return rows * columns * depth * batch * matrix->cycles;
}

// The matrix instructions leave a row of their result in 2 or 4 lanes.
double kiln_model_lanes_of_row(const kiln_workload_t *workload, const kiln_work_step_t *step)
{
    const double extent = (double)step->elements / (double)step->results;
    const double lanes = step->results == 1                        ? KILN_GFX942_LANES
                         : workload->regions[step->region].has_dot ? 4
                                                                   : 16;
    return fmax(1, fmin(lanes, extent));
}

double kiln_model_waves_of_row(const kiln_work_step_t *step, const kiln_model_config_t *config)
{
    enum { ROWS = 16 }; // of a wave at least
    return fmin(waves_of(config), fmax(1, waves_of(config) * ROWS / (double)step->results));
}

bool kiln_model_stays(const kiln_workload_t *workload, const kiln_work_step_t *operand,
                      const kiln_model_config_t *config)
{
    const kiln_work_matrix_t *matrix =
        &workload->steps[operand->dot].matrix[config->wave_choice][config->side_choice];
    return operand->is_result && matrix->m && matrix->warps_n == 1;
}

// Elements along K that a lane has loaded of an operand whose rows lie along K in LDS, but not in
// memory.
static double loaded_rows(const kiln_work_step_t *operand, const kiln_model_config_t *config)
{
    enum { LOAD_BYTES = 16 };
    const double per_lane =
        fmax(1, (double)operand->elements / KILN_GFX942_LANES / waves_of(config));
    return fmax(1, per_lane / (LOAD_BYTES / (operand->bits / 8.0)));
}

// Bytes that a lane writes to LDS at once, of a row and of what a matrix instruction takes from it.
enum { ROW_WIDTH = 16, MOVED_WIDTH = 8 };

static double written_width(const kiln_work_step_t *operand, const kiln_model_config_t *config)
{
    return operand->is_transposed
               ? fmin(MOVED_WIDTH, loaded_rows(operand, config) * operand->bits / 8)
               : ROW_WIDTH;
}

double kiln_model_vector_cycles(const kiln_workload_t *workload, const kiln_work_step_t *step,
                                const kiln_model_config_t *config)
{
    const double lanes = KILN_GFX942_LANES * waves_of(config),
                 each = ceil((double)step->elements / lanes) * KILN_GFX942_VALU_CYCLES;
    switch (step->kind) {
    case KILN_WORK_VECTOR:
        return each * step->units;
    case KILN_WORK_REDUCE: { // within a lane, two elements at a time, then between lanes by halves
        const double row = kiln_model_lanes_of_row(workload, step),
                     rows = ceil((double)step->results * row / lanes);
        return each * step->units / 2 +
               rows * log2(row) * (step->units + 1) * KILN_GFX942_VALU_CYCLES;
    }
    case KILN_WORK_OPERAND: // its elements change places between registers before they are written
        return step->is_transposed && step->bits < 32 && loaded_rows(step, config) > 1
                   ? each * step->bits / 32 * log2(32.0 / step->bits)
                   : 0;
    case KILN_WORK_LOAD:
    case KILN_WORK_STORE:
    case KILN_WORK_ATOMIC:
        return access_instructions(step, config) / waves_of(config) * ACCESS_UNITS *
                   KILN_GFX942_VALU_CYCLES +
               (step->is_masked ? each : 0);
    case KILN_WORK_DOT: // by multiply-adds
        return kiln_model_matrix_cycles(step, config) > 0 ? 0 : each * (double)step->k;
    default:
        return 0;
    }
}

// LDS has banks that all SIMDs share, and a port for each pair of SIMDs, which moves half as many
// bytes in a cycle and also takes the address of a write. An access waits for both, and those
// behind it wait with it: if every other access comes by the same port, it takes the mean of the
// two (timing/lds.c).
enum {
    BANK_BYTES = KILN_GFX942_LDS_BANKS * KILN_GFX942_LDS_BANK_BYTES,
    ADDRESS_BYTES = 4, // of a lane
};

static double lds_cycles(double bank_bytes, double port_bytes)
{
    return (bank_bytes / BANK_BYTES + port_bytes / KILN_TIMING_LDS_PORT_BYTES) / 2;
}

double kiln_model_lds_bank_share(void)
{
    return 1.0 / BANK_BYTES / lds_cycles(1, 1);
}

static double lds_read_cycles(double bytes)
{
    return lds_cycles(bytes, bytes);
}

static double lds_write_cycles(double bytes, double width)
{
    return lds_cycles(bytes, bytes * (1 + ADDRESS_BYTES / width));
}

double kiln_model_lds_write_cycles(const kiln_workload_t *workload, const kiln_work_step_t *step,
                                   const kiln_model_config_t *config)
{
    const double bytes = (double)step->elements * step->bits / 8;
    switch (step->kind) {
    case KILN_WORK_EXCHANGE:
        return lds_write_cycles(bytes, MOVED_WIDTH);
    case KILN_WORK_OPERAND:
        return kiln_model_stays(workload, step, config)
                   ? 0
                   : lds_write_cycles(bytes, written_width(step, config));
    default:
        return 0;
    }
}

double kiln_model_lds_read_cycles(const kiln_workload_t *workload, const kiln_work_step_t *step,
                                  const kiln_model_config_t *config)
{
    const double bytes = (double)step->elements * step->bits / 8;
    if (step->kind == KILN_WORK_EXCHANGE)
        return lds_read_cycles(bytes);
    if (step->kind != KILN_WORK_OPERAND || kiln_model_stays(workload, step, config))
        return 0;
    const kiln_work_step_t *dot = &workload->steps[step->dot];
    const kiln_work_matrix_t *matrix = &dot->matrix[config->wave_choice][config->side_choice];
    if (!matrix->m)
        return lds_read_cycles(bytes);
    // Each wave reads its rows or columns, at least those of one instruction.
    const bool is_left = step->operand == 0;
    const double extent = (double)(is_left ? dot->m : dot->n),
                 own = fmax(extent / (is_left ? matrix->warps_m : matrix->warps_n),
                            is_left ? matrix->m : matrix->n),
                 readers = waves_of(config) * own / extent / matrix->warps_batch;
    return lds_read_cycles(bytes * readers);
}

// Bytes of the lines that an access touches.
static double line_bytes(const kiln_work_step_t *step)
{
    const double bytes = (double)step->elements * step->bits / 8 * step->share * step->unique;
    return bytes * fmax(1, KILN_GFX942_L1_LINE / step->run);
}

// Cycles of the texture addresser and of L1's data path.
double kiln_model_l1_cycles(const kiln_work_step_t *step, const kiln_model_config_t *config)
{
    const double width = access_width(step, config),
                 instructions = access_instructions(step, config);
    const bool is_packed = width <= 4 && step->run >= width * KILN_GFX942_LANES;
    const double addresses =
        instructions * (is_packed ? KILN_TIMING_VMEM_ISSUE_CYCLES : KILN_TIMING_VMEM_QUAD_CYCLES);
    return fmax(addresses, line_bytes(step) / KILN_GFX942_L1_CYCLE_BYTES);
}

// The number of different tiles that the crowd of an XCD accesses.
static double tiles_of(const kiln_work_step_t *step, const kiln_model_machine_t *machine,
                       double crowd)
{
    double size = machine->die_units, below = 0, tiles = 0;
    for (int w = 0; w < KILN_WORK_WINDOWS; w++, below = size, size *= 2) {
        const double here = step->die_tiles[w];
        if (crowd <= size)
            return tiles + (here - tiles) * (crowd - below) / (size - below);
        tiles = here;
    }
    return tiles * crowd / below;
}

// The fraction of a working set that a cache evicts between two uses, as the clock has it
// (timing/cache_state.c). Uses are cyclic, so with LRU replacement a set of the L2 that has more
// lines than ways evicts all of them; how many it has is random.
static double l2_evicts(double bytes)
{
    enum { WAYS = 16 };
    const double mean = WAYS * bytes / KILN_GFX942_L2_BYTES;
    double probability = exp(-mean), kept = 0;
    for (int lines = 0; lines < WAYS; lines++) {
        kept += probability;
        probability *= mean / (lines + 1);
    }
    return 1 - kept;
}

static double mall_evicts(double bytes)
{
    const double full = 0.92, none = 1.08; // of its size
    return fmin(1, fmax(0, (bytes / KILN_GFX942_INFINITY_CACHE_BYTES - full) / (none - full)));
}

kiln_model_misses_t kiln_model_misses(const kiln_workload_t *workload,
                                      const kiln_model_machine_t *machine)
{
    double all = 0, die = 0;
    for (size_t i = 0; i < workload->step_count; i++) {
        const kiln_work_step_t *step = &workload->steps[i];
        if (step->is_repeat)
            continue;
        const double own = workload->programs / machine->dies * step->fetches *
                           (double)step->elements * step->bits / 8 * step->share * step->unique,
                     lines = step->kind == KILN_WORK_LOAD ? step->lines : 1;
        all += step->footprint;
        die += fmin(own * lines, step->footprint);
    }
    return (kiln_model_misses_t){.l2 = l2_evicts(die), .mall = mall_evicts(all)};
}

double kiln_model_repeat_misses(const kiln_workload_t *workload, const kiln_model_crowd_t *crowd)
{
    double own = 0;
    for (size_t i = 0; i < workload->step_count; i++) {
        const kiln_work_step_t *step = &workload->steps[i];
        if (step->kind == KILN_WORK_LOAD && !step->is_repeat)
            own += fmin(step->footprint, crowd->die * step->fetches * (double)step->elements *
                                             step->bits / 8 * step->share * step->unique *
                                             step->lines);
    }
    return l2_evicts(own);
}

// Lines of a load that may be on their way to L1 at a time. Each pair of them is in one of four
// sets by two bits of its address, in which rows usually are all alike (timing/l1.c).
static double lines_in_flight(const kiln_work_step_t *load)
{
    enum {
        SETS = 4,
        WAYS = KILN_GFX942_L1_BYTES / KILN_GFX942_L1_LINE / SETS,
        PAIR = 2 * KILN_GFX942_L1_LINE
    };
    return fmin(KILN_TIMING_L1_MISSES, WAYS * ceil(load->run / PAIR));
}

// Cycles for which the loads of a workgroup fill these places. A share of the lines comes from
// beyond the L2.
static double flight_cycles(const kiln_work_step_t *load, const kiln_model_machine_t *machine,
                            const kiln_model_misses_t *misses, double beyond)
{
    return line_bytes(load) / KILN_GFX942_L1_LINE / lines_in_flight(load) *
           kiln_model_load_latency(machine, misses, beyond);
}

static void add_access(const kiln_work_step_t *step, const kiln_model_config_t *config,
                       const kiln_model_machine_t *machine, const kiln_model_misses_t *misses,
                       const kiln_model_crowd_t *crowd, double busy[KILN_MODEL_UNITS])
{
    const double bytes = (double)step->elements * step->bits / 8 * step->share * step->unique,
                 again = step->count > 0 ? step->fetches / step->count : 1,
                 filled = tiles_of(step, machine, crowd->die) * bytes * again;
    busy[KILN_MODEL_L1] += crowd->unit * kiln_model_l1_cycles(step, config);
    if (step->kind == KILN_WORK_LOAD) {
        const double beyond =
            (step->is_repeat ? misses->repeats : misses->l2) * filled * step->lines;
        busy[KILN_MODEL_FLIGHT] +=
            crowd->unit *
            flight_cycles(step, machine, misses, fmin(1, beyond / (crowd->die * line_bytes(step))));
        busy[KILN_MODEL_L2] += crowd->die * line_bytes(step) / machine->l2_bytes;
        busy[KILN_MODEL_MEMORY] +=
            beyond * fmax(1 / machine->fabric_bytes, misses->mall / machine->hbm_bytes);
        return;
    }
    busy[KILN_MODEL_L2] += crowd->die * line_bytes(step) / KILN_TIMING_L2_WRITE_BYTES;
    busy[KILN_MODEL_MEMORY] +=
        filled * fmax(1 / machine->fabric_bytes, misses->mall / machine->hbm_bytes);
}

// How many times as long matrix instructions take because the device limits their rate. Integers
// are not told apart from floats of as many bits, whose limit is lower.
static double matrix_stretch(const kiln_work_step_t *step, const kiln_model_machine_t *machine)
{
    const double limit =
        step->operand_bits[0] > 16 ? machine->other_matrix_mhz : machine->matrix_mhz;
    return limit > 0 && machine->mhz > limit ? machine->mhz / limit : 1;
}

void kiln_model_add_step(const kiln_workload_t *workload, const kiln_work_step_t *step,
                         const kiln_model_config_t *config, const kiln_model_machine_t *machine,
                         const kiln_model_misses_t *misses, const kiln_model_crowd_t *crowd,
                         double busy[KILN_MODEL_UNITS])
{
    // Per SIMD; a workgroup with fewer waves than SIMDs uses one SIMD for each wave.
    const double waves = crowd->unit * fmax(1, waves_of(config) / KILN_GFX942_SIMDS);
    switch (step->kind) {
    case KILN_WORK_LOAD:
    case KILN_WORK_STORE:
    case KILN_WORK_ATOMIC:
        add_access(step, config, machine, misses, crowd, busy);
        busy[KILN_MODEL_VECTOR] += waves * kiln_model_vector_cycles(workload, step, config);
        break;
    default:
        if (step->kind == KILN_WORK_DOT)
            busy[KILN_MODEL_MATRIX] +=
                waves * kiln_model_matrix_cycles(step, config) * matrix_stretch(step, machine);
        busy[KILN_MODEL_VECTOR] += waves * kiln_model_vector_cycles(workload, step, config);
        busy[KILN_MODEL_LDS] += crowd->unit * (kiln_model_lds_write_cycles(workload, step, config) +
                                               kiln_model_lds_read_cycles(workload, step, config));
    }
}
