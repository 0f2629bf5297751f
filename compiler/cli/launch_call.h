// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `kiln run`, `kiln bench` and `kiln tune` share: the flags that say which kernel is launched how, and, for the first
// two, the call through the JIT that they make.
//
// What is easily got wrong: the grid is computed after settings are known, for it may use constexpr values that the
// tuner chose.
#ifndef KILN_CLI_LAUNCH_CALL_H
#define KILN_CLI_LAUNCH_CALL_H

#include <stdio.h>

#include "device_flags.h"
#include "kiln/arguments.h"
#include "kiln/kiln.h"

enum { KILN_LAUNCH_MAX_SETTINGS = 64 };

typedef struct kiln_launch_flags {
    kiln_setting_t settings[KILN_LAUNCH_MAX_SETTINGS]; // constexpr values and compile options
    size_t setting_count;
    const char *grid, *kernel;
} kiln_launch_flags_t;

// Takes one of either kind; cuts the word at its '='. False where it is none of them or wrong.
bool kiln_launch_flag_take(kiln_launch_flags_t *flags, int flag, char *value);

// Puts the settings into options for the compiler; `defines` holds those that are no compile options.
kiln_status_t kiln_launch_set_options(const kiln_launch_flags_t *flags,
                                      kiln_setting_t defines[KILN_LAUNCH_MAX_SETTINGS],
                                      kiln_compile_options_t *options);

// The stage that a file's name tells.
kiln_status_t kiln_launch_stage_of(const char *path, kiln_stage_t *out_stage);

// The arguments of the words "n=1000", "x=f32[n]", which may use the flags' settings; a NULL device is the interpreter's.
kiln_status_t kiln_launch_arguments(const kiln_launch_flags_t *flags, kiln_device_t *device, char **words,
                                    size_t word_count, kiln_arguments_t **out_arguments);

// What a verb does with a call that is ready to be made.
typedef kiln_status_t (*kiln_launch_fn)(kiln_jit_t *jit, kiln_device_t *device, kiln_arguments_t *arguments,
                                        const kiln_jit_call_t *call, void *user);

// Opens the device, makes the arguments of `words` ("n=1000", "x=f32[n]"), reads the file and lets `make` make the call.
// Returns the command's exit code; failures have been shown.
int kiln_launch_call(const kiln_launch_flags_t *flags, const char *path, char **words, size_t word_count,
                     kiln_launch_fn make, void *user);

// Shows a failure but for what the compiler's diagnostics have shown, frees it, and returns the exit code.
int kiln_launch_report(kiln_status_t status, bool shown);

// Shows a diagnostic; `user` is a bool that tells later whether an error was among them.
void kiln_launch_diagnostic(const kiln_diagnostic_t *diagnostic, void *user);

// Says once on stderr that a grid of no workgroups launches nothing.
void kiln_launch_tell_empty(const unsigned grid[3]);

#endif
