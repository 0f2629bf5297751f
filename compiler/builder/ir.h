// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Concise creation and reading of MLIR operations through its C API.
//
// Passes, the front end and the tt builder create operations only through these helpers, by
// kiln_op_t. Nothing here verifies: the pipeline verifies after each stage. An insertion point is a
// block and the operation to insert before (null: at the block's end).
#ifndef KILN_IR_H
#define KILN_IR_H

#include <stdbool.h>
#include <stdint.h>

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/IR.h>

#include "kiln/dialects.h"
#include "kiln/status.h"

typedef struct kiln_ir {
    MlirContext context;
    MlirLocation loc;
    MlirBlock block;
    MlirOperation before; // null: append to block
} kiln_ir_t;

kiln_ir_t kiln_ir_before(MlirOperation op); // inserts before op, with op's location
kiln_ir_t kiln_ir_after(MlirOperation op);
kiln_ir_t kiln_ir_at_start(MlirBlock block, MlirLocation loc);
kiln_ir_t
kiln_ir_at_end(MlirBlock block,
               MlirLocation loc); // appends; before the terminator use kiln_ir_before(terminator)

// Operations. Counts come first; arrays may be NULL if the count is 0. The operation takes
// ownership of the regions.
typedef struct kiln_ir_op {
    kiln_op_t kind;
    int operand_count, result_count, attribute_count, region_count;
    const MlirValue *operands;
    const MlirType *results;
    const MlirNamedAttribute *attributes;
    const MlirRegion *regions;
} kiln_ir_op_t;
MlirOperation kiln_ir_create(const kiln_ir_t *ir, const kiln_ir_op_t *op);

MlirValue kiln_ir_unary(const kiln_ir_t *ir, kiln_op_t kind, MlirType result, MlirValue a);
MlirValue kiln_ir_binary(const kiln_ir_t *ir, kiln_op_t kind, MlirValue a,
                         MlirValue b); // the result has a's type
MlirValue kiln_ir_unary_attr(const kiln_ir_t *ir, kiln_op_t kind, MlirType result, MlirValue a,
                             const char *name, MlirAttribute value);
// An operation with one attribute and one result, or none if the type is KILN_NO_RESULT.
#define KILN_NO_RESULT ((MlirType){NULL})
MlirOperation kiln_ir_with_attr(const kiln_ir_t *ir, kiln_op_t kind, MlirType result,
                                int operand_count, const MlirValue *operands, const char *name,
                                MlirAttribute value);

// Constants of a scalar type, or splats if `type` is a ranked tensor.
MlirValue kiln_ir_const_int(const kiln_ir_t *ir, MlirType type, int64_t value);
MlirValue kiln_ir_const_float(const kiln_ir_t *ir, MlirType type, double value);

// Attributes
MlirNamedAttribute kiln_ir_named(MlirContext context, const char *name, MlirAttribute attribute);
MlirAttribute kiln_ir_i32_attr(MlirContext context, int64_t value);
MlirAttribute kiln_ir_attr(MlirOperation op,
                           const char *name); // null if absent (inherent attributes included)
int64_t kiln_ir_int_attr(MlirOperation op, const char *name,
                         int64_t otherwise); // integer, bool and enum attributes
int kiln_ir_clamped_attr(MlirOperation op, const char *name,
                         int otherwise); // the int that is nearest to the attribute
void kiln_ir_set_int_attr(MlirOperation op, const char *name, int value); // discardable, i32
bool kiln_ir_constant_int(MlirValue value, int64_t *out); // scalar or splat integer constant
// The scalar that all elements of a tensor equal, or the scalar itself; null if they may differ.
MlirValue kiln_ir_scalar_of(MlirValue value);

// Types
static inline bool kiln_type_is_tensor(MlirType type)
{
    return mlirTypeIsARankedTensor(type);
}
MlirType kiln_type_element(MlirType type); // of a tensor; a scalar is its own element
MlirType
kiln_type_with_element(MlirType type,
                       MlirType element); // keeps shape and encoding; a scalar becomes `element`
MlirType kiln_type_with_encoding(MlirType tensor, MlirAttribute encoding); // null attribute: none
MlirType kiln_type_tensor(int rank, const int64_t *shape, MlirType element, MlirAttribute encoding);
MlirAttribute kiln_type_encoding(MlirType tensor); // null without one or for a scalar
int kiln_type_rank(MlirType type);                 // 0 for a scalar
int64_t kiln_type_dim(MlirType tensor, int dim);
int64_t kiln_type_count(MlirType type); // number of elements; 1 for a scalar
int kiln_type_bits(MlirType type);      // of the element: 64 for pointers, i1 is 1

// Structure
kiln_op_t kiln_value_op(MlirValue value,
                        MlirOperation *out_op); // the defining operation, KILN_OP_UNKNOWN and a
                                                // null op for block arguments
MlirValue kiln_op_operand(MlirOperation op, int index);
MlirValue kiln_op_result(MlirOperation op, int index);
MlirOperation kiln_op_parent(MlirOperation op);
MlirOperation kiln_ir_callee(MlirOperation call);     // the function of the module that a tt.call
                                                      // names; null if there is none
bool kiln_func_is_public(MlirOperation func);         // or has no visibility keyword: a kernel
MlirBlock kiln_op_body(MlirOperation op, int region); // the first block of a region
MlirOperation kiln_block_terminator(MlirBlock block);
bool kiln_branches_backwards(MlirOperation op); // a block of one of its regions may execute again
bool kiln_value_has_uses(MlirValue value);
bool kiln_value_has_one_use(MlirValue value);
void kiln_value_replace(MlirValue from, MlirValue to); // all uses
void kiln_op_erase(MlirOperation op);                  // must have no uses left
uint64_t kiln_ir_erasures(void); // number of operations this thread has erased: the next one
                                 // invalidates analysis results keyed by address

// Calls `visit` for `root` and every operation in it, in pre- or post-order. `visit` may erase the
// operation only in post-order.
typedef MlirWalkResult (*kiln_visit_t)(MlirOperation op, void *user);
void kiln_walk(MlirOperation root, MlirWalkOrder order, kiln_visit_t visit, void *user);

// Operand groups of operations with optional operands (operandSegmentSizes): group g's first
// operand, or a null value if it is absent. tt.load: 0 ptr, 1 mask, 2 other; tt.store: 0 ptr, 1
// value, 2 mask.
MlirValue kiln_op_segment(MlirOperation op, int group);

// Adds the operation's source location to an error: file, line, column of the outermost user
// location (call sites are followed to the outermost caller).
kiln_status_t kiln_status_at_op(kiln_status_t status, MlirOperation op);
// KILN_STATUS_UNSUPPORTED: "OPERATION: TEXT is not supported on gfx942", at the operation.
kiln_status_t kiln_op_unsupported(MlirOperation op, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
kiln_status_t kiln_status_at_loc(kiln_status_t status, MlirLocation loc);

#endif
