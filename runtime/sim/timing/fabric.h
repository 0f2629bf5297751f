// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lies behind an XCD's L2: Infinity Cache and HBM, as one of the XCDs that share them sees them.
//
// Idea: all XCDs do alike, so one of them is followed, and has its share of the bandwidth. A line is in the Infinity Cache where the
// launch, or one before it, has had it there; else it comes from HBM. Both are clocked apart from the core: latencies are in ns.
// Both are 128 channels, and a line's address chooses one of them (timing/channels.h).
//
// What a reader gets wrong: a line that several XCDs want is fetched from HBM by one of them; it takes its share of HBM's time
// in each of them (`sharers`), and the others find it in the Infinity Cache.
#ifndef KILN_TIMING_FABRIC_H
#define KILN_TIMING_FABRIC_H

#include "timing/channels.h"
#include "timing/tags.h"

typedef struct kiln_timing_fabric {
    double ghz;                              // of the core
    double mall_line, read_line, write_line; // cycles of one line
    double mall_free, hbm_free;              // cycle from which they take another
    double slice_line, channel_line;         // cycles of a line in a slice of the one, in a channel of the other
    double slices[KILN_TIMING_MEMORY_CHANNELS], channels[KILN_TIMING_MEMORY_CHANNELS]; // the same of each of these
    double writes;            // their share of what HBM has served lately
    unsigned other;           // whose turn it is of the other XCDs
    kiln_timing_tags_t pages; // that the TLB knows
    uint64_t page;            // the last one asked for
    uint64_t mall_latency, hbm_latency, tlb_latency, host_latency;
    uint64_t mall_lines, hbm_lines; // served: read and written
    double hbm_read, hbm_written;   // in lines, each XCD's share of those that it shares
} kiln_timing_fabric_t;

// For a device whose memory has so many GB/s, of which `xcds` compute dies take their shares.
bool kiln_timing_fabric_open(kiln_timing_fabric_t *fabric, double ghz, double gb_s, unsigned xcds);
void kiln_timing_fabric_close(kiln_timing_fabric_t *fabric);

// Reads a line that is in the Infinity Cache, or comes from HBM at a request of one of `sharers` XCDs. Returns the cycle at
// which its data is at the L2. Where the others are meanwhile may be NULL.
uint64_t kiln_timing_fabric_read(kiln_timing_fabric_t *fabric, uint64_t now, uint64_t line, bool in_mall,
                                 double sharers, const kiln_timing_others_t *others);
// A line of the host's memory.
uint64_t kiln_timing_fabric_read_host(const kiln_timing_fabric_t *fabric, uint64_t now);
// A line that the L2 gives back, or will; the cycle at which its turn comes.
uint64_t kiln_timing_fabric_write(kiln_timing_fabric_t *fabric, uint64_t now, uint64_t line, bool in_mall,
                                  const kiln_timing_others_t *others);
// The cycle at which all that was asked for until now is done.
uint64_t kiln_timing_fabric_idle(const kiln_timing_fabric_t *fabric);

#endif
