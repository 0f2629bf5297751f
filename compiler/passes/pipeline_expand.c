// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a pipelined loop: `distance` guarded iterations of what runs ahead, the loop, `distance` guarded iterations of
// what stays.
//
// The new loop counts the iteration whose loads it issues; what stays is `distance` iterations behind and, where it
// needs the old induction variable, carries its own. Its carried values are, in this order: those of the old loop that
// stay, the copies of those that run ahead, the values that wait in registers (a queue of `distance` for each such
// load, the oldest first), the old induction variable, the number of the LDS buffer.
//
// The thing one gets wrong: iteration k + distance is stored into the buffer from which iteration k has just been read,
// so stores come last.
#include "passes/pipeline_loop.h"

#include <stdlib.h>

#include "builder/ir.h"
#include "passes/clones.h"

typedef struct expansion {
    kiln_pipelined_loop_t *loop;
    MlirBlock body;
    MlirValue lower, upper, step;
    MlirValue *buffers; // of each load, all its slots
    bool uses_induction, is_unsigned, out_of_memory;
} expansion_t;

static MlirValue add_times(const kiln_ir_t *ir, MlirValue value, MlirValue step, int times)
{
    if (times == 0)
        return value;
    MlirValue factor = kiln_ir_const_int(ir, mlirValueGetType(step), times);
    MlirValue product = times == 1 ? step : kiln_ir_binary(ir, KILN_OP_ARITH_MULI, step, factor);
    return kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, value, product);
}

// Whether there is an iteration `number`; null where that is sure.
static MlirValue guard_of(const expansion_t *e, const kiln_ir_t *ir, int number)
{
    enum { SIGNED_LESS = 2, UNSIGNED_LESS = 6 };
    if (e->loop->trip_count > number)
        return (MlirValue){NULL};
    MlirType truth = mlirIntegerTypeGet(ir->context, 1);
    MlirNamedAttribute predicate = kiln_ir_named(
        ir->context, "predicate",
        mlirIntegerAttrGet(mlirIntegerTypeGet(ir->context, 64), e->is_unsigned ? UNSIGNED_LESS : SIGNED_LESS));
    MlirValue operands[] = {add_times(ir, e->lower, e->step, number), e->upper};
    kiln_ir_op_t op = {.kind = KILN_OP_ARITH_CMPI,
                       .operand_count = 2,
                       .operands = operands,
                       .result_count = 1,
                       .results = &truth,
                       .attribute_count = 1,
                       .attributes = &predicate};
    return kiln_op_result(kiln_ir_create(ir, &op), 0);
}

// Loads ----------------------------------------------------------------------------------------------------------

// A load that only happens where `guard` holds.
static void clone_guarded_load(const kiln_ir_t *at, MlirOperation op, kiln_clones_t *map, MlirValue guard)
{
    kiln_ir_t ir = *at;
    ir.loc = mlirOperationGetLocation(op);
    MlirValue pointer = kiln_clones_get(map, kiln_op_segment(op, 0)), mask = kiln_op_segment(op, 1),
              other = kiln_op_segment(op, 2);
    MlirType type = mlirValueGetType(kiln_op_result(op, 0));
    if (kiln_type_is_tensor(type)) {
        MlirType truths = kiln_type_with_element(type, mlirIntegerTypeGet(ir.context, 1));
        guard = kiln_ir_unary(&ir, KILN_OP_TT_SPLAT, truths, guard);
    }
    mask = mlirValueIsNull(mask) ? guard : kiln_ir_binary(&ir, KILN_OP_ARITH_ANDI, guard, kiln_clones_get(map, mask));
    MlirValue operands[3] = {pointer, mask};
    if (!mlirValueIsNull(other))
        operands[2] = kiln_clones_get(map, other);
    int32_t sizes[] = {1, 1, mlirValueIsNull(other) ? 0 : 1};
    enum { MAX_ATTRIBUTES = 24 };
    MlirNamedAttribute attributes[MAX_ATTRIBUTES];
    int count = 0;
    MlirNamedAttribute segments =
        kiln_ir_named(ir.context, "operandSegmentSizes", mlirDenseI32ArrayGet(ir.context, 3, sizes));
    attributes[count++] = segments;
    for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op) && count < MAX_ATTRIBUTES; i++) {
        MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
        if (!mlirIdentifierEqual(attribute.name, segments.name))
            attributes[count++] = attribute;
    }
    kiln_ir_op_t load = {.kind = KILN_OP_TT_LOAD,
                         .operand_count = mlirValueIsNull(other) ? 2 : 3,
                         .operands = operands,
                         .result_count = 1,
                         .results = &type,
                         .attribute_count = count,
                         .attributes = attributes};
    kiln_clones_put(map, kiln_op_result(op, 0), kiln_op_result(kiln_ir_create(&ir, &load), 0));
}

