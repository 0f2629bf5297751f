// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builder API for tile programs (the tt dialect), for graph compilers.
//
// Programs are built in execution order: kiln_build_kernel_begin, operations, structured control
// flow with begin and end calls, kiln_build_kernel_end, then kiln_builder_finish, whose text is a
// kiln_source_t of stage KILN_STAGE_TT.
//
// Ownership   The builder owns all values; a value may be used only with its builder and only where
//             it is visible (not after the loop or branch that defines it has ended).
// Threads     A builder belongs to one thread at a time.
// Errors      Building functions return no status. The first invalid call records its error; later
//             calls do nothing and return the null value; kiln_builder_finish reports the error
//             with the call's name: "kiln_build_dot: …". So there is no need to check each call.
//             With a NULL builder, calls return the null value.
// Types       Integers carry no sign; the operations do (DIVSI, DIVUI).
// Shapes      Operands of binary, compare, select, fma, clamp and addptr are broadcast to one shape
//             as by kiln_build_broadcast: a scalar to a tile's shape, 16 × 1 and 32 to 16 × 32; a
//             pointer plus a tile of offsets is a tile of pointers. Masks, values to store and
//             values for masked-off elements are broadcast to the pointer's shape. Other shapes are
//             given per function.
#ifndef KILN_BUILDER_H
#define KILN_BUILDER_H

#include "kiln/kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_BUILDER_RANK_LIMIT 8
#define KILN_BUILDER_COUNT_LIMIT (1 << 20) // elements of a tile

typedef enum kiln_element {
#define KILN_ELEMENT_ROW(id, spelling) KILN_VALUE_##id,
#include "kiln/builder.def"
    KILN_VALUE_COUNT
} kiln_element_t;

typedef enum kiln_view_kind {
    KILN_VIEW_NONE,
    KILN_VIEW_BLOCK_POINTER,
    KILN_VIEW_DESCRIPTOR
} kiln_view_kind_t;

typedef struct kiln_value_type {
    kiln_element_t element; // or what the pointer points to
    bool is_pointer;
    int rank;                               // 0: a scalar
    int64_t shape[KILN_BUILDER_RANK_LIMIT]; // powers of two
    kiln_view_kind_t view; // not NONE: a block pointer to, or a descriptor of blocks of this type
} kiln_value_type_t;

static inline kiln_value_type_t kiln_scalar_type(kiln_element_t element)
{
    kiln_value_type_t type = {element, false, 0, {0}, KILN_VIEW_NONE};
    return type;
}

static inline kiln_value_type_t kiln_pointer_type(kiln_element_t pointee)
{
    kiln_value_type_t type = {pointee, true, 0, {0}, KILN_VIEW_NONE};
    return type;
}

// A two-dimensional tile, or with 0 columns a one-dimensional one.
static inline kiln_value_type_t kiln_tile_type(kiln_element_t element, int64_t rows,
                                               int64_t columns)
{
    kiln_value_type_t type = {element, false, columns ? 2 : 1, {rows, columns}, KILN_VIEW_NONE};
    return type;
}

typedef struct kiln_value {
    const void *handle; // NULL: the null value
} kiln_value_t;

typedef struct kiln_builder kiln_builder_t;
KILN_API kiln_status_t kiln_builder_create(kiln_builder_t **out_builder);
KILN_API void kiln_builder_release(kiln_builder_t *builder);

// Verifies the program. The text belongs to the builder and is valid as long as it.
KILN_API kiln_status_t kiln_builder_finish(kiln_builder_t *builder, kiln_source_t *out_source);

// Sets the source location of subsequent operations, for error messages and debug information; file
// NULL: none.
KILN_API void kiln_builder_set_location(kiln_builder_t *builder, const char *file, unsigned line,
                                        unsigned column);

KILN_API kiln_value_type_t kiln_value_type(const kiln_builder_t *builder, kiln_value_t value);

// Kernels -----------------------------------------------------------------------------------------

