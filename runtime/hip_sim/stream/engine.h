// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Execution of streams. Each command to a stream becomes an operation at the end of its queue.
// Operations of one stream are executed in order, those of different streams concurrently, and an
// operation may wait for any others that were enqueued before it.
//
// Asynchronous work is executed by the stream's own host thread, which is started with the first
// such work, or by a thread that waits for the work, whichever comes first. A call that waits for
// its own work executes it itself in its turn, so that a program that makes only such calls never
// has a second thread.
//
// Simulated time: each stream has a clock. An operation begins when all operations that it waits
// for have ended, but not before the time up to which the host had waited when it was enqueued. It
// ends after its predicted duration. Kernels of two streams therefore do not delay each other, and
// times do not depend on the host's threads unless the program's order does.
//
// One lock guards all queues; work is executed without it.
#ifndef KILN_SIM_HIP_ENGINE_H
#define KILN_SIM_HIP_ENGINE_H

#include "hip_sim/stream/capture.h"

typedef struct kiln_sim_operation kiln_sim_operation_t;

struct kiln_sim_hip_stream {
    unsigned flags;  // 1: it and the null stream do not wait for each other
    bool by_program; // neither the null stream nor a thread's own
    int priority;
    kiln_sim_device_t *device;
    uint64_t id;
    uint32_t mask[8]; // of compute units, from its creation
    unsigned mask_words;
    kiln_sim_capture_t capture;
    int capture_mode;
    bool began_capture, capture_broken;
    bool captures_into_given;         // hipStreamBeginCaptureToGraph: the program owns the graph
    size_t captured_before;           // number of nodes of the graph before
    pthread_t capturer;               // thread that began the capture
    struct kiln_sim_hip_stream *next; // list of all

    // State of the engine.
    kiln_sim_operation_t *first, **end; // not done yet
    kiln_sim_operation_t *last;         // enqueued last, possibly done
    double clock_ms;
    pthread_t worker;
    bool has_worker, is_stopping, has_ended; // has_ended: the worker has ended
    pthread_cond_t wake;
};

// Creates a stream of the device; NULL if memory is exhausted. It synchronizes with the null stream
// unless flags say otherwise.
struct kiln_sim_hip_stream *kiln_sim_stream_make(kiln_sim_device_t *device, unsigned flags,
                                                 int priority);
// Finishes the stream's work and frees the stream. If called by the program's code that a stream
// executes, only removes it from the list; it is freed when its work is done.
void kiln_sim_stream_end(struct kiln_sim_hip_stream *stream);
// The stream of a handle: that of the device or the thread for 0, 1 and 2. NULL if the stream does
// not exist (any more).
struct kiln_sim_hip_stream *kiln_sim_stream_find(hipStream_t handle);
// While it is true, 0 denotes the calling thread's own stream: in entry points whose names end in
// _spt.
extern __thread bool kiln_sim_stream_per_thread;

typedef enum kiln_sim_wait {
    KILN_SIM_QUEUED, // the call returns
    KILN_SIM_WAITED  // the call executes the work itself in its turn and returns its result
} kiln_sim_wait_t;

// Enqueues work in a stream, or adds it to the graph if the stream is captured. The work is copied
// together with the data that it points to. *out, which may be NULL, receives the operation, which
// the caller releases, or NULL if the work was captured.
hipError_t kiln_sim_engine_enqueue(hipStream_t stream, const kiln_sim_work_t *work,
                                   kiln_sim_wait_t wait, kiln_sim_operation_t *const *after,
                                   size_t after_count, kiln_sim_operation_t **out);

// The same in steps, for streams that are not captured: one or more operations are prepared, and
// then all are committed or released (kiln_sim_operation_release). Committing a reserved operation
// needs no memory. It consumes the caller's reference, even if it fails.
hipError_t kiln_sim_engine_prepare(hipStream_t stream, const kiln_sim_work_t *work,
                                   kiln_sim_wait_t wait, kiln_sim_operation_t **out);
bool kiln_sim_engine_reserve(
    kiln_sim_operation_t *operation); // for one `after`, and the existing streams
void kiln_sim_engine_number(kiln_sim_operation_t *operation, size_t number); // of a call
hipError_t kiln_sim_engine_commit(kiln_sim_operation_t *operation,
                                  kiln_sim_operation_t *const *after, size_t after_count,
                                  kiln_sim_operation_t **out);
// Whether the caller may wait for the stream's work, including work that it would enqueue next.
hipError_t kiln_sim_engine_may_wait(const struct kiln_sim_hip_stream *stream);

// The operation that was enqueued last, with a reference; NULL if there is none.
kiln_sim_operation_t *kiln_sim_engine_last(struct kiln_sim_hip_stream *stream);
void kiln_sim_operation_hold(kiln_sim_operation_t *operation);
void kiln_sim_operation_release(kiln_sim_operation_t *operation);
// Whether the operation belongs to the same stream as the other one and was enqueued later.
bool kiln_sim_operation_is_after(const kiln_sim_operation_t *operation,
                                 const kiln_sim_operation_t *other);
uint64_t kiln_sim_operation_stream(const kiln_sim_operation_t *operation); // the id of its stream
bool kiln_sim_operation_done(const kiln_sim_operation_t *operation);
double kiln_sim_operation_end_ms(const kiln_sim_operation_t *operation);
// The host waits, and its time advances. In the program's code that a stream executes, all waiting
// functions fail immediately, with nothing changed, if they would wait for work that waits for that
// code.
hipError_t kiln_sim_operation_wait(kiln_sim_operation_t *operation);

// The host waits for all work of a stream, or of a device. Returns an error of that work that was
// not yet reported.
hipError_t kiln_sim_engine_wait_stream(struct kiln_sim_hip_stream *stream);
hipError_t kiln_sim_engine_wait_device(kiln_sim_device_t *device);
hipError_t kiln_sim_engine_drain(kiln_sim_device_t *device); // likewise, but does not report errors
bool kiln_sim_engine_is_idle(struct kiln_sim_hip_stream *stream);
hipError_t kiln_sim_engine_async_error(
    kiln_sim_device_t *device); // error that was not yet reported to this thread
void kiln_sim_engine_clear_async_error(kiln_sim_device_t *device);
void kiln_sim_engine_set_async_error(kiln_sim_device_t *device, const kiln_sim_error_t *error);

bool kiln_sim_engine_is_running(void); // false: the library is being unloaded
// hip_sim/memory/pool.c: the host has waited for work of the device; a stream waits for an event
// that was recorded in another one.
void kiln_sim_pool_wait(const kiln_sim_device_t *device);
void kiln_sim_pool_follow(uint64_t stream, uint64_t by, const kiln_sim_operation_t *event);

// Whether calls that need not wait return before their work is done.
bool kiln_sim_engine_is_async(void);
void kiln_sim_engine_set_async(bool async);

// Adds to the duration of the calling thread's current work, or sets the duration so far.
void kiln_sim_engine_takes(double ms);
double kiln_sim_engine_taken(void);
void kiln_sim_engine_set_taken(double ms);

// Calls a function for all streams, with the lock held, until it returns false.
void kiln_sim_engine_each(bool (*call)(struct kiln_sim_hip_stream *stream, void *data), void *data);
// Called when the library is unloaded: no more work is begun.
void kiln_sim_engine_stop(void);

#endif
