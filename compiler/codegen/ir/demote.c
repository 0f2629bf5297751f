// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves values that do not fit in registers to scratch memory before code generation: one arena per
// function, whose slots are shared by values that are not live at the same time.
//
// A tile of 2^20 elements in one wave is 16384 values per lane. For that many, LLVM's allocators
// that share stack slots take minutes, and the fast one gives every value its own slot, so that a
// few operations exceed the 128 KiB of scratch that a lane has. Here a value that is used far from
// its definition is stored at once and reloaded where it is needed; the remaining values live for a
// few instructions. Sums of an index and constants, which are as numerous as the elements, are
// recomputed instead. Then blocks are split, because the time of instruction selection grows faster
// than the length of a block.
//
// Note that a uniform value must not be moved: a value loaded from scratch is in a vector register,
// so branches, addresses and resources that were scalar would become divergent.
#include <stdlib.h>

#include "codegen/codegen_internal.h"
#include "codegen/ir/demote.h"
#include "codegen/ir/walk.h"

enum { SLOT_ALIGNMENT = 16 };

static LLVMValueRef slot_pointer(kiln_demotion_t *d, const kiln_demoted_t *value)
{
    LLVMValueRef offset = LLVMConstInt(d->i32, value->slot, 0);
    return LLVMBuildInBoundsGEP2(d->builder, d->i8, d->arena, &offset, 1, "");
}

static unsigned slot_alignment(const kiln_demotion_t *d, const kiln_demoted_t *value)
{
    unsigned bytes = 1u << kiln_demotion_level(d, value->def);
    return bytes < SLOT_ALIGNMENT ? bytes : SLOT_ALIGNMENT;
}

static void build_store(kiln_demotion_t *d, LLVMValueRef value, const kiln_demoted_t *to)
{
    LLVMSetAlignment(LLVMBuildStore(d->builder, value, slot_pointer(d, to)), slot_alignment(d, to));
}

static LLVMValueRef build_load(kiln_demotion_t *d, const kiln_demoted_t *value)
{
    LLVMValueRef load =
        LLVMBuildLoad2(d->builder, LLVMTypeOf(value->def), slot_pointer(d, value), "");
    LLVMSetAlignment(load, slot_alignment(d, value));
    return load;
}

static LLVMValueRef wanted_value(kiln_demotion_t *d, LLVMValueRef operand, uint32_t block,
                                 uint32_t at);

static LLVMValueRef build_again(kiln_demotion_t *d, const kiln_demoted_t *value, uint32_t block,
                                uint32_t at)
{
    LLVMValueRef copy = LLVMInstructionClone(value->def),
                 from = wanted_value(d, d->values[value->from].def, block, at);
    for (int i = 0; i < LLVMGetNumOperands(copy); i++) {
        LLVMValueRef operand =
            LLVMGetOperand(copy, (unsigned)i); // perhaps the reload made for the original
        const kiln_demoted_t *known = kiln_demotion_value(d, operand);
        if (LLVMIsAInstruction(operand) && !(known && !known->divergent))
            LLVMSetOperand(copy, (unsigned)i, from);
    }
    LLVMInsertIntoBuilder(d->builder, copy);
    return copy;
}

// The replacement for `operand` at the builder's position in a block.
static LLVMValueRef wanted_value(kiln_demotion_t *d, LLVMValueRef operand, uint32_t block,
                                 uint32_t at)
{
    kiln_demoted_t *value = kiln_demotion_value(d, operand);
    if (!value || (!value->demoted && !value->depth))
        return operand;
    bool is_phi = LLVMGetInstructionOpcode(operand) == LLVMPHI;
    if (!is_phi && !kiln_is_far(value, block, at))
        return operand;
    if (value->reload && value->reload_block == block && at - value->reload_at <= KILN_NEAR)
        return value->reload;
    value->reload = value->depth ? build_again(d, value, block, at) : build_load(d, value);
    value->reload_block = block;
    value->reload_at = at;
    return value->reload;
}

// Writes the slots of a block's phis at the end of one predecessor. Phis change in parallel, so
// values that are phis of the same block are read before any slot is written.
static void write_phis(kiln_demotion_t *d, uint32_t block, uint32_t predecessor)
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
                const kiln_demoted_t *value = kiln_demotion_value(d, incoming);
                bool same_block = value && value->block == block &&
                                  LLVMGetInstructionOpcode(incoming) == LLVMPHI && value->demoted;
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

static void rewrite_uses(kiln_demotion_t *d)
{
    for (uint32_t at = 0; at < d->count; at++) {
        LLVMValueRef user = d->values[at].def;
        uint32_t block = d->values[at].block;
        if (LLVMGetInstructionOpcode(user) == LLVMPHI)
            continue;
        LLVMPositionBuilderBefore(d->builder, user);
        for (int i = 0; i < LLVMGetNumOperands(user); i++) {
            LLVMValueRef operand = LLVMGetOperand(user, (unsigned)i),
                         wanted = wanted_value(d, operand, block, at);
            if (wanted != operand)
                LLVMSetOperand(user, (unsigned)i, wanted);
        }
    }
    for (uint32_t b = 0; b < d->block_count; b++) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(d->blocks[b]);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++)
            write_phis(d, kiln_demotion_block(d, LLVMGetSuccessor(terminator, i)), b);
    }
}

static void store_values(kiln_demotion_t *d)
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
            LLVMReplaceAllUsesWith(
                def, LLVMGetPoison(LLVMTypeOf(def))); // only phis of unreachable blocks are left
            LLVMInstructionEraseFromParent(def);
            continue;
        }
        LLVMPositionBuilderBefore(d->builder, LLVMGetNextInstruction(def));
        build_store(d, def, &d->values[at]);
    }
}

static bool demote(kiln_demotion_t *d)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(d->function); b; b = LLVMGetNextBasicBlock(b))
        if (!kiln_codegen_order_by_demand(b))
            return false;
    if (!kiln_demotion_choose(d))
        return false;
    kiln_demotion_place(d);
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
    for (LLVMValueRef function = kiln_first_definition(module); ok && function;
         function = kiln_next_definition(function)) {
        kiln_demotion_t d = {.function = function,
                             .layout = codegen->layout,
                             .builder = LLVMCreateBuilderInContext(codegen->context),
                             .i8 = LLVMInt8TypeInContext(codegen->context),
                             .i32 = LLVMInt32TypeInContext(codegen->context)};
        ok = demote(&d);
        for (int i = 0; i < KILN_SLOT_LEVELS; i++)
            free(d.free_slots[i]);
        kiln_pointer_map_free(&d.block_of);
        kiln_pointer_map_free(&d.position_of);
        free(d.ends);
        free(d.values);
        free(d.spans);
        free(d.blocks);
        LLVMDisposeBuilder(d.builder);
    }
    return ok ? KILN_OK : kiln_status_out_of_memory();
}
