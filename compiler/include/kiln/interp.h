// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executing a kernel without compiling it: tt as it is written, tile by tile, on the host.
//
// The interpreter is the reference for what a program means, and says what is wrong with one: an access outside of all
// buffers, a value that is used though undefined, an assertion or assumption that does not hold; each with the source
// line, the program's id and the element's index.
//
// Conventions are those of kiln/kiln.h. Program instances run one after another in the order of their ids, x fastest; one
// that waits in a loop for memory to change lets the others run. Inline assembly is not executed: KILN_STATUS_UNSUPPORTED.
#ifndef KILN_INTERP_H
#define KILN_INTERP_H

#include "kiln/kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_interp kiln_interp_t;

// Reads Tile C or tt (not ttg) and chooses the kernel as kiln_compile does. The session must outlive it.
KILN_API kiln_status_t kiln_interp_create(kiln_session_t *session, const kiln_source_t *source,
                                          const kiln_compile_options_t *options, kiln_interp_t **out_interp);
KILN_API void kiln_interp_release(kiln_interp_t *interp);
KILN_API const char *kiln_interp_name(const kiln_interp_t *interp); // the kernel's
KILN_API kiln_setting_t kiln_interp_constant(const kiln_interp_t *interp, size_t index); // as kiln_kernel_constant
KILN_API size_t kiln_interp_argument_count(const kiln_interp_t *interp);
// Name, type and divisibility; offset and size are 0.
KILN_API const kiln_argument_t *kiln_interp_argument(const kiln_interp_t *interp, size_t index);

// Memory that the kernel may touch. Addresses are the caller's choice and need not be the host's.
typedef struct kiln_interp_buffer {
    const char *name; // for errors
    uint64_t address;
    void *data; // of `size` bytes, on the host
    size_t size;
} kiln_interp_buffer_t;

typedef struct kiln_interp_launch {
    size_t struct_size;
    unsigned grid[3];                    // default 1
    const uint64_t *arguments;           // the bits of each: an address, an integer, a float in its own format
    size_t argument_count;               // a descriptor takes several: base, sizes, strides, padding
    const kiln_interp_buffer_t *buffers; // ascending addresses, not overlapping
    size_t buffer_count;
    uint64_t limit;                              // operations that may be executed; 0: no bound
    void (*print)(const char *text, void *user); // gets tt.print's lines; NULL: nobody
    void *print_user;
    // Nonzero: undefined elements are taken as what they happen to be on the GPU, zero for what was not loaded and for
    // ub.poison, and neither assumptions nor races are looked at. Real kernels store such values where nobody reads them.
    int lenient;
} kiln_interp_launch_t;
KILN_VERSIONED(kiln_interp_launch)
KILN_API kiln_status_t kiln_interp_launch(kiln_interp_t *interp, const kiln_interp_launch_t *launch);

#ifdef __cplusplus
}
#endif
#endif
