// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints dumps with the header lines of MLIR and Triton, which tools such as Compiler Explorer
// parse.
//
// Kernels compile in parallel, so each dump is written as a whole. A requested dump that printed
// nothing is reported, so that it is not mistaken for an empty one.
#include "dump.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/number.h"
#include "device_flags.h"

// "remove_layout_conversions" → "RemoveLayoutConversions", as in MLIR's pass names.
static void print_pass_name(const char *id, FILE *stream)
{
    int raise = 1;
    for (; *id; id++) {
        if (*id != '_')
            fputc(raise ? kiln_upper(*id) : *id, stream);
        raise = *id == '_';
    }
}

static const struct {
    const char *variable, *flag, *what;
    unsigned points;
} kinds[] = {
    {"MLIR_ENABLE_DUMP", "--dump-passes", "no pass ran",
     1u << KILN_DUMP_BEFORE_PASS | 1u << KILN_DUMP_AFTER_PASS},
    {"LLVM_IR_ENABLE_DUMP", "--dump-llvm", "no LLVM IR was generated", 1u << KILN_DUMP_LLVM_IR},
    {"AMDGCN_ENABLE_DUMP", "--dump-isa", "no ISA was generated", 1u << KILN_DUMP_ISA},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

// The requests of the environment and the flags, read once, as jobs of `kiln case` query them from
// several threads.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned wanted;      // points; none before a verb has queried
static const char *only_for; // that kernel, or NULL
static atomic_uint printed;  // points

static void print_dump(kiln_dump_point_t point, const char *pass, const char *text, size_t length,
                       void *user)
{
    (void)user;
    atomic_fetch_or(&printed, 1u << point);
    flockfile(stderr);
    if (point == KILN_DUMP_LLVM_IR) {
        fprintf(stderr, "// -----// LLVM IR Dump //----- //\n");
    } else if (point == KILN_DUMP_ISA) {
        fprintf(stderr, "// -----// AMDGCN Dump //----- //\n");
    } else {
        fprintf(stderr, "// -----// IR Dump %s ",
                point == KILN_DUMP_BEFORE_PASS ? "Before" : "After");
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
        if (kiln_equal_in_any_case(value, *words))
            return 1;
    return 0;
}

static void read_dump_flags(void)
{
    static const char *const yes[] = {"1", "on", "true", "yes", "y", NULL}, *const no[] = {
                                                                                "0",     "off",
                                                                                "false", "no",
                                                                                "n",     NULL};
    for (size_t i = 0; i < KIND_COUNT; i++) {
        const char *value = kiln_environment(kinds[i].variable);
        if (!value || is_one_of(value, no))
            continue;
        wanted |= kinds[i].points;
        if (!only_for && !is_one_of(value, yes))
            only_for = value;
    }
}

void kiln_dump_from_environment(kiln_compile_options_t *options)
{
    pthread_once(&once, read_dump_flags);
    options->dump_points |= wanted;
    if (!options->dump_kernel)
        options->dump_kernel = only_for;
    if (options->dump_points)
        options->dump = print_dump;
}

int kiln_dump_finish(int code)
{
    const bool failed = code != 0;
    for (size_t i = 0; i < KIND_COUNT && !failed; i++) {
        if (!(wanted & kinds[i].points) || (atomic_load(&printed) & kinds[i].points))
            continue;
        const bool is_flag = kiln_flag_given(kinds[i].flag);
        fflush(stdout);
        fprintf(stderr, "kiln: %s%s printed nothing: %s", is_flag ? "error: " : "",
                is_flag ? kinds[i].flag : kinds[i].variable, kinds[i].what);
        if (only_for)
            fprintf(stderr, " for a kernel '%s'", only_for);
        fputs("\n", stderr);
        code = is_flag ? 1 : code; // a variable may be set for many runs, so it is not an error
    }
    return code;
}
