// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the number of waves of a module; see waves.h.
//
// Note that a module without "ttg.num-warps" is not ttg, even if it has layouts.
#include "analysis/waves/waves.h"

#include "base/gfx942.h"
#include "builder/ir.h"

enum { MAX_WAVES = 16 };

static kiln_status_t refuse(MlirOperation module, const char *attribute, int64_t value,
                            const char *why)
{
    return kiln_status_at_op(kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                              "the module's attribute \"%s\" is %lld; %s",
                                              attribute, (long long)value, why),
                             module);
}

// The dialect's verifier has checked that they are numbers and a string.
kiln_status_t kiln_waves_of_module(MlirModule module, int *out_count)
{
    static const char target[] = "hip:gfx942";
    MlirOperation op = mlirModuleGetOperation(module);
    MlirAttribute given = kiln_ir_attr(op, "ttg.target");
    int64_t waves = kiln_ir_int_attr(op, "ttg.num-warps", 0),
            groups = kiln_ir_int_attr(op, "ttg.num-ctas", 1),
            lanes = kiln_ir_int_attr(op, "ttg.threads-per-warp", KILN_GFX942_LANES);
    if (waves < 1 || waves > MAX_WAVES || (waves & (waves - 1)))
        return refuse(
            op, "ttg.num-warps", waves,
            waves
                ? "expected a power of two from 1 to 16"
                : "expected a power of two from 1 to 16 (for a tt program set its `stage` to tt)");
    if (lanes != KILN_GFX942_LANES)
        return refuse(op, "ttg.threads-per-warp", lanes, "expected 64, the lanes of a gfx942 wave");
    if (groups != 1)
        return refuse(op, "ttg.num-ctas", groups, "expected 1: gfx942 has no workgroup clusters");
    if (!mlirAttributeIsNull(given) &&
        !mlirStringRefEqual(mlirStringAttrGetValue(given), mlirStringRefCreateFromCString(target)))
        return kiln_status_at_op(
            kiln_status_make(KILN_STATUS_INVALID_INPUT,
                             "the module's attribute \"ttg.target\" is \"%.*s\"; expected \"%s\"",
                             (int)mlirStringAttrGetValue(given).length,
                             mlirStringAttrGetValue(given).data, target),
            op);
    *out_count = (int)waves;
    return KILN_OK;
}
