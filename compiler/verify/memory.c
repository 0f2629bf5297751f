// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists, runs and compares memory accesses.
#include "verify/memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

// Dwords of a lane's inputs, which begin at v8.
enum { INPUTS = 16, DATA = 0, INDEX = 4, OFFSET = 5, EXEC = 6, CONTENTS = 8, FIRST_RESULT = 24 };

const char *kiln_verify_registers(unsigned first, unsigned dwords)
{
    static char texts[8][16];
    static unsigned next;
    char *text = texts[next++ % (sizeof texts / sizeof *texts)];
    if (dwords == 1)
        snprintf(text, sizeof *texts, "v%u", first);
    else
        snprintf(text, sizeof *texts, "v[%u:%u]", first, first + dwords - 1);
    return text;
}

kiln_status_t kiln_verify_access_add(kiln_verify_accesses_t *io_accesses,
                                     kiln_verify_access_t access, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    access.text = kiln_string_vprint(format, args);
    va_end(args);
    if (!access.text ||
        !KILN_ARRAY_RESERVE(&io_accesses->rows, &io_accesses->capacity, io_accesses->count + 1)) {
        free(access.text);
        return kiln_status_out_of_memory();
    }
    io_accesses->rows[io_accesses->count++] = access;
    return KILN_OK;
}

// A family's list, created by the parent before it forks.
static kiln_verify_accesses_t lists[KILN_VERIFY_FAMILIES];

kiln_status_t kiln_verify_memory_list(kiln_verify_run_t *io_run,
                                      const kiln_verify_memory_family_t *family)
{
    kiln_verify_accesses_t *list = &lists[family->id];
    if (!list->rows)
        KILN_TRY(family->list(list));
    for (size_t i = 0; i < list->count; i++) {
        char name[160];
        snprintf(name, sizeof name, "%.*s%s", (int)strcspn(list->rows[i].text, "\n"),
                 list->rows[i].text, list->rows[i].suffix);
        KILN_TRY(kiln_verify_add(io_run, family->id, name, i));
    }
    return KILN_OK;
}

// Kernels -------------------------------------------------------------------------------------------

static char *kernel_text(const kiln_verify_memory_family_t *family,
                         const kiln_verify_access_t *access)
{
    return kiln_string_print("v_mov_b32 v24, v16\n"
                             "v_mov_b32 v25, v17\n"
                             "v_mov_b32 v26, v18\n"
                             "v_mov_b32 v27, v19\n"
                             "%s%s"
                             "s_and_b32 s14, s2, 3\n"
                             "s_cmp_eq_u32 s14, 2\n"
                             "s_cselect_b64 exec, s[46:47], -1\n"
                             "s_nop 7\n"
                             "%s"
                             "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
                             "s_mov_b64 exec, -1\n"
                             "%s",
                             family->before, access->setup, access->text, family->after);
}

typedef struct state {
    kiln_verify_kernel_t *rows;
    kiln_verify_kernels_t *kernels;
} state_t;

static kiln_status_t prepare(kiln_verify_context_t *context,
                             const kiln_verify_memory_family_t *family, state_t **out)
{
    const kiln_verify_accesses_t *list = &lists[family->id];
    state_t *state = *out = calloc(1, sizeof *state);
    if (!state || !(state->rows = calloc(list->count, sizeof *state->rows)))
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < list->count; i++) {
        state->rows[i] = (kiln_verify_kernel_t){.text = kernel_text(family, &list->rows[i]),
                                                .inputs = INPUTS,
                                                .results = family->results,
                                                .first_result = FIRST_RESULT,
                                                .memory = family->memory,
                                                .uses_lds = family->uses_lds};
        if (!state->rows[i].text)
            return kiln_status_out_of_memory();
    }
    state->kernels = kiln_verify_kernels_create(context, state->rows, list->count);
    return KILN_OK;
}

// Operands ------------------------------------------------------------------------------------------

// Fills `dwords` with values of a type.
static void fill(kiln_verify_random_t *io_random, const char *type, uint32_t *out, unsigned dwords)
{
    const unsigned step = kiln_verify_type_dwords(type);
    for (unsigned i = 0; i < dwords; i += step)
        kiln_verify_draw(io_random, type, &out[i]);
}

static void draw_place(kiln_verify_random_t *io_random, kiln_verify_place_t place, unsigned reach,
                       size_t lane, uint32_t *in)
{
    enum { SLOT = 16 };
    const uint64_t random = kiln_verify_random(io_random);
    const uint32_t own = (uint32_t)(lane % KILN_GFX942_LANES),
                   group = (uint32_t)(lane / KILN_GFX942_LANES);
    in[INDEX] = place <= KILN_VERIFY_ALIGNED ? random % KILN_GFX942_LANES : own;
    in[OFFSET] = place == KILN_VERIFY_ANYWHERE  ? (uint32_t)(random >> 32) % reach
                 : place == KILN_VERIFY_ALIGNED ? (uint32_t)(random >> 32) % reach / SLOT * SLOT
                 : place == KILN_VERIFY_OWN     ? own * SLOT + group % 4
                 : place == KILN_VERIFY_OWN_8   ? own * SLOT + group % 2 * 8
                                                : 0;
}

