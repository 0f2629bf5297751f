// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work that is put down instead of done: what a graph's node holds, and what an asynchronous call becomes while its
// stream is being captured.
//
// What a reader gets wrong: kernel arguments are copied when a node is made, as HIP promises, so a node's dispatch points
// to bytes of its own.
#ifndef KILN_SIM_HIP_GRAPH_H
#define KILN_SIM_HIP_GRAPH_H

#include "hip/api.h"

// A box of bytes: width bytes a row, height rows a slice, depth slices.
typedef struct kiln_sim_box_copy {
    uint8_t *to;
    const uint8_t *from;
    size_t to_pitch, to_slice, from_pitch, from_slice; // bytes from row to row, and from slice to slice
    size_t width, height, depth;
} kiln_sim_box_copy_t;

typedef struct kiln_sim_box_fill {
    uint8_t *to;
    size_t pitch, slice;
    size_t width, height, depth; // width in elements
    unsigned element;            // bytes: 1, 2, 4
    uint32_t value;
} kiln_sim_box_fill_t;

// hipGraphNodeType.
typedef enum kiln_sim_work_kind {
    KILN_SIM_WORK_KERNEL = 1,
    KILN_SIM_WORK_COPY = 2,
    KILN_SIM_WORK_FILL = 3,
    KILN_SIM_WORK_HOST = 4,
    KILN_SIM_WORK_GRAPH = 5,
    KILN_SIM_WORK_EMPTY = 6,
    KILN_SIM_WORK_EVENT_WAIT = 7,
    KILN_SIM_WORK_EVENT_RECORD = 8
} kiln_sim_work_kind_t;

typedef struct kiln_sim_work {
    kiln_sim_work_kind_t kind;
    union {
        kiln_sim_dispatch_t kernel; // .packed belongs to the work
        kiln_sim_box_copy_t copy;
        kiln_sim_box_fill_t fill;
        struct {
            void (*function)(void *);
            void *data;
        } host;
        hipEvent_t event;
        struct kiln_sim_graph *graph; // a copy that belongs to the work
    };
} kiln_sim_work_t;

// hip/work.c. A copy has kernel arguments, or a graph, of its own; false where memory is short or arguments are missing.
bool kiln_sim_work_copy(kiln_sim_work_t *to, const kiln_sim_work_t *from);
void kiln_sim_work_free(kiln_sim_work_t *work);
hipError_t kiln_sim_work_run(const kiln_sim_work_t *work);
hipError_t kiln_sim_work_replace(kiln_sim_work_t *old, const kiln_sim_work_t *work); // by a copy of the same kind

// hip/copy.c
hipError_t kiln_sim_copy_box(const kiln_sim_box_copy_t *box);
hipError_t kiln_sim_fill_box(const kiln_sim_box_fill_t *box);
// False where an array is involved.
bool kiln_sim_box_from_3d(const hip_copy_3d_t *p, kiln_sim_box_copy_t *box);
bool kiln_sim_box_from_driver(const hip_driver_copy_3d_t *p, kiln_sim_box_copy_t *box);

// hip/module.c: launches, on the calling thread.
hipError_t kiln_sim_dispatch(const kiln_sim_dispatch_t *dispatch);
bool kiln_sim_read_extra(void **extra, kiln_sim_dispatch_t *dispatch); // a launch's list of HIP_LAUNCH_PARAM_* pairs

// hip/stream.c: whether work for this stream is captured just now; hip/graph.c: puts it into the graph.
struct kiln_sim_capture *kiln_sim_stream_capture(hipStream_t stream);
hipError_t kiln_sim_capture_work(struct kiln_sim_capture *capture, const kiln_sim_work_t *work);

// hip/copy.c: put down one copy, or a fill of count elements, of a captured stream.
hipError_t kiln_sim_capture_copy(hipStream_t stream, void *to, const void *from, size_t bytes);
hipError_t kiln_sim_capture_fill(hipStream_t stream, void *to, unsigned element, uint32_t value, size_t count);

// Does the work, or puts it down where the stream is captured. Kernel arguments are copied.
hipError_t kiln_sim_submit(hipStream_t stream, const kiln_sim_work_t *work);

// Where a stream, or a recorded event, stands in a capture.
typedef struct kiln_sim_capture {
    struct kiln_sim_graph *graph; // NULL: not captured
    struct kiln_sim_node *last;   // the newest node that what follows depends on; NULL: none yet
} kiln_sim_capture_t;

// hip/graph.c, for hip/stream.c: an empty node that depends on both.
hipError_t kiln_sim_capture_join(kiln_sim_capture_t *capture, const kiln_sim_capture_t *other);
struct kiln_sim_graph *kiln_sim_graph_new(void);
struct kiln_sim_graph *kiln_sim_graph_copy(struct kiln_sim_graph *graph); // NULL: out of memory
hipError_t kiln_sim_graph_run(struct kiln_sim_graph *graph);
void kiln_sim_graph_free(struct kiln_sim_graph *graph);
// hip/stream.c: no stream captures into this graph any more.
void kiln_sim_stream_end_captures(const struct kiln_sim_graph *graph);

#endif
