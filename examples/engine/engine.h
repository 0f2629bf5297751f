// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An engine: fused graphs that are ready to run on a device. Everything that embedding Kiln
// requires is in engine.c.
//
// engine_create compiles all kernels of all graphs in parallel into one bundle (or loads the
// bundle), uploads the parameters to the device as f16, plans each graph's memory, and captures its
// launches. engine_run launches a graph and waits.
//
// Ownership   Graphs and tensors are the caller's; the graphs must outlive the engine, the tensors
//             only its creation. The engine keeps the device alive.
// Threads     An engine belongs to one thread at a time.
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <kiln/runtime.h>
#include <stdint.h>

#include "graph.h"
#include "model.h"

typedef struct engine_options {
    const char *load; // a bundle with the kernels; NULL: compile them. A kernel that the bundle
                      // lacks is an error
    const char *save; // path for the bundle after compiling; NULL: none
    bool no_capture;  // launch kernel by kernel
} engine_options_t;

typedef struct engine engine_t;
kiln_status_t engine_create(kiln_device_t *device, const tensors_t *tensors, const graph_t *graphs,
                            int graph_count, const engine_options_t *options,
                            engine_t **out_engine);
void engine_release(engine_t *engine); // accepts NULL

// Writes all of an input; reads the beginning of an output (output 0 is the first that the graph
// declares).
kiln_status_t engine_write(engine_t *engine, int graph, const char *input, const void *data,
                           size_t size);
kiln_status_t engine_read(engine_t *engine, int graph, int output, size_t offset, void *data,
                          size_t size);
// `out_milliseconds`, which may be NULL, is the device's time between two events. The simulator
// predicts it with its option clock=model.
kiln_status_t engine_run(engine_t *engine, int graph, double *out_milliseconds);

typedef struct engine_report {
    double build_ms, compile_ms, load_ms, upload_ms,
        capture_ms;                        // by the host's clock, in engine_create
    int kernels;                           // distinct ones, of all graphs
    int launches;                          // this and the following are of the requested graph
    size_t memory, memory_without_sharing; // bytes of its values
} engine_report_t;
engine_report_t engine_report(const engine_t *engine, int graph);

#endif
