// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Untyped buffer instructions (MUBUF): addressing through a buffer resource V#. CDNA3 ISA guide,
// chapter 9.
//
// The range check (reference: rocm-systems PR 10928, gfx950 hardware): VGPR offset + instruction
// offset wrap at 32 bits; then soffset is added and included in the check. Each dword of a wide
// access is checked separately, atomics as a whole. The index is checked only with IDXEN on a
// strided buffer.
//
// Loads and stores need no alignment: amdkfd sets SH_MEM_CONFIG.alignment_mode = unaligned for
// every process. Atomics and formats (exec/format.c) do need alignment.
//
// Without ADD_TID a data format of 0 (invalid) means that nothing is bound: every lane is out of
// range, whatever the rest of the V# contains. MIOpen's Winograd kernels disable their stores in
// this way. MTBUF has a format of its own.
//
// Swizzling rearranges an array of structures, so the swizzle bit only affects instructions that
// select an element of such an array: by IDXEN with a stride, or by ADD_TID. Other instructions
// access the buffer as raw bytes, and their offset, which is not that of an element, is not
// rearranged. A hipBLASLt kernel sets the bit on V#s without a stride; HipKittens' kernels set it
// together with a stride, for cache swizzling, and access by offsets only (make_srsrc). Both mean
// consecutive bytes. With ADD_TID the stride may be 0, as in scratch memory's V#, which ROCr
// creates.
//
// Pitfall: an access in range of the V# may still be outside of memory. A lane that passes the V#'s
// check but is in no allocation is a memory violation, as on the machine.
#include "exec/buffer.h"

static const alignas(16) uint8_t zeros[16];

// For a V# without ADD_TID.
static inline bool is_bound(const uint32_t word[4])
{
    return (word[3] >> 15 & 15) != 0;
}

static inline bool has_add_tid(const uint32_t word[4])
{
    return word[3] >> 23 & 1;
}

static inline unsigned stride_of(const uint32_t word[4])
{
    return word[1] >> 16 & 0x3fff;
}

static inline bool is_swizzled(const uint32_t word[4], const kiln_sim_inst_t *inst)
{
    const bool indexed = stride_of(word) && (inst->flags & KILN_SIM_INST_IDXEN);
    return word[1] >> 31 && (indexed || has_add_tid(word));
}

kiln_sim_buffer_t KILN_SIM_V(kiln_sim_buffer_read)(const kiln_sim_wave_t *wave,
                                                   const kiln_sim_inst_t *inst)
{
    const uint32_t *word = &wave->sgpr[inst->mem[0].reg];
    const bool add_tid = has_add_tid(word);
    return (kiln_sim_buffer_t){
        .base = word[0] | (uint64_t)(word[1] & 0xffff) << 32,
        .stride = stride_of(word),
        .swizzle = is_swizzled(word, inst),
        .records = add_tid || inst->format == KILN_SIM_MTBUF || is_bound(word) ? word[2] : 0,
        .index_stride = 8u << (word[3] >> 21 & 3),
        .add_tid = add_tid,
        .alignment = 1,
        .data_format = word[3] >> 15 & 15,
        .num_format = word[3] >> 12 & 7,
        .select = word[3] & 0xfff,
    };
}

// The start of a lane's access, and how much of the access is in range.
typedef struct lane_range {
    uint64_t at,
        left;      // bytes in range from there on; at most the access's size if the exact number is
                   // unknown
    unsigned good; // dwords (or, for smaller accesses, whole elements) in range
    bool misaligned; // alignment has cleared low bits of `at`
} lane_range_t;

