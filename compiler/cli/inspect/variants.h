// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with manifests, of a bundle or next to their code object, for kiln inspect: what a call
// must be like for a loader to choose the kernel, and how it was compiled.
#ifndef KILN_CLI_INSPECT_VARIANTS_H
#define KILN_CLI_INSPECT_VARIANTS_H

#include <jansson.h>

#include "base/bundle_set.h"
#include "base/description.h"
#include "base/string.h"
#include "kiln/kiln.h"

// Appends " x=*f32:16": name, type and demands.
void kiln_described_argument_append(const kiln_described_argument_t *argument, kiln_string_t *text);

// The kernels of all items, or those with this name or symbol (NULL: all), as kiln_inspect_kernel
// gathers them, each with a member "variant": {"number", "name", "constants", "arguments", "grid",
// "options", "arch"}.
// The compiler's findings go to `finding`; NULL: to nobody.
kiln_status_t kiln_inspect_variants(const kiln_bundle_set_t *set, const char *name,
                                    kiln_diagnostic_handler_t finding, json_t *kernels);

// Prints the line or lines of a variant above its kernel; and, of several, a table.
void kiln_inspect_print_variant(const json_t *kernel);
void kiln_inspect_print_table(const json_t *kernels);

#endif
