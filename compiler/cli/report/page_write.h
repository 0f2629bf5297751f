// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports: self-contained HTML pages, each a file whose script draws everything from one JSON
// object.
//
// A page has the places @STYLE@, @DATA@, @SCRIPT@ and, if it draws layouts, @LAYOUTS@, in this
// order, for page.css, the object, page.js and layout.js.
#ifndef KILN_CLI_PAGE_WRITE_H
#define KILN_CLI_PAGE_WRITE_H

#include <jansson.h>

#include "kiln/status.h"

// report.html, layout.html, tune/report.html
extern const char kiln_page_report[], kiln_page_layout[], kiln_page_tune[];

kiln_status_t kiln_page_write(const char *page, const json_t *data, const char *path);

#endif