static lane_range_t range_of_lane(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                  const kiln_sim_buffer_t *buffer, uint64_t lane, uint32_t soffset,
                                  unsigned bytes)
{
    bool offen = inst->flags & KILN_SIM_INST_OFFEN, idxen = inst->flags & KILN_SIM_INST_IDXEN;
    unsigned vaddr = inst->src[0].reg;
    uint64_t index = idxen ? wave->vgpr[vaddr][lane] : 0;
    uint32_t offset = (uint32_t)inst->imm + (offen ? wave->vgpr[vaddr + (idxen ? 1 : 0)][lane] : 0);
    unsigned pieces = bytes > 4 ? bytes / 4 : 1, piece = bytes > 4 ? 4 : bytes;
    uint64_t ranged = (uint64_t)offset + soffset;

    lane_range_t range = {.left = bytes};
    if (idxen && buffer->stride) {
        if (index >= buffer->records || (buffer->swizzle && offset >= buffer->stride))
            range.left = 0;
    } else if (!buffer->add_tid) {
        range.left = ranged < buffer->records ? buffer->records - ranged : 0;
    }
    range.good = range.left >= bytes ? pieces : (unsigned)(range.left / piece);

    uint64_t stride = buffer->stride;
    if (buffer->add_tid) {
        index += lane;
        stride |= (uint64_t)buffer->data_format << 14;
    }
    uint64_t inside;
    if (buffer->swizzle) {
        uint64_t high = index / buffer->index_stride, low = index % buffer->index_stride;
        inside = (high * stride + (offset & ~3u)) * buffer->index_stride + low * 4 + (offset & 3);
    } else {
        inside = index * stride + offset;
    }
    const uint64_t at = buffer->base + soffset + inside, kept = -(uint64_t)buffer->alignment;
    range.at = at & kept;
    range.misaligned = (at & ~kept) != 0;
    return range;
}

static bool check_memory(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                         kiln_sim_access_t access, unsigned bytes, const kiln_sim_lanes_t *lanes,
                         uint64_t mask)
{
    uint64_t lowest = UINT64_MAX, highest = 0;
    KILN_SIM_FOR_LANES(lane, mask)
    {
        lowest = lanes->at[lane] < lowest ? lanes->at[lane] : lowest;
        highest = lanes->at[lane] > highest ? lanes->at[lane] : highest;
    }
    if (mask == 0 || kiln_sim_check_address(wave->thread, access, lowest, highest - lowest + bytes))
        return true;
    KILN_SIM_FOR_LANES(bad, mask)
    {
        if (!kiln_sim_check_lane_address(wave->thread, inst, access, lanes->at[bad], bytes)) {
            kiln_sim_wave_fault_address(wave, inst, (int)bad, access, lanes->at[bad], bytes);
            return false;
        }
    }
    return true;
}

// Whether offsets map to consecutive bytes of the buffer.
static bool is_raw(const kiln_sim_inst_t *inst, const kiln_sim_buffer_t *buffer)
{
    return !((inst->flags & KILN_SIM_INST_IDXEN) && buffer->stride) && !buffer->swizzle &&
           !buffer->add_tid;
}

// Reports an access whose lanes have been found: `whole` lanes are in range, `partial` ones as far
// as their good dwords.
static void report_lanes(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                         const kiln_sim_buffer_t *buffer, kiln_sim_access_t access, unsigned bytes,
                         const lane_range_t range[KILN_GFX942_LANES],
                         const kiln_sim_buffer_lanes_t *lanes, uint64_t whole)
{
    kiln_sim_accesses_t *a = &wave->thread->watch->accesses;
    const unsigned piece = buffer->format || access == KILN_SIM_ATOMIC || bytes < 4 ? bytes : 4;
    kiln_sim_watch_lanes(wave, access, bytes, lanes->lanes.at, whole);
    a->is_buffer = true;
    a->format = buffer->format;
    a->partial = buffer->format ? 0 : lanes->partial;
    a->cut = wave->exec & ~(whole | a->partial);
    KILN_SIM_FOR_LANES(lane, wave->exec)
    {
        const bool torn = range[lane].left < bytes && range[lane].left % piece;
        a->torn |= (uint64_t)torn << lane;
        a->misaligned |= (uint64_t)(range[lane].misaligned && !(a->cut >> lane & 1)) << lane;
        a->lane_bytes[lane] = (uint8_t)(4 * range[lane].good);
    }
    if (is_raw(inst, buffer)) {
        a->base = buffer->base;
        a->end = buffer->base + buffer->records;
    }
    kiln_sim_watch_notify(wave);
}

