// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of the lowering share: the state of one lowering, tiles (the LLVM values of one MLIR value), and small
// helpers over LLVM-C.
//
// A tile holds one LLVM value per register of its layout, made as late as possible. Integers and pointers are kept as
// sums
//     lane + uniform + imm                                                            (modulo 2^bits)
// of a part that differs between lanes, a part that is the same in a whole wave, and a constant. Registers of one tile
// mostly differ in `imm` alone, so that index arithmetic is emitted once per thread and the constants end up in the
// immediate offsets of memory instructions.
//
// The thing one gets wrong: a value that is materialised late must dominate every use of its tile, not only the one at
// hand. kiln_tile_value therefore inserts at the end of the block in which the tile was made when the builder has moved
// on.
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

#include "base/gfx942.h"
#include "builder/ir.h"
#include "layout/layout.h"
#include "lower.h"
#include "memory_pool.h"

enum {
    KILN_WAVE_SIZE = KILN_GFX942_LANES,
    KILN_LLVM_AS_GLOBAL = 1,
    KILN_LLVM_AS_LDS = 3,
    KILN_LLVM_AS_CONSTANT = 4,
    KILN_LLVM_AS_RESOURCE = 8,
};

// lane + uniform + imm; either value may be NULL, which counts as zero.
typedef struct kiln_sum {
    LLVMValueRef lane, uniform;
    int64_t imm;
} kiln_sum_t;

typedef struct kiln_tile {
    MlirType type;
    const kiln_layout_t *layout; // NULL: a scalar, held alike by all threads
    bool divergent;              // a scalar that lanes hold differently: an argument of a region that combines elements
    uint32_t count;              // registers
    LLVMTypeRef element;         // LLVM type of one register
    LLVMBasicBlockRef block;     // where it was made
    LLVMValueRef *values;        // [count]; NULL where not yet materialised
    LLVMValueRef *vectors;       // [count / vector_width] of values that travel together, or NULL
    uint32_t vector_width;
    // [count]: integers, pointers (in bytes from base) and memory descriptors (where the buffer starts, in bytes from
    // the start of LDS, and for a part of a buffer what offsets of its elements are XORed with); or NULL
    kiln_sum_t *sums;
    // Pointers only.
    LLVMValueRef base; // the uniform pointer that sums count from; NULL: values hold whole pointers
    unsigned sum_bits; // width of the sums' arithmetic
    bool range32;      // base points to a buffer below 2 GiB: byte offsets from it are exact modulo 2^32
} kiln_tile_t;

typedef struct kiln_lower_debug kiln_lower_debug_t;

typedef struct kiln_lowering {
    const kiln_lower_options_t *options;
    MlirModule ttg;
    int num_warps;
    kiln_lower_arena_t *arena;
    kiln_lower_map_t *values;
    kiln_lower_map_t *layouts;   // MlirType → kiln_layout_t
    kiln_lower_map_t *functions; // tt.func → LLVM function
    kiln_lower_map_t *blocks;    // of the function at hand (lower_control_flow.c)
    struct kiln_axis_analysis *axis; // how pointers and masks go along a tile
    kiln_lower_debug_t *debug; // NULL without line info
    kiln_status_t
        failure; // the first failure inside helpers that return values; reported by the walk after each operation

    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef void_type, i1, i8, i16, i32, i64, f16, bf16, f32, f64, global_ptr, lds_ptr, constant_ptr, resource_ptr;
    LLVMValueRef lds_global; // all of a kernel's LDS
    LLVMValueRef lds;        // where the LDS of the function at hand begins
    LLVMValueRef local_only; // metadata: a fence orders LDS alone
    LLVMValueRef no_sinking; // the last that kiln_emit_no_sinking made

    // The function at hand.
    MlirOperation func;
    LLVMValueRef function;
    LLVMTypeRef return_type;
    LLVMBuilderRef entry;        // inserts at the end of the entry block, whose values dominate everything
    kiln_lower_map_t *resources; // of base pointers (lower_memory.c)
    LLVMValueRef lane, warp;     // lane 0…63; warp is uniform (NULL where there is one warp)
    struct kiln_linear_memo *linear_memo;
    bool is_kernel;
    bool scalars_diverge;   // inside a region that combines elements, lanes hold different scalars
    uint32_t features_used; // kiln_feature_t bits
    int skew;               // by how many barriers waves may be apart (analysis/waves.h)
} kiln_lowering_t;

