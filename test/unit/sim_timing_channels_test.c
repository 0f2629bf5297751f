// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Channels of the L2 and of memory: which channel an address selects, and the cost if all accesses
// select the same.
#include "base/gfx942.h"
#include "run/machine.h"
#include "sim_timing.h"
#include "timing/cache_state.h"
#include "timing/without.h"

enum { CHANNELS = KILN_TIMING_MEMORY_CHANNELS, KB = 1024, LINES = 10000 };

static kiln_timing_place_t find(const kiln_timing_map_t *map, uint64_t line)
{
    (void)map, (void)line;
    return (kiln_timing_place_t){.in_mall = true, .sharers = 1};
}

static const kiln_timing_map_t NEAR = {find};

static kiln_timing_place_t find_elsewhere(const kiln_timing_map_t *map, uint64_t line)
{
    kiln_timing_place_t place = find(map, line);
    place.elsewhere = true;
    return place;
}

static const kiln_timing_map_t ELSEWHERE = {find_elsewhere};

// Cycles per line of one memory channel, if all channels together have `gb_s` GB/s.
static double channel_cycles(double gb_s)
{
    return TIMING_LINE * CHANNELS / gb_s * TIMING_GHZ;
}

// ---- which channel an address selects

// Linux's drivers/ras/amd/atl/dehash.c gives, for MI300, the address bits whose XOR is each bit of
// the channel.
static void address_bits(void **state)
{
    (void)state;
    static const struct {
        unsigned bit; // of the channel: four within a stack, the stack, and the die's two
        uint64_t address;
    } sums[] = {
#define A(bit) (1ull << (bit))
        {0, A(8) | A(12) | A(15) | A(22) | A(29) | A(36)},
        {1, A(9) | A(13) | A(16) | A(23) | A(30) | A(37)},
        {2, A(10) | A(14) | A(17) | A(24) | A(31) | A(38)},
        {3, A(11) | A(18) | A(25) | A(32) | A(39)},
        {4, A(14) | A(19) | A(26) | A(33) | A(40)},
        {5, A(12) | A(20) | A(27) | A(34) | A(41)},
        {6, A(13) | A(21) | A(28) | A(35) | A(42)},
    };
    for (unsigned bit = 7; bit <= 42; bit++) {
        unsigned expected = 0;
        for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
            expected |= sums[i].address & A(bit) ? 1u << sums[i].bit : 0;
        assert_int_equal(kiln_timing_memory_channel(A(bit) / TIMING_LINE), expected);
        assert_int_equal(kiln_timing_l2_channel(A(bit) / TIMING_LINE),
                         expected % KILN_GFX942_L2_CHANNELS);
    }
#undef A
}

// Neighbouring lines spread evenly, wherever they begin, and so do rows at a stride of a power of
// two.
static void spread(void **state)
{
    (void)state;
    for (uint64_t block = 0; block < 5000; block++) {
        unsigned l2[KILN_GFX942_L2_CHANNELS] = {0}, memory[CHANNELS] = {0};
        for (uint64_t line = 0; line < 32 * KB / TIMING_LINE; line++) {
            l2[kiln_timing_l2_channel(block * (32 * KB / TIMING_LINE) + line)]++;
            memory[kiln_timing_memory_channel(block * (32 * KB / TIMING_LINE) + line)]++;
        }
        for (unsigned i = 0; i < KILN_GFX942_L2_CHANNELS; i++)
            assert_int_equal(l2[i], 16);
        for (unsigned i = 0; i < CHANNELS; i++)
            assert_int_equal(memory[i], 2); // the lines of 256 bytes
    }
    for (uint64_t row = 256; row <= 8192 * KB; row *= 2) {
        uint64_t seen = 0;
        for (uint64_t i = 0; i < KILN_GFX942_L2_CHANNELS; i++)
            seen |= 1ull << kiln_timing_l2_channel(i * row / TIMING_LINE);
        assert_true(__builtin_popcountll(seen) >= 2);
        assert_true(row > 1 * KB || __builtin_popcountll(seen) >= 8);
    }
}

// ---- the L2's

