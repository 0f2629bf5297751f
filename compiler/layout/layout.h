// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear layouts over F2: the one representation that every layout converts to.
//
// A layout assigns the elements of a tensor to places. It maps the bits of a place (register
// number, lane, warp — or an offset in LDS) to the bits of an element's index: the index is the XOR
// of the basis vectors of the bits that are set. An element's index is flat and row-major (the last
// dimension is the fastest-varying one), so a basis vector is one 32-bit word; coordinate d of it
// is the bit field [shift[d], shift[d] + log2 shape[d]).
//
// Note that a basis vector of zero is valid. It means that places that differ only in this bit hold
// the same element (replication); only one of them may store it.
//
// Layouts are plain values: copy them freely. All functions are pure.
#ifndef KILN_LAYOUT_H
#define KILN_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "kiln/dialects.h"
#include "kiln/status.h"

enum { KILN_LAYOUT_MAX_BITS = 24 }; // per input dimension

typedef enum kiln_place { KILN_REGISTER, KILN_LANE, KILN_WARP, KILN_PLACES } kiln_place_t;

typedef struct kiln_layout {
    int rank;
    uint8_t log2_shape[KILN_MAX_RANK];
    uint8_t
        bits[KILN_PLACES]; // log2 of the number of registers, lanes (6) and warps. For LDS:
                           // KILN_REGISTER counts the offset bits (in elements), the others are 0
    uint32_t basis[KILN_PLACES][KILN_LAYOUT_MAX_BITS];
} kiln_layout_t;

// Where coordinate `dim` begins in a flat index, and the coordinate itself.
int kiln_layout_shift(const kiln_layout_t *layout, int dim);
uint32_t kiln_layout_coord(const kiln_layout_t *layout, uint32_t flat, int dim);

// The flat element index at a place.
uint32_t kiln_layout_apply(const kiln_layout_t *layout, uint32_t reg, uint32_t lane, uint32_t warp);

static inline uint32_t kiln_layout_registers(const kiln_layout_t *layout)
{
    return 1u << layout->bits[KILN_REGISTER];
}

// Free bits: bits of `place` whose basis vector depends linearly on earlier ones (zero and repeated
// vectors included), in the order register, lane, warp. Places that differ only in these bits hold
// copies; a store writes only from places where all of them are 0.
uint32_t kiln_layout_free_bits(const kiln_layout_t *layout, kiln_place_t place);

bool kiln_layout_equal(const kiln_layout_t *a, const kiln_layout_t *b);

// Constructors from plain structs, without MLIR: the layouts of Triton's TritonGPUAttrDefs.td and
// LinearLayoutConversions.cpp. `shape` has one power of two per dimension; where it is smaller than
// the layout's tile, the surplus bits get zero vectors, and where it is larger, register bits are
// appended. Returns false if a size is not a power of two or one kind of place needs more than
// KILN_LAYOUT_MAX_BITS bits.
bool kiln_layout_blocked(const kiln_blocked_t *blocked, const int64_t *shape, kiln_layout_t *out);
bool kiln_layout_mfma(const kiln_mfma_t *mfma, const int64_t *shape, kiln_layout_t *out);
bool kiln_layout_dot_operand_mfma(const kiln_mfma_t *parent, int op_idx, int k_width,
                                  const int64_t *shape, kiln_layout_t *out);
bool kiln_layout_dot_operand_blocked(const kiln_blocked_t *parent, int op_idx, const int64_t *shape,
                                     kiln_layout_t *out);
bool kiln_layout_linear(const kiln_linear_t *linear, const int64_t *shape, kiln_layout_t *out);
// The layout of `parent` without dimension `dim`, which has size 1, and without the registers that
// hold copies as a result.
kiln_layout_t kiln_layout_slice(const kiln_layout_t *parent, int dim);
// LDS layouts: offset → element.
typedef enum kiln_swizzle { KILN_SWIZZLE_XOR, KILN_SWIZZLE_ROTATING } kiln_swizzle_t;
bool kiln_layout_shared(const kiln_swizzled_shared_t *shared, kiln_swizzle_t swizzle,
                        const int64_t *shape, kiln_layout_t *out);