// What a kernel needs of the dispatch; the rest is declared unused by function attributes.
typedef enum kiln_feature {
    KILN_FEATURE_WORKGROUP_ID_X = 1 << 0,
    KILN_FEATURE_WORKGROUP_ID_Y = 1 << 1,
    KILN_FEATURE_WORKGROUP_ID_Z = 1 << 2,
    KILN_FEATURE_IMPLICIT_ARGS = 1 << 3,
    KILN_FEATURE_HOSTCALL = 1 << 4,
    KILN_FEATURE_CALLS = 1 << 5,
} kiln_feature_t;

typedef kiln_status_t (*kiln_lower_handler_t)(kiln_lowering_t *l, MlirOperation op);

#define KILN_LOWER_ARRAY(l, type, count) ((type *)kiln_lower_arena_alloc((l)->arena, sizeof(type) * (size_t)(count)))

// Tiles (tile.c)
// -------------------------------------------------------------------------------------------------------------------------------

const kiln_layout_t *
kiln_lower_layout(kiln_lowering_t *l,
                  MlirType type); // cached; NULL and l->failure set where the encoding has no layout
LLVMTypeRef kiln_lower_element_type(kiln_lowering_t *l,
                                    MlirType type); // of a scalar or of a tensor's element; NULL where there is none

// How many numbers a memory descriptor is: its offset, and for a part of a buffer what it adds to offsets by XOR.
uint32_t kiln_memdesc_parts(MlirType type);
kiln_tile_t *kiln_tile_create(kiln_lowering_t *l,
                              MlirType type); // no values yet; NULL and l->failure set where the type cannot be held
kiln_tile_t *kiln_tile_create_sums(kiln_lowering_t *l, MlirType type);
kiln_tile_t *kiln_tile_like(kiln_lowering_t *l, const kiln_tile_t *source,
                            MlirType type); // empty, with the pointer fields of source
bool kiln_tile_holds_sums(const kiln_tile_t *tile);
LLVMValueRef kiln_tile_value(kiln_lowering_t *l, kiln_tile_t *tile, uint32_t reg);
LLVMValueRef kiln_tile_vector(kiln_lowering_t *l, kiln_tile_t *tile, uint32_t first,
                              uint32_t count); // <count x element>; count 1: the value itself
kiln_sum_t kiln_tile_sum(kiln_lowering_t *l, kiln_tile_t *tile,
                         uint32_t reg);                           // of integers; of pointers only where base is set
bool kiln_tile_is_uniform(const kiln_tile_t *tile, uint32_t reg); // known to be the same in all lanes
void kiln_tile_copy_register(kiln_tile_t *to, uint32_t to_reg, const kiln_tile_t *from, uint32_t from_reg);

kiln_tile_t *kiln_lower_operand(kiln_lowering_t *l, MlirOperation op,
                                int index); // the tile of an operand; NULL and l->failure set where there is none
kiln_tile_t *kiln_lower_value(kiln_lowering_t *l, MlirValue value);
LLVMValueRef kiln_lower_scalar(kiln_lowering_t *l, MlirOperation op, int index); // operand as one LLVM value
void kiln_lower_bind(kiln_lowering_t *l, MlirValue value, kiln_tile_t *tile);
void kiln_lower_bind_result(kiln_lowering_t *l, MlirOperation op, int index, kiln_tile_t *tile);
kiln_status_t kiln_lower_fail(kiln_lowering_t *l,
                              kiln_status_t status); // remembers the first failure, frees later ones; returns KILN_OK

LLVMValueRef kiln_sum_value(kiln_lowering_t *l, kiln_sum_t sum,
                            LLVMTypeRef type); // emits the additions at the builder's place
kiln_sum_t kiln_sum_add(kiln_lowering_t *l, kiln_sum_t a, kiln_sum_t b, unsigned bits);
kiln_sum_t kiln_sum_scale(kiln_lowering_t *l, kiln_sum_t a, int64_t factor, LLVMTypeRef type);
kiln_sum_t kiln_sum_of(LLVMValueRef value, bool uniform); // folds constants into imm
// 32-bit sums of these parts and any imm between the two are the sums of their parts' sign extensions (sum_range.c).
bool kiln_sum_extends_by_parts(LLVMValueRef lane, LLVMValueRef uniform, int64_t least_imm, int64_t most_imm);

// LLVM-C helpers (emit.c)
// ----------------------------------------------------------------------------------------------------------------------

