// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets the two halves of a workgroup of eight waves alternate on the matrix units: while one half
// multiplies, the other reads LDS and loads the next operands. A loop's dot is cut along K, each
// slice with the reads of its own operands:
//
//   scf.for … {                                  amdg.cond_barrier %second_half
//     %x = tt.load %p                            scf.for … {
//     %a = ttg.local_load %A                       %x = tt.load %p
//     %b = ttg.local_load %B               →       %a0, %b0 = … slices of %A and %B         } memory
//     %d = tt.dot %a, %b, %c                       ttg.barrier
//     ttg.local_store %x, %A                       %c1 = tt.dot %a0, %b0, %c                } multiplication, of higher priority
//   }                                              ttg.barrier
//                                                  …
//                                                  ttg.local_store %x, %A
//                                                  ttg.barrier
//                                                  %d = tt.dot %a3, %b3, %c3
//                                                  ttg.barrier
//                                                }
//                                                amdg.cond_barrier %first_half
//
// The second half waits at a barrier that the first one skips, and so is one barrier later in the
// loop. Two barriers lie between the reads and the stores of a buffer, in both directions:
// place_barriers requires two for waves that may be one barrier apart, so it adds none. The last
// two slices are read together, because the stores come between their dots.
//
// A workgroup of four waves has one on each SIMD; the other waves there belong to another
// workgroup, and no barrier makes them alternate. Priorities do: a wave that has started to read
// keeps the memory units until it has its operands.
//
//     %a = ttg.local_load %A        priority 1:  %x = tt.load %p,  %b = ttg.local_load %B      0:  %y = tt.load %q      1:  tt.dot
//
// The halves of a workgroup are waves 0 to 3 and 4 to 7 because the hardware assigns every fourth
// wave to the same SIMD.
#include "analysis/machine/co_residency.h"
#include "analysis/machine/loop_registers.h"
#include "analysis/machine/mfma.h"
#include "analysis/plan/scratch.h"
#include "analysis/waves/waves.h"
#include "base/gfx942.h"
#include "builder/compare.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/pass.h"
#include "passes/rewrite/clones.h"
#include "passes/rewrite/sched_barrier.h"

enum {
    HALVED = 2 * KILN_GFX942_SIMDS, // waves of a workgroup that is split into halves
    WHOLE = KILN_GFX942_SIMDS,      // waves of a workgroup that is not
    MAX_STORES = 8,
    MAX_LOADS = 8,
};

// A loop of loads, one dot of two buffers, and stores to buffers.
typedef struct turns {
    int waves;
    uint64_t lds_bytes; // of the kernel's buffers
    MlirOperation loop, dot, reads[2];
    // loads: those whose values are only stored.
    MlirOperation stores[MAX_STORES], loads[MAX_LOADS];
    int store_count, load_count, slices;
} turns_t;

static bool is_used_by(MlirOperation op, kiln_op_t kind)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(kiln_op_result(op, 0)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        if (kiln_op_kind(mlirOpOperandGetOwner(use)) != kind)
            return false;
    return true;
}

// Whether the operation, or one in it, needs LDS of its own.
static bool needs_lds(MlirOperation op, int waves)
{
    return kiln_largest_scratch(op, waves, NULL, NULL) > 0;
}

// Finds the loop's operations; false if it contains an operation of another kind.
static bool read_loop(turns_t *turns)
{
    int dots = 0, reads = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(kiln_op_body(turns->loop, 0));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        switch (kiln_op_kind(op)) {
        case KILN_OP_TT_DOT:
            turns->dot = op;
            dots++;
            break;
        case KILN_OP_TTG_LOCAL_LOAD:
            if (reads < 2)
                turns->reads[reads] = op;
            reads++;
            break;
        case KILN_OP_TTG_LOCAL_STORE:
            if (dots == 0 || turns->store_count == MAX_STORES)
                return false; // the dot may read what is stored before it
            turns->stores[turns->store_count++] = op;
            break;
        case KILN_OP_TT_LOAD:
        case KILN_OP_SCF_IF: // a load with a branch for negative remainders
            if (!kiln_op_loads_tensor(op) ||
                (kiln_op_effects(op) & ~KILN_CLAIMS) != KILN_READS_GLOBAL ||
                needs_lds(op, turns->waves))
                return false;
            if (turns->load_count < MAX_LOADS && is_used_by(op, KILN_OP_TTG_LOCAL_STORE))
                turns->loads[turns->load_count++] = op;
            break;
        default:
            if (mlirOperationGetNumRegions(op) || (kiln_op_effects(op) & ~KILN_CLAIMS) ||
                needs_lds(op, turns->waves))
                return false;
        }
    return dots == 1 && reads == 2 && turns->store_count > 0;
}

