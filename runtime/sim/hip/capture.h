// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams whose work is put into a graph instead of being done (hip/capture.c).
#ifndef KILN_SIM_HIP_CAPTURE_H
#define KILN_SIM_HIP_CAPTURE_H

#include "hip/graph.h"

struct kiln_sim_hip_stream;

// Where a capture stands, copied and forgotten.
bool kiln_sim_capture_copy_place(kiln_sim_capture_t *to, const kiln_sim_capture_t *from);
void kiln_sim_capture_forget(kiln_sim_capture_t *capture);
// Whether the capture that a place belongs to still goes on.
bool kiln_sim_capture_is_on(const kiln_sim_capture_t *place);

// 0 where the stream is not captured; else what a call that cannot be captured fails with. It ends the capture, whose graph is lost.
hipError_t kiln_sim_capture_refuses(struct kiln_sim_hip_stream *stream);
hipError_t kiln_sim_capture_break(struct kiln_sim_hip_stream *stream, hipError_t error);
// The same for calls that wait for everything, or that HIP does not allow while some stream is captured in a strict mode.
hipError_t kiln_sim_capture_unsafe(void);
// For calls that use the null stream and wait for it: none is allowed while any stream is captured, in whatever mode.
hipError_t kiln_sim_capture_implicit(void);
hipError_t kiln_sim_capture_unsafe_device(const kiln_sim_device_t *device);

// The stream takes part in the capture, behind that place.
hipError_t kiln_sim_stream_join(struct kiln_sim_hip_stream *stream, const kiln_sim_capture_t *place);
void kiln_sim_stream_leave_capture(struct kiln_sim_hip_stream *stream);

#endif
