// All workgroups read the same 1024 lines repeatedly, of which the L1 holds a quarter. With rows 4
// MB and 32 KB apart all of them are in one channel of the L2, which serves a line per cycle for
// its XCD; with rows 4 MB apart in all channels.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: %kiln bench --sim-clock=only %s row=1048576 'x=i32[70000000]' 'y=i32[311296]' --grid 1216 --device=sim \
// RUN:   --cache-dir=%t/cache | awk '/predicted ns/{print substr($4, 2)}' > %t/spread
// RUN: %kiln bench --sim-clock=only %s row=1056768 'x=i32[70000000]' 'y=i32[311296]' --grid 1216 --device=sim \
// RUN:   --cache-dir=%t/cache | awk '/predicted ns/{print substr($4, 2)}' > %t/one
// RUN: sh -c 'test $(cat %t/one) -gt $((2 * $(cat %t/spread)))'

kernel void channels(const i32 *x, i32 *y, i32 row, constexpr i32 BLOCK = 256)
{
    i32 sum[BLOCK] = 0;
    for (i32 i = 0; i < 64; i = i + 1) {
        i32 k[BLOCK] = range(BLOCK) + i % 4 * BLOCK;
        sum = sum + load(x + (k % 16 * row + k / 16 % 8 * 131072 + k / 128 % 4 * 16777216 + k / 512 * 32));
    }
    store(y + program_id(0) * BLOCK + range(BLOCK), sum);
}
