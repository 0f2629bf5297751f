// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one launch: checks the request, builds the arguments, distributes workgroups over host
// threads, and sums up the statistics.
//
// The calling thread is one of the workers (run/workers.c). With one thread or one workgroup, no
// other thread is woken.
#include "run/gws.h"
#include "run/observe.h"
#include "run/order.h"
#include "run/workers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define DYNAMIC_STACK (1u << 11) // of kernel_code_properties: recursion, or calls by address

static bool check_shape(kiln_sim_launch_t *launch, kiln_sim_error_t *error)
{
    const kiln_sim_dispatch_t *d = launch->dispatch;
    const kiln_sim_kernel_t *kernel = launch->kernel;
    const kiln_sim_options_t *options = launch->options;
    uint64_t items = 1;
    __extension__ unsigned __int128 groups = 1;
    for (unsigned i = 0; i < 3; i++) {
        const bool is_empty = d->block[i] == 0 || d->grid[i] == 0;
        if (is_empty || d->block[i] > KILN_GFX942_WORKGROUP_ITEMS)
            return kiln_sim_fail(
                error, is_empty ? KILN_SIM_INVALID_VALUE : KILN_SIM_INVALID_CONFIGURATION,
                "kernel '%s': cannot launch grid (%u, %u, %u) of workgroups (%u, %u, %u)",
                kernel->name, d->grid[0], d->grid[1], d->grid[2], d->block[0], d->block[1],
                d->block[2]);
        if ((uint64_t)d->grid[i] * d->block[i] > UINT32_MAX)
            return kiln_sim_fail(error, KILN_SIM_INVALID_CONFIGURATION,
                                 "kernel '%s': dimension %u has more than 2^32 work-items",
                                 kernel->name, i);
        items *= d->block[i];
        groups *= d->grid[i];
    }
    // HIP has one error for sizes that no kernel allows and another for sizes that this one does
    // not allow (__launch_bounds__).
    if (items > kiln_sim_kernel_max_items(kernel))
        return kiln_sim_fail(error,
                             items > KILN_GFX942_WORKGROUP_ITEMS ? KILN_SIM_INVALID_CONFIGURATION
                                                                 : KILN_SIM_LAUNCH_FAILURE,
                             "kernel '%s' allows workgroups of up to %u work-items, got %" PRIu64,
                             kernel->name, kiln_sim_kernel_max_items(kernel), items);
    if (groups > UINT32_MAX)
        return kiln_sim_fail(error, KILN_SIM_INVALID_CONFIGURATION,
                             "kernel '%s': more than 2^32 workgroups", kernel->name);
    uint64_t lds = (uint64_t)kernel->lds_bytes + d->dynamic_lds;
    // HIP checks the dynamic part before it knows the kernel, and the sum when it has packed the
    // dispatch.
    if (lds > options->lds)
        return kiln_sim_fail(
            error, d->dynamic_lds > options->lds ? KILN_SIM_INVALID_VALUE : KILN_SIM_ILLEGAL_STATE,
            "kernel '%s' needs %" PRIu64
            " bytes of LDS (%u static, %u dynamic); the limit is %u per workgroup (KILN_SIM_LDS)",
            kernel->name, lds, kernel->lds_bytes, d->dynamic_lds, options->lds);
    uint64_t scratch =
        (uint64_t)kernel->scratch_bytes + (kernel->properties & DYNAMIC_STACK ? options->stack : 0);
    if (scratch > KILN_SIM_SCRATCH_BYTES_PER_LANE)
        return kiln_sim_fail(error, KILN_SIM_LAUNCH_OUT_OF_RESOURCES,
                             "kernel '%s' needs %" PRIu64
                             " bytes of scratch per lane; the limit is %u",
                             kernel->name, scratch, KILN_SIM_SCRATCH_BYTES_PER_LANE);
    launch->scratch_bytes = (uint32_t)scratch;
    launch->items = (uint32_t)items;
    launch->wave_count = (uint32_t)(items + KILN_GFX942_LANES - 1) / KILN_GFX942_LANES;
    launch->lds_size = (uint32_t)lds;
    launch->group_count = launch->todo = (uint64_t)groups;
    launch->resident_limit = (uint64_t)options->product->compute_units *
                             kiln_sim_groups_per_cu(kernel, launch->wave_count, launch->lds_size);
    if (launch->resident_limit == 0)
        return kiln_sim_fail(
            error, KILN_SIM_LAUNCH_OUT_OF_RESOURCES,
            "kernel '%s': %u waves of %u vector registers do not fit a compute unit", kernel->name,
            launch->wave_count, kiln_sim_kernel_total_vgprs(kernel));
    // Reduce the limit if the host lacks memory: the scratch memory of all resident waves can take
    // 78 GB.
    uint64_t wave_bytes = sizeof(kiln_sim_wave_t) + (uint64_t)KILN_GFX942_LANES * scratch;
    uint64_t group_bytes =
        launch->wave_count * wave_bytes + lds + (options->order ? options->order->group_bytes : 0);
    uint64_t room = kiln_sim_memory_left(launch->memory) / group_bytes;
    if (room < launch->resident_limit)
        launch->resident_limit = room ? room : 1;
    if (d->cooperative && launch->group_count > launch->resident_limit)
        return kiln_sim_fail(error, 720,
                             "cooperative launch of kernel '%s': %" PRIu64
                             " workgroups, but only %" PRIu64 " are resident at once",
                             kernel->name, launch->group_count, launch->resident_limit);
    return true;
}

