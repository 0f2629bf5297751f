// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where tiles are larger than the registers, instructions come in the order in which their values are wanted, so that
// as little as possible lives at one time.
//
//   x0 = load …   x1 = load …   …                x0 = load …
//   y0 = load …   y1 = load …   …                y0 = load …
//   z0 = x0 + y0                          →      z0 = x0 + y0
//   z1 = x1 + y1                                 x1 = load …
//   …                                            …
//
// The lowering goes tile by tile, so each tile of an expression is whole before the next begins. Between two
// instructions that write, all others may change places: what a later part wants comes in the old order, each after
// what it is computed from.
//
// The thing one gets wrong: nothing crosses what writes, not even a load that surely reads elsewhere: behind a barrier
// another wave may have written.
#include <stdlib.h>

#include <llvm-c/Core.h>

#include "analysis/pointer_map.h"
#include "codegen/codegen_internal.h"
#include "codegen/llvm_shim.h"

typedef struct stretch {
    LLVMValueRef *instructions; // between two that write
    uint32_t count;
    kiln_pointer_map_t position_of;
    bool *placed;
    uint32_t *stack, *next_operand; // the walk down to operands
} stretch_t;

// Is the value wanted behind the stretch, or nowhere?
static bool is_wanted_later(const stretch_t *stretch, uint32_t at)
{
    LLVMUseRef use = LLVMGetFirstUse(stretch->instructions[at]);
    if (!use)
        return true;
    for (; use; use = LLVMGetNextUse(use))
        if (kiln_pointer_map_get(&stretch->position_of, LLVMGetUser(use)) < 0)
            return true;
    return false;
}

// Moves an instruction before `end`, behind all that it is computed from. Without recursion: a sum may be long.
static void place(stretch_t *stretch, uint32_t wanted, LLVMValueRef end)
{
    uint32_t depth = 0;
    if (stretch->placed[wanted])
        return;
    stretch->placed[wanted] = true;
    stretch->stack[0] = wanted;
    stretch->next_operand[depth++] = 0;
    while (depth) {
        uint32_t at = stretch->stack[depth - 1];
        LLVMValueRef instruction = stretch->instructions[at];
        if (stretch->next_operand[depth - 1] == (uint32_t)LLVMGetNumOperands(instruction)) {
            kiln_shim_move_before(instruction, end);
            depth--;
            continue;
        }
        LLVMValueRef operand = LLVMGetOperand(instruction, stretch->next_operand[depth - 1]++);
        int from = LLVMIsAInstruction(operand) ? kiln_pointer_map_get(&stretch->position_of, operand) : -1;
        if (from < 0 || stretch->placed[from])
            continue;
        stretch->placed[from] = true;
        stretch->stack[depth] = (uint32_t)from;
        stretch->next_operand[depth++] = 0;
    }
}

static bool order_stretch(LLVMValueRef *instructions, uint32_t count, LLVMValueRef end)
{
    stretch_t stretch = {.instructions = instructions, .count = count};
    stretch.placed = calloc(count, sizeof *stretch.placed);
    stretch.stack = malloc(count * sizeof *stretch.stack);
    stretch.next_operand = malloc(count * sizeof *stretch.next_operand);
    bool ok = stretch.placed && stretch.stack && stretch.next_operand;
    for (uint32_t at = 0; ok && at < count; at++)
        ok = kiln_pointer_map_put(&stretch.position_of, instructions[at], (int)at);
    for (uint32_t at = 0; ok && at < count; at++)
        if (is_wanted_later(&stretch, at))
            place(&stretch, at, end);
    kiln_pointer_map_free(&stretch.position_of);
    free(stretch.next_operand);
    free(stretch.stack);
    free(stretch.placed);
    return ok;
}

bool kiln_codegen_order_by_demand(LLVMBasicBlockRef block)
{
    enum { SHORT = 64 }; // not worth it
    uint32_t total = 0, count = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        total++;
    LLVMValueRef *instructions = malloc(total * sizeof(LLVMValueRef));
    bool ok = instructions != NULL;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; ok && i; i = next) {
        LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
        next = LLVMGetNextInstruction(i);
        if (opcode == LLVMPHI || opcode == LLVMAlloca)
            continue;
        if (!LLVMIsATerminatorInst(i) && !kiln_shim_has_effects(i)) {
            instructions[count++] = i;
            continue;
        }
        if (count >= SHORT)
            ok = order_stretch(instructions, count, i);
        count = 0;
    }
    free(instructions);
    return ok;
}
