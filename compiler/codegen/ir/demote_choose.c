// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the values that go to scratch, and computes how long each lives there: from its
// definition to its last use, and throughout any loop that it is live into.
//
// Note that a phi's slot is written at the ends of the predecessors, so it is live there too.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/string.h"
#include "codegen/ir/demote.h"

enum {
    MANY_USERS =
        16, // a value with this many is kept anyway, so that others may be recomputed from it …
    REPEAT_DEPTH = 6, // … by at most this many instructions
};

// Order -------------------------------------------------------------------------------------------

// Depth-first without recursion: a kernel may have thousands of blocks in a row.
static bool order_blocks(kiln_demotion_t *d)
{
    uint32_t total = LLVMCountBasicBlocks(d->function), depth = 0, done = 0;
    typedef struct visit {
        LLVMBasicBlockRef block;
        unsigned next;
    } visit_t;
    visit_t *stack = malloc(total * sizeof *stack);
    LLVMBasicBlockRef *postorder = malloc(total * sizeof(LLVMBasicBlockRef));
    d->blocks = malloc(total * sizeof(LLVMBasicBlockRef));
    d->spans = calloc(total, sizeof *d->spans);
    kiln_pointer_map_t seen = {0};
    bool ok = stack && postorder && d->blocks && d->spans;
    if (ok) {
        stack[depth++] = (visit_t){LLVMGetEntryBasicBlock(d->function), 0};
        ok = kiln_pointer_map_put(&seen, stack[0].block, 0);
    }
    while (ok && depth) {
        visit_t *top = &stack[depth - 1];
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(top->block);
        if (top->next == LLVMGetNumSuccessors(terminator)) {
            postorder[done++] = top->block;
            depth--;
            continue;
        }
        LLVMBasicBlockRef successor = LLVMGetSuccessor(terminator, top->next++);
        if (kiln_pointer_map_get(&seen, successor) >= 0)
            continue;
        ok = kiln_pointer_map_put(&seen, successor, 0);
        stack[depth++] = (visit_t){successor, 0};
    }
    for (uint32_t i = 0; ok && i < done; i++) {
        d->blocks[i] = postorder[done - 1 - i];
        ok = kiln_pointer_map_put(&d->block_of, d->blocks[i], (int)i);
    }
    d->block_count = done;
    kiln_pointer_map_free(&seen);
    free(postorder);
    free(stack);
    return ok;
}

static bool number_instructions(kiln_demotion_t *d)
{
    size_t capacity = 0;
    for (uint32_t b = 0; b < d->block_count; b++) {
        d->spans[b].begin = d->count;
        for (LLVMValueRef i = LLVMGetFirstInstruction(d->blocks[b]); i;
             i = LLVMGetNextInstruction(i)) {
            if (!KILN_ARRAY_RESERVE(&d->values, &capacity, (size_t)d->count + 1))
                return false;
            d->values[d->count] =
                (kiln_demoted_t){.def = i, .block = b, .begin = d->count, .end = d->count};
            if (!kiln_pointer_map_put(&d->position_of, i, (int)d->count++))
                return false;
        }
        d->spans[b].end = d->count - 1;
    }
    return true;
}

// Candidates --------------------------------------------------------------------------------------

static bool calls(LLVMValueRef call, const char *prefix)
{
    size_t length;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(call), &length);
    return kiln_string_starts_with(name, prefix);
}

// Whether the value may differ between lanes, given the divergence of its operands.
static bool is_divergent(const kiln_demotion_t *d, LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMCall:
        if (calls(instruction, "llvm.amdgcn.readfirstlane") ||
            calls(instruction, "llvm.amdgcn.readlane") ||
            calls(instruction, "llvm.amdgcn.workgroup") ||
            calls(instruction, "llvm.amdgcn.make.buffer.rsrc"))
            return false;
        if (calls(instruction, "llvm.amdgcn.workitem") || calls(instruction, "llvm.amdgcn.mbcnt") ||
            !calls(instruction, "llvm."))
            return true;
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return true;
    case LLVMAlloca:
        return false;
    case LLVMLoad: // each lane has its own scratch
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(instruction, 0))) ==
            KILN_SCRATCH_SPACE)
            return true;
        break;
    default:
        break;
    }
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        const kiln_demoted_t *operand =
            kiln_demotion_value(d, LLVMGetOperand(instruction, (unsigned)i));
        if (operand && operand->divergent)
            return true;
    }
    return false;
}

