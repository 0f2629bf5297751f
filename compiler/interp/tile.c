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
    kiln_itile_inherit_flaws(tile, from);
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
    free(tile->flaws);
    tile->flaws = NULL;
    int class = size_class(tile->count);
    tile->next_free = machine->free_tiles[class];
    machine->free_tiles[class] = tile;
}

void kiln_itile_free_all(kiln_machine_t *machine)
{
    for (kiln_itile_t *tile = machine->tiles, *next; tile; tile = next) {
        next = tile->next;
        free(tile->flaws);
        free(tile->bits);
        free(tile);
    }
}

static bool have_flaws(kiln_itile_t *tile)
{
    if (!tile->flaws)
        tile->flaws = calloc(tile->count ? tile->count : 1, 1);
    return tile->flaws != NULL;
}

void kiln_itile_set_flaw(kiln_itile_t *tile, size_t i, uint8_t flaw)
{
    if (flaw && have_flaws(tile) && !tile->flaws[i])
        tile->flaws[i] = flaw;
    if (flaw)
        tile->bits[i] = 0;
}

void kiln_itile_inherit_flaws(kiln_itile_t *result, const kiln_itile_t *operand)
{
    if (!operand || !operand->flaws)
        return;
    size_t step = kiln_itile_step(operand);
    for (size_t i = 0; i < result->count; i++)
        kiln_itile_set_flaw(result, i, operand->flaws[i * step]);
}

uint8_t kiln_machine_flaw(kiln_machine_t *machine, const kiln_iop_t *op, const char *what)
{
    if (machine->launch->lenient)
        return 0;
    for (int i = 0; i < machine->flaw_count; i++)
        if (machine->flaws[i].op == op && machine->flaws[i].what == what)
            return (uint8_t)(i + 1);
    if (machine->flaw_count == KILN_INTERP_FLAWS)
        return KILN_INTERP_FLAWS; // stands for all further reasons
    machine->flaws[machine->flaw_count].op = op;
    machine->flaws[machine->flaw_count].what = what;
    return (uint8_t)++machine->flaw_count;
}

void kiln_set(kiln_iframe_t *frame, int slot, kiln_itile_t *tile)
{
    kiln_itile_release(frame->machine, frame->slots[slot]);
    frame->slots[slot] = tile;
}
