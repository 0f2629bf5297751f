// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file that lets others repeat a crash: the command line and the input.
//
// Both are copied before the input is compiled: after a crash the heap cannot be trusted, so a
// signal handler only writes bytes that exist already.
#ifndef KILN_CLI_REPRODUCER_H
#define KILN_CLI_REPRODUCER_H

#include <stddef.h>

// The command line. Called once, by the main thread, before other threads exist.
void kiln_reproducer_begin(int argc, char **argv);

// What the calling thread has read and will work on, in place of what it read before. Any thread
// may call it; one that never does works on what the main thread read.
void kiln_reproducer_set_input(const char *bytes, size_t length);

// Writes the reproducer of the calling thread to a new file and prints its path to stderr.
// Async-signal-safe.
void kiln_reproducer_write(void);

#endif
