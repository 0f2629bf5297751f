// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the arguments back from the block that the launch has built. The metadata does not always
// mark pointers, so every 8-byte argument is looked up in the table of live and freed allocations.
//
// Accesses run past the end far more often than before the start, so an allocation below the
// address is preferred to one above it, whatever the distances.
#include "run/blame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NEAR_NULL = 1 << 20 };

typedef struct suspect {
    const kiln_sim_arg_t *arg;
    size_t index; // among the explicit arguments
    const kiln_sim_allocation_t *target;
    uint64_t distance;
    bool above; // the target lies above the address
} suspect_t;

static const kiln_sim_allocation_t *target_of(const kiln_sim_memory_t *memory, uint64_t pointer)
{
    const kiln_sim_allocation_t *live = kiln_sim_memory_find(memory, pointer);
    const kiln_sim_freed_t *freed = live ? NULL : kiln_sim_memory_find_freed(memory, pointer);
    return freed ? &freed->allocation : live;
}

static bool is_better(const suspect_t *a, const suspect_t *b)
{
    if (!b->arg || a->above != b->above)
        return !b->arg || b->above;
    return a->distance < b->distance;
}

static suspect_t find(const kiln_sim_launch_t *launch, uint64_t address)
{
    suspect_t best = {0};
    size_t index = 0;
    const kiln_sim_kernel_t *kernel = launch->kernel;
    for (size_t i = 0; i < kernel->arg_count; i++) {
        const kiln_sim_arg_t *arg = &kernel->args[i];
        uint64_t pointer;
        suspect_t one = {.arg = arg, .index = index};
        if (arg->kind != KILN_SIM_ARG_EXPLICIT)
            continue;
        index++;
        if (arg->size != sizeof pointer || arg->offset > kernel->kernarg_bytes ||
            kernel->kernarg_bytes - arg->offset < sizeof pointer)
            continue;
        memcpy(&pointer, launch->kernarg + arg->offset, sizeof pointer);
        one.target = target_of(launch->memory, pointer);
        if (!one.target)
            continue;
        const uint64_t base = one.target->base, end = base + one.target->size;
        one.above = address < base;
        one.distance = one.above ? base - address : address < end ? 0 : address - end;
        if (is_better(&one, &best))
            best = one;
    }
    return best;
}

// Finds a null pointer argument if the address is close to null. Pointers to empty buffers, for
// example, are null.
static suspect_t find_null(const kiln_sim_launch_t *launch, uint64_t address)
{
    const kiln_sim_kernel_t *kernel = launch->kernel;
    suspect_t one = {0};
    for (size_t i = 0; address <= NEAR_NULL && i < kernel->arg_count; i++) {
        const kiln_sim_arg_t *arg = &kernel->args[i];
        uint64_t pointer = 1;
        if (arg->is_pointer && arg->offset <= kernel->kernarg_bytes &&
            kernel->kernarg_bytes - arg->offset >= 8)
            memcpy(&pointer, launch->kernarg + arg->offset, sizeof pointer);
        if (!pointer) {
            one.arg = arg;
            break;
        }
        one.index += arg->kind == KILN_SIM_ARG_EXPLICIT;
    }
    return one;
}

void kiln_sim_blame_argument(const kiln_sim_launch_t *launch, uint64_t address, char *text,
                             size_t size)
{
    suspect_t found = launch->kernarg ? find_null(launch, address) : (suspect_t){0};
    const bool is_null = found.arg != NULL;
    if (!is_null && launch->kernarg)
        found = find(launch, address);
    char name[sizeof found.arg->name + 16];
    if (size)
        text[0] = '\0';
    if (!found.arg)
        return;
    if (*found.arg->name)
        snprintf(name, sizeof name, "'%s'", found.arg->name);
    else
        snprintf(name, sizeof name, "number %zu", found.index);
    if (is_null) {
        snprintf(text, size, "; the argument %s is a null pointer", name);
        return;
    }
    const kiln_sim_allocation_t *near = kiln_sim_memory_nearest(launch->memory, address);
    const bool is_target = found.distance == 0 || (near && near->base == found.target->base);
    if (is_target)
        snprintf(text, size, "; the argument %s points there", name);
    else
        snprintf(text, size,
                 "; the nearest argument is %s (%" PRIu64 " bytes at 0x%" PRIx64 "), %" PRIu64
                 " bytes %s",
                 name, found.target->size, found.target->base, found.distance,
                 found.above ? "before it" : "past its end");
}
