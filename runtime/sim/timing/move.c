// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of copies and fills by the runtime. Each is a kernel of its own, limited by the
// bandwidth of memory or of the link to the host.
#include "timing/move.h"

#include "timing/parameters.h"

double kiln_timing_move_bound_ms(const kiln_sim_product_t *product, uint64_t read, uint64_t written,
                                 uint64_t linked)
{
    enum { HOST_LINK_PINS = 64 }; // GB/s each way: PCIe 5 x16
    const double memory_ns = (double)(read + written) / kiln_sim_product_pins_gb_s(product),
                 link_ns = (double)linked / HOST_LINK_PINS;
    return (link_ns > memory_ns ? link_ns : memory_ns) * 1e-6;
}

double kiln_timing_move_ms(const kiln_sim_product_t *product, uint64_t read, uint64_t written,
                           uint64_t linked)
{
    const double gb_s = kiln_sim_product_memory_gb_s(product);
    const double memory_ns = (double)read / (gb_s * KILN_TIMING_HBM_READ_PERCENT / 100) +
                             (double)written / (gb_s * KILN_TIMING_HBM_WRITE_PERCENT / 100);
    const double link_ns = (double)linked / KILN_TIMING_HOST_LINK;
    return (KILN_TIMING_LAUNCH_NS + KILN_TIMING_END_NS +
            (link_ns > memory_ns ? link_ns : memory_ns)) *
           1e-6;
}
