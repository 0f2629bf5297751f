// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes of LDS a kernel's buffers take, and when.
#ifndef KILN_DRIVER_LDS_MAP_H
#define KILN_DRIVER_LDS_MAP_H

#include <mlir-c/IR.h>

#include "base/string.h"
#include "kiln/status.h"

// Appends the text of KILN_DUMP_LDS (kiln/kiln.h) for a module of ttg with offsets in LDS.
kiln_status_t kiln_lds_map_write(MlirModule module, kiln_string_t *out);

#endif
