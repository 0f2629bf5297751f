// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products, plain and scaled: their operand types, and the accumulator's type.
//
// tt has no unsigned operands: the prelude converts u8 to i8 by subtracting 128 from each element,
// and adds the difference to the sum.
#include "frontend/sema/check_builtin.h"

static bool is_byte(const kiln_tile_type_t *type)
{
    return type->scalar == KILN_SCALAR_I8 || type->scalar == KILN_SCALAR_U8;
}

// The accumulator's type if none is given; NONE if dot does not accept these elements.
static kiln_scalar_t dot_result(const kiln_tile_type_t *a, const kiln_tile_type_t *b)
{
    if (kiln_tile_is_float8(a) && kiln_tile_is_float8(b))
        return KILN_SCALAR_F32;
    if (a->is_pointer || b->is_pointer)
        return KILN_SCALAR_NONE;
    if (is_byte(a) && is_byte(b))
        return KILN_SCALAR_I32;
    if (a->scalar != b->scalar)
        return KILN_SCALAR_NONE;
    if (a->scalar == KILN_SCALAR_F64)
        return KILN_SCALAR_F64;
    return kiln_tile_is_float(a) ? KILN_SCALAR_F32 : KILN_SCALAR_NONE;
}

kiln_node_t *kiln_check_builtin_dot(const kiln_call_t *call)
{
    kiln_node_t *a = kiln_call_argument(call, 0), *b = kiln_call_argument(call, 1);
    kiln_node_t *accumulator = kiln_call_argument(call, 2);
    int precision;
    int64_t max_imprecise;
    if (!kiln_call_word(call, KILN_BUILTIN_OPTION_PRECISION, KILN_PRECISION_IEEE, &precision) ||
        !kiln_call_number(call, KILN_BUILTIN_OPTION_MAX_IMPRECISE, 0, &max_imprecise))
        return kiln_call_fail(call);
    if (!kiln_call_needs_tile(call, a) || !kiln_call_needs_tile(call, b) ||
        (accumulator && kiln_node_is_error(accumulator)))
        return kiln_call_fail(call);
    int rank = a->type.rank;
    bool is_matrix = rank == b->type.rank && (rank == 2 || rank == 3) &&
                     (rank == 2 || a->type.shape[0] == b->type.shape[0]);
    if (!is_matrix || a->type.shape[rank - 1] != b->type.shape[rank - 2]) {
        if (is_matrix)
            kiln_check_fail_between(
                call->checker, call->expr->at, a, b,
                "cannot multiply %s by %s: the inner dimensions are %lld and %lld",
                KILN_TYPE_TEXT(call->checker, &a->type), KILN_TYPE_TEXT(call->checker, &b->type),
                (long long)a->type.shape[rank - 1], (long long)b->type.shape[rank - 2]);
        else
            kiln_check_fail_between(call->checker, call->expr->at, a, b,
                                    "dot multiplies two matrices, or two batches of equally many "
                                    "matrices, got %s and %s",
                                    KILN_TYPE_TEXT(call->checker, &a->type),
                                    KILN_TYPE_TEXT(call->checker, &b->type));
        kiln_check_note_declarations(call->checker, a, b);
        return kiln_call_fail(call);
    }
    kiln_scalar_t natural = dot_result(&a->type, &b->type);
    if (!natural) {
        kiln_check_fail_between(call->checker, call->expr->at, a, b,
                                "dot takes two tiles of f16, bf16, f32, f64, of i8 and u8 or of "
                                "8-bit floats, got %s and %s",
                                KILN_TYPE_TEXT(call->checker, &a->type),
                                KILN_TYPE_TEXT(call->checker, &b->type));
        return kiln_call_fail(call);
    }
    kiln_tile_type_t type = kiln_tile_with_scalar(&a->type, natural);
    type.shape[rank - 1] = b->type.shape[rank - 1];
    if (!kiln_check_shape(call->checker, &type, call->expr->span))
        return kiln_call_fail(call);
    if (!accumulator) {
        accumulator = kiln_node_int(call->checker, KILN_SCALAR_I32, 0, call->expr->span);
    } else if (accumulator->type.rank && a->type.scalar == KILN_SCALAR_F16 &&
               accumulator->type.scalar == KILN_SCALAR_F16) {
        type.scalar = KILN_SCALAR_F16;
    } else if (accumulator->type.rank && accumulator->type.scalar != natural) {
        kiln_check_fail(
            call->checker, kiln_call_place(call, 2), "dot of %s accumulates in %s, got %s",
            kiln_scalar_row(a->type.scalar)->spelling, kiln_scalar_row(natural)->spelling,
            KILN_TYPE_TEXT(call->checker, &accumulator->type));
        kiln_check_note_declaration(call->checker, accumulator);
        return kiln_call_fail(call);
    }
    kiln_span_t at = call->expr->count > 2 ? kiln_call_place(call, 2) : call->expr->at;
    accumulator =
        kiln_convert_implicitly(call->checker, accumulator, &type, at, "accumulate in this");
    if (precision != KILN_PRECISION_IEEE && a->type.scalar != KILN_SCALAR_F32) {
        kiln_check_fail(call->checker, call->options[KILN_BUILTIN_OPTION_PRECISION]->span,
                        ".precision applies to f32 operands, got %s",
                        kiln_scalar_row(a->type.scalar)->spelling);
        return kiln_call_fail(call);
    }
    if (max_imprecise < 0 || max_imprecise > INT32_MAX ||
        (max_imprecise && !kiln_tile_is_float8(&a->type))) {
        kiln_check_fail(call->checker, call->options[KILN_BUILTIN_OPTION_MAX_IMPRECISE]->span,
                        ".max_num_imprecise_acc applies to 8-bit floats");
        return kiln_call_fail(call);
    }
    bool of_a = a->type.scalar == KILN_SCALAR_U8, of_b = b->type.scalar == KILN_SCALAR_U8;
    if (of_a || of_b) {
        kiln_node_t *const values[] = {a, b, accumulator};
        return kiln_call_prelude(call,
                                 of_a && of_b ? "_dot_uu"
                                 : of_a       ? "_dot_us"
                                              : "_dot_su",
                                 values, 3);
    }
    kiln_node_t *node = kiln_call_make(call, &type, a, b, accumulator);
    node->settings[0] = precision;
    node->settings[1] = (int)max_imprecise;
    return node;
}

