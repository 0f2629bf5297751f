// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMD's device libraries, embedded in Kiln's binary, so that they need not be found, and cannot
// differ, on the machine where Kiln runs.
//
// Note that LLVM's bitcode reader requires 4-byte alignment, and a memory buffer over it a NUL
// after its end.
#include "bitcode.h"

#define EMBED(symbol, file)                                                                        \
    __asm__(".section .rodata\n.balign 16\n.hidden " #symbol "\n.global " #symbol "\n" #symbol     \
            ":\n.incbin \"" KILN_BITCODE_DIR "/" file "\"\n.hidden " #symbol                       \
            "_end\n.global " #symbol "_end\n" #symbol "_end:\n.byte 0\n.previous\n");              \
    extern const char symbol[], symbol##_end[]

EMBED(kiln_bitcode_ocml, "ocml.bc");
EMBED(kiln_bitcode_ockl, "ockl.bc");

const char *kiln_bitcode(kiln_bitcode_t library, size_t *out_size)
{
    const char *begin = library == KILN_BITCODE_OCML ? kiln_bitcode_ocml : kiln_bitcode_ockl;
    const char *end = library == KILN_BITCODE_OCML ? kiln_bitcode_ocml_end : kiln_bitcode_ockl_end;
    *out_size = (size_t)(end - begin);
    return begin;
}
