// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Banks as lowering counts them (layout/lds.c): 32 of 4 bytes; lanes that access one dword are
// served together.
#include "inspect/layout_access.h"

#include <string.h>

#include "base/gfx942.h"
#include "layout/lds.h"

enum { BANKS = KILN_GFX942_LDS_BANKS, BANK_BYTES = KILN_GFX942_LDS_BANK_BYTES };

// The XOR of the vectors that the bits of a number select.
static uint32_t span(const uint32_t *vectors, int bits, uint32_t number)
{
    uint32_t sum = 0;
    for (int i = 0; i < bits; i++)
        sum ^= number >> i & 1 ? vectors[i] : 0;
    return sum;
}

// What accesses where: the map from registers to offsets without gaps, the gaps, and bytes of an
// element.
typedef struct access {
    kiln_layout_t to_lds;
    const kiln_padding_t *padding;
    int bytes;
} access_t;

static access_t access_of(const kiln_layout_t *registers, const kiln_lds_buffer_t *buffer)
{
    return (access_t){kiln_layout_to_lds(registers, &buffer->layout), &buffer->padding,
                      kiln_lds_element_bytes(buffer->element_bits)};
}

static uint32_t offset_of(const access_t *access, uint32_t reg, uint32_t lane, uint32_t warp)
{
    const uint32_t offset = kiln_layout_apply(&access->to_lds, reg, lane, warp);
    return offset + (uint32_t)kiln_padding_shift(access->padding, offset);
}

// The dwords of LDS that a group accesses in each bank, each once.
typedef struct banks {
    uint32_t dwords[BANKS][64];
    int count[BANKS];
    int most;
} banks_t;

static uint32_t dword_of(const access_t *access, const kiln_lds_instruction_t *inst, uint32_t lane,
                         int part)
{
    const uint32_t offset = offset_of(access, inst->registers[0], lane, inst->warp);
    return (offset * (uint32_t)access->bytes + (uint32_t)part * BANK_BYTES) / BANK_BYTES;
}

static void fill_banks(const kiln_lds_instruction_t *inst, const access_t *access, banks_t *banks)
{
    memset(banks, 0, sizeof *banks);
    for (int l = 0; l < inst->lane_count; l++)
        for (int part = 0; part * BANK_BYTES < inst->bytes; part++) {
            const uint32_t dword = dword_of(access, inst, inst->lanes[l], part),
                           bank = dword % BANKS;
            bool known = false;
            for (int i = 0; i < banks->count[bank]; i++)
                known |= banks->dwords[bank][i] == dword;
            if (!known && banks->count[bank] < 64)
                banks->dwords[bank][banks->count[bank]++] = dword;
            if (banks->count[bank] > banks->most)
                banks->most = banks->count[bank];
        }
}

// Counts the cycles of one instruction, and chooses the group of its lanes with the most dwords in
// a bank.
static void count_cycles(const access_t *access, const kiln_lds_groups_t *groups,
                         kiln_lds_instruction_t *inst)
{
    banks_t banks;
    kiln_lds_instruction_t group = *inst;
    uint32_t seen = 0; // lanes, of 64, are in one group each: cosets begin at the lowest not seen
    uint64_t taken = 0;
    inst->cycles = inst->ways = 0;
    for (; seen < 64; seen++) {
        if (taken >> seen & 1)
            continue;
        for (int l = 0; l < group.lane_count; l++) {
            group.lanes[l] = seen ^ span(groups->lane, groups->bits, (uint32_t)l);
            taken |= UINT64_C(1) << group.lanes[l];
        }
        fill_banks(&group, access, &banks);
        inst->cycles += banks.most;
        if (banks.most > inst->ways) {
            inst->ways = banks.most;
            memcpy(inst->lanes, group.lanes, sizeof inst->lanes);
        }
    }
    inst->conflicts = inst->cycles - inst->groups;
}

kiln_status_t kiln_lds_instruction_of(const kiln_layout_t *registers,
                                      const kiln_lds_buffer_t *buffer,
                                      kiln_lds_direction_t direction, kiln_lds_instruction_t *out)
{
    const kiln_layout_t *lds = &buffer->layout;
    if (registers->rank != lds->rank ||
        memcmp(registers->log2_shape, lds->log2_shape, (size_t)lds->rank) != 0)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "an access needs a value of the buffer's shape");
    const access_t access = access_of(registers, buffer);
    const kiln_lds_access_t widest = kiln_layout_lds_access(&access.to_lds, buffer->element_bits);
    kiln_lds_instruction_t inst = {.elements = kiln_padding_limit(&buffer->padding, widest.vector)};
    inst.bytes = inst.elements * access.bytes;
    const kiln_lds_groups_t groups = kiln_lds_groups(inst.bytes, direction);
    inst.lane_count = 1 << groups.bits;
    inst.groups = 64 >> groups.bits;
    inst.instructions = kiln_layout_registers(registers) / (uint32_t)inst.elements;
    uint32_t stepping = 0; // bits of registers in one instruction
    for (int i = 0; 1 << i < inst.elements; i++)
        stepping |= 1u << widest.vector_bits[i];
    // Without gaps the first instruction of the first warp stands for all.
    const bool has_gaps = buffer->padding.count > 0;
    const uint32_t all = has_gaps ? kiln_layout_registers(registers) : 1,
                   warps = has_gaps ? 1u << registers->bits[KILN_WARP] : 1;
    *out = (kiln_lds_instruction_t){0};
    for (uint32_t first = 0; first < all; first++)
        for (inst.warp = 0; inst.warp < warps && !(first & stepping); inst.warp++) {
            for (int e = 0; e < inst.elements && e < 64; e++) {
                inst.registers[e] = first;
                for (int i = 0; 1 << i < inst.elements; i++)
                    inst.registers[e] |= e >> i & 1 ? 1u << widest.vector_bits[i] : 0;
            }
            count_cycles(&access, &groups, &inst);
            inst.is_worst = out->is_worst || (out->elements && inst.cycles != out->cycles);
            if (inst.cycles > out->cycles)
                *out = inst;
            out->is_worst = inst.is_worst;
        }
    return KILN_OK;
}

