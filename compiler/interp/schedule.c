// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Program instances in order, each on a stack of its own, so that one that waits for another can give way.
//
// An instance runs until it ends. Only in a loop that reads memory again and again does it give way, now and then, to the
// next one. The thing one gets wrong: when to call it a deadlock. Here it is when, for many rounds over all instances that
// have begun, every one of them gave way and none changed memory, and no further one can begin.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "interp/races.h"

#if defined(__SANITIZE_ADDRESS__)
#define SWITCHES_FIBERS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SWITCHES_FIBERS 1
#endif
#endif
#ifdef SWITCHES_FIBERS
#include <sanitizer/common_interface_defs.h>
#endif

enum { STACK_BYTES = 1 << 20, MAX_WAITING = 4096, QUIET_ROUNDS = 64 };

typedef struct fiber {
    kiln_instance_t instance;
    ucontext_t context;
    void *stack;
    struct scheduler *scheduler;
    kiln_status_t status;
    bool done;
    struct fiber *next; // the one that waits behind it, or in the list of spare ones
#ifdef SWITCHES_FIBERS
    void *fake_stack;
#endif
} fiber_t;

typedef struct scheduler {
    kiln_machine_t *machine;
    const kiln_ifunction_t *kernel;
    ucontext_t context;
    fiber_t *current, *spare;
    fiber_t *first, *last; // that wait
    size_t waiting;
#ifdef SWITCHES_FIBERS
    void *fake_stack;
    const void *stack_bottom;
    size_t stack_size;
#endif
} scheduler_t;

static kiln_status_t run_kernel(fiber_t *fiber)
{
    kiln_machine_t *machine = fiber->scheduler->machine;
    const kiln_ifunction_t *kernel = fiber->scheduler->kernel;
    const kiln_iblock_t *entry = &kernel->body.blocks[0];
    kiln_iframe_t frame = {.machine = machine,
                           .instance = &fiber->instance,
                           .function = kernel,
                           .slots = calloc((size_t)kernel->slot_count + 1, sizeof(kiln_itile_t *))};
    kiln_status_t status = frame.slots ? KILN_OK : kiln_status_out_of_memory();
    const uint64_t *argument = machine->launch->arguments;
    for (int i = 0; i < entry->argument_count && !status; i++) {
        const kiln_itype_t *type = kernel->slot_types[entry->arguments[i]];
        size_t words = kiln_itype_words(type);
        kiln_itile_t *tile = kiln_itile_create(machine, words);
        if (!tile) {
            status = kiln_status_out_of_memory();
            break;
        }
        for (size_t w = 0; w < words; w++)
            tile->bits[w] = words == 1 ? *argument++ & kiln_number_mask(type->number) : *argument++;
        frame.slots[entry->arguments[i]] = tile;
    }
    const kiln_iop_t *end;
    if (!status)
        status = kiln_run_region(&frame, &kernel->body, &end);
    for (int i = 0; frame.slots && i < kernel->slot_count; i++)
        kiln_itile_release(machine, frame.slots[i]);
    free(frame.slots);
    return status;
}

static void enter_fiber(unsigned high, unsigned low)
{
    fiber_t *fiber = (fiber_t *)(uintptr_t)((uint64_t)high << 32 | low);
#ifdef SWITCHES_FIBERS
    __sanitizer_finish_switch_fiber(NULL, &fiber->scheduler->stack_bottom, &fiber->scheduler->stack_size);
#endif
    fiber->status = run_kernel(fiber);
    fiber->done = true;
#ifdef SWITCHES_FIBERS
    __sanitizer_start_switch_fiber(NULL, fiber->scheduler->stack_bottom, fiber->scheduler->stack_size);
#endif
}

static void resume(scheduler_t *s, fiber_t *fiber)
{
    s->current = fiber;
#ifdef SWITCHES_FIBERS
    __sanitizer_start_switch_fiber(&s->fake_stack, fiber->stack, STACK_BYTES);
#endif
    swapcontext(&s->context, &fiber->context);
#ifdef SWITCHES_FIBERS
    __sanitizer_finish_switch_fiber(s->fake_stack, NULL, NULL);
#endif
}

kiln_status_t kiln_instance_yield(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    if (!frame->instance->looked)
        return KILN_OK;
    frame->instance->waits_at = op;
    frame->instance->looked = false;
    scheduler_t *s = frame->instance->scheduler;
    fiber_t *fiber = s->current;
#ifdef SWITCHES_FIBERS
    __sanitizer_start_switch_fiber(&fiber->fake_stack, s->stack_bottom, s->stack_size);
#endif
    swapcontext(&fiber->context, &s->context);
#ifdef SWITCHES_FIBERS
    __sanitizer_finish_switch_fiber(fiber->fake_stack, NULL, NULL);
#endif
    return fiber->status; // set where all wait, so that its tiles are given back
}

