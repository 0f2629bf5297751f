// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock's memories, from the fabric up, each through its interface; then waves that wait for
// them. Sums name the parameters of timing/parameters.def.
#include "base/gfx942.h"
#include "sim_timing.h"

#define END "s_endpgm\n"

static kiln_timing_place_t far(const kiln_timing_map_t *map, uint64_t line)
{
    (void)map;
    (void)line;
    return (kiln_timing_place_t){.in_mall = false, .sharers = 1};
}

static kiln_timing_place_t near(const kiln_timing_map_t *map, uint64_t line)
{
    (void)map;
    (void)line;
    return (kiln_timing_place_t){.in_mall = true, .sharers = 1};
}

static const kiln_timing_map_t FAR = {far}, NEAR = {near};

static uint64_t ns(uint64_t time)
{
    return time * TIMING_GHZ;
}

// ---- the fabric

static void fabric(void **state)
{
    (void)state;
    kiln_timing_fabric_t f;
    assert_true(kiln_timing_fabric_open(&f, TIMING_GHZ, TIMING_GB_S, TIMING_XCDS));
    // The first line of a page is translated, others are not.
    assert_int_equal(kiln_timing_fabric_read(&f, 0, 0, true, 1, NULL),
                     ns(P(MALL_LATENCY) + P(TLB_LATENCY)));
    assert_int_equal(kiln_timing_fabric_read(&f, 1000, 1, true, 1, NULL),
                     1000 + ns(P(MALL_LATENCY)));
    assert_int_equal(kiln_timing_fabric_read(&f, 2000, 2, false, 1, NULL),
                     2000 + ns(P(HBM_LATENCY)));
    assert_int_equal(kiln_timing_fabric_read_host(&f, 0), ns(P(HOST_LATENCY)));
    kiln_timing_fabric_close(&f);
}

// Many lines at once take the time that the XCD's share of the bandwidth implies.
static void fabric_bandwidth(void **state)
{
    (void)state;
    enum { LINES = 10000 };
    kiln_timing_fabric_t f;
    assert_true(kiln_timing_fabric_open(&f, TIMING_GHZ, TIMING_GB_S, TIMING_XCDS));
    for (unsigned i = 0; i < LINES; i++)
        kiln_timing_fabric_read(&f, 0, i, false, 1, NULL);
    const double gb_s = TIMING_GB_S * P(HBM_READ_PERCENT) / 100 / TIMING_XCDS;
    assert_in_range(kiln_timing_fabric_idle(&f), (uint64_t)(LINES * 128 / gb_s * TIMING_GHZ) - 1,
                    (uint64_t)(LINES * 128 / gb_s * TIMING_GHZ) + 1);
    kiln_timing_fabric_close(&f);
    // If eight XCDs read the same lines, each has an eighth of HBM's work, and the Infinity Cache
    // serves the rest.
    assert_true(kiln_timing_fabric_open(&f, TIMING_GHZ, TIMING_GB_S, TIMING_XCDS));
    for (unsigned i = 0; i < LINES; i++)
        kiln_timing_fabric_read(&f, 0, i, false, 8, NULL);
    assert_float_equal(f.hbm_read, LINES / 8., 1e-6);
    const double mall = (double)P(MALL_BANDWIDTH) / TIMING_XCDS;
    assert_in_range(kiln_timing_fabric_idle(&f), (uint64_t)(LINES * 128 / mall * TIMING_GHZ) - 1,
                    (uint64_t)(LINES * 128 / mall * TIMING_GHZ) + 1);
    kiln_timing_fabric_close(&f);
}

// Alternating reads and writes are slower than either alone.
static void fabric_mixed(void **state)
{
    (void)state;
    enum { LINES = 40000 };
    kiln_timing_fabric_t f;
    assert_true(kiln_timing_fabric_open(&f, TIMING_GHZ, TIMING_GB_S, TIMING_XCDS));
    for (unsigned i = 0; i < LINES; i++) {
        kiln_timing_fabric_read(&f, 0, i, false, 1, NULL);
        kiln_timing_fabric_write(&f, 0, i, false, NULL);
    }
    const double both = LINES * (f.read_line + f.write_line),
                 took = (double)kiln_timing_fabric_idle(&f);
    assert_in_range(took * 1000 / both, 99000 / P(HBM_MIXED_PERCENT),
                    101000 / P(HBM_MIXED_PERCENT));
    kiln_timing_fabric_close(&f);
}