// `count` simultaneous reads of lines that are `apart` lines apart and held by the L2; returns the
// cycle at which the last one is back.
static uint64_t read_many(kiln_timing_l2_t *l2, unsigned count, uint64_t apart, unsigned lines)
{
    uint64_t last = 0;
    assert_true(
        kiln_timing_l2_open(l2, KILN_GFX942_L2_BYTES, TIMING_GHZ, TIMING_GB_S, TIMING_XCDS));
    for (unsigned i = 0; i < lines; i++)
        kiln_timing_l2_warm(l2, i * apart);
    for (unsigned i = 0; i < count; i++)
        last = kiln_timing_l2_read(l2, 0, i % lines * apart, &NEAR);
    return last;
}

static void l2_channels(void **state)
{
    (void)state;
    kiln_timing_l2_t l2;
    // Spread evenly, reads are bound by the total, like those of all lines in turn.
    const uint64_t total = (LINES - 1) * (uint64_t)TIMING_LINE / P(L2_READ_BYTES);
    assert_in_range(read_many(&l2, LINES, 1, 256), P(L2_LATENCY) + total,
                    P(L2_LATENCY) + total + 1);
    kiln_timing_l2_close(&l2);
    // All to one channel, in steps of 512 KB: one cycle each, except for those by which it may run
    // ahead.
    assert_int_equal(kiln_timing_l2_channel(512 * KB / TIMING_LINE), kiln_timing_l2_channel(0));
    assert_int_equal(read_many(&l2, LINES, 512 * KB / TIMING_LINE, 4),
                     P(L2_LATENCY) + LINES - 1 - P(L2_CHANNEL_AHEAD));
    kiln_timing_l2_close(&l2);
}

// A write waits for the earlier reads of its channel, not for those of other channels, and takes
// two cycles.
static void l2_write_after_reads(void **state)
{
    (void)state;
    enum { MORE = 100 };
    const unsigned reads = (unsigned)P(L2_CHANNEL_AHEAD) + MORE;
    const uint64_t now =
        reads * (uint64_t)TIMING_LINE / P(L2_READ_BYTES) + 1; // the total has served the reads
    kiln_timing_l2_t l2;
    assert_true(now < MORE + P(L2_CHANNEL_AHEAD));
    read_many(&l2, reads, 1, 2);
    assert_int_equal(kiln_timing_l2_write(&l2, now, 2, &NEAR), now + P(L2_WRITE_LATENCY));
    kiln_timing_l2_close(&l2);
    read_many(&l2, reads + (unsigned)now, 1, 2);
    const uint64_t later = now + now * TIMING_LINE / P(L2_READ_BYTES) + 1,
                   wait = MORE + now - later;
    const uint64_t first = kiln_timing_l2_write(&l2, later, 0, &NEAR);
    assert_int_equal(first, later + wait + P(L2_WRITE_LATENCY));
    assert_int_equal(kiln_timing_l2_write(&l2, later, 0, &NEAR),
                     first + TIMING_LINE / P(L2_CHANNEL_WRITE_BYTES));
    kiln_timing_l2_close(&l2);
}

// Atomics of one line wait for each other; those of different lines of one channel only for its
// queue.
static void l2_atomics(void **state)
{
    (void)state;
    enum { ATOMICS = 100 };
    kiln_timing_l2_t l2;
    uint64_t same = 0, different = 0;
    read_many(&l2, 1, 512 * KB / TIMING_LINE, 4);
    for (unsigned i = 0; i < ATOMICS; i++)
        same = kiln_timing_l2_atomic(&l2, 50000, 0, &NEAR);
    for (unsigned i = 0; i < 4; i++)
        kiln_timing_l2_atomic(&l2, 60000, i * (512 * KB / TIMING_LINE), &NEAR);
    for (unsigned i = 0; i < ATOMICS; i++)
        different = kiln_timing_l2_atomic(&l2, 70000, i % 4 * (512 * KB / TIMING_LINE), &NEAR);
    assert_int_equal(same, 50000 + P(L2_LATENCY) + (ATOMICS - 1) * P(L2_ATOMIC_CYCLES));
    assert_int_equal(different, 70000 + P(L2_LATENCY) + (ATOMICS / 4 - 1) * P(L2_ATOMIC_CYCLES));
    kiln_timing_l2_close(&l2);
}

