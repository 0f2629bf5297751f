// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln inspect: the resources of a code object's kernels and the contents of their loops.
//
// Everything is first gathered as JSON, from which the text is printed, so that --json has the same
// contents.
//
// Findings are only about loops; a narrow load before a loop costs almost nothing.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/code_object.h"
#include "base/gfx942.h"
#include "base/json.h"
#include "base/number.h"
#include "base/string.h"
#include "cli/compare/code.h"
#include "cli/crash.h"
#include "cli/device_flags.h"
#include "cli/findings/instructions.h"
#include "cli/input.h"
#include "cli/json_text.h"
#include "cli/launch/call.h"
#include "cli/option_flags.h"
#include "cli/pages.h"
#include "cli/verbs.h"
#include "inspect/isa.h"
#include "inspect/occupancy.h"

// Gathering ---------------------------------------------------------------------------------------

// Members of "resources", and their names in the text.
typedef struct row {
    const char *member, *title;
    unsigned of; // limit; 0: none
} row_t;
static const row_t rows[] = {
    {"vgprs", "vector registers", 0},
    {"agprs", "accumulation registers", 0},
    {"sgprs", "scalar registers", 0},
    {"vgpr_spills", "vector registers spilled", 0},
    {"sgpr_spills", "scalar registers spilled", 0},
    {"lds_bytes", "LDS bytes", KILN_GFX942_LDS_BYTES},
    {"scratch_bytes_per_lane", "scratch bytes per lane", 0},
    {"max_workgroup", "work-items in a workgroup", 0},
    {"occupancy", "waves per SIMD", KILN_GFX942_WAVES_PER_SIMD},
    {"occupancy_by_registers", "waves per SIMD by registers alone", KILN_GFX942_WAVES_PER_SIMD},
    {"kernarg_bytes", "argument bytes", 0},
};

static json_t *gather_resources(const kiln_code_kernel_t *kernel)
{
    const kiln_resources_t *r = &kernel->resources;
    const unsigned values[sizeof rows / sizeof *rows] = {
        r->vgprs,
        r->agprs,
        r->sgprs,
        r->vgpr_spills,
        r->sgpr_spills,
        r->lds_bytes,
        r->scratch_bytes_per_lane,
        kernel->max_workgroup,
        r->occupancy,
        kiln_occupancy_by_registers(r->vgprs, r->agprs, r->sgprs),
        (unsigned)kernel->kernarg_bytes,
    };
    json_t *resources = json_object();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        json_object_set_new(resources, rows[i].member, json_integer(values[i]));
    return resources;
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

// Number of instructions: memory and matrix instructions by name, the rest by class.
static json_t *gather_counts(const kiln_isa_t *isa, size_t first, size_t last)
{
    tally_t *tallies = calloc(last - first + 1, sizeof *tallies);
    if (!tallies)
        return NULL;
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
    json_t *counts = json_object();
    for (size_t i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)tallies[i].length, tallies[i].text);
        json_object_set_new(counts, name, json_integer(tallies[i].count));
    }
    free(tallies);
    return counts;
}

static unsigned count_narrow(const kiln_isa_t *isa, const kiln_isa_loop_t *loop,
                             kiln_isa_class_t class)
{
    static const char *const narrow[] = {"ubyte", "sbyte", "ushort", "sshort", "short_d16", "_u8",
                                         "_i8",   "_u16",  "_i16",   "_b8",    "_b16"};
    unsigned count = 0;
    for (size_t i = loop->first; i <= loop->last; i++)
        for (size_t n = 0;
             n < sizeof narrow / sizeof *narrow && isa->instructions[i].class == class; n++)
            if (strstr(isa->instructions[i].text, narrow[n])) {
                count++;
                break;
            }
    return count;
}

static void __attribute__((format(printf, 2, 3))) add_finding(json_t *findings, const char *format,
                                                              ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    kiln_vformat(text, sizeof text, format, args);
    va_end(args);
    json_array_append_new(findings, kiln_json_text(text));
}

static unsigned count_named(const kiln_isa_t *isa, const kiln_isa_loop_t *loop, unsigned kinds)
{
    unsigned count = 0;
    for (size_t i = loop->first; i <= loop->last; i++)
        count += kiln_instruction_is(isa->instructions[i].text, kinds);
    return count;
}

