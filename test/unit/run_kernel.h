// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests that run kernels: opens the simulator of this build, compiles a source, launches it on
// host arrays and reads them back.
//
// Failures of Kiln end the test; the test itself checks the results.
#ifndef KILN_TEST_RUN_KERNEL_H
#define KILN_TEST_RUN_KERNEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kiln/kiln.h"
#include "open_device.h"

// A buffer, copied to the device and back; or, with is_scalar, a value of the argument's type.
typedef struct argument {
    void *data;
    size_t size;
    int is_scalar;
} argument_t;

// `options` may be NULL. The options' defines and hints are the caller's.
static inline void run_kernel(const kiln_source_t *source, const kiln_compile_options_t *given,
                              unsigned programs, const argument_t *arguments, size_t count)
{
    enum { LIMIT = 16 };
    kiln_session_t *session;
    kiln_kernel_t *kernel;
    kiln_module_t *module;
    kiln_function_t *function;
    kiln_buffer_t *buffers[LIMIT] = {NULL};
    uint64_t addresses[LIMIT];
    void *pointers[LIMIT];
    kiln_compile_options_t options;
    kiln_launch_t launch;
    size_t size;
    assert_true(count <= LIMIT);
    kiln_compile_options_initialize(&options);
    expect_ok(kiln_session_create(&session));
    expect_ok(kiln_compile(session, source, given ? given : &options, &kernel));
    const void *code = kiln_kernel_code_object(kernel, &size);
    expect_ok(kiln_module_load(device, code, size, &module));
    expect_ok(kiln_module_function(module, kiln_kernel_name(kernel), &function));
    for (size_t i = 0; i < count; i++) {
        pointers[i] = arguments[i].is_scalar ? arguments[i].data : &addresses[i];
        if (arguments[i].is_scalar)
            continue;
        expect_ok(kiln_buffer_create(device, arguments[i].size, &buffers[i]));
        expect_ok(kiln_buffer_write(buffers[i], 0, arguments[i].data, arguments[i].size));
        addresses[i] = kiln_buffer_address(buffers[i]);
    }
    kiln_launch_initialize(&launch);
    launch.grid[0] = programs;
    launch.args = pointers;
    expect_ok(kiln_function_launch(function, &launch));
    expect_ok(kiln_device_synchronize(device));
    for (size_t i = 0; i < count; i++) {
        if (arguments[i].is_scalar)
            continue;
        expect_ok(kiln_buffer_read(buffers[i], 0, arguments[i].data, arguments[i].size));
        kiln_buffer_release(buffers[i]);
    }
    kiln_module_release(module);
    kiln_kernel_release(kernel);
    kiln_session_release(session);
}

#endif
