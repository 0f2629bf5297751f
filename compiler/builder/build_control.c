// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building loops and branches: scf.for, scf.while, scf.if.
//
// An operation's result types are known only at its end, so its regions are filled first and the
// operation is created last, with the location of the begin call.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "builder/builder_internal.h"

kiln_build_frame_t *kiln_builder_push_frame(kiln_builder_t *builder, kiln_build_frame_kind_t kind,
                                            size_t operand_capacity)
{
    if (!KILN_ARRAY_RESERVE(&builder->frames, &builder->frame_capacity, builder->frame_count + 1)) {
        kiln_builder_fail_memory(builder);
        return NULL;
    }
    kiln_build_frame_t frame = {.kind = kind,
                                .outer = builder->ir,
                                .loc = builder->ir.loc,
                                .checked = builder->checked,
                                .carried_locations = builder->carried_locations};
    builder->carried_locations = NULL;
    frame.operands = calloc(operand_capacity + 1, sizeof *frame.operands);
    if (!frame.operands) {
        kiln_builder_fail_memory(builder);
        return NULL;
    }
    builder->frames[builder->frame_count] = frame;
    return &builder->frames[builder->frame_count++];
}

kiln_build_frame_t *kiln_builder_top_frame(kiln_builder_t *builder, kiln_build_frame_kind_t kind,
                                           const char *what)
{
    if (!kiln_builder_accepts(builder, what, NULL, 0))
        return NULL;
    if (builder->frame_count && builder->frames[builder->frame_count - 1].kind == kind)
        return &builder->frames[builder->frame_count - 1];
    kiln_builder_fail(builder, "%s is not allowed here", what);
    return NULL;
}

// Begins a region whose block has arguments of the given types, and inserts there from now on.
bool kiln_builder_begin_region(kiln_builder_t *builder, kiln_build_frame_t *frame, int index,
                               const MlirType *types, int count)
{
    MlirLocation *locs = calloc((size_t)count + 1, sizeof *locs);
    if (!locs) {
        kiln_builder_fail_memory(builder);
        return false;
    }
    // Loop-carried values are a block's last arguments.
    int first = frame->carried_locations && count >= frame->carried_count
                    ? count - frame->carried_count
                    : count;
    for (int i = 0; i < count; i++)
        locs[i] = i < first ? frame->loc : frame->carried_locations[i - first];
    if (frame->kind == KILN_FRAME_FOR && !mlirLocationIsNull(builder->induction_location))
        locs[0] = builder->induction_location;
    builder->induction_location = (MlirLocation){NULL};
    MlirBlock block = mlirBlockCreate(count, types, locs);
    free(locs);
    frame->regions[index] = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(frame->regions[index], block);
    builder->ir = kiln_ir_at_end(block, builder->ir.loc);
    return true;
}

static bool keep_result_types(kiln_builder_t *builder, kiln_build_frame_t *frame,
                              const kiln_value_t *values, size_t count)
{
    frame->results = calloc(count + 1, sizeof *frame->results);
    if (!frame->results) {
        kiln_builder_fail_memory(builder);
        return false;
    }
    frame->result_count = (int)count;
    for (size_t i = 0; i < count; i++)
        frame->results[i] = mlirValueGetType(kiln_unwrap(values[i]));
    return true;
}

bool kiln_builder_have_types(kiln_builder_t *builder, const char *what, const kiln_value_t *values,
                             const MlirType *types, int count)
{
    for (int i = 0; i < count; i++) {
        if (mlirTypeEqual(mlirValueGetType(kiln_unwrap(values[i])), types[i]))
            continue;
        kiln_builder_fail(builder, "value %d of %s must have the same type as before", i, what);
        return false;
    }
    return true;
}