// Scaled ------------------------------------------------------------------------------------------

typedef struct operand {
    kiln_node_t *tile, *scale;
    int format;
    bool packs_k;
    int64_t outer, inner; // M or N, and K, unpacked
} operand_t;

static const char *format_name(int format)
{
    size_t count;
    return kiln_builtin_option_words(KILN_BUILTIN_OPTION_A_FORMAT, &count)[format].word;
}

// The format of a tile if none is specified; -1 for bytes.
static int natural_format(const kiln_tile_type_t *type)
{
    switch ((int)type->scalar) {
    case KILN_SCALAR_F8E4M3FN:
        return KILN_SCALED_E4M3;
    case KILN_SCALAR_F8E5M2:
        return KILN_SCALED_E5M2;
    case KILN_SCALAR_BF16:
        return KILN_SCALED_BF16;
    case KILN_SCALAR_F16:
        return KILN_SCALED_F16;
    default:
        return -1;
    }
}

static bool read_format(const kiln_call_t *call, kiln_builtin_option_t option, operand_t *out)
{
    const kiln_tile_type_t *type = &out->tile->type;
    int natural = type->is_pointer ? -1 : natural_format(type);
    if (!kiln_call_word(call, option, natural, &out->format))
        return false;
    bool is_bytes = !type->is_pointer && is_byte(type);
    if (out->format < 0 && is_bytes) {
        kiln_check_fail(call->checker, out->tile->span,
                        "operands of bytes need a format, for example .%s = e2m1",
                        kiln_builtin_option_row(option)->name);
        return false;
    }
    bool fits =
        out->format >= 0 && (is_bytes ? out->format < KILN_SCALED_BF16 : out->format == natural);
    if (!fits)
        kiln_check_fail(call->checker, out->tile->span, "%s does not contain %s",
                        KILN_TYPE_TEXT(call->checker, type),
                        out->format < 0 ? "a format that dot_scaled takes"
                                        : format_name(out->format));
    return fits;
}

static bool read_scale(const kiln_call_t *call, kiln_builtin_option_t option, operand_t *out)
{
    if (!call->options[option])
        return true;
    out->scale = kiln_check_expr(call->checker, call->options[option]);
    if (!kiln_call_needs_tile(call, out->scale))
        return false;
    const kiln_tile_type_t *type = &out->scale->type;
    int rank = out->tile->type.rank;
    if (type->is_pointer || !is_byte(type) || type->rank != rank ||
        type->shape[rank - 2] != out->outer || type->shape[rank - 1] * 32 != out->inner) {
        kiln_check_fail(
            call->checker, out->scale->span,
            "expected a scale of type u8[%lld][%lld], one for each 32 elements along K, got %s",
            (long long)out->outer, (long long)(out->inner / 32),
            KILN_TYPE_TEXT(call->checker, type));
        return false;
    }
    return true;
}

