// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Services that handlers call off the fast path: faults, jumps, modes, the clock, and address
// checks.
//
// A fault does not unwind: it marks the launch as failed and clears wave->next, and the handler
// returns as usual.
#include "run/machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "lines/lines.h"
#include "run/blame.h"
#include "run/launch.h"
#include "run/observe.h"
#include "run/order.h"

// Several workgroups may fail at the same time. The first failure counts; in a thorough launch, the
// failure of the first workgroup in dispatch order counts, so that results do not depend on timing.
// True if this failure counts so far; in a thorough launch the lock is then held.
static bool fault_begin(kiln_sim_launch_t *launch, uint32_t group)
{
    int expected = 0;
    if (!launch->thorough)
        return __atomic_compare_exchange_n(&launch->failed, &expected, 1, 0, __ATOMIC_ACQ_REL,
                                           __ATOMIC_RELAXED);
    pthread_mutex_lock(&launch->fault_lock);
    if (group < launch->failed_group) {
        __atomic_store_n(&launch->failed_group, group, __ATOMIC_RELAXED);
        __atomic_store_n(&launch->failed, 1, __ATOMIC_RELEASE);
        return true;
    }
    pthread_mutex_unlock(&launch->fault_lock);
    return false;
}

// Writes " (kernel.tile.c:5)" from the object's line table, or nothing if it has none. Compilers
// give no line to a loop's branches and to code that they move; then the nearest line before it is
// written, as " (near kernel.tile.c:5)".
static void describe_source(const kiln_sim_launch_t *launch, const kiln_sim_inst_t *inst,
                            char *text, size_t size)
{
    enum { NEAR = 256 }; // bytes
    const kiln_sim_code_object_t *object = launch->kernel->object;
    kiln_lines_t *lines =
        object && object->file ? kiln_lines_open(object->file, object->file_size) : NULL;
    char source[256] = "";
    uint64_t back = 0;
    for (; lines && !*source && back < NEAR && back <= inst->address; back += 4)
        kiln_lines_find(lines, inst->address - back, source, sizeof source);
    kiln_lines_close(lines);
    if (*source)
        snprintf(text, size, " (%s%s)", back > 4 ? "near " : "", source);
    else
        *text = 0;
}

static void fault(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane, int code,
                  const char *what)
{
    kiln_sim_launch_t *launch = wave->thread->launch;
    wave->stop = KILN_SIM_STOP_FAULT;
    wave->next = NULL;
    if (!fault_begin(launch, wave->group->index))
        return;
    char text[192], source[272], place[64] = "";
    describe_source(launch, inst, source, sizeof source);
    kiln_sim_program_print(launch->program, inst, text, sizeof text);
    if (lane >= 0)
        snprintf(place, sizeof place, ", lane %d", lane);
    enum { SHOWN = 256 }; // of a kernel's name, to leave space for what follows
    const char *name = launch->kernel->name;
    const uint32_t *id = wave->group->id;
    kiln_sim_fail(&launch->error, code,
                  "%s\n  at 0x%" PRIx64
                  " '%s'%s in kernel '%.*s%s', workgroup (%u, %u, %u), wave %u%s",
                  what, inst->address, text, source, SHOWN, name, strlen(name) > SHOWN ? "..." : "",
                  id[0], id[1], id[2], wave->index, place);
    kiln_sim_observe_fault(wave, inst, lane, what);
    if (launch->thorough)
        pthread_mutex_unlock(&launch->fault_lock);
}

void kiln_sim_wave_fault(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane,
                         const char *format, ...)
{
    char what[512];
    va_list args;
    va_start(args, format);
    kiln_vformat(what, sizeof what, format, args);
    va_end(args);
    fault(wave, inst, lane, KILN_SIM_LAUNCH_FAILURE, what);
}

void kiln_sim_wave_trap(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned id)
{
    char what[160];
    const bool asserted = id == 2 && kiln_sim_hostcall_wrote_stderr(wave->thread->launch->hostcall);
    snprintf(what, sizeof what, "%sthe program trapped (s_trap %u)",
             asserted ? "a device-side assert failed; the kernel printed to stderr: " : "", id);
    fault(wave, inst, -1, asserted ? KILN_SIM_ASSERT : KILN_SIM_LAUNCH_FAILURE, what);
}

void kiln_sim_wave_limit(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    char what[160];
    snprintf(what, sizeof what,
             "the wave has executed %" PRIu64
             " instructions, the limit (KILN_SIM_LIMIT); possibly an infinite loop",
             wave->executed);
    fault(wave, inst, -1, KILN_SIM_LAUNCH_TIMEOUT, what);
}

void kiln_sim_wave_spins(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const char *what)
{
    fault(wave, inst, -1, KILN_SIM_LAUNCH_TIMEOUT, what);
}

void kiln_sim_wave_stalled(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, size_t workgroups)
{
    char what[200];
    snprintf(
        what, sizeof what,
        "no wave of %zu resident workgroups has ended for a very long time; possibly a deadlock",
        workgroups);
    fault(wave, inst, -1, KILN_SIM_LAUNCH_TIMEOUT, what);
}

