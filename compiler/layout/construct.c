// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts from the parameters of Triton's encodings: each is a list of steps "these bits of this
// place walk along that dimension", in the order of Triton's LinearLayoutConversions.cpp.
//
// Note that the order of the steps matters. Every dimension continues where its last step ended, so
// a step through lanes after a step through registers moves in units of the elements that the
// registers cover.
#include "layout/layout.h"

#include "base/gfx942.h"

// A layout under construction. Steps beyond the end of a dimension add zero vectors.
typedef struct build {
    kiln_layout_t layout;
    int covered[KILN_MAX_RANK]; // bits of each dimension that have their vectors
    bool failed;
} build_t;

static int log2_exact(int64_t size)
{
    if (size < 1 || (size & (size - 1)) != 0)
        return -1;
    return __builtin_ctzll((unsigned long long)size);
}

static build_t begin(int rank, const int64_t *shape)
{
    build_t build = {.layout.rank = rank, .failed = rank < 1 || rank > KILN_MAX_RANK};
    int total = 0;
    for (int d = 0; d < rank && !build.failed; d++) {
        int bits = log2_exact(shape[d]);
        build.failed = bits < 0 || (total += bits) > KILN_LAYOUT_MAX_BITS;
        build.layout.log2_shape[d] = (uint8_t)(bits < 0 ? 0 : bits);
    }
    return build;
}

static void add_vector(build_t *build, kiln_place_t place, uint32_t vector)
{
    if (build->failed || build->layout.bits[place] == KILN_LAYOUT_MAX_BITS) {
        build->failed = true;
        return;
    }
    build->layout.basis[place][build->layout.bits[place]++] = vector;
}

// log2(size) new bits of `place` that step through `dim`.
static void step(build_t *build, kiln_place_t place, int dim, int64_t size)
{
    int bits = log2_exact(size);
    build->failed |= bits < 0;
    for (int i = 0; i < bits && !build->failed; i++) {
        int at = build->covered[dim]++;
        bool inside = at < build->layout.log2_shape[dim];
        add_vector(build, place, inside ? 1u << (kiln_layout_shift(&build->layout, dim) + at) : 0);
    }
}

// log2(size) new bits of `place` with zero vectors: places with copies.
static void repeat(build_t *build, kiln_place_t place, int64_t size)
{
    int bits = log2_exact(size);
    build->failed |= bits < 0;
    for (int i = 0; i < bits && !build->failed; i++)
        add_vector(build, place, 0);
}

// Registers for the rest of `dim`.
static void rest(build_t *build, int dim)
{
    int left = build->layout.log2_shape[dim] - build->covered[dim];
    if (left > 0)
        step(build, KILN_REGISTER, dim, (int64_t)1 << left);
}

static bool finish(const build_t *build, kiln_layout_t *out)
{
    *out = build->layout;
    return !build->failed;
}

static bool is_permutation(const int32_t *order, int rank)
{
    unsigned seen = 0;
    for (int i = 0; i < rank; i++)
        if (order[i] >= 0 && order[i] < rank)
            seen |= 1u << order[i];
    return seen == (1u << rank) - 1;
}

// Blocked -----------------------------------------------------------------------------------------

bool kiln_layout_blocked(const kiln_blocked_t *blocked, const int64_t *shape, kiln_layout_t *out)
{
    build_t build = begin(blocked->rank, shape);
    if (build.failed || !is_permutation(blocked->order, blocked->rank))
        return false;
    for (int i = 0; i < blocked->rank; i++)
        step(&build, KILN_REGISTER, blocked->order[i], blocked->size_per_thread[blocked->order[i]]);
    for (int i = 0; i < blocked->rank; i++)
        step(&build, KILN_LANE, blocked->order[i], blocked->threads_per_warp[blocked->order[i]]);
    for (int i = 0; i < blocked->rank; i++)
        step(&build, KILN_WARP, blocked->order[i], blocked->warps_per_cta[blocked->order[i]]);
    for (int i = 0; i < blocked->rank; i++)
        rest(&build, blocked->order[i]);
    return finish(&build, out);
}

