// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that is compiled when it is called: compiler and runtime.
#include <kiln/jit_compile.h>

#include "vectors.h"

static const char TEXT[] =
    "kernel void add(const f32 *x, const f32 *y, f32 *out, i32 n, constexpr i32 BLOCK = 128)\n"
    "{\n"
    "    i32 i[BLOCK] = program_id(0) * BLOCK + range(BLOCK);\n"
    "    bool inside[BLOCK] = i < n;\n"
    "    store(out + i, load(x + i, inside) + load(y + i, inside), inside);\n"
    "}\n";

int main(void)
{
    kiln_device_t *device;
    kiln_buffer_t *buffers[3];
    kiln_jit_options_t options;
    kiln_jit_t *jit;
    check(kiln_device_open(NULL, &device));
    make_vectors(device, buffers);
    kiln_jit_options_initialize(&options);
    options.compile = kiln_jit_compile;
    options.identify = kiln_jit_identify;
    options.depend = kiln_jit_depend;
    check(kiln_jit_create(device, &options, &jit));

    const kiln_jit_argument_t arguments[] = {
        kiln_jit_buffer("x", buffers[0]), kiln_jit_buffer("y", buffers[1]),
        kiln_jit_buffer("out", buffers[2]), kiln_jit_integer("n", N)};
    kiln_jit_call_t call;
    kiln_jit_call_initialize(&call);
    call.source.text = TEXT;
    call.source.length = sizeof TEXT - 1;
    call.arguments = arguments;
    call.argument_count = sizeof arguments / sizeof *arguments;
    call.grid[0] = (N + 127) / 128;
    check(kiln_jit_launch(jit, &call));
    check(check_sum(buffers, 1));
    kiln_jit_release(jit);
    return finish("just_in_time", device, buffers);
}
