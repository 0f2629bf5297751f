// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams whose work is added to a graph instead of being executed (hip_sim/stream/capture.c).
#ifndef KILN_SIM_HIP_CAPTURE_H
#define KILN_SIM_HIP_CAPTURE_H

#include "hip_sim/graph/graph.h"

struct kiln_sim_hip_stream;

// Copy and free a place in a capture.
bool kiln_sim_capture_copy_place(kiln_sim_capture_t *to, const kiln_sim_capture_t *from);
void kiln_sim_capture_forget(kiln_sim_capture_t *capture);
// Whether the capture that a place belongs to is still active.
bool kiln_sim_capture_is_on(const kiln_sim_capture_t *place);

// 0 if the stream is not captured. Otherwise invalidates the capture, whose graph is lost, and
// returns the error of a call that cannot be captured.
hipError_t kiln_sim_capture_refuses(struct kiln_sim_hip_stream *stream);
hipError_t kiln_sim_capture_break(struct kiln_sim_hip_stream *stream, hipError_t error);
// Likewise for calls that wait for everything, or that HIP forbids while a stream is captured in a
// strict mode.
hipError_t kiln_sim_capture_unsafe(void);
// For calls that use the null stream and wait for it: they are forbidden while any stream is
// captured, in any mode.
hipError_t kiln_sim_capture_implicit(void);
hipError_t kiln_sim_capture_unsafe_device(const kiln_sim_device_t *device);

// Makes the stream join the capture at that place.
hipError_t kiln_sim_stream_join(struct kiln_sim_hip_stream *stream,
                                const kiln_sim_capture_t *place);
void kiln_sim_stream_leave_capture(struct kiln_sim_hip_stream *stream);

#endif
