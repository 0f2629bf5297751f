// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws random instructions: an opcode of an encoding with random fields, biased towards valid
// ones.
//
// Registers are mostly even and constants mostly in range, since LLVM rejects odd vector pairs and
// most of the 512 operand codes are vector registers; every value is still possible.
#ifndef KILN_TEST_SIM_DRAW_H
#define KILN_TEST_SIM_DRAW_H

#include "sim_reference.h"

// The contents of a field, used to draw values that are probably valid.
typedef enum kind { END, SDST, SSRC, VGPR, SRC, SADDR } kind_t;

typedef struct encoding {
    const char *name;
    uint32_t prefix, mask; // fixed bits of the first dword
    unsigned op_shift, op_count;
    struct {
        uint8_t shift, width, kind;
    } fields[5]; // operands, in the 64 bits of both dwords
} encoding_t;

static const encoding_t encodings[] = {
    {"SOP2", 0x80000000, 0xc0000000, 23, 96, {{0, 8, SSRC}, {8, 8, SSRC}, {16, 7, SDST}}},
    {"SOP1", 0xbe800000, 0xff800000, 8, 256, {{0, 8, SSRC}, {16, 7, SDST}}},
    {"SOPC", 0xbf000000, 0xff800000, 16, 128, {{0, 8, SSRC}, {8, 8, SSRC}}},
    {"SOPK", 0xb0000000, 0xf0000000, 23, 32, {{16, 7, SDST}}},
    {"SOPP", 0xbf800000, 0xff800000, 16, 128, {{0}}},
    {"SMEM", 0xc0000000, 0xfc000000, 18, 256, {{6, 7, SDST}, {57, 7, SADDR}}},
    {"VOP1", 0x7e000000, 0xfe000000, 9, 256, {{0, 9, SRC}, {17, 8, VGPR}}},
    {"VOP2", 0x00000000, 0x80000000, 25, 62, {{0, 9, SRC}, {9, 8, VGPR}, {17, 8, VGPR}}},
    {"VOPC", 0x7c000000, 0xfe000000, 17, 256, {{0, 9, SRC}, {9, 8, VGPR}}},
    {"VOP1 SDWA", 0x7e0000f9, 0xfe0001ff, 9, 256, {{17, 8, VGPR}, {32, 8, VGPR}}},
    {"VOP2 SDWA", 0x000000f9, 0x800001ff, 25, 62, {{9, 8, VGPR}, {17, 8, VGPR}, {32, 8, VGPR}}},
    {"VOPC SDWA", 0x7c0000f9, 0xfe0001ff, 17, 256, {{9, 8, VGPR}, {32, 8, VGPR}, {40, 7, SDST}}},
    {"VOP1 DPP", 0x7e0000fa, 0xfe0001ff, 9, 256, {{17, 8, VGPR}, {32, 8, VGPR}}},
    {"VOP2 DPP", 0x000000fa, 0x800001ff, 25, 62, {{9, 8, VGPR}, {17, 8, VGPR}, {32, 8, VGPR}}},
    {"VOP3",
     0xd0000000,
     0xfc000000,
     16,
     1024,
     {{0, 8, VGPR}, {8, 7, SDST}, {32, 9, SRC}, {41, 9, SRC}, {50, 9, SRC}}},
    {"VOP3P",
     0xd3800000,
     0xff800000,
     16,
     128,
     {{0, 8, VGPR}, {32, 9, SRC}, {41, 9, SRC}, {50, 9, SRC}}},
    {"DS",
     0xd8000000,
     0xfc000000,
     17,
     256,
     {{32, 8, VGPR}, {40, 8, VGPR}, {48, 8, VGPR}, {56, 8, VGPR}}},
    {"FLAT",
     0xdc000000,
     0xfc000000,
     18,
     128,
     {{32, 8, VGPR}, {40, 8, VGPR}, {48, 7, SADDR}, {56, 8, VGPR}}},
    {"MUBUF", 0xe0000000, 0xfc000000, 18, 128, {{32, 8, VGPR}, {40, 8, VGPR}, {56, 8, SSRC}}},
    {"MTBUF", 0xe8000000, 0xfc000000, 15, 16, {{32, 8, VGPR}, {40, 8, VGPR}, {56, 8, SSRC}}},
};

static uint64_t seed; // of all draws

static uint64_t draw(void)
{
    return reference_random(&seed);
}

static uint64_t draw_field(kind_t kind)
{
    const uint64_t value = draw();
    const unsigned how = value >> 60 & 7;
    switch (kind) {
    case SDST:
        return how < 3 ? (value & 127) : how < 6 ? (value & 0x7e) : value % 26 * 4;
    case SADDR:
        return how < 2 ? 127 : how < 6 ? (value & 0x7e) : (value & 127);
    case SSRC:
        return how < 2   ? (value & 255)
               : how < 4 ? (value & 0x7e)
               : how < 6 ? value % 102
               : how < 7 ? 255
                         : 128 + value % 81;
    case VGPR:
        return how < 2 ? (value & 255) : (value & 0xfe);
    default:
        return how < 2   ? (value & 511)
               : how < 5 ? 256 + (value & 0xfe)
               : how < 6 ? (value & 0xfe)
               : how < 7 ? 128 + value % 121
                         : 255;
    }
}

static void draw_words(const encoding_t *encoding, unsigned op, uint32_t words[4])
{
    uint64_t low = draw(), high = draw();
    const unsigned how = draw() & 7;
    if (how < 4)
        low &= high * 0x9e3779b97f4a7c15ull; // fewer modifiers
    else if (how < 5)
        low = 0;
    const unsigned
        few = draw() & 15,
        drawn = few < 2 ? few
                        : 5; // an opcode with few operands may require zeros in the others' fields
    for (unsigned i = 0; i < 5 && encoding->fields[i].kind != END; i++) {
        const uint64_t mask = ((1ull << encoding->fields[i].width) - 1)
                              << encoding->fields[i].shift;
        if (i >= drawn)
            low &= ~mask;
        else if (draw() & 15)
            low = (low & ~mask) |
                  (draw_field(encoding->fields[i].kind) << encoding->fields[i].shift & mask);
    }
    unsigned op_bits = 32 - (unsigned)__builtin_clz(encoding->op_count - 1);
    uint32_t fixed = encoding->mask | ((1u << op_bits) - 1) << encoding->op_shift;
    words[0] = ((uint32_t)low & ~fixed) | encoding->prefix | op << encoding->op_shift;
    words[1] = (uint32_t)(low >> 32);
    words[2] = (uint32_t)high;
    words[3] = (uint32_t)(high >> 32);
}

#endif
