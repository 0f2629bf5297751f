// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that can't be in registers go to scratch memory before code generation: one arena per function, whose slots
// are shared by values that don't live at the same time.
//
// A tile of 2^20 elements in one wave is 16384 values a lane. LLVM's allocators that share stack slots take minutes for
// so many, and the fast one gives every value a slot of its own, so that a few operations exceed the 128 KiB of scratch
// that a lane has. Here a value that is used far from where it is made is stored at once and loaded where it is wanted;
// what is left lives for a few instructions. Sums of an index and constants, which are as many as the elements, are
// computed again instead. Then blocks are cut, because instruction selection's time grows faster than a block.
//
// The thing one gets wrong: a value that is the same in all lanes must stay where it is, since what comes from scratch
// is a vector register, and then branches, addresses and resources that were scalar no longer are.
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "analysis/pointer_map.h"
#include "codegen/codegen_internal.h"

enum {
    NEAR = 24,       // instructions between a value and its use that registers bridge
    SLOT_LEVELS = 9, // slots of 1 to 256 bytes
    LARGEST_SLOT = 1 << (SLOT_LEVELS - 1),
    SLOT_ALIGNMENT = 16,
    SCRATCH_SPACE = 5,
    MANY_USERS = 16,  // a value with so many is kept anyway, so that others may be computed from it again …
    REPEAT_DEPTH = 6, // … by so many instructions
};

typedef struct value {
    LLVMValueRef def;
    uint32_t block;
    uint32_t begin, end; // positions between which its slot is taken
    uint32_t next_end;   // list of values that end at one position
    uint32_t slot;       // byte of the arena
    uint32_t reload_at;  // where it was loaded last, in reload's block
    LLVMValueRef reload;
    uint32_t reload_block;
    bool divergent, demoted;
    bool popular;  // has MANY_USERS
    uint8_t depth; // > 0: is computed again from a popular value by so many instructions …
    uint32_t from; // … and directly from this one
} value_t;

typedef struct span {
    uint32_t begin, end;
} span_t;

typedef struct demotion {
    LLVMValueRef function;
    LLVMTargetDataRef layout;
    LLVMBuilderRef builder;
    LLVMTypeRef i8, i32;
    LLVMBasicBlockRef *blocks; // in reverse postorder
    span_t *spans;             // of blocks, in positions
    uint32_t block_count, count;
    value_t *values; // [count]: all instructions, by position
    kiln_pointer_map_t block_of, position_of;
    uint32_t *ends; // [count + 1]: heads of the lists
    uint32_t *free_slots[SLOT_LEVELS];
    uint32_t free_count[SLOT_LEVELS], free_capacity[SLOT_LEVELS], arena_bytes;
    LLVMValueRef arena;
    bool failed; // out of memory
} demotion_t;

// Order
// ---------------------------------------------------------------------------------------------------------------------

// Depth first without recursion: a kernel may have thousands of blocks in a row.
static bool order_blocks(demotion_t *d)
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

static bool number_instructions(demotion_t *d)
{
    uint32_t capacity = 0;
    for (uint32_t b = 0; b < d->block_count; b++) {
        d->spans[b].begin = d->count;
        for (LLVMValueRef i = LLVMGetFirstInstruction(d->blocks[b]); i; i = LLVMGetNextInstruction(i)) {
            if (d->count == capacity) {
                capacity = capacity ? 2 * capacity : 4096;
                value_t *larger = realloc(d->values, capacity * sizeof *larger);
                if (!larger)
                    return false;
                d->values = larger;
            }
            d->values[d->count] = (value_t){.def = i, .block = b, .begin = d->count, .end = d->count};
            if (!kiln_pointer_map_put(&d->position_of, i, (int)d->count++))
                return false;
        }
        d->spans[b].end = d->count - 1;
    }
    return true;
}

static value_t *value_of(const demotion_t *d, LLVMValueRef value)
{
    int at = LLVMIsAInstruction(value) ? kiln_pointer_map_get(&d->position_of, value) : -1;
    return at < 0 ? NULL : &d->values[at];
}

static uint32_t block_of(const demotion_t *d, LLVMBasicBlockRef block)
{
    return (uint32_t)kiln_pointer_map_get(&d->block_of, block); // only of predecessors that can be reached
}

static bool is_reached(const demotion_t *d, LLVMBasicBlockRef block)
{
    return kiln_pointer_map_get(&d->block_of, block) >= 0;
}

// Candidates
// ---------------------------------------------------------------------------------------------------------------------

static bool calls(LLVMValueRef call, const char *prefix)
{
    size_t length;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(call), &length);
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