// Returns the read of the dot's operand; a null operation if it does not read a buffer of the
// expected form.
static MlirOperation read_of(const turns_t *turns, int operand)
{
    const MlirOperation none = {NULL};
    for (int i = 0; i < 2; i++) {
        MlirOperation read = turns->reads[i];
        MlirType memory = mlirValueGetType(kiln_op_operand(read, 0));
        bool is_it = mlirValueEqual(kiln_op_operand(turns->dot, operand), kiln_op_result(read, 0));
        if (is_it && is_used_by(read, KILN_OP_TT_DOT) && kiln_memdesc_rank(memory) == 2 &&
            kiln_memdesc_alloc_rank(memory) == 2)
            return read;
    }
    return none;
}

static bool find_operands(turns_t *turns)
{
    MlirOperation a = read_of(turns, 0), b = read_of(turns, 1);
    turns->reads[0] = a;
    turns->reads[1] = b;
    return !mlirOperationIsNull(a) && !mlirOperationIsNull(b) && !mlirOperationEqual(a, b);
}

typedef struct fed_search {
    const kiln_clones_t *fed;
    bool found;
} fed_search_t;

static MlirWalkResult find_fed(MlirOperation op, void *user)
{
    fed_search_t *search = user;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !search->found; i++)
        search->found =
            !mlirValueIsNull(kiln_clones_find(search->fed, mlirOperationGetOperand(op, i)));
    return search->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether the operation, or one in it, depends on the dot; if so, its results are added to `fed`.
// Called for the operations after the dot in order. True when out of memory.
static bool is_fed(MlirOperation op, kiln_clones_t *fed)
{
    fed_search_t search = {.fed = fed, .found = fed->out_of_memory};
    if (!search.found)
        kiln_walk(op, MlirWalkPreOrder, find_fed, &search);
    const bool found = search.found;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && found; i++)
        kiln_clones_put(fed, mlirOperationGetResult(op, i), mlirOperationGetResult(op, i));
    return found;
}

static void mark_results(kiln_clones_t *fed, MlirOperation dot)
{
    *fed = (kiln_clones_t){0};
    kiln_clones_put(fed, kiln_op_result(dot, 0), kiln_op_result(dot, 0));
}

static bool stores_depend_on_dot(const turns_t *turns)
{
    bool depend = false;
    kiln_clones_t fed;
    mark_results(&fed, turns->dot);
    for (MlirOperation op = mlirOperationGetNextInBlock(turns->dot);
         !mlirOperationIsNull(op) && !depend; op = mlirOperationGetNextInBlock(op))
        depend = is_fed(op, &fed) && kiln_op_kind(op) == KILN_OP_TTG_LOCAL_STORE;
    kiln_clones_free(&fed);
    return depend;
}

static int64_t at_least_one(int64_t count)
{
    return count < 1 ? 1 : count;
}

// The dot of a loop: the cycles that its matrix instructions occupy a wave's matrix unit, those
// that LDS needs for its operands, read by one wave of each SIMD, and the smallest K that fills the
// lanes of its operands. Registers are 32-bit, of a lane.
typedef struct measure {
    int64_t cycles, read_cycles, k, min_k;
    unsigned operand_registers;
} measure_t;

