// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations and regions of bytecode: indices are in range, regions define as many values as they
// declare, and use-list orders are permutations of the actual uses.
//
// Note that a value may be used before its definition, and until its region ends; so its use-list
// order is checked when the region is left, not where it is read.
#include <stdlib.h>

#include "base/array.h"
#include "bytecode/bytecode.h"

enum { IR_SECTION = 4 };

enum {
    HAS_ATTRIBUTES = 1,
    HAS_RESULTS = 2,
    HAS_OPERANDS = 4,
    HAS_SUCCESSORS = 8,
    HAS_REGIONS = 16,
    HAS_ORDERS = 32,
    HAS_PROPERTIES = 64,
    KNOWN = 127
};

typedef struct value {
    unsigned uses;
    bool is_pairs; // the order is pairs (from, to), not one number for each use
    size_t order_count;
    kiln_bytes_t order; // numbers; NULL if the file has none
} value_t;

// Values visible inside an operation that is isolated from above. Regions within it add theirs and
// remove them at their end.
typedef struct scope {
    value_t *values;
    size_t count, capacity;
} scope_t;

typedef struct region {
    size_t blocks, defined, end; // values defined so far, and the end of those of the region
    unsigned level;
} region_t;

static kiln_status_t check_region(const kiln_bytecode_t *code, kiln_bytes_t *bytes, scope_t *scope,
                                  unsigned level);

static kiln_status_t push(scope_t *scope, size_t count)
{
    if (!KILN_ARRAY_RESERVE(&scope->values, &scope->capacity, scope->count + count))
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < count; i++)
        scope->values[scope->count++] = (value_t){0};
    return KILN_OK;
}

// Orders of uses ----------------------------------------------------------------------------------

// Orders for some of the `count` values that begin with `first`.
static kiln_status_t take_orders(const kiln_bytecode_t *code, kiln_bytes_t *bytes, scope_t *scope,
                                 size_t first, size_t count)
{
    size_t orders = 1, index = 0, length;
    if (!count)
        return kiln_bytecode_refuse(code, bytes->at, "a use order without a value");
    if (count > 1)
        KILN_TRY(kiln_bytecode_count(code, bytes, "use orders", &orders));
    if (!orders)
        return kiln_bytecode_refuse(code, bytes->at, "a missing use order");
    for (; orders; orders--) {
        const unsigned char *at = bytes->at;
        uint64_t number;
        if (count > 1)
            KILN_TRY(kiln_bytecode_index(code, bytes, "value", count, &index));
        KILN_TRY(kiln_bytecode_number(code, bytes, "the length of a use order", &number));
        if (number >> 1 > (size_t)(bytes->end - bytes->at))
            return kiln_bytecode_refuse(
                code, at, "a use order of %llu uses with only %zu bytes left",
                (unsigned long long)(number >> 1), (size_t)(bytes->end - bytes->at));
        value_t *value = &scope->values[first + index];
        if (value->order.at)
            return kiln_bytecode_refuse(code, at, "a duplicate use order of one value");
        length = (size_t)(number >> 1);
        value->is_pairs = number & 1;
        value->order_count = length;
        value->order = *bytes;
        for (; length; length--)
            KILN_TRY(kiln_bytecode_number(code, bytes, "an order", &number));
        value->order.end = bytes->at;
    }
    return KILN_OK;
}

// The numbers must be below the number of uses; the reader rejects duplicates.
static kiln_status_t check_order(const kiln_bytecode_t *code, const value_t *value)
{
    kiln_bytes_t bytes = value->order;
    size_t index;
    if (!bytes.at || value->uses < 2)
        return KILN_OK;
    if (value->is_pairs ? value->order_count % 2 : value->order_count != value->uses)
        return kiln_bytecode_refuse(code, bytes.at, "a use order of %zu numbers for %u uses",
                                    value->order_count, value->uses);
    while (bytes.at < bytes.end)
        KILN_TRY(kiln_bytecode_index(code, &bytes, "use", value->uses, &index));
    return KILN_OK;
}

