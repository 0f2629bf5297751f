// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of one lowering, and the walk from operation to handler.
//
// Note that a helper that returns a value returns NULL on error and records the error in the state;
// the walk reports it with the location of the current operation.
#ifndef KILN_LOWERING_H
#define KILN_LOWERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <mlir-c/IR.h>

#include "kiln/dialects.h"
#include "kiln/status.h"

#include "analysis/program_order.h"
#include "analysis/waves/uniformity.h"
#include "base/gfx942.h"
#include "builder/ir.h"
#include "layout/layout.h"
#include "lower.h"
#include "memory_pool.h"

enum {
    KILN_LLVM_AS_GLOBAL = 1,
    KILN_LLVM_AS_LDS = 3,
    KILN_LLVM_AS_CONSTANT = 4,
    KILN_LLVM_AS_RESOURCE = 8,
};

typedef struct kiln_lower_debug kiln_lower_debug_t;

// The mask on which all of a kernel depends from some operation on (functions/guard.c).
typedef struct kiln_guard {
    MlirOperation first; // null: there is none
    MlirValue mask;
    bool each_is_one; // each access accesses all elements of a thread at once
    bool is_open;     // emitted code is executed only by lanes whose mask is true
} kiln_guard_t;

typedef struct kiln_lowering {
    const kiln_compile_options_t *options;
    const char *file; // NULL: unknown
    MlirModule ttg;
    int num_waves;
    kiln_program_order_t program_order;
    kiln_lower_arena_t *arena;
    kiln_lower_map_t *values;
    kiln_lower_map_t *layouts;       // MlirType → kiln_layout_t
    kiln_lower_map_t *functions;     // tt.func → LLVM function
    kiln_lower_map_t *blocks;        // of the current function (functions/control_flow.c)
    struct kiln_axis_analysis *axis; // contiguity of pointers and masks along a tile
    kiln_lower_debug_t *debug;       // NULL without line info
    kiln_status_t failure; // the first error in helpers that return values; reported by the walk
                           // after each operation

    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef void_type, i1, i8, i16, i32, i64, f16, bf16, f32, f64, global_ptr, lds_ptr,
        constant_ptr, resource_ptr;
    LLVMValueRef lds_global; // all of a kernel's LDS
    LLVMValueRef lds;        // where the LDS of the current function begins
    LLVMValueRef local_only; // metadata: a fence orders LDS alone
    LLVMValueRef no_sinking; // the last one that kiln_emit_no_sinking emitted

    // The current function.
    MlirOperation func;
    LLVMValueRef function;
    LLVMTypeRef return_type;
    LLVMBuilderRef entry; // inserts at the end of the entry block, whose values dominate everything
    LLVMBuilderRef positions; // … and where positions in tiles are computed: there, or at the start
                              // of a version of the kernel (functions/control_flow.c)
    kiln_lower_map_t *bases;  // pointers → kiln_base_t (memory/pointer_range.c)
    kiln_guard_t guard;
    LLVMValueRef thread;     // of the workgroup
    LLVMValueRef lane, wave; // lane 0…63; wave is uniform (NULL if there is only one)
    kiln_lower_map_t
        *multiples; // i32 values → how many of their low bits are zero, if the program promises it
    struct kiln_linear_memo *linear_memo;
    bool is_kernel;
    bool scalars_diverge;   // inside a region that combines elements, lanes hold different scalars
    uint32_t features_used; // kiln_feature_t bits
    bool has_program_ids;
    LLVMValueRef program_ids[KILN_PROGRAM_AXES]; // NULL: the dispatch's (functions/program_id.c)
    int skew;                 // by how many barriers waves may be apart (analysis/waves/waves.h)
    bool waves_release_alone; // analysis/memory/global_access.h
    MlirOperation op;         // being lowered
    kiln_uniformity_t *uniformity;
} kiln_lowering_t;

// The dispatch's values that a kernel uses; function attributes declare the others unused.
typedef enum kiln_feature {
    KILN_FEATURE_WORKGROUP_ID_X = 1 << 0,
    KILN_FEATURE_WORKGROUP_ID_Y = 1 << 1,
    KILN_FEATURE_WORKGROUP_ID_Z = 1 << 2,
    KILN_FEATURE_IMPLICIT_ARGS = 1 << 3,
    KILN_FEATURE_HOSTCALL = 1 << 4,
    KILN_FEATURE_CALLS = 1 << 5,
} kiln_feature_t;

typedef kiln_status_t (*kiln_lower_handler_t)(kiln_lowering_t *l, MlirOperation op);

#define KILN_LOWER_ARRAY(l, type, count)                                                           \
    ((type *)kiln_lower_arena_alloc((l)->arena, sizeof(type) * (size_t)(count)))

// Whether lanes of one wave may hold different values of a scalar.
static inline bool kiln_lanes_differ(const kiln_lowering_t *l, MlirValue scalar)
{
    return kiln_divergence_of(l->uniformity, scalar) == KILN_DIVERGENT;
}

// The walk (lower.c) ------------------------------------------------------------------------------

kiln_status_t
kiln_lower_fail(kiln_lowering_t *l,
                kiln_status_t status); // records the first error, frees later ones; returns KILN_OK
// Lowers a region that combines scalars inline: binds its block arguments to `args`, lowers its
// operations, returns the terminator's operands.
kiln_status_t kiln_lower_inline_region(kiln_lowering_t *l, MlirRegion region, LLVMValueRef *args,
                                       int result_count, LLVMValueRef *results);
// The same for several blocks whose entry's arguments are bound (functions/control_flow.c).
kiln_status_t kiln_lower_scalar_blocks(kiln_lowering_t *l, MlirRegion region, int result_count,
                                       LLVMValueRef *results);

kiln_status_t kiln_lower_block(
    kiln_lowering_t *l,
    MlirBlock block); // its operations; terminators of regions are left to their parents
kiln_status_t kiln_lower_operation(kiln_lowering_t *l, MlirOperation op);
kiln_status_t
kiln_lower_take_failure(kiln_lowering_t *l); // the error that helpers recorded, or KILN_OK

// Handlers, one for each row of handlers.def.
kiln_status_t kiln_lower_elementwise(kiln_lowering_t *l, MlirOperation op);
#define KILN_LOWER(kind, function) kiln_status_t function(kiln_lowering_t *l, MlirOperation op);
#include "handlers.def"
#undef KILN_LOWER

#endif