// The layout of a value of a tensor type with a distributed encoding (blocked, slice, mfma, dot_op,
// linear) for `num_warps` warps of 64 lanes, or, of a memdesc type, of its LDS offsets (swizzled,
// rotating; one buffer: leading multi-buffer dimensions belong to the type of memdesc_index's
// result). A memdesc that is part of a larger allocation (subslice) has the layout of the
// allocation's shape, so its offsets are the XOR of those of its own coordinates and of the corner
// where it begins. Fails with KILN_STATUS_UNSUPPORTED for an encoding that has no linear layout.
kiln_status_t kiln_layout_of_type(MlirType type, int num_warps, kiln_layout_t *out);
// The type of each buffer of a memdesc of several (a dimension more than its layout has), and their
// number; of any other type itself, and 1.
MlirType kiln_layout_buffer_type(MlirType type, int64_t *out_count);
kiln_status_t kiln_layout_of_encoding(MlirAttribute encoding, int rank, const int64_t *shape,
                                      int num_warps, kiln_layout_t *out);

// A #ttg.linear attribute for a layout.
MlirAttribute kiln_layout_to_linear_attr(MlirContext context, const kiln_layout_t *layout);

// Places as a linear function of the element: the inverse that sets free bits to 0. Computed once,
// queried often.
typedef struct kiln_layout_inverse {
    int bits;                        // of the element index
    bool onto;                       // every element has a place
    uint32_t place[KILN_PLACES][32]; // the register, lane and warp number of each bit of the
                                     // element index: XOR them
} kiln_layout_inverse_t;
kiln_layout_inverse_t kiln_layout_invert(const kiln_layout_t *layout);
uint32_t kiln_layout_inverse_apply(const kiln_layout_inverse_t *inverse, kiln_place_t place,
                                   uint32_t flat);

// Number of consecutive registers 0, 1, 2, … (a power of two) that hold consecutive elements along
// the flat index after permuting dimensions so that order[0] is the fastest; at most `limit`. Every
// thread's run begins at a multiple of its length.
int kiln_layout_contiguous_registers(const kiln_layout_t *layout, const int32_t *order, int limit);

// The same for elements that are equal in aligned groups of `width`: registers 0 … n - 1 (a power
// of two, stored) hold elements of one group, the next n of the next group, and so on. Returns the
// number of groups, at most `limit`; each thread's first is at a multiple of it. Powers of two.
int kiln_layout_group_registers(const kiln_layout_t *layout, const int32_t *order, int width,
                                int limit, int *out_n);

// Layouts after a change of shape that moves no data: the effect of expand_dims, trans and reshape
// on a layout's vectors.
kiln_layout_t kiln_layout_expand_dims(const kiln_layout_t *layout, int axis);
kiln_layout_t kiln_layout_transpose(const kiln_layout_t *layout, const int32_t *order);
kiln_layout_t kiln_layout_reshape(const kiln_layout_t *layout, int rank, const int64_t *shape);

// Conversion between two distributed layouts of one shape -----------------------------------------

typedef enum kiln_conversion_kind {
    KILN_CONVERSION_NONE,      // the same places
    KILN_CONVERSION_REGISTERS, // each destination register is some source register of the same
                               // thread
    KILN_CONVERSION_SHUFFLE,   // within a warp: selects of registers and cross-lane moves
    KILN_CONVERSION_LDS,       // through LDS with a bank-conflict-free swizzle
    KILN_CONVERSION_STEPS,     // several of these
} kiln_conversion_kind_t;

// SHUFFLE: the element of destination (register, lane, warp) is in the same warp, in the source
// register that is the XOR of source_register[place][bit] and the lane that is the XOR of
// source_lane[place][bit], each over the set bits of all three. If every source_register[KILN_LANE]
// is zero, all lanes of a destination register read the same source register.
typedef struct kiln_shuffle {
    uint32_t source_register[KILN_PLACES][KILN_LAYOUT_MAX_BITS];
    uint32_t source_lane[KILN_PLACES][KILN_LAYOUT_MAX_BITS];
    bool crosses_lanes; // false: the source lane is always the own lane, and only registers are
                        // selected
} kiln_shuffle_t;

