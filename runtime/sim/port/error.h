// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the simulator's functions: a HIP error code and one line of text that names the object
// concerned.
//
// Pitfall: only a function that fails sets an error; one that succeeds does not clear it. Start
// with a zeroed error.
#ifndef KILN_SIM_PORT_ERROR_H
#define KILN_SIM_PORT_ERROR_H

#include <stdbool.h>

#include "kiln/sim.h"

// The HIP error codes that the simulator uses internally; hip_sim/device/error.c lists all of them.
enum {
    KILN_SIM_SUCCESS = 0,
    KILN_SIM_INVALID_VALUE = 1,
    KILN_SIM_OUT_OF_MEMORY = 2,
    KILN_SIM_INVALID_CONFIGURATION = 9,
    KILN_SIM_INVALID_IMAGE = 200,
    KILN_SIM_NO_BINARY_FOR_GPU = 209,
    KILN_SIM_ILLEGAL_STATE = 401,
    KILN_SIM_NOT_FOUND = 500,
    KILN_SIM_ILLEGAL_ADDRESS = 700,
    KILN_SIM_LAUNCH_OUT_OF_RESOURCES = 701,
    KILN_SIM_LAUNCH_TIMEOUT = 702,
    KILN_SIM_ASSERT = 710,
    KILN_SIM_LAUNCH_FAILURE = 719,
    KILN_SIM_NOT_SUPPORTED = 801
};

// Records an error and returns false, so that a function can `return kiln_sim_fail(...)`. error may
// be NULL.
bool kiln_sim_fail(kiln_sim_error_t *error, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

#endif
