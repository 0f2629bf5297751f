// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates, joins and weakens facts about the elements of a value; see facts.h. All numbers are
// powers of two, so a greatest common divisor is a minimum.
//
// Note that contiguity of pointers counts elements but their divisibility counts bytes, so relating
// the two requires the size of the pointee.
#include "analysis/axis/facts.h"

#include <mlir-c/BuiltinAttributes.h>

#include "builder/ir.h"

int64_t kiln_axis_power_in(int64_t value)
{
    // Unsigned, because the smallest number has no negation.
    uint64_t bits = (uint64_t)value, lowest = bits & -bits;
    return lowest == 0 || lowest > (uint64_t)KILN_AXIS_MAX ? KILN_AXIS_MAX : (int64_t)lowest;
}

int64_t kiln_axis_floor_power(int64_t value)
{
    return value < 1 ? 1 : (int64_t)1 << (63 - __builtin_clzll((unsigned long long)value));
}

int64_t kiln_axis_step(MlirType type)
{
    MlirType element = kiln_type_element(type);
    if (!kiln_type_is_ptr(element))
        return 1;
    int bits = kiln_type_bits(kiln_ptr_pointee(element));
    return bits > 8 ? bits / 8 : 1;
}

int64_t kiln_axis_size(MlirType type, int dim)
{
    return kiln_type_is_tensor(type) ? kiln_axis_floor_power(kiln_type_dim(type, dim)) : 1;
}

kiln_axis_info_t kiln_axis_unknown(MlirType type)
{
    kiln_axis_info_t info = {.rank = kiln_type_is_tensor(type) ? kiln_type_rank(type) : 1};
    for (int d = 0; d < KILN_MAX_RANK; d++) {
        info.contiguity[d] = info.divisibility[d] = info.constancy[d] = info.run[d] = 1;
        info.steps[d] = kiln_axis_no_steps;
    }
    return info;
}

