// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses KILN_SIM_TRACE and prints executed instructions.
//
// The registers that an instruction reads and writes are its footprint, which the checks need
// anyway. The line is begun before the instruction runs, with the registers that it reads, and
// completed after it, with those that it has written.
//
// A vector register is shown with its value after the instruction, also in lanes that EXEC masks;
// EXEC is printed whenever it is not full.
#include "check/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/string.h"
#include "run/launch.h"

enum {
    ROOM = 1 << 18,
    FLUSH_AT = 1 << 17
}; // the difference holds a line with all lanes of a matrix instruction

typedef struct range {
    uint64_t first, last;
} range_t;

struct kiln_sim_trace {
    FILE *file;
    bool failed;    // part of the output could not be written
    bool has_shown; // an instruction of the current launch
    range_t groups, waves, addresses, lanes;
    size_t used;
    char text[ROOM];
};

// ---- the specification

static bool parse_number(const char **text, unsigned base, uint64_t *value)
{
    char *end;
    if (!(**text >= '0' && **text <= '9') &&
        !(base == 16 && strchr("abcdefABCDEF", **text) && **text))
        return false;
    errno = 0;
    *value = strtoull(*text, &end, (int)base);
    *text = end;
    return errno == 0;
}

// "N" or "A-B", inclusive.
static bool parse_range(const char *text, unsigned base, range_t *range)
{
    if (!parse_number(&text, base, &range->first))
        return false;
    range->last = range->first;
    if (*text == '-') {
        text++;
        if (!parse_number(&text, base, &range->last))
            return false;
    }
    return *text == '\0' && range->first <= range->last;
}

static bool parse_item(kiln_sim_trace_t *trace, const char *item, const char **path)
{
    const struct {
        const char *key;
        unsigned base;
        range_t *range;
        uint64_t limit;
    } keys[] = {{"wg=", 10, &trace->groups, UINT32_MAX},
                {"wave=", 10, &trace->waves, UINT32_MAX},
                {"pc=", 16, &trace->addresses, UINT64_MAX},
                {"lanes=", 10, &trace->lanes, KILN_GFX942_LANES - 1}};
    if (strcmp(item, "1") == 0 || strcmp(item, "all") == 0)
        return true;
    if (kiln_string_starts_with(item, "file=") && item[5]) {
        *path = item + 5;
        return true;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        size_t length = strlen(keys[i].key);
        if (strncmp(item, keys[i].key, length) == 0)
            return parse_range(item + length, keys[i].base, keys[i].range) &&
                   keys[i].range->last <= keys[i].limit;
    }
    return false;
}

static bool parse(kiln_sim_trace_t *trace, char *spec, kiln_sim_error_t *error)
{
    const char *path = NULL;
    char *rest = spec;
    for (char *item; (item = strsep(&rest, ","));) {
        if (!parse_item(trace, item, &path))
            return kiln_sim_fail(
                error, KILN_SIM_INVALID_VALUE,
                "KILN_SIM_TRACE: expected 1, all, file=PATH, wg=N or wg=A-B, wave=N or wave=A-B, "
                "pc=0xA-0xB, lanes=N or lanes=A-B (lanes 0 to 63), got '%s'",
                item);
    }
    trace->file = path ? fopen(path, "we") : stderr;
    if (!trace->file)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "KILN_SIM_TRACE: cannot write '%s': %s",
                             path, strerror(errno));
    return true;
}

bool kiln_sim_trace_open(const char *spec, kiln_sim_trace_t **trace, kiln_sim_error_t *error)
{
    *trace = NULL;
    if (!spec || !*spec || strcmp(spec, "0") == 0 || strcmp(spec, "off") == 0)
        return true;
    kiln_sim_trace_t *t = calloc(1, sizeof *t);
    char *copy = strdup(spec);
    bool good = t && copy;
    if (!good)
        kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for the trace");
    if (good) {
        t->groups = t->waves = t->addresses = (range_t){0, UINT64_MAX};
        t->lanes = (range_t){0, 3};
        good = parse(t, copy, error);
    }
    free(copy);
    if (good)
        *trace = t;
    else
        free(t);
    return good;
}

bool kiln_sim_trace_failed(const kiln_sim_trace_t *trace)
{
    return trace && trace->failed;
}

void kiln_sim_trace_close(kiln_sim_trace_t *trace)
{
    if (trace && trace->file != stderr)
        fclose(trace->file);
    free(trace);
}

// ---- text

static void flush(kiln_sim_trace_t *trace)
{
    if (fwrite(trace->text, 1, trace->used, trace->file) != trace->used || fflush(trace->file) != 0)
        trace->failed = true;
    trace->used = 0;
}

static void __attribute__((format(printf, 2, 3))) put(kiln_sim_trace_t *trace, const char *format,
                                                      ...)
{
    size_t room = sizeof trace->text - trace->used;
    va_list args;
    va_start(args, format);
    int length = kiln_vformat(trace->text + trace->used, room, format, args);
    va_end(args);
    if (length > 0)
        trace->used += (size_t)length < room ? (size_t)length : room - 1;
}

