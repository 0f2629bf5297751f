// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions: every row of base/gfx942.def, dense and sparse, on drawn matrices.
//
// Half of the waves multiply numbers of ordinary size, whose sums show the order and the width of
// the machine's additions; the others multiply random bits, with infinities, NaNs and denormals.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/gfx942_matrix.h"
#include "verify/draw.h"
#include "verify/kernels.h"

// v[8:11] is A, v[12:15] is B, v16 the index of a sparse A; C and D are v[24:55].
enum { INPUTS = 64, RESULTS = 32, A = 0, B = 4, INDEX = 8, C = 16, FIRST_RESULT = 24 };

typedef struct row {
    const char *name, *a, *b, *d; // types
    unsigned a_dwords, b_dwords, d_dwords;
    bool is_sparse;
} row_t;

static const row_t rows[] = {
#define GFX942_MFMA(name, n, k, blocks, a, b, d, passes)                                           \
    {#name,                                                                                        \
     #a,                                                                                           \
     #b,                                                                                           \
     #d,                                                                                           \
     KILN_GFX942_DWORDS(n, k, blocks, a),                                                          \
     KILN_GFX942_DWORDS(n, k, blocks, b),                                                          \
     KILN_GFX942_DWORDS(n, n, blocks, d),                                                          \
     false},
#define GFX942_SMFMAC(name, n, k, blocks, a, b, d, passes)                                         \
    {#name,                                                                                        \
     #a,                                                                                           \
     #b,                                                                                           \
     #d,                                                                                           \
     KILN_GFX942_DWORDS(n, (k) / 2, blocks, a),                                                    \
     KILN_GFX942_DWORDS(n, k, blocks, b),                                                          \
     KILN_GFX942_DWORDS(n, n, blocks, d),                                                          \
     true},
#include "base/gfx942.def"
};
enum { COUNT = sizeof rows / sizeof *rows };

static void append_range(kiln_string_t *out, unsigned first, unsigned dwords)
{
    if (dwords == 1)
        kiln_string_appendf(out, ", v%u", first);
    else
        kiln_string_appendf(out, ", v[%u:%u]", first, first + dwords - 1);
}

static void append_instruction(kiln_string_t *out, const row_t *row)
{
    kiln_string_appendf(out, "%s v[%u:%u]", row->name, FIRST_RESULT,
                        FIRST_RESULT + row->d_dwords - 1);
    append_range(out, KILN_VERIFY_FIRST_INPUT + A, row->a_dwords);
    append_range(out, KILN_VERIFY_FIRST_INPUT + B, row->b_dwords);
    if (row->is_sparse)
        kiln_string_append(out, ", v16\n");
    else
        kiln_string_appendf(out, ", v[%u:%u]\n", FIRST_RESULT, FIRST_RESULT + row->d_dwords - 1);
}

static kiln_status_t prepare(kiln_verify_context_t *context, kiln_verify_kernels_t **out)
{
    static kiln_verify_kernel_t kernels[COUNT]; // of this child
    for (size_t i = 0; i < COUNT; i++) {
        kiln_string_t text = {0};
        kiln_string_append(&text, "s_nop 7\n");
        append_instruction(&text, &rows[i]);
        kiln_string_append(&text, "s_nop 15\ns_nop 15\n");
        kernels[i] = (kiln_verify_kernel_t){.text = kiln_string_take(&text),
                                            .inputs = INPUTS,
                                            .results = RESULTS,
                                            .first_result = FIRST_RESULT};
        if (!kernels[i].text)
            return kiln_status_out_of_memory();
    }
    *out = kiln_verify_kernels_create(context, kernels, COUNT);
    return KILN_OK;
}

// Fills `dwords` with elements of a type.
static void fill(kiln_verify_random_t *io_random, const char *type, bool ordinary, uint32_t *out,
                 unsigned dwords)
{
    const unsigned step = kiln_verify_type_dwords(type);
    for (unsigned i = 0; i < dwords; i += step)
        (ordinary ? kiln_verify_draw_ordinary : kiln_verify_draw)(io_random, type, &out[i]);
}