// One iteration of what runs ahead.
static void clone_ahead(const expansion_t *e, const kiln_ir_t *ir, kiln_clones_t *map, MlirValue guard)
{
    for (int i = 0; i < e->loop->count; i++) {
        if (!(e->loop->part[i] & KILN_AHEAD))
            continue;
        if (!mlirValueIsNull(guard) && kiln_op_kind(e->loop->body[i]) == KILN_OP_TT_LOAD)
            clone_guarded_load(ir, e->loop->body[i], map, guard);
        else
            kiln_clone(ir, e->loop->body[i], map);
    }
}

// LDS ------------------------------------------------------------------------------------------------------------

static MlirType buffer_type(const kiln_pipelined_load_t *load, int slots)
{
    MlirType type = mlirValueGetType(kiln_op_result(load->op, 0));
    int64_t shape[KILN_MAX_RANK + 1] = {slots};
    int rank = kiln_type_rank(type), outer = slots > 0 ? 1 : 0;
    for (int d = 0; d < rank; d++)
        shape[d + outer] = kiln_type_dim(type, d);
    return kiln_memdesc_type(rank + outer, shape, kiln_type_element(type), load->shared,
                             kiln_shared_memory_attr(mlirTypeGetContext(type)), true, NULL);
}

static MlirValue slot_of(const expansion_t *e, const kiln_ir_t *ir, int load, MlirValue number)
{
    MlirValue operands[] = {e->buffers[load], number};
    MlirType type = buffer_type(&e->loop->loads[load], 0);
    kiln_ir_op_t op = {.kind = KILN_OP_TTG_MEMDESC_INDEX,
                       .operand_count = 2,
                       .operands = operands,
                       .result_count = 1,
                       .results = &type};
    return kiln_op_result(kiln_ir_create(ir, &op), 0);
}

static void store_waiting(const expansion_t *e, const kiln_ir_t *ir, const kiln_clones_t *map, MlirValue slot)
{
    for (int l = 0; l < e->loop->load_count; l++) {
        const kiln_pipelined_load_t *load = &e->loop->loads[l];
        if (load->waiting != KILN_WAITS_IN_LDS)
            continue;
        kiln_ir_t at = *ir;
        at.loc = mlirOperationGetLocation(load->op);
        MlirValue operands[] = {kiln_clones_get(map, kiln_op_result(load->op, 0)), slot_of(e, &at, l, slot)};
        kiln_ir_op_t op = {.kind = KILN_OP_TTG_LOCAL_STORE, .operand_count = 2, .operands = operands};
        kiln_ir_create(&at, &op);
    }
}

// One iteration of what stays --------------------------------------------------------------------------------------

// `map` has the carried values; `in_lds` has descriptors of what waits in LDS.
typedef struct stay {
    expansion_t *e;
    kiln_ir_t ir;
    kiln_clones_t map, in_lds;
} stay_t;

static MlirType transposed_memdesc(MlirType from, MlirAttribute order)
{
    int rank = kiln_memdesc_rank(from);
    int64_t shape[KILN_MAX_RANK];
    int32_t position[KILN_MAX_RANK]; // of a dimension of `from` in the result
    for (int d = 0; d < rank; d++) {
        int32_t source = mlirDenseI32ArrayGetElement(order, d);
        shape[d] = kiln_memdesc_dim(from, source);
        position[source] = d;
    }
    MlirAttribute encoding = kiln_memdesc_encoding(from);
    kiln_swizzled_shared_t shared = kiln_swizzled_shared_get(encoding);
    kiln_swizzled_shared_t turned = shared;
    for (int d = 0; d < rank; d++)
        turned.order[d] = position[shared.order[d]];
    MlirContext context = mlirTypeGetContext(from);
    MlirAttribute result = kiln_encoding_kind(encoding) == KILN_ENCODING_ROTATING_SHARED
                               ? kiln_rotating_shared_attr(context, &turned)
                               : kiln_swizzled_shared_attr(context, &turned);
    return kiln_memdesc_type(rank, shape, kiln_memdesc_element(from), result, kiln_shared_memory_attr(context), true,
                             NULL);
}

