// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings in the calling thread's last launch, if the simulator predicted it.
#ifndef KILN_CLI_CLOCK_FINDINGS_H
#define KILN_CLI_CLOCK_FINDINGS_H

#include "findings.h"
#include "kiln/jit.h"
#include "kiln/runtime.h"

// Adds findings of the clock, and gains to those of the compiler that the clock can replay.
// Requires the simulator's option `stalls`. `source` is the text of the file `name`, for the lines
// of findings; NULL: that of the line table, if it can be read.
kiln_status_t kiln_clock_findings(kiln_device_t *device, const kiln_jit_kernel_t *kernel,
                                  const char *name, const char *source,
                                  kiln_findings_t *io_findings);

#endif
