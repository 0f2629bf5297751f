// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects races; see races.h. Each element of a buffer records the event of its last write and two
// events that read it; an event is all accesses of one operation in one epoch of a program.
// Elements have the size of the buffer's first access; if another access does not fit, they become
// bytes.
//
// Order is by vector clocks (vector_clock.h). A program's releases and barriers end its epochs. A
// release stores the program's clock, with its own epochs, at the address; an acquire merges the
// clock at the address into the program's. An event happened before the program's later operations
// if its epoch is in the program's clock.
//
// Note that an atomic operation on a tile releases only the earlier accesses of each thread; for
// the whole program it releases the accesses before the last barrier.
#include "interp/races.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "interp/root_argument.h"
#include "interp/vector_clock.h"

enum { PAGE_CELLS = 1024, RECENT = 1024, NONE = 0, FIRST_EPOCH = 1 };
static const uint32_t CHANGED = 1u << 31; // added to a writer's event: the write changed the value

typedef enum order { RELAXED = 1, ACQUIRE = 2, RELEASE = 3, BOTH = 4 } order_t; // tt's MemSemantic
enum { SCOPE_CTA = 2 }; // of tt's MemSyncScope

typedef struct event {
    const kiln_iop_t *op;
    uint32_t program, epoch;
    bool is_atomic, is_volatile;
    bool is_of_tile;   // an atomic operation on one
    unsigned argument; // 1 + the pointer argument of the access; 0: unknown or not needed
} event_t;

typedef struct cell {
    uint32_t writer;     // an event, perhaps with CHANGED
    uint32_t stamp;      // distinguishes the writer's executions
    uint32_t readers[2]; // of different programs
} cell_t;

typedef struct region {
    cell_t **pages; // NULL: not accessed yet
    size_t count;
    unsigned bytes; // of an element
} region_t;

struct kiln_races {
    const kiln_interp_launch_t *launch;
    event_t *events; // the first is a placeholder: none
    size_t event_count, event_capacity;
    uint32_t recent[RECENT]; // recently used events, hashed by operation and program
    const kiln_iop_t *op;    // the operation being executed, and which of its executions
    uint64_t operations;
    uint32_t event;
    bool acquires, releases;
    uint32_t released; // the last epoch that it releases; 0: only itself
    bool has_aliases;  // two arguments point into one buffer
    uint64_t program_count;
    uint32_t *epochs,
        *fenced; // of each program: the current one, and the last before a barrier (0: none)
    kiln_vector_clock_t *known; // of each program
    kiln_address_clocks_t places;
    region_t *regions; // of the buffers
};

static bool has_aliases(const kiln_interp_launch_t *launch)
{
    for (size_t b = 0; b < launch->buffer_count; b++) {
        size_t inside = 0;
        for (size_t i = 0; i < launch->argument_count; i++)
            inside += launch->arguments[i] - launch->buffers[b].address < launch->buffers[b].size;
        if (inside > 1)
            return true;
    }
    return false;
}

kiln_races_t *kiln_races_create(const kiln_interp_launch_t *launch)
{
    kiln_races_t *races = calloc(1, sizeof *races);
    if (!races)
        return NULL;
    races->launch = launch;
    races->has_aliases = has_aliases(launch);
    races->program_count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    races->epochs = calloc(races->program_count + 1, sizeof *races->epochs);
    races->fenced = calloc(races->program_count + 1, sizeof *races->fenced);
    races->known = calloc(races->program_count + 1, sizeof *races->known);
    races->regions = calloc(launch->buffer_count + 1, sizeof *races->regions);
    races->event_count = 1;
    if (!races->epochs || !races->fenced || !races->known || !races->regions) {
        kiln_races_free(races);
        return NULL;
    }
    return races;
}

void kiln_races_free(kiln_races_t *races)
{
    if (!races)
        return;
    for (size_t i = 0; races->regions && i < races->launch->buffer_count; i++) {
        for (size_t p = 0; p < races->regions[i].count; p++)
            free(races->regions[i].pages[p]);
        free(races->regions[i].pages);
    }
    for (uint64_t i = 0; races->known && i < races->program_count; i++)
        kiln_vector_clock_free(&races->known[i]);
    kiln_address_clocks_free(&races->places);
    free(races->regions);
    free(races->epochs);
    free(races->fenced);
    free(races->known);
    free(races->events);
    free(races);
}

// Bookkeeping -------------------------------------------------------------------------------------

// Makes room for one more event. Those that are not in use are zero.
static bool reserve_event(kiln_races_t *races)
{
    const size_t old = races->event_capacity;
    if (!KILN_ARRAY_RESERVE(&races->events, &races->event_capacity, races->event_count + 1))
        return false;
    memset(races->events + old, 0, (races->event_capacity - old) * sizeof *races->events);
    return true;
}

