// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers what is known about a kernel of a code object: its resources, its instructions as a whole
// and by loop, and findings.
//
// Findings are only about loops; a narrow load before a loop costs almost nothing.
#include "kernel.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/gfx942.h"
#include "base/json.h"
#include "base/number.h"
#include "base/string.h"
#include "cli/findings/compiled.h"
#include "cli/findings/instructions.h"
#include "cli/json_text.h"
#include "inspect/isa.h"
#include "inspect/occupancy.h"

static const kiln_inspect_row_t rows[] = {
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

const kiln_inspect_row_t *kiln_inspect_rows(size_t *out_count)
{
    *out_count = sizeof rows / sizeof *rows;
    return rows;
}

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

// Lines ------------------------------------------------------------------------------------------

// A kernel with its instructions and the line table of its object (NULL: none).
typedef struct subject {
    const kiln_code_kernel_t *kernel;
    const kiln_isa_t *isa;
    kiln_lines_t *lines;
} subject_t;

enum { MAX_PLACE = 512, MAX_FILES = 16, MAX_SHOWN = 4 };

// Splits "file:line"; returns the line, 0 if the instruction has none.
static unsigned find_line(const subject_t *s, const kiln_isa_instruction_t *inst,
                          char file[MAX_PLACE])
{
    kiln_lines_find(s->lines, s->kernel->code_address + inst->offset, file, MAX_PLACE);
    char *colon = strrchr(file, ':');
    if (!colon)
        return 0;
    *colon = '\0';
    return (unsigned)strtoul(colon + 1, NULL, 10);
}

typedef struct span {
    char file[MAX_PLACE];
    unsigned first, last;
    size_t instructions;
} span_t;

// The source of a loop: the file that most of its instructions are of, as others are inlined, and
// the lines there. {"file", "first_line", "last_line"}; NULL if there is none.
static json_t *gather_span(const subject_t *s, const kiln_isa_loop_t *loop)
{
    span_t *spans = calloc(MAX_FILES, sizeof *spans);
    size_t count = 0, most = 0;
    for (size_t i = loop->first; spans && i <= loop->last; i++) {
        char file[MAX_PLACE];
        const unsigned line = find_line(s, &s->isa->instructions[i], file);
        size_t at = 0;
        while (at < count && strcmp(spans[at].file, file) != 0)
            at++;
        if (!line || at == MAX_FILES)
            continue;
        if (at == count) {
            snprintf(spans[count].file, MAX_PLACE, "%s", file);
            spans[count].first = spans[count].last = line;
            count++;
        }
        spans[at].first = line < spans[at].first ? line : spans[at].first;
        spans[at].last = line > spans[at].last ? line : spans[at].last;
        spans[at].instructions++;
        if (spans[at].instructions > spans[most].instructions)
            most = at;
    }
    json_t *span =
        count ? json_pack("{s:o,s:I,s:I}", "file", kiln_json_text(spans[most].file), "first_line",
                          (json_int_t)spans[most].first, "last_line", (json_int_t)spans[most].last)
              : NULL;
    free(spans);
    return span;
}

// Findings ---------------------------------------------------------------------------------------

typedef bool (*test_t)(const kiln_isa_instruction_t *inst, unsigned kind);

static bool is_narrow(const kiln_isa_instruction_t *inst, unsigned class)
{
    static const char *const narrow[] = {"ubyte", "sbyte", "ushort", "sshort", "short_d16", "_u8",
                                         "_i8",   "_u16",  "_i16",   "_b8",    "_b16"};
    for (size_t n = 0; n < sizeof narrow / sizeof *narrow && inst->class == class; n++)
        if (strstr(inst->text, narrow[n]))
            return true;
    return false;
}

static bool is_named(const kiln_isa_instruction_t *inst, unsigned kinds)
{
    return (kiln_instruction_kinds(inst->text) & kinds) != 0;
}

static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length)
        if (!at[length] || at[length] == ',')
            return true;
    return false;
}

// The number of such instructions in a loop, and their lines: " (gemm.tile.c:27, gemm.tile.c:31)".
static unsigned count(const subject_t *s, const kiln_isa_loop_t *loop, test_t test, unsigned kind,
                      kiln_string_t *out_places)
{
    unsigned found = 0, shown = 0;
    char file[MAX_PLACE];
    kiln_string_free(out_places);
    for (size_t i = loop->first; i <= loop->last; i++) {
        if (!test(&s->isa->instructions[i], kind))
            continue;
        found++;
        const unsigned line = find_line(s, &s->isa->instructions[i], file);
        const char *slash = strrchr(file, '/');
        char *place = line ? kiln_string_print("%s:%u", slash ? slash + 1 : file, line) : NULL;
        if (place && !(out_places->length && has_word(out_places->data, place)) &&
            ++shown <= MAX_SHOWN)
            kiln_string_appendf(out_places, "%s%s", out_places->length ? ", " : " (", place);
        free(place);
    }
    if (shown)
        kiln_string_append(out_places, shown > MAX_SHOWN ? ", \xe2\x80\xa6)" : ")");
    return found;
}

