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
} kiln_build_frame_kind_t;

typedef struct kiln_build_frame {
    kiln_build_frame_kind_t kind;
    kiln_ir_t outer; // where building goes on afterwards
    MlirLocation loc;
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

// Remembers the first failure. Returns the null value for convenience.
kiln_value_t kiln_builder_fail(kiln_builder_t *builder, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Are these usable? False after a failure too.
bool kiln_builder_accepts(kiln_builder_t *builder, const char *what, const kiln_value_t *values, size_t count);
MlirType kiln_builder_element_type(const kiln_builder_t *builder, kiln_element_t element);
MlirType kiln_builder_type(kiln_builder_t *builder, const kiln_value_type_t *type); // null after a failure

static inline MlirValue kiln_unwrap(kiln_value_t value)
{
    return (MlirValue){value.handle};
}
static inline kiln_value_t kiln_wrap(MlirValue value)
{
    return (kiln_value_t){value.ptr};
}

#endif
