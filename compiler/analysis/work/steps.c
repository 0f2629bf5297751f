// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of a program: what each operation on tiles of data costs, in units of a simple vector
// instruction on 64 elements.
//
// Units of elementwise operations follow effects.def: recomputing an operation costs as much as
// computing it.
#include <stdlib.h>

#include <mlir-c/BuiltinTypes.h>

#include "analysis/work/reader.h"
#include "base/array.h"
#include "builder/op_facts.h"

// Instructions, in units of a simple one. A transcendental instruction takes four (gfx942.def,
// TRANS_CYCLES).
enum {
    MATH_UNITS = 4,
    EXPONENTIAL_UNITS = 10, // exp and logarithms, which scale for subnormals; not exp2
    DIVISION_UNITS = 14,    // f32: scale, reciprocal, five multiply-adds, fixup
    REMAINDER_UNITS = 20,   // integers
    LIBRARY_UNITS = 40,     // a function of the device libraries
    TO_BF16_UNITS = 5,      // gfx942 has no instruction
    WIDE_UNITS = 2,         // 64 bits in two halves
    INLINE_UNITS = 4        // of inline assembly
};

static kiln_work_item_t *add_item(kiln_work_reader_t *reader, kiln_work_kind_t kind, int place,
                                  MlirType tile)
{
    kiln_work_program_t *program = reader->program;
    if (!KILN_ARRAY_RESERVE(&program->items, &program->item_capacity, program->item_count + 1))
        return NULL;
    kiln_work_item_t *item = &program->items[program->item_count++];
    *item = (kiln_work_item_t){.step = {.kind = kind,
                                        .region = (unsigned)place,
                                        .elements = kiln_type_count(tile),
                                        .bits = (unsigned)kiln_type_bits(tile),
                                        .argument = -1,
                                        .fast_dim = -1,
                                        .share = 1,
                                        .unique = 1},
                               .pointer = -1,
                               .mask = -1,
                               .made_in = place,
                               .loaded_by = -1};
    return item;
}

static const kiln_node_t *node_of(const kiln_work_reader_t *reader, MlirValue value)
{
    const int number = kiln_work_node_of(reader, value);
    return number < 0 ? NULL : &reader->program->nodes[number];
}

// Elementwise -------------------------------------------------------------------------------------

static double units_of(MlirOperation op)
{
    const kiln_op_t kind = kiln_op_kind(op);
    const kiln_op_facts_t *facts = kiln_op_facts(kind);
    const MlirType element = kiln_type_element(mlirValueGetType(kiln_op_result(op, 0)));
    const double width =
        mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) > 32 ? WIDE_UNITS : 1;
    if (facts->traits & KILN_LIBRARY)
        return LIBRARY_UNITS;
    if (facts->traits & KILN_DIVIDES)
        return REMAINDER_UNITS * width;
    if (kind == KILN_OP_MATH_EXP || kind == KILN_OP_MATH_LOG || kind == KILN_OP_MATH_LOG2 ||
        kind == KILN_OP_MATH_LOG10)
        return EXPONENTIAL_UNITS;
    if (kind == KILN_OP_TT_ELEMENTWISE_INLINE_ASM)
        return INLINE_UNITS;
    if (kind == KILN_OP_ARITH_TRUNCF && mlirTypeIsABF16(element))
        return TO_BF16_UNITS;
    switch (facts->remat) {
    case KILN_REMAT_CHEAP:
        return width;
    case KILN_REMAT_MATH:
        return MATH_UNITS;
    case KILN_REMAT_DIVISION:
        return DIVISION_UNITS;
    default:
        return 0;
    }
}

// The operations of a region that is applied to each element, except its end.
static double units_of_region(MlirOperation op)
{
    double units = 0;
    const MlirBlock body = kiln_op_body(op, 0);
    for (MlirOperation inner = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(inner);
         inner = mlirOperationGetNextInBlock(inner))
        if (mlirOperationGetNumResults(inner))
            units += units_of(inner);
    return units;
}

static bool read_elementwise(kiln_work_reader_t *reader, MlirOperation op, int place)
{
    const MlirValue result = kiln_op_result(op, 0);
    const MlirType type = mlirValueGetType(result);
    const kiln_node_t *node = node_of(reader, result);
    const bool is_region = kiln_op_kind(op) == KILN_OP_TT_MAP_ELEMENTWISE;
    if (!kiln_type_is_tensor(type) || !node || !node->is_data)
        return true;
    const double units = is_region ? units_of_region(op) : units_of(op);
    if (units <= 0)
        return true;
    kiln_work_item_t *item = add_item(reader, KILN_WORK_VECTOR, place, type);
    if (item)
        item->step.units = units;
    return item != NULL;
}