// May lanes disagree, given what is known of the operands?
static bool is_divergent(const demotion_t *d, LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMCall:
        if (calls(instruction, "llvm.amdgcn.readfirstlane") || calls(instruction, "llvm.amdgcn.readlane") ||
            calls(instruction, "llvm.amdgcn.workgroup") || calls(instruction, "llvm.amdgcn.make.buffer.rsrc"))
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
    case LLVMLoad: // each lane has a scratch of its own
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(instruction, 0))) == SCRATCH_SPACE)
            return true;
        break;
    default:
        break;
    }
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        const value_t *operand = value_of(d, LLVMGetOperand(instruction, (unsigned)i));
        if (operand && operand->divergent)
            return true;
    }
    return false;
}

static void find_divergent(demotion_t *d)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < d->count; i++)
            if (!d->values[i].divergent && is_divergent(d, d->values[i].def))
                d->values[i].divergent = changed = true;
    }
}

static bool type_fits(const demotion_t *d, LLVMTypeRef type)
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
        if (LLVMGetPointerAddressSpace(type) <= SCRATCH_SPACE)
            break;
        return false;
    default:
        return false;
    }
    return LLVMABISizeOfType(d->layout, type) <= LARGEST_SLOT;
}

static bool is_far(const value_t *value, uint32_t block, uint32_t at)
{
    return value->block != block || at - value->begin > NEAR;
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

// The one operand that differs between lanes, if the others are there at all times.
static value_t *variable_operand(const demotion_t *d, LLVMValueRef instruction)
{
    value_t *found = NULL;
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        value_t *operand = value_of(d, LLVMGetOperand(instruction, (unsigned)i));
        if (!operand || operand == found || (!operand->divergent && operand->popular))
            continue;
        if (found || !operand->divergent)
            return NULL;
        found = operand;
    }
    return found;
}

static void find_repeatable(demotion_t *d)
{
    for (uint32_t at = 0; at < d->count; at++) {
        value_t *value = &d->values[at];
        uint32_t users = 0;
        for (LLVMUseRef use = LLVMGetFirstUse(value->def); use && users < MANY_USERS; use = LLVMGetNextUse(use))
            users++;
        value->popular = users == MANY_USERS;
        if (!value->divergent || !is_cheap(value->def))
            continue;
        const value_t *from = variable_operand(d, value->def);
        if (!from || !(from->depth || from->popular) || from->depth == REPEAT_DEPTH)
            continue;
        value->depth = (uint8_t)(from->depth + 1);
        value->from = (uint32_t)(from - d->values);
    }
}

static void extend(value_t *value, uint32_t at)
{
    value->begin = at < value->begin ? at : value->begin;
    value->end = at > value->end ? at : value->end;
}

// Which values go to scratch, and from where to where they live if nothing is repeated.
static void choose_values(demotion_t *d)
{
    for (uint32_t at = 0; at < d->count; at++) {
        LLVMValueRef user = d->values[at].def;
        bool is_phi = LLVMGetInstructionOpcode(user) == LLVMPHI;
        if (is_phi && d->values[at].divergent && type_fits(d, LLVMTypeOf(user)))
            d->values[at].demoted = true;
        for (int i = 0; i < LLVMGetNumOperands(user); i++) {
            value_t *operand = value_of(d, LLVMGetOperand(user, (unsigned)i));
            if (!operand || !operand->divergent || !type_fits(d, LLVMTypeOf(operand->def)))
                continue;
            uint32_t block = d->values[at].block, place = at;
            if (is_phi) {
                if (!is_reached(d, LLVMGetIncomingBlock(user, (unsigned)i)))
                    continue;
                block = block_of(d, LLVMGetIncomingBlock(user, (unsigned)i));
                place = d->spans[block].end;
            }
            while (operand->depth && is_far(operand, block, place))
                operand = &d->values[operand->from];
            operand->demoted = operand->demoted || is_far(operand, block, place);
            operand->end = place > operand->end ? place : operand->end;
        }
    }
    // A phi's slot is written at the ends of the predecessors, before any of them reads what it holds there.
    for (uint32_t at = 0; at < d->count; at++) {
        value_t *phi = &d->values[at];
        if (!phi->demoted || LLVMGetInstructionOpcode(phi->def) != LLVMPHI)
            continue;
        for (unsigned i = 0; i < LLVMCountIncoming(phi->def); i++) {
            if (!is_reached(d, LLVMGetIncomingBlock(phi->def, i)))
                continue;
            uint32_t end = d->spans[block_of(d, LLVMGetIncomingBlock(phi->def, i))].end;
            extend(phi, end ? end - 1 : 0);
            extend(phi, end);
        }
    }
}