// Supposed that programs that share data are on one XCD, this XCD does not read other XCDs' lines,
// but its atomics still need the lines, each its own.
static void l2_atomics_near(void **state)
{
    (void)state;
    kiln_timing_l2_t l2, plain;
    read_many(&plain, 1, 1, 1);
    read_many(&l2, 1, 1, 1);
    l2.near = true;
    const uint64_t hit = P(L2_LATENCY);
    assert_true(kiln_timing_l2_read(&l2, 1000, 9, &ELSEWHERE) <= 1000 + hit + 1);
    assert_null(kiln_timing_tags_find(&l2.tags, 9));
    for (uint64_t line = 8; line < 12; line++) {
        const uint64_t now = 10000 * line;
        assert_int_equal(kiln_timing_l2_atomic(&l2, now, line, &ELSEWHERE),
                         kiln_timing_l2_atomic(&plain, now, line, &NEAR));
        assert_non_null(kiln_timing_tags_find(&l2.tags, line));
    }
    kiln_timing_l2_close(&l2);
    kiln_timing_l2_close(&plain);
}

// ---- memory's

// Checks the cycle in which the last of many lines begins, in one channel or in all in turn, while
// the other XCDs access the places in `neighbours`.
static void last_begins(uint64_t expected, bool one_channel, bool in_mall,
                        const kiln_timing_neighbours_t *others)
{
    kiln_timing_fabric_t f;
    uint64_t last = 0;
    assert_true(kiln_timing_fabric_open(&f, TIMING_GHZ, TIMING_GB_S, TIMING_XCDS));
    for (uint64_t i = 0; i < LINES; i++) {
        const uint64_t far = i % 64; // more pages than the TLB holds
        const uint64_t line = one_channel ? (far << 22 ^ far << 15) / TIMING_LINE : i;
        assert_true(!one_channel || kiln_timing_memory_channel(line) == 0);
        last = kiln_timing_fabric_read(&f, 0, line, in_mall, 1, others);
    }
    const uint64_t latency =
        (in_mall ? f.mall_latency : f.hbm_latency) + (one_channel ? f.tlb_latency : 0);
    assert_in_range(last - latency, expected - 1, expected + 1);
    kiln_timing_fabric_close(&f);
}

static void memory_channels(void **state)
{
    (void)state;
    const kiln_timing_neighbours_t alike = {7, {0}}, distinct = {7, {2, 4, 6, 8, 10, 12, 14}};
    const double hbm = channel_cycles(TIMING_GB_S), slice = channel_cycles(P(MALL_PEAK));
    const double total =
        TIMING_LINE / (TIMING_GB_S * P(HBM_READ_PERCENT) / 100 / TIMING_XCDS) * TIMING_GHZ;
    // If lines are evenly spread, the total is the bound, whatever the other XCDs do.
    last_begins((uint64_t)((LINES - 1) * total), false, false, NULL);
    last_begins((uint64_t)((LINES - 1) * total), false, false, &alike);
    last_begins((uint64_t)((LINES - 1) * total), false, false, &distinct);
    // All lines to one channel: its full speed if the XCD is alone or the others use other
    // channels; an eighth if all XCDs use it.
    const double own = LINES - 1 - (double)P(CHANNEL_AHEAD),
                 all = (LINES - 1) * 8 - (double)P(CHANNEL_AHEAD);
    last_begins((uint64_t)(own * hbm), true, false, NULL);
    last_begins((uint64_t)(own * hbm), true, false, &distinct);
    last_begins((uint64_t)(all * hbm), true, false, &alike);
    // The same for a slice of the Infinity Cache.
    last_begins((uint64_t)(all * slice), true, true, &alike);
}

// ---- a wave that reads them

enum { LANES = KILN_GFX942_LANES };

// Lanes of `bytes` bytes each, in rows of `across` lanes that are `pitch` bytes apart.
static void expect_lookups(unsigned bytes, unsigned across, uint32_t pitch, uint32_t cycles,
                           uint32_t least)
{
    uint32_t offset[LANES], cost[2];
    for (uint32_t lane = 0; lane < LANES; lane++)
        offset[lane] = lane / across * pitch + lane % across * bytes;
    kiln_sim_lookup_cycles(0x10000, offset, UINT64_MAX, bytes, cost);
    assert_int_equal(cost[0], cycles);
    assert_int_equal(cost[1], least);
}

