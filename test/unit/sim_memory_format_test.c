// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffer loads and stores that convert, in every data and number format, compared with arithmetic
// in long double.
//
// Formats are named from their most significant component, while components count from the least
// significant one.
#include "sim_memory_ops.h"

enum { ADDRESS = 2, DATA = 8, RESULT = 16, RESOURCE = 20, BASE_OFFSET = 512 };
typedef enum number { UNORM, SNORM, USCALED, SSCALED, UINT, SINT, OGL, FLOAT } number_t;
typedef enum width { FULL, HALF, HIGH } width_t;

typedef struct format {
    unsigned code, bits[4];
    unsigned numbers; // set of number_t
} format_t;

#define NORMS (1u << UNORM | 1u << SNORM | 1u << USCALED | 1u << SSCALED)
#define INTS (1u << UINT | 1u << SINT)
#define FLOATS (1u << FLOAT)
static const format_t formats[] = {
    {1, {8}, NORMS | INTS},                        // 8
    {2, {16}, NORMS | INTS | FLOATS},              // 16
    {3, {8, 8}, NORMS | INTS},                     // 8_8
    {4, {32}, INTS | FLOATS},                      // 32
    {5, {16, 16}, NORMS | INTS | FLOATS},          // 16_16
    {6, {11, 11, 10}, FLOATS},                     // 10_11_11
    {7, {10, 11, 11}, FLOATS},                     // 11_11_10
    {8, {2, 10, 10, 10}, NORMS | INTS},            // 10_10_10_2
    {9, {10, 10, 10, 2}, NORMS | INTS},            // 2_10_10_10
    {10, {8, 8, 8, 8}, NORMS | INTS},              // 8_8_8_8
    {11, {32, 32}, INTS | FLOATS},                 // 32_32
    {12, {16, 16, 16, 16}, NORMS | INTS | FLOATS}, // 16_16_16_16
    {13, {32, 32, 32}, INTS | FLOATS},             // 32_32_32
    {14, {32, 32, 32, 32}, INTS | FLOATS},         // 32_32_32_32
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static const struct {
    const char *suffix;
    unsigned components;
    width_t width;
} forms[] = {{"x", 1, FULL},       {"xy", 2, FULL},       {"xyz", 3, FULL},
             {"xyzw", 4, FULL},    {"d16_x", 1, HALF},    {"d16_xy", 2, HALF},
             {"d16_xyz", 3, HALF}, {"d16_xyzw", 4, HALF}, {"d16_hi_x", 1, HIGH}};
enum { FORMS = sizeof forms / sizeof forms[0] };

static const char *registers_of(unsigned form, unsigned first)
{
    return sim_registers('v', first,
                         forms[form].width == FULL ? forms[form].components
                                                   : (forms[form].components + 1) / 2);
}

static unsigned count_of(const format_t *f)
{
    unsigned count = 0;
    while (count < 4 && f->bits[count])
        count++;
    return count;
}

static unsigned bytes_of(const format_t *f)
{
    return (f->bits[0] + f->bits[1] + f->bits[2] + f->bits[3]) / 8;
}

static uint32_t raw_component(const uint8_t *bytes, const format_t *f, unsigned component)
{
    unsigned from = 0;
    uint32_t value = 0;
    for (unsigned i = 0; i < component; i++)
        from += f->bits[i];
    for (unsigned i = 0; i < f->bits[component]; i++)
        value |= (uint32_t)(bytes[(from + i) / 8] >> (from + i) % 8 & 1) << i;
    return value;
}

static void put_raw_component(uint8_t *bytes, const format_t *f, unsigned component, uint32_t value)
{
    unsigned from = 0;
    for (unsigned i = 0; i < component; i++)
        from += f->bits[i];
    for (unsigned i = 0; i < f->bits[component]; i++) {
        const unsigned at = from + i;
        bytes[at / 8] = (uint8_t)((bytes[at / 8] & ~(1u << at % 8)) | (value >> i & 1) << at % 8);
    }
}

static long double small_float(uint32_t raw, unsigned mantissa_bits)
{
    const int exponent = (int)(raw >> mantissa_bits & 31),
              mantissa = (int)(raw & ((1u << mantissa_bits) - 1));
    if (exponent == 31)
        return mantissa ? (long double)NAN : (long double)INFINITY;
    return exponent ? ldexpl((1 << mantissa_bits) + mantissa, exponent - 15 - (int)mantissa_bits)
                    : ldexpl(mantissa, -14 - (int)mantissa_bits);
}

static long double number_of(uint32_t raw, unsigned bits, number_t number)
{
    const long double max = ldexpl(1, (int)bits) - 1;
    const int64_t value = (int64_t)raw - (raw >> (bits - 1) & 1 ? 1ll << bits : 0);
    switch (number) {
    case UNORM:
        return raw / max;
    case SNORM:
        return fmaxl((long double)value / ((max - 1) / 2), -1);
    case USCALED:
        return raw;
    case SSCALED:
        return value;
    default:
        return bits == 32   ? (long double)reference_as_f32(raw)
               : bits == 16 ? (long double)reference_as_f16(raw)
                            : small_float(raw, bits - 5);
    }
}

// A component in 32 or 16 bits of a register. `select` is the descriptor's: 0, 1, or 4 + component.
static uint32_t loaded(const uint8_t *bytes, const format_t *f, number_t number, unsigned select,
                       bool half)
{
    const bool is_integer = number == UINT || number == SINT;
    if (select == 1 || (select == 7 && count_of(f) < 4))
        return is_integer ? 1 : half ? 0x3c00 : 0x3f800000;
    if (select < 4 || select - 4 >= count_of(f))
        return 0;
    const unsigned bits = f->bits[select - 4];
    const uint32_t raw = raw_component(bytes, f, select - 4);
    if (is_integer) {
        const uint32_t value =
            number == SINT && raw >> (bits - 1) ? raw - (uint32_t)(1ull << bits) : raw;
        return half ? value & 0xffff : value;
    }
    const long double value = number_of(raw, bits, number);
    if (half)
        return reference_f16_bits(reference_round(value, &reference_f16, REFERENCE_NEAREST));
    return bits == 32 ? raw
                      : reference_f32_bits(
                            (float)reference_round(value, &reference_f32, REFERENCE_NEAREST));
}

static uint32_t stored(long double value, unsigned bits, number_t number)
{
    const long double max = ldexpl(1, (int)bits) - 1, half = (max - 1) / 2;
    const uint32_t mask = (uint32_t)max;
    if (isnan(value) && number != FLOAT)
        return 0;
    switch (number) {
    case UNORM:
        return (uint32_t)rintl(fminl(fmaxl(value, 0), 1) * max);
    case SNORM:
        return (uint32_t)(int32_t)rintl(fminl(fmaxl(value, -1), 1) * half) & mask;
    case USCALED:
        return (uint32_t)truncl(fminl(fmaxl(value, 0), max));
    case SSCALED:
        return (uint32_t)(int32_t)truncl(fminl(fmaxl(value, -half - 1), half)) & mask;
    default:
        break;
    }
    if (bits == 16)
        return reference_f16_bits(reference_round(value, &reference_f16, REFERENCE_NEAREST));
    const reference_format_t narrow = {(int)bits - 5, -14, 15}; // unsigned, rounded to zero
    const long double rounded = reference_round(value, &narrow, REFERENCE_ZERO);
    return value > 0 ? reference_f16_bits(rounded) >> (15 - bits) : 0;
}

static void put_descriptor(sim_state_t *state, const format_t *f, number_t number, uint32_t select,
                           uint32_t records)
{
    const uint64_t base = (uint64_t)(uintptr_t)sim.device + BASE_OFFSET;
    state->sgpr[RESOURCE] = (uint32_t)base;
    state->sgpr[RESOURCE + 1] = (uint32_t)(base >> 32);
    state->sgpr[RESOURCE + 2] = records;
    state->sgpr[RESOURCE + 3] = select | (uint32_t)number << 12 | (f ? f->code : 0) << 15;
}

static void put_result(sim_state_t *state, unsigned lane, unsigned component, width_t width,
                       uint32_t value)
{
    uint32_t *at = &state->vgpr[RESULT + (width == FULL ? component : component / 2)][lane];
    if (width == FULL)
        *at = value;
    else if (width == HIGH)
        *at = value * 65536;
    else if (component % 2)
        *at = *at % 65536 + value * 65536;
    else
        *at = value;
}

// Sets up lanes whose addresses are 16 bytes and some more apart, some past the end of the buffer.
static void prepare(sim_state_t *state, unsigned round)
{
    sim_randomize(state);
    sim_fill_operands(state, round % 3 == 0 ? SIM_F16 : round % 3 == 1 ? SIM_F32 : SIM_BITS);
    sim_choose_exec(state, round);
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
        state->vgpr[ADDRESS][lane] = 16 * lane + lane / 3 % 4;
}

enum { RECORDS = 16 * 56 };

// The place of a lane's bytes: its address rounded down to a multiple of the format's size or of a
// dword.
static uint8_t *place_of(sim_state_t *state, const format_t *f, unsigned lane)
{
    const unsigned align = bytes_of(f) < 4 ? bytes_of(f) : 4;
    return state->memory + BASE_OFFSET + state->vgpr[ADDRESS][lane] / align * align;
}

static void expect_load(const kiln_sim_inst_t *inst, sim_state_t *want, const format_t *f,
                        number_t number, uint32_t select, unsigned form)
{
    static sim_state_t got;
    got = *want;
    sim_run(&got, inst);
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
        const bool inside = want->vgpr[ADDRESS][lane] + bytes_of(f) <= RECORDS;
        for (unsigned c = 0; c < forms[form].components && sim_exec(want) >> lane & 1; c++) {
            const unsigned s = select >> 3 * c & 7;
            uint32_t value =
                loaded(place_of(want, f, lane), f, number, s, forms[form].width != FULL);
            if (!inside && s != 1)
                value = 0;
            put_result(want, lane, c, forms[form].width, value);
        }
    }
    sim_expect(inst, &got, want, forms[form].width == FULL ? SIM_F32 : SIM_F16, KILN_GFX942_LANES);
}