static void fetch(stay_t *stay, MlirValue memdesc, MlirValue wanted)
{
    MlirValue loaded = kiln_ir_unary(&stay->ir, KILN_OP_TTG_LOCAL_LOAD, mlirValueGetType(wanted), memdesc);
    kiln_clones_put(&stay->map, wanted, loaded);
}

// Operands that wait in LDS and are wanted in registers as they are.
static MlirWalkResult fetch_operands(MlirOperation op, void *user)
{
    stay_t *stay = user;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue operand = mlirOperationGetOperand(op, i), memdesc = kiln_clones_find(&stay->in_lds, operand);
        if (!mlirValueIsNull(memdesc) && mlirValueIsNull(kiln_clones_find(&stay->map, operand)))
            fetch(stay, memdesc, operand);
    }
    return MlirWalkResultAdvance;
}

static void clone_staying(stay_t *stay, MlirOperation op)
{
    kiln_op_t kind = kiln_op_kind(op);
    stay->ir.loc = mlirOperationGetLocation(op);
    bool moves = kind == KILN_OP_TTG_CONVERT_LAYOUT || kind == KILN_OP_TT_TRANS;
    MlirValue memdesc = moves ? kiln_clones_find(&stay->in_lds, kiln_op_operand(op, 0)) : (MlirValue){NULL};
    if (mlirValueIsNull(memdesc)) {
        kiln_walk(op, MlirWalkPreOrder, fetch_operands, stay);
        kiln_clone(&stay->ir, op, &stay->map);
    } else if (kind == KILN_OP_TTG_CONVERT_LAYOUT) {
        fetch(stay, memdesc, kiln_op_result(op, 0));
    } else {
        MlirAttribute order = kiln_ir_attr(op, "order");
        MlirType type = transposed_memdesc(mlirValueGetType(memdesc), order);
        MlirValue turned = kiln_ir_unary_attr(&stay->ir, KILN_OP_TTG_MEMDESC_TRANS, type, memdesc, "order", order);
        kiln_clones_put(&stay->in_lds, kiln_op_result(op, 0), turned);
    }
}

static bool is_pipelined(const kiln_pipelined_loop_t *loop, int index)
{
    for (int l = 0; l < loop->load_count; l++)
        if (loop->loads[l].index == index)
            return true;
    return false;
}

// Writes the new values of the carried ones that stay to `out`. `waiting` are the heads of the register queues.
static void clone_stays(expansion_t *e, const kiln_ir_t *ir, const MlirValue *carried, const MlirValue *waiting,
                        MlirValue induction, MlirValue slot, MlirValue *out)
{
    const kiln_pipelined_loop_t *loop = e->loop;
    stay_t stay = {.e = e, .ir = *ir};
    int at = 0, queue = 0;
    for (int i = 0; i < loop->carried_count; i++)
        if (loop->carried[i] & KILN_STAYS)
            kiln_clones_put(&stay.map, mlirBlockGetArgument(e->body, i + 1), carried[at++]);
    if (e->uses_induction)
        kiln_clones_put(&stay.map, mlirBlockGetArgument(e->body, 0), induction);
    for (int l = 0; l < loop->load_count; l++) {
        MlirValue result = kiln_op_result(loop->loads[l].op, 0);
        if (loop->loads[l].waiting == KILN_WAITS_IN_LDS) {
            stay.ir.loc = mlirOperationGetLocation(loop->loads[l].op);
            kiln_clones_put(&stay.in_lds, result, slot_of(e, &stay.ir, l, slot));
        } else {
            kiln_clones_put(&stay.map, result, waiting[queue++]);
        }
    }
    for (int i = 0; i < loop->count; i++)
        if ((loop->part[i] & KILN_STAYS) && !is_pipelined(loop, i))
            clone_staying(&stay, loop->body[i]);
    MlirOperation yield = kiln_block_terminator(e->body);
    stay.ir.loc = mlirOperationGetLocation(yield);
    fetch_operands(yield, &stay);
    at = 0;
    for (int i = 0; i < loop->carried_count; i++)
        if (loop->carried[i] & KILN_STAYS)
            out[at++] = kiln_clones_get(&stay.map, mlirOperationGetOperand(yield, i));
    e->out_of_memory |= !kiln_clones_free(&stay.map);
    e->out_of_memory |= !kiln_clones_free(&stay.in_lds);
}

