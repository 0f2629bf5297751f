// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every LDS instruction compared with a model that works on bytes: widths, both ends of the range,
// lanes on one address, overlapping registers, accumulation registers, partial and empty EXEC.
#include "sim_memory_ops.h"

enum { ROUNDS = 4, ADDRESS = 2, DATA = 8, DATA2 = 12, RESULT = 16 };

// Operand registers: the result and the data may overlap the address register.
typedef struct form {
    char bank;
    unsigned result, data, offset;
} form_t;

static const form_t forms[] = {{'v', RESULT, DATA, 0},
                               {'v', ADDRESS, ADDRESS, 252},
                               {'v', DATA, DATA, 2048},
                               {'a', RESULT, DATA, 12}};
enum { FORMS = sizeof forms / sizeof forms[0] };

// Chooses addresses near the ends of LDS and beyond, anywhere, and equal ones in many lanes.
static void choose_addresses(sim_state_t *state, unsigned align, unsigned offset)
{
    const uint32_t common = (uint32_t)(reference_random(&sim_seed) >> 40) % (SIM_LDS / 16) * 16;
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
        const uint32_t random = (uint32_t)(reference_random(&sim_seed) >> 32);
        const uint32_t anywhere = random >> 8 & (SIM_LDS - 1);
        uint32_t address = anywhere;
        if (random % 8 < 2)
            address = common;
        else if (random % 8 == 2)
            address = SIM_LDS - offset - (random >> 8) % 32; // near the end
        else if (random % 32 == 3)
            address = 0 - (random >> 8) % 64; // far outside, or inside by an offset that wraps
        state->vgpr[ADDRESS][lane] = address / align * align;
    }
}

static bool in_lds(uint64_t address, unsigned bytes)
{
    return address + bytes <= SIM_LDS;
}

static void lane_words(const sim_state_t *state, unsigned row, unsigned lane, unsigned dwords,
                       uint32_t *words)
{
    for (unsigned d = 0; d < dwords; d++)
        words[d] = state->vgpr[row + d][lane];
}

static void set_lane_words(sim_state_t *state, unsigned row, unsigned lane, unsigned dwords,
                           const uint32_t *words)
{
    for (unsigned d = 0; d < dwords; d++)
        state->vgpr[row + d][lane] = words[d];
}

static bool flushes(const sim_state_t *state, sim_nan_t type)
{
    return (state->mode >> (type == SIM_F32 ? 4 : 6) & 3) != 3;
}

// All lanes read their registers before any lane's result is written.
static void model(sim_state_t *state, const sim_memory_op_t *op, const form_t *form, bool returns)
{
    const sim_state_t before = *state;
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
        if (!(sim_exec(state) >> lane & 1))
            continue;
        const uint64_t address = before.vgpr[ADDRESS][lane] + form->offset; // wraps
        const bool inside = in_lds(address, op->bytes);
        uint8_t nowhere[16] = {0};
        uint32_t data[4] = {0}, result[4] = {0};
        if (op->kind != SIM_LOAD)
            lane_words(&before, sim_row(form->bank, form->data), lane, op->dwords, data);
        lane_words(&before, sim_row(form->bank, form->result), lane, op->dwords, result);
        op->act(inside ? state->lds + address : nowhere, result, data, flushes(state, op->type));
        if (returns)
            set_lane_words(state, sim_row(form->bank, form->result), lane, op->dwords, result);
    }
}

static void run_rounds(const kiln_sim_inst_t *inst, const sim_memory_op_t *op, const form_t *form,
                       bool returns)
{
    static sim_state_t got, want;
    for (unsigned round = 0; round < ROUNDS; round++) {
        sim_randomize(&want);
        sim_fill_operands(&want, op->type);
        sim_choose_exec(&want, round);
        choose_addresses(&want,
                         op->kind == SIM_ATOMIC ? op->bytes
                         : op->bytes < 4        ? op->bytes
                                                : 4,
                         form->offset);
        want.mode = round & 1 ? 0x05 : 0xfa; // rounding never matters; flush all denormals, or none
        got = want;
        sim_run(&got, inst);
        model(&want, op, form, returns);
        sim_expect(inst, &got, &want, op->type, KILN_GFX942_LANES);
    }
}

