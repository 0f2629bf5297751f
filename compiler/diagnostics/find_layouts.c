// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings about layouts in the ttg that is lowered: conversions through LDS, narrow accesses of
// LDS and conflicts in it, and waves that repeat each other's dots. They come from the lowering's
// own plans, not from estimates: both use the same functions.
//
// Except for dots, only operations in loops count; before a loop they cost almost nothing.
#include <stdlib.h>
#include <string.h>

#include "analysis/plan/scratch.h"
#include "analysis/waves/waves.h"
#include "base/string.h"
#include "builder/ir.h"
#include "builder/ir_text.h"
#include "builder/op_facts.h"
#include "diagnostics/findings.h"
#include "diagnostics/value_text.h"
#include "driver/compile_internal.h"
#include "layout/lds.h"
#include "layout/padding.h"
#include "passes/pipelining/schedule.h"

typedef struct search {
    kiln_compilation_t *c;
    int num_warps;
} search_t;

static bool is_enabled(const search_t *search, kiln_warning_id_t id)
{
    return kiln_warning_is_enabled(&search->c->diagnostics->searched, id);
}

static void report(search_t *search, kiln_warning_id_t id, MlirOperation op, kiln_string_t *seen,
                   const char *advice)
{
    kiln_session_find_text(search->c->session, id, op, seen, advice);
    kiln_string_free(seen);
}

// The innermost loop around an operation; null if there is none, or if it is in a rarely executed
// version of the kernel.
static MlirOperation loop_around(MlirOperation op)
{
    for (op = kiln_op_parent(op); !mlirOperationIsNull(op); op = kiln_op_parent(op))
        if (kiln_op_has(kiln_op_kind(op), KILN_LOOPS))
            return mlirAttributeIsNull(kiln_ir_attr(op, KILN_LOOP_IS_FALLBACK))
                       ? op
                       : (MlirOperation){NULL};
    return op;
}

static void append_op(kiln_string_t *text, MlirOperation op)
{
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    kiln_string_appendf(text, "the '%.*s'", (int)name.length, name.data);
    kiln_append_line(text, op);
}

// The rules ---------------------------------------------------------------------------------------

static bool is_conversion(kiln_op_t kind)
{
    return kind == KILN_OP_TTG_CONVERT_LAYOUT || kind == KILN_OP_TT_TRANS ||
           kind == KILN_OP_TT_RESHAPE || kind == KILN_OP_TT_JOIN || kind == KILN_OP_TT_SPLIT ||
           kind == KILN_OP_TT_CAT || kind == KILN_OP_TT_BROADCAST || kind == KILN_OP_TT_EXPAND_DIMS;
}

// A dot's operand comes from LDS in any case, unless it was computed by another dot.
static bool is_plain_operand(MlirOperation op)
{
    const MlirAttribute to = kiln_type_encoding(mlirValueGetType(kiln_op_result(op, 0))),
                        from = kiln_type_encoding(mlirValueGetType(kiln_op_operand(op, 0)));
    return kiln_encoding_kind(to) == KILN_ENCODING_DOT_OPERAND &&
           kiln_encoding_kind(from) != KILN_ENCODING_MFMA;
}

static uint32_t scratch_of(const search_t *search, MlirOperation op)
{
    uint32_t bytes = 0;
    kiln_status_free(kiln_scratch_bytes(op, search->num_warps, &bytes)); // the lowering reports it
    return bytes;
}

static void append_loop(kiln_string_t *seen, MlirOperation loop, uint64_t bytes)
{
    kiln_string_appendf(seen, ": %llu bytes in each iteration of the loop",
                        (unsigned long long)bytes);
    kiln_append_line(seen, loop);
}

