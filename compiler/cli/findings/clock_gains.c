// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the gains of the compiler's findings by replaying the launch without the reported costs.
//
// Each finding has a row that specifies which instructions lose which cost, or a function if the
// replay assumes more changes than that. A gain that cannot be predicted is reported as unknown,
// with the reason.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "cli/launch/facts.h"
#include "clock_rules.h"
#include "instructions.h"

// Selecting instructions --------------------------------------------------------------------------

// Loads for a loop's dots, and the accesses that move the values through LDS.
static bool is_for_dots(const kiln_clock_search_t *search, const kiln_found_t *found,
                        const kiln_sim_line_t *line)
{
    (void)found;
    return line->loop >= 0 &&
           kiln_clock_is(search, line, KILN_INSTRUCTION_LOAD | KILN_INSTRUCTION_LDS) &&
           kiln_clock_has_matrix(search, line);
}

static bool is_load_for_dots(const kiln_clock_search_t *search, const kiln_found_t *found,
                             const kiln_sim_line_t *line)
{
    return is_for_dots(search, found, line) && kiln_clock_is(search, line, KILN_INSTRUCTION_LOAD);
}

static bool is_spill(const kiln_clock_search_t *search, const kiln_found_t *found,
                     const kiln_sim_line_t *line)
{
    (void)found;
    return kiln_clock_is(search, line, KILN_INSTRUCTION_SPILL);
}

// What computes the function: of its column, if columns are known.
static bool is_of_function(const kiln_clock_search_t *search, const kiln_found_t *found,
                           const kiln_sim_line_t *line)
{
    return kiln_clock_is_at(found, line) && (!line->column || line->column == found->column) &&
           kiln_clock_is(search, line, KILN_INSTRUCTION_ARITHMETIC | KILN_INSTRUCTION_BRANCH);
}

// The store, and the load of what it stored.
static bool is_repeated(const kiln_clock_search_t *search, const kiln_found_t *found,
                        const kiln_sim_line_t *line)
{
    kiln_found_t load = *found;
    if (line->loop < 0)
        return false;
    if (kiln_clock_is_at(found, line) && kiln_clock_is(search, line, KILN_INSTRUCTION_STORE))
        return true;
    return sscanf(found->seen, KILN_RELOADED_SEEN, &load.line, &load.column) == 2 &&
           kiln_clock_is_at(&load, line) && line->column == load.column &&
           kiln_clock_is(search, line, KILN_INSTRUCTION_LOAD);
}

// What a gather reads from LDS is not a part of what it writes there.
static bool is_lds_at(const kiln_clock_search_t *search, const kiln_found_t *found,
                      const kiln_sim_line_t *line)
{
    return kiln_clock_is_at(found, line) && kiln_clock_is(search, line, KILN_INSTRUCTION_LDS) &&
           (kiln_string_starts_with(line->instruction, "ds_write") ||
            !strstr(found->seen, KILN_REWRITTEN_SEEN));
}

// Of a line with several operations that access LDS, those of the finding's column, if columns are
// known.
static bool is_lds_access(const kiln_clock_search_t *search, const kiln_found_t *found,
                          const kiln_sim_line_t *line)
{
    if (!is_lds_at(search, found, line) || line->column == found->column)
        return is_lds_at(search, found, line);
    for (size_t i = 0; i < search->count; i++)
        if (search->lines[i].column == found->column && is_lds_at(search, found, &search->lines[i]))
            return false;
    return true;
}

static bool is_barrier(const kiln_sim_line_t *line)
{
    return kiln_string_starts_with(line->instruction, "s_barrier");
}

typedef enum direction { BACKWARD = -1, FORWARD = 1 } direction_t;

// What is between an instruction and the next access of memory or LDS in the same loop, without
// those of the moved value.
typedef struct passed {
    const kiln_sim_line_t *access; // NULL: none
    bool moves;                    // the moved value's accesses of LDS
    unsigned near, far;            // barriers on this side of them, and on the other
} passed_t;

static passed_t pass_move(const kiln_clock_search_t *search, const kiln_found_t *found,
                          const kiln_sim_line_t *line, direction_t direction)
{
    const kiln_sim_line_t *end = search->lines + search->count;
    const int64_t loop = line->loop;
    passed_t passed = {0};
    for (line += direction; line >= search->lines && line < end && line->loop == loop;
         line += direction) {
        if (is_lds_access(search, found, line)) {
            passed.moves = true;
            passed.far = 0;
        } else if (kiln_clock_is(search, line,
                                 KILN_INSTRUCTION_LDS | KILN_INSTRUCTION_LOAD |
                                     KILN_INSTRUCTION_STORE | KILN_INSTRUCTION_ATOMIC)) {
            passed.access = line;
            break;
        }
        if (is_barrier(line))
            ++*(passed.moves ? &passed.far : &passed.near);
    }
    return passed;
}