LLVMValueRef kiln_emit_i32(kiln_lowering_t *l, int64_t value);
LLVMValueRef kiln_emit_i64(kiln_lowering_t *l, int64_t value);
LLVMValueRef kiln_emit_i1(kiln_lowering_t *l, bool value);
// Calls an LLVM intrinsic; `overloads` are its overloaded types in order.
LLVMValueRef kiln_emit_intrinsic(kiln_lowering_t *l, const char *name, const LLVMTypeRef *overloads,
                                 unsigned overload_count, LLVMValueRef *args, unsigned arg_count);
LLVMValueRef kiln_emit_call(kiln_lowering_t *l, const char *symbol, LLVMTypeRef result, LLVMValueRef *args,
                            unsigned arg_count, bool pure);
LLVMValueRef kiln_emit_vector(kiln_lowering_t *l, LLVMTypeRef element, LLVMValueRef *values,
                              uint32_t count); // recognises the extracts of one vector
LLVMValueRef kiln_emit_extract(kiln_lowering_t *l, LLVMValueRef vector, uint32_t index);
LLVMValueRef kiln_emit_add(kiln_lowering_t *l, LLVMValueRef a, LLVMValueRef b); // NULL counts as zero
LLVMValueRef
kiln_emit_uniform(kiln_lowering_t *l,
                  LLVMValueRef value);      // readfirstlane of a value of any type: tells LLVM that all lanes agree
void kiln_emit_barrier(kiln_lowering_t *l); // all warps meet; LDS accesses before it are seen after it
void kiln_emit_wave_barrier(kiln_lowering_t *l); // s_barrier alone, where there is more than one wave
// s_waitcnt of gfx9: vmcnt in bits 3-0 and 15-14, expcnt in 6-4, lgkmcnt in 11-8; all ones: no wait.
typedef enum kiln_wait { KILN_WAIT_LDS = 0xc07f, KILN_WAIT_MEMORY = 0x0070 } kiln_wait_t;
void kiln_emit_release_wait(kiln_lowering_t *l, kiln_wait_t what);
void kiln_emit_no_sinking(kiln_lowering_t *l); // before a barrier's first fence: what was loaded stays above it
LLVMBasicBlockRef kiln_emit_block(kiln_lowering_t *l, const char *name); // appended to the function
unsigned kiln_llvm_bits(LLVMTypeRef type); // of an integer or float type; 64 for global pointers
LLVMValueRef kiln_emit_bits(kiln_lowering_t *l, LLVMValueRef value); // bit cast to an integer of the same width
LLVMValueRef kiln_emit_from_bits(kiln_lowering_t *l, LLVMValueRef bits, LLVMTypeRef type);
bool kiln_llvm_const_int(LLVMValueRef value, int64_t *out);

// XOR over i of bit i of `source` times bases[i]: a linear map over F2 of lane or warp numbers. Emitted once in the
// entry block. NULL for zero.
LLVMValueRef kiln_emit_linear(kiln_lowering_t *l, LLVMValueRef source, int bits, const uint32_t *bases);

// For each register of a layout-like map, the sum for its value times `scale`; supports of lanes, warps and registers
// may overlap.
void kiln_emit_layout_sums(kiln_lowering_t *l, const kiln_layout_t *map, int64_t scale, kiln_sum_t *out);
// i1: this thread holds the elements as the first of all replicas (free lane and warp bits are 0); NULL where there are
// no replicas.
LLVMValueRef kiln_emit_is_first_replica(kiln_lowering_t *l, const kiln_layout_t *layout);

// Runs a region that combines scalars: binds its block arguments to `args`, lowers its operations, gives the
// terminator's operands.
kiln_status_t kiln_lower_inline_region(kiln_lowering_t *l, MlirRegion region, LLVMValueRef *args, int result_count,
                                       LLVMValueRef *results);
// The same for several blocks whose entry's arguments are bound (lower_control_flow.c).
kiln_status_t kiln_lower_scalar_blocks(kiln_lowering_t *l, MlirRegion region, int result_count, LLVMValueRef *results);

kiln_status_t kiln_lower_block(kiln_lowering_t *l,
                               MlirBlock block); // its operations; terminators of regions are left to their parents
kiln_status_t kiln_lower_operation(kiln_lowering_t *l, MlirOperation op);
kiln_status_t kiln_lower_take_failure(kiln_lowering_t *l); // what helpers remembered; KILN_OK where nothing failed

