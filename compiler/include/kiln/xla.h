// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XLA's Triton call: the custom call `__gpu$xla.gpu.triton`, with which Pallas, ZML and Enzyme-JAX
// pass TTIR to XLA. Its backend_config is a dictionary in MLIR's syntax:
//
//     {name = "add", ir = "module { tt.func public @add(…) … }", num_stages = 2 : i32, num_warps = 4 : i32,
//      grid_x = 8 : i32, grid_y = 1 : i32, grid_z = 1 : i32, waves_per_eu = 2 : i32}
//
//     kiln_xla_call_read(session, "call.mlir", config, length, &call);
//     kiln_compile_options_initialize(&options);
//     kiln_xla_call_apply(call, &options);
//     kiln_compile(session, kiln_xla_call_source(call), &options, &kernel);
//
// Conventions are those of kiln/kiln.h. A call is immutable; its getters' results are valid as long
// as it.
#ifndef KILN_XLA_H
#define KILN_XLA_H

#include "kiln/kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_xla_call kiln_xla_call_t;

// `text` is the dictionary; `name` is its file name for diagnostics, or NULL. INVALID_INPUT if it
// is not a dictionary, lacks one of name, ir, num_stages, num_warps and grid_x, _y, _z, or has
// invalid values; UNSUPPORTED for more than one CTA per cluster. Fields without meaning on gfx942
// are ignored, unknown fields with a warning.
KILN_API kiln_status_t kiln_xla_call_read(kiln_session_t *session, const char *name,
                                          const char *text, size_t length,
                                          kiln_xla_call_t **out_call);
KILN_API void kiln_xla_call_release(kiln_xla_call_t *call);

// The TTIR, as text or bytecode; its name is the dictionary's file name followed by ":ir".
KILN_API const kiln_source_t *kiln_xla_call_source(const kiln_xla_call_t *call);

// Sets kernel, grid, num_warps, num_stages and waves_per_eu from the call.
KILN_API kiln_status_t kiln_xla_call_apply(const kiln_xla_call_t *call,
                                           kiln_compile_options_t *options);

// Indices of the call's results that must be zeroed before the launch; NULL and 0 if none.
KILN_API const unsigned *kiln_xla_call_zeroed_outputs(const kiln_xla_call_t *call,
                                                      size_t *out_count);

#ifdef __cplusplus
}
#endif
#endif
