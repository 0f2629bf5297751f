// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Untyped buffer instructions compared with a model of docs/gfx942.md, 4.5: every
// addressing mode, raw, structured, swizzled, per-thread and unbound buffers, accesses across the
// end of the range.
#include "sim_memory_ops.h"

enum {
    ROUNDS = 6,
    ADDRESS = 2,
    DATA = 8,
    RESULT = 16,
    RESOURCE = 20,
    SOFFSET = 12,
    BASE_OFFSET = 512
};

typedef struct form {
    const char *address, *soffset, *flags;
    bool idxen, offen;
    unsigned offset;
    char bank;
    unsigned result, data;
} form_t;

static const form_t forms[] = {
    {"off", "s12", "offset:16", false, false, 16, 'v', RESULT, DATA},
    {"v2", "0", "offen", false, true, 0, 'v', RESULT, DATA},
    {"v2", "s12", "offen offset:4095", false, true, 4095, 'v', ADDRESS, DATA},
    {"v2", "m0", "offen offset:12", false, true, 12, 'a', RESULT, DATA},
    {"v2", "64", "idxen", true, false, 0, 'v', DATA, DATA},
    {"v[2:3]", "s12", "idxen offen offset:4", true, true, 4, 'v', ADDRESS, DATA},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

typedef enum kind { RAW, STRIDED, SWIZZLED, OFFSETS, PER_THREAD, SCRATCH, UNBOUND, KINDS } kind_t;

typedef struct resource {
    uint64_t base;
    uint32_t stride, records, index_stride;
    bool swizzle, idle_swizzle, add_tid, unbound; // idle: set without effect
} resource_t;

static uint32_t below(uint32_t limit)
{
    return (uint32_t)(reference_random(&sim_seed) >> 33) % limit;
}

static void put_resource(sim_state_t *state, const resource_t *r)
{
    const unsigned code = r->index_stride == 16   ? 1
                          : r->index_stride == 32 ? 2
                          : r->index_stride == 64 ? 3
                                                  : 0;
    state->sgpr[RESOURCE] = (uint32_t)r->base;
    state->sgpr[RESOURCE + 1] = (uint32_t)(r->base >> 32) | r->stride << 16 |
                                (r->swizzle || r->idle_swizzle ? 1u << 31 : 0);
    state->sgpr[RESOURCE + 2] = r->records;
    state->sgpr[RESOURCE + 3] =
        (r->unbound || r->add_tid ? 0 : 4u << 15) | code << 21 | (r->add_tid ? 1u << 23 : 0);
}

// Everything stays inside the 8 KB of memory, whatever the range check accepts.
static resource_t choose_resource(kind_t kind)
{
    static const uint32_t strides[] = {4, 8, 12, 16, 32};
    resource_t r = {.base = (uint64_t)(uintptr_t)sim.device + BASE_OFFSET,
                    .index_stride = 8u << below(4)};
    switch (kind) {
    case RAW:
        r.records = 64 + 4 * below(500) + below(4);
        r.idle_swizzle = below(2); // without a stride
        break;
    case STRIDED:
        r.stride = strides[below(5)];
        r.records = 4 + below(40);
        break;
    case SWIZZLED:
        r.stride = strides[below(5)];
        r.records = 4 + below(100);
        r.swizzle = true;
        break;
    case OFFSETS: // has a stride, but is accessed without an index
        r.stride = strides[below(5)];
        r.records = 64 + 4 * below(500) + below(4);
        r.idle_swizzle = true;
        break;
    case PER_THREAD:
        r.stride = strides[below(5)];
        r.records = below(4); // ignored
        r.add_tid = true;
        break;
    case SCRATCH: // swizzled without a stride
        r.index_stride = KILN_GFX942_LANES;
        r.add_tid = r.swizzle = true;
        break;
    default: // no data format; the rest may be as in a bound one, or all zero
        if (below(2))
            r = (resource_t){0};
        else
            r.stride = below(2) * 4, r.records = 64 + below(0x80000000u);
        r.unbound = true;
        break;
    }
    return r;
}

static bool suits(const form_t *form, kind_t kind, unsigned bytes)
{
    if (kind == PER_THREAD || kind == OFFSETS)
        return !form->idxen;
    if (kind == SCRATCH)
        return !form->idxen && bytes <= 4 && form->offset < 64;
    if (kind == SWIZZLED) // wider accesses would be split into distant dwords
        return form->idxen && bytes <= 4;
    return true;
}

static uint32_t soffset_of(const sim_state_t *state, const form_t *form)
{
    return form->soffset[0] == 's'   ? state->sgpr[SOFFSET]
           : form->soffset[0] == 'm' ? state->sgpr[KILN_SIM_SGPR_M0]
                                     : (uint32_t)atoi(form->soffset);
}

// `align`: the sum of all offsets is a multiple of it; at most 4.
static void choose_addresses(sim_state_t *state, const form_t *form, const resource_t *r,
                             unsigned align)
{
    state->sgpr[SOFFSET] = below(16) * 4 + (align == 1 ? below(4) : 0);
    state->sgpr[KILN_SIM_SGPR_M0] = below(8) * 4;
    const uint32_t soffset = soffset_of(state, form);
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
        const uint32_t choice = below(8), index = choice == 0   ? r->records
                                                  : choice == 1 ? r->records - 1
                                                                : below(r->records + 8);
        uint32_t offset = below(2048) / align * align;
        if (r->swizzle)
            offset = below(r->stride ? r->stride : 32) / align * align;
        else if (form->idxen || r->add_tid)
            offset = below(64) / align * align;
        else if (choice < 3) // near the end
            offset = (r->records + 16 - below(36) - soffset) / align * align;
        else if (choice == 3)
            offset = (uint32_t)0 - 4 * (1 + below(20));
        if (form->idxen)
            state->vgpr[ADDRESS][lane] = index;
        if (form->offen)
            state->vgpr[ADDRESS + (form->idxen ? 1 : 0)][lane] =
                offset - (r->swizzle && offset < form->offset ? 0 : form->offset);
    }
}

