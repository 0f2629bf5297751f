// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lattice of ranges. Each of the three parts of a range, the two pairs of bounds and the zeros,
// is a lattice; `kiln_range_settle` tightens each by the others.
//
// Bounds move by more than one if low bits are zero, which may exceed the type's range, so that is
// computed in 128 bits.
#include "analysis/range/range.h"

#include "builder/ir.h"

__extension__ typedef __int128 wide_t;

static int min_of(int a, int b)
{
    return a < b ? a : b;
}

// The number with the same bits.
static uint64_t as_unsigned(int bits, int64_t value)
{
    return (uint64_t)value & kiln_unsigned_max(bits);
}

kiln_range_t kiln_range_of_bits(int bits)
{
    return (kiln_range_t){.bits = bits,
                          .signed_min = kiln_signed_min(bits),
                          .signed_max = kiln_signed_max(bits),
                          .unsigned_min = 0,
                          .unsigned_max = kiln_unsigned_max(bits)};
}

kiln_range_t kiln_range_full(MlirType type)
{
    MlirType element = kiln_type_element(type);
    int bits = mlirTypeIsAInteger(element) ? (int)mlirIntegerTypeGetWidth(element)
               : mlirTypeIsAIndex(element) ? 64
                                           : 0;
    return bits >= 1 && bits <= 64 ? kiln_range_of_bits(bits) : (kiln_range_t){.bits = 0};
}

void kiln_range_limit_signed(kiln_range_t *range, int64_t min, int64_t max)
{
    range->signed_min = min > range->signed_min ? min : range->signed_min;
    range->signed_max = max < range->signed_max ? max : range->signed_max;
}

void kiln_range_limit_unsigned(kiln_range_t *range, uint64_t min, uint64_t max)
{
    range->unsigned_min = min > range->unsigned_min ? min : range->unsigned_min;
    range->unsigned_max = max < range->unsigned_max ? max : range->unsigned_max;
}

static bool is_empty(const kiln_range_t *range)
{
    return range->signed_min > range->signed_max || range->unsigned_min > range->unsigned_max;
}

kiln_range_t kiln_range_settle(kiln_range_t range)
{
    const int bits = range.bits;
    if (!bits)
        return range;
    range.zeros = min_of(range.zeros, bits);
    uint64_t low = range.zeros == 64 ? UINT64_MAX : ((uint64_t)1 << range.zeros) - 1;
    for (int round = 0; round < 2 && !is_empty(&range); round++) {
        range.signed_max = (int64_t)((uint64_t)range.signed_max & ~low);
        range.unsigned_max &= ~low;
        if ((range.signed_min & (int64_t)low) != 0) {
            wide_t up = ((wide_t)range.signed_min | (wide_t)low) + 1;
            if (up > range.signed_max)
                break;
            range.signed_min = (int64_t)up;
        }
        if ((range.unsigned_min & low) != 0) {
            wide_t up = (wide_t)(range.unsigned_min | low) + 1;
            if (up > range.unsigned_max)
                break;
            range.unsigned_min = (uint64_t)up;
        }
        if (is_empty(&range))
            break;
        if (range.signed_min >= 0 || range.signed_max < 0)
            kiln_range_limit_unsigned(&range, as_unsigned(bits, range.signed_min),
                                      as_unsigned(bits, range.signed_max));
        if (range.unsigned_max <= (uint64_t)kiln_signed_max(bits) ||
            range.unsigned_min > (uint64_t)kiln_signed_max(bits))
            kiln_range_limit_signed(&range, kiln_as_signed(bits, range.unsigned_min),
                                    kiln_as_signed(bits, range.unsigned_max));
    }
    if (is_empty(&range))
        return kiln_range_of_bits(bits);
    if (range.unsigned_min == range.unsigned_max)
        range.zeros = range.unsigned_min ? min_of(__builtin_ctzll(range.unsigned_min), bits) : bits;
    return range;
}

kiln_range_t kiln_range_of_signed(int bits, int64_t min, int64_t max)
{
    kiln_range_t range = kiln_range_of_bits(bits);
    kiln_range_limit_signed(&range, min, max);
    return kiln_range_settle(range);
}

kiln_range_t kiln_range_of_unsigned(int bits, uint64_t min, uint64_t max)
{
    kiln_range_t range = kiln_range_of_bits(bits);
    kiln_range_limit_unsigned(&range, min, max);
    return kiln_range_settle(range);
}

