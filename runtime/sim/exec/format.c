// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffer loads and stores that convert: buffer_*_format_* take the format from the V#,
// tbuffer_*_format_* from the instruction.
//
// Pitfalls: dst_sel of the V# applies to buffer_load_format only; all other instructions take
// components in order. Format accesses are in range as a whole or not at all. They must be aligned
// to their size, or to a dword if that is smaller, in every alignment mode (the ISA guides'
// "Alignment"). The guides do not define misaligned accesses. Here their low address bits are
// ignored, and KILN_SIM_CHECK=memory reports them.
#include "exec/buffer.h"

typedef enum { UNORM, SNORM, USCALED, SSCALED, UINT, SINT, SNORM_OGL, FLOAT } num_format_t;
typedef enum { FULL, HALF, HIGH } width_t;

static const uint8_t component_bits[16][4] = {
#define DATA_FORMAT(number, name, x, y, z, w) [number] = {x, y, z, w},
#include "isa/format.def"
#undef DATA_FORMAT
};

typedef struct layout {
    const uint8_t *bits;
    unsigned bytes, count;
    num_format_t number;
    uint32_t select; // 3 bits per component; identity except for buffer_load_format
} layout_t;

static const alignas(16) uint8_t zeros[16];

#define IDENTITY (4u | 5u << 3 | 6u << 6 | 7u << 9)

static bool is_integer(const layout_t *layout)
{
    return layout->number == UINT || layout->number == SINT;
}

static bool find_layout(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                        kiln_sim_buffer_t *buffer, kiln_sim_access_t access, layout_t *layout)
{
    bool typed = inst->format == KILN_SIM_MTBUF;
    unsigned data = typed ? inst->data_format : buffer->data_format;
    layout->bits = component_bits[data & 15];
    layout->number = (num_format_t)(typed ? inst->num_format : buffer->num_format);
    layout->select = typed || access != KILN_SIM_LOAD ? IDENTITY : buffer->select;
    unsigned total = 0;
    layout->count = 0;
    for (unsigned i = 0; i < 4 && layout->bits[i]; i++, layout->count++)
        total += layout->bits[i];
    layout->bytes = total / 8;
    buffer->format = total ? layout->bits : NULL;
    buffer->alignment = total >= 32 ? 4 : total == 16 ? 2 : 1;
    if (total)
        return true;
    if (buffer->records == 0 && !typed) { // an unbound buffer: out of range in any format
        layout->bytes = 4;
        return true;
    }
    kiln_sim_wave_fault(wave, inst, -1, "buffer data format %u does not exist", data);
    return false;
}

// Small unsigned floats of 10 and 11 bits: 5 bits of exponent as in f16, the rest mantissa, no
// sign.
static float small_float(uint32_t raw, unsigned bits)
{
    return kiln_f16_to_f32((uint16_t)(raw << (15 - bits)));
}

static float component_to_float(uint32_t raw, unsigned bits, num_format_t number)
{
    uint32_t max = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    int32_t value = bits == 32 ? (int32_t)raw : (int32_t)(raw << (32 - bits)) >> (32 - bits);
    switch (number) {
    case UNORM:
        return (float)((double)raw / (double)max);
    case SNORM:
    case SNORM_OGL: {
        double normal = (double)value / (double)(max >> 1);
        return (float)(normal < -1.0 ? -1.0 : normal);
    }
    case USCALED:
        return (float)raw;
    case SSCALED:
        return (float)value;
    default:
        return bits == 32   ? kiln_f32_of_bits(raw)
               : bits == 16 ? kiln_f16_to_f32((uint16_t)raw)
                            : small_float(raw, bits);
    }
}

static double clamped(double value, double low, double high)
{
    return value >= low ? (value <= high ? value : high) : value < low ? low : 0; // NaN becomes 0
}