static void draw(const kiln_verify_memory_family_t *family, const kiln_verify_access_t *access,
                 uint64_t seed, kiln_verify_data_t *out)
{
    kiln_verify_random_t random = kiln_verify_random_of(seed, access->text);
    for (size_t lane = 0; lane < KILN_GFX942_LANES * KILN_VERIFY_GROUPS; lane++) {
        uint32_t *in = &out->inputs[lane * INPUTS];
        fill(&random, access->data, &in[DATA], 4);
        draw_place(&random, access->place, family->reach, lane, in);
        fill(&random, "u32", &in[EXEC], 2);
        fill(&random, access->data, &in[CONTENTS], 8);
        if (kiln_verify_random(&random) % 4 == 0) // equal, for compare and swap
            memcpy(&in[DATA + 2], &in[CONTENTS], 8);
    }
    for (size_t i = 0; i + 16 <= out->memory_bytes; i += 16)
        fill(&random, access->data, (uint32_t *)(void *)&out->simulator_memory[i], 4);
}

// Comparison ----------------------------------------------------------------------------------------

static void append_dwords(kiln_string_t *out, const char *name, const uint32_t *values,
                          unsigned count)
{
    kiln_string_appendf(out, " %s=0x", name);
    for (unsigned i = count; i-- > 0;)
        kiln_string_appendf(out, "%08x", values[i]);
}

static void describe_lane(const kiln_verify_memory_family_t *family, const kiln_verify_data_t *data,
                          size_t lane, kiln_string_t *out)
{
    const uint32_t *in = &data->inputs[lane * INPUTS];
    kiln_string_appendf(out, " with index=%u offset=%u", in[INDEX], in[OFFSET]);
    append_dwords(out, "data", &in[DATA], 4);
    append_dwords(out, "GPU", &data->gpu[lane * family->results], family->results);
    append_dwords(out, "simulator", &data->simulator[lane * family->results], family->results);
    kiln_string_appendf(out, " (group %zu, lane %zu)", lane / KILN_GFX942_LANES,
                        lane % KILN_GFX942_LANES);
}

static void compare(const kiln_verify_memory_family_t *family, const kiln_verify_access_t *access,
                    const kiln_verify_data_t *data, kiln_verify_result_t *result)
{
    enum { ALL = KILN_GFX942_LANES * KILN_VERIFY_GROUPS };
    kiln_string_t text = {0};
    size_t first_lane = ALL, first_byte = data->memory_bytes, bytes = 0;
    result->compared = ALL + data->memory_bytes;
    for (size_t lane = 0; lane < ALL; lane++) {
        if (memcmp(&data->gpu[lane * family->results], &data->simulator[lane * family->results],
                   family->results * sizeof *data->gpu) == 0)
            continue;
        first_lane = first_lane < ALL ? first_lane : lane;
        result->different++;
    }
    for (size_t i = 0; i < data->memory_bytes; i++) {
        if (data->gpu_memory[i] == data->simulator_memory[i])
            continue;
        first_byte = first_byte < data->memory_bytes ? first_byte : i;
        bytes++;
    }
    kiln_string_appendf(&text, "%.*s%s", (int)strcspn(access->text, "\n"), access->text,
                        access->suffix);
    if (result->different) {
        describe_lane(family, data, first_lane, &text);
        kiln_string_appendf(&text, "; %" PRIu64 " of %d lanes", result->different, ALL);
    }
    if (bytes)
        kiln_string_appendf(&text,
                            "; %zu bytes of memory differ, first at %zu of group %zu: GPU 0x%02x, "
                            "simulator 0x%02x",
                            bytes, first_byte % family->memory, first_byte / family->memory,
                            data->gpu_memory[first_byte], data->simulator_memory[first_byte]);
    result->different += bytes;
    result->verdict = result->different ? KILN_VERIFY_DIFFERS : KILN_VERIFY_IDENTICAL;
    if (result->different)
        snprintf(result->text, sizeof result->text, "%s", text.data ? text.data : "out of memory");
    kiln_string_free(&text);
}

void kiln_verify_memory_run(kiln_verify_context_t *context,
                            const kiln_verify_memory_family_t *family, size_t index,
                            kiln_verify_result_t *result)
{
    state_t *state = context->shared[family->id];
    kiln_status_t status = state ? KILN_OK : prepare(context, family, &state);
    if (status) {
        kiln_verify_fail(result, "host", status);
        return;
    }
    context->shared[family->id] = state;
    const kiln_verify_access_t *access = &lists[family->id].rows[index];
    kiln_verify_data_t *data = kiln_verify_data_create(&state->rows[index]);
    if (!data) {
        kiln_verify_fail(result, "host", kiln_status_out_of_memory());
        return;
    }
    draw(family, access, context->run->options->seed, data);
    if (kiln_verify_kernels_run(context, state->kernels, index, data, result))
        compare(family, access, data, result);
    kiln_verify_data_release(data);
}
