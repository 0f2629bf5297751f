// Tile functions for tests of #include.
#ifndef TILES_H
#define TILES_H

#include "math/square.tile.h"

#define TILES_VERSION 3
#define LARGEST(a, b) ((a) > (b) ? (a) : (b))

struct extent { f32 low[]; f32 high[]; };

static struct extent extent_of(auto x)
{
    return (struct extent){.low = minimum(x, square(x)), .high = LARGEST(x, square(x))};
}

#endif