kiln_status_t kiln_layout_access_write(const kiln_layout_t *registers,
                                       const kiln_lds_buffer_t *buffer,
                                       kiln_lds_direction_t direction, kiln_string_t *out)
{
    kiln_lds_instruction_t inst;
    banks_t banks;
    KILN_TRY(kiln_lds_instruction_of(registers, buffer, direction, &inst));
    const access_t access = access_of(registers, buffer);
    kiln_string_appendf(out, "  %d byte%s of each lane at a time: %u instruction%s of %s%d cycles",
                        inst.bytes, inst.bytes == 1 ? "" : "s", inst.instructions,
                        inst.instructions == 1 ? "" : "s", inst.is_worst ? "at most " : "",
                        inst.cycles);
    if (!inst.conflicts) {
        kiln_string_append(out, ", no bank conflicts\n");
        return out->failed ? kiln_status_out_of_memory() : KILN_OK;
    }
    kiln_string_appendf(out, ", %d of them for bank conflicts\n", inst.conflicts);
    fill_banks(&inst, &access, &banks);
    int bank = 0;
    while (banks.count[bank] < inst.ways)
        bank++;
    kiln_string_appendf(out, "  %d-way conflict, for example in bank %d: lanes", inst.ways, bank);
    for (int i = 0; i < banks.count[bank]; i++)
        for (int l = 0; l < inst.lane_count; l++) {
            bool is_it = false;
            for (int part = 0; part * BANK_BYTES < inst.bytes; part++)
                is_it |= dword_of(&access, &inst, inst.lanes[l], part) == banks.dwords[bank][i];
            if (is_it) { // one lane stands for all of its dword
                kiln_string_appendf(out, " %u", inst.lanes[l]);
                break;
            }
        }
    kiln_string_append_char(out, '\n');
    return out->failed ? kiln_status_out_of_memory() : KILN_OK;
}

// Picture -----------------------------------------------------------------------------------------

// Whether one of a lane's dwords is in a bank with others.
static bool conflicts(const kiln_lds_instruction_t *inst, const banks_t *banks,
                      const access_t *access, uint32_t lane)
{
    for (int part = 0; part * BANK_BYTES < inst->bytes; part++)
        if (banks->count[dword_of(access, inst, lane, part) % BANKS] > 1)
            return true;
    return false;
}

kiln_status_t kiln_layout_picture_add_access(kiln_layout_picture_t *picture,
                                             const kiln_layout_t *registers,
                                             const kiln_lds_buffer_t *buffer,
                                             kiln_lds_direction_t direction, const char *title)
{
    kiln_lds_instruction_t inst;
    banks_t banks;
    KILN_TRY(kiln_lds_instruction_of(registers, buffer, direction, &inst));
    KILN_TRY(kiln_layout_picture_add(picture, &buffer->layout, KILN_LAYOUT_IN_LDS, &buffer->padding,
                                     buffer->element_bits, title));
    const access_t access = access_of(registers, buffer);
    const unsigned columns = kiln_picture_columns(&buffer->layout);
    kiln_string_t *out = &picture->shapes;
    fill_banks(&inst, &access, &banks);
    for (int l = 0; l < inst.lane_count; l++) {
        const bool meets = conflicts(&inst, &banks, &access, inst.lanes[l]);
        for (int e = 0, count; e < inst.elements; e += count) {
            const uint32_t flat =
                kiln_layout_apply(registers, inst.registers[e], inst.lanes[l], inst.warp);
            for (count = 1; e + count < inst.elements && (flat + (unsigned)count) % columns;
                 count++)
                if (kiln_layout_apply(registers, inst.registers[e + count], inst.lanes[l],
                                      inst.warp) != flat + (unsigned)count)
                    break;
            const unsigned x = KILN_PICTURE_LEFT + flat % columns * picture->column,
                           y = picture->top + flat / columns * KILN_PICTURE_ROW,
                           offset = offset_of(&access, inst.registers[e], inst.lanes[l], inst.warp);
            kiln_string_appendf(out,
                                "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%d\" fill=\"none\" "
                                "style=\"stroke:%s;stroke-width:%d\"><title>lane %u, from bank "
                                "%u%s</title></rect>\n"
                                "<text x=\"%u\" y=\"%u\" style=\"font-size:7px\">T%u</text>\n",
                                x + 1, y + 1, (unsigned)count * picture->column - 2,
                                KILN_PICTURE_ROW - 2, meets ? "#d55e00" : "#0072b2", meets ? 3 : 2,
                                inst.lanes[l], offset * (uint32_t)access.bytes / BANK_BYTES % BANKS,
                                meets ? ", with others" : "", x + 3, y + 8, inst.lanes[l]);
        }
    }
    return out->failed ? kiln_status_out_of_memory() : KILN_OK;
}