// Returns the value as a signed number of the type's width; booleans are 0 and 1.
static int64_t wrap(MlirType type, int64_t value)
{
    int bits = kiln_type_bits(type);
    if (bits == 1)
        return value & 1;
    return bits >= 64 ? value : (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
}

kiln_axis_info_t kiln_axis_constant(MlirType type, int64_t value)
{
    value = wrap(type, value);
    kiln_axis_info_t info = kiln_axis_unknown(type);
    info.is_constant = true;
    info.constant = value;
    for (int d = 0; d < info.rank; d++) {
        info.divisibility[d] = kiln_axis_power_in(value);
        info.constancy[d] = kiln_axis_size(type, d);
    }
    return info;
}

int64_t kiln_axis_divisibility_in(const kiln_axis_info_t *info, int dim, int64_t contiguity,
                                  int64_t step)
{
    if (info->contiguity[dim] <= contiguity)
        return info->divisibility[dim];
    return kiln_axis_min(info->divisibility[dim], contiguity * step);
}

kiln_axis_steps_t kiln_axis_fewer_steps(kiln_axis_steps_t steps, int64_t count, int64_t unit)
{
    if (count >= steps.count)
        return steps;
    if (count < 2)
        return kiln_axis_no_steps;
    return (kiln_axis_steps_t){steps.width, (int32_t)count,
                               (int32_t)kiln_axis_min(steps.multiple, count * unit)};
}

kiln_axis_steps_t kiln_axis_steps_within(kiln_axis_steps_t steps, int64_t group, int64_t unit)
{
    return steps.width < 2 ? kiln_axis_no_steps
                           : kiln_axis_fewer_steps(steps, group / steps.width, unit);
}

kiln_axis_steps_t kiln_axis_steps_of_multiples(kiln_axis_steps_t steps, int64_t multiple)
{
    if (steps.width > 1)
        steps.multiple = (int32_t)kiln_axis_min(steps.multiple, multiple);
    return steps;
}

static kiln_axis_steps_t join_steps(kiln_axis_steps_t a, kiln_axis_steps_t b, int64_t unit)
{
    if (a.width != b.width || a.width < 2)
        return kiln_axis_no_steps;
    const int64_t count = kiln_axis_min(a.count, b.count);
    return kiln_axis_steps_of_multiples(kiln_axis_fewer_steps(a, count, unit),
                                        kiln_axis_fewer_steps(b, count, unit).multiple);
}

kiln_axis_info_t kiln_axis_join(const kiln_axis_info_t *a, const kiln_axis_info_t *b, MlirType type)
{
    kiln_axis_info_t info = kiln_axis_unknown(type);
    if (a->rank != b->rank)
        return info;
    int64_t step = kiln_axis_step(type);
    info.is_constant = a->is_constant && b->is_constant && a->constant == b->constant;
    info.constant = info.is_constant ? a->constant : 0;
    for (int d = 0; d < a->rank; d++) {
        int64_t contiguity = kiln_axis_min(a->contiguity[d], b->contiguity[d]);
        info.contiguity[d] = contiguity;
        info.divisibility[d] = kiln_axis_min(kiln_axis_divisibility_in(a, d, contiguity, step),
                                             kiln_axis_divisibility_in(b, d, contiguity, step));
        info.constancy[d] = kiln_axis_min(a->constancy[d], b->constancy[d]);
        info.run[d] = kiln_axis_min(a->run[d], b->run[d]);
        info.steps[d] = join_steps(a->steps[d], b->steps[d], step);
    }
    return info;
}

bool kiln_axis_equal(const kiln_axis_info_t *a, const kiln_axis_info_t *b)
{
    bool same =
        a->rank == b->rank && a->is_constant == b->is_constant && a->constant == b->constant;
    for (int d = 0; d < a->rank && same; d++)
        same = a->contiguity[d] == b->contiguity[d] && a->divisibility[d] == b->divisibility[d] &&
               a->constancy[d] == b->constancy[d] && a->run[d] == b->run[d] &&
               a->steps[d].width == b->steps[d].width && a->steps[d].count == b->steps[d].count &&
               a->steps[d].multiple == b->steps[d].multiple;
    return same;
}

// Hints -------------------------------------------------------------------------------------------

static int64_t hint_at(MlirAttribute hint, int dim)
{
    if (mlirAttributeIsNull(hint))
        return 1;
    if (mlirAttributeIsAInteger(hint))
        return dim == 0 ? mlirIntegerAttrGetValueInt(hint) : 1;
    if (mlirAttributeIsADenseI32Array(hint))
        return dim < mlirDenseArrayGetNumElements(hint) ? mlirDenseI32ArrayGetElement(hint, dim)
                                                        : 1;
    if (!mlirAttributeIsADenseElements(hint))
        return 1;
    MlirType element = mlirShapedTypeGetElementType(mlirAttributeGetType(hint));
    if (!mlirTypeIsAInteger(element) || dim >= mlirElementsAttrGetNumElements(hint))
        return 1;
    if (mlirIntegerTypeGetWidth(element) == 32)
        return mlirDenseElementsAttrGetInt32Value(hint, dim);
    return mlirIntegerTypeGetWidth(element) == 64 ? mlirDenseElementsAttrGetInt64Value(hint, dim)
                                                  : 1;
}

static void raise_to(int64_t *value, int64_t hint)
{
    int64_t power = hint < 1 ? 1 : kiln_axis_power_in(hint);
    *value = kiln_axis_max(*value, power);
}

void kiln_axis_apply_hints(kiln_axis_info_t *info, MlirType type, MlirAttribute divisibility,
                           MlirAttribute contiguity, MlirAttribute constancy)
{
    for (int d = 0; d < info->rank; d++) {
        // A hint about the groups replaces facts about smaller ones.
        int64_t group = kiln_axis_min(hint_at(contiguity, d), kiln_axis_size(type, d)),
                multiple = hint_at(divisibility, d);
        raise_to(&info->contiguity[d], group);
        raise_to(&info->run[d], group);
        // The hint describes the first number of a run; if the run is known to be split, also the
        // first numbers of its parts.
        if (info->contiguity[d] < info->run[d])
            multiple = kiln_axis_min(multiple, info->contiguity[d] * kiln_axis_step(type));
        raise_to(&info->divisibility[d], multiple);
        raise_to(&info->constancy[d],
                 kiln_axis_min(hint_at(constancy, d), kiln_axis_size(type, d)));
    }
}
