// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The warning that registers spilled. What is easily got wrong: scalar registers spill into lanes of vector registers,
// which costs next to nothing; only what goes to memory is told.
#include <stdlib.h>

#include "builder/ir.h"
#include "compile_internal.h"

void kiln_compile_warn_of_spills(kiln_compilation_t *c)
{
    const kiln_resources_t *r = &c->kernel->resources;
    if (!r->vgpr_spills)
        return;
    char message[512];
    snprintf(message, sizeof message,
             "kernel '%s' spills %u vector registers: %u bytes a lane go to memory and back; smaller tiles, more "
             "warps or fewer stages need fewer registers",
             c->kernel->name, r->vgpr_spills, r->scratch_bytes_per_lane);
    kiln_diagnostic_t diagnostic = {.message = message, .file = c->source->name};
    char *file = NULL;
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(c->module)); !mlirOperationIsNull(op) && !file;
         op = mlirOperationGetNextInBlock(op))
        if (kiln_op_kind(op) == KILN_OP_TT_FUNC)
            file = kiln_session_place(mlirOperationGetLocation(op), &diagnostic.line, &diagnostic.column);
    if (file)
        diagnostic.file = file;
    kiln_session_warn(c->session, KILN_WARNING_SPILLS, &diagnostic);
    free(file);
}
