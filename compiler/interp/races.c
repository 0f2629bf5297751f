// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each element of a buffer remembers the event that wrote it last and two that read it; an event is what one operation
// does in one epoch of a program. Elements are as large as the first access of the buffer; where another one does not fit, they are bytes.
//
// Order: a program's events lie in epochs, which its releases end. A release gets the next number of all releases; a
// program that acquires knows all releases up to then. So an event is known where its epoch's release is.
#include "interp/races.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_CELLS = 1024, RECENT = 1024, NONE = 0 };
static const uint32_t CHANGED = 1u << 31; // beside a writer's event: it left another value than it found

typedef enum order { RELAXED = 1, ACQUIRE = 2, RELEASE = 3, BOTH = 4 } order_t; // tt's MemSemantic
enum { SCOPE_CTA = 2 };                                                         // of tt's MemSyncScope

typedef struct event {
    const kiln_iop_t *op;
    uint32_t program, epoch;
    bool is_atomic, is_volatile;
} event_t;

typedef struct cell {
    uint32_t writer;     // an event, perhaps with CHANGED
    uint32_t stamp;      // tells the writer's executions apart
    uint32_t readers[2]; // of different programs
} cell_t;

typedef struct region {
    cell_t **pages; // NULL where nothing has been touched
    size_t count;
    unsigned bytes; // of an element
} region_t;

struct kiln_races {
    const kiln_interp_launch_t *launch;
    event_t *events; // the first is nobody's
    size_t event_count, event_capacity;
    uint32_t recent[RECENT]; // events that are likely to be met again, by operation and program
    const kiln_iop_t *op;    // what is being executed, and which of its executions
    uint64_t operations;
    uint32_t event;
    uint32_t *releases; // of each epoch: its number, 0 while it is open
    size_t epoch_count, epoch_capacity;
    uint32_t release_count;
    uint64_t program_count;
    uint32_t *epoch_of, *acquired; // of each program
    region_t *regions;             // of the buffers
};