// The place of a lane's bytes in the state's memory, and how many pieces (dwords, or the whole if
// it is smaller) it may access.
static unsigned range(const sim_state_t *state, const form_t *form, const resource_t *r,
                      unsigned lane, unsigned bytes, uint64_t *at)
{
    const unsigned pieces = bytes > 4 ? bytes / 4 : 1;
    const uint64_t index = form->idxen ? state->vgpr[ADDRESS][lane] : r->add_tid ? lane : 0;
    const uint32_t offset =
        form->offset + (form->offen ? state->vgpr[ADDRESS + (form->idxen ? 1 : 0)][lane] : 0);
    const uint64_t soffset = soffset_of(state, form);
    uint64_t place;
    if (r->swizzle) // an array of [index / index_stride][offset / 4][index % index_stride] dwords
        place = ((index / r->index_stride * (r->stride / 4) + offset / 4) * r->index_stride +
                 index % r->index_stride) *
                    4 +
                offset % 4;
    else
        place = index * r->stride + offset;
    *at = BASE_OFFSET + soffset + place;
    if (r->unbound)
        return 0;
    if (r->add_tid)
        return pieces;
    if (form->idxen && r->stride)
        return index < r->records && !(r->swizzle && offset >= r->stride) ? pieces : 0;
    unsigned inside = 0;
    for (unsigned n = 0; n < pieces; n++)
        inside += offset + soffset + (bytes > 4 ? 4 * n + 4 : bytes) <= r->records;
    return inside;
}

static void model_lane(sim_state_t *state, const sim_state_t *before, const sim_memory_op_t *op,
                       const form_t *form, unsigned lane, uint64_t at, unsigned bytes, bool returns)
{
    const unsigned result_row =
        sim_row(form->bank, op->kind == SIM_ATOMIC ? form->data : form->result);
    uint8_t staged[16] = {0}, *const place = state->memory + (bytes ? at : 0);
    uint32_t data[4] = {0}, result[4] = {0};
    memcpy(staged, place, bytes);
    for (unsigned d = 0; d < op->dwords; d++) {
        data[d] = before->vgpr[sim_row(form->bank, form->data) + d][lane];
        result[d] = before->vgpr[result_row + d][lane];
    }
    op->act(staged, result, data, op->type == SIM_F32);
    if (op->kind != SIM_LOAD)
        memcpy(place, staged, bytes);
    for (unsigned d = 0; returns && d < op->dwords; d++)
        state->vgpr[result_row + d][lane] = result[d];
}

// The order of two lanes that store to one place is unspecified: here, lanes wholly in range go
// first.
static void model(sim_state_t *state, const sim_memory_op_t *op, const form_t *form,
                  const resource_t *r, bool returns)
{
    static sim_state_t before;
    before = *state;
    const unsigned pieces = op->bytes > 4 ? op->bytes / 4 : 1;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
            uint64_t at;
            const unsigned inside = range(&before, form, r, lane, op->bytes, &at);
            if (!(sim_exec(state) >> lane & 1) || (inside == pieces) != (pass == 0))
                continue;
            const unsigned bytes = inside == pieces         ? op->bytes
                                   : op->kind == SIM_ATOMIC ? 0
                                                            : 4 * inside;
            model_lane(state, &before, op, form, lane, at, bytes, returns);
        }
    }
}

