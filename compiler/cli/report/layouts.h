// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts for pages, which draw them from the basis vectors (layout.js).
#ifndef KILN_CLI_REPORT_LAYOUTS_H
#define KILN_CLI_REPORT_LAYOUTS_H

#include <jansson.h>

#include "kiln/status.h"
#include "layout/layout.h"
#include "layout/padding.h"

// {"shape": log2 of the extents, "register", "lane", "warp": basis vectors as flat indices, "lds":
// whether registers are offsets in LDS, "gaps": [[interval, pad], …] of a padded buffer, "bits": of
// an element}; NULL if it is too large to be drawn.
json_t *kiln_layout_json(const kiln_layout_t *layout, bool in_lds, const kiln_padding_t *padding,
                         int element_bits);

// The layouts of the types in the text of a report's stages: {TYPE: …}, where TYPE has no aliases.
// Types without a layout, or with one that is too large, are left out.
kiln_status_t kiln_report_layouts(const json_t *stages, json_t **out_layouts);

#endif
