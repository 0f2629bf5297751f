// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds checks of MLIR's accessors by index, for builds with sanitizers, which include this file
// in every C file of the compiler. MLIR checks them with assert, but LLVM's packages are built
// without assertions. ASan does not help: results precede their operation in MLIR's own memory, so
// it does not notice when result 0 of an operation without results is read.
#ifndef KILN_CHECKED_IR_H
#define KILN_CHECKED_IR_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/IR.h>

// name(owner, index) as `result`, of count(owner).
#define KILN_CHECKED(result, name, owner, count)                                                   \
    static inline result checked_##name(owner of, intptr_t index, const char *file, int line)      \
    {                                                                                              \
        if (index < 0 || index >= (intptr_t)count(of)) {                                           \
            fprintf(stderr, "%s:%d: " #name ": index %ld of %ld\n", file, line, (long)index,       \
                    (long)count(of));                                                              \
            abort();                                                                               \
        }                                                                                          \
        return name(of, index);                                                                    \
    }

KILN_CHECKED(MlirValue, mlirOperationGetResult, MlirOperation, mlirOperationGetNumResults)
KILN_CHECKED(MlirValue, mlirOperationGetOperand, MlirOperation, mlirOperationGetNumOperands)
KILN_CHECKED(MlirRegion, mlirOperationGetRegion, MlirOperation, mlirOperationGetNumRegions)
KILN_CHECKED(MlirBlock, mlirOperationGetSuccessor, MlirOperation, mlirOperationGetNumSuccessors)
KILN_CHECKED(MlirValue, mlirBlockGetArgument, MlirBlock, mlirBlockGetNumArguments)
KILN_CHECKED(MlirType, mlirFunctionTypeGetInput, MlirType, mlirFunctionTypeGetNumInputs)
KILN_CHECKED(MlirType, mlirFunctionTypeGetResult, MlirType, mlirFunctionTypeGetNumResults)
KILN_CHECKED(int64_t, mlirShapedTypeGetDimSize, MlirType, mlirShapedTypeGetRank)
KILN_CHECKED(MlirAttribute, mlirArrayAttrGetElement, MlirAttribute, mlirArrayAttrGetNumElements)

#undef KILN_CHECKED

#define KILN_CHECK(name, of, index) checked_##name(of, index, __FILE__, __LINE__)
#define mlirOperationGetResult(of, index) KILN_CHECK(mlirOperationGetResult, of, index)
#define mlirOperationGetOperand(of, index) KILN_CHECK(mlirOperationGetOperand, of, index)
#define mlirOperationGetRegion(of, index) KILN_CHECK(mlirOperationGetRegion, of, index)
#define mlirOperationGetSuccessor(of, index) KILN_CHECK(mlirOperationGetSuccessor, of, index)
#define mlirBlockGetArgument(of, index) KILN_CHECK(mlirBlockGetArgument, of, index)
#define mlirFunctionTypeGetInput(of, index) KILN_CHECK(mlirFunctionTypeGetInput, of, index)
#define mlirFunctionTypeGetResult(of, index) KILN_CHECK(mlirFunctionTypeGetResult, of, index)
#define mlirShapedTypeGetDimSize(of, index) KILN_CHECK(mlirShapedTypeGetDimSize, of, index)
#define mlirArrayAttrGetElement(of, index) KILN_CHECK(mlirArrayAttrGetElement, of, index)

#endif
