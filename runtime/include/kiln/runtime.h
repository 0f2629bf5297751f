// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kiln's runtime: devices, memory, code objects and launches, over a HIP library that is found at
// run time: AMD's, or Kiln's simulator.
//
// Conventions, stated once for this header and kiln/jit.h:
//
// Nouns       A device is one GPU behind one HIP library. A buffer is device memory. A module is a
//             loaded code object and a function is a kernel in it. A stream orders work, an event
//             marks a place in a stream, a launch describes how to call a function, a graph is
//             captured stream work that can be launched repeatedly.
// Ownership   The caller owns the result of *_create, *_open and *_load and frees it with the
//             matching *_release, which accepts NULL. Objects keep their device alive; a function
//             lives as long as its module. Inputs are only read during the call. With a stream,
//             host memory must stay valid until the stream has passed that point.
// Threads     Every object may be used by any number of threads at once, except that releasing an
//             object must be its last use. Calls set the thread's current HIP device and do not
//             restore it.
// Errors      Functions return kiln_status_t (kiln/status.h); out parameters are NULL or zero after
//             a failure. KILN_STATUS_USAGE: an argument is NULL, a struct has no struct_size, or a
//             rule of the call is broken; the message names the function and the argument. A getter
//             called with NULL returns NULL, 0 or false. KILN_STATUS_UNAVAILABLE: no library or
//             device; _OUT_OF_RESOURCES: memory, LDS or threads; _DEVICE: the device reported an
//             error or a kernel failed. Kernels run asynchronously: a later call may report the
//             failure, at the latest kiln_stream_synchronize.
// Strings     UTF-8, owned by the getter's object and valid as long as it.
// Versions    Initialize structs that have a struct_size with their *_initialize function, or set
//             it if there is none. Later versions add fields at the end; only fields known to both
//             sides are exchanged.
// Environment The library reads none. The kiln command maps KILN_DEVICE, KILN_HIP_LIBRARY and
//             KILN_CACHE_* to options.
#ifndef KILN_RUNTIME_H
#define KILN_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kiln/sim.h"
#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Devices -----------------------------------------------------------------------------------------

typedef enum kiln_device_kind {
    KILN_DEVICE_AUTO, // a real HIP library if it has a device of the requested architecture, else
                      // the simulator
    KILN_DEVICE_HIP,  // a real HIP library only
    KILN_DEVICE_SIM,  // libkiln-sim.so.0, from the directory of libkiln-rt.so.0
} kiln_device_kind_t;

// "auto", "hip", "sim". Anything else is KILN_STATUS_USAGE.
KILN_API kiln_status_t kiln_device_kind_parse(const char *text, kiln_device_kind_t *out_kind);
KILN_API const char *kiln_device_kind_name(kiln_device_kind_t kind);

typedef struct kiln_device_options {
    size_t struct_size;
    kiln_device_kind_t kind; // default KILN_DEVICE_AUTO
    const char *hip_library; // HIP library to load; NULL: libamdhip64.so.7, .so.6, .so.5, .so in
                             // the system's search path
    const char *sim_library; // simulator to load; NULL: from the directory of libkiln-rt.so
    const char *arch;        // default "gfx942"
    int ordinal;             // which device of the library; -1 (default): the first of `arch`
    // Called with each library tried and the result ("cannot open shared object file");
    // NULL: not called.
    void (*trace)(const char *path, const char *result, void *user);
    void *trace_user;
    // Options of the simulator (kiln/sim_options.def), which override its environment variables; a
    // GPU ignores them. They apply to calls through this kiln_device_t only, not to other devices
    // or the process's own HIP calls.
    const kiln_sim_setting_t *sim_settings;
    size_t sim_setting_count;
} kiln_device_options_t;
KILN_VERSIONED(kiln_device_options)

typedef struct kiln_device kiln_device_t;

// Finds and opens a device. KILN_STATUS_UNAVAILABLE carries one note per library tried, with the
// reason why it failed.
KILN_API kiln_status_t kiln_device_open(const kiln_device_options_t *options,
                                        kiln_device_t **out_device);
KILN_API void kiln_device_release(kiln_device_t *device);
KILN_API kiln_status_t kiln_device_synchronize(kiln_device_t *device); // all streams