static void add_occupancy(json_t *findings, const kiln_code_kernel_t *kernel)
{
    const kiln_resources_t *r = &kernel->resources;
    kiln_occupancy_limits_t limits;
    kiln_occupancy_limits(r->vgprs, r->agprs, r->sgprs, r->lds_bytes,
                          (kernel->max_workgroup + KILN_GFX942_LANES - 1) / KILN_GFX942_LANES,
                          &limits);
    if (limits.resource && limits.more)
        add_finding(findings, "occupancy is %u waves per SIMD, limited by %u %s; %u would allow %u",
                    limits.now, limits.used, limits.resource, limits.max, limits.more);
}

static json_t *gather_findings(const kiln_code_kernel_t *kernel, const kiln_isa_t *isa)
{
    const kiln_resources_t *r = &kernel->resources;
    json_t *findings = json_array();
    if (r->scratch_bytes_per_lane)
        add_finding(findings,
                    "%u bytes of scratch memory per lane; raise --num-warps or use smaller tiles",
                    r->scratch_bytes_per_lane);
    if (r->vgpr_spills)
        add_finding(findings, "%u vector registers are spilled", r->vgpr_spills);
    add_occupancy(findings, kernel);
    for (size_t i = 0; i < isa->loop_count; i++) {
        const unsigned moves = count_named(isa, &isa->loops[i], KILN_INSTRUCTION_ACCUMULATOR_MOVE),
                       divisions = count_named(isa, &isa->loops[i], KILN_INSTRUCTION_DIVISION);
        if (moves)
            add_finding(findings, "loop %zu has %u moves between accumulation and vector registers",
                        i + 1, moves);
        if (divisions)
            add_finding(findings, "loop %zu has divisions (%u instructions that only they use)",
                        i + 1, divisions);
        unsigned global = count_narrow(isa, &isa->loops[i], KILN_ISA_GLOBAL),
                 lds = count_narrow(isa, &isa->loops[i], KILN_ISA_LDS);
        if (global)
            add_finding(findings,
                        "loop %zu has %u global accesses of less than 4 bytes; promise "
                        "divisibility by 16 with --arg "
                        "NAME=TYPE:16 where it holds",
                        i + 1, global);
        if (lds)
            add_finding(findings, "loop %zu has %u LDS accesses of less than 4 bytes", i + 1, lds);
    }
    return findings;
}

// {"name", "resources"} and, if the object contains the code, {"code", "loops", "findings"}.
static kiln_status_t gather_kernel(const kiln_code_kernel_t *kernel, json_t *kernels)
{
    json_t *entry =
        json_pack("{s:s,s:o}", "name", kernel->name, "resources", gather_resources(kernel));
    kiln_isa_t isa = {0};
    kiln_status_t status =
        kernel->code ? kiln_status_annotate(kiln_isa_read(kernel->code, kernel->code_size, &isa),
                                            "in kernel '%s'", kernel->name)
                     : KILN_OK;
    if (!status && kernel->code) {
        json_t *loops = json_array();
        for (size_t i = 0; i < isa.loop_count; i++) {
            const kiln_isa_loop_t *loop = &isa.loops[i];
            json_array_append_new(
                loops, json_pack("{s:I,s:I,s:o}", "first",
                                 (json_int_t)isa.instructions[loop->first].offset, "last",
                                 (json_int_t)isa.instructions[loop->last].offset, "counts",
                                 gather_counts(&isa, loop->first, loop->last)));
        }
        json_object_set_new(
            entry, "code",
            json_pack("{s:I,s:I,s:o}", "instructions", (json_int_t)isa.count, "bytes",
                      (json_int_t)kernel->code_size, "counts",
                      isa.count ? gather_counts(&isa, 0, isa.count - 1) : json_object()));
        json_object_set_new(entry, "loops", loops);
        json_object_set_new(entry, "findings", gather_findings(kernel, &isa));
    }
    kiln_isa_free(&isa);
    if (json_array_append_new(kernels, entry) != 0 && !status)
        status = kiln_status_out_of_memory();
    return status;
}

// Text --------------------------------------------------------------------------------------------

