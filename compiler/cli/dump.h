// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dumps of the IR on stderr, as MLIR_ENABLE_DUMP, LLVM_IR_ENABLE_DUMP and AMDGCN_ENABLE_DUMP ask for them.
//
// What is easily got wrong: one of them may be a kernel's name instead of 1, and then silences the other kernels in all
// three.
#ifndef KILN_CLI_DUMP_H
#define KILN_CLI_DUMP_H

#include "kiln/kiln.h"

// Sets the options' dump fields from the environment.
void kiln_dump_from_environment(kiln_compile_options_t *options);

// At the end of a command that would exit with `code`: tells of dumps that were asked for and of which nothing came. Gives
// the code to exit with, which is 1 where a flag asked for them.
int kiln_dump_finish(int code);

#endif
