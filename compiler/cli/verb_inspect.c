// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln inspect: what a code object's kernels need and what their loops consist of.
//
// What is easily got wrong: findings are about loops; a narrow load before the loop costs nothing worth telling.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/gfx942.h"
#include "base/string.h"
#include "crash.h"
#include "device_flags.h"
#include "inspect/code_object.h"
#include "inspect/isa.h"
#include "inspect/occupancy.h"
#include "pages.h"
#include "verbs.h"

static void print_resources(const kiln_code_kernel_t *kernel)
{
    const kiln_resources_t *r = &kernel->resources;
    const struct {
        const char *name;
        unsigned value;
        unsigned of; // at most; 0: nothing to compare with
    } rows[] = {
        {"vector registers", r->vgprs, 0},
        {"accumulation registers", r->agprs, 0},
        {"scalar registers", r->sgprs, 0},
        {"vector registers spilled", r->vgpr_spills, 0},
        {"scalar registers spilled", r->sgpr_spills, 0},
        {"LDS bytes", r->lds_bytes, KILN_GFX942_LDS_BYTES},
        {"scratch bytes per lane", r->scratch_bytes_per_lane, 0},
        {"work-items in a workgroup", kernel->max_workgroup, 0},
        {"waves per SIMD", r->occupancy, KILN_GFX942_WAVES_PER_SIMD},
        {"waves per SIMD by registers alone", kiln_occupancy_by_registers(r->vgprs, r->agprs, r->sgprs),
         KILN_GFX942_WAVES_PER_SIMD},
        {"argument bytes", (unsigned)kernel->kernarg_bytes, 0},
    };
    printf("kernel %s\n", kernel->name);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("  %-34s %8u", rows[i].name, rows[i].value);
        if (rows[i].of)
            printf(" of %u", rows[i].of);
        printf("\n");
    }
}

typedef struct tally {
    const char *text; // begins with the mnemonic
    size_t length;
    kiln_isa_class_t class;
    unsigned count;
} tally_t;

static int by_class_and_name(const void *a, const void *b)
{
    const tally_t *x = a, *y = b;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    int order = strncmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

// Memory and matrix instructions by name, the rest by class.
static void print_counts(const kiln_isa_t *isa, size_t first, size_t last)
{
    tally_t *tallies = calloc(last - first + 1, sizeof *tallies);
    if (!tallies)
        return;
    size_t count = 0;
    for (size_t i = first; i <= last; i++) {
        const kiln_isa_instruction_t *inst = &isa->instructions[i];
        tally_t one = {inst->text, strcspn(inst->text, " "), inst->class, 1};
        if (inst->class > KILN_ISA_SMEM) {
            one.text = kiln_isa_class_name(inst->class);
            one.length = strlen(one.text);
        }
        size_t known = 0;
        while (known < count && by_class_and_name(&tallies[known], &one) != 0)
            known++;
        if (known == count)
            tallies[count++] = one;
        else
            tallies[known].count++;
    }
    qsort(tallies, count, sizeof *tallies, by_class_and_name);
    for (size_t i = 0; i < count; i++)
        printf("    %6u  %.*s\n", tallies[i].count, (int)tallies[i].length, tallies[i].text);
    free(tallies);
}

static unsigned count_narrow(const kiln_isa_t *isa, const kiln_isa_loop_t *loop, kiln_isa_class_t class)
{
    static const char *const narrow[] = {"ubyte", "sbyte", "ushort", "sshort", "short_d16", "_u8",
                                         "_i8",   "_u16",  "_i16",   "_b8",    "_b16"};
    unsigned count = 0;
    for (size_t i = loop->first; i <= loop->last; i++)
        for (size_t n = 0; n < sizeof narrow / sizeof *narrow && isa->instructions[i].class == class; n++)
            if (strstr(isa->instructions[i].text, narrow[n])) {
                count++;
                break;
            }
    return count;
}

static void print_findings(const kiln_code_kernel_t *kernel, const kiln_isa_t *isa)
{
    const kiln_resources_t *r = &kernel->resources;
    if (r->scratch_bytes_per_lane)
        printf("  finding: scratch memory is used, %u bytes per lane; raise --num-warps or use smaller tiles\n",
               r->scratch_bytes_per_lane);
    if (r->vgpr_spills)
        printf("  finding: %u vector registers are spilled\n", r->vgpr_spills);
    for (size_t i = 0; i < isa->loop_count; i++) {
        unsigned global = count_narrow(isa, &isa->loops[i], KILN_ISA_GLOBAL),
                 lds = count_narrow(isa, &isa->loops[i], KILN_ISA_LDS);
        if (global)
            printf("  finding: loop %zu has %u global accesses of less than 4 bytes; tell divisibility by 16 where it "
                   "holds\n",
                   i + 1, global);
        if (lds)
            printf("  finding: loop %zu has %u LDS accesses of less than 4 bytes\n", i + 1, lds);
    }
}

static kiln_status_t print_kernel(const kiln_code_kernel_t *kernel)
{
    print_resources(kernel);
    if (!kernel->code)
        return KILN_OK;
    kiln_isa_t isa;
    kiln_status_t status =
        kiln_status_annotate(kiln_isa_read(kernel->code, kernel->code_size, &isa), "in kernel '%s'", kernel->name);
    if (!status) {
        printf("  code: %zu instructions, %zu bytes\n", isa.count, kernel->code_size);
        if (isa.count)
            print_counts(&isa, 0, isa.count - 1);
        for (size_t i = 0; i < isa.loop_count; i++) {
            const kiln_isa_loop_t *loop = &isa.loops[i];
            printf("  loop %zu: offset 0x%x to 0x%x\n", i + 1, isa.instructions[loop->first].offset,
                   isa.instructions[loop->last].offset);
            print_counts(&isa, loop->first, loop->last);
        }
        print_findings(kernel, &isa);
    }
    kiln_isa_free(&isa);
    return status;
}

static kiln_status_t inspect(const char *path, const char *name)
{
    char *bytes = NULL;
    size_t size;
    KILN_TRY(kiln_file_read(path, &bytes, &size));
    kiln_code_object_t object;
    kiln_status_t status =
        kiln_status_annotate(kiln_code_object_read(bytes, size, &object), "while reading '%s'", path);
    bool found = false;
    for (size_t i = 0; !status && i < object.kernel_count; i++)
        if (!name || strcmp(name, object.kernels[i].name) == 0) {
            found = true;
            status = print_kernel(&object.kernels[i]);
        }
    if (!status && !found)
        status = kiln_status_make(KILN_STATUS_NOT_FOUND, "'%s' has no kernel%s%s%s", path, name ? " '" : "",
                                  name ? name : "", name ? "'" : "");
    kiln_code_object_free(&object);
    free(bytes);
    return status;
}

int kiln_verb_inspect(int argc, char **argv)
{
    kiln_words_t words;
    kiln_words_begin(&words, "inspect");
    const char *name = NULL;
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "inspect");
        if (flag != KILN_FLAG_inspect_KERNEL)
            return kiln_words_refuse(&words, flag);
        name = optarg;
    }
    if (argc - optind != 1)
        return kiln_usage(stderr, "inspect");
    kiln_crash_remember(argc, argv, NULL, 0);
    return kiln_cli_report(inspect(argv[optind], name));
}