// Moves between lanes (lower_lanes.c); values of any type
LLVMValueRef kiln_emit_gather_lane(kiln_lowering_t *l, LLVMValueRef value,
                                   LLVMValueRef source_lane); // each lane reads `value` of another
LLVMValueRef kiln_emit_xor_lane(kiln_lowering_t *l, LLVMValueRef value, uint32_t mask); // of lane XOR mask
LLVMValueRef kiln_emit_dpp(kiln_lowering_t *l, LLVMValueRef value, int control,
                           int row_mask); // lanes that the masks leave out get anything
LLVMValueRef kiln_emit_read_lane(kiln_lowering_t *l, LLVMValueRef value, uint32_t lane); // one lane's, uniform

// Layouts (lower_layout.c, lower_shape.c)
// Moves the registers of `source`, which sit as `from` says, to where `to` wants them. Both layouts speak of the same
// elements; result has the registers of `to`. What needs LDS takes the scratch of `op`.
kiln_status_t kiln_lower_convert(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *source, const kiln_layout_t *from,
                                 kiln_tile_t *result, const kiln_layout_t *to);
// The same for bare values of one type, one for each register.
kiln_status_t kiln_lower_convert_values(kiln_lowering_t *l, MlirOperation op, MlirType type, LLVMValueRef *values,
                                        const kiln_layout_t *from, LLVMValueRef *results, const kiln_layout_t *to);

// LDS (lower_shared.c)
LLVMValueRef kiln_lds_pointer(kiln_lowering_t *l,
                              kiln_sum_t bytes); // addrspace(3) pointer to a byte offset of the function's LDS
// Where pass allocate_lds put a buffer, an operation's scratch, or all that a callee needs (0 where it needs none).
kiln_status_t kiln_lower_scratch(MlirOperation op, uint32_t *out_offset);
uint32_t kiln_lower_call_lds(MlirOperation call);
// Stores or loads one value per register at the map's offsets (in elements), in as wide accesses as the map allows.
typedef struct kiln_lds_transfer {
    const kiln_layout_t *map;      // made by kiln_layout_to_lds
    kiln_sum_t base;               // bytes
    LLVMTypeRef element;           // as kiln_stored_type gives it
    kiln_padding_t padding;        // gaps between elements
    uint32_t flip;                 // a constant that is added by XOR to the map's offsets (elements); before padding
    LLVMValueRef flip_value;       // NULL, or a uniform number that is added by XOR too,
    uint32_t flip_bits;            // and the bits that it may have
    LLVMValueRef predicate;        // stores only; NULL: all threads write
    uint32_t window, window_index; // only the offsets of window number window_index, of `window` (a power of two)
                                   // elements each, which all lie at `base`; no lane or warp changes the window. 0: all
    struct kiln_lds_walk *walk;    // what kiln_lds_begin prepared, for all windows; NULL: prepared where needed
} kiln_lds_transfer_t;
void kiln_lds_begin(kiln_lowering_t *l, kiln_lds_transfer_t *transfer);
void kiln_lds_store(kiln_lowering_t *l, const kiln_lds_transfer_t *transfer, LLVMValueRef *values);
void kiln_lds_load(kiln_lowering_t *l, const kiln_lds_transfer_t *transfer,
                   LLVMValueRef *values); // leaves other windows' values alone
LLVMValueRef kiln_lds_writer(kiln_lowering_t *l, const kiln_layout_t *layout);
// How a register's value is held in LDS: mask bits as bytes, pointers as integers.
LLVMTypeRef kiln_stored_type(kiln_lowering_t *l, LLVMTypeRef element);
LLVMValueRef kiln_to_stored(kiln_lowering_t *l, LLVMValueRef value);
LLVMValueRef kiln_from_stored(kiln_lowering_t *l, LLVMValueRef value, LLVMTypeRef type);

// The elements of a and b with k = 0 that a register of the result, in lane and warp 0, is computed from (lower_dot.c).
void kiln_lower_dot_corner(const kiln_tile_t *a, const kiln_tile_t *b, const kiln_tile_t *result, uint32_t reg,
                           uint32_t *flat_a, uint32_t *flat_b);
kiln_status_t kiln_lower_dot_mfma(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *a, kiln_tile_t *b, kiln_tile_t *c,
                                  kiln_tile_t *result);
LLVMValueRef kiln_lower_widen_float(kiln_lowering_t *l, LLVMValueRef value,
                                    MlirType type); // 8- and 16-bit floats to f32
