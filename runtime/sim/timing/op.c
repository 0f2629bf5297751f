// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives the clock's operations from instructions (timing/op.h).
#include "timing/op.h"

#include "base/gfx942.h"
#include "decode/isa.h"
#include "timing/parameters.h"

static bool is_named(const kiln_sim_inst_t *inst, const char *name)
{
    return strcmp(inst->row->name, name) == 0;
}

// Fields of s_waitcnt's immediate: vmcnt in bits 3:0 and 15:14, lgkmcnt in 11:8.
static void make_wait(kiln_timing_op_t *op, uint32_t immediate)
{
    op->act = KILN_TIMING_WAITS;
    op->vm = (uint8_t)((immediate & 15) | (immediate >> 10 & 0x30));
    op->lgkm = (uint8_t)(immediate >> 8 & 15);
}

static void make_sync(kiln_timing_op_t *op, const kiln_sim_inst_t *inst)
{
    const uint32_t immediate = (uint32_t)inst->imm & 0xffff;
    op->port = KILN_TIMING_INTERNAL;
    op->act = KILN_TIMING_IDLES;
    op->cycles = KILN_TIMING_ISSUE_CYCLES;
    if (inst->footprint->is_wait)
        make_wait(op, immediate);
    else if (is_named(inst, "s_barrier"))
        op->act = KILN_TIMING_BARRIER;
    else if (is_named(inst, "s_nop"))
        op->cycles = (uint16_t)(KILN_TIMING_ISSUE_CYCLES * ((immediate & 15) + 1));
    else if (is_named(inst, "s_sleep"))
        op->cycles = (uint16_t)(KILN_TIMING_SLEEP_CYCLES * (immediate & 127));
    else if (is_named(inst, "s_setprio")) {
        op->act = KILN_TIMING_PRIORITY;
        op->level = (uint16_t)(immediate & 3);
    }
}

// FLOPs of a matrix instruction. For sparse ones all products are counted, although only half of
// them are computed.
static uint32_t matrix_flops(const char *name)
{
    static const struct {
        const char *name;
        uint32_t flops;
    } rows[] = {
#define GFX942_MFMA(name, n, k, blocks, a, b, d, passes) {#name, 2u * n * n * k * blocks},
#define GFX942_SMFMAC(name, n, k, blocks, a, b, d, passes) {#name, 2u * n * n * k * blocks},
#include "base/gfx942.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].flops;
    }
    return 0;
}

static bool has(const char *name, const char *part)
{
    return strstr(name, part) != NULL;
}

static uint32_t vector_flops(const char *name)
{
    const bool is_float =
        has(name, "_f32") || has(name, "_f64") || has(name, "_f16") || has(name, "_bf16");
    const bool fused = has(name, "_fma") || has(name, "_mac") || has(name, "_mad");
    const uint32_t each = !is_float                                                       ? 0
                          : has(name, "_dot2")                                            ? 4
                          : fused                                                         ? 2
                          : has(name, "_add_") || has(name, "_sub") || has(name, "_mul_") ? 1
                                                                                          : 0;
    return each * (has(name, "_pk_") ? 2 : 1) * KILN_GFX942_LANES;
}

// A matrix instruction issues like any vector instruction and then occupies a unit of its own. With
// f32 and f64 data it also blocks the vector unit, whose multipliers it uses (AMD's matrix
// instruction calculator).
static void make_matrix(kiln_timing_op_t *op, const kiln_sim_inst_t *inst)
{
    const size_t length = strlen(inst->row->name);
    const char *data = inst->row->name + (length < 4 ? 0 : length - 4);
    const bool shares = strcmp(data, "_f32") != 0 && strcmp(data, "_f64") != 0;
    op->act = KILN_TIMING_MATRIX;
    op->flops = matrix_flops(inst->row->name);
    op->port = KILN_TIMING_VALU;
    op->blocks = shares ? KILN_TIMING_ISSUE_CYCLES : op->cycles;
    op->latency = (uint16_t)(op->cycles + KILN_TIMING_MFMA_LATENCY_EXTRA);
    op->power = strcmp(data, "_f64") == 0    ? KILN_TIMING_POWER_MATRIX_64
                : !shares                    ? KILN_TIMING_POWER_MATRIX_32
                : has(inst->row->name, "i8") ? KILN_TIMING_POWER_MATRIX_I8
                : has(inst->row->name, "f8") || has(inst->row->name, "fp8")
                    ? KILN_TIMING_POWER_MATRIX_8
                    : KILN_TIMING_POWER_MATRIX_16;
}

