// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The LDS of a compute unit: one memory with 32 banks, reached by two ports, of a pair of SIMDs each.
//
// An access takes the banks for as many cycles as its conflicts make it (timing/cost.h), and its port for its bytes at 64 a
// cycle; stores send their addresses by the same port. Accesses are served in the order in which they were issued. What
// waits is counted for each SIMD, so that none can keep another out.
#ifndef KILN_TIMING_LDS_H
#define KILN_TIMING_LDS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct kiln_timing_lds {
    uint64_t banks_free, port_free[2];
    uint64_t done[4]; // when the banks have done what each SIMD has issued
    uint64_t busy;    // cycles of the banks
} kiln_timing_lds_t;

// The cycle from which a SIMD may issue another access.
uint64_t kiln_timing_lds_accepts(const kiln_timing_lds_t *lds, unsigned simd);
// An access of so many bank cycles and bytes, of all lanes; returns the cycle at which it is done.
uint64_t kiln_timing_lds_access(kiln_timing_lds_t *lds, uint64_t now, unsigned simd, unsigned cycles, unsigned bytes,
                                bool stores);

#endif
