// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "timing/fabric.h"

#include "base/gfx942.h"
#include "timing/parameters.h"

enum { TLB_WAYS = 4 };

// Cycles of the core for a line of an XCD's share of so many GB/s.
static double line_cycles(double ghz, double gb_s, unsigned xcds)
{
    const double most = KILN_TIMING_XCD_LINK;
    const double share = gb_s / xcds < most ? gb_s / xcds : most;
    return KILN_GFX942_L2_LINE / share * ghz;
}

bool kiln_timing_fabric_open(kiln_timing_fabric_t *fabric, double ghz, double gb_s, unsigned xcds)
{
    *fabric = (kiln_timing_fabric_t){
        .ghz = ghz,
        .mall_line = line_cycles(ghz, KILN_TIMING_MALL_BANDWIDTH, xcds),
        .read_line = line_cycles(ghz, gb_s * KILN_TIMING_HBM_READ_PERCENT / 100, xcds),
        .write_line = line_cycles(ghz, gb_s * KILN_TIMING_HBM_WRITE_PERCENT / 100, xcds),
        .mall_latency = (uint64_t)(KILN_TIMING_MALL_LATENCY * ghz),
        .hbm_latency = (uint64_t)(KILN_TIMING_HBM_LATENCY * ghz),
        .tlb_latency = (uint64_t)(KILN_TIMING_TLB_LATENCY * ghz),
        .host_latency = (uint64_t)(KILN_TIMING_KERNARG_LATENCY * ghz),
    };
    return kiln_timing_tags_open(&fabric->pages, (uint64_t)KILN_TIMING_TLB_PAGES * KILN_TIMING_TLB_PAGE,
                                 KILN_TIMING_TLB_PAGE, TLB_WAYS);
}

void kiln_timing_fabric_close(kiln_timing_fabric_t *fabric)
{
    kiln_timing_tags_close(&fabric->pages);
}

// Takes `cycles` of a port that is free from *free_at on, and gives the cycle at which they begin.
static double take(double *free_at, uint64_t now, double cycles)
{
    const double begin = *free_at > (double)now ? *free_at : (double)now;
    *free_at = begin + cycles;
    return begin;
}

// What the line's address costs on top of everything else.
static uint64_t translate(kiln_timing_fabric_t *fabric, uint64_t line)
{
    const uint64_t page = line / (KILN_TIMING_TLB_PAGE / KILN_GFX942_L2_LINE);
    if (kiln_timing_tags_find(&fabric->pages, page))
        return 0;
    kiln_timing_tags_insert(&fabric->pages, page);
    return fabric->tlb_latency;
}

// Takes HBM for a line. It turns round between reads and writes: where both have come lately, each line takes longer.
static double take_hbm(kiln_timing_fabric_t *fabric, uint64_t now, double cycles, bool writes)
{
    const double lately = 4096, few = 0.05; // lines; share
    if (fabric->hbm_free <= 0)
        fabric->writes = writes;
    fabric->writes += (writes - fabric->writes) / lately;
    const bool mixed = fabric->writes > few && fabric->writes < 1 - few;
    return take(&fabric->hbm_free, now, mixed ? cycles * 100 / KILN_TIMING_HBM_MIXED_PERCENT : cycles);
}

uint64_t kiln_timing_fabric_read(kiln_timing_fabric_t *fabric, uint64_t now, uint64_t line, bool in_mall,
                                 double sharers)
{
    const uint64_t translated = translate(fabric, line);
    const double mall = take(&fabric->mall_free, now, fabric->mall_line);
    fabric->mall_lines++;
    if (in_mall)
        return (uint64_t)mall + fabric->mall_latency + translated;
    const double hbm = take_hbm(fabric, now, fabric->read_line / sharers, false);
    fabric->hbm_lines++;
    fabric->hbm_read += 1 / sharers;
    return (uint64_t)(hbm > mall ? hbm : mall) + fabric->hbm_latency + translated;
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
    const double hbm = take_hbm(fabric, now, fabric->write_line, true);
    fabric->hbm_lines++;
    fabric->hbm_written += 1;
    return (uint64_t)(hbm > mall ? hbm : mall);
}

uint64_t kiln_timing_fabric_idle(const kiln_timing_fabric_t *fabric)
{
    return (uint64_t)(fabric->mall_free > fabric->hbm_free ? fabric->mall_free : fabric->hbm_free);
}
