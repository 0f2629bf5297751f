// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions, their bodies of one or more blocks, and the tiles that are passed between blocks.
//
// Note that the representation of a block argument is decided before any predecessor that passes it
// is lowered.
#ifndef KILN_LOWER_FUNCTIONS_H
#define KILN_LOWER_FUNCTIONS_H

#include "lower/tile.h"

MlirStringRef kiln_lower_function_name(MlirOperation func);
kiln_status_t kiln_lower_declare_function(kiln_lowering_t *l, MlirOperation func);
kiln_status_t kiln_lower_function(kiln_lowering_t *l, MlirOperation func);
kiln_status_t kiln_lower_function_body(kiln_lowering_t *l, MlirRegion body);

// The id of the current program, in the order of the module's attributes (program_id.c).
LLVMValueRef kiln_lower_program_id(kiln_lowering_t *l, int axis);

// One branch around all code of a kernel that depends on one mask (guard.c)
void kiln_lower_find_guard(kiln_lowering_t *l,
                           MlirBlock block); // sets l->guard, for the only block of a function
kiln_status_t kiln_lower_guarded_block(kiln_lowering_t *l, MlirBlock block);

// Tiles that are passed through phis (carrier.c)
typedef struct kiln_carrier {
    MlirType type;
    const kiln_tile_t *like; // the tile that gives base and widths if pointers are passed as
                             // offsets; NULL otherwise
    bool shifts;             // `like` has range32, and offsets are passed with KILN_RANGE_SHIFT
    bool is_after;           // `like` has range32, and no pointer lies before its base
    uint32_t count;          // LLVM values
    uint32_t vector_width;   // registers in each
    LLVMTypeRef part;        // type of each
} kiln_carrier_t;
kiln_status_t kiln_carrier_plan(
    kiln_lowering_t *l, MlirValue joined,
    kiln_carrier_t *out); // for a block argument or the result of an operation with regions
void kiln_carrier_pack(kiln_lowering_t *l, const kiln_carrier_t *carrier, kiln_tile_t *tile,
                       LLVMValueRef *out);
kiln_tile_t *kiln_carrier_unpack(kiln_lowering_t *l, const kiln_carrier_t *carrier,
                                 LLVMValueRef *parts);

#endif