typedef struct kiln_kernel_parameter {
    const char *name;
    kiln_value_type_t type; // a scalar or a pointer
    unsigned divisibility;  // of the pointer in bytes, or of the integer; 0: unknown
    bool
        pointer_range_32; // the buffer is smaller than 2 GiB, including the part before the pointer
} kiln_kernel_parameter_t;

// out_arguments must have room for `count` values.
KILN_API void kiln_build_kernel_begin(kiln_builder_t *builder, const char *name,
                                      const kiln_kernel_parameter_t *parameters, size_t count,
                                      kiln_value_t *out_arguments);
KILN_API void kiln_build_kernel_end(kiln_builder_t *builder);

// Values and shapes -------------------------------------------------------------------------------

KILN_API kiln_value_t kiln_build_int(kiln_builder_t *builder, kiln_value_type_t type,
                                     int64_t value); // a tile type: every element
KILN_API kiln_value_t kiln_build_float(kiln_builder_t *builder, kiln_value_type_t type,
                                       double value);
KILN_API kiln_value_t kiln_build_undefined(kiln_builder_t *builder, kiln_value_type_t type);
KILN_API kiln_value_t kiln_build_program_id(kiln_builder_t *builder,
                                            int axis); // axis 0, 1 or 2; i32
KILN_API kiln_value_t kiln_build_num_programs(kiln_builder_t *builder, int axis);
KILN_API kiln_value_t kiln_build_range(kiln_builder_t *builder, int64_t start,
                                       int64_t end); // i32[end - start]
KILN_API kiln_value_t kiln_build_splat(kiln_builder_t *builder, kiln_value_t scalar, int rank,
                                       const int64_t *shape);
KILN_API kiln_value_t kiln_build_expand_dims(kiln_builder_t *builder, kiln_value_t tile, int axis);
// Broadcasts to a larger shape as NumPy does: adds missing leading dimensions, repeats dimensions
// of 1, splats scalars.
KILN_API kiln_value_t kiln_build_broadcast(kiln_builder_t *builder, kiln_value_t value, int rank,
                                           const int64_t *shape);
KILN_API kiln_value_t kiln_build_reshape(kiln_builder_t *builder, kiln_value_t tile, int rank,
                                         const int64_t *shape);
KILN_API kiln_value_t kiln_build_trans(kiln_builder_t *builder, kiln_value_t tile,
                                       const int32_t *order); // result dim i is dim order[i]
KILN_API kiln_value_t kiln_build_join(kiln_builder_t *builder, kiln_value_t a,
                                      kiln_value_t b); // a new last dimension of 2
// The two halves of a tile whose last dimension is 2.
KILN_API void kiln_build_split(kiln_builder_t *builder, kiln_value_t tile, kiln_value_t *out_first,
                               kiln_value_t *out_second);
KILN_API kiln_value_t kiln_build_cat(kiln_builder_t *builder, kiln_value_t a,
                                     kiln_value_t b); // 1-D; the elements in any order
KILN_API kiln_value_t kiln_build_unsplat(kiln_builder_t *builder,
                                         kiln_value_t tile); // of one element: a scalar
// Counts the elements equal to each of 0 … bins − 1, as i32; ignores others. Takes a 1-D tile of
// integers.
KILN_API kiln_value_t kiln_build_histogram(kiln_builder_t *builder, kiln_value_t tile,
                                           kiln_value_t mask /* or null */, int64_t bins);
KILN_API kiln_value_t kiln_build_gather(kiln_builder_t *builder, kiln_value_t source,
                                        kiln_value_t indices, int axis);

// Arithmetic --------------------------------------------------------------------------------------

typedef enum kiln_unary {
#define KILN_UNARY_ROW(id, op) KILN_UNARY_##id,
#include "kiln/builder.def"
    KILN_UNARY_COUNT
} kiln_unary_t;
KILN_API kiln_value_t kiln_build_unary(kiln_builder_t *builder, kiln_unary_t op, kiln_value_t a);