kiln_races_t *kiln_races_create(const kiln_interp_launch_t *launch)
{
    kiln_races_t *races = calloc(1, sizeof *races);
    if (!races)
        return NULL;
    races->launch = launch;
    races->program_count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    races->epoch_of = calloc(races->program_count + 1, sizeof *races->epoch_of);
    races->acquired = calloc(races->program_count + 1, sizeof *races->acquired);
    races->regions = calloc(launch->buffer_count + 1, sizeof *races->regions);
    races->event_count = races->epoch_count = 1;
    if (!races->epoch_of || !races->acquired || !races->regions) {
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
    free(races->regions);
    free(races->epoch_of);
    free(races->acquired);
    free(races->releases);
    free(races->events);
    free(races);
}

// Bookkeeping -----------------------------------------------------------------------------------------------------------

static bool grow(void **list, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    size_t wanted = *capacity ? 2 * *capacity : 256;
    void *larger = realloc(*list, wanted * size);
    if (!larger)
        return false;
    memset((char *)larger + *capacity * size, 0, (wanted - *capacity) * size);
    *list = larger;
    *capacity = wanted;
    return true;
}

// The epoch that the program is in; 0 where memory is short.
static uint32_t epoch_of(kiln_races_t *races, uint32_t program)
{
    if (races->epoch_of[program])
        return races->epoch_of[program];
    if (!grow((void **)&races->releases, races->epoch_count, &races->epoch_capacity, sizeof *races->releases))
        return 0;
    races->releases[races->epoch_count] = 0;
    return races->epoch_of[program] = (uint32_t)races->epoch_count++;
}

// What the operation does in this epoch; 0 where memory is short.
static uint32_t find_event(kiln_races_t *races, const kiln_iop_t *op, uint32_t program, uint32_t epoch, bool is_atomic)
{
    uint32_t *recent = &races->recent[((uintptr_t)op / sizeof *op * 31 + program) % RECENT];
    const event_t *known = *recent ? &races->events[*recent] : NULL;
    if (known && known->op == op && known->program == program && known->epoch == epoch)
        return *recent;
    if (races->event_count == CHANGED - 1 ||
        !grow((void **)&races->events, races->event_count, &races->event_capacity, sizeof *races->events))
        return NONE;
    bool is_volatile = op->kind == KILN_OP_TT_LOAD && kiln_ir_int_attr(op->mlir, "isVolatile", 0);
    races->events[races->event_count] = (event_t){op, program, epoch, is_atomic, is_volatile};
    return *recent = (uint32_t)races->event_count++;
}

// The event of the operation that is being executed; 0 where memory is short. An atomic operation acquires when it
// begins, and releases with itself what its program has done.
static uint32_t event_of(kiln_iframe_t *frame, const kiln_iop_t *op, bool is_atomic)
{
    kiln_races_t *races = frame->machine->races;
    uint32_t program = (uint32_t)frame->instance->number;
    if (races->op == op && races->operations == frame->machine->operations && races->event &&
        races->events[races->event].program == program)
        return races->event;
    races->op = op;
    races->operations = frame->machine->operations;
    races->event = NONE;
    int64_t order = is_atomic ? kiln_ir_int_attr(op->mlir, "sem", BOTH) : RELAXED;
    if (is_atomic && kiln_ir_int_attr(op->mlir, "scope", 1) == SCOPE_CTA)
        order = RELAXED;
    if (order == ACQUIRE || order == BOTH)
        races->acquired[program] = races->release_count;
    uint32_t epoch = epoch_of(races, program);
    races->event = epoch ? find_event(races, op, program, epoch, is_atomic) : NONE;
    if (epoch && (order == RELEASE || order == BOTH)) {
        races->releases[epoch] = ++races->release_count;
        races->epoch_of[program] = 0; // what comes is in the next one
    }
    return races->event;
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

// Each byte becomes an element of its own.
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

// Makes the buffer's cells fit an access; how many there are then. 0 where memory is short.
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

// Where an access lies, and the event that it is.
typedef struct place {
    kiln_races_t *races;
    region_t *region;
    uint64_t offset;
    uint32_t event, program;
    unsigned count; // cells; 0 where memory is short
} place_t;

static place_t find_place(kiln_iframe_t *frame, const kiln_iop_t *op, uint64_t address, unsigned bytes, bool is_atomic)
{
    place_t place = {.races = frame->machine->races, .program = (uint32_t)frame->instance->number};
    size_t buffer = frame->machine->last_buffer; // kiln_access has just found it
    place.region = &place.races->regions[buffer];
    place.offset = address - place.races->launch->buffers[buffer].address;
    place.event = event_of(frame, op, is_atomic);
    place.count = place.event ? fit_cells(place.races, buffer, place.offset, bytes) : 0;
    return place;
}

static cell_t *cell_at(const place_t *place, unsigned index)
{
    return cell_in(place->region, place->offset / place->region->bytes + index);
}

// Is what the event did before what the program does now?
static bool is_known(const kiln_races_t *races, uint32_t event, uint32_t program)
{
    const event_t *e = &races->events[event];
    uint32_t release = races->releases[e->epoch];
    return event == NONE || e->program == program || (release && release <= races->acquired[program]);
}

// Failures --------------------------------------------------------------------------------------------------------------

static kiln_status_t fail(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type, size_t index,
                          uint32_t other, const char *now, const char *before)
{
    const kiln_races_t *races = frame->machine->races;
    const event_t *event = &races->events[other];
    const unsigned *grid = races->launch->grid;
    uint32_t id = event->program;
    kiln_status_t place = kiln_status_at_op(kiln_status_make(KILN_STATUS_INVALID_INPUT, "place"), event->op->mlir);
    kiln_status_t status =
        kiln_fail_element(frame, op, type, index, "%s what program (%u, %u, %u) has %s, and nothing orders the two",
                          now, id % grid[0], id / grid[0] % grid[1], id / grid[0] / grid[1], before);
    if (kiln_status_file(place))
        status = kiln_status_annotate(status, "that one did it at %s:%u:%u", kiln_status_file(place),
                                      kiln_status_line(place), kiln_status_column(place));
    kiln_status_free(place);
    return kiln_status_annotate(status, "with `lenient` the interpreter goes on with the programs in their order");
}

// Accesses --------------------------------------------------------------------------------------------------------------

static void note_reader(kiln_races_t *races, cell_t *cell, uint32_t event)
{
    uint32_t program = races->events[event].program;
    for (int i = 0; i < 2; i++)
        if (is_known(races, cell->readers[i], program)) { // also its own
            cell->readers[i] = event;
            return;
        }
}

kiln_status_t kiln_race_read(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type, size_t index,
                             uint64_t address, unsigned bytes)
{
    kiln_races_t *races = frame->machine->races;
    if (!races || races->program_count == 1)
        return KILN_OK;
    place_t place = find_place(frame, op, address, bytes, false);
    if (place.event && races->events[place.event].is_volatile)
        return KILN_OK;
    for (unsigned i = 0; i < place.count; i++) {
        cell_t *cell = cell_at(&place, i);
        if (!cell)
            return kiln_status_out_of_memory();
        uint32_t writer = cell->writer & ~CHANGED;
        if ((cell->writer & CHANGED) && !is_known(races, writer, place.program))
            return fail(frame, op, type, index, writer, "reads", "written");
        note_reader(races, cell, place.event);
    }
    return place.count ? KILN_OK : kiln_status_out_of_memory();
}

kiln_status_t kiln_race_write(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type, size_t index,
                              uint64_t address, unsigned char *host, unsigned bytes, uint64_t bits)
{
    kiln_races_t *races = frame->machine->races;
    if (!races)
        return KILN_OK;
    place_t place = find_place(frame, op, address, bytes, false);
    for (unsigned i = 0; i < place.count; i++) {
        cell_t *cell = cell_at(&place, i);
        if (!cell)
            return kiln_status_out_of_memory();
        unsigned size = place.region->bytes;
        uint32_t writer = cell->writer & ~CHANGED;
        bool changes = kiln_bytes_read(host + i * size, size) != (bits >> 8 * size * i & UINT64_MAX >> (64 - 8 * size));
        bool is_own = writer == place.event && cell->stamp == (uint32_t)races->operations;
        if (changes && is_own)
            return kiln_status_annotate(
                kiln_fail_element(frame, op, type, index,
                                  "stores to a place where an element before it has stored another value"),
                "with `lenient` the interpreter goes on with the last one");
        if (changes && !is_known(races, writer, place.program))
            return fail(frame, op, type, index, writer, "overwrites", "written");
        for (int r = 0; r < 2 && changes; r++)
            if (!is_known(races, cell->readers[r], place.program))
                return fail(frame, op, type, index, cell->readers[r], "overwrites", "read");
        // What changes nothing hides no change that somebody else has made.
        bool changed = changes || (writer == place.event && (cell->writer & CHANGED));
        if (!changes && !is_known(races, writer, place.program))
            continue;
        cell->writer = place.event | (changed ? CHANGED : 0);
        cell->stamp = (uint32_t)races->operations;
    }
    return place.count ? KILN_OK : kiln_status_out_of_memory();
}

kiln_status_t kiln_race_atomic(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type, size_t index,
                               uint64_t address, unsigned bytes)
{
    kiln_races_t *races = frame->machine->races;
    if (!races || races->program_count == 1)
        return KILN_OK;
    bool only_reads = op->kind == KILN_OP_TT_ATOMIC_POLL;
    place_t place = find_place(frame, op, address, bytes, true);
    for (unsigned i = 0; i < place.count; i++) {
        cell_t *cell = cell_at(&place, i);
        if (!cell)
            return kiln_status_out_of_memory();
        uint32_t writer = cell->writer & ~CHANGED;
        if ((cell->writer & CHANGED) && !races->events[writer].is_atomic && !is_known(races, writer, place.program))
            return fail(frame, op, type, index, writer, "updates", "written, not by an atomic operation");
        for (int r = 0; r < 2 && !only_reads; r++)
            if (!is_known(races, cell->readers[r], place.program))
                return fail(frame, op, type, index, cell->readers[r], "updates", "read, not by an atomic operation");
        if (!only_reads)
            cell->writer = place.event | CHANGED;
    }
    return place.count ? KILN_OK : kiln_status_out_of_memory();
}
