// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KILN_TIMING_MOVE_H
#define KILN_TIMING_MOVE_H

#include "core/product.h"

// Predicted milliseconds of a copy or a fill that reads and writes so many bytes of device memory, and moves so many over the
// link to the host, beside that.
double kiln_timing_move_ms(const kiln_sim_product_t *product, uint64_t read, uint64_t written, uint64_t linked);
// What it takes at least.
double kiln_timing_move_bound_ms(const kiln_sim_product_t *product, uint64_t read, uint64_t written, uint64_t linked);

#endif
