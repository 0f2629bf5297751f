// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enums of the amdg dialect, apart from its operations: those include tt's enums, which must not be made twice.
#ifndef KILN_AMDG_ENUMS_TD
#define KILN_AMDG_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def AMDG_SchedHint : I32EnumAttr<"SchedHint", "", [
    I32EnumAttrCase<"NONE", 0, "none">, I32EnumAttrCase<"ATTENTION", 1, "attention">,
    I32EnumAttrCase<"MEMORY_BOUND_ATTENTION", 2, "memory_bound_attention">]> {
  let cppNamespace = "::kiln::amdg";
  let genSpecializedAttr = 0;
}

#endif