// Accesses of LDS, and barriers around them. If barriers are on both sides, the first one stays and
// orders the other accesses of memory: without the move none is between the two, and waits for the
// moved value's load come after it. Waits for counters stay, they may be for what is loaded.
static bool moves_value(const kiln_clock_search_t *search, const kiln_found_t *found,
                        const kiln_sim_line_t *line)
{
    if (line->loop < 0 || !is_barrier(line))
        return line->loop >= 0 && is_lds_access(search, found, line);
    const passed_t back = pass_move(search, found, line, BACKWARD),
                   ahead = pass_move(search, found, line, FORWARD);
    if (back.moves && ahead.moves)
        return true;
    if (back.moves)
        return !back.near && back.far && ahead.access;
    return ahead.moves && !ahead.near && !(ahead.far && ahead.access);
}

// Whether the finding is the first of several of its kind.
static bool is_first_of_many(const kiln_clock_search_t *search, const kiln_found_t *found)
{
    const kiln_findings_t *all = search->findings;
    unsigned before = 0, count = 0;
    for (size_t i = 0; i < all->count; i++) {
        count += all->all[i].id == found->id;
        before += all->all[i].id == found->id && &all->all[i] < found;
    }
    return !before && count > 1;
}

// Waves that one barrier lets pass wait at the next one, so that removing all can gain more than
// the sum of what each gains. The first finding's gain is that of all. Of waits at its line only
// those for LDS are the barrier's; one for loads is for what uses them next.
static bool is_barrier_of_line(const kiln_clock_search_t *search, const kiln_found_t *found,
                               const kiln_sim_line_t *line)
{
    const bool has_all = is_first_of_many(search, found);
    bool is_at = kiln_clock_is_at(found, line);
    for (size_t i = 0; i < search->findings->count && has_all; i++)
        is_at |= search->findings->all[i].id == found->id &&
                 kiln_clock_is_at(&search->findings->all[i], line);
    return is_at && (kiln_string_starts_with(line->instruction, "s_barrier") ||
                     kiln_string_starts_with(line->instruction, "s_waitcnt lgkmcnt"));
}

// Returns the costs to remove from a wave that only helps another one to load: the requests of its
// loads, stores and writes to LDS, and the issue slots of its other instructions except barriers
// and waits.
static unsigned without_as_helper(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    const bool is_read = kiln_string_starts_with(line->instruction, "ds_read");
    if (kiln_string_starts_with(line->instruction, "s_barrier") ||
        kiln_string_starts_with(line->instruction, "s_waitcnt"))
        return 0;
    return !is_read && kiln_clock_is(search, line,
                                     KILN_INSTRUCTION_LOAD | KILN_INSTRUCTION_STORE |
                                         KILN_INSTRUCTION_LDS)
               ? KILN_SIM_WITHOUT_REQUEST
               : KILN_SIM_WITHOUT_ISSUE;
}

// Replays -----------------------------------------------------------------------------------------

typedef struct rule rule_t;
struct rule {
    kiln_warning_id_t id;
    unsigned without; // KILN_SIM_WITHOUT_*, of the instructions for which `applies` is true, or, if
                      // that is NULL, of those of the finding's line that are of these `kinds`
    bool (*applies)(const kiln_clock_search_t *search, const kiln_found_t *found,
                    const kiln_sim_line_t *line);
    unsigned kinds;
    unsigned widest, others; // instead of `without`: bytes per lane of an access, and kinds of
                             // instructions of which wide accesses need fewer
    unsigned part;           // only where accesses have fewer bytes per lane; 0: everywhere
    double min_reported;     // gain as a fraction of the launch; 0: any
    kiln_status_t (*replay)(const kiln_clock_search_t *search, const rule_t *rule,
                            const kiln_found_t *found, kiln_gain_t *out);
    // Whether the gain is only a bound, of this kind; NULL: never.
    bool (*bound)(const kiln_clock_search_t *search, const kiln_found_t *found,
                  const kiln_sim_exemption_t *exemptions, size_t count);
    kiln_gain_bound_t bound_is;
    const char *text, *text_if_wider; // the second one if twice `widest` is assumed
    const char *text_if_many;         // of the first finding, for all of this kind
};

