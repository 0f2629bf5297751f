// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every flat, global and scratch instruction compared with a model that works on bytes: every
// addressing mode, lanes in different segments, lanes on one address, overlapping registers,
// accumulation registers, partial and empty EXEC.
#include "sim_memory_ops.h"

enum { ROUNDS = 4, ADDRESS = 2, DATA = 8, RESULT = 16, BASE = 4 };

typedef enum segment { FLAT, GLOBAL, SCRATCH } segment_t;

// The address operands of an instruction: a register (pair) before the comma, the scalar base or
// its placeholder after it.
typedef struct form {
    segment_t segment;
    const char *vaddr, *saddr;
    int offset;
    char bank;
    unsigned result, data;
} form_t;

static const form_t forms[] = {
    {GLOBAL, "v[2:3]", ", off", 0, 'v', RESULT, DATA},
    {GLOBAL, "v[2:3]", ", off", -4096, 'v', ADDRESS, ADDRESS},
    {GLOBAL, "v[2:3]", ", off", 4095, 'a', RESULT, DATA},
    {GLOBAL, "v2", ", s[4:5]", 24, 'v', ADDRESS, DATA},
    {GLOBAL, "v2", ", s[4:5]", -40, 'v', DATA, DATA},
    {FLAT, "v[2:3]", "", 0, 'v', RESULT, DATA},
    {FLAT, "v[2:3]", "", 20, 'v', ADDRESS, ADDRESS},
    {FLAT, "v[2:3]", "", 12, 'a', DATA, DATA},
    {SCRATCH, "v2", ", off", 0, 'v', RESULT, DATA},
    {SCRATCH, "v2", ", off", -8, 'v', ADDRESS, ADDRESS},
    {SCRATCH, "off", ", s4", 12, 'a', RESULT, DATA},
    {SCRATCH, "v2", ", s4", 4, 'v', DATA, DATA},
    {SCRATCH, "off", ", off", 16, 'v', RESULT, DATA},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static const char *const prefixes[] = {"flat", "global", "scratch"};

// The place of a lane's bytes: an area of the state and an offset into it.
typedef struct place {
    enum { MEMORY, LDS, PRIVATE } area;
    uint32_t offset;
} place_t;

static uint32_t random32(void)
{
    return (uint32_t)(reference_random(&sim_seed) >> 32);
}

static uint32_t pick_offset(uint32_t size, unsigned bytes, unsigned align, uint32_t common)
{
    const uint32_t random = random32(), last = size - bytes;
    const uint32_t at = random % 4 == 0    ? common % (last + 1)
                        : random % 16 == 1 ? last
                        : random % 16 == 2 ? 0
                                           : random >> 8;
    return at % (last + 1) / align * align;
}

// Chooses places, and sets registers so that the form's address arithmetic yields them.
static void choose_places(sim_state_t *state, const form_t *form, unsigned bytes, unsigned align,
                          bool atomic, place_t *places)
{
    const uint32_t common = random32(), scalar = random32() % 16 * 4, far_away = random32();
    const uint64_t device = (uint64_t)(uintptr_t)sim.device;
    const bool has_vaddr = form->vaddr[0] == 'v', has_saddr = strchr(form->saddr, 's') != NULL;
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
        place_t *place = &places[lane];
        uint64_t address;
        if (form->segment == SCRATCH) {
            const uint32_t fixed = (uint32_t)form->offset + (has_saddr ? scalar : 0);
            place->area = PRIVATE;
            // Without an address register, every lane is at the same offset.
            place->offset = has_vaddr ? pick_offset(SIM_SCRATCH, bytes, align, common)
                                      : (uint32_t)form->offset + (has_saddr ? 8u : 0u);
            address = has_vaddr ? place->offset - fixed : state->vgpr[ADDRESS][lane];
        } else {
            const uint32_t random = random32();
            place->area = form->segment == GLOBAL || random % 3 == 0 ? MEMORY
                          : random % 3 == 1 || atomic                ? LDS
                                                                     : PRIVATE;
            const uint32_t size = place->area == MEMORY ? SIM_MEMORY
                                  : place->area == LDS  ? SIM_LDS
                                                        : SIM_SCRATCH;
            do // the address without its offset must be in the segment, too
                place->offset = pick_offset(size, bytes, align, common);
            while (form->segment == FLAT && place->offset < (uint32_t)form->offset);
            address = (place->area == MEMORY ? device
                       : place->area == LDS  ? KILN_SIM_SHARED_BASE
                                             : KILN_SIM_PRIVATE_BASE) +
                      place->offset - (unsigned long long)(int64_t)form->offset;
        }
        if (form->segment == GLOBAL && has_saddr) // the register is an unsigned offset of any size
            address = place->offset + (uint64_t)far_away % (UINT32_MAX - SIM_MEMORY);
        state->vgpr[ADDRESS][lane] = (uint32_t)address;
        if (form->vaddr[1] == '[')
            state->vgpr[ADDRESS + 1][lane] = (uint32_t)(address >> 32);
    }
    if (form->segment == GLOBAL && has_saddr)
        sim_set_s64(state, BASE,
                    device - far_away % (UINT32_MAX - SIM_MEMORY) -
                        (uint64_t)(int64_t)form->offset);
    if (form->segment == SCRATCH && has_saddr)
        state->sgpr[BASE] = has_vaddr ? scalar : 8;
}

