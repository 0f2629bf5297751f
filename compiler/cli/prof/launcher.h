// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts the program of `kiln prof` so that its work is logged.
//
// On the simulator, the program loads the simulator as its HIP library through LD_LIBRARY_PATH, and
// the simulator logs the activity of streams (option `activity`). On a GPU, libkiln-prof.so
// (runtime/prof) is loaded before all libraries and logs the same from events. All flags reach the
// program as environment variables.
#ifndef KILN_CLI_PROF_LAUNCHER_H
#define KILN_CLI_PROF_LAUNCHER_H

#include "cli/prof/findings.h"

typedef struct kiln_prof_launcher {
    kiln_prof_source_t source; // source.device: this struct's
    char *device;
    char *libraries; // directory that precedes LD_LIBRARY_PATH; NULL: none
    char *preloaded; // library that precedes LD_PRELOAD; NULL: none
    char *log;       // path
    bool has_log;
} kiln_prof_launcher_t;

// Finds the device that the flags choose, the simulator by default, and creates the log. The caller
// ends the launcher, also after a failure.
kiln_status_t kiln_prof_launcher_begin(kiln_prof_launcher_t *launcher);
// Whether the flags ask for a GPU.
bool kiln_prof_wants_gpu(void);

typedef enum kiln_prof_stdout { KILN_PROF_OWN_STDOUT, KILN_PROF_TO_STDERR } kiln_prof_stdout_t;

typedef struct kiln_prof_end {
    int code;   // of exit, or 128 plus the signal
    int signal; // that ended it; 0: none
} kiln_prof_end_t;

// Runs the program to its end. `findings` may be NULL; otherwise its launches' causes are found
// meanwhile.
kiln_status_t kiln_prof_launcher_run(const kiln_prof_launcher_t *launcher, char **program,
                                     kiln_prof_stdout_t to, kiln_prof_findings_t *findings,
                                     kiln_prof_end_t *out_end);
void kiln_prof_launcher_end(kiln_prof_launcher_t *launcher);

#endif
