// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects accesses outside of allocations, and accesses that the machine silently changes: LDS
// beyond the workgroup's bytes, misaligned atomics and formats, and buffer descriptors that extend
// into another allocation or cut dwords in two.
//
// Global accesses outside of all allocations end the launch with or without this check, which only
// adds findings. A lane beyond a buffer descriptor's range is not an error in itself:
// kernels mask their tails that way. Compilers move masked lanes to large offsets (0x80000000 and
// above), by which `clamp`, on request, distinguishes them from lanes that overrun the end.
#include <stdio.h>
#include <string.h>

#include "check/state.h"

void kiln_sim_check_fault(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane,
                          const char *what)
{
    (void)user;
    bool on = wave->thread->launch->options->checks & KILN_SIM_CHECK_MEMORY;
    if (on && (inst->row->class_ == KILN_SIM_CLASS_SMEM || inst->row->class_ >= KILN_SIM_CLASS_LDS))
        kiln_sim_check_found(wave, inst, NULL, lane, KILN_SIM_CHECK_INDEX_MEMORY, "%s", what);
}

static void check_lds(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                      const kiln_sim_accesses_t *a)
{
    static const char *const verbs[] = {"load", "store", "atomic"};
    for (unsigned part = 0; part < a->lds_parts; part++) {
        if (a->lds_outside[part]) {
            int lane = __builtin_ctzll(a->lds_outside[part]);
            kiln_sim_check_found(
                wave, inst, NULL, lane, KILN_SIM_CHECK_INDEX_MEMORY,
                "%s of %u bytes at LDS offset 0x%x, but the workgroup has %u bytes; the machine %s",
                verbs[a->lds_kind], a->lds_bytes, a->lds_at[part][lane], wave->group->lds_size,
                a->lds_kind == KILN_SIM_LOAD ? "reads zero" : "drops it");
            return;
        }
        for (uint64_t left = a->lds_kind == KILN_SIM_ATOMIC ? a->lds_lanes[part] : 0; left;
             left &= left - 1) {
            int lane = __builtin_ctzll(left);
            if (a->lds_at[part][lane] % a->lds_bytes == 0)
                continue;
            kiln_sim_check_found(wave, inst, NULL, lane, KILN_SIM_CHECK_INDEX_MEMORY,
                                 "misaligned atomic of %u bytes at LDS offset 0x%x", a->lds_bytes,
                                 a->lds_at[part][lane]);
            return;
        }
    }
}

// The bytes beyond a kernel's arguments are data of the simulator; on the machine, another kernel's
// arguments.
static void check_argument(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, uint64_t at)
{
    const kiln_sim_launch_t *launch = wave->thread->launch;
    uint64_t offset = at - (uint64_t)(uintptr_t)launch->kernarg;
    if (offset >= launch->kernel->kernarg_bytes && offset < launch->kernarg_offset)
        kiln_sim_check_found(
            wave, inst, NULL, -1, KILN_SIM_CHECK_INDEX_MEMORY,
            "scalar access at offset 0x%llx of the kernel's arguments, which have 0x%x bytes",
            (unsigned long long)offset, launch->kernel->kernarg_bytes);
}

static void check_scalar(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, uint64_t at)
{
    if (at & 3)
        kiln_sim_check_found(
            wave, inst, NULL, -1, KILN_SIM_CHECK_INDEX_MEMORY,
            "misaligned scalar access at 0x%llx; the machine ignores the two low bits",
            (unsigned long long)at);
    check_argument(wave, inst, at & ~3ull);
}

// Whether a pointer among the kernel's arguments lies in the range.
static bool arguments_point_into(const kiln_sim_launch_t *launch, uint64_t base, uint64_t size)
{
    uint64_t pointer;
    for (uint32_t at = 0; at + sizeof pointer <= launch->kernel->kernarg_bytes;
         at += sizeof pointer) {
        memcpy(&pointer, launch->kernarg + at, sizeof pointer);
        if (pointer - base < size)
            return true;
    }
    return false;
}

// A compiler may place a descriptor's base below its buffer: at the start of a tile whose first
// elements are masked off. So a base certainly belongs to an allocation only if an argument equals
// it.
static bool is_for(const kiln_sim_launch_t *launch, uint64_t base,
                   const kiln_sim_allocation_t *there)
{
    return launch->kernarg && !arguments_point_into(launch, base, 1) &&
           arguments_point_into(launch, there->base, there->size);
}

// Finds a descriptor whose range extends into another allocation, and a lane that accesses it.
static void check_descriptor(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                             const kiln_sim_accesses_t *a)
{
    const kiln_sim_launch_t *launch = wave->thread->launch;
    const kiln_sim_memory_t *memory = launch->memory;
    if (a->base == a->end || !(a->lanes | a->partial))
        return;
    const kiln_sim_allocation_t *home = kiln_sim_memory_find(memory, a->base), *there;
    for (uint64_t left = home ? a->lanes | a->partial : 0; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        if (a->at[lane] - home->base < home->size ||
            !(there = kiln_sim_memory_find(memory, a->at[lane])))
            continue; // in no allocation: the launch is about to fail
        if (is_for(launch, a->base, there))
            continue;
        char names[2][128];
        kiln_sim_memory_name(home, names[0], sizeof names[0]);
        kiln_sim_memory_name(there, names[1], sizeof names[1]);
        kiln_sim_check_found(
            wave, inst, NULL, lane, KILN_SIM_CHECK_INDEX_MEMORY,
            "the buffer descriptor of 0x%llx bytes at 0x%llx exceeds its allocation (%s), and this "
            "access is in another one (%s)",
            (unsigned long long)(a->end - a->base), (unsigned long long)a->base, names[0],
            names[1]);
        return;
    }
}