static bool measure_dot(const turns_t *turns, measure_t *out)
{
    MlirOperation dot = turns->dot;
    MlirType a = mlirValueGetType(kiln_op_operand(dot, 0)),
             b = mlirValueGetType(kiln_op_operand(dot, 1)),
             result = mlirValueGetType(kiln_op_result(dot, 0));
    MlirAttribute encoding = kiln_type_encoding(result);
    if (kiln_encoding_kind(encoding) != KILN_ENCODING_MFMA || kiln_type_rank(result) != 2)
        return false;
    kiln_mfma_t mfma = kiln_mfma_get(encoding);
    const kiln_mfma_instruction_t *instruction = kiln_mfma_find(
        kiln_mfma_element(kiln_type_element(a)), kiln_mfma_element(kiln_type_element(b)),
        kiln_mfma_precision(dot), mfma.instr_shape[0], mfma.instr_shape[1]);
    if (!instruction)
        return false;
    int64_t tiles = 1;
    for (int d = 0; d < 2; d++)
        tiles *=
            at_least_one(kiln_type_dim(result, d) / (mfma.instr_shape[d] * mfma.warps_per_cta[d]));
    out->k = kiln_type_dim(a, 1);
    out->cycles = tiles * (out->k / instruction->k) * instruction->cycles;
    out->min_k =
        at_least_one(kiln_dot_operand_k_width(kiln_type_encoding(a)) / instruction->k_base) *
        instruction->k;
    out->operand_registers = kiln_value_registers(kiln_op_operand(dot, 0), turns->waves) +
                             kiln_value_registers(kiln_op_operand(dot, 1), turns->waves);
    const int64_t register_bytes = KILN_GFX942_LANES * 4,
                  lds_cycle_bytes = KILN_GFX942_LDS_BANKS * KILN_GFX942_LDS_BANK_BYTES;
    out->read_cycles =
        out->operand_registers * register_bytes * KILN_GFX942_SIMDS / lds_cycle_bytes;
    return true;
}

// Whether a wave's multiplication of one slice is at least as long as the reads of the next slice
// by the other wave of each SIMD.
static bool hides_reads(const measure_t *dot, int slices)
{
    return dot->cycles / slices >= dot->read_cycles / slices + KILN_GFX942_LDS_LATENCY;
}

// Returns the number of slices of a dot whose waves alternate by barriers. Each slice costs two
// barriers, so it is the least that registers permit: they hold the operands of two slices. Returns
// 0 if a slice would not hide the reads of another, or would be narrower than the matrix
// instruction's operands.
static int choose_slices(const turns_t *turns, const measure_t *dot)
{
    const unsigned other_registers = kiln_loop_registers(turns->loop, turns->waves),
                   limit = KILN_GFX942_SIMD_VGPRS * KILN_GFX942_SIMDS / HALVED;
    int slices = 2;
    while (other_registers + 2 * dot->operand_registers / (unsigned)slices > limit &&
           slices * dot->min_k <= dot->k)
        slices *= 2;
    return slices * dot->min_k <= dot->k && dot->k % slices == 0 && hides_reads(dot, slices)
               ? slices
               : 0;
}

// Whether priorities make the waves of two workgroups alternate. With one workgroup on a compute
// unit there is nothing to alternate with; among three or more, the wave that holds the memory
// units delays several that could multiply.
static bool is_one_of_two(const turns_t *turns, const measure_t *dot)
{
    const unsigned registers =
        kiln_loop_registers(turns->loop, turns->waves) + dot->operand_registers;
    return kiln_co_resident_workgroups(registers, turns->lds_bytes, turns->waves) == 2;
}

// Rewriting ---------------------------------------------------------------------------------------

static void put(const kiln_ir_t *ir, kiln_op_t kind, const char *name, MlirAttribute value)
{
    kiln_ir_with_attr(ir, kind, KILN_NO_RESULT, 0, NULL, name, value);
}

static void put_barrier(const kiln_ir_t *ir)
{
    enum { LOCAL = 1 };
    put(ir, KILN_OP_TTG_BARRIER, "addrSpace", kiln_ir_i32_attr(ir->context, LOCAL));
}

static void put_priority(const kiln_ir_t *ir, int priority)
{
    MlirType type = mlirIntegerTypeGet(ir->context, 16);
    put(ir, KILN_OP_ROCDL_S_SETPRIO, "priority", mlirIntegerAttrGet(type, priority));
}

