// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XLA's Triton call: the custom call `__gpu$xla.gpu.triton`, by which Pallas, ZML and Enzyme-JAX hand TTIR to XLA. Its
// backend_config is a dictionary in MLIR's syntax:
//
//     {name = "add", ir = "module { tt.func public @add(…) … }", num_stages = 2 : i32, num_warps = 4 : i32,
//      grid_x = 8 : i32, grid_y = 1 : i32, grid_z = 1 : i32, waves_per_eu = 2 : i32}
//
//     kiln_xla_call_read(session, "call.mlir", config, length, &call);
//     kiln_compile_options_initialize(&options);
//     kiln_xla_call_apply(call, &options);
//     kiln_compile(session, kiln_xla_call_source(call), &options, &kernel);
//
// Conventions are those of kiln/kiln.h. A call is immutable; what its getters return lives as long as it does.
#ifndef KILN_XLA_H
#define KILN_XLA_H

#include "kiln/kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_xla_call kiln_xla_call_t;

// `text` is the dictionary; `name` is its file's, for diagnostics, or NULL. INVALID_INPUT where it is none, lacks one of
// name, ir, num_stages, num_warps and grid_x, _y, _z, or holds what they can't be; UNSUPPORTED for more than one CTA in a
// cluster. Fields that mean nothing on gfx942 are passed over, those that Kiln doesn't know with a warning.
KILN_API kiln_status_t kiln_xla_call_read(kiln_session_t *session, const char *name, const char *text, size_t length,
                                          kiln_xla_call_t **out_call);
KILN_API void kiln_xla_call_release(kiln_xla_call_t *call);

// The TTIR, as text or bytecode; its name is that of the dictionary's file with ":ir" behind it.
KILN_API const kiln_source_t *kiln_xla_call_source(const kiln_xla_call_t *call);

// Sets kernel, grid, num_warps, num_stages and waves_per_eu as the call says.
KILN_API kiln_status_t kiln_xla_call_apply(const kiln_xla_call_t *call, kiln_compile_options_t *options);

// Which of the call's results hold zeros before the launch, by their numbers; NULL and 0 where none do.
KILN_API const unsigned *kiln_xla_call_zeroed_outputs(const kiln_xla_call_t *call, size_t *out_count);

#ifdef __cplusplus
}
#endif
#endif