// Prints a mark; drop_mark removes it if nothing follows.
static size_t put_mark(kiln_sim_trace_t *trace, const char *mark)
{
    put(trace, "%s", mark);
    return trace->used;
}

static void drop_mark(kiln_sim_trace_t *trace, size_t mark_end, const char *mark)
{
    if (trace->used == mark_end)
        trace->used -= strlen(mark);
}

static bool contains(const range_t *range, uint64_t value)
{
    return range->first <= value && value <= range->last;
}

// "v[4:7]", "s2", "vcc".
static void put_name(kiln_sim_trace_t *trace, unsigned first, unsigned count)
{
    char low[24];
    unsigned code = first - KILN_SIM_FIRST_SGPR;
    bool special = first >= KILN_SIM_FIRST_SGPR && code >= KILN_SIM_SGPR_FLAT_SCRATCH;
    kiln_sim_register_name(first, low, sizeof low);
    if (special && code >= KILN_SIM_SGPR_TTMP0 && code < KILN_SIM_SGPR_TTMP0 + 16)
        snprintf(low, sizeof low, "ttmp%u", code - KILN_SIM_SGPR_TTMP0);
    else if (special && count == 2 && strlen(low) > 3)
        low[strlen(low) - 3] = '\0'; // without "_lo"
    if (count == 1 || special)
        put(trace, "%s", low);
    else
        put(trace, "%c[%s:%u]", low[0], low + 1, (unsigned)atoi(low + 1) + count - 1);
}

static void put_vector(kiln_sim_trace_t *trace, const kiln_sim_wave_t *wave, unsigned row,
                       unsigned dwords)
{
    put_name(trace, row, dwords);
    put(trace, "={");
    for (uint64_t lane = trace->lanes.first; lane <= trace->lanes.last; lane++) {
        put(trace, lane > trace->lanes.first ? " 0x" : "0x");
        for (unsigned part = dwords; part-- > 0;)
            put(trace, "%08x", wave->vgpr[row + part][lane]);
    }
    put(trace, "}");
}

static void put_scalar(kiln_sim_trace_t *trace, const kiln_sim_wave_t *wave, unsigned code,
                       unsigned dwords)
{
    put_name(trace, KILN_SIM_FIRST_SGPR + code, dwords);
    put(trace, "=0x");
    for (unsigned part = dwords; part-- > 0;)
        put(trace, "%08x", wave->sgpr[code + part]);
}

// A pair is printed as one number, low register last; wider operands are printed per register.
static void put_span(kiln_sim_trace_t *trace, const kiln_sim_wave_t *wave,
                     const kiln_sim_registers_t *span)
{
    unsigned step = span->count <= 2 ? span->count : 1;
    for (unsigned i = 0; i < span->count; i += step) {
        put(trace, " ");
        if (span->first < KILN_SIM_FIRST_SGPR)
            put_vector(trace, wave, span->first + i, step);
        else
            put_scalar(trace, wave, span->first - KILN_SIM_FIRST_SGPR + i, step);
    }
}

static void put_spans(kiln_sim_trace_t *trace, const kiln_sim_wave_t *wave,
                      const kiln_sim_footprint_t *footprint, unsigned roles)
{
    for (unsigned i = 0; i < footprint->count; i++) {
        if (footprint->spans[i].role & roles)
            put_span(trace, wave, &footprint->spans[i]);
    }
}

// ---- SCC, which footprints do not include

static bool starts_with_one_of(const char *name, const char *const *prefixes)
{
    for (; *prefixes; prefixes++) {
        if (kiln_string_starts_with(name, *prefixes))
            return true;
    }
    return false;
}

static bool reads_scc(const kiln_sim_inst_t *inst)
{
    static const char *const readers[] = {"s_cselect", "s_cmov",        "s_addc_",
                                          "s_subb_",   "s_cbranch_scc", NULL};
    bool operand = false;
    for (unsigned i = 0; i < 3; i++)
        operand = operand || (inst->src[i].kind == KILN_SIM_OP_SPECIAL && inst->src[i].reg == 253);
    return operand || starts_with_one_of(inst->row->name, readers);
}

static bool writes_scc(const kiln_sim_inst_t *inst)
{
    static const char *const silent[] = {
        "s_mov",    "s_cselect", "s_mul",   "s_pack", "s_cmov",    "s_bfm",    "s_getpc",
        "s_brev",   "s_ff",      "s_flbit", "s_sext", "s_setreg",  "s_getreg", "s_set",
        "s_bitset", "s_bitrepl", "s_call",  "s_rfe",  "s_cbranch", "s_swappc", NULL};
    return inst->format <= KILN_SIM_SOPK && !starts_with_one_of(inst->row->name, silent);
}

// ---- launches and instructions

