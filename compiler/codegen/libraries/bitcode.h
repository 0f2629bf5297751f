// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of AMD's device libraries. Note that they are LLVM bitcode without the __oclc_*
// constants, which device_libraries.c defines.
#ifndef KILN_CODEGEN_BITCODE_H
#define KILN_CODEGEN_BITCODE_H

#include <stddef.h>

typedef enum kiln_bitcode {
    KILN_BITCODE_OCML,
    KILN_BITCODE_OCKL,
    KILN_BITCODE_COUNT
} kiln_bitcode_t;
const char *kiln_bitcode(kiln_bitcode_t library, size_t *out_size);

#endif
