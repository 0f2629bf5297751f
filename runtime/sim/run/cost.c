// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the cost of an address pattern; called for patterns that are new to a thread. Machine
// numbers: base/gfx942.def.
//
// Pitfall: the lanes of 128-bit LDS reads that are served together are not adjacent.
#include "run/cost.h"

// Random keys of the hashes in run/cost.h.
alignas(64) const uint32_t kiln_sim_cost_words[2][KILN_GFX942_LANES] = {
    // clang-format off
    {
        0xf0480ff9u, 0x86dc283cu, 0x2cb6916du, 0x47eaa099u, 0x593942a4u, 0xca118783u, 0x9bf13331u, 0x1509bb0au,
        0x56670b14u, 0x12e1bc76u, 0x01088475u, 0xf5ec52edu, 0x2e416788u, 0x2909406cu, 0x5c906158u, 0x59ba1b0du,
        0x2bb29976u, 0x2a095ee8u, 0x985fb4e7u, 0x5d32fe61u, 0x64c7a500u, 0x59e2d153u, 0x58151a99u, 0x9a1e40b4u,
        0xe693ae2du, 0x1d8a4eacu, 0x3eaabe17u, 0x68b4aef7u, 0xeb04b39bu, 0x13e783e7u, 0x78068577u, 0x142c8364u,
        0x53fe2e85u, 0x260df254u, 0x178854f2u, 0x3b041641u, 0xadd9ca88u, 0x35c719c2u, 0x5ed8abccu, 0x00a154d8u,
        0xe8e3574fu, 0x59ec8712u, 0x855dbf55u, 0xc0290103u, 0xdcb0b82eu, 0xe7949b80u, 0xa4ff91e3u, 0x6e704245u,
        0x06762832u, 0x37a788d1u, 0x320a88eau, 0xde1b1471u, 0x9ddbef12u, 0x2cd552a0u, 0x21e52f21u, 0x4350cc17u,
        0x9ec04eceu, 0xb600e612u, 0xd6846325u, 0x9ed89eddu, 0x5ee347ddu, 0xe34acb11u, 0x5fac9cb6u, 0x627bf322u,
    },
    {
        0x6f2c7a8cu, 0xee889fe4u, 0x9545f0f3u, 0xa930d55du, 0xe339d309u, 0x75927b0fu, 0x6e85df08u, 0x43f2f193u,
        0x84e0164bu, 0x050c86bdu, 0x381df22fu, 0x990d3cd8u, 0xb0cdf20au, 0xfcc1c0c8u, 0x3e7fb97bu, 0xe07cb579u,
        0x77ca4499u, 0xb5c34e7eu, 0x86ea0214u, 0x78f6d824u, 0x655c1d15u, 0x7b7e8913u, 0x761e07cbu, 0x1dcd327fu,
        0xdbc52933u, 0xa92fa271u, 0x7fed0bb9u, 0x9672be1au, 0xbdbcda98u, 0x5cbe4f50u, 0xcf25e346u, 0xc44a66f4u,
        0xb18fbdb1u, 0x134b8db4u, 0x6470ff1fu, 0x1e2ed6cbu, 0x761978ddu, 0x57e485b6u, 0xfdf0a45fu, 0x4f859933u,
        0xfd0b00eau, 0xd9855162u, 0x18949a23u, 0x2e460a96u, 0xf376bc25u, 0x4ea9877au, 0xec9a72f2u, 0x310a853eu,
        0x43c20f56u, 0x01f72b0au, 0x93a9b8b6u, 0x64e752ccu, 0x5fd11a32u, 0x7a674d0au, 0xcf00377cu, 0xbbb3a32au,
        0x4ed3d99eu, 0x505bdd8fu, 0x07d3b36cu, 0x79ded9f2u, 0xee6f7a8fu, 0xad783715u, 0xe771876eu, 0x8a9e1df7u,
    },
    // clang-format on
};

enum { BANKS = KILN_GFX942_LDS_BANKS, BANK_BYTES = KILN_GFX942_LDS_BANK_BYTES };

// Group sizes, from the narrowest access to the widest. Atomics are served like reads.
enum { READ, WRITE };
static const struct {
    unsigned access, bytes, lanes;
    uint8_t span[5];
} groups[] = {
#define GFX942_LDS_GROUP(access, bytes, lanes, span, source)                                       \
    {access, bytes, lanes, {KILN_GFX942_SPAN span}},
#include "base/gfx942.def"
};

