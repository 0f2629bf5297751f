// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler's findings in code objects (artifact/findings_section.h), as the diagnostics that
// the compilation reported or would have reported.
#ifndef KILN_CLI_COMPILED_FINDINGS_H
#define KILN_CLI_COMPILED_FINDINGS_H

#include "findings.h"

// Passes the findings that the flags enable to a handler: all of the object, or those of the kernel
// with this symbol. *out_has says whether the object lists findings at all.
kiln_status_t kiln_compiled_findings_of_object(const void *object, size_t size, const char *symbol,
                                               kiln_diagnostic_handler_t handler, void *user,
                                               bool *out_has);
// Likewise for the text of the section.
kiln_status_t kiln_compiled_findings_of_text(const char *text, size_t length, const char *symbol,
                                             kiln_diagnostic_handler_t handler, void *user);

#endif
