// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock's rules. A weight measures how much of a cost an instruction has; it only selects
// instructions for a replay.
#include "clock_rules.h"

#include <string.h>

#include "instructions.h"

enum { LINE = 128 };

// What instructions do ----------------------------------------------------------------------------

static uint64_t lds_cycles(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    (void)search;
    return line->lds_cycles;
}

static uint64_t tag_cycles(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    (void)search;
    return line->tag_cycles;
}

static uint64_t set_cycles(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    (void)search;
    return line->set_cycles;
}

static uint64_t tag_and_set_cycles(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    (void)search;
    return line->tag_cycles + line->set_cycles;
}

static uint64_t bytes(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    (void)search;
    return line->bytes;
}

static uint64_t all_lines(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    (void)search;
    return line->lines;
}

// Weights -----------------------------------------------------------------------------------------

static uint64_t conflicts(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    (void)search;
    return line->lds_cycles - line->lds_min_cycles;
}

static uint64_t waits(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    // The gain of that finding already includes these waits.
    if (line->loop >= 0 && search->has_unpipelined && kiln_clock_has_matrix(search, line))
        return 0;
    return kiln_clock_is(search, line,
                         KILN_INSTRUCTION_SPILL | KILN_INSTRUCTION_STORE | KILN_INSTRUCTION_ATOMIC)
               ? 0
               : line->waited;
}

// Accesses of 8 bytes per lane, of which there are at least two to join; the compiler reports
// narrower ones.
static uint64_t halves(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    enum { HALF = 8 };
    return line->loop >= 0 && kiln_clock_is(search, line, KILN_INSTRUCTION_LDS) &&
                   kiln_instruction_lane_bytes(line->instruction) == HALF
               ? line->cycles[KILN_SIM_STALL_ISSUED] + line->cycles[KILN_SIM_STALL_ISSUE] +
                     line->cycles[KILN_SIM_STALL_LDS]
               : 0;
}

static uint64_t min_lines(const kiln_sim_line_t *line)
{
    return (line->bytes + LINE - 1) / LINE;
}

// Excludes results of dots, which are stored in the layout of the matrix instructions, and rows of
// half a line, such as those of dots' operands, whose other half the next access takes.
static uint64_t partial(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    const uint64_t min = min_lines(line), twice = 2 * min,
                   apart = line->lines > twice ? line->lines - twice : twice - line->lines;
    const bool is_result = search->has_dots && kiln_clock_is(search, line, KILN_INSTRUCTION_STORE);
    const bool is_global =
        !is_result && kiln_clock_is(search, line, KILN_INSTRUCTION_LOAD | KILN_INSTRUCTION_STORE);
    const bool are_halves = 40 * apart < twice; // nearly all of them
    return is_global && line->lines > min && !are_halves ? line->lines - min : 0;
}

static uint64_t strides(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    (void)search;
    return line->tag_cycles - line->tag_min_cycles + line->set_cycles;
}

// Includes all instructions of a loop, since an instruction without a stall would get that of the
// one before it.
static uint64_t fetches(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    (void)search;
    return line->loop >= 0 ? line->cycles[KILN_SIM_STALL_FETCH] + 1 : 0;
}

static uint64_t time_of(const kiln_sim_line_t *line)
{
    return line->cycles[KILN_SIM_STALL_ISSUED] + line->cycles[KILN_SIM_STALL_ISSUE] +
           line->cycles[KILN_SIM_STALL_DEPENDENCY];
}

// Loops over the lanes of an atomic are LLVM's, which nobody can unroll.
static uint64_t counting(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return kiln_clock_is(search, line, KILN_INSTRUCTION_COUNTING) &&
                   kiln_clock_mostly_counts(search, line) && !kiln_clock_has_lane_loop(search, line)
               ? time_of(line) + line->cycles[KILN_SIM_STALL_IDLE]
               : 0;
}

// Waves that wait for memory leave the vector unit to others, so costs of arithmetic are fractions
// of all arithmetic and not of the waves' cycles.
static uint64_t busy(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    (void)search;
    return time_of(line) + line->cycles[KILN_SIM_STALL_IDLE];
}

// Divisions are sequences of plain instructions, which have the place of the operator and are known
// by one or a few of them (clock_classes.c); those of 64 bits branch to a shorter sequence for
// small values. The rest of the line is other arithmetic.
static uint64_t divisions(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return line->loop >= 0 &&
                   kiln_clock_is(search, line,
                                 KILN_INSTRUCTION_ARITHMETIC | KILN_INSTRUCTION_BRANCH) &&
                   kiln_clock_divides(search, line)
               ? time_of(line) + line->cycles[KILN_SIM_STALL_IDLE]
               : 0;
}

