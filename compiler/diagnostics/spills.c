// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warns of spilled registers. Scalar registers spill to lanes of vector registers, which costs
// almost nothing, so only spills to memory are reported.
#include <stdlib.h>

#include "base/string.h"
#include "builder/ir.h"
#include "driver/compile_internal.h"

void kiln_compile_warn_of_spills(kiln_compilation_t *c)
{
    const kiln_resources_t *r = &c->kernel->resources;
    if (!r->vgpr_spills)
        return;
    char *message = kiln_string_print(
        "kernel '%s' spills %u vector registers (%u bytes of scratch per lane); smaller "
        "tiles, more warps or fewer stages need fewer registers",
        c->kernel->name, r->vgpr_spills, r->scratch_bytes_per_lane);
    if (!message)
        return;
    kiln_diagnostic_t diagnostic = {.message = message, .file = c->source->name};
    char *file = NULL;
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(c->module));
         !mlirOperationIsNull(op) && !file; op = mlirOperationGetNextInBlock(op))
        if (kiln_op_kind(op) == KILN_OP_TT_FUNC)
            file = kiln_session_place(mlirOperationGetLocation(op), &diagnostic.line,
                                      &diagnostic.column);
    if (file)
        diagnostic.file = file;
    kiln_session_warn(c->session, KILN_WARNING_SPILLS, &diagnostic);
    free(file);
    free(message);
}
