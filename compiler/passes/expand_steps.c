// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries out the schedules of steps (steps/step_schedule.h): puts a loop's operations into the
// order of their clusters, cuts dots along K, and marks where clusters begin.
//
//   scf.for … {                                                scf.for … {
//     %a = ttg.local_load %A  {loop.cluster = array<0, 2>}       %a0 = ttg.local_load (subslice of %A)
//     %b = ttg.local_load %B  {loop.cluster = array<0, 2>}       %b0 = …
//     %d = tt.dot %a, %b, %c  {loop.cluster = array<1, 3>}   →   ttg.barrier
//   } {loop.priorities = array<0, 1, 0, 1, 0>, …}                rocdl.s.setprio 1
//                                                                rocdl.sched.barrier 0
//                                                                %c1 = tt.dot %a0, %b0, %c
//                                                                rocdl.s.setprio 0
//                                                                ttg.barrier
//                                                                …
//
// A wave has a higher priority only between the barriers of its cluster: it is raised after the one
// and lowered before the other.
//
// With two wave groups, the second half of the workgroup waits at a barrier that the first one
// skips, and so is one barrier later in the loop; after the loop they come together again. The
// halves of a workgroup of eight waves are waves 0 to 3 and 4 to 7, because the hardware assigns
// every fourth wave to the same SIMD.
#include <stdlib.h>

#include "analysis/waves/waves.h"
#include "base/gfx942.h"
#include "builder/compare.h"
#include "passes/loops/for_loop.h"
#include "passes/pass.h"
#include "passes/rewrite/sched_barrier.h"
#include "passes/steps/step_schedule.h"

typedef struct expansion {
    const kiln_step_schedule_t *schedule;
    MlirOperation yield; // of the loop: the order is built before it
    // Of each operation that is cut: the slices of a read that wait for the dot's; of a dot, the
    // latest sum.
    MlirValue (*made)[KILN_MAX_SLICES];
} expansion_t;

static kiln_ir_t at_end(const expansion_t *e, MlirOperation like)
{
    kiln_ir_t ir = kiln_ir_before(e->yield);
    ir.loc = mlirOperationGetLocation(like);
    return ir;
}

// Slices ------------------------------------------------------------------------------------------

static void read_slice(const expansion_t *e, kiln_step_item_t item)
{
    const kiln_step_op_t *op = &e->schedule->ops[item.op];
    int operand = 0;
    const kiln_ir_t ir = at_end(e, kiln_step_dot_of_read(op->op, &operand));
    const int dim = operand == 0 ? 1 : 0;
    MlirValue memory = kiln_op_operand(op->op, 0);
    MlirType whole = mlirValueGetType(memory), tensor = mlirValueGetType(kiln_op_result(op->op, 0));
    int64_t shape[2], alloc[2];
    int32_t offsets[2] = {0, 0};
    for (int d = 0; d < 2; d++) {
        shape[d] = kiln_memdesc_dim(whole, d);
        alloc[d] = kiln_memdesc_alloc_dim(whole, d);
    }
    shape[dim] /= op->slices;
    offsets[dim] = (int32_t)(item.slice * shape[dim]);
    MlirType part = kiln_memdesc_type(
        2, shape, kiln_memdesc_element(whole), kiln_memdesc_encoding(whole),
        kiln_shared_memory_attr(ir.context), kiln_memdesc_is_mutable(whole), alloc);
    MlirValue view = kiln_ir_unary_attr(&ir, KILN_OP_TTG_MEMDESC_SUBSLICE, part, memory, "offsets",
                                        mlirDenseI32ArrayGet(ir.context, 2, offsets));
    MlirType type =
        kiln_type_tensor(2, shape, kiln_type_element(tensor), kiln_type_encoding(tensor));
    e->made[item.op][item.slice] = kiln_ir_unary(&ir, KILN_OP_TTG_LOCAL_LOAD, type, view);
}

static void multiply_slice(const expansion_t *e, kiln_step_item_t item)
{
    MlirOperation whole = e->schedule->ops[item.op].op, dot = mlirOperationClone(whole);
    for (int o = 0; o < 2; o++) {
        MlirOperation read;
        kiln_value_op(kiln_op_operand(whole, o), &read);
        mlirOperationSetOperand(dot, o, e->made[kiln_step_find(e->schedule, read)][item.slice]);
    }
    if (item.slice > 0)
        mlirOperationSetOperand(dot, 2, e->made[item.op][item.slice - 1]);
    kiln_step_remove_cluster(dot);
    mlirBlockInsertOwnedOperationBefore(e->schedule->body, e->yield, dot);
    e->made[item.op][item.slice] = kiln_op_result(dot, 0);
    if (item.slice == e->schedule->ops[item.op].slices - 1)
        kiln_value_replace(kiln_op_result(whole, 0), kiln_op_result(dot, 0));
}

