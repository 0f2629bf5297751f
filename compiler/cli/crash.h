// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Crashes of the command become exit code 70 and a reproducer.
//
// What is easily got wrong: the input is copied when a compile begins, for after a crash neither memory nor the heap
// may be trusted; the signal handler only writes bytes that are there already.
#ifndef KILN_CLI_CRASH_H
#define KILN_CLI_CRASH_H

#include <stddef.h>

// From here on, SIGSEGV, SIGABRT, SIGBUS, SIGFPE and SIGILL end the process with code 70 after writing a reproducer.
void kiln_crash_watch(void);

// The command line and the input that a crash should tell; both are copied. `text` may be NULL. May be called again for
// the next input.
void kiln_crash_remember(int argc, char **argv, const char *text, size_t length);

// Writes the reproducer of what was remembered last, as a crash would, for faults that come as a status; prints its
// path to stderr.
void kiln_crash_report(void);

#endif