bool KILN_SIM_V(kiln_sim_buffer_lanes)(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                       const kiln_sim_buffer_t *buffer, kiln_sim_access_t access,
                                       unsigned bytes, kiln_sim_buffer_lanes_t *lanes)
{
    uint32_t soffset = kiln_sim_scalar_u32(wave, &inst->mem[1]);
    uint64_t in_range = 0;
    lanes->lanes.mask = wave->exec;
    lanes->partial = 0;
    unsigned pieces = bytes > 4 ? bytes / 4 : 1;
    lane_range_t range[KILN_GFX942_LANES];
    KILN_SIM_FOR_LANES(lane, lanes->lanes.mask)
    {
        range[lane] = range_of_lane(wave, inst, buffer, lane, soffset, bytes);
        lanes->lanes.at[lane] = range[lane].at;
        if (range[lane].good == pieces)
            in_range |= 1ull << lane;
        else if (range[lane].good && access != KILN_SIM_ATOMIC) {
            lanes->partial |= 1ull << lane;
            lanes->dwords[lane] = (uint8_t)range[lane].good;
        }
    }
    in_range &= lanes->lanes.mask;
    if (!check_memory(wave, inst, access, bytes, &lanes->lanes, in_range))
        return false;
    count_lines(wave, access, lanes->lanes.at, in_range, bytes);
    KILN_SIM_FOR_LANES(part, lanes->partial)
    {
        if (!check_memory(wave, inst, access, 4u * lanes->dwords[part], &lanes->lanes,
                          1ull << part))
            return false;
    }
    if (is_watched(wave))
        report_lanes(wave, inst, buffer, access, bytes, range, lanes, in_range);
    if (is_watched(wave) && wave->thread->watch->moves_nothing)
        in_range = lanes->partial = lanes->lanes.mask = 0;
    KILN_SIM_FOR_LANES(split, access == KILN_SIM_LOAD ? lanes->partial : 0)
    {
        memset(lanes->stage[split], 0, sizeof lanes->stage[split]);
        memcpy(lanes->stage[split], (const void *)(uintptr_t)lanes->lanes.at[split],
               4u * lanes->dwords[split]);
        lanes->lanes.at[split] = (uint64_t)(uintptr_t)lanes->stage[split];
    }
    uint64_t outside = lanes->lanes.mask & ~in_range & ~lanes->partial;
    lanes->outside = outside;
    if (access != KILN_SIM_LOAD) {
        lanes->lanes.mask = in_range;
        return true;
    }
    KILN_SIM_FOR_LANES(out, outside) lanes->lanes.at[out] = (uint64_t)(uintptr_t)zeros;
    return true;
}

static bool find_lanes(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, kiln_sim_access_t access,
                       unsigned bytes, kiln_sim_buffer_lanes_t *lanes)
{
    kiln_sim_buffer_t buffer = KILN_SIM_V(kiln_sim_buffer_read)(wave, inst);
    return KILN_SIM_V(kiln_sim_buffer_lanes)(wave, inst, &buffer, access, bytes, lanes);
}

// Reports an access that find_span has found; every lane of it is in range or out of range as a
// whole. `base` is the buffer's.
static void report_span(kiln_sim_wave_t *wave, kiln_sim_access_t access, unsigned bytes,
                        const kiln_sim_span_t *span, uint64_t base, uint32_t records)
{
    kiln_sim_accesses_t *a = &wave->thread->watch->accesses;
    kiln_sim_watch_span(wave, access, bytes, span->base, span->offset, span->live);
    a->is_buffer = true;
    a->cut = span->empty;
    a->base = base;
    a->end = base + records;
    KILN_SIM_FOR_LANES(lane, span->empty)
    a->torn |= (uint64_t)(a->at[lane] - base < records) << lane;
    kiln_sim_watch_notify(wave);
}