// ---- the L2

static void l2(void **state)
{
    (void)state;
    kiln_timing_l2_t l2;
    assert_true(
        kiln_timing_l2_open(&l2, KILN_GFX942_L2_BYTES, TIMING_GHZ, TIMING_GB_S, TIMING_XCDS));
    // A miss takes the fabric's time; the next access to the line hits here.
    assert_int_equal(kiln_timing_l2_read(&l2, 0, 0, &NEAR), ns(P(MALL_LATENCY) + P(TLB_LATENCY)));
    assert_int_equal(kiln_timing_l2_read(&l2, 5000, 0, &NEAR), 5000 + P(L2_LATENCY));
    // A line that is on its way is waited for, and not fetched again.
    const uint64_t there = kiln_timing_l2_read(&l2, 6000, 1, &FAR);
    assert_int_equal(there, 6000 + ns(P(HBM_LATENCY)));
    assert_int_equal(kiln_timing_l2_read(&l2, 6100, 1, &FAR), there);
    assert_int_equal(l2.reads, 4);
    assert_int_equal(l2.hits, 2);
    // Whole lines are written without being fetched.
    assert_int_equal(kiln_timing_l2_write(&l2, 8000, 2, &NEAR), 8000 + P(L2_WRITE_LATENCY));
    assert_int_equal(kiln_timing_l2_read(&l2, 9000, 2, &NEAR), 9000 + P(L2_LATENCY));
    // Atomics of one line wait for each other.
    kiln_timing_l2_atomic(&l2, 20000, 0, &NEAR);
    for (unsigned i = 1; i < 100; i++)
        kiln_timing_l2_atomic(&l2, 20000, 0, &NEAR);
    assert_in_range(kiln_timing_l2_atomic(&l2, 20000, 0, &NEAR),
                    20000 + P(L2_LATENCY) + 99 * P(L2_ATOMIC_CYCLES),
                    20000 + P(L2_LATENCY) + 100 * P(L2_ATOMIC_CYCLES));
    kiln_timing_l2_close(&l2);
}

// Lines that are read again at once occupy the queues as if they were read one by one.
static void l2_again(void **state)
{
    (void)state;
    enum { TIMES = 20, LINE = 77 };
    kiln_timing_l2_t each, at_once;
    assert_true(
        kiln_timing_l2_open(&each, KILN_GFX942_L2_BYTES, TIMING_GHZ, TIMING_GB_S, TIMING_XCDS) &&
        kiln_timing_l2_open(&at_once, KILN_GFX942_L2_BYTES, TIMING_GHZ, TIMING_GB_S, TIMING_XCDS));
    for (unsigned i = 0; i <= TIMES; i++)
        kiln_timing_l2_read(&each, 100, LINE, &FAR);
    kiln_timing_l2_read(&at_once, 100, LINE, &FAR);
    kiln_timing_l2_reread(&at_once, LINE, TIMES);
    assert_float_equal(each.free_at, at_once.free_at, 1e-6);
    for (unsigned i = 0; i < KILN_GFX942_L2_CHANNELS; i++)
        assert_float_equal(each.channels[i], at_once.channels[i], 1e-6);
    assert_int_equal(each.reads, at_once.reads);
    assert_int_equal(each.hits, at_once.hits);
    assert_int_equal(kiln_timing_l2_read(&each, 100, LINE, &FAR),
                     kiln_timing_l2_read(&at_once, 100, LINE, &FAR));
    kiln_timing_l2_close(&each);
    kiln_timing_l2_close(&at_once);
}

static void l2_bandwidth(void **state)
{
    (void)state;
    enum { LINES = 8000 };
    kiln_timing_l2_t l2;
    assert_true(
        kiln_timing_l2_open(&l2, KILN_GFX942_L2_BYTES, TIMING_GHZ, TIMING_GB_S, TIMING_XCDS));
    uint64_t last = 0;
    for (unsigned i = 0; i < LINES; i++)
        kiln_timing_l2_warm(&l2, i);
    for (unsigned i = 0; i < LINES; i++)
        last = kiln_timing_l2_read(&l2, 0, i, &NEAR);
    assert_in_range(last, (LINES - 1) * 128ull / P(L2_READ_BYTES) + P(L2_LATENCY),
                    (LINES - 1) * 128ull / P(L2_READ_BYTES) + P(L2_LATENCY) + 1);
    assert_int_equal(l2.hits, LINES);
    kiln_timing_l2_close(&l2);
}