static bool usable(const format_t *f, unsigned number, unsigned form)
{
    // Conversions of 32-bit integers to 16 bits have a rule of their own.
    return (f->numbers >> number & 1) && !(forms[form].width != FULL && f->bits[0] == 32);
}

static void typed_loads(void **unused)
{
    (void)unused;
    static char source[1 << 16];
    static sim_state_t want;
    size_t used = 0;
    unsigned round = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        sim_code_t code = {0};
        const kiln_sim_inst_t *inst = NULL;
        if (pass == 1) {
            code = sim_assemble_code(source);
            inst = sim_inst_at(&code, 0);
        }
        for (unsigned i = 0; i < FORMS * FORMATS * 8; i++) {
            const unsigned form = i / 8 / FORMATS, number = i % 8;
            const format_t *f = &formats[i / 8 % FORMATS];
            const unsigned registers = forms[form].width == FULL ? forms[form].components
                                                                 : (forms[form].components + 1) / 2;
            if (!usable(f, number, form) ||
                forms[form].width == HIGH) // exists only as buffer_load_format
                continue;
            if (pass == 0) {
                used += (size_t)snprintf(
                    source + used, sizeof source - used,
                    registers == 1 ? "tbuffer_load_format_%s v16, v2, s[20:23], 0 format:%u offen\n"
                    : registers == 2
                        ? "tbuffer_load_format_%s v[16:17], v2, s[20:23], 0 format:%u offen\n"
                    : registers == 3
                        ? "tbuffer_load_format_%s v[16:18], v2, s[20:23], 0 format:%u offen\n"
                        : "tbuffer_load_format_%s v[16:19], v2, s[20:23], 0 format:%u offen\n",
                    forms[form].suffix, f->code | number << 4);
                continue;
            }
            prepare(&want, round++);
            put_descriptor(&want, NULL, FLOAT, 0xabc,
                           RECORDS); // the descriptor's own format is ignored
            expect_load(inst, &want, f, (number_t)number, 4 | 5 << 3 | 6 << 6 | 7 << 9, form);
            inst = inst->next;
        }
        if (pass == 1)
            sim_discard_code(&code);
    }
}