static void __attribute__((format(printf, 2, 3))) add_finding(json_t *findings, const char *format,
                                                              ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    kiln_vformat(text, sizeof text, format, args);
    va_end(args);
    json_array_append_new(findings, kiln_json_text(text));
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

// Instructions that cost much in a loop.
static const struct {
    test_t test;
    unsigned kind;
    const char *what; // of the loop's number, their number and the lines
} rules[] = {
    {is_named, KILN_INSTRUCTION_ACCUMULATOR_MOVE,
     "loop %zu has %u moves between accumulation and vector registers%s"},
    {is_named, KILN_INSTRUCTION_DIVISION,
     "loop %zu has divisions (%u instructions that only they use)%s"},
    {is_narrow, KILN_ISA_GLOBAL,
     "loop %zu has %u global accesses of less than 4 bytes%s; promise divisibility by 16 with "
     "--arg NAME=TYPE:16 where it holds"},
    {is_narrow, KILN_ISA_LDS, "loop %zu has %u LDS accesses of less than 4 bytes%s"},
};

static json_t *gather_findings(const subject_t *s)
{
    const kiln_resources_t *r = &s->kernel->resources;
    json_t *findings = json_array();
    kiln_string_t places = {0};
    if (r->scratch_bytes_per_lane)
        add_finding(findings,
                    "%u bytes of scratch memory per lane; raise --num-warps or use smaller tiles",
                    r->scratch_bytes_per_lane);
    if (r->vgpr_spills)
        add_finding(findings, "%u vector registers are spilled", r->vgpr_spills);
    add_occupancy(findings, s->kernel);
    for (size_t i = 0; i < s->isa->loop_count; i++)
        for (size_t j = 0; j < sizeof rules / sizeof *rules; j++) {
            const unsigned found =
                count(s, &s->isa->loops[i], rules[j].test, rules[j].kind, &places);
            if (found)
                add_finding(findings, rules[j].what, i + 1, found,
                            places.length ? places.data : "");
        }
    kiln_string_free(&places);
    return findings;
}

kiln_status_t kiln_inspect_kernel(const kiln_code_kernel_t *kernel, kiln_lines_t *lines,
                                  json_t *kernels)
{
    json_t *entry =
        json_pack("{s:s,s:o}", "name", kernel->name, "resources", gather_resources(kernel));
    kiln_isa_t isa = {0};
    kiln_status_t status =
        kernel->code ? kiln_status_annotate(kiln_isa_read(kernel->code, kernel->code_size, &isa),
                                            "in kernel '%s'", kernel->name)
                     : KILN_OK;
    if (!status && kernel->code) {
        const subject_t subject = {kernel, &isa, lines};
        json_t *loops = json_array();
        for (size_t i = 0; i < isa.loop_count; i++) {
            const kiln_isa_loop_t *loop = &isa.loops[i];
            json_t *one = gather_span(&subject, loop);
            one = one ? one : json_object();
            json_object_update_new(
                one, json_pack("{s:I,s:I,s:o}", "first",
                               (json_int_t)isa.instructions[loop->first].offset, "last",
                               (json_int_t)isa.instructions[loop->last].offset, "counts",
                               gather_counts(&isa, loop->first, loop->last)));
            json_array_append_new(loops, one);
        }
        json_object_set_new(
            entry, "code",
            json_pack("{s:I,s:I,s:o}", "instructions", (json_int_t)isa.count, "bytes",
                      (json_int_t)kernel->code_size, "counts",
                      isa.count ? gather_counts(&isa, 0, isa.count - 1) : json_object()));
        json_object_set_new(entry, "loops", loops);
        json_object_set_new(entry, "findings", gather_findings(&subject));
    }
    kiln_isa_free(&isa);
    if (json_array_append_new(kernels, entry) != 0 && !status)
        status = kiln_status_out_of_memory();
    return status;
}

kiln_status_t kiln_inspect_findings(const void *object, size_t size, const char *symbol,
                                    kiln_diagnostic_handler_t finding)
{
    bool has, shown = false;
    return kiln_compiled_findings_of_object(object, size, symbol, finding, &shown, &has);
}
