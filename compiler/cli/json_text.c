// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "json_text.h"

#include <stdio.h>

void kiln_cli_print_json(const json_t *value)
{
    json_dumpf(value, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    printf("\n");
}