static void untyped_loads(void **unused)
{
    (void)unused;
    static sim_state_t want;
    char source[1024] = "";
    for (unsigned form = 0; form < FORMS; form++)
        snprintf(source + strlen(source), sizeof source - strlen(source),
                 "buffer_load_format_%s %s, v2, s[20:23], 0 offen\n", forms[form].suffix,
                 registers_of(form, RESULT));
    sim_code_t code = sim_assemble_code(source);
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned form = 0; form < FORMS; form++, inst = inst->next) {
        for (unsigned i = 0; i < FORMATS * 8; i++) {
            static const unsigned selects[] = {0, 1, 4, 5, 6, 7};
            uint32_t select = 0;
            if (!usable(&formats[i / 8], i % 8, form))
                continue;
            prepare(&want, i);
            for (unsigned c = 0; c < 4; c++)
                select |= selects[reference_random(&sim_seed) >> 40 % 6 & 3 ? 2 + c : (i + c) % 6]
                          << 3 * c;
            put_descriptor(&want, &formats[i / 8], (number_t)(i % 8), select, RECORDS);
            expect_load(inst, &want, &formats[i / 8], (number_t)(i % 8), select, form);
        }
    }
    sim_discard_code(&code);
}

static long double data_component(const sim_state_t *state, unsigned lane, unsigned component,
                                  width_t width, uint32_t *bits)
{
    const uint32_t word = state->vgpr[DATA + (width == FULL ? component : component / 2)][lane];
    *bits = width == FULL ? word : width == HIGH || component % 2 ? word / 65536 : word % 65536;
    return width == FULL ? (long double)reference_as_f32(*bits)
                         : (long double)reference_as_f16(*bits);
}

