// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front end's door: Tile C text in, a verified module of tt out.
#ifndef KILN_FRONTEND_H
#define KILN_FRONTEND_H

#include <mlir-c/IR.h>

#include "frontend/constants.h"
#include "frontend/preprocess.h"
#include "kiln/kiln.h"

// Parses and checks the source and emits the kernel that the options choose, with their defines and argument hints. All
// diagnostics go to the handler (which may be NULL), errors in the order of the text; the status repeats the first, so
// whoever shows diagnostics need not show it again. The context has the dialects loaded (kiln_context_load_dialects)
// and belongs to the calling thread during the call. The module is the caller's. *out_constants, which
// may be NULL, gets the program's constants, and *out_expanded, which may be NULL too, the preprocessed source (NULL where
// there was nothing to preprocess): both are to be freed also after a failure.
kiln_status_t kiln_frontend_parse(MlirContext context, const kiln_source_t *source,
                                  const kiln_compile_options_t *options, kiln_diagnostic_handler_t handler, void *user,
                                  kiln_named_constants_t *out_constants, kiln_expanded_t **out_expanded,
                                  MlirModule *out_module);

#endif
