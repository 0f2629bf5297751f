// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tt module in the interpreter's form: functions of blocks of operations whose values are
// numbered slots and whose attributes have been read.
//
// Note that a slot's tile is released after the last operation that uses it (`releases`) in the
// block that defines it, so a value that a loop's body uses from outside lives until the loop ends.
#ifndef KILN_INTERP_PROGRAM_H
#define KILN_INTERP_PROGRAM_H

#include <stddef.h>

#include "builder/ir.h"
#include "interp/number.h"
#include "kiln/dialects.h"

typedef enum kiln_itype_kind {
    KILN_ITYPE_SCALAR,
    KILN_ITYPE_TENSOR,
    KILN_ITYPE_BLOCK_POINTER, // elements of its tile: base, sizes, strides, offsets
    KILN_ITYPE_DESCRIPTOR,    // base, sizes, strides, padding (1: NaN)
} kiln_itype_kind_t;

typedef struct kiln_itype {
    MlirType mlir;
    kiln_itype_kind_t kind;
    kiln_number_t number;  // of an element; of a block pointer's or descriptor's block
    kiln_number_t pointee; // if the elements are pointers
    bool is_unsigned;      // a descriptor of unsigned integers
    int rank;              // of the tensor or block; 0 for a scalar
    size_t dims[KILN_MAX_RANK];
    size_t count; // elements of the tensor or block
} kiln_itype_t;

typedef struct kiln_iop kiln_iop_t;
typedef struct kiln_iblock kiln_iblock_t;
typedef struct kiln_ifunction kiln_ifunction_t;
typedef struct kiln_itile kiln_itile_t;
typedef struct kiln_iframe kiln_iframe_t;

typedef kiln_status_t (*kiln_ihandler_t)(kiln_iframe_t *frame, const kiln_iop_t *op);

typedef struct kiln_iregion {
    kiln_iblock_t *blocks;
    int block_count;
    bool is_elementwise; // one block of element-wise operations, which can be executed for many
                         // elements at once
} kiln_iregion_t;

struct kiln_iop {
    kiln_op_t kind;
    kiln_ihandler_t run; // NULL for terminators, which their parents read
    MlirOperation mlir;
    int operand_count, result_count, region_count, release_count, successor_count;
    int *operands, *results,
        *releases;   // slots; absent optional operands are left out, see `segments`
    int segments[5]; // operand index of each group or −1, for operations with optional operands
    const kiln_itype_t **operand_types, **result_types;
    kiln_iregion_t *regions;
    const kiln_iblock_t **successors;
    int *successor_operand_counts; // of cf.cond_br: true's, false's
    const kiln_ifunction_t *callee;
    kiln_itile_t *constant;
    int64_t attribute; // the integer attribute that handlers.def names
    int32_t *list;     // a dense array that handlers.def names
    int list_count;
};

struct kiln_iblock {
    MlirBlock mlir;
    kiln_iop_t *ops;
    int op_count, argument_count;
    int *arguments; // slots
};

struct kiln_ifunction {
    MlirOperation mlir;
    kiln_iregion_t body;
    int slot_count;
    const kiln_itype_t **slot_types;
};

typedef struct kiln_iprogram kiln_iprogram_t;

// Translates all functions of the module, which must outlive the program.
kiln_status_t kiln_iprogram_create(MlirModule module, kiln_iprogram_t **out_program);
void kiln_iprogram_release(kiln_iprogram_t *program);

// The function of that name, or the first public one for NULL; NULL if there is none.
const kiln_ifunction_t *kiln_iprogram_find(const kiln_iprogram_t *program, const char *name);

// Number of 64-bit values of a kernel argument of that type: a descriptor is its base, sizes,
// strides and padding.
size_t kiln_itype_words(const kiln_itype_t *type);

#endif