static void find_divergent(kiln_demotion_t *d)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < d->count; i++)
            if (!d->values[i].divergent && is_divergent(d, d->values[i].def))
                d->values[i].divergent = changed = true;
    }
}

static bool type_fits(const kiln_demotion_t *d, LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMIntegerTypeKind:
    case LLVMVectorTypeKind:
        break;
    case LLVMPointerTypeKind:
        if (LLVMGetPointerAddressSpace(type) <= KILN_SCRATCH_SPACE)
            break;
        return false;
    default:
        return false;
    }
    return LLVMABISizeOfType(d->layout, type) <= KILN_LARGEST_SLOT;
}

// Instructions that cost less than a load from scratch.
static bool is_cheap(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMGetElementPtr:
        return LLVMGetTypeKind(LLVMTypeOf(instruction)) != LLVMVectorTypeKind;
    default:
        return false;
    }
}

// The only operand that differs between lanes, if the others are always available.
static kiln_demoted_t *variable_operand(const kiln_demotion_t *d, LLVMValueRef instruction)
{
    kiln_demoted_t *found = NULL;
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        kiln_demoted_t *operand = kiln_demotion_value(d, LLVMGetOperand(instruction, (unsigned)i));
        if (!operand || operand == found || (!operand->divergent && operand->has_many_users))
            continue;
        if (found || !operand->divergent)
            return NULL;
        found = operand;
    }
    return found;
}

static void find_repeatable(kiln_demotion_t *d)
{
    for (uint32_t at = 0; at < d->count; at++) {
        kiln_demoted_t *value = &d->values[at];
        uint32_t users = 0;
        for (LLVMUseRef use = LLVMGetFirstUse(value->def); use && users < MANY_USERS;
             use = LLVMGetNextUse(use))
            users++;
        value->has_many_users = users == MANY_USERS;
        if (!value->divergent || !is_cheap(value->def))
            continue;
        const kiln_demoted_t *from = variable_operand(d, value->def);
        if (!from || !(from->depth || from->has_many_users) || from->depth == REPEAT_DEPTH)
            continue;
        value->depth = (uint8_t)(from->depth + 1);
        value->from = (uint32_t)(from - d->values);
    }
}

static void extend(kiln_demoted_t *value, uint32_t at)
{
    value->begin = at < value->begin ? at : value->begin;
    value->end = at > value->end ? at : value->end;
}

// Chooses the values that go to scratch, and their live ranges if nothing is recomputed.
static void choose_values(kiln_demotion_t *d)
{
    for (uint32_t at = 0; at < d->count; at++) {
        LLVMValueRef user = d->values[at].def;
        bool is_phi = LLVMGetInstructionOpcode(user) == LLVMPHI;
        if (is_phi && d->values[at].divergent && type_fits(d, LLVMTypeOf(user)))
            d->values[at].demoted = true;
        for (int i = 0; i < LLVMGetNumOperands(user); i++) {
            kiln_demoted_t *operand = kiln_demotion_value(d, LLVMGetOperand(user, (unsigned)i));
            if (!operand || !operand->divergent || !type_fits(d, LLVMTypeOf(operand->def)))
                continue;
            uint32_t block = d->values[at].block, place = at;
            if (is_phi) {
                if (!kiln_demotion_reaches(d, LLVMGetIncomingBlock(user, (unsigned)i)))
                    continue;
                block = kiln_demotion_block(d, LLVMGetIncomingBlock(user, (unsigned)i));
                place = d->spans[block].end;
            }
            while (operand->depth && kiln_is_far(operand, block, place))
                operand = &d->values[operand->from];
            operand->demoted = operand->demoted || kiln_is_far(operand, block, place);
            operand->end = place > operand->end ? place : operand->end;
        }
    }
    // A phi's slot is written at the ends of the predecessors, before any of them reads its old
    // value there.
    for (uint32_t at = 0; at < d->count; at++) {
        kiln_demoted_t *phi = &d->values[at];
        if (!phi->demoted || LLVMGetInstructionOpcode(phi->def) != LLVMPHI)
            continue;
        for (unsigned i = 0; i < LLVMCountIncoming(phi->def); i++) {
            if (!kiln_demotion_reaches(d, LLVMGetIncomingBlock(phi->def, i)))
                continue;
            uint32_t end = d->spans[kiln_demotion_block(d, LLVMGetIncomingBlock(phi->def, i))].end;
            extend(phi, end ? end - 1 : 0);
            extend(phi, end);
        }
    }
}