static uint8_t *bytes_at(sim_state_t *state, const place_t *place, unsigned lane)
{
    return place->area == MEMORY ? state->memory + place->offset
           : place->area == LDS  ? state->lds + place->offset
                                 : state->scratch + lane * SIM_SCRATCH + place->offset;
}

// L2 flushes only f32 additions; atomics that reach LDS follow MODE there.
static bool flushes(const sim_state_t *state, const sim_memory_op_t *op, const place_t *place)
{
    if (place->area == LDS)
        return (state->mode >> (op->type == SIM_F32 ? 4 : 6) & 3) != 3;
    return op->type == SIM_F32;
}

static void model(sim_state_t *state, const sim_memory_op_t *op, const form_t *form, bool returns,
                  const place_t *places)
{
    static sim_state_t before;
    before = *state;
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
        if (!(sim_exec(state) >> lane & 1))
            continue;
        uint32_t data[4] = {0}, result[4] = {0};
        for (unsigned d = 0; d < op->dwords; d++) {
            data[d] = before.vgpr[sim_row(form->bank, form->data) + d][lane];
            result[d] = before.vgpr[sim_row(form->bank, form->result) + d][lane];
        }
        op->act(bytes_at(state, &places[lane], lane), result, data,
                flushes(state, op, &places[lane]));
        for (unsigned d = 0; returns && d < op->dwords; d++)
            state->vgpr[sim_row(form->bank, form->result) + d][lane] = result[d];
    }
}

static bool exists(const sim_memory_op_t *op, const form_t *form, bool returns)
{
    if (!op->vmem[0] || (form->segment == SCRATCH && op->kind == SIM_ATOMIC))
        return false;
    if (returns && form->bank == 'a' &&
        op->type != SIM_BITS) // LLVM cannot encode accumulation registers in this form
        return false;
    return !returns || op->kind == SIM_ATOMIC;
}

static void print_line(char *text, size_t size, const sim_memory_op_t *op, const form_t *form,
                       bool returns)
{
    const char *result = sim_registers(form->bank, form->result, op->dwords);
    const char *data = sim_registers(form->bank, form->data, op->dwords);
    char offset[32] = "";
    if (form->offset)
        snprintf(offset, sizeof offset, " offset:%d", form->offset);
    if (op->kind == SIM_LOAD)
        snprintf(text, size, "%s_%s %s, %s%s%s\n", prefixes[form->segment], op->vmem, result,
                 form->vaddr, form->saddr, offset);
    else if (returns)
        snprintf(text, size, "%s_%s %s, %s, %s%s%s sc0\n", prefixes[form->segment], op->vmem,
                 result, form->vaddr, data, form->saddr, offset);
    else
        snprintf(text, size, "%s_%s %s, %s%s%s\n", prefixes[form->segment], op->vmem, form->vaddr,
                 data, form->saddr, offset);
}

