// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work of streams and graphs: what an operation of a stream does (hip/engine.h), what a graph's node holds, and what an asynchronous call becomes
// while its stream is being captured.
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
    const char *call; // the entry point that is blamed, or NULL
} kiln_sim_box_copy_t;

typedef struct kiln_sim_box_fill {
    uint8_t *to;
    size_t pitch, slice;
    size_t width, height, depth; // width in elements
    unsigned element;            // bytes: 1, 2, 4
    uint32_t value;
    const char *call;
} kiln_sim_box_fill_t;

// hipGraphNodeType of HIP 5; from HIP 6 on it is one less.
typedef enum kiln_sim_work_kind {
    KILN_SIM_WORK_KERNEL = 1,
    KILN_SIM_WORK_COPY = 2,
    KILN_SIM_WORK_FILL = 3,
    KILN_SIM_WORK_HOST = 4,
    KILN_SIM_WORK_GRAPH = 5,
    KILN_SIM_WORK_EMPTY = 6,
    KILN_SIM_WORK_EVENT_WAIT = 7,
    KILN_SIM_WORK_EVENT_RECORD = 8,
    KILN_SIM_WORK_ALLOCATE = 11,
    KILN_SIM_WORK_FREE = 12,
    KILN_SIM_WORK_VALUES = 15, // waits for, and writes of, single words
    KILN_SIM_WORK_CALL = 100   // no node's: a function of this library's
} kiln_sim_work_kind_t;

typedef struct kiln_sim_work {
    kiln_sim_work_kind_t kind;
    int copy_kind;     // hipMemcpyKind of a copy
    const void *named; // a kernel as the program named it: a host function, or what hipModuleGetFunction gave
    union {
        kiln_sim_dispatch_t kernel; // .packed belongs to the work
        kiln_sim_box_copy_t copy;
        kiln_sim_box_fill_t fill;
        struct {
            void (*function)(void *);
            void *data;
        } host;
        struct {
            hipError_t (*function)(void *data, size_t number);
            void *data;
            size_t number;
        } call;
        hipMemAllocNodeParams allocate; // the graph's block of memory is .pointer
        void *freed;
        struct {
            hipStreamBatchMemOpParams *all; // they belong to the work
            unsigned count, flags;
        } values;
        hipEvent_t event;
        struct kiln_sim_graph *graph; // a copy that belongs to the work
    };
} kiln_sim_work_t;

// hip/work.c. A copy has kernel arguments, words, or a graph, of its own, and holds the block of memory that it makes; false where memory is short or
// arguments are missing.
bool kiln_sim_work_copy(kiln_sim_work_t *to, const kiln_sim_work_t *from, kiln_sim_error_t *error);
void kiln_sim_work_free(kiln_sim_work_t *work);
hipError_t kiln_sim_work_run(const kiln_sim_work_t *work);
hipError_t kiln_sim_work_replace(kiln_sim_work_t *old, const kiln_sim_work_t *work); // by a copy of the same kind
// What can be known to be wrong before it runs.
bool kiln_sim_work_check(kiln_sim_device_t *device, const kiln_sim_work_t *work, kiln_sim_error_t *error);

// hip/memory.c: managed memory of a variable, which hipDeviceReset leaves alone.
hipError_t kiln_sim_allocate_kept(void **pointer, size_t size);
// A pointer into a device's memory must lie, with all its bytes, in one allocation. Others belong to the host program.
bool kiln_sim_place_check(const void *pointer, size_t bytes, const char *what, kiln_sim_error_t *error);
// Whether the device may copy it while the host goes on: its own memory, and host memory that is pinned.
bool kiln_sim_place_is_pinned(const void *pointer);
// hip/copy.c and hip/fill.c
hipError_t kiln_sim_copy_box(const kiln_sim_box_copy_t *box);
hipError_t kiln_sim_fill_box(const kiln_sim_box_fill_t *box);
bool kiln_sim_box_check(const kiln_sim_box_copy_t *box, kiln_sim_error_t *error);
bool kiln_sim_fill_check(const kiln_sim_box_fill_t *box, kiln_sim_error_t *error);
// The direction, and where HIP looks at them the places: 0 or an error.
hipError_t kiln_sim_copy_kind_check(const void *to, const void *from, int kind);
hipError_t kiln_sim_copy_3d_check(const hip_copy_3d_t *p);
hipError_t kiln_sim_copy_driver_check(const hip_driver_copy_3d_t *p);
// False where an array is involved.
bool kiln_sim_box_from_3d(const hip_copy_3d_t *p, kiln_sim_box_copy_t *box);
bool kiln_sim_box_from_driver(const hip_driver_copy_3d_t *p, kiln_sim_box_copy_t *box);

