// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A roofline plot of a predicted launch (Williams, Waterman and Patterson, CACM 2009) as SVG.
#ifndef KILN_CLI_ROOFLINE_H
#define KILN_CLI_ROOFLINE_H

#include "kiln/runtime.h"

// Writes the plot: the kernel's operations per second over its operations per byte, for the bytes
// that went through the L2s, the Infinity Cache and HBM, under the roofs of these three and of the
// unit that executes most of its operations, at full clock and at the one that the device holds
// under this work. Fails if the kernel has no floating-point operations.
kiln_status_t kiln_roofline_write(const kiln_sim_prediction_t *prediction, const char *kernel,
                                  const kiln_device_t *device, const char *path);

#endif
