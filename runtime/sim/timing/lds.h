// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The LDS of a compute unit: one memory with 32 banks and two ports, each shared by a pair of
// SIMDs.
//
// An access occupies the banks for the cycles that its conflicts cause (run/cost.h), and its port
// for its bytes at 64 per cycle; stores send their addresses through the same port. Accesses are
// served in the order of issue. Waiting accesses are counted per SIMD, so that no SIMD can block
// another.
#ifndef KILN_TIMING_LDS_H
#define KILN_TIMING_LDS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct kiln_timing_lds {
    uint64_t banks_free, port_free[2];
    uint64_t done[4]; // when the banks complete what each SIMD has issued
    uint64_t busy;    // busy cycles of the banks
    const struct kiln_timing_parameters *measured;
} kiln_timing_lds_t;

// The cycle from which a SIMD may issue another access.
uint64_t kiln_timing_lds_accepts(const kiln_timing_lds_t *lds, unsigned simd);
// Executes an access with this number of bank cycles and bytes of all lanes. Returns the cycle at
// which it completes.
uint64_t kiln_timing_lds_access(kiln_timing_lds_t *lds, uint64_t now, unsigned simd,
                                unsigned cycles, unsigned bytes, bool stores);

#endif