void kiln_builder_terminate(kiln_builder_t *builder, kiln_op_t kind, const kiln_value_t *first,
                            const kiln_value_t *values, int count)
{
    MlirValue *operands = calloc((size_t)count + 1, sizeof *operands);
    if (!operands) {
        kiln_builder_fail_memory(builder);
        return;
    }
    int used = 0;
    if (first)
        operands[used++] = kiln_unwrap(*first);
    for (int i = 0; i < count; i++)
        operands[used++] = kiln_unwrap(values[i]);
    kiln_ir_op_t op = {.kind = kind, .operand_count = used, .operands = operands};
    kiln_ir_create(&builder->ir, &op);
    free(operands);
}

// Results are written last, since the caller may pass one array for them and for the next values.
static bool have_room(kiln_builder_t *builder, const kiln_value_t *out_results, size_t count)
{
    return !count || kiln_builder_requires(builder, "out_results", out_results);
}

// Creates the operation, returns its results and inserts after it from now on.
void kiln_builder_pop_frame(kiln_builder_t *builder, kiln_op_t kind, kiln_value_t *out_results)
{
    kiln_build_frame_t *frame = &builder->frames[--builder->frame_count];
    MlirLocation now = builder->ir.loc;
    int region_count = kind == KILN_OP_SCF_WHILE || kind == KILN_OP_SCF_IF ? 2 : 1;
    if (region_count == 2 && mlirRegionIsNull(frame->regions[1]))
        frame->regions[1] = mlirRegionCreate();
    kiln_ir_op_t op = {.kind = kind,
                       .operand_count = frame->operand_count,
                       .operands = frame->operands,
                       .result_count = frame->result_count,
                       .results = frame->results,
                       .attribute_count = frame->attribute_count,
                       .attributes = frame->attributes,
                       .region_count = region_count,
                       .regions = frame->regions};
    builder->ir = frame->outer;
    builder->checked_block = frame->outer.block;
    builder->checked = frame->checked;
    builder->ir.loc = frame->loc;
    MlirOperation made = kiln_ir_create(&builder->ir, &op);
    builder->ir.loc = now;
    for (int i = 0; i < frame->result_count; i++)
        out_results[i] = kiln_wrap(mlirOperationGetResult(made, i));
    free(frame->operands);
    free(frame->results);
}

// for ---------------------------------------------------------------------------------------------

void kiln_build_for_begin(kiln_builder_t *builder, kiln_value_t low, kiln_value_t high,
                          kiln_value_t step, const kiln_value_t *initial, size_t count,
                          kiln_value_t *out_induction, kiln_value_t *out_carried)
{
    KILN_BUILD_CALL(builder);
    kiln_value_t bounds[] = {low, high, step};
    if (!kiln_builder_clears(builder, "out_induction", out_induction, 1) ||
        !kiln_builder_clears(builder, "out_carried", out_carried, count) ||
        !kiln_builder_accepts(builder, "for", bounds, 3) ||
        !kiln_builder_accepts(builder, "for", initial, count))
        return;
    MlirType type = mlirValueGetType(kiln_unwrap(low));
    if (!mlirTypeIsAInteger(type) || !mlirTypeEqual(type, mlirValueGetType(kiln_unwrap(high))) ||
        !mlirTypeEqual(type, mlirValueGetType(kiln_unwrap(step)))) {
        kiln_builder_fail(builder,
                          "the bounds and the step of a loop must be integers of one type");
        return;
    }
    kiln_build_frame_t *frame = kiln_builder_push_frame(builder, KILN_FRAME_FOR, count + 3);
    MlirType *types = calloc(count + 1, sizeof *types);
    if (!frame || !types || !keep_result_types(builder, frame, initial, count)) {
        kiln_builder_fail_memory(builder);
        free(types);
        return;
    }
    for (int i = 0; i < 3; i++)
        frame->operands[i] = kiln_unwrap(bounds[i]);
    types[0] = type;
    for (size_t i = 0; i < count; i++) {
        frame->operands[i + 3] = kiln_unwrap(initial[i]);
        types[i + 1] = frame->results[i];
    }
    frame->operand_count = (int)count + 3;
    frame->carried_count = (int)count;
    if (kiln_builder_begin_region(builder, frame, 0, types, (int)count + 1)) {
        *out_induction = kiln_wrap(mlirBlockGetArgument(builder->ir.block, 0));
        for (size_t i = 0; i < count; i++)
            out_carried[i] = kiln_wrap(mlirBlockGetArgument(builder->ir.block, (intptr_t)i + 1));
    }
    free(types);
}

