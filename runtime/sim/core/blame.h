// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose an address is that is in no allocation: which of the kernel's arguments leads nearest to it.
//
// What a reader gets wrong: that is a guess by distance. A kernel may have added any number to any pointer.
#ifndef KILN_SIM_BLAME_H
#define KILN_SIM_BLAME_H

#include "core/launch.h"

// Writes "; the argument 'y' points there", where it points into the nearest allocation or the freed one that held the address; else
// "; the nearest argument is 'y' (1024 bytes at 0x…), 16 bytes behind its end"; nothing where the kernel was given no pointer.
void kiln_sim_blame_argument(const kiln_sim_launch_t *launch, uint64_t address, char *text, size_t size);

#endif