// Arithmetic of f64 counts only where it is of converted values, which could stay f32.
static uint64_t doubles(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return line->loop >= 0 && kiln_clock_converts(search, line) &&
                   kiln_clock_is(search, line,
                                 KILN_INSTRUCTION_F64_CONVERSION | KILN_INSTRUCTION_F64)
               ? time_of(line) + line->cycles[KILN_SIM_STALL_IDLE]
               : 0;
}

// What waits for a matrix unit is often another instruction, so that the unit's share of the time
// counts, not the waves' time at these instructions.
static uint64_t f32_dots(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return line->loop >= 0 && kiln_clock_is(search, line, KILN_INSTRUCTION_F32_MATRIX)
               ? line->issued
               : 0;
}

static uint64_t matrix(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return kiln_clock_is(search, line, KILN_INSTRUCTION_MATRIX) ? line->issued : 0;
}

static uint64_t accumulator_moves(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return line->loop >= 0 && kiln_clock_is(search, line, KILN_INSTRUCTION_ACCUMULATOR_MOVE)
               ? time_of(line)
               : 0;
}

// What orders an atomic's line among other accesses of memory is a part of its cost, and so are the
// instructions in which LLVM combines the values of lanes with the same address. What waits there
// is charged to the accesses that it waits for, but goes with the rest.
static uint64_t atomics(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    // Waves do not wait for an atomic that returns nothing, but it keeps the L2 busy.
    if (kiln_clock_is(search, line, KILN_INSTRUCTION_ATOMIC))
        return line->waited + line->cycles[KILN_SIM_STALL_VMEM] + 1;
    if (kiln_clock_combines_lanes(search, line))
        return time_of(line) + line->cycles[KILN_SIM_STALL_IDLE] + 1;
    if (!kiln_clock_has_order(search, line) || !kiln_clock_is_of_atomic(search, line))
        return 0;
    if (kiln_clock_is(search, line, KILN_INSTRUCTION_ORDER))
        return time_of(line) + line->cycles[KILN_SIM_STALL_BARRIER];
    return kiln_string_starts_with(line->instruction, "s_waitcnt");
}

// The compiler's finding has the tiles that take the registers; this is for kernels without it, as
// compiled ones of kiln bench and those of kiln prof.
static uint64_t spills(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return kiln_clock_is(search, line, KILN_INSTRUCTION_SPILL)
               ? line->waited + time_of(line) + line->cycles[KILN_SIM_STALL_VMEM]
               : 0;
}

// Descriptions ------------------------------------------------------------------------------------

static void append_some(const kiln_clock_search_t *search, const size_t *group, size_t count,
                        kiln_string_t *out)
{
    const char *text = search->lines[group[0]].instruction;
    kiln_string_appendf(out, "'%.*s'", (int)strcspn(text, " "), text);
    if (count > 1)
        kiln_string_appendf(out, " and %zu more instruction%s", count - 1, count == 2 ? "" : "s");
}

static double sum_of(const kiln_clock_search_t *search, const size_t *group, size_t count,
                     uint64_t (*weigh)(const kiln_clock_search_t *, const kiln_sim_line_t *))
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += weigh(search, &search->lines[group[i]]);
    return (double)sum;
}

static double share_of_waves(const kiln_clock_search_t *search, double cycles)
{
    return search->wave_cycles ? 100 * cycles / (double)search->wave_cycles : 0;
}

static double executed(const kiln_clock_search_t *search, const size_t *group, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)search->lines[group[i]].issued;
    return sum;
}

static void see_conflicts(const kiln_clock_search_t *search, const size_t *group, size_t count,
                          kiln_string_t *out)
{
    const double all = sum_of(search, group, count, lds_cycles);
    kiln_string_appendf(out, "%.0f %% of the LDS cycles of this line are bank conflicts: ",
                        100 * sum_of(search, group, count, conflicts) / all);
    append_some(search, group, count, out);
}

static void see_halves(const kiln_clock_search_t *search, const size_t *group, size_t count,
                       kiln_string_t *out)
{
    kiln_string_appendf(
        out,
        "waves spend %.0f %% of their time on accesses of LDS that move 8 bytes per "
        "lane, not 16: ",
        share_of_waves(search, sum_of(search, group, count, halves)));
    append_some(search, group, count, out);
}

