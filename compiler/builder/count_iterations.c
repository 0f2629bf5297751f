// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trip counts from constant bounds, for passes and for the interpreter.
#include "builder/count_iterations.h"

bool kiln_for_is_unsigned(MlirOperation loop)
{
    return !mlirAttributeIsNull(kiln_ir_attr(loop, "unsignedCmp"));
}

bool kiln_count_iterations(uint64_t lower, uint64_t upper, uint64_t step, int bits,
                           bool is_unsigned, uint64_t *out)
{
    *out = 0;
    bool any = is_unsigned ? kiln_without_sign(lower, bits) < kiln_without_sign(upper, bits)
                           : kiln_with_sign(lower, bits) < kiln_with_sign(upper, bits);
    if (!any)
        return true;
    if (is_unsigned ? !kiln_without_sign(step, bits) : kiln_with_sign(step, bits) <= 0)
        return false;
    *out = (kiln_without_sign(upper - lower, bits) - 1) / kiln_without_sign(step, bits) + 1;
    return true;
}