// The whole ------------------------------------------------------------------------------------------------------

typedef struct counts {
    int stay, ahead, queued; // carried values of each kind; queued: loads that wait in registers
    int total;
} counts_t;

static counts_t count_carried(const expansion_t *e)
{
    counts_t counts = {0};
    for (int i = 0; i < e->loop->carried_count; i++) {
        counts.stay += (e->loop->carried[i] & KILN_STAYS) != 0;
        counts.ahead += (e->loop->carried[i] & KILN_AHEAD) != 0;
    }
    bool in_lds = false;
    for (int l = 0; l < e->loop->load_count; l++) {
        counts.queued += e->loop->loads[l].waiting == KILN_WAITS_IN_REGISTERS;
        in_lds |= e->loop->loads[l].waiting == KILN_WAITS_IN_LDS;
    }
    counts.total = counts.stay + counts.ahead + counts.queued * e->loop->distance + (e->uses_induction ? 1 : 0) +
                   (in_lds && e->loop->distance > 1 ? 1 : 0);
    return counts;
}

// The parts of a list of carried values.
typedef struct carried_view {
    MlirValue *stay, *ahead, *queues, *induction, *slot; // the last two NULL where there are none
} carried_view_t;

static carried_view_t view(const expansion_t *e, const counts_t *counts, MlirValue *list)
{
    carried_view_t v = {.stay = list, .ahead = list + counts->stay};
    v.queues = v.ahead + counts->ahead;
    MlirValue *next = v.queues + counts->queued * e->loop->distance;
    if (e->uses_induction)
        v.induction = next++;
    if (next < list + counts->total)
        v.slot = next;
    return v;
}

static void map_ahead(const expansion_t *e, kiln_clones_t *map, MlirValue induction, const MlirValue *ahead)
{
    kiln_clones_put(map, mlirBlockGetArgument(e->body, 0), induction);
    for (int i = 0, at = 0; i < e->loop->carried_count; i++)
        if (e->loop->carried[i] & KILN_AHEAD)
            kiln_clones_put(map, mlirBlockGetArgument(e->body, i + 1), ahead[at++]);
}

static void next_ahead(const expansion_t *e, const kiln_clones_t *map, MlirValue *ahead)
{
    MlirOperation yield = kiln_block_terminator(e->body);
    for (int i = 0, at = 0; i < e->loop->carried_count; i++)
        if (e->loop->carried[i] & KILN_AHEAD)
            ahead[at++] = kiln_clones_get(map, mlirOperationGetOperand(yield, i));
}

static void allocate(const expansion_t *e, const kiln_ir_t *ir)
{
    for (int l = 0; l < e->loop->load_count; l++) {
        const kiln_pipelined_load_t *load = &e->loop->loads[l];
        if (load->waiting != KILN_WAITS_IN_LDS)
            continue;
        kiln_ir_t at = *ir;
        at.loc = mlirOperationGetLocation(load->op);
        MlirType type = buffer_type(load, e->loop->distance);
        kiln_ir_op_t op = {.kind = KILN_OP_TTG_LOCAL_ALLOC, .result_count = 1, .results = &type};
        e->buffers[l] = kiln_op_result(kiln_ir_create(&at, &op), 0);
    }
}

// Iterations 0 … distance − 1 of what runs ahead.
static void build_prologue(expansion_t *e, const kiln_ir_t *ir, const carried_view_t *values, MlirType i32)
{
    for (int number = 0; number < e->loop->distance; number++) {
        kiln_clones_t map = {0};
        MlirValue guard = guard_of(e, ir, number);
        map_ahead(e, &map, add_times(ir, e->lower, e->step, number), values->ahead);
        clone_ahead(e, ir, &map, guard);
        store_waiting(e, ir, &map, kiln_ir_const_int(ir, i32, number));
        for (int l = 0, queue = 0; l < e->loop->load_count; l++)
            if (e->loop->loads[l].waiting == KILN_WAITS_IN_REGISTERS)
                values->queues[queue++ * e->loop->distance + number] =
                    kiln_clones_get(&map, kiln_op_result(e->loop->loads[l].op, 0));
        next_ahead(e, &map, values->ahead);
        e->out_of_memory |= !kiln_clones_free(&map);
    }
}