static void run_rounds(const kiln_sim_inst_t *inst, const sim_memory_op_t *op, const form_t *form,
                       bool returns)
{
    static sim_state_t got, want;
    place_t places[KILN_GFX942_LANES];
    for (unsigned round = 0; round < ROUNDS; round++) {
        sim_randomize(&want);
        sim_fill_operands(&want, op->type);
        sim_choose_exec(&want, round);
        choose_places(&want, form, op->bytes, op->kind == SIM_ATOMIC ? op->bytes : 1,
                      op->kind == SIM_ATOMIC, places);
        want.mode = round & 1 ? 0x05 : 0xfa;
        got = want;
        sim_run(&got, inst);
        model(&want, op, form, op->kind == SIM_LOAD || returns, places);
        sim_expect(inst, &got, &want, op->type, KILN_GFX942_LANES);
    }
}

static void loads_stores_and_atomics(void **state)
{
    (void)state;
    static char source[1 << 18];
    size_t used = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        sim_code_t code = {0};
        const kiln_sim_inst_t *inst = NULL;
        if (pass == 1) {
            code = sim_assemble_code(source);
            inst = sim_inst_at(&code, 0);
        }
        for (unsigned i = 0; i < SIM_MEMORY_OPS * FORMS * 2; i++) {
            const sim_memory_op_t *op = &sim_memory_ops[i / 2 / FORMS];
            const form_t *form = &forms[i / 2 % FORMS];
            if (!exists(op, form, i % 2))
                continue;
            if (pass == 0) {
                print_line(source + used, sizeof source - used, op, form, i % 2);
                used += strlen(source + used);
            } else {
                run_rounds(inst, op, form, i % 2);
                inst = inst->next;
            }
        }
        if (pass == 1)
            sim_discard_code(&code);
    }
}

// ---- compare and swap: the register with the new value precedes that with the comparand

static void compare_and_swap(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        unsigned form, bytes;
        bool returns;
    } cases[] = {
        {"global_atomic_cmpswap v[2:3], v[8:9], off", 0, 4, false},
        {"global_atomic_cmpswap v16, v[2:3], v[8:9], off sc0", 0, 4, true},
        {"global_atomic_cmpswap v2, v2, v[8:9], s[4:5] offset:24 sc0", 3, 4, true},
        {"global_atomic_cmpswap_x2 v[2:3], v[8:11], off", 0, 8, false},
        {"global_atomic_cmpswap_x2 v[8:9], v2, v[8:11], s[4:5] offset:-40 sc0", 4, 8, true},
        {"flat_atomic_cmpswap v[2:3], v[8:9]", 5, 4, false},
        {"flat_atomic_cmpswap a8, v[2:3], a[8:9] offset:12 sc0", 7, 4, true},
        {"flat_atomic_cmpswap_x2 v[2:3], v[8:11]", 5, 8, false},
        {"flat_atomic_cmpswap_x2 v[16:17], v[2:3], v[8:11] sc0", 5, 8, true},
    };
    static sim_state_t got, want;
    char source[2048] = "";
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        strcat(source, cases[i].text);
        strcat(source, "\n");
    }
    sim_code_t code = sim_assemble_code(source);
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++, inst = inst->next) {
        const form_t *form = &forms[cases[i].form];
        const unsigned bytes = cases[i].bytes, data = sim_row(form->bank, DATA);
        place_t places[KILN_GFX942_LANES];
        for (unsigned round = 0; round < ROUNDS; round++) {
            sim_randomize(&want);
            sim_choose_exec(&want, round);
            choose_places(&want, form, bytes, bytes, true, places);
            for (unsigned lane = 0; lane < KILN_GFX942_LANES;
                 lane += 2) { // half of the comparisons succeed
                for (unsigned d = 0; d < bytes / 4; d++)
                    memcpy(&want.vgpr[data + bytes / 4 + d][lane],
                           bytes_at(&want, &places[lane], lane) + 4 * d, 4);
            }
            got = want;
            sim_run(&got, inst);
            const sim_state_t before = want;
            for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
                uint32_t old[2], fresh[2], compared[2];
                uint8_t *place = bytes_at(&want, &places[lane], lane);
                if (!(sim_exec(&want) >> lane & 1))
                    continue;
                memcpy(old, place, bytes);
                for (unsigned d = 0; d < bytes / 4; d++) {
                    fresh[d] = before.vgpr[data + d][lane];
                    compared[d] = before.vgpr[data + bytes / 4 + d][lane];
                }
                if (memcmp(old, compared, bytes) == 0)
                    memcpy(place, fresh, bytes);
                for (unsigned d = 0; cases[i].returns && d < bytes / 4; d++)
                    want.vgpr[sim_row(form->bank, form->result) + d][lane] = old[d];
            }
            sim_expect(inst, &got, &want, SIM_BITS, KILN_GFX942_LANES);
        }
    }
    sim_discard_code(&code);
}