// Checks that the cache holds the lines of a list of recently used ones without duplicates.
static void compare_tags(kiln_timing_tags_t *tags, uint64_t *recent, size_t *count, uint64_t line)
{
    size_t at = 0, in_set = 0;
    const uint64_t set = (line ^ line >> 9 ^ line >> 17) & (tags->sets - 1);
    for (; at < *count && recent[at] != line; at++)
        in_set += ((recent[at] ^ recent[at] >> 9 ^ recent[at] >> 17) & (tags->sets - 1)) == set;
    const kiln_timing_tag_t *found = kiln_timing_tags_find(tags, line);
    assert_int_equal(found != NULL, at < *count && in_set < tags->ways);
    if (found)
        assert_int_equal(found->available, line * 3);
    else
        kiln_timing_tags_insert(tags, line)->available = line * 3;
    *count += at == *count;
    memmove(recent + 1, recent, at * sizeof *recent);
    recent[0] = line;
}

// Lines of the arena, and of registered memory far from it, whose numbers have the same lower bits.
// The tags have as many ways as a row, fewer, or more.
static void tags(void **state)
{
    (void)state;
    static const unsigned ways[] = {2, 4, 16, 64};
    enum { SETS = 2, ROUNDS = 3000, LINES = 160 };
    static uint64_t recent[2 * LINES];
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        kiln_timing_tags_t tags;
        assert_true(kiln_timing_tags_open(&tags, (uint64_t)SETS * ways[i] * 128, 128, ways[i]));
        size_t count = 0;
        uint32_t seed = 1;
        for (unsigned round = 0; round < ROUNDS; round++) {
            seed = seed * 1664525 + 1013904223;
            compare_tags(&tags, recent, &count,
                         ((uint64_t)(seed >> 31) << 31) + (seed >> 8) % LINES % (3 * ways[i]));
        }
        kiln_timing_tags_clear(&tags);
        for (size_t line = 0; line < count; line++)
            assert_null(kiln_timing_tags_find(&tags, recent[line]));
        kiln_timing_tags_close(&tags);
    }
}

// ---- the lines of accesses

enum { ARENA = 1 << 20, LANES = KILN_GFX942_LANES };

// Adds an access of all lanes and checks that it has exactly the lines that they touch, in their
// order.
static void compare_lines(kiln_timing_stream_t *stream, uint64_t first, int64_t stride,
                          unsigned bytes)
{
    const uint64_t key[2] = {(uint64_t)stride, (first & 127) | bytes << 8};
    uint64_t at[LANES];
    for (unsigned i = 0; i < LANES; i++)
        at[i] = ARENA + first + i * (uint64_t)stride;
    kiln_timing_access_t *access = kiln_timing_stream_access(stream);
    assert_non_null(access);
    assert_true(kiln_timing_stream_pattern(stream, access, key, at, ARENA, UINT64_MAX, bytes));
    uint64_t lines[2 * LANES];
    unsigned count = 0;
    for (unsigned i = 0; i < LANES; i++) {
        for (uint64_t line = (at[i] - ARENA) / 128; line <= (at[i] - ARENA + bytes - 1) / 128;
             line++) {
            unsigned j = 0;
            while (j < count && lines[j] != line)
                j++;
            lines[j] = line;
            count += j == count;
        }
    }
    assert_int_equal(access->line_count, count);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(kiln_timing_stream_line(stream, access, i), lines[i]);
}

