// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libkiln-prof.so: times the work of any HIP program by events, for `kiln prof --device=hip`.
//
// The library is loaded before all others (LD_PRELOAD). It has entry points of HIP under their own
// names (functions.def), which record an event before and after the work and call the HIP library's
// function. A program that is linked with the HIP library gets them from the loader; one that looks
// up entry points gets them from dlsym, which this library replaces, too.
//
//   library.c   finds the HIP library's functions
//   calls.c     the entry points
//   record.c    events and the log, in the form of KILN_SIM_ACTIVITY (docs/simulator.md)
//
// Only one HIP library of a process is profiled: the one whose functions are called or looked up
// first. No failure of this library reaches the program; work that cannot be timed is not logged.
#ifndef KILN_PROF_PROF_H
#define KILN_PROF_PROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KILN_PROF_PER_THREAD = 2 }; // hipStreamPerThread; handles of streams are greater

// Structs that the entry points take.
typedef struct kiln_prof_dim3 {
    uint32_t x, y, z;
} kiln_prof_dim3_t;

typedef struct kiln_prof_config { // hipLaunchConfig_t
    kiln_prof_dim3_t grid, block;
    size_t lds;
    void *stream; // attributes follow
} kiln_prof_config_t;

typedef struct kiln_prof_driver_config { // HIP_LAUNCH_CONFIG
    unsigned grid[3], block[3], lds;
    void *stream; // attributes follow
} kiln_prof_driver_config_t;

// library.c ---------------------------------------------------------------------------------------

typedef enum kiln_prof_function {
#define KILN_PROF_FUNCTION(result, name, parameters) KILN_PROF_##name,
#include "prof/functions.def"
#undef KILN_PROF_FUNCTION
    KILN_PROF_FUNCTIONS
} kiln_prof_function_t;

// The HIP library's function of a row; NULL if it has none.
void *kiln_prof_real(kiln_prof_function_t function);
// Another function of the HIP library; NULL if it has none.
void *kiln_prof_find(const char *name);
// This library's function in place of the HIP library's one; `found` itself for all others.
void *kiln_prof_replace(const char *name, void *found);

// record.c ----------------------------------------------------------------------------------------

typedef struct kiln_prof_work {
    const char *kind, *call, *from, *to; // constants
    const char *name;                    // of a kernel; lives as long as the process
    uint32_t grid[3], block[3];
    size_t bytes;
    void *stream;
    // Filled in by kiln_prof_begin.
    bool is_timed;
    int device;
    void *start, *stop; // events
    double enqueued;
} kiln_prof_work_t;

// Whether the calling thread is inside of an entry point, whose own calls are not the program's.
extern __thread bool kiln_prof_inside;

// Before the work is enqueued. Without `records`, the caller passes the events to the launch.
typedef enum kiln_prof_records { KILN_PROF_RECORDS, KILN_PROF_LEAVES_EVENTS } kiln_prof_records_t;
void kiln_prof_begin(kiln_prof_work_t *work, kiln_prof_records_t records);
// If the launch refused the events, they are not used, and the caller launches without them.
bool kiln_prof_give_up(kiln_prof_work_t *work, int error);
// After it was enqueued with this error; 0: none.
void kiln_prof_end(kiln_prof_work_t *work, kiln_prof_records_t records, int error);

// Around a call that waits.
double kiln_prof_now(void);
void kiln_prof_waited(const char *call, const char *what, double begin);

// After a call that waited, without an error: logs the work that is finished.
void kiln_prof_log_finished(void);
// Logs what is finished or soon will be, and forgets the rest and all events.
void kiln_prof_forget(void);

// Names of kernels by HIP's handles.
void kiln_prof_name_set(void *function, const char *name);
const char *kiln_prof_name(void *function);
const char *kiln_prof_name_of_host(const void *host, void *stream);

#endif