// Operations --------------------------------------------------------------------------------------

static kiln_status_t define(const kiln_bytecode_t *code, const unsigned char *at, region_t *region,
                            size_t count, size_t *out_first)
{
    if (count > region->end - region->defined)
        return kiln_bytecode_refuse(code, at, "more values than their region defines");
    *out_first = region->defined;
    region->defined += count;
    return KILN_OK;
}

static kiln_status_t take_regions(const kiln_bytecode_t *code, kiln_bytes_t *bytes, scope_t *scope,
                                  unsigned level)
{
    const unsigned char *at = bytes->at;
    uint64_t number;
    KILN_TRY(kiln_bytecode_number(code, bytes, "a number of regions", &number));
    const bool is_isolated = number & 1;
    kiln_bytes_t section, *from = bytes;
    if (!(number >>= 1))
        return KILN_OK;
    if (is_isolated && code->version >= 2) {
        unsigned kind;
        const unsigned char *start = bytes->at;
        KILN_TRY(kiln_bytecode_section(code, bytes, &kind, &section));
        if (kind != IR_SECTION)
            return kiln_bytecode_refuse(code, start, "a section of kind %u, expected regions",
                                        kind);
        from = &section;
    }
    if (number > (size_t)(from->end - from->at))
        return kiln_bytecode_refuse(code, at,
                                    "%llu regions are more than the %zu bytes left can hold",
                                    (unsigned long long)number, (size_t)(from->end - from->at));
    scope_t own = {0};
    kiln_status_t status = KILN_OK;
    for (; number && !status; number--)
        status = check_region(code, from, is_isolated ? &own : scope, level + 1);
    free(own.values);
    KILN_TRY(status);
    return from == bytes ? KILN_OK : kiln_bytecode_end(code, from, "the regions of an operation");
}

static kiln_status_t check_operation(const kiln_bytecode_t *code, kiln_bytes_t *bytes,
                                     scope_t *scope, region_t *region)
{
    const unsigned char *start = bytes->at;
    size_t index, count, results = 0, first = 0;
    unsigned mask;
    KILN_TRY(
        kiln_bytecode_index(code, bytes, "name of an operation", code->operation_count, &index));
    KILN_TRY(kiln_bytecode_byte(code, bytes, "an operation's mask", &mask));
    if (mask & ~(unsigned)KNOWN)
        return kiln_bytecode_refuse(code, start, "an operation with unknown parts");
    KILN_TRY(kiln_bytecode_index(code, bytes, "attribute", code->attributes.count,
                                 &index)); // its location
    if (mask & HAS_ATTRIBUTES)
        KILN_TRY(kiln_bytecode_index(code, bytes, "attribute", code->attributes.count, &index));
    if (mask & HAS_PROPERTIES) {
        if (code->version < 5)
            return kiln_bytecode_refuse(
                code, start,
                "an operation with properties, which version %u of the format does not support",
                (unsigned)code->version);
        KILN_TRY(kiln_bytecode_index(code, bytes, "properties", code->property_count, &index));
    }
    if (mask & HAS_RESULTS) {
        KILN_TRY(kiln_bytecode_count(code, bytes, "results", &results));
        for (size_t i = 0; i < results; i++)
            KILN_TRY(kiln_bytecode_index(code, bytes, "type", code->types.count, &index));
    }
    if (mask & HAS_OPERANDS) {
        KILN_TRY(kiln_bytecode_count(code, bytes, "operands", &count));
        for (; count; count--) {
            KILN_TRY(kiln_bytecode_index(code, bytes, "value", scope->count, &index));
            scope->values[index].uses++;
        }
    }
    if (mask & HAS_SUCCESSORS) {
        KILN_TRY(kiln_bytecode_count(code, bytes, "successors", &count));
        for (; count; count--)
            KILN_TRY(kiln_bytecode_index(code, bytes, "block", region->blocks, &index));
    }
    const bool is_outermost = region->level == 0; // its values are not numbered
    if (!is_outermost)
        KILN_TRY(define(code, start, region, results, &first));
    if (mask & HAS_ORDERS && code->version >= 3) {
        if (is_outermost)
            return kiln_bytecode_refuse(code, bytes->at,
                                        "a use order of a value that cannot have uses");
        KILN_TRY(take_orders(code, bytes, scope, first, results));
    }
    return mask & HAS_REGIONS ? take_regions(code, bytes, scope, region->level) : KILN_OK;
}

