// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a module's function into nodes, places and steps (program.h).
//
// Arithmetic on integers that no data decides becomes nodes but no steps: Kiln keeps indices as
// lane + uniform + constant, so that they cost little. steps.c has what each operation costs.
#include "analysis/work/reader.h"

#include <stdlib.h>

#include <mlir-c/BuiltinAttributes.h>

#include "analysis/waves/waves.h"
#include "base/array.h"
#include "builder/compare.h"
#include "builder/count_iterations.h"
#include "builder/op_facts.h"

// Nodes -------------------------------------------------------------------------------------------

enum { MAX_BITS = 64 }; // of a number that is evaluated

static bool is_integer(MlirType type)
{
    const MlirType element = kiln_type_element(type);
    if (kiln_type_bits(type) > MAX_BITS)
        return false;
    return mlirTypeIsAInteger(element) || mlirTypeIsAIndex(element) || kiln_type_is_ptr(element);
}

int kiln_work_node_of(const kiln_work_reader_t *reader, MlirValue value)
{
    return mlirValueIsNull(value) ? -1 : kiln_pointer_map_get(&reader->numbers, value.ptr);
}

// Adds a node for a value. Returns its number; −1 if memory is exhausted.
static int add_node(kiln_work_reader_t *reader, MlirValue value, kiln_node_t node)
{
    kiln_work_program_t *program = reader->program;
    const MlirType type = mlirValueGetType(value);
    if (!KILN_ARRAY_RESERVE(&program->nodes, &program->node_capacity, program->node_count + 1) ||
        !kiln_pointer_map_put(&reader->numbers, value.ptr, (int)program->node_count))
        return -1;
    node.bits = kiln_type_bits(type);
    node.rank = kiln_type_rank(type);
    if (node.rank > KILN_POINT_RANK || node.bits > MAX_BITS) {
        node.kind = KILN_NODE_DATA;
        node.rank = 0; // its elements are not looked at
        node.operands[0] = -1;
    }
    for (int d = 0; d < node.rank; d++)
        node.dims[d] = kiln_type_dim(type, d);
    program->nodes[program->node_count] = node;
    return (int)program->node_count++;
}

static const kiln_node_t no_node = {.operands = {-1, -1, -1}};

static bool is_evaluated(kiln_op_t kind)
{
    switch (kind) {
    case KILN_OP_TT_ADDPTR:
    case KILN_OP_TT_SPLAT:
    case KILN_OP_TT_UNSPLAT:
    case KILN_OP_TT_EXPAND_DIMS:
    case KILN_OP_TT_BROADCAST:
    case KILN_OP_TT_RESHAPE:
    case KILN_OP_TT_TRANS:
    case KILN_OP_TT_MAKE_RANGE:
    case KILN_OP_TT_INT_TO_PTR:
    case KILN_OP_TT_PTR_TO_INT:
    case KILN_OP_TT_BITCAST:
    case KILN_OP_ARITH_CMPI:
    case KILN_OP_ARITH_SELECT:
    case KILN_OP_ARITH_EXTSI:
    case KILN_OP_ARITH_EXTUI:
    case KILN_OP_ARITH_TRUNCI:
    case KILN_OP_ARITH_INDEX_CAST:
    case KILN_OP_ARITH_INDEX_CASTUI:
        return true;
    default:
        return kind >= KILN_OP_ARITH_ADDI && kind <= KILN_OP_ARITH_MAXUI;
    }
}

// The attribute that an operation's meaning needs.
static int64_t attribute_of(MlirOperation op, kiln_op_t kind)
{
    MlirAttribute order;
    int64_t value = 0;
    switch (kind) {
    case KILN_OP_TT_ADDPTR: {
        const MlirType pointer = kiln_type_element(mlirValueGetType(kiln_op_operand(op, 0)));
        const int bits = kiln_type_bits(kiln_ptr_pointee(pointer));
        return bits <= 8 ? 1 : bits / 8;
    }
    case KILN_OP_TT_EXPAND_DIMS:
        return kiln_ir_int_attr(op, "axis", 0);
    case KILN_OP_TT_MAKE_RANGE:
        return kiln_ir_int_attr(op, "start", 0);
    case KILN_OP_ARITH_CMPI:
        return kiln_cmpi_of(op);
    case KILN_OP_TT_TRANS:
        order = kiln_ir_attr(op, "order");
        for (intptr_t d = 0; d < mlirDenseArrayGetNumElements(order) && d < KILN_POINT_RANK; d++)
            value |= (int64_t)mlirDenseI32ArrayGetElement(order, d) << 4 * d;
        return value;
    default:
        return 0;
    }
}