static void loads_stores_and_atomics(void **state)
{
    (void)state;
    static char source[1 << 16];
    size_t used = 0;
#define LINE(...) used += (size_t)snprintf(source + used, sizeof source - used, __VA_ARGS__)
    for (unsigned i = 0; i < SIM_MEMORY_OPS; i++) {
        const sim_memory_op_t *op = &sim_memory_ops[i];
        for (unsigned f = 0; f < FORMS; f++) {
            const form_t *form = &forms[f];
            const char *result = sim_registers(form->bank, form->result, op->dwords);
            const char *data = sim_registers(form->bank, form->data, op->dwords);
            if (op->kind == SIM_LOAD)
                LINE("ds_%s %s, v%u offset:%u\n", op->ds, result, ADDRESS, form->offset);
            else if (op->ds[0])
                LINE("ds_%s v%u, %s offset:%u\n", op->ds, ADDRESS, data, form->offset);
            if (op->ds_rtn[0])
                LINE("ds_%s %s, v%u, %s offset:%u\n", op->ds_rtn, result, ADDRESS, data,
                     form->offset);
        }
    }
    sim_code_t code = sim_assemble_code(source);
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < SIM_MEMORY_OPS; i++) {
        const sim_memory_op_t *op = &sim_memory_ops[i];
        for (unsigned f = 0; f < FORMS; f++) {
            for (unsigned returns = 0; returns < 2; returns++) {
                if (!(returns ? op->ds_rtn : op->ds)[0])
                    continue;
                run_rounds(inst, op, &forms[f], op->kind == SIM_LOAD || returns);
                inst = inst->next;
            }
        }
    }
    sim_discard_code(&code);
}

// ---- everything else: a case is a text, and a model that changes the state

typedef struct lds_case {
    const char *text;
    sim_nan_t type;
    unsigned align;
    void (*model)(sim_state_t *state);
} lds_case_t;

#define FOR_LANES(state, lane)                                                                     \
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)                                      \
        if (sim_exec(state) >> lane & 1)

static uint64_t lds_read(const sim_state_t *state, uint64_t address, unsigned bytes)
{
    uint64_t value = 0;
    if (in_lds(address, bytes))
        memcpy(&value, state->lds + address, bytes);
    return value;
}

static void lds_write(sim_state_t *state, uint64_t address, unsigned bytes, uint64_t value)
{
    if (in_lds(address, bytes))
        memcpy(state->lds + address, &value, bytes);
}

static uint64_t lane_value_of(const sim_state_t *state, unsigned row, unsigned lane, unsigned bytes)
{
    uint64_t value = state->vgpr[row][lane];
    if (bytes == 8)
        value |= (uint64_t)state->vgpr[row + 1][lane] << 32;
    return value;
}

static void set_lane_value(sim_state_t *state, unsigned row, unsigned lane, unsigned bytes,
                           uint64_t value)
{
    state->vgpr[row][lane] = (uint32_t)value;
    if (bytes == 8)
        state->vgpr[row + 1][lane] = (uint32_t)(value >> 32);
}

static void read_two(sim_state_t *state, unsigned bytes, unsigned first, unsigned second,
                     unsigned result)
{
    const sim_state_t before = *state;
    FOR_LANES(state, lane)
    {
        const uint32_t address = before.vgpr[ADDRESS][lane]; // wraps
        set_lane_value(state, result, lane, bytes, lds_read(state, address + first, bytes));
        set_lane_value(state, result + bytes / 4, lane, bytes,
                       lds_read(state, address + second, bytes));
    }
}

static void write_two(sim_state_t *state, unsigned bytes, unsigned first, unsigned second,
                      unsigned data, unsigned data2)
{
    FOR_LANES(state, lane)
    {
        lds_write(state, state->vgpr[ADDRESS][lane] + first, bytes,
                  lane_value_of(state, data, lane, bytes));
    }
    FOR_LANES(state, lane)
    {
        if (first != second)
            lds_write(state, state->vgpr[ADDRESS][lane] + second, bytes,
                      lane_value_of(state, data2, lane, bytes));
    }
}