// LDS: element at LDS offset o (in elements) of round o / lds_elements, at offset o mod
// lds_elements of the scratch. Each round: a barrier (except before the first, which membar
// inserts), writes, a barrier, reads. With kiln_layout_to_lds(side, &lds) a thread's offset is the
// XOR of its register, lane and warp parts; each register belongs to one round, because no lane's
// or warp's part reaches the round's bits. STEPS: if the threads of the two sides have so little in
// common that no such round fits in LDS, the value is first converted to the intermediate layout
// `step`, which is nearer, and from there by a separate conversion.

typedef struct kiln_conversion {
    kiln_conversion_kind_t kind;
    kiln_shuffle_t shuffle; // SHUFFLE
    kiln_layout_t
        lds;    // LDS: offset bits → element (the swizzled scratch layout); offsets count elements
    int vector; // LDS: elements moved by one LDS access on the wider side (for each side
                // see kiln_layout_lds_access)
    uint32_t lds_elements; // LDS: elements of scratch in one repetition; an element takes max(8,
                           // element_bits) bits
    int repetitions_log2;  // LDS: log2 of the number of rounds
    kiln_layout_t step;    // STEPS; lds_elements is what the largest step needs
} kiln_conversion_t;

// Bytes of LDS that the plan needs: 0 except for KILN_CONVERSION_LDS and KILN_CONVERSION_STEPS.
uint32_t kiln_conversion_scratch_bytes(const kiln_conversion_t *conversion, int element_bits);

uint32_t kiln_layout_conversion_scratch(const kiln_layout_t *source,
                                        const kiln_layout_t *destination, int element_bits);

// Chooses how to convert values of `element_bits` from `source` to `destination`. Never fails,
// since LDS always works.
kiln_conversion_t kiln_layout_plan_conversion(const kiln_layout_t *source,
                                              const kiln_layout_t *destination, int element_bits);

// For KILN_CONVERSION_REGISTERS: the source register that holds the value of destination register
// `reg`; it is the same for every thread.
uint32_t kiln_layout_source_register(const kiln_layout_t *source, const kiln_layout_t *destination,
                                     uint32_t reg);

// The general inverse: the place (register, lane, warp) of `layout` that holds element `flat` and
// has all free bits 0.
void kiln_layout_locate(const kiln_layout_t *layout, uint32_t flat, uint32_t *reg, uint32_t *lane,
                        uint32_t *warp);

// Accesses of LDS by a distributed layout ---------------------------------------------------------

// The map (register, lane, warp) → LDS offset in elements, as a layout whose "flat index" is the offset (rank 1). `lds` may have a larger shape.
kiln_layout_t kiln_layout_to_lds(const kiln_layout_t *distributed, const kiln_layout_t *lds);

// The number of elements (a power of two, at most 128 bits) that one ds_read/ds_write can move for
// a map made by kiln_layout_to_lds: consecutive registers at consecutive, aligned offsets, after
// the register permutation in the struct.
typedef struct kiln_lds_access {
    int vector; // elements in one access
    uint8_t
        vector_bits[8]; // the register bits that step through the vector, lowest offset bit first
} kiln_lds_access_t;
kiln_lds_access_t kiln_layout_lds_access(const kiln_layout_t *to_lds, int element_bits);

// Extra LDS cycles from bank conflicts of one wave-wide access over the conflict-free minimum
// (gfx942: 32 banks of 4 bytes, lane groups as in docs/gfx942.md, 1.5).
typedef enum kiln_lds_direction { KILN_LDS_READ, KILN_LDS_WRITE } kiln_lds_direction_t;
int kiln_layout_bank_conflicts(const kiln_layout_t *to_lds, int element_bits,
                               kiln_lds_direction_t direction);

#endif