// Makes each access twice, so that the second one depends on the state after the first, with half a
// line between them. The shapes of others stay the same when one grows.
static void lines(void **state)
{
    (void)state;
    static const struct {
        uint64_t first;
        int64_t stride;
        unsigned bytes;
    } reaches[] = {{0, 4, 4},           {64, 4, 4},    {0, 16, 16},       {120, 16, 16},
                   {1 << 20, -16, 16},  {0, 8192, 16}, {0, 1ll << 33, 8}, {4, 0, 4},
                   {1 << 16, -100, 12}, {0, 8192, 16}};
    kiln_timing_stream_t stream = {0};
    size_t all = 0;
    for (unsigned round = 0; round < 4; round++) {
        for (size_t i = 0; i < sizeof reaches / sizeof *reaches; i++)
            compare_lines(&stream, reaches[i].first + 64 * round, reaches[i].stride,
                          reaches[i].bytes);
    }
    const size_t distances = stream.distance_count;
    compare_lines(&stream, 1 << 12, 8192, 16);
    assert_int_equal(stream.distance_count, distances);
    kiln_timing_access_t *last = &stream.accesses[stream.access_count - 1];
    const kiln_timing_access_t before = *last;
    assert_true(kiln_timing_stream_add(&stream, last, 12345));
    assert_int_equal(last->line_count, before.line_count + 1);
    assert_int_equal(kiln_timing_stream_line(&stream, last, before.line_count), 12345);
    for (unsigned i = 0; i < before.line_count; i++)
        assert_int_equal(kiln_timing_stream_line(&stream, last, i),
                         kiln_timing_stream_line(&stream, &before, i));
    for (size_t i = 0; i < stream.access_count; i++)
        all += stream.accesses[i].line_count;
    assert_int_equal(stream.line_count, all);
    kiln_timing_stream_forget(&stream);
    compare_lines(&stream, 0, 8192, 16);
    kiln_timing_stream_free(&stream);
}

// ---- the L1

static uint64_t l1_access(kiln_timing_l1_t *l1, uint64_t now, timing_reach_t reach)
{
    uint64_t lines[64];
    for (unsigned i = 0; i < reach.count; i++)
        lines[i] = reach.first + i;
    reach.access.line_count = (uint16_t)reach.count;
    return kiln_timing_l1_access(l1, now, &reach.access, lines, &timing_map);
}

// The cycles for which an access occupies the path.
static uint64_t l1_cycles(timing_reach_t reach)
{
    kiln_timing_l2_t l2;
    kiln_timing_l1_t l1;
    assert_true(
        kiln_timing_l2_open(&l2, KILN_GFX942_L2_BYTES, TIMING_GHZ, TIMING_GB_S, TIMING_XCDS) &&
        kiln_timing_l1_open(&l1, &l2));
    l1_access(&l1, 0, reach);
    const uint64_t cycles = l1.busy;
    kiln_timing_l1_close(&l1);
    kiln_timing_l2_close(&l2);
    return cycles;
}

static void l1_path(void **state)
{
    (void)state;
    // A dword per lane: 16 lanes and 64 bytes per cycle. With 8 bytes per lane, four lanes per
    // cycle, and as many with 16.
    assert_int_equal(l1_cycles(timing_vector(0, 4)), P(VMEM_ISSUE_CYCLES));
    assert_int_equal(l1_cycles(timing_vector(0, 8)), P(VMEM_QUAD_CYCLES));
    assert_int_equal(l1_cycles(timing_vector(0, 16)), 1024 / KILN_GFX942_L1_CYCLE_BYTES);
    assert_int_equal(l1_cycles(timing_store(0, 16)), 1024 / KILN_GFX942_L1_CYCLE_BYTES);
    // Dwords that are not contiguous: what looking them up takes, and stores a cycle for each half
    // line.
    timing_reach_t apart = timing_vector(0, 4);
    apart.access.lookups = 64;
    assert_int_equal(l1_cycles(apart), 64);
    apart = timing_store(0, 4);
    apart.count = 32;
    apart.access.halves = 64;
    assert_int_equal(l1_cycles(apart), 64);
    // One lane alone.
    timing_reach_t single = timing_vector(0, 8);
    single.count = 1;
    single.access.halves = single.access.lookups = 1;
    single.access.bytes = 2;
    assert_int_equal(l1_cycles(single), P(VMEM_ISSUE_CYCLES));
}