typedef enum kiln_binary {
#define KILN_BINARY_ROW(id, op) KILN_BINARY_##id,
#include "kiln/builder.def"
    KILN_BINARY_COUNT
} kiln_binary_t;
KILN_API kiln_value_t kiln_build_binary(kiln_builder_t *builder, kiln_binary_t op, kiln_value_t a,
                                        kiln_value_t b);

typedef enum kiln_convert {
#define KILN_CONVERT_ROW(id, op) KILN_CONVERT_##id,
#include "kiln/builder.def"
    KILN_CONVERT_COUNT
} kiln_convert_t;
KILN_API kiln_value_t kiln_build_convert(kiln_builder_t *builder, kiln_convert_t op, kiln_value_t a,
                                         kiln_element_t element);
// Converts an integer (INT_TO_PTR) or a pointer to another element type (BITCAST) to a pointer.
KILN_API kiln_value_t kiln_build_convert_pointer(kiln_builder_t *builder, kiln_convert_t op,
                                                 kiln_value_t a, kiln_element_t pointee);

// Converts to a smaller float. TOWARD_ZERO supports only f16, bf16 and f32.
typedef enum kiln_rounding {
    KILN_ROUNDING_NEAREST_EVEN,
    KILN_ROUNDING_TOWARD_ZERO,
    KILN_ROUNDING_COUNT
} kiln_rounding_t;
KILN_API kiln_value_t kiln_build_round(kiln_builder_t *builder, kiln_value_t a,
                                       kiln_element_t element, kiln_rounding_t rounding);

// Calls a device library function on each element: `symbol` is its name (__ocml_pow_f32), the
// arguments are 1 to KILN_BUILDER_EXTERN_LIMIT values of one shape, which is the result's shape.
// The function must be free of side effects.
#define KILN_BUILDER_EXTERN_LIMIT 16
KILN_API kiln_value_t kiln_build_extern(kiln_builder_t *builder, const char *symbol,
                                        const kiln_value_t *arguments, size_t count,
                                        kiln_element_t result);

typedef enum kiln_compare {
#define KILN_COMPARE_ROW(id, op) KILN_COMPARE_##id,
#include "kiln/builder.def"
    KILN_COMPARE_COUNT
} kiln_compare_t;
KILN_API kiln_value_t kiln_build_compare(kiln_builder_t *builder, kiln_compare_t predicate,
                                         kiln_value_t a, kiln_value_t b);

KILN_API kiln_value_t kiln_build_select(kiln_builder_t *builder, kiln_value_t condition,
                                        kiln_value_t a,
                                        kiln_value_t b); // i1; a scalar selects all of a or b
KILN_API kiln_value_t kiln_build_fma(kiln_builder_t *builder, kiln_value_t a, kiln_value_t b,
                                     kiln_value_t c); // a · b + c, rounded once
KILN_API kiln_value_t kiln_build_clamp(kiln_builder_t *builder, kiln_value_t x, kiln_value_t low,
                                       kiln_value_t high);

// a: [batch,] M × K; b: [batch,] K × N; accumulator: [batch,] M × N of f16, f32, f64 or i32.
KILN_API kiln_value_t kiln_build_dot(kiln_builder_t *builder, kiln_value_t a, kiln_value_t b,
                                     kiln_value_t accumulator);
typedef enum kiln_precision {
#define KILN_PRECISION_ROW(id, value) KILN_PRECISION_##id,
#include "kiln/builder.def"
    KILN_PRECISION_COUNT
} kiln_precision_t;
// Precision applies to f32 operands; with 8-bit floats, at most `max_imprecise` products are summed
// in the matrix unit's precision (0: all; without effect on gfx942, which sums in f32).
KILN_API kiln_value_t kiln_build_dot_with(kiln_builder_t *builder, kiln_value_t a, kiln_value_t b,
                                          kiln_value_t accumulator, kiln_precision_t precision,
                                          int32_t max_imprecise);

