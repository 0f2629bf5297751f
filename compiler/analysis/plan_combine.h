// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How reductions and scans go: in which layout, which of its bits run along the axis, and what waves tell each other
// through LDS.
//
// The thing one gets wrong: bits of registers, lanes and warps that hold copies must not be combined, or a sum counts
// twice.
#ifndef KILN_PLAN_COMBINE_H
#define KILN_PLAN_COMBINE_H

#include "layout/layout.h"

enum {
    KILN_MAX_COMBINED = 16,        // operands
    KILN_EXCHANGE_AT_ONCE = 16384, // bytes of LDS through which waves tell each other all that they have to
};

// The set bits of `mask` as digits: bit i of `index` becomes its i-th, and back.
uint32_t kiln_spread_bits(uint32_t index, uint32_t mask);
uint32_t kiln_gather_bits(uint32_t value, uint32_t mask);

// Between waves (plan_exchange.c): partial results of all operands of `op` that are written as `write` says and read as
// `read` says; both speak of the same elements, of rank 1.
typedef struct kiln_wave_exchange {
    MlirOperation op;
    kiln_layout_t write, read;
} kiln_wave_exchange_t;

// All operands lie side by side in LDS, each from a multiple of 16 bytes on; else, where they are many bytes, one after
// the other goes as a conversion of layouts, which has rounds.
bool kiln_wave_exchange_is_at_once(const kiln_wave_exchange_t *exchange);
uint32_t kiln_wave_exchange_operand_bytes(const kiln_wave_exchange_t *exchange, int operand); // side by side
uint32_t kiln_wave_exchange_scratch(const kiln_wave_exchange_t *exchange);

// tt.reduce (plan_reduce.c).
typedef struct kiln_reduction {
    MlirOperation op;
    int operands;
    uint32_t axis_registers, copy_registers, axis_lanes, axis_warps; // masks of bits
    int axis_warp_count;
    bool convert;          // registers or lanes run diagonally to the axis, so operands are first given another layout
    kiln_layout_t given;   // of the operands
    kiln_layout_t source;  // of the operands when they are combined
    kiln_layout_t partial; // after the lanes: register bits that are left, over the result's elements (rank 1)
    kiln_layout_t result;  // likewise
    kiln_wave_exchange_t exchange; // element · waves + wave
} kiln_reduction_t;
kiln_status_t kiln_plan_reduction(MlirOperation op, int num_warps, kiln_reduction_t *out);
uint32_t kiln_reduction_scratch(const kiln_reduction_t *reduction);
// Bytes of LDS for giving an operand the layout that is reduced, and a result its own.
uint32_t kiln_reduction_scratch_before(const kiln_reduction_t *reduction, int operand);
uint32_t kiln_reduction_scratch_after(const kiln_reduction_t *reduction, int operand);

// tt.scan (plan_scan.c). Registers of `run` and of `blocks` both lie along the axis, but lanes and warps lie between
// them.
typedef struct kiln_scan {
    MlirOperation op;
    int operands;
    bool reverse, convert;
    kiln_layout_t given, layout;                // of the operands; the one that is scanned
    uint32_t run, blocks, lanes, warps, copies; // masks of bits along the axis; register bits that hold copies
    int warp_count, block_count;                // numbers of bits
    kiln_wave_exchange_t exchange;              // (elements off the axis, block, warp)
} kiln_scan_t;
kiln_status_t kiln_plan_scan(MlirOperation op, int num_warps, kiln_scan_t *out);
uint32_t kiln_scan_scratch(const kiln_scan_t *scan);

#endif