// (slot + by) mod distance, for slot < distance and by < distance.
static MlirValue slot_after(const expansion_t *e, const kiln_ir_t *ir, MlirValue slot, int by)
{
    enum { SIGNED_LESS = 2 };
    MlirType type = mlirValueGetType(slot), truth = mlirIntegerTypeGet(ir->context, 1);
    if (by == 0)
        return slot;
    MlirValue moved = kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, slot, kiln_ir_const_int(ir, type, by));
    MlirValue count = kiln_ir_const_int(ir, type, e->loop->distance);
    MlirNamedAttribute predicate =
        kiln_ir_named(ir->context, "predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(ir->context, 64), SIGNED_LESS));
    MlirValue compared[] = {moved, count};
    kiln_ir_op_t compare = {.kind = KILN_OP_ARITH_CMPI,
                            .operand_count = 2,
                            .operands = compared,
                            .result_count = 1,
                            .results = &truth,
                            .attribute_count = 1,
                            .attributes = &predicate};
    MlirValue inside = kiln_op_result(kiln_ir_create(ir, &compare), 0);
    MlirValue wrapped = by == 1 ? kiln_ir_const_int(ir, type, 0) : kiln_ir_binary(ir, KILN_OP_ARITH_SUBI, moved, count);
    MlirValue choices[] = {inside, moved, wrapped};
    kiln_ir_op_t select = {
        .kind = KILN_OP_ARITH_SELECT, .operand_count = 3, .operands = choices, .result_count = 1, .results = &type};
    return kiln_op_result(kiln_ir_create(ir, &select), 0);
}

static void heads_of_queues(const expansion_t *e, const counts_t *counts, const carried_view_t *values, int number,
                            MlirValue *out)
{
    for (int q = 0; q < counts->queued; q++)
        out[q] = values->queues[q * e->loop->distance + number];
}

// The new loop's body, into `block`; `arguments` and `yields` are lists of carried values.
static void build_body(expansion_t *e, const kiln_ir_t *ir, const counts_t *counts, const carried_view_t *arguments,
                       const carried_view_t *yields, MlirValue induction, MlirValue zero, MlirValue *scratch)
{
    kiln_clones_t map = {0};
    map_ahead(e, &map, induction, arguments->ahead);
    clone_ahead(e, ir, &map, (MlirValue){NULL});
    next_ahead(e, &map, yields->ahead);
    MlirValue slot = arguments->slot ? *arguments->slot : zero;
    heads_of_queues(e, counts, arguments, 0, scratch);
    MlirValue old = arguments->induction ? *arguments->induction : induction;
    clone_stays(e, ir, arguments->stay, scratch, old, slot, yields->stay);
    store_waiting(e, ir, &map, slot);
    int distance = e->loop->distance;
    for (int l = 0, queue = 0; l < e->loop->load_count; l++) {
        if (e->loop->loads[l].waiting != KILN_WAITS_IN_REGISTERS)
            continue;
        for (int i = 0; i + 1 < distance; i++)
            yields->queues[queue * distance + i] = arguments->queues[queue * distance + i + 1];
        yields->queues[queue++ * distance + distance - 1] =
            kiln_clones_get(&map, kiln_op_result(e->loop->loads[l].op, 0));
    }
    if (yields->induction)
        *yields->induction = kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, *arguments->induction, e->step);
    if (yields->slot)
        *yields->slot = slot_after(e, ir, slot, 1);
    e->out_of_memory |= !kiln_clones_free(&map);
}

static void create_yield(const kiln_ir_t *ir, int count, const MlirValue *values)
{
    kiln_ir_op_t yield = {.kind = KILN_OP_SCF_YIELD, .operand_count = count, .operands = values};
    kiln_ir_create(ir, &yield);
}