// Reads one slice of an operand, along its dimension `dim`.
static MlirValue read_slice(const kiln_ir_t *ir, const turns_t *turns, int operand, int slice)
{
    int dim = operand == 0 ? 1 : 0;
    MlirOperation read = turns->reads[operand];
    MlirValue memory = kiln_op_operand(read, 0);
    MlirType whole = mlirValueGetType(memory), tensor = mlirValueGetType(kiln_op_result(read, 0));
    int64_t shape[2], alloc[2];
    int32_t offsets[2] = {0, 0};
    for (int d = 0; d < 2; d++) {
        shape[d] = kiln_memdesc_dim(whole, d);
        alloc[d] = kiln_memdesc_alloc_dim(whole, d);
    }
    shape[dim] /= turns->slices;
    offsets[dim] = (int32_t)(slice * shape[dim]);
    MlirType part = kiln_memdesc_type(
        2, shape, kiln_memdesc_element(whole), kiln_memdesc_encoding(whole),
        kiln_shared_memory_attr(ir->context), kiln_memdesc_is_mutable(whole), alloc);
    MlirValue view = kiln_ir_unary_attr(ir, KILN_OP_TTG_MEMDESC_SUBSLICE, part, memory, "offsets",
                                        mlirDenseI32ArrayGet(ir->context, 2, offsets));
    MlirType type =
        kiln_type_tensor(2, shape, kiln_type_element(tensor), kiln_type_encoding(tensor));
    return kiln_ir_unary(ir, KILN_OP_TTG_LOCAL_LOAD, type, view);
}

static MlirValue multiply_slice(const kiln_ir_t *ir, const turns_t *turns,
                                const MlirValue operands[2], MlirValue sums)
{
    put_barrier(ir);
    put_priority(ir, 1);
    kiln_put_sched_barrier(ir, KILN_MAY_CROSS_NOTHING);
    MlirOperation dot = mlirOperationClone(turns->dot);
    mlirOperationSetOperand(dot, 0, operands[0]);
    mlirOperationSetOperand(dot, 1, operands[1]);
    mlirOperationSetOperand(dot, 2, sums);
    mlirBlockInsertOwnedOperationBefore(ir->block, ir->before, dot);
    put_priority(ir, 0);
    put_barrier(ir);
    kiln_put_sched_barrier(ir, KILN_MAY_CROSS_NOTHING);
    return kiln_op_result(dot, 0);
}

// Moves everything that does not depend on the dot before it, except stores.
static void gather_before_dot(const turns_t *turns)
{
    MlirOperation next;
    kiln_clones_t fed;
    mark_results(&fed, turns->dot);
    for (MlirOperation op = mlirOperationGetNextInBlock(turns->dot); !mlirOperationIsNull(op);
         op = next) {
        next = mlirOperationGetNextInBlock(op);
        bool is_last = mlirOperationIsNull(next);
        if (!is_fed(op, &fed) && !is_last && kiln_op_kind(op) != KILN_OP_TTG_LOCAL_STORE)
            mlirOperationMoveBefore(op, turns->dot);
    }
    kiln_clones_free(&fed);
}

static void cut_dot(const turns_t *turns)
{
    const kiln_ir_t ir = kiln_ir_before(turns->dot);
    const int last = turns->slices - 1;
    // operands: of this slice and, at the end, of the next.
    MlirValue sums = kiln_op_operand(turns->dot, 2), operands[2][2];
    for (int s = 0; s < turns->slices; s++) {
        // Distributes the loads over the slices; the rest stay in the first one.
        for (int i = s; s > 0 && s < last && i < turns->load_count; i += turns->load_count)
            mlirOperationMoveBefore(turns->loads[i], turns->dot);
        for (int ahead = 0; s < last && ahead < (s == last - 1 ? 2 : 1); ahead++)
            for (int o = 0; o < 2; o++)
                operands[ahead][o] = read_slice(&ir, turns, o, s + ahead);
        for (int i = 0; s == last && i < turns->store_count; i++)
            mlirOperationMoveBefore(turns->stores[i], turns->dot);
        sums = multiply_slice(&ir, turns, operands[s == last], sums);
    }
    kiln_value_replace(kiln_op_result(turns->dot, 0), sums);
    kiln_op_erase(turns->dot);
    kiln_op_erase(turns->reads[0]);
    kiln_op_erase(turns->reads[1]);
}

