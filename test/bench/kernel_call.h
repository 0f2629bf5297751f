// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the examples' kernels as kernels/*.json describe them: an object with the source
// (`tile`), the `kernel`, its arguments as words of the command line (`words`), its `settings`, and
// the `grid`. {NAME} in a word is the value of a setting, {folder} the call's folder. Errors end
// the program with a message.
#ifndef BENCH_KERNEL_CALL_H
#define BENCH_KERNEL_CALL_H

#include "base/json.h"
#include "kiln/arguments.h"
#include "kiln/kiln.h"

enum { KERNEL_CALL_SETTINGS = 32, KERNEL_CALL_ARGUMENTS = 32 };

// A call, with its settings as text.
typedef struct kernel_call {
    const json_t *json;
    const char *kernel;
    kiln_setting_t settings[KERNEL_CALL_SETTINGS];
    char values[KERNEL_CALL_SETTINGS][16];
    size_t setting_count;
    bool has_small_buffers; // compile with the promise that they are below 2 GiB, as a JIT does
    const char *folder;     // of files in words; may be NULL
} kernel_call_t;

typedef struct kernel_code {
    const void *bytes;
    size_t size;
    const char *symbol;
    const kiln_kernel_t *kernel; // the code has its parameters
    unsigned block, lds_bytes;
    bool is_tritons; // pointers to scratch memory then follow the arguments
} kernel_code_t;

void bench_check(kiln_status_t status);

// `settings` has precedence over the call's own; NULL: none.
void kernel_call_read(const json_t *json, const json_t *settings, kernel_call_t *out_call);

// The kernel compiled from the file `path` with the call's settings, and with hints about its
// arguments if it is Tile C; *out_options receives the settings.
kiln_kernel_t *kernel_call_compile(kiln_session_t *session, const kernel_call_t *call,
                                   kiln_stage_t stage, const char *path,
                                   kiln_compile_options_t *out_options);
kernel_code_t kernel_call_code(const kiln_kernel_t *kernel);

// A device whose launches are only predicted ("only"), or executed and bounded ("bounds"), each as
// if it followed launches of the same kernel.
kiln_device_t *kernel_call_device(const char *clock);
void kernel_call_launch(const kernel_call_t *call, const kernel_code_t *code,
                        kiln_device_t *device);

// The prediction for a launch of the call with these settings: of kernels/TILE.tile.c, or of the
// example if there is none, with the promise that buffers are below 2 GiB. `folder` may be NULL.
kiln_sim_prediction_t kernel_call_predict_settings(kiln_session_t *session, const json_t *json,
                                                   const json_t *settings, const char *folder);

#endif
