// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel compiled by libkiln.so and run on libkiln-sim.so, as one call for beside_test.py.
#include <stdio.h>

#include "kiln/jit_compile.h"

enum { COUNT = 1000, BLOCK = 128 };

static const char TEXT[] =
    "kernel void add(const f32 *x, f32 *out, i32 n, constexpr i32 BLOCK = 128)\n"
    "{\n"
    "    i32 i[BLOCK] = program_id(0) * BLOCK + range(BLOCK);\n"
    "    bool inside[BLOCK] = i < n;\n"
    "    store(out + i, load(x + i, inside) + (f32)i, inside);\n"
    "}\n";

static kiln_status_t add(kiln_jit_t *jit, kiln_buffer_t *in, kiln_buffer_t *out)
{
    float values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = 0.5f * (float)i;
    KILN_TRY(kiln_buffer_write(in, 0, values, sizeof values));
    const kiln_jit_argument_t arguments[] = {kiln_jit_buffer("x", in), kiln_jit_buffer("out", out),
                                             kiln_jit_integer("n", COUNT)};
    kiln_jit_call_t call;
    kiln_jit_call_initialize(&call);
    call.source.text = TEXT;
    call.source.length = sizeof TEXT - 1;
    call.arguments = arguments;
    call.argument_count = sizeof arguments / sizeof *arguments;
    call.grid[0] = (COUNT + BLOCK - 1) / BLOCK;
    KILN_TRY(kiln_jit_launch(jit, &call));
    KILN_TRY(kiln_buffer_read(out, 0, values, sizeof values));
    for (int i = 0; i < COUNT; i++)
        if (values[i] != 1.5f * (float)i)
            return kiln_status_make(KILN_STATUS_INTERNAL, "element %d is %g", i, (double)values[i]);
    return KILN_OK;
}

// A session, a device and a JIT of its own each time. 0, or 1 with the reason on stderr.
KILN_API int host_run(void);
int host_run(void)
{
    kiln_device_options_t device_options;
    kiln_device_options_initialize(&device_options);
    device_options.kind = KILN_DEVICE_SIM;
    kiln_jit_options_t options;
    kiln_jit_options_initialize(&options);
    options.compile = kiln_jit_compile;
    options.identify = kiln_jit_identify;
    kiln_device_t *device = NULL;
    kiln_buffer_t *in = NULL, *out = NULL;
    kiln_jit_t *jit = NULL;
    kiln_status_t status = kiln_device_open(&device_options, &device);
    if (!status)
        status = kiln_buffer_create(device, COUNT * sizeof(float), &in);
    if (!status)
        status = kiln_buffer_create(device, COUNT * sizeof(float), &out);
    if (!status)
        status = kiln_jit_create(device, &options, &jit);
    if (!status)
        status = add(jit, in, out);
    kiln_jit_release(jit);
    kiln_buffer_release(in);
    kiln_buffer_release(out);
    kiln_device_release(device);
    if (!status)
        return 0;
    char *text = kiln_status_format(status);
    fprintf(stderr, "%s", text ? text : "out of memory\n");
    return 1;
}
