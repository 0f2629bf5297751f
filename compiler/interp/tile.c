// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles: reference counts, recycled memory, and marks of undefined elements.
//
// Note that slots share tiles, so elements may be written only while a tile is new.
#include <stdlib.h>
#include <string.h>

#include "interp/machine.h"

static int size_class(size_t count)
{
    return count > 1 ? 64 - __builtin_clzll(count - 1) : 0;
}

kiln_itile_t *kiln_itile_create(kiln_machine_t *machine, size_t count)
{
    int class = size_class(count);
    if (class >= KILN_INTERP_SIZE_CLASSES)
        return NULL;
    kiln_itile_t *tile = machine->free_tiles[class];
    if (tile) {
        machine->free_tiles[class] = tile->next_free;
    } else {
        tile = calloc(1, sizeof *tile);
        if (!tile || !(tile->bits = malloc(sizeof *tile->bits << class))) {
            free(tile);
            return NULL;
        }
        tile->next = machine->tiles;
        machine->tiles = tile;
    }
    tile->references = 1;
    tile->count = count;
    return tile;
}

kiln_itile_t *kiln_itile_copy(kiln_machine_t *machine, const kiln_itile_t *from)
{
    kiln_itile_t *tile = kiln_itile_create(machine, from->count);
    if (!tile)
        return NULL;
    memcpy(tile->bits, from->bits, from->count * sizeof *tile->bits);
    kiln_itile_inherit_undefined(tile, from);
    return tile;
}

kiln_itile_t *kiln_itile_retain(kiln_itile_t *tile)
{
    tile->references++;
    return tile;
}

void kiln_itile_release(kiln_machine_t *machine, kiln_itile_t *tile)
{
    if (!tile || --tile->references)
        return;
    free(tile->undefined);
    tile->undefined = NULL;
    int class = size_class(tile->count);
    tile->next_free = machine->free_tiles[class];
    machine->free_tiles[class] = tile;
}

void kiln_itile_free_all(kiln_machine_t *machine)
{
    for (kiln_itile_t *tile = machine->tiles, *next; tile; tile = next) {
        next = tile->next;
        free(tile->undefined);
        free(tile->bits);
        free(tile);
    }
}

static bool have_undefined(kiln_itile_t *tile)
{
    if (!tile->undefined)
        tile->undefined = calloc(tile->count ? tile->count : 1, 1);
    return tile->undefined != NULL;
}

void kiln_itile_set_undefined(kiln_itile_t *tile, size_t i, uint8_t reason)
{
    if (reason && have_undefined(tile) && !tile->undefined[i])
        tile->undefined[i] = reason;
    if (reason)
        tile->bits[i] = 0;
}

void kiln_itile_inherit_undefined(kiln_itile_t *result, const kiln_itile_t *operand)
{
    if (!operand || !operand->undefined)
        return;
    size_t step = kiln_itile_step(operand);
    for (size_t i = 0; i < result->count; i++)
        kiln_itile_set_undefined(result, i, operand->undefined[i * step]);
}

uint8_t kiln_machine_undefined_reason(kiln_machine_t *machine, const kiln_iop_t *op,
                                      const char *what)
{
    if (machine->launch->lenient)
        return 0;
    for (int i = 0; i < machine->reason_count; i++)
        if (machine->reasons[i].op == op && machine->reasons[i].what == what)
            return (uint8_t)(i + 1);
    if (machine->reason_count == KILN_INTERP_UNDEFINED_REASONS)
        return KILN_INTERP_UNDEFINED_REASONS; // stands for all further reasons
    machine->reasons[machine->reason_count].op = op;
    machine->reasons[machine->reason_count].what = what;
    return (uint8_t)++machine->reason_count;
}

void kiln_set(kiln_iframe_t *frame, int slot, kiln_itile_t *tile)
{
    kiln_itile_release(frame->machine, frame->slots[slot]);
    frame->slots[slot] = tile;
}