static bool read_operand(const kiln_call_t *call, bool is_b, operand_t *out)
{
    out->tile = kiln_call_argument(call, is_b);
    if (!kiln_call_needs_tile(call, out->tile) ||
        !read_format(call, is_b ? KILN_BUILTIN_OPTION_B_FORMAT : KILN_BUILTIN_OPTION_A_FORMAT,
                     out) ||
        !kiln_call_flag(call, is_b ? KILN_BUILTIN_OPTION_B_K_PACK : KILN_BUILTIN_OPTION_A_K_PACK,
                        true, &out->packs_k))
        return false;
    int rank = out->tile->type.rank;
    if (rank != 2 && rank != 3) {
        kiln_check_fail(call->checker, out->tile->span,
                        "dot_scaled multiplies matrices or batches of them, got %s",
                        KILN_TYPE_TEXT(call->checker, &out->tile->type));
        return false;
    }
    bool is_packed = out->format == KILN_SCALED_E2M1;
    out->outer =
        out->tile->type.shape[rank - (is_b ? 1 : 2)] * (is_packed && !out->packs_k ? 2 : 1);
    out->inner = out->tile->type.shape[rank - (is_b ? 2 : 1)] * (is_packed && out->packs_k ? 2 : 1);
    return read_scale(call, is_b ? KILN_BUILTIN_OPTION_B_SCALE : KILN_BUILTIN_OPTION_A_SCALE, out);
}

kiln_node_t *kiln_check_builtin_dot_scaled(const kiln_call_t *call)
{
    kiln_checker_t *checker = call->checker;
    operand_t a = {0}, b = {0};
    bool fast_math;
    if (!read_operand(call, false, &a) || !read_operand(call, true, &b) ||
        !kiln_call_flag(call, KILN_BUILTIN_OPTION_FAST_MATH, false, &fast_math))
        return kiln_call_fail(call);
    int rank = a.tile->type.rank;
    if (rank != b.tile->type.rank || a.inner != b.inner ||
        (rank == 3 && a.tile->type.shape[0] != b.tile->type.shape[0])) {
        kiln_check_fail_between(
            checker, call->expr->at, a.tile, b.tile,
            "cannot multiply %s by %s: the inner dimensions are %lld and %lld elements",
            KILN_TYPE_TEXT(checker, &a.tile->type), KILN_TYPE_TEXT(checker, &b.tile->type),
            (long long)a.inner, (long long)b.inner);
        return kiln_call_fail(call);
    }
    kiln_tile_type_t type = kiln_tile_with_scalar(&a.tile->type, KILN_SCALAR_F32);
    type.shape[rank - 2] = a.outer;
    type.shape[rank - 1] = b.outer;
    if (!kiln_check_shape(checker, &type, call->expr->span))
        return kiln_call_fail(call);
    kiln_node_t *accumulator = kiln_call_argument(call, 2);
    kiln_span_t at = accumulator ? kiln_call_place(call, 2) : call->expr->at;
    if (!accumulator)
        accumulator = kiln_node_int(checker, KILN_SCALAR_I32, 0, call->expr->span);
    if (!kiln_node_is_error(accumulator) && accumulator->type.rank &&
        accumulator->type.scalar != KILN_SCALAR_F32) {
        kiln_check_fail(checker, at, "dot_scaled accumulates in f32, got %s",
                        KILN_TYPE_TEXT(checker, &accumulator->type));
        return kiln_call_fail(call);
    }
    accumulator = kiln_convert_implicitly(checker, accumulator, &type, at, "accumulate in this");
    kiln_node_t *node = kiln_call_make(call, &type, a.tile, b.tile, accumulator);
    if (kiln_node_is_error(node))
        return node;
    node->inputs = KILN_ARENA_ARRAY(checker->arena, kiln_node_t *, 2);
    if (a.scale)
        node->inputs[node->input_count++] = a.scale;
    if (b.scale)
        node->inputs[node->input_count++] = b.scale;
    node->settings[0] = a.format | (a.packs_k ? 0 : 16) | (a.scale ? 32 : 0);
    node->settings[1] = b.format | (b.packs_k ? 0 : 16) | (b.scale ? 32 : 0);
    node->settings[2] = fast_math;
    return node;
}