// The operation's event in this epoch; 0 if out of memory.
static uint32_t find_event(kiln_races_t *races, const kiln_iop_t *op, uint32_t program,
                           uint32_t epoch, bool is_atomic)
{
    uint32_t *recent = &races->recent[((uintptr_t)op / sizeof *op * 31 + program) % RECENT];
    const event_t *known = *recent ? &races->events[*recent] : NULL;
    if (known && known->op == op && known->program == program && known->epoch == epoch)
        return *recent;
    if (races->event_count == CHANGED - 1 || !reserve_event(races))
        return NONE;
    bool is_volatile = op->kind == KILN_OP_TT_LOAD && kiln_ir_int_attr(op->mlir, "isVolatile", 0);
    races->events[races->event_count] = (event_t){.op = op,
                                                  .program = program,
                                                  .epoch = epoch,
                                                  .is_atomic = is_atomic,
                                                  .is_volatile = is_volatile};
    if (races->has_aliases)
        races->events[races->event_count].argument = kiln_root_argument(op->mlir);
    return *recent = (uint32_t)races->event_count++;
}

// The memory order of an atomic operation between programs.
static order_t order_of(const kiln_iop_t *op)
{
    const bool is_within = kiln_ir_int_attr(op->mlir, "scope", 1) == SCOPE_CTA;
    return is_within ? RELAXED : (order_t)kiln_ir_int_attr(op->mlir, "sem", BOTH);
}

// The event of the operation that is being executed; 0 if out of memory. A releasing operation is
// the last one of its epoch.
static uint32_t event_of(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type,
                         bool is_atomic)
{
    kiln_races_t *races = frame->machine->races;
    uint32_t program = (uint32_t)frame->instance->number;
    if (races->op == op && races->operations == frame->machine->operations && races->event &&
        races->events[races->event].program == program)
        return races->event;
    const order_t order = is_atomic ? order_of(op) : RELAXED;
    const uint32_t epoch = FIRST_EPOCH + races->epochs[program];
    races->op = op;
    races->operations = frame->machine->operations;
    races->event = find_event(races, op, program, epoch, is_atomic);
    races->acquires = order == ACQUIRE || order == BOTH;
    races->releases = order == RELEASE || order == BOTH;
    if (races->event && races->releases) {
        races->events[races->event].is_of_tile = type->rank > 0;
        if (type->rank == 0)
            races->fenced[program] = epoch;
        races->released = races->fenced[program];
        races->epochs[program]++; // for the operations that follow
    }
    return races->event;
}

void kiln_race_barrier(kiln_iframe_t *frame)
{
    kiln_races_t *races = frame->machine->races;
    const uint64_t program = frame->instance->number;
    if (races)
        races->fenced[program] = FIRST_EPOCH + races->epochs[program]++;
}

void kiln_races_end(kiln_races_t *races, uint64_t program)
{
    if (races)
        kiln_vector_clock_free(&races->known[program]);
}

static cell_t *cell_in(region_t *region, uint64_t index)
{
    cell_t **page = &region->pages[index / PAGE_CELLS];
    if (!*page && !(*page = calloc(PAGE_CELLS, sizeof **page)))
        return NULL;
    return &(*page)[index % PAGE_CELLS];
}

static bool make_pages(region_t *region, size_t size, unsigned bytes)
{
    size_t count = size / bytes / PAGE_CELLS + 1;
    region->bytes = bytes;
    region->pages = calloc(count, sizeof *region->pages);
    region->count = region->pages ? count : 0;
    return region->pages != NULL;
}

// Splits the elements into bytes.
static bool split(region_t *region, size_t size)
{
    region_t bytes = {0};
    bool good = make_pages(&bytes, size, 1);
    for (size_t p = 0; p < region->count; p++) {
        for (size_t i = 0; good && region->pages[p] && i < PAGE_CELLS * region->bytes; i++) {
            uint64_t at = p * PAGE_CELLS * region->bytes + i;
            cell_t *cell = at < size ? cell_in(&bytes, at) : NULL;
            good = cell || at >= size;
            if (cell)
                *cell = region->pages[p][i / region->bytes];
        }
        free(region->pages[p]);
    }
    free(region->pages);
    *region = bytes;
    return good;
}

// Makes the buffer's cells fit an access and returns how many it covers; 0 if out of memory.
static unsigned fit_cells(kiln_races_t *races, size_t buffer, uint64_t offset, unsigned bytes)
{
    region_t *region = &races->regions[buffer];
    size_t size = races->launch->buffers[buffer].size;
    if (!region->pages && !make_pages(region, size, offset % bytes ? 1 : bytes))
        return 0;
    if ((offset % region->bytes || bytes % region->bytes) && !split(region, size))
        return 0;
    return bytes / region->bytes;
}