// The fast path for loads and stores through a raw buffer with a VGPR offset. False, without any
// effect, if it does not apply.
static inline bool find_span(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                             kiln_sim_access_t access, unsigned bytes,
                             uint32_t storage[KILN_GFX942_LANES], kiln_sim_span_t *span)
{
    const uint32_t *word = &wave->sgpr[inst->mem[0].reg];
    const uint32_t records = is_bound(word) ? word[2] : 0, imm = (uint32_t)inst->imm;
    const uint32_t soffset = kiln_sim_scalar_u32(wave, &inst->mem[1]);
    const uint64_t base = (word[0] | (uint64_t)(word[1] & 0xffff) << 32) + soffset,
                   exec = wave->exec;
    if ((inst->flags & (KILN_SIM_INST_IDXEN | KILN_SIM_INST_OFFEN)) != KILN_SIM_INST_OFFEN ||
        is_swizzled(word, inst) || has_add_tid(word) || exec == 0)
        return false;
    const uint32_t *vaddr = wave->vgpr[inst->src[0].reg];
    span->base = base;
    span->offset = vaddr;
    span->live = 0;
    if (imm) {
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
            storage[i] = vaddr[i] + imm; // wraps at 32 bits
        span->offset = storage;
    }
    if (records > soffset && records - soffset >= bytes)
        span->live = exec & lanes_up_to(span->offset, records - soffset - bytes);
    span->empty = exec & ~span->live;
    if (bytes > 4 && span->empty && records > soffset &&
        (span->empty & lanes_up_to(span->offset, records - soffset - 1)))
        return false; // some dwords of an access are in range
    uint32_t lowest = 0, highest = 0;
    if (span->live)
        row_range(span->offset, span->live, &lowest, &highest);
    if (span->live && !kiln_sim_check_address(wave->thread, access, base + lowest,
                                              (uint64_t)highest - lowest + bytes))
        return false;
    kiln_sim_count_lines(wave, access, base, span->offset, span->live, bytes);
    if (is_watched(wave)) {
        report_span(wave, access, bytes, span, base - soffset, records);
        if (wave->thread->watch->moves_nothing)
            span->live = span->empty = 0;
    }
    return true;
}

// buffer_load_* ... lds: LDS_base + M0[15:0] + instruction offset + lane * 4. The offset is also
// added to the buffer address. The load writes a register row that is restored afterwards. Lanes
// whose LDS address is out of range are not loaded.
void KILN_SIM_V(kiln_sim_buffer_to_lds)(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                        kiln_sim_handler_t load)
{
    const unsigned row = KILN_SIM_VGPR_ROWS - 1;
    kiln_sim_inst_t copy = *inst;
    uint64_t exec = wave->exec, base = (wave->m0 & 0xffff) + (uint64_t)inst->imm;
    uint32_t saved[KILN_GFX942_LANES];
    for (uint64_t lane = 0; lane < KILN_GFX942_LANES; lane++) {
        if (base + lane * 4 + 4 > wave->group->lds_size)
            wave->exec &= ~(1ull << lane);
    }
    if (is_watched(wave))
        kiln_sim_watch_lds_row(wave, base, exec); // `load` reports both accesses
    copy.flags = (uint8_t)(copy.flags & ~KILN_SIM_INST_LDS);
    copy.dst = (kiln_sim_operand_t){.kind = KILN_SIM_OP_VGPR, .reg = row, .dwords = 1};
    memcpy(saved, wave->vgpr[row], sizeof saved);
    load(wave, &copy);
    if (wave->stop != KILN_SIM_STOP_FAULT) {
        KILN_SIM_FOR_LANES(lane, wave->exec)
        write_u32((uint64_t)(uintptr_t)wave->group->lds + base + lane * 4, wave->vgpr[row][lane]);
    }
    memcpy(wave->vgpr[row], saved, sizeof saved);
    wave->exec = exec;
}

#define LANES_T kiln_sim_buffer_lanes_t
#define LANES_OF(found) (found).lanes
#define BEFORE_LOAD(run)                                                                           \
    if (inst->flags & KILN_SIM_INST_LDS) {                                                         \
        KILN_SIM_V(kiln_sim_buffer_to_lds)(wave, inst, run);                                       \
        return;                                                                                    \
    }