bool kiln_layout_dot_operand_blocked(const kiln_blocked_t *parent, int op_idx, const int64_t *shape,
                                     kiln_layout_t *out)
{
    build_t build = begin(parent->rank, shape);
    if (build.failed || parent->rank < 2 || !is_permutation(parent->order, parent->rank))
        return false;
    int k = op_idx == 0 ? parent->rank - 1 : parent->rank - 2;
    for (int i = 0; i < parent->rank; i++) {
        int d = parent->order[i];
        step(&build, KILN_REGISTER, d, d == k ? shape[d] : parent->size_per_thread[d]);
    }
    for (int i = 0; i < parent->rank; i++) {
        int d = parent->order[i];
        if (d == k)
            repeat(&build, KILN_LANE, parent->threads_per_warp[d]);
        else
            step(&build, KILN_LANE, d, parent->threads_per_warp[d]);
    }
    for (int i = 0; i < parent->rank; i++) {
        int d = parent->order[i];
        if (d == k)
            repeat(&build, KILN_WARP, parent->warps_per_cta[d]);
        else
            step(&build, KILN_WARP, d, parent->warps_per_cta[d]);
    }
    for (int i = 0; i < parent->rank; i++)
        rest(&build, parent->order[i]);
    return finish(&build, out);
}

// MFMA --------------------------------------------------------------------------------------------

static int32_t tiles_per_warp(const kiln_mfma_t *mfma, int dim)
{
    return mfma->tiles_per_warp[dim] > 0 ? mfma->tiles_per_warp[dim] : 1;
}

bool kiln_layout_mfma(const kiln_mfma_t *mfma, const int64_t *shape, kiln_layout_t *out)
{
    build_t build = begin(mfma->rank, shape);
    int64_t m_size = mfma->instr_shape[0], n_size = mfma->instr_shape[1];
    if (build.failed || mfma->rank < 2 || log2_exact(m_size) < 0 || log2_exact(n_size) < 0 ||
        m_size * n_size < KILN_GFX942_LANES)
        return false;
    int m = mfma->rank - 2, n = mfma->rank - 1;
    // One tile; a transposed one is the same with the dimensions swapped.
    int column = mfma->is_transposed ? m : n, row = mfma->is_transposed ? n : m;
    int64_t columns = mfma->is_transposed ? m_size : n_size;
    int64_t height = mfma->element_bits == 64 ? 1 : 4; // rows that a lane holds together
    if (columns > KILN_GFX942_LANES || height * KILN_GFX942_LANES > m_size * n_size)
        return false;
    step(&build, KILN_REGISTER, row, height);
    step(&build, KILN_LANE, column, columns);
    step(&build, KILN_LANE, row, KILN_GFX942_LANES / columns);
    step(&build, KILN_REGISTER, row, m_size * n_size / (KILN_GFX942_LANES * height));
    // All tiles.
    for (int d = n; d >= m; d--) {
        step(&build, KILN_REGISTER, d, tiles_per_warp(mfma, d));
        step(&build, KILN_WARP, d, mfma->warps_per_cta[d]);
        rest(&build, d);
    }
    for (int d = m - 1; d >= 0; d--) {
        step(&build, KILN_WARP, d, mfma->warps_per_cta[d]);
        rest(&build, d);
    }
    return finish(&build, out);
}

bool kiln_layout_dot_operand_mfma(const kiln_mfma_t *parent, int op_idx, int k_width,
                                  const int64_t *shape, kiln_layout_t *out)
{
    build_t build = begin(parent->rank, shape);
    if (build.failed || parent->rank < 2 || k_width < 1)
        return false;
    int m = parent->rank - 2, n = parent->rank - 1;
    int k = op_idx == 0 ? n : m, other = op_idx == 0 ? m : n;
    int64_t size = parent->instr_shape[op_idx == 0 ? 0 : 1];
    if (log2_exact(size) < 0 || size > KILN_GFX942_LANES)
        return false;
    step(&build, KILN_REGISTER, k, k_width);
    step(&build, KILN_LANE, other, size);
    step(&build, KILN_LANE, k, KILN_GFX942_LANES / size);
    rest(&build, k);
    step(&build, KILN_REGISTER, other, tiles_per_warp(parent, other));
    // Warps count along N first, as in the parent; those along K read the same.
    for (int d = n; d >= m; d--) {
        if (d == other)
            step(&build, KILN_WARP, d, parent->warps_per_cta[d]);
        else
            repeat(&build, KILN_WARP, parent->warps_per_cta[d]);
    }
    rest(&build, other);
    for (int d = m - 1; d >= 0; d--) {
        step(&build, KILN_WARP, d, parent->warps_per_cta[d]);
        rest(&build, d);
    }
    return finish(&build, out);
}

