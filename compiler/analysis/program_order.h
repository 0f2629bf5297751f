// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which a kernel's programs start, as attributes of the module.
//
// The hardware starts workgroups in the order of their numbers in the dispatch: axis 0 changes
// fastest. Without the attributes a program's ids are these numbers. With them, the ids of the
// listed axes are computed from these numbers, so that programs start in another order:
//
//     kiln.program_order = array<i32: 1, 0>    the id of axis 1 changes fastest, then that of axis 0
//     kiln.last_axis_descends                  the last of these axes starts with its largest id
//     kiln.ordered_above = 304 : i32           only if more programs than that start
//     kiln.xcds = 8 : i32                      programs that differ in the last axis only share an XCD
//
// The hardware deals workgroups out to the XCDs by their numbers. Let n be the number of programs
// with the same id of the last axis. If n is not a multiple of the number of XCDs, each row of n
// begins at another XCD, so with kiln.xcds the other ids of a row are rotated by as much, where n
// is larger than that: only those at the rotation's end change places.
//
// Each program still runs once; only the order differs. For a grid of 2^32 programs or more along
// these axes, or of at most kiln.ordered_above, it is that of the dispatch.
#ifndef KILN_PROGRAM_ORDER_H
#define KILN_PROGRAM_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include <mlir-c/IR.h>

#include "kiln/status.h"

enum { KILN_PROGRAM_AXES = 3 };

typedef struct kiln_program_order {
    int count; // 0: the order of the dispatch
    int axes[KILN_PROGRAM_AXES];
    bool last_descends;
    uint32_t above; // the order is that of the dispatch for at most so many programs
    uint32_t xcds;  // 0: rows are not rotated
} kiln_program_order_t;

// Fails with KILN_STATUS_INVALID_INPUT, at the module, if an axis is listed twice or is none of 0
// … 2, if `above` or `xcds` is negative, or if the attributes are of other types.
kiln_status_t kiln_program_order_read(MlirOperation module, kiln_program_order_t *out_order);
bool kiln_program_order_is_set(MlirOperation module);
void kiln_program_order_write(MlirOperation module, const kiln_program_order_t *order);

// The ids of workgroup `number` of the dispatch. `grid` has the programs of each axis, none of them
// 0; `out_ids` receives one id for each axis.
void kiln_program_order_ids(const kiln_program_order_t *order, const uint32_t *grid,
                            uint64_t number, int64_t *out_ids);

#endif