// Whether one of these instructions with matrix instructions around it is in a nest of loops, whose
// inner one begins again and again: nothing is loaded before that, and all waits for the first
// loads.
static bool is_in_nest(const kiln_clock_search_t *search, const kiln_found_t *found,
                       const kiln_sim_exemption_t *exemptions, size_t count)
{
    (void)found;
    int64_t last = -1; // the loop that was looked at; later instructions of it are no more nested
    for (size_t i = 0, k = 0; i < search->count && k < count; i++) {
        if (search->lines[i].address != exemptions[k].address)
            continue;
        k++;
        if (search->lines[i].loop == last)
            continue;
        last = search->lines[i].loop;
        if (kiln_clock_has_matrix(search, &search->lines[i]) &&
            kiln_clock_is_nested(search, &search->lines[i]))
            return true;
    }
    return false;
}

// A reduction or scan that is moved out of its loop takes its arithmetic along.
static bool combines(const kiln_clock_search_t *search, const kiln_found_t *found,
                     const kiln_sim_exemption_t *exemptions, size_t count)
{
    (void)search;
    (void)exemptions;
    (void)count;
    return strstr(found->seen, KILN_COMBINES_SEEN) != NULL;
}

static bool is_wanted(const kiln_clock_search_t *search, const rule_t *rule,
                      const kiln_found_t *found, const kiln_sim_line_t *line)
{
    if (rule->applies)
        return rule->applies(search, found, line);
    return kiln_clock_is_at(found, line) && kiln_clock_is(search, line, rule->kinds);
}

static const char NO_RESOURCES[] = "the resources that limit workgroups are not in the profile";

static kiln_gain_t unknown(const char *why)
{
    return (kiln_gain_t){.unknown = why};
}

// Takes ownership of `exemptions`.
static kiln_status_t replay_without(const kiln_clock_search_t *search, const rule_t *rule,
                                    const char *text, kiln_sim_exemption_t *exemptions,
                                    size_t count, kiln_gain_t *out)
{
    const kiln_sim_supposition_t without = {.struct_size = sizeof without,
                                            .exemptions = exemptions,
                                            .count = count,
                                            .least = rule->min_reported};
    kiln_status_t status = KILN_OK;
    if (count)
        status = kiln_clock_replay(search, &without, text, out);
    else
        *out = unknown("no instruction of its line was recorded");
    free(exemptions);
    return status;
}

static kiln_status_t leave_out(const kiln_clock_search_t *search, const rule_t *rule,
                               const kiln_found_t *found, kiln_gain_t *out)
{
    kiln_sim_exemption_t *exemptions = calloc(search->count + 1, sizeof *exemptions);
    size_t count = 0;
    if (!exemptions)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < search->count; i++)
        if (is_wanted(search, rule, found, &search->lines[i]))
            exemptions[count++] = (kiln_sim_exemption_t){search->lines[i].address, rule->without};
    const bool has_all = rule->text_if_many && is_first_of_many(search, found);
    const bool is_bounded = rule->bound && rule->bound(search, found, exemptions, count);
    KILN_TRY(replay_without(search, rule, has_all ? rule->text_if_many : rule->text, exemptions,
                            count, out));
    if (is_bounded)
        out->bound = rule->bound_is;
    return KILN_OK;
}

// Counts of a finding's instructions, by the first one of their class.
typedef struct counts {
    unsigned accesses; // of a name in a loop
    unsigned factor;   // largest of a loop's accesses that need other instructions; 0: none
    unsigned same;     // visited instructions of a name in a loop
    unsigned others;   // visited arithmetic instructions of a loop
} counts_t;

// Returns how many of these accesses could be joined into one of at most `widest` bytes per lane:
// a power of two, and at most the number in the same loop.
static unsigned joined(unsigned widest, const kiln_sim_line_t *line, unsigned accesses)
{
    const unsigned bytes = kiln_instruction_lane_bytes(line->instruction);
    unsigned factor = 1;
    while (bytes && 2 * factor * bytes <= widest && 2 * factor <= accesses)
        factor *= 2;
    return factor;
}

// Whether wide accesses need fewer of the rule's other instructions than this one.
static bool needs_others(const rule_t *rule, const kiln_sim_line_t *line)
{
    return !rule->part || kiln_instruction_lane_bytes(line->instruction) < rule->part;
}

