// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work of streams and graphs: what an operation of a stream executes (hip_sim/stream/engine.h),
// what a graph's node holds, and what an asynchronous call becomes while its stream is captured.
//
// Kernel arguments are copied when a node is created, as HIP specifies, so a node's dispatch points
// to its own bytes.
#ifndef KILN_SIM_HIP_GRAPH_H
#define KILN_SIM_HIP_GRAPH_H

#include "hip_sim/api.h"

// A box of bytes: rows of `width` bytes, slices of `height` rows, `depth` slices.
typedef struct kiln_sim_box_copy {
    uint8_t *to;
    const uint8_t *from;
    size_t to_pitch, to_slice, from_pitch,
        from_slice; // in bytes, between rows and between slices
    size_t width, height, depth;
    const char *call; // entry point for reports, or NULL
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
    KILN_SIM_WORK_VALUES = 15, // waits for single words, and writes of them
    KILN_SIM_WORK_CALL = 100   // not a node's: a function of this library
} kiln_sim_work_kind_t;

typedef struct kiln_sim_work {
    kiln_sim_work_kind_t kind;
    int copy_kind;     // hipMemcpyKind
    const void *named; // the kernel as the program named it: a host function, or a result of
                       // hipModuleGetFunction
    union {
        kiln_sim_dispatch_t kernel; // the work owns .packed
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
            void (*drop)(void *data); // called if the function is never called; or NULL
        } call;
        hipMemAllocNodeParams allocate; // .pointer is the graph's block of memory
        void *freed;
        struct {
            hipStreamBatchMemOpParams *all; // owned by the work
            unsigned count, flags;
        } values;
        hipEvent_t event;
        struct kiln_sim_graph *graph; // a copy, owned by the work
    };
} kiln_sim_work_t;

// hip_sim/stream/work.c. A deep copy of kernel arguments, words, or a graph, with a reference to
// the block of memory that the work allocates. False if memory is exhausted or arguments are
// missing.
bool kiln_sim_work_copy(kiln_sim_work_t *to, const kiln_sim_work_t *from, kiln_sim_error_t *error);
void kiln_sim_work_free(kiln_sim_work_t *work);
hipError_t kiln_sim_work_run(const kiln_sim_work_t *work);
hipError_t kiln_sim_work_replace(kiln_sim_work_t *old,
                                 const kiln_sim_work_t *work); // by a copy of the same kind
// Checks work before it runs, as far as possible.
bool kiln_sim_work_check(kiln_sim_device_t *device, const kiln_sim_work_t *work,
                         kiln_sim_error_t *error);

// hip_sim/memory/memory.c: managed memory of a variable, which hipDeviceReset does not free.
hipError_t kiln_sim_allocate_persistent(void **pointer, size_t size);
typedef enum kiln_sim_use { KILN_SIM_READ, KILN_SIM_WRITTEN } kiln_sim_use_t;
// hip_sim/memory/virtual.c: whether any byte is in a range that hipMemAddressReserve has reserved.
bool kiln_sim_is_reserved(uint64_t address, uint64_t bytes);
// Checks a range. A range in a device's memory must be inside one allocation. Other memory belongs
// to the host program.
bool kiln_sim_place_check(const void *pointer, size_t bytes, const char *what, kiln_sim_use_t use,
                          kiln_sim_error_t *error);
// Checks a box, whose width is in bytes. All its rows must be inside the allocation that holds its
// first byte.
bool kiln_sim_box_place_check(const void *first, size_t pitch, size_t slice, hip_extent_t extent,
                              const char *what, kiln_sim_use_t use, kiln_sim_error_t *error);
// The byte at (x, y, z) of a box that begins at `base`. The last address, which no check accepts,
// if that exceeds 2^64 bytes or leaves the allocation of `base`.
void *kiln_sim_place_at(const void *base, size_t x, size_t y, size_t z, size_t pitch, size_t slice);
// Whether the device may copy the memory asynchronously: device memory and pinned host memory.
bool kiln_sim_place_is_pinned(const void *pointer);
// hip_sim/memory/copy.c and hip_sim/memory/fill.c
hipError_t kiln_sim_copy_box(const kiln_sim_box_copy_t *box);
hipError_t kiln_sim_fill_box(const kiln_sim_box_fill_t *box);
bool kiln_sim_box_check(const kiln_sim_box_copy_t *box, kiln_sim_error_t *error);
bool kiln_sim_fill_check(const kiln_sim_box_fill_t *box, kiln_sim_error_t *error);
// Checks the direction and, as far as HIP does, the pointers. Returns 0 or an error.
hipError_t kiln_sim_copy_kind_check(const void *to, const void *from, int kind);
hipError_t kiln_sim_copy_3d_check(const hip_copy_3d_t *p);
hipError_t kiln_sim_copy_driver_check(const hip_driver_copy_3d_t *p);
// False if an array is involved.
bool kiln_sim_box_from_3d(const hip_copy_3d_t *p, kiln_sim_box_copy_t *box);
bool kiln_sim_box_from_driver(const hip_driver_copy_3d_t *p, kiln_sim_box_copy_t *box);

// hip_sim/module/module.c: loads a module without its managed variables; whether a handle is a
// result of hipModuleGetFunction of a loaded module; and that module, or NULL.
hipError_t kiln_sim_module_load_data(hipModule_t *module, const void *image);
bool kiln_sim_is_function(const void *handle);
const kiln_sim_module_t *kiln_sim_module_of(const void *function);
// hip_sim/module/function.c: maximum bytes of a launch, or the value that the program set.
int kiln_sim_function_dynamic_lds(hipFunction_t function);
// hip_sim/module/launch.c: executes a launch on the calling thread; enqueues a launch in a stream;
// reads a launch's list of HIP_LAUNCH_PARAM_* pairs.
hipError_t kiln_sim_dispatch(const kiln_sim_dispatch_t *dispatch);
typedef struct kiln_sim_launch_events {
    hipEvent_t start, stop; // recorded before and after the launch; or NULL
} kiln_sim_launch_events_t;
hipError_t kiln_sim_launch(hipStream_t stream, const kiln_sim_dispatch_t *dispatch,
                           kiln_sim_launch_events_t events);