static void print_counts(json_t *counts)
{
    const char *name;
    json_t *count;
    json_object_foreach(counts, name, count)
        printf("    %6lld  %s\n", json_integer_value(count), name);
}

static void print_kernel(const json_t *kernel)
{
    const json_t *resources = json_object_get(kernel, "resources"),
                 *code = json_object_get(kernel, "code"), *one;
    size_t i;
    printf("kernel %s\n", json_string_value(json_object_get(kernel, "name")));
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("  %-34s %8lld", rows[i].title,
               json_integer_value(json_object_get(resources, rows[i].member)));
        if (rows[i].of)
            printf(" of %u", rows[i].of);
        printf("\n");
    }
    if (!code)
        return;
    printf("  code: %lld instructions, %lld bytes\n",
           json_integer_value(json_object_get(code, "instructions")),
           json_integer_value(json_object_get(code, "bytes")));
    print_counts(json_object_get(code, "counts"));
    json_array_foreach(json_object_get(kernel, "loops"), i, one)
    {
        printf("  loop %zu: offset 0x%llx to 0x%llx\n", i + 1,
               (unsigned long long)json_integer_value(json_object_get(one, "first")),
               (unsigned long long)json_integer_value(json_object_get(one, "last")));
        print_counts(json_object_get(one, "counts"));
    }
    json_array_foreach(json_object_get(kernel, "findings"), i, one)
        printf("  finding: %s\n", json_string_value(one));
}

// The verb ----------------------------------------------------------------------------------------

typedef struct inspect_flags {
    kiln_launch_flags_t launch; // of a source
    const char *base;
    bool as_json;
    bool shown; // a diagnostic of the compilation was printed
} inspect_flags_t;

// Replaces the text of a source by its code object.
static kiln_status_t compile_source(const char *path, inspect_flags_t *flags,
                                    kiln_input_t *io_input)
{
    kiln_source_t source;
    kiln_session_t *session;
    kiln_kernel_t *kernel = NULL;
    kiln_setting_t defines[KILN_LAUNCH_MAX_SETTINGS];
    kiln_compile_options_t options;
    size_t size;
    kiln_compile_options_initialize(&options);
    options.kernel = flags->launch.kernel;
    KILN_TRY(kiln_launch_set_options(&flags->launch, defines, &options));
    KILN_TRY(kiln_session_create(&session));
    kiln_session_set_diagnostic_handler(session, kiln_launch_diagnostic, &flags->shown);
    kiln_input_source(path, io_input, &source);
    kiln_status_t status = kiln_compile(session, &source, &options, &kernel);
    if (!status) {
        const void *code = kiln_kernel_code_object(kernel, &size);
        free(io_input->bytes);
        io_input->bytes = malloc(size + 1);
        io_input->size = size;
        if (io_input->bytes)
            memcpy(io_input->bytes, code, size);
        else
            status = kiln_status_out_of_memory();
    }
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    return status;
}

static kiln_status_t refuse_unused_flags(const kiln_launch_flags_t *launch, bool is_source)
{
    if (launch->grid)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--grid has no effect here: nothing is launched");
    if (!is_source && launch->setting_count)
        return kiln_status_make(KILN_STATUS_USAGE, "%s has no effect here: nothing is compiled",
                                launch->settings[0].name);
    if (!is_source)
        KILN_TRY(kiln_option_flags_refuse("nothing is compiled"));
    if (!is_source && kiln_source_flags_given())
        return kiln_status_make(KILN_STATUS_USAGE, "%s has no effect here: nothing is compiled",
                                kiln_source_flags_given());
    return KILN_OK;
}

static kiln_status_t read_object(const char *path, inspect_flags_t *flags, kiln_input_t *out_input)
{
    KILN_TRY(kiln_input_read(
        path, flags ? KILN_INPUT_OBJECT | KILN_INPUT_SOURCE : KILN_INPUT_OBJECT, out_input));
    const bool is_source = out_input->kind != KILN_INPUT_OBJECT;
    kiln_status_t status = flags ? refuse_unused_flags(&flags->launch, is_source) : KILN_OK;
    if (!status && is_source)
        status = compile_source(path, flags, out_input);
    if (status)
        free(out_input->bytes);
    return status;
}

