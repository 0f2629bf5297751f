// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons: the predicates of arith.cmpi and arith.cmpf by name, and building and reading of
// arith.cmpi.
#ifndef KILN_BUILDER_COMPARE_H
#define KILN_BUILDER_COMPARE_H

#include "builder/ir.h"

// The values of arith.cmpi's attribute.
typedef enum kiln_cmpi {
    KILN_CMPI_NONE = -1, // the operation is not arith.cmpi
    KILN_CMPI_EQ,
    KILN_CMPI_NE,
    KILN_CMPI_SLT,
    KILN_CMPI_SLE,
    KILN_CMPI_SGT,
    KILN_CMPI_SGE,
    KILN_CMPI_ULT,
    KILN_CMPI_ULE,
    KILN_CMPI_UGT,
    KILN_CMPI_UGE,
    KILN_CMPI_COUNT
} kiln_cmpi_t;

// The values of arith.cmpf's attribute: O is false and U is true if an operand is NaN.
typedef enum kiln_cmpf {
    KILN_CMPF_FALSE,
    KILN_CMPF_OEQ,
    KILN_CMPF_OGT,
    KILN_CMPF_OGE,
    KILN_CMPF_OLT,
    KILN_CMPF_OLE,
    KILN_CMPF_ONE,
    KILN_CMPF_ORD,
    KILN_CMPF_UEQ,
    KILN_CMPF_UGT,
    KILN_CMPF_UGE,
    KILN_CMPF_ULT,
    KILN_CMPF_ULE,
    KILN_CMPF_UNE,
    KILN_CMPF_UNO,
    KILN_CMPF_TRUE,
    KILN_CMPF_COUNT
} kiln_cmpf_t;

kiln_cmpi_t kiln_cmpi_of(MlirOperation op);
kiln_cmpi_t kiln_cmpi_opposite(kiln_cmpi_t predicate); // the negation: < for >=
kiln_cmpi_t kiln_cmpi_mirrored(kiln_cmpi_t predicate); // with its operands exchanged: < for >

// Of scalars or tensors of one type; the result has elements of i1.
MlirValue kiln_ir_compare(const kiln_ir_t *ir, kiln_cmpi_t predicate, MlirValue a, MlirValue b);

#endif
