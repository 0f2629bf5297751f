// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of a code object as JSON; kiln inspect prints it as it is or as text.
#ifndef KILN_CLI_INSPECT_KERNEL_H
#define KILN_CLI_INSPECT_KERNEL_H

#include <jansson.h>

#include "artifact/code_object.h"
#include "lines/lines.h"

// Members of "resources", and their names in the text.
typedef struct kiln_inspect_row {
    const char *member, *title;
    unsigned of; // limit; 0: none
} kiln_inspect_row_t;
const kiln_inspect_row_t *kiln_inspect_rows(size_t *out_count);

// Appends {"name", "resources"} and, if the object contains the code, {"code", "loops",
// "findings"}. `lines` is the object's line table, or NULL.
kiln_status_t kiln_inspect_kernel(const kiln_code_kernel_t *kernel, kiln_lines_t *lines,
                                  json_t *kernels);

// Passes the compiler's findings in an object, of one kernel or of all, to a handler that takes a
// bool, as kiln_launch_diagnostic.
kiln_status_t kiln_inspect_findings(const void *object, size_t size, const char *symbol,
                                    kiln_diagnostic_handler_t finding);

#endif