typedef struct kiln_device_properties {
    kiln_device_kind_t kind; // KILN_DEVICE_HIP or KILN_DEVICE_SIM
    const char *name;        // marketing name
    const char *arch;        // "gfx942"
    const char *target_id;   // "gfx942:sramecc+:xnack-"
    const char *library;     // path of the HIP library
    int ordinal;
    int driver_version, runtime_version; // HIP's: major · 10^7 + minor · 10^5 + patch; 0 unknown
    unsigned compute_units;
    unsigned warp_size;             // lanes
    unsigned max_threads_per_group; // work-items
    size_t lds_bytes_per_group;
    size_t memory_bytes, l2_bytes;
    unsigned clock_khz, memory_clock_khz, memory_bus_bits; // 0 unknown
    unsigned max_threads_per_compute_unit;                 // work-items
    unsigned registers_per_group;                          // of 32 bits
    unsigned pci_domain, pci_bus, pci_device;
} kiln_device_properties_t;
KILN_API const kiln_device_properties_t *kiln_device_properties(const kiln_device_t *device);

// Lists all devices of each library that kiln_device_open would try for these options, of any
// architecture; ignores `arch` and `ordinal` of the options. To open one of them, pass its kind,
// library, arch and ordinal as options. The list is empty if there are no devices or libraries;
// this is not an error.
typedef struct kiln_device_list kiln_device_list_t;
KILN_API kiln_status_t kiln_device_list_create(const kiln_device_options_t *options,
                                               kiln_device_list_t **out_list);
KILN_API void kiln_device_list_release(kiln_device_list_t *list);
KILN_API size_t kiln_device_list_count(const kiln_device_list_t *list);
KILN_API const kiln_device_properties_t *kiln_device_list_item(const kiln_device_list_t *list,
                                                               size_t index);

// "gfx942:AMD Instinct MI300X (Kiln simulator):304:sim", the architecture, name, compute units and
// kind. Tuning results are valid per key. The key includes the name because MI300X and MI325X
// differ only in memory.
KILN_API const char *kiln_device_key(const kiln_device_t *device);

// Names of the checks that the simulator supports ("memory,race,…"); "" if none, and on a
// GPU.
KILN_API const char *kiln_device_supported_checks(const kiln_device_t *device);

// Streams and events ------------------------------------------------------------------------------

// Wherever a stream is taken, NULL means the device's default stream.
typedef struct kiln_stream kiln_stream_t;
KILN_API kiln_status_t kiln_stream_create(kiln_device_t *device, kiln_stream_t **out_stream);
KILN_API void kiln_stream_release(kiln_stream_t *stream);
KILN_API kiln_status_t kiln_stream_synchronize(kiln_device_t *device, kiln_stream_t *stream);
// Whether all work of the stream is done, without waiting. Reports failures of that work.
KILN_API kiln_status_t kiln_stream_query(kiln_device_t *device, kiln_stream_t *stream,
                                         bool *out_done);
// Wraps a hipStream_t of the same HIP library and device; NULL is the default stream. It is
// borrowed: releasing the kiln_stream_t does not destroy it.
KILN_API kiln_status_t kiln_stream_wrap(kiln_device_t *device, void *hip_stream,
                                        kiln_stream_t **out_stream);
KILN_API void *kiln_stream_native(const kiln_stream_t *stream); // the hipStream_t

typedef struct kiln_event kiln_event_t;
KILN_API kiln_status_t kiln_event_create(kiln_device_t *device, kiln_event_t **out_event);
KILN_API void kiln_event_release(kiln_event_t *event);
KILN_API kiln_status_t kiln_event_record(kiln_event_t *event, kiln_stream_t *stream);
KILN_API kiln_status_t kiln_event_synchronize(kiln_event_t *event);
// Whether the stream has passed the event, or it was never recorded.
KILN_API kiln_status_t kiln_event_query(kiln_event_t *event, bool *out_done);
// Wraps a hipEvent_t, which is borrowed.
KILN_API kiln_status_t kiln_event_wrap(kiln_device_t *device, void *hip_event,
                                       kiln_event_t **out_event);
KILN_API void *kiln_event_native(const kiln_event_t *event); // the hipEvent_t
// Makes later work of the stream wait for the event.
KILN_API kiln_status_t kiln_stream_wait(kiln_stream_t *stream, kiln_event_t *event);
// Milliseconds between two recorded and completed events. On the simulator, the estimated cycles of
// the launches between them at the device's clock; copies take no time.
KILN_API kiln_status_t kiln_event_elapsed(const kiln_event_t *start, const kiln_event_t *stop,
                                          double *out_milliseconds);

// Buffers -----------------------------------------------------------------------------------------

// Allocates uninitialized device memory of `size` bytes, at least 256-byte aligned. A buffer of
// size 0 has address 0.
typedef struct kiln_buffer kiln_buffer_t;
KILN_API kiln_status_t kiln_buffer_create(kiln_device_t *device, size_t size,
                                          kiln_buffer_t **out_buffer);
