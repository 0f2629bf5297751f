// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear layouts over F2: the one representation that every layout converts to.
//
// A layout says which element of a tensor sits where. It maps the bits of a place (register number, lane, warp — or an offset in LDS) to the bits of an
// element's index: the index is the XOR of the basis vectors of the bits that are set. An element's index is flat and row-major (the last dimension is the
// fastest), so a basis vector is one 32-bit word; coordinate d of it is the bit field [shift[d], shift[d] + log2 shape[d]).
//
// The thing one gets wrong: a basis vector of zero is not an error. It means that places which differ in this bit hold the same element (replication),
// and only one of them may store it.
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
    uint8_t bits[KILN_PLACES]; // log2 of the number of registers, lanes (6) and warps. For LDS: KILN_REGISTER counts the offset bits (in elements), the others are 0
    uint32_t basis[KILN_PLACES][KILN_LAYOUT_MAX_BITS];
} kiln_layout_t;

// Where coordinate `dim` begins in a flat index, and the coordinate itself.
int kiln_layout_shift(const kiln_layout_t *layout, int dim);
uint32_t kiln_layout_coord(const kiln_layout_t *layout, uint32_t flat, int dim);

// The flat element index at a place.
uint32_t kiln_layout_apply(const kiln_layout_t *layout, uint32_t reg, uint32_t lane, uint32_t warp);

static inline uint32_t kiln_layout_registers(const kiln_layout_t *layout) { return 1u << layout->bits[KILN_REGISTER]; }

// Bits of `place` whose basis vector is dependent on (in particular: zero or repeated) earlier ones, in the order register, lane, warp: places that
// differ only there hold copies. A store writes only from places where all these bits are 0.
uint32_t kiln_layout_free_bits(const kiln_layout_t *layout, kiln_place_t place);

bool kiln_layout_equal(const kiln_layout_t *a, const kiln_layout_t *b);

// The layout of a value of a tensor type with a distributed encoding (blocked, slice, mfma, dot_op, linear) for `num_warps` warps of 64 lanes, or, of
// a memdesc type, of its LDS offsets (swizzled, rotating, linear; one buffer: leading multi-buffer dimensions belong to the type of memdesc_index's result).
// Fails with KILN_STATUS_UNSUPPORTED for an encoding that has no linear layout.
kiln_status_t kiln_layout_of_type(MlirType type, int num_warps, kiln_layout_t *out);
kiln_status_t kiln_layout_of_encoding(MlirAttribute encoding, int rank, const int64_t *shape, int num_warps, kiln_layout_t *out);

// A #ttg.linear attribute for a layout.
MlirAttribute kiln_layout_to_linear_attr(MlirContext context, const kiln_layout_t *layout);

// Number of consecutive registers 0, 1, 2, … (a power of two) that hold consecutive elements along the flat index after permuting dimensions so that
// order[0] is the fastest; at most `limit`.
int kiln_layout_contiguous_registers(const kiln_layout_t *layout, const int32_t *order, int limit);

// Layouts after a change of shape that moves no data: what expand_dims, trans and reshape do to a layout's vectors.
kiln_layout_t kiln_layout_expand_dims(const kiln_layout_t *layout, int axis);
kiln_layout_t kiln_layout_transpose(const kiln_layout_t *layout, const int32_t *order);
kiln_layout_t kiln_layout_reshape(const kiln_layout_t *layout, int rank, const int64_t *shape);

// Conversion between two distributed layouts of one shape --------------------------------------------------------------------------------------

typedef enum kiln_conversion_kind {
    KILN_CONVERSION_NONE,      // the same places
    KILN_CONVERSION_REGISTERS, // each destination register is some source register of the same thread
    KILN_CONVERSION_SHUFFLE,   // within a warp: selects of registers and cross-lane moves
    KILN_CONVERSION_LDS,       // through LDS with a bank-conflict-free swizzle
} kiln_conversion_kind_t;

typedef struct kiln_conversion {
    kiln_conversion_kind_t kind;
    kiln_layout_t lds;         // LDS: offset bits → element (the swizzled scratch layout); offsets count elements
    int vector;                // LDS: elements moved by one LDS access on the wider side (each side recomputes its own by kiln_layout_lds_vector)
    uint32_t lds_elements;     // LDS: elements of scratch in one repetition
    int repetitions_log2;      // LDS: the tensor goes through in this many rounds of its highest register bits
} kiln_conversion_t;

// Chooses how values of `element_bits` get from `source` to `destination`. Never fails: LDS always works.
kiln_conversion_t kiln_layout_plan_conversion(const kiln_layout_t *source, const kiln_layout_t *destination, int element_bits);

// For KILN_CONVERSION_REGISTERS: the source register that holds what destination register `reg` wants, the same for every thread.
uint32_t kiln_layout_source_register(const kiln_layout_t *source, const kiln_layout_t *destination, uint32_t reg);

// The general inverse: a place (register, lane, warp) of `layout` that holds the element that is `flat`; the one with all free bits 0.
void kiln_layout_locate(const kiln_layout_t *layout, uint32_t flat, uint32_t *reg, uint32_t *lane, uint32_t *warp);

// Accesses of LDS by a distributed layout ------------------------------------------------------------------------------------------------------

// The map (register, lane, warp) → LDS offset in elements, as a layout whose "flat index" is the offset (rank 1).
kiln_layout_t kiln_layout_to_lds(const kiln_layout_t *distributed, const kiln_layout_t *lds);

// How many elements (a power of two, at most 128 bits) one ds_read/ds_write can move for a map made by kiln_layout_to_lds: consecutive registers at
// consecutive, aligned offsets, after the register permutation that the struct tells.
typedef struct kiln_lds_access {
    int vector;                          // elements in one access
    uint8_t vector_bits[8];              // the register bits that step through the vector, lowest offset bit first
} kiln_lds_access_t;
kiln_lds_access_t kiln_layout_lds_access(const kiln_layout_t *to_lds, int element_bits);

// Extra LDS cycles from bank conflicts of one wave-wide access over the conflict-free minimum (gfx942: 32 banks of 4 bytes, lane groups as in
// reference/gfx942.md section 1.5).
typedef enum kiln_lds_direction { KILN_LDS_READ, KILN_LDS_WRITE } kiln_lds_direction_t;
int kiln_layout_bank_conflicts(const kiln_layout_t *to_lds, int element_bits, kiln_lds_direction_t direction);

#endif
