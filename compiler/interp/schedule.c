// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes program instances in order, each on its own stack so that one that waits for another can
// yield.
//
// An instance runs until it ends, except that in a loop that repeatedly reads memory it yields to
// the next one from time to time. Note that a deadlock must be distinguished from slow progress: it
// is reported if, for many rounds over all instances that have begun, each one yielded and none
// changed memory, and no further one can begin.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "base/hash.h"
#include "interp/races.h"
#include "interp/stacks.h"

// RESERVED_BYTES of a stack are for functions that an operation calls: MLIR, printf, the host's
// function that receives printed text.
enum {
    STACK_BYTES = 2 << 20,
    RESERVED_BYTES = 256 << 10,
    MAX_WAITING = 4096,
    QUIET_ROUNDS = 64,
    MOVING_ROUNDS = 1 << 18
};

typedef struct fiber {
    kiln_instance_t instance;
    ucontext_t context;
    void *memory; // its stack
    kiln_stack_t stack;
    struct scheduler *scheduler;
    kiln_status_t status;
    bool done;
    struct fiber *next; // in the queue of waiting ones or the list of spare ones
} fiber_t;

typedef struct scheduler {
    kiln_machine_t *machine;
    const kiln_ifunction_t *kernel;
    ucontext_t context;
    fiber_t *current, *spare;
    fiber_t *first, *last; // the queue of waiting ones
    size_t waiting;
    kiln_stack_t stack; // the caller's
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

KILN_STACK_NOT_WATCHED static void enter_fiber(unsigned high, unsigned low)
{
    fiber_t *fiber = (fiber_t *)(uintptr_t)((uint64_t)high << 32 | low);
    kiln_stack_arrive(NULL, &fiber->scheduler->stack);
    fiber->status = run_kernel(fiber);
    fiber->done = true;
    kiln_stack_leave(NULL, &fiber->scheduler->stack);
}

static void resume(scheduler_t *s, fiber_t *fiber)
{
    s->current = fiber;
    kiln_stack_leave(&s->stack, &fiber->stack);
    swapcontext(&s->context, &fiber->context);
    kiln_stack_arrive(&s->stack, NULL);
}

// A hash of all values in a function's frame.
static uint64_t state_of(const kiln_iframe_t *frame)
{
    uint64_t state = 0;
    for (int i = 0; i < frame->function->slot_count; i++) {
        const kiln_itile_t *tile = frame->slots[i];
        uint64_t both[] = {
            state, tile ? kiln_hash_quick(tile->bits, tile->count * sizeof *tile->bits) : 0};
        state = kiln_hash_quick(both, sizeof both);
    }
    return state;
}

kiln_status_t kiln_instance_yield(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    if (!frame->instance->has_read)
        return KILN_OK;
    const uint64_t state = state_of(frame);
    frame->instance->moved = state != frame->instance->state;
    frame->instance->state = state;
    frame->instance->waits_at = op;
    frame->instance->has_read = false;
    scheduler_t *s = frame->instance->scheduler;
    fiber_t *fiber = s->current;
    kiln_stack_leave(&fiber->stack, &s->stack);
    swapcontext(&fiber->context, &s->context);
    kiln_stack_arrive(&fiber->stack, NULL);
    return fiber->status; // an error if abandoned, so that its tiles are released
}

bool kiln_instance_has_room(const kiln_instance_t *instance)
{
    const scheduler_t *s = instance->scheduler;
    return (uintptr_t)__builtin_frame_address(0) > (uintptr_t)s->current->memory + RESERVED_BYTES;
}

static fiber_t *make_fiber(scheduler_t *s, uint64_t number)
{
    fiber_t *fiber = s->spare;
    if (fiber) {
        s->spare = fiber->next;
    } else if (!(fiber = calloc(1, sizeof *fiber)) || !(fiber->memory = malloc(STACK_BYTES))) {
        free(fiber);
        return NULL;
    } else {
        kiln_stack_create(&fiber->stack, fiber->memory, STACK_BYTES);
    }
    const unsigned *grid = s->machine->launch->grid;
    fiber->instance = (kiln_instance_t){.scheduler = s,
                                        .number = number,
                                        .id = {(unsigned)(number % grid[0]),
                                               (unsigned)(number / grid[0] % grid[1]),
                                               (unsigned)(number / grid[0] / grid[1])}};
    fiber->scheduler = s;
    fiber->status = KILN_OK;
    fiber->done = false;
    fiber->next = NULL;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->memory;
    fiber->context.uc_stack.ss_size = STACK_BYTES;
    fiber->context.uc_link = &s->context;
    uint64_t pointer = (uint64_t)(uintptr_t)fiber;
    makecontext(&fiber->context, (void (*)(void))enter_fiber, 2, (unsigned)(pointer >> 32),
                (unsigned)pointer);
    return fiber;
}

static void retire(scheduler_t *s, fiber_t *fiber)
{
    fiber->next = s->spare;
    s->spare = fiber;
}

static void enqueue(scheduler_t *s, fiber_t *fiber)
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

// Resumes a fiber, then queues or retires it. Returns its error if it ended with one.
static kiln_status_t step(scheduler_t *s, fiber_t *fiber)
{
    resume(s, fiber);
    if (!fiber->done) {
        enqueue(s, fiber);
        return KILN_OK;
    }
    kiln_status_t status = fiber->status;
    kiln_races_end(s->machine->races, fiber->instance.number);
    retire(s, fiber);
    return status;
}

// Gives each waiting fiber a turn. *out_moved: the values of one that still waits have changed.
static kiln_status_t run_waiting(scheduler_t *s, bool *out_moved)
{
    for (size_t left = s->waiting; left; left--) {
        fiber_t *fiber = take_first(s);
        KILN_TRY(step(s, fiber));
        *out_moved |= !fiber->done && fiber->instance.moved;
    }
    return KILN_OK;
}

static kiln_status_t all_wait(const scheduler_t *s)
{
    const kiln_instance_t *first = &s->first->instance;
    kiln_status_t status = kiln_status_make(KILN_STATUS_DEVICE,
                                            "deadlock: %zu programs wait in a loop for memory to "
                                            "change, and no other program is running",
                                            s->waiting);
    return kiln_status_annotate(kiln_status_at_op(status, first->waits_at->mlir),
                                "program (%u, %u, %u) waits here", first->id[0], first->id[1],
                                first->id[2]);
}

static kiln_status_t run_all(scheduler_t *s)
{
    const unsigned *grid = s->machine->launch->grid;
    uint64_t total = (uint64_t)grid[0] * grid[1] * grid[2],
             begun = 0;            // below 2^32, checked by kiln_interp_launch
    unsigned quiet = 0, still = 0; // rounds without a change of memory, and of any program's values
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
        bool values_change = false;
        // Waiting fibers get a turn after every 64 new ones, and in every round once none can
        // begin.
        if (waited && (!can_begin || begun % 64 == 0 || begun == total))
            KILN_TRY(run_waiting(s, &values_change));
        bool moved = s->machine->changes != changes || s->waiting < waited || can_begin;
        quiet = moved ? 0 : quiet + 1;
        still = moved || values_change ? 0 : still + 1;
        if (still > QUIET_ROUNDS || quiet > MOVING_ROUNDS)
            return all_wait(s);
    }
    return KILN_OK;
}

// Ends the waiting fibers with an error so that they release their resources.
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
        kiln_stack_destroy(&fiber->stack);
        free(fiber->memory);
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
    scheduler_t scheduler = {.machine = machine, .kernel = kernel, .stack = kiln_stack_current()};
    kiln_status_t status =
        machine->races || launch->lenient ? run_all(&scheduler) : kiln_status_out_of_memory();
    abandon(&scheduler);
    kiln_races_free(machine->races);
    kiln_itile_free_all(machine);
    free(machine);
    return status;
}
