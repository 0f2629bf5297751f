// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions as pure functions over register rows: D = A·B + C, block by block.
//
// exec/mfma_unpack.c implements where elements are in registers, exec/mfma_sum.c and
// exec/mfma_exact.c how products are summed. The interface between them is a plain array of
// elements, k-major, with `width` = n × blocks elements per k.
//
// Pitfall: C must already be in D when the sum starts, so A and B are unpacked before D is
// modified.
#ifndef KILN_SIM_MFMA_H
#define KILN_SIM_MFMA_H

#include "decode/isa.h"

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

// How a sum of products is computed: bit for bit as the hardware does, or by a chain of the host's
// fused multiply-adds.
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
    uint8_t clamp;     // integers saturate; floats stay below infinity if fp16_ovfl is also set
    uint8_t fp16_ovfl; // MODE.FP16_OVFL
    uint8_t flush_f32_inputs; // MODE flushes f32 denormals, which only affects the f32 forms
    const uint32_t *index;    // SMFMAC: the row of indices
} kiln_mfma_options_t;

// Register rows are consecutive, 64 dwords apart. `d` holds C on entry and may overlap `a` and `b`.
void KILN_SIM_V(kiln_mfma_execute)(const kiln_mfma_shape_t *shape,
                                   const kiln_mfma_options_t *options, const uint32_t *a,
                                   const uint32_t *b, uint32_t *d);

// It in each build of the handlers, for tests and measurements.
typedef void kiln_mfma_execute_fn(const kiln_mfma_shape_t *shape,
                                  const kiln_mfma_options_t *options, const uint32_t *a,
                                  const uint32_t *b, uint32_t *d);
kiln_mfma_execute_fn kiln_mfma_execute_generic;
#ifdef __x86_64__
kiln_mfma_execute_fn kiln_mfma_execute_avx2, kiln_mfma_execute_avx512;
#endif

// The elements of an operand by lane: element `inside` of lane l is at inside * 64 + l.
enum { KILN_MFMA_MAX_ELEMENTS = 16 * KILN_GFX942_LANES, KILN_MFMA_MAX_K = 64 };
typedef struct kiln_mfma_elements {
    union {
        alignas(64) float f32[KILN_MFMA_MAX_ELEMENTS]; // every other type is exact in f32
        double f64[KILN_MFMA_MAX_ELEMENTS / 2];
    };
} kiln_mfma_elements_t;

// Lanes form groups of n × blocks; returns how many consecutive k each lane holds.
static inline unsigned kiln_mfma_per_lane(const kiln_mfma_shape_t *shape)
{
    return shape->k * ((unsigned)shape->n * shape->blocks) / KILN_GFX942_LANES;
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

// Number of registers of a dense operand.
static inline unsigned kiln_mfma_registers(const kiln_mfma_shape_t *shape, kiln_mfma_type_t type)
{
    return (unsigned)shape->n * shape->k * shape->blocks * kiln_mfma_bits(type) /
           (32 * KILN_GFX942_LANES);
}

// Index of element k of row (column) 0 of block 0; row i of a block is at i + n * block from there.
static inline unsigned kiln_mfma_element(const kiln_mfma_shape_t *shape, unsigned k)
{
    const unsigned per_lane = kiln_mfma_per_lane(shape);
    return k % per_lane * KILN_GFX942_LANES + k / per_lane * shape->n * shape->blocks;
}

// exec/mfma_unpack.c: converts an operand from registers to elements and applies CBSZ, ABID, BLGP
// and sparsity.
void KILN_SIM_V(kiln_mfma_unpack_a)(const kiln_mfma_shape_t *shape,
                                    const kiln_mfma_options_t *options, const uint32_t *a,
                                    kiln_mfma_elements_t *left);
void KILN_SIM_V(kiln_mfma_unpack_b)(const kiln_mfma_shape_t *shape,
                                    const kiln_mfma_options_t *options, const uint32_t *b,
                                    kiln_mfma_elements_t *right);

// exec/mfma_sum.c: adds the products of all blocks to D by fused multiply-adds, or exactly for i8.
void KILN_SIM_V(kiln_mfma_sum)(const kiln_mfma_shape_t *shape, const kiln_mfma_options_t *options,
                               const kiln_mfma_elements_t *a, const kiln_mfma_elements_t *b,
                               uint32_t *d);

// exec/mfma_exact.c: the same for f16, bf16, xf32, fp8 and bf8 with the machine's rounding.
void KILN_SIM_V(kiln_mfma_sum_exact)(const kiln_mfma_shape_t *shape, const kiln_mfma_elements_t *a,
                                     const kiln_mfma_elements_t *b, uint32_t *d);

// exec/mfma_fixed.c (16 bits and more, dense) and exec/mfma_narrow.c (the others): the same, faster
// and from registers. False, without any effect, if they do not support the operands.
bool KILN_SIM_V(kiln_mfma_sum_fixed)(const kiln_mfma_shape_t *shape,
                                     const kiln_mfma_options_t *options, const uint32_t *a,
                                     const uint32_t *b, uint32_t *d);
bool KILN_SIM_V(kiln_mfma_sum_narrow)(const kiln_mfma_shape_t *shape,
                                      const kiln_mfma_options_t *options, const uint32_t *a,
                                      const uint32_t *b, uint32_t *d);

// Offset of row i of a block in D: n adjacent elements in one register row (two for f64).
static inline unsigned kiln_mfma_row_offset(const kiln_mfma_shape_t *shape, unsigned block,
                                            unsigned i)
{
    if (shape->a == KILN_MFMA_F64)
        return shape->n == 16 ? i / 4 * 128 + i % 4 * 16 : i * 16 + block * 4;
    if (shape->n == 32)
        return (block * 16 + i / 8 * 4 + i % 4) * 64 + i / 4 % 2 * 32;
    if (shape->n == 16)
        return (block * 4 + i % 4) * 64 + i / 4 * 16;
    return i * 64 + block * 4;
}

// Selects the memo for an operand's registers. Kernels multiply the same registers with several
// others, so prepared operands are kept, indexed by pairs of registers. The hash spreads registers
// that are a power of two apart, since these are often used together.
static inline unsigned kiln_mfma_memo_of(const uint32_t *registers, unsigned memos)
{
    const uintptr_t pair = (uintptr_t)registers / (2 * KILN_GFX942_LANES * sizeof *registers);
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