// Moves branches to the front of the loads; returns their number.
static int branches_first(turns_t *turns)
{
    int count = 0;
    for (int i = 0; i < turns->load_count; i++) {
        MlirOperation load = turns->loads[i];
        if (mlirOperationGetNumRegions(load) == 0)
            continue;
        turns->loads[i] = turns->loads[count];
        turns->loads[count++] = load;
    }
    return count;
}

// Alternates reads and loads. The first reads exclude other waves, and the dot has higher priority.
// The last load lets another wave run between the reads and the dot. Loads in branches come before
// all reads: LLVM would sink reads before a branch to the block of the dot, across changes of the
// priority.
static void prioritize_reads(turns_t *turns)
{
    const kiln_ir_t ir = kiln_ir_before(turns->dot);
    const int branches = branches_first(turns),
              half = branches + (turns->load_count - branches) / 2;
    for (int i = 0; i < branches; i++)
        mlirOperationMoveBefore(turns->loads[i], turns->dot);
    mlirOperationMoveBefore(turns->reads[0], turns->dot);
    put_priority(&ir, 1);
    for (int i = branches; i < half; i++)
        mlirOperationMoveBefore(turns->loads[i], turns->dot);
    kiln_put_sched_barrier(&ir, KILN_MAY_CROSS_NOTHING);
    mlirOperationMoveBefore(turns->reads[1], turns->dot);
    put_priority(&ir, 0);
    for (int i = half; i < turns->load_count; i++)
        mlirOperationMoveBefore(turns->loads[i], turns->dot);
    put_priority(&ir, 1);
    kiln_put_sched_barrier(&ir, KILN_MAY_CROSS_ARITHMETIC);
    const kiln_ir_t after_dot = kiln_ir_after(turns->dot);
    put_priority(&after_dot, 0);
}

// Moves the halves one barrier apart before the loop, and together again after it.
static void part_halves(MlirOperation loop)
{
    const kiln_ir_t before = kiln_ir_before(loop), after = kiln_ir_after(loop);
    MlirType word = mlirIntegerTypeGet(before.context, 32);
    MlirOperation id = kiln_ir_create(
        &before,
        &(kiln_ir_op_t){.kind = KILN_OP_ROCDL_WORKITEM_ID_X, .result_count = 1, .results = &word});
    MlirValue half = kiln_ir_const_int(&before, word, HALVED / 2 * KILN_GFX942_LANES);
    const kiln_cmpi_t predicates[] = {KILN_CMPI_SGE, KILN_CMPI_SLT};
    for (int i = 0; i < 2; i++) {
        MlirValue condition = kiln_ir_compare(&before, predicates[i], kiln_op_result(id, 0), half);
        kiln_ir_create(i == 0 ? &before : &after, &(kiln_ir_op_t){.kind = KILN_OP_AMDG_COND_BARRIER,
                                                                  .operand_count = 1,
                                                                  .operands = &condition});
    }
}

static MlirWalkResult take_turns(MlirOperation loop, void *user)
{
    turns_t turns = *(const turns_t *)user;
    turns.loop = loop;
    measure_t dot;
    if (kiln_op_kind(loop) != KILN_OP_SCF_FOR || !read_loop(&turns) || !find_operands(&turns) ||
        stores_depend_on_dot(&turns) || !measure_dot(&turns, &dot))
        return MlirWalkResultAdvance;
    if (turns.waves == HALVED)
        turns.slices = choose_slices(&turns, &dot);
    else
        turns.slices = hides_reads(&dot, 1) && is_one_of_two(&turns, &dot);
    if (turns.slices == 0)
        return MlirWalkResultAdvance;
    mlirContextGetOrLoadDialect(mlirOperationGetContext(loop),
                                mlirStringRefCreateFromCString("rocdl"));
    gather_before_dot(&turns);
    if (turns.slices == 1) {
        prioritize_reads(&turns);
    } else {
        cut_dot(&turns);
        part_halves(loop);
    }
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_ping_pong(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    turns_t kernel = {.lds_bytes = kiln_buffer_bytes(module)};
    KILN_TRY(kiln_waves_of_module(module, &kernel.waves));
    if (kernel.waves == HALVED || kernel.waves == WHOLE)
        kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, take_turns, &kernel);
    return KILN_OK;
}
