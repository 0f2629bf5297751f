// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Infinity Cache and HBM (timing/fabric.h): queues for their bandwidths, and latencies.
#include "timing/fabric.h"

#include "base/gfx942.h"
#include "timing/parameters.h"

enum { TLB_WAYS = 4 };

// Core cycles per line at one XCD's share of a bandwidth of `gb_s` GB/s.
static double line_cycles(double ghz, double gb_s, unsigned xcds)
{
    const double max = KILN_TIMING_XCD_LINK;
    const double share = gb_s / xcds < max ? gb_s / xcds : max;
    return KILN_GFX942_L2_LINE / share * ghz;
}

// Core cycles per line of one channel, if all channels together have `gb_s` GB/s.
static double channel_cycles(double ghz, double gb_s)
{
    return KILN_GFX942_L2_LINE * KILN_TIMING_MEMORY_CHANNELS / gb_s * ghz;
}

void kiln_timing_fabric_measured(kiln_timing_fabric_t *fabric, double gb_s, unsigned xcds,
                                 const kiln_timing_parameters_t *measured)
{
    const double ghz = fabric->ghz;
    fabric->mall_line = line_cycles(ghz, measured->MALL_BANDWIDTH, xcds);
    fabric->read_line = line_cycles(ghz, gb_s * measured->HBM_READ_PERCENT / 100, xcds);
    fabric->write_line = line_cycles(ghz, gb_s * measured->HBM_WRITE_PERCENT / 100, xcds);
    fabric->mall_latency = (uint64_t)(measured->MALL_LATENCY * ghz);
    fabric->hbm_latency = (uint64_t)(measured->HBM_LATENCY * ghz);
    fabric->host_latency = (uint64_t)(measured->HOST_LATENCY * ghz);
}

bool kiln_timing_fabric_open(kiln_timing_fabric_t *fabric, double ghz, double gb_s, unsigned xcds)
{
    *fabric = (kiln_timing_fabric_t){
        .ghz = ghz,
        .slice_line = channel_cycles(ghz, KILN_TIMING_MALL_PEAK),
        .channel_line = channel_cycles(ghz, gb_s),
        .tlb_latency = (uint64_t)(KILN_TIMING_TLB_LATENCY * ghz),
        .page = UINT64_MAX,
    };
    kiln_timing_fabric_measured(fabric, gb_s, xcds, &kiln_timing_constants);
    return kiln_timing_tags_open(&fabric->pages,
                                 (uint64_t)KILN_TIMING_TLB_PAGES * KILN_TIMING_TLB_PAGE,
                                 KILN_TIMING_TLB_PAGE, TLB_WAYS);
}

void kiln_timing_fabric_close(kiln_timing_fabric_t *fabric)
{
    kiln_timing_tags_close(&fabric->pages);
}

// The additional latency if the line's page is not in the TLB.
static uint64_t translate(kiln_timing_fabric_t *fabric, uint64_t line)
{
    const uint64_t page = line / (KILN_TIMING_TLB_PAGE / KILN_GFX942_L2_LINE);
    if (page == fabric->page)
        return 0;
    fabric->page = page;
    if (kiln_timing_tags_find(&fabric->pages, page))
        return 0;
    kiln_timing_tags_insert(&fabric->pages, page);
    return fabric->tlb_latency;
}

// The memory channel of a line, and that of another XCD's simultaneous line. The latter represents
// all other XCDs, which take turns.
typedef struct spread {
    unsigned own, other, neighbours;
} spread_t;

static spread_t spread(kiln_timing_fabric_t *fabric, uint64_t line,
                       const kiln_timing_neighbours_t *neighbours)
{
    spread_t to = {.own = kiln_timing_memory_channel(line)};
    if (!neighbours || neighbours->count == 0)
        return to;
    fabric->other = fabric->other + 1 < neighbours->count ? fabric->other + 1 : 0;
    to.other = kiln_timing_memory_channel(line + (uint64_t)neighbours->distance[fabric->other]);
    to.neighbours = neighbours->count;
    return to;
}

