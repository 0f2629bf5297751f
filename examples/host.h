// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common code of the examples' host programs: a device with a JIT, arrays that exist on host
// and device, and a comparison with a reference that the program computes in double precision. It
// uses Kiln's public API (kiln/jit.h). An error ends the program, because an example has no caller
// to return it to.
#ifndef EXAMPLES_HOST_H
#define EXAMPLES_HOST_H

#include <kiln/compare.h>
#include <kiln/jit_compile.h>

// An array on the host, with a buffer for it on the device.
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
    array_t *arrays;      // all arrays, freed by host_close
    int wrong;            // number of failed comparisons
} host_t;

// Opens the device that KILN_DEVICE selects, by default the first available, and a JIT on it.
host_t host_open(const char *tile_file);

// Switches to the kernels of examples/`tile_file`.
void host_use(host_t *host, const char *tile_file);

// Frees everything, including arrays. Returns the program's exit code: 0 if every comparison
// passed.
int host_close(host_t *host);

// An array of `count` elements, all 0 on both sides. The host owns all arrays.
array_t *host_array(host_t *host, kiln_element_type_t type, size_t count);

// The same, filled with uniform random numbers in [low, high) on both sides; integers are rounded
// down.
array_t *host_random(host_t *host, kiln_element_type_t type, size_t count, double low, double high,
                     unsigned seed);

void host_upload(array_t *array);
void host_download(array_t *array);

double host_get(const array_t *array, size_t index);
void host_set(array_t *array, size_t index, double value); // on the host

// Compiles the kernel with the settings (constexpr parameters and compile options), launches it,
// and waits.
void host_launch(host_t *host, const char *kernel, unsigned x, unsigned y, unsigned z,
                 const kiln_setting_t *settings, size_t setting_count,
                 const kiln_jit_argument_t *arguments, size_t argument_count);

// host_launch with arrays: LAUNCH(&host, "add", grid_x, grid_y, SETTINGS({"BLOCK", "256"}),
// ARGUMENTS(kiln_jit_…, …))
#define SETTINGS(...)                                                                              \
    (const kiln_setting_t[]){__VA_ARGS__},                                                         \
        sizeof((const kiln_setting_t[]){__VA_ARGS__}) / sizeof(kiln_setting_t)
#define ARGUMENTS(...)                                                                             \
    (const kiln_jit_argument_t[]){__VA_ARGS__},                                                    \
        sizeof((const kiln_jit_argument_t[]){__VA_ARGS__}) / sizeof(kiln_jit_argument_t)
#define BUFFER(name, array) kiln_jit_buffer(name, (array)->buffer)
#define INTEGER(name, value) kiln_jit_integer(name, value)
#define REAL(name, value) kiln_jit_real(name, value)

// Compares the array on the device with `reference`, which has the same number of elements, by the
// rule of kiln/compare.h. Prints a line with `what` and the error.
void host_check(host_t *host, const char *what, array_t *array, const double *reference);

// a · b of row-major matrices, M × K and K × N, as M × N doubles, owned by the host.
double *host_product(host_t *host, const array_t *a, const array_t *b, size_t m, size_t n,
                     size_t k);

// Zeroed memory for a reference, owned by the host.
double *host_doubles(host_t *host, size_t count);

#endif
