// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structured control flow, calls and promises.
//
// Note that the values that an iteration yields are read before any of its arguments is set, since
// the loop may yield one argument as another.
#include <stdlib.h>

#include <mlir-c/BuiltinAttributes.h>

#include "builder/count_iterations.h"
#include "interp/machine.h"

enum { ROUNDS_BEFORE_YIELD = 256 };

// Sets `count` slots to the terminator's operands, beginning at `first`.
static kiln_status_t pass_operands(kiln_iframe_t *frame, const kiln_iop_t *end, int first,
                                   const int *slots, int count)
{
    kiln_itile_t *few[16],
        **values = count <= 16 ? few : malloc((size_t)count * sizeof(kiln_itile_t *));
    if (!values)
        return kiln_status_out_of_memory();
    for (int i = 0; i < count; i++)
        values[i] = kiln_itile_retain(frame->slots[end->operands[first + i]]);
    for (int i = 0; i < count; i++)
        kiln_set(frame, slots[i], values[i]);
    if (values != few)
        free(values);
    return KILN_OK;
}

static kiln_status_t set_scalar(kiln_iframe_t *frame, int slot, uint64_t bits)
{
    kiln_itile_t *tile = kiln_itile_create(frame->machine, 1);
    if (!tile)
        return kiln_status_out_of_memory();
    tile->bits[0] = bits;
    kiln_set(frame, slot, tile);
    return KILN_OK;
}

kiln_status_t kiln_exec_for(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    int64_t low, high, step = 1;
    uint64_t count;
    KILN_TRY(kiln_scalar(frame, op, 0, "the lower bound of a loop", &low));
    KILN_TRY(kiln_scalar(frame, op, 1, "the upper bound of a loop", &high));
    bool is_unsigned = kiln_for_is_unsigned(op->mlir);
    kiln_number_t number = op->operand_types[0]->number;
    kiln_count_iterations((uint64_t)low, (uint64_t)high, 1, number.bits, is_unsigned, &count);
    if (count) // a loop without iterations never uses its step
        KILN_TRY(kiln_scalar(frame, op, 2, "the step of a loop", &step));
    if (!kiln_count_iterations((uint64_t)low, (uint64_t)high, (uint64_t)step, number.bits,
                               is_unsigned, &count))
        return kiln_fail(frame, op, KILN_STATUS_INVALID_INPUT,
                         "the step of a loop is %lld; it must be positive", (long long)step);
    const kiln_iblock_t *body = &op->regions[0].blocks[0];
    int carried = op->operand_count - 3;
    KILN_TRY(pass_operands(frame, op, 3, body->arguments + 1, carried));
    for (uint64_t k = 0; k < count; k++) {
        const kiln_iop_t *yield;
        uint64_t at = (uint64_t)low + k * (uint64_t)step;
        KILN_TRY(set_scalar(frame, body->arguments[0], at & kiln_number_mask(number)));
        KILN_TRY(kiln_run_region(frame, &op->regions[0], &yield));
        KILN_TRY(pass_operands(frame, yield, 0, body->arguments + 1, carried));
    }
    for (int i = 0; i < carried; i++)
        kiln_set(frame, op->results[i], kiln_itile_retain(frame->slots[body->arguments[1 + i]]));
    return KILN_OK;
}

kiln_status_t kiln_exec_if(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    int64_t condition;
    KILN_TRY(kiln_scalar(frame, op, 0, "the condition of an if", &condition));
    const kiln_iregion_t *region = &op->regions[condition ? 0 : 1];
    const kiln_iop_t *yield = NULL;
    if (region->block_count)
        KILN_TRY(kiln_run_region(frame, region, &yield));
    return yield ? pass_operands(frame, yield, 0, op->results, op->result_count) : KILN_OK;
}

kiln_status_t kiln_exec_index_switch(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    int64_t index;
    KILN_TRY(kiln_scalar(frame, op, 0, "the argument of a switch", &index));
    MlirAttribute cases = kiln_ir_attr(op->mlir, "cases");
    int chosen = 0; // the default
    for (int i = 1; i < op->region_count && !chosen; i++)
        chosen = mlirDenseI64ArrayGetElement(cases, i - 1) == index ? i : 0;
    const kiln_iop_t *yield;
    KILN_TRY(kiln_run_region(frame, &op->regions[chosen], &yield));
    return pass_operands(frame, yield, 0, op->results, op->result_count);
}

kiln_status_t kiln_exec_while(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_iblock_t *before = &op->regions[0].blocks[0], *after = &op->regions[1].blocks[0];
    KILN_TRY(pass_operands(frame, op, 0, before->arguments, before->argument_count));
    for (uint64_t round = 1;; round++) {
        const kiln_iop_t *end, *yield;
        int64_t condition;
        KILN_TRY(kiln_run_region(frame, &op->regions[0], &end));
        KILN_TRY(kiln_scalar(frame, end, 0, "the condition of a loop", &condition));
        if (!condition)
            return pass_operands(frame, end, 1, op->results, op->result_count);
        KILN_TRY(pass_operands(frame, end, 1, after->arguments, after->argument_count));
        KILN_TRY(kiln_run_region(frame, &op->regions[1], &yield));
        KILN_TRY(pass_operands(frame, yield, 0, before->arguments, before->argument_count));
        if (round % ROUNDS_BEFORE_YIELD == 0)
            KILN_TRY(kiln_instance_yield(frame, op));
    }
}

kiln_status_t kiln_exec_execute_region(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_iop_t *yield;
    KILN_TRY(kiln_run_region(frame, &op->regions[0], &yield));
    return pass_operands(frame, yield, 0, op->results, op->result_count);
}

kiln_status_t kiln_exec_call(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_ifunction_t *callee = op->callee;
    if (!callee || !callee->body.block_count)
        return kiln_fail(frame, op, KILN_STATUS_INVALID_INPUT, "the called function has no body");
    if (frame->depth == KILN_INTERP_CALL_DEPTH)
        return kiln_fail(frame, op, KILN_STATUS_UNSUPPORTED, "calls are nested more than %d deep",
                         KILN_INTERP_CALL_DEPTH);
    kiln_iframe_t inner = {.machine = frame->machine,
                           .instance = frame->instance,
                           .function = callee,
                           .depth = frame->depth + 1,
                           .slots = calloc((size_t)callee->slot_count + 1, sizeof(kiln_itile_t *))};
    if (!inner.slots)
        return kiln_status_out_of_memory();
    const kiln_iblock_t *entry = &callee->body.blocks[0];
    for (int i = 0; i < entry->argument_count; i++)
        inner.slots[entry->arguments[i]] = kiln_itile_retain(frame->slots[op->operands[i]]);
    const kiln_iop_t *end;
    kiln_status_t status = kiln_run_region(&inner, &callee->body, &end);
    for (int i = 0; i < op->result_count && !status; i++)
        kiln_set(frame, op->results[i], kiln_itile_retain(inner.slots[end->operands[i]]));
    for (int i = 0; i < callee->slot_count; i++)
        kiln_itile_release(frame->machine, inner.slots[i]);
    free(inner.slots);
    return status;
}

kiln_status_t kiln_exec_assume(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    int64_t condition;
    KILN_TRY(kiln_scalar(frame, op, 0, "the condition of an assumption", &condition));
    return condition || frame->machine->launch->lenient
               ? KILN_OK
               : kiln_fail(frame, op, KILN_STATUS_INVALID_INPUT,
                           "the program's assumption does not hold");
}

kiln_status_t kiln_exec_nothing(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    (void)frame, (void)op;
    return KILN_OK;
}