// Wraps device memory of any alignment, which is borrowed: releasing the buffer does not free it.
KILN_API kiln_status_t kiln_buffer_wrap(kiln_device_t *device, uint64_t address, size_t size,
                                        kiln_buffer_t **out_buffer);
KILN_API void kiln_buffer_release(kiln_buffer_t *buffer);
KILN_API size_t kiln_buffer_size(const kiln_buffer_t *buffer);
KILN_API uint64_t kiln_buffer_address(
    const kiln_buffer_t *buffer); // device address, as passed to a kernel's pointer argument

// Blocking copies on the default stream; a range outside the buffer is KILN_STATUS_USAGE.
KILN_API kiln_status_t kiln_buffer_write(kiln_buffer_t *buffer, size_t offset, const void *data,
                                         size_t size);
KILN_API kiln_status_t kiln_buffer_read(const kiln_buffer_t *buffer, size_t offset, void *data,
                                        size_t size);
KILN_API kiln_status_t kiln_buffer_fill(kiln_buffer_t *buffer, size_t offset, uint8_t byte,
                                        size_t size);
// Between buffers of one HIP library, also of two devices; the ranges may not overlap.
KILN_API kiln_status_t kiln_buffer_copy(kiln_buffer_t *to, size_t to_offset,
                                        const kiln_buffer_t *from, size_t from_offset, size_t size);

// The same, asynchronously in stream order.
KILN_API kiln_status_t kiln_buffer_write_async(kiln_buffer_t *buffer, size_t offset,
                                               const void *data, size_t size,
                                               kiln_stream_t *stream);
KILN_API kiln_status_t kiln_buffer_read_async(const kiln_buffer_t *buffer, size_t offset,
                                              void *data, size_t size, kiln_stream_t *stream);
KILN_API kiln_status_t kiln_buffer_copy_async(kiln_buffer_t *to, size_t to_offset,
                                              const kiln_buffer_t *from, size_t from_offset,
                                              size_t size, kiln_stream_t *stream);
// Fills `size` bytes, a multiple of pattern_size, with a pattern of 1, 2 or 4 bytes, which is read
// during the call. The offset must be aligned to pattern_size.
KILN_API kiln_status_t kiln_buffer_fill_async(kiln_buffer_t *buffer, size_t offset,
                                              const void *pattern, size_t pattern_size, size_t size,
                                              kiln_stream_t *stream);

// Modules and functions ---------------------------------------------------------------------------

typedef struct kiln_module kiln_module_t;
// Loads a code object (an AMDGPU ELF) from memory, which may be freed afterwards.
KILN_API kiln_status_t kiln_module_load(kiln_device_t *device, const void *code_object, size_t size,
                                        kiln_module_t **out_module);
// Wraps a hipModule_t, which is borrowed. The code object that it was loaded from, if given,
// specifies the block of each kernel; without it (NULL) every launch must set its block.
KILN_API kiln_status_t kiln_module_wrap(kiln_device_t *device, void *hip_module,
                                        const void *code_object, size_t size,
                                        kiln_module_t **out_module);
KILN_API void *kiln_module_native(const kiln_module_t *module); // the hipModule_t
KILN_API void kiln_module_release(kiln_module_t *module);

typedef struct kiln_function kiln_function_t;
// Looks up a kernel by symbol; KILN_STATUS_NOT_FOUND if absent. The function belongs to the module.
KILN_API kiln_status_t kiln_module_function(kiln_module_t *module, const char *name,
                                            kiln_function_t **out_function);
KILN_API const char *kiln_function_name(const kiln_function_t *function);
KILN_API void *kiln_function_native(const kiln_function_t *function); // the hipFunction_t

// A kernel's properties as reported by HIP; set out_properties->struct_size first.
// KILN_STATUS_UNSUPPORTED if HIP cannot report them.
typedef struct kiln_function_properties {
    size_t struct_size;
    unsigned max_threads_per_group; // work-items
    unsigned registers;             // vector registers of a lane
    unsigned lds_bytes;             // static
    unsigned scratch_bytes_per_lane;
} kiln_function_properties_t;
KILN_API kiln_status_t kiln_function_get_properties(const kiln_function_t *function,
                                                    kiln_function_properties_t *out_properties);

// Launches ----------------------------------------------------------------------------------------

