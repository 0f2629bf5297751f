// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// THE list of LLVM passes between lowering and code generation.
//
// It is short because the lowering folds as it builds and has no memory variables: what is left are redundancies
// between tiles, loop invariants, and what inlined device functions bring. docs/compile_time.md compares the code with
// that of default<O3>.
//
// What is easily got wrong: passes that only help code on CPUs (inliner heuristics, vectorisers, jump threading) cost
// most of default<O3>'s time and change nothing here; code generation adds its own loop strength reduction, address
// splitting and load/store vectoriser.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "codegen/codegen.h"
#include "codegen/codegen_internal.h"

static const char PIPELINE[] = "always-inline,"       // device functions; nothing else is inlined
                               "globaldce,"           // their emptied bodies and unused declarations
                               "function<eager-inv>(" //
                               "early-cse<memssa>,"   // equal addresses and conversions that tiles share
                               "instcombine<no-verify-fixpoint;max-iterations=1>," // selects, casts and shifts become
                                                                                   // the forms that the backend matches
                               "simplifycfg,"     // small masked branches become selects, empty blocks go
                               "loop-mssa(licm)," // address arithmetic that does not change leaves the loops
                               "gvn<>,"           // what became equal across blocks
                               "instcombine<no-verify-fixpoint;max-iterations=1>,"
                               "simplifycfg,"
                               "dce"
                               ")";

kiln_status_t kiln_codegen_run_passes(LLVMTargetMachineRef machine, LLVMModuleRef module, const char *passes)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return KILN_OK;
    char *message = LLVMGetErrorMessage(error);
    kiln_status_t status = kiln_status_make(KILN_STATUS_INTERNAL, "LLVM's passes fail: %s", message);
    LLVMDisposeErrorMessage(message);
    return status;
}

kiln_status_t kiln_codegen_optimize(kiln_codegen_t *codegen, LLVMModuleRef module)
{
    KILN_TRY(kiln_codegen_run_passes(codegen->machine, module, PIPELINE));
    return kiln_codegen_take_error(codegen);
}
