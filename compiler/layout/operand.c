// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches for the best swizzle of a buffer. The parameters vec, perPhase and maxPhase have few
// useful values, and the bank model counts the cost of each exactly. Narrow accesses can be as free
// of conflicts as wide ones, but each takes an issue slot.
//
// Note that if K is not the contiguous dimension in memory and a thread holds several K, the store
// transposes the buffer.
#include "layout/operand.h"

#include <mlir-c/BuiltinTypes.h>

#include "layout/convert.h"
#include "layout/lds.h"

enum {
    MAX_VEC_BYTES = 16,
    READ_WEIGHT = 2,
    ISSUE_CYCLES =
        2, // of an access on top of those in LDS: an issue slot, often an address, a wait
};

typedef struct search {
    const kiln_layout_t *store, *load;
    int element_bits;
    int64_t shape[KILN_MAX_RANK];
    kiln_swizzled_shared_t best;
    kiln_swizzle_t best_swizzle;
    long best_cycles;
    bool no_conflicts; // of the best
} search_t;

// Cycles and number of all accesses of one side.
static long side_cost(const kiln_layout_t *side, const kiln_layout_t *lds, int element_bits,
                      kiln_lds_direction_t direction)
{
    kiln_layout_t to_lds = kiln_layout_to_lds(side, lds);
    long accesses =
        (1L << side->bits[KILN_REGISTER]) / kiln_layout_lds_access(&to_lds, element_bits).vector;
    return kiln_lds_side_cycles(side, lds, element_bits, direction) + ISSUE_CYCLES * accesses;
}

static void try_layout(search_t *search, const kiln_swizzled_shared_t *shared,
                       kiln_swizzle_t swizzle)
{
    kiln_layout_t lds;
    if (!kiln_layout_shared(shared, swizzle, search->shape, &lds))
        return;
    int bits = search->element_bits;
    long cycles = side_cost(search->store, &lds, bits, KILN_LDS_WRITE) +
                  READ_WEIGHT * side_cost(search->load, &lds, bits, KILN_LDS_READ);
    if (search->best_cycles >= 0 && cycles >= search->best_cycles)
        return;
    kiln_layout_t write = kiln_layout_to_lds(search->store, &lds),
                  read = kiln_layout_to_lds(search->load, &lds);
    search->no_conflicts = kiln_layout_bank_conflicts(&write, bits, KILN_LDS_WRITE) == 0 &&
                           kiln_layout_bank_conflicts(&read, bits, KILN_LDS_READ) == 0;
    search->best_cycles = cycles;
    search->best = *shared;
    search->best_swizzle = swizzle;
}

static void try_phases(search_t *search, kiln_swizzled_shared_t shared)
{
    int64_t columns = search->shape[shared.order[0]], rows = search->shape[shared.order[1]];
    for (int per_phase = 1; per_phase <= 8 && per_phase < rows; per_phase *= 2)
        for (int max_phase = 2; max_phase <= 16 && max_phase * shared.vec <= columns;
             max_phase *= 2) {
            shared.per_phase = per_phase;
            shared.max_phase = max_phase;
            try_layout(search, &shared, KILN_SWIZZLE_XOR);
            if (per_phase * max_phase < rows)
                try_layout(search, &shared, KILN_SWIZZLE_ROTATING);
        }
}

// All swizzles with `fast` as the fastest dimension, the simplest first, then those whose vectors
// match the width of one load; ends at the first without conflicts.
static void try_order(search_t *search, int fast)
{
    int rank = search->store->rank;
    kiln_swizzled_shared_t shared = {
        .rank = rank, .vec = 1, .per_phase = 1, .max_phase = 1, .order = {fast}};
    for (int d = rank - 1, at = 1; d >= 0; d--)
        if (d != fast)
            shared.order[at++] = d;
    search->no_conflicts = false;
    try_layout(search, &shared, KILN_SWIZZLE_XOR);
    kiln_layout_t plain;
    if (rank < 2 || search->no_conflicts ||
        !kiln_layout_shared(&shared, KILN_SWIZZLE_XOR, search->shape, &plain))
        return;
    kiln_layout_t read = kiln_layout_to_lds(search->load, &plain);
    int natural = kiln_layout_lds_access(&read, search->element_bits).vector;
    int widest = MAX_VEC_BYTES / kiln_lds_element_bytes(search->element_bits);
    shared.vec = natural;
    try_phases(search, shared);
    for (shared.vec = 1; shared.vec <= widest && !search->no_conflicts; shared.vec *= 2)
        if (shared.vec != natural)
            try_phases(search, shared);
}

kiln_swizzled_shared_t kiln_layout_shared_for(const kiln_layout_t *store, const kiln_layout_t *load,
                                              int element_bits, int k_dim,
                                              kiln_swizzle_t *out_swizzle)
{
    search_t search = {
        .store = store, .load = load, .element_bits = element_bits, .best_cycles = -1};
    for (int d = 0; d < store->rank; d++)
        search.shape[d] = (int64_t)1 << store->log2_shape[d];
    try_order(&search, k_dim);
    for (int d = store->rank - 1; d >= 0 && d >= store->rank - 2; d--)
        if (d != k_dim && !search.no_conflicts)
            try_order(&search, d);
    *out_swizzle = search.best_swizzle;
    return search.best;
}

kiln_status_t kiln_shared_encoding_for(MlirType stored, MlirType loaded, int num_warps, int k_dim,
                                       MlirAttribute *out)
{
    kiln_layout_t store, load;
    KILN_TRY(kiln_layout_of_type(stored, num_warps, &store));
    KILN_TRY(kiln_layout_of_type(loaded, num_warps, &load));
    MlirType element = mlirShapedTypeGetElementType(stored);
    int bits = 64;
    if (mlirTypeIsAInteger(element))
        bits = (int)mlirIntegerTypeGetWidth(element);
    else if (mlirTypeIsAFloat(element))
        bits = (int)mlirFloatTypeGetWidth(element);
    kiln_swizzle_t swizzle;
    kiln_swizzled_shared_t shared = kiln_layout_shared_for(&store, &load, bits, k_dim, &swizzle);
    MlirContext context = mlirTypeGetContext(stored);
    *out = swizzle == KILN_SWIZZLE_ROTATING ? kiln_rotating_shared_attr(context, &shared)
                                            : kiln_swizzled_shared_attr(context, &shared);
    return KILN_OK;
}
