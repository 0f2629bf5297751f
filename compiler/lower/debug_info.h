// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Line tables (lower_debug_info.c).
//
// The thing one gets wrong: without line info there is nothing to call but kiln_lower_debug_release.
#ifndef KILN_LOWER_DEBUG_INFO_H
#define KILN_LOWER_DEBUG_INFO_H

#include "lowering.h"

kiln_status_t kiln_lower_debug_create(kiln_lowering_t *l);
void kiln_lower_debug_begin_function(kiln_lowering_t *l);
void kiln_lower_debug_at(kiln_lowering_t *l, MlirLocation loc);
void kiln_lower_debug_finish(kiln_lowering_t *l);
void kiln_lower_debug_release(kiln_lowering_t *l); // accepts a lowering without debug information

#endif