static void copy_attributes(MlirOperation from, MlirOperation to)
{
    MlirStringRef stages = mlirStringRefCreateFromCString("tt.num_stages");
    for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(from); i++) {
        MlirNamedAttribute attribute = mlirOperationGetDiscardableAttribute(from, i);
        MlirStringRef name = mlirIdentifierStr(attribute.name);
        if (!mlirStringRefEqual(name, stages))
            mlirOperationSetDiscardableAttributeByName(to, name, attribute.attribute);
    }
}

// The loop itself; `values` goes in as the initial values and comes out as the results.
static void build_loop(expansion_t *e, const kiln_ir_t *ir, const counts_t *counts, MlirValue *values, MlirValue zero,
                       MlirValue *arguments, MlirValue *yields, MlirValue *scratch)
{
    int total = counts->total;
    MlirType *types = calloc((size_t)total + 1, sizeof *types);
    MlirLocation *locs = calloc((size_t)total + 1, sizeof *locs);
    MlirValue *operands = calloc((size_t)total + 3, sizeof *operands);
    e->out_of_memory |= !types || !locs || !operands;
    if (!e->out_of_memory) {
        operands[0] = add_times(ir, e->lower, e->step, e->loop->distance);
        operands[1] = e->upper;
        operands[2] = e->step;
        types[0] = mlirValueGetType(e->lower);
        locs[0] = ir->loc;
        for (int i = 0; i < total; i++) {
            operands[3 + i] = values[i];
            types[1 + i] = mlirValueGetType(values[i]);
            locs[1 + i] = ir->loc;
        }
        MlirBlock block = mlirBlockCreate(total + 1, types, locs);
        MlirRegion region = mlirRegionCreate();
        mlirRegionAppendOwnedBlock(region, block);
        MlirNamedAttribute unsigned_compare = kiln_ir_named(ir->context, "unsignedCmp", mlirUnitAttrGet(ir->context));
        kiln_ir_op_t op = {.kind = KILN_OP_SCF_FOR,
                           .operand_count = total + 3,
                           .operands = operands,
                           .result_count = total,
                           .results = types + 1,
                           .region_count = 1,
                           .regions = &region,
                           .attribute_count = e->is_unsigned ? 1 : 0,
                           .attributes = &unsigned_compare};
        MlirOperation made = kiln_ir_create(ir, &op);
        copy_attributes(e->loop->op, made);
        for (int i = 0; i < total; i++) {
            arguments[i] = mlirBlockGetArgument(block, i + 1);
            values[i] = mlirOperationGetResult(made, i);
        }
        kiln_ir_t inside = kiln_ir_at_end(block, ir->loc);
        carried_view_t in = view(e, counts, arguments), out = view(e, counts, yields);
        build_body(e, &inside, counts, &in, &out, mlirBlockGetArgument(block, 0), zero, scratch);
        create_yield(&inside, total, yields);
    }
    free(types);
    free(locs);
    free(operands);
}

// Iteration `number` of those still to be finished, where it exists. `values` is updated.
static void build_last(expansion_t *e, const kiln_ir_t *ir, const counts_t *counts, const carried_view_t *values,
                       int number, MlirValue zero, MlirValue *scratch, MlirValue *results)
{
    MlirValue guard = guard_of(e, ir, number);
    kiln_ir_t inside = *ir;
    MlirOperation branch = {NULL};
    if (!mlirValueIsNull(guard)) {
        MlirRegion regions[2];
        for (int r = 0; r < 2; r++) {
            regions[r] = mlirRegionCreate();
            mlirRegionAppendOwnedBlock(regions[r], mlirBlockCreate(0, NULL, NULL));
        }
        MlirType *types = calloc((size_t)counts->stay + 1, sizeof *types);
        e->out_of_memory |= !types;
        for (int i = 0; i < counts->stay && types; i++)
            types[i] = mlirValueGetType(values->stay[i]);
        kiln_ir_op_t op = {.kind = KILN_OP_SCF_IF,
                           .operand_count = 1,
                           .operands = &guard,
                           .result_count = types ? counts->stay : 0,
                           .results = types,
                           .region_count = 2,
                           .regions = regions};
        branch = kiln_ir_create(ir, &op);
        free(types);
        inside = kiln_ir_at_end(kiln_op_body(branch, 0), ir->loc);
        kiln_ir_t otherwise = kiln_ir_at_end(kiln_op_body(branch, 1), ir->loc);
        create_yield(&otherwise, counts->stay, values->stay);
    }
    MlirValue slot = values->slot ? slot_after(e, &inside, *values->slot, number) : zero;
    MlirValue induction = values->induction ? add_times(&inside, *values->induction, e->step, number) : e->lower;
    heads_of_queues(e, counts, values, number, scratch);
    clone_stays(e, &inside, values->stay, scratch, induction, slot, results);
    if (!mlirOperationIsNull(branch))
        create_yield(&inside, counts->stay, results);
    for (int i = 0; i < counts->stay; i++)
        values->stay[i] = mlirOperationIsNull(branch) ? results[i] : mlirOperationGetResult(branch, i);
}