// The place of an access, and its event.
typedef struct place {
    kiln_races_t *races;
    region_t *region;
    uint64_t offset;
    uint32_t event, program;
    unsigned count; // cells; 0 if out of memory
} place_t;

static place_t find_place(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type,
                          uint64_t address, unsigned bytes, bool is_atomic)
{
    place_t place = {.races = frame->machine->races, .program = (uint32_t)frame->instance->number};
    size_t buffer = frame->machine->last_buffer; // set by kiln_access
    place.region = &place.races->regions[buffer];
    place.offset = address - place.races->launch->buffers[buffer].address;
    place.event = event_of(frame, op, type, is_atomic);
    place.count = place.event ? fit_cells(place.races, buffer, place.offset, bytes) : 0;
    return place;
}

static cell_t *cell_at(const place_t *place, unsigned index)
{
    return cell_in(place->region, place->offset / place->region->bytes + index);
}

// Whether the event happened before the program's current operation. An atomic operation on a tile
// releases itself at each address, which epochs cannot express: a program that has acquired
// anything is assumed to have seen it.
static bool is_known(const kiln_races_t *races, uint32_t event, uint32_t program)
{
    const event_t *e = &races->events[event];
    const kiln_vector_clock_t *known = &races->known[program];
    return event == NONE || e->program == program || (e->is_of_tile && known->count) ||
           kiln_vector_clock_get(known, e->program) >= e->epoch;
}

// Failures ----------------------------------------------------------------------------------------

static kiln_status_t fail(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type,
                          size_t index, uint32_t other, const char *now, const char *before)
{
    const kiln_races_t *races = frame->machine->races;
    const event_t *event = &races->events[other];
    const unsigned *grid = races->launch->grid;
    uint32_t id = event->program;
    kiln_status_t place =
        kiln_status_at_op(kiln_status_make(KILN_STATUS_INVALID_INPUT, "place"), event->op->mlir);
    kiln_status_t status =
        kiln_fail_element(frame, op, type, index,
                          "%s what program (%u, %u, %u) has %s, with no ordering between them", now,
                          id % grid[0], id / grid[0] % grid[1], id / grid[0] / grid[1], before);
    if (kiln_status_file(place))
        status =
            kiln_status_annotate(status, "the other access is at %s:%u:%u", kiln_status_file(place),
                                 kiln_status_line(place), kiln_status_column(place));
    kiln_status_free(place);
    return kiln_status_annotate(status, "set `lenient` to continue with the programs in order");
}

// The memory model says that the buffers of two pointer arguments do not alias, so memory that is
// stored to must not be accessed through both.
static bool is_alias(const kiln_races_t *races, uint32_t event, uint32_t other)
{
    const unsigned a = races->events[event].argument, b = races->events[other].argument;
    return a && b && a != b;
}

static kiln_status_t fail_alias(kiln_iframe_t *frame, const kiln_iop_t *op,
                                const kiln_itype_t *type, size_t index, uint32_t event,
                                uint32_t other, const char *now, const char *before)
{
    const kiln_races_t *races = frame->machine->races;
    return kiln_status_annotate(
        kiln_fail_element(frame, op, type, index,
                          "%s through argument %u what was %s through argument %u, but buffers of "
                          "different arguments must not alias",
                          now, races->events[event].argument, before,
                          races->events[other].argument),
        "set `lenient` to continue with one buffer");
}

// Accesses ----------------------------------------------------------------------------------------

static void note_reader(kiln_races_t *races, cell_t *cell, uint32_t event)
{
    uint32_t program = races->events[event].program;
    for (int i = 0; i < 2; i++)
        if (is_known(races, cell->readers[i], program)) { // including its own
            cell->readers[i] = event;
            return;
        }
}

kiln_status_t kiln_race_read(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type,
                             size_t index, uint64_t address, unsigned bytes)
{
    kiln_races_t *races = frame->machine->races;
    if (!races || (races->program_count == 1 && !races->has_aliases))
        return KILN_OK;
    place_t place = find_place(frame, op, type, address, bytes, false);
    if (place.event && races->events[place.event].is_volatile)
        return KILN_OK;
    for (unsigned i = 0; i < place.count; i++) {
        cell_t *cell = cell_at(&place, i);
        if (!cell)
            return kiln_status_out_of_memory();
        uint32_t writer = cell->writer & ~CHANGED;
        if ((cell->writer & CHANGED) && !is_known(races, writer, place.program))
            return fail(frame, op, type, index, writer, "reads", "written");
        if (is_alias(races, place.event, writer))
            return fail_alias(frame, op, type, index, place.event, writer, "reads", "stored");
        note_reader(races, cell, place.event);
    }
    return place.count ? KILN_OK : kiln_status_out_of_memory();
}

