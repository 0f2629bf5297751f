// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The initial state of a wave: kernel arguments, scalar and vector registers. LLVM AMDGPU usage
// guide, "Initial Kernel Execution State"; docs/gfx942.md, 4.2.
//
// Registers that the ABI leaves undefined hold a NaN pattern, not zero, so that a kernel which
// relies on them fails visibly and reproducibly.
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "run/launch.h"

#define UNDEFINED KILN_SIM_UNDEFINED
#define PADDING 256 // scalar loads are often wider than the arguments

// Bits of kernel_code_properties.
enum {
    PROPERTY_PRIVATE_BUFFER = 1,
    PROPERTY_DISPATCH_PTR = 2,
    PROPERTY_QUEUE_PTR = 4,
    PROPERTY_KERNARG_PTR = 8,
    PROPERTY_DISPATCH_ID = 16,
    PROPERTY_FLAT_SCRATCH = 32,
    PROPERTY_PRIVATE_SIZE = 64
};

typedef struct packet { // hsa_kernel_dispatch_packet_t
    uint16_t header, setup, workgroup[3], reserved0;
    uint32_t grid[3], private_bytes, group_bytes;
    uint64_t kernel_object, kernarg, reserved2, completion;
} packet_t;

// The data that ROCm's device library gets about a cooperative launch (ockl, cg.cl): whether the
// launch is cooperative and, for the barrier of the whole grid, the number of workgroups and two
// words that start as zero.
typedef struct grid_info {
    uint64_t devices; // for a barrier over several devices; unused
    uint32_t number, grids;
    uint64_t items_before, items;
    uint32_t barrier[2], workgroups, padding;
} grid_info_t;

static bool fill_hidden(const kiln_sim_dispatch_t *launch, uint64_t printed, uint64_t hostcall,
                        uint64_t heap, uint64_t grid, const kiln_sim_arg_t *arg, uint8_t *kernarg)
{
    uint64_t value = 0;
    switch (arg->kind) {
#define HIDDEN(kind, bytes, meaning)                                                               \
    case KILN_SIM_ARG_##kind:                                                                      \
        value = (meaning);                                                                         \
        break;
#include "sim/port/hidden_args.def"
#undef HIDDEN
    default:
        return false;
    }
    memcpy(kernarg + arg->offset, &value, arg->size < sizeof value ? arg->size : sizeof value);
    return true;
}

// Returns zeroed bytes in device memory. Without observers the block is reused from launch to
// launch, because opening and closing pages takes as long as the rest of a small launch. With
// observers each launch's arguments have their own address.
static uint8_t *block_of_arguments(kiln_sim_launch_t *launch, uint64_t size,
                                   kiln_sim_error_t *error)
{
    kiln_sim_machine_t *machine = launch->machine;
    if (launch->observers)
        return kiln_sim_memory_allocate(launch->memory, size, KILN_SIM_MEMORY_SYSTEM, 0, error);
    if (machine->arguments && machine->arguments_size < size) {
        kiln_sim_memory_free(launch->memory, machine->arguments, NULL);
        machine->arguments = NULL;
    }
    if (!machine->arguments) {
        machine->arguments =
            kiln_sim_memory_allocate(launch->memory, size, KILN_SIM_MEMORY_SYSTEM, 0, error);
        machine->arguments_size = size;
        return machine->arguments;
    }
    memset(machine->arguments, 0, size);
    return machine->arguments;
}

