// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector and scalar instructions: every row of the simulator's tables (runtime/sim/isa) and more
// forms (instructions.def), each as a kernel with drawn operands.
//
// Waves with an odd number run with drawn bits in MODE (rounding, denormals), every fourth with a
// drawn EXEC. The destination, VCC, EXEC and, for scalar instructions, SCC are compared, including
// parts that must stay unchanged.
//
// Note that the transcendental instructions approximate. The simulator rounds correctly, so a GPU's
// result may differ by the error that AMD's documentation allows; the report counts that as within
// tolerance.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/draw.h"
#include "verify/kernels.h"

enum { INPUTS = 8, RESULTS = 8, FIRST_RESULT = 16 };

typedef enum shape {
    SHAPE_VECTOR,
    SHAPE_CARRY,    // name d, vcc, a, b
    SHAPE_CARRY_IN, // name d, vcc, a, b, vcc
    SHAPE_SELECT,   // name d, a, b, vcc
    SHAPE_LITERAL_K1,
    SHAPE_LITERAL_K2,
    SHAPE_COMPARE,      // name vcc, a, b
    SHAPE_ACCUMULATE,   // c is the destination
    SHAPE_SCALAR,       // name d, a, b
    SHAPE_SCALAR_TEST,  // name a, b
    SHAPE_SCALAR_CONST, // name d, 16 bits
    SHAPE_TEXT,         // the form's own
} shape_t;

typedef struct row {
    const char *name;
    shape_t shape;
    bool approximates;
    const char *d, *a, *b, *c;
    const char *text; // of SHAPE_TEXT
} row_t;

#define ROW(name, shape, d, a, b, c) {#name, SHAPE_##shape, false, #d, #a, #b, #c, NULL},
#define APPROXIMATE(name, d, a) {#name, SHAPE_VECTOR, true, #d, #a, "none", "none", NULL},