// Whether the value of an operation on data is data; sets its depth and operands' numbers.
static bool look_at_operands(const kiln_work_reader_t *reader, MlirOperation op, kiln_node_t *node,
                             bool *out_are_known)
{
    bool is_data = false;
    *out_are_known = true;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        const int number = kiln_work_node_of(reader, mlirOperationGetOperand(op, i));
        if (number < 0) {
            *out_are_known = false;
            continue;
        }
        const kiln_node_t *from = &reader->program->nodes[number];
        is_data |= from->is_data;
        if (from->place == node->place && from->depth > node->depth)
            node->depth = from->depth;
        if (i < 3)
            node->operands[i] = number;
        *out_are_known &=
            from->rank == kiln_type_rank(mlirValueGetType(mlirOperationGetOperand(op, i)));
    }
    return is_data;
}

static bool read_results(kiln_work_reader_t *reader, MlirOperation op, int place)
{
    const kiln_op_t kind = kiln_op_kind(op);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        const MlirValue result = mlirOperationGetResult(op, i);
        kiln_node_t node = no_node;
        bool are_known;
        node.place = place;
        node.op = kind;
        node.is_data = look_at_operands(reader, op, &node, &are_known);
        const bool makes_data =
            kiln_op_own_effects(op) || kind == KILN_OP_TT_DOT || kind == KILN_OP_TT_DOT_SCALED;
        if (kind == KILN_OP_TT_GET_PROGRAM_ID || kind == KILN_OP_TT_GET_NUM_PROGRAMS) {
            node.kind =
                kind == KILN_OP_TT_GET_PROGRAM_ID ? KILN_NODE_PROGRAM_ID : KILN_NODE_PROGRAM_COUNT;
            node.value = kiln_ir_int_attr(op, "axis", 0);
        } else if (kind == KILN_OP_ARITH_CONSTANT && kiln_ir_constant_int(result, &node.value)) {
            node.kind = KILN_NODE_CONSTANT;
        } else if (is_evaluated(kind) && is_integer(mlirValueGetType(result)) && are_known &&
                   mlirOperationGetNumOperands(op) <= 3) {
            node.kind = KILN_NODE_OPERATION;
            node.value = attribute_of(op, kind);
        } else {
            node.kind = KILN_NODE_DATA;
            node.is_data |= makes_data;
            if (kind == KILN_OP_TT_LOAD)
                node.depth++;
            else
                node.operands[0] = -1;
        }
        if (add_node(reader, result, node) < 0)
            return false;
    }
    return true;
}

// Places ------------------------------------------------------------------------------------------

static int add_place(kiln_work_reader_t *reader, kiln_place_node_t place)
{
    kiln_work_program_t *program = reader->program;
    if (!KILN_ARRAY_RESERVE(&program->places, &program->place_capacity, program->place_count + 1))
        return -1;
    program->places[program->place_count] = place;
    return (int)program->place_count++;
}

static bool put_block(kiln_work_reader_t *reader, MlirBlock block, int place)
{
    return kiln_pointer_map_put(&reader->blocks, block.ptr, place);
}

// A value that a loop carries or a branch yields. `from` is its first value, `next` the one that
// the region yields; either may be −1.
static bool add_carried(kiln_work_reader_t *reader, MlirValue value, kiln_node_kind_t kind,
                        int place, int from, int next)
{
    kiln_node_t node = no_node;
    const kiln_node_t *nodes = reader->program->nodes;
    const bool is_number = is_integer(mlirValueGetType(value));
    node.place = place;
    node.kind =
        is_number && from >= 0 && nodes[from].kind != KILN_NODE_DATA ? kind : KILN_NODE_DATA;
    node.is_data =
        !is_number || from < 0 || nodes[from].is_data || (next >= 0 && nodes[next].is_data);
    if (node.kind != KILN_NODE_DATA) {
        node.operands[0] = from;
        node.operands[1] = next;
    }
    return add_node(reader, value, node) >= 0;
}

