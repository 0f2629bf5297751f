// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of `kiln run`, by name:
//
//     n=1000  n=M*K  scale=0.5                 scalars: an integer expression, else a real number
//     x=f32[1000]  a=f16[M,K]:random:7         buffers: element type, extents (expressions), then what they hold:
//                                              :zeros (default), :iota, :random[:seed], :fill:VALUE, or @file for a
//                                              file's bytes
//
// What is easily got wrong: names are resolved from left to right, so a size may use the scalars before it and all -D
// values.
#ifndef KILN_CLI_RUN_ARGUMENTS_H
#define KILN_CLI_RUN_ARGUMENTS_H

#include "base/float.h"
#include "kiln/jit.h"

enum { KILN_RUN_MAX_DIMENSIONS = 4 };

typedef struct kiln_run_buffer {
    char *name;
    kiln_element_type_t type;
    size_t extents[KILN_RUN_MAX_DIMENSIONS];
    size_t dimension_count, element_count;
    kiln_buffer_t *memory; // NULL where the interpreter runs:
    char *host;            // then its bytes are here,
    uint64_t address;      // and for the kernel there
} kiln_run_buffer_t;

typedef struct kiln_run_arguments {
    kiln_device_t *device;             // borrowed; NULL: the interpreter
    const kiln_jit_setting_t *defines; // borrowed: names with integer values may be used in expressions
    size_t define_count;
    kiln_jit_argument_t *arguments; // for the call
    size_t count;
    kiln_run_buffer_t *buffers;
    size_t buffer_count;
} kiln_run_arguments_t;

// Adds one NAME=… ; buffers are made and filled on the device.
kiln_status_t kiln_run_argument_add(kiln_run_arguments_t *arguments, const char *text);

// Evaluates an expression over the scalars and defines.
kiln_status_t kiln_run_evaluate(kiln_run_arguments_t *arguments, const char *text, int64_t *out_value);

// Evaluates a grid "X", "X,Y" or "X,Y,Z"; extents that are left out stay as they are.
kiln_status_t kiln_run_grid(kiln_run_arguments_t *arguments, const char *text, unsigned out_grid[3]);

// What distinguishes problems for the tuner: the scalars, by name ("K=512,M=512"), from malloc; NULL when memory is
// short.
char *kiln_run_tuning_arguments(const kiln_run_arguments_t *arguments);

// The buffer of that name, or USAGE.
kiln_status_t kiln_run_find_buffer(kiln_run_arguments_t *arguments, const char *name, size_t length,
                                   kiln_run_buffer_t **out_buffer);

size_t kiln_run_buffer_size(const kiln_run_buffer_t *buffer); // bytes

// Fails where a buffer's element type is not what a parameter of type "*f16" points to; other types are let pass.
kiln_status_t kiln_run_check_type(const kiln_run_buffer_t *buffer, const char *parameter_type);

// Fails where a buffer's element type is not what the kernel's pointer points to, by its manifest.
kiln_status_t kiln_run_check_types(const kiln_run_arguments_t *arguments, const char *manifest);

// "x", "x[0:8]", "c[0:4,0:4]": shows elements on stdout, one line per innermost row.
kiln_status_t kiln_run_print(kiln_run_arguments_t *arguments, const char *text);

// "x=file": writes the buffer's bytes.
kiln_status_t kiln_run_save(kiln_run_arguments_t *arguments, const char *text);

void kiln_run_arguments_free(kiln_run_arguments_t *arguments);

#endif
