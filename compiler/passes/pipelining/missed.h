// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings about loops with dots that are not pipelined, and why. Only called if context->missed is
// set.
#ifndef KILN_PASSES_PIPELINING_MISSED_H
#define KILN_PASSES_PIPELINING_MISSED_H

#include "base/string.h"
#include "passes/pass.h"

// Whether a loop's body contains a dot directly, not only in inner loops.
bool kiln_loop_has_dot(MlirBlock body);

// Reports a finding at `op` and frees `what`, its description. Reports nothing if memory is
// exhausted.
void kiln_missed_report(const kiln_pass_context_t *context, kiln_missed_t finding, MlirOperation op,
                        kiln_string_t *what, const char *advice);

// Reports the first `if` of the loop's body that contains a dot and loads, which do not run ahead
// of its condition.
void kiln_missed_report_branch(const kiln_pass_context_t *context, MlirOperation loop);

// Reports all loops with dots that are no counted loops.
void kiln_missed_report_while(const kiln_pass_context_t *context, MlirModule module);

#endif
