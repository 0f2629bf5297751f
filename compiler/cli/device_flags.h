// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags accepted by every verb that runs kernels (--device, --hip-library, --check, --sim-*,
// --cache-*, --log), which take precedence over the environment variables of environment.def.
//
// A flag does not change the variables of this process; read values with kiln_environment.
#ifndef KILN_CLI_DEVICE_FLAGS_H
#define KILN_CLI_DEVICE_FLAGS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include "kiln/interp.h"
#include "kiln/runtime.h"

// getopt_long's value for the first row of environment.def; pages.h adds them to a verb's own
// flags.
enum { KILN_FLAG_FIRST_SHARED = 0x1000 };

typedef enum kiln_value_kind {
    KILN_VALUE_TEXT,
    KILN_VALUE_WORD,
    KILN_VALUE_NUMBER
} kiln_value_kind_t;

// The components that a variable affects.
typedef enum kiln_actor {
    KILN_ACTOR_COMPILER = 1 << 0,
    KILN_ACTOR_DEVICE = 1 << 1, // selection of the device
    KILN_ACTOR_INTERP = 1 << 2,
    KILN_ACTOR_HIP = 1 << 3,    // search for HIP libraries
    KILN_ACTOR_FOLDER = 1 << 4, // directory of the cache and of tuning results
    KILN_ACTOR_CACHE = 1 << 5,
    KILN_ACTOR_RUNTIME = 1 << 6,
    KILN_ACTOR_SIM = 1 << 7,
} kiln_actor_t;

typedef struct kiln_environment_row {
    kiln_actor_t actor;
    const char *variable, *flag; // the flag including its dashes
    kiln_value_kind_t kind;
    const char *values, *otherwise, *help;
} kiln_environment_row_t;
const kiln_environment_row_t *kiln_environment_row(size_t index); // NULL past the last
// Whether the flag's value is optional.
bool kiln_environment_flag_stands_alone(const kiln_environment_row_t *row);

// Takes a shared flag; `value` must live as long as the command runs. Returns false for other
// flags.
bool kiln_flag_take(int flag, const char *value);

// Sets a shared flag if neither the command line nor the environment does.
void kiln_flag_default(const char *variable, const char *value);

// Sets it unconditionally.
void kiln_flag_override(const char *variable, const char *value);

// Parses a number from 1 to 999999.
bool kiln_flag_count(const char *word, long *out);

// The value of a shared flag, or else of its variable, or of any variable; NULL if it is unset or
// empty.
const char *kiln_environment(const char *name);

// Whether the flags and the environment select the interpreter, which is not a device: kiln run and
// kiln case check this first.
bool kiln_uses_interp(void);

// Fills in the interpreter's launch options from flags and environment; output of the kernel goes
// to stdout. Fails if a flag has no effect there, or if checks or a trace are requested, which it
// does not support.
kiln_status_t kiln_interp_launch_from_environment(kiln_interp_launch_t *launch);

// The simulator's options from flags and environment, for kiln_device_options_t.
const kiln_sim_setting_t *kiln_simulator_settings(size_t *count);

// Fails if the clock selected by flags and environment predicts nothing; `flag` is the one that
// needs a prediction.
kiln_status_t kiln_flag_requires_prediction(const char *flag);
// Fails if kernels are executed only for a prediction (--sim-clock=only), so that buffers have no
// results and no check runs.
kiln_status_t kiln_flag_requires_execution(const char *flag);
// Fails if the device is not a simulator, which `flag` requires.
kiln_status_t kiln_flag_requires_simulator(const char *flag, const kiln_device_t *device);
// Whether the command line gave this flag a value.
bool kiln_flag_given(const char *flag);

// Makes kiln_device_from_environment open one of several GPUs: number `rank` modulo their number.
void kiln_device_of_rank(size_t rank);

// Opens the device that flags and environment select. Also fails if a flag has no effect on it.
kiln_status_t kiln_device_from_environment(kiln_device_t **out_device);

// KILN_CACHE_DIR or the default: XDG_CACHE_HOME/kiln, else HOME/.cache/kiln. NULL if unknown. The
// caller frees it.
char *kiln_cache_directory(void);

// The file of tuning results in it, written by `kiln tune` and read by `kiln run`; NULL and
// ownership as above.
char *kiln_tuned_path(void);

// Prints a failure on stderr, as "kiln: error: …" or, with a location in a file, in the form of a
// compiler's; frees it, and returns the command's exit code for it (0 for KILN_OK).
int kiln_cli_report(kiln_status_t status);
int kiln_exit_code(kiln_status_code_t code);

#endif
