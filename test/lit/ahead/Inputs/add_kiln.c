// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds two vectors through the header of --emit=header --launcher=kiln.
#include "vec_add.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 1008 };
static float x[N], y[N], z[N];

static void check(kiln_status_t status)
{
    if (!status)
        return;
    char *text = kiln_status_format(status);
    printf("%s", text);
    free(text);
    kiln_status_free(status);
}

int main(void)
{
    kiln_device_t *device;
    kiln_buffer_t *buffers[3];
    check(kiln_device_open(NULL, &device));
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = (float)(2 * i);
    }
    for (int i = 0; i < 3; i++)
        check(kiln_buffer_create(device, sizeof x, &buffers[i]));
    check(kiln_buffer_write(buffers[0], 0, x, sizeof x));
    check(kiln_buffer_write(buffers[1], 0, y, sizeof y));
    vec_add_kernel_t kernel;
    check(vec_add_load(&kernel, device));
    check(vec_add_launch(&kernel, NULL, buffers[0], buffers[1], buffers[2], N));
    check(kiln_buffer_read(buffers[2], 0, z, sizeof z));
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += z[i] != (float)(3 * i);
    printf("%d of %d wrong\n", wrong, (int)N);
    check(vec_add_launch(&kernel, NULL, buffers[0], buffers[1], buffers[2], 7));
    vec_add_unload(&kernel);
    for (int i = 0; i < 3; i++)
        kiln_buffer_release(buffers[i]);
    kiln_device_release(device);
    return wrong;
}
