// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls each building function with wrong arguments: kiln_builder_finish must name the call. All of
// them must accept a NULL builder.
#ifndef API_CASES_BUILDER_H
#define API_CASES_BUILDER_H

// The operands of the wrong calls; built anew for each call.
static struct {
    kiln_builder_t *b;
    kiln_value_t x, n, tile, mask, outs[16];
} built;

static const kiln_value_type_t an_f32_pointer = {.element = KILN_VALUE_F32, .is_pointer = true},
                               an_i32 = {.element = KILN_VALUE_I32},
                               odd = {.rank = 1, .shape = {3}};
static const int64_t shape_64[] = {64}, shape_3[] = {3};

static void begin_kernel(bool has_kernel)
{
    const kiln_kernel_parameter_t parameters[] = {{"x", an_f32_pointer, 0, false},
                                                  {"n", an_i32, 0, false}};
    kiln_value_t arguments_[2];
    ok(kiln_builder_create(&built.b));
    if (!has_kernel)
        return;
    kiln_build_kernel_begin(built.b, "k", parameters, 2, arguments_);
    built.x = arguments_[0];
    built.n = arguments_[1];
    built.tile = kiln_build_float(
        built.b, (kiln_value_type_t){.element = KILN_VALUE_F32, .rank = 1, .shape = {64}}, 1.0);
    built.mask = kiln_build_compare(built.b, KILN_COMPARE_OGT, built.tile, built.tile);
}

static void show_wrong_call(int line, const char *call)
{
    size_t length = strcspn(call, "(");
    kiln_source_t source;
    kiln_status_t status = kiln_builder_finish(built.b, &source);
    const char *message = kiln_status_message(status);
    if (kiln_status_code(status) != KILN_STATUS_INVALID_INPUT ||
        strncmp(message, call, length) != 0 || strncmp(message + length, ": ", 2) != 0) {
        print_error("api case of line %d: %s\n  is reported as '%s'\n", line, call, message);
        wrong++;
    }
    row_of_call(call)->shown |= ANSWER;
    kiln_status_free(status);
    kiln_builder_release(built.b);
}

