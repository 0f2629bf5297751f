// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The finding slow-functions: calls of functions of the device library that a few operations
// replace.
//
//   %y = tt.extern_elementwise %x, dense<3.0> {symbol = "__ocml_pow_f32"}    →    x * x * x
//
// A power of any exponent is exp2(y · log2 |x|) with the logarithm to twice the precision, and its
// special cases: about a hundred instructions, or three hundred for f64.
#include <math.h>
#include <string.h>

#include "base/string.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "diagnostics/findings.h"
#include "driver/compile_internal.h"

// The exponent, if it is the same constant in all lanes.
static bool constant_of(MlirValue value, double *out)
{
    int64_t whole;
    MlirOperation op;
    const MlirValue scalar = kiln_ir_scalar_of(value);
    if (kiln_ir_constant_int(value, &whole)) {
        *out = (double)whole;
        return true;
    }
    if (kiln_value_op(mlirValueIsNull(scalar) ? value : scalar, &op) != KILN_OP_ARITH_CONSTANT)
        return false;
    MlirAttribute attribute = kiln_ir_attr(op, "value");
    if (mlirAttributeIsADenseElements(attribute) && mlirDenseElementsAttrIsSplat(attribute))
        attribute = mlirDenseElementsAttrGetSplatValue(attribute);
    if (!mlirAttributeIsAFloat(attribute))
        return false;
    *out = mlirFloatAttrGetValueDouble(attribute);
    return true;
}

// Powers of both signs up to this take at most seven multiplications.
enum { MOST = 16 };

static bool is_short_power(double exponent)
{
    return fabs(exponent) == 0.5 || (exponent == trunc(exponent) && fabs(exponent) <= MOST);
}

static const char *advise(double exponent)
{
    if (exponent == 0)
        return "use the constant 1";
    if (exponent == 1)
        return "use the base itself";
    if (exponent == -1)
        return "divide, as in 1 / x";
    if (fabs(exponent) == 0.5)
        return exponent < 0 ? "use rsqrt" : "use sqrt";
    return exponent < 0 ? "multiply, as in 1 / (x * x) for an exponent of -2"
                        : "multiply, as in x * x for an exponent of 2";
}

static void report(kiln_compilation_t *c, MlirOperation op, double exponent)
{
    kiln_string_t seen = {0};
    if (fabs(exponent) == 0.5)
        kiln_string_appendf(&seen, "this power has the exponent %s0.5", exponent < 0 ? "-" : "");
    else
        kiln_string_appendf(&seen, "this power has the exponent %d", (int)exponent);
    kiln_session_find_text(c->session, KILN_WARNING_SLOW_FUNCTIONS, op, &seen, advise(exponent));
    kiln_string_free(&seen);
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    double exponent;
    if (kiln_op_kind(op) != KILN_OP_TT_EXTERN_ELEMENTWISE || mlirOperationGetNumOperands(op) != 2)
        return MlirWalkResultAdvance;
    const MlirAttribute symbol = kiln_ir_attr(op, "symbol");
    if (mlirAttributeIsNull(symbol) || !mlirAttributeIsAString(symbol))
        return MlirWalkResultAdvance;
    const MlirStringRef name = mlirStringAttrGetValue(symbol);
    static const char prefix[] = "__ocml_pow"; // pow, powr and pown of all types
    if (name.length >= sizeof prefix - 1 && memcmp(name.data, prefix, sizeof prefix - 1) == 0 &&
        constant_of(kiln_op_operand(op, 1), &exponent) && is_short_power(exponent))
        report(user, op, exponent);
    return MlirWalkResultAdvance;
}

void kiln_compile_find_operations(kiln_compilation_t *c)
{
    kiln_compile_find_stores(c);
    if (kiln_warning_is_enabled(&c->diagnostics->searched, KILN_WARNING_SLOW_FUNCTIONS))
        kiln_walk(mlirModuleGetOperation(c->module), MlirWalkPreOrder, visit, c);
}