typedef enum kiln_scaled_format {
#define KILN_SCALED_ROW(id, value) KILN_SCALED_##id,
#include "kiln/builder.def"
    KILN_SCALED_COUNT
} kiln_scaled_format_t;
// An operand of a scaled product. The tile has its format's type (E4M3: F8E4M3FN) or i8, but BF16
// and F16 require theirs. The scale (null: none) is i8, 2^(byte − 127), one per 32 elements along
// K: [batch,] M × K/32 for a, [batch,] N × K/32 for b. E2M1 packs pairs along K, or with
// `packs_other` along M or N.
typedef struct kiln_scaled_operand {
    kiln_value_t tile, scale;
    kiln_scaled_format_t format;
    bool packs_other;
} kiln_scaled_operand_t;
KILN_API kiln_value_t kiln_build_dot_scaled(kiln_builder_t *builder, const kiln_scaled_operand_t *a,
                                            const kiln_scaled_operand_t *b,
                                            kiln_value_t accumulator, bool fast_math);

typedef enum kiln_reduce {
#define KILN_REDUCE_ROW(id, op) KILN_REDUCE_##id,
#include "kiln/builder.def"
    KILN_REDUCE_COUNT
} kiln_reduce_t;
KILN_API kiln_value_t kiln_build_reduce(kiln_builder_t *builder, kiln_reduce_t op,
                                        kiln_value_t tile,
                                        int axis); // a 1-D tile gives a scalar
KILN_API kiln_value_t kiln_build_scan(kiln_builder_t *builder, kiln_reduce_t op, kiln_value_t tile,
                                      int axis);
// Index (i32) of the largest or smallest element along the axis: `better` is OGT, SGT, UGT, OLT,
// SLT or ULT. Of equal elements the first; unspecified if there are NaNs.
KILN_API kiln_value_t kiln_build_arg_reduce(kiln_builder_t *builder, kiln_compare_t better,
                                            kiln_value_t tile, int axis);
// The same, also returning the element; of equal elements the first, or with `any_of_equals` an
// arbitrary one (cheaper).
KILN_API void kiln_build_best(kiln_builder_t *builder, kiln_compare_t better, bool any_of_equals,
                              kiln_value_t tile, int axis, kiln_value_t *out_element,
                              kiln_value_t *out_index);

// Reductions and scans with a custom combiner. `tiles` are up to KILN_BUILDER_COMBINE_LIMIT tiles
// of one shape. begin returns two elements of each, as scalars: first the left sides, then the
// right ones. Operations up to end combine them; they must be scalar and must not access memory;
// end takes one value per tile, of its element type. The combiner must be associative; the left
// side has the smaller indices, or with `reverse` the larger ones. `count` must be equal at begin
// and end.
#define KILN_BUILDER_COMBINE_LIMIT 8
KILN_API void kiln_build_reduce_begin(kiln_builder_t *builder, const kiln_value_t *tiles,
                                      size_t count, int axis, kiln_value_t *out_elements);
KILN_API void kiln_build_reduce_end(kiln_builder_t *builder, const kiln_value_t *combined,
                                    size_t count, kiln_value_t *out_results);
KILN_API void kiln_build_scan_begin(kiln_builder_t *builder, const kiln_value_t *tiles,
                                    size_t count, int axis, bool reverse,
                                    kiln_value_t *out_elements);
KILN_API void kiln_build_scan_end(kiln_builder_t *builder, const kiln_value_t *combined,
                                  size_t count, kiln_value_t *out_results);
// Scalar code on each element, as in a reduction: begin returns one element of each tile, end takes
// the result scalars and returns tiles of them. Up to KILN_BUILDER_COMBINE_LIMIT tiles and results.
KILN_API void kiln_build_map_begin(kiln_builder_t *builder, const kiln_value_t *tiles, size_t count,
                                   kiln_value_t *out_elements);
KILN_API void kiln_build_map_end(kiln_builder_t *builder, const kiln_value_t *results, size_t count,
                                 kiln_value_t *out_tiles);

// Assembly and output -----------------------------------------------------------------------------

