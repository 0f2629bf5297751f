// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model's estimates of registers beside those that LLVM allocates.
#ifndef KILN_BENCH_TUNE_REGISTERS_H
#define KILN_BENCH_TUNE_REGISTERS_H

#include "tune_rows.h"

// Compiles `count` candidates, drawn at random, of the first problem of each kernel whose name
// contains `part`, and prints how far the model's registers, waves of a SIMD and spills are from
// those of the code.
void bench_compare_registers(kiln_device_t *device, const char *part, size_t count);

#endif