static void count_accesses(const kiln_clock_search_t *search, const rule_t *rule,
                           const kiln_found_t *found, unsigned widest, counts_t *counts)
{
    const kiln_clock_classes_t *classes = &search->classes;
    for (size_t i = 0; i < search->count; i++)
        counts[classes->name[i]].accesses += is_wanted(search, rule, found, &search->lines[i]);
    for (size_t i = 0; i < search->count; i++) {
        counts_t *loop = &counts[classes->loop[i]];
        if (!is_wanted(search, rule, found, &search->lines[i]) ||
            !needs_others(rule, &search->lines[i]))
            continue;
        const unsigned factor =
            joined(widest, &search->lines[i], counts[classes->name[i]].accesses);
        loop->factor = factor > loop->factor ? factor : loop->factor;
    }
}

// LLVM puts two narrow accesses of LDS into one instruction where it can. If none is narrower than
// the rule's width, they are joined to twice of it.
static unsigned widest_of(const kiln_clock_search_t *search, const rule_t *rule,
                          const kiln_found_t *found)
{
    for (size_t i = 0; i < search->count; i++)
        if (is_wanted(search, rule, found, &search->lines[i]) &&
            kiln_instruction_lane_bytes(search->lines[i].instruction) < rule->widest)
            return rule->widest;
    return rule->id == KILN_WARNING_NARROW_LDS ? 2 * rule->widest : rule->widest;
}

// Joins accesses: the first of each group moves the bytes of all, which fill the lines that it
// touches, and the arithmetic for the addresses, masks and parts of the others is dropped.
// Floating-point arithmetic of the line, such as that of a stored value, stays.
static kiln_status_t join(const kiln_clock_search_t *search, const rule_t *rule,
                          const kiln_found_t *found, kiln_gain_t *out)
{
    kiln_sim_exemption_t *exemptions = calloc(search->count + 1, sizeof *exemptions);
    counts_t *counts = calloc(search->count + 1, sizeof *counts);
    size_t count = 0;
    if (!exemptions || !counts) {
        free(exemptions);
        free(counts);
        return kiln_status_out_of_memory();
    }
    const unsigned widest = widest_of(search, rule, found);
    bool is_recorded = false;
    count_accesses(search, rule, found, widest, counts);
    for (size_t i = 0; i < search->count; i++) {
        const kiln_sim_line_t *line = &search->lines[i];
        is_recorded |= is_wanted(search, rule, found, line);
        counts_t *name = &counts[search->classes.name[i]], *loop = &counts[search->classes.loop[i]];
        if (!kiln_clock_is_at(found, line))
            continue;
        const bool is_access = is_wanted(search, rule, found, line),
                   is_other = !is_access && kiln_clock_is(search, line, rule->others);
        const unsigned factor = is_access  ? joined(widest, line, name->accesses)
                                : is_other ? loop->factor
                                           : 0,
                       number = is_access ? name->same : loop->others;
        const unsigned lines = is_access ? KILN_SIM_WITHOUT_LINES : 0,
                       rest = is_access ? KILN_SIM_WITHOUT_REQUEST : KILN_SIM_WITHOUT_ISSUE;
        if (factor > 1 && (lines || number % factor))
            exemptions[count++] =
                (kiln_sim_exemption_t){line->address, lines | (number % factor ? rest : 0)};
        name->same++;
        loop->others += kiln_clock_is(search, line, KILN_INSTRUCTION_ARITHMETIC);
    }
    free(counts);
    if (is_recorded && !count) { // later passes or LLVM have made them wide
        free(exemptions);
        *out = (kiln_gain_t){
            .is_known = true, .of = search->prediction.microseconds, .without = rule->text};
        return KILN_OK;
    }
    return replay_without(search, rule, widest > rule->widest ? rule->text_if_wider : rule->text,
                          exemptions, count, out);
}

// Where lanes that are masked in part access their elements one by one, the instructions around
// these accesses are there for them.
static void find_branch(const kiln_clock_search_t *search, const rule_t *rule,
                        const kiln_found_t *found, unsigned widest, size_t *out_begin,
                        size_t *out_end)
{
    *out_begin = *out_end = 0;
    for (size_t i = 0; i < search->count; i++) {
        const kiln_sim_line_t *line = &search->lines[i];
        if (!is_wanted(search, rule, found, line) || !kiln_clock_has_parts(search, line))
            continue;
        const bool is_wide = kiln_instruction_lane_bytes(line->instruction) == widest;
        if (is_wide && !*out_end)
            *out_begin = i;
        if (!is_wide)
            *out_end = i;
    }
}

