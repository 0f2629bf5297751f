// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of a dot that are computed in registers from loads, as those of quantized weights: the
// loads can take the layout of the operand at once, if it has as many neighbours along K in a lane
// as an access moves (kWidth), so that nothing is exchanged between lanes.
#ifndef KILN_OPERAND_LOADS_H
#define KILN_OPERAND_LOADS_H

#include "analysis/axis/axis_info.h"
#include "builder/ir.h"

enum { KILN_MAX_OPERAND_LOADS = 8 };

typedef struct kiln_operand_loads {
    MlirOperation loads[KILN_MAX_OPERAND_LOADS];
    int count;
    bool combines; // some operation uses several of them, or what is computed from them
    bool scales;   // some operation uses a broadcast, as of scales, and one of them
} kiln_operand_loads_t;

// Returns false if the operand is not computed element by element from loads of its shape and from
// broadcasts, or needs no arithmetic but casts and constants: then it is shared through LDS as it
// is loaded.
bool kiln_find_operand_loads(MlirOperation dot, int operand, kiln_operand_loads_t *out);

// The number of elements along K that the access of the most bytes moves, and these bytes.
int64_t kiln_operand_loads_width(const kiln_axis_analysis_t *axis, int operand,
                                 const kiln_operand_loads_t *loads, int64_t *out_bytes);

// Gives a memory access this layout, with conversions of its operands and results.
void kiln_convert_access(MlirOperation op, MlirAttribute encoding);

#endif
