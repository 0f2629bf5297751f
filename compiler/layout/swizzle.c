// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scratch layout of a conversion through LDS, computed rather than searched: 128-byte rows (all
// banks once) chosen so that lanes that the hardware serves together never share a bank, for both
// sides at once.
//
// Let A be the span of the elements that one lane group of the writer touches, and B the reader's;
// neither has more elements than a row. Two lanes conflict if they differ by a vector that changes
// only the row. So the row vectors must span a common complement of A and B. Over any field, two
// subspaces of equal dimension have one: if a_i span A modulo A∩B, and b_i span B modulo A∩B, it is
// spanned by the a_i + b_i and by a complement of A + B.
//
// Note that the vector in the lowest offset bits may suit only one side. The other side's accesses
// are then narrower and its lane groups larger, which changes A and B; so a complete plan is built
// and priced for each candidate vector.
//
// Large tensors are moved in rounds, each of which covers a subset of the source's registers and a
// subset of the destination's. A linear function of the element that no lane or warp of either side
// changes selects the round; there is one such function for each dimension of the tensor's space
// that the threads of both sides together do not span.
#include "layout/convert.h"

#include "base/gfx942.h"
#include "layout/lds.h"
#include "layout/span.h"

enum {
    DWORD_BYTES = KILN_GFX942_LDS_BANK_BYTES,
    ROW_BYTES = KILN_GFX942_LDS_BANKS * DWORD_BYTES,
    MAX_ACCESS_BYTES = KILN_GFX942_LDS_MAX_ACCESS_BYTES,
    MAX_VECTORS = 32
};
// Rounds are added until the scratch is no larger than this; small enough not to limit occupancy,
// large enough that barriers don't matter.
enum {
    PREFERRED_BYTES = KILN_GFX942_LDS_BYTES / 4,
    MAX_BYTES = KILN_GFX942_LDS_BYTES / 2
}; // loops need some, too

typedef struct vectors {
    int count;
    uint32_t at[MAX_VECTORS];
} vectors_t;