// With addresses and masks that are multiples of the wide access, it touches only the lines that
// its bytes fill, and lanes that are masked in part do not access their elements one by one.
static kiln_status_t align(const kiln_clock_search_t *search, const rule_t *rule,
                           const kiln_found_t *found, kiln_gain_t *out)
{
    kiln_sim_exemption_t *exemptions = calloc(search->count + 1, sizeof *exemptions);
    size_t count = 0, begin, end;
    unsigned widest = 0;
    if (!exemptions)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < search->count; i++) {
        const kiln_sim_line_t *line = &search->lines[i];
        const unsigned bytes = is_wanted(search, rule, found, line)
                                   ? kiln_instruction_lane_bytes(line->instruction)
                                   : 0;
        widest = bytes > widest ? bytes : widest;
    }
    find_branch(search, rule, found, widest, &begin, &end);
    for (size_t i = 0; i < search->count; i++) {
        const kiln_sim_line_t *line = &search->lines[i];
        const bool is_access = is_wanted(search, rule, found, line);
        const bool is_part = is_access ? kiln_clock_has_parts(search, line) &&
                                             kiln_instruction_lane_bytes(line->instruction) < widest
                                       : begin < i && i < end && kiln_clock_is_at(found, line) &&
                                             kiln_clock_is(search, line, rule->others);
        if (is_access || is_part)
            exemptions[count++] = (kiln_sim_exemption_t){
                line->address, is_part ? KILN_SIM_WITHOUT_ISSUE : rule->without};
    }
    return replay_without(search, rule, rule->text, exemptions, count, out);
}

static kiln_status_t leave_out_waves(const kiln_clock_search_t *search, const rule_t *rule,
                                     const kiln_found_t *found, kiln_gain_t *out)
{
    unsigned redundant, all;
    if (sscanf(found->seen, KILN_REDUNDANT_WAVES_SEEN, &redundant, &all) != 2)
        return kiln_status_make(KILN_STATUS_INTERNAL, "cannot read '%s'", found->seen);
    kiln_occupancy_limits_t limits;
    if (!search->code) {
        *out = unknown(NO_RESOURCES);
        return KILN_OK;
    }
    KILN_TRY(kiln_launch_limits(search->code, all - redundant, &limits));
    kiln_sim_exemption_t *exemptions = calloc(search->count + 1, sizeof *exemptions);
    if (!exemptions)
        return kiln_status_out_of_memory();
    kiln_sim_supposition_t without = {.struct_size = sizeof without,
                                      .exemptions = exemptions,
                                      .from_wave = all - redundant,
                                      .workgroups_per_cu = limits.workgroups};
    for (size_t i = 0; i < search->count; i++)
        exemptions[without.count++] = (kiln_sim_exemption_t){
            search->lines[i].address, without_as_helper(search, &search->lines[i])};
    kiln_status_t status = kiln_clock_replay(search, &without, rule->text, out);
    if (is_in_nest(search, found, exemptions, without.count))
        out->bound = KILN_GAIN_AT_MOST;
    free(exemptions);
    return status;
}

static kiln_status_t hold_more(const kiln_clock_search_t *search, const rule_t *rule,
                               const kiln_found_t *found, kiln_gain_t *out)
{
    (void)found;
    kiln_occupancy_limits_t limits;
    if (!search->code) {
        *out = unknown(NO_RESOURCES);
        return KILN_OK;
    }
    KILN_TRY(
        kiln_launch_limits(search->code, (unsigned)search->stats.waves_per_workgroup, &limits));
    if (!limits.more_workgroups) {
        *out = unknown("the number of workgroups that would fit is unknown");
        return KILN_OK;
    }
    const kiln_sim_supposition_t more = {.struct_size = sizeof more,
                                         .workgroups_per_cu = limits.more_workgroups};
    return kiln_clock_replay(search, &more, rule->text, out);
}

// With fewer registers or other layouts the compiler makes other code, which changes the launch by
// some percent in ways that no replay has, such as another schedule. Gains that these could hide
// are not reported.
#define MIN_OF_OTHER_CODE KILN_MIN_REPORTED_GAIN

// Parts of less than a register are put together by further instructions.
enum { REGISTER = 4 };