static void see_waits(const kiln_clock_search_t *search, const size_t *group, size_t count,
                      kiln_string_t *out)
{
    const kiln_sim_line_t *first = &search->lines[group[0]];
    kiln_string_appendf(out, "waves spend %.0f %% of their time waiting for %s: ",
                        share_of_waves(search, sum_of(search, group, count, waits)),
                        kiln_clock_is(search, first, KILN_INSTRUCTION_LDS) ? "what LDS does here"
                        : kiln_clock_is(search, first, KILN_INSTRUCTION_SCALAR)
                            ? "these scalar loads"
                            : "this load");
    append_some(search, group, count, out);
}

static void see_partial(const kiln_clock_search_t *search, const size_t *group, size_t count,
                        kiln_string_t *out)
{
    const double lines = sum_of(search, group, count, all_lines);
    kiln_string_appendf(
        out, "accesses of this line touch %.1f bytes of lines for each byte that they need: ",
        lines * LINE / sum_of(search, group, count, bytes));
    append_some(search, group, count, out);
}

// Rows that begin within lines have at most one more line each than they fill.
static const char *advise_partial(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    (void)search;
    return line->lines <= 2 * min_lines(line)
               ? "let rows begin at multiples of 128 bytes, for example by padding them, or let "
                 "neighbouring lanes access neighbouring addresses"
               : NULL;
}

// Where lines wait for their sets does not matter if waves wait little for that.
static unsigned hidden_sets(const kiln_clock_search_t *search, const size_t *group, size_t count)
{
    const double sets = sum_of(search, group, count, set_cycles);
    double waited = 0, latency = 1;
    for (size_t i = 0; i < count; i++) {
        const kiln_sim_line_t *line = &search->lines[group[i]];
        waited += (double)(line->waited + line->cycles[KILN_SIM_STALL_VMEM]);
        latency += (double)line->latency;
    }
    return waited * sets / latency < KILN_MIN_REPORTED_GAIN * (double)search->wave_cycles
               ? KILN_SIM_WITHOUT_SETS
               : 0;
}

static void see_strides(const kiln_clock_search_t *search, const size_t *group, size_t count,
                        kiln_string_t *out)
{
    const double all = sum_of(search, group, count, tag_cycles),
                 sets = sum_of(search, group, count, set_cycles),
                 more = sum_of(search, group, count, strides) - sets,
                 number = executed(search, group, count);
    if (more >= sets)
        kiln_string_appendf(
            out,
            "the L1 looks these accesses up in %.0f cycles instead of %.0f, because "
            "of the distance of their rows: ",
            all / number, (all - more) / number);
    else
        kiln_string_appendf(
            out,
            "many lines of these accesses share a set of the L1, and their misses wait "
            "%.0f cycles for a place there: ",
            sets / number);
    append_some(search, group, count, out);
}

static void see_doubles(const kiln_clock_search_t *search, const size_t *group, size_t count,
                        kiln_string_t *out)
{
    kiln_string_appendf(out,
                        "this line converts to or from f64 in a loop, with %.0f %% of the waves' "
                        "time for f64: ",
                        share_of_waves(search, sum_of(search, group, count, doubles)));
    append_some(search, group, count, out);
}

static void see_f32_dots(const kiln_clock_search_t *search, const size_t *group, size_t count,
                         kiln_string_t *out)
{
    double all = 0;
    for (size_t i = 0; i < search->count; i++)
        all += (double)matrix(search, &search->lines[i]);
    kiln_string_appendf(out,
                        "matrix units are busy for %.0f %% of the time with instructions that "
                        "multiply f32: ",
                        100 * search->prediction.mfma_busy *
                            sum_of(search, group, count, f32_dots) / all);
    append_some(search, group, count, out);
}

static void see_fetches(const kiln_clock_search_t *search, const size_t *group, size_t count,
                        kiln_string_t *out)
{
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < search->count; i++) {
        const kiln_sim_line_t *line = &search->lines[i];
        if (line->loop != search->lines[group[0]].loop)
            continue;
        first = line->address < first ? line->address : first;
        last = line->address > last ? line->address : last;
    }
    kiln_string_appendf(out,
                        "waves spend %.0f %% of their time waiting for the instructions of a loop "
                        "of %llu bytes",
                        share_of_waves(search, sum_of(search, group, count, fetches)),
                        (unsigned long long)(last - first));
}

static void see_counting(const kiln_clock_search_t *search, const size_t *group, size_t count,
                         kiln_string_t *out)
{
    kiln_string_appendf(out,
                        "waves spend %.0f %% of their time on counting and branching in this loop, "
                        "by %zu instructions",
                        share_of_waves(search, sum_of(search, group, count, counting)), count);
}

