// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a loop's default schedule: creates an equivalent loop in which each operation has its
// stage.
//
//   operations that run ahead                stage 0, cluster 0
//   ttg.local_alloc of values in LDS         stage 0, cluster 2
//   operations that stay                     the last stage, cluster 1
//
// The new loop first carries the old loop's values that stay, then copies of those that run ahead.
// Note that the value of a load that waits in LDS is read at its uses, in the layout of the use: a
// conversion of it becomes a read, and a transposition a read of a transposed view.
#include "passes/loops/for_loop.h"
#include "passes/pipelining/default_schedule.h"

#include <stdlib.h>

#include "builder/ir.h"
#include "passes/pipelining/schedule.h"
#include "passes/rewrite/clones.h"

enum { CLUSTER_AHEAD, CLUSTER_STAYS, CLUSTER_WRITE };

// A copy of the loop's body under construction. `ahead` and `stays` map the loop's values to their
// replacements; `in_lds` maps to the descriptors of values in LDS, `transposed` to the buffers that
// are read transposed.
typedef struct writer {
    const kiln_default_schedule_t *loop;
    MlirBlock body; // the old one
    kiln_ir_t ir;
    kiln_clones_t ahead, stays, in_lds, transposed;
} writer_t;

static void set_stage(MlirOperation op, int stage, int cluster)
{
    kiln_ir_set_int_attr(op, KILN_LOOP_STAGE, stage);
    kiln_ir_set_int_attr(op, KILN_LOOP_CLUSTER, cluster);
}

static void set_value_stage(MlirValue value, int stage, int cluster)
{
    set_stage(mlirOpResultGetOwner(value), stage, cluster);
}

// Operations that run ahead -----------------------------------------------------------------------

static void write_ahead(writer_t *w)
{
    for (int i = 0; i < w->loop->count; i++)
        if (w->loop->part[i] & KILN_AHEAD)
            set_stage(kiln_clone(&w->ir, w->loop->body[i], &w->ahead), 0, CLUSTER_AHEAD);
}

static MlirType buffer_type(const kiln_ahead_load_t *load, MlirAttribute encoding)
{
    MlirType type = mlirValueGetType(kiln_op_result(load->op, 0));
    int64_t shape[KILN_MAX_RANK];
    int rank = kiln_type_rank(type);
    for (int d = 0; d < rank; d++)
        shape[d] = kiln_type_dim(type, d);
    return kiln_memdesc_type(rank, shape, kiln_type_element(type), encoding,
                             kiln_shared_memory_attr(mlirTypeGetContext(type)), true, NULL);
}

static MlirValue write_buffer(writer_t *w, MlirType type, MlirValue value)
{
    MlirValue buffer = kiln_ir_unary(&w->ir, KILN_OP_TTG_LOCAL_ALLOC, type, value);
    set_value_stage(buffer, 0, CLUSTER_WRITE);
    return buffer;
}

// Passes the loaded values to the operations that stay: as buffers, or directly.
static void write_buffers(writer_t *w)
{
    for (int l = 0; l < w->loop->load_count; l++) {
        const kiln_ahead_load_t *load = &w->loop->loads[l];
        MlirValue old = kiln_op_result(load->op, 0), value = kiln_clones_get(&w->ahead, old);
        if (load->waiting == KILN_WAITS_IN_REGISTERS) {
            kiln_clones_put(&w->stays, old, value);
            continue;
        }
        w->ir.loc = mlirOperationGetLocation(load->op);
        MlirValue first = write_buffer(w, buffer_type(load, load->shared), value), second = first;
        if (!mlirAttributeIsNull(load->second))
            second = write_buffer(w, buffer_type(load, load->second), value);
        kiln_clones_put(&w->in_lds, old, load->is_second_transposed ? first : second);
        kiln_clones_put(&w->transposed, old, load->is_second_transposed ? second : first);
    }
}

// Operations that stay ----------------------------------------------------------------------------

