// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: launches with attributes and on several devices, and libraries of kernels.
//
// A cooperative launch on several devices is implemented as separate launches. Kernels that wait
// for one another across devices would never end; the machines' timeout (option `patience`) stops
// them.
#include <string.h>

#include "hip_sim/entry.h"
#include "hip_sim/stream/engine.h"

enum { COOPERATIVE = 2, CLUSTER = 4 }; // hipLaunchAttributeID

static hipError_t invalid(void)
{
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

// Attributes that only affect performance are ignored.
static hipError_t read_attributes(const hip_launch_attribute_t *attributes, unsigned count,
                                  bool *cooperative)
{
    *cooperative = false;
    if (count && !attributes)
        return invalid();
    for (unsigned i = 0; i < count; i++) {
        const unsigned *cluster = attributes[i].value.cluster;
        if (attributes[i].id == COOPERATIVE)
            *cooperative = attributes[i].value.cooperative != 0;
        if (attributes[i].id == CLUSTER && (cluster[0] > 1 || cluster[1] > 1 || cluster[2] > 1))
            return kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED,
                                     "gfx942 does not support workgroup clusters");
    }
    return 0;
}

hipError_t hipLaunchKernelExC(const hipLaunchConfig_t *p, const void *function, void **params)
{
    KILN_SIM_CALL();
    bool cooperative;
    if (!p || !function)
        return p ? kiln_sim_hip_fail(HIP_INVALID_DEVICE_FUNCTION, NULL) : invalid();
    if (p->dynamic_lds > UINT32_MAX)
        return invalid();
    hipError_t error = read_attributes(p->attributes, p->attribute_count, &cooperative);
    if (error)
        return error;
    return cooperative
               ? hipLaunchCooperativeKernel(function, p->grid, p->block, params,
                                            (unsigned)p->dynamic_lds, p->stream)
               : hipLaunchKernel(function, p->grid, p->block, params, p->dynamic_lds, p->stream);
}

hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG *p, hipFunction_t function, void **params,
                                void **extra)
{
    KILN_SIM_CALL();
    bool cooperative;
    hipError_t error =
        p ? read_attributes(p->attributes, p->attribute_count, &cooperative) : invalid();
    if (error)
        return error;
    return cooperative
               ? hipModuleLaunchCooperativeKernel(function, p->grid[0], p->grid[1], p->grid[2],
                                                  p->block[0], p->block[1], p->block[2],
                                                  p->dynamic_lds, p->stream, params)
               : hipModuleLaunchKernel(function, p->grid[0], p->grid[1], p->grid[2], p->block[0],
                                       p->block[1], p->block[2], p->dynamic_lds, p->stream, params,
                                       extra);
}

// ---- several devices

// Whether each launch has its own stream on its own device.
static bool streams_differ(const hipStream_t *stream, int count, size_t step)
{
    for (int i = 0; i < count; i++) {
        const hipStream_t *mine = (const void *)((const char *)stream + (size_t)i * step);
        const struct kiln_sim_hip_stream *found = *mine ? kiln_sim_stream_find(*mine) : NULL;
        if (!found)
            return false;
        for (int k = 0; k < i; k++) {
            const hipStream_t *other = (const void *)((const char *)stream + (size_t)k * step);
            if ((*other)->device == found->device)
                return false;
        }
    }
    return true;
}

static hipError_t launch_all(hipLaunchParams *list, int count, bool cooperative)
{
    hipError_t error = 0;
    if (!list || count <= 0 || count > kiln_sim_device_count() ||
        !streams_differ(&list->stream, count, sizeof *list))
        return invalid();
    const int current = kiln_sim_device()->ordinal;
    for (int i = 0; !error && i < count; i++) {
        hipLaunchParams *p = &list[i];
        if (p->dynamic_lds > UINT32_MAX) {
            error = invalid();
            break;
        }
        kiln_sim_device_set(p->stream->device->ordinal);
        error = cooperative ? hipLaunchCooperativeKernel(p->function, p->grid, p->block, p->params,
                                                         (unsigned)p->dynamic_lds, p->stream)
                            : hipLaunchKernel(p->function, p->grid, p->block, p->params,
                                              p->dynamic_lds, p->stream);
    }
    kiln_sim_device_set(current);
    return error;
}

hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams *list, int count, unsigned flags)
{
    KILN_SIM_CALL();
    return flags > 3 ? invalid() : launch_all(list, count, true);
}

hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams *list, int count, unsigned flags)
{
    KILN_SIM_CALL();
    return flags > 3 ? invalid() : launch_all(list, count, false);
}

hipError_t hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams *list,
                                                       unsigned count, unsigned flags)
{
    KILN_SIM_CALL();
    hipError_t error = 0;
    if (!list || !count || count > (unsigned)kiln_sim_device_count() || flags > 3 ||
        !streams_differ(&list->stream, (int)count, sizeof *list))
        return invalid();
    for (unsigned i = 0; !error && i < count; i++) {
        const hipFunctionLaunchParams *p = &list[i];
        error = hipModuleLaunchCooperativeKernel(p->function, p->grid[0], p->grid[1], p->grid[2],
                                                 p->block[0], p->block[1], p->block[2],
                                                 p->dynamic_lds, p->stream, p->params);
    }
    return error;
}

// ---- optional features

const char *hipApiName(uint32_t id)
{
    (void)id;
    return "unknown"; // numbers of entry points are defined by the profiler
}

void __hipGetPCH(const char **pch, unsigned *size)
{
    *pch = NULL; // there is no compiler that could use it
    *size = 0;
}

hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind kind)
{
    return (hipChannelFormatDesc){x, y, z, w, kind};
}

// ---- libraries: modules under another name

hipError_t hipLibraryLoadData(hipLibrary_t *library, const void *code, hipJitOption **jit_options,
                              void **jit_values, unsigned jit_count, hipLibraryOption **options,
                              void **values, unsigned count)
{
    if ((jit_count && (!jit_options || !jit_values)) || (count && (!options || !values)))
        return invalid();
    return hipModuleLoadData(library, code);
}

hipError_t hipLibraryLoadFromFile(hipLibrary_t *library, const char *path,
                                  hipJitOption **jit_options, void **jit_values, unsigned jit_count,
                                  hipLibraryOption **options, void **values, unsigned count)
{
    if ((jit_count && (!jit_options || !jit_values)) || (count && (!options || !values)))
        return invalid();
    return hipModuleLoad(library, path);
}

hipError_t hipLibraryUnload(hipLibrary_t library)
{
    return hipModuleUnload(library);
}

hipError_t hipLibraryGetKernel(hipKernel_t *kernel, hipLibrary_t library, const char *name)
{
    return hipModuleGetFunction(kernel, library, name);
}

hipError_t hipLibraryGetKernelCount(unsigned *count, hipLibrary_t library)
{
    return hipModuleGetFunctionCount(count, library);
}
