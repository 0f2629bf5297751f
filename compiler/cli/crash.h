// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns crashes of the command into exit code 70 and a reproducer.
//
// The input is copied before it is compiled: after a crash the heap cannot be trusted, so the
// signal handler only writes bytes that exist already.
#ifndef KILN_CLI_CRASH_H
#define KILN_CLI_CRASH_H

#include <stddef.h>

// From here on, SIGSEGV, SIGABRT, SIGBUS, SIGFPE and SIGILL end the process with code 70 after
// writing a reproducer. If LLVM runs out of memory, the process ends with an error and code 1.
void kiln_crash_watch(void);

// The command line for a reproducer, which is copied.
void kiln_crash_remember(int argc, char **argv);

// The input that is read after it, for the same reproducer; it is copied. May be called again for
// the next input, which replaces it.
void kiln_crash_remember_input(const char *text, size_t length);

// Writes the reproducer of the last input, as in a crash, for internal errors returned as a status;
// prints its path to stderr.
void kiln_crash_report(void);

#endif