// Loops -------------------------------------------------------------------------------------------

// The positions that the loop of one backward edge covers.
static kiln_span_t loop_span(const kiln_demotion_t *d, uint32_t header, uint32_t latch,
                             uint32_t *stack, uint8_t *seen)
{
    kiln_span_t span = {d->spans[header].begin, d->spans[latch].end};
    uint32_t depth = 0;
    memset(seen, 0, d->block_count);
    seen[header] = seen[latch] = 1;
    stack[depth++] = latch;
    while (depth) {
        uint32_t block = stack[--depth];
        span.end = d->spans[block].end > span.end ? d->spans[block].end : span.end;
        if (block == header)
            continue;
        LLVMValueRef as_value = LLVMBasicBlockAsValue(d->blocks[block]);
        for (LLVMUseRef use = LLVMGetFirstUse(as_value); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (!LLVMIsATerminatorInst(user) ||
                !kiln_demotion_reaches(d, LLVMGetInstructionParent(user)))
                continue;
            uint32_t predecessor = kiln_demotion_block(d, LLVMGetInstructionParent(user));
            if (seen[predecessor])
                continue;
            seen[predecessor] = 1;
            stack[depth++] = predecessor;
        }
    }
    return span;
}

// A value defined before a loop and used in it is live throughout the loop.
static bool extend_over_loops(kiln_demotion_t *d)
{
    uint32_t *stack = malloc(d->block_count * sizeof *stack), loops = 0;
    uint8_t *seen = malloc(d->block_count);
    kiln_span_t *spans = NULL;
    size_t capacity = 0;
    bool ok = stack && seen;
    for (uint32_t b = 0; ok && b < d->block_count; b++) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(d->blocks[b]);
        for (unsigned i = 0; ok && i < LLVMGetNumSuccessors(terminator); i++) {
            uint32_t successor = kiln_demotion_block(d, LLVMGetSuccessor(terminator, i));
            if (successor > b)
                continue;
            ok = KILN_ARRAY_RESERVE(&spans, &capacity, (size_t)loops + 1);
            if (ok)
                spans[loops++] = loop_span(d, successor, b, stack, seen);
        }
    }
    for (bool changed = loops > 0; ok && changed;) {
        changed = false;
        for (uint32_t at = 0; at < d->count; at++) {
            kiln_demoted_t *value = &d->values[at];
            for (uint32_t i = 0; value->demoted && i < loops; i++)
                if (value->begin < spans[i].begin && value->end >= spans[i].begin &&
                    value->end < spans[i].end) {
                    value->end = spans[i].end;
                    changed = true;
                }
        }
    }
    free(spans);
    free(seen);
    free(stack);
    return ok;
}

bool kiln_demotion_choose(kiln_demotion_t *d)
{
    if (!order_blocks(d) || !number_instructions(d))
        return false;
    find_divergent(d);
    find_repeatable(d);
    choose_values(d);
    return extend_over_loops(d);
}