typedef struct use_search {
    MlirValue value;
    bool found;
} use_search_t;

static MlirWalkResult find_use(MlirOperation op, void *user)
{
    use_search_t *search = user;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        search->found |= mlirValueEqual(mlirOperationGetOperand(op, i), search->value);
    return search->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether what stays needs the induction variable.
static bool staying_uses_induction(const expansion_t *e)
{
    use_search_t search = {mlirBlockGetArgument(e->body, 0), false};
    for (int i = 0; i < e->loop->count && !search.found; i++)
        if ((e->loop->part[i] & KILN_STAYS) && !is_pipelined(e->loop, i))
            kiln_walk(e->loop->body[i], MlirWalkPreOrder, find_use, &search);
    MlirOperation yield = kiln_block_terminator(e->body);
    for (int i = 0; i < e->loop->carried_count; i++)
        if (e->loop->carried[i] & KILN_STAYS)
            search.found |= mlirValueEqual(mlirOperationGetOperand(yield, i), search.value);
    return search.found;
}

kiln_status_t kiln_pipeline_expand(kiln_pipelined_loop_t *loop)
{
    MlirOperation op = loop->op;
    expansion_t e = {.loop = loop,
                     .body = kiln_op_body(op, 0),
                     .lower = kiln_op_operand(op, 0),
                     .upper = kiln_op_operand(op, 1),
                     .step = kiln_op_operand(op, 2),
                     .is_unsigned = !mlirAttributeIsNull(kiln_ir_attr(op, "unsignedCmp"))};
    e.uses_induction = staying_uses_induction(&e);
    counts_t counts = count_carried(&e);
    size_t room = (size_t)counts.total + (size_t)loop->load_count + 1;
    MlirValue *lists = calloc(room * 5, sizeof *lists);
    if (!lists)
        return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no memory to pipeline a loop");
    MlirValue *values = lists, *arguments = lists + room, *yields = lists + 2 * room, *scratch = lists + 3 * room;
    e.buffers = lists + 4 * room;

    kiln_ir_t ir = kiln_ir_before(op);
    MlirType i32 = mlirIntegerTypeGet(ir.context, 32);
    MlirValue zero = kiln_ir_const_int(&ir, i32, 0);
    carried_view_t v = view(&e, &counts, values);
    for (int i = 0, stay = 0, ahead = 0; i < loop->carried_count; i++) {
        MlirValue initial = kiln_op_operand(op, 3 + i);
        if (loop->carried[i] & KILN_STAYS)
            v.stay[stay++] = initial;
        if (loop->carried[i] & KILN_AHEAD)
            v.ahead[ahead++] = initial;
    }
    if (v.induction)
        *v.induction = e.lower;
    if (v.slot)
        *v.slot = zero;
    allocate(&e, &ir);
    build_prologue(&e, &ir, &v, i32);
    build_loop(&e, &ir, &counts, values, zero, arguments, yields, scratch);
    for (int number = 0; number < loop->distance && !e.out_of_memory; number++)
        build_last(&e, &ir, &counts, &v, number, zero, scratch, yields);
    for (int i = 0, stay = 0; i < loop->carried_count && !e.out_of_memory; i++)
        if (loop->carried[i] & KILN_STAYS)
            kiln_value_replace(mlirOperationGetResult(op, i), v.stay[stay++]);
    if (!e.out_of_memory)
        kiln_op_erase(op);
    free(lists);
    return e.out_of_memory ? kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no memory to pipeline a loop") : KILN_OK;
}