static void l1_hits(void **state)
{
    (void)state;
    kiln_timing_l2_t l2;
    kiln_timing_l1_t l1;
    timing.in_mall = true;
    assert_true(
        kiln_timing_l2_open(&l2, KILN_GFX942_L2_BYTES, TIMING_GHZ, TIMING_GB_S, TIMING_XCDS) &&
        kiln_timing_l1_open(&l1, &l2));
    timing_reach_t line = timing_vector(0, 2); // 128 bytes
    assert_int_equal(l1_access(&l1, 0, line), ns(P(MALL_LATENCY) + P(TLB_LATENCY)));
    assert_int_equal(l1_access(&l1, 5000, line), 5000 + P(L1_LATENCY));
    line.access.bypasses = true;
    assert_int_equal(l1_access(&l1, 6000, line), 6000 + P(L2_LATENCY));
    assert_int_equal(l1.hits, 1);
    assert_int_equal(l1.misses, 2);
    // Stores go to the L2 and allocate nothing here.
    assert_int_equal(l1_access(&l1, 7000, timing_store(8, 2)), 7000 + P(L2_WRITE_LATENCY));
    assert_int_equal(l1_access(&l1, 8000, timing_vector(8, 2)), 8000 + P(L2_LATENCY));
    // The queue before the L1 accepts no instruction until all but the last VMEM_QUEUE ones have
    // left it, however long each takes.
    assert_true(kiln_timing_l1_accepts(&l1) <= 8000);
    for (unsigned i = 0; i < P(VMEM_QUEUE) + 1; i++)
        l1_access(&l1, 9000, timing_vector(8, 2));
    assert_int_equal(kiln_timing_l1_accepts(&l1), 9000 + P(VMEM_ISSUE_CYCLES));
    kiln_timing_l1_close(&l1);
    kiln_timing_l2_close(&l2);
}

// Address bits 8 and 9 select one of four sets of 64 lines: rows at a distance of 1024 bytes share
// one.
static void l1_sets(void **state)
{
    (void)state;
    static const struct {
        unsigned distance, lines; // in lines
        bool fit;
    } cases[] = {{1, 256, true},  {1, 257, false}, {8, 64, true},   {8, 65, false},
                 {16, 64, true},  {16, 65, false}, {4, 128, true},  {4, 130, false},
                 {2, 256, true},  {2, 257, false}, {512, 64, true}, {513, 256, true},
                 {512, 65, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kiln_timing_l2_t l2;
        kiln_timing_l1_t l1;
        assert_true(
            kiln_timing_l2_open(&l2, KILN_GFX942_L2_BYTES, TIMING_GHZ, TIMING_GB_S, TIMING_XCDS) &&
            kiln_timing_l1_open(&l1, &l2));
        for (unsigned pass = 0; pass < 2; pass++) {
            for (unsigned line = 0; line < cases[i].lines; line++)
                l1_access(&l1, 0, timing_vector((uint64_t)line * cases[i].distance, 2));
        }
        assert_int_equal(l1.hits == cases[i].lines, cases[i].fit);
        kiln_timing_l1_close(&l1);
        kiln_timing_l2_close(&l2);
    }
}

// The cycle at which the last of `count` lines, all requested at once, is back, after the first.
static uint64_t l1_last(unsigned count, unsigned distance, bool bypasses)
{
    kiln_timing_l2_t l2;
    kiln_timing_l1_t l1;
    timing.in_mall = true;
    assert_true(
        kiln_timing_l2_open(&l2, KILN_GFX942_L2_BYTES, TIMING_GHZ, TIMING_GB_S, TIMING_XCDS) &&
        kiln_timing_l1_open(&l1, &l2));
    uint64_t first = 0, back = 0;
    for (unsigned i = 0; i < count; i++) {
        timing_reach_t line = timing_vector((uint64_t)i * distance, 2);
        line.access.bypasses = bypasses;
        back = l1_access(&l1, 0, line);
        first = i ? first : back;
    }
    kiln_timing_l1_close(&l1);
    kiln_timing_l2_close(&l2);
    return back - first;
}

// A miss waits for the first one's data if it finds all entries for misses taken, or all lines of
// its set on their way; the latter does not concern lines that the L1 does not keep.
static void l1_misses(void **state)
{
    (void)state;
    enum { WAYS = 64, ALL = KILN_TIMING_L1_MISSES };
    static const struct {
        unsigned distance, at_once; // in lines
        bool bypasses;
    } cases[] = {{1, ALL, false},   {4, ALL, false}, {8, WAYS, false},
                 {16, WAYS, false}, {8, ALL, true},  {5, ALL, false}};
    const uint64_t latency = ns(P(MALL_LATENCY));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const unsigned count = cases[i].at_once, distance = cases[i].distance;
        assert_true(l1_last(count, distance, cases[i].bypasses) < latency);
        assert_in_range(l1_last(count + 1, distance, cases[i].bypasses), latency, latency + 1);
    }
}