static void lookups(void **state)
{
    (void)state;
    // Dwords next to each other, 16 lanes a cycle, and rows of them, a half line a cycle.
    expect_lookups(4, 64, 0, 4, 4);
    expect_lookups(4, 16, 512, 4, 4);
    expect_lookups(4, 8, 512, 8, 8);
    expect_lookups(2, 8, 2048, 8, 8);
    expect_lookups(1, 64, 0, 4, 4);
    expect_lookups(4, 1, 0, 4, 4);
    // Lanes that are not adjacent, four a cycle; as many lines of a tag RAM as 16 lanes have.
    expect_lookups(4, 1, 8, 16, 16);
    expect_lookups(4, 1, 132, 16, 16);
    expect_lookups(4, 1, 256, 32, 16);
    expect_lookups(4, 1, 512, 64, 16);
    // Wide lanes, four a cycle, unless lines share a tag RAM or words a bank.
    expect_lookups(8, 64, 0, 16, 16);
    expect_lookups(16, 64, 0, 16, 16);
    expect_lookups(16, 4, 512, 16, 16);
    expect_lookups(8, 1, 512, 64, 16);
    expect_lookups(8, 1, 520, 64, 16);
    expect_lookups(8, 1, 128, 64, 16);
    expect_lookups(8, 1, 136, 16, 16);
    expect_lookups(16, 2, 528, 32, 16);
}

// Doubles at strides of up to 224 bytes on MI210, whose lines have half as many bytes: RRZE's
// gpu-strides has 16, 32 and 64 cycles for these.
static void doubles_at_strides(void **state)
{
    (void)state;
    for (unsigned stride = 1; stride <= 7; stride++) {
        uint32_t offset[LANES], cost[2];
        for (uint32_t lane = 0; lane < LANES; lane++)
            offset[lane] = lane * stride * 8;
        kiln_sim_lookup_cycles(0, offset, UINT64_MAX, 8, cost);
        assert_int_equal(cost[0], stride == 4 ? 32 : 16);
    }
    expect_lookups(8, 1, 8 * 8, 64, 16);
    expect_lookups(8, 1, 16 * 8, 64, 16);
}

// Inactive lanes take no cycles, and a lane that crosses lines looks up both.
static void lookups_of_some(void **state)
{
    (void)state;
    uint32_t offset[LANES] = {0}, cost[2];
    for (uint32_t lane = 0; lane < LANES; lane++)
        offset[lane] = lane * 512;
    kiln_sim_lookup_cycles(0, offset, 3, 8, cost);
    assert_int_equal(cost[0], 2);
    kiln_sim_lookup_cycles(0, offset, 1ull << 5 | 1ull << 60, 8, cost);
    assert_int_equal(cost[0], 2);
    kiln_sim_lookup_cycles(124, offset, 3, 8, cost);
    assert_int_equal(cost[0], 2); // each crosses into another tag RAM
    kiln_sim_lookup_cycles(62, offset, 1, 4, cost);
    assert_int_equal(cost[0], 2);
    kiln_sim_lookup_cycles(0, offset, 0, 4, cost);
    assert_int_equal(cost[0], 0);
    // Adjacent dwords at any address.
    for (uint32_t lane = 0; lane < LANES; lane++)
        offset[lane] = lane * 4;
    kiln_sim_lookup_cycles(2, offset, UINT64_MAX, 4, cost);
    assert_int_equal(cost[0], 5);
}

