// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints JSON values for --json.
#include "json_text.h"

#include "base/number.h"

void kiln_cli_write_json(FILE *out, const json_t *value)
{
    void *locale = kiln_c_locale_enter();
    json_dumpf(value, out, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    kiln_c_locale_leave(locale);
    fputc('\n', out);
}

void kiln_cli_print_json(const json_t *value)
{
    kiln_cli_write_json(stdout, value);
}