// Loops
// ---------------------------------------------------------------------------------------------------------------------

// The positions that the loop behind one backward edge covers.
static span_t loop_span(const demotion_t *d, uint32_t header, uint32_t latch, uint32_t *stack, uint8_t *seen)
{
    span_t span = {d->spans[header].begin, d->spans[latch].end};
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
            if (!LLVMIsATerminatorInst(user) || !is_reached(d, LLVMGetInstructionParent(user)))
                continue;
            uint32_t predecessor = block_of(d, LLVMGetInstructionParent(user));
            if (seen[predecessor])
                continue;
            seen[predecessor] = 1;
            stack[depth++] = predecessor;
        }
    }
    return span;
}

// What is made before a loop and used in it lives all through it.
static bool extend_over_loops(demotion_t *d)
{
    uint32_t *stack = malloc(d->block_count * sizeof *stack), loops = 0, capacity = 0;
    uint8_t *seen = malloc(d->block_count);
    span_t *spans = NULL;
    bool ok = stack && seen;
    for (uint32_t b = 0; ok && b < d->block_count; b++) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(d->blocks[b]);
        for (unsigned i = 0; ok && i < LLVMGetNumSuccessors(terminator); i++) {
            uint32_t successor = block_of(d, LLVMGetSuccessor(terminator, i));
            if (successor > b)
                continue;
            if (loops == capacity) {
                capacity = capacity ? 2 * capacity : 16;
                span_t *larger = realloc(spans, capacity * sizeof *larger);
                ok = larger != NULL;
                spans = ok ? larger : spans;
            }
            if (ok)
                spans[loops++] = loop_span(d, successor, b, stack, seen);
        }
    }
    for (bool changed = loops > 0; ok && changed;) {
        changed = false;
        for (uint32_t at = 0; at < d->count; at++) {
            value_t *value = &d->values[at];
            for (uint32_t i = 0; value->demoted && i < loops; i++)
                if (value->begin < spans[i].begin && value->end >= spans[i].begin && value->end < spans[i].end) {
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

// Slots: a buddy allocator, so that what a vector took serves single elements and the other way round
// ---------------------------------------------------------------------------------------------------------------------

static void push_slot(demotion_t *d, int level, uint32_t slot)
{
    if (d->free_count[level] == d->free_capacity[level]) {
        uint32_t capacity = d->free_capacity[level] ? 2 * d->free_capacity[level] : 64;
        uint32_t *larger = realloc(d->free_slots[level], capacity * sizeof *larger);
        if (!larger) {
            d->failed = true;
            return;
        }
        d->free_slots[level] = larger;
        d->free_capacity[level] = capacity;
    }
    d->free_slots[level][d->free_count[level]++] = slot;
}

// Joins free neighbours of one level to slots of the next.
static int compare_slots(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void join_slots(demotion_t *d, int level)
{
    uint32_t *slots = d->free_slots[level], count = d->free_count[level], kept = 0, size = 1u << level;
    if (count < 2)
        return;
    qsort(slots, count, sizeof *slots, compare_slots);
    for (uint32_t i = 0; i < count; i++) {
        if (i + 1 < count && !(slots[i] & size) && slots[i + 1] == slots[i] + size)
            push_slot(d, level + 1, slots[i++]);
        else
            slots[kept++] = slots[i];
    }
    d->free_count[level] = kept;
}

static uint32_t take_slot(demotion_t *d, int level)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        int found = level;
        while (found < SLOT_LEVELS && !d->free_count[found])
            found++;
        if (found < SLOT_LEVELS) {
            uint32_t slot = d->free_slots[found][--d->free_count[found]];
            for (; found > level; found--)
                push_slot(d, found - 1, slot + (1u << (found - 1)));
            return slot;
        }
        for (int i = 0; attempt == 0 && i < level; i++)
            join_slots(d, i);
    }
    push_slot(d, SLOT_LEVELS - 1, d->arena_bytes);
    d->arena_bytes += LARGEST_SLOT;
    return d->failed ? 0 : take_slot(d, level);
}

static int slot_level(const demotion_t *d, LLVMValueRef value)
{
    uint64_t bytes = LLVMABISizeOfType(d->layout, LLVMTypeOf(value));
    int level = 0;
    while (UINT64_C(1) << level < bytes)
        level++;
    return level;
}

static const uint32_t NOBODY = UINT32_MAX;

static void place_values(demotion_t *d)
{
    uint32_t *begins = malloc((d->count + 1) * sizeof *begins), *next = malloc((d->count + 1) * sizeof *next);
    d->ends = malloc((d->count + 1) * sizeof *d->ends);
    d->failed = !begins || !next || !d->ends;
    for (uint32_t at = 0; !d->failed && at <= d->count; at++)
        begins[at] = d->ends[at] = NOBODY;
    for (uint32_t at = d->failed ? 0 : d->count; at-- > 0;) {
        if (!d->values[at].demoted)
            continue;
        next[at] = begins[d->values[at].begin];
        begins[d->values[at].begin] = at;
    }
    for (uint32_t at = 0; !d->failed && at < d->count; at++) {
        // What is read last here is read before anything is written here.
        for (uint32_t i = d->ends[at]; i != NOBODY; i = d->values[i].next_end)
            push_slot(d, slot_level(d, d->values[i].def), d->values[i].slot);
        for (uint32_t i = begins[at]; i != NOBODY && !d->failed; i = next[i]) {
            d->values[i].slot = take_slot(d, slot_level(d, d->values[i].def));
            d->values[i].next_end = d->ends[d->values[i].end];
            d->ends[d->values[i].end] = i;
        }
    }
    free(begins);
    free(next);
}

// Rewriting
// ---------------------------------------------------------------------------------------------------------------------

static LLVMValueRef slot_pointer(demotion_t *d, const value_t *value)
{
    LLVMValueRef offset = LLVMConstInt(d->i32, value->slot, 0);
    return LLVMBuildInBoundsGEP2(d->builder, d->i8, d->arena, &offset, 1, "");
}

static unsigned slot_alignment(const demotion_t *d, const value_t *value)
{
    unsigned bytes = 1u << slot_level(d, value->def);
    return bytes < SLOT_ALIGNMENT ? bytes : SLOT_ALIGNMENT;
}

static void build_store(demotion_t *d, LLVMValueRef value, const value_t *to)
{
    LLVMSetAlignment(LLVMBuildStore(d->builder, value, slot_pointer(d, to)), slot_alignment(d, to));
}

static LLVMValueRef build_load(demotion_t *d, const value_t *value)
{
    LLVMValueRef load = LLVMBuildLoad2(d->builder, LLVMTypeOf(value->def), slot_pointer(d, value), "");
    LLVMSetAlignment(load, slot_alignment(d, value));
    return load;
}

static LLVMValueRef wanted_value(demotion_t *d, LLVMValueRef operand, uint32_t block, uint32_t at);

static LLVMValueRef build_again(demotion_t *d, const value_t *value, uint32_t block, uint32_t at)
{
    LLVMValueRef copy = LLVMInstructionClone(value->def), from = wanted_value(d, d->values[value->from].def, block, at);
    for (int i = 0; i < LLVMGetNumOperands(copy); i++) {
        LLVMValueRef operand = LLVMGetOperand(copy, (unsigned)i); // perhaps what was loaded for the original
        const value_t *known = value_of(d, operand);
        if (LLVMIsAInstruction(operand) && !(known && !known->divergent))
            LLVMSetOperand(copy, (unsigned)i, from);
    }
    LLVMInsertIntoBuilder(d->builder, copy);
    return copy;
}

// What stands for `operand` at a place of a block, before which the builder is.
static LLVMValueRef wanted_value(demotion_t *d, LLVMValueRef operand, uint32_t block, uint32_t at)
{
    value_t *value = value_of(d, operand);
    if (!value || (!value->demoted && !value->depth))
        return operand;
    bool is_phi = LLVMGetInstructionOpcode(operand) == LLVMPHI;
    if (!is_phi && !is_far(value, block, at))
        return operand;
    if (value->reload && value->reload_block == block && at - value->reload_at <= NEAR)
        return value->reload;
    value->reload = value->depth ? build_again(d, value, block, at) : build_load(d, value);
    value->reload_block = block;
    value->reload_at = at;
    return value->reload;
}

// Writes the slots of a block's phis at the end of one predecessor. They change at once: values that are phis of the
// same block are read before any is written.
static void write_phis(demotion_t *d, uint32_t block, uint32_t predecessor)
{
    uint32_t at = d->spans[predecessor].end;
    LLVMPositionBuilderBefore(d->builder, LLVMGetBasicBlockTerminator(d->blocks[predecessor]));
    for (int writes = 0; writes < 2; writes++)
        for (uint32_t i = d->spans[block].begin; i <= d->spans[block].end; i++) {
            LLVMValueRef phi = d->values[i].def;
            if (LLVMGetInstructionOpcode(phi) != LLVMPHI)
                break;
            for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
                if (LLVMGetIncomingBlock(phi, k) != d->blocks[predecessor])
                    continue;
                LLVMValueRef incoming = LLVMGetIncomingValue(phi, k);
                const value_t *value = value_of(d, incoming);
                bool same_block =
                    value && value->block == block && LLVMGetInstructionOpcode(incoming) == LLVMPHI && value->demoted;
                if (!writes && same_block && incoming != phi)
                    wanted_value(d, incoming, predecessor, at);
                if (!writes || incoming == phi)
                    continue;
                incoming = wanted_value(d, incoming, predecessor, at);
                if (d->values[i].demoted)
                    build_store(d, incoming, &d->values[i]);
                else
                    LLVMSetOperand(phi, k, incoming);
            }
        }
}

static void rewrite_uses(demotion_t *d)
{
    for (uint32_t at = 0; at < d->count; at++) {
        LLVMValueRef user = d->values[at].def;
        uint32_t block = d->values[at].block;
        if (LLVMGetInstructionOpcode(user) == LLVMPHI)
            continue;
        LLVMPositionBuilderBefore(d->builder, user);
        for (int i = 0; i < LLVMGetNumOperands(user); i++) {
            LLVMValueRef operand = LLVMGetOperand(user, (unsigned)i), wanted = wanted_value(d, operand, block, at);
            if (wanted != operand)
                LLVMSetOperand(user, (unsigned)i, wanted);
        }
    }
    for (uint32_t b = 0; b < d->block_count; b++) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(d->blocks[b]);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++)
            write_phis(d, block_of(d, LLVMGetSuccessor(terminator, i)), b);
    }
}