// Each of 64 lanes reads a line, whose channels `step` determines.
static uint64_t column(uint64_t step, uint16_t cycles)
{
    timing_reach_t reach = {
        0, 1, {.halves = 64, .bytes = 64, .lane_bytes = 4, .lookups = cycles, .least_lookups = 16}};
    kiln_timing_l2_t l2;
    kiln_timing_l1_t l1;
    uint64_t lines[64];
    timing.in_mall = false;
    assert_true(
        kiln_timing_l2_open(&l2, KILN_GFX942_L2_BYTES, TIMING_GHZ, TIMING_GB_S, TIMING_XCDS) &&
        kiln_timing_l1_open(&l1, &l2));
    for (uint64_t i = 0; i < 64; i++)
        lines[i] = i * step;
    kiln_timing_fabric_read(&l2.fabric, 0, 0, true, 1, NULL); // the page is in the TLB
    reach.access.line_count = 64;
    const uint64_t back = kiln_timing_l1_access(&l1, 0, &reach.access, lines, &timing_map);
    kiln_timing_l1_close(&l1);
    kiln_timing_l2_close(&l2);
    return back;
}

static void columns(void **state)
{
    (void)state;
    const uint64_t latency = TIMING_GHZ * P(HBM_LATENCY);
    // The last line of an access begins as many cycles after the first as the L1 needs for it.
    assert_in_range(column(33, 64), latency + 63, latency + 64);
    assert_in_range(column(33, 32), latency + 31, latency + 32);
    // Lines 4 KB apart select 64 memory channels.
    assert_in_range(column(32, 64), latency + 63, latency + 64);
}

// Loads of only the lines that their bytes fill: the L1 still looks up wide lanes four at a time.
static void lookups_of_packed_lanes(void **state)
{
    (void)state;
    kiln_timing_access_t access = {.line_count = 32,
                                   .halves = 64,
                                   .bytes = 128,
                                   .lane_bytes = 8,
                                   .lookups = 64,
                                   .least_lookups = 16},
                         left = kiln_timing_access_without(&access, KILN_SIM_WITHOUT_LINES);
    assert_int_equal(left.halves, 8);
    assert_int_equal(left.lookups, 16);
    assert_int_equal(left.least_lookups, 16);
    access.lane_bytes = 4;
    access.bytes = 64;
    left = kiln_timing_access_without(&access, KILN_SIM_WITHOUT_LINES);
    assert_int_equal(left.lookups, 4);
    assert_int_equal(left.least_lookups, 4);
}

// A load that is supposed to be spread takes as long as without conflicts; a store's lines take
// their tag RAM several times as long.
static void stored_columns(void **state)
{
    (void)state;
    kiln_timing_access_t access = {.line_count = 32,
                                   .halves = 32,
                                   .bytes = 128,
                                   .lane_bytes = 8,
                                   .lookups = 64,
                                   .least_lookups = 16};
    uint64_t apart[32], near[32];
    for (uint64_t i = 0; i < 32; i++) {
        apart[i] = 8 * i; // 1 KB: on one tag RAM
        near[i] = i;
    }
    assert_int_equal(kiln_timing_l1_cycles(&access, apart), 64);
    access.spread = true;
    assert_int_equal(kiln_timing_l1_cycles(&access, apart), 16);
    access.spread = false;
    access.joined = true;
    assert_int_equal(kiln_timing_l1_cycles(&access, near), 8);
    access.joined = false;
    access.writes = true;
    assert_int_equal(kiln_timing_l1_cycles(&access, apart), 32 * P(L1_STORE_TAG_CYCLES));
    assert_int_equal(kiln_timing_l1_cycles(&access, near), 32); // half lines
    assert_int_equal(kiln_timing_l1_min_tags(&access), 8 * P(L1_STORE_TAG_CYCLES));
}

// ---- places that the other XCDs access

enum { UNITS = 8, GROUPS = 16 };