typedef struct problem {
    const kiln_layout_t *source, *destination;
    int element_bytes, element_bits;
    int bits;          // of the element index
    uint32_t rounds;   // element bits that choose the round
    bool any_register; // whether several registers may have such a bit
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

// Adds the vector to the list if it is independent of the span.
static bool push(vectors_t *list, kiln_span_t *span, uint32_t vector)
{
    if (!kiln_span_insert(span, vector))
        return false;
    list->at[list->count++] = vector;
    return true;
}

// Rounds ------------------------------------------------------------------------------------------

// Whether only registers change this element bit in this layout; unless `any_register` is set, it
// must be a single register bit that changes no other element bit.
static bool bit_is_register(const kiln_layout_t *layout, uint32_t bit, bool any_register)
{
    int owners = 0;
    for (int p = 0; p < KILN_PLACES; p++)
        for (int i = 0; i < layout->bits[p]; i++)
            if (layout->basis[p][i] & bit) {
                if (p != KILN_REGISTER || (layout->basis[p][i] != bit && !any_register))
                    return false;
                owners++;
            }
    return any_register || owners == 1;
}

static bool may_cut(const problem_t *problem, uint32_t bit)
{
    return bit_is_register(problem->source, bit, problem->any_register) &&
           bit_is_register(problem->destination, bit, problem->any_register);
}

// Element bits that divide the tensor into rounds, from the highest common register bit down; bits
// of the vector are excluded.
static uint32_t choose_rounds(const problem_t *problem, const vectors_t *vector)
{
    uint32_t chosen = 0, forbidden = 0;
    for (int i = 0; i < vector->count; i++)
        forbidden |= vector->at[i];
    long bytes = (long)problem->element_bytes << problem->bits;
    for (int i = problem->source->bits[KILN_REGISTER] - 1;
         i >= 0 && bytes > PREFERRED_BYTES && !problem->any_register; i--) {
        uint32_t bit = problem->source->basis[KILN_REGISTER][i];
        if ((bit & forbidden) || !may_cut(problem, bit))
            continue;
        chosen |= bit;
        bytes /= 2;
    }
    for (int i = problem->bits - 1; i >= 0 && bytes > PREFERRED_BYTES && problem->any_register; i--)
        if (!(forbidden >> i & 1) && may_cut(problem, 1u << i)) {
            chosen |= 1u << i;
            bytes /= 2;
        }
    return chosen;
}

// Rows --------------------------------------------------------------------------------------------

// The elements that one lane group of a side touches: the low offset vectors inside an access (or
// inside a dword, if that is larger), and the group's lanes.
static kiln_span_t group_span(const problem_t *problem, const kiln_layout_t *side,
                              kiln_lds_direction_t direction, const vectors_t *low, vectors_t *out)
{
    int access = 0; // log2 elements
    while (access < low->count && has_register(side, low->at[access]))
        access++;
    int access_bytes = problem->element_bytes << access;
    kiln_span_t span = {0};
    for (int i = 0; i < low->count && (i < access || problem->element_bytes << i < DWORD_BYTES);
         i++)
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

static void fill_from_units(const problem_t *problem, vectors_t *list, kiln_span_t *span,
                            int dimension)
{
    for (int i = 0; i < problem->bits && span->dimension < dimension; i++)
        if (!(problem->rounds >> i & 1))
            push(list, span, 1u << i);
}

// Extends the low offset vectors to a dword, so that the rest works in whole banks.
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

// The LDS layout whose lowest offset bits are `vector`; `owner` has all of these vectors in its
// registers.
static kiln_layout_t plan_rows(const problem_t *problem, const vectors_t *vector,
                               const kiln_layout_t *owner)
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

// Candidates --------------------------------------------------------------------------------------

// Register vectors of `owner` for the lowest offset bits, starting with those that the other side
// also has in registers.
static vectors_t candidate(const problem_t *problem, const kiln_layout_t *owner,
                           const kiln_layout_t *other)
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

// The cheapest plan whose rounds are selected by element bits. Returns false if a round is too
// large.
static bool plan_bits(problem_t problem, kiln_conversion_t *plan)
{
    const kiln_layout_t *source = problem.source, *destination = problem.destination;
    int element_bits = problem.element_bits;
    long best = -1;
    for (int side = 0; side < 2; side++) {
        const kiln_layout_t *owner = side == 0 ? destination : source;
        const kiln_layout_t *other = side == 0 ? source : destination;
        vectors_t vector = candidate(&problem, owner, other);
        int shortest = problem.any_register
                           ? 0
                           : shared_count(&vector, other); // 0 always leaves room for rounds
        for (int count = shortest + side; count <= vector.count;
             count++) { // the shared vector alone is priced once
            vectors_t some = vector;
            some.count = count;
            problem.rounds = choose_rounds(&problem, &some);
            kiln_layout_t lds = plan_rows(&problem, &some, owner);
            long cycles = kiln_lds_side_cycles(source, &lds, element_bits, KILN_LDS_WRITE) +
                          kiln_lds_side_cycles(destination, &lds, element_bits, KILN_LDS_READ);
            long bytes = (long)problem.element_bytes
                         << (problem.bits - __builtin_popcount(problem.rounds));
            if ((best >= 0 && cycles >= best) || bytes > MAX_BYTES)
                continue;
            best = cycles;
            plan->lds = lds;
            plan->repetitions_log2 = __builtin_popcount(problem.rounds);
        }
    }
    return best >= 0;
}

// Change of coordinates in which the functions that can select the round are bits ----

typedef struct coordinates {
    int threads;       // how many of the axes the threads of both sides span
    uint32_t axis[32]; // the element that each new bit stands for
    kiln_span_t span;  // of the axes, tagged with new bits
} coordinates_t;

static void add_axis(coordinates_t *axes, uint32_t vector)
{
    int count = axes->span.dimension;
    if (kiln_span_insert_tagged(&axes->span, vector, 1ull << count))
        axes->axis[count] = vector;
}

static coordinates_t choose_axes(const problem_t *problem)
{
    coordinates_t axes = {0};
    const kiln_layout_t *sides[] = {problem->source, problem->destination};
    for (int s = 0; s < 2; s++)
        for (int p = KILN_LANE; p <= KILN_WARP; p++)
            for (int i = 0; i < sides[s]->bits[p]; i++)
                add_axis(&axes, sides[s]->basis[p][i]);
    axes.threads = axes.span.dimension;
    for (int shared = 1; shared >= 0; shared--)
        for (int i = 0; i < problem->destination->bits[KILN_REGISTER]; i++)
            if (shared ==
                has_register(problem->source, problem->destination->basis[KILN_REGISTER][i]))
                add_axis(&axes, problem->destination->basis[KILN_REGISTER][i]);
    for (int i = 0; i < problem->bits; i++)
        add_axis(&axes, 1u << i);
    return axes;
}

static kiln_layout_t to_axes(const coordinates_t *axes, const kiln_layout_t *layout)
{
    kiln_layout_t result = *layout;
    for (int p = 0; p < KILN_PLACES; p++)
        for (int i = 0; i < layout->bits[p]; i++) {
            uint64_t tag = 0;
            kiln_span_solve(&axes->span, layout->basis[p][i], &tag);
            result.basis[p][i] = (uint32_t)tag;
        }
    return result;
}

static void from_axes(const coordinates_t *axes, kiln_layout_t *lds)
{
    for (int i = 0; i < lds->bits[KILN_REGISTER]; i++) {
        uint32_t vector = 0;
        for (int bit = 0; bit < 32; bit++)
            if (lds->basis[KILN_REGISTER][i] >> bit & 1)
                vector ^= axes->axis[bit];
        lds->basis[KILN_REGISTER][i] = vector;
    }
}

bool kiln_plan_lds(const kiln_layout_t *source, const kiln_layout_t *destination, int element_bits,
                   kiln_conversion_t *plan)
{
    problem_t problem = {source, destination, kiln_lds_element_bytes(element_bits), element_bits, 0,
                         0,      false};
    for (int d = 0; d < source->rank; d++)
        problem.bits += source->log2_shape[d];
    if (!plan_bits(problem, plan)) {
        coordinates_t axes = choose_axes(&problem);
        if ((long)problem.element_bytes << axes.threads > MAX_BYTES)
            return false;
        kiln_layout_t from = to_axes(&axes, source), to = to_axes(&axes, destination);
        problem.source = &from;
        problem.destination = &to;
        problem.any_register = true;
        if (!plan_bits(problem, plan))
            return false;
        from_axes(&axes, &plan->lds);
    }
    plan->lds_elements = 1u << (plan->lds.bits[KILN_REGISTER] - plan->repetitions_log2);
    kiln_layout_t write = kiln_layout_to_lds(source, &plan->lds),
                  read = kiln_layout_to_lds(destination, &plan->lds);
    int written = kiln_layout_lds_access(&write, element_bits).vector;
    int read_together = kiln_layout_lds_access(&read, element_bits).vector;
    plan->vector = written > read_together ? written : read_together;
    return true;
}

// Steps -------------------------------------------------------------------------------------------

typedef struct bit {
    kiln_place_t place;
    int index;
} bit_t;

// A lane or warp bit whose vector the destination's threads do not span, preferably `wanted`.
static bool find_spare(const kiln_layout_t *layout, const kiln_span_t *destination, bit_t wanted,
                       bit_t *out)
{
    *out = wanted;
    if (wanted.index < layout->bits[wanted.place] &&
        !kiln_span_has(destination, layout->basis[wanted.place][wanted.index]))
        return true;
    for (int place = KILN_LANE; place <= KILN_WARP; place++)
        for (int i = 0; i < layout->bits[place]; i++) {
            *out = (bit_t){(kiln_place_t)place, i};
            if (!kiln_span_has(destination, layout->basis[place][i]))
                return true;
        }
    return false;
}

static kiln_span_t thread_span(const kiln_layout_t *layout)
{
    kiln_span_t span = {0};
    for (int p = KILN_LANE; p <= KILN_WARP; p++)
        for (int i = 0; i < layout->bits[p]; i++)
            kiln_span_insert(&span, layout->basis[p][i]);
    return span;
}

// The registers that make the layout's threads reach every element.
static void fill_registers(kiln_layout_t *layout, const kiln_layout_t *source,
                           const kiln_layout_t *destination)
{
    kiln_span_t span = thread_span(layout);
    vectors_t registers = {0};
    for (int shared = 1; shared >= 0; shared--)
        for (int i = 0; i < destination->bits[KILN_REGISTER]; i++)
            if (shared == has_register(source, destination->basis[KILN_REGISTER][i]))
                push(&registers, &span, destination->basis[KILN_REGISTER][i]);
    for (int p = 0; p < KILN_PLACES; p++)
        for (int i = 0; i < source->bits[p]; i++)
            push(&registers, &span, source->basis[p][i]);
    layout->bits[KILN_REGISTER] = (uint8_t)registers.count;
    for (int i = 0; i < registers.count; i++)
        layout->basis[KILN_REGISTER][i] = registers.at[i];
}

// LDS limits the span of a round's threads; so each step changes as many of their vectors as fit
// beside the source's own. Each change reduces by one the number of vectors that the destination's
// threads do not span; when it reaches zero, the last step fits.
kiln_layout_t kiln_layout_step_towards(const kiln_layout_t *source,
                                       const kiln_layout_t *destination, int element_bits)
{
    kiln_layout_t step = *source;
    kiln_span_t reached = thread_span(source), wanted = thread_span(destination);
    int room = log2_of(MAX_BYTES / kiln_lds_element_bytes(element_bits));
    for (int p = KILN_LANE; p <= KILN_WARP; p++)
        for (int i = 0; i < destination->bits[p] && reached.dimension < room; i++) {
            bit_t spare;
            if (kiln_span_has(&reached, destination->basis[p][i]) ||
                !find_spare(&step, &wanted, (bit_t){(kiln_place_t)p, i}, &spare))
                continue;
            kiln_span_insert(&reached, destination->basis[p][i]);
            step.basis[spare.place][spare.index] = destination->basis[p][i];
        }
    fill_registers(&step, source, destination);
    return step;
}
