// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private directories for the linker's files. They do not outlive their process for long: the next
// process that links sweeps the directories of killed ones.
#ifndef KILN_CODEGEN_LINK_DIRECTORY_H
#define KILN_CODEGEN_LINK_DIRECTORY_H

#include "kiln/status.h"

typedef struct kiln_link_directory {
    char path[80];
    int handle; // holds the lock that marks it as in use; -1: no directory
} kiln_link_directory_t;

// Creates a directory, in shared memory if available. To be removed, with the files in it.
kiln_status_t kiln_link_directory_make(kiln_link_directory_t *out);
void kiln_link_directory_remove(kiln_link_directory_t *directory);

// Removes the directories of dead processes in `parent`, as the first kiln_link_directory_make of a
// process does.
void kiln_link_directory_sweep(const char *parent);

#endif