static bool read_reduction(kiln_work_reader_t *reader, MlirOperation op, int place)
{
    const MlirType type = mlirValueGetType(kiln_op_operand(op, 0));
    const int axis = (int)kiln_ir_int_attr(op, "axis", 0);
    kiln_work_item_t *item = add_item(reader, KILN_WORK_REDUCE, place, type);
    if (!item)
        return false;
    item->step.units = units_of_region(op);
    item->step.results = kiln_op_kind(op) == KILN_OP_TT_SCAN
                             ? item->step.elements
                             : item->step.elements / kiln_type_dim(type, axis);
    return true;
}

// Only data moves; an index is computed where it is needed.
static bool read_exchange(kiln_work_reader_t *reader, MlirOperation op, int place)
{
    const MlirValue result = kiln_op_result(op, 0);
    const kiln_node_t *node = node_of(reader, result);
    if (!kiln_type_is_tensor(mlirValueGetType(result)) || !node || !node->is_data ||
        kiln_work_only_feeds_dots(result))
        return true;
    return add_item(reader, KILN_WORK_EXCHANGE, place, mlirValueGetType(result)) != NULL;
}

// Dots --------------------------------------------------------------------------------------------

bool kiln_work_only_feeds_dots(MlirValue value)
{
    bool feeds = false;
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        const MlirOperation user = mlirOpOperandGetOwner(use);
        const kiln_op_t kind = kiln_op_kind(user);
        if (kind == KILN_OP_TT_TRANS)
            feeds = kiln_work_only_feeds_dots(kiln_op_result(user, 0));
        else
            feeds = kind == KILN_OP_TT_DOT && mlirOpOperandGetOperandNumber(use) < 2;
        if (!feeds)
            return false;
    }
    return feeds;
}

// Follows a value that is loaded in the place, possibly with arithmetic after it, to its load.
static bool is_loaded_in(const kiln_work_reader_t *reader, MlirValue value, int place,
                         MlirValue *out_load, bool *out_is_flipped)
{
    enum { STEPS = 16 };
    MlirOperation op;
    *out_is_flipped = false;
    for (int i = 0; i < STEPS; i++) {
        const kiln_op_t kind = kiln_value_op(value, &op);
        const kiln_node_t *node = node_of(reader, value);
        if (!node || node->place != place || mlirOperationIsNull(op))
            return false;
        *out_load = value;
        if (kind == KILN_OP_TT_LOAD)
            return true;
        *out_is_flipped ^= kind == KILN_OP_TT_TRANS;
        if (!kiln_op_has(kind, KILN_ELEMENTWISE) && kind != KILN_OP_TT_TRANS &&
            kind != KILN_OP_TT_RESHAPE)
            return false;
        value = kiln_op_operand(op, 0);
    }
    return false;
}

static void plan_matrix(const kiln_work_reader_t *reader, MlirOperation op, int rank,
                        kiln_work_step_t *step)
{
    static const int sides[KILN_WORK_SIDE_CHOICES] = {0, 16, 32};
    for (int w = 0; w < KILN_WORK_WAVE_CHOICES; w++)
        for (int s = 0; s < KILN_WORK_SIDE_CHOICES; s++) {
            const kiln_dot_plan_t plan = kiln_dot_plan(&reader->dots, op, sides[s], 1 << w);
            kiln_work_matrix_t *matrix = &step->matrix[w][s];
            *matrix = (kiln_work_matrix_t){.warps_m = 1, .warps_n = 1, .warps_batch = 1};
            if (!plan.instruction)
                continue;
            matrix->m = plan.instruction->m;
            matrix->n = plan.instruction->n;
            matrix->k = plan.instruction->k;
            matrix->cycles = plan.instruction->cycles;
            matrix->warps_m = plan.warps[rank - 2];
            matrix->warps_n = plan.warps[rank - 1];
            matrix->warps_batch = rank == 3 ? plan.warps[0] : 1;
        }
}

// An operand is read through LDS where it is computed: outside a loop that does not change it.
static bool read_operand(kiln_work_reader_t *reader, MlirOperation op, int place, size_t dot,
                         int index)
{
    const MlirValue value = kiln_op_operand(op, index);
    const kiln_node_t *node = node_of(reader, value);
    kiln_work_item_t *item = add_item(reader, KILN_WORK_OPERAND, place, mlirValueGetType(value));
    if (!item)
        return false;
    item->made_in = node ? node->place : place;
    item->step.dot = (unsigned)dot;
    item->step.operand = (unsigned)index;
    MlirValue load = value;
    item->step.is_result = index == 0 && kiln_dot_is_chain_tail(op);
    item->step.is_prefetched = is_loaded_in(reader, value, place, &load, &item->is_flipped);
    if (item->step.is_prefetched)
        item->loaded_by = kiln_pointer_map_get(&reader->loads, load.ptr);
    return true;
}