static bool read_block(kiln_work_reader_t *reader, MlirBlock block, int place);

static bool read_for(kiln_work_reader_t *reader, MlirOperation op, int parent)
{
    enum { LOWER, UPPER, STEP, FIRST };
    const MlirBlock body = kiln_op_body(op, 0);
    const intptr_t count = mlirOperationGetNumResults(op);
    kiln_place_node_t loop = {.kind = KILN_PLACE_FOR,
                              .parent = parent,
                              .lower = kiln_work_node_of(reader, kiln_op_operand(op, LOWER)),
                              .upper = kiln_work_node_of(reader, kiln_op_operand(op, UPPER)),
                              .step = kiln_work_node_of(reader, kiln_op_operand(op, STEP)),
                              .is_unsigned = kiln_for_is_unsigned(op)};
    if (loop.lower < 0 || loop.upper < 0 || loop.step < 0) {
        loop.kind = KILN_PLACE_WHILE; // its bounds are not numbers that are known here
        loop.condition = -1;
        loop.has_index = true;
    }
    const int place = add_place(reader, loop);
    if (place < 0 || !put_block(reader, body, place))
        return false;
    kiln_node_t index = no_node;
    index.kind = loop.kind == KILN_PLACE_FOR ? KILN_NODE_INDEX : KILN_NODE_DATA;
    index.place = place;
    index.is_data = loop.kind != KILN_PLACE_FOR;
    if (add_node(reader, mlirBlockGetArgument(body, 0), index) < 0)
        return false;
    for (intptr_t i = 0; i < count; i++)
        if (!add_carried(reader, mlirBlockGetArgument(body, i + 1), KILN_NODE_CARRIED, place,
                         kiln_work_node_of(reader, kiln_op_operand(op, FIRST + (int)i)), -1))
            return false;
    if (!read_block(reader, body, place))
        return false;
    const MlirOperation yield = kiln_block_terminator(body);
    for (intptr_t i = 0; i < count; i++) {
        const int argument = kiln_work_node_of(reader, mlirBlockGetArgument(body, i + 1)),
                  next = kiln_work_node_of(reader, kiln_op_operand(yield, (int)i)),
                  from = kiln_work_node_of(reader, kiln_op_operand(op, FIRST + (int)i));
        kiln_node_t *carried = &reader->program->nodes[argument];
        if (carried->kind == KILN_NODE_CARRIED)
            carried->operands[1] = next;
        if (!add_carried(reader, mlirOperationGetResult(op, i), KILN_NODE_AFTER, place, from, next))
            return false;
        if (reader->program->places[place].kind != KILN_PLACE_FOR)
            reader->program->nodes[reader->program->node_count - 1].kind = KILN_NODE_DATA;
    }
    return true;
}

// Whether a side of a branch is absent or only yields values, as before an early return.
static bool does_nothing(MlirBlock side)
{
    return mlirBlockIsNull(side) ||
           mlirOperationEqual(mlirBlockGetFirstOperation(side), kiln_block_terminator(side));
}

