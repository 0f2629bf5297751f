// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns crashes of the command into exit code 70 and a reproducer.
#ifndef KILN_CLI_CRASH_H
#define KILN_CLI_CRASH_H

// From here on, SIGSEGV, SIGABRT, SIGBUS, SIGFPE and SIGILL end the process with code 70 after
// writing a reproducer. If LLVM runs out of memory, the process ends with an error and code 1.
void kiln_crash_watch(void);

#endif