// The kernels of a code object, all or one, as an array. With `flags` it may be a source.
static kiln_status_t gather(const char *path, const char *name, inspect_flags_t *flags,
                            json_t **out_kernels)
{
    kiln_input_t input;
    *out_kernels = NULL;
    KILN_TRY(read_object(path, flags, &input));
    kiln_code_object_t object;
    kiln_status_t status = kiln_status_annotate(
        kiln_code_object_read(input.bytes, input.size, &object), "while reading '%s'", path);
    json_t *kernels = json_array();
    bool found = false;
    for (size_t i = 0; !status && i < object.kernel_count; i++)
        if (!name || strcmp(name, object.kernels[i].name) == 0) {
            found = true;
            status = gather_kernel(&object.kernels[i], kernels);
        }
    if (!status && !found)
        status = kiln_status_make(KILN_STATUS_NOT_FOUND, "'%s' has no kernel%s%s%s", path,
                                  name ? " '" : "", name ? name : "", name ? "'" : "");
    kiln_code_object_free(&object);
    free(input.bytes);
    if (status)
        json_decref(kernels);
    else
        *out_kernels = kernels;
    return status;
}

// The same of a code object, or of a file that --json has written.
static kiln_status_t gather_base(const char *path, json_t **out_kernels)
{
    json_t *root, *kernels;
    if (!kiln_string_ends_with(path, ".json"))
        return kiln_status_annotate(gather(path, NULL, NULL, out_kernels),
                                    "--compare takes a code object, or a .json file that kiln "
                                    "inspect --json has written");
    *out_kernels = NULL;
    KILN_TRY(kiln_json_read(path, &root));
    kiln_status_t status =
        kiln_status_annotate(kiln_json_array(root, "kernels", &kernels),
                             "'%s' is not what `kiln inspect --json` prints", path);
    for (size_t i = 0; !status && i < json_array_size(kernels); i++) {
        const char *text;
        status = kiln_json_string(json_array_get(kernels, i), "name", &text);
    }
    if (!status)
        *out_kernels = json_incref(kernels);
    json_decref(root);
    return status;
}

static void compare(const json_t *base, const json_t *kernels, bool some)
{
    kiln_code_row_t all[sizeof rows / sizeof *rows];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        all[i] = (kiln_code_row_t){rows[i].member, rows[i].title};
    kiln_code_compare(base, kernels, some, all, sizeof rows / sizeof *rows);
}

static kiln_status_t inspect(const char *path, inspect_flags_t *flags)
{
    json_t *kernels, *base = NULL;
    const char *name = flags->launch.kernel;
    KILN_TRY(gather(path, name, flags, &kernels));
    kiln_status_t status = flags->base ? gather_base(flags->base, &base) : KILN_OK;
    const json_t *kernel;
    size_t i;
    if (!status && base) {
        compare(base, kernels, name != NULL);
    } else if (!status && flags->as_json) {
        json_t *root = json_pack("{s:O}", "kernels", kernels);
        kiln_cli_print_json(root);
        json_decref(root);
    } else if (!status) {
        json_array_foreach(kernels, i, kernel) print_kernel(kernel);
    }
    json_decref(base);
    json_decref(kernels);
    return status;
}

int kiln_verb_inspect(int argc, char **argv)
{
    kiln_words_t words;
    kiln_words_begin(&words, "inspect");
    inspect_flags_t flags = {0};
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "inspect");
        if (flag == KILN_FLAG_inspect_COMPARE)
            flags.base = optarg;
        else if (flag == KILN_FLAG_inspect_JSON)
            flags.as_json = true;
        else if (!kiln_launch_flag_take(&flags.launch, flag, optarg))
            return kiln_words_refuse(&words, flag);
    }
    if (argc - optind != 1)
        return kiln_usage(stderr, "inspect");
    if (flags.base && flags.as_json)
        return kiln_cli_report(kiln_status_make(
            KILN_STATUS_USAGE,
            "--compare prints text only; use --json to write a file to compare with"));
    kiln_crash_remember(argc, argv, NULL, 0);
    kiln_status_t status = inspect(argv[optind], &flags);
    return kiln_launch_report(status, flags.shown);
}