static MlirType transposed_memdesc(MlirType from, MlirAttribute order)
{
    int rank = kiln_memdesc_rank(from);
    int64_t shape[KILN_MAX_RANK];
    int32_t position[KILN_MAX_RANK]; // position of a dimension of `from` in the result
    for (int d = 0; d < rank; d++) {
        int32_t source = mlirDenseI32ArrayGetElement(order, d);
        shape[d] = kiln_memdesc_dim(from, source);
        position[source] = d;
    }
    MlirAttribute encoding = kiln_memdesc_encoding(from);
    kiln_swizzled_shared_t shared = kiln_swizzled_shared_get(encoding);
    kiln_swizzled_shared_t transposed = shared;
    for (int d = 0; d < rank; d++)
        transposed.order[d] = position[shared.order[d]];
    MlirContext context = mlirTypeGetContext(from);
    MlirAttribute result = kiln_encoding_kind(encoding) == KILN_ENCODING_ROTATING_SHARED
                               ? kiln_rotating_shared_attr(context, &transposed)
                               : kiln_swizzled_shared_attr(context, &transposed);
    return kiln_memdesc_type(rank, shape, kiln_memdesc_element(from), result,
                             kiln_shared_memory_attr(context), true, NULL);
}

static void fetch(writer_t *w, MlirValue memdesc, MlirValue wanted)
{
    MlirValue loaded =
        kiln_ir_unary(&w->ir, KILN_OP_TTG_LOCAL_LOAD, mlirValueGetType(wanted), memdesc);
    set_value_stage(loaded, w->loop->distance, CLUSTER_STAYS);
    kiln_clones_put(&w->stays, wanted, loaded);
}

// Reads operands that wait in LDS and are needed unchanged in registers.
static bool fetch_operand(MlirValue operand, void *user)
{
    writer_t *w = user;
    MlirValue memdesc = kiln_clones_find(&w->in_lds, operand);
    if (!mlirValueIsNull(memdesc) && mlirValueIsNull(kiln_clones_find(&w->stays, operand)))
        fetch(w, memdesc, operand);
    return true;
}

static void write_staying(writer_t *w, MlirOperation op)
{
    kiln_op_t kind = kiln_op_kind(op);
    w->ir.loc = mlirOperationGetLocation(op);
    bool moves = kind == KILN_OP_TTG_CONVERT_LAYOUT || kind == KILN_OP_TT_TRANS;
    MlirValue memdesc =
        moves ? kiln_clones_find(&w->in_lds, kiln_op_operand(op, 0)) : (MlirValue){NULL};
    if (mlirValueIsNull(memdesc)) {
        kiln_visit_operands(op, fetch_operand, w);
        set_stage(kiln_clone(&w->ir, op, &w->stays), w->loop->distance, CLUSTER_STAYS);
    } else if (kind == KILN_OP_TTG_CONVERT_LAYOUT) {
        fetch(w, memdesc, kiln_op_result(op, 0));
    } else {
        MlirAttribute order = kiln_ir_attr(op, "order");
        // Null if the value is transposed twice.
        MlirValue own = kiln_clones_find(&w->transposed, kiln_op_operand(op, 0));
        memdesc = mlirValueIsNull(own) ? memdesc : own;
        MlirType type = transposed_memdesc(mlirValueGetType(memdesc), order);
        MlirValue transposed =
            kiln_ir_unary_attr(&w->ir, KILN_OP_TTG_MEMDESC_TRANS, type, memdesc, "order", order);
        set_value_stage(transposed, w->loop->distance, CLUSTER_STAYS);
        kiln_clones_put(&w->in_lds, kiln_op_result(op, 0), transposed);
    }
}

static bool is_ahead_load(const kiln_default_schedule_t *loop, int index)
{
    for (int l = 0; l < loop->load_count; l++)
        if (loop->loads[l].index == index)
            return true;
    return false;
}

static void write_stays(writer_t *w)
{
    for (int i = 0; i < w->loop->count; i++)
        if ((w->loop->part[i] & KILN_STAYS) && !is_ahead_load(w->loop, i))
            write_staying(w, w->loop->body[i]);
    MlirOperation yield = kiln_block_terminator(w->body);
    w->ir.loc = mlirOperationGetLocation(yield);
    kiln_visit_operands(yield, fetch_operand, w);
}

