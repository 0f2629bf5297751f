// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the printf messages that kernels send by hostcalls.
#ifndef KILN_SIM_HOSTCALL_PRINT_H
#define KILN_SIM_HOSTCALL_PRINT_H

#include <stddef.h>
#include <stdint.h>

// Prints one printf message: a word that selects the stream (bit 0: stderr), the format string, and
// the arguments. Strings fill whole words and end in a zero byte. Returns printf's result: the
// number of characters written, or -1 if the message is damaged. The caller flushes the stream.
int kiln_sim_hostcall_print(const uint64_t *words, size_t count);

#endif
