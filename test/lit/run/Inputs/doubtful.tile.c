#include "doubtful.tile.h"

kernel void doubtful(i32 *x, constexpr i32 N)
{
    static_print("N is ", N);
    i32 unused = 5;
    store(x + range(N), helper(load(x + range(N))));
}
