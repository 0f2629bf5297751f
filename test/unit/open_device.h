// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests that run kernels: setup and teardown of a group, which open the simulator of this build
// as `device` and close it. Include cmocka's headers before this one.
#ifndef KILN_TEST_OPEN_DEVICE_H
#define KILN_TEST_OPEN_DEVICE_H

#include "expect_status.h"
#include "kiln/runtime.h"

static kiln_device_t *device;

static int open_device(void **state)
{
    (void)state;
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    options.sim_library = KILN_BINARY_DIR "/lib/libkiln-sim.so";
    expect_ok(kiln_device_open(&options, &device));
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    kiln_device_release(device);
    return 0;
}

#endif
