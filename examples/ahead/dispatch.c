// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vec_add from a bundle of specializations: the runtime selects the one that matches each call, or
// reports why none does. It links only libkiln-rt, no compiler. docs/ahead-of-time.md describes how
// to build the bundle.
#include <kiln/load.h>
#include <stdio.h>
#include <stdlib.h>

static void check(kiln_status_t status)
{
    if (status)
        exit((fputs(kiln_status_format(status), stderr), 1));
}

int main(int argc, char **argv)
{
    static float x[1024], y[1024];
    kiln_device_t *device;
    kiln_buffer_t *buffers[3];
    kiln_program_t *program;
    const char *const path = argc > 1 ? argv[1] : "vec_add.kbundle";
    check(kiln_device_open(NULL, &device));
    check(kiln_program_load(device, &path, 1, &program));
    for (int i = 0; i < 1024; i++)
        x[i] = (float)i, y[i] = (float)(2 * i);
    for (int i = 0; i < 3; i++)
        check(kiln_buffer_create(device, sizeof x, &buffers[i]));
    check(kiln_buffer_write(buffers[0], 0, x, sizeof x));
    check(kiln_buffer_write(buffers[1], 0, y, sizeof y));

    const int sizes[] = {1000, 1024, 48};
    for (int i = 0; i < 3; i++) {
        const kiln_typed_argument_t arguments[] = {
            kiln_typed_buffer("x", "*f32", buffers[0]), kiln_typed_buffer("y", "*f32", buffers[1]),
            kiln_typed_buffer("z", "*f32", buffers[2]), kiln_typed_integer("n", "i32", sizes[i])};
        kiln_program_call_t call;
        kiln_program_call_initialize(&call);
        call.kernel = "vec_add";
        call.arguments = arguments;
        call.argument_count = 4;
        const kiln_variant_t *variant;
        unsigned grid[3];
        check(kiln_program_choose(program, &call, &variant));
        check(kiln_variant_grid(variant, &call, grid));
        check(kiln_program_launch(
            program,
            &call)); // selects the variant and computes the grid again; sufficient on its own
        check(kiln_buffer_read(buffers[2], 0, y, sizeof y));
        printf("n = %d: %u workgroups, z[%d] = %g\n", sizes[i], grid[0], sizes[i] - 1,
               (double)y[sizes[i] - 1]);
    }
    for (int i = 0; i < 3; i++)
        kiln_buffer_release(buffers[i]);
    kiln_program_release(program);
    kiln_device_release(device);
}