// The loop ----------------------------------------------------------------------------------------

enum { FIRST_CARRIED = 3 }; // operand index in scf.for

static const unsigned char PARTS[] = {KILN_STAYS, KILN_AHEAD};

// Fills the body: arguments, operations, yield.
static void write_body(writer_t *w, MlirBlock block, MlirValue *yields)
{
    const kiln_default_schedule_t *loop = w->loop;
    kiln_clones_t *maps[] = {&w->stays, &w->ahead};
    int count = 0;
    for (int p = 0; p < 2; p++) {
        kiln_clones_put(maps[p], mlirBlockGetArgument(w->body, 0), mlirBlockGetArgument(block, 0));
        for (int i = 0; i < loop->carried_count; i++)
            if (loop->carried[i] & PARTS[p])
                kiln_clones_put(maps[p], mlirBlockGetArgument(w->body, i + 1),
                                mlirBlockGetArgument(block, ++count));
    }
    MlirLocation loc = w->ir.loc;
    write_ahead(w);
    write_buffers(w);
    write_stays(w);
    MlirOperation yield = kiln_block_terminator(w->body);
    count = 0;
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < loop->carried_count; i++)
            if (loop->carried[i] & PARTS[p])
                yields[count++] = kiln_clones_get(maps[p], mlirOperationGetOperand(yield, i));
    w->ir.loc = loc;
    kiln_ir_op_t op = {.kind = KILN_OP_SCF_YIELD, .operand_count = count, .operands = yields};
    kiln_ir_create(&w->ir, &op);
}

kiln_status_t kiln_default_schedule_write(const kiln_default_schedule_t *loop)
{
    static const char *const LEFT_OUT[] = {"tt.num_stages", NULL};
    int room = 2 * loop->carried_count + 1, count = 0;
    writer_t w = {.loop = loop, .body = kiln_op_body(loop->op, 0)};
    MlirValue *initial = calloc((size_t)room, sizeof *initial),
              *yields = calloc((size_t)room, sizeof *yields);
    MlirOperation made = {NULL};
    kiln_ir_t ir = kiln_ir_before(loop->op);
    if (initial && yields) {
        for (int p = 0; p < 2; p++)
            for (int i = 0; i < loop->carried_count; i++)
                if (loop->carried[i] & PARTS[p])
                    initial[count++] = kiln_op_operand(loop->op, FIRST_CARRIED + i);
        kiln_for_t what = {.lower = kiln_op_operand(loop->op, 0),
                           .upper = kiln_op_operand(loop->op, 1),
                           .step = kiln_op_operand(loop->op, 2),
                           .is_unsigned = kiln_for_is_unsigned(loop->op),
                           .initial = initial,
                           .count = count,
                           .like = loop->op,
                           .left_out = LEFT_OUT};
        made = kiln_for_create(&ir, &what);
    }
    bool fits = !mlirOperationIsNull(made);
    if (fits) {
        MlirBlock block = kiln_op_body(made, 0);
        kiln_ir_set_int_attr(made, KILN_LOOP_LAST_STAGE, loop->distance);
        w.ir = kiln_ir_at_end(block, ir.loc);
        write_body(&w, block, yields);
        for (int i = 0, stay = 0; i < loop->carried_count; i++)
            if (loop->carried[i] & KILN_STAYS)
                kiln_value_replace(mlirOperationGetResult(loop->op, i),
                                   mlirOperationGetResult(made, stay++));
    }
    fits &= kiln_clones_free(&w.ahead);
    fits &= kiln_clones_free(&w.stays);
    fits &= kiln_clones_free(&w.in_lds);
    fits &= kiln_clones_free(&w.transposed);
    if (fits)
        kiln_op_erase(loop->op);
    free(initial);
    free(yields);
    return fits ? KILN_OK : kiln_status_out_of_memory();
}