static uint32_t float_to_component(float value, unsigned bits, num_format_t number)
{
    uint32_t max = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    double half = (double)(max >> 1);
    switch (number) {
    case UNORM:
        return (uint32_t)(int64_t)rint(clamped((double)value, 0, 1) * (double)max);
    case SNORM:
    case SNORM_OGL:
        return (uint32_t)(int64_t)rint(clamped((double)value, -1, 1) * half) & max;
    case USCALED:
        return (uint32_t)(int64_t)clamped(trunc((double)value), 0, (double)max);
    case SSCALED:
        return (uint32_t)(int64_t)clamped(trunc((double)value), -half - 1, half) & max;
    default:
        if (bits == 32)
            return kiln_bits_of_f32(value);
        if (bits == 16)
            return kiln_f32_to_f16(value);
        return value > 0 || value != value
                   ? (uint32_t)(kiln_f32_to_f16_mode(value, KILN_ROUND_ZERO, KILN_OVERFLOW_IEEE) >>
                                (15 - bits)) &
                         max
                   : 0;
    }
}

static uint64_t field(const uint8_t *bytes, unsigned offset, unsigned bits)
{
    uint64_t value = 0;
    unsigned first = offset / 8, last = (offset + bits - 1) / 8;
    for (unsigned i = first; i <= last; i++)
        value |= (uint64_t)bytes[i] << (8 * (i - first));
    return value >> (offset % 8) & (bits == 32 ? UINT32_MAX : (1u << bits) - 1);
}

// The register representation of one destination component: 32 bits, or 16 for half-width
// instructions.
static uint32_t register_value(const layout_t *layout, unsigned component, const uint32_t raw[4],
                               bool half)
{
    uint32_t select = layout->select >> (3 * component) & 7;
    bool integer = is_integer(layout);
    if (select < 2 || select - 4 >= layout->count) {
        bool one = select == 1 || (select == 7 && layout->count < 4);
        return !one ? 0 : integer ? 1u : half ? 0x3c00u : 0x3f800000u;
    }
    unsigned bits = layout->bits[select - 4];
    uint32_t value = raw[select - 4];
    if (layout->number == SINT && bits < 32)
        value = (uint32_t)((int32_t)(value << (32 - bits)) >> (32 - bits));
    if (integer)
        return half ? value & 0xffff : value;
    float number = component_to_float(value, bits, layout->number);
    return half ? kiln_f32_to_f16(number) : kiln_bits_of_f32(number);
}

static void put_component(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, uint64_t lane,
                          unsigned component, width_t width, uint32_t value)
{
    unsigned row = inst->dst.reg + (width == FULL ? component : component / 2);
    uint32_t *place = &wave->vgpr[row][lane];
    if (width == FULL)
        *place = value;
    else if (width == HIGH)
        *place = value << 16;
    else if (component % 2)
        *place = (*place & 0xffff) | value << 16;
    else
        *place = value; // a d16 load writes zeros to the half that it does not load
}

static void load(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned components,
                 width_t width)
{
    kiln_sim_buffer_t buffer = KILN_SIM_V(kiln_sim_buffer_read)(wave, inst);
    kiln_sim_buffer_lanes_t lanes;
    layout_t layout;
    if (!find_layout(wave, inst, &buffer, KILN_SIM_LOAD, &layout) ||
        !KILN_SIM_V(kiln_sim_buffer_lanes)(wave, inst, &buffer, KILN_SIM_LOAD, layout.bytes,
                                           &lanes))
        return;
    uint64_t outside = lanes.outside | lanes.partial;
    KILN_SIM_FOR_LANES(lane, lanes.lanes.mask)
    {
        const uint8_t *bytes =
            outside >> lane & 1 ? zeros : (const uint8_t *)(uintptr_t)lanes.lanes.at[lane];
        uint32_t raw[4] = {0};
        for (unsigned i = 0, offset = 0; i < layout.count; offset += layout.bits[i++])
            raw[i] = (uint32_t)field(bytes, offset, layout.bits[i]);
        for (unsigned i = 0; i < components; i++) {
            uint32_t value = register_value(&layout, i, raw, width != FULL);
            if (outside >> lane & 1)
                value = (layout.select >> (3 * i) & 7) == 1 ? value : 0;
            put_component(wave, inst, lane, i, width, value);
        }
    }
}