static void make_memory(kiln_timing_op_t *op, const kiln_sim_inst_t *inst)
{
    op->act = inst->format == KILN_SIM_DS ? KILN_TIMING_ACCESSES_LDS : KILN_TIMING_ACCESSES_MEMORY;
    op->port = inst->format == KILN_SIM_DS ? KILN_TIMING_LDS : KILN_TIMING_VMEM;
    op->stores = inst->row->class_ == KILN_SIM_CLASS_VMEM_STORE;
    for (unsigned i = 0; i < inst->footprint->count; i++) {
        const kiln_sim_registers_t *span = &inst->footprint->spans[i];
        op->returns =
            op->returns || (span->role & KILN_SIM_WRITES && span->first < KILN_SIM_FIRST_SGPR);
        if (span->role & KILN_SIM_READS_DATA)
            op->lds_bytes = (uint8_t)(op->lds_bytes + 4 * span->count);
    }
    if (op->act == KILN_TIMING_ACCESSES_LDS)
        op->stores = !op->returns;
}

static bool multiplies(const char *name)
{
    static const char *const parts[] = {"_fma", "_mac", "_mad", "_mul", "_dot"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strstr(name, parts[i]))
            return true;
    }
    return false;
}

// Whether an instruction may start in a pair, from two waves of a SIMD (AMD's dual issue,
// ROCm/rocprofiler-compute #691; SC25): additions and multiplications that read no scalar register
// and at most three or four dwords of vector registers. Pairing is published only for these; others
// may pair, too.
static bool pairs(const kiln_sim_inst_t *inst)
{
    static const char *const names[] = {"v_add_f32", "v_sub_f32",  "v_subrev_f32", "v_mul_f32",
                                        "v_fma_f32", "v_fmac_f32", "v_fmaak_f32",  "v_fmamk_f32",
                                        "v_add_f16", "v_sub_f16",  "v_subrev_f16", "v_mul_f16",
                                        "v_add_f64", "v_mul_f64",  "v_fma_f64",    "v_fmac_f64"};
    enum { MAX = 4 };
    bool named = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        named = named || is_named(inst, names[i]);
    unsigned dwords = 0;
    for (unsigned i = 0; named && i < inst->footprint->count; i++) {
        const kiln_sim_registers_t *span = &inst->footprint->spans[i];
        bool again = false; // a register that is read twice counts once
        for (unsigned j = 0; j < i; j++)
            again = again || inst->footprint->spans[j].first == span->first;
        if (span->role & KILN_SIM_READS && !again)
            dwords += span->count;
        named = span->first < KILN_SIM_FIRST_SGPR && !(span->role & KILN_SIM_USES_DPP);
    }
    return named && dwords <= MAX && inst->encoding != KILN_SIM_SDWA;
}

static void make_vector(kiln_timing_op_t *op, const kiln_sim_inst_t *inst)
{
    const char *name = inst->row->name;
    if (is_named(inst, "v_fma_f16"))
        op->cycles = KILN_TIMING_FMA_F16_CYCLES;
    op->port = KILN_TIMING_VALU;
    op->blocks = op->cycles;
    op->flops = vector_flops(name);
    op->pairs = pairs(inst);
    op->latency = op->cycles > KILN_TIMING_VALU_LATENCY ? op->cycles : KILN_TIMING_VALU_LATENCY;
    op->power = !multiplies(name)  ? KILN_TIMING_POWER_VECTOR
                : has(name, "f64") ? KILN_TIMING_POWER_VECTOR_64
                                   : KILN_TIMING_POWER_VECTOR_32;
}

void kiln_timing_op_make(kiln_timing_op_t *op, const kiln_sim_inst_t *inst)
{
    *op = (kiln_timing_op_t){.index = inst->index,
                             .address = (uint32_t)inst->address,
                             .size = inst->size,
                             .queue = inst->footprint->queue,
                             .cycles =
                                 inst->row->cycles ? inst->row->cycles : KILN_TIMING_ISSUE_CYCLES,
                             .footprint = inst->footprint};
    switch ((kiln_sim_class_t)inst->row->class_) {
    case KILN_SIM_CLASS_SYNC:
        make_sync(op, inst);
        break;
    case KILN_SIM_CLASS_MFMA:
        make_matrix(op, inst);
        break;
    case KILN_SIM_CLASS_TRANS:
    case KILN_SIM_CLASS_VALU:
        make_vector(op, inst);
        break;
    case KILN_SIM_CLASS_SALU:
        op->port = KILN_TIMING_SCALAR;
        op->latency = KILN_TIMING_SALU_LATENCY;
        break;
    case KILN_SIM_CLASS_SMEM:
        op->port = KILN_TIMING_SCALAR;
        op->act = KILN_TIMING_LOADS_SCALAR;
        break;
    case KILN_SIM_CLASS_BRANCH:
        op->port = KILN_TIMING_BRANCH;
        op->act =
            strncmp(inst->row->name, "s_endpgm", 8) == 0 ? KILN_TIMING_ENDS : KILN_TIMING_BRANCHES;
        break;
    default:
        make_memory(op, inst);
        break;
    }
    op->invalidates = is_named(inst, "buffer_inv");
}

bool kiln_timing_is_access(const kiln_timing_op_t *op)
{
    return op->act >= KILN_TIMING_LOADS_SCALAR;
}