static void see_divisions(const kiln_clock_search_t *search, const size_t *group, size_t count,
                          kiln_string_t *out)
{
    const bool is_constant = kiln_clock_divides_by_constant(search, &search->lines[group[0]]);
    kiln_string_appendf(out,
                        "this line divides%s in a loop, by %zu instructions with %.0f %% of the "
                        "waves' time",
                        is_constant ? " by a constant" : "", count,
                        share_of_waves(search, sum_of(search, group, count, divisions)));
}

static const char *advise_divisions(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return kiln_clock_divides_by_constant(search, line)
               ? "a constant takes a product and shifts: use a power of two, or count along: add "
                 "in each iteration, and subtract the constant where it is reached"
               : NULL;
}

static void see_moves(const kiln_clock_search_t *search, const size_t *group, size_t count,
                      kiln_string_t *out)
{
    kiln_string_appendf(out,
                        "%zu instructions of the loop move values between accumulation and vector "
                        "registers, with %.0f %% of the waves' time",
                        count,
                        share_of_waves(search, sum_of(search, group, count, accumulator_moves)));
}

static void see_spills(const kiln_clock_search_t *search, const size_t *group, size_t count,
                       kiln_string_t *out)
{
    kiln_string_appendf(out,
                        "waves spend %.0f %% of their time on scratch memory, which holds spilled "
                        "registers or arrays of a lane: ",
                        share_of_waves(search, sum_of(search, group, count, spills)));
    append_some(search, group, count, out);
}

static void see_atomics(const kiln_clock_search_t *search, const size_t *group, size_t count,
                        kiln_string_t *out)
{
    const char *name = NULL;
    double lines = 0, number = 0;
    for (size_t i = 0; i < count; i++) {
        const kiln_sim_line_t *line = &search->lines[group[i]];
        if (!kiln_clock_is(search, line, KILN_INSTRUCTION_ATOMIC))
            continue;
        name = line->instruction;
        lines += (double)line->lines;
        number += (double)line->issued;
    }
    kiln_string_appendf(out, "waves spend %.0f %% of their time on atomics of this line",
                        share_of_waves(search, sum_of(search, group, count, atomics)));
    if (kiln_clock_has_order(search, &search->lines[group[0]]))
        kiln_string_append(out,
                           " and the barriers that order other accesses before and after them");
    if (number > 0)
        kiln_string_appendf(out, ", each of %.1f lines on average: '%.*s'", lines / number,
                            (int)strcspn(name, " "), name);
}

// Whether lanes access all bytes of the lines that the atomic touches, as of a workgroup's own
// table of counts: what is left to combine are the values of more elements.
static bool is_dense(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return !kiln_clock_has_order(search, line) && !kiln_clock_has_lane_loop(search, line) &&
           line->ascending == line->issued && 4 * line->bytes >= 3 * line->lines * LINE;
}

static const char *advise_atomics(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return is_dense(search, line)
               ? "let each workgroup combine the values of more elements before: larger tiles, or "
                 "several tiles for each program"
           : kiln_clock_has_order(search, line)
               ? "where the atomic publishes nothing but itself, give it .order = relaxed; combine "
                 "the values of several iterations, and within the workgroup first"
               : NULL;
}

// A thread has kWidth neighbours of a dot's operand, which kpack doubles.
static const char *advise_halves(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return kiln_string_starts_with(line->instruction, "ds_read") &&
                   kiln_clock_has_matrix(search, line)
               ? "use --kpack=2, so that a thread has twice as many neighbours along K"
               : NULL;
}

static const char *advise_waits(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    if (kiln_clock_is(search, line, KILN_INSTRUCTION_SCALAR))
        return line->loop >= 0 ? "load what one address holds earlier: unroll the loop "
                                 "([[unroll(4)]]), or load the values of several iterations as a "
                                 "tile before it"
                               : "arguments are loaded once: give each workgroup more work";
    if (kiln_clock_is(search, line, KILN_INSTRUCTION_LDS))
        return "let more waves share a SIMD (smaller tiles, --waves-per-eu), or move less through "
               "LDS";
    if (line->loop >= 0 && kiln_clock_has_parts(search, line))
        return "make rows multiples of 16 bytes, and masks end at such multiples: lanes that are "
               "masked in part load their elements in a branch, and each iteration waits for it; "
               "only then can the loop be unrolled ([[unroll(4)]]) to load earlier";
    return line->loop >= 0
               ? "load earlier: more pipeline stages (--num-stages) in a loop with dots, otherwise "
                 "unroll the loop ([[unroll(4)]]); or let more waves share a SIMD (smaller tiles, "
                 "--waves-per-eu)"
               : "let more waves share a SIMD (smaller tiles), so that some compute while others "
                 "load; or give each workgroup more work";
}