bool kiln_sim_launch_check(kiln_sim_machine_t *machine, const kiln_sim_setup_t *setup,
                           const kiln_sim_dispatch_t *dispatch, kiln_sim_error_t *error)
{
    kiln_sim_launch_t launch = {.machine = machine,
                                .memory = &machine->memory,
                                .kernel = dispatch->kernel,
                                .dispatch = dispatch,
                                .options = &setup->options};
    return check_shape(&launch, error);
}

// Makes sure that the machine has at least `threads` host threads.
static bool have_workers(kiln_sim_machine_t *machine, unsigned threads)
{
    if (machine->workers && kiln_sim_workers_room(machine->workers) < threads) {
        kiln_sim_workers_destroy(machine->workers);
        machine->workers = NULL;
    }
    if (!machine->workers)
        machine->workers = kiln_sim_workers_create(threads);
    return machine->workers != NULL;
}

bool kiln_sim_launch_run(kiln_sim_machine_t *machine, const kiln_sim_setup_t *setup,
                         const kiln_sim_dispatch_t *dispatch, struct kiln_sim_findings *findings,
                         kiln_sim_launch_stats_t *stats, kiln_sim_error_t *error)
{
    const kiln_sim_kernel_t *kernel = dispatch->kernel;
    const kiln_sim_options_t *options = &setup->options;
    kiln_sim_launch_t launch = {.machine = machine,
                                .memory = &machine->memory,
                                .findings = findings,
                                .program = kernel->object->program,
                                .kernel = kernel,
                                .dispatch = dispatch,
                                .options = options,
                                .slots = setup->observers,
                                .threads = options->threads,
                                .fault_lock = PTHREAD_MUTEX_INITIALIZER,
                                .failed_group = UINT64_MAX,
                                .image = (uint64_t)(uintptr_t)kernel->object->image};
    double started = kiln_now_ms();
    __atomic_fetch_add(&machine->memory.launches, 1, __ATOMIC_RELAXED);
    bool good = false;
    kiln_sim_thread_t *threads = NULL;
    size_t count = 0;
    if (!check_shape(&launch, error))
        return false;

    // With preloaded arguments, the first 256 bytes are a prologue for firmware that does not
    // support preloading.
    kiln_sim_error_t detail = {0};
    uint64_t entry = kernel->entry + (kernel->preload & 127 ? 256 : 0);
    launch.entry = kiln_sim_program_at(launch.program, entry, &detail);
    if (!launch.entry)
        return kiln_sim_fail(error, detail.code, "kernel '%s' cannot run: %s", kernel->name,
                             detail.text);
    kiln_sim_idle_forget(machine, kernel->object);

    for (unsigned place = 0; place < KILN_SIM_PLACES; place++) {
        const kiln_sim_observer_t *observer = setup->observers[place].table;
        if (observer && observer->in_order)
            launch.threads = 1;
    }
    kiln_sim_memory_begin_use(&machine->memory);
    if (!kiln_sim_observe_launch_begin(&launch)) {
        kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory to observe the launch");
        goto done;
    }
    if (!kiln_sim_launch_arguments(&launch, error))
        goto done;
    if (!kiln_timing_clock_restrict(&launch)) {
        kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for the clock");
        goto done;
    }
    count = launch.threads < launch.todo ? launch.threads : (size_t)launch.todo;
    if (count > launch.resident_limit)
        count = (size_t)launch.resident_limit;
    if (have_workers(machine, options->threads))
        threads = kiln_sim_workers_prepare(machine->workers, &launch, count,
                                           kiln_sim_program_count(launch.program));
    if (!threads) {
        kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory");
        goto done;
    }
    for (size_t i = 0; i < count; i++) {
        if (!kiln_sim_observe_thread_begin(&threads[i])) {
            kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY,
                          "out of host memory to observe the launch");
            goto done;
        }
    }
    if (dispatch->cooperative)
        kiln_sim_gws_start(machine->gws, launch.group_count);
    kiln_sim_workers_run(machine->workers, &launch, count);
    if (!launch.failed && kiln_timing_clock_needs_rerun(&launch))
        kiln_sim_workers_run(machine->workers, &launch, count);
    // Print what the kernel wrote before it failed. A record that the failure truncated is not an
    // additional error.
    if (launch.printed &&
        !kiln_sim_print_buffer_print(launch.printed, kernel, launch.failed ? NULL : error) &&
        !launch.failed)
        goto done;
    if (launch.failed) {
        kiln_sim_gws_abandon(machine->gws);
        if (error)
            *error = launch.error;
        goto done;
    }
    kiln_sim_launch_summary(&launch, threads, count, stats);
    stats->host_seconds = (kiln_now_ms() - started) * 1e-3;
    good = true;

done:
    for (size_t i = 0; threads && i < count; i++)
        kiln_sim_observe_thread_end(&threads[i]);
    kiln_sim_observe_launch_end(&launch);
    kiln_sim_hostcall_free(launch.hostcall);
    if (launch.printed)
        kiln_sim_memory_free(&machine->memory, launch.printed, NULL);
    if (launch.kernarg && launch.kernarg != machine->arguments)
        kiln_sim_memory_free(&machine->memory, launch.kernarg, NULL);
    kiln_sim_memory_end_use(&machine->memory);
    return good;
}
