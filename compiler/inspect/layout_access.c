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

// The dwords of LDS that the first group accesses in each bank, each once.
typedef struct banks {
    uint32_t dwords[BANKS][64];
    int count[BANKS];
} banks_t;

static uint32_t dword_of(const kiln_layout_t *to_lds, uint32_t lane, int bytes, int part)
{
    return (kiln_layout_apply(to_lds, 0, lane, 0) * (uint32_t)bytes + (uint32_t)part * BANK_BYTES) /
           BANK_BYTES;
}

static void fill_banks(const kiln_lds_instruction_t *inst, const kiln_layout_t *to_lds, int bytes,
                       banks_t *banks)
{
    memset(banks, 0, sizeof *banks);
    for (int l = 0; l < inst->lane_count; l++)
        for (int part = 0; part * BANK_BYTES < inst->bytes; part++) {
            const uint32_t dword = dword_of(to_lds, inst->lanes[l], bytes, part),
                           bank = dword % BANKS;
            bool known = false;
            for (int i = 0; i < banks->count[bank]; i++)
                known |= banks->dwords[bank][i] == dword;
            if (!known && banks->count[bank] < 64)
                banks->dwords[bank][banks->count[bank]++] = dword;
        }
}

kiln_status_t kiln_lds_instruction_of(const kiln_layout_t *registers, const kiln_layout_t *lds,
                                      int element_bits, kiln_lds_direction_t direction,
                                      kiln_lds_instruction_t *out)
{
    if (registers->rank != lds->rank ||
        memcmp(registers->log2_shape, lds->log2_shape, (size_t)lds->rank) != 0)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "an access needs a value of the buffer's shape");
    const kiln_layout_t to_lds = kiln_layout_to_lds(registers, lds);
    const kiln_lds_access_t access = kiln_layout_lds_access(&to_lds, element_bits);
    const int bytes = kiln_lds_element_bytes(element_bits);
    *out = (kiln_lds_instruction_t){.elements = access.vector, .bytes = access.vector * bytes};
    const kiln_lds_groups_t groups = kiln_lds_groups(out->bytes, direction);
    out->lane_count = 1 << groups.bits;
    out->groups = 64 >> groups.bits;
    for (int l = 0; l < out->lane_count; l++)
        out->lanes[l] = span(groups.lane, groups.bits, (uint32_t)l);
    const int vector_bits = __builtin_ctz((unsigned)access.vector);
    for (int e = 0; e < access.vector && e < 64; e++) {
        out->registers[e] = 0;
        for (int i = 0; i < vector_bits; i++)
            out->registers[e] |= e >> i & 1 ? 1u << access.vector_bits[i] : 0;
    }
    out->cycles = kiln_lds_cycles(&to_lds, element_bits, direction);
    out->conflicts = kiln_layout_bank_conflicts(&to_lds, element_bits, direction);
    out->ways = out->cycles / out->groups;
    out->instructions = kiln_layout_registers(registers) / (uint32_t)access.vector;
    return KILN_OK;
}

kiln_status_t kiln_layout_access_write(const kiln_layout_t *registers, const kiln_layout_t *lds,
                                       int element_bits, kiln_lds_direction_t direction,
                                       kiln_string_t *out)
{
    kiln_lds_instruction_t inst;
    banks_t banks;
    const int bytes = kiln_lds_element_bytes(element_bits);
    KILN_TRY(kiln_lds_instruction_of(registers, lds, element_bits, direction, &inst));
    const kiln_layout_t to_lds = kiln_layout_to_lds(registers, lds);
    kiln_string_appendf(out, "  %d byte%s of each lane at a time: %u instruction%s of %d cycles",
                        inst.bytes, inst.bytes == 1 ? "" : "s", inst.instructions,
                        inst.instructions == 1 ? "" : "s", inst.cycles);
    if (!inst.conflicts) {
        kiln_string_append(out, ", no bank conflicts\n");
        return out->failed ? kiln_status_out_of_memory() : KILN_OK;
    }
    kiln_string_appendf(out, ", %d of them for bank conflicts\n", inst.conflicts);
    fill_banks(&inst, &to_lds, bytes, &banks);
    int bank = 0;
    while (banks.count[bank] < inst.ways)
        bank++;
    kiln_string_appendf(out, "  %d-way conflict, for example in bank %d: lanes", inst.ways, bank);
    for (int i = 0; i < banks.count[bank]; i++)
        for (int l = 0; l < inst.lane_count; l++) {
            bool is_it = false;
            for (int part = 0; part * BANK_BYTES < inst.bytes; part++)
                is_it |= dword_of(&to_lds, inst.lanes[l], bytes, part) == banks.dwords[bank][i];
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
                      const kiln_layout_t *to_lds, int bytes, uint32_t lane)
{
    for (int part = 0; part * BANK_BYTES < inst->bytes; part++)
        if (banks->count[dword_of(to_lds, lane, bytes, part) % BANKS] > 1)
            return true;
    return false;
}

kiln_status_t kiln_layout_picture_add_access(kiln_layout_picture_t *picture,
                                             const kiln_layout_t *registers,
                                             const kiln_layout_t *lds, int element_bits,
                                             kiln_lds_direction_t direction, const char *title)
{
    kiln_lds_instruction_t inst;
    banks_t banks;
    const int bytes = kiln_lds_element_bytes(element_bits);
    KILN_TRY(kiln_lds_instruction_of(registers, lds, element_bits, direction, &inst));
    KILN_TRY(kiln_layout_picture_add(picture, lds, KILN_LAYOUT_IN_LDS, element_bits, title));
    const kiln_layout_t to_lds = kiln_layout_to_lds(registers, lds);
    const unsigned columns = kiln_picture_columns(lds);
    kiln_string_t *out = &picture->shapes;
    fill_banks(&inst, &to_lds, bytes, &banks);
    for (int l = 0; l < inst.lane_count; l++) {
        const bool meets = conflicts(&inst, &banks, &to_lds, bytes, inst.lanes[l]);
        for (int e = 0, count; e < inst.elements; e += count) {
            const uint32_t flat = kiln_layout_apply(registers, inst.registers[e], inst.lanes[l], 0);
            for (count = 1; e + count < inst.elements && (flat + (unsigned)count) % columns;
                 count++)
                if (kiln_layout_apply(registers, inst.registers[e + count], inst.lanes[l], 0) !=
                    flat + (unsigned)count)
                    break;
            const unsigned x = KILN_PICTURE_LEFT + flat % columns * picture->column,
                           y = picture->top + flat / columns * KILN_PICTURE_ROW,
                           offset = kiln_layout_apply(&to_lds, inst.registers[e], inst.lanes[l], 0);
            kiln_string_appendf(out,
                                "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%d\" fill=\"none\" "
                                "style=\"stroke:%s;stroke-width:%d\"><title>lane %u, from bank "
                                "%u%s</title></rect>\n"
                                "<text x=\"%u\" y=\"%u\" style=\"font-size:7px\">T%u</text>\n",
                                x + 1, y + 1, (unsigned)count * picture->column - 2,
                                KILN_PICTURE_ROW - 2, meets ? "#d55e00" : "#0072b2", meets ? 3 : 2,
                                inst.lanes[l], offset * (uint32_t)bytes / BANK_BYTES % BANKS,
                                meets ? ", with others" : "", x + 3, y + 8, inst.lanes[l]);
        }
    }
    return out->failed ? kiln_status_out_of_memory() : KILN_OK;
}