// hip/module.c: a module without its managed variables; whether a handle is what hipModuleGetFunction gave, of a module that is still loaded; and that module,
// or NULL.
hipError_t kiln_sim_module_load_data(hipModule_t *module, const void *image);
bool kiln_sim_is_function(const void *handle);
const kiln_sim_module_t *kiln_sim_module_of(const void *function);
// hip/function.c: bytes that a launch may have, or was wished to have.
int kiln_sim_function_dynamic_lds(hipFunction_t function);
// hip/launch.c: runs on the calling thread; gives a launch to a stream; reads a launch's list of HIP_LAUNCH_PARAM_* pairs.
hipError_t kiln_sim_dispatch(const kiln_sim_dispatch_t *dispatch);
hipError_t kiln_sim_launch(hipStream_t stream, const kiln_sim_dispatch_t *dispatch);
bool kiln_sim_read_extra(void **extra, kiln_sim_dispatch_t *dispatch);
bool kiln_sim_is_variable(const void *host); // hip/program.c: the address of a device variable as the program sees it

// hip/capture.c: whether work for this stream is captured just now, and whether the null stream of the device must not be used because of one
// that waits for it; hip/graph.c: puts it into the graph.
bool kiln_sim_capture_forbids(const kiln_sim_device_t *device);
struct kiln_sim_capture *kiln_sim_stream_capture(hipStream_t stream);
hipError_t kiln_sim_capture_work(struct kiln_sim_capture *capture, const kiln_sim_work_t *work);

// hip/values.c: waits for, and writes of, single words.
hipError_t kiln_sim_values_run(const hipStreamBatchMemOpParams *all, unsigned count);
hipError_t kiln_sim_values_check(const hipStreamBatchMemOpParams *all, unsigned count); // beforehand

// hip/graph_memory.c: a launched graph comes to the node that makes its memory, or that gives it back.
hipError_t kiln_sim_graph_memory_take(void *pointer);
hipError_t kiln_sim_graph_memory_give(void *pointer);
// hip/pool.c: memory of a pool is freed by hipFree; false where it is freed already.
bool kiln_sim_pool_forget(void *pointer);
// hip/ipc.c: opens memory that another process, or this one, shares; and closes it where it is such. Work of the device must have ended.
hipError_t kiln_sim_ipc_open(void **pointer, const hipIpcMemHandle_t *handle, kiln_sim_device_t *device);
bool kiln_sim_ipc_close(const void *pointer);
void kiln_sim_pool_reset(kiln_sim_device_t *device); // what was allocated from its pools is gone
// A captured allocation.
hipError_t kiln_sim_capture_allocate(void **pointer, size_t size, int device, hipStream_t stream);
// A call that frees a graph's memory, now or when its stream comes to it: the graph may be launched again behind it.
void kiln_sim_graph_memory_pay(const void *pointer);
// hipFree of a graph's memory. False where it is none.
bool kiln_sim_graph_memory_free(void *pointer, hipError_t *error);

// hip/work.c: kiln_sim_engine_give, for work that the caller does not wait for, and for work that it does.
hipError_t kiln_sim_submit(hipStream_t stream, const kiln_sim_work_t *work);
hipError_t kiln_sim_submit_waiting(hipStream_t stream, const kiln_sim_work_t *work);

// Where a stream, or a recorded event, stands in a capture.
typedef struct kiln_sim_capture {
    struct kiln_sim_graph *graph; // NULL: not captured
    struct kiln_sim_node **last;  // the nodes that what follows depends on
    size_t last_count;
    uint64_t id;
} kiln_sim_capture_t;

// hip/graph.c: what follows depends on both.
hipError_t kiln_sim_capture_join(kiln_sim_capture_t *capture, const kiln_sim_capture_t *other);
void kiln_sim_capture_release(
    kiln_sim_capture_t *place); // what follows depends on nothing; what was there need not be joined
struct kiln_sim_graph *kiln_sim_graph_new(void);
struct kiln_sim_graph *kiln_sim_graph_copy(struct kiln_sim_graph *graph); // NULL: out of memory
hipError_t kiln_sim_graph_run(struct kiln_sim_graph *graph);
void kiln_sim_graph_free(struct kiln_sim_graph *graph);
// Whether the node is one of the graph; and whether all that the graph ends with is what a capture stands behind.
bool kiln_sim_graph_has(const struct kiln_sim_graph *graph, const struct kiln_sim_node *node);
bool kiln_sim_graph_is_joined(const kiln_sim_capture_t *place, size_t first); // of its nodes from the first-th on
size_t kiln_sim_graph_count(const struct kiln_sim_graph *graph);
// hip/capture.c: no stream captures into this graph any more.
void kiln_sim_stream_end_captures(const struct kiln_sim_graph *graph);

#endif