// Masks lanes with misaligned atomics, which are an error.
static void leave_out_misaligned(sim_state_t *state, const form_t *form, const resource_t *r,
                                 unsigned bytes)
{
    uint64_t exec = sim_exec(state), at;
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
        range(state, form, r, lane, bytes, &at);
        if (at % bytes)
            exec &= ~(1ull << lane);
    }
    sim_set_s64(state, KILN_SIM_SGPR_EXEC, exec);
}

static bool exists(const sim_memory_op_t *op, const form_t *form, bool returns)
{
    if (!op->vmem[0] || (returns && op->kind != SIM_ATOMIC) ||
        op->type == SIM_BF16) // supported only by gfx950
        return false;
    return !(returns && form->bank == 'a' &&
             op->type != SIM_BITS); // LLVM cannot encode accumulation registers in this form
}

static void loads_stores_and_atomics(void **unused)
{
    (void)unused;
    static char source[1 << 17];
    static sim_state_t got, want;
    size_t used = 0;
    for (unsigned i = 0; i < SIM_MEMORY_OPS * FORMS * 2; i++) {
        const sim_memory_op_t *op = &sim_memory_ops[i / 2 / FORMS];
        const form_t *form = &forms[i / 2 % FORMS];
        if (!exists(op, form, i % 2))
            continue;
        const char *data =
            sim_registers(form->bank, op->kind == SIM_LOAD ? form->result : form->data, op->dwords);
        used += (size_t)snprintf(source + used, sizeof source - used,
                                 "buffer_%s %s, %s, s[20:23], %s %s%s\n", op->vmem, data,
                                 form->address, form->soffset, form->flags, i % 2 ? " sc0" : "");
    }
    sim_code_t code = sim_assemble_code(source);
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < SIM_MEMORY_OPS * FORMS * 2; i++) {
        const sim_memory_op_t *op = &sim_memory_ops[i / 2 / FORMS];
        const form_t *form = &forms[i / 2 % FORMS];
        if (!exists(op, form, i % 2))
            continue;
        for (unsigned round = 0; round < ROUNDS; round++) {
            const kind_t kind = (kind_t)((round + i) % KINDS);
            if (!suits(form, kind, op->bytes))
                continue;
            const resource_t r = choose_resource(kind);
            sim_randomize(&want);
            sim_fill_operands(&want, op->type);
            sim_choose_exec(&want, round);
            put_resource(&want, &r);
            // Loads and stores may be unaligned; swizzled accesses consist of whole dwords.
            const bool anywhere = op->kind != SIM_ATOMIC && !r.swizzle && below(2);
            choose_addresses(&want, form, &r, anywhere ? 1 : op->bytes < 4 ? op->bytes : 4);
            if (op->kind == SIM_ATOMIC)
                leave_out_misaligned(&want, form, &r, op->bytes);
            got = want;
            sim_run(&got, inst);
            model(&want, op, form, &r, op->kind == SIM_LOAD || i % 2);
            sim_expect(inst, &got, &want, op->type, KILN_GFX942_LANES);
        }
        inst = inst->next;
    }
    sim_discard_code(&code);
}

