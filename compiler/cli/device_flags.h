// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags that every verb which runs kernels takes (--device, --hip-library, --check, --sim-*, --cache-*, --log),
// over the environment variables of environment.def.
//
// What is easily got wrong: a flag changes no variable of this process; who wants the value asks kiln_environment.
#ifndef KILN_CLI_DEVICE_FLAGS_H
#define KILN_CLI_DEVICE_FLAGS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include "flag_errors.h"
#include "kiln/interp.h"
#include "kiln/runtime.h"

// Values that getopt_long returns for these flags; a verb's own start below.
enum { KILN_FLAG_FIRST_SHARED = 0x1000 };

// Appends the shared flags to a verb's own, which end in a zeroed row; the result is static storage of the caller of at
// least KILN_FLAG_ROWS rows.
enum { KILN_FLAG_ROWS = 64 };
void kiln_flags_merge(const struct option *own, struct option rows[KILN_FLAG_ROWS]);

// Takes a shared flag; `value` must live as long as the command runs. False where `flag` is none of them.
bool kiln_flag_take(int flag, const char *value);

// Gives a shared flag a value where neither the command line nor the environment has one.
void kiln_flag_default(const char *variable, const char *value);

// Parses a number from 1 to 999999.
bool kiln_flag_count(const char *word, long *out);

// Prints the flags for a verb's help.
void kiln_flags_print(FILE *stream);

// The value of a shared flag, or else of its variable, or of any variable; NULL where it is unset or empty.
const char *kiln_environment(const char *name);

// Whether the flags and the environment name the interpreter, which is no device: kiln run and kiln case ask first.
bool kiln_wants_interp(void);

// How the interpreter goes about a launch, as the flags and the environment say; what the kernel prints goes to stdout.
void kiln_interp_launch_from_environment(kiln_interp_launch_t *launch);

// The options of the simulator that the flags and the environment give, for kiln_device_options_t.
const kiln_sim_setting_t *kiln_simulator_settings(size_t *count);

// Opens the device that the flags and the environment name.
kiln_status_t kiln_device_from_environment(kiln_device_t **out_device);

// KILN_CACHE_DIR or the default: XDG_CACHE_HOME/kiln, else HOME/.cache/kiln. NULL where none can be told. The caller
// frees it.
char *kiln_cache_directory(void);

// The file of tuning results there, so that `kiln run` takes what `kiln tune` found; NULL and freed likewise.
char *kiln_tuned_path(void);

// Shows a failure on stderr, as "kiln: error: …" or, where it has a place in a file, like a compiler's; frees it, and
// returns the command's exit code for it (0 for KILN_OK).
int kiln_cli_report(kiln_status_t status);
int kiln_exit_code(kiln_status_code_t code);

#endif