// Linear and slice --------------------------------------------------------------------------------

bool kiln_layout_linear(const kiln_linear_t *linear, const int64_t *shape, kiln_layout_t *out)
{
    build_t build = begin(linear->rank, shape);
    if (build.failed)
        return false;
    const int counts[KILN_PLACES] = {linear->register_bits, linear->lane_bits, linear->warp_bits};
    int order[KILN_MAX_RANK], ordered = 0; // dimensions as the vectors meet them
    int at = 0;
    for (int p = 0; p < KILN_PLACES; p++) {
        for (int i = 0; i < counts[p]; i++, at++) {
            uint32_t vector = 0;
            for (int d = 0; d < linear->rank; d++) {
                uint32_t coordinate = (uint32_t)linear->bases[at][d];
                int top = coordinate ? 32 - __builtin_clz(coordinate) : 0;
                if (top > 0 && build.covered[d] == 0)
                    order[ordered++] = d;
                if (top > build.covered[d])
                    build.covered[d] = top;
                coordinate &= (1u << build.layout.log2_shape[d]) - 1;
                vector |= coordinate << kiln_layout_shift(&build.layout, d);
            }
            add_vector(&build, (kiln_place_t)p, vector);
        }
    }
    for (int d = linear->rank - 1; d >= 0; d--)
        if (build.covered[d] == 0)
            order[ordered++] = d;
    for (int i = 0; i < ordered; i++)
        rest(&build, order[i]);
    return finish(&build, out);
}

kiln_layout_t kiln_layout_slice(const kiln_layout_t *parent, int dim)
{
    kiln_layout_t result = *parent;
    result.rank = parent->rank - 1;
    for (int d = dim; d < result.rank; d++)
        result.log2_shape[d] = parent->log2_shape[d + 1];
    // The dimension has size 1, so it has no bits in the flat index, and the vectors stay as they
    // are.
    int kept = 0;
    for (int i = 0; i < parent->bits[KILN_REGISTER]; i++)
        if (parent->basis[KILN_REGISTER][i])
            result.basis[KILN_REGISTER][kept++] = parent->basis[KILN_REGISTER][i];
    result.bits[KILN_REGISTER] = (uint8_t)kept;
    return result;
}

// LDS ---------------------------------------------------------------------------------------------

bool kiln_layout_shared(const kiln_swizzled_shared_t *shared, kiln_swizzle_t swizzle,
                        const int64_t *shape, kiln_layout_t *out)
{
    build_t build = begin(shared->rank, shape);
    if (build.failed || !is_permutation(shared->order, shared->rank) ||
        log2_exact(shared->vec) < 0 || log2_exact(shared->per_phase) < 0 ||
        log2_exact(shared->max_phase) < 0)
        return false;
    int column = shared->order[0];
    step(&build, KILN_REGISTER, column, shape[column]);
    if (shared->rank >= 2) {
        int row = shared->order[1];
        for (int64_t r = 1; r < shape[row]; r *= 2) {
            int64_t phase = r / shared->per_phase % shared->max_phase;
            if (swizzle == KILN_SWIZZLE_ROTATING)
                phase ^= r / shared->per_phase / shared->max_phase % shared->max_phase;
            uint32_t at_column = (uint32_t)(shared->vec * phase % shape[column]);
            add_vector(&build, KILN_REGISTER,
                       (uint32_t)r << kiln_layout_shift(&build.layout, row) |
                           at_column << kiln_layout_shift(&build.layout, column));
        }
    }
    for (int i = 2; i < shared->rank; i++)
        step(&build, KILN_REGISTER, shared->order[i], shape[shared->order[i]]);
    return finish(&build, out);
}