static void draw(const row_t *row, uint64_t seed, kiln_verify_data_t *out)
{
    kiln_verify_random_t random = kiln_verify_random_of(seed, row->name);
    for (size_t lane = 0; lane < KILN_GFX942_LANES * KILN_VERIFY_GROUPS; lane++) {
        uint32_t *in = &out->inputs[lane * INPUTS];
        const bool ordinary = (lane / KILN_GFX942_LANES & 1) == 0;
        fill(&random, row->a, ordinary, &in[A], row->a_dwords);
        fill(&random, row->b, ordinary, &in[B], row->b_dwords);
        fill(&random, row->d, ordinary, &in[C], row->d_dwords);
        in[INDEX] = (uint32_t)kiln_verify_random(&random);
        // Each pair of indices of a sparse A must ascend: 0 1, 0 2, ... 2 3.
        for (unsigned pair = 0; pair < 8; pair++) {
            static const uint8_t valid[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
            in[INDEX] = (in[INDEX] & ~(0xfu << 4 * pair)) |
                        (uint32_t)valid[kiln_verify_random(&random) % sizeof valid] << 4 * pair;
        }
    }
}

static void describe(const row_t *row, const kiln_verify_data_t *data, size_t at,
                     kiln_verify_result_t *result)
{
    const size_t lane = at / RESULTS, element = at % RESULTS;
    const uint32_t *in = &data->inputs[lane * INPUTS];
    snprintf(result->text, sizeof result->text,
             "%s; group %zu lane %zu register %zu: in this lane a=%08x_%08x_%08x_%08x "
             "b=%08x_%08x_%08x_%08x c=%08x; GPU %08x, simulator %08x; %" PRIu64
             " registers differ; drawn with the seed of this run",
             row->name, lane / KILN_GFX942_LANES, lane % KILN_GFX942_LANES, element, in[A + 3],
             in[A + 2], in[A + 1], in[A], in[B + 3], in[B + 2], in[B + 1], in[B], in[C + element],
             data->gpu[at], data->simulator[at], result->different);
}

static void compare(const row_t *row, const kiln_verify_data_t *data, kiln_verify_result_t *result)
{
    enum { ALL = KILN_GFX942_LANES * KILN_VERIFY_GROUPS * RESULTS };
    size_t first = ALL;
    result->verdict = KILN_VERIFY_IDENTICAL;
    for (size_t i = 0; i < ALL; i++) {
        result->compared += i % RESULTS < row->d_dwords;
        if (data->gpu[i] == data->simulator[i])
            continue;
        first = first < ALL ? first : i;
        result->different++;
    }
    if (first == ALL)
        return;
    result->verdict = KILN_VERIFY_DIFFERS;
    describe(row, data, first, result);
}

kiln_status_t kiln_verify_list_matrix(kiln_verify_run_t *io_run)
{
    for (size_t i = 0; i < COUNT; i++)
        KILN_TRY(kiln_verify_add(io_run, KILN_VERIFY_matrix, rows[i].name, i));
    return KILN_OK;
}

void kiln_verify_run_matrix(kiln_verify_context_t *context, size_t index,
                            kiln_verify_result_t *result)
{
    kiln_verify_kernels_t *kernels = context->shared[KILN_VERIFY_matrix];
    kiln_status_t status = kernels ? KILN_OK : prepare(context, &kernels);
    if (status) {
        kiln_verify_fail(result, "host", status);
        return;
    }
    context->shared[KILN_VERIFY_matrix] = kernels;
    kiln_verify_data_t *data =
        kiln_verify_data_create(&(kiln_verify_kernel_t){.inputs = INPUTS, .results = RESULTS});
    if (!data) {
        kiln_verify_fail(result, "host", kiln_status_out_of_memory());
        return;
    }
    draw(&rows[index], context->run->options->seed, data);
    if (kiln_verify_kernels_run(context, kernels, index, data, result))
        compare(&rows[index], data, result);
    kiln_verify_data_release(data);
}
