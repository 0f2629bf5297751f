// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output of `kiln layout`: layouts, conversions and accesses as text, as one picture, or as entries
// of a page.
#ifndef KILN_CLI_LAYOUT_SHOW_H
#define KILN_CLI_LAYOUT_SHOW_H

#include <jansson.h>
#include <mlir-c/IR.h>

#include "inspect/layout_svg.h"

typedef enum kiln_layout_output_kind {
    KILN_LAYOUT_OUT_TEXT, // to stdout
    KILN_LAYOUT_OUT_SVG,
    KILN_LAYOUT_OUT_HTML
} kiln_layout_output_kind_t;

typedef struct kiln_layout_output {
    kiln_layout_output_kind_t kind;
    kiln_layout_view_t view;       // of text
    bool is_coloured;              // text
    kiln_layout_picture_t picture; // SVG: so far
    json_t *entries;               // HTML: {"title", and "layout", or "text" and "svg"}
} kiln_layout_output_t;

// A type's layout for this number of warps; `users` follows the type.
kiln_status_t kiln_layout_show_type(MlirType type, int num_warps, kiln_layout_output_t *out,
                                    const char *users);

// A conversion; `where` follows the first type.
kiln_status_t kiln_layout_show_conversion(MlirType from, MlirType to, int num_warps,
                                          kiln_layout_output_t *out, const char *where);

// Values that read or write a buffer in LDS.
kiln_status_t kiln_layout_show_access(MlirType buffer, MlirType value,
                                      kiln_lds_direction_t direction, int num_warps,
                                      kiln_layout_output_t *out, const char *where);

#endif
