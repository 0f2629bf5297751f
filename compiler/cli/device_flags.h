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

#include "kiln/interp.h"
#include "kiln/runtime.h"

// The rows of environment.def, and what getopt_long returns for their flags: pages.h puts them beside a verb's own.
enum { KILN_FLAG_FIRST_SHARED = 0x1000 };

typedef enum kiln_value_kind { KILN_VALUE_TEXT, KILN_VALUE_WORD, KILN_VALUE_NUMBER } kiln_value_kind_t;

// Who acts on a variable.
typedef enum kiln_actor {
    KILN_ACTOR_COMPILER = 1 << 0,
    KILN_ACTOR_DEVICE = 1 << 1, // the choice of one
    KILN_ACTOR_INTERP = 1 << 2,
    KILN_ACTOR_HIP = 1 << 3,    // the search for HIP libraries
    KILN_ACTOR_FOLDER = 1 << 4, // the cache's, of kernels and of tuning results
    KILN_ACTOR_CACHE = 1 << 5,
    KILN_ACTOR_RUNTIME = 1 << 6,
    KILN_ACTOR_SIM = 1 << 7,
} kiln_actor_t;

typedef struct kiln_environment_row {
    kiln_actor_t who;
    const char *variable, *flag; // the flag with its dashes
    kiln_value_kind_t kind;
    const char *values, *otherwise, *help;
} kiln_environment_row_t;
const kiln_environment_row_t *kiln_environment_row(size_t index); // NULL behind the last
// Whether the flag may stand without a value.
bool kiln_environment_flag_stands_alone(const kiln_environment_row_t *row);

// Takes a shared flag; `value` must live as long as the command runs. False where `flag` is none of them.
bool kiln_flag_take(int flag, const char *value);

// Gives a shared flag a value where neither the command line nor the environment has one.
void kiln_flag_default(const char *variable, const char *value);

// Gives it a value whatever they have.
void kiln_flag_override(const char *variable, const char *value);

// Parses a number from 1 to 999999.
bool kiln_flag_count(const char *word, long *out);

// The value of a shared flag, or else of its variable, or of any variable; NULL where it is unset or empty.
const char *kiln_environment(const char *name);

// Whether the flags and the environment name the interpreter, which is no device: kiln run and kiln case ask first.
bool kiln_wants_interp(void);

// How the interpreter goes about a launch, as the flags and the environment say; what the kernel prints goes to stdout.
// Fails where a flag was given that does nothing there, or checks or a trace are wanted that it does not make.
kiln_status_t kiln_interp_launch_from_environment(kiln_interp_launch_t *launch);

// The options of the simulator that the flags and the environment give, for kiln_device_options_t.
const kiln_sim_setting_t *kiln_simulator_settings(size_t *count);

// Fails where the clock that the flags and the environment choose predicts nothing: `flag` shows or wants what it predicts.
kiln_status_t kiln_flag_wants_prediction(const char *flag);
// Fails where nothing is executed but for a prediction (--sim-clock=only), so that buffers hold nothing and no check is made.
kiln_status_t kiln_flag_wants_execution(const char *flag);
// Fails where the device is no simulator: `flag` shows what only a simulator tells.
kiln_status_t kiln_flag_wants_simulator(const char *flag, const kiln_device_t *device);
// Whether the command line gave this flag a value.
bool kiln_flag_given(const char *flag);

// Opens the device that the flags and the environment name. Fails, too, where a flag was given that does nothing on it.
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
