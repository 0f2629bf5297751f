// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar arithmetic: defines a handler for each row of isa/sop.def.
//
// Both sources are read before anything is written, and the result is written before EXEC changes,
// so that `s_and_saveexec_b64 exec, x` and the like behave as on the machine.
#include "run/machine.h"

typedef uint32_t c_U32;
typedef int32_t c_I32;
typedef uint64_t c_U64;
typedef int64_t c_I64;

static inline c_U32 get_U32(const kiln_sim_wave_t *wave, const kiln_sim_operand_t *op)
{
    return kiln_sim_scalar_u32(wave, op);
}
static inline c_I32 get_I32(const kiln_sim_wave_t *wave, const kiln_sim_operand_t *op)
{
    return (int32_t)kiln_sim_scalar_u32(wave, op);
}
static inline c_U64 get_U64(const kiln_sim_wave_t *wave, const kiln_sim_operand_t *op)
{
    return kiln_sim_scalar_u64(wave, op);
}
static inline c_I64 get_I64(const kiln_sim_wave_t *wave, const kiln_sim_operand_t *op)
{
    return (int64_t)kiln_sim_scalar_u64(wave, op);
}
static inline void put_U32(kiln_sim_wave_t *wave, const kiln_sim_operand_t *op, c_U32 value)
{
    wave->sgpr[op->reg] = value;
}
static inline void put_I32(kiln_sim_wave_t *wave, const kiln_sim_operand_t *op, c_I32 value)
{
    wave->sgpr[op->reg] = (uint32_t)value;
}
static inline void put_U64(kiln_sim_wave_t *wave, const kiln_sim_operand_t *op, c_U64 value)
{
    kiln_sim_sgpr_write_u64(wave, op->reg, value);
}
static inline void put_I64(kiln_sim_wave_t *wave, const kiln_sim_operand_t *op, c_I64 value)
{
    kiln_sim_sgpr_write_u64(wave, op->reg, (uint64_t)value);
}

// Extracts `width` bits of value starting at bit `offset`; bits beyond the operand's size read as
// zero.
static inline uint64_t field_u64(uint64_t value, unsigned offset, unsigned width, unsigned size)
{
    (void)size;
    value >>= offset;
    return width >= 64 ? value : value & ((1ull << width) - 1);
}

static inline int64_t field_i64(uint64_t value, unsigned offset, unsigned width, unsigned size)
{
    if (width == 0)
        return 0;
    if (width > size - offset)
        width = size - offset;
    return (int64_t)(value << (64 - offset - width)) >> (64 - width);
}

static inline uint64_t whole_quads(uint64_t value)
{
    uint64_t any = (value | value >> 1 | value >> 2 | value >> 3) & 0x1111111111111111ull;
    return any * 15;
}

static inline uint64_t quad_mask(uint64_t value)
{
    uint64_t mask = 0;
    for (unsigned quad = 0; quad < 16; quad++)
        mask |= (uint64_t)((value >> (4 * quad) & 15) != 0) << quad;
    return mask;
}

static inline uint64_t reverse_bits(uint64_t value)
{
    uint64_t reversed = 0;
    for (unsigned i = 0; i < 64; i++)
        reversed |= (value >> i & 1) << (63 - i);
    return reversed;
}

// Bit i moves to bit 2i.
static inline uint64_t spread_bits(uint32_t value)
{
    uint64_t spread = 0;
    for (unsigned i = 0; i < 32; i++)
        spread |= (uint64_t)(value >> i & 1) << (2 * i);
    return spread;
}

#define SOP2(name, D, A, B, ...)                                                                   \
    static void run_##name(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        c_##A a = get_##A(wave, &inst->src[0]);                                                    \
        c_##B b = get_##B(wave, &inst->src[1]);                                                    \
        c_##D d;                                                                                   \
        uint32_t scc = wave->scc;                                                                  \
        __VA_ARGS__;                                                                               \
        put_##D(wave, &inst->dst, d);                                                              \
        wave->scc = scc;                                                                           \
    }