kiln_range_t kiln_range_join(const kiln_range_t *a, const kiln_range_t *b)
{
    kiln_range_t range = *a;
    if (a->bits != b->bits)
        return a->bits ? kiln_range_of_bits(a->bits) : *a;
    range.zeros = min_of(a->zeros, b->zeros);
    range.signed_min = b->signed_min < a->signed_min ? b->signed_min : a->signed_min;
    range.signed_max = b->signed_max > a->signed_max ? b->signed_max : a->signed_max;
    range.unsigned_min = b->unsigned_min < a->unsigned_min ? b->unsigned_min : a->unsigned_min;
    range.unsigned_max = b->unsigned_max > a->unsigned_max ? b->unsigned_max : a->unsigned_max;
    return range;
}

kiln_range_t kiln_range_meet(const kiln_range_t *a, const kiln_range_t *b)
{
    kiln_range_t range = *a;
    if (a->bits != b->bits || !a->bits)
        return *a;
    range.zeros = a->zeros > b->zeros ? a->zeros : b->zeros;
    kiln_range_limit_signed(&range, b->signed_min, b->signed_max);
    kiln_range_limit_unsigned(&range, b->unsigned_min, b->unsigned_max);
    return is_empty(&range) ? *a : kiln_range_settle(range);
}

bool kiln_range_equal(const kiln_range_t *a, const kiln_range_t *b)
{
    return a->bits == b->bits && a->zeros == b->zeros && a->signed_min == b->signed_min &&
           a->signed_max == b->signed_max && a->unsigned_min == b->unsigned_min &&
           a->unsigned_max == b->unsigned_max;
}

kiln_range_t kiln_range_widen(const kiln_range_t *before, const kiln_range_t *now)
{
    kiln_range_t range = *now, all = kiln_range_of_bits(now->bits ? now->bits : 1);
    if (!now->bits || before->bits != now->bits)
        return range;
    range.zeros = now->zeros == before->zeros ? now->zeros : 0;
    range.signed_min = now->signed_min == before->signed_min ? now->signed_min : all.signed_min;
    range.signed_max = now->signed_max == before->signed_max ? now->signed_max : all.signed_max;
    range.unsigned_min =
        now->unsigned_min == before->unsigned_min ? now->unsigned_min : all.unsigned_min;
    range.unsigned_max =
        now->unsigned_max == before->unsigned_max ? now->unsigned_max : all.unsigned_max;
    return kiln_range_settle(range);
}

kiln_range_t kiln_range_where(const kiln_range_t *value, kiln_cmpi_t predicate,
                              const kiln_range_t *other)
{
    kiln_range_t range = *value;
    if (!value->bits || value->bits != other->bits)
        return *value;
    switch (predicate) {
    case KILN_CMPI_EQ:
        return kiln_range_meet(value, other);
    case KILN_CMPI_SLT:
        kiln_range_limit_signed(&range, INT64_MIN,
                                other->signed_max == INT64_MIN ? INT64_MIN : other->signed_max - 1);
        break;
    case KILN_CMPI_SLE:
        kiln_range_limit_signed(&range, INT64_MIN, other->signed_max);
        break;
    case KILN_CMPI_SGT:
        kiln_range_limit_signed(
            &range, other->signed_min == INT64_MAX ? INT64_MAX : other->signed_min + 1, INT64_MAX);
        break;
    case KILN_CMPI_SGE:
        kiln_range_limit_signed(&range, other->signed_min, INT64_MAX);
        break;
    case KILN_CMPI_ULT:
        kiln_range_limit_unsigned(&range, 0, other->unsigned_max ? other->unsigned_max - 1 : 0);
        break;
    case KILN_CMPI_ULE:
        kiln_range_limit_unsigned(&range, 0, other->unsigned_max);
        break;
    case KILN_CMPI_UGT:
        kiln_range_limit_unsigned(
            &range, other->unsigned_min == UINT64_MAX ? UINT64_MAX : other->unsigned_min + 1,
            UINT64_MAX);
        break;
    case KILN_CMPI_UGE:
        kiln_range_limit_unsigned(&range, other->unsigned_min, UINT64_MAX);
        break;
    default:
        break;
    }
    return is_empty(&range) ? *value : kiln_range_settle(range);
}