bool kiln_lower_widen_in_words(kiln_lowering_t *l, kiln_tile_t *from,
                               kiln_tile_t *result); // 8-bit floats to f16, bf16 or f32 (lower_float8.c); false: can't
LLVMValueRef kiln_lower_narrow_float(kiln_lowering_t *l, LLVMValueRef value,
                                     MlirType type); // f32 or f64 to the bits of an 8-bit float, nearest even

// Functions (lower_function.c) and their bodies of one or more blocks (lower_control_flow.c)
MlirStringRef kiln_lower_function_name(MlirOperation func);
kiln_status_t kiln_lower_declare_function(kiln_lowering_t *l, MlirOperation func);
kiln_status_t kiln_lower_function(kiln_lowering_t *l, MlirOperation func);
kiln_status_t kiln_lower_function_body(kiln_lowering_t *l, MlirRegion body);

// Element by element (lower_elementwise.c)
typedef LLVMValueRef (*kiln_lower_emitter_t)(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                             LLVMValueRef *args); // NULL: not supported
// Fills result register by register; scalar operands serve all registers. Registers with the same operand values share
// one result.
void kiln_lower_map_registers(kiln_lowering_t *l, MlirOperation op, kiln_tile_t **operands, unsigned count,
                              kiln_tile_t *result, kiln_lower_emitter_t emit);
kiln_tile_t *kiln_tile_create_result(kiln_lowering_t *l, MlirType type); // with sums where the element type is kept so
void kiln_tile_set(kiln_tile_t *tile, uint32_t reg, LLVMValueRef value, bool uniform);
// addi, subi, muli by something uniform, and shli by a constant keep the form of sums. False: not with these operands.
bool kiln_lower_sums(kiln_lowering_t *l, kiln_op_t kind, kiln_tile_t *a, kiln_tile_t *b,
                     kiln_tile_t *result); // lower_sums.c
LLVMValueRef kiln_lower_reciprocal_root(kiln_lowering_t *l, LLVMValueRef x);
LLVMValueRef kiln_lower_convert_float(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                      LLVMValueRef *args); // lower_convert_fp.c
uint64_t kiln_float8_bits(MlirType type, double value);    // the bits of a constant of an 8-bit float type
LLVMValueRef kiln_lower_extern_call(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                    LLVMValueRef *args); // lower_extern.c

// Pointers (lower_pointer.c)
void kiln_lower_root_pointer(kiln_lowering_t *l, kiln_tile_t *tile, LLVMValueRef base,
                             bool range32);   // makes a scalar tile that counts from `base`
int64_t kiln_pointee_bytes(MlirType pointer); // of a pointer or a tensor of pointers
kiln_tile_t *kiln_lower_add_bytes(kiln_lowering_t *l, kiln_tile_t *pointers, kiln_tile_t *offsets, int64_t scale);

// Tiles that travel through phis (carrier.c)
typedef struct kiln_carrier {
    MlirType type;
    const kiln_tile_t *like; // a tile to take base and widths from where pointers travel as offsets; NULL otherwise
    uint32_t count;          // LLVM values
    uint32_t vector_width;   // registers in each
    LLVMTypeRef part;        // type of each
} kiln_carrier_t;
kiln_status_t kiln_carrier_plan(kiln_lowering_t *l, MlirValue joined,
                                kiln_carrier_t *out); // for a block argument or the result of an operation with regions
void kiln_carrier_pack(kiln_lowering_t *l, const kiln_carrier_t *carrier, kiln_tile_t *tile, LLVMValueRef *out);
kiln_tile_t *kiln_carrier_unpack(kiln_lowering_t *l, const kiln_carrier_t *carrier, LLVMValueRef *parts);

// Handlers, one for each row of handlers.def.
kiln_status_t kiln_lower_elementwise(kiln_lowering_t *l, MlirOperation op);
#define KILN_LOWER(kind, function) kiln_status_t function(kiln_lowering_t *l, MlirOperation op);
#include "handlers.def"
#undef KILN_LOWER

// Debug information (lower_debug_info.c)
kiln_status_t kiln_lower_debug_create(kiln_lowering_t *l);
void kiln_lower_debug_begin_function(kiln_lowering_t *l);
void kiln_lower_debug_at(kiln_lowering_t *l, MlirLocation loc);
void kiln_lower_debug_finish(kiln_lowering_t *l);
void kiln_lower_debug_release(kiln_lowering_t *l); // accepts a lowering without debug information

#endif
