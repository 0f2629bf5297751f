// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs of this project share: two vectors and their sum on the device, the check of
// it, and the proof that nothing of the process comes from the directory that the environment's
// FORBIDDEN names, which is where Kiln was built.
#ifndef VECTORS_H
#define VECTORS_H

#include <kiln/runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000 }; // no multiple of a block

static void check(kiln_status_t status)
{
    char *text = status ? kiln_status_format(status) : NULL;
    if (status)
        exit((fprintf(stderr, "%s\n", text ? text : "out of memory"), 1));
}

// x, y and room for the sum.
static void make_vectors(kiln_device_t *device, kiln_buffer_t *buffers[3])
{
    float values[2][N];
    for (int i = 0; i < N; i++)
        values[0][i] = (float)i, values[1][i] = (float)(3 * i + 1);
    for (int i = 0; i < 3; i++) {
        check(kiln_buffer_create(device, sizeof values[0], &buffers[i]));
        check(i < 2 ? kiln_buffer_write(buffers[i], 0, values[i], sizeof values[i])
                    : kiln_buffer_fill(buffers[i], 0, 0xff, sizeof values[0]));
    }
}

// That the third vector is `scale` times the sum of the others.
static kiln_status_t check_sum(kiln_buffer_t *buffers[3], float scale)
{
    float sum[N];
    KILN_TRY(kiln_buffer_read(buffers[2], 0, sum, sizeof sum));
    for (int i = 0; i < N; i++)
        if (!(sum[i] == scale * (float)(4 * i + 1)))
            return kiln_status_make(KILN_STATUS_MISMATCH, "element %d is %g", i, (double)sum[i]);
    return KILN_OK;
}

static int finish(const char *program, kiln_device_t *device, kiln_buffer_t *buffers[3])
{
    const char *forbidden = getenv("FORBIDDEN");
    char line[4096];
    printf("%s: right, on %s of %s\n", program, kiln_device_properties(device)->name,
           kiln_device_properties(device)->library);
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && forbidden && fgets(line, sizeof line, maps))
        if (strstr(line, forbidden))
            exit((fprintf(stderr, "%s: mapped from the place where Kiln was built: %s", program,
                          line),
                  1));
    if (maps)
        fclose(maps);
    for (int i = 0; i < 3; i++)
        kiln_buffer_release(buffers[i]);
    kiln_device_release(device);
    return 0;
}

#endif
