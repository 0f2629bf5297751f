// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "timing/fabric.h"

#include "base/gfx942.h"
#include "timing/parameters.h"

// Cycles of the core for a line of an XCD's share of so many GB/s.
static double line_cycles(double ghz, double gb_s, unsigned xcds)
{
    const double most = KILN_TIMING_XCD_LINK;
    const double share = gb_s / xcds < most ? gb_s / xcds : most;
    return KILN_GFX942_L2_LINE / share * ghz;
}

void kiln_timing_fabric_open(kiln_timing_fabric_t *fabric, double ghz, double gb_s, unsigned xcds)
{
    *fabric = (kiln_timing_fabric_t){
        .ghz = ghz,
        .mall_line = line_cycles(ghz, KILN_TIMING_MALL_BANDWIDTH, xcds),
        .read_line = line_cycles(ghz, gb_s * KILN_TIMING_HBM_READ_PERCENT / 100, xcds),
        .write_line = line_cycles(ghz, gb_s * KILN_TIMING_HBM_WRITE_PERCENT / 100, xcds),
        .mall_latency = (uint64_t)(KILN_TIMING_MALL_LATENCY * ghz),
        .hbm_latency = (uint64_t)(KILN_TIMING_HBM_LATENCY * ghz),
        .host_latency = (uint64_t)(KILN_TIMING_KERNARG_LATENCY * ghz),
    };
}

// Takes `cycles` of a port that is free from *free_at on, and gives the cycle at which they begin.
static double take(double *free_at, uint64_t now, double cycles)
{
    const double begin = *free_at > (double)now ? *free_at : (double)now;
    *free_at = begin + cycles;
    return begin;
}

uint64_t kiln_timing_fabric_read(kiln_timing_fabric_t *fabric, uint64_t now, bool in_mall, double sharers)
{
    const double mall = take(&fabric->mall_free, now, fabric->mall_line);
    fabric->mall_lines++;
    if (in_mall)
        return (uint64_t)mall + fabric->mall_latency;
    const double hbm = take(&fabric->hbm_free, now, fabric->read_line / sharers);
    fabric->hbm_lines++;
    fabric->hbm_read += 1 / sharers;
    return (uint64_t)(hbm > mall ? hbm : mall) + fabric->hbm_latency;
}

uint64_t kiln_timing_fabric_read_host(const kiln_timing_fabric_t *fabric, uint64_t now)
{
    return now + fabric->host_latency;
}

uint64_t kiln_timing_fabric_write(kiln_timing_fabric_t *fabric, uint64_t now, bool in_mall)
{
    const double mall = take(&fabric->mall_free, now, fabric->mall_line);
    fabric->mall_lines++;
    if (in_mall)
        return (uint64_t)mall;
    const double hbm = take(&fabric->hbm_free, now, fabric->write_line);
    fabric->hbm_lines++;
    fabric->hbm_written += 1;
    return (uint64_t)(hbm > mall ? hbm : mall);
}

uint64_t kiln_timing_fabric_idle(const kiln_timing_fabric_t *fabric)
{
    return (uint64_t)(fabric->mall_free > fabric->hbm_free ? fabric->mall_free : fabric->hbm_free);
}
