// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the kernel argument that most likely leads to an address outside all allocations: the one
// that points nearest to it. This is a guess by distance, since a kernel may add any number to any
// pointer.
#ifndef KILN_SIM_BLAME_H
#define KILN_SIM_BLAME_H

#include "run/launch.h"

// Writes "; the argument 'y' points there" if it points into the nearest allocation or the freed
// one that held the address. Otherwise writes "; the nearest argument is 'y' (1024 bytes at 0x…),
// 16 bytes past its end", or nothing if the kernel has no pointer arguments.
void kiln_sim_blame_argument(const kiln_sim_launch_t *launch, uint64_t address, char *text,
                             size_t size);

#endif