static bool read_if(kiln_work_reader_t *reader, MlirOperation op, int parent)
{
    const int condition = kiln_work_node_of(reader, kiln_op_operand(op, 0));
    const MlirBlock sides[] = {kiln_op_body(op, 0), kiln_op_body(op, 1)};
    for (int i = 0; i < 2; i++) {
        if (mlirBlockIsNull(sides[i]))
            continue;
        const int place =
            add_place(reader, (kiln_place_node_t){.kind = i ? KILN_PLACE_ELSE : KILN_PLACE_THEN,
                                                  .parent = parent,
                                                  .condition = condition,
                                                  .is_guard = does_nothing(sides[1 - i])});
        if (place < 0 || !put_block(reader, sides[i], place) ||
            !read_block(reader, sides[i], place))
            return false;
    }
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        const MlirValue result = mlirOperationGetResult(op, i);
        kiln_node_t node = no_node;
        const int yes = kiln_work_node_of(reader,
                                          kiln_op_operand(kiln_block_terminator(sides[0]), (int)i)),
                  no = kiln_work_node_of(reader,
                                         kiln_op_operand(kiln_block_terminator(sides[1]), (int)i));
        const kiln_node_t *nodes = reader->program->nodes;
        const bool is_number =
            is_integer(mlirValueGetType(result)) && condition >= 0 && yes >= 0 && no >= 0;
        node.place = parent;
        node.kind = is_number ? KILN_NODE_OPERATION : KILN_NODE_DATA;
        node.op = KILN_OP_SCF_IF;
        node.is_data =
            !is_number || nodes[yes].is_data || nodes[no].is_data || nodes[condition].is_data;
        if (is_number) {
            node.operands[0] = condition;
            node.operands[1] = yes;
            node.operands[2] = no;
        }
        if (add_node(reader, result, node) < 0)
            return false;
    }
    return true;
}

// The arguments of the block that a while executes after its test: what the test passes on.
static bool add_passed(kiln_work_reader_t *reader, MlirBlock block, MlirOperation test, int place)
{
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
        const MlirValue argument = mlirBlockGetArgument(block, i);
        const int from = kiln_work_node_of(reader, kiln_op_operand(test, 1 + (int)i));
        const kiln_node_t *nodes = reader->program->nodes;
        kiln_node_t node = no_node;
        node.place = place;
        node.is_data = from < 0 || nodes[from].is_data;
        if (from >= 0 && is_integer(mlirValueGetType(argument)) &&
            nodes[from].kind != KILN_NODE_DATA) {
            node.kind = KILN_NODE_OPERATION;
            node.op = KILN_OP_SCF_CONDITION; // evaluated as its operand
            node.operands[0] = from;
        }
        if (add_node(reader, argument, node) < 0)
            return false;
    }
    return true;
}

// The results of a while: what the last test passes on. Known where that is a carried value itself.
static bool add_while_results(kiln_work_reader_t *reader, MlirOperation op, MlirOperation test,
                              int place, int parent)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        const int passed = kiln_work_node_of(reader, kiln_op_operand(test, 1 + (int)i));
        const kiln_node_t *from = passed < 0 ? NULL : &reader->program->nodes[passed];
        const bool is_carried = from && from->kind == KILN_NODE_CARRIED && from->place == place;
        if (!add_carried(reader, mlirOperationGetResult(op, i),
                         is_carried ? KILN_NODE_AFTER : KILN_NODE_DATA, is_carried ? place : parent,
                         is_carried ? from->operands[0] : -1, is_carried ? from->operands[1] : -1))
            return false;
    }
    return true;
}

static bool read_while(kiln_work_reader_t *reader, MlirOperation op, int parent)
{
    const int place = add_place(
        reader, (kiln_place_node_t){.kind = KILN_PLACE_WHILE, .parent = parent, .condition = -1});
    const MlirBlock before = kiln_op_body(op, 0), after = kiln_op_body(op, 1);
    if (place < 0 || !put_block(reader, before, place) || !put_block(reader, after, place))
        return false;
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(before); i++)
        if (!add_carried(reader, mlirBlockGetArgument(before, i), KILN_NODE_CARRIED, place,
                         kiln_work_node_of(reader, kiln_op_operand(op, (int)i)), -1))
            return false;
    const MlirOperation test = kiln_block_terminator(before);
    if (!read_block(reader, before, place) || !add_passed(reader, after, test, place) ||
        !read_block(reader, after, place))
        return false;
    const MlirOperation yield = kiln_block_terminator(after);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(before); i++) {
        const int carried = kiln_work_node_of(reader, mlirBlockGetArgument(before, i));
        if (reader->program->nodes[carried].kind == KILN_NODE_CARRIED)
            reader->program->nodes[carried].operands[1] =
                kiln_work_node_of(reader, kiln_op_operand(yield, (int)i));
    }
    kiln_place_node_t *loop = &reader->program->places[place];
    loop->condition = kiln_work_node_of(reader, kiln_op_operand(test, 0));
    loop->tests_last = mlirOperationEqual(mlirBlockGetFirstOperation(after), yield);
    return add_while_results(reader, op, test, place, parent);
}