static double take_channels(double channels[KILN_TIMING_MEMORY_CHANNELS], const spread_t *to,
                            double now, double cycles)
{
    const double ahead = cycles * KILN_TIMING_CHANNEL_AHEAD;
    const double begin = kiln_timing_channel_take(&channels[to->own], now, cycles, ahead);
    kiln_timing_channel_take(&channels[to->other], now, cycles * to->neighbours, ahead);
    return begin;
}

// Occupies the Infinity Cache for a line: the total bandwidth, then the slice.
static double take_mall(kiln_timing_fabric_t *fabric, uint64_t now, const spread_t *to)
{
    const double turn =
        kiln_timing_queue_take(&fabric->mall_free, kiln_timing_real(now), fabric->mall_line);
    fabric->mall_lines++;
    return take_channels(fabric->slices, to, turn, fabric->slice_line);
}

// Occupies HBM for the fraction `part` of a line that this XCD pays. HBM turns around between reads
// and writes, so each line takes longer while both are frequent.
static double take_hbm(kiln_timing_fabric_t *fabric, uint64_t now, const spread_t *to, double part,
                       bool writes)
{
    const double window = 4096, few = 0.05; // number of lines; fraction
    if (fabric->hbm_free <= 0)
        fabric->writes = writes;
    fabric->writes += (writes - fabric->writes) / window;
    const bool mixed = fabric->writes > few && fabric->writes < 1 - few;
    const double alone = part * (writes ? fabric->write_line : fabric->read_line),
                 cycles = mixed ? alone * 100 / KILN_TIMING_HBM_MIXED_PERCENT : alone;
    const double turn = kiln_timing_queue_take(&fabric->hbm_free, kiln_timing_real(now), cycles);
    fabric->hbm_busy += cycles;
    fabric->hbm_lines++;
    return take_channels(fabric->channels, to, turn, part * fabric->channel_line);
}

uint64_t kiln_timing_fabric_read(kiln_timing_fabric_t *fabric, uint64_t now, uint64_t line,
                                 bool in_mall, double sharers,
                                 const kiln_timing_neighbours_t *neighbours)
{
    const spread_t to = spread(fabric, line, neighbours);
    const uint64_t translated = translate(fabric, line);
    const double mall = take_mall(fabric, now, &to);
    if (in_mall)
        return kiln_timing_whole(mall) + fabric->mall_latency + translated;
    const double hbm = take_hbm(fabric, now, &to, 1 / sharers, false);
    fabric->hbm_read += 1 / sharers;
    return kiln_timing_whole(hbm > mall ? hbm : mall) + fabric->hbm_latency + translated;
}

uint64_t kiln_timing_fabric_read_host(const kiln_timing_fabric_t *fabric, uint64_t now)
{
    return now + fabric->host_latency;
}

uint64_t kiln_timing_fabric_write(kiln_timing_fabric_t *fabric, uint64_t now, uint64_t line,
                                  bool in_mall, const kiln_timing_neighbours_t *neighbours)
{
    const spread_t to = spread(fabric, line, neighbours);
    const double mall = take_mall(fabric, now, &to);
    if (in_mall)
        return kiln_timing_whole(mall);
    const double hbm = take_hbm(fabric, now, &to, 1, true);
    fabric->hbm_written += 1;
    return kiln_timing_whole(hbm > mall ? hbm : mall);
}

// All XCDs write then, and each has its share of the bandwidth.
void kiln_timing_fabric_write_late(kiln_timing_fabric_t *fabric, bool in_mall)
{
    const bool by_hbm = !in_mall && fabric->write_line > fabric->mall_line;
    fabric->late += by_hbm ? fabric->write_line : fabric->mall_line;
    fabric->late_lines++;
    fabric->late_hbm_lines += !in_mall;
}

uint64_t kiln_timing_fabric_idle(const kiln_timing_fabric_t *fabric)
{
    return (uint64_t)(fabric->mall_free > fabric->hbm_free ? fabric->mall_free : fabric->hbm_free);
}
