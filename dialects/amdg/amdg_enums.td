// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enums of the amdg dialect, in a separate file because its operations include tt's enums, which
// must be defined only once.
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