// The lanes that are served together with this one.
static uint64_t lds_group(unsigned lane, unsigned bytes, kiln_sim_access_t access)
{
    size_t row = 0;
    while (groups[row].access != (access == KILN_SIM_STORE ? WRITE : READ) ||
           groups[row].bytes < bytes)
        row++;
    uint64_t group = 0;
    for (unsigned member = 0; member < groups[row].lanes; member++) {
        unsigned other = lane;
        for (unsigned i = 0; member >> i; i++)
            other ^= member >> i & 1 ? groups[row].span[i] : 0u;
        group |= 1ull << other;
    }
    return group;
}

typedef struct bank_use {
    uint32_t rows[BANKS][BANKS];
    uint8_t count[BANKS];
} bank_use_t;

// The number of rows accessed in the busiest bank.
static unsigned group_cycles(const uint32_t address[KILN_GFX942_LANES], uint64_t group,
                             unsigned bytes)
{
    bank_use_t use;
    memset(use.count, 0, sizeof use.count);
    unsigned max = 0;
    for (uint64_t left = group; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint32_t end = (address[lane] + bytes - 1) / BANK_BYTES;
        for (uint32_t dword = address[lane] / BANK_BYTES; dword <= end; dword++) {
            unsigned bank = dword % BANKS, n = use.count[bank], i = 0;
            while (i < n && use.rows[bank][i] != dword)
                i++;
            if (i == n && n < BANKS) {
                use.rows[bank][n] = dword;
                use.count[bank] = (uint8_t)(n + 1);
                max = n + 1 > max ? n + 1 : max;
            }
        }
    }
    return max;
}

static uint32_t cycles_of(const uint32_t address[KILN_GFX942_LANES], uint64_t mask, unsigned bytes,
                          kiln_sim_access_t access)
{
    uint32_t cycles = 0;
    for (uint64_t left = UINT64_MAX; left;) {
        const uint64_t group = lds_group((unsigned)__builtin_ctzll(left), bytes, access);
        cycles += group_cycles(address, group & mask, bytes);
        left &= ~group;
    }
    return cycles;
}

// LLVM rates accesses (SIISelLowering.cpp, allowsMisalignedMemoryAccessesImpl, for AMD's unaligned
// mode): wide ones that are not aligned to their own size are as fast as dword accesses, one for
// each dword; those that are not aligned to a dword are equally slow at any width, here a lane a
// cycle, unless bank conflicts take longer.
uint32_t kiln_sim_lds_cycles(const uint32_t address[KILN_GFX942_LANES], uint32_t offset,
                             uint64_t mask, unsigned bytes, kiln_sim_access_t access)
{
    uint32_t at[KILN_GFX942_LANES], cycles = 0, bits = 0;
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
        at[lane] = address[lane] + offset;
        bits |= mask >> lane & 1 ? at[lane] : 0;
    }
    if (bytes <= BANK_BYTES || (bits & kiln_sim_lds_alignment(bytes)) == 0) {
        cycles = cycles_of(at, mask, bytes, access);
    } else {
        for (unsigned first = 0; first < bytes; first += BANK_BYTES) {
            cycles += cycles_of(at, mask, BANK_BYTES, access);
            for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
                at[lane] += BANK_BYTES;
        }
    }
    const unsigned narrow = bytes < BANK_BYTES ? bytes : BANK_BYTES;
    const uint32_t lanes = (uint32_t)__builtin_popcountll(mask);
    return bits & (narrow - 1) && lanes > cycles ? lanes : cycles;
}

// A set of line numbers: at most two lines for each of 64 lanes.
#define MAX_LINES (2 * KILN_GFX942_LANES)
#define LINE_SLOTS 256

typedef struct lines {
    uint64_t line[MAX_LINES];
    uint8_t slot[LINE_SLOTS]; // number of the line that hashes there, from 1; 0 if none
    unsigned count;
} lines_t;

static void insert(lines_t *lines, uint64_t line)
{
    unsigned slot = (unsigned)(line * 0x9e3779b97f4a7c15ull >> 56);
    while (lines->slot[slot] && lines->line[lines->slot[slot] - 1] != line)
        slot = (slot + 1) % LINE_SLOTS;
    if (lines->slot[slot])
        return;
    lines->line[lines->count++] = line;
    lines->slot[slot] = (uint8_t)lines->count;
}

