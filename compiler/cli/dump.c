// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints dumps under the header lines that MLIR and Triton use, which tools such as Compiler Explorer look for.
//
// What is easily got wrong: kernels compile in parallel; one dump must come out in one piece.
#include "dump.h"

#include <ctype.h>
#include <strings.h>

#include "device_flags.h"

// "remove_layout_conversions" → "RemoveLayoutConversions", as MLIR names its passes.
static void print_pass_name(const char *id, FILE *stream)
{
    int raise = 1;
    for (; *id; id++) {
        if (*id != '_')
            fputc(raise ? toupper((unsigned char)*id) : *id, stream);
        raise = *id == '_';
    }
}

static void print_dump(kiln_dump_point_t point, const char *pass, const char *text, size_t length, void *user)
{
    (void)user;
    flockfile(stderr);
    if (point == KILN_DUMP_LLVM_IR) {
        fprintf(stderr, "// -----// LLVM IR Dump //----- //\n");
    } else if (point == KILN_DUMP_ISA) {
        fprintf(stderr, "// -----// AMDGCN Dump //----- //\n");
    } else {
        fprintf(stderr, "// -----// IR Dump %s ", point == KILN_DUMP_BEFORE_PASS ? "Before" : "After");
        print_pass_name(pass, stderr);
        fprintf(stderr, " (%s) //----- //\n", pass);
    }
    fwrite(text, 1, length, stderr);
    fputs("\n", stderr);
    funlockfile(stderr);
}

static int is_one_of(const char *value, const char *const *words)
{
    for (; *words; words++)
        if (strcasecmp(value, *words) == 0)
            return 1;
    return 0;
}

void kiln_dump_from_environment(kiln_compile_options_t *options)
{
    static const char *const yes[] = {"1", "on", "true", "yes", "y", NULL}, *const no[] = {"0",  "off", "false",
                                                                                           "no", "n",   NULL};
    const char *passes = kiln_environment("MLIR_ENABLE_DUMP");
    const char *llvm = kiln_environment("LLVM_IR_ENABLE_DUMP"), *isa = kiln_environment("AMDGCN_ENABLE_DUMP");
    if (passes && !is_one_of(passes, no)) {
        options->dump_points |= 1u << KILN_DUMP_BEFORE_PASS | 1u << KILN_DUMP_AFTER_PASS;
        if (!is_one_of(passes, yes))
            options->dump_kernel = passes;
    }
    if (llvm && !is_one_of(llvm, no))
        options->dump_points |= 1u << KILN_DUMP_LLVM_IR;
    if (isa && !is_one_of(isa, no))
        options->dump_points |= 1u << KILN_DUMP_ISA;
    if (options->dump_points)
        options->dump = print_dump;
}
