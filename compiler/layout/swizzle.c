// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scratch layout of a conversion through LDS, computed rather than searched: 128-byte rows (all banks once) such
// that the lanes which one side's access serves together never meet in a bank, for both sides at once.
//
// Let A be the span of the elements that one lane group of the writer touches, and B the reader's; neither has more
// elements than a row. Lanes conflict where two of them differ by a vector that only changes the row. So the row
// vectors must span a common complement of A and B, and over any field two subspaces of one dimension have one: if a_i
// span A modulo A∩B, and b_i span B modulo A∩B, it is spanned by the a_i + b_i and by a complement of A + B.
//
// The thing one gets wrong: the vector at the bottom of the offset may serve one side only. The other side's accesses
// are narrower then, its lane groups larger, and A and B differ in what they contain; so each candidate for the vector
// is planned and priced whole.
#include "layout/convert.h"

#include "layout/lds.h"
#include "layout/span.h"

enum { ROW_BYTES = 128, DWORD_BYTES = 4, MAX_ACCESS_BYTES = 16, MAX_VECTORS = 32 };
// Rounds are added until the scratch is no larger than this; small enough not to limit occupancy, large enough that
// barriers don't matter.
enum { COMFORTABLE_BYTES = 16 << 10, MOST_BYTES = 32 << 10 }; // of 64 KiB, which loops also keep buffers in

typedef struct vectors {
    int count;
    uint32_t at[MAX_VECTORS];
} vectors_t;

typedef struct problem {
    const kiln_layout_t *source, *destination;
    int element_bytes, element_bits;
    int bits;        // of the element index
    uint32_t rounds; // element bits that choose the round
} problem_t;

static int log2_of(int value)
{
    return 31 - __builtin_clz((unsigned)value);
}

static bool has_register(const kiln_layout_t *layout, uint32_t vector)
{
    for (int i = 0; i < layout->bits[KILN_REGISTER]; i++)
        if (layout->basis[KILN_REGISTER][i] == vector)
            return true;
    return false;
}

// Adds the vector to the list if it is independent of what the span has.
static bool push(vectors_t *list, kiln_span_t *span, uint32_t vector)
{
    if (!kiln_span_insert(span, vector))
        return false;
    list->at[list->count++] = vector;
    return true;
}

// Rounds ---------------------------------------------------------------------------------------------------------

// An element bit that in this layout is one register bit's alone.
static bool bit_is_register(const kiln_layout_t *layout, uint32_t bit)
{
    int owners = 0;
    for (int p = 0; p < KILN_PLACES; p++)
        for (int i = 0; i < layout->bits[p]; i++)
            if (layout->basis[p][i] & bit) {
                if (p != KILN_REGISTER || layout->basis[p][i] != bit)
                    return false;
                owners++;
            }
    return owners == 1;
}

// Element bits that cut the tensor into rounds, from the highest common register bit down; never one of the vector's.
static uint32_t choose_rounds(const problem_t *problem, const vectors_t *vector)
{
    uint32_t chosen = 0, forbidden = 0;
    for (int i = 0; i < vector->count; i++)
        forbidden |= vector->at[i];
    long bytes = (long)problem->element_bytes << problem->bits;
    for (int i = problem->source->bits[KILN_REGISTER] - 1; i >= 0 && bytes > COMFORTABLE_BYTES; i--) {
        uint32_t bit = problem->source->basis[KILN_REGISTER][i];
        if ((bit & forbidden) || !bit_is_register(problem->source, bit) || !bit_is_register(problem->destination, bit))
            continue;
        chosen |= bit;
        bytes /= 2;
    }
    return chosen;
}

// Rows -----------------------------------------------------------------------------------------------------------

