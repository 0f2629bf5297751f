// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts of a report: of each type in the text of its stages, the basis vectors from which the
// page draws which thread holds which element.
#ifndef KILN_CLI_REPORT_LAYOUTS_H
#define KILN_CLI_REPORT_LAYOUTS_H

#include <jansson.h>

#include "kiln/status.h"

// {TYPE: {"shape": log2 of the extents, "register", "lane", "warp": basis vectors as flat indices,
// "lds": whether registers are offsets in LDS, "bits": of an element}}, where TYPE has no aliases.
// Types without a layout, and with one too large to be drawn, are left out.
kiln_status_t kiln_report_layouts(const json_t *stages, json_t **out_layouts);

#endif
