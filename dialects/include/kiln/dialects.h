// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C binding of the tt and ttg dialects: their types, their layout attributes as plain structs,
// and operations by enum.
//
// Everything here is a view of immutable, context-owned MLIR objects: nothing is to be freed, and
// the functions may be called from as many threads as there are contexts. Getters may be called
// only on objects for which the matching predicate holds.
#ifndef KILN_DIALECTS_H
#define KILN_DIALECTS_H

#include <stdbool.h>
#include <stdint.h>

#include <mlir-c/IR.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_MAX_RANK 20 // a tensor of 2^20 elements may have 20 dimensions of 2, as in tl.sort

// Operations --------------------------------------------------------------------------------------

typedef enum kiln_op {
    KILN_OP_UNKNOWN = 0,
#define KILN_OP(id, name) KILN_OP_##id,
#include "ops.def"
#undef KILN_OP
    KILN_OP_COUNT
} kiln_op_t;

kiln_op_t
kiln_op_kind(MlirOperation op); // KILN_OP_UNKNOWN if ops.def does not list it; constant time

// Converts a tt.func's blocks to one, with scf operations for its branches. False if that is not
// possible; the function must then be discarded.
bool kiln_function_structure(MlirOperation function);

// In `root`: converts cf.switch to two-way branches and scf.index_switch to chains of scf.if, and
// inlines each scf.execute_region, with its blocks converted to one. False if that is not possible:
// then *out_operation is the operation with the blocks, and the module must be discarded.
bool kiln_structure_regions(MlirOperation root, MlirOperation *out_operation);
// Parses text or bytecode and verifies it; null after a diagnostic. MLIR's own functions crash in
// the verifier if bytecode gives an attribute a wrong type.
MlirOperation kiln_parse_module(MlirContext context, MlirStringRef source, MlirStringRef name);

// After parsing: replaces forms of newer Triton in `root` that have an older equivalent
// (docs/dialects.md). False after a diagnostic if an operation does not support its form.
bool kiln_normalize_forms(MlirOperation root);
const char *kiln_op_name(kiln_op_t kind); // "tt.load"

// The options in a loop's llvm.loop_annotation; all false if there is none.
typedef struct kiln_loop_hints {
    bool disable_licm, disable_licm_versioning;
} kiln_loop_hints_t;
kiln_loop_hints_t kiln_loop_hints(MlirOperation loop);
// Hoists loop-invariant operations in `root` out of loops that don't disable it.
void kiln_hoist_invariants(MlirOperation root);

// The effects that MLIR's own passes see in an operation and its regions.
typedef struct kiln_mlir_effects {
    bool is_known;       // false: it may do anything
    bool reads, writes;  // freeing counts as a write; allocating a result has no effect
    bool may_be_dropped; // if its results are unused
    bool may_be_hoisted; // out of a loop in which its operands don't change
} kiln_mlir_effects_t;
kiln_mlir_effects_t kiln_op_mlir_effects(MlirOperation op);

// Loads tt, ttg, amdg, arith, math, scf, cf, ub, gpu and LLVM into the context (LLVM for
// llvm.intr.assume and loop annotations), and lets the parser load rocdl. Returns false if memory
// is exhausted; the context can only be destroyed then.
bool kiln_context_load_dialects(MlirContext context);

// Types -------------------------------------------------------------------------------------------

bool kiln_type_is_ptr(MlirType type); // !tt.ptr<…>
MlirType kiln_ptr_type(MlirType pointee, int address_space);
MlirType kiln_ptr_pointee(MlirType ptr);
int kiln_ptr_address_space(MlirType ptr);

bool kiln_type_is_memdesc(MlirType type); // !ttg.memdesc<…>
MlirType kiln_memdesc_type(int rank, const int64_t *shape, MlirType element, MlirAttribute encoding,
                           MlirAttribute memory_space, bool is_mutable,
                           const int64_t *alloc_shape /* NULL: same as shape */);
int kiln_memdesc_rank(MlirType memdesc);
int64_t kiln_memdesc_dim(MlirType memdesc, int dim);
int64_t kiln_memdesc_alloc_dim(MlirType memdesc, int dim);
int kiln_memdesc_alloc_rank(MlirType memdesc);
MlirType kiln_memdesc_element(MlirType memdesc);
MlirAttribute kiln_memdesc_encoding(MlirType memdesc);
bool kiln_memdesc_is_mutable(MlirType memdesc);
MlirAttribute kiln_shared_memory_attr(MlirContext context); // #ttg.shared_memory

bool kiln_type_is_async_token(MlirType type); // !ttg.async.token

bool kiln_type_is_tensordesc(MlirType type); // !tt.tensordesc<…>
MlirType kiln_tensordesc_type(MlirType block);
MlirType kiln_tensordesc_block_type(MlirType desc); // the block as a ranked tensor

