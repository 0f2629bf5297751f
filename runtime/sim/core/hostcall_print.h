// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KILN_SIM_HOSTCALL_PRINT_H
#define KILN_SIM_HOSTCALL_PRINT_H

#include <stddef.h>
#include <stdint.h>

// Prints one printf message: a word that tells the stream (bit 0: stderr), the format string, the arguments. Strings fill
// whole words and end in a zero byte. The result is printf's: characters written, or -1 where the message is damaged. To flush the stream is the caller's.
int kiln_sim_hostcall_print(const uint64_t *words, size_t count);

#endif
