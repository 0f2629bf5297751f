// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits long blocks: instruction selection handles a block as one graph, and its time grows faster
// than the length of the block.
//
// Note that the fast register allocator gives every value that is live across blocks its own stack
// slot, so a cut in a bad place costs memory.
#include <stdlib.h>

#include <llvm-c/Core.h>

#include "analysis/pointer_map.h"
#include "codegen/codegen_internal.h"
#include "codegen/llvm_shim.h"

enum {
    BLOCK = 256,      // instructions after which a block is cut …
    BLOCK_SLACK = 64, // … at the best of this many places
};

// Cuts where the fewest values are live.
bool kiln_codegen_cut_block(LLVMBasicBlockRef block)
{
    uint32_t count = 0, cuts = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        count++;
    if (count < 2 * BLOCK)
        return true;
    kiln_pointer_map_t position_of = {0};
    LLVMValueRef *instructions = malloc(count * sizeof *instructions),
                 *before = malloc(count * sizeof *before);
    int32_t *crossing = calloc(count + 1, sizeof *crossing);
    bool ok = instructions && before && crossing;
    uint32_t at = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); ok && i; i = LLVMGetNextInstruction(i)) {
        instructions[at] = i;
        ok = kiln_pointer_map_put(&position_of, i, (int)at++);
    }
    // crossing[p]: values defined before p and used at p or later; first as differences.
    for (at = 0; ok && at < count; at++) {
        uint32_t last = at;
        for (LLVMUseRef use = LLVMGetFirstUse(instructions[at]); use; use = LLVMGetNextUse(use)) {
            int user = kiln_pointer_map_get(&position_of, LLVMGetUser(use));
            last = user > (int)last ? (uint32_t)user : last;
        }
        crossing[at + 1]++;
        crossing[last + 1 <= count ? last + 1 : count]--;
    }
    for (at = 1; ok && at <= count; at++)
        crossing[at] += crossing[at - 1];
    for (at = BLOCK; ok && at + BLOCK < count; at += BLOCK) {
        uint32_t best = at;
        for (uint32_t i = at; i < at + BLOCK_SLACK; i++)
            if (crossing[i] < crossing[best])
                best = i;
        LLVMOpcode opcode = LLVMGetInstructionOpcode(instructions[best]);
        if (opcode != LLVMPHI && opcode != LLVMAlloca)
            before[cuts++] = instructions[best];
        at = best;
    }
    while (ok && cuts > 0) // from the end, so that each cut moves few instructions
        kiln_shim_split_block(before[--cuts]);
    kiln_pointer_map_free(&position_of);
    free(crossing);
    free(before);
    free(instructions);
    return ok;
}
