// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes a kernel without compiling it: interprets tt tile by tile on the host.
//
// The interpreter defines the semantics of programs and reports errors: out-of-bounds accesses,
// uses of undefined values, violated assertions and assumptions; each with source line, program id
// and element index.
//
// Conventions are those of kiln/kiln.h. Program instances run one after another in the order of
// their ids, x fastest; one that waits in a loop for memory to change yields to the others. Inline
// assembly is KILN_STATUS_UNSUPPORTED.
#ifndef KILN_INTERP_H
#define KILN_INTERP_H

#include "kiln/kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_interp kiln_interp_t;

// Reads Tile C or tt (not ttg) and selects the kernel as kiln_compile does. The session must
// outlive the result.
KILN_API kiln_status_t kiln_interp_create(kiln_session_t *session, const kiln_source_t *source,
                                          const kiln_compile_options_t *options,
                                          kiln_interp_t **out_interp);
KILN_API void kiln_interp_release(kiln_interp_t *interp);
KILN_API const char *kiln_interp_name(const kiln_interp_t *interp); // the kernel's
KILN_API kiln_setting_t kiln_interp_constant(const kiln_interp_t *interp,
                                             size_t index); // as kiln_kernel_constant
// As kiln_kernel_reads_program_id and kiln_kernel_declared_grid.
KILN_API bool kiln_interp_reads_program_id(const kiln_interp_t *interp);
KILN_API const char *kiln_interp_declared_grid(const kiln_interp_t *interp);
KILN_API size_t kiln_interp_argument_count(const kiln_interp_t *interp);
// Name, type and divisibility; offset and size are 0.
KILN_API const kiln_argument_t *kiln_interp_argument(const kiln_interp_t *interp, size_t index);

// Memory that the kernel may access. The caller chooses addresses, which need not be host
// addresses. An access outside of its buffer that lands in another one is not detected, so choose
// addresses that are far apart, such as those of kiln_host_address_after (kiln/arguments.h).
typedef struct kiln_interp_buffer {
    const char *name; // for errors
    uint64_t address;
    void *data; // of `size` bytes, on the host
    size_t size;
} kiln_interp_buffer_t;

typedef struct kiln_interp_launch {
    size_t struct_size;
    unsigned grid[3];          // default 1
    const uint64_t *arguments; // bits of each: an address, an integer, or a float in its format
    size_t argument_count;     // a descriptor takes several: base, sizes, strides, padding
    const kiln_interp_buffer_t *buffers; // ascending addresses, not overlapping
    size_t buffer_count;
    uint64_t limit;                              // maximum number of operations; 0: unlimited
    void (*print)(const char *text, void *user); // called with lines of tt.print; NULL: discarded
    void *print_user;
    // Nonzero: undefined elements have the values that the GPU would give them, zero for elements
    // not loaded and for ub.poison, and assumptions and races are not checked. Real kernels store
    // such values where they are never read.
    int lenient;
} kiln_interp_launch_t;
KILN_VERSIONED(kiln_interp_launch)
KILN_API kiln_status_t kiln_interp_launch(kiln_interp_t *interp,
                                          const kiln_interp_launch_t *launch);

#ifdef __cplusplus
}
#endif
#endif