static void swap_two(sim_state_t *state, unsigned bytes, unsigned first, unsigned second,
                     unsigned result)
{
    const sim_state_t before = *state;
    for (unsigned part = 0; part < 2; part++) {
        FOR_LANES(state, lane)
        {
            const uint64_t address = before.vgpr[ADDRESS][lane] + (part ? second : first);
            set_lane_value(state, result + part * bytes / 4, lane, bytes,
                           lds_read(state, address, bytes));
            lds_write(state, address, bytes,
                      lane_value_of(&before, part ? DATA2 : DATA, lane, bytes));
        }
    }
}

#define TWO_OPERANDS(bytes, returns, ...)                                                          \
    {                                                                                              \
        const sim_state_t before = *state;                                                         \
        FOR_LANES(state, lane)                                                                     \
        {                                                                                          \
            const uint64_t address = before.vgpr[ADDRESS][lane] + 16u;                             \
            const uint64_t m = lds_read(state, address, bytes),                                    \
                           a = lane_value_of(&before, DATA, lane, bytes),                          \
                           b = lane_value_of(&before, DATA2, lane, bytes);                         \
            (void)b;                                                                               \
            lds_write(state, address, bytes, (__VA_ARGS__));                                       \
            if (returns)                                                                           \
                set_lane_value(state, RESULT, lane, bytes, m);                                     \
        }                                                                                          \
    }

static void count_lanes(sim_state_t *state, uint64_t address, int sign)
{
    uint32_t lanes = 0, old = (uint32_t)lds_read(state, address, 4);
    FOR_LANES(state, lane)
    {
        lanes++;
        state->vgpr[RESULT][lane] = old;
    }
    if (lanes)
        lds_write(state, address, 4, sign < 0 ? old - lanes : old + lanes);
}

static void pull_between(sim_state_t *state, unsigned offset, unsigned data, unsigned result)
{
    const sim_state_t before = *state;
    FOR_LANES(state, lane)
    {
        const unsigned from = (before.vgpr[ADDRESS][lane] + offset) % 256 / 4;
        state->vgpr[result][lane] = sim_exec(state) >> from & 1 ? before.vgpr[data][from] : 0;
    }
}

static void pull(sim_state_t *state, unsigned offset)
{
    pull_between(state, offset, DATA, RESULT);
}

static void push(sim_state_t *state, unsigned offset)
{
    const sim_state_t before = *state;
    FOR_LANES(state, lane)
    {
        state->vgpr[RESULT][lane] = 0;
        for (unsigned from = 0; from < KILN_GFX942_LANES; from++) {
            if ((sim_exec(state) >> from & 1) &&
                (before.vgpr[ADDRESS][from] + offset) % 256 / 4 == lane)
                state->vgpr[RESULT][lane] = before.vgpr[DATA][from]; // the highest lane wins
        }
    }
}

static void swizzle_to(sim_state_t *state, unsigned (*source)(unsigned lane), unsigned result)
{
    const sim_state_t before = *state;
    FOR_LANES(state, lane)
    {
        const unsigned from = lane / 32 * 32 + source(lane % 32);
        state->vgpr[result][lane] = sim_exec(state) >> from & 1 ? before.vgpr[DATA][from] : 0;
    }
}

static void swizzle(sim_state_t *state, unsigned (*source)(unsigned lane))
{
    swizzle_to(state, source, RESULT);
}

// Each dword is written if its datum's top bit is set, without that bit. Addresses have 16 bits and
// are aligned.
static void exchange_marked(sim_state_t *state, unsigned result)
{
    const sim_state_t before = *state;
    const uint32_t offset = result == RESULT ? 16 : 7;
    FOR_LANES(state, lane)
    {
        const uint32_t address = (before.vgpr[ADDRESS][lane] + offset) % 65536 / 8 * 8;
        for (unsigned part = 0; part < 2; part++) {
            const uint32_t datum = before.vgpr[DATA + part][lane];
            state->vgpr[result + part][lane] = (uint32_t)lds_read(state, address + 4 * part, 4);
            if (datum >= 1u << 31)
                lds_write(state, address + 4 * part, 4, datum - (1u << 31));
        }
    }
}

