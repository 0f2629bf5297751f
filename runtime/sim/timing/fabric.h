// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory beyond an XCD's L2 (Infinity Cache and HBM), as seen by one of the XCDs that share it.
//
// All XCDs are assumed to behave alike, so the model simulates one of them and gives it its share
// of the bandwidth. A line is in the Infinity Cache if this launch or an earlier one left it there;
// otherwise it comes from HBM. Both have clocks independent of the core's, so their latencies are
// in ns. Both have 128 channels, and a line's address selects one of them (timing/channels.h).
//
// A line that several XCDs read is fetched from HBM by one of them. In the model each of these XCDs
// pays its share of HBM's time (`sharers`), and the others find the line in the Infinity Cache.
#ifndef KILN_TIMING_FABRIC_H
#define KILN_TIMING_FABRIC_H

#include "timing/channels.h"
#include "timing/tags.h"

typedef struct kiln_timing_fabric {
    double ghz;                              // of the core
    double mall_line, read_line, write_line; // cycles per line
    double mall_free, hbm_free;              // cycle from which they accept another
    double slice_line,
        channel_line; // cycles per line of a slice and of a channel
    double slices[KILN_TIMING_MEMORY_CHANNELS],
        channels[KILN_TIMING_MEMORY_CHANNELS]; // like mall_free and hbm_free, for each slice and
                                               // channel
    double writes;                             // fraction of writes among HBM's recent accesses
    unsigned other;                            // the other XCD whose turn is next
    kiln_timing_tags_t pages;                  // in the TLB
    uint64_t page;                             // the last one accessed
    uint64_t mall_latency, hbm_latency, tlb_latency, host_latency;
    uint64_t mall_lines, hbm_lines; // reads and writes served
    double hbm_busy;                // cycles of these
    double hbm_read, hbm_written;   // in lines; of shared lines, the XCD's share
    double late; // cycles of the writes that come after the launch's last workgroup
    uint64_t late_lines, late_hbm_lines; // their number, and of those, to HBM
} kiln_timing_fabric_t;

// Initializes the fabric of a device with a memory bandwidth of `gb_s` GB/s, shared by `xcds` XCDs,
// with measured values in place of the constants; it keeps copies of them.
void kiln_timing_fabric_measured(kiln_timing_fabric_t *fabric, double gb_s, unsigned xcds,
                                 const kiln_timing_parameters_t *measured);

bool kiln_timing_fabric_open(kiln_timing_fabric_t *fabric, double ghz, double gb_s, unsigned xcds);
void kiln_timing_fabric_close(kiln_timing_fabric_t *fabric);

// Reads a line that is in the Infinity Cache, or comes from HBM at a request of one of `sharers`
// XCDs. Returns the cycle at which its data is at the L2. `neighbours`, the distances of the other
// XCDs' lines, may be NULL.
uint64_t kiln_timing_fabric_read(kiln_timing_fabric_t *fabric, uint64_t now, uint64_t line,
                                 bool in_mall, double sharers,
                                 const kiln_timing_neighbours_t *neighbours);
// Reads a line of the host's memory.
uint64_t kiln_timing_fabric_read_host(const kiln_timing_fabric_t *fabric, uint64_t now);
// Writes a line that the L2 evicts now or later. Returns the cycle at which it is served.
uint64_t kiln_timing_fabric_write(kiln_timing_fabric_t *fabric, uint64_t now, uint64_t line,
                                  bool in_mall, const kiln_timing_neighbours_t *neighbours);
// Writes a line when the launch has ended.
void kiln_timing_fabric_write_late(kiln_timing_fabric_t *fabric, bool in_mall);
// The cycle at which all requests so far are completed.
uint64_t kiln_timing_fabric_idle(const kiln_timing_fabric_t *fabric);

#endif