bool kiln_sim_launch_arguments(kiln_sim_launch_t *launch, kiln_sim_error_t *error)
{
    const kiln_sim_dispatch_t *dispatch = launch->dispatch;
    const kiln_sim_kernel_t *kernel = launch->kernel;
    enum { LINE = KILN_GFX942_L2_LINE }; // so that no line holds arguments and packet
    launch->kernarg_offset = ((uint64_t)kernel->kernarg_bytes + PADDING + LINE - 1) / LINE * LINE;
    if (kernel->kernarg_bytes > 1u << 20)
        return kiln_sim_fail(error, KILN_SIM_INVALID_IMAGE,
                             "kernel '%s' claims %u bytes of arguments", kernel->name,
                             kernel->kernarg_bytes);
    const uint64_t grid_offset = launch->kernarg_offset + 2 * sizeof(packet_t);
    launch->kernarg = block_of_arguments(launch, grid_offset + sizeof(grid_info_t), error);
    if (!launch->kernarg)
        return false;
    const uint64_t kernarg = (uint64_t)(uintptr_t)launch->kernarg,
                   grid = dispatch->cooperative ? kernarg + grid_offset : 0;
    if (grid) {
        const uint64_t workgroups =
            (uint64_t)dispatch->grid[0] * dispatch->grid[1] * dispatch->grid[2];
        const uint64_t items =
            (uint64_t)dispatch->block[0] * dispatch->block[1] * dispatch->block[2];
        const grid_info_t info = {
            .grids = 1, .items = workgroups * items, .workgroups = (uint32_t)workgroups};
        memcpy(launch->kernarg + grid_offset, &info, sizeof info);
        kiln_sim_memory_mark(launch->memory, grid, sizeof info);
    }
    if (dispatch->packed) {
        size_t given = dispatch->packed_size < kernel->kernarg_bytes ? dispatch->packed_size
                                                                     : kernel->kernarg_bytes;
        memcpy(launch->kernarg, dispatch->packed, given);
        kiln_sim_memory_mark(launch->memory, kernarg, given);
    }
    size_t param = 0;
    for (size_t i = 0; i < kernel->arg_count; i++) {
        const kiln_sim_arg_t *arg = &kernel->args[i];
        if (arg->offset > kernel->kernarg_bytes || kernel->kernarg_bytes - arg->offset < arg->size)
            return kiln_sim_fail(error, KILN_SIM_INVALID_IMAGE,
                                 "argument %zu of kernel '%s' is outside its %u bytes of arguments",
                                 i, kernel->name, kernel->kernarg_bytes);
        if (arg->kind == KILN_SIM_ARG_hidden_hostcall_buffer && !launch->hostcall) {
            launch->hostcall = kiln_sim_hostcall_create(
                &launch->machine->memory, &launch->machine->heap, launch->options->heap, error);
            if (!launch->hostcall)
                return false;
        }
        // A compiler requests every hidden argument if it cannot see which functions are called,
        // but only a code object that prints has formats.
        if (arg->kind == KILN_SIM_ARG_hidden_printf_buffer && kernel->object->format_count &&
            !launch->printed &&
            !(launch->printed = kiln_sim_print_buffer_create(launch->memory, error)))
            return false;
        uint64_t heap = 0;
        if (arg->kind == KILN_SIM_ARG_hidden_heap_v1 &&
            !(heap = kiln_sim_heap_records(&launch->machine->heap, launch->memory, error)))
            return false;
        if (arg->kind != KILN_SIM_ARG_EXPLICIT || !dispatch->packed)
            kiln_sim_memory_mark(launch->memory, kernarg + arg->offset, arg->size);
        if (arg->kind != KILN_SIM_ARG_EXPLICIT) {
            uint64_t hostcall = launch->hostcall ? kiln_sim_hostcall_address(launch->hostcall) : 0;
            if (!fill_hidden(dispatch, (uint64_t)(uintptr_t)launch->printed, hostcall, heap, grid,
                             arg, launch->kernarg) &&
                arg->kind != KILN_SIM_ARG_UNKNOWN_HIDDEN)
                return kiln_sim_fail(error, KILN_SIM_INVALID_IMAGE,
                                     "argument %zu of kernel '%s' is invalid", i, kernel->name);
            continue;
        }
        if (dispatch->packed)
            continue;
        if (!dispatch->params || !dispatch->params[param])
            return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                                 "kernel '%s' needs argument %zu, but it is null", kernel->name,
                                 param);
        memcpy(launch->kernarg + arg->offset, dispatch->params[param++], arg->size);
    }

    packet_t packet = {.header = 2,
                       .setup = 3,
                       .private_bytes = launch->scratch_bytes,
                       .group_bytes = launch->lds_size};
    for (unsigned i = 0; i < 3; i++) {
        packet.workgroup[i] = (uint16_t)dispatch->block[i];
        packet.grid[i] = dispatch->grid[i] * dispatch->block[i];
    }
    packet.kernel_object = launch->image + kernel->entry;
    packet.kernarg = (uint64_t)(uintptr_t)launch->kernarg;
    memcpy(launch->kernarg + launch->kernarg_offset, &packet, sizeof packet);
    kiln_sim_memory_mark(launch->memory, kernarg + launch->kernarg_offset, 2 * sizeof packet);
    return true;
}

static void put_u64(kiln_sim_wave_t *wave, unsigned *at, uint64_t value)
{
    kiln_sim_sgpr_write_u64(wave, *at, value);
    *at += 2;
}

unsigned kiln_sim_kernel_preload_at(const kiln_sim_kernel_t *kernel)
{
    static const struct {
        unsigned property, registers;
    } before[] = {{PROPERTY_PRIVATE_BUFFER, 4}, {PROPERTY_DISPATCH_PTR, 2},
                  {PROPERTY_QUEUE_PTR, 2},      {PROPERTY_KERNARG_PTR, 2},
                  {PROPERTY_DISPATCH_ID, 2},    {PROPERTY_FLAT_SCRATCH, 2},
                  {PROPERTY_PRIVATE_SIZE, 1}};
    unsigned at = 0;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        at += kernel->properties & before[i].property ? before[i].registers : 0;
    return at;
}