static void add_attribute(kiln_builder_t *builder, const char *name, MlirAttribute value)
{
    kiln_build_frame_t *frame =
        kiln_builder_top_frame(builder, KILN_FRAME_FOR, "a loop's attribute");
    if (!frame || !kiln_builder_requires(builder, "name", name))
        return;
    if (frame->attribute_count == 4)
        kiln_builder_fail(builder, "a loop has at most 4 attributes");
    else
        frame->attributes[frame->attribute_count++] = kiln_ir_named(builder->context, name, value);
}

void kiln_build_for_attribute(kiln_builder_t *builder, const char *name, int32_t value)
{
    KILN_BUILD_CALL(builder);
    add_attribute(builder, name, kiln_ir_i32_attr(builder->context, value));
}

void kiln_builder_for_is_unsigned(kiln_builder_t *builder)
{
    add_attribute(builder, "unsignedCmp", mlirUnitAttrGet(builder->context));
}

void kiln_build_for_end(kiln_builder_t *builder, const kiln_value_t *next,
                        kiln_value_t *out_results)
{
    KILN_BUILD_CALL(builder);
    kiln_build_frame_t *frame =
        kiln_builder_top_frame(builder, KILN_FRAME_FOR, "the end of a for loop");
    if (!frame)
        return;
    size_t count = (size_t)frame->carried_count;
    if (!have_room(builder, out_results, count) ||
        !kiln_builder_accepts(builder, "the end of a for loop", next, count) ||
        !kiln_builder_have_types(builder, "a for loop", next, frame->results, frame->carried_count))
        return;
    kiln_builder_terminate(builder, KILN_OP_SCF_YIELD, NULL, next, frame->carried_count);
    kiln_builder_pop_frame(builder, KILN_OP_SCF_FOR, out_results);
}

// while -------------------------------------------------------------------------------------------

void kiln_build_while_begin(kiln_builder_t *builder, const kiln_value_t *initial, size_t count,
                            kiln_value_t *out_carried)
{
    KILN_BUILD_CALL(builder);
    if (!kiln_builder_clears(builder, "out_carried", out_carried, count) ||
        !kiln_builder_accepts(builder, "while", initial, count))
        return;
    kiln_build_frame_t *frame = kiln_builder_push_frame(builder, KILN_FRAME_WHILE_BEFORE, count);
    MlirType *types = calloc(count + 1, sizeof *types);
    if (!frame || !types) {
        kiln_builder_fail_memory(builder);
        free(types);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        frame->operands[i] = kiln_unwrap(initial[i]);
        types[i] = mlirValueGetType(frame->operands[i]);
    }
    frame->operand_count = frame->carried_count = (int)count;
    if (kiln_builder_begin_region(builder, frame, 0, types, (int)count))
        for (size_t i = 0; i < count; i++)
            out_carried[i] = kiln_wrap(mlirBlockGetArgument(builder->ir.block, (intptr_t)i));
    free(types);
}

void kiln_build_while_condition(kiln_builder_t *builder, kiln_value_t condition,
                                const kiln_value_t *forwarded, size_t count, kiln_value_t *out_body)
{
    KILN_BUILD_CALL(builder);
    kiln_build_frame_t *frame =
        kiln_builder_top_frame(builder, KILN_FRAME_WHILE_BEFORE, "the condition of a while loop");
    if (!frame || !kiln_builder_clears(builder, "out_body", out_body, count) ||
        !kiln_builder_accepts(builder, "the condition of a while loop", &condition, 1) ||
        !kiln_builder_accepts(builder, "the condition of a while loop", forwarded, count) ||
        !keep_result_types(builder, frame, forwarded, count))
        return;
    kiln_builder_terminate(builder, KILN_OP_SCF_CONDITION, &condition, forwarded, (int)count);
    frame->kind = KILN_FRAME_WHILE_AFTER;
    if (kiln_builder_begin_region(builder, frame, 1, frame->results, (int)count))
        for (size_t i = 0; i < count; i++)
            out_body[i] = kiln_wrap(mlirBlockGetArgument(builder->ir.block, (intptr_t)i));
}