static bool launch_begin(void *user, const kiln_sim_launch_t *launch, void **state)
{
    (void)state;
    const uint32_t *grid = launch->dispatch->grid, *block = launch->dispatch->block;
    kiln_sim_trace_t *trace = user;
    trace->has_shown = false;
    put(trace, "launch %s grid (%u, %u, %u) block (%u, %u, %u)\n", launch->kernel->name, grid[0],
        grid[1], grid[2], block[0], block[1], block[2]);
    return true;
}

// Reports an empty selection in the trace and on stderr.
static void report_empty(kiln_sim_trace_t *trace, const kiln_sim_launch_t *launch)
{
    char text[256];
    snprintf(text, sizeof text,
             "KILN_SIM_TRACE selects nothing in this launch: it has workgroups 0 to %" PRIu64
             " with waves 0 to %u each, and executed no instruction at the selected addresses\n",
             launch->group_count - 1, launch->wave_count - 1);
    put(trace, "%s", text);
    if (trace->file != stderr)
        fprintf(stderr, "%s", text);
}

static void launch_end(void *user, const kiln_sim_launch_t *launch, void *state)
{
    kiln_sim_trace_t *trace = user;
    (void)state;
    if (!trace->has_shown && launch->group_count && !launch->failed)
        report_empty(trace, launch);
    flush(trace);
}

static kiln_sim_interest_t group_begin(void *user, kiln_sim_workgroup_t *group,
                                       kiln_sim_wave_t *waves, void **state)
{
    (void)waves;
    (void)state;
    const kiln_sim_trace_t *trace = user;
    return contains(&trace->groups, group->index) ? KILN_SIM_WATCHES : KILN_SIM_SKIPS;
}

static bool is_shown(const kiln_sim_trace_t *trace, const kiln_sim_wave_t *wave,
                     const kiln_sim_inst_t *inst)
{
    return contains(&trace->waves, wave->index) && contains(&trace->addresses, inst->address);
}

// A copy of the instruction with the registers that s_movrel* selects by M0; a selection outside of
// the scalar registers stays as encoded.
static const kiln_sim_inst_t *pick_relative(const kiln_sim_wave_t *wave,
                                            const kiln_sim_inst_t *inst, kiln_sim_inst_t *storage)
{
    const bool source = kiln_sim_inst_starts(inst, "s_movrels_");
    if (!source && !kiln_sim_inst_starts(inst, "s_movreld_"))
        return inst;
    *storage = *inst;
    kiln_sim_operand_t *op = source ? &storage->src[0] : &storage->dst;
    const uint64_t picked = (uint64_t)op->reg + wave->m0;
    if (op->kind == KILN_SIM_OP_SGPR && picked + op->dwords <= KILN_SIM_SGPR_TTMP0)
        op->reg = (uint16_t)picked;
    return storage;
}

static void instruction(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                        const kiln_sim_inst_t *resolved)
{
    kiln_sim_trace_t *trace = user;
    if (!is_shown(trace, wave, inst))
        return;
    trace->has_shown = true;
    if (trace->used > FLUSH_AT)
        flush(trace);
    char text[256];
    kiln_sim_program_print(wave->thread->launch->program, inst, text, sizeof text);
    put(trace, "wg %u wave %u 0x%" PRIx64 ": %s", wave->group->index, wave->index, inst->address,
        text);
    if (wave->exec != UINT64_MAX)
        put(trace, " ; exec=0x%016" PRIx64, wave->exec);
    if (!resolved)
        return;
    kiln_sim_footprint_t footprint;
    kiln_sim_inst_t storage;
    kiln_sim_footprint_fill(&footprint, pick_relative(wave, resolved, &storage));
    size_t start = put_mark(trace, " ;");
    put_spans(trace, wave, &footprint, KILN_SIM_READS);
    if (reads_scc(inst))
        put(trace, " scc=%u", wave->scc);
    drop_mark(trace, start, " ;");
}

static void executed(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                     const kiln_sim_inst_t *resolved)
{
    kiln_sim_trace_t *trace = user;
    if (!is_shown(trace, wave, inst))
        return;
    if (!resolved) {
        put(trace, " ; skipped (MODE.VSKIP)\n");
        return;
    }
    if (wave->stop == KILN_SIM_STOP_FAULT) {
        put(trace, " ; fault\n");
        return;
    }
    kiln_sim_footprint_t footprint;
    kiln_sim_inst_t storage;
    kiln_sim_footprint_fill(&footprint, pick_relative(wave, resolved, &storage));
    size_t start = put_mark(trace, " ->");
    put_spans(trace, wave, &footprint, KILN_SIM_WRITES);
    if (writes_scc(inst))
        put(trace, " scc=%u", wave->scc);
    if (inst->row->class_ == KILN_SIM_CLASS_BRANCH && wave->next)
        put(trace, " pc=0x%" PRIx64, wave->next->address);
    drop_mark(trace, start, " ->");
    put(trace, "\n");
}

const kiln_sim_observer_t kiln_sim_trace_observer = {.in_order = true,
                                                     .launch_begin = launch_begin,
                                                     .launch_end = launch_end,
                                                     .group_begin = group_begin,
                                                     .instruction = instruction,
                                                     .executed = executed};