static void check_buffer(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                         const kiln_sim_accesses_t *a)
{
    if (a->misaligned) {
        int lane = __builtin_ctzll(a->misaligned);
        kiln_sim_check_found(
            wave, inst, NULL, lane, KILN_SIM_CHECK_INDEX_MEMORY,
            "misaligned access at 0x%llx with a format of %u bytes; the simulator ignores its low "
            "bits, but the machine's behavior is undocumented",
            (unsigned long long)a->at[lane], a->bytes);
    }
    if (a->torn) {
        int lane = __builtin_ctzll(a->torn);
        kiln_sim_check_found(wave, inst, NULL, lane, KILN_SIM_CHECK_INDEX_MEMORY,
                             "the buffer descriptor's range of 0x%llx bytes ends within the access "
                             "at offset 0x%llx; "
                             "the machine drops the whole %s, including the bytes in range",
                             (unsigned long long)(a->end - a->base),
                             (unsigned long long)(a->at[lane] - a->base),
                             a->bytes < 4 ? "element" : "dword");
    }
    check_descriptor(wave, inst, a);
}

// Finds lanes that a descriptor cuts off although they were not moved to large offsets.
static void check_clamp(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                        const kiln_sim_accesses_t *a)
{
    for (uint64_t left = a->base != a->end ? a->cut | a->partial : 0; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        uint64_t offset = a->at[lane] - a->base;
        if (offset >= 0x80000000u)
            continue;
        kiln_sim_check_found(
            wave, inst, NULL, lane, KILN_SIM_CHECK_INDEX_CLAMP,
            "%u bytes at buffer offset 0x%llx exceed the descriptor's 0x%llx bytes; the machine %s",
            a->bytes, (unsigned long long)offset, (unsigned long long)(a->end - a->base),
            a->kind == KILN_SIM_STORE ? "drops them" : "returns zero");
        return;
    }
}

// The required alignment of an access in bytes.
static unsigned alignment_of(unsigned bytes)
{
    return bytes > 2 ? 4 : bytes == 2 ? 2 : 1;
}

static void found_misaligned(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane,
                             unsigned check, unsigned bytes, const char *memory, uint64_t at)
{
    kiln_sim_check_found(wave, inst, NULL, lane, check,
                         "misaligned access of %u bytes at %s 0x%llx", bytes, memory,
                         (unsigned long long)at);
}

// Finds accesses of device memory and scratch that are not aligned to their size, or to a dword if
// they are larger. The machine executes them, at the cost of one more line where they cross a line
// boundary. LLVM uses this: it merges neighbouring accesses at any address. Misaligned atomics and
// formats give wrong results and are reported above.
static void check_align_global(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                               const kiln_sim_accesses_t *a)
{
    for (uint64_t left = a->lanes | a->partial; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        const kiln_sim_allocation_t *home;
        if (a->at[lane] % alignment_of(a->bytes) == 0)
            continue;
        char name[128] = "", suffix[144] = "";
        if ((home = kiln_sim_memory_find(wave->thread->launch->memory, a->at[lane]))) {
            kiln_sim_memory_name(home, name, sizeof name);
            snprintf(suffix, sizeof suffix, " (in %s)", name);
        }
        kiln_sim_check_found(wave, inst, NULL, lane, KILN_SIM_CHECK_INDEX_ALIGN_GLOBAL,
                             "misaligned access of %u bytes at 0x%llx%s", a->bytes,
                             (unsigned long long)a->at[lane], suffix);
        return;
    }
    for (uint64_t left = a->scratch_lanes; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        if (a->scratch_at[lane] % alignment_of(a->bytes) == 0)
            continue;
        found_misaligned(wave, inst, lane, KILN_SIM_CHECK_INDEX_ALIGN_GLOBAL, a->bytes,
                         "scratch offset", a->scratch_at[lane]);
        return;
    }
}

// The same for LDS, which executes misaligned accesses slowly.
static void check_align(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                        const kiln_sim_accesses_t *a)
{
    for (unsigned part = 0; part < a->lds_parts && a->lds_kind != KILN_SIM_ATOMIC; part++) {
        for (uint64_t left = a->lds_lanes[part]; left; left &= left - 1) {
            int lane = __builtin_ctzll(left);
            if (a->lds_at[part][lane] % alignment_of(a->lds_bytes) == 0)
                continue;
            found_misaligned(wave, inst, lane, KILN_SIM_CHECK_INDEX_ALIGN, a->lds_bytes,
                             "LDS offset", a->lds_at[part][lane]);
            return;
        }
    }
}

void kiln_sim_check_memory(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                           const kiln_sim_accesses_t *a)
{
    unsigned on = wave->thread->launch->options->checks;
    if (on & KILN_SIM_CHECK_MEMORY) {
        if (a->scalar_dwords)
            check_scalar(wave, inst, a->scalar_at);
        check_lds(wave, inst, a);
        if (a->is_buffer)
            check_buffer(wave, inst, a);
    }
    if (a->is_buffer && (on & KILN_SIM_CHECK_CLAMP))
        check_clamp(wave, inst, a);
    if (on & KILN_SIM_CHECK_ALIGN)
        check_align(wave, inst, a);
    if (on & KILN_SIM_CHECK_ALIGN_GLOBAL)
        check_align_global(wave, inst, a);
}
