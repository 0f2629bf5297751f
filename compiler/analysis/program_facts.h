// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about a tt program that decide the choice of its tiles and options.
#ifndef KILN_PROGRAM_FACTS_H
#define KILN_PROGRAM_FACTS_H

#include <mlir-c/IR.h>

#include "kiln/kiln.h"

// Fails only when out of memory.
kiln_status_t kiln_program_facts_of(MlirModule module, kiln_program_facts_t *out_facts);

#endif
