// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock that a GPU's compute units held while launches were measured.
#ifndef KILN_AUTOTUNE_HELD_CLOCK_H
#define KILN_AUTOTUNE_HELD_CLOCK_H

#include "kiln/tune.h"

// Reads counters on a device. NULL for functions below: the clock stays unknown.
typedef struct kiln_held_clock kiln_held_clock_t;

// *out_clock is NULL for the simulator, and for a device that cannot load the kernel that reads.
// Fails only if memory is exhausted.
kiln_status_t kiln_held_clock_create(kiln_device_t *device, kiln_held_clock_t **out_clock);
void kiln_held_clock_release(kiln_held_clock_t *clock);

// Reads the counters after the work of the stream, and waits for it.
kiln_status_t kiln_held_clock_begin(kiln_held_clock_t *clock, kiln_stream_t *stream);
// The average clock in MHz since then, in pauses too; 0: unknown.
kiln_status_t kiln_held_clock_end(kiln_held_clock_t *clock, kiln_stream_t *stream, double *out_mhz);

#endif