// Arguments are either `args`, one pointer to a value per kernel parameter in order (without hidden
// ones), or `packed`, the kernarg segment in the code object's layout. Set exactly one of the two
// unless the kernel takes none.
typedef struct kiln_launch {
    size_t struct_size;
    unsigned grid[3]; // workgroups; default 1. A zero launches nothing and succeeds, as in Triton.
    // Work-items per workgroup; all 0 (the default): the kernel's own; 0 with nonzero others: 1. A
    // kernel compiled for one block, as Kiln's are, rejects any other: KILN_STATUS_USAGE.
    unsigned block[3];
    unsigned dynamic_lds_bytes;
    kiln_stream_t *stream;
    void *const *args;
    const void *packed;
    size_t packed_size;
} kiln_launch_t;
KILN_VERSIONED(kiln_launch)
KILN_API kiln_status_t kiln_function_launch(kiln_function_t *function, const kiln_launch_t *launch);

// Workgroups of such a launch per compute unit, limited by registers, waves and LDS, as reported by
// HIP; 0 if none fits. Only the launch's block and dynamic LDS are used; a NULL launch means the
// kernel's own block. KILN_STATUS_UNSUPPORTED if the HIP library lacks the query.
KILN_API kiln_status_t kiln_function_occupancy(const kiln_function_t *function,
                                               const kiln_launch_t *launch,
                                               unsigned *out_groups_per_compute_unit);

// Graphs ------------------------------------------------------------------------------------------

// Captured launches, copies and fills, which can be launched as one, repeatedly.
//
//     kiln_graph_begin(stream);
//     …                               launches and _async calls on this stream are captured, not executed
//     kiln_graph_end(stream, &graph);
//     kiln_graph_launch(graph, stream);
//
// A graph records the argument values of its launches and the addresses of host memory; data that
// changes between launches must be in buffers. Modules that it launches from must be loaded before
// the capture begins (kiln_program_prepare) and outlive the graph. One thread captures a stream and
// makes no other calls on the device during the capture.
typedef struct kiln_graph kiln_graph_t;
// The stream must not be the default one. KILN_STATUS_UNSUPPORTED if the HIP library lacks graphs.
KILN_API kiln_status_t kiln_graph_begin(kiln_stream_t *stream);
// Always ends the capture, even on failure; reports failures of captured calls again.
KILN_API kiln_status_t kiln_graph_end(kiln_stream_t *stream, kiln_graph_t **out_graph);
KILN_API void kiln_graph_release(kiln_graph_t *graph);
KILN_API size_t kiln_graph_node_count(const kiln_graph_t *graph);
KILN_API kiln_status_t kiln_graph_launch(const kiln_graph_t *graph, kiln_stream_t *stream);
KILN_API void *kiln_graph_native(const kiln_graph_t *graph); // the hipGraphExec_t

// Launch statistics -------------------------------------------------------------------------------

// Instruction counts and bounds of the calling thread's last launch (kiln/sim.h); set
// out_stats->struct_size first. Simulator only: KILN_STATUS_UNSUPPORTED on a GPU.
KILN_API kiln_status_t kiln_device_launch_stats(kiln_device_t *device,
                                                kiln_sim_launch_stats_t *out_stats);

// The simulator's prediction of the calling thread's last launch (kiln/sim.h); set
// out_prediction->struct_size first. KILN_STATUS_UNSUPPORTED on a GPU, KILN_STATUS_NOT_FOUND
// without a prediction.
KILN_API kiln_status_t kiln_device_launch_prediction(kiln_device_t *device,
                                                     kiln_sim_prediction_t *out_prediction);

// Instruction `index` (from 0) of the calling thread's last launch and its stalls (kiln/sim.h); set
// out_line->struct_size first. Requires the simulator's option `stalls`. KILN_STATUS_NOT_FOUND past
// the last one.
KILN_API kiln_status_t kiln_device_launch_line(kiln_device_t *device, size_t index,
                                               kiln_sim_line_t *out_line);

// Predicts the calling thread's last launch, which must be the device's last one, once more under a
// supposition (kiln/sim.h); set both structs' struct_size first. Nothing is executed.
// Requires the simulator's option `stalls`. KILN_STATUS_UNSUPPORTED on a GPU, KILN_STATUS_NOT_FOUND
// if there is nothing to replay.
KILN_API kiln_status_t kiln_device_replay_launch(kiln_device_t *device,
                                                 const kiln_sim_supposition_t *supposition,
                                                 kiln_sim_prediction_t *out_prediction);

// KILN_OK if the simulator's checks (option `check`) found nothing in the calling thread's last
// launch, or are off; else KILN_STATUS_MISMATCH, whose message begins with the check's name: "wait:
// …". All findings are on stderr.
KILN_API kiln_status_t kiln_device_checked(kiln_device_t *device);

#ifdef __cplusplus
}
#endif
#endif