#define WRONG(call)                                                                                \
    do {                                                                                           \
        begin_kernel(true);                                                                        \
        call;                                                                                      \
        show_wrong_call(__LINE__, #call);                                                          \
        built.b = NULL;                                                                            \
        call;                                                                                      \
    } while (0)
// A wrong call outside of a kernel.
#define WRONG_OUTSIDE(call)                                                                        \
    do {                                                                                           \
        begin_kernel(false);                                                                       \
        call;                                                                                      \
        show_wrong_call(__LINE__, #call);                                                          \
        built.b = NULL;                                                                            \
        call;                                                                                      \
    } while (0)

static void values(void)
{
    const kiln_value_t none = {NULL};
    const kiln_kernel_parameter_t tile_parameter = {
        "t", {.element = KILN_VALUE_F32, .rank = 1, .shape = {64}}, 0, 0};
    const int32_t order[] = {5}, hints[] = {16, 16};
    WRONG(kiln_build_kernel_begin(built.b, "inner", NULL, 0, NULL));
    WRONG_OUTSIDE(kiln_build_kernel_begin(built.b, NULL, NULL, 0, NULL));
    WRONG_OUTSIDE(kiln_build_kernel_begin(built.b, "k", NULL, 1, built.outs));
    WRONG_OUTSIDE(kiln_build_kernel_begin(built.b, "k", &tile_parameter, 1, built.outs));
    WRONG_OUTSIDE(kiln_build_kernel_begin(built.b, "k", &tile_parameter, 1, NULL));
    WRONG_OUTSIDE(kiln_build_kernel_end(built.b));
    WRONG(kiln_build_int(built.b, an_f32_pointer, 1));
    WRONG(kiln_build_float(built.b, an_i32, 1));
    WRONG(kiln_build_undefined(built.b, odd));
    WRONG(kiln_build_program_id(built.b, 5));
    WRONG(kiln_build_num_programs(built.b, -1));
    WRONG(kiln_build_range(built.b, 0, 3));
    WRONG(kiln_build_splat(built.b, built.n, 1, shape_3));
    WRONG(kiln_build_splat(built.b, built.n, 1, NULL));
    WRONG(kiln_build_expand_dims(built.b, built.tile, 7));
    WRONG(kiln_build_broadcast(built.b, built.tile, 1, shape_3));
    WRONG(kiln_build_broadcast(built.b, built.tile, 1, NULL));
    WRONG(kiln_build_reshape(built.b, built.tile, 1, shape_3));
    WRONG(kiln_build_reshape(built.b, built.tile, 1, NULL));
    WRONG(kiln_build_trans(built.b, built.tile, order));
    WRONG(kiln_build_trans(built.b, built.tile, NULL));
    WRONG(kiln_build_join(built.b, built.tile, built.n));
    WRONG(kiln_build_split(built.b, built.tile, &built.outs[0], &built.outs[1]));
    WRONG(kiln_build_split(built.b, built.tile, NULL, &built.outs[1]));
    WRONG(kiln_build_cat(built.b, built.tile, built.n));
    WRONG(kiln_build_unsplat(built.b, built.tile));
    WRONG(kiln_build_histogram(built.b, built.tile, none, 8));
    WRONG(kiln_build_gather(built.b, built.tile, built.tile, 3));
    WRONG(kiln_build_hint(built.b, built.tile, KILN_HINT_DIVISIBILITY, hints, 2));
    WRONG(kiln_build_hint(built.b, built.tile, KILN_HINT_DIVISIBILITY, NULL, 1));
    WRONG(kiln_build_assume(built.b, none));
    WRONG_OUTSIDE(kiln_build_barrier(built.b));
}

static void sums(void)
{
    const kiln_value_t none = {NULL};
    WRONG(kiln_build_unary(built.b, KILN_UNARY_COUNT, built.tile));
    WRONG(kiln_build_unary(built.b, KILN_UNARY_EXP, built.n)); // an error that its verifier finds
    WRONG(kiln_build_binary(built.b, KILN_BINARY_ADDF, built.tile, built.n));
    WRONG(kiln_build_binary(built.b, KILN_BINARY_ADDI, built.tile, built.tile));
    WRONG(kiln_build_convert(built.b, KILN_CONVERT_COUNT, built.tile, KILN_VALUE_F16));
    WRONG(kiln_build_convert(built.b, KILN_CONVERT_EXTF, built.tile, KILN_VALUE_F16));
    WRONG(kiln_build_round(built.b, built.tile, KILN_VALUE_F16, KILN_ROUNDING_COUNT));
    WRONG(kiln_build_extern(built.b, NULL, &built.tile, 1, KILN_VALUE_F32));
    WRONG(kiln_build_extern(built.b, "__ocml_pow_f32", NULL, 1, KILN_VALUE_F32));
    WRONG(kiln_build_extern(built.b, "__ocml_pow_f32", &built.tile, 0, KILN_VALUE_F32));
    WRONG(kiln_build_convert_pointer(built.b, KILN_CONVERT_EXTF, built.n, KILN_VALUE_F16));
    WRONG(kiln_build_compare(built.b, KILN_COMPARE_COUNT, built.n, built.n));
    WRONG(kiln_build_select(built.b, built.mask, built.tile, built.n));
    WRONG(kiln_build_fma(built.b, built.tile, built.tile, built.n));
    WRONG(kiln_build_clamp(built.b, built.tile, built.tile, built.n));
    WRONG(kiln_build_dot(built.b, built.tile, built.tile, built.tile));
    WRONG(kiln_build_dot(built.b, built.tile, none, built.tile));
    WRONG(kiln_build_dot_with(built.b, built.tile, built.tile, none, (kiln_precision_t)0, 0));
    WRONG(kiln_build_dot_scaled(built.b, NULL, NULL, built.tile, false));
    WRONG(kiln_build_reduce(built.b, KILN_REDUCE_COUNT, built.tile, 0));
    WRONG(kiln_build_scan(built.b, KILN_REDUCE_COUNT, built.tile, 0));
    WRONG(kiln_build_arg_reduce(built.b, KILN_COMPARE_OGT, built.tile, 4));
    WRONG(kiln_build_best(built.b, KILN_COMPARE_OGT, false, built.tile, 4, &built.outs[0],
                          &built.outs[1]));
    WRONG(kiln_build_best(built.b, KILN_COMPARE_OGT, false, built.tile, 0, NULL, &built.outs[1]));
    WRONG(kiln_build_reduce_begin(built.b, &built.tile, 1, 0, NULL));
    WRONG(kiln_build_reduce_begin(built.b, NULL, 1, 0, built.outs));
    WRONG(kiln_build_reduce_end(built.b, &built.tile, 1, built.outs));
    WRONG(kiln_build_scan_begin(built.b, &built.tile, 1, 9, false, built.outs));
    WRONG(kiln_build_scan_end(built.b, &built.tile, 1, built.outs));
    WRONG(kiln_build_map_begin(built.b, &built.tile, 1, NULL));
    WRONG(kiln_build_map_begin(built.b, NULL, 1, built.outs));
    WRONG(kiln_build_map_end(built.b, &built.tile, 1, built.outs));
}

static void views(void)
{
    const int64_t block[] = {16, 16};
    WRONG(kiln_build_block_pointer(built.b, built.n, 1, NULL, NULL, NULL, block, NULL));
    WRONG(kiln_build_block_pointer(built.b, built.x, 1, NULL, NULL, NULL, NULL, NULL));
    WRONG(kiln_build_advance(built.b, built.x, NULL));
    WRONG(kiln_build_block_load(built.b, built.x, 0, KILN_PADDING_NONE, NULL));
    WRONG(kiln_build_block_store(built.b, built.x, built.tile, 0, NULL));
    WRONG(kiln_build_descriptor(built.b, built.n, 1, NULL, NULL, block, KILN_PADDING_NONE));
    WRONG(kiln_build_descriptor(built.b, built.x, 1, NULL, NULL, block, KILN_PADDING_NONE));
    WRONG(kiln_build_descriptor_load(built.b, built.x, NULL, NULL));
    WRONG(kiln_build_descriptor_store(built.b, built.x, NULL, built.tile));
    WRONG(kiln_build_descriptor_reduce(built.b, KILN_VIEW_REDUCE_COUNT, built.x, NULL, built.tile));
    WRONG(kiln_build_descriptor_gather(built.b, built.x, built.tile, built.n));
    WRONG(kiln_build_descriptor_scatter(built.b, built.x, built.tile, built.n, built.tile));
}

static void memory(void)
{
    const kiln_value_t none = {NULL};
    const kiln_assembly_t nothing = {0};
    WRONG(kiln_build_inline_asm(built.b, NULL, NULL, 0, NULL, 0, NULL));
    WRONG(kiln_build_inline_asm(built.b, &nothing, NULL, 0, NULL, 0, NULL));
    WRONG(kiln_build_print(built.b, NULL, false, NULL, NULL, 0));
    WRONG(kiln_build_print(built.b, "x", false, NULL, NULL, 1));
    WRONG(kiln_build_printf(built.b, NULL, "%d", built.n, true));
    WRONG(kiln_build_printf(built.b, "x", NULL, built.n, true));
    WRONG(kiln_build_printf(built.b, "x", "%d", none, true));
    WRONG(kiln_build_printf(built.b, "x", "%f", built.n, true)); // an integer
    WRONG(kiln_build_assert(built.b, built.mask, NULL));
    WRONG(kiln_build_assert(built.b, built.tile, "message"));
    const kiln_access_hints_t plain = {0};
    WRONG(kiln_build_addptr(built.b, none, built.n));
    WRONG(kiln_build_addptr(built.b, built.n, built.n));
    WRONG(kiln_build_load(built.b, built.n, none, none));
    WRONG(kiln_build_store(built.b, built.x, built.tile, none));
    WRONG(kiln_build_load_with(built.b, built.x, none, none, NULL));
    WRONG(kiln_build_load_with(built.b, built.n, none, none, &plain));
    WRONG(kiln_build_store_with(built.b, built.x, built.tile, none, &plain));
    WRONG(kiln_build_atomic_rmw(built.b, KILN_ATOMIC_COUNT, built.x, built.n, none));
    WRONG(kiln_build_atomic_cas(built.b, built.x, built.n, built.n));
    WRONG(kiln_build_atomic_rmw_with(built.b, KILN_ATOMIC_COUNT, built.x, built.n, none,
                                     KILN_ORDER_ACQ_REL, KILN_SCOPE_GPU));
    WRONG(kiln_build_atomic_cas_with(built.b, built.x, built.n, built.n, KILN_ORDER_ACQ_REL,
                                     KILN_SCOPE_GPU));
    WRONG(kiln_build_atomic_poll(built.b, built.n, built.n, none, KILN_ORDER_ACQ_REL,
                                 KILN_SCOPE_GPU));
}

static void control(void)
{
    const kiln_value_t none = {NULL};
    WRONG(kiln_build_for_begin(built.b, built.n, built.x, built.n, NULL, 0, &built.outs[0], NULL));
    WRONG(kiln_build_for_begin(built.b, built.n, built.n, built.n, NULL, 0, NULL, NULL));
    WRONG(kiln_build_for_begin(built.b, built.n, built.n, built.n, NULL, 1, &built.outs[0],
                               &built.outs[1]));
    WRONG(kiln_build_for_end(built.b, NULL, NULL));
    WRONG(kiln_build_for_attribute(built.b, "tt.num_stages", 1));
    WRONG(kiln_build_while_begin(built.b, &none, 1, built.outs));
    WRONG(kiln_build_while_begin(built.b, &built.n, 1, NULL));
    WRONG(kiln_build_while_condition(built.b, built.mask, NULL, 0, NULL));
    WRONG(kiln_build_while_end(built.b, NULL, NULL));
    WRONG(kiln_build_if_begin(built.b, none));
    WRONG(kiln_build_if_else(built.b, NULL, 0));
    WRONG(kiln_build_if_end(built.b, NULL, 0, NULL));
}

static void builder(void)
{
    kiln_source_t source;
    kiln_builder_t *b;
    NULLS(kiln_builder_create(NULL), "out_builder is NULL");
    ok(kiln_builder_create(&b));
    NULLS(kiln_builder_finish(NULL, &source), "builder is NULL");
    NULLS(kiln_builder_finish(b, NULL), "out_source is NULL");
    kiln_build_range(b, 0, 64);
    CASE(INVALID_INPUT, kiln_builder_finish(b, &source),
         "kiln_build_range: a range outside of a kernel");
    kiln_builder_release(b);
    SURVIVES(kiln_builder_release(NULL));
    SURVIVES(kiln_builder_set_location(NULL, "f", 1, 1));
    ANSWER_IS(kiln_value_type(NULL, (kiln_value_t){NULL}).element, == KILN_VALUE_COUNT);
    values();
    sums();
    views();
    memory();
    control();
}

#endif
