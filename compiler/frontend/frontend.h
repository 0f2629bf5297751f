// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front end's interface: from Tile C text to a verified module of tt.
#ifndef KILN_FRONTEND_H
#define KILN_FRONTEND_H

#include <mlir-c/IR.h>

#include "frontend/core/constants.h"
#include "frontend/core/tuning.h"
#include "frontend/lex/preprocess.h"
#include "kiln/kiln.h"

// Parses and checks the source and emits the kernel that the options select, with their defines and
// argument hints. All diagnostics go to the handler (which may be NULL), errors in source order;
// the status repeats the first, so a caller that shows diagnostics need not show it again. The
// context has the dialects loaded (kiln_context_load_dialects) and belongs to the calling thread
// during the call. The caller owns the module. *out_constants (may be NULL) receives the program's
// constants, *out_expanded (may be NULL) the preprocessed source, NULL if there was nothing to
// preprocess: both must be freed also after a failure.
kiln_status_t kiln_frontend_parse(MlirContext context, const kiln_source_t *source,
                                  const kiln_compile_options_t *options,
                                  kiln_diagnostic_handler_t handler, void *user,
                                  kiln_named_constants_t *out_constants,
                                  kiln_expanded_t **out_expanded, MlirModule *out_module);

// Parses the source and reads only the tuning declarations of the kernel that the options select;
// no constant needs a value. Diagnostics are those of kiln_frontend_parse. *out_tuning must be
// freed also after a failure. Thread-safe.
kiln_status_t kiln_frontend_read_tuning(const kiln_source_t *source,
                                        const kiln_compile_options_t *options,
                                        kiln_diagnostic_handler_t handler, void *user,
                                        kiln_declared_tuning_t *out_tuning);

#endif