kiln_status_t kiln_race_write(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type,
                              size_t index, uint64_t address, unsigned char *host, unsigned bytes,
                              uint64_t bits)
{
    kiln_races_t *races = frame->machine->races;
    if (!races)
        return KILN_OK;
    place_t place = find_place(frame, op, type, address, bytes, false);
    for (unsigned i = 0; i < place.count; i++) {
        cell_t *cell = cell_at(&place, i);
        if (!cell)
            return kiln_status_out_of_memory();
        unsigned size = place.region->bytes;
        uint32_t writer = cell->writer & ~CHANGED;
        bool changes = kiln_bytes_read(host + i * size, size) !=
                       (bits >> 8 * size * i & UINT64_MAX >> (64 - 8 * size));
        bool is_own = writer == place.event && cell->stamp == (uint32_t)races->operations;
        if (changes && is_own)
            return kiln_status_annotate(
                kiln_fail_element(frame, op, type, index,
                                  "stores to an address where an earlier element of the tile has "
                                  "stored another value"),
                "set `lenient` to continue with the last value stored");
        if (changes && !is_known(races, writer, place.program))
            return fail(frame, op, type, index, writer, "overwrites", "written");
        if (is_alias(races, place.event, writer))
            return fail_alias(frame, op, type, index, place.event, writer, "stores", "stored");
        for (int r = 0; r < 2; r++)
            if (is_alias(races, place.event, cell->readers[r]))
                return fail_alias(frame, op, type, index, place.event, cell->readers[r], "stores",
                                  "read");
        for (int r = 0; r < 2 && changes; r++)
            if (!is_known(races, cell->readers[r], place.program))
                return fail(frame, op, type, index, cell->readers[r], "overwrites", "read");
        // A write that changes nothing must not hide an earlier change by another program.
        bool changed = changes || (writer == place.event && (cell->writer & CHANGED));
        if (!changes && !is_known(races, writer, place.program))
            continue;
        cell->writer = place.event | (changed ? CHANGED : 0);
        cell->stamp = (uint32_t)races->operations;
    }
    return place.count ? KILN_OK : kiln_status_out_of_memory();
}

// Merges the clock at an address into the program's if the operation being executed acquires.
static kiln_status_t acquire(kiln_races_t *races, uint64_t address, uint32_t program)
{
    if (!races->acquires)
        return KILN_OK;
    const kiln_vector_clock_t *there = kiln_address_clocks_at(&races->places, address);
    return there && kiln_vector_clock_merge(&races->known[program], there)
               ? KILN_OK
               : kiln_status_out_of_memory();
}

// Stores the program's clock at an address if the operation being executed releases.
static kiln_status_t release(kiln_races_t *races, uint64_t address, uint32_t program)
{
    if (!races->releases)
        return KILN_OK;
    kiln_vector_clock_t *there = kiln_address_clocks_at(&races->places, address);
    return there && kiln_vector_clock_merge(there, &races->known[program]) &&
                   kiln_vector_clock_add(there, program, races->released)
               ? KILN_OK
               : kiln_status_out_of_memory();
}

kiln_status_t kiln_race_atomic(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type,
                               size_t index, uint64_t address, unsigned bytes,
                               kiln_atomic_effect_t effect)
{
    kiln_races_t *races = frame->machine->races;
    if (!races || (races->program_count == 1 && !races->has_aliases))
        return KILN_OK;
    const bool only_reads = effect == KILN_ATOMIC_READS;
    place_t place = find_place(frame, op, type, address, bytes, true);
    if (place.event)
        KILN_TRY(acquire(races, address, place.program));
    for (unsigned i = 0; i < place.count; i++) {
        cell_t *cell = cell_at(&place, i);
        if (!cell)
            return kiln_status_out_of_memory();
        uint32_t writer = cell->writer & ~CHANGED;
        if ((cell->writer & CHANGED) && !races->events[writer].is_atomic &&
            !is_known(races, writer, place.program))
            return fail(frame, op, type, index, writer, "updates", "written non-atomically");
        for (int r = 0; r < 2 && !only_reads; r++)
            if (!is_known(races, cell->readers[r], place.program))
                return fail(frame, op, type, index, cell->readers[r], "updates",
                            "read non-atomically");
        if (is_alias(races, place.event, writer))
            return fail_alias(frame, op, type, index, place.event, writer, "updates", "stored");
        if (!only_reads)
            cell->writer = place.event | CHANGED;
    }
    if (!place.count)
        return kiln_status_out_of_memory();
    return only_reads ? KILN_OK : release(races, address, place.program);
}
