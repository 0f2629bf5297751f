// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launches of examples.def, with embedded sources.
#ifndef KILN_VERIFY_EXAMPLES_H
#define KILN_VERIFY_EXAMPLES_H

#include "kiln/arguments.h"
#include "kiln/kiln.h"
#include "verify/launch.h"

typedef enum kiln_verify_size { KILN_VERIFY_SMALL, KILN_VERIFY_LARGE } kiln_verify_size_t;

size_t kiln_verify_example_count(void);
const char *kiln_verify_example_name(size_t index);

// Compiles an example for its arguments of that size. Free with kiln_verify_example_release, also
// after a failure.
enum { KILN_VERIFY_MAX_SETTINGS = 16, KILN_VERIFY_MAX_ARGUMENTS = 32 };
typedef struct kiln_verify_example {
    size_t index;
    char *texts[2];                                    // that the settings point into
    kiln_setting_t settings[KILN_VERIFY_MAX_SETTINGS]; // the kernel's, then the sizes
    size_t own_count, setting_count;
    kiln_kernel_t *kernel;
    kiln_verify_code_t code;
} kiln_verify_example_t;
kiln_status_t kiln_verify_example_compile(size_t index, kiln_verify_size_t size,
                                          kiln_verify_example_t *out);
void kiln_verify_example_release(kiln_verify_example_t *example);

// Creates its arguments on a device (NULL: on the host, without contents that a kernel could use).
// The caller releases them before the example.
kiln_status_t kiln_verify_example_arguments(const kiln_verify_example_t *example,
                                            kiln_device_t *device,
                                            kiln_arguments_t **out_arguments);

// A prepared call: pointers for kiln_launch_t.
typedef struct kiln_verify_call {
    unsigned grid[3];
    uint64_t cells[KILN_VERIFY_MAX_ARGUMENTS];
    void *args[KILN_VERIFY_MAX_ARGUMENTS];
} kiln_verify_call_t;
kiln_status_t kiln_verify_example_call(const kiln_verify_example_t *example,
                                       const kiln_arguments_t *arguments, kiln_verify_call_t *out);

#endif