#define SOP1(name, D, A, ...)                                                                      \
    static void run_##name(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        c_##A a = get_##A(wave, &inst->src[0]);                                                    \
        c_##D old = get_##D(wave, &inst->dst), d;                                                  \
        (void)old;                                                                                 \
        uint32_t scc = wave->scc;                                                                  \
        __VA_ARGS__;                                                                               \
        put_##D(wave, &inst->dst, d);                                                              \
        wave->scc = scc;                                                                           \
    }
#define SAVEEXEC(name, meaning)                                                                    \
    static void run_##name(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        uint64_t a = get_U64(wave, &inst->src[0]), exec = wave->exec;                              \
        put_U64(wave, &inst->dst, exec);                                                           \
        wave->exec = meaning;                                                                      \
        wave->scc = wave->exec != 0;                                                               \
    }
#define WREXEC(name, meaning)                                                                      \
    static void run_##name(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        uint64_t a = get_U64(wave, &inst->src[0]), exec = wave->exec;                              \
        wave->exec = meaning;                                                                      \
        put_U64(wave, &inst->dst, wave->exec);                                                     \
        wave->scc = wave->exec != 0;                                                               \
    }
#define SOPC(name, A, B, meaning)                                                                  \
    static void run_##name(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        c_##A a = get_##A(wave, &inst->src[0]);                                                    \
        c_##B b = get_##B(wave, &inst->src[1]);                                                    \
        wave->scc = meaning;                                                                       \
    }
#define SOPK(name, D, ...)                                                                         \
    static void run_##name(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        c_##D old = get_##D(wave, &inst->dst), k = inst->imm, d;                                   \
        (void)old;                                                                                 \
        uint32_t scc = wave->scc;                                                                  \
        __VA_ARGS__;                                                                               \
        put_##D(wave, &inst->dst, d);                                                              \
        wave->scc = scc;                                                                           \
    }
#define SOPKC(name, A, meaning)                                                                    \
    static void run_##name(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        c_##A a = get_##A(wave, &inst->src[0]);                                                    \
        int32_t k = inst->imm;                                                                     \
        wave->scc = meaning;                                                                       \
    }
#include "isa/sop.def"
#undef SOP2
#undef SOP1
#undef SAVEEXEC
#undef WREXEC
#undef SOPC
#undef SOPK
#undef SOPKC

#define ROW(name_, format_, dst_, ...)                                                             \
    {.name = #name_,                                                                               \
     .run = run_##name_,                                                                           \
     .format = KILN_SIM_##format_,                                                                 \
     .class_ = KILN_SIM_CLASS_SALU,                                                                \
     .cycles = 4,                                                                                  \
     .dst = KILN_SIM_T_##dst_,                                                                     \
     .src = {__VA_ARGS__}},
#define SOP2(name, D, A, B, ...) ROW(name, SOP2, D, KILN_SIM_T_##A, KILN_SIM_T_##B)
#define SOP1(name, D, A, ...) ROW(name, SOP1, D, KILN_SIM_T_##A)
#define SAVEEXEC(name, meaning) ROW(name, SOP1, U64, KILN_SIM_T_U64)
#define WREXEC(name, meaning) ROW(name, SOP1, U64, KILN_SIM_T_U64)
#define SOPC(name, A, B, meaning) ROW(name, SOPC, NONE, KILN_SIM_T_##A, KILN_SIM_T_##B)
#define SOPK(name, D, ...) ROW(name, SOPK, D, KILN_SIM_T_NONE)
#define SOPKC(name, A, meaning) ROW(name, SOPK, NONE, KILN_SIM_T_##A)
static const kiln_sim_row_t rows[] = {
#include "isa/sop.def"
};

const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_sop) = {rows, sizeof rows / sizeof rows[0]};
