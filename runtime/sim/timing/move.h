// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of copies and fills.
#ifndef KILN_TIMING_MOVE_H
#define KILN_TIMING_MOVE_H

#include "sim/port/product.h"

// Predicted milliseconds of a copy or a fill that reads and writes these bytes of device memory
// and, in addition, moves `linked` bytes over the link to the host.
double kiln_timing_move_ms(const kiln_sim_product_t *product, uint64_t read, uint64_t written,
                           uint64_t linked);
// A lower bound of kiln_timing_move_ms.
double kiln_timing_move_bound_ms(const kiln_sim_product_t *product, uint64_t read, uint64_t written,
                                 uint64_t linked);

#endif
