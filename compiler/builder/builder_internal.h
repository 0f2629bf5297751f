// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The builder's internal interface, shared by its files and used by the front end.
//
// Nested control flow is built in regions outside of the module; the builder's frames own them
// until the end call moves them into the operation.
#ifndef KILN_BUILDER_INTERNAL_H
#define KILN_BUILDER_INTERNAL_H

#include "builder/ir.h"
#include "kiln/builder.h"

typedef enum kiln_build_frame_kind {
    KILN_FRAME_FOR,
    KILN_FRAME_WHILE_BEFORE, // computing the condition
    KILN_FRAME_WHILE_AFTER,  // in the body
    KILN_FRAME_IF_THEN,
    KILN_FRAME_IF_ELSE,
    KILN_FRAME_REDUCE, // in a region that combines two elements
    KILN_FRAME_SCAN,
    KILN_FRAME_MAP,
} kiln_build_frame_kind_t;

typedef struct kiln_build_frame {
    kiln_build_frame_kind_t kind;
    kiln_ir_t outer; // insertion point after the operation
    MlirLocation loc;
    MlirOperation checked; // of the outer block
    MlirRegion regions[2]; // the second is null until it begins
    MlirValue *operands;   // of the future operation
    int operand_count;
    int carried_count;                     // loop-carried values
    const MlirLocation *carried_locations; // of these, or NULL
    MlirType *results;
    int result_count;
    MlirNamedAttribute attributes[4];
    int attribute_count;
} kiln_build_frame_t;

struct kiln_builder {
    MlirContext context;
    bool owns_context;
    MlirModule module;
    MlirOperation function; // the kernel being built, or null
    const char *call;       // the building function that the program called
    int call_depth;         // building functions call each other
    MlirBlock checked_block;
    MlirOperation checked; // the last operation of that block that was verified; null: none
    kiln_ir_t ir;
    kiln_build_frame_t *frames;
    size_t frame_count, frame_capacity;
    kiln_status_t error; // the first one, which has stopped building
    char *text;
    const MlirLocation
        *carried_locations; // for the values that the next loop carries; NULL: the loop's own
    MlirLocation induction_location; // for the next loop's counter; null: the loop's own
};

// A builder in a context that has the dialects loaded and outlives it.
kiln_status_t kiln_builder_create_in(MlirContext context, kiln_builder_t **out_builder);
// The verified module, whose ownership passes to the caller.
kiln_status_t kiln_builder_take_module(kiln_builder_t *builder, MlirModule *out_module);
// Makes the comparison of the for loop that has just begun unsigned.
void kiln_builder_for_is_unsigned(kiln_builder_t *builder);
void kiln_builder_set_mlir_location(kiln_builder_t *builder, MlirLocation loc);

// Enters a building function and verifies the operations of the previous call, so that an error
// names that call. Returns NULL without a builder. Applies only to a program's own builder; the
// front end's modules are verified as a whole.
kiln_builder_t *kiln_builder_enter(kiln_builder_t *builder, const char *call);

static inline void kiln_builder_leave(kiln_builder_t *const *builder)
{
    if (*builder)
        (*builder)->call_depth--;
}

#define KILN_BUILD_ENTER(builder)                                                                  \
    kiln_builder_t *const kiln_entered_ __attribute__((cleanup(kiln_builder_leave))) =             \
        kiln_builder_enter((builder), __func__)

// The first line of each building function, with or without a result.
#define KILN_BUILD_VALUE(builder)                                                                  \
    KILN_BUILD_ENTER(builder);                                                                     \
    if (!kiln_entered_)                                                                            \
        return (kiln_value_t)                                                                      \
        {                                                                                          \
            NULL                                                                                   \
        }
#define KILN_BUILD_CALL(builder)                                                                   \
    KILN_BUILD_ENTER(builder);                                                                     \
    if (!kiln_entered_)                                                                            \
    return

// Reports an error if a pointer of the call is NULL; clears an out array.
bool kiln_builder_requires(kiln_builder_t *builder, const char *name, const void *pointer);
bool kiln_builder_clears(kiln_builder_t *builder, const char *name, kiln_value_t *out_values,
                         size_t count);

// Records the first error. Returns the null value for convenience.
kiln_value_t kiln_builder_fail(kiln_builder_t *builder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void kiln_builder_fail_memory(kiln_builder_t *builder); // an error that names no call
// Whether these can be used; false after an error.
bool kiln_builder_accepts(kiln_builder_t *builder, const char *what, const kiln_value_t *values,
                          size_t count);
// The same for an operation's operands, which are broadcast to a common shape.
bool kiln_builder_accepts_together(kiln_builder_t *builder, const char *what, kiln_value_t *values,
                                   int count);
// Broadcasts the value to the shape of `like` if possible, else returns it unchanged.
kiln_value_t kiln_builder_broadcast_like(kiln_builder_t *builder, kiln_value_t value,
                                         MlirType like);
MlirType kiln_builder_element_type(const kiln_builder_t *builder, kiln_element_t element);
MlirType kiln_builder_type(kiln_builder_t *builder,
                           const kiln_value_type_t *type); // null on error

// The non-default attributes of an access (build_memory.c), at most 3; returns -1 on error.
int kiln_builder_hints(kiln_builder_t *builder, const char *what, const kiln_access_hints_t *hints,
                       MlirNamedAttribute *out);
bool kiln_builder_has_axis(kiln_builder_t *builder, const char *what, kiln_value_t tile,
                           int axis); // reports an error

// Operations with regions (build_control.c): push a frame, fill its regions; popping it creates the
// operation. All but pop and terminate return NULL or false on error.
kiln_build_frame_t *kiln_builder_push_frame(kiln_builder_t *builder, kiln_build_frame_kind_t kind,
                                            size_t operand_capacity);
kiln_build_frame_t *kiln_builder_top_frame(kiln_builder_t *builder, kiln_build_frame_kind_t kind,
                                           const char *what);
bool kiln_builder_begin_region(kiln_builder_t *builder, kiln_build_frame_t *frame, int index,
                               const MlirType *types, int count);
bool kiln_builder_have_types(kiln_builder_t *builder, const char *what, const kiln_value_t *values,
                             const MlirType *types, int count);
void kiln_builder_terminate(kiln_builder_t *builder, kiln_op_t kind, const kiln_value_t *first,
                            const kiln_value_t *values, int count);
void kiln_builder_pop_frame(kiln_builder_t *builder, kiln_op_t kind, kiln_value_t *out_results);

static inline MlirValue kiln_unwrap(kiln_value_t value)
{
    return (MlirValue){value.handle};
}
static inline kiln_value_t kiln_wrap(MlirValue value)
{
    return (kiln_value_t){value.ptr};
}

#endif