static const row_t vector_rows[] = {
#define VOP1(name, d, a, ...) ROW(name, VECTOR, d, a, none, none)
#define QUARTER(name, d, a, ...) ROW(name, VECTOR, d, a, none, none)
#define TRANS(name, d, a, ...) APPROXIMATE(name, d, a)
#define VOP1_SELECT(name, d, a, ...) ROW(name, VECTOR, d, a, none, none)
#define VOP1_OWN(name, d, a, ...) ROW(name, VECTOR, d, a, none, none)
#include "sim/isa/vop1.def"
#define VOP2(name, type, ...) ROW(name, VECTOR, type, type, type, none)
#define VOP2_MIXED(name, d, a, b, ...) ROW(name, VECTOR, d, a, b, none)
#define VOP2_CLAMPED(name, type, ...) ROW(name, VECTOR, type, type, type, none)
#define VOP2_CARRY(name, ...) ROW(name, CARRY, u32, u32, u32, none)
#define VOP2_CARRY_IN(name, ...) ROW(name, CARRY_IN, u32, u32, u32, none)
#define VOP2_SELECT(name, type, ...) ROW(name, SELECT, type, type, type, none)
#define VOP2_ACCUMULATE(name, d, a, b, ...) ROW(name, ACCUMULATE, d, a, b, d)
#define VOP2_ACCUMULATE_BITS(name, d, ab, c, ...) ROW(name, ACCUMULATE, d, ab, ab, c)
#define VOP2_LITERAL(name, type, flag, ...) LITERAL_##flag(name, type)
#define LITERAL_KILN_SIM_ROW_LITERAL_K1(name, type) ROW(name, LITERAL_K1, type, type, type, none)
#define LITERAL_KILN_SIM_ROW_LITERAL_K2(name, type) ROW(name, LITERAL_K2, type, type, type, none)
#include "sim/isa/vop2.def"
#define VOP3(name, d, a, b, c, ...) ROW(name, VECTOR, d, a, b, c)
#define VOP3_CLAMPED VOP3
#define VOP3_HALVES VOP3
#define VOP3_HALVES_CLAMPED VOP3
#define VOP3_HALF VOP3
#define VOP3_HALF_CLAMPED VOP3
#define VOP3_BYTE VOP3
#define VOP3_ROWS VOP3
#define VOP3_WIDE VOP3
#define VOP3_OWN VOP3
#define VOP3_ACCUMULATE(name, d, a, b, c, ...) ROW(name, ACCUMULATE, d, a, b, c)
#define VOP3_CARRY(name, d, a, b, c, ...) ROW(name, CARRY, d, a, b, c)
#define VOP3_ROWS_CARRY VOP3_CARRY
#include "sim/isa/vop3.def"
#define PACKED(name, vector, half, operands, ...) PACKED_##operands(name, vector)
#define PACKED_2(name, type) ROW(name, VECTOR, type, type, type, none)
#define PACKED_3(name, type) ROW(name, VECTOR, type, type, type, type)
#define PACKED_CLAMPED PACKED
#define DOT(name, d, vector, c, ...) ROW(name, VECTOR, d, vector, vector, c)
#define VOP3P_OWN(name, d, a, b, c, ...) ROW(name, VECTOR, d, a, b, c)
#include "sim/isa/vop3p.def"
#define COMPARE(name, type, ...)                                                                   \
    ROW(v_cmp_##name, COMPARE, none, type, type, none)                                             \
    ROW(v_cmpx_##name, COMPARE, none, type, type, none)
#define COMPARE_CLASS(name, a, b, ...)                                                             \
    ROW(v_cmp_##name, COMPARE, none, a, b, none)                                                   \
    ROW(v_cmpx_##name, COMPARE, none, a, b, none)
#include "sim/isa/vopc.def"
#undef COMPARE
#undef COMPARE_CLASS
#define FORM(name, a, b, c, text) {#name, SHAPE_TEXT, false, "u32", #a, #b, #c, text},
#include "verify/instructions.def"
};

static const row_t scalar_rows[] = {
#define SOP2(name, d, a, b, ...) ROW(name, SCALAR, d, a, b, none)
#define SOP1(name, d, a, ...) ROW(name, SCALAR, d, a, NONE, none)
#define SAVEEXEC(name, ...) ROW(name, SCALAR, U64, U64, NONE, none)
#define WREXEC(name, ...) ROW(name, SCALAR, U64, U64, NONE, none)
#define SOPC(name, a, b, ...) ROW(name, SCALAR_TEST, NONE, a, b, none)
#define SOPK(name, d, ...) ROW(name, SCALAR_CONST, d, NONE, NONE, none)
#define SOPKC(name, a, ...) ROW(name, SCALAR_CONST, NONE, NONE, NONE, a)
#include "sim/isa/sop.def"
#undef SOP2
#undef SOP1
#undef SAVEEXEC
#undef WREXEC
#undef SOPC
#undef SOPK
#undef SOPKC
};

enum {
    VECTOR_COUNT = sizeof vector_rows / sizeof *vector_rows,
    SCALAR_COUNT = sizeof scalar_rows / sizeof *scalar_rows
};

// Text ----------------------------------------------------------------------------------------------

static const char *own_text(const char *name)
{
    static const char *const rows[][2] = {
#define TEXT(name, text) {#name, text},
#include "verify/instructions.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i][0], name) == 0)
            return rows[i][1];
    return NULL;
}

// ", v[8:9]" of an operand of that type; nothing if it has none.
static void append_register(kiln_string_t *out, char bank, unsigned first, const char *type)
{
    const unsigned dwords = kiln_verify_type_dwords(type);
    const char *comma = out->length && out->data[out->length - 1] == ' ' ? "" : ", ";
    if (dwords == 1)
        kiln_string_appendf(out, "%s%c%u", comma, bank, first);
    else if (dwords > 1)
        kiln_string_appendf(out, "%s%c[%u:%u]", comma, bank, first, first + dwords - 1);
}

static void append_instruction(kiln_string_t *out, const row_t *row)
{
    const bool is_const = row->shape == SHAPE_SCALAR_CONST;
    const char bank = row->shape >= SHAPE_SCALAR ? 's' : 'v';
    const unsigned a = bank == 's' ? 40 : 8, b = a + 2, d = bank == 's' ? 48 : FIRST_RESULT;
    kiln_string_appendf(out, "%s ", row->name);
    if (row->shape == SHAPE_COMPARE)
        kiln_string_append(out, "vcc");
    else if (is_const && *row->c != 'n')
        kiln_string_append(out, "s48"); // read, not written
    else
        append_register(out, bank, d, row->d);
    if (row->shape == SHAPE_CARRY || row->shape == SHAPE_CARRY_IN)
        kiln_string_append(out, ", vcc");
    append_register(out, bank, a, row->a);
    if (row->shape == SHAPE_LITERAL_K1)
        kiln_string_append(out, ", 0x4248");
    append_register(out, bank, b, row->b);
    if (row->shape == SHAPE_LITERAL_K2)
        kiln_string_append(out, ", 0x4248");
    if (row->shape == SHAPE_CARRY_IN || row->shape == SHAPE_SELECT)
        kiln_string_append(out, ", vcc");
    if (is_const)
        kiln_string_append(out, ", 0x8123");
    if (bank == 'v' && row->shape != SHAPE_ACCUMULATE)
        append_register(out, bank, 12, row->c);
    kiln_string_append(out, "\n");
}

// The instruction, preceded by the setup of its state and followed by moves of its results to
// v[16:23].
static char *kernel_text(const row_t *row)
{
    const bool is_scalar = row->shape == SHAPE_SCALAR || row->shape == SHAPE_SCALAR_TEST ||
                           row->shape == SHAPE_SCALAR_CONST;
    const char *own = row->text ? row->text : own_text(row->name);
    kiln_string_t out = {0};
    kiln_string_append(&out, "v_mov_b32 v16, v12\n"
                             "v_mov_b32 v17, v13\n"
                             "v_mov_b32 v18, v14\n"
                             "v_mov_b32 v19, v15\n"
                             "s_mov_b64 s[48:49], s[44:45]\n"
                             "s_mov_b64 vcc, s[44:45]\n"
                             "s_and_b32 s14, s2, 1\n"
                             "s_cmp_eq_u32 s14, 1\n"
                             "s_cselect_b32 s15, s47, 0xf0\n"
                             "s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s15\n"
                             "s_and_b32 s14, s2, 3\n"
                             "s_cmp_eq_u32 s14, 2\n"
                             "s_cselect_b64 exec, s[46:47], -1\n"
                             "s_bitcmp1_b32 s46, 0\n"
                             "s_nop 7\n");
    if (own)
        kiln_string_append(&out, own);
    else
        append_instruction(&out, row);
    kiln_string_append(&out, "s_nop 7\n"
                             "s_nop 7\n"
                             "s_cselect_b32 s50, 1, 0\n"
                             "s_mov_b64 s[52:53], exec\n"
                             "s_mov_b64 exec, -1\n");
    if (is_scalar)
        kiln_string_append(&out, "v_mov_b32 v16, s48\n"
                                 "v_mov_b32 v17, s49\n"
                                 "v_mov_b32 v18, s50\n");
    kiln_string_append(&out, "v_mov_b32 v20, vcc_lo\n"
                             "v_mov_b32 v21, vcc_hi\n"
                             "v_mov_b32 v22, s52\n"
                             "v_mov_b32 v23, s53\n");
    return kiln_string_take(&out);
}

// Comparison ----------------------------------------------------------------------------------------

// The allowed error of the transcendental unit, in units of the last place of the result's type. An
// f64 result starts an iteration and has about 24 good bits; sine and cosine are good to about
// 2^-20.
static bool is_close(const row_t *row, const uint32_t *gpu, const uint32_t *simulator)
{
    if (strstr(row->d, "f64")) {
        double x, y;
        memcpy(&x, gpu, sizeof x);
        memcpy(&y, simulator, sizeof y);
        return fabs(x - y) <= fabs(y) * 0x1p-23;
    }
    const bool is_half = strstr(row->d, "f16");
    if (strstr(row->name, "sin") || strstr(row->name, "cos")) {
        float x, y;
        memcpy(&x, gpu, sizeof x);
        memcpy(&y, simulator, sizeof y);
        if (!is_half)
            return fabsf(x - y) <= 0x1p-20f;
    }
    const uint32_t x = is_half ? gpu[0] & 0xffff : gpu[0],
                   y = is_half ? simulator[0] & 0xffff : simulator[0];
    return (x > y ? x - y : y - x) <= 1;
}

typedef struct seen {
    const kiln_verify_data_t *data;
    const row_t *row;
    size_t lane; // of all
} seen_t;

// " a=0x3f800000" of an operand of that type; nothing if there is none.
static void append_value(kiln_string_t *out, const char *name, const char *type,
                         const uint32_t *value)
{
    const unsigned dwords = kiln_verify_type_dwords(type);
    if (dwords)
        kiln_string_appendf(out, " %s=0x", name);
    for (unsigned i = dwords; i-- > 0;)
        kiln_string_appendf(out, "%08x", value[i]);
}

// Appends one device's results: the destination, and of the rest only differences.
static void append_side(kiln_string_t *out, const char *name, const uint32_t *own,
                        const uint32_t *other)
{
    static const struct {
        const char *name;
        unsigned first, dwords;
    } parts[] = {{"result", 0, 4}, {"vcc", 4, 2}, {"exec", 6, 2}};
    kiln_string_appendf(out, "; %s", name);
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        unsigned dwords = parts[p].dwords;
        const unsigned first = parts[p].first;
        while (dwords > 0 && own[first + dwords - 1] == other[first + dwords - 1])
            dwords--;
        if (dwords)
            kiln_string_appendf(out, " %s=0x", parts[p].name);
        for (unsigned i = dwords; i-- > 0;)
            kiln_string_appendf(out, "%08x", own[first + i]);
    }
}

static void describe(const seen_t *seen, const char *text, kiln_verify_result_t *result)
{
    const uint32_t *in = &seen->data->inputs[seen->lane * INPUTS];
    const uint32_t *gpu = &seen->data->gpu[seen->lane * RESULTS],
                   *simulator = &seen->data->simulator[seen->lane * RESULTS];
    const size_t group = seen->lane / KILN_GFX942_LANES;
    const uint32_t *first = &seen->data->inputs[group * KILN_GFX942_LANES * INPUTS];
    kiln_string_t out = {0};
    kiln_string_appendf(&out, "%.*s with", (int)strcspn(text, "\n"), text);
    append_value(&out, "a", seen->row->a, &in[0]);
    append_value(&out, "b", seen->row->b, &in[2]);
    append_value(&out, "c", seen->row->c, &in[4]);
    kiln_string_appendf(&out, " MODE[7:0]=0x%02x", group & 1 ? first[7] & 0xff : 0xf0);
    append_side(&out, "GPU", gpu, simulator);
    append_side(&out, "simulator", simulator, gpu);
    kiln_string_appendf(&out, " (group %zu, lane %zu)", group, seen->lane % KILN_GFX942_LANES);
    snprintf(result->text, sizeof result->text, "%s", out.data ? out.data : "out of memory");
    kiln_string_free(&out);
}

// Compares all lanes and describes the first relevant difference.
static void compare(const row_t *row, const char *text, const kiln_verify_data_t *data,
                    kiln_verify_result_t *result)
{
    enum { ALL = KILN_GFX942_LANES * KILN_VERIFY_GROUPS };
    const unsigned dwords = kiln_verify_type_dwords(row->d);
    result->verdict = KILN_VERIFY_IDENTICAL;
    result->compared = ALL;
    for (size_t lane = 0; lane < ALL; lane++) {
        const uint32_t *gpu = &data->gpu[lane * RESULTS],
                       *simulator = &data->simulator[lane * RESULTS];
        if (memcmp(gpu, simulator, RESULTS * sizeof *gpu) == 0)
            continue;
        const bool close =
            row->approximates &&
            memcmp(gpu + dwords, simulator + dwords, (RESULTS - dwords) * sizeof *gpu) == 0 &&
            is_close(row, gpu, simulator);
        const kiln_verify_verdict_t verdict = close ? KILN_VERIFY_CLOSE : KILN_VERIFY_DIFFERS;
        result->different++;
        if (verdict > result->verdict) {
            result->verdict = verdict;
            describe(&(seen_t){data, row, lane}, text, result);
        }
    }
    const size_t used = strlen(result->text);
    if (used)
        snprintf(result->text + used, sizeof result->text - used, "; %" PRIu64 " of %d lanes",
                 result->different, ALL);
}

// Items ---------------------------------------------------------------------------------------------

typedef struct family {
    kiln_verify_kernels_t *kernels;
    kiln_verify_kernel_t *rows;
} family_t;

static kiln_status_t prepare(kiln_verify_context_t *context, const row_t *rows, size_t count,
                             family_t **out)
{
    family_t *family = *out = calloc(1, sizeof *family);
    if (!family || !(family->rows = calloc(count, sizeof *family->rows)))
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < count; i++) {
        char *text = kernel_text(&rows[i]);
        if (!text)
            return kiln_status_out_of_memory();
        family->rows[i] = (kiln_verify_kernel_t){
            .text = text, .inputs = INPUTS, .results = RESULTS, .first_result = FIRST_RESULT};
    }
    family->kernels = kiln_verify_kernels_create(context, family->rows, count);
    return KILN_OK;
}

static void draw(const row_t *row, uint64_t seed, kiln_verify_data_t *out)
{
    kiln_verify_random_t random = kiln_verify_random_of(seed, row->text ? row->text : row->name);
    for (size_t lane = 0; lane < KILN_GFX942_LANES * KILN_VERIFY_GROUPS; lane++) {
        uint32_t *in = &out->inputs[lane * INPUTS];
        for (unsigned i = 0; i < INPUTS; i++)
            in[i] = (uint32_t)kiln_verify_random(&random);
        kiln_verify_draw(&random, row->a, &in[0]);
        kiln_verify_draw(&random, row->b, &in[2]);
        kiln_verify_draw(&random, row->c, &in[4]);
    }
}

static void run(kiln_verify_context_t *context, kiln_verify_family_t id, const row_t *rows,
                size_t count, size_t index, kiln_verify_result_t *result)
{
    family_t *family = context->shared[id];
    kiln_status_t status = family ? KILN_OK : prepare(context, rows, count, &family);
    if (status) {
        kiln_verify_fail(result, "host", status);
        return;
    }
    context->shared[id] = family;
    const row_t *row = &rows[index];
    kiln_verify_data_t *data = kiln_verify_data_create(&family->rows[index]);
    if (!data) {
        kiln_verify_fail(result, "host", kiln_status_out_of_memory());
        return;
    }
    draw(row, context->run->options->seed, data);
    if (kiln_verify_kernels_run(context, family->kernels, index, data, result)) {
        const char *own = row->text ? row->text : own_text(row->name);
        kiln_string_t text = {0};
        append_instruction(&text, row);
        compare(row, own ? own : text.data ? text.data : row->name, data, result);
        kiln_string_free(&text);
    }
    kiln_verify_data_release(data);
}

static kiln_status_t list(kiln_verify_run_t *io_run, kiln_verify_family_t id, const row_t *rows,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[160];
        const char *text = rows[i].text ? rows[i].text : rows[i].name;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "\n"), text);
        KILN_TRY(kiln_verify_add(io_run, id, name, i));
    }
    return KILN_OK;
}

kiln_status_t kiln_verify_list_vector(kiln_verify_run_t *io_run)
{
    return list(io_run, KILN_VERIFY_vector, vector_rows, VECTOR_COUNT);
}

void kiln_verify_run_vector(kiln_verify_context_t *context, size_t index,
                            kiln_verify_result_t *result)
{
    run(context, KILN_VERIFY_vector, vector_rows, VECTOR_COUNT, index, result);
}

kiln_status_t kiln_verify_list_scalar(kiln_verify_run_t *io_run)
{
    return list(io_run, KILN_VERIFY_scalar, scalar_rows, SCALAR_COUNT);
}

void kiln_verify_run_scalar(kiln_verify_context_t *context, size_t index,
                            kiln_verify_result_t *result)
{
    run(context, KILN_VERIFY_scalar, scalar_rows, SCALAR_COUNT, index, result);
}