static fiber_t *make_fiber(scheduler_t *s, uint64_t number)
{
    fiber_t *fiber = s->spare;
    if (fiber) {
        s->spare = fiber->next;
    } else if (!(fiber = calloc(1, sizeof *fiber)) || !(fiber->stack = malloc(STACK_BYTES))) {
        free(fiber);
        return NULL;
    }
    const unsigned *grid = s->machine->launch->grid;
    fiber->instance = (kiln_instance_t){.scheduler = s,
                                        .number = number,
                                        .id = {(unsigned)(number % grid[0]), (unsigned)(number / grid[0] % grid[1]),
                                               (unsigned)(number / grid[0] / grid[1])}};
    fiber->scheduler = s;
    fiber->status = KILN_OK;
    fiber->done = false;
    fiber->next = NULL;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = STACK_BYTES;
    fiber->context.uc_link = &s->context;
    uint64_t pointer = (uint64_t)(uintptr_t)fiber;
    makecontext(&fiber->context, (void (*)(void))enter_fiber, 2, (unsigned)(pointer >> 32), (unsigned)pointer);
    return fiber;
}

static void retire(scheduler_t *s, fiber_t *fiber)
{
    fiber->next = s->spare;
    s->spare = fiber;
}

static void wait_behind(scheduler_t *s, fiber_t *fiber)
{
    fiber->next = NULL;
    if (s->last)
        s->last->next = fiber;
    else
        s->first = fiber;
    s->last = fiber;
    s->waiting++;
}

static fiber_t *take_first(scheduler_t *s)
{
    fiber_t *fiber = s->first;
    if (!(s->first = fiber->next))
        s->last = NULL;
    s->waiting--;
    return fiber;
}

// Resumes a fiber and files it; its failure, if it ended with one.
static kiln_status_t step(scheduler_t *s, fiber_t *fiber)
{
    resume(s, fiber);
    if (!fiber->done) {
        wait_behind(s, fiber);
        return KILN_OK;
    }
    kiln_status_t status = fiber->status;
    kiln_races_end(s->machine->races, fiber->instance.number);
    retire(s, fiber);
    return status;
}

// One turn for each that waits.
static kiln_status_t go_round(scheduler_t *s)
{
    for (size_t left = s->waiting; left; left--)
        KILN_TRY(step(s, take_first(s)));
    return KILN_OK;
}

static kiln_status_t all_wait(const scheduler_t *s)
{
    const kiln_instance_t *first = &s->first->instance;
    kiln_status_t status =
        kiln_status_make(KILN_STATUS_DEVICE,
                         "%zu programs wait in a loop for memory to change, and none is left to change it", s->waiting);
    return kiln_status_annotate(kiln_status_at_op(status, first->waits_at->mlir), "program (%u, %u, %u) waits here",
                                first->id[0], first->id[1], first->id[2]);
}

static kiln_status_t run_all(scheduler_t *s)
{
    const unsigned *grid = s->machine->launch->grid;
    uint64_t total = (uint64_t)grid[0] * grid[1] * grid[2], begun = 0;
    unsigned quiet = 0;
    while (begun < total || s->waiting) {
        uint64_t changes = s->machine->changes;
        bool can_begin = begun < total && s->waiting < MAX_WAITING;
        if (can_begin) {
            fiber_t *fiber = make_fiber(s, begun++);
            if (!fiber)
                return kiln_status_out_of_memory();
            KILN_TRY(step(s, fiber));
        }
        size_t waited = s->waiting;
        // Each that waits gets its turn when a new one has begun or, when none can begin, again and again.
        if (waited && (!can_begin || begun % 64 == 0 || begun == total))
            KILN_TRY(go_round(s));
        bool moved = s->machine->changes != changes || s->waiting < waited || can_begin;
        quiet = moved ? 0 : quiet + 1;
        if (quiet > QUIET_ROUNDS)
            return all_wait(s);
    }
    return KILN_OK;
}

// Lets the ones that still wait end with a failure, so that what they hold is released.
static void abandon(scheduler_t *s)
{
    while (s->first) {
        fiber_t *fiber = take_first(s);
        fiber->status = kiln_status_make(KILN_STATUS_DEVICE, "abandoned");
        resume(s, fiber);
        kiln_status_free(fiber->status);
        retire(s, fiber);
    }
    for (fiber_t *fiber = s->spare, *next; fiber; fiber = next) {
        next = fiber->next;
        free(fiber->stack);
        free(fiber);
    }
}

kiln_status_t kiln_interp_execute(const kiln_iprogram_t *program, const kiln_ifunction_t *kernel,
                                  const kiln_interp_launch_t *launch)
{
    kiln_machine_t *machine = calloc(1, sizeof *machine);
    if (!machine)
        return kiln_status_out_of_memory();
    machine->program = program;
    machine->launch = launch;
    machine->races = launch->lenient ? NULL : kiln_races_create(launch);
    scheduler_t scheduler = {.machine = machine, .kernel = kernel};
    kiln_status_t status = machine->races || launch->lenient ? run_all(&scheduler) : kiln_status_out_of_memory();
    abandon(&scheduler);
    kiln_races_free(machine->races);
    kiln_itile_free_all(machine);
    free(machine);
    return status;
}
