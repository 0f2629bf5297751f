// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One wave on a SIMD, or two with half of the registers? And where few registers stand against a
// third wave: is it worth spilling them? If none spill, it is.
//
// While the only wave of a SIMD waits for memory, its matrix unit idles, so a second one gains much
// where the loops with matrix instructions work without scratch memory: registers that spill
// outside of them cost once per launch. A third wave gains less, so no more than a few registers
// may spill for it, and none in any loop with matrix instructions, inner or outer. In such a loop a
// reload costs more than its cycles, because loads return in order and the wave waits for the loads
// of later iterations before it. A kernel may have several versions of a loop, with and without
// masks; at least half of the matrix instructions of innermost loops must be in loops without
// scratch accesses.
#include "artifact/code_object.h"
#include "base/gfx942.h"
#include "codegen/codegen.h"
#include "driver/compile_internal.h"
#include "inspect/isa.h"
#include "inspect/occupancy.h"

enum {
    MAX_SPILLS = 8, // for a third wave
};

// Waves of a workgroup on each SIMD.
static unsigned share(const kiln_compilation_t *c)
{
    const unsigned waves = c->kernel->block_size / KILN_GFX942_LANES;
    return waves > KILN_GFX942_SIMDS ? waves / KILN_GFX942_SIMDS : 1;
}

bool kiln_compile_waves_are_second(const kiln_compilation_t *c, unsigned waves)
{
    return waves == 2 * share(c);
}

unsigned kiln_compile_waves_to_try(const kiln_compilation_t *c)
{
    const kiln_resources_t *r = &c->kernel->resources;
    const unsigned group = c->kernel->block_size / KILN_GFX942_LANES,
                   waves = r->occupancy + share(c), granule = KILN_GFX942_VGPR_GRANULE,
                   registers = KILN_GFX942_SIMD_VGPRS / waves / granule * granule;
    if (waves > KILN_GFX942_WAVES_PER_SIMD || !c->registers.sums_begin_in_vgprs ||
        c->registers.exceeds_registers || kiln_codegen_requests_waves(c->llvm) ||
        kiln_occupancy(registers, 0, r->sgprs, r->lds_bytes, group) < waves)
        return 0;
    const unsigned used = r->vgprs + r->agprs;
    const bool is_just_above = used > registers && used <= registers + granule;
    const bool is_tried =
        share(c) > 1 ? kiln_compile_waves_are_second(c, waves) && c->registers.loops <= registers
                     : waves == 2 || (waves == 3 && is_just_above);
    return is_tried ? waves : 0;
}

static bool is_innermost(const kiln_isa_t *isa, const kiln_isa_loop_t *loop)
{
    for (size_t i = 0; i < isa->loop_count; i++) {
        const kiln_isa_loop_t *other = &isa->loops[i];
        if (other != loop && other->first >= loop->first && other->last <= loop->last)
            return false;
    }
    return true;
}

static size_t count(const kiln_isa_t *isa, const kiln_isa_loop_t *loop, kiln_isa_class_t class)
{
    size_t found = 0;
    for (size_t i = loop->first; i <= loop->last; i++)
        found += isa->instructions[i].class == class;
    return found;
}

// Note that a loop with several branches to its start is listed several times.
static bool has_free_loops(const kiln_isa_t *isa, bool must_all_be)
{
    size_t all = 0, in_free = 0; // matrix instructions in innermost loops
    size_t next = 0;             // loops are sorted by their start; those before are counted
    for (size_t i = 0; i < isa->loop_count; i++) {
        const kiln_isa_loop_t *loop = &isa->loops[i];
        const bool is_free = !count(isa, loop, KILN_ISA_SCRATCH);
        if (must_all_be && !is_free && count(isa, loop, KILN_ISA_MATRIX))
            return false;
        if (!is_innermost(isa, loop))
            continue;
        const kiln_isa_loop_t rest = {.first = loop->first > next ? loop->first : next,
                                      .last = loop->last};
        const size_t matrix = rest.first <= rest.last ? count(isa, &rest, KILN_ISA_MATRIX) : 0;
        next = loop->last >= next ? loop->last + 1 : next;
        all += matrix;
        in_free += is_free ? matrix : 0;
    }
    return in_free && 2 * in_free >= all;
}

// The code object's instructions.
static kiln_status_t read_isa(const kiln_compilation_t *c, kiln_isa_t *out)
{
    kiln_code_object_t object;
    *out = (kiln_isa_t){0};
    kiln_status_t status =
        kiln_code_object_read(c->kernel->code_object, c->kernel->code_object_size, &object);
    const kiln_code_kernel_t *found =
        status ? NULL : kiln_code_object_find(&object, c->kernel->symbol);
    if (found && found->code)
        status = kiln_isa_read(found->code, found->code_size, out);
    kiln_code_object_free(&object);
    return status;
}

kiln_status_t kiln_compile_cost(const kiln_compilation_t *c, size_t *out_cost)
{
    enum { STEPS = 16, SCRATCH_COST = 16 }; // steps of a loop; an access waits, others with it
    kiln_isa_t isa;
    *out_cost = 0;
    kiln_status_t status = read_isa(c, &isa);
    for (size_t i = 0; i < isa.loop_count; i++) {
        const kiln_isa_loop_t *loop = &isa.loops[i];
        if (is_innermost(&isa, loop) && count(&isa, loop, KILN_ISA_MATRIX))
            *out_cost += STEPS * (loop->last - loop->first +
                                  SCRATCH_COST * count(&isa, loop, KILN_ISA_SCRATCH));
    }
    for (size_t i = 0; i < isa.count; i++)
        *out_cost += isa.instructions[i].class == KILN_ISA_SCRATCH ? SCRATCH_COST : 1;
    kiln_isa_free(&isa);
    return status;
}

kiln_status_t kiln_compile_gains_by_waves(const kiln_compilation_t *c, unsigned waves,
                                          bool *out_gains)
{
    const kiln_resources_t *r = &c->kernel->resources;
    *out_gains = false;
    if (r->occupancy < waves ||
        (!kiln_compile_waves_are_second(c, waves) && r->vgpr_spills > MAX_SPILLS))
        return KILN_OK;
    if (!r->vgpr_spills && !r->scratch_bytes_per_lane) { // it costs nothing
        *out_gains = true;
        return KILN_OK;
    }
    kiln_isa_t isa;
    kiln_status_t status = read_isa(c, &isa);
    if (!status)
        *out_gains = has_free_loops(&isa, !kiln_compile_waves_are_second(c, waves));
    kiln_isa_free(&isa);
    return status;
}
