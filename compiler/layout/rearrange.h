// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts derived from other layouts, for operations that change a tensor's shape or need its
// elements in other places while they work on them.
//
// Note that these functions only describe where elements should be; the caller has to convert to
// the layout.
#ifndef KILN_LAYOUT_REARRANGE_H
#define KILN_LAYOUT_REARRANGE_H

#include "layout/layout.h"

// `wide` without the coordinates in which `narrow` has size 1.
kiln_layout_t kiln_layout_project(const kiln_layout_t *wide, const kiln_layout_t *narrow);

// The same places, but each bit steps along one dimension: lanes, then warps along the flat index
// from its lowest bit, and registers for the rest.
kiln_layout_t kiln_layout_straighten(const kiln_layout_t *given);

// One more, fastest dimension of size 2, held in one more register bit, the highest.
kiln_layout_t kiln_layout_append_pair(const kiln_layout_t *layout);

// The same in the lowest register bit: pairs lie next to each other.
kiln_layout_t kiln_layout_prepend_pair(const kiln_layout_t *layout);

// Without the last dimension, of size 2, whose elements are in registers of one thread. Returns
// false if they are not.
bool kiln_layout_drop_pair(const kiln_layout_t *layout, kiln_layout_t *out);

// Of a tensor of at least 64 elements for each wave: lanes and warps take the lowest bits of the
// row-major index, registers the highest, so that each register belongs to one window of rows.
kiln_layout_t kiln_layout_in_windows(const kiln_layout_t *given);

// The same places, of rank 1.
kiln_layout_t kiln_layout_row_major(const kiln_layout_t *layout);

// The register without free bits that holds what register `reg` of the same thread holds.
uint32_t kiln_layout_canonical_register(const kiln_layout_t *layout, uint32_t reg);

#endif