static bool read_block(kiln_work_reader_t *reader, MlirBlock block, int place)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        bool good;
        switch (kiln_op_kind(op)) {
        case KILN_OP_SCF_FOR:
            good = read_for(reader, op, place);
            break;
        case KILN_OP_SCF_IF:
            good = read_if(reader, op, place);
            break;
        case KILN_OP_SCF_WHILE:
            good = read_while(reader, op, place);
            break;
        default:
            good = read_results(reader, op, place) && kiln_work_read_step(reader, op, place);
        }
        if (!good)
            return false;
    }
    return true;
}

// The program -------------------------------------------------------------------------------------

static bool read_arguments(kiln_work_reader_t *reader, MlirBlock body)
{
    kiln_work_program_t *program = reader->program;
    const intptr_t count = mlirBlockGetNumArguments(body);
    program->arguments = calloc((size_t)count + 1, sizeof *program->arguments);
    program->argument_count = (size_t)count;
    for (intptr_t i = 0; program->arguments && i < count; i++) {
        const MlirValue value = mlirBlockGetArgument(body, i);
        const MlirType type = mlirValueGetType(value);
        kiln_node_t node = no_node;
        program->arguments[i] =
            (kiln_work_argument_t){kiln_type_bits(type), is_integer(type) && !kiln_type_rank(type)};
        node.kind = program->arguments[i].is_integer ? KILN_NODE_ARGUMENT : KILN_NODE_DATA;
        node.value = i;
        if (add_node(reader, value, node) < 0)
            return false;
    }
    return program->arguments != NULL;
}

static bool counts(MlirValue value, void *user)
{
    const kiln_work_reader_t *reader = user;
    const int node = kiln_work_node_of(reader, value);
    const kiln_op_t kind = kiln_value_op(value, NULL);
    const bool may_be_operand = kind == KILN_OP_TT_LOAD || kind == KILN_OP_TT_TRANS;
    return kiln_type_is_tensor(mlirValueGetType(value)) && node >= 0 &&
           reader->program->nodes[node].is_data &&
           !(may_be_operand && kiln_work_only_feeds_dots(value));
}

static void note_live(MlirBlock block, double bits, void *user)
{
    const kiln_work_reader_t *reader = user;
    const int number = kiln_pointer_map_get(&reader->blocks, block.ptr);
    kiln_place_node_t *place = &reader->program->places[number < 0 ? 0 : number];
    place->live_bits = bits > place->live_bits ? bits : place->live_bits;
}

static bool read(kiln_work_reader_t *reader, MlirOperation function)
{
    const MlirBlock body = kiln_op_body(function, 0);
    double max;
    const int program = add_place(
        reader, (kiln_place_node_t){.kind = KILN_PLACE_PROGRAM, .parent = -1, .condition = -1});
    return program >= 0 && put_block(reader, body, program) && read_arguments(reader, body) &&
           read_block(reader, body, program) &&
           kiln_work_live_bits(body, 0, counts, reader, note_live, &max);
}

kiln_status_t kiln_work_program_read(MlirModule module, MlirOperation function,
                                     kiln_work_program_t *out_program)
{
    *out_program = (kiln_work_program_t){0};
    kiln_work_reader_t reader = {.program = out_program, .dots = kiln_dots_of_module(module)};
    const bool good = !reader.dots.out_of_memory && read(&reader, function);
    kiln_pointer_map_free(&reader.numbers);
    kiln_pointer_map_free(&reader.blocks);
    kiln_pointer_map_free(&reader.loads);
    free(reader.dots.ops);
    if (!good)
        return kiln_status_out_of_memory();
    KILN_TRY(kiln_program_order_read(mlirModuleGetOperation(module), &out_program->order));
    return kiln_waves_choose(module, &out_program->default_warps);
}

void kiln_work_program_free(kiln_work_program_t *program)
{
    free(program->nodes);
    free(program->places);
    free(program->items);
    free(program->arguments);
    *program = (kiln_work_program_t){0};
}