void kiln_sim_distinct_lines(uint64_t base, const uint32_t offset[KILN_GFX942_LANES], uint64_t mask,
                             unsigned bytes, uint32_t cost[2])
{
    lines_t small, large;
    memset(small.slot, 0, sizeof small.slot);
    memset(large.slot, 0, sizeof large.slot);
    small.count = large.count = 0;
    uint64_t previous = UINT64_MAX; // adjacent lanes usually share a line
    for (uint64_t left = mask; left; left &= left - 1) {
        const uint64_t first = base + offset[__builtin_ctzll(left)], last = first + bytes - 1;
        if (first >> 6 != previous)
            insert(&small, first >> 6);
        if (last >> 6 != first >> 6)
            insert(&small, last >> 6);
        previous = last >> 6;
    }
    for (unsigned i = 0; i < small.count; i++)
        insert(&large, small.line[i] >> 1);
    cost[0] = small.count;
    cost[1] = large.count;
}

// A set of numbers of lines or words, each of which is in one of some banks.
typedef struct numbers {
    uint64_t number[MAX_LINES];
    unsigned count;
} numbers_t;

static void add_span(numbers_t *to, uint64_t first, uint64_t last, unsigned size)
{
    for (uint64_t number = first / size; number <= last / size; number++) {
        unsigned i = 0;
        while (i < to->count && to->number[i] != number)
            i++;
        if (i == to->count && i < MAX_LINES)
            to->number[to->count++] = number;
    }
}

// The most numbers in one bank.
static uint32_t most_in_bank(const numbers_t *numbers, unsigned banks)
{
    enum { MAX_BANKS = 8 };
    uint32_t in[MAX_BANKS] = {0}, most = 0;
    for (unsigned i = 0; i < numbers->count; i++) {
        const uint32_t count = ++in[numbers->number[i] % banks];
        most = count > most ? count : most;
    }
    return most;
}

enum { QUAD = 4, DWORD = 4, WORD = 8, WORD_BANKS = 8, HALF_LINE = 64 };

// What some lanes look up at one time.
typedef struct lookup {
    numbers_t lines, words;
    uint32_t quads;  // cycles of their quads, of which those in one half line are served together
    uint64_t latest; // half line of the latest quad whose lanes are adjacent
} lookup_t;

static void look_up_quad(lookup_t *lookup, uint64_t base, const uint32_t *offset, uint64_t mask,
                         unsigned bytes)
{
    uint64_t from = UINT64_MAX, to = 0;
    for (uint64_t left = mask; left; left &= left - 1) {
        const uint64_t at = base + offset[__builtin_ctzll(left)], last = at + bytes - 1;
        add_span(&lookup->lines, at, last, KILN_GFX942_L1_LINE);
        add_span(&lookup->words, at, last, WORD);
        from = at < from ? at : from;
        to = last > to ? last : to;
    }
    if (!mask)
        return;
    const bool adjacent = to - from < QUAD * DWORD;
    lookup->quads += !adjacent || from / HALF_LINE != lookup->latest ? 1 : 0;
    lookup->quads += adjacent && to / HALF_LINE != from / HALF_LINE ? 1 : 0;
    lookup->latest = adjacent ? to / HALF_LINE : UINT64_MAX;
}

void kiln_sim_lookup_cycles(uint64_t base, const uint32_t offset[KILN_GFX942_LANES], uint64_t mask,
                            unsigned bytes, uint32_t cost[2])
{
    const bool narrow = bytes <= DWORD;
    const unsigned lanes = narrow ? 4 * QUAD : QUAD;
    lookup_t lookup;
    lookup.latest = UINT64_MAX;
    cost[0] = cost[1] = 0;
    for (unsigned first = 0; first < KILN_GFX942_LANES; first += lanes) {
        lookup.lines.count = lookup.words.count = lookup.quads = 0;
        for (unsigned quad = first; quad < first + lanes; quad += QUAD)
            look_up_quad(&lookup, base, offset + quad, mask >> quad & 15, bytes);
        const uint32_t tags = most_in_bank(&lookup.lines, KILN_GFX942_L1_TAG_RAMS),
                       data = narrow ? lookup.quads : most_in_bank(&lookup.words, WORD_BANKS),
                       least = narrow ? lookup.quads
                                      : (lookup.words.count + WORD_BANKS - 1) / WORD_BANKS;
        cost[0] += tags > data ? tags : data;
        cost[1] += tags && !least ? 1 : least; // lanes of one time read what those before did
    }
}
