// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams at work. What a stream is told to do becomes an operation at the end of its queue; operations of one stream are done one after the
// other, those of several beside each other, and an operation may wait for any others that were given before it.
//
// Asynchronous work is done by the stream's own host thread, which begins with the first of it, or by whoever waits for it, if that comes first. A call that
// waits for its own work does it itself when its turn comes, so that a program which only makes such calls never has a second thread.
//
// Simulated time: each stream has a clock. An operation begins when all that it waits for has ended and not before the time up to which the host
// had waited when it was given, and ends as much later as it is predicted to take; so kernels of two streams cost nothing of each
// other, and times do not depend on the host's threads where the program's order does not.
//
// What a reader gets wrong: one lock guards all queues; work is done without it.
#ifndef KILN_SIM_HIP_ENGINE_H
#define KILN_SIM_HIP_ENGINE_H

#include "hip/capture.h"

typedef struct kiln_sim_operation kiln_sim_operation_t;

struct kiln_sim_hip_stream {
    unsigned flags;  // 1: it does not wait for the null stream, nor that for it
    bool by_program; // not the null stream, nor a thread's own
    int priority;
    kiln_sim_device_t *device;
    uint64_t id;
    uint32_t mask[8]; // of compute units, as it was made with
    unsigned mask_words;
    kiln_sim_capture_t capture;
    int capture_mode;
    bool began_capture, capture_broken;
    bool captures_into_given;         // hipStreamBeginCaptureToGraph: the graph is the program's
    size_t captured_before;           // nodes that it had then
    pthread_t capturer;               // who began it
    struct kiln_sim_hip_stream *next; // list of all

    // Of the engine.
    kiln_sim_operation_t *first, **end; // not done yet
    kiln_sim_operation_t *last;         // given last, perhaps done
    double clock_ms;
    pthread_t worker;
    bool has_worker, quits;
    pthread_cond_t wake;
};

// A stream of the current device; NULL without memory. It takes part in what the null stream waits for unless flags say otherwise.
struct kiln_sim_hip_stream *kiln_sim_stream_make(kiln_sim_device_t *device, unsigned flags, int priority);
// Finishes its work first.
void kiln_sim_stream_end(struct kiln_sim_hip_stream *stream);
// The stream behind a handle: that of the device or the thread for 0, 1 and 2. NULL where there is none (any more).
struct kiln_sim_hip_stream *kiln_sim_stream_find(hipStream_t handle);
// While it is true, 0 is the calling thread's own stream: in entry points whose names end in _spt.
extern __thread bool kiln_sim_stream_per_thread;

typedef enum kiln_sim_wait {
    KILN_SIM_QUEUED, // the call returns
    KILN_SIM_WAITED  // the call does the work itself when it is its turn, and returns what came of it
} kiln_sim_wait_t;

// Gives work to a stream, or puts it down where the stream is captured. The work is copied with what it points to. *out, which may be
// NULL, becomes the operation, to be released; NULL where it was captured.
hipError_t kiln_sim_engine_give(hipStream_t stream, const kiln_sim_work_t *work, kiln_sim_wait_t wait,
                                kiln_sim_operation_t *const *after, size_t after_count, kiln_sim_operation_t **out);

// The operation that was given last, held; NULL where there was none.
kiln_sim_operation_t *kiln_sim_engine_last(struct kiln_sim_hip_stream *stream);
void kiln_sim_operation_hold(kiln_sim_operation_t *operation);
void kiln_sim_operation_release(kiln_sim_operation_t *operation);
// Whether it is of the same stream, and was given later.
bool kiln_sim_operation_is_behind(const kiln_sim_operation_t *operation, const kiln_sim_operation_t *other);
uint64_t kiln_sim_operation_stream(const kiln_sim_operation_t *operation); // the id of its stream
bool kiln_sim_operation_done(const kiln_sim_operation_t *operation);
double kiln_sim_operation_end_ms(const kiln_sim_operation_t *operation);
// The host waits: time passes for it.
void kiln_sim_operation_wait(kiln_sim_operation_t *operation);

// The host waits for all work of a stream, or of a device; then what went wrong in any of it since the last time is told.
hipError_t kiln_sim_engine_wait_stream(struct kiln_sim_hip_stream *stream);
hipError_t kiln_sim_engine_wait_device(kiln_sim_device_t *device);
void kiln_sim_engine_drain(kiln_sim_device_t *device); // the same, but nothing is told
bool kiln_sim_engine_is_idle(struct kiln_sim_hip_stream *stream);
hipError_t kiln_sim_engine_late(kiln_sim_device_t *device); // what went wrong, and nobody was told yet
void kiln_sim_engine_set_late(kiln_sim_device_t *device, const kiln_sim_error_t *error);

bool kiln_sim_engine_goes_on(void); // false: the library goes
// hip/pool.c: the host has waited for work of the device; and a stream waits for an event that was recorded in another.
void kiln_sim_pool_wait(const kiln_sim_device_t *device);
void kiln_sim_pool_follow(uint64_t stream, uint64_t by, const kiln_sim_operation_t *event);

// Whether calls that need not wait return before their work is done.
bool kiln_sim_engine_is_async(void);
void kiln_sim_engine_set_async(bool async);

// Adds to the time that the calling thread's work takes; and sets it to a time since it began.
void kiln_sim_engine_takes(double ms);
double kiln_sim_engine_taken(void);
void kiln_sim_engine_set_taken(double ms);

// All streams, with the lock held; until one call returns false.
void kiln_sim_engine_each(bool (*call)(struct kiln_sim_hip_stream *stream, void *data), void *data);
// The library goes: no more work is begun.
void kiln_sim_engine_stop(void);

#endif