// What one lane group of a side touches: the low offset vectors inside an access (or inside a dword, if that is
// larger), and the group's lanes.
static kiln_span_t group_span(const problem_t *problem, const kiln_layout_t *side, kiln_lds_direction_t direction,
                              const vectors_t *low, vectors_t *out)
{
    int access = 0; // log2 elements
    while (access < low->count && has_register(side, low->at[access]))
        access++;
    int access_bytes = problem->element_bytes << access;
    kiln_span_t span = {0};
    for (int i = 0; i < low->count && (i < access || problem->element_bytes << i < DWORD_BYTES); i++)
        push(out, &span, low->at[i]);
    kiln_lds_groups_t groups = kiln_lds_groups(access_bytes, direction);
    for (int i = 0; i < groups.bits; i++)
        push(out, &span, kiln_layout_apply(side, 0, groups.lane[i], 0) & ~problem->rounds);
    return span;
}

static void fill_from(vectors_t *list, kiln_span_t *span, int dimension, const vectors_t *source)
{
    for (int i = 0; i < source->count && span->dimension < dimension; i++)
        push(list, span, source->at[i]);
}

static void fill_from_units(const problem_t *problem, vectors_t *list, kiln_span_t *span, int dimension)
{
    for (int i = 0; i < problem->bits && span->dimension < dimension; i++)
        if (!(problem->rounds >> i & 1))
            push(list, span, 1u << i);
}

// Completes the low offset vectors to a dword, so that all that follows can think in whole banks.
static void fill_dword(const problem_t *problem, vectors_t *low, kiln_span_t *span, int within)
{
    const kiln_layout_t *sides[] = {problem->destination, problem->source};
    for (int s = 0; s < 2; s++)
        for (int p = KILN_LANE; p >= KILN_REGISTER; p--)
            for (int i = 0; i < sides[s]->bits[p]; i++) {
                if (problem->element_bytes << low->count >= DWORD_BYTES || low->count >= within)
                    return;
                push(low, span, sides[s]->basis[p][i] & ~problem->rounds);
            }
}

// The LDS layout whose lowest offset bits are `vector`, of which `owner` has every one in its registers.
static kiln_layout_t plan_rows(const problem_t *problem, const vectors_t *vector, const kiln_layout_t *owner)
{
    int inside = problem->bits - __builtin_popcount(problem->rounds); // bits of one round
    int row = log2_of(ROW_BYTES / problem->element_bytes);
    if (row > inside)
        row = inside;
    vectors_t low = *vector;
    kiln_span_t low_span = {0};
    for (int i = 0; i < low.count; i++)
        kiln_span_insert(&low_span, low.at[i]);
    fill_dword(problem, &low, &low_span, inside);

    vectors_t a = {0}, b = {0};
    kiln_span_t in_a = group_span(problem, problem->source, KILN_LDS_WRITE, &low, &a);
    kiln_span_t in_b = group_span(problem, problem->destination, KILN_LDS_READ, &low, &b);
    vectors_t *owned = owner == problem->source ? &a : &b;
    kiln_span_t *in_owned = owner == problem->source ? &in_a : &in_b;
    fill_from(owned, in_owned, row, &low);
    fill_from(&a, &in_a, row, &b);
    fill_from(&b, &in_b, row, &a);
    fill_from_units(problem, &a, &in_a, row);
    fill_from(&b, &in_b, row, &a);
    fill_from_units(problem, &b, &in_b, row);

    // The common complement of a and b: pairs a_i + b_i, then a complement of a + b.
    vectors_t only_a = {0}, only_b = {0}, rows = {0};
    kiln_span_t sum = in_b, other = in_a;
    for (int i = 0; i < a.count; i++)
        push(&only_a, &sum, a.at[i]);
    for (int i = 0; i < b.count; i++)
        push(&only_b, &other, b.at[i]);
    for (int i = 0; i < only_a.count && i < only_b.count; i++)
        rows.at[rows.count++] = only_a.at[i] ^ only_b.at[i];
    fill_from_units(problem, &rows, &sum, inside);

    kiln_layout_t lds = {.rank = problem->source->rank};
    for (int d = 0; d < lds.rank; d++)
        lds.log2_shape[d] = problem->source->log2_shape[d];
    uint32_t *offset = lds.basis[KILN_REGISTER];
    int at = 0;
    kiln_span_t placed = {0};
    for (int i = 0; i < low.count && at < row; i++)
        if (kiln_span_insert(&placed, low.at[i]))
            offset[at++] = low.at[i];
    for (int i = 0; i < owned->count && at < row; i++)
        if (kiln_span_insert(&placed, owned->at[i]))
            offset[at++] = owned->at[i];
    for (int i = 0; i < rows.count; i++)
        if (kiln_span_insert(&placed, rows.at[i]))
            offset[at++] = rows.at[i];
    for (int i = 0; i < problem->bits; i++)
        if (problem->rounds >> i & 1)
            offset[at++] = 1u << i;
    lds.bits[KILN_REGISTER] = (uint8_t)at;
    return lds;
}

