// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles: the LLVM values of one MLIR value.
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

// Sums (tile.c, sum_range.c)
LLVMValueRef kiln_sum_value(kiln_lowering_t *l, kiln_sum_t sum,
                            LLVMTypeRef type); // emits the additions at the builder's place
kiln_sum_t kiln_sum_add(kiln_lowering_t *l, kiln_sum_t a, kiln_sum_t b, unsigned bits);
kiln_sum_t kiln_sum_scale(kiln_lowering_t *l, kiln_sum_t a, int64_t factor, LLVMTypeRef type);
kiln_sum_t kiln_sum_of(LLVMValueRef value, bool uniform); // folds constants into imm
// 32-bit sums of these parts and any imm between the two are the sums of their parts' sign extensions (sum_range.c).
bool kiln_sum_extends_by_parts(kiln_lowering_t *l, LLVMValueRef lane, LLVMValueRef uniform, int64_t least_imm,
                               int64_t most_imm);

// For each register of a layout-like map, the sum for its value times `scale`; supports of lanes, warps and registers
// may overlap.
void kiln_emit_layout_sums(kiln_lowering_t *l, const kiln_layout_t *map, int64_t scale, kiln_sum_t *out);
// i1: this thread holds the elements as the first of all replicas (free lane and warp bits are 0); NULL where there are
// no replicas.
LLVMValueRef kiln_emit_is_first_replica(kiln_lowering_t *l, const kiln_layout_t *layout);

// Tiles (tile.c)
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

// Results (lower_elementwise.c)
kiln_tile_t *kiln_tile_create_result(kiln_lowering_t *l, MlirType type); // with sums where the element type is kept so
void kiln_tile_set(kiln_tile_t *tile, uint32_t reg, LLVMValueRef value, bool uniform);

// Pointers (lower_pointer.c)
void kiln_lower_root_pointer(kiln_lowering_t *l, kiln_tile_t *tile, LLVMValueRef base,
                             bool range32);   // makes a scalar tile that counts from `base`
int64_t kiln_pointee_bytes(MlirType pointer); // of a pointer or a tensor of pointers
kiln_tile_t *kiln_lower_add_bytes(kiln_lowering_t *l, kiln_tile_t *pointers, kiln_tile_t *offsets, int64_t scale);

#endif