void kiln_sim_wave_fault_address(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane,
                                 kiln_sim_access_t access, uint64_t address, uint64_t bytes)
{
    static const char *const verbs[] = {"load", "store", "atomic"};
    const kiln_sim_memory_t *memory = wave->thread->launch->memory;
    const kiln_sim_allocation_t *home;
    char what[512], name[128];
    int used =
        snprintf(what, sizeof what, "memory violation: %s of %" PRIu64 " bytes at 0x%" PRIx64,
                 verbs[access], bytes, address);
    if (address >> 32 == KILN_SIM_SHARED_BASE >> 32 || address >> 32 == KILN_SIM_PRIVATE_BASE >> 32)
        snprintf(what + used, sizeof what - (size_t)used,
                 ", an LDS or scratch address in a global instruction");
    else if (access != KILN_SIM_LOAD && (home = kiln_sim_memory_find(memory, address)) &&
             kiln_sim_memory_is_read_only(home)) {
        kiln_sim_memory_name(home, name, sizeof name);
        snprintf(what + used, sizeof what - (size_t)used,
                 ", in memory that kernels may only read (%s)", name);
    } else {
        kiln_sim_memory_describe(memory, address, bytes, what + used, sizeof what - (size_t)used);
        used += (int)strlen(what + used);
        kiln_sim_blame_argument(wave->thread->launch, address, what + used,
                                sizeof what - (size_t)used);
    }
    fault(wave, inst, lane, KILN_SIM_ILLEGAL_ADDRESS, what);
}

bool kiln_sim_check_address_uncached(kiln_sim_thread_t *thread, kiln_sim_access_t access,
                                     uint64_t address, uint64_t bytes)
{
    kiln_sim_memory_t *memory = thread->launch->memory;
    const bool moves = !thread->watch || !thread->watch->moves_nothing;
    kiln_sim_place_t *place = NULL; // where it is already known as waiting for its contents
    for (unsigned i = 0; i < KILN_SIM_RECENT && !place; i++) {
        if (address - thread->recent[i].base < thread->recent[i].size)
            place = &thread->recent[i];
    }
    if (place && place->is_unfilled && !moves)
        return place->size - (address - place->base) >= bytes;
    const kiln_sim_allocation_t *found = kiln_sim_memory_find(memory, address);
    kiln_sim_allocation_t other;
    if (!found && memory->elsewhere && memory->elsewhere(memory, address, &other))
        found = &other;
    if (!found || found->size - (address - found->base) < bytes)
        return false;
    if (moves && found != &other)
        kiln_sim_memory_fill_now(memory, found);
    if (!kiln_sim_memory_is_heap(found)) { // heap memory may be freed before the next access
        if (!place)
            place = &thread->recent[thread->recent_next++ % KILN_SIM_RECENT];
        *place = (kiln_sim_place_t){found->base, found->size, kiln_sim_memory_is_read_only(found),
                                    kiln_sim_memory_is_unfilled(found)};
    }
    return access == KILN_SIM_LOAD || !kiln_sim_memory_is_read_only(found);
}

bool kiln_sim_thread_reserve(kiln_sim_thread_t *thread, size_t count)
{
    if (count <= thread->count_capacity) {
        thread->reachable = count;
        return true;
    }
    const size_t old = thread->count_capacity;
    uint64_t **const arrays[] = {&thread->counts, &thread->known_counts, &thread->totals};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        size_t capacity = old;
        if (!KILN_ARRAY_RESERVE(arrays[i], &capacity, count))
            return false;
        memset(*arrays[i] + old, 0, (capacity - old) * sizeof **arrays[i]);
    }
    if (!KILN_ARRAY_RESERVE(&thread->prices, &thread->count_capacity, count))
        return false;
    thread->reachable = count;
    return true;
}

void kiln_sim_wave_jump(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, uint64_t pc)
{
    kiln_sim_launch_t *launch = wave->thread->launch;
    kiln_sim_error_t error = {0};
    const kiln_sim_inst_t *target =
        kiln_sim_program_at(launch->program, pc - launch->image, &error);
    if (!target) {
        kiln_sim_wave_fault(wave, inst, -1, "jump to 0x%" PRIx64 ": %s", pc, error.text);
        return;
    }
    // Meanwhile other threads may have decoded more instructions, which this wave can reach by
    // direct branches.
    if (!kiln_sim_thread_reserve(wave->thread, kiln_sim_program_count(launch->program))) {
        kiln_sim_wave_fault(wave, inst, -1, "out of host memory");
        return;
    }
    wave->next = target;
}

void kiln_sim_wave_mode_changed(kiln_sim_wave_t *wave)
{
    bool special = wave->mode & (KILN_SIM_MODE_GPR_IDX_EN | KILN_SIM_MODE_VSKIP);
    if (special != wave->thread->special_modes)
        kiln_sim_wave_stop(wave, KILN_SIM_STOP_NONE, wave->next);
}

void kiln_sim_wave_message(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    enum { MSG_INTERRUPT = 1 };
    kiln_sim_hostcall_t *hostcall = wave->thread->launch->hostcall;
    kiln_sim_hostcall_error_t error;
    if (hostcall && (inst->imm & 15) == MSG_INTERRUPT && !kiln_sim_hostcall_serve(hostcall, &error))
        kiln_sim_wave_fault(wave, inst, error.lane, "%s", error.text);
}
