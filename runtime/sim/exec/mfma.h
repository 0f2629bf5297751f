// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions as pure functions over register rows: D = A·B + C, block by block.
//
// exec/mfma_unpack.c knows where elements sit in registers, exec/mfma_sum.c and exec/mfma_exact.c how products are summed;
// between them lies a plain array of elements, k-major, `width` = n × blocks elements per k. What a reader gets wrong: C
// must already be in D when the sum starts, so A and B are unpacked before D is touched.
#ifndef KILN_SIM_MFMA_H
#define KILN_SIM_MFMA_H

#include "core/isa.h"

typedef enum kiln_mfma_type {
    KILN_MFMA_F16,
    KILN_MFMA_BF16,
    KILN_MFMA_XF32,
    KILN_MFMA_F32,
    KILN_MFMA_F64,
    KILN_MFMA_I8,
    KILN_MFMA_FP8,
    KILN_MFMA_BF8,
} kiln_mfma_type_t;

// How a sum of products is formed: bit for bit as the hardware does, or by a chain of the host's fused multiply-adds.
typedef enum kiln_mfma_mode {
    KILN_MFMA_EXACT,
    KILN_MFMA_FAST,
} kiln_mfma_mode_t;

typedef struct kiln_mfma_shape {
    uint8_t n;      // rows and columns of a block: 4, 16, 32
    uint8_t k;      // products per element (of the dense operand)
    uint8_t blocks; // independent products in one instruction
    uint8_t a, b;   // kiln_mfma_type_t
    uint8_t sparse; // SMFMAC: A holds two of every four elements along k
} kiln_mfma_shape_t;

typedef struct kiln_mfma_options {
    kiln_mfma_mode_t mode;
    uint8_t cbsz, abid, blgp;
    uint8_t clamp;            // integers saturate; floats stay below infinity where fp16_ovfl is set too
    uint8_t fp16_ovfl;        // MODE.FP16_OVFL
    uint8_t flush_f32_inputs; // MODE asks for f32 denormals to be flushed: only the f32 forms listen
    const uint32_t *index;    // SMFMAC: the row of indices
} kiln_mfma_options_t;

// Register rows follow each other, 64 dwords apart. `d` holds C on entry and may overlap `a` and `b`.
void KILN_SIM_V(kiln_mfma_execute)(const kiln_mfma_shape_t *shape, const kiln_mfma_options_t *options,
                                   const uint32_t *a, const uint32_t *b, uint32_t *d);

// The elements of an operand as they lie in the lanes: element `inside` of lane l is at inside * 64 + l.
enum { KILN_MFMA_MAX_ELEMENTS = 16 * KILN_SIM_LANES, KILN_MFMA_MAX_K = 64 };
typedef struct kiln_mfma_elements {
    union {
        alignas(64) float f32[KILN_MFMA_MAX_ELEMENTS]; // every other type is exact in f32
        double f64[KILN_MFMA_MAX_ELEMENTS / 2];
    };
} kiln_mfma_elements_t;

// Lanes are groups of n × blocks; each group holds so many consecutive k.
static inline unsigned kiln_mfma_per_lane(const kiln_mfma_shape_t *shape)
{
    return shape->k * ((unsigned)shape->n * shape->blocks) / KILN_SIM_LANES;
}

static inline unsigned kiln_mfma_bits(kiln_mfma_type_t type)
{
    switch (type) {
    case KILN_MFMA_F64:
        return 64;
    case KILN_MFMA_F32:
    case KILN_MFMA_XF32:
        return 32;
    case KILN_MFMA_F16:
    case KILN_MFMA_BF16:
        return 16;
    default:
        return 8;
    }
}

// Registers of a dense operand.
static inline unsigned kiln_mfma_registers(const kiln_mfma_shape_t *shape, kiln_mfma_type_t type)
{
    return (unsigned)shape->n * shape->k * shape->blocks * kiln_mfma_bits(type) / (32 * KILN_SIM_LANES);
}

