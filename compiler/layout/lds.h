// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LDS properties that conversion planning needs beyond layout.h: element sizes, lane groups,
// cycles.
//
// Note that elements narrower than a byte take a whole byte in LDS.
#ifndef KILN_LAYOUT_LDS_H
#define KILN_LAYOUT_LDS_H

#include "layout/layout.h"

int kiln_lds_element_bytes(int element_bits);

// Lanes that are served together: the span of these lane numbers, and its cosets.
typedef struct kiln_lds_groups {
    int bits;
    uint32_t lane[5];
} kiln_lds_groups_t;
kiln_lds_groups_t kiln_lds_groups(int access_bytes, kiln_lds_direction_t direction);

// Cycles of one wave-wide access of the widest kind that the map allows.
int kiln_lds_cycles(const kiln_layout_t *to_lds, int element_bits, kiln_lds_direction_t direction);

#endif