static void find_conversion(search_t *search, MlirOperation op, MlirOperation loop)
{
    MlirValue moved = kiln_op_operand(op, 0), result = kiln_op_result(op, 0);
    const int bits = kiln_type_bits(mlirValueGetType(moved));
    kiln_string_t seen = {0};
    kiln_append_value(
        &seen, !kiln_value_text_named(moved) && kiln_value_text_named(result) ? result : moved);
    kiln_string_append(&seen, " moves through LDS to other threads");
    append_loop(&seen, loop,
                (uint64_t)kiln_type_count(mlirValueGetType(moved)) *
                    (unsigned)kiln_lds_element_bytes(bits));
    MlirOperation from, to = {NULL};
    kiln_value_op(moved, &from);
    MlirOpOperand use = mlirValueGetFirstUse(result);
    if (!mlirOpOperandIsNull(use))
        to = mlirOpOperandGetOwner(use);
    if (!mlirOperationIsNull(from) && !mlirOperationIsNull(to)) {
        kiln_string_append(&seen, "; ");
        append_op(&seen, from);
        kiln_string_append(&seen, " and ");
        append_op(&seen, to);
        kiln_string_append(&seen, " spread it over threads differently");
    }
    report(
        search, KILN_WARNING_LAYOUT_CONVERSION, op, &seen,
        kiln_op_kind(op) == KILN_OP_TT_TRANS
            ? "leave out the transposition: reduce or broadcast along the other dimension, or load "
              "the value transposed"
            : NULL);
}

// A reduction or scan along a dimension that several waves hold.
static void find_crossing(search_t *search, MlirOperation op, MlirOperation loop)
{
    MlirValue reduced = kiln_op_operand(op, 0);
    if (kiln_type_rank(mlirValueGetType(reduced)) < 2)
        return; // a single row has no other dimension to spread over waves
    kiln_string_t seen = {0};
    kiln_string_appendf(&seen, "dimension %d of ", (int)kiln_ir_int_attr(op, "axis", 0));
    kiln_append_value(&seen, reduced);
    kiln_string_appendf(&seen, " " KILN_COMBINES_SEEN "%s move through LDS",
                        kiln_op_kind(op) == KILN_OP_TT_SCAN ? "scan" : "reduction");
    append_loop(&seen, loop, scratch_of(search, op));
    report(
        search, KILN_WARNING_LAYOUT_CONVERSION, op, &seen,
        "combine the values of all iterations element by element and reduce once after the loop, "
        "or reduce along the dimension that is contiguous in memory");
}

// A gather whose source could not be written to LDS before the loop (passes/stage_gathers.c).
static void find_gather(search_t *search, MlirOperation op, MlirOperation loop)
{
    kiln_string_t seen = {0};
    kiln_append_value(&seen, kiln_op_operand(op, 0));
    kiln_string_append(&seen, " " KILN_REWRITTEN_SEEN);
    append_loop(&seen, loop, scratch_of(search, op));
    report(search, KILN_WARNING_LAYOUT_CONVERSION, op, &seen,
           "gather from a smaller tile that the loop does not change, which is written once before "
           "it, or load the elements from memory");
}

static void find_moves(search_t *search, MlirOperation op)
{
    const kiln_op_t kind = kiln_op_kind(op);
    const bool converts = is_conversion(kind) && !is_plain_operand(op),
               combines = kind == KILN_OP_TT_REDUCE || kind == KILN_OP_TT_SCAN,
               gathers = kind == KILN_OP_TT_GATHER;
    if ((!converts && !combines && !gathers) || !is_enabled(search, KILN_WARNING_LAYOUT_CONVERSION))
        return;
    const MlirOperation loop = loop_around(op);
    if (mlirOperationIsNull(loop) || scratch_of(search, op) == 0)
        return;
    if (converts)
        find_conversion(search, op, loop);
    else if (combines)
        find_crossing(search, op, loop);
    else
        find_gather(search, op, loop);
}

// The number of waves that compute the same part of a value.
static int copies_of(const search_t *search, MlirValue value)
{
    kiln_layout_t layout;
    kiln_status_t status = kiln_layout_of_type(mlirValueGetType(value), search->num_warps, &layout);
    const int copies =
        status ? 1 : 1 << __builtin_popcount(kiln_layout_free_bits(&layout, KILN_WARP));
    kiln_status_free(status);
    return copies;
}

static void report_waves(search_t *search, MlirOperation op, MlirValue value, int copies,
                         const char *what)
{
    kiln_string_t seen = {0}, advice = {0};
    kiln_string_appendf(&seen, KILN_REDUNDANT_WAVES_SEEN,
                        (unsigned)(search->num_warps - search->num_warps / copies),
                        (unsigned)search->num_warps);
    kiln_append_value(&seen, value);
    kiln_string_appendf(&seen, " is too small to give each wave a part of its own");
    kiln_string_appendf(&advice, "set num_warps to %d, or make %s %d times as large",
                        search->num_warps / copies, what, copies);
    seen.failed |= advice.failed;
    report(search, KILN_WARNING_REDUNDANT_WAVES, op, &seen, advice.data);
    kiln_string_free(&advice);
}