// Candidates -----------------------------------------------------------------------------------------------------

// Register vectors of `owner` for the bottom of the offset: first those that the other side has in registers too.
static vectors_t candidate(const problem_t *problem, const kiln_layout_t *owner, const kiln_layout_t *other)
{
    vectors_t vector = {0};
    kiln_span_t span = {0};
    int limit = log2_of(MAX_ACCESS_BYTES / problem->element_bytes);
    for (int shared = 1; shared >= 0; shared--)
        for (int i = 0; i < owner->bits[KILN_REGISTER] && vector.count < limit; i++)
            if (has_register(other, owner->basis[KILN_REGISTER][i]) == (shared == 1))
                push(&vector, &span, owner->basis[KILN_REGISTER][i]);
    return vector;
}

static int shared_count(const vectors_t *vector, const kiln_layout_t *other)
{
    int count = 0;
    while (count < vector->count && has_register(other, vector->at[count]))
        count++;
    return count;
}

void kiln_plan_lds(const kiln_layout_t *source, const kiln_layout_t *destination, int element_bits,
                   kiln_conversion_t *plan)
{
    problem_t problem = {source, destination, kiln_lds_element_bytes(element_bits), element_bits, 0, 0};
    for (int d = 0; d < source->rank; d++)
        problem.bits += source->log2_shape[d];
    long best = -1;
    for (int side = 0; side < 2; side++) {
        const kiln_layout_t *owner = side == 0 ? destination : source;
        const kiln_layout_t *other = side == 0 ? source : destination;
        vectors_t vector = candidate(&problem, owner, other);
        int shortest = shared_count(&vector, other);
        for (int count = shortest + side; count <= vector.count; count++) { // the shared vector alone is priced once
            vectors_t some = vector;
            some.count = count;
            problem.rounds = choose_rounds(&problem, &some);
            kiln_layout_t lds = plan_rows(&problem, &some, owner);
            long cycles = kiln_lds_side_cycles(source, &lds, element_bits, KILN_LDS_WRITE) +
                          kiln_lds_side_cycles(destination, &lds, element_bits, KILN_LDS_READ);
            if (best >= 0 && cycles >= best)
                continue;
            best = cycles;
            plan->lds = lds;
            plan->repetitions_log2 = __builtin_popcount(problem.rounds);
        }
    }
    plan->rounds = KILN_ROUNDS_BY_REGISTER;
    int offset_bits = plan->lds.bits[KILN_REGISTER];
    while ((long)problem.element_bytes << (offset_bits - plan->repetitions_log2) > MOST_BYTES) {
        plan->rounds = KILN_ROUNDS_BY_THREAD; // the highest rows then choose the round
        plan->repetitions_log2++;
    }
    plan->lds_elements = 1u << (offset_bits - plan->repetitions_log2);
    kiln_layout_t write = kiln_layout_to_lds(source, &plan->lds), read = kiln_layout_to_lds(destination, &plan->lds);
    int written = kiln_layout_lds_access(&write, element_bits).vector;
    int read_together = kiln_layout_lds_access(&read, element_bits).vector;
    plan->vector = written > read_together ? written : read_together;
}
