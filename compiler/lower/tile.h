// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles: the LLVM values of one MLIR value.
//
// A tile holds one LLVM value per register of its layout, materialized as late as possible.
// Integers and pointers are kept as sums
//     lane + uniform + imm                                                            (modulo 2^bits)
// of a part that differs between lanes, a part that is the same in a whole wave, and a constant.
// Registers of one tile mostly differ in `imm` alone, so that index arithmetic is emitted once per
// thread and the constants end up in the immediate offsets of memory instructions.
//
// Note that a value that is materialized late must dominate every use of its tile, not only the
// current one. kiln_tile_value therefore inserts at the end of the tile's block if the builder has
// moved on.
#ifndef KILN_LOWER_TILE_H
#define KILN_LOWER_TILE_H

#include "lowering.h"

// lane + uniform + imm; either value may be NULL, which counts as zero.
typedef struct kiln_sum {
    LLVMValueRef lane, uniform;
    int64_t imm;
} kiln_sum_t;

typedef struct kiln_tile {
    MlirType type;
    const kiln_layout_t *layout; // NULL: a scalar, the same in all threads
    bool divergent; // a scalar that differs between lanes: an argument of a region that combines
                    // elements
    uint32_t count; // registers
    LLVMTypeRef element;     // LLVM type of one register
    LLVMBasicBlockRef block; // where it was created
    LLVMValueRef *values;    // [count]; NULL if not yet materialized
    LLVMValueRef *vectors;   // [count / vector_width] of values passed as vectors, or NULL
    uint32_t vector_width;
    // [count]: integers, pointers (in bytes from base) and memory descriptors (where the buffer
    // starts, in bytes from the start of LDS, and for a part of a buffer the value that is XORed
    // into its elements' offsets); or NULL
    kiln_sum_t *sums;
    // Pointers only.
    LLVMValueRef base; // the uniform pointer that sums count from; NULL: values hold whole pointers
    unsigned sum_bits; // width of the sums' arithmetic
    bool range32;      // byte offsets from base are exact modulo 2^32, and signed
                       // (memory/pointer_range.c)
    bool shifted;      // range32: KILN_RANGE_SHIFT is in the sums already
    bool is_after;     // range32: no pointer is before base (analysis/memory/pointer_sign.h)
} kiln_tile_t;

// Sums (tile.c, sum_range.c)
LLVMValueRef kiln_sum_value(kiln_lowering_t *l, kiln_sum_t sum,
                            LLVMTypeRef type); // emits the additions at the insertion point
kiln_sum_t kiln_sum_add(kiln_lowering_t *l, kiln_sum_t a, kiln_sum_t b, unsigned bits);
kiln_sum_t kiln_sum_scale(kiln_lowering_t *l, kiln_sum_t a, int64_t factor, LLVMTypeRef type);
kiln_sum_t kiln_sum_of(LLVMValueRef value, bool uniform); // folds constants into imm
// Whether the sum of these parts and any imm between the two can be sign-extended part by part
// (sum_range.c).
bool kiln_sum_extends_by_parts(kiln_lowering_t *l, LLVMValueRef lane, LLVMValueRef uniform,
                               int64_t min_imm, int64_t max_imm);

// For each register of a layout or similar map, the sum for its value times `scale`; the bits that
// lanes, waves and registers affect may overlap.
void kiln_emit_layout_sums(kiln_lowering_t *l, const kiln_layout_t *map, int64_t scale,
                           kiln_sum_t *out);
// i1: this thread holds the first of all replicas (free lane and wave bits are 0); NULL without
// replicas.
LLVMValueRef kiln_emit_is_first_replica(kiln_lowering_t *l, const kiln_layout_t *layout);

// Tiles (tile.c)
const kiln_layout_t *
kiln_lower_layout(kiln_lowering_t *l,
                  MlirType type); // cached; NULL and l->failure set if the encoding has no layout
LLVMTypeRef kiln_lower_element_type(
    kiln_lowering_t *l,
    MlirType type); // of a scalar or of a tensor's element; NULL if there is none

