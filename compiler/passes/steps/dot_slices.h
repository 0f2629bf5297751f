// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots that can be cut into slices along K, together with the reads of their operands from LDS.
#ifndef KILN_DOT_SLICES_H
#define KILN_DOT_SLICES_H

#include "analysis/machine/dot_measure.h"

// Finds the reads of a dot's operands from LDS, if they are used for nothing else, are in its
// block, and read buffers of which a part can be read. Returns false otherwise.
bool kiln_dot_reads(MlirOperation dot, MlirOperation out_reads[2]);

// Whether a dot that is measured and whose reads are found can be cut into so many slices.
bool kiln_dot_may_be_cut(const kiln_dot_measure_t *dot, int slices);

#endif