// ---- loads whose data goes to LDS

static void loads_to_lds(void **unused)
{
    (void)unused;
    static const struct {
        const char *suffix;
        unsigned bytes;
        bool is_signed;
    } widths[] = {{"ubyte", 1, false},
                  {"sbyte", 1, true},
                  {"ushort", 2, false},
                  {"sshort", 2, true},
                  {"dword", 4, false}};
    static const unsigned used_forms[] = {0, 3, 8, 10};
    static sim_state_t got, want;
    char source[4096] = "", line[128];
    for (unsigned i = 0; i < 5 * 4; i++) {
        const form_t *form = &forms[used_forms[i % 4]];
        snprintf(line, sizeof line, "%s_load_lds_%s %s%s offset:%d\n", prefixes[form->segment],
                 widths[i / 4].suffix, form->vaddr, form->saddr, form->offset);
        strcat(source, line);
    }
    sim_code_t code = sim_assemble_code(source);
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < 5 * 4; i++, inst = inst->next) {
        const form_t *form = &forms[used_forms[i % 4]];
        const unsigned bytes = widths[i / 4].bytes;
        place_t places[KILN_GFX942_LANES];
        for (unsigned round = 0; round < ROUNDS; round++) {
            sim_randomize(&want);
            sim_choose_exec(&want, round);
            choose_places(&want, form, bytes, 1, false, places);
            // Bits 17 to 2 count; the last round exceeds the end of LDS.
            want.sgpr[KILN_SIM_SGPR_M0] = 0xabc00003 | (round == 3 ? SIM_LDS - 100 : round * 512);
            got = want;
            sim_run(&got, inst);
            const sim_state_t before = want;
            for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
                const uint32_t to = (want.sgpr[KILN_SIM_SGPR_M0] >> 2) % 65536 * 4 +
                                    (uint32_t)form->offset + 4 * lane;
                const uint8_t *from =
                    bytes_at((sim_state_t *)(uintptr_t)&before, &places[lane], lane);
                if (!(sim_exec(&want) >> lane & 1) || to + 4 > SIM_LDS)
                    continue;
                const bool negative = widths[i / 4].is_signed && from[bytes - 1] >= 128;
                memset(want.lds + to, negative ? 255 : 0, 4);
                memcpy(want.lds + to, from, bytes);
            }
            sim_expect(inst, &got, &want, SIM_BITS, KILN_GFX942_LANES);
        }
    }
    sim_discard_code(&code);
}

static int run(const char *variant)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_stores_and_atomics),
        cmocka_unit_test(compare_and_swap),
        cmocka_unit_test(loads_to_lds),
    };
    return cmocka_run_group_tests_name(variant, tests, sim_open, sim_close);
}

int main(void)
{
    return sim_run_variants(run);
}