#define SPAN_READERS wave->exec
#define SPAN_PLACE(lane)                                                                           \
    (span.live >> (lane) & 1 ? span.base + span.offset[lane] : (uint64_t)(uintptr_t)zeros)
#define STORE_PARTS(count)                                                                         \
    KILN_SIM_FOR_LANES(lane, found.partial)                                                        \
    {                                                                                              \
        for (unsigned part = 0; part < found.dwords[lane]; part++)                                 \
            write_u32(found.lanes.at[lane] + 4 * part, wave->vgpr[inst->src[1].reg + part][lane]); \
    }
#include "exec/load_store_vmem.h"

static bool find_atomic(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned bytes,
                        kiln_sim_lanes_t *lanes)
{
    kiln_sim_buffer_lanes_t found;
    if (!find_lanes(wave, inst, KILN_SIM_ATOMIC, bytes, &found))
        return false;
    *lanes = found.lanes;
    // Lanes that are out of range still return a value, zero.
    if ((inst->cache & KILN_SIM_CACHE_SC0)) {
        KILN_SIM_FOR_LANES(lane, found.outside) lane_set(wave, inst->dst.reg, lane, bytes, 0);
    }
    return true;
}

#define FIND_ATOMIC(bytes) find_atomic(wave, inst, bytes, &lanes)
#define ATOMIC_FLOAT_FLAT(...) // buffer_atomic_pk_add_bf16 was introduced with gfx950
#include "exec/atomic_vmem.h"

static void run_cache_control(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    (void)wave;
    (void)inst;
}

#define ROW(name_, run_, unit, dst_, address_, data_)                                              \
    {.name = "buffer_" #name_,                                                                     \
     .run = run_,                                                                                  \
     .format = KILN_SIM_MUBUF,                                                                     \
     .class_ = KILN_SIM_CLASS_##unit,                                                              \
     .cycles = 4,                                                                                  \
     .dst = (dst_),                                                                                \
     .src = {(address_), (data_)}},
#define LOAD(vmem, ds, bytes, ...)                                                                 \
    ROW(vmem, run_##vmem, VMEM_LOAD, KILN_SIM_T_U32, KILN_SIM_T_U64, KILN_SIM_T_NONE)
#define LOADX(vmem, ds, count, D)                                                                  \
    ROW(vmem, run_##vmem, VMEM_LOAD, KILN_SIM_T_##D, KILN_SIM_T_U64, KILN_SIM_T_NONE)
#define STORE(vmem, ds, bytes, ...)                                                                \
    ROW(vmem, run_##vmem, VMEM_STORE, KILN_SIM_T_NONE, KILN_SIM_T_U64, KILN_SIM_T_U32)
#define STOREX(vmem, ds, count, D)                                                                 \
    ROW(vmem, run_##vmem, VMEM_STORE, KILN_SIM_T_NONE, KILN_SIM_T_U64, KILN_SIM_T_##D)
#define ATOMIC(vmem, ds, ds_rtn, T, ...)                                                           \
    ROW(vmem, run_##vmem, VMEM_ATOMIC, TYPE_OF_##T, KILN_SIM_T_U64, TYPE_OF_##T)
#define SWAP(vmem, ds_rtn, T, ...) ATOMIC(vmem, , ds_rtn, T, __VA_ARGS__)
#define CMPSWAP(vmem, ds, ds_rtn, T, D)                                                            \
    ROW(vmem, run_##vmem, VMEM_ATOMIC, TYPE_OF_##T, KILN_SIM_T_U64, KILN_SIM_T_##D)
#define ATOMIC_FLOAT ATOMIC
#define ATOMIC_FLOAT_FLAT(...)
#define ATOMIC_DS(...)
#define CACHE_CONTROL(name)                                                                        \
    ROW(name, run_cache_control, SYNC, KILN_SIM_T_NONE, KILN_SIM_T_NONE, KILN_SIM_T_NONE)
static const kiln_sim_row_t rows[] = {
#include "isa/memory.def"

#include "isa/atomic.def"

#include "isa/vmem.def"
};

const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_buffer) = {rows, sizeof rows / sizeof rows[0]};
