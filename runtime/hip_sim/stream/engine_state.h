// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State that the files of the engine share (hip_sim/stream/engine.h): hip_sim/stream/engine.c
// enqueues and executes work, hip_sim/stream/engine_wait.c waits for it,
// hip_sim/stream/engine_streams.c creates and ends streams.
#ifndef KILN_SIM_HIP_ENGINE_STATE_H
#define KILN_SIM_HIP_ENGINE_STATE_H

#include "hip_sim/device/overrides.h"
#include "hip_sim/stream/engine.h"

struct kiln_sim_operation {
    unsigned references;                  // atomic
    bool begun, done, by_caller, borrows; // borrows: the caller owns the work
    struct kiln_sim_hip_stream *stream;   // NULL after it was removed from its queue
    struct kiln_sim_operation *next;
    struct kiln_sim_operation **after; // references; released when it begins
    size_t after_count, after_capacity;
    uint64_t stream_id, number; // of its stream; in the order of enqueuing
    uint64_t graph;             // the launch of a graph that it belongs to, or 0
    const char *call;           // the entry point that enqueued it
    long thread;                // that enqueued it, as the kernel numbers them
    double not_before, begin_ms, end_ms;
    kiln_sim_work_t work;
    kiln_sim_client_t *client;           // of the thread that enqueued it
    kiln_sim_hip_overrides_t *overrides; // in use in that thread; held until it is done
    // During execution: the operation that the same thread was executing when it began this one,
    // and the one (held) for which the program's code in it currently waits.
    struct kiln_sim_operation *outer, *waits_for;
    uint64_t seen; // the latest search that visited it
};

struct kiln_sim_engine {
    pthread_mutex_t lock;
    pthread_cond_t done; // some operation is done
    unsigned running;
    bool stopped;
    bool blocking; // each call waits for its work
    double host_ms;
    uint64_t streams_made, given, searches;
    struct kiln_sim_hip_stream *streams;
    kiln_sim_operation_t *lost; // in a child: operations of its parent, never executed
    struct kiln_sim_hip_stream
        *ended; // destroyed by the program's code in a stream, possibly still working
    struct {
        kiln_sim_error_t error;    // the latest that was kept; code 0: none
        uint64_t number, reported; // of that error, from 1; of the latest that was reported
    } async_errors[KILN_SIM_MAX_DEVICES];
};

extern struct kiln_sim_engine kiln_sim_engine;
extern __thread kiln_sim_operation_t *kiln_sim_inside; // the operation that the thread is executing

// All require the lock and release it while they wait.
void kiln_sim_engine_wait_done(void); // until some operation is done
void kiln_sim_engine_wait_for(
    const kiln_sim_operation_t *operation); // until some operation was executed, possibly here
// Keep an error of work that no caller receives; and register the calling thread for the report of
// later errors.
void kiln_sim_engine_record_async_error(int device, const kiln_sim_error_t *error);
void kiln_sim_engine_subscribe(int device);
// The thread that executes a stream's queue. Returns NULL when the stream ends or the library is
// unloaded.
void *kiln_sim_engine_work(void *stream);

// In the program's code that a stream executes: whether the stream's next operation could be done
// only after the operation that this thread is executing; and the error of a call that would wait
// for such an operation.
bool kiln_sim_engine_needs_caller(const struct kiln_sim_hip_stream *stream,
                                  const kiln_sim_operation_t *made);
hipError_t kiln_sim_engine_waits_for_itself(void);

#endif
