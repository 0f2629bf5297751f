// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by `kiln run`, `kiln bench` and `kiln tune`: the flags that specify the kernel and its
// launch and, for the first two, the call through the JIT.
//
// The grid is computed after settings are known, as it may depend on constexpr values chosen by the
// tuner.
#ifndef KILN_CLI_LAUNCH_CALL_H
#define KILN_CLI_LAUNCH_CALL_H

#include <stdio.h>

#include "cli/device_flags.h"
#include "kiln/arguments.h"
#include "kiln/kiln.h"

enum { KILN_LAUNCH_MAX_SETTINGS = 256, KILN_LAUNCH_MAX_STEPS = 8 };

// A kernel that is launched after the first one (--then).
typedef struct kiln_launch_step {
    const char *path;   // NULL: the first one's file
    const char *kernel; // NULL: the only one
    const char *grid;   // NULL: the one that the source declares
} kiln_launch_step_t;

// Default of the instructions that a wave may execute on the simulator while candidates are tried:
// a third of a second there, and 30 ms or more on the machine.
#define KILN_LAUNCH_SEARCH_LIMIT "16777216"

typedef struct kiln_launch_flags {
    kiln_setting_t settings[KILN_LAUNCH_MAX_SETTINGS]; // constexpr values and compile options
    size_t setting_count;
    const char *grid, *kernel;
    kiln_launch_step_t then[KILN_LAUNCH_MAX_STEPS];
    size_t then_count;
    // Called with each of the compiler's diagnostics; those for which it returns true are not
    // printed. NULL: all are.
    bool (*take_diagnostic)(const kiln_diagnostic_t *diagnostic, void *user);
    void *diagnostic_user;
    bool *has_findings; // set for a compiled kernel: whether its code object lists the compiler's
                        // findings; may be NULL
    // Receives the compilation's stages in place of the environment's dumps, and passes these on
    // (kiln_report_take). NULL: none. The kernel is compiled even if it is in the cache.
    struct kiln_report_stages *stages;
    // Receives the arguments of the problem whose tuned settings are used instead of missing ones
    // of the call's own problem (--tuned=near), from malloc. NULL: not wanted.
    char **out_near;
    bool is_of_search; // the settings are a search's: no tuned ones, and nothing is cached
} kiln_launch_flags_t;

// Takes a flag or a setting; splits the word at its '='. Returns false if it is neither or invalid.
// A grid belongs to the last kernel of --then before it.
bool kiln_launch_flag_take(kiln_launch_flags_t *flags, int flag, char *value);

// Takes the value of --then, KERNEL, FILE or FILE:KERNEL; splits it at its ':'.
bool kiln_launch_then_take(kiln_launch_flags_t *flags, char *value);

// Adds a setting, whose texts are borrowed. USAGE if there are KILN_LAUNCH_MAX_SETTINGS already.
kiln_status_t kiln_launch_add_setting(kiln_launch_flags_t *flags, const kiln_setting_t *setting);

// Copies the settings into compile options; `defines` receives those that are not compile options.
kiln_status_t kiln_launch_set_options(const kiln_launch_flags_t *flags,
                                      kiln_setting_t defines[KILN_LAUNCH_MAX_SETTINGS],
                                      kiln_compile_options_t *options);

// Creates the arguments from the words "n=1000", "x=f32[n]", which may use the flags' settings; a
// NULL device means the interpreter.
kiln_status_t kiln_launch_arguments(const kiln_launch_flags_t *flags, kiln_device_t *device,
                                    char **words, size_t word_count,
                                    kiln_arguments_t **out_arguments);

// A verb's function that makes prepared calls: one, or those of a sequence in order. `grids` are
// those of the command line, NULL where it has none.
typedef kiln_status_t (*kiln_launch_fn)(kiln_jit_t *jit, kiln_device_t *device,
                                        kiln_arguments_t *arguments, const kiln_jit_call_t *calls,
                                        size_t call_count, const char *const *grids, void *user);

// Opens the device, creates the arguments of `words` ("n=1000", "x=f32[n]"), reads the file, which
// may also hold compiled kernels (loaded.h), and calls `make`. Returns the command's exit code;
// failures have been shown.
int kiln_launch_call(const kiln_launch_flags_t *flags, const char *path, char **words,
                     size_t word_count, kiln_launch_fn make, void *user);

// The same for a source in memory; failures are returned.
kiln_status_t kiln_launch_call_source(const kiln_launch_flags_t *flags, const kiln_source_t *source,
                                      char **words, size_t word_count, kiln_launch_fn make,
                                      void *user);

// Calls `make` with the flags' grids; changes the calls.
kiln_status_t kiln_launch_make(kiln_jit_t *jit, kiln_device_t *device,
                               const kiln_launch_flags_t *flags, kiln_arguments_t *arguments,
                               kiln_jit_call_t *calls, size_t count, kiln_launch_fn make,
                               void *user);

// Shows a failure unless the compiler's diagnostics have shown it, frees it, and returns the exit
// code.
int kiln_launch_report(kiln_status_t status, bool shown);

// Shows a diagnostic; `user` is a bool that is set if it is an error.
void kiln_launch_diagnostic(const kiln_diagnostic_t *diagnostic, void *user);

// Notes once on stderr that a grid without workgroups launches nothing.
void kiln_launch_report_empty(const unsigned grid[3]);

#endif