static void others(void **state)
{
    (void)state;
    kiln_sim_memory_t memory = {.limit = 1 << 24};
    kiln_sim_error_t error = {0};
    kiln_timing_plan_t plan;
    kiln_timing_cache_state_t cache_state = {0};
    assert_true(kiln_sim_memory_open(&memory, &error));
    const uint64_t shared = (uint64_t)(uintptr_t)kiln_sim_memory_allocate(
                       &memory, 1 << 20, KILN_SIM_MEMORY_DEVICE, 0, &error),
                   rows = (uint64_t)(uintptr_t)kiln_sim_memory_allocate(
                       &memory, 1 << 20, KILN_SIM_MEMORY_DEVICE, 0, &error);
    const uint64_t first = (shared - memory.arena) / TIMING_LINE,
                   second = (rows - memory.arena) / TIMING_LINE;
    assert_true(kiln_timing_plan_make(&plan, GROUPS, UNITS, TIMING_XCDS, 1, 1));
    // All read the same four lines, and each reads eight of its own, 4 KB apart.
    for (size_t i = 0; i < plan.id_count; i++) {
        kiln_timing_group_t *group = kiln_timing_plan_find(&plan, plan.ids[i]);
        kiln_timing_access_t *access = kiln_timing_stream_access(&group->waves[0]);
        for (uint64_t line = 0; line < 4; line++)
            assert_true(kiln_timing_stream_add(&group->waves[0], access, first + line));
        access = kiln_timing_stream_access(&group->waves[0]);
        for (uint64_t line = 0; line < 8; line++)
            assert_true(
                kiln_timing_stream_add(&group->waves[0], access, second + 32 * group->id + line));
    }
    kiln_timing_plan_choose(&plan);
    assert_true(
        kiln_timing_cache_state_begin(&cache_state, &plan, &memory, &(kiln_timing_arguments_t){0}));
    const kiln_timing_place_t alike = cache_state.map.find(&cache_state.map, first),
                              own = cache_state.map.find(&cache_state.map, second);
    assert_int_equal(alike.neighbours->count, 7);
    assert_int_equal(own.neighbours->count, 7);
    for (unsigned i = 0; i < 7; i++) {
        assert_int_equal(alike.neighbours->distance[i], 0);
        assert_int_equal(own.neighbours->distance[i], 32 * (i + 1));
    }
    kiln_timing_cache_state_free(&cache_state);
    kiln_timing_plan_free(&plan);
    kiln_sim_memory_close(&memory);
}

// ---- what was freed

// A program that registers its memory anew for each launch does not make each launch slower to
// predict; the bytes still count as having replaced older lines.
static void freed_memory_is_one_entry(void **state)
{
    (void)state;
    enum { CODE = 1, KEPT, FIRST_OF_MANY, LAUNCHES = 100, BYTES = 1000 };
    kiln_timing_region_t regions[] = {{.number = CODE, .bytes = BYTES, .is_code = true},
                                      {.number = KEPT, .bytes = BYTES, .xcd_bytes = BYTES},
                                      {.bytes = BYTES, .xcd_bytes = BYTES}};
    kiln_timing_cache_state_t cache_state = {.regions = regions, .region_count = 3};
    for (uint64_t i = 0; i < LAUNCHES; i++) {
        regions[2].number = FIRST_OF_MANY + i;
        regions[1].bytes = i == 0 ? BYTES : 0; // only the first launch uses it
        assert_true(kiln_timing_cache_state_end(&cache_state));
    }
    const kiln_timing_used_t *used = cache_state.used;
    assert_int_equal(cache_state.used_count, 4);
    assert_int_equal(used[0].number, FIRST_OF_MANY + LAUNCHES - 1);
    assert_int_equal(used[1].number, CODE);
    assert_int_equal(used[2].number, 0);
    assert_int_equal(used[2].bytes, (LAUNCHES - 1) * BYTES);
    assert_true(used[2].xcd_bytes == (LAUNCHES - 1) * BYTES);
    assert_int_equal(used[3].number, KEPT);
    regions[0].number = 0x1000; // other code
    assert_true(kiln_timing_cache_state_end(&cache_state));
    for (size_t i = 0; i < cache_state.used_count; i++)
        assert_int_not_equal(cache_state.used[i].number, CODE);
    free(cache_state.used);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(address_bits),
        cmocka_unit_test(spread),
        cmocka_unit_test(l2_channels),
        cmocka_unit_test(l2_write_after_reads),
        cmocka_unit_test(l2_atomics),
        cmocka_unit_test(memory_channels),
        cmocka_unit_test(lookups),
        cmocka_unit_test(doubles_at_strides),
        cmocka_unit_test(lookups_of_some),
        cmocka_unit_test(lookups_of_packed_lanes),
        cmocka_unit_test(columns),
        cmocka_unit_test(stored_columns),
        cmocka_unit_test(others),
        cmocka_unit_test(l2_atomics_near),
        cmocka_unit_test(freed_memory_is_one_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