static void store_values(demotion_t *d)
{
    for (uint32_t at = d->count; at-- > 0;) {
        LLVMValueRef def = d->values[at].def;
        if (d->values[at].depth && !LLVMGetFirstUse(def)) {
            LLVMInstructionEraseFromParent(def);
            continue;
        }
        if (!d->values[at].demoted)
            continue;
        if (LLVMGetInstructionOpcode(def) == LLVMPHI) {
            LLVMReplaceAllUsesWith(def, LLVMGetPoison(LLVMTypeOf(def))); // only phis of unreached blocks are left
            LLVMInstructionEraseFromParent(def);
            continue;
        }
        LLVMPositionBuilderBefore(d->builder, LLVMGetNextInstruction(def));
        build_store(d, def, &d->values[at]);
    }
}

static bool demote(demotion_t *d)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(d->function); b; b = LLVMGetNextBasicBlock(b))
        if (!kiln_codegen_order_by_demand(b))
            return false;
    if (!order_blocks(d) || !number_instructions(d))
        return false;
    find_divergent(d);
    find_repeatable(d);
    choose_values(d);
    if (!extend_over_loops(d))
        return false;
    place_values(d);
    if (d->failed)
        return false;
    if (d->arena_bytes) {
        LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(d->function));
        LLVMPositionBuilderBefore(d->builder, first);
        d->arena = LLVMBuildAlloca(d->builder, LLVMArrayType2(d->i8, d->arena_bytes), "");
        LLVMSetAlignment(d->arena, SLOT_ALIGNMENT);
        rewrite_uses(d);
        store_values(d);
    }
    for (uint32_t b = 0; b < d->block_count; b++)
        if (!kiln_codegen_cut_block(d->blocks[b]))
            return false;
    return true;
}

kiln_status_t kiln_codegen_demote_values(kiln_codegen_t *codegen, LLVMModuleRef module)
{
    bool ok = true;
    for (LLVMValueRef function = LLVMGetFirstFunction(module); ok && function;
         function = LLVMGetNextFunction(function)) {
        if (LLVMIsDeclaration(function))
            continue;
        demotion_t d = {.function = function,
                        .layout = codegen->layout,
                        .builder = LLVMCreateBuilderInContext(codegen->context),
                        .i8 = LLVMInt8TypeInContext(codegen->context),
                        .i32 = LLVMInt32TypeInContext(codegen->context)};
        ok = demote(&d);
        for (int i = 0; i < SLOT_LEVELS; i++)
            free(d.free_slots[i]);
        kiln_pointer_map_free(&d.block_of);
        kiln_pointer_map_free(&d.position_of);
        free(d.ends);
        free(d.values);
        free(d.spans);
        free(d.blocks);
        LLVMDisposeBuilder(d.builder);
    }
    return ok ? KILN_OK : kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "out of memory");
}
