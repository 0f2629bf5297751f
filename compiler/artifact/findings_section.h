// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler's findings in its code objects: the section .kiln.findings, which no device loads.
//
// It holds a line of JSON for each finding, so that sections of several kernels are joined by
// appending them: {"id", "file", "line", "column", "seen", "advice", "kernel"}. `kernel` is the
// symbol, `id` the name in findings.def. What is unknown is omitted.
#ifndef KILN_FINDINGS_SECTION_H
#define KILN_FINDINGS_SECTION_H

#include <jansson.h>
#include <stddef.h>

#include "base/elf_file.h"
#include "kiln/kiln.h"

// Appends the lines of an array of such objects, which lack the kernel. False if out of memory.
bool kiln_findings_section_text(const json_t *findings, const char *kernel, char **io_text);

// Adds the section to a code object from malloc, which is replaced. No other byte that a device
// loads changes.
kiln_status_t kiln_findings_section_add(const char *text, char **io_object, size_t *io_size);

// An array of the findings in the section's text, or in a code object. Nothing of them is trusted:
// lines that are not as above are left out, and so are those whose texts have control characters,
// with which they could pose as other output. *out_findings is NULL if there is no such section.
kiln_status_t kiln_findings_section_parse(const char *text, size_t length, json_t **out_findings);
kiln_status_t kiln_findings_section_read(const void *object, size_t size, json_t **out_findings);

#endif