// ---- LDS

static void lds(void **state)
{
    (void)state;
    kiln_timing_lds_t lds = {0};
    // A read of 4 bytes per lane occupies the banks for two cycles, the port for four.
    assert_int_equal(kiln_timing_lds_access(&lds, 0, 0, 2, 256, false), P(LDS_LATENCY));
    // The other SIMD of the pair waits for the port, one of the other pair only for the banks.
    assert_int_equal(kiln_timing_lds_access(&lds, 0, 1, 2, 256, false),
                     256 / P(LDS_PORT_BYTES) + P(LDS_LATENCY));
    lds = (kiln_timing_lds_t){0};
    kiln_timing_lds_access(&lds, 0, 0, 2, 256, false);
    assert_int_equal(kiln_timing_lds_access(&lds, 0, 2, 2, 256, false), 2 + P(LDS_LATENCY));
    // Conflicts: cycles beyond the minimum access's four are added, for this access and later ones.
    lds = (kiln_timing_lds_t){0};
    assert_int_equal(kiln_timing_lds_access(&lds, 0, 0, 64, 256, false), P(LDS_LATENCY) + 64 - 4);
    assert_int_equal(kiln_timing_lds_access(&lds, 0, 2, 2, 256, false), 64 + P(LDS_LATENCY));
    // A store's addresses, 4 bytes per lane, use the same port as its data.
    lds = (kiln_timing_lds_t){0};
    assert_int_equal(kiln_timing_lds_access(&lds, 0, 0, 8, 1024, true),
                     P(LDS_LATENCY) + (1024 + 256) / P(LDS_PORT_BYTES) - 4);
    // The number of a SIMD's cycles waiting for LDS is limited; this does not block another SIMD.
    lds = (kiln_timing_lds_t){0};
    kiln_timing_lds_access(&lds, 0, 0, 200, 256, false);
    assert_int_equal(kiln_timing_lds_accepts(&lds, 0), 200 - P(LDS_QUEUE_CYCLES));
    assert_int_equal(kiln_timing_lds_accepts(&lds, 1), 0);
}

// ---- scalar loads and code

static void scalar(void **state)
{
    (void)state;
    kiln_timing_l2_t l2;
    kiln_timing_scalar_t s;
    timing.in_mall = true;
    assert_true(
        kiln_timing_l2_open(&l2, KILN_GFX942_L2_BYTES, TIMING_GHZ, TIMING_GB_S, TIMING_XCDS) &&
        kiln_timing_scalar_open(&s, &l2));
    const uint64_t line = 3;
    assert_int_equal(kiln_timing_scalar_load(&s, 0, &line, 1, &timing_map),
                     ns(P(MALL_LATENCY) + P(TLB_LATENCY)));
    assert_int_equal(kiln_timing_scalar_load(&s, 5000, &line, 1, &timing_map),
                     5000 + P(SCALAR_LATENCY));
    // Code is fetched by FETCH_LINE; a miss fetches FETCH_AHEAD more lines, here of the same 128
    // bytes.
    kiln_timing_l2_warm(&l2, 100);
    assert_int_equal(kiln_timing_scalar_fetch(&s, 6000, 100 * 128, &timing_map),
                     6000 + P(L2_LATENCY));
    assert_int_equal(kiln_timing_scalar_fetch(&s, 7000, 100 * 128 + P(FETCH_LINE), &timing_map),
                     7000);
    assert_int_equal(s.code_misses, 1);
    kiln_timing_scalar_warm(&s, 200 * 128);
    assert_int_equal(kiln_timing_scalar_fetch(&s, 8000, 200 * 128, &timing_map), 8000);
    kiln_timing_scalar_close(&s);
    kiln_timing_l2_close(&l2);
}

// ---- waves that wait

// Cycles from the load's issue to that of the instruction after the wait.
static uint64_t after_wait(uint64_t latency)
{
    return timing_visit(latency) + P(ISSUE_CYCLES);
}