// Regions -----------------------------------------------------------------------------------------

static kiln_status_t take_arguments(const kiln_bytecode_t *code, kiln_bytes_t *bytes,
                                    scope_t *scope, region_t *region)
{
    const unsigned char *start = bytes->at;
    size_t count, index, first = 0;
    KILN_TRY(kiln_bytecode_count(code, bytes, "arguments of a block", &count));
    for (size_t i = 0; i < count; i++) {
        const unsigned char *at = bytes->at;
        uint64_t type;
        bool has_location = true;
        KILN_TRY(kiln_bytecode_number(code, bytes, "an argument's type", &type));
        if (code->version >= 4) {
            has_location = type & 1;
            type >>= 1;
        }
        if (type >= code->types.count)
            return kiln_bytecode_refuse(code, at, "type %llu is out of range of %zu",
                                        (unsigned long long)type, code->types.count);
        if (has_location)
            KILN_TRY(kiln_bytecode_index(code, bytes, "attribute", code->attributes.count, &index));
    }
    KILN_TRY(define(code, start, region, count, &first));
    if (code->version < 3)
        return KILN_OK;
    unsigned has_orders;
    KILN_TRY(kiln_bytecode_byte(code, bytes, "the use order flag", &has_orders));
    return has_orders ? take_orders(code, bytes, scope, first, count) : KILN_OK;
}

static kiln_status_t check_block(const kiln_bytecode_t *code, kiln_bytes_t *bytes, scope_t *scope,
                                 region_t *region)
{
    uint64_t operations;
    KILN_TRY(kiln_bytecode_number(code, bytes, "a number of operations", &operations));
    if (operations & 1)
        KILN_TRY(take_arguments(code, bytes, scope, region));
    for (operations >>= 1; operations; operations--)
        KILN_TRY(check_operation(code, bytes, scope, region));
    return KILN_OK;
}

static kiln_status_t check_region(const kiln_bytecode_t *code, kiln_bytes_t *bytes, scope_t *scope,
                                  unsigned level)
{
    const unsigned char *start = bytes->at;
    region_t region = {.level = level};
    size_t values;
    if (level > KILN_BYTECODE_DEPTH)
        return kiln_bytecode_refuse(code, start, "regions are nested more than %d levels deep",
                                    KILN_BYTECODE_DEPTH);
    KILN_TRY(kiln_bytecode_count(code, bytes, "blocks", &region.blocks));
    if (!region.blocks)
        return KILN_OK;
    KILN_TRY(kiln_bytecode_count(code, bytes, "values", &values));
    const size_t first = region.defined = scope->count;
    KILN_TRY(push(scope, values));
    region.end = scope->count;
    for (size_t i = 0; i < region.blocks; i++)
        KILN_TRY(check_block(code, bytes, scope, &region));
    if (region.defined != region.end)
        return kiln_bytecode_refuse(code, start, "a region of %zu values defines %zu", values,
                                    region.defined - first);
    for (size_t i = first; i < region.end; i++)
        KILN_TRY(check_order(code, &scope->values[i]));
    scope->count = first;
    return KILN_OK;
}

kiln_status_t kiln_bytecode_check_ir(const kiln_bytecode_t *code, kiln_bytes_t section)
{
    scope_t scope = {0};
    region_t outermost = {0};
    KILN_TRY(check_block(code, &section, &scope, &outermost));
    return kiln_bytecode_end(code, &section, "the operations");
}