static void start_sgprs(const kiln_sim_launch_t *launch, const kiln_sim_workgroup_t *group,
                        kiln_sim_wave_t *wave)
{
    const kiln_sim_kernel_t *kernel = launch->kernel;
    uint64_t kernarg = (uint64_t)(uintptr_t)launch->kernarg,
             packet = kernarg + launch->kernarg_offset;
    unsigned at = 0;
    if (kernel->properties & PROPERTY_PRIVATE_BUFFER)
        at += 4;
    if (kernel->properties & PROPERTY_DISPATCH_PTR)
        put_u64(wave, &at, packet);
    if (kernel->properties & PROPERTY_QUEUE_PTR)
        put_u64(wave, &at, packet + sizeof(packet_t));
    if (kernel->properties & PROPERTY_KERNARG_PTR)
        put_u64(wave, &at, kernarg);
    if (kernel->properties & PROPERTY_DISPATCH_ID)
        put_u64(wave, &at, 0);
    if (kernel->properties & PROPERTY_FLAT_SCRATCH)
        at += 2;
    if (kernel->properties & PROPERTY_PRIVATE_SIZE)
        wave->sgpr[at++] = launch->scratch_bytes;
    at = kiln_sim_kernel_preload_at(kernel);
    unsigned length = kernel->preload & 127, offset = kernel->preload >> 7;
    for (unsigned i = 0; i < length && at < 16; i++) {
        uint64_t byte = 4ull * (offset + i);
        uint32_t value = 0;
        if (byte + 4 <= (uint64_t)kernel->kernarg_bytes + PADDING)
            memcpy(&value, launch->kernarg + byte, sizeof value);
        wave->sgpr[at++] = value;
    }
    unsigned user = kernel->rsrc2 >> 1 & 31;
    if (at < user)
        at = user;
    for (unsigned i = 0; i < 3; i++) {
        if (kernel->rsrc2 >> (7 + i) & 1)
            wave->sgpr[at++] = group->id[i];
    }
    if (kernel->rsrc2 >> 10 & 1)
        wave->sgpr[at++] = (wave->index == 0 ? 1u << 31 : 0) | (wave->index & 31) << 20 |
                           (launch->wave_count & 63);
}

static void undefine(uint32_t *registers, size_t count)
{
    _Static_assert(sizeof(wchar_t) == sizeof *registers, "wmemset fills dwords");
    wmemset((wchar_t *)registers, (wchar_t)UNDEFINED, count);
}

static void start_vgprs(const kiln_sim_launch_t *launch, kiln_sim_wave_t *wave)
{
    const kiln_sim_kernel_t *kernel = launch->kernel;
    unsigned arch = kiln_sim_kernel_arch_vgprs(kernel), total = kiln_sim_kernel_total_vgprs(kernel);
    unsigned acc = total > arch ? total - arch : 0;
    if (total < arch)
        arch = total;
    acc = acc > 256 ? 256 : acc;
    undefine(wave->vgpr[0], (size_t)arch * KILN_GFX942_LANES);
    undefine(wave->vgpr[KILN_SIM_ACC_ROW], (size_t)acc * KILN_GFX942_LANES);
    const uint32_t *block = launch->dispatch->block;
    const unsigned dims = kernel->rsrc2 >> 11 & 3;
    const uint32_t first = wave->index * KILN_GFX942_LANES;
    uint32_t x = first % block[0], y = first / block[0] % block[1], z = first / block[0] / block[1];
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
        wave->vgpr[0][lane] = x | (dims >= 1 ? y << 10 : 0) | (dims >= 2 ? z << 20 : 0);
        if (++x < block[0])
            continue;
        x = 0;
        if (++y < block[1])
            continue;
        y = 0;
        z++;
    }
}

void kiln_sim_wave_start(const kiln_sim_launch_t *launch, const kiln_sim_workgroup_t *group,
                         kiln_sim_wave_t *wave)
{
    uint32_t rsrc1 = launch->kernel->rsrc1;
    undefine(wave->sgpr, KILN_SIM_SGPR_COUNT);
    memset(wave->ttmp, 0, sizeof wave->ttmp);
    wave->flat_scratch = KILN_SIM_PRIVATE_BASE;
    wave->xnack_mask = 0;
    uint32_t items = launch->items - wave->index * KILN_GFX942_LANES;
    wave->exec = items >= KILN_GFX942_LANES ? UINT64_MAX : (1ull << items) - 1;
    wave->scc = 0;
    wave->mode = (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1 ? (uint32_t)KILN_SIM_MODE_DX10_CLAMP : 0) |
                 (rsrc1 >> 23 & 1 ? (uint32_t)KILN_SIM_MODE_IEEE : 0) |
                 (rsrc1 >> 26 & 1 ? (uint32_t)KILN_SIM_MODE_FP16_OVFL : 0);
    wave->stop = KILN_SIM_STOP_NONE;
    wave->next = NULL;
    wave->resume = launch->entry;
    wave->executed = 0;
    wave->idle = wave->looks = wave->waited = 0;
    wave->look = NULL;
    wave->fast_mfma = launch->options->fast_mfma;
    start_sgprs(launch, group, wave);
    start_vgprs(launch, wave);
}