// Clears signs, since no rule for NaNs of small unsigned floats is known.
static void make_positive(sim_state_t *state)
{
    for (unsigned row = DATA; row < DATA + 4; row++) {
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
            state->vgpr[row][lane] &= 0x7fff7fff;
            if ((state->vgpr[row][lane] & 0x7f800000) == 0x7f800000 ||
                (state->vgpr[row][lane] & 0x7c00) == 0x7c00 ||
                (state->vgpr[row][lane] & 0x7c000000) == 0x7c000000)
                state->vgpr[row][lane] = 0x3c003c00;
        }
    }
}

static void expect_store(const kiln_sim_inst_t *inst, sim_state_t *want, const format_t *f,
                         number_t number, unsigned form)
{
    static sim_state_t got;
    if (number == FLOAT && (f->bits[0] == 11 || f->bits[0] == 10))
        make_positive(want);
    got = *want;
    sim_run(&got, inst);
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
        uint8_t *place = place_of(want, f, lane);
        if (!(sim_exec(want) >> lane & 1) || want->vgpr[ADDRESS][lane] + bytes_of(f) > RECORDS)
            continue;
        for (unsigned c = 0; c < count_of(f); c++) {
            uint32_t bits;
            const long double value = data_component(want, lane, c, forms[form].width, &bits);
            const bool as_is = number == UINT || number == SINT || f->bits[c] == 32;
            put_raw_component(place, f, c, as_is ? bits : stored(value, f->bits[c], number));
        }
    }
    sim_expect(inst, &got, want, SIM_F16, KILN_GFX942_LANES);
}

#define LINE(...) used += (size_t)snprintf(source + used, sizeof source - used, __VA_ARGS__)
static void stores(void **unused)
{
    (void)unused;
    static char source[1 << 16];
    static sim_state_t want;
    size_t used = 0;
    unsigned round = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        sim_code_t code = {0};
        const kiln_sim_inst_t *inst = NULL;
        if (pass == 1) {
            code = sim_assemble_code(source);
            inst = sim_inst_at(&code, 0);
        }
        for (unsigned i = 0; i < FORMS * FORMATS * 8; i++) {
            const unsigned form = i / 8 / FORMATS, number = i % 8;
            const format_t *f = &formats[i / 8 % FORMATS];
            // Instructions with fewer components than the format are skipped here.
            if (!usable(f, number, form) || forms[form].components < count_of(f))
                continue;
            if (pass == 0) {
                const char *data = registers_of(form, DATA);
                if (forms[form].width != HIGH)
                    LINE("tbuffer_store_format_%s %s, v2, s[20:23], 0 format:%u offen\n",
                         forms[form].suffix, data, f->code | number << 4);
                LINE("buffer_store_format_%s %s, v2, s[20:23], 0 offen\n", forms[form].suffix,
                     data);
                continue;
            }
            for (unsigned typed = forms[form].width == HIGH ? 0 : 1; typed < 2;
                 typed--, inst = inst->next) {
                prepare(&want, round++);
                put_descriptor(&want, typed ? NULL : f, typed ? UNORM : (number_t)number, 0,
                               RECORDS);
                expect_store(inst, &want, f, (number_t)number, form);
            }
        }
        if (pass == 1)
            sim_discard_code(&code);
    }
}

// M0[15:0] + 4 * lane; lanes out of the buffer's range write zero.
static void converted_loads_to_lds(void **unused)
{
    (void)unused;
    static sim_state_t got, want;
    sim_code_t code =
        sim_assemble_code("buffer_load_format_x v2, s[20:23], 0 offen lds\ns_endpgm\n");
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < FORMATS * 8; i++) {
        const format_t *f = &formats[i / 8];
        if (!usable(f, i % 8, 0))
            continue;
        prepare(&want, i);
        put_descriptor(&want, f, (number_t)(i % 8), 4, RECORDS);
        want.sgpr[KILN_SIM_SGPR_M0] = 0x55550000 | (i * 16);
        got = want;
        sim_run(&got, inst);
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
            const uint8_t *place = place_of(&want, f, lane);
            const bool inside = want.vgpr[ADDRESS][lane] + bytes_of(f) <= RECORDS;
            const uint32_t value = inside ? loaded(place, f, (number_t)(i % 8), 4, false) : 0;
            if (sim_exec(&want) >> lane & 1)
                memcpy(want.lds + i * 16 + 4 * lane, &value, 4);
        }
        sim_expect(inst, &got, &want, SIM_F32, KILN_GFX942_LANES);
    }
    sim_discard_code(&code);
}

static int run(const char *variant)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typed_loads),
        cmocka_unit_test(untyped_loads),
        cmocka_unit_test(stores),
        cmocka_unit_test(converted_loads_to_lds),
    };
    return cmocka_run_group_tests_name(variant, tests, sim_open, sim_close);
}

int main(void)
{
    return sim_run_variants(run);
}
