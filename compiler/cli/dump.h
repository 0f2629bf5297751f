// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dumps of the IR on stderr, as requested by MLIR_ENABLE_DUMP, LLVM_IR_ENABLE_DUMP and
// AMDGCN_ENABLE_DUMP.
//
// Note that a variable may be a kernel's name instead of 1, which disables the dumps of other
// kernels for all three.
#ifndef KILN_CLI_DUMP_H
#define KILN_CLI_DUMP_H

#include "kiln/kiln.h"

// Sets the options' dump fields from the environment.
void kiln_dump_from_environment(kiln_compile_options_t *options);

// Prints the IR after each pass that changes it (--print-changed), or after the passes in a list of
// ids (--print-after), instead of around each pass. Called before kiln_dump_from_environment; the
// list must live as long as the command runs. USAGE names an unknown id.
void kiln_dump_changed(void);
kiln_status_t kiln_dump_after(const char *list);

// Prints places as comments in IR (cli/compile/places.h), in dumps and results.
void kiln_dump_places(void);
bool kiln_dump_has_places(void);

// At the end of a command that would exit with `code`: reports requested dumps that printed
// nothing. Returns the exit code, which is 1 if a flag requested them.
int kiln_dump_finish(int code);

#endif
