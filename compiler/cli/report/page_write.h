// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports: self-contained HTML pages, each a file whose script draws everything from one JSON
// object.
//
// A page has the places @STYLE@, @DATA@ and @SCRIPT@, in this order, for page.css, the object and
// page.js.
#ifndef KILN_CLI_PAGE_WRITE_H
#define KILN_CLI_PAGE_WRITE_H

#include <jansson.h>

#include "kiln/status.h"

extern const char kiln_page_report[], kiln_page_tune[]; // report.html, tune/report.html

kiln_status_t kiln_page_write(const char *page, const json_t *data, const char *path);

#endif