// Where element k of row (column) 0 of block 0 is among the elements; row i of a block lies i + n * block further on.
static inline unsigned kiln_mfma_element(const kiln_mfma_shape_t *shape, unsigned k)
{
    const unsigned per_lane = kiln_mfma_per_lane(shape);
    return k % per_lane * KILN_SIM_LANES + k / per_lane * shape->n * shape->blocks;
}

// exec/mfma_unpack.c: an operand from registers to elements, with CBSZ, ABID, BLGP and sparsity applied.
void KILN_SIM_V(kiln_mfma_unpack_a)(const kiln_mfma_shape_t *shape, const kiln_mfma_options_t *options,
                                    const uint32_t *a, kiln_mfma_elements_t *left);
void KILN_SIM_V(kiln_mfma_unpack_b)(const kiln_mfma_shape_t *shape, const kiln_mfma_options_t *options,
                                    const uint32_t *b, kiln_mfma_elements_t *right);

// exec/mfma_sum.c: adds the products of all blocks to D by fused multiply-adds, or exactly for i8.
void KILN_SIM_V(kiln_mfma_sum)(const kiln_mfma_shape_t *shape, const kiln_mfma_options_t *options,
                               const kiln_mfma_elements_t *a, const kiln_mfma_elements_t *b, uint32_t *d);

// exec/mfma_exact.c: the same for f16, bf16, xf32, fp8 and bf8 as the machine does it.
void KILN_SIM_V(kiln_mfma_sum_exact)(const kiln_mfma_shape_t *shape, const kiln_mfma_elements_t *a,
                                     const kiln_mfma_elements_t *b, uint32_t *d);

// exec/mfma_fixed.c (16 bits and more, dense) and exec/mfma_narrow.c (the others): that again, faster and from registers;
// false, and nothing done, where they can't.
bool KILN_SIM_V(kiln_mfma_sum_fixed)(const kiln_mfma_shape_t *shape, const kiln_mfma_options_t *options,
                                     const uint32_t *a, const uint32_t *b, uint32_t *d);
bool KILN_SIM_V(kiln_mfma_sum_narrow)(const kiln_mfma_shape_t *shape, const kiln_mfma_options_t *options,
                                      const uint32_t *a, const uint32_t *b, uint32_t *d);

// Where row i of a block lies in D: n elements side by side in one register row (two for f64).
static inline unsigned kiln_mfma_row_offset(const kiln_mfma_shape_t *shape, unsigned block, unsigned i)
{
    if (shape->a == KILN_MFMA_F64)
        return shape->n == 16 ? i / 4 * 128 + i % 4 * 16 : i * 16 + block * 4;
    if (shape->n == 32)
        return (block * 16 + i / 8 * 4 + i % 4) * 64 + i / 4 % 2 * 32;
    if (shape->n == 16)
        return (block * 4 + i % 4) * 64 + i / 4 * 16;
    return i * 64 + block * 4;
}

// Kernels multiply the same registers with several others: what was prepared from registers is kept by pairs of them.
// Those that are used together often lie a power of two apart.
static inline unsigned kiln_mfma_memo_of(const uint32_t *registers, unsigned memos)
{
    const uintptr_t pair = (uintptr_t)registers / (2 * KILN_SIM_LANES * sizeof *registers);
    return (unsigned)(pair ^ pair / memos ^ pair / (memos * memos)) % memos;
}

static inline bool kiln_mfma_same_dwords(const uint32_t *x, const uint32_t *y, size_t count)
{
    uint32_t differ = 0;
    for (size_t i = 0; i < count; i++)
        differ |= x[i] ^ y[i];
    return differ == 0;
}

static inline bool kiln_mfma_same_shape(const kiln_mfma_shape_t *x, const kiln_mfma_shape_t *y)
{
    return x->n == y->n && x->k == y->k && x->blocks == y->blocks && x->a == y->a && x->b == y->b &&
           x->sparse == y->sparse;
}

#endif