// Inline assembly per element, with LLVM's constraints ("=v,v,v"); `packed` elements at once, which
// share registers if smaller than 32 bits.
typedef struct kiln_assembly {
    const char *text, *constraints;
    int packed;       // 1, 2, 4, …
    bool has_effects; // side effects: never moved, duplicated or removed
} kiln_assembly_t;
// Arguments and results must be tiles of one shape or all scalars; up to KILN_BUILDER_EXTERN_LIMIT
// of each.
KILN_API void kiln_build_inline_asm(kiln_builder_t *builder, const kiln_assembly_t *assembly,
                                    const kiln_value_t *arguments, size_t argument_count,
                                    const kiln_value_type_t *result_types, size_t result_count,
                                    kiln_value_t *out_results);
// Prints a line per element of each value: program, index, prefix, value. `are_signed` may be NULL:
// all are signed.
KILN_API void kiln_build_print(kiln_builder_t *builder, const char *prefix, bool hex,
                               const kiln_value_t *values, const bool *are_signed, size_t count);
// Prints one value with a printf conversion, "%-8.3f": flags, width and precision up to 99, no '*'.
// Integers use d i o u x X, in their own width; floats f F e E g G a A; pointers p. Text after the
// conversion is printed after the value.
KILN_API void kiln_build_printf(kiln_builder_t *builder, const char *prefix, const char *conversion,
                                kiln_value_t value, bool is_signed);
// Ends the launch with an error if an element of the condition (i1) is false.
KILN_API void kiln_build_assert(kiln_builder_t *builder, kiln_value_t condition,
                                const char *message);

// Memory ------------------------------------------------------------------------------------------

KILN_API kiln_value_t kiln_build_addptr(kiln_builder_t *builder, kiln_value_t pointer,
                                        kiln_value_t offset); // in elements
KILN_API kiln_value_t kiln_build_load(kiln_builder_t *builder, kiln_value_t pointer,
                                      kiln_value_t mask /* or null */,
                                      kiln_value_t other /* or null */);
KILN_API void kiln_build_store(kiln_builder_t *builder, kiln_value_t pointer, kiln_value_t value,
                               kiln_value_t mask /* or null */);

typedef enum kiln_cache {
#define KILN_CACHE_ROW(id, value) KILN_CACHE_##id,
#include "kiln/builder.def"
    KILN_CACHE_COUNT
} kiln_cache_t;
typedef enum kiln_evict {
#define KILN_EVICT_ROW(id, value) KILN_EVICT_##id,
#include "kiln/builder.def"
    KILN_EVICT_COUNT
} kiln_evict_t;
// Memory access options; all zero is the default of kiln_build_load and kiln_build_store. Cache
// modifiers and eviction are only hints.
typedef struct kiln_access_hints {
    kiln_cache_t cache;
    kiln_evict_t evict;
    bool is_volatile; // loads: never moved, duplicated or removed
} kiln_access_hints_t;
KILN_API kiln_value_t kiln_build_load_with(kiln_builder_t *builder, kiln_value_t pointer,
                                           kiln_value_t mask /* or null */,
                                           kiln_value_t other /* or null */,
                                           const kiln_access_hints_t *hints);
KILN_API void kiln_build_store_with(kiln_builder_t *builder, kiln_value_t pointer,
                                    kiln_value_t value, kiln_value_t mask /* or null */,
                                    const kiln_access_hints_t *hints);

// Block accesses of tensors. `rank` (1 to 8) is that of tensor and block; sizes, strides (in
// elements) and offsets are scalars, one per dimension, of i64 or i32 as given; elements of the
// block outside the tensor are not stored, and loaded as padding. For a block pointer only the
// dimensions in the bit mask `checked` are checked; with padding NONE, out-of-bounds elements are
// undefined.
typedef enum kiln_block_padding {
    KILN_PADDING_NONE,
    KILN_PADDING_ZERO,
    KILN_PADDING_NAN,
    KILN_PADDING_COUNT
} kiln_block_padding_t;
KILN_API kiln_value_t kiln_build_block_pointer(
    kiln_builder_t *builder, kiln_value_t base, int rank, const kiln_value_t *sizes /* i64 */,
    const kiln_value_t *strides /* i64 */, const kiln_value_t *offsets /* i32 */,
    const int64_t *block, const int32_t *order /* dimensions, the fastest first */);