static void waits_for_loads(void **state)
{
    (void)state;
    timing.in_mall = true;
    const timing_reach_t one[] = {timing_vector(0, 2)},
                         two[] = {timing_vector(0, 2), timing_vector(0, 2)},
                         local[] = {timing_lds(2, 4)}, argument[] = {timing_scalar(5)};
    const uint64_t cold = ns(P(MALL_LATENCY) + P(TLB_LATENCY));
    assert_int_equal(
        timing_run("global_load_dword v1, v2, s[4:5]\ns_waitcnt vmcnt(0)\n" END, 1, one),
        after_wait(cold));
    assert_in_range(timing_stall(1, KILN_SIM_STALL_VMCNT), cold - 2 * P(ISSUE_CYCLES), cold);
    // Of two, the second may be outstanding; it hits the line that the first one loads.
    assert_int_equal(timing_run("global_load_dword v1, v2, s[4:5]\nglobal_load_dword v3, v2, "
                                "s[4:5]\ns_waitcnt vmcnt(1)\n"
                                "v_mov_b32 v4, v1\n" END,
                                1, two),
                     timing_visit(cold) + 2 * P(ISSUE_CYCLES));
    assert_int_equal(timing_run("ds_read_b32 v1, v2\ns_waitcnt lgkmcnt(0)\n" END, 1, local),
                     after_wait(P(LDS_LATENCY)));
    assert_int_equal(
        timing_run("s_load_dword s0, s[4:5], 0\ns_waitcnt lgkmcnt(0)\n" END, 1, argument),
        after_wait(cold));
    // A counter waits for its own operations only.
    assert_int_equal(
        timing_run(
            "ds_read_b32 v1, v2\ns_waitcnt vmcnt(0)\nv_mov_b32 v4, v5\ns_waitcnt lgkmcnt(0)\n" END,
            1, local),
        after_wait(P(LDS_LATENCY)));
}

// s_endpgm waits for everything, loads and stores.
static void end_waits(void **state)
{
    (void)state;
    timing.in_mall = true;
    const timing_reach_t load[] = {timing_vector(0, 2)}, store[] = {timing_store(0, 2)};
    assert_int_equal(timing_run("global_load_dword v1, v2, s[4:5]\n" END, 1, load),
                     timing_visit(ns(P(MALL_LATENCY) + P(TLB_LATENCY))));
    assert_int_equal(timing_run("global_store_dword v2, v1, s[4:5]\n" END, 1, store),
                     timing_visit(P(L2_WRITE_LATENCY)));
}

static void invalidates(void **state)
{
    (void)state;
    timing.in_mall = true;
    const timing_reach_t two[] = {timing_vector(0, 2), timing_vector(0, 2)};
    const char *text = "global_load_dword v1, v2, s[4:5]\ns_waitcnt vmcnt(0)\nbuffer_inv sc1\n"
                       "global_load_dword v1, v2, s[4:5]\n" END;
    timing_run(text, 1, two);
    assert_int_equal(timing.unit.l1.misses, 2);
    assert_int_equal(timing.unit.l1.hits, 0);
}

// Cold code: every 128 bytes come from memory beyond the L2, and the next FETCH_LINE with them.
static void fetches(void **state)
{
    (void)state;
    timing.in_mall = timing.cold_code = true;
    const uint64_t end = timing_run("v_mov_b32 v1, v2\n" END, 1, NULL);
    timing.cold_code = false;
    assert_int_equal(end, timing_visit(ns(P(MALL_LATENCY) + P(TLB_LATENCY))) + P(ISSUE_CYCLES));
    assert_int_equal(timing_stall(0, KILN_SIM_STALL_FETCH),
                     timing_visit(ns(P(MALL_LATENCY) + P(TLB_LATENCY))));
    assert_int_equal(timing.unit.scalar.code_misses, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fabric),
        cmocka_unit_test(fabric_bandwidth),
        cmocka_unit_test(fabric_mixed),
        cmocka_unit_test(l2),
        cmocka_unit_test(l2_again),
        cmocka_unit_test(l2_bandwidth),
        cmocka_unit_test(tags),
        cmocka_unit_test(lines),
        cmocka_unit_test(l1_path),
        cmocka_unit_test(l1_hits),
        cmocka_unit_test(l1_sets),
        cmocka_unit_test(l1_misses),
        cmocka_unit_test(lds),
        cmocka_unit_test(scalar),
        cmocka_unit_test(waits_for_loads),
        cmocka_unit_test(end_waits),
        cmocka_unit_test(invalidates),
        cmocka_unit_test(fetches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