static const rule_t rules[] = {
    {.id = KILN_WARNING_NOT_PIPELINED,
     .without = KILN_SIM_WITHOUT_LATENCY,
     .applies = is_for_dots,
     .replay = leave_out,
     .bound = is_in_nest,
     .bound_is = KILN_GAIN_AT_MOST,
     .text = "if the loop's loads were requested early enough"},
    {.id = KILN_WARNING_FEWER_STAGES,
     .without = KILN_SIM_WITHOUT_LATENCY,
     .applies = is_load_for_dots,
     .replay = leave_out,
     .text = "if the loop's loads were requested early enough"},
    {.id = KILN_WARNING_LAYOUT_CONVERSION,
     .without = KILN_SIM_WITHOUT_ISSUE,
     .applies = moves_value,
     .replay = leave_out,
     .bound = combines,
     .bound_is = KILN_GAIN_AT_LEAST,
     .text = "without the accesses of LDS and their barriers"},
    {.id = KILN_WARNING_REGISTER_PRESSURE,
     .without = KILN_SIM_WITHOUT_ISSUE,
     .applies = is_spill,
     .replay = leave_out,
     .text = "without the spills"},
    {.id = KILN_WARNING_REPEATED_STORES,
     .without = KILN_SIM_WITHOUT_ISSUE,
     .applies = is_repeated,
     .replay = leave_out,
     .text = "without these accesses"},
    {.id = KILN_WARNING_SLOW_FUNCTIONS,
     .without = KILN_SIM_WITHOUT_ISSUE,
     .applies = is_of_function,
     .min_reported = KILN_RESOLVED_GAIN,
     .replay = leave_out,
     .text = "without the function"},
    {.id = KILN_WARNING_NEEDLESS_BARRIERS,
     .without = KILN_SIM_WITHOUT_ISSUE,
     .applies = is_barrier_of_line,
     .min_reported = KILN_RESOLVED_GAIN,
     .replay = leave_out,
     .text = "without the barrier",
     .text_if_many = "without this barrier and the other needless ones"},
    {.id = KILN_WARNING_BANK_CONFLICTS,
     .without = KILN_SIM_WITHOUT_CONFLICTS,
     .kinds = KILN_INSTRUCTION_LDS,
     .replay = leave_out,
     .text = "without the conflicts"},
    {.id = KILN_WARNING_NARROW_ACCESS,
     .kinds = KILN_INSTRUCTION_LOAD | KILN_INSTRUCTION_STORE | KILN_INSTRUCTION_LDS,
     .widest = 16,
     .others = KILN_INSTRUCTION_INTEGER,
     .replay = join,
     .text = "if each access moved up to 16 bytes per lane"},
    {.id = KILN_WARNING_MISALIGNED_ACCESS,
     .without = KILN_SIM_WITHOUT_LINES,
     .kinds = KILN_INSTRUCTION_LOAD | KILN_INSTRUCTION_STORE,
     .others = KILN_INSTRUCTION_INTEGER | KILN_INSTRUCTION_BRANCH,
     .replay = align,
     .text = "if it touched only the lines that its bytes fill"},
    {.id = KILN_WARNING_NARROW_LDS,
     .kinds = KILN_INSTRUCTION_LDS,
     .widest = 8,
     .others = KILN_INSTRUCTION_PACK,
     .part = REGISTER,
     .min_reported = MIN_OF_OTHER_CODE,
     .replay = join,
     .text = "if each access moved at least 8 bytes per lane",
     .text_if_wider = "if each access moved 16 bytes per lane; two are one instruction now"},
    {.id = KILN_WARNING_REDUNDANT_WAVES,
     .replay = leave_out_waves,
     .text = "if those waves only loaded"},
    {.id = KILN_WARNING_OCCUPANCY,
     .min_reported = MIN_OF_OTHER_CODE,
     .replay = hold_more,
     .text = "with the workgroups that would fit, if no registers are spilled for them"},
};

kiln_status_t kiln_clock_add_gains(const kiln_clock_search_t *search)
{
    for (size_t i = 0; i < search->findings->count; i++) {
        kiln_found_t *found = &search->findings->all[i];
        for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
            if (found->id == rules[k].id && !found->gain.is_known)
                KILN_TRY(rules[k].replay(search, &rules[k], found, &found->gain));
    }
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        kiln_findings_remove_small(search->findings, rules[k].id, rules[k].min_reported);
    kiln_findings_remove_idle(search->findings, KILN_WARNING_FEWER_STAGES);
    return KILN_OK;
}