// The number of integers that represent a memory descriptor: its offset and, for a part of a
// buffer, the value that is XORed with offsets.
uint32_t kiln_memdesc_parts(MlirType type);
kiln_tile_t *kiln_tile_create(
    kiln_lowering_t *l,
    MlirType type); // no values yet; NULL and l->failure set if the type is unsupported
kiln_tile_t *kiln_tile_create_sums(kiln_lowering_t *l, MlirType type);
kiln_tile_t *kiln_tile_like(kiln_lowering_t *l, const kiln_tile_t *source,
                            MlirType type); // empty, with the pointer fields of source
LLVMValueRef kiln_tile_value(kiln_lowering_t *l, kiln_tile_t *tile, uint32_t reg);
LLVMValueRef kiln_tile_vector(kiln_lowering_t *l, kiln_tile_t *tile, uint32_t first,
                              uint32_t count); // <count x element>; count 1: the value itself
kiln_sum_t kiln_tile_sum(kiln_lowering_t *l, kiln_tile_t *tile,
                         uint32_t reg); // of integers; of pointers only if base is set
bool kiln_tile_is_uniform(const kiln_tile_t *tile,
                          uint32_t reg); // known to be the same in all lanes
void kiln_tile_copy_register(kiln_tile_t *to, uint32_t to_reg, const kiln_tile_t *from,
                             uint32_t from_reg);

kiln_tile_t *
kiln_lower_operand(kiln_lowering_t *l, MlirOperation op,
                   int index); // the tile of an operand; NULL and l->failure set if there is none
kiln_tile_t *kiln_lower_value(kiln_lowering_t *l, MlirValue value);
LLVMValueRef kiln_lower_scalar(kiln_lowering_t *l, MlirOperation op,
                               int index); // operand as one LLVM value
void kiln_lower_bind(kiln_lowering_t *l, MlirValue value, kiln_tile_t *tile);
void kiln_lower_bind_result(kiln_lowering_t *l, MlirOperation op, int index, kiln_tile_t *tile);

// Results (elements/elementwise.c)
kiln_tile_t *kiln_tile_create_result(kiln_lowering_t *l,
                                     MlirType type); // with sums if its element type uses them
void kiln_tile_set(kiln_tile_t *tile, uint32_t reg, LLVMValueRef value, bool uniform);

// Pointers (memory/pointer.c)
void kiln_lower_root_pointer(kiln_lowering_t *l, kiln_tile_t *tile, LLVMValueRef base,
                             bool range32);   // makes a scalar tile with offsets from `base`
int64_t kiln_pointee_bytes(MlirType pointer); // of a pointer or a tensor of pointers
kiln_tile_t *kiln_lower_add_bytes(kiln_lowering_t *l, kiln_tile_t *pointers, kiln_tile_t *offsets,
                                  int64_t scale);

// Offsets of 32 bits (memory/pointer_range.c)
enum {
    KILN_RANGE_SLACK = 1 << 20,
    KILN_RANGE_SHIFT = 0x7ff00000,
    KILN_WIDEST_ACCESS = 16
}; // bytes

// Values derived from a pointer argument, emitted in the entry block; NULL if not emitted yet.
typedef struct kiln_base {
    LLVMValueRef resource, lowered, resource_below;
} kiln_base_t;
kiln_base_t *kiln_lower_base(kiln_lowering_t *l, LLVMValueRef base);
LLVMValueRef kiln_lowered_base(kiln_lowering_t *l, LLVMValueRef base); // base - KILN_RANGE_SHIFT

// An upper bound of an unsigned i32 or i64, derived from its definition; NULL counts as zero.
uint64_t kiln_known_maximum(LLVMValueRef value);
bool kiln_sum_is_small(kiln_sum_t sum,
                       uint64_t limit); // without its uniform part it is in [0, limit)
bool kiln_sum_is_non_negative_offset(kiln_sum_t sum); // the whole sum is in [0, 2^31)
// For a tile with range32: its offset plus KILN_RANGE_SHIFT; the pointer to the register's element.
kiln_sum_t kiln_shifted_sum(const kiln_tile_t *tile, uint32_t reg);
LLVMValueRef kiln_range32_pointer(kiln_lowering_t *l, const kiln_tile_t *tile, uint32_t reg,
                                  bool is_after);

#endif