// Clusters ----------------------------------------------------------------------------------------

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

static void begin_cluster(const expansion_t *e, int cluster, MlirOperation next)
{
    const kiln_step_cluster_t *before = &e->schedule->clusters[cluster - 1],
                              *own = &e->schedule->clusters[cluster];
    const kiln_ir_t ir = at_end(e, next);
    if (own->priority < before->priority)
        put_priority(&ir, own->priority);
    if (own->has_barrier)
        put_barrier(&ir);
    if (own->priority > before->priority)
        put_priority(&ir, own->priority);
    if (own->may_cross != KILN_NO_FENCE)
        kiln_put_sched_barrier(&ir, own->may_cross);
}

static void put_items(const expansion_t *e, const kiln_step_item_t *items, int count)
{
    int cluster = 0;
    for (int i = 0; i < count; i++) {
        const kiln_step_op_t *op = &e->schedule->ops[items[i].op];
        while (cluster < op->cluster[items[i].slice])
            begin_cluster(e, ++cluster, op->op);
        if (op->slices == 1)
            mlirOperationMoveBefore(op->op, e->yield);
        else if (kiln_op_kind(op->op) == KILN_OP_TT_DOT)
            multiply_slice(e, items[i]);
        else
            read_slice(e, items[i]);
    }
    while (cluster + 1 < e->schedule->cluster_count)
        begin_cluster(e, ++cluster, e->yield);
}

static void erase_cut(const expansion_t *e)
{
    for (int dots = 1; dots >= 0; dots--) // these use the reads
        for (int i = 0; i < e->schedule->count; i++) {
            const kiln_step_op_t *op = &e->schedule->ops[i];
            if (op->slices > 1 && (kiln_op_kind(op->op) == KILN_OP_TT_DOT) == dots)
                kiln_op_erase(op->op);
            else if (op->slices == 1 && !dots)
                kiln_step_remove_cluster(op->op);
        }
    kiln_step_remove_clusters(e->schedule->loop);
}

// Wave groups -------------------------------------------------------------------------------------

// Moves the halves one barrier apart before the loop, and together again after it.
static void part_halves(MlirOperation loop, int waves)
{
    const kiln_ir_t before = kiln_ir_before(loop), after = kiln_ir_after(loop);
    MlirType word = mlirIntegerTypeGet(before.context, 32);
    MlirOperation id = kiln_ir_create(
        &before,
        &(kiln_ir_op_t){.kind = KILN_OP_ROCDL_WORKITEM_ID_X, .result_count = 1, .results = &word});
    MlirValue half = kiln_ir_const_int(&before, word, waves / 2 * KILN_GFX942_LANES);
    const kiln_cmpi_t predicates[] = {KILN_CMPI_SGE, KILN_CMPI_SLT};
    for (int i = 0; i < 2; i++) {
        MlirValue condition = kiln_ir_compare(&before, predicates[i], kiln_op_result(id, 0), half);
        kiln_ir_create(i == 0 ? &before : &after, &(kiln_ir_op_t){.kind = KILN_OP_AMDG_COND_BARRIER,
                                                                  .operand_count = 1,
                                                                  .operands = &condition});
    }
}

static kiln_status_t expand(MlirOperation loop, int waves)
{
    kiln_step_schedule_t schedule;
    kiln_step_item_t *items = NULL;
    int count = 0;
    KILN_TRY(kiln_step_schedule_read(loop, &schedule));
    expansion_t e = {.schedule = &schedule, .yield = kiln_block_terminator(schedule.body)};
    kiln_status_t status = kiln_step_list(&schedule, &items, &count);
    e.made = calloc((size_t)schedule.count + 1, sizeof *e.made);
    if (!status && !e.made)
        status = kiln_status_out_of_memory();
    if (!status && schedule.wave_groups > 1 && waves < 2)
        status = kiln_status_at_op(kiln_status_make(KILN_STATUS_INVALID_INPUT, KILN_LOOP_WAVE_GROUPS
                                                    " is 2, but the workgroup has one wave"),
                                   loop);
    if (!status) {
        mlirContextGetOrLoadDialect(mlirOperationGetContext(loop),
                                    mlirStringRefCreateFromCString("rocdl"));
        put_items(&e, items, count);
        erase_cut(&e);
        if (schedule.wave_groups > 1)
            part_halves(loop, waves);
    }
    free(e.made);
    free(items);
    kiln_step_schedule_free(&schedule);
    return status;
}

kiln_status_t kiln_expand_steps(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    int waves;
    kiln_loops_t loops;
    KILN_TRY(kiln_waves_of_module(module, &waves));
    kiln_status_t status =
        kiln_loops_collect(module, MlirWalkPreOrder, kiln_step_is_scheduled, &loops);
    for (int i = 0; i < loops.count && !status; i++)
        status = expand(loops.ops[i], waves);
    free(loops.ops);
    return status;
}