const kiln_clock_rule_t kiln_clock_rules[] = {
    {KILN_WARNING_LDS_CONFLICTS, KILN_CLOCK_BY_LINE, KILN_SIM_WITHOUT_CONFLICTS, conflicts,
     lds_cycles, see_conflicts, NULL, "without the conflicts", false, 0, 0, NULL, NULL, NULL},
    {KILN_WARNING_NARROW_LDS, KILN_CLOCK_BY_LINE, KILN_SIM_WITHOUT_REQUEST, halves, NULL,
     see_halves, advise_halves, "if each access moved 16 bytes per lane", false, 2, 0, NULL, NULL,
     NULL},
    {KILN_WARNING_EXPOSED_WAITS, KILN_CLOCK_BY_LINE, KILN_SIM_WITHOUT_LATENCY, waits, NULL,
     see_waits, advise_waits, "if its data were requested early enough", false, 0, 0, NULL, NULL,
     NULL},
    {KILN_WARNING_PARTIAL_LINES, KILN_CLOCK_BY_LINE, KILN_SIM_WITHOUT_LINES, partial, all_lines,
     see_partial, advise_partial, "if it touched only the lines that its bytes fill", false, 0, 0,
     NULL, NULL, NULL},
    {KILN_WARNING_LINE_STRIDES, KILN_CLOCK_BY_LINE, KILN_SIM_WITHOUT_TAGS | KILN_SIM_WITHOUT_SETS,
     strides, tag_and_set_cycles, see_strides, NULL,
     "if the lines were spread over all tag RAMs and channels", false, 0, 0, NULL, NULL,
     hidden_sets},
    {KILN_WARNING_SLOW_ATOMICS, KILN_CLOCK_BY_LINE, KILN_SIM_WITHOUT_ISSUE, atomics, NULL,
     see_atomics, advise_atomics, "without these atomics and what orders them", false, 0, 0,
     is_dense, "with half as many of these atomics", NULL},
    {KILN_WARNING_INSTRUCTION_FETCH, KILN_CLOCK_BY_LOOP, KILN_SIM_WITHOUT_FETCH, fetches, NULL,
     see_fetches, NULL, "if the loop's instructions were always there", false, 0, 0, NULL, NULL,
     NULL},
    // An unrolled loop has them once for several iterations.
    {KILN_WARNING_LOOP_OVERHEAD, KILN_CLOCK_BY_LOOP, KILN_SIM_WITHOUT_ISSUE, counting, NULL,
     see_counting, NULL, "without these instructions", true, 0, 0, NULL, NULL, NULL},
    // A reciprocal or a division by a constant leaves some of them.
    {KILN_WARNING_DIVISIONS, KILN_CLOCK_BY_LINE, KILN_SIM_WITHOUT_ISSUE, divisions, busy,
     see_divisions, advise_divisions, "without these instructions", true, 0, 0, NULL, NULL, NULL},
    {KILN_WARNING_F64, KILN_CLOCK_BY_LINE, KILN_SIM_WITHOUT_ISSUE, doubles, busy, see_doubles, NULL,
     "without the conversions, and with a quarter of its arithmetic of f64", false, 4,
     KILN_INSTRUCTION_F64, NULL, NULL, NULL},
    {KILN_WARNING_F32_DOTS, KILN_CLOCK_BY_LINE, KILN_SIM_WITHOUT_ISSUE, f32_dots, matrix,
     see_f32_dots, NULL, "with a quarter of the matrix instructions, as of tf32", false, 4, 0, NULL,
     NULL, NULL},
    {KILN_WARNING_REGISTER_PRESSURE, KILN_CLOCK_BY_LOOP, KILN_SIM_WITHOUT_ISSUE, spills, NULL,
     see_spills, NULL, "without these accesses", false, 0, 0, NULL, NULL, NULL},
    {KILN_WARNING_ACCUMULATOR_MOVES, KILN_CLOCK_BY_LOOP, KILN_SIM_WITHOUT_ISSUE, accumulator_moves,
     busy, see_moves, NULL, "without these moves", false, 0, 0, NULL, NULL, NULL},
};
const size_t kiln_clock_rule_count = sizeof kiln_clock_rules / sizeof *kiln_clock_rules;
