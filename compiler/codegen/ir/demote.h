// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the files of the demotion: a function's instructions in one order, and which of them go
// to scratch.
//
// Note that positions number the instructions as they were before any was added or removed.
#ifndef KILN_CODEGEN_DEMOTE_H
#define KILN_CODEGEN_DEMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "analysis/pointer_map.h"

enum {
    KILN_SLOT_LEVELS = 9, // slots of 1 to 256 bytes
    KILN_LARGEST_SLOT = 1 << (KILN_SLOT_LEVELS - 1),
    KILN_SCRATCH_SPACE = 5,
    KILN_NEAR = 24, // distance of a use, in instructions, up to which a value stays in a register
};

typedef struct kiln_demoted {
    LLVMValueRef def;
    uint32_t block;
    uint32_t begin, end; // positions between which its slot is in use
    uint32_t next_end;   // list of values that end at the same position
    uint32_t slot;       // byte offset in the arena
    uint32_t reload_at;  // where it was loaded last, in reload's block
    LLVMValueRef reload;
    uint32_t reload_block;
    bool divergent, demoted;
    bool has_many_users; // has MANY_USERS
    uint8_t depth;       // > 0: recomputed from a popular value by this many instructions …
    uint32_t from;       // … and directly from this one
} kiln_demoted_t;

typedef struct kiln_span {
    uint32_t begin, end;
} kiln_span_t;

typedef struct kiln_demotion {
    LLVMValueRef function;
    LLVMTargetDataRef layout;
    LLVMBuilderRef builder;
    LLVMTypeRef i8, i32;
    LLVMBasicBlockRef *blocks; // in reverse postorder
    kiln_span_t *spans;        // of blocks, in positions
    uint32_t block_count, count;
    kiln_demoted_t *values; // [count]: all instructions, by position
    kiln_pointer_map_t block_of, position_of;
    uint32_t *ends; // [count + 1]: heads of the lists
    uint32_t *free_slots[KILN_SLOT_LEVELS];
    uint32_t free_count[KILN_SLOT_LEVELS], arena_bytes;
    size_t free_capacity[KILN_SLOT_LEVELS];
    LLVMValueRef arena;
    bool failed; // out of memory
} kiln_demotion_t;

// The instruction's row; NULL if the value is not an instruction or was added later.
static inline kiln_demoted_t *kiln_demotion_value(const kiln_demotion_t *d, LLVMValueRef value)
{
    int at = LLVMIsAInstruction(value) ? kiln_pointer_map_get(&d->position_of, value) : -1;
    return at < 0 ? NULL : &d->values[at];
}

static inline uint32_t kiln_demotion_block(const kiln_demotion_t *d, LLVMBasicBlockRef block)
{
    return (uint32_t)kiln_pointer_map_get(&d->block_of,
                                          block); // only of reachable predecessors
}

static inline bool kiln_demotion_reaches(const kiln_demotion_t *d, LLVMBasicBlockRef block)
{
    return kiln_pointer_map_get(&d->block_of, block) >= 0;
}

static inline bool kiln_is_far(const kiln_demoted_t *value, uint32_t block, uint32_t at)
{
    return value->block != block || at - value->begin > KILN_NEAR;
}

static inline int kiln_demotion_level(const kiln_demotion_t *d, LLVMValueRef value)
{
    uint64_t bytes = LLVMABISizeOfType(d->layout, LLVMTypeOf(value));
    int level = 0;
    while (UINT64_C(1) << level < bytes)
        level++;
    return level;
}

// demote_choose.c: orders the blocks, numbers the instructions, and decides which values go to
// scratch and for how long. Returns false if memory is exhausted.
bool kiln_demotion_choose(kiln_demotion_t *demotion);
// demote_slots.c: assigns a slot to each of them. Sets `failed` if memory is exhausted.
void kiln_demotion_place(kiln_demotion_t *demotion);

#endif
