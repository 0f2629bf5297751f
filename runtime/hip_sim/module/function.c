// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: a function's resources, its attributes, and its occupancy.
//
// Numbers come from the code object, which may be malformed, so they are clamped to fit an int.
#include "base/gfx942.h"
#include "hip_sim/entry.h"
#include "hip_sim/graph/graph.h"

static int to_int(uint32_t value)
{
    return value > INT32_MAX ? INT32_MAX : (int)value;
}

int kiln_sim_function_dynamic_lds(hipFunction_t function)
{
    const int requested = __atomic_load_n(&function->requested_dynamic_lds, __ATOMIC_RELAXED);
    if (requested)
        return requested - 1;
    return (int)kiln_sim_kernel_dynamic_lds(function,
                                            kiln_sim_machine_lds(kiln_sim_device()->machine));
}

hipError_t hipFuncGetAttribute(int *value, int attribute, hipFunction_t function)
{
    if (!value || !kiln_sim_is_function(function))
        return kiln_sim_hip_fail(value ? HIP_INVALID_HANDLE : KILN_SIM_INVALID_VALUE, NULL);
    switch (attribute) {
    case 0: // HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
        *value = (int)kiln_sim_kernel_max_items(function);
        return 0;
    case 1: // SHARED_SIZE_BYTES
        *value = to_int(function->lds_bytes);
        return 0;
    case 2: // CONST_SIZE_BYTES
        *value = 0;
        return 0;
    case 3: // LOCAL_SIZE_BYTES
        *value = to_int(function->scratch_bytes);
        return 0;
    case 4: // NUM_REGS
        *value = (int)kiln_sim_kernel_total_vgprs(function);
        return 0;
    case 5: // PTX_VERSION
    case 6: // BINARY_VERSION
        *value = 94;
        return 0;
    case 8: // MAX_DYNAMIC_SHARED_SIZE_BYTES
        *value = kiln_sim_function_dynamic_lds(function);
        return 0;
    case 9: // PREFERRED_SHARED_MEMORY_CARVEOUT
        *value = __atomic_load_n(&function->requested_carveout, __ATOMIC_RELAXED);
        return 0;
    default:
        *value = 0;
        return attribute == 7 ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    }
}

// ---- attributes that programs set

// Dynamic LDS needs no opt-in, but a value beyond the maximum is an error. Attributes are stored
// and returned.
hipError_t hipFuncSetAttribute(const void *host, hipFuncAttribute attribute, int value)
{
    enum { MAX_DYNAMIC_LDS = 8, CARVEOUT = 9 };
    hipFunction_t function;
    hipError_t error = host ? hipGetFuncBySymbol(&function, host)
                            : kiln_sim_hip_fail(HIP_INVALID_DEVICE_FUNCTION, NULL);
    if (error)
        return error;
    const int max = (int)kiln_sim_kernel_dynamic_lds(
        function, kiln_sim_machine_lds(kiln_sim_device()->machine));
    if ((attribute != MAX_DYNAMIC_LDS && attribute != CARVEOUT) ||
        (attribute == MAX_DYNAMIC_LDS && (value < 0 || value > max)) ||
        (attribute == CARVEOUT && (value < -1 || value > 100)))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (attribute == CARVEOUT)
        __atomic_store_n(&function->requested_carveout, value, __ATOMIC_RELAXED);
    else
        __atomic_store_n(&function->requested_dynamic_lds, value + 1, __ATOMIC_RELAXED);
    return 0;
}

hipError_t hipFuncSetCacheConfig(const void *function, hipFuncCache_t config)
{
    if (!function)
        return kiln_sim_hip_fail(HIP_INVALID_DEVICE_FUNCTION, NULL);
    return config < 0 || config > 3 ? kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL) : 0;
}

// ---- occupancy

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, hipFunction_t function,
                                                              int block_size, size_t dynamic_lds)
{
    const uint32_t max = kiln_sim_machine_lds(kiln_sim_device()->machine);
    if (!blocks || !function || block_size <= 0)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (!kiln_sim_is_function(function))
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
    *blocks = 0; // if the workgroup is too large, or needs more LDS than exists
    if (block_size > KILN_GFX942_WORKGROUP_ITEMS || dynamic_lds > max)
        return 0;
    unsigned waves = ((unsigned)block_size + KILN_GFX942_LANES - 1) / KILN_GFX942_LANES;
    uint64_t lds = (uint64_t)function->lds_bytes + dynamic_lds;
    *blocks = lds > max ? 0 : (int)kiln_sim_kernel_occupancy(function, waves, (unsigned)lds);
    return 0;
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, hipFunction_t function, int block_size, size_t dynamic_lds, unsigned flags)
{
    if (flags > 1) // hipOccupancyDisableCachingOverride
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size,
                                                              dynamic_lds);
}

// Finds the number of whole waves in a workgroup that keeps the most waves on a compute unit, and
// the largest of several equal ones.
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *block, hipFunction_t function,
                                                   size_t dynamic_lds, int block_limit)
{
    if (!grid || !block || !function)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (!kiln_sim_is_function(function))
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
    int largest = (int)kiln_sim_kernel_max_items(function), best = 0;
    if (block_limit > 0 && block_limit < largest)
        largest = block_limit;
    *grid = *block = 0;
    enum { LANES = KILN_GFX942_LANES };
    for (int size = LANES; size < largest + LANES; size += LANES) {
        int blocks = 0, items = size < largest ? size : largest;
        hipError_t error = hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function,
                                                                              items, dynamic_lds);
        if (error)
            return error;
        if (blocks && blocks * size >= best) {
            best = blocks * size;
            *block = items;
            *grid = blocks * kiln_sim_machine_product(kiln_sim_device()->machine)->compute_units;
        }
    }
    return *block ? 0 : kiln_sim_hip_fail(KILN_SIM_LAUNCH_OUT_OF_RESOURCES, NULL);
}

hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
                                                            hipFunction_t function,
                                                            size_t dynamic_lds, int block_limit,
                                                            unsigned flags)
{
    if (flags > 1)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return hipModuleOccupancyMaxPotentialBlockSize(grid, block, function, dynamic_lds, block_limit);
}