static void store(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned components,
                  width_t width)
{
    kiln_sim_buffer_t buffer = KILN_SIM_V(kiln_sim_buffer_read)(wave, inst);
    kiln_sim_buffer_lanes_t lanes;
    layout_t layout;
    if (!find_layout(wave, inst, &buffer, KILN_SIM_STORE, &layout) ||
        !KILN_SIM_V(kiln_sim_buffer_lanes)(wave, inst, &buffer, KILN_SIM_STORE, layout.bytes,
                                           &lanes))
        return;
    KILN_SIM_FOR_LANES(lane, lanes.lanes.mask)
    {
        uint8_t bytes[20] = {0};
        for (unsigned i = 0, offset = 0; i < layout.count; offset += layout.bits[i++]) {
            // An instruction with fewer components repeats its last one.
            unsigned from = i < components ? i : components - 1;
            uint32_t data = wave->vgpr[inst->src[1].reg + (width == FULL ? from : from / 2)][lane];
            if (width != FULL)
                data = width == HIGH || from % 2 ? data >> 16 : data & 0xffff;
            uint32_t max = layout.bits[i] == 32 ? UINT32_MAX : (1u << layout.bits[i]) - 1;
            float number = width == FULL ? kiln_f32_of_bits(data) : kiln_f16_to_f32((uint16_t)data);
            uint64_t value = is_integer(&layout)
                                 ? data & max
                                 : float_to_component(number, layout.bits[i], layout.number);
            value <<= offset % 8;
            for (unsigned b = 0; b < 5; b++)
                bytes[offset / 8 + b] |= (uint8_t)(value >> (8 * b));
        }
        memcpy((void *)(uintptr_t)lanes.lanes.at[lane], bytes, layout.bytes);
    }
}

#define FORMAT_LOAD(name, components, width, D)                                                    \
    static void run_##name(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        if (inst->flags & KILN_SIM_INST_LDS)                                                       \
            KILN_SIM_V(kiln_sim_buffer_to_lds)(wave, inst, run_##name);                            \
        else                                                                                       \
            load(wave, inst, components, width);                                                   \
    }
#define FORMAT_STORE(name, components, width, D)                                                   \
    static void run_##name(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        store(wave, inst, components, width);                                                      \
    }
#define FORMAT_LOAD_HIGH FORMAT_LOAD
#define FORMAT_STORE_HIGH FORMAT_STORE
#include "isa/format.def"
#undef FORMAT_LOAD
#undef FORMAT_STORE
#undef FORMAT_LOAD_HIGH
#undef FORMAT_STORE_HIGH

#define ROW(prefix, format_, name_, unit, dst_, data_)                                             \
    {.name = #prefix "_" #name_,                                                                   \
     .run = run_##name_,                                                                           \
     .format = KILN_SIM_##format_,                                                                 \
     .class_ = KILN_SIM_CLASS_VMEM_##unit,                                                         \
     .cycles = 4,                                                                                  \
     .dst = KILN_SIM_T_##dst_,                                                                     \
     .src = {KILN_SIM_T_U64, KILN_SIM_T_##data_}},
#define FORMAT_LOAD(name, components, width, D)                                                    \
    ROW(buffer, MUBUF, name, LOAD, D, NONE) ROW(tbuffer, MTBUF, name, LOAD, D, NONE)
#define FORMAT_STORE(name, components, width, D)                                                   \
    ROW(buffer, MUBUF, name, STORE, NONE, D) ROW(tbuffer, MTBUF, name, STORE, NONE, D)
#define FORMAT_LOAD_HIGH(name, components, width, D) ROW(buffer, MUBUF, name, LOAD, D, NONE)
#define FORMAT_STORE_HIGH(name, components, width, D) ROW(buffer, MUBUF, name, STORE, NONE, D)
static const kiln_sim_row_t rows[] = {
#include "isa/format.def"
};

const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_format) = {rows, sizeof rows / sizeof rows[0]};
