// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every example's host program needs beside its kernel: a device with a JIT, arrays that live on host and device,
// and a comparison with what the program computed itself in double precision. The calls below it are Kiln's own API
// (kiln/jit.h); an error ends the program, because an example has nobody to pass it to.
#ifndef EXAMPLES_HOST_H
#define EXAMPLES_HOST_H

#include <kiln/compare.h>
#include <kiln/jit_compile.h>

// An array on the host, with room for it on the device.
typedef struct array {
    kiln_element_type_t type;
    size_t count;
    void *data;            // on the host
    kiln_buffer_t *buffer; // on the device
    struct array *next;
} array_t;

typedef struct host {
    kiln_device_t *device;
    kiln_jit_t *jit;
    kiln_source_t source; // the .tile.c file in use
    array_t *arrays;      // all that were made
    int wrong;            // comparisons that failed
} host_t;

// Opens the device that KILN_DEVICE asks for, by default the first that is there, and a JIT on it.
host_t host_open(const char *tile_file);

// From now on kernels come from examples/`tile_file`.
void host_use(host_t *host, const char *tile_file);

// Frees all, arrays included; the program's exit code: 0 if every comparison held.
int host_close(host_t *host);

// An array of `count` elements, all 0 on both sides. All arrays are the host's.
array_t *host_array(host_t *host, kiln_element_type_t type, size_t count);

// The same, filled with even random numbers of [low, high), on both sides; integers are rounded down.
array_t *host_random(host_t *host, kiln_element_type_t type, size_t count, double low, double high, unsigned seed);

void host_upload(array_t *array);
void host_download(array_t *array);

double host_get(const array_t *array, size_t index);
void host_set(array_t *array, size_t index, double value); // on the host

// Compiles the kernel with the settings (constexpr parameters and compile options), launches it, and waits.
void host_launch(host_t *host, const char *kernel, unsigned x, unsigned y, unsigned z, const kiln_setting_t *settings,
                 size_t setting_count, const kiln_jit_argument_t *arguments, size_t argument_count);

// host_launch with arrays: LAUNCH(&host, "add", grid_x, grid_y, SETTINGS({"BLOCK", "256"}), ARGUMENTS(kiln_jit_…, …))
#define SETTINGS(...)                                                                                                  \
    (const kiln_setting_t[]){__VA_ARGS__}, sizeof((const kiln_setting_t[]){__VA_ARGS__}) / sizeof(kiln_setting_t)
#define ARGUMENTS(...)                                                                                                 \
    (const kiln_jit_argument_t[]){__VA_ARGS__},                                                                        \
        sizeof((const kiln_jit_argument_t[]){__VA_ARGS__}) / sizeof(kiln_jit_argument_t)
#define BUFFER(name, array) kiln_jit_buffer(name, (array)->buffer)
#define INTEGER(name, value) kiln_jit_integer(name, value)
#define REAL(name, value) kiln_jit_real(name, value)

// Compares the array on the device with `reference`, of as many doubles, by the rule of kiln/compare.h, and prints a
// line: what, and the error.
void host_check(host_t *host, const char *what, array_t *array, const double *reference);

// a · b of row-major matrices, M × K and K × N, as M × N doubles; the host's.
double *host_product(host_t *host, const array_t *a, const array_t *b, size_t m, size_t n, size_t k);

// Room for a reference, all 0; the host's.
double *host_doubles(host_t *host, size_t count);

#endif