// Layout encodings --------------------------------------------------------------------------------

typedef enum kiln_encoding_kind {
    KILN_ENCODING_NONE = 0, // a null attribute or not an encoding of ttg
    KILN_ENCODING_BLOCKED,
    KILN_ENCODING_SLICE,
    KILN_ENCODING_MFMA,
    KILN_ENCODING_DOT_OPERAND,
    KILN_ENCODING_LINEAR,
    KILN_ENCODING_SWIZZLED_SHARED,
    KILN_ENCODING_ROTATING_SHARED,
    KILN_ENCODING_PADDED_SHARED,
    KILN_ENCODING_SHARED_LINEAR,
} kiln_encoding_kind_t;

kiln_encoding_kind_t kiln_encoding_kind(MlirAttribute encoding);

typedef struct kiln_blocked { // #ttg.blocked; order[0] is the fastest dimension
    int rank;
    int32_t size_per_thread[KILN_MAX_RANK], threads_per_warp[KILN_MAX_RANK],
        warps_per_cta[KILN_MAX_RANK], order[KILN_MAX_RANK];
} kiln_blocked_t;
MlirAttribute kiln_blocked_attr(MlirContext context, const kiln_blocked_t *value);
kiln_blocked_t kiln_blocked_get(MlirAttribute encoding);

MlirAttribute kiln_slice_attr(int dim,
                              MlirAttribute parent); // #ttg.slice; null if the parent has one
                                                     // dimension, since the result is a scalar
int kiln_slice_dim(MlirAttribute encoding);
MlirAttribute kiln_slice_parent(MlirAttribute encoding);

typedef struct kiln_mfma { // #ttg.amd_mfma
    int version;           // 3 for gfx942
    int rank;
    int32_t warps_per_cta[KILN_MAX_RANK], tiles_per_warp[KILN_MAX_RANK];
    int32_t instr_shape[3]; // M, N, K; K is 0 in text up to 3.5
    bool is_transposed;
    int element_bits; // of the accumulator: 32, or 64 for f64
} kiln_mfma_t;
MlirAttribute kiln_mfma_attr(MlirContext context, const kiln_mfma_t *value);
kiln_mfma_t kiln_mfma_get(MlirAttribute encoding);

MlirAttribute kiln_dot_operand_attr(int op_idx, MlirAttribute parent,
                                    int k_width); // #ttg.dot_op; k_width 0 if the parent is blocked
int kiln_dot_operand_index(MlirAttribute encoding);
MlirAttribute kiln_dot_operand_parent(MlirAttribute encoding);
int kiln_dot_operand_k_width(MlirAttribute encoding);

// #ttg.linear: one basis vector (rank coordinates) for each bit of register, lane, warp and block.
typedef struct kiln_linear {
    int rank;
    int register_bits, lane_bits, warp_bits, block_bits;
    int32_t bases[64][KILN_MAX_RANK]; // register bits first, then lane, warp, block
} kiln_linear_t;
MlirAttribute kiln_linear_attr(MlirContext context, const kiln_linear_t *value);
kiln_linear_t kiln_linear_get(MlirAttribute encoding);

typedef struct kiln_swizzled_shared { // #ttg.swizzled_shared and #ttg.amd_rotating_shared
    int rank;
    int32_t vec, per_phase, max_phase, order[KILN_MAX_RANK];
} kiln_swizzled_shared_t;
MlirAttribute kiln_swizzled_shared_attr(MlirContext context, const kiln_swizzled_shared_t *value);
MlirAttribute kiln_rotating_shared_attr(MlirContext context, const kiln_swizzled_shared_t *value);
kiln_swizzled_shared_t kiln_swizzled_shared_get(MlirAttribute encoding); // of either kind

kiln_linear_t kiln_shared_linear_get(
    MlirAttribute encoding); // #ttg.shared_linear: register bits are those of the offset; no others

enum { KILN_MAX_PADDINGS = 8 };
typedef struct kiln_padding { // in elements, powers of two
    int count;
    int32_t intervals[KILN_MAX_PADDINGS], pads[KILN_MAX_PADDINGS];
} kiln_padding_t;

typedef struct kiln_padded_shared { // #ttg.padded_shared: the layout without padding takes one of
                                    // two forms
    kiln_padding_t padding;
    bool is_ordered;
    kiln_swizzled_shared_t order; // is_ordered: vec, per_phase and max_phase are 1
    int64_t shape[KILN_MAX_RANK]; // is_ordered
    kiln_linear_t linear;         // else: register bits are those of the offset
} kiln_padded_shared_t;
kiln_padded_shared_t kiln_padded_shared_get(MlirAttribute encoding);

#ifdef __cplusplus
}
#endif
#endif
