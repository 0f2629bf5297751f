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
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/compile/passes.h"
#include "cli/compile/places.h"
#include "device_flags.h"
#include "passes/pass.h"

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

static bool prints_changed;    // --print-changed
static const char *only_after; // --print-after: ids separated by commas; NULL: all

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
static bool has_places;      // --print-places

static bool has_id(const char *list, const char *id)
{
    const size_t length = strlen(id);
    for (const char *at = list; (at = strstr(at, id)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

// Whether a pass's text is to be printed. What is before a pass is kept until it is after it.
static bool is_chosen(kiln_dump_point_t point, const char *pass, const char *text, size_t length)
{
    static _Thread_local char *before;
    static _Thread_local size_t before_length;
    if (point > KILN_DUMP_AFTER_PASS || !(prints_changed || only_after))
        return true;
    const bool is_listed = !only_after || has_id(only_after, pass);
    if (!prints_changed || !is_listed)
        return is_listed && point == KILN_DUMP_AFTER_PASS;
    if (point == KILN_DUMP_BEFORE_PASS) {
        free(before); // a pass that failed has no end
        before = malloc(length + 1);
        before_length = length;
        if (before)
            memcpy(before, text, length);
        return false;
    }
    const bool changed = !before || before_length != length || memcmp(before, text, length) != 0;
    free(before);
    before = NULL;
    return changed;
}

static void print_dump(kiln_dump_point_t point, const char *pass, const char *text, size_t length,
                       void *user)
{
    (void)user;
    // A pass that changes nothing is no reason to complain, but one of --print-after that does not
    // run is.
    if (point > KILN_DUMP_AFTER_PASS || !only_after || has_id(only_after, pass))
        atomic_fetch_or(&printed, 1u << point);
    if (!is_chosen(point, pass, text, length))
        return;
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
    char *places = has_places && point <= KILN_DUMP_AFTER_PASS ? kiln_places_text(text) : NULL;
    if (places)
        fputs(places, stderr);
    else
        fwrite(text, 1, length, stderr);
    free(places);
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

void kiln_dump_places(void)
{
    has_places = true;
}

bool kiln_dump_has_places(void)
{
    return has_places;
}

void kiln_dump_changed(void)
{
    prints_changed = true;
}

kiln_status_t kiln_dump_after(const char *list)
{
    for (const char *at = list; *at;) {
        char id[64];
        const size_t length = strcspn(at, ",");
        snprintf(id, sizeof id, "%.*s", (int)(length < sizeof id ? length : sizeof id - 1), at);
        KILN_TRY_NOTE(kiln_pass_id_check(id), "in --print-after");
        at += length + (at[length] == ',');
    }
    only_after = list;
    return KILN_OK;
}

void kiln_dump_from_environment(kiln_compile_options_t *options)
{
    pthread_once(&once, read_dump_flags);
    if (prints_changed || only_after)
        wanted |= kinds[0].points;
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
        const char *flag = kinds[i].flag;
        if (i == 0 && (prints_changed || only_after))
            flag = only_after ? "--print-after" : "--print-changed";
        const bool is_flag = kiln_flag_given(kinds[i].flag) || flag != kinds[i].flag;
        fflush(stdout);
        fprintf(stderr, "kiln: %s%s printed nothing: %s", is_flag ? "error: " : "",
                is_flag ? flag : kinds[i].variable,
                i == 0 && only_after ? "none of these passes ran" : kinds[i].what);
        if (only_for)
            fprintf(stderr, " for a kernel '%s'", only_for);
        fputs("\n", stderr);
        code = is_flag ? 1 : code; // a variable may be set for many runs, so it is not an error
    }
    return code;
}