bool kiln_sim_read_extra(void **extra, kiln_sim_dispatch_t *dispatch);
bool kiln_sim_is_variable(const void *host); // hip_sim/module/program.c: whether it is the host's
                                             // address of a device variable

// hip_sim/stream/capture.c: whether the null stream of the device must not be used, because it
// would wait for a captured stream, and the stream's current capture, or NULL;
// hip_sim/graph/graph.c: adds work to the graph.
bool kiln_sim_capture_forbids(const kiln_sim_device_t *device);
struct kiln_sim_capture *kiln_sim_stream_capture(hipStream_t stream);
hipError_t kiln_sim_capture_work(struct kiln_sim_capture *capture, const kiln_sim_work_t *work);

// hip_sim/stream/values.c: waits for single words, and writes of them.
hipError_t kiln_sim_values_run(const hipStreamBatchMemOpParams *all, unsigned count);
hipError_t kiln_sim_values_check(const hipStreamBatchMemOpParams *all,
                                 unsigned count); // before they run

// hip_sim/graph/graph_memory.c: a launched graph executes the node that allocates its memory, or
// that frees it.
hipError_t kiln_sim_graph_memory_take(void *pointer);
hipError_t kiln_sim_graph_memory_give(void *pointer);
// hip_sim/memory/pool.c: hipFree frees memory of a pool; false if it was already freed.
bool kiln_sim_pool_forget(void *pointer);
// Frees any memory that hipFreeAsync accepts when the stream executes it, without waiting.
hipError_t kiln_sim_pool_free(void *pointer);
// hip_sim/memory/ipc.c: opens memory that this or another process shares; and closes the memory if
// the pointer is of this kind. Requires that the device's work has ended.
hipError_t kiln_sim_ipc_open(void **pointer, const hipIpcMemHandle_t *handle,
                             kiln_sim_device_t *device);
bool kiln_sim_ipc_close(const void *pointer);
void kiln_sim_pool_reset(kiln_sim_device_t *device); // forgets the allocations of its pools
// Allocates during a capture.
hipError_t kiln_sim_capture_allocate(void **pointer, size_t size, int device, hipStream_t stream);
// Called for each call that frees a graph's memory, immediately or in a stream: the graph may be
// launched again after it.
void kiln_sim_graph_memory_clear_live(const void *pointer);
// hipFree of a graph's memory. False if it does not belong to a graph.
bool kiln_sim_graph_memory_free(void *pointer, hipError_t *error);

// hip_sim/stream/work.c: kiln_sim_engine_enqueue without waiting for the work, and with waiting for
// it.
hipError_t kiln_sim_submit(hipStream_t stream, const kiln_sim_work_t *work);
hipError_t kiln_sim_submit_waiting(hipStream_t stream, const kiln_sim_work_t *work);

// The place of a stream, or of a recorded event, in a capture.
typedef struct kiln_sim_capture {
    struct kiln_sim_graph *graph; // NULL: not captured
    struct kiln_sim_node **last;  // nodes on which subsequent work depends
    size_t last_count;
    uint64_t id;
} kiln_sim_capture_t;

// hip_sim/graph/graph.c: makes subsequent work depend on both.
hipError_t kiln_sim_capture_join(kiln_sim_capture_t *capture, const kiln_sim_capture_t *other);
// Saves a place in a capture, to return to it if the second of two pieces of work cannot be
// captured; returning removes the nodes that were added since. False if memory is exhausted. The
// caller frees the mark's list if it does not return there.
typedef struct kiln_sim_capture_mark {
    size_t count;
    struct kiln_sim_node **last;
    size_t last_count;
} kiln_sim_capture_mark_t;
bool kiln_sim_capture_mark(const kiln_sim_capture_t *capture, kiln_sim_capture_mark_t *mark);
void kiln_sim_capture_return(kiln_sim_capture_t *capture, kiln_sim_capture_mark_t *mark);
// Makes subsequent work depend only on the other's nodes; the previous nodes need not be joined.
hipError_t kiln_sim_capture_set(kiln_sim_capture_t *place, const kiln_sim_capture_t *other);
struct kiln_sim_graph *kiln_sim_graph_new(void);
struct kiln_sim_graph *kiln_sim_graph_copy(struct kiln_sim_graph *graph); // NULL: out of memory
hipError_t kiln_sim_graph_run(struct kiln_sim_graph *graph);
void kiln_sim_graph_free(struct kiln_sim_graph *graph);
// Whether the node belongs to the graph; and whether a capture's place depends on all nodes with
// which the graph ends.
bool kiln_sim_graph_is(const struct kiln_sim_graph *graph); // whether it is a live graph
bool kiln_sim_graph_has(const struct kiln_sim_graph *graph, const struct kiln_sim_node *node);
bool kiln_sim_graph_is_joined(const kiln_sim_capture_t *place,
                              size_t first); // among its nodes from number `first` on
size_t kiln_sim_graph_count(const struct kiln_sim_graph *graph);
// hip_sim/stream/capture.c: ends all captures into this graph; and whether there is one.
void kiln_sim_stream_end_captures(const struct kiln_sim_graph *graph);
bool kiln_sim_stream_captures_into(const struct kiln_sim_graph *graph);

#endif