static bool is_dot(MlirOperation op)
{
    const kiln_op_t kind = kiln_op_kind(op);
    return kind == KILN_OP_TT_DOT || kind == KILN_OP_TT_DOT_SCALED;
}

static void find_redundant_waves(search_t *search, MlirOperation op)
{
    if (!is_dot(op) || !is_enabled(search, KILN_WARNING_REDUNDANT_WAVES))
        return;
    const int copies = copies_of(search, kiln_op_result(op, 0));
    if (copies > 1)
        report_waves(search, op, kiln_op_result(op, 0), copies, "the dot's tile");
}

// What the loops of a kernel without dots compute, or, if it has none, all of it. Waves are
// redundant if they are for all of it: one larger value gives them work of their own.
typedef struct work {
    search_t *search;
    bool has_dots, has_loops;
    bool is_everywhere; // all operations count, not only those in loops
    int copies;         // least number of waves that compute the same; 0: there are no tensors
    MlirOperation op;   // the first load of these, or the first operation
    MlirValue value;    // its
} work_t;

static MlirWalkResult visit_work(MlirOperation op, void *user)
{
    work_t *work = user;
    const bool is_in_loop = !mlirOperationIsNull(loop_around(op));
    work->has_dots |= is_dot(op);
    work->has_loops |= is_in_loop;
    if (!is_in_loop && !work->is_everywhere)
        return MlirWalkResultAdvance;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        const MlirValue value = mlirOperationGetResult(op, i);
        if (!kiln_type_is_tensor(mlirValueGetType(value)))
            continue;
        const int copies = copies_of(work->search, value);
        const bool is_less = !work->copies || copies < work->copies,
                   is_first_load = copies == work->copies && kiln_op_loads_tensor(op) &&
                                   !kiln_op_loads_tensor(work->op);
        if (is_less || is_first_load) {
            work->op = op;
            work->value = value;
        }
        work->copies = is_less ? copies : work->copies;
    }
    return MlirWalkResultAdvance;
}

static void find_redundant_work(search_t *search)
{
    work_t work = {.search = search};
    if (!is_enabled(search, KILN_WARNING_REDUNDANT_WAVES))
        return;
    kiln_walk(mlirModuleGetOperation(search->c->module), MlirWalkPreOrder, visit_work, &work);
    work.is_everywhere = !work.has_loops;
    if (work.is_everywhere)
        kiln_walk(mlirModuleGetOperation(search->c->module), MlirWalkPreOrder, visit_work, &work);
    if (!work.has_dots && work.copies > 1)
        report_waves(search, work.op, work.value, work.copies,
                     work.is_everywhere ? "the kernel's tiles" : "the loop's tiles");
}

// The map from a tile's places to offsets in the buffer that it is loaded from or stored to; false
// if it is a part of a buffer, or padded.
static bool find_map(const search_t *search, MlirOperation op, kiln_layout_t *out,
                     MlirValue *out_buffer, MlirType *out_tile)
{
    const bool loads = kiln_op_kind(op) == KILN_OP_TTG_LOCAL_LOAD;
    kiln_layout_t tile, lds;
    *out_buffer = kiln_op_operand(op, loads ? 0 : 1);
    *out_tile = mlirValueGetType(loads ? kiln_op_result(op, 0) : kiln_op_operand(op, 0));
    MlirType buffer = mlirValueGetType(*out_buffer);
    kiln_status_t status = kiln_layout_of_type(*out_tile, search->num_warps, &tile);
    if (!status)
        status = kiln_layout_of_type(buffer, search->num_warps, &lds);
    bool good = !status && tile.rank == lds.rank &&
                memcmp(tile.log2_shape, lds.log2_shape, (size_t)tile.rank) == 0 &&
                kiln_layout_padding(kiln_memdesc_encoding(buffer)).count == 0;
    kiln_status_free(status);
    if (good)
        *out = kiln_layout_to_lds(&tile, &lds);
    return good;
}