KILN_API kiln_value_t kiln_build_advance(kiln_builder_t *builder, kiln_value_t pointer,
                                         const kiln_value_t *offsets /* i32 */);
KILN_API kiln_value_t kiln_build_block_load(kiln_builder_t *builder, kiln_value_t pointer,
                                            unsigned checked, kiln_block_padding_t padding,
                                            const kiln_access_hints_t *hints /* or NULL */);
KILN_API void kiln_build_block_store(kiln_builder_t *builder, kiln_value_t pointer,
                                     kiln_value_t value, unsigned checked,
                                     const kiln_access_hints_t *hints /* or NULL */);
// For a descriptor, padding NONE means ZERO.
KILN_API kiln_value_t kiln_build_descriptor(kiln_builder_t *builder, kiln_value_t base, int rank,
                                            const kiln_value_t *sizes /* i32 */,
                                            const kiln_value_t *strides /* i64 */,
                                            const int64_t *block, kiln_block_padding_t padding);
KILN_API kiln_value_t kiln_build_descriptor_load(kiln_builder_t *builder, kiln_value_t descriptor,
                                                 const kiln_value_t *indices /* i32 */,
                                                 const kiln_access_hints_t *hints /* or NULL */);
KILN_API void kiln_build_descriptor_store(kiln_builder_t *builder, kiln_value_t descriptor,
                                          const kiln_value_t *indices /* i32 */,
                                          kiln_value_t value);
typedef enum kiln_view_reduce {
#define KILN_VIEW_REDUCE_ROW(id, value) KILN_VIEW_REDUCE_##id,
#include "kiln/builder.def"
    KILN_VIEW_REDUCE_COUNT
} kiln_view_reduce_t;
// Combines the value with memory, atomically per element.
KILN_API void kiln_build_descriptor_reduce(kiln_builder_t *builder, kiln_view_reduce_t op,
                                           kiln_value_t descriptor,
                                           const kiln_value_t *indices /* i32 */,
                                           kiln_value_t value);
// Gathers rows by index (i32[n]) starting at `column`, with a descriptor whose block is one row: n
// × block.
KILN_API kiln_value_t kiln_build_descriptor_gather(kiln_builder_t *builder, kiln_value_t descriptor,
                                                   kiln_value_t rows, kiln_value_t column);
KILN_API void kiln_build_descriptor_scatter(kiln_builder_t *builder, kiln_value_t descriptor,
                                            kiln_value_t rows, kiln_value_t column,
                                            kiln_value_t value);

typedef enum kiln_atomic {
#define KILN_ATOMIC_ROW(id, value) KILN_ATOMIC_##id,
#include "kiln/builder.def"
    KILN_ATOMIC_COUNT
} kiln_atomic_t;
typedef enum kiln_memory_order {
#define KILN_ORDER_ROW(id, value) KILN_ORDER_##id,
#include "kiln/builder.def"
    KILN_ORDER_COUNT
} kiln_memory_order_t;
typedef enum kiln_memory_scope {
#define KILN_SCOPE_ROW(id, value) KILN_SCOPE_##id,
#include "kiln/builder.def"
    KILN_SCOPE_COUNT
} kiln_memory_scope_t;

// These return the previous values. Default order and scope: acquire-release, device.
KILN_API kiln_value_t kiln_build_atomic_rmw(kiln_builder_t *builder, kiln_atomic_t op,
                                            kiln_value_t pointer, kiln_value_t value,
                                            kiln_value_t mask /* or null */);
KILN_API kiln_value_t kiln_build_atomic_cas(kiln_builder_t *builder, kiln_value_t pointer,
                                            kiln_value_t compare, kiln_value_t value);