// The register with the new value precedes that with the comparand. The old value replaces the new
// one.
static void compare_and_swap(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        unsigned bytes;
        bool returns;
    } cases[] = {
        {"buffer_atomic_cmpswap v[8:9], v2, s[20:23], 0 offen", 4, false},
        {"buffer_atomic_cmpswap v[8:9], v2, s[20:23], 0 offen sc0", 4, true},
        {"buffer_atomic_cmpswap_x2 v[8:11], v2, s[20:23], 0 offen", 8, false},
        {"buffer_atomic_cmpswap_x2 v[8:11], v2, s[20:23], 0 offen sc0", 8, true},
    };
    static sim_state_t got, want;
    char source[512] = "";
    for (unsigned i = 0; i < 4; i++) {
        strcat(source, cases[i].text);
        strcat(source, "\n");
    }
    sim_code_t code = sim_assemble_code(source);
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < 4; i++, inst = inst->next) {
        const unsigned bytes = cases[i].bytes;
        for (unsigned round = 0; round < ROUNDS; round++) {
            const resource_t r = choose_resource(RAW);
            sim_randomize(&want);
            sim_choose_exec(&want, round);
            put_resource(&want, &r);
            for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
                want.vgpr[ADDRESS][lane] = below(r.records + 20) / bytes * bytes;
                if (lane % 2 && want.vgpr[ADDRESS][lane] + bytes <= r.records)
                    for (unsigned d = 0; d < bytes / 4; d++)
                        memcpy(&want.vgpr[DATA + bytes / 4 + d][lane],
                               want.memory + BASE_OFFSET + want.vgpr[ADDRESS][lane] + 4 * d, 4);
            }
            got = want;
            sim_run(&got, inst);
            for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
                uint32_t old[2] = {0}, fresh[2], compared[2];
                uint8_t *place = want.memory + BASE_OFFSET + want.vgpr[ADDRESS][lane];
                const bool inside = want.vgpr[ADDRESS][lane] + bytes <= r.records;
                if (!(sim_exec(&want) >> lane & 1))
                    continue;
                for (unsigned d = 0; d < bytes / 4; d++) {
                    fresh[d] = want.vgpr[DATA + d][lane];
                    compared[d] = want.vgpr[DATA + bytes / 4 + d][lane];
                }
                if (inside)
                    memcpy(old, place, bytes);
                if (inside && memcmp(old, compared, bytes) == 0)
                    memcpy(place, fresh, bytes);
                for (unsigned d = 0; cases[i].returns && d < bytes / 4; d++)
                    want.vgpr[DATA + d][lane] = old[d];
            }
            sim_expect(inst, &got, &want, SIM_BITS, KILN_GFX942_LANES);
        }
    }
    sim_discard_code(&code);
}

// LDS_base + M0[15:0] + offset + 4 * lane. Lanes out of the buffer's range write zeros, lanes out
// of LDS nothing.
static void loads_to_lds(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        unsigned bytes;
        bool is_signed;
    } widths[] = {{"ubyte", 1, false},
                  {"sbyte", 1, true},
                  {"ushort", 2, false},
                  {"sshort", 2, true},
                  {"dword", 4, false}};
    static sim_state_t got, want;
    char source[1024] = "", line[128];
    for (unsigned i = 0; i < 5; i++) {
        snprintf(line, sizeof line, "buffer_load_%s v2, s[20:23], 0 offen offset:8 lds\n",
                 widths[i].name);
        strcat(source, line);
    }
    sim_code_t code = sim_assemble_code(source);
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < 5; i++, inst = inst->next) {
        const unsigned bytes = widths[i].bytes;
        for (unsigned round = 0; round < ROUNDS; round++) {
            const resource_t r = choose_resource(RAW);
            sim_randomize(&want);
            sim_choose_exec(&want, round);
            put_resource(&want, &r);
            want.sgpr[KILN_SIM_SGPR_M0] = 0x12340000 | (round == 1 ? SIM_LDS - 120 : round * 256);
            for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
                want.vgpr[ADDRESS][lane] = below(r.records + 40) / bytes * bytes - 8;
            got = want;
            sim_run(&got, inst);
            for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
                const uint32_t to = want.sgpr[KILN_SIM_SGPR_M0] % 65536 + 8 + 4 * lane,
                               from = want.vgpr[ADDRESS][lane] + 8;
                if (!(sim_exec(&want) >> lane & 1) || to + 4 > SIM_LDS)
                    continue;
                const bool inside = from + bytes <= r.records;
                const uint8_t *place =
                    want.memory + BASE_OFFSET + (bytes == 4 ? from / 4 * 4 : from);
                memset(want.lds + to,
                       inside && widths[i].is_signed && place[bytes - 1] > 127 ? 255 : 0, 4);
                memcpy(want.lds + to, place, inside ? bytes : 0);
            }
            sim_expect(inst, &got, &want, SIM_BITS, KILN_GFX942_LANES);
        }
    }
    sim_discard_code(&code);
}

static void cache_controls_change_nothing(void **unused)
{
    (void)unused;
    sim_expect_unchanged("buffer_wbl2\nbuffer_wbl2 sc0 sc1\nbuffer_inv\nbuffer_inv sc1\n", 4, 4);
}

static int run(const char *variant)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_stores_and_atomics),
        cmocka_unit_test(compare_and_swap),
        cmocka_unit_test(loads_to_lds),
        cmocka_unit_test(cache_controls_change_nothing),
    };
    return cmocka_run_group_tests_name(variant, tests, sim_open, sim_close);
}

int main(void)
{
    return sim_run_variants(run);
}
