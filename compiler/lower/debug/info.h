// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Line tables (info.c), and names of values (variables.c).
//
// Note that without line info only kiln_lower_debug_release may be called.
#ifndef KILN_LOWER_DEBUG_INFO_H
#define KILN_LOWER_DEBUG_INFO_H

#include <llvm-c/DebugInfo.h>

#include "lower/lowering.h"

struct kiln_lower_debug {
    LLVMDIBuilderRef builder;
    struct kiln_lower_variable *variables; // named so far (variables.c)
    LLVMMetadataRef unit, main_file, type, subprogram;
    kiln_lower_map_t *files;     // MlirIdentifier → DIFile
    kiln_lower_map_t *inlined;   // MlirIdentifier of a file → subprogram of code inlined from it
    kiln_lower_map_t *locations; // MlirLocation → DILocation, for the current function
};

kiln_status_t kiln_lower_debug_create(kiln_lowering_t *l);
void kiln_lower_debug_begin_function(kiln_lowering_t *l);
void kiln_lower_debug_at(kiln_lowering_t *l, MlirLocation loc);
LLVMMetadataRef kiln_lower_debug_location(kiln_lowering_t *l, MlirLocation loc); // a DILocation

// With the option debug_variables, describes the results of the operation just lowered, or the
// function's arguments, as variables.
void kiln_lower_debug_name_results(kiln_lowering_t *l, MlirOperation op);
void kiln_lower_debug_name_arguments(kiln_lowering_t *l, MlirBlock entry);

void kiln_lower_debug_finish(kiln_lowering_t *l);
void kiln_lower_debug_release(kiln_lowering_t *l); // accepts a lowering without debug information

#endif