KILN_API kiln_value_t kiln_build_atomic_rmw_with(kiln_builder_t *builder, kiln_atomic_t op,
                                                 kiln_value_t pointer, kiln_value_t value,
                                                 kiln_value_t mask /* or null */,
                                                 kiln_memory_order_t order,
                                                 kiln_memory_scope_t scope);
KILN_API kiln_value_t kiln_build_atomic_cas_with(kiln_builder_t *builder, kiln_value_t pointer,
                                                 kiln_value_t compare, kiln_value_t value,
                                                 kiln_memory_order_t order,
                                                 kiln_memory_scope_t scope);
// Waits until the integer at a scalar pointer equals `expected`; returns i1: whether it did.
// `timeout` is i64, null: forever. ACQUIRE or RELAXED.
KILN_API kiln_value_t kiln_build_atomic_poll(kiln_builder_t *builder, kiln_value_t pointer,
                                             kiln_value_t expected,
                                             kiln_value_t timeout /* or null */,
                                             kiln_memory_order_t order, kiln_memory_scope_t scope);

KILN_API void kiln_build_barrier(kiln_builder_t *builder); // all threads of the program
KILN_API void kiln_build_assume(kiln_builder_t *builder, kiln_value_t condition);

typedef enum kiln_hint {
    KILN_HINT_DIVISIBILITY,
    KILN_HINT_CONTIGUITY,
    KILN_HINT_CONSTANCY
} kiln_hint_t;
// Promises a property of each dimension of a value (`count` is its rank, or 1 for a scalar) and
// returns the value with the promise: use the result from here on, because loop-carried and branch
// results are copied. For kernel arguments outside branches only divisibility is recorded.
KILN_API kiln_value_t kiln_build_hint(kiln_builder_t *builder, kiln_value_t value, kiln_hint_t hint,
                                      const int32_t *values, int count);

// Control flow ------------------------------------------------------------------------------------
//
// Each begin needs an end. Loop-carried values: begin takes initial values and returns the current
// iteration's; end takes the next iteration's and returns the final ones.

// for (i = low; i < high; i += step), signed, step > 0; low, high and step are scalars of one
// integer type. The loop also ends if i + step overflows the type.
KILN_API void kiln_build_for_begin(kiln_builder_t *builder, kiln_value_t low, kiln_value_t high,
                                   kiln_value_t step, const kiln_value_t *initial, size_t count,
                                   kiln_value_t *out_induction, kiln_value_t *out_carried);
KILN_API void kiln_build_for_end(kiln_builder_t *builder, const kiln_value_t *next,
                                 kiln_value_t *out_results);
// Sets an integer attribute of the current loop, such as "tt.num_stages" or
// "tt.loop_unroll_factor".
KILN_API void kiln_build_for_attribute(kiln_builder_t *builder, const char *name, int32_t value);

// Operations after while_begin compute the condition; those after while_condition are the body,
// which receives `forwarded`. The results are the forwarded values when the condition is false.
KILN_API void kiln_build_while_begin(kiln_builder_t *builder, const kiln_value_t *initial,
                                     size_t count, kiln_value_t *out_carried);
KILN_API void kiln_build_while_condition(kiln_builder_t *builder, kiln_value_t condition,
                                         const kiln_value_t *forwarded, size_t count,
                                         kiln_value_t *out_body);
KILN_API void kiln_build_while_end(kiln_builder_t *builder, const kiln_value_t *next,
                                   kiln_value_t *out_results);

// `results` are the branch's results; both branches must have the same number and types. Without
// results, `else` may be omitted.
KILN_API void kiln_build_if_begin(kiln_builder_t *builder, kiln_value_t condition);
KILN_API void kiln_build_if_else(kiln_builder_t *builder, const kiln_value_t *results,
                                 size_t count); // ends the first branch
KILN_API void kiln_build_if_end(kiln_builder_t *builder, const kiln_value_t *results, size_t count,
                                kiln_value_t *out_results);

#ifdef __cplusplus
}
#endif
#endif
