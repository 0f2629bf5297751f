// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands in for a device where `--device=interp` is asked for: the interpreter, over arguments without a device.
#ifndef KILN_CLI_RUN_INTERP_H
#define KILN_CLI_RUN_INTERP_H

#include "kiln/arguments.h"
#include "kiln/case.h"
#include "kiln/interp.h"

typedef struct kiln_interp_call {
    kiln_source_t source;
    const char *kernel;
    const kiln_setting_t *settings;
    size_t setting_count;
    kiln_jit_grid_fn grid_of; // NULL: one program
    void *grid_user;
    kiln_diagnostic_handler_t diagnostic;
    void *diagnostic_user;
} kiln_interp_call_t;

// Interprets a kernel on the arguments, whose buffers hold the results afterwards.
kiln_status_t kiln_run_interpret(kiln_arguments_t *arguments, const kiln_interp_call_t *call);

// Interprets a case's kernel.ttir. actual[i] gets the bytes of buffer argument i after the call, from malloc.
kiln_status_t kiln_case_interpret(const kiln_case_t *test_case, const kiln_compile_options_t *options,
                                  kiln_diagnostic_handler_t diagnostic, char **actual);

#endif