void kiln_build_while_end(kiln_builder_t *builder, const kiln_value_t *next,
                          kiln_value_t *out_results)
{
    KILN_BUILD_CALL(builder);
    kiln_build_frame_t *frame =
        kiln_builder_top_frame(builder, KILN_FRAME_WHILE_AFTER, "the end of a while loop");
    if (!frame || !have_room(builder, out_results, (size_t)frame->result_count) ||
        !kiln_builder_accepts(builder, "the end of a while loop", next,
                              (size_t)frame->carried_count))
        return;
    for (int i = 0; i < frame->carried_count; i++) {
        MlirType type = mlirValueGetType(frame->operands[i]);
        if (!kiln_builder_have_types(builder, "a while loop", &next[i], &type, 1))
            return;
    }
    kiln_builder_terminate(builder, KILN_OP_SCF_YIELD, NULL, next, frame->carried_count);
    kiln_builder_pop_frame(builder, KILN_OP_SCF_WHILE, out_results);
}

// if ----------------------------------------------------------------------------------------------

void kiln_build_if_begin(kiln_builder_t *builder, kiln_value_t condition)
{
    KILN_BUILD_CALL(builder);
    if (!kiln_builder_accepts(builder, "if", &condition, 1))
        return;
    kiln_build_frame_t *frame = kiln_builder_push_frame(builder, KILN_FRAME_IF_THEN, 1);
    if (!frame)
        return;
    frame->operands[0] = kiln_unwrap(condition);
    frame->operand_count = 1;
    kiln_builder_begin_region(builder, frame, 0, NULL, 0);
}

void kiln_build_if_else(kiln_builder_t *builder, const kiln_value_t *results, size_t count)
{
    KILN_BUILD_CALL(builder);
    kiln_build_frame_t *frame = kiln_builder_top_frame(builder, KILN_FRAME_IF_THEN, "else");
    if (!frame || !kiln_builder_accepts(builder, "else", results, count) ||
        !keep_result_types(builder, frame, results, count))
        return;
    kiln_builder_terminate(builder, KILN_OP_SCF_YIELD, NULL, results, (int)count);
    frame->kind = KILN_FRAME_IF_ELSE;
    kiln_builder_begin_region(builder, frame, 1, NULL, 0);
}

void kiln_build_if_end(kiln_builder_t *builder, const kiln_value_t *results, size_t count,
                       kiln_value_t *out_results)
{
    KILN_BUILD_CALL(builder);
    if (builder->error)
        return;
    bool has_else = builder->frame_count &&
                    builder->frames[builder->frame_count - 1].kind == KILN_FRAME_IF_ELSE;
    kiln_build_frame_t *frame = kiln_builder_top_frame(
        builder, has_else ? KILN_FRAME_IF_ELSE : KILN_FRAME_IF_THEN, "the end of an if");
    if (!frame || !have_room(builder, out_results, count) ||
        !kiln_builder_accepts(builder, "the end of an if", results, count))
        return;
    if ((int)count != frame->result_count) {
        kiln_builder_fail(builder, "the branches of an if have different numbers of results");
        return;
    }
    if (!kiln_builder_have_types(builder, "an if", results, frame->results, (int)count))
        return;
    kiln_builder_terminate(builder, KILN_OP_SCF_YIELD, NULL, results, (int)count);
    kiln_builder_pop_frame(builder, KILN_OP_SCF_IF, out_results);
}
