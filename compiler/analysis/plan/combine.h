// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans the execution of reductions and scans: the layout, the bits of it that run along the axis,
// and the values that waves exchange through LDS.
//
// Pitfall: bits of registers, lanes and warps that hold copies must not be combined, or a sum
// counts elements twice.
#ifndef KILN_PLAN_COMBINE_H
#define KILN_PLAN_COMBINE_H

#include "layout/layout.h"

enum {
    KILN_MAX_COMBINED = 16,             // operands
    KILN_EXCHANGE_SINGLE_ROUND = 16384, // bytes of LDS with which waves exchange everything at once
};

// The set bits of `mask` as digits: bit i of `index` becomes the i-th of them, and the inverse.
uint32_t kiln_spread_bits(uint32_t index, uint32_t mask);
uint32_t kiln_gather_bits(uint32_t value, uint32_t mask);

// Exchange between waves (exchange.c): partial results of all operands of `op`, written in
// layout `write` and read in layout `read`; both have the same elements, of rank 1.
typedef struct kiln_wave_exchange {
    MlirOperation op;
    kiln_layout_t write, read;
} kiln_wave_exchange_t;

// Whether all operands lie side by side in LDS, each at a multiple of 16 bytes; otherwise, if they
// are large, each is exchanged separately as a layout conversion, which has rounds.
bool kiln_wave_exchange_is_single_round(const kiln_wave_exchange_t *exchange);
// Bytes of one operand when they lie side by side.
uint32_t kiln_wave_exchange_operand_bytes(const kiln_wave_exchange_t *exchange, int operand);
uint32_t kiln_wave_exchange_scratch(const kiln_wave_exchange_t *exchange);

// Whether the region of a reduction is known to give the same for its two elements (or tuples) in
// either order, apart from the sign of a zero (commutes.c).
bool kiln_reduction_commutes(MlirOperation op);

// A bit of a register, lane or warp number.
typedef struct kiln_place_bit {
    kiln_place_t place;
    int bit;
} kiln_place_bit_t;

// tt.reduce (reduce.c).
//
// A region that commutes combines registers, lanes and warps, whatever their order along the axis.
// Any other combines along the bits of the axis, the lowest first: up to the first that belongs to
// a warp in `steps`, the rest after the exchange between waves.
typedef struct kiln_reduction {
    MlirOperation op;
    int operands;
    uint32_t axis_registers, copy_registers, axis_lanes, axis_warps; // masks of bits
    bool in_order;              // the region is not known to commute
    kiln_place_bit_t steps[32]; // if in order: combined in the wave, in this order
    int step_count, late_bits;  // late_bits: combined after the exchange between waves
    bool late_in_lanes; // the lowest lane bits select the partial results that a lane reads;
                        // otherwise each lane reads all of them
    bool convert; // registers or lanes run diagonally to the axis, so operands are converted first
    kiln_layout_t given;   // of the operands
    kiln_layout_t source;  // of the operands when they are combined
    kiln_layout_t partial; // after the lanes are combined: remaining register bits, over the
                           // result's elements (rank 1)
    kiln_layout_t result;  // also of rank 1
    kiln_wave_exchange_t exchange; // element · 2^late_bits + partial result
} kiln_reduction_t;
kiln_status_t kiln_plan_reduction(MlirOperation op, int num_warps, kiln_reduction_t *out);
uint32_t kiln_reduction_scratch(const kiln_reduction_t *reduction);
// Bytes of LDS to convert an operand to the reduced layout, and a result to its own.
uint32_t kiln_reduction_scratch_before(const kiln_reduction_t *reduction, int operand);
uint32_t kiln_reduction_scratch_after(const kiln_reduction_t *reduction, int operand);

// tt.scan (scan.c). Registers of `run` and of `blocks` both lie along the axis, with lanes and
// warps between them.
typedef struct kiln_scan {
    MlirOperation op;
    int operands;
    bool reverse, convert;
    kiln_layout_t given, layout; // of the operands; the one in which they are scanned
    // Bitmasks of the bits along the axis; copies: of register bits that hold copies.
    uint32_t run, blocks, lanes, warps, copies;
    int warp_count, block_count; // numbers of bits
    bool lanes_in_loop; // the region is expensive: lanes exchange in a loop that contains it once
    kiln_wave_exchange_t exchange; // (elements off the axis, block, warp)
} kiln_scan_t;
kiln_status_t kiln_plan_scan(MlirOperation op, int num_warps, kiln_scan_t *out);
uint32_t kiln_scan_scratch(const kiln_scan_t *scan);

#endif