static bool read_dot(kiln_work_reader_t *reader, MlirOperation op, int place)
{
    const MlirType type = mlirValueGetType(kiln_op_result(op, 0)),
                   a = mlirValueGetType(kiln_op_operand(op, 0));
    const int rank = kiln_type_rank(type);
    const size_t number = reader->program->item_count;
    kiln_work_item_t *item = add_item(reader, KILN_WORK_DOT, place, type);
    if (!item)
        return false;
    kiln_work_step_t *step = &item->step;
    step->m = kiln_type_dim(type, rank - 2);
    step->n = kiln_type_dim(type, rank - 1);
    step->k = kiln_type_dim(a, kiln_type_rank(a) - 1);
    step->batch = rank == 3 ? kiln_type_dim(type, 0) : 1;
    for (int i = 0; i < 2; i++)
        step->operand_bits[i] = (unsigned)kiln_type_bits(mlirValueGetType(kiln_op_operand(op, i)));
    step->is_chained = kiln_dot_is_chained(&reader->dots, op);
    plan_matrix(reader, op, rank, step);
    reader->program->places[place].has_dot = true;
    return read_operand(reader, op, place, number, 0) && read_operand(reader, op, place, number, 1);
}

// Accesses ----------------------------------------------------------------------------------------

// The pointer argument that an address is computed from.
static int argument_of(const kiln_work_program_t *program, int node)
{
    enum { STEPS = 64 };
    for (int i = 0; i < STEPS && node >= 0; i++) {
        const kiln_node_t *n = &program->nodes[node];
        if (n->kind == KILN_NODE_ARGUMENT)
            return (int)n->value;
        if (n->kind == KILN_NODE_DATA)
            return -1;
        node = n->operands[n->op == KILN_OP_ARITH_SELECT || n->op == KILN_OP_SCF_IF ? 1 : 0];
    }
    return -1;
}

static bool read_access(kiln_work_reader_t *reader, MlirOperation op, int place,
                        kiln_work_kind_t kind, MlirValue pointer, MlirValue mask)
{
    kiln_work_program_t *program = reader->program;
    const MlirType type = mlirValueGetType(pointer);
    kiln_work_item_t *item = add_item(reader, kind, place, type);
    if (!item)
        return false;
    const MlirType element = kiln_type_element(type);
    if (kiln_type_is_ptr(element) && !kiln_type_is_tensor(kiln_ptr_pointee(element)))
        item->step.bits = (unsigned)kiln_type_bits(kiln_ptr_pointee(element));
    item->step.bits = item->step.bits < 8 ? 8 : item->step.bits;
    item->pointer = kiln_work_node_of(reader, pointer);
    item->mask = kiln_work_node_of(reader, mask);
    item->step.argument = argument_of(program, item->pointer);
    item->step.feeds_dot =
        kind == KILN_WORK_LOAD && kiln_work_only_feeds_dots(kiln_op_result(op, 0));
    if (kind == KILN_WORK_LOAD) {
        const MlirValue loaded = kiln_op_result(op, 0);
        const kiln_node_t *node = node_of(reader, loaded);
        kiln_place_node_t *around = &program->places[place];
        if (!kiln_pointer_map_put(&reader->loads, loaded.ptr, (int)program->item_count - 1))
            return false;
        if (node && node->depth > (int)around->load_depth)
            around->load_depth = (unsigned)node->depth;
    }
    return true;
}

bool kiln_work_read_step(kiln_work_reader_t *reader, MlirOperation op, int place)
{
    const MlirValue none = {NULL};
    switch (kiln_op_kind(op)) {
    case KILN_OP_TT_LOAD:
        return read_access(reader, op, place, KILN_WORK_LOAD, kiln_op_segment(op, 0),
                           kiln_op_segment(op, 1));
    case KILN_OP_TT_STORE:
        return read_access(reader, op, place, KILN_WORK_STORE, kiln_op_segment(op, 0),
                           kiln_op_segment(op, 2));
    case KILN_OP_TT_ATOMIC_RMW:
        return read_access(reader, op, place, KILN_WORK_ATOMIC, kiln_op_operand(op, 0),
                           mlirOperationGetNumOperands(op) > 2 ? kiln_op_operand(op, 2) : none);
    case KILN_OP_TT_ATOMIC_CAS:
        return read_access(reader, op, place, KILN_WORK_ATOMIC, kiln_op_operand(op, 0), none);
    case KILN_OP_TT_DOT:
        return read_dot(reader, op, place);
    case KILN_OP_TT_REDUCE:
    case KILN_OP_TT_SCAN:
        return read_reduction(reader, op, place);
    case KILN_OP_TT_GATHER:
    case KILN_OP_TT_HISTOGRAM:
    case KILN_OP_TT_TRANS:
    case KILN_OP_TT_CAT:
        return read_exchange(reader, op, place);
    default:
        return mlirOperationGetNumResults(op) == 0 ||
               !(kiln_op_has(kiln_op_kind(op), KILN_ELEMENTWISE) ||
                 kiln_op_kind(op) == KILN_OP_TT_MAP_ELEMENTWISE) ||
               read_elementwise(reader, op, place);
    }
}