// A thread has kWidth neighbours of a dot's operand along K, which kpack doubles. If it reads fewer
// at a time, neighbours along K are in different rows of the buffer.
static const char *advice_to_widen(const search_t *search, MlirType tile, int bytes)
{
    const MlirAttribute encoding = kiln_type_encoding(tile);
    const bool is_operand = kiln_encoding_kind(encoding) == KILN_ENCODING_DOT_OPERAND;
    const int width = is_operand ? kiln_dot_operand_k_width(encoding) * kiln_type_bits(tile) : 0;
    const bool is_by_width = width == 8 * bytes;
    if (width > 8 * bytes && search->c->source->stage != KILN_STAGE_TTG)
        return "keep the operand in memory so that the dimension that the dot sums over is "
               "contiguous";
    return is_by_width && search->c->options.kpack == 1 &&
                   search->c->source->stage != KILN_STAGE_TTG
               ? "set kpack to 2, so that a thread has twice as many neighbours along K"
               : NULL;
}

static void find_lds_access(search_t *search, MlirOperation op)
{
    const kiln_op_t kind = kiln_op_kind(op);
    kiln_layout_t map;
    MlirValue buffer;
    MlirType tile;
    if ((kind != KILN_OP_TTG_LOCAL_LOAD && kind != KILN_OP_TTG_LOCAL_STORE) ||
        mlirOperationIsNull(loop_around(op)) || !find_map(search, op, &map, &buffer, &tile))
        return;
    enum { WIDE = 8 };
    const int bits = kiln_type_bits(tile),
              bytes = kiln_layout_lds_access(&map, bits).vector * kiln_lds_element_bytes(bits);
    const kiln_lds_direction_t direction =
        kind == KILN_OP_TTG_LOCAL_LOAD ? KILN_LDS_READ : KILN_LDS_WRITE;
    const int more = kiln_layout_bank_conflicts(&map, bits, direction),
              cycles = kiln_lds_cycles(&map, bits, direction);
    // The program cannot change layouts of buffers that Kiln chooses itself.
    const bool is_chosen = search->c->source->stage == KILN_STAGE_TTG;
    const char *verb = direction == KILN_LDS_READ ? "this read of" : "this write to";
    if (more > 0 && is_chosen && is_enabled(search, KILN_WARNING_BANK_CONFLICTS)) {
        kiln_string_t seen = {0};
        kiln_string_appendf(&seen, "%s the LDS buffer ", verb);
        kiln_append_buffer(&seen, buffer);
        kiln_string_appendf(&seen,
                            " has bank conflicts: an access of a wave takes %d cycles instead "
                            "of %d",
                            cycles, cycles - more);
        report(search, KILN_WARNING_BANK_CONFLICTS, op, &seen, NULL);
    }
    const bool could_be_wider =
        kiln_layout_registers(&map) * (unsigned)kiln_lds_element_bytes(bits) >= WIDE;
    if (bytes < WIDE && could_be_wider && (is_chosen || direction == KILN_LDS_READ) &&
        is_enabled(search, KILN_WARNING_NARROW_LDS)) {
        kiln_string_t seen = {0};
        kiln_string_appendf(&seen, "%s the LDS buffer ", verb);
        kiln_append_buffer(&seen, buffer);
        kiln_string_appendf(
            &seen,
            " accesses %d byte%s per lane at a time: neighbours in the buffer belong to "
            "different threads, or their order differs between rows",
            bytes, bytes == 1 ? "" : "s");
        report(search, KILN_WARNING_NARROW_LDS, op, &seen, advice_to_widen(search, tile, bytes));
    }
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    search_t *search = user;
    find_moves(search, op);
    find_redundant_waves(search, op);
    find_lds_access(search, op);
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_compile_find_layouts(kiln_compilation_t *c)
{
    static const kiln_warning_id_t own[] = {KILN_WARNING_LAYOUT_CONVERSION,
                                            KILN_WARNING_BANK_CONFLICTS, KILN_WARNING_NARROW_LDS,
                                            KILN_WARNING_REDUNDANT_WAVES};
    search_t search = {.c = c};
    bool wanted = false;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        wanted |= is_enabled(&search, own[i]);
    if (!wanted)
        return KILN_OK;
    KILN_TRY(kiln_waves_of_module(c->module, &search.num_warps));
    kiln_walk(mlirModuleGetOperation(c->module), MlirWalkPreOrder, visit, &search);
    find_redundant_work(&search);
    return KILN_OK;
}
