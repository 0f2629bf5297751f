// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The builder from inside: what its files share, and what the front end may ask beyond the public header.
//
// Nested control flow lives in regions that are not in the module yet; they belong to the builder's frames until their
// end call puts them there.
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
    KILN_FRAME_REDUCE, // what combines two elements
    KILN_FRAME_SCAN,
    KILN_FRAME_MAP,
} kiln_build_frame_kind_t;

typedef struct kiln_build_frame {
    kiln_build_frame_kind_t kind;
    kiln_ir_t outer; // where building goes on afterwards
    MlirLocation loc;
    MlirOperation checked; // of the outer block
    MlirRegion regions[2]; // the second is null until it begins
    MlirValue *operands;   // of the operation to be
    int operand_count;
    int carried_count;                     // loops: values that go round
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
    kiln_status_t error; // the first; building has stopped
    char *text;
    const MlirLocation *carried_locations; // for the values that the next loop carries; NULL: the loop's own
    MlirLocation induction_location;       // for the next loop's counter; null: the loop's own
};

// A builder in a context that has the dialects loaded and outlives it.
kiln_status_t kiln_builder_create_in(MlirContext context, kiln_builder_t **out_builder);
// The verified module, which becomes the caller's.
kiln_status_t kiln_builder_take_module(kiln_builder_t *builder, MlirModule *out_module);
void kiln_builder_set_mlir_location(kiln_builder_t *builder, MlirLocation loc);

// Enters a building function: what the call before has made is verified, so that it is that call which is named. NULL:
// there is no builder. Only a program's own builder is looked at; the front end's text is verified as a whole.
kiln_builder_t *kiln_builder_enter(kiln_builder_t *builder, const char *call);

static inline void kiln_builder_leave(kiln_builder_t *const *builder)
{
    if (*builder)
        (*builder)->call_depth--;
}

#define KILN_BUILD_ENTER(builder)                                                                                      \
    kiln_builder_t *const kiln_entered_ __attribute__((cleanup(kiln_builder_leave))) =                                 \
        kiln_builder_enter((builder), __func__)

// The first line of each building function, one that gives a value or none.
#define KILN_BUILD_VALUE(builder)                                                                                      \
    KILN_BUILD_ENTER(builder);                                                                                         \
    if (!kiln_entered_)                                                                                                \
        return (kiln_value_t)                                                                                          \
        {                                                                                                              \
            NULL                                                                                                       \
        }
#define KILN_BUILD_CALL(builder)                                                                                       \
    KILN_BUILD_ENTER(builder);                                                                                         \
    if (!kiln_entered_)                                                                                                \
    return

// Refuses a pointer of the call that is NULL; an out array is cleared.
bool kiln_builder_requires(kiln_builder_t *builder, const char *name, const void *pointer);
bool kiln_builder_clears(kiln_builder_t *builder, const char *name, kiln_value_t *out_values, size_t count);

// Remembers the first failure. Returns the null value for convenience.
kiln_value_t kiln_builder_fail(kiln_builder_t *builder, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Are these usable? False after a failure too.
bool kiln_builder_accepts(kiln_builder_t *builder, const char *what, const kiln_value_t *values, size_t count);
// The same of an operation's operands, which are broadcast to the one shape that they fit.
bool kiln_builder_accepts_together(kiln_builder_t *builder, const char *what, kiln_value_t *values, int count);
// The value in the shape of `like` if it can be broadcast to it, else as it is.
kiln_value_t kiln_builder_broadcast_like(kiln_builder_t *builder, kiln_value_t value, MlirType like);
MlirType kiln_builder_element_type(const kiln_builder_t *builder, kiln_element_t element);
MlirType kiln_builder_type(kiln_builder_t *builder, const kiln_value_type_t *type); // null after a failure

// Attributes of an access that is not the default (build_memory.c), at most 3; -1 after a failure.
int kiln_builder_hints(kiln_builder_t *builder, const char *what, const kiln_access_hints_t *hints,
                       MlirNamedAttribute *out);
bool kiln_builder_has_axis(kiln_builder_t *builder, const char *what, kiln_value_t tile, int axis); // reports

// Operations with regions (build_control.c): a frame is pushed, its regions are filled, and popping it makes the
// operation. All but pop and terminate give NULL or false after a failure.
kiln_build_frame_t *kiln_builder_push_frame(kiln_builder_t *builder, kiln_build_frame_kind_t kind,
                                            size_t operand_capacity);
kiln_build_frame_t *kiln_builder_top_frame(kiln_builder_t *builder, kiln_build_frame_kind_t kind, const char *what);
bool kiln_builder_begin_region(kiln_builder_t *builder, kiln_build_frame_t *frame, int index, const MlirType *types,
                               int count);
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