// The meaning of the assembler's swizzle() names, written independently.
static unsigned swap_neighbours(unsigned lane)
{
    return lane % 2 ? lane - 1 : lane + 1;
}
static unsigned swap_16(unsigned lane)
{
    return (lane + 16) % 32;
}
static unsigned reverse_8(unsigned lane)
{
    return lane / 8 * 8 + (7 - lane % 8);
}
static unsigned broadcast_4_3(unsigned lane)
{
    return lane / 4 * 4 + 3;
}
static unsigned quad_3120(unsigned lane)
{
    static const unsigned order[] = {3, 1, 2, 0};
    return lane / 4 * 4 + order[lane % 4];
}
static unsigned mask_01pi0(unsigned lane) // "01pi0": bits 4 to 0 become 0, 1, kept, inverted, 0
{
    return 8 + (lane & 4) + (lane & 2 ? 0 : 2);
}
static unsigned reversed_bits(unsigned lane) // FFT of 32: all five bits reversed
{
    return (lane & 1) * 16 + (lane >> 1 & 1) * 8 + (lane >> 2 & 1) * 4 + (lane >> 3 & 1) * 2 +
           (lane >> 4);
}
static unsigned rotate_left_3(unsigned lane)
{
    return (lane + 3) % 32;
}
static unsigned rotate_left_21(unsigned lane)
{
    return (lane + 21) % 32;
}
static unsigned rotate_right_5(unsigned lane)
{
    return (lane + 32 - 5) % 32;
}

#define CASE(text, type, align, ...)                                                               \
    static void SIM_PASTE(model_, __LINE__)(sim_state_t * state) __VA_ARGS__
#include "sim_memory_lds_cases.def"
#undef CASE
#define CASE(text, type, align, ...) {text, SIM_##type, align, SIM_PASTE(model_, __LINE__)},
static const lds_case_t cases[] = {
#include "sim_memory_lds_cases.def"
};
#undef CASE
enum { CASES = sizeof cases / sizeof cases[0] };

static void pairs_counters_and_moves_between_lanes(void **unused)
{
    (void)unused;
    static char source[1 << 14];
    static sim_state_t got, want;
    for (unsigned i = 0; i < CASES; i++) {
        strcat(source, cases[i].text);
        strcat(source, "\n");
    }
    sim_code_t code = sim_assemble_code(source);
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < CASES; i++, inst = inst->next) {
        for (unsigned round = 0; round < ROUNDS + 2; round++) {
            sim_randomize(&want);
            sim_fill_operands(&want, cases[i].type);
            sim_choose_exec(&want, round);
            choose_addresses(&want, cases[i].align, 16);
            for (unsigned lane = 0; lane < KILN_GFX942_LANES;
                 lane += 3) { // so that some operands compare equal
                const uint64_t address = want.vgpr[ADDRESS][lane] + 16u;
                set_lane_value(&want, DATA, lane, 8, lds_read(&want, address, 8));
            }
            want.sgpr[KILN_SIM_SGPR_M0] =
                (want.sgpr[KILN_SIM_SGPR_M0] & 0xffff0000) | (round * 700 & ~3u);
            got = want;
            sim_run(&got, inst);
            cases[i].model(&want);
            sim_expect(inst, &got, &want, cases[i].type, KILN_GFX942_LANES);
        }
    }
    sim_discard_code(&code);
}

static int run(const char *variant)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_stores_and_atomics),
        cmocka_unit_test(pairs_counters_and_moves_between_lanes),
    };
    return cmocka_run_group_tests_name(variant, tests, sim_open, sim_close);
}

int main(void)
{
    return sim_run_variants(run);
}
