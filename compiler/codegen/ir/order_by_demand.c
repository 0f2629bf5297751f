// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders instructions by when their values are needed if tiles exceed the registers, to minimize
// the number of simultaneously live values.
//
//   x0 = load …   x1 = load …   …                x0 = load …
//   y0 = load …   y1 = load …   …                y0 = load …
//   z0 = x0 + y0                          →      z0 = x0 + y0
//   z1 = x1 + y1                                 x1 = load …
//   …                                            …
//
// The lowering proceeds tile by tile, so each tile of an expression is complete before the next
// begins. Between two instructions that write, all others may be reordered: the operands of later
// instructions keep the old order, each after its own operands.
//
// Note that nothing moves across a write, not even a load from a provably different address: after
// a barrier another wave may have written.
#include <stdlib.h>

#include <llvm-c/Core.h>

#include "analysis/pointer_map.h"
#include "codegen/codegen_internal.h"
#include "codegen/llvm_shim.h"

typedef struct stretch {
    LLVMValueRef *instructions; // between two writes
    uint32_t count;
    kiln_pointer_map_t position_of;
    bool *placed;
    uint32_t *stack, *next_operand; // the depth-first walk of operands
} stretch_t;

// Whether the value is used after the stretch, or nowhere.
static bool is_used_later(const stretch_t *stretch, uint32_t at)
{
    LLVMUseRef use = LLVMGetFirstUse(stretch->instructions[at]);
    if (!use)
        return true;
    for (; use; use = LLVMGetNextUse(use))
        if (kiln_pointer_map_get(&stretch->position_of, LLVMGetUser(use)) < 0)
            return true;
    return false;
}

// Moves an instruction before `end`, after all that it is computed from. Iterative, because a sum
// may be long.
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
        int from =
            LLVMIsAInstruction(operand) ? kiln_pointer_map_get(&stretch->position_of, operand) : -1;
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
        if (is_used_later(&stretch, at))
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
