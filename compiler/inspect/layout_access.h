// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How values in registers access a buffer in LDS: the width of each instruction, its cycles, and
// which lanes meet in a bank.
#ifndef KILN_INSPECT_LAYOUT_ACCESS_H
#define KILN_INSPECT_LAYOUT_ACCESS_H

#include "inspect/layout_svg.h"

// A buffer: its linear layout, the gaps that move its elements, and bits of an element.
typedef struct kiln_lds_buffer {
    kiln_layout_t layout;
    kiln_padding_t padding;
    int element_bits;
} kiln_lds_buffer_t;

// The instruction of a wave that takes the most cycles. All of them, and all groups of lanes that
// are served together, differ from the first only by a permutation of the banks, as layouts are
// linear; only gaps make a difference.
typedef struct kiln_lds_instruction {
    int elements, bytes;    // of a lane
    int cycles, conflicts;  // conflicts: cycles more than without any
    int ways;               // the most dwords of a bank that one group accesses
    bool is_worst;          // other instructions take fewer cycles
    uint32_t instructions;  // of a wave, for the whole value
    uint32_t lanes[64];     // the group with the most dwords in a bank
    uint32_t registers[64]; // those of this instruction
    uint32_t warp;
    int lane_count, groups;
} kiln_lds_instruction_t;

// KILN_STATUS_INVALID_INPUT if the shapes differ.
kiln_status_t kiln_lds_instruction_of(const kiln_layout_t *registers,
                                      const kiln_lds_buffer_t *buffer,
                                      kiln_lds_direction_t direction, kiln_lds_instruction_t *out);

// Appends a line, " 16 bytes of each lane at a time: 4 instructions of 8 cycles, 4 of them for bank
// conflicts", and, if there are conflicts, the lanes that meet in a bank.
kiln_status_t kiln_layout_access_write(const kiln_layout_t *registers,
                                       const kiln_lds_buffer_t *buffer,
                                       kiln_lds_direction_t direction, kiln_string_t *out);

// Adds the buffer, in which the group's part of the instruction is framed: lanes that meet with
// others in a bank by thick frames of another colour.
kiln_status_t kiln_layout_picture_add_access(kiln_layout_picture_t *picture,
                                             const kiln_layout_t *registers,
                                             const kiln_lds_buffer_t *buffer,
                                             kiln_lds_direction_t direction, const char *title);

#endif
