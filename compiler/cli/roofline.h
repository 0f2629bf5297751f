// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A roofline picture of a predicted launch (Williams, Waterman and Patterson, CACM 2009): SVG.
#ifndef KILN_CLI_ROOFLINE_H
#define KILN_CLI_ROOFLINE_H

#include "kiln/runtime.h"

// Writes the picture: the kernel's operations in a second over its operations for each byte that went through the L2s, the
// Infinity Cache and HBM, under these three roofs and that of the units which do most of its operations. Fails where the
// kernel does no floating-point operation.
kiln_status_t kiln_roofline_write(const kiln_sim_prediction_t *prediction, const char *kernel, const char *device,
                                  const char *path);

#endif
